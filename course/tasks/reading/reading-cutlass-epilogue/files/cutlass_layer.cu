// A layer by CUTLASS with an epilogue of our own: out = silu(a b + bias), halves, sums in floats.
//
//     tools/setup peers                                    # fetches CUTLASS's headers into .kz/cutlass, once
//     kz run --nvcc-flag --expt-relaxed-constexpr --nvcc-flag -I.kz/cutlass/include files/cutlass_layer.cu
// kz: sm 80
#include <cstdio>
#include <vector>

#include <cutlass/array.h>
#include <cutlass/functional.h>
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/numeric_conversion.h>

// What becomes of 8 neighbouring sums. `source` is C's: here the bias, whose rows are 0 elements apart.
struct silu_of_biased {
    static int const kCount = 8; // halves that a thread stores at once: 16 bytes
    typedef cutlass::half_t ElementOutput;
    typedef float ElementAccumulator, ElementCompute, ElementScalar;
    typedef cutlass::Array<ElementOutput, kCount> FragmentOutput, FragmentSource;
    typedef cutlass::Array<ElementAccumulator, kCount> FragmentAccumulator, ComputeFragment;
    static cutlass::FloatRoundStyle const kRound = cutlass::FloatRoundStyle::round_to_nearest;
    struct Params {};

    CUTLASS_HOST_DEVICE silu_of_biased(Params const &) {}
    CUTLASS_HOST_DEVICE bool is_source_needed() const { return true; }
    CUTLASS_HOST_DEVICE void set_k_partition(int, int) {}

    CUTLASS_HOST_DEVICE FragmentOutput operator()(FragmentAccumulator const &sums, FragmentSource const &source) const {
        cutlass::NumericArrayConverter<float, cutlass::half_t, kCount> widen;
        cutlass::NumericArrayConverter<cutlass::half_t, float, kCount> narrow;
        ComputeFragment bias = widen(source), out;
        for (int i = 0; i < kCount; i++) {
            float x = sums[i] + bias[i];
            out[i] = x / (1.0f + expf(-x));
        }
        return narrow(out);
    }
    CUTLASS_HOST_DEVICE FragmentOutput operator()(FragmentAccumulator const &sums) const {
        FragmentSource none;
        none.clear();
        return (*this)(sums, none);
    }
};

typedef cutlass::gemm::device::Gemm<
    cutlass::half_t, cutlass::layout::RowMajor,    // a, m x k
    cutlass::half_t, cutlass::layout::ColumnMajor, // b, k x n
    cutlass::half_t, cutlass::layout::RowMajor,    // c and out, m x n
    float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
    cutlass::gemm::GemmShape<64, 64, 32>, // of a block, for a step of k
    cutlass::gemm::GemmShape<32, 32, 32>, // of a warp
    cutlass::gemm::GemmShape<16, 8, 16>,  // of an instruction
    silu_of_biased, cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>,
    3> // stages
    layer;

int main() {
    enum { M = 128, N = 192, K = 96 };
    std::vector<cutlass::half_t> a(M * K), b(K * N), bias(N), out(M * N);
    for (size_t i = 0; i < a.size(); i++) a[i] = cutlass::half_t(float(int(i * 7 % 11) - 5) / 8);
    for (size_t i = 0; i < b.size(); i++) b[i] = cutlass::half_t(float(int(i * 5 % 13) - 6) / 8);
    for (size_t i = 0; i < bias.size(); i++) bias[i] = cutlass::half_t(float(int(i % 5) - 2) / 4);
    cutlass::half_t *da, *db, *dbias, *dout;
    cudaMalloc(&da, 2 * a.size()), cudaMalloc(&db, 2 * b.size());
    cudaMalloc(&dbias, 2 * bias.size()), cudaMalloc(&dout, 2 * out.size());
    cudaMemcpy(da, a.data(), 2 * a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b.data(), 2 * b.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(dbias, bias.data(), 2 * bias.size(), cudaMemcpyHostToDevice);
    layer operation; // leading dimensions: k, k, 0 (the same row for all), n
    cutlass::Status status = operation({{M, N, K}, {da, K}, {db, K}, {dbias, 0}, {dout, N}, {}});
    if (status != cutlass::Status::kSuccess) return printf("%s\n", cutlass::cutlassGetStatusString(status)), 1;
    cudaMemcpy(out.data(), dout, 2 * out.size(), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < M; y++)
        for (int x = 0; x < N; x++) {
            double sum = float(bias[x]);
            for (int i = 0; i < K; i++) sum += double(float(a[y * K + i])) * float(b[x * K + i]);
            double right = sum / (1 + exp(-sum)), got = float(out[y * N + x]);
            wrong += !(fabs(got - right) <= 1e-3 * fabs(right) + 1e-4);
        }
    printf("%d threads and %d bytes of shared memory for a block, %d wrong\n", layer::GemmKernel::kThreadCount,
           int(sizeof(layer::GemmKernel::SharedStorage)), wrong);
    cudaFree(da), cudaFree(db), cudaFree(dbias), cudaFree(dout);
    return wrong != 0;
}

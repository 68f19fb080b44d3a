// A product with an epilogue of one's own: c = soft_cap(a * b' + bias), the scores of some language models, which stay within
// +-30. The step is five lines; the product is the zoo's frame.
//
//     nvcc -std=c++17 -arch=sm_90a -I $(pkg-config --variable=includedir kz) gemm_own.cu -o gemm_own && ./gemm_own
//     kz run gemm_own.cu
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <vector>

#include "kz/device/gemm.cuh"

struct soft_cap {
    float most;
    __device__ void apply(kz_pair &v, kz_position &) {
        v = {most * tanhf(v.x / most), most * tanhf(v.y / most)};
    }
};

// Tiles of 64 x 128, both operands of bf16 and contiguous along k, c of floats, which consumers store themselves.
struct shape : kz_gemm_defaults {
    typedef kz_bf16 In;
    typedef float Out;
    enum { A_MN = false, B_MN = false, TILE_M = 64, TILE_N = 128, STAGES = 4, CONSUMERS = 1 };
};

extern "C" __global__ void __launch_bounds__(KZ_GEMM_THREADS(shape::CONSUMERS))
    scores(const __grid_constant__ kz_tensor_map a, const __grid_constant__ kz_tensor_map b, float *c,
           const kz_bf16 *bias, size_t m, size_t n, size_t k, float most) {
    auto epilogue = kz_chain_of(kz_bias<kz_bf16>{bias}, soft_cap{most});
    kz_gemm_run<shape>(&a, &b, NULL, {c, m, n}, kz_gemm_order_of<shape>(m, n, 1, 8), k, epilogue);
}

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "CUDA says: %s; a GPU of sm_90, or `kz run`, is needed\n", cudaGetErrorString(error));
    exit(1);
}

// The map by which the frame fetches `tile` rows of 128 bytes of a matrix: rows x k, k a multiple of 8.
static kz_tensor_map map_rows(void *matrix, size_t rows, size_t k, unsigned tile) {
    static CUresult (*encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *,
                              CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                              CUtensorMapFloatOOBfill);
    cudaDriverEntryPointQueryResult found;
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000,
                                           cudaEnableDefault, &found));
    alignas(64) CUtensorMap map;
    const cuuint64_t dims[] = {k, rows, 1}, strides[] = {2 * k, 2 * k * rows};
    const cuuint32_t box[] = {KZ_GEMM_CHUNK / 2, tile, 1}, steps[] = {1, 1, 1};
    if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, matrix, dims, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        fprintf(stderr, "no tensor map for %zu x %zu\n", rows, k), exit(1);
    kz_tensor_map result;
    memcpy(&result, &map, sizeof result);
    return result;
}

static float widen(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static void *upload(const std::vector<uint16_t> &from) {
    void *to;
    check(cudaMalloc(&to, 2 * from.size()));
    check(cudaMemcpy(to, from.data(), 2 * from.size(), cudaMemcpyHostToDevice));
    return to;
}

int main(void) {
    const size_t m = 100, n = 200, k = 136; // no whole tiles
    const float most = 30.0f;
    std::vector<uint16_t> a(m * k), b(n * k), bias(n);
    unsigned random = 1;
    for (auto *matrix : {&a, &b, &bias})
        for (uint16_t &x : *matrix) { // between 1 and 4, of both signs
            random = random * 1664525u + 1013904223u;
            x = (uint16_t)(0x3f80 | (random >> 16 & 0x80ff));
        }
    void *d_a = upload(a), *d_b = upload(b), *d_bias = upload(bias);
    float *d_c;
    check(cudaMalloc(&d_c, m * n * sizeof *d_c));

    unsigned tiles =
        (unsigned)((m + shape::TILE_M - 1) / shape::TILE_M * ((n + shape::TILE_N - 1) / shape::TILE_N));
    int bytes = KZ_GEMM_SHARED_BYTES(shape::TILE_M, shape::TILE_N, shape::STAGES, shape::CONSUMERS, false);
    check(cudaFuncSetAttribute(scores, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    scores<<<tiles, KZ_GEMM_THREADS(shape::CONSUMERS), bytes>>>(map_rows(d_a, m, k, shape::TILE_M),
                                                                map_rows(d_b, n, k, shape::TILE_N), d_c,
                                                                (const kz_bf16 *)d_bias, m, n, k, most);
    check(cudaGetLastError());
    std::vector<float> c(m * n);
    check(cudaMemcpy(c.data(), d_c, m * n * sizeof *d_c, cudaMemcpyDeviceToHost));

    size_t wrong = 0, capped = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = widen(bias[j]);
            for (size_t x = 0; x < k; x++) sum += (double)widen(a[i * k + x]) * widen(b[j * k + x]);
            wrong += !(fabs(c[i * n + j] - most * tanh(sum / most)) < 1e-3);
            capped += fabs(sum) > most;
        }
    printf("%zu of %zu sums were beyond %g: %zu wrong\n", capped, m * n, most, wrong);
    printf(wrong ? "wrong\n" : "all right\n");
    cudaFree(d_a), cudaFree(d_b), cudaFree(d_bias), cudaFree(d_c);
    return wrong != 0;
}

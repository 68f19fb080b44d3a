// sgemm on the cores, without tensor cores, by device::Gemm in a few tile shapes.
#include "cutlass.h"

static bool does(const kz_peer_problem *p) {
    return strcmp(p->family, "sgemm") == 0 && p->type == KZ_F32 && cutlass_sizes_fit(p);
}

#if PEER_HAS_CUTLASS
#include <cutlass/gemm/device/gemm.h>

// A block computes M x N of c, a warp WM x WN of them; S slices of k are on their way to shared memory.
template <int M, int N, int WM, int WN, int S>
using gemm =
    cutlass::gemm::device::Gemm<float, cutlass::layout::RowMajor, float, cutlass::layout::RowMajor, float,
                                cutlass::layout::RowMajor, float, cutlass::arch::OpClassSimt,
                                cutlass::arch::Sm80, cutlass::gemm::GemmShape<M, N, 8>,
                                cutlass::gemm::GemmShape<WM, WN, 8>, cutlass::gemm::GemmShape<1, 1, 1>,
                                cutlass::epilogue::thread::LinearCombination<float, 1, float, float>,
                                cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, S>;

template <typename Gemm>
static cutlass::Status multiply(const kz_peer_problem *p, const kz_ptr *b, cudaStream_t stream) {
    int m = (int)p->axes[0], n = (int)p->axes[1], k = (int)p->axes[2];
    typename Gemm::Arguments arguments({m, n, k}, {(const float *)b[0], k}, {(const float *)b[1], n},
                                       {(float *)b[2], n}, {(float *)b[2], n}, {1.0f, 0.0f});
    Gemm operation;
    cutlass::Status status = operation.initialize(arguments, nullptr, stream);
    return status == cutlass::Status::kSuccess ? operation(stream) : status;
}

static cutlass::Status (*const shapes[])(const kz_peer_problem *, const kz_ptr *, cudaStream_t) = {
    multiply<gemm<256, 128, 64, 64, 4>>, multiply<gemm<128, 256, 64, 64, 4>>,
    multiply<gemm<128, 128, 32, 64, 4>>, multiply<gemm<128, 64, 64, 32, 4>>,
    multiply<gemm<64, 64, 32, 32, 4>>,
};

static size_t workspace(const kz_peer_problem *) { return 0; }
static cutlass::Status run(const kz_peer_problem *p, const kz_peer_call *call, int way) {
    return shapes[way](p, call->buffers, (cudaStream_t)call->stream);
}
static const cutlass_menu menu = {"device::Gemm, SIMT", sizeof shapes / sizeof shapes[0], false, workspace,
                                  run};
#else
static const cutlass_menu menu = {"device::Gemm, SIMT", 0, false, NULL};
#endif

const cutlass_menu *cutlass_find_simt(const kz_peer_problem *p) { return does(p) ? &menu : NULL; }

// CUTLASS as a rival: sgemm on the cores, without tensor cores, by device::Gemm in a few tile shapes.
//
// Its headers come from the PyPI package nvidia-cutlass (tools/setup peers fetches them). Built without them, the
// rival is there and says what is missing.
#include <stdio.h>
#include <string.h>

#include "peers/peer.h"

static const char *offers(const kz_peer_problem *problem) {
    if (strcmp(problem->family, "sgemm") != 0 || problem->type != KZ_F32) return NULL;
    for (int i = 0; i < 3; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > 0x7fffffff) return NULL;
    return "device::Gemm, SIMT";
}

#if __has_include(<cutlass/gemm/device/gemm.h>)
#include <cutlass/gemm/device/gemm.h>
#include <cutlass/version.h>

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

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    (void)problem, (void)why;
    plan->algorithms = sizeof shapes / sizeof shapes[0];
    return 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    cutlass::Status status = shapes[plan->algorithm](problem, call->buffers, (cudaStream_t)call->stream);
    if (status == cutlass::Status::kSuccess) return 0;
    cudaError_t error = cudaGetLastError();
    *why = error == cudaSuccess ? cutlass::cutlassGetStatusString(status) : cudaGetErrorString(error);
    return 1;
}

static const char *version(const char **) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", CUTLASS_MAJOR, CUTLASS_MINOR, CUTLASS_PATCH);
    return text;
}
#else
static const char *version(const char **why) {
    *why = "it was built without CUTLASS's headers";
    return NULL;
}

static int prepare(const kz_peer_problem *, kz_peer_plan *, const char **why) { return !version(why); }
static int run(const kz_peer_problem *, const kz_peer_plan *, const kz_peer_call *, const char **why) {
    return !version(why);
}
#endif

extern "C" __attribute__((visibility("default"))) const kz_peer *kz_peer_get(void) {
    static const kz_peer peer = {KZ_PEER_INTERFACE, "cutlass", false, version, offers, prepare, run, NULL};
    return &peer;
}

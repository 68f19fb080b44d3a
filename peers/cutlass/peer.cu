// CUTLASS as a rival: sgemm on the cores (simt.cu), products of halves by Hopper's tensor cores (hopper_bf16.cu, hopper_f16.cu),
// and one with an epilogue of our own, which is the example to read (hopper_fused.cu).
//
// Its headers come from the PyPI package nvidia-cutlass (tools/setup peers fetches them). Built without them, the
// rival is there and says what is missing.
#include <stdio.h>

#include "cutlass.h"

static const cutlass_menu *find(const kz_peer_problem *problem) {
    const cutlass_menu *menu = cutlass_find_simt(problem);
    if (!menu) menu = cutlass_find_bf16(problem);
    if (!menu) menu = cutlass_find_f16(problem);
    if (!menu) menu = cutlass_find_fused(problem);
    return menu;
}

static const char *offers(const kz_peer_problem *problem) {
    const cutlass_menu *menu = find(problem);
    return menu ? menu->name : NULL;
}

#if PEER_HAS_CUTLASS
static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    const cutlass_menu *menu = find(problem);
    *why = "tensor maps need matrices and rows that begin at multiples of 16 bytes";
    if (!menu) return KZ_PEER_DOES_NOT; // it was offered before the addresses were known
    int device = 0, major = 0, minor = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (!error) error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    *why =
        error ? cudaGetErrorString(error) : "its kernels for tensor cores are for sm_90a, and no other GPU";
    if (error) return 1;
    if (menu->hopper && (major != 9 || minor != 0)) return KZ_PEER_DOES_NOT;
    plan->algorithms = menu->ways;
    plan->workspace_bytes = menu->workspace(problem);
    return 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    cutlass::Status status = find(problem)->run(problem, call, plan->algorithm);
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
    static const kz_peer peer = {KZ_PEER_INTERFACE, "cutlass", false, version, offers,
                                 prepare,           run,       NULL,  NULL};
    return &peer;
}

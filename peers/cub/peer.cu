// The CUB peer: which operations it has, and the way from the C interface to them.
#include <cub/version.cuh>
#include <stdio.h>
#include <string.h>

#include "operations.h"

typedef struct operation {
    const char *family;
    const char *name; // in tables
    unsigned types;   // bits 1 << kz_type
    cudaError_t (*run)(const kz_peer_problem *problem, const cub_call *call);
} operation;

enum {
    FLOATS = 1u << KZ_F32 | 1u << KZ_F16 | 1u << KZ_BF16,
    ITEMS = 1u << KZ_F32 | 1u << KZ_F64 | 1u << KZ_I32 | 1u << KZ_F16 | 1u << KZ_U8,
    SAMPLES = 1u << KZ_U8 | 1u << KZ_U16 | 1u << KZ_U32 | 1u << KZ_F32,
};

static const operation operations[] = {
    {"reduce", "DeviceReduce", FLOATS | 1u << KZ_F64 | 1u << KZ_I32, cub_reduce},
    {"reduce_axis", "DeviceSegmentedReduce", FLOATS | 1u << KZ_F64 | 1u << KZ_I32, cub_reduce_axis},
    {"reduce_segments", "DeviceSegmentedReduce", FLOATS | 1u << KZ_F64 | 1u << KZ_I32, cub_reduce_segments},
    {"scan", "DeviceScan", FLOATS | 1u << KZ_F64 | 1u << KZ_I32 | 1u << KZ_U32 | 1u << KZ_I64, cub_scan},
    {"compact", "DeviceSelect", ITEMS, cub_compact},
    {"histogram", "DeviceHistogram", SAMPLES, cub_histogram},
    {"warp", "WarpReduce, WarpScan", 1u << KZ_F32 | 1u << KZ_I32, cub_warp},
    {"atomics", "DeviceHistogram", 1u << KZ_U32, cub_count},
    {"vector_add", "DeviceTransform", 1u << KZ_F32, cub_transform},
    {"saxpy", "DeviceTransform", 1u << KZ_F32, cub_transform},
    {"elementwise", "DeviceTransform", FLOATS, cub_transform},
};

static const operation *find(const kz_peer_problem *problem) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
        if (strcmp(operations[i].family, problem->family) == 0 && (operations[i].types >> problem->type & 1))
            return &operations[i];
    return NULL;
}

static int finish(cudaError_t error, const char **why) {
    if (error == cudaSuccess) return 0;
    *why = error == cudaErrorNotSupported ? "CUB does not do this case" : cudaGetErrorString(error);
    return error == cudaErrorNotSupported ? KZ_PEER_DOES_NOT : 1;
}

static const char *offers(const kz_peer_problem *problem) {
    const operation *o = find(problem);
    // n = 0 has nothing to rival; past 2^31 CUB's 32-bit indices end.
    return o && problem->axes[0] > 0 && problem->axes[0] <= 0x7fffffff ? o->name : NULL;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    const operation *o = find(problem);
    if (!o) return finish(cudaErrorNotSupported, why);
    const kz_ptr none[KZ_FAMILY_BUFFERS] = {0};
    const cub_call call = {NULL, &plan->workspace_bytes, none, NULL};
    plan->algorithms = 1;
    return finish(o->run(problem, &call), why);
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *c,
               const char **why) {
    const operation *o = find(problem);
    if (!o) return finish(cudaErrorNotSupported, why);
    size_t bytes = plan->workspace_bytes;
    const cub_call call = {(void *)c->workspace, &bytes, c->buffers, (cudaStream_t)c->stream};
    return finish(o->run(problem, &call), why);
}

static const char *version(const char **) {
    static char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
    return text;
}

extern "C" __attribute__((visibility("default"))) const kz_peer *kz_peer_get(void) {
    static const kz_peer peer = {KZ_PEER_INTERFACE, "cub", false, version, offers, prepare, run, NULL, NULL};
    return &peer;
}

// CUB's DeviceSelect and DevicePartition as peers of the family compact.
//
// They keep the same order: selected elements first, and what a partition does not select from the end
// backwards. Indices are 32 bits wide, CUB's faster choice.
#include <cuda_fp16.h>

#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>
#include <stdint.h>
#include <string.h>

#include "operations.h"

// The family's buffers.
enum { IN, OUT, COUNT, FLAGS };

struct is_above {
    template <typename T> __host__ __device__ bool operator()(T x) const { return x > T(0); }
    __host__ __device__ bool operator()(uint8_t x) const { return x > 127; }
    __host__ __device__ bool operator()(__half x) const { return (float)x > 0.0f; }
};

template <typename T> static cudaError_t compact(const char *operation, const cub_call *call, int n) {
    const T *in = (const T *)call->buffers[IN];
    T *out = (T *)call->buffers[OUT];
    unsigned *count = (unsigned *)call->buffers[COUNT];
    const uint8_t *flags = (const uint8_t *)call->buffers[FLAGS];
    void *workspace = call->workspace;
    size_t &bytes = *call->bytes;
    cudaStream_t stream = call->stream;
    if (strcmp(operation, "select") == 0)
        return cub::DeviceSelect::If(workspace, bytes, in, out, count, n, is_above(), stream);
    if (strcmp(operation, "select_flagged") == 0)
        return cub::DeviceSelect::Flagged(workspace, bytes, in, flags, out, count, n, stream);
    if (strcmp(operation, "partition") == 0)
        return cub::DevicePartition::If(workspace, bytes, in, out, count, n, is_above(), stream);
    if (strcmp(operation, "partition_flagged") == 0)
        return cub::DevicePartition::Flagged(workspace, bytes, in, flags, out, count, n, stream);
    if (strcmp(operation, "unique") == 0)
        return cub::DeviceSelect::Unique(workspace, bytes, in, out, count, n, stream);
    return cudaErrorNotSupported;
}

cudaError_t cub_compact(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff) return cudaErrorNotSupported;
    int n = (int)problem->axes[0];
    switch (problem->type) {
    case KZ_F32: return compact<float>(problem->operation, call, n);
    case KZ_F64: return compact<double>(problem->operation, call, n);
    case KZ_I32: return compact<int>(problem->operation, call, n);
    case KZ_F16: return compact<__half>(problem->operation, call, n);
    case KZ_U8: return compact<uint8_t>(problem->operation, call, n);
    default: return cudaErrorNotSupported;
    }
}

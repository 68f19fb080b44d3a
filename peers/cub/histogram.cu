// CUB's DeviceHistogram as a peer of the family histogram, even bins and bins between levels, and of atomics' count.
//
// CUB finds the even bin of a float in float, where the family defines it in double: they agree wherever
// float rounds nothing, such as limits of 0 and 1 with a power of two of bins. Levels have the type that
// CUB's documentation shows for each sample. Indices are 32 bits wide, CUB's faster choice.
#include <cub/device/device_histogram.cuh>
#include <stdint.h>
#include <string.h>

#include "operations.h"

// The family's guest arguments: in, out, levels, n, bins, lower, upper.
enum { IN, OUT, LEVELS };
enum { LOWER = 5, UPPER = 6 };

static float float_of(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

template <typename T, typename Level>
static cudaError_t even(const cub_call *call, int n, int bins, Level lower, Level upper) {
    return cub::DeviceHistogram::HistogramEven(call->workspace, *call->bytes, (const T *)call->buffers[IN],
                                               (unsigned *)call->buffers[OUT], bins + 1, lower, upper, n,
                                               call->stream);
}

template <typename T, typename Level> static cudaError_t range(const cub_call *call, int n, int bins) {
    return cub::DeviceHistogram::HistogramRange(call->workspace, *call->bytes, (const T *)call->buffers[IN],
                                                (unsigned *)call->buffers[OUT], bins + 1,
                                                (const Level *)call->buffers[LEVELS], n, call->stream);
}

static cudaError_t all_even(const kz_peer_problem *problem, const cub_call *call, int n, int bins) {
    if (problem->arg_count <= UPPER) return cudaErrorNotSupported;
    uint64_t lower = problem->args[LOWER].scalar, upper = problem->args[UPPER].scalar;
    if (problem->type == KZ_F32) return even<float>(call, n, bins, float_of(lower), float_of(upper));
    if (problem->type == KZ_U32 && upper <= UINT32_MAX)
        return even<uint32_t>(call, n, bins, (uint32_t)lower, (uint32_t)upper);
    if (problem->type == KZ_U16) return even<uint16_t>(call, n, bins, (int)lower, (int)upper);
    if (problem->type == KZ_U8) return even<uint8_t>(call, n, bins, (int)lower, (int)upper);
    return cudaErrorNotSupported;
}

static cudaError_t all_range(const kz_peer_problem *problem, const cub_call *call, int n, int bins) {
    if (problem->type == KZ_F32) return range<float, float>(call, n, bins);
    if (problem->type == KZ_U32) return range<uint32_t, unsigned>(call, n, bins);
    if (problem->type == KZ_U16) return range<uint16_t, unsigned>(call, n, bins);
    if (problem->type == KZ_U8) return range<uint8_t, unsigned>(call, n, bins);
    return cudaErrorNotSupported;
}

cudaError_t cub_histogram(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff) return cudaErrorNotSupported;
    int n = (int)problem->axes[0], bins = (int)problem->axes[1];
    if (strcmp(problem->operation, "even") == 0) return all_even(problem, call, n, bins);
    if (strcmp(problem->operation, "range") == 0) return all_range(problem, call, n, bins);
    return cudaErrorNotSupported;
}

// Keys below k are bins of width 1.
cudaError_t cub_count(const kz_peer_problem *problem, const cub_call *call) {
    if (problem->axes[0] > 0x7fffffff || strcmp(problem->operation, "count") != 0)
        return cudaErrorNotSupported;
    uint32_t k = (uint32_t)problem->axes[1];
    return even<uint32_t>(call, (int)problem->axes[0], (int)k, 0u, k);
}

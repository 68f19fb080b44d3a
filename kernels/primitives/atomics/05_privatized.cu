// atomics 05: privatized, a copy for each block
//
// Idea     shared memory has atomics of its own, beside the cores: 132 multiprocessors are 132 places to queue at.
// Change   each block counts, folds or gathers for itself, and goes to L2 once at the end: for each word that it
//          touched, or, to append, for all entries of some rounds.
// Expect   few requests to L2, whatever the keys; one counter is as fast as many.
// Limit    the words must fit into shared memory. Lanes of a warp that want the same word are still serialised there:
//          `histogram` goes on from here.

#include "atomics.cuh"

extern __shared__ unsigned own[];

static __device__ __forceinline__ void set_own(unsigned words, unsigned value) {
    for (unsigned w = threadIdx.x; w < words; w += blockDim.x) own[w] = value;
    __syncthreads();
}

KZ_ENTRY(atomics_privatized_count_u32)(const unsigned *keys, unsigned *out, size_t n, size_t k) {
    set_own((unsigned)k, 0);
    for (size_t i = kz_thread(); i < n; i += kz_threads()) atomicAdd(&own[keys[i]], 1);
    __syncthreads();
    for (size_t w = threadIdx.x; w < k; w += blockDim.x)
        if (own[w]) atomicAdd(&out[w], own[w]);
}

KZ_ENTRY(atomics_privatized_max_f32)
(const unsigned *keys, unsigned *out, const float *values, size_t n, size_t k) {
    set_own((unsigned)k, 0xffffffffu);
    for (size_t i = kz_thread(); i < n; i += kz_threads()) {
        float x = values[i];
        if (x == x) raise_to(&own[keys[i]], x);
    }
    __syncthreads();
    for (size_t w = threadIdx.x; w < k; w += blockDim.x)
        if (own[w] != 0xffffffffu) raise_to(&out[w], __uint_as_float(own[w]));
}

KZ_ENTRY(atomics_privatized_update_i32)
(const unsigned *keys, int *out, const int *values, size_t n, size_t k) {
    int *mine = (int *)own;
    parts none = no_parts();
    for (size_t w = threadIdx.x; w < k; w += blockDim.x) {
        mine[4 * w] = none.count, mine[4 * w + 1] = none.sum;
        mine[4 * w + 2] = none.least, mine[4 * w + 3] = none.greatest;
    }
    __syncthreads();
    for (size_t i = kz_thread(); i < n; i += kz_threads()) add_parts(&mine[4 * keys[i]], parts_of(values[i]));
    __syncthreads();
    for (size_t w = threadIdx.x; w < k; w += blockDim.x)
        if (mine[4 * w])
            add_parts(&out[4 * w], {mine[4 * w], mine[4 * w + 1], mine[4 * w + 2], mine[4 * w + 3]});
}

// Each warp counts its entries of all rounds, the block asks for room once, and the warps write.
KZ_ENTRY(atomics_privatized_append_f32)(const float *in, unsigned *queue, unsigned *length, size_t n) {
    const unsigned WARPS = ATOMICS_THREADS / KZ_WARP, ROUNDS = ATOMICS_APPEND_ROUNDS;
    __shared__ unsigned begin[WARPS];
    size_t tile = (size_t)ATOMICS_THREADS * ROUNDS;
    for (size_t first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
        unsigned entries[ROUNDS], count = 0;
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) {
            size_t i = first + r * ATOMICS_THREADS + threadIdx.x;
            entries[r] = __ballot_sync(KZ_ALL_LANES, i < n && in[i] > 0.0f);
            count += __popc(entries[r]);
        }
        if (kz_lane() == 0) begin[kz_warp()] = count;
        __syncthreads();
        if (threadIdx.x == 0) {
            unsigned sum = 0;
            for (unsigned w = 0; w < WARPS; w++) sum += begin[w];
            unsigned index = sum ? atomicAdd(length, sum) : 0;
            for (unsigned w = 0; w < WARPS; w++) {
                unsigned of_warp = begin[w];
                begin[w] = index;
                index += of_warp;
            }
        }
        __syncthreads();
        unsigned index = begin[kz_warp()];
#pragma unroll
        for (unsigned r = 0; r < ROUNDS; r++) {
            if (entries[r] >> kz_lane() & 1)
                queue[index + __popc(entries[r] & ((1u << kz_lane()) - 1))] =
                    (unsigned)(first + r * ATOMICS_THREADS + threadIdx.x);
            index += __popc(entries[r]);
        }
        __syncthreads(); // all have read `begin`
    }
}

ATOMICS_CLEAR_UPDATE
ATOMICS_WORK_OFF

// atomics: what the variants share: words of memory that several threads touch, and the small kernels around.
//
// Whatever another thread may change meanwhile is read and written by atomics or by accesses that say so (relaxed,
// acquire, release): a plain load may be taken from L1, or be moved out of a loop, and the race detector says so.
#ifndef ATOMICS_CUH
#define ATOMICS_CUH

#include "kz/kernel.cuh"
#include "tune.h"

static __device__ __forceinline__ unsigned load_relaxed(const unsigned *from) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    return value;
}

// ---- floats -----------------------------------------------------------------------------------------------

// The greatest of floats by integers. Bits of floats from +0 up ascend as signed integers do, and those from -0
// down descend as unsigned ones; a negative float is a negative integer, and below any positive one either way. The
// slot begins as 0xffffffff, which gives way to both. No NaN.
static __device__ __forceinline__ void raise_to(unsigned *slot, float x) {
    int bits = __float_as_int(x);
    if (bits >= 0)
        atomicMax((int *)slot, bits);
    else
        atomicMin(slot, (unsigned)bits);
}

// ---- updates ----------------------------------------------------------------------------------------------

// What is kept for a key. out[4 key] and the three behind it.
typedef struct parts {
    int count, sum, least, greatest;
} parts;

static __device__ __forceinline__ parts no_parts(void) { return {0, 0, INT32_MAX, INT32_MIN}; }
static __device__ __forceinline__ parts parts_of(int value) { return {1, value, value, value}; }

// One atomic for each part, which need not happen together.
static __device__ __forceinline__ void add_parts(int *totals, parts p) {
    atomicAdd(&totals[0], p.count);
    atomicAdd((unsigned *)&totals[1], (unsigned)p.sum);
    atomicMin(&totals[2], p.least);
    atomicMax(&totals[3], p.greatest);
}

// Plain loads and stores: for whoever holds the key's lock. They happen together.
static __device__ __forceinline__ void add_parts_alone(int *totals, parts p) {
    totals[0] += p.count;
    totals[1] = (int)((unsigned)totals[1] + (unsigned)p.sum);
    totals[2] = min(totals[2], p.least);
    totals[3] = max(totals[3], p.greatest);
}

// What update begins with; a fill has only one byte to give.
#define ATOMICS_CLEAR_UPDATE                                                                                 \
    KZ_ENTRY(atomics_clear_update_i32)(int *out, size_t k) {                                                 \
        size_t i = kz_thread();                                                                              \
        if (i >= k) return;                                                                                  \
        parts p = no_parts();                                                                                \
        out[4 * i] = p.count, out[4 * i + 1] = p.sum, out[4 * i + 2] = p.least, out[4 * i + 3] = p.greatest; \
    }

// What append's queue is for: each entry is taken up by a thread.
#define ATOMICS_WORK_OFF                                                                                     \
    KZ_ENTRY(atomics_work_off_append_f32)                                                                    \
    (const float *in, float *out, const unsigned *queue, const unsigned *length) {                           \
        for (size_t j = kz_thread(); j < *length; j += kz_threads()) out[queue[j]] = in[queue[j]];           \
    }

#endif

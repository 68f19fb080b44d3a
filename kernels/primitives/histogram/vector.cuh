// histogram: what 05 to 08 share: the sweep over the input in packs of 16 bytes, and the quick even bins.
//
// Pack i belongs to thread i % threads in the grid, so that the whole grid moves over the data together. A
// set of PACKS packs is in flight while the set before it is being counted. A counter is a struct with
// one(x), pack(p) and pause(); all threads of a block come to pause() equally often, after `PACKS` packs each
// at most.
#ifndef HISTOGRAM_VECTOR_CUH
#define HISTOGRAM_VECTOR_CUH

#include "kz/device/bulk.cuh"
#include "shared.cuh"

enum { THREADS = HISTOGRAM_VECTOR_THREADS };

template <typename T, int PACKS>
static __device__ __forceinline__ void load_set(kz_pack<T> (&set)[PACKS], const T *body, size_t i) {
#pragma unroll
    for (int p = 0; p < PACKS; p++)
        set[p] = kz_load_pack<HISTOGRAM_VECTOR_LOAD>(body + (i + p * kz_threads()) * (16 / sizeof(T)));
}

template <typename T, int PACKS, typename Counter>
static __device__ __forceinline__ void sweep_packs(const T *body, size_t packs, Counter &counter) {
    size_t stride = kz_threads(), step = PACKS * stride;
    size_t first = (size_t)blockIdx.x * THREADS;   // the block's own: all its threads agree on it
    size_t reach = (PACKS - 1) * stride + THREADS; // of a whole set
    if (first + reach <= packs) {
        kz_pack<T> now[PACKS];
        load_set<T, PACKS>(now, body, first + threadIdx.x);
        for (first += step; first + reach <= packs; first += step) {
            kz_pack<T> next[PACKS];
            load_set<T, PACKS>(next, body, first + threadIdx.x);
#pragma unroll
            for (int p = 0; p < PACKS; p++) counter.pack(now[p]);
#pragma unroll
            for (int p = 0; p < PACKS; p++) now[p] = next[p];
            counter.pause();
        }
#pragma unroll
        for (int p = 0; p < PACKS; p++) counter.pack(now[p]);
        counter.pause();
    }
    kz_pack<T> rest[PACKS]; // less than a set for the whole block, its loads at once as well
#pragma unroll
    for (int p = 0; p < PACKS; p++)
        if (first + threadIdx.x + p * stride < packs)
            rest[p] = kz_load_pack<HISTOGRAM_VECTOR_LOAD>(body + (first + threadIdx.x + p * stride) *
                                                                     (16 / sizeof(T)));
#pragma unroll
    for (int p = 0; p < PACKS; p++)
        if (first + threadIdx.x + p * stride < packs) counter.pack(rest[p]);
    counter.pause();
}

// The elements before the first aligned address and after the last whole pack, fewer than 32 in all, go to
// the first threads, one each.
template <typename T, int PACKS, typename Counter>
static __device__ __forceinline__ void sweep(const T *in, size_t n, Counter &counter) {
    size_t head = (0 - (size_t)in) % 16 / sizeof(T);
    if (head > n) head = n;
    size_t packs = (n - head) / (16 / sizeof(T)), after = head + packs * (16 / sizeof(T));
    if (kz_thread() < head) counter.one(in[kz_thread()]);
    if (kz_thread() < n - after) counter.one(in[after + kz_thread()]);
    counter.pause();
    sweep_packs<T, PACKS>(in + head, packs, counter);
}

// ---- the bins of a pack -----------------------------------------------------------------------------------

// A pack finder's bins go from -1 (wrapped), which is below the first, to `bins`, which is above the last or
// nowhere: no counter has to look whether there is such a bin.

// The bin of one element by way of a pack, for the few that are in none.
template <typename T, typename PackFinder>
static __device__ __forceinline__ unsigned find_one(const PackFinder &finder, T x) {
    kz_pack<T> all;
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++) all.at[e] = x;
    unsigned bin[16 / sizeof(T)];
    finder.find(all, bin);
    return bin[0];
}

template <typename T, typename Finder> struct pack_finder {
    Finder finder;
    __device__ __forceinline__ explicit pack_finder(Finder finder) : finder(finder) {}
    __device__ __forceinline__ void find(kz_pack<T> pack, unsigned (&bin)[16 / sizeof(T)]) const {
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++) bin[e] = finder.find(pack.at[e]);
    }
};

// Even bins of floats in float. scaled = (x - lower) * scale has three roundings, of scale itself, the
// difference and the product, each of at most 2^-24 of the value: below bins it is off by less than bins *
// 2^-22. Where it lies farther than that from a whole number, its floor is that of the definition in double;
// where any of a pack does not, the pack is done in double. The sign of the difference is exact, so what is
// below lower is seen. Where lower is 0 and scale a power of two from 1 up, nothing is rounded, and all are
// safe.
template <> struct pack_finder<float, even<float>> {
    even<float> exact;
    float scale, beyond, safe; // safe: this close to the middle of a bin

    __device__ __forceinline__ explicit pack_finder(even<float> finder)
        : exact(finder), scale((float)finder.scale), beyond((float)finder.bins + 0.5f) {
        bool power_of_two = ((unsigned long long)__double_as_longlong(finder.scale) << 12) == 0;
        bool ordinary = finder.scale >= 0x1p-100 && finder.scale <= 0x1p100;
        safe = ordinary ? 0.5f - (float)finder.bins * 0x1p-22f : -1.0f;
        if (ordinary && power_of_two && finder.lower == 0.0f && finder.scale >= 1.0) safe = 1.0f;
    }

    // Rarely needed, and not inlined: four times this would cost the loop its registers.
    static __device__ __noinline__ unsigned find_exactly(even<float> exact, float x) { return exact.find(x); }

    __device__ __forceinline__ void find(kz_pack<float> pack, unsigned (&bin)[4]) const {
        const float shift = 0x1p23f; // added rounding down, it leaves the floor in the low bits
        bool all_safe = true;
#pragma unroll
        for (int e = 0; e < 4; e++) {
            float scaled = (pack.at[e] - exact.lower) * scale;
            scaled = fminf(fmaxf(scaled, -0.25f), beyond); // NaN becomes -0.25, which is in no bin
            float shifted = __fadd_rd(scaled, shift);
            bin[e] = __float_as_uint(shifted) - __float_as_uint(shift);
            float middle = shifted - (shift - 0.5f); // of the bin; all of this is exact
            all_safe &= fabsf(scaled - middle) < safe;
        }
        if (__builtin_expect(all_safe, 1)) return;
#pragma unroll
        for (int e = 0; e < 4; e++) bin[e] = find_exactly(exact, pack.at[e]);
    }
};

// ---- a counter: copies in shared memory -------------------------------------------------------------------

// Adds 1 at a shared address; nothing comes back, so nothing waits.
static __device__ __forceinline__ void add_one(unsigned address) {
    asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(address) : "memory");
}

// Two rows more than there are bins: what lies below the first bin or above the last is counted there, which
// is cheaper than asking whether to count it. A conditional atomic is a branch.
template <typename T, typename Finder> struct copies_counter {
    pack_finder<T, Finder> finder;
    unsigned column, bytes; // this lane's copy of bin 0, and the distance from one bin to the next

    __device__ __forceinline__ copies_counter(Finder finder, unsigned copies)
        : finder(finder),
          column(kz_shared_address(histogram_shared) + (copies + (kz_lane() & (copies - 1))) * 4),
          bytes(copies * 4) {}

    __device__ __forceinline__ void one(T x) { add_one(column + find_one(finder, x) * bytes); }
    __device__ __forceinline__ void pack(kz_pack<T> pack) {
        unsigned bin[16 / sizeof(T)];
        finder.find(pack, bin);
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++) add_one(column + bin[e] * bytes);
    }
    __device__ __forceinline__ void pause() {}
};

#endif

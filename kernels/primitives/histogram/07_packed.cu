// histogram 07: two counters in a word
//
// Idea     counters of 16 bits halve the space: 65536 of them fit into one multiprocessor. What they cannot
//          hold goes to the output before they overflow.
// Change   an atomic adds 1 to its half of a word and gives back what was there. The lane that brings a half
//          to a multiple of 4096 takes 4096 off it, and adds them to the output. Levels stay in global memory.
//          A u8 has no more than 256 values, and goes as in 05.
// Expect   any number of bins with the block's own shared memory alone; a global atomic per 4096 at most.
// Limit    one copy: data that falls into few bins queues. The result of each atomic must be waited for.
//
// A half is below 4096 at every barrier, for whoever passed a multiple of 4096 has taken it off before. From
// one barrier to the next the block counts at most MOST elements, so a half never leaves its 16 bits.

#include "vector.cuh"

enum { CARRY = 4096, MOST = 65536 - CARRY };

template <typename T> struct room { // packs that fit between two barriers, and those of a set
    static const int elements = 16 / sizeof(T);
    static const int fit = MOST / (THREADS * elements);
    static const int wanted = sizeof(T) < 4 ? HISTOGRAM_NARROW_PACKS : HISTOGRAM_VECTOR_PACKS;
    static const int packs = fit < wanted ? fit : wanted;
    static_assert(fit >= 1, "a pack per thread must fit between two barriers");
};

template <typename T, typename Finder> struct packed_counter {
    pack_finder<T, Finder> finder;
    unsigned *out;
    unsigned bins, rounds;

    // As in vector.cuh, a row below all bins, and one above.
    static __device__ __forceinline__ unsigned add(unsigned row) {
        return atomicAdd(&histogram_shared[row / 2], 1u << row % 2 * 16);
    }
    __device__ __forceinline__ void carry(unsigned row, unsigned old) {
        unsigned shift = row % 2 * 16;
        if ((old >> shift) % CARRY != CARRY - 1) return;
        atomicSub(&histogram_shared[row / 2], (unsigned)CARRY << shift);
        if (row - 1 < bins) atomicAdd(&out[row - 1], CARRY);
    }
    __device__ __forceinline__ void one(T x) {
        unsigned row = find_one(finder, x) + 1;
        carry(row, add(row));
    }
    __device__ __forceinline__ void pack(kz_pack<T> pack) {
        unsigned bin[16 / sizeof(T)], old[16 / sizeof(T)];
        finder.find(pack, bin);
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++) old[e] = add(bin[e] + 1);
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++) carry(bin[e] + 1, old[e]); // all were under way before
    }
    __device__ __forceinline__ void pause() {
        rounds += room<T>::packs;
        if (rounds + room<T>::packs <= room<T>::fit) return;
        rounds = 0;
        __syncthreads();
    }
};

template <typename T, typename Finder>
static __device__ __forceinline__ void count(const T *in, unsigned *out, size_t n, unsigned bins,
                                             Finder finder) {
    clear_counters((bins + 3) / 2); // two rows in a word
    __syncthreads();
    packed_counter<T, Finder> counter = {pack_finder<T, Finder>(finder), out, bins, 0};
    sweep<T, room<T>::packs>(in, n, counter);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += THREADS) {
        unsigned row = bin + 1, half = histogram_shared[row / 2] >> row % 2 * 16 & 0xffff;
        if (half) atomicAdd(&out[bin], half);
    }
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY_BOUNDS(histogram_packed_##operation##_##type, THREADS, 1)(HISTOGRAM_PARAMETERS(T)) {            \
        count(in, out, n, (unsigned)bins, HISTOGRAM_FINDER(operation, T, levels));                           \
    }
HISTOGRAM_WIDE(ENTRY)

// histogram 07: packed counters, two in a word
//
// Idea     counters of 16 bits halve the space: 65536 of them fit into one multiprocessor. What they cannot
//          hold goes to the output before they overflow.
// Change   an atomic adds 1 to its half of a word and gives back what was there. The lane that brings a half
//          to a multiple of 4096 takes 4096 off it, and adds them to the output. Levels stay in global
//          memory. A u8 has no more than 256 values, and goes as in 05.
// Expect   any number of bins with the block's own shared memory alone; a global atomic per 4096 at most.
// Limit    one copy: data that falls into few bins queues, though a run of equal bins in a pack is added at
//          once. The result of each atomic must be waited for.
//
// A half is below 4096 at every barrier, for whoever passed a multiple of 4096 has taken it off before. From
// one barrier to the next the block counts at most MOST elements, so a half never leaves its 16 bits.

#include "vector.cuh"

enum { CARRY = 4096, MOST = 65536 - CARRY };
#define CARRIES (CARRY | (unsigned)CARRY << 16) // in both halves

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
    unsigned base, bins, rounds; // base: the shared address of the counters

    // As in vector.cuh, a row below all bins, and one above.
    static __device__ __forceinline__ unsigned in_half(unsigned row, unsigned number) {
        return number << row % 2 * 16;
    }
    // What was there; nothing is done for a number of 0. An address of 32 bits and a predicate: of the
    // pointer the compiler would make the address anew each time, and of the condition a branch.
    __device__ __forceinline__ unsigned add(unsigned row, unsigned number) const {
        unsigned old;
        asm volatile("{\n\t.reg .pred some;\n\tsetp.ne.u32 some, %2, 0;\n\tmov.u32 %0, 0;\n\t"
                     "@some atom.shared.add.u32 %0, [%1], %2;\n\t}"
                     : "=&r"(old)
                     : "r"(base + row / 2 * 4), "r"(in_half(row, number))
                     : "memory");
        return old;
    }
    // A half that comes to a multiple of CARRY, or passes it, changes its bit of that value; the other half
    // does not change.
    static __device__ __forceinline__ unsigned changed(unsigned row, unsigned number, unsigned old) {
        return old ^ (old + in_half(row, number));
    }
    // Rarely needed, and not inlined.
    static __device__ __noinline__ void carry(unsigned *out, unsigned bins, unsigned row) {
        atomicSub(&histogram_shared[row / 2], in_half(row, CARRY));
        if (row - 1 < bins) atomicAdd(&out[row - 1], CARRY);
    }
    __device__ __forceinline__ void one(T x) {
        unsigned row = find_one(finder, x) + 1;
        if (changed(row, 1, add(row, 1)) & CARRIES) carry(out, bins, row);
    }
    // A run of equal bins is added at once, by its last element. All are under way before one is looked at.
    __device__ __forceinline__ void pack(kz_pack<T> pack) {
        const int ELEMENTS = 16 / sizeof(T);
        unsigned row[ELEMENTS], number[ELEMENTS], old[ELEMENTS], run = 0, any = 0;
        finder.find(pack, row);
#pragma unroll
        for (int e = 0; e < ELEMENTS; e++) {
            run++;
            bool last = e + 1 == ELEMENTS || row[e + 1 < ELEMENTS ? e + 1 : e] != row[e];
            number[e] = last ? run : 0;
            run = last ? 0 : run;
        }
#pragma unroll
        for (int e = 0; e < ELEMENTS; e++) {
            row[e]++;
            old[e] = add(row[e], number[e]);
        }
#pragma unroll
        for (int e = 0; e < ELEMENTS; e++) any |= changed(row[e], number[e], old[e]);
        if (__builtin_expect((any & CARRIES) == 0, 1)) return;
#pragma unroll
        for (int e = 0; e < ELEMENTS; e++)
            if (changed(row[e], number[e], old[e]) & CARRIES) carry(out, bins, row[e]);
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
    packed_counter<T, Finder> counter = {pack_finder<T, Finder>(finder), out,
                                         kz_shared_address(histogram_shared), bins, 0};
    sweep<T, room<T>::packs>(in, n, counter);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += THREADS) {
        unsigned row = bin + 1, half = histogram_shared[row / 2] >> row % 2 * 16 & 0xffff;
        if (half) atomicAdd(&out[bin], half);
    }
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY_BOUNDS(histogram_packed_counters_##operation##_##type, THREADS, 1)                              \
    (HISTOGRAM_PARAMETERS(T)) { count(in, out, n, (unsigned)bins, HISTOGRAM_FINDER(operation, T, levels)); }
HISTOGRAM_WIDE(ENTRY)

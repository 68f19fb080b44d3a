// histogram 05: vector loads, and cheap bins
//
// Idea     only bytes in flight keep DRAM busy; and once they come, the bin must cost few instructions.
// Change   04 with packs of 16 bytes, a set of them in flight while another is counted (vector.cuh). Even
//          bins of f32 are found in float, and in double only beside a boundary. A u8 has 256 values: they
//          are counted themselves, without a look at the bins, and given to their bins at the end.
// Expect   peak DRAM bandwidth up to some thousands of bins, on any data; u8: three instructions per element.
// Limit    bins that fill shared memory have one copy, and skewed data queues; more do not fit (see 06, 07).
//          For range, the search takes a dependent load per halving (see 08).

#include "vector.cuh"

enum { VALUES = 256 }; // of a u8, with 32 copies each: 32 KB

struct byte_counter {
    unsigned column; // this lane's counter of value 0

    __device__ __forceinline__ void one(unsigned x) { add_one(column + x * (KZ_WARP * 4)); }
    __device__ __forceinline__ void word(unsigned word) {
#pragma unroll
        for (int e = 0; e < 4; e++) one(__byte_perm(word, 0, 0x4440 + e));
    }
    __device__ __forceinline__ void pack(kz_pack<uint8_t> pack) {
        word(pack.raw.x), word(pack.raw.y), word(pack.raw.z), word(pack.raw.w);
    }
    __device__ __forceinline__ void pause() {}
};

template <typename Finder>
static __device__ __forceinline__ void count(const uint8_t *in, unsigned *out, size_t n, unsigned bins,
                                             unsigned copies, Finder finder) {
    byte_counter counter = {kz_shared_address(histogram_shared) + kz_lane() * 4};
    sweep<uint8_t, HISTOGRAM_VECTOR_PACKS>(in, n, counter);
    __syncthreads();
    for (unsigned value = threadIdx.x; value < VALUES; value += THREADS) {
        unsigned bin = finder.find((uint8_t)value), sum = add_copies(value, copies);
        if (bin < bins && sum) atomicAdd(&out[bin], sum);
    }
}

template <typename T, typename Finder>
static __device__ __forceinline__ void count(const T *in, unsigned *out, size_t n, unsigned bins,
                                             unsigned copies, Finder finder) {
    copies_counter<T, Finder> counter(finder, copies);
    sweep<T, HISTOGRAM_VECTOR_PACKS>(in, n, counter);
    __syncthreads();
    flush_counters(out, bins, copies, 1);
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY_BOUNDS(histogram_vector_##operation##_##type, THREADS, HISTOGRAM_VECTOR_BLOCKS)                 \
    (HISTOGRAM_PARAMETERS(T), size_t copies) {                                                               \
        bool bytes = sizeof(T) == 1;                                                                         \
        unsigned words = (unsigned)((bytes ? VALUES : bins + 2) * copies);                                   \
        clear_counters(words);                                                                               \
        const with<T>::level *staged = bytes ? levels : stage_levels<operation<T>>(levels, words, bins);     \
        __syncthreads();                                                                                     \
        count(in, out, n, (unsigned)bins, (unsigned)copies, HISTOGRAM_FINDER(operation, T, staged));         \
    }
HISTOGRAM_ALL(ENTRY)

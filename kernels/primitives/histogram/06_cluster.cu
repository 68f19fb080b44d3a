// kz: sm 90
// histogram 06: bins split over a cluster
//
// Idea     65536 counters do not fit into one multiprocessor's shared memory, but into that of two: the
//          blocks of a cluster reach into each other's.
// Change   block r of the cluster owns the bins from r * share on. An atomic goes to the owner's shared
//          memory, wherever the element was read. Levels stay in global memory. A u8 has no more than 256
//          values, and goes as in 05.
// Expect   any number of bins with whole counters, and no global atomic before the end.
// Limit    with two blocks every other atomic crosses the network between multiprocessors, which moves far
//          less than a block's own shared memory (see 07).

#include "vector.cuh"

static __device__ __forceinline__ unsigned cluster_rank(void) {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ __forceinline__ void cluster_barrier(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

template <typename T, typename Finder> struct cluster_counter {
    pack_finder<T, Finder> finder;
    unsigned base, bins, shift; // share is 1 << shift

    __device__ __forceinline__ void add(unsigned bin) {
        if (bin >= bins) return; // rows for those outside would double the share of 65536 bins
        unsigned here = base + (bin & ((1u << shift) - 1)) * 4;
        asm volatile("{\n\t.reg .b32 there;\n\tmapa.shared::cluster.u32 there, %0, %1;\n\t"
                     "red.relaxed.cluster.shared::cluster.add.u32 [there], 1;\n\t}" ::"r"(here),
                     "r"(bin >> shift)
                     : "memory");
    }
    __device__ __forceinline__ void one(T x) { add(find_one(finder, x)); }
    __device__ __forceinline__ void pack(kz_pack<T> pack) {
        unsigned bin[16 / sizeof(T)];
        finder.find(pack, bin);
#pragma unroll
        for (int e = 0; e < 16 / (int)sizeof(T); e++) add(bin[e]);
    }
    __device__ __forceinline__ void pause() {}
};

template <typename T, typename Finder>
static __device__ __forceinline__ void count(const T *in, unsigned *out, size_t n, unsigned bins,
                                             unsigned shift, Finder finder) {
    clear_counters(1u << shift);
    cluster_barrier(); // all are cleared before the first atomic comes from elsewhere
    cluster_counter<T, Finder> counter = {pack_finder<T, Finder>(finder), kz_shared_address(histogram_shared),
                                          bins, shift};
    sweep<T, HISTOGRAM_VECTOR_PACKS>(in, n, counter);
    cluster_barrier(); // and all have come
    unsigned first = cluster_rank() << shift;
    for (unsigned k = threadIdx.x; k < 1u << shift && first + k < bins; k += THREADS)
        if (histogram_shared[k]) atomicAdd(&out[first + k], histogram_shared[k]);
}

#define ENTRY(operation, type, T)                                                                            \
    KZ_ENTRY_BOUNDS(histogram_cluster_##operation##_##type, THREADS, 1)                                      \
    (HISTOGRAM_PARAMETERS(T), size_t shift) {                                                                \
        count(in, out, n, (unsigned)bins, (unsigned)shift, HISTOGRAM_FINDER(operation, T, levels));          \
    }
HISTOGRAM_WIDE(ENTRY)

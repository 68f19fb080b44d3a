// top_k 06: a cluster per row
//
// Idea     few long rows: several multiprocessors read one, and still one launch does it.
// Change   each of 8 blocks filters and sorts its slice, and writes its k greatest into the first block's shared memory; that one
//          sorts 8 k candidates.
// Expect   a row of 131072 is 16384 columns a block; two cluster barriers in all.
// Limit    sm_90. Each slice sorts as many as the whole row would: with as many rows as multiprocessors 05 does less work.
// kz: sm 90

#include "filter.cuh"
#include "kz/device/tensor_copy.cuh"

// Into the same place of the shared memory of the cluster's block `rank`.
static __device__ __forceinline__ void store_there(candidate *to, unsigned rank, candidate c) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                 "st.shared::cluster.u64 [there], %2; }" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "r"(rank), "l"(c)
                 : "memory");
}

template <typename T>
static __device__ __forceinline__ void top_k(const T *row, T *values, int *index, unsigned columns,
                                             unsigned k) {
    constexpr unsigned EACH = 16 / sizeof(T);
    extern __shared__ candidate list[];
    __shared__ filter_room room;
    candidate *gathered = list + list_room(k);
    unsigned rank = kz_cluster_rank(), share = (columns + TOP_K_CLUSTER - 1) / TOP_K_CLUSTER;
    share = (share + EACH - 1) / EACH * EACH;
    unsigned begin = min(rank * share, columns), own = min(share, columns - begin), kept = min(k, own);
    if (own > 0) {
        unsigned count = filter_row(row + begin, own, kept, list, &room), full = power_of_two(count);
        for (unsigned i = count + threadIdx.x; i < full; i += blockDim.x) list[i] = 0;
        sort_shared(list, full);
    }
    kz_cluster_sync(); // the first block runs, so its shared memory is there
    // A slice's indices begin at 0: the complement below goes down by `begin`.
    for (unsigned i = threadIdx.x; i < k; i += blockDim.x)
        store_there(&gathered[rank * k + i], 0, i < kept ? list[i] - begin : 0);
    kz_cluster_sync();
    if (rank == 0) sort_and_put(row, values, index, gathered, TOP_K_CLUSTER * k, k);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(top_k_cluster_top_k_##type, TOP_K_FILTER_THREADS, 1)                                     \
    (const T *x, T *values, int *index, size_t rows, size_t columns, size_t k) {                             \
        size_t row = blockIdx.x / TOP_K_CLUSTER;                                                             \
        top_k(x + row * columns, values + row * k, index + row * k, (unsigned)columns, (unsigned)k);         \
    }
TOP_K_TYPES(ENTRY)

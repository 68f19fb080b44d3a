// top_k 06: a cluster per row
//
// Idea     few long rows: several multiprocessors read one, and still one launch does it.
// Change   each of 8 blocks filters its slice, and writes the slice's k greatest, in any order, into the first block's shared
//          memory. That one selects k of 8 k by their digits, as 03 does of a row, and sorts those.
// Expect   a row of 131072 is 16384 columns a block; two cluster barriers in all, and one sort of k.
// Limit    sm_90. Each slice keeps as many as the whole row would: with as many rows as multiprocessors 05 does less work.
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

// The `kept` greatest of `count` in the list into the first block's, from `to` on, in any order. A slice's indices begin at 0: the
// complement below goes down by `begin`. What is not needed of the k places is 0.
template <typename T>
static __device__ __forceinline__ void send(const candidate *list, unsigned count, unsigned own,
                                            unsigned kept, unsigned begin, candidate *to, unsigned k,
                                            filter_room *room) {
    radix_bound bound = {0, 0};
    if (count > kept) bound = select_list<T>(list, count, own, kept, &room->radix);
    __syncthreads(); // all have read the count
    if (threadIdx.x == 0) room->count = 0;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        if (is_chosen(list[i], bound)) store_there(&to[atomicAdd(&room->count, 1u)], 0, list[i] - begin);
    for (unsigned i = kept + threadIdx.x; i < k; i += blockDim.x) store_there(&to[i], 0, 0);
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
    unsigned count = own > 0 ? filter_row(row + begin, own, kept, list, &room) : 0;
    kz_cluster_sync(); // the first block runs, so its shared memory is there
    send<T>(list, count, own, kept, begin, gathered + rank * k, k, &room);
    kz_cluster_sync();
    if (rank != 0) return;
    if (threadIdx.x == 0) room.count = 0; // select_list has barriers
    radix_bound bound = select_list<T>(gathered, TOP_K_CLUSTER * k, columns, k, &room.radix);
    for (unsigned i = threadIdx.x; i < TOP_K_CLUSTER * k; i += blockDim.x)
        if (is_chosen(gathered[i], bound)) list[atomicAdd(&room.count, 1u)] = gathered[i];
    __syncthreads();
    sort_and_put(row, values, index, list, k, k);
}

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY_BOUNDS(top_k_cluster_top_k_##type, TOP_K_FILTER_THREADS, 1)                                     \
    (const T *x, T *values, int *index, size_t rows, size_t columns, size_t k) {                             \
        size_t row = blockIdx.x / TOP_K_CLUSTER;                                                             \
        top_k(x + row * columns, values + row * k, index + row * k, (unsigned)columns, (unsigned)k);         \
    }
TOP_K_TYPES(ENTRY)

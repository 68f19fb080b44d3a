// Copies of boxes by a tensor map (PTX ISA: cp.async.bulk.tensor), clusters, and the warps of a block by role.
//
// The map is a parameter `const __grid_constant__ kz_tensor_map`, made by kz_tensor_map_encode. Coordinates are elements,
// the contiguous dimension first; what lies outside the tensor reads as zero and is not written.
#ifndef KZ_TENSOR_COPY_CUH
#define KZ_TENSOR_COPY_CUH

#include "kz/device/bulk.cuh"

struct __align__(64) kz_tensor_map {
    char bytes[128];
};

static __device__ __forceinline__ void kz_tensor_prefetch(const kz_tensor_map *map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}
// `multicast`: to the same place in every block of `blocks`, a mask of ranks in the cluster; each block's own barrier
// counts its bytes.
template <bool multicast>
static __device__ __forceinline__ void kz_tensor_load_3d(unsigned to, const kz_tensor_map *map, int x, int y,
                                                         int z, unsigned barrier, uint16_t blocks) {
    if (multicast)
        asm volatile(
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
            "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(blocks)
            : "memory");
    else
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                     "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
                     : "memory");
}
static __device__ __forceinline__ void kz_tensor_load_4d(unsigned to, const kz_tensor_map *map, int x, int y,
                                                         int z, int w, unsigned barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier)
                 : "memory");
}
// Belongs to this thread's open group; kz_bulk_commit closes it, kz_bulk_wait_read and kz_bulk_wait wait.
static __device__ __forceinline__ void kz_tensor_store_3d(const kz_tensor_map *map, int x, int y, int z,
                                                          unsigned from) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
                 "r"(x), "r"(y), "r"(z), "r"(from)
                 : "memory");
}
static __device__ __forceinline__ void kz_tensor_store_4d(const kz_tensor_map *map, int x, int y, int z,
                                                          int w, unsigned from) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(map),
        "r"(x), "r"(y), "r"(z), "r"(w), "r"(from)
        : "memory");
}
// All but the newest `left` groups of this thread have read what they copy.
template <int left> static __device__ __forceinline__ void kz_bulk_wait_read_but(void) {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
}

// ---- clusters ------------------------------------------------------------------------------------------

static __device__ __forceinline__ unsigned kz_cluster_rank(void) {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
// All threads of the cluster meet; what they wrote to shared memory before is seen behind it.
static __device__ __forceinline__ void kz_cluster_sync(void) {
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}
// Arrives at the same barrier of block `rank` of the cluster.
static __device__ __forceinline__ void kz_barrier_arrive_at(unsigned barrier, unsigned rank) {
    asm volatile("{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; "
                 "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
                 "r"(rank)
                 : "memory");
}
// Initialised barriers are seen by the other blocks and by copies, once the blocks have met.
static __device__ __forceinline__ void kz_barrier_init_fence(void) {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// ---- launches that overlap ---------------------------------------------------------------------------------

// Behind this, what the kernel before in the stream wrote is there. Nothing happens where launches do not overlap.
static __device__ __forceinline__ void kz_wait_for_predecessor(void) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
// The kernel behind may put its blocks where this one's have left.
static __device__ __forceinline__ void kz_let_successor_begin(void) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

// ---- roles -----------------------------------------------------------------------------------------------

enum { KZ_WARPGROUP = 128 };

// The registers of each thread of this warpgroup, from here on: a multiple of 8.
template <int registers> static __device__ __forceinline__ void kz_registers_give(void) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers> static __device__ __forceinline__ void kz_registers_take(void) {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}
// A barrier of `threads` threads, by number: 1 to 15.
static __device__ __forceinline__ void kz_named_sync(unsigned number, unsigned threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
static __device__ __forceinline__ void kz_named_arrive(unsigned number, unsigned threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

#endif

// Kernels that copy one box: by a load that comes back as bytes, by a store or a reduction, to other blocks of a cluster.
#ifndef BOXES_CUH
#define BOXES_CUH

#include <cuda.h>
#include <stdint.h>

struct Where {
    int c[5] = {0, 0, 0, 0, 0};
    unsigned short o[3] = {0, 0, 0};
};

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

#define COORDINATES_1 "r"(c[0])
#define COORDINATES_2 COORDINATES_1, "r"(c[1])
#define COORDINATES_3 COORDINATES_2, "r"(c[2])
#define COORDINATES_4 COORDINATES_3, "r"(c[3])
#define COORDINATES_5 COORDINATES_4, "r"(c[4])

// `end` is what follows the coordinates: the mbarrier, and im2col's offsets.
#define LOAD(rank, mode, at, end, ...)                                                                       \
    asm volatile("cp.async.bulk.tensor." #rank "d.shared::cluster.global." mode                              \
                 ".mbarrier::complete_tx::bytes [%0], [%1, {" at "}], " end ";" ::"r"(to),                   \
                 "l"(map), COORDINATES_##rank, "r"(bar), ##__VA_ARGS__                                       \
                 : "memory")

__device__ __forceinline__ void load_box(int rank, int mode, unsigned to, const void *map, const Where &at,
                                         unsigned bar) {
    const int *c = at.c;
    const unsigned short *o = at.o;
    if (mode == 0) {
        if (rank == 1) LOAD(1, "tile", "%2", "[%3]");
        if (rank == 2) LOAD(2, "tile", "%2, %3", "[%4]");
        if (rank == 3) LOAD(3, "tile", "%2, %3, %4", "[%5]");
        if (rank == 4) LOAD(4, "tile", "%2, %3, %4, %5", "[%6]");
        if (rank == 5) LOAD(5, "tile", "%2, %3, %4, %5, %6", "[%7]");
    } else {
        if (rank == 3) LOAD(3, "im2col", "%2, %3, %4", "[%5], {%6}", "h"(o[0]));
        if (rank == 4) LOAD(4, "im2col", "%2, %3, %4, %5", "[%6], {%7, %8}", "h"(o[0]), "h"(o[1]));
        if (rank == 5)
            LOAD(5, "im2col", "%2, %3, %4, %5, %6", "[%7], {%8, %9, %10}", "h"(o[0]), "h"(o[1]), "h"(o[2]));
    }
}

#define STORE(instruction, rank, mode, at)                                                                   \
    asm volatile(instruction "." mode ".bulk_group [%1, {" at "}], [%0];" ::"r"(from), "l"(map),             \
                 COORDINATES_##rank                                                                          \
                 : "memory")
#define STORE_TO(rank, mode, at) STORE("cp.async.bulk.tensor." #rank "d.global.shared::cta", rank, mode, at)

__device__ __forceinline__ void store_box(int rank, int mode, unsigned from, const void *map,
                                          const Where &at) {
    const int *c = at.c;
    if (mode == 0) {
        if (rank == 1) STORE_TO(1, "tile", "%2");
        if (rank == 2) STORE_TO(2, "tile", "%2, %3");
        if (rank == 3) STORE_TO(3, "tile", "%2, %3, %4");
        if (rank == 4) STORE_TO(4, "tile", "%2, %3, %4, %5");
        if (rank == 5) STORE_TO(5, "tile", "%2, %3, %4, %5, %6");
    } else {
        if (rank == 3) STORE_TO(3, "im2col_no_offs", "%2, %3, %4");
        if (rank == 4) STORE_TO(4, "im2col_no_offs", "%2, %3, %4, %5");
        if (rank == 5) STORE_TO(5, "im2col_no_offs", "%2, %3, %4, %5, %6");
    }
}

#define REDUCE(op)                                                                                           \
    do {                                                                                                     \
        if (rank == 1)                                                                                       \
            STORE("cp.reduce.async.bulk.tensor.1d.global.shared::cta." op, 1, "tile", "%2");                 \
        else                                                                                                 \
            STORE("cp.reduce.async.bulk.tensor.2d.global.shared::cta." op, 2, "tile", "%2, %3");             \
    } while (0)

__device__ __forceinline__ void reduce_box(int rank, int op, unsigned from, const void *map,
                                           const Where &at) {
    const int *c = at.c;
    if (op == 0) REDUCE("add");
    if (op == 1) REDUCE("min");
    if (op == 2) REDUCE("max");
    if (op == 3) REDUCE("inc");
    if (op == 4) REDUCE("dec");
    if (op == 5) REDUCE("and");
    if (op == 6) REDUCE("or");
    if (op == 7) REDUCE("xor");
}

__device__ __forceinline__ bool wait(unsigned bar, unsigned tries) {
    for (unsigned i = 0; i < tries; i++) {
        unsigned ok;
        asm volatile(
            "{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
            : "=r"(ok)
            : "r"(bar)
            : "memory");
        if (ok) return true;
    }
    return false;
}

extern __shared__ unsigned char dynamic_bytes[];
__device__ __forceinline__ unsigned char *aligned_base() {
    unsigned at = shared_address(dynamic_bytes);
    return dynamic_bytes + ((1024 - at % 1024) % 1024);
}

__device__ __forceinline__ void prepare(unsigned char *base, uint64_t *bar, unsigned bytes) {
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) base[i] = 0xa5;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(bar)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

__device__ __forceinline__ void load_and_dump(int rank, int mode, const void *map, const Where &at,
                                              unsigned offset, unsigned expect, unsigned dump,
                                              unsigned char *out, int *done) {
    __shared__ __align__(8) uint64_t bar;
    unsigned char *base = aligned_base();
    prepare(base, &bar, dump);
    unsigned b = shared_address(&bar);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(expect)
                     : "memory");
        load_box(rank, mode, shared_address(base) + offset, map, at, b);
        *done = wait(b, 20000);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < dump; i += blockDim.x) out[i] = base[i];
}

__global__ void load_param(const __grid_constant__ CUtensorMap map, int rank, int mode, Where at,
                           unsigned offset, unsigned expect, unsigned dump, unsigned char *out, int *done) {
    load_and_dump(rank, mode, &map, at, offset, expect, dump, out, done);
}

__global__ void load_pointer(const void *map, int rank, Where at, unsigned offset, unsigned expect,
                             unsigned dump, unsigned char *out, int *done) {
    if (threadIdx.x == 0)
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    __syncthreads();
    load_and_dump(rank, 0, map, at, offset, expect, dump, out, done);
}

__global__ void store_param(const __grid_constant__ CUtensorMap map, int rank, int mode, int op, Where at,
                            unsigned offset, unsigned bytes, const unsigned char *in) {
    unsigned char *base = aligned_base();
    for (unsigned i = threadIdx.x; i < bytes; i += blockDim.x) base[offset + i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        if (op < 0)
            store_box(rank, mode, shared_address(base) + offset, &map, at);
        else
            reduce_box(rank, op, shared_address(base) + offset, &map, at);
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

__global__ void multicast(const __grid_constant__ CUtensorMap map, unsigned short mask, int issuer, Where at,
                          unsigned expect, unsigned dump, unsigned char *out, int *done) {
    __shared__ __align__(8) uint64_t bar;
    unsigned char *base = aligned_base();
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    prepare(base, &bar, dump);
    unsigned b = shared_address(&bar);
    if (threadIdx.x == 0 && (mask >> rank & 1))
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(expect)
                     : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == issuer)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(base)),
                     "l"(&map), "r"(at.c[0]), "r"(at.c[1]), "r"(b), "h"(mask)
                     : "memory");
    if (threadIdx.x == 0) done[rank] = (mask >> rank & 1) ? wait(b, 20000) : 2;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < dump; i += blockDim.x) out[rank * dump + i] = base[i];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// Block 0 loads into block 1's shared memory and names block 1's mbarrier (by mapa).
__global__ void remote_load(const __grid_constant__ CUtensorMap map, Where at, unsigned expect, unsigned dump,
                            unsigned char *out, int *done) {
    __shared__ __align__(8) uint64_t bar;
    unsigned char *base = aligned_base();
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    prepare(base, &bar, dump);
    unsigned b = shared_address(&bar), to = shared_address(base);
    if (threadIdx.x == 0 && rank == 1)
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(b), "r"(expect)
                     : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == 0) {
        unsigned far_b, far_to;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(far_b) : "r"(b));
        asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(far_to) : "r"(to));
        load_box(2, 0, far_to, &map, at, far_b);
    }
    if (threadIdx.x == 0) done[rank] = rank == 1 ? wait(b, 20000) : 2;
    __syncthreads();
    for (unsigned i = threadIdx.x; i < dump; i += blockDim.x) out[rank * dump + i] = base[i];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

#endif

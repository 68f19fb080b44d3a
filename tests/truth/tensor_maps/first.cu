// What tensor maps and their copies do on a GPU, one line per fact. Build and run:
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o h200_tma h200_tma.cu -lcuda && ./h200_tma > h200_tma.txt
// In the simulator:
//   kz run --nvcc-flag -std=c++17 --nvcc-flag -gencode --nvcc-flag arch=compute_90a,code=compute_90a --nvcc-flag -lcuda h200_tma.cu
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <functional>
#include <string>
#include <vector>

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        cudaError_t e_ = (call);                                                                             \
        if (e_ != cudaSuccess) printf("FAILED line %d: %s\n", __LINE__, cudaGetErrorName(e_));               \
    } while (0)

// ---- arguments of the encoder ------------------------------------------------------------------------

struct Args {
    bool im2col = false;
    int type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    unsigned rank = 2;
    uint64_t address = 0x7f0000000000ull;
    uint64_t dim[5] = {256, 128, 1, 1, 1};
    uint64_t stride[5] = {512, 0, 0, 0, 0};
    unsigned box[5] = {64, 32, 1, 1, 1};
    unsigned es[5] = {1, 1, 1, 1, 1};
    int lower[3] = {0, 0, 0}, upper[3] = {0, 0, 0};
    unsigned channels = 8, pixels = 16;
    int interleave = 0, swizzle = 0, l2 = 0, fill = 0;
    unsigned shift = 0; // of the map's own address
};

static CUresult encode(const Args &a, CUtensorMap *map) {
    if (a.im2col)
        return cuTensorMapEncodeIm2col(map, (CUtensorMapDataType)a.type, a.rank, (void *)a.address,
                                       (const cuuint64_t *)a.dim, (const cuuint64_t *)a.stride, a.lower,
                                       a.upper, a.channels, a.pixels, a.es,
                                       (CUtensorMapInterleave)a.interleave, (CUtensorMapSwizzle)a.swizzle,
                                       (CUtensorMapL2promotion)a.l2, (CUtensorMapFloatOOBfill)a.fill);
    return cuTensorMapEncodeTiled(map, (CUtensorMapDataType)a.type, a.rank, (void *)a.address,
                                  (const cuuint64_t *)a.dim, (const cuuint64_t *)a.stride, a.box, a.es,
                                  (CUtensorMapInterleave)a.interleave, (CUtensorMapSwizzle)a.swizzle,
                                  (CUtensorMapL2promotion)a.l2, (CUtensorMapFloatOOBfill)a.fill);
}

static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

static void print_map(const char *name, const void *map) {
    uint32_t w[32];
    memcpy(w, map, 128);
    printf("map %s:", name);
    int last = 31;
    while (last >= 0 && !w[last]) last--;
    for (int i = 0; i <= last; i++) printf(" %08x", w[i]);
    printf("\n");
}

// ---- kernels -------------------------------------------------------------------------------------------

struct Where {
    int c[5] = {0, 0, 0, 0, 0};
    unsigned short o[3] = {0, 0, 0};
};

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void load_box(int rank, int mode, unsigned to, const void *map, const Where &at,
                                         unsigned bar) {
    const int *c = at.c;
    const unsigned short *o = at.o;
    if (mode == 0) {
        if (rank == 1)
            asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2}], [%3];" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(bar)
                         : "memory");
        if (rank == 2)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(bar)
                         : "memory");
        if (rank == 3)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(bar)
                         : "memory");
        if (rank == 4)
            asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(bar)
                         : "memory");
        if (rank == 5)
            asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(bar)
                         : "memory");
    } else {
        if (rank == 3)
            asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(bar), "h"(o[0])
                         : "memory");
        if (rank == 4)
            asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(bar), "h"(o[0]), "h"(o[1])
                         : "memory");
        if (rank == 5)
            asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                         "[%0], [%1, {%2, %3, %4, %5, %6}], [%7], {%8, %9, %10};" ::"r"(to),
                         "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(bar), "h"(o[0]),
                         "h"(o[1]), "h"(o[2])
                         : "memory");
    }
}

__device__ __forceinline__ void store_box(int rank, int mode, unsigned from, const void *map,
                                          const Where &at) {
    const int *c = at.c;
    if (mode == 0) {
        if (rank == 1)
            asm volatile(
                "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(map),
                "r"(c[0]), "r"(from)
                : "memory");
        if (rank == 2)
            asm volatile(
                "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
                "r"(c[0]), "r"(c[1]), "r"(from)
                : "memory");
        if (rank == 3)
            asm volatile(
                "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(
                    map),
                "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(from)
                : "memory");
        if (rank == 4)
            asm volatile(
                "cp.async.bulk.tensor.4d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::
                    "l"(map),
                "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(from)
                : "memory");
        if (rank == 5)
            asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %2, %3, %4, "
                         "%5}], [%6];" ::"l"(map),
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(from)
                         : "memory");
    } else {
        if (rank == 3)
            asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, "
                         "%3}], [%4];" ::"l"(map),
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(from)
                         : "memory");
        if (rank == 4)
            asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, "
                         "%3, %4}], [%5];" ::"l"(map),
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(from)
                         : "memory");
        if (rank == 5)
            asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, "
                         "%3, %4, %5}], [%6];" ::"l"(map),
                         "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "r"(from)
                         : "memory");
    }
}

#define REDUCE(op)                                                                                           \
    do {                                                                                                     \
        if (rank == 1)                                                                                       \
            asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta." op                             \
                         ".tile.bulk_group [%0, {%1}], [%2];" ::"l"(map),                                    \
                         "r"(c[0]), "r"(from)                                                                \
                         : "memory");                                                                        \
        else                                                                                                 \
            asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta." op                             \
                         ".tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),                                \
                         "r"(c[0]), "r"(c[1]), "r"(from)                                                     \
                         : "memory");                                                                        \
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

__constant__ CUtensorMap constant_map;
__global__ void load_constant(int rank, Where at, unsigned offset, unsigned expect, unsigned dump,
                              unsigned char *out, int *done) {
    load_and_dump(rank, 0, &constant_map, at, offset, expect, dump, out, done);
}

__global__ void load_pointer(const void *map, int rank, Where at, unsigned offset, unsigned expect,
                             unsigned dump, unsigned char *out, int *done) {
    if (threadIdx.x == 0)
        asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
    __syncthreads();
    load_and_dump(rank, 0, map, at, offset, expect, dump, out, done);
}

// space 0: shared memory, 1: local memory
__global__ void load_elsewhere(const __grid_constant__ CUtensorMap map, int space, Where at, unsigned expect,
                               unsigned dump, unsigned char *out, int *done) {
    __shared__ CUtensorMap in_shared;
    CUtensorMap in_local;
    volatile CUtensorMap *v = &in_local;
    for (int i = 0; i < 16; i++) v->opaque[i] = map.opaque[i];
    if (threadIdx.x == 0)
        for (int i = 0; i < 16; i++) in_shared.opaque[i] = map.opaque[i];
    __syncthreads();
    load_and_dump(2, 0, space == 0 ? (const void *)&in_shared : (const void *)v, at, 0, expect, dump, out,
                  done);
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

__global__ void prefetches(const __grid_constant__ CUtensorMap map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0), "r"(0)
                 : "memory");
}

// Each field of a map of zeros, set alone: which bits change?
__global__ void replace_each(CUtensorMap *out) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    int n = 0;
#define FIELD(text, ...)                                                                                     \
    asm volatile("tensormap.replace.tile." text ";" ::"l"(out + n++), ##__VA_ARGS__ : "memory")
    FIELD("global_address.global.b1024.b64 [%0], %1", "l"(0x123456789abcdef0ull));
    FIELD("rank.global.b1024.b32 [%0], %1", "r"(4));
    FIELD("rank.global.b1024.b32 [%0], %1", "r"(0xff));
    FIELD("box_dim.global.b1024.b32 [%0], 0, %1", "r"(0x77));
    FIELD("box_dim.global.b1024.b32 [%0], 1, %1", "r"(256));
    FIELD("box_dim.global.b1024.b32 [%0], 2, %1", "r"(3));
    FIELD("box_dim.global.b1024.b32 [%0], 3, %1", "r"(4));
    FIELD("box_dim.global.b1024.b32 [%0], 4, %1", "r"(5));
    FIELD("global_dim.global.b1024.b32 [%0], 0, %1", "r"(0x12345678));
    FIELD("global_dim.global.b1024.b32 [%0], 1, %1", "r"(1));
    FIELD("global_dim.global.b1024.b32 [%0], 2, %1", "r"(0));
    FIELD("global_dim.global.b1024.b32 [%0], 3, %1", "r"(7));
    FIELD("global_dim.global.b1024.b32 [%0], 4, %1", "r"(9));
    FIELD("global_stride.global.b1024.b64 [%0], 0, %1", "l"(0x123456789ab0ull));
    FIELD("global_stride.global.b1024.b64 [%0], 1, %1", "l"(0x8000000010ull));
    FIELD("global_stride.global.b1024.b64 [%0], 2, %1", "l"(0xf000000020ull));
    FIELD("global_stride.global.b1024.b64 [%0], 3, %1", "l"(0xffffffffffull));
    FIELD("element_stride.global.b1024.b32 [%0], 0, %1", "r"(1));
    FIELD("element_stride.global.b1024.b32 [%0], 1, %1", "r"(2));
    FIELD("element_stride.global.b1024.b32 [%0], 2, %1", "r"(8));
    FIELD("element_stride.global.b1024.b32 [%0], 3, %1", "r"(5));
    FIELD("element_stride.global.b1024.b32 [%0], 4, %1", "r"(7));
    FIELD("elemtype.global.b1024.b32 [%0], 1");
    FIELD("elemtype.global.b1024.b32 [%0], 6");
    FIELD("elemtype.global.b1024.b32 [%0], 7");
    FIELD("elemtype.global.b1024.b32 [%0], 8");
    FIELD("elemtype.global.b1024.b32 [%0], 9");
    FIELD("elemtype.global.b1024.b32 [%0], 10");
    FIELD("elemtype.global.b1024.b32 [%0], 11");
    FIELD("elemtype.global.b1024.b32 [%0], 12");
    FIELD("interleave_layout.global.b1024.b32 [%0], 1");
    FIELD("interleave_layout.global.b1024.b32 [%0], 2");
    FIELD("swizzle_mode.global.b1024.b32 [%0], 1");
    FIELD("swizzle_mode.global.b1024.b32 [%0], 2");
    FIELD("swizzle_mode.global.b1024.b32 [%0], 3");
    FIELD("fill_mode.global.b1024.b32 [%0], 1");
#endif
}
static const int replaced_fields = 36;

// A whole map from zeros, in shared memory, then to global memory.
__global__ void make_map(CUtensorMap *out, uint64_t address, unsigned d0, unsigned d1, uint64_t stride,
                         unsigned b0, unsigned b1) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    __shared__ CUtensorMap made;
    if (threadIdx.x < 16) made.opaque[threadIdx.x] = 0;
    __syncwarp();
    unsigned s = shared_address(&made);
    if (threadIdx.x == 0) {
        asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;" ::"r"(s),
                     "l"(address)
                     : "memory");
        asm volatile("tensormap.replace.tile.rank.shared::cta.b1024.b32 [%0], 1;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(d0)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s), "r"(d1)
                     : "memory");
        asm volatile("tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%0], 0, %1;" ::"r"(s),
                     "l"(stride)
                     : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s), "r"(b0)
                     : "memory");
        asm volatile("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s), "r"(b1)
                     : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 0, %1;" ::"r"(s),
                     "r"(1)
                     : "memory");
        asm volatile("tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%0], 1, %1;" ::"r"(s),
                     "r"(1)
                     : "memory");
        asm volatile("tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%0], 2;" ::"r"(s) : "memory");
        asm volatile("tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%0], 0;" ::"r"(s)
                     : "memory");
        asm volatile("tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(s)
                     : "memory");
        asm volatile("tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%0], 0;" ::"r"(s) : "memory");
    }
    __syncwarp();
    asm volatile("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
                 "[%0], [%1], 128;" ::"l"(out),
                 "r"(s)
                 : "memory");
#endif
}

// fma.rn.oob: which values of a count as "out of bounds"? out[a] = a*1+2 for all 16-bit patterns.
__global__ void fma_oob(unsigned short *f16, unsigned short *bf16, int position) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned short a = (unsigned short)i, r;
    unsigned short one = 0x3c00, two = 0x4000, bone = 0x3f80, btwo = 0x4000;
    unsigned short x = position == 0 ? a : one, y = position == 1 ? a : one, z = position == 2 ? a : two;
    asm volatile("fma.rn.oob.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));
    f16[i] = r;
    x = position == 0 ? a : bone, y = position == 1 ? a : bone, z = position == 2 ? a : btwo;
    asm volatile("fma.rn.oob.bf16 %0, %1, %2, %3;" : "=h"(r) : "h"(x), "h"(y), "h"(z));
    bf16[i] = r;
}

// ---- host side of the probes ---------------------------------------------------------------------------

enum { SOURCE_BYTES = 16 << 20, DUMP = 96 << 10 };
static unsigned char *source, *out;
static int *done;
static std::vector<unsigned char> dumped(8 * DUMP);

static void fill_source(unsigned unit) { // element i holds i + 1
    std::vector<unsigned char> v(SOURCE_BYTES);
    for (size_t i = 0; i < SOURCE_BYTES / unit; i++) {
        uint64_t value = i + 1;
        memcpy(&v[i * unit], &value, unit);
    }
    TRY(cudaMemcpy(source, v.data(), v.size(), cudaMemcpyHostToDevice));
}

static void open_all() {
    TRY(cudaMalloc(&source, SOURCE_BYTES));
    TRY(cudaMalloc(&out, 8 * DUMP));
    TRY(cudaMalloc(&done, 64));
    for (auto k : {(const void *)load_param, (const void *)load_constant, (const void *)load_pointer,
                   (const void *)load_elsewhere, (const void *)store_param, (const void *)multicast,
                   (const void *)remote_load})
        TRY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, DUMP + 1024));
}

// A probe that breaks the context ends its process; the section goes on after it in a new one.
static int probe, skip;
static bool skipped() { return probe++ < skip; }
static void broken() {
    printf("RESTART %d\n", probe);
    fflush(stdout);
    _exit(0);
}

static uint64_t hash(const unsigned char *p, size_t n) {
    uint64_t h = 1469598103934665603ull;
    for (size_t i = 0; i < n; i++) h = (h ^ p[i]) * 1099511628211ull;
    return h;
}

// Runs of elements: source index "a..b"; "0*n" zeros; ".*n" untouched bytes.
static void print_elements(const unsigned char *p, unsigned bytes, unsigned unit) {
    uint64_t untouched = 0xa5a5a5a5a5a5a5a5ull;
    untouched &= unit == 8 ? ~0ull : (1ull << unit * 8) - 1;
    unsigned n = bytes / unit;
    auto at = [&](unsigned i) {
        uint64_t v = 0;
        memcpy(&v, p + i * unit, unit);
        return v;
    };
    for (unsigned i = 0; i < n;) {
        uint64_t v = at(i);
        unsigned k = 1;
        if (v == 0 || v == untouched) {
            while (i + k < n && at(i + k) == v) k++;
            if (v == untouched && i + k == n) break;
            printf(" %s*%u", v ? "." : "0", k);
        } else {
            while (i + k < n && at(i + k) == v + k) k++;
            if (k == 1)
                printf(" %llu", (unsigned long long)v - 1);
            else
                printf(" %llu..%llu", (unsigned long long)v - 1, (unsigned long long)v + k - 2);
        }
        i += k;
    }
    printf("\n");
}

static void print_hex(const unsigned char *p, unsigned bytes, unsigned unit) {
    for (unsigned i = 0; i < bytes / unit; i++) {
        printf(" ");
        for (int j = (int)unit - 1; j >= 0; j--) printf("%02x", p[i * unit + j]);
    }
    printf("\n");
}

static unsigned box_bytes(const Args &a) {
    if (a.im2col) return a.channels * a.pixels * sizes[a.type];
    unsigned n = sizes[a.type];
    for (unsigned i = 0; i < a.rank; i++)
        n *= (i == 0 && !a.interleave) ? a.box[i] : (a.box[i] + a.es[i] - 1) / a.es[i];
    return n;
}

// Loads one box; false where the encoder or the kernel fails.
static bool load(const char *name, const Args &a, const Where &at, unsigned offset, unsigned expect,
                 unsigned dump) {
    if (skipped()) return false;
    alignas(128) CUtensorMap map;
    int finished = -1;
    CUresult r = encode(a, &map);
    if (r != CUDA_SUCCESS) {
        printf("load %s: encode %d\n", name, r);
        return false;
    }
    load_param<<<1, 128, DUMP + 1024>>>(map, a.rank, a.im2col, at, offset, expect, dump, out, done);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("load %s: %s\n", name, cudaGetErrorName(e));
        broken();
    }
    TRY(cudaMemcpy(dumped.data(), out, dump, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost));
    printf("load %s: %s", name, finished ? "complete" : "INCOMPLETE");
    return true;
}

static void load_list(const char *name, const Args &a, const Where &at, unsigned unit, unsigned offset = 0,
                      unsigned extra = 256) {
    unsigned bytes = box_bytes(a), dump = offset + bytes + extra;
    if (!load(name, a, at, offset, bytes, dump)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), dump));
    print_elements(dumped.data(), dump, unit);
}

static Args real(int type, unsigned rank, std::initializer_list<uint64_t> dim,
                 std::initializer_list<uint64_t> stride, std::initializer_list<unsigned> box) {
    Args a;
    a.type = type;
    a.rank = rank;
    a.address = (uint64_t)source;
    unsigned i = 0;
    for (auto v : dim) a.dim[i++] = v;
    i = 0;
    for (auto v : stride) a.stride[i++] = v;
    i = 0;
    for (auto v : box) a.box[i++] = v;
    return a;
}

static Where where(std::initializer_list<int> c, std::initializer_list<int> o = {}) {
    Where w;
    unsigned i = 0;
    for (auto v : c) w.c[i++] = v;
    i = 0;
    for (auto v : o) w.o[i++] = (unsigned short)v;
    return w;
}

enum { U8, U16, U32, S32, U64, S64, F16, F32, F64, BF16, F32_FTZ, TF32, TF32_FTZ };

// ---- the encoder ---------------------------------------------------------------------------------------

static void encoder() {
    struct Case {
        const char *name;
        std::function<void(Args &)> change;
    };
    auto to_im2col = [](Args &a, unsigned rank) {
        a.im2col = true;
        a.rank = rank;
        uint64_t dims[3][5] = {{64, 20, 8, 1, 1}, {64, 20, 18, 8, 1}, {64, 20, 18, 16, 8}};
        uint64_t step = 128;
        for (unsigned i = 0; i < rank; i++) {
            a.dim[i] = dims[rank - 3][i];
            if (i) a.stride[i - 1] = step, step *= a.dim[i];
        }
        a.channels = 32;
        a.pixels = 48;
    };
    auto rank3 = [](Args &a, unsigned interleave) {
        a.rank = 3;
        a.dim[0] = 64, a.dim[1] = 10, a.dim[2] = 12;
        a.stride[0] = 4096, a.stride[1] = 1024;
        a.box[0] = 16, a.box[1] = 4, a.box[2] = 3;
        a.interleave = interleave;
        a.swizzle = interleave == 2 ? 1 : 0;
    };
    std::vector<Case> cases = {
        {"base", [](Args &a) {}},
        {"map_shift_8", [](Args &a) { a.shift = 8; }},
        {"map_shift_16", [](Args &a) { a.shift = 16; }},
        {"map_shift_32", [](Args &a) { a.shift = 32; }},
        {"map_shift_64", [](Args &a) { a.shift = 64; }},
        {"type_13", [](Args &a) { a.type = 13; }},
        {"type_14", [](Args &a) { a.type = 14; a.box[0] = 128; a.dim[0] = 1024; a.stride[0] = 512; }},
        {"type_15", [](Args &a) { a.type = 15; a.box[0] = 128; a.dim[0] = 1024; a.stride[0] = 768; }},
        {"type_16", [](Args &a) { a.type = 16; }},
        {"type_-1", [](Args &a) { a.type = -1; }},
        {"rank_0", [](Args &a) { a.rank = 0; }},
        {"rank_6", [](Args &a) { a.rank = 6; }},
        {"address_0", [](Args &a) { a.address = 0; }},
        {"address_8", [](Args &a) { a.address += 8; }},
        {"address_16", [](Args &a) { a.address += 16; }},
        {"address_top", [](Args &a) { a.address = 0xfffffffffffffff0ull; }},
        {"address_2^57", [](Args &a) { a.address = 0x200000000000000ull; }},
        {"dim0_0", [](Args &a) { a.dim[0] = 0; }},
        {"dim1_0", [](Args &a) { a.dim[1] = 0; }},
        {"dim1_2^32", [](Args &a) { a.dim[1] = 1ull << 32; }},
        {"dim1_2^32+1", [](Args &a) { a.dim[1] = (1ull << 32) + 1; }},
        {"dim0_2^32", [](Args &a) { a.dim[0] = 1ull << 32; a.stride[0] = 1ull << 33; }},
        {"dim0_3", [](Args &a) { a.dim[0] = 3; }},
        {"stride_8", [](Args &a) { a.stride[0] = 520; }},
        {"stride_0", [](Args &a) { a.stride[0] = 0; }},
        {"stride_16", [](Args &a) { a.stride[0] = 16; }},
        {"stride_small", [](Args &a) { a.stride[0] = 496; }},
        {"stride_2^40", [](Args &a) { a.stride[0] = 1ull << 40; }},
        {"stride_2^40-16", [](Args &a) { a.stride[0] = (1ull << 40) - 16; }},
        {"stride_order", [](Args &a) { a.rank = 3; a.dim[2] = 4; a.stride[0] = 65536; a.stride[1] = 512; }},
        {"stride2_0", [](Args &a) { a.rank = 3; a.dim[2] = 4; a.stride[1] = 0; }},
        {"box0_0", [](Args &a) { a.box[0] = 0; }},
        {"box1_0", [](Args &a) { a.box[1] = 0; }},
        {"box0_256", [](Args &a) { a.box[0] = 256; }},
        {"box1_256", [](Args &a) { a.box[1] = 256; }},
        {"box1_257", [](Args &a) { a.box[1] = 257; }},
        {"box0_264", [](Args &a) { a.dim[0] = 512; a.stride[0] = 1024; a.box[0] = 264; }},
        {"box0_4", [](Args &a) { a.box[0] = 4; }},
        {"box0_12", [](Args &a) { a.box[0] = 12; }},
        {"box_beyond_dim", [](Args &a) { a.dim[0] = 32; a.dim[1] = 8; a.box[0] = 64; a.box[1] = 32; }},
        {"box_too_large", [](Args &a) { a.box[0] = 256; a.box[1] = 256; }},
        {"box_too_large_5", [](Args &a) { a.rank = 5; for (int i = 2; i < 5; i++) a.dim[i] = 256, a.stride[i - 1] = 65536ull << i, a.box[i] = 256; a.box[1] = 256; }},
        {"es0_0", [](Args &a) { a.es[0] = 0; }},
        {"es0_2", [](Args &a) { a.es[0] = 2; }},
        {"es0_9", [](Args &a) { a.es[0] = 9; }},
        {"es1_0", [](Args &a) { a.es[1] = 0; }},
        {"es1_2", [](Args &a) { a.es[1] = 2; }},
        {"es1_3", [](Args &a) { a.es[1] = 3; }},
        {"es1_8", [](Args &a) { a.es[1] = 8; }},
        {"es1_9", [](Args &a) { a.es[1] = 9; }},
        {"es1_8_box_256", [](Args &a) { a.es[1] = 8; a.box[1] = 256; }},
        {"swizzle_32", [](Args &a) { a.swizzle = 1; a.box[0] = 16; }},
        {"swizzle_32_over", [](Args &a) { a.swizzle = 1; a.box[0] = 24; }},
        {"swizzle_64", [](Args &a) { a.swizzle = 2; a.box[0] = 32; }},
        {"swizzle_64_over", [](Args &a) { a.swizzle = 2; a.box[0] = 40; }},
        {"swizzle_128", [](Args &a) { a.swizzle = 3; a.box[0] = 64; }},
        {"swizzle_128_under", [](Args &a) { a.swizzle = 3; a.box[0] = 32; }},
        {"swizzle_128_over", [](Args &a) { a.swizzle = 3; a.box[0] = 72; }},
        {"swizzle_4", [](Args &a) { a.swizzle = 4; }},
        {"swizzle_5", [](Args &a) { a.swizzle = 5; }},
        {"swizzle_6", [](Args &a) { a.swizzle = 6; }},
        {"swizzle_7", [](Args &a) { a.swizzle = 7; }},
        {"swizzle_-1", [](Args &a) { a.swizzle = -1; }},
        {"l2_1", [](Args &a) { a.l2 = 1; }},
        {"l2_2", [](Args &a) { a.l2 = 2; }},
        {"l2_3", [](Args &a) { a.l2 = 3; }},
        {"l2_4", [](Args &a) { a.l2 = 4; }},
        {"fill_nan_f16", [](Args &a) { a.fill = 1; }},
        {"fill_nan_u16", [](Args &a) { a.fill = 1; a.type = U16; }},
        {"fill_nan_u8", [](Args &a) { a.fill = 1; a.type = U8; }},
        {"fill_nan_s64", [](Args &a) { a.fill = 1; a.type = S64; a.stride[0] = 2048; }},
        {"fill_nan_f64", [](Args &a) { a.fill = 1; a.type = F64; a.stride[0] = 2048; }},
        {"fill_nan_f32", [](Args &a) { a.fill = 1; a.type = F32; a.stride[0] = 1024; }},
        {"fill_nan_tf32", [](Args &a) { a.fill = 1; a.type = TF32; a.stride[0] = 1024; }},
        {"fill_2", [](Args &a) { a.fill = 2; }},
        {"interleave_16_rank_2", [](Args &a) { a.interleave = 1; }},
        {"interleave_16_rank_1", [](Args &a) { a.rank = 1; a.interleave = 1; }},
        {"interleave_16", [&](Args &a) { rank3(a, 1); }},
        {"interleave_16_box0_3", [&](Args &a) { rank3(a, 1); a.box[0] = 3; }},
        {"interleave_16_box0_8", [&](Args &a) { rank3(a, 1); a.box[0] = 8; }},
        {"interleave_16_box0_256", [&](Args &a) { rank3(a, 1); a.box[0] = 256; }},
        {"interleave_16_es0_2", [&](Args &a) { rank3(a, 1); a.es[0] = 2; }},
        {"interleave_16_es0_0", [&](Args &a) { rank3(a, 1); a.es[0] = 0; }},
        {"interleave_16_es0_9", [&](Args &a) { rank3(a, 1); a.es[0] = 9; }},
        {"interleave_16_swizzle_1", [&](Args &a) { rank3(a, 1); a.swizzle = 1; }},
        {"interleave_16_swizzle_3", [&](Args &a) { rank3(a, 1); a.swizzle = 3; }},
        {"interleave_16_stride_small", [&](Args &a) { rank3(a, 1); a.stride[0] = 16; }},
        {"interleave_32", [&](Args &a) { rank3(a, 2); }},
        {"interleave_32_swizzle_0", [&](Args &a) { rank3(a, 2); a.swizzle = 0; }},
        {"interleave_32_swizzle_2", [&](Args &a) { rank3(a, 2); a.swizzle = 2; }},
        {"interleave_32_address_16", [&](Args &a) { rank3(a, 2); a.address += 16; }},
        {"interleave_32_stride_16", [&](Args &a) { rank3(a, 2); a.stride[0] += 16; }},
        {"interleave_3", [&](Args &a) { rank3(a, 3); }},
        {"interleave_-1", [&](Args &a) { rank3(a, 0); a.interleave = -1; }},
        {"interleave_16_rank_5", [&](Args &a) { rank3(a, 1); a.rank = 5; a.dim[3] = 3; a.dim[4] = 2; a.stride[2] = 16384; a.stride[3] = 65536; }},
        {"rank_1", [](Args &a) { a.rank = 1; a.box[0] = 128; }},
        {"rank_1_dim_big", [](Args &a) { a.rank = 1; a.dim[0] = 1u << 20; a.box[0] = 256; }},
        {"rank_3", [](Args &a) { a.rank = 3; a.dim[2] = 6; a.stride[1] = 65536; a.box[2] = 5; a.es[2] = 4; }},
        {"rank_4", [](Args &a) { a.rank = 4; a.dim[2] = 6; a.dim[3] = 7; a.stride[1] = 65536; a.stride[2] = 65536 * 6; a.box[2] = 2; a.box[3] = 3; a.es[3] = 5; }},
        {"rank_5", [](Args &a) { a.rank = 5; a.dim[2] = 6; a.dim[3] = 7; a.dim[4] = 9; a.stride[1] = 65536; a.stride[2] = 65536 * 6; a.stride[3] = 0xf123456780; a.box[2] = 2; a.box[3] = 3; a.box[4] = 4; a.es[4] = 7; }},
        {"small_tensor", [](Args &a) { a.dim[1] = 4; a.box[1] = 4; }},
        {"127KiB", [](Args &a) { a.dim[1] = 254; }},
        {"128KiB", [](Args &a) { a.dim[1] = 256; }},
        {"129KiB", [](Args &a) { a.dim[1] = 258; }},
        {"u8", [](Args &a) { a.type = U8; }},
        {"u16", [](Args &a) { a.type = U16; }},
        {"u32", [](Args &a) { a.type = U32; a.stride[0] = 1024; }},
        {"s32", [](Args &a) { a.type = S32; a.stride[0] = 1024; }},
        {"u64", [](Args &a) { a.type = U64; a.stride[0] = 2048; }},
        {"s64", [](Args &a) { a.type = S64; a.stride[0] = 2048; }},
        {"f32", [](Args &a) { a.type = F32; a.stride[0] = 1024; }},
        {"f64", [](Args &a) { a.type = F64; a.stride[0] = 2048; }},
        {"bf16", [](Args &a) { a.type = BF16; }},
        {"f32_ftz", [](Args &a) { a.type = F32_FTZ; a.stride[0] = 1024; }},
        {"tf32", [](Args &a) { a.type = TF32; a.stride[0] = 1024; }},
        {"tf32_ftz", [](Args &a) { a.type = TF32_FTZ; a.stride[0] = 1024; }},
        {"im2col_3", [&](Args &a) { to_im2col(a, 3); }},
        {"im2col_4", [&](Args &a) { to_im2col(a, 4); }},
        {"im2col_5", [&](Args &a) { to_im2col(a, 5); }},
        {"im2col_2", [&](Args &a) { to_im2col(a, 3); a.rank = 2; }},
        {"im2col_6", [&](Args &a) { to_im2col(a, 5); a.rank = 6; }},
        {"im2col_3_corners", [&](Args &a) { to_im2col(a, 3); a.lower[0] = -3; a.upper[0] = -5; }},
        {"im2col_3_lower_min", [&](Args &a) { to_im2col(a, 3); a.lower[0] = -32768; }},
        {"im2col_3_lower_under", [&](Args &a) { to_im2col(a, 3); a.lower[0] = -32769; }},
        {"im2col_3_upper_max", [&](Args &a) { to_im2col(a, 3); a.upper[0] = 32767; }},
        {"im2col_3_upper_over", [&](Args &a) { to_im2col(a, 3); a.upper[0] = 32768; }},
        {"im2col_4_corners", [&](Args &a) { to_im2col(a, 4); a.lower[0] = -3; a.lower[1] = 2; a.upper[0] = -5; a.upper[1] = 7; }},
        {"im2col_4_lower_min", [&](Args &a) { to_im2col(a, 4); a.lower[0] = -128; }},
        {"im2col_4_lower_under", [&](Args &a) { to_im2col(a, 4); a.lower[0] = -129; }},
        {"im2col_4_upper_over", [&](Args &a) { to_im2col(a, 4); a.upper[1] = 128; }},
        {"im2col_5_corners", [&](Args &a) { to_im2col(a, 5); a.lower[0] = -1; a.lower[1] = 2; a.lower[2] = -3; a.upper[0] = -4; a.upper[1] = 5; a.upper[2] = -6; }},
        {"im2col_5_lower_min", [&](Args &a) { to_im2col(a, 5); a.lower[2] = -16; }},
        {"im2col_5_lower_under", [&](Args &a) { to_im2col(a, 5); a.lower[2] = -17; }},
        {"im2col_5_upper_max", [&](Args &a) { to_im2col(a, 5); a.upper[0] = 15; }},
        {"im2col_5_upper_over", [&](Args &a) { to_im2col(a, 5); a.upper[0] = 16; }},
        {"im2col_empty_box", [&](Args &a) { to_im2col(a, 4); a.lower[0] = 10; a.upper[0] = -10; }},
        {"im2col_negative_box", [&](Args &a) { to_im2col(a, 4); a.lower[0] = 15; a.upper[0] = -10; }},
        {"im2col_one_pixel_box", [&](Args &a) { to_im2col(a, 4); a.lower[0] = 10; a.upper[0] = -9; }},
        {"im2col_channels_0", [&](Args &a) { to_im2col(a, 4); a.channels = 0; }},
        {"im2col_channels_4", [&](Args &a) { to_im2col(a, 4); a.channels = 4; }},
        {"im2col_channels_12", [&](Args &a) { to_im2col(a, 4); a.channels = 12; }},
        {"im2col_channels_256", [&](Args &a) { to_im2col(a, 4); a.channels = 256; }},
        {"im2col_channels_257", [&](Args &a) { to_im2col(a, 4); a.channels = 257; }},
        {"im2col_channels_264", [&](Args &a) { to_im2col(a, 4); a.channels = 264; }},
        {"im2col_pixels_0", [&](Args &a) { to_im2col(a, 4); a.pixels = 0; }},
        {"im2col_pixels_1", [&](Args &a) { to_im2col(a, 4); a.pixels = 1; }},
        {"im2col_pixels_7", [&](Args &a) { to_im2col(a, 4); a.pixels = 7; }},
        {"im2col_pixels_1024", [&](Args &a) { to_im2col(a, 4); a.pixels = 1024; }},
        {"im2col_pixels_1025", [&](Args &a) { to_im2col(a, 4); a.pixels = 1025; }},
        {"im2col_es", [&](Args &a) { to_im2col(a, 5); a.es[1] = 2; a.es[2] = 3; a.es[3] = 4; a.es[4] = 5; }},
        {"im2col_es_9", [&](Args &a) { to_im2col(a, 4); a.es[1] = 9; }},
        {"im2col_swizzle_128", [&](Args &a) { to_im2col(a, 4); a.swizzle = 3; a.channels = 64; }},
        {"im2col_swizzle_64_over", [&](Args &a) { to_im2col(a, 4); a.swizzle = 2; a.channels = 40; }},
        {"im2col_interleave_16", [&](Args &a) { to_im2col(a, 4); a.interleave = 1; }},
        {"im2col_interleave_32", [&](Args &a) { to_im2col(a, 4); a.interleave = 2; a.swizzle = 1; }},
        {"im2col_nan", [&](Args &a) { to_im2col(a, 4); a.fill = 1; }},
        {"im2col_all", [&](Args &a) { to_im2col(a, 4); a.fill = 1; a.swizzle = 3; a.l2 = 2; a.type = TF32; a.stride[0] = 256; a.stride[1] = 5120; a.stride[2] = 92160; a.lower[0] = -1; a.lower[1] = -2; a.upper[0] = 3; a.upper[1] = 4; a.es[1] = 2; a.es[2] = 3; }},
    };
    alignas(128) unsigned char room[256];
    int version = 0;
    cuDriverGetVersion(&version);
    fprintf(stderr, "driver version %d\n", version);
    for (auto &c : cases) {
        Args a;
        c.change(a);
        memset(room, 0, sizeof room);
        CUresult r = encode(a, (CUtensorMap *)(room + a.shift));
        printf("encode %s: %d\n", c.name, (int)r);
        if (r == CUDA_SUCCESS) print_map(c.name, room + a.shift);
    }
    CUtensorMap *m = (CUtensorMap *)room;
    Args a;
    encode(a, m);
    printf("replace_address 32: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001020ull));
    print_map("replace_address_32", m);
    printf("replace_address 8: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001008ull));
    printf("replace_address 0: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0));
    memset(room, 0, sizeof room);
    printf("replace_address of zeros: %d\n", (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001000ull));
    print_map("replace_address_of_zeros", m);
    rank3(a, 2);
    encode(a, m);
    printf("replace_address interleave_32 16: %d\n",
           (int)cuTensorMapReplaceAddress(m, (void *)0x7f0000001010ull));
}

// ---- loads ---------------------------------------------------------------------------------------------

static void tiles() {
    fill_source(4);
    // 40 x 12 words, rows of 48 words
    Args a2 = real(U32, 2, {40, 12}, {192}, {16, 4});
    load_list("2d inside", a2, where({8, 3}), 4);
    load_list("2d odd column", a2, where({5, 3}), 4);
    load_list("2d left", a2, where({-3, 2}), 4);
    load_list("2d right", a2, where({30, 2}), 4);
    load_list("2d top", a2, where({8, -2}), 4);
    load_list("2d bottom", a2, where({8, 10}), 4);
    load_list("2d corner", a2, where({33, 9}), 4);
    load_list("2d all outside", a2, where({100, 100}), 4);
    load_list("2d far outside", a2, where({-2147483647 - 1, 2147483647}), 4);
    load_list("2d wraps", a2, where({2147483640, 0}), 4);
    Args a1 = real(U32, 1, {50}, {}, {64});
    load_list("1d", a1, where({-6}), 4);
    Args a3 = real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2});
    load_list("3d", a3, where({2, 3, 3}), 4);
    Args a4 = real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2});
    load_list("4d", a4, where({2, 1, 3, 1}), 4);
    Args a5 = real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2});
    load_list("5d", a5, where({1, 1, 2, 1, 0}), 4);
    load_list("5d out", a5, where({6, 4, 3, 2, 1}), 4);
    Args overlap = real(U32, 2, {64, 16}, {16}, {16, 4});
    load_list("overlapping rows", overlap, where({0, 2}), 4);
    Args zero_stride = real(U32, 2, {64, 16}, {0}, {16, 4});
    load_list("stride 0", zero_stride, where({4, 2}), 4);
    // expected bytes: only those inside
    for (unsigned expect : {192u, 256u, 128u})
        if (load(("2d right, expects " + std::to_string(expect)).c_str(), a2, where({32, 2}), 0, expect, 256))
            printf("\n");
    for (unsigned expect : {0u, 256u})
        if (load(("2d all outside, expects " + std::to_string(expect)).c_str(), a2, where({100, 100}), 0,
                 expect, 256))
            printf("\n");
    // element strides
    Args s = real(U32, 3, {16, 20, 12}, {64, 1280}, {8, 7, 5});
    s.es[1] = 3, s.es[2] = 2;
    load_list("strides 1,3,2", s, where({4, 2, 1}), 4);
    load_list("strides out", s, where({4, 16, 9}), 4);
    load_list("strides before", s, where({4, -4, -1}), 4);
    s.es[0] = 2;
    load_list("stride in dimension 0", s, where({4, 2, 1}), 4);
    s = real(U32, 2, {16, 20}, {64}, {8, 20});
    s.es[1] = 8;
    load_list("stride 8", s, where({0, 1}), 4);
    // expected with strides: ceil or the whole box
    if (load("strides, expects the box", s, where({0, 1}), 0, 8 * 20 * 4, 1024)) printf("\n");
}

static void swizzles() {
    fill_source(4);
    static const char *names[] = {"none", "32B", "64B", "128B"};
    for (int w = 0; w < 4; w++) {
        unsigned span = w ? 16u << w : 128;
        for (unsigned inner = 16; inner <= span; inner += 16)
            for (unsigned offset : {0u, 128u, 256u, 384u, 512u, 640u}) {
                Args a = real(U32, 2, {256, 64}, {1024}, {inner / 4, 24});
                a.swizzle = w;
                char name[64];
                snprintf(name, sizeof name, "swizzle %s inner %u at +%u", names[w], inner, offset);
                if (offset && inner != span) {
                    unsigned bytes = box_bytes(a), dump = offset + bytes + 2048;
                    if (load(name, a, where({0, 0}), offset, bytes, dump))
                        printf(" hash %016llx\n", (unsigned long long)hash(dumped.data(), dump));
                } else
                    load_list(name, a, where({0, 0}), 4, offset, 2048);
            }
    }
    Args a = real(U32, 3, {64, 8, 8}, {256, 2048}, {32, 3, 3});
    a.swizzle = 3;
    load_list("swizzle 128B 3d", a, where({4, 1, 1}), 4, 0, 1024);
    a = real(U32, 3, {64, 8, 8}, {256, 2048}, {8, 5, 3});
    a.swizzle = 1;
    load_list("swizzle 32B 3d", a, where({60, 1, 1}), 4, 0, 1024);
}

static void fills() {
    for (int type = 0; type < 13; type++)
        for (int fill = 0; fill < 2; fill++) {
            unsigned size = sizes[type];
            Args a = real(type, 1, {64}, {}, {256 < 64 / size ? 256 : 64 / size});
            a.fill = fill;
            char name[64];
            snprintf(name, sizeof name, "fill %d of type %d", fill, type);
            if (!load(name, a, where({100}), 0, 64, 64)) continue;
            print_hex(dumped.data(), 32, size);
        }
    static const uint32_t words[] = {
        0x3f800000, 0x3f800fff, 0x3f801000, 0x3f801001, 0x3f802fff, 0x3f803000, 0x3f803001, 0xbf801000,
        0xbf803000, 0x7f7fffff, 0x7f7fefff, 0x7f800000, 0xff800000, 0x7f800001, 0x7fc00000, 0x7fffffff,
        0xffc01234, 0x7f801000, 0x7f802000, 0x00000001, 0x00001000, 0x00001001, 0x00003000, 0x007fffff,
        0x007fefff, 0x007ff000, 0x80000001, 0x80003000, 0x00800000, 0x00800fff, 0x80000000, 0x12345678};
    unsigned n = sizeof words / sizeof *words;
    printf("converted from:");
    print_hex((const unsigned char *)words, sizeof words, 4);
    for (int type : {F32, F32_FTZ, TF32, TF32_FTZ, U32}) {
        TRY(cudaMemcpy(source, words, sizeof words, cudaMemcpyHostToDevice));
        Args a = real(type, 1, {n}, {}, {n});
        char name[64];
        snprintf(name, sizeof name, "converts type %d", type);
        if (load(name, a, where({0}), 0, sizeof words, sizeof words))
            print_hex(dumped.data(), sizeof words, 4);
    }
    static const uint16_t halves[] = {0x0001, 0x03ff, 0x8001, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0xfc01,
                                      0x0400, 0x3c00, 0x7f81, 0x7f80, 0xff81, 0x0040, 0x7ff7, 0xffff};
    for (int type : {F16, BF16}) {
        TRY(cudaMemcpy(source, halves, sizeof halves, cudaMemcpyHostToDevice));
        Args a = real(type, 1, {16}, {}, {16});
        char name[64];
        snprintf(name, sizeof name, "converts type %d", type);
        if (load(name, a, where({0}), 0, 32, 32)) print_hex(dumped.data(), 32, 2);
    }
    // Stores of the same words
    for (int type : {F32, F32_FTZ, TF32, TF32_FTZ}) {
        TRY(cudaMemset(source, 0x11, 4096));
        TRY(cudaMemcpy(out, words, sizeof words, cudaMemcpyHostToDevice));
        Args a = real(type, 1, {n}, {}, {n});
        alignas(128) CUtensorMap map;
        CUresult r = encode(a, &map);
        store_param<<<1, 32, DUMP + 1024>>>(map, 1, 0, -1, where({0}), 0, sizeof words, out);
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpy(dumped.data(), source, sizeof words, cudaMemcpyDeviceToHost));
        printf("stores type %d (encode %d):", type, (int)r);
        print_hex(dumped.data(), sizeof words, 4);
    }
}

static void interleaves() {
    fill_source(2);
    for (int layout : {1, 2})
        for (unsigned box0 : {8u, 16u, 24u, 32u, 5u, 20u})
            for (int c0 : {0, 8, 16, 4, -8, 32}) {
                // 16-bit elements; strides that show in the addresses
                Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {box0, 3, 2});
                a.interleave = layout;
                a.swizzle = layout == 2 ? 1 : 0;
                char name[64];
                snprintf(name, sizeof name, "interleave %d 3d box0 %u from %d", 16 * layout, box0, c0);
                load_list(name, a, where({c0, 1, 2}), 2, 0, 1024);
            }
    for (int layout : {1, 2}) {
        Args a = real(U16, 4, {40, 6, 5, 4}, {320, 2560, 20480}, {16, 3, 2, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        load_list(layout == 1 ? "interleave 16 4d" : "interleave 32 4d", a, where({0, 1, 2, 1}), 2, 0, 1024);
        load_list(layout == 1 ? "interleave 16 4d out" : "interleave 32 4d out", a, where({16, 4, 4, 3}), 2,
                  0, 1024);
        a = real(U16, 5, {40, 6, 5, 4, 3}, {320, 2560, 10240, 40960}, {16, 2, 2, 2, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        load_list(layout == 1 ? "interleave 16 5d" : "interleave 32 5d", a, where({0, 1, 2, 1, 1}), 2, 0,
                  1024);
        a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {16, 3, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        a.es[0] = 2;
        load_list(layout == 1 ? "interleave 16 stride 2 in dimension 0"
                              : "interleave 32 stride 2 in dimension 0",
                  a, where({0, 1, 2}), 2, 0, 1024);
        a.es[0] = 1, a.es[1] = 2;
        load_list(layout == 1 ? "interleave 16 stride 2 in dimension 1"
                              : "interleave 32 stride 2 in dimension 1",
                  a, where({0, 0, 2}), 2, 0, 1024);
    }
    fill_source(4);
    for (int layout : {1, 2}) {
        Args a = real(U32, 3, {20, 6, 5}, {6400, 1280}, {8, 3, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        load_list(layout == 1 ? "interleave 16 of words" : "interleave 32 of words", a, where({4, 1, 2}), 4,
                  0, 1024);
        a.swizzle = layout == 2 ? 1 : 3;
        load_list(layout == 1 ? "interleave 16 of words, 128B swizzle" : "interleave 32 of words again", a,
                  where({4, 1, 2}), 4, 0, 1024);
    }
}

static Args image(unsigned rank, std::initializer_list<uint64_t> dim, unsigned channels, unsigned pixels,
                  std::initializer_list<int> lower, std::initializer_list<int> upper) {
    Args a = real(U32, rank, dim, {}, {});
    uint64_t step = a.dim[0] * 4;
    for (unsigned i = 1; i < rank; i++) a.stride[i - 1] = step, step *= a.dim[i];
    a.im2col = true;
    a.channels = channels;
    a.pixels = pixels;
    unsigned i = 0;
    for (auto v : lower) a.lower[i++] = v;
    i = 0;
    for (auto v : upper) a.upper[i++] = v;
    return a;
}

// One number per pixel: source words / channels of the tensor; "-": filled; ".": untouched
static void load_pixels(const char *name, const Args &a, const Where &at) {
    unsigned bytes = box_bytes(a);
    if (!load(name, a, at, 0, bytes, bytes + 256)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), bytes + 256));
    for (unsigned p = 0; p < a.pixels; p++) {
        uint32_t w, last;
        memcpy(&w, &dumped[p * a.channels * 4], 4);
        memcpy(&last, &dumped[(p + 1) * a.channels * 4 - 4], 4);
        if (w == 0xa5a5a5a5)
            printf(" .");
        else if (!w)
            printf(last ? " -+%u" : " -", last);
        else {
            uint32_t c = (uint32_t)a.dim[0];
            printf(" %u", (w - 1) / c);
            if ((w - 1) % c) printf("+%u", (w - 1) % c);
            if (last != w + a.channels - 1) printf("!%u", last);
        }
    }
    printf("\n");
}

static void im2col() {
    fill_source(4);
    Args a = image(3, {8, 10, 3}, 4, 24, {0}, {0});
    load_pixels("im2col 3d whole", a, where({0, 0, 0}, {0}));
    load_pixels("im2col 3d from 7", a, where({4, 7, 1}, {0}));
    load_pixels("im2col 3d offset 2", a, where({0, 7, 1}, {2}));
    load_pixels("im2col 3d end", a, where({0, 4, 2}, {0}));
    load_pixels("im2col 3d n 5", a, where({0, 4, 5}, {0}));
    load_pixels("im2col 3d n -1", a, where({0, 4, -1}, {0}));
    load_pixels("im2col 3d c 6", a, where({6, 4, 1}, {0}));
    load_pixels("im2col 3d c -2", a, where({-2, 4, 1}, {0}));
    load_pixels("im2col 3d c 100", a, where({100, 4, 1}, {0}));
    a = image(3, {8, 10, 3}, 4, 24, {-1}, {-2});
    load_pixels("im2col 3d padded", a, where({0, -1, 0}, {0}));
    load_pixels("im2col 3d padded offset 1", a, where({0, -1, 0}, {1}));
    load_pixels("im2col 3d padded offset 3", a, where({0, -1, 0}, {3}));
    load_pixels("im2col 3d padded from 5", a, where({0, 5, 0}, {2}));
    load_pixels("im2col 3d before its box", a, where({0, -3, 0}, {0}));
    load_pixels("im2col 3d past its box", a, where({0, 9, 0}, {0}));
    load_pixels("im2col 3d far past its box", a, where({0, 15, 0}, {0}));
    a = image(3, {8, 10, 3}, 4, 24, {1}, {2});
    load_pixels("im2col 3d box 1..2", a, where({0, 1, 0}, {0}));
    a = image(3, {8, 10, 3}, 4, 24, {-1}, {0});
    a.es[1] = 2;
    load_pixels("im2col 3d stride 2", a, where({0, -1, 0}, {0}));
    load_pixels("im2col 3d stride 2 from 2", a, where({0, 2, 0}, {1}));
    a.es[1] = 3;
    load_pixels("im2col 3d stride 3", a, where({0, -1, 0}, {0}));
    a.es[1] = 1, a.es[2] = 2;
    load_pixels("im2col 3d stride 2 of n", a, where({0, -1, 0}, {0}));
    a = image(4, {8, 6, 5, 3}, 4, 48, {-1, -1}, {-1, -1});
    load_pixels("im2col 4d", a, where({0, -1, -1, 0}, {0, 0}));
    load_pixels("im2col 4d offset 1 0", a, where({0, -1, -1, 0}, {1, 0}));
    load_pixels("im2col 4d offset 0 1", a, where({0, -1, -1, 0}, {0, 1}));
    load_pixels("im2col 4d offset 2 2", a, where({0, -1, -1, 0}, {2, 2}));
    load_pixels("im2col 4d from 3 2", a, where({4, 3, 2, 1}, {0, 0}));
    load_pixels("im2col 4d from 3 2 offset 2 1", a, where({4, 3, 2, 1}, {2, 1}));
    load_pixels("im2col 4d before its box", a, where({0, -2, -2, 0}, {0, 0}));
    load_pixels("im2col 4d past w", a, where({0, 5, 0, 0}, {0, 0}));
    load_pixels("im2col 4d past h", a, where({0, 0, 4, 0}, {0, 0}));
    a.es[1] = 2, a.es[2] = 2;
    load_pixels("im2col 4d strides 2 2", a, where({0, -1, -1, 0}, {0, 0}));
    load_pixels("im2col 4d strides 2 2 from 0 1", a, where({0, 0, 1, 0}, {1, 1}));
    a.es[1] = 3, a.es[2] = 1;
    load_pixels("im2col 4d strides 3 1", a, where({0, -1, -1, 0}, {0, 0}));
    a = image(4, {8, 6, 5, 3}, 4, 48, {0, 0}, {-2, -2});
    load_pixels("im2col 4d box -2", a, where({0, 0, 0, 0}, {2, 2}));
    load_pixels("im2col 4d box -2 offset 255", a, where({0, 0, 0, 0}, {255, 255}));
    a = image(4, {8, 6, 5, 3}, 4, 48, {0, 1}, {-2, 1});
    load_pixels("im2col 4d corners differ by dimension", a, where({0, 0, 1, 0}, {0, 0}));
    a = image(5, {4, 4, 3, 3, 2}, 4, 64, {-1, 0, -1}, {0, -1, 0});
    load_pixels("im2col 5d", a, where({0, -1, 0, -1, 0}, {0, 0, 0}));
    load_pixels("im2col 5d offset 1 1 1", a, where({0, -1, 0, -1, 0}, {1, 1, 1}));
    load_pixels("im2col 5d offset 3 0 31", a, where({0, -1, 0, -1, 0}, {3, 0, 31}));
    a.es[1] = 2, a.es[2] = 2, a.es[3] = 2;
    load_pixels("im2col 5d strides 2", a, where({0, -1, 0, -1, 0}, {0, 0, 0}));
    a = image(4, {64, 6, 5, 3}, 32, 24, {-1, -1}, {-1, -1});
    a.swizzle = 3;
    load_list("im2col swizzle 128B", a, where({32, -1, -1, 0}, {1, 1}), 4, 0, 1024);
    a = image(4, {8, 6, 5, 3}, 4, 7, {-1, -1}, {-1, -1});
    load_pixels("im2col 7 pixels", a, where({0, -1, -1, 0}, {1, 1}));
    a = image(4, {8, 6, 5, 3}, 4, 4, {0, 0}, {0, 0});
    a.fill = 1, a.type = F32;
    load_pixels("im2col nan", a, where({0, 5, 4, 2}, {0, 0}));
}

// ---- stores, reductions --------------------------------------------------------------------------------

static const char *const operations[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

static void store(const char *name, const Args &a, int op, const Where &at, unsigned unit,
                  unsigned show_bytes, unsigned offset = 0) {
    if (skipped()) return;
    unsigned bytes = box_bytes(a);
    alignas(128) CUtensorMap map;
    CUresult r = encode(a, &map);
    if (r != CUDA_SUCCESS) {
        printf("store %s: encode %d\n", name, (int)r);
        return;
    }
    std::vector<unsigned char> v(DUMP);
    for (size_t i = 0; i < v.size() / unit; i++) {
        uint64_t value = i + 1;
        memcpy(&v[i * unit], &value, unit);
    }
    TRY(cudaMemset(source, 0xa5, SOURCE_BYTES));
    TRY(cudaMemcpy(out, v.data(), v.size(), cudaMemcpyHostToDevice));
    store_param<<<1, 128, DUMP + 1024>>>(map, a.rank, a.im2col, op, at, offset, bytes + 2048, out);
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("store %s: %s\n", name, cudaGetErrorName(e));
        broken();
    }
    TRY(cudaMemcpy(dumped.data(), source, show_bytes, cudaMemcpyDeviceToHost));
    printf("store %s: hash %016llx:", name, (unsigned long long)hash(dumped.data(), show_bytes));
    print_elements(dumped.data(), show_bytes, unit);
}

static void stores() {
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    store("2d inside", a, -1, where({8, 3}), 4, 4096);
    store("2d right", a, -1, where({30, 2}), 4, 4096);
    store("2d bottom", a, -1, where({8, 10}), 4, 4096);
    store("2d corner", a, -1, where({33, 9}), 4, 4096);
    store("2d outside", a, -1, where({64, 9}), 4, 4096);
    store("1d", real(U32, 1, {50}, {}, {64}), -1, where({6}), 4, 1024);
    store("3d", real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2}), -1, where({2, 3, 3}), 4, 4096);
    store("4d", real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), -1, where({2, 1, 3, 1}), 4, 16384);
    store("5d", real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2}), -1,
          where({1, 1, 2, 1, 0}), 4, 65536);
    a.es[1] = 2;
    store("2d stride 2", a, -1, where({8, 3}), 4, 4096);
    for (int w = 1; w < 4; w++)
        for (unsigned offset : {0u, 128u}) {
            a = real(U32, 2, {64, 20}, {256}, {(16u << w) / 4, 12});
            a.swizzle = w;
            store(("2d swizzle " + std::to_string(16 << w) + " at +" + std::to_string(offset)).c_str(), a, -1,
                  where({4, 2}), 4, 8192, offset);
        }
    for (int layout : {1, 2}) {
        a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {16, 3, 2});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        store(layout == 1 ? "interleave 16" : "interleave 32", a, -1, where({8, 1, 2}), 2, 65536);
    }
    a = image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {-1, -2});
    store("im2col", a, -1, where({4, 3, 1, 1}), 4, 4096);
    store("im2col end", a, -1, where({4, 3, 1, 2}), 4, 4096);
    a.es[1] = 2;
    store("im2col stride 2", a, -1, where({4, 2, 1, 1}), 4, 4096);
    a = image(3, {8, 10, 3}, 4, 24, {0}, {0});
    store("im2col 3d", a, -1, where({0, 7, 1}), 4, 4096);
    a = image(5, {4, 4, 3, 3, 2}, 4, 32, {0, 0, 0}, {0, -1, 0});
    store("im2col 5d", a, -1, where({0, 1, 0, 1, 0}), 4, 4096);
}

static void reduce(int type, int op) {
    if (skipped()) return;
    static const uint64_t before64[] = {
        0, 1, 5, 0x7fffffffffffffffull, 0x8000000000000000ull, ~0ull, 0x0123456789abcdefull, 100};
    static const uint64_t values64[] = {1, ~0ull, 7, 1, 0x8000000000000001ull, 1, 0xfedcba9876543210ull, 50};
    static const uint32_t before32[] = {
        0,          1,          5,          0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0x00000001,
        0x7fc00000, 0x7f800000, 0x80000000, 0x00800000, 0x33800000, 0x40490fdb, 100,        7};
    static const uint32_t values32[] = {
        1,          0xffffffff, 7,          1,          0x80000001, 1,          0x33800001, 0x00000001,
        0x3f800000, 0xff800000, 0x00000000, 0x80800001, 0x3f800000, 0xc0490fda, 50,         9};
    static const uint16_t before16[] = {0x3c00, 0x0001, 0x7e00, 0x7c00, 0x8000, 0x7bff, 0x0400, 0x1000,
                                        0x3f80, 0x7f80, 0x0080, 0xbc00, 0x7c01, 0xfc00, 0x3555, 0x7fff};
    static const uint16_t values16[] = {0x1000, 0x0001, 0x3c00, 0xfc00, 0x0000, 0x7bff, 0x8401, 0x3c01,
                                        0x3380, 0xff80, 0x8081, 0x3c00, 0x3c00, 0x7e01, 0x4aaa, 0x0000};
    unsigned size = sizes[type], bytes = size == 8 ? 64 : size == 4 ? 64 : 32;
    const void *before = size == 8   ? (const void *)before64
                         : size == 4 ? (const void *)before32
                                     : (const void *)before16;
    const void *values = size == 8   ? (const void *)values64
                         : size == 4 ? (const void *)values32
                                     : (const void *)values16;
    TRY(cudaMemcpy(source, before, bytes, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(out, values, bytes, cudaMemcpyHostToDevice));
    Args a = real(type, 1, {bytes / size}, {}, {bytes / size});
    alignas(128) CUtensorMap map;
    CUresult r = encode(a, &map);
    store_param<<<1, 32, DUMP + 1024>>>(map, 1, 0, op, where({0}), 0, bytes, out);
    cudaError_t e = cudaDeviceSynchronize();
    printf("reduce %s type %d (encode %d): %s", operations[op], type, (int)r, cudaGetErrorName(e));
    if (e == cudaSuccess) {
        TRY(cudaMemcpy(dumped.data(), source, bytes, cudaMemcpyDeviceToHost));
        print_hex(dumped.data(), bytes, size);
    } else {
        printf("\n");
        broken();
    }
}

static const int legal[][2] = {{0, U32}, {0, S32}, {0, U64}, {0, F32},  {0, F16},  {0, BF16}, {1, U32},
                               {1, S32}, {1, U64}, {1, S64}, {1, F16},  {1, BF16}, {2, U32},  {2, S32},
                               {2, U64}, {2, S64}, {2, F16}, {2, BF16}, {3, U32},  {4, U32},  {5, U32},
                               {5, S32}, {5, U64}, {5, S64}, {6, U32},  {6, U64},  {7, S32},  {7, S64}};
static const int doubtful[][2] = {{0, U8},       {0, U16}, {0, S64},     {0, F64},    {0, F32_FTZ}, {0, TF32},
                                  {0, TF32_FTZ}, {1, F32}, {1, F64},     {2, F32},    {1, U8},      {1, U16},
                                  {3, S32},      {4, S32}, {3, U64},     {5, U8},     {5, U16},     {5, F32},
                                  {6, F16},      {7, F64}, {7, F32_FTZ}, {2, F32_FTZ}};

// ---- clusters, places of the map -----------------------------------------------------------------------

static void launch_cluster(const void *kernel, unsigned size, void **args) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = size;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    config.gridDim = dim3(size);
    config.blockDim = dim3(128);
    config.dynamicSmemBytes = DUMP + 1024;
    config.attrs = attribute;
    config.numAttrs = 1;
    TRY(cudaLaunchKernelExC(&config, kernel, args));
    TRY(cudaDeviceSynchronize());
}

static void clusters() {
    fill_source(4);
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    alignas(128) CUtensorMap map;
    encode(a, &map);
    struct {
        unsigned size;
        unsigned short mask;
        int issuer;
    } cases[] = {{2, 3, 0}, {2, 2, 0}, {2, 1, 1}, {4, 0xd, 2}, {8, 0xff, 7}, {4, 0xf, 0}};
    for (auto &c : cases) {
        unsigned dump = 512, expect = 256;
        Where at = where({33, 2});
        void *args[] = {&map, &c.mask, &c.issuer, &at, &expect, &dump, &out, &done};
        int finished[8] = {};
        TRY(cudaMemset(out, 0x77, 8 * dump));
        launch_cluster((const void *)multicast, c.size, args);
        TRY(cudaMemcpy(dumped.data(), out, c.size * dump, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(finished, done, 32, cudaMemcpyDeviceToHost));
        printf("multicast of %u to 0x%x by %d:", c.size, c.mask, c.issuer);
        for (unsigned i = 0; i < c.size; i++)
            printf(" %d/%016llx", finished[i], (unsigned long long)hash(&dumped[i * dump], dump));
        printf("\n");
    }
    unsigned dump = 512, expect = 256;
    Where at = where({8, 2});
    void *args[] = {&map, &at, &expect, &dump, &out, &done};
    int finished[8] = {};
    launch_cluster((const void *)remote_load, 2, args);
    TRY(cudaMemcpy(dumped.data(), out, 2 * dump, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(finished, done, 32, cudaMemcpyDeviceToHost));
    printf("remote load: %d/%016llx %d/%016llx\n", finished[0], (unsigned long long)hash(&dumped[0], dump),
           finished[1], (unsigned long long)hash(&dumped[dump], dump));
}

static void finish(const char *name, unsigned dump) {
    int finished = -1;
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("%s: %s\n", name, cudaGetErrorName(e));
        return;
    }
    TRY(cudaMemcpy(dumped.data(), out, dump, cudaMemcpyDeviceToHost));
    TRY(cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost));
    printf("%s: %s %d hash %016llx\n", name, cudaGetErrorName(e), finished,
           (unsigned long long)hash(dumped.data(), dump));
}

static void places() {
    fill_source(4);
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    alignas(128) CUtensorMap map;
    encode(a, &map);
    Where at = where({8, 3});
    load_list("by parameter", a, at, 4);
    TRY(cudaMemset(out, 0, 512));
    TRY(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    load_constant<<<1, 128, DUMP + 1024>>>(2, at, 0, 256, 512, out, done);
    finish("by constant", 512);
    unsigned char *maps;
    TRY(cudaMalloc(&maps, 16384));
    TRY(cudaMemset(maps, 0, 16384));
    for (unsigned shift : {0u, 64u}) {
        TRY(cudaMemset(out, 0, 512));
        TRY(cudaMemcpy(maps + shift, &map, sizeof map, cudaMemcpyHostToDevice));
        load_pointer<<<1, 128, DUMP + 1024>>>(maps + shift, 2, at, 0, 256, 512, out, done);
        finish(shift ? "by global memory at +64" : "by global memory", 512);
    }
    prefetches<<<1, 32>>>(map);
    printf("prefetches: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    TRY(cudaMemset(maps, 0, 16384));
    replace_each<<<1, 1>>>((CUtensorMap *)maps);
    printf("replace each: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::vector<unsigned char> got(16384);
    TRY(cudaMemcpy(got.data(), maps, got.size(), cudaMemcpyDeviceToHost));
    for (int i = 0; i < replaced_fields; i++)
        print_map(("replaced " + std::to_string(i)).c_str(), &got[i * 128]);
    TRY(cudaMemset(maps, 0, 128));
    make_map<<<1, 32>>>((CUtensorMap *)maps, (uint64_t)source, 40, 12, 192, 16, 4);
    printf("make map: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    TRY(cudaMemcpy(got.data(), maps, 128, cudaMemcpyDeviceToHost));
    memset(got.data(), 0, 8); // the address differs between machines
    print_map("made", got.data());
    load_pointer<<<1, 128, DUMP + 1024>>>(maps, 2, at, 0, 256, 512, out, done);
    finish("by a map made on the device", 512);
    memcpy(got.data(), &map, 128);
    memset(got.data(), 0, 8);
    print_map("the same by the driver", got.data());
    for (int position = 0; position < 3; position++) {
        std::vector<uint16_t> f(65536), b(65536);
        fma_oob<<<512, 128>>>((unsigned short *)source, (unsigned short *)(source + 131072), position);
        TRY(cudaDeviceSynchronize());
        TRY(cudaMemcpy(f.data(), source, 131072, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(b.data(), source + 131072, 131072, cudaMemcpyDeviceToHost));
        for (int kind = 0; kind < 2; kind++) {
            auto &v = kind ? b : f;
            printf("fma.oob %s operand %d: hash %016llx zeros:", kind ? "bf16" : "f16", position,
                   (unsigned long long)hash((unsigned char *)v.data(), 131072));
            for (unsigned i = 0; i < 65536; i++)
                if (!(v[i] & 0x7fff)) printf(" %04x->%04x", i, v[i]);
            printf("\n");
        }
    }
}

// ---- what must fail: each in a process of its own ------------------------------------------------------

static void load_at(const Args &a, const Where &at, int rank, int mode, unsigned offset) {
    alignas(128) CUtensorMap map;
    int finished = -1;
    CUresult r = encode(a, &map);
    load_param<<<1, 128, DUMP + 1024>>>(map, rank, mode, at, offset, box_bytes(a), 8192, out, done);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(dumped.data(), out, 8192, cudaMemcpyDeviceToHost);
    printf("encode %d, %s", (int)r, cudaGetErrorName(e));
    if (e == cudaSuccess)
        printf(", done %d hash %016llx:", finished, (unsigned long long)hash(dumped.data(), 8192)),
            print_elements(dumped.data(), 8192, 4);
    else
        printf("\n");
}

static void store_at(const Args &a, const Where &at, int rank, int mode, unsigned offset) {
    alignas(128) CUtensorMap map;
    CUresult r = encode(a, &map);
    std::vector<uint32_t> v(4096);
    for (unsigned i = 0; i < 4096; i++) v[i] = i + 1;
    TRY(cudaMemset(source, 0xa5, 65536));
    TRY(cudaMemcpy(out, v.data(), 16384, cudaMemcpyHostToDevice));
    store_param<<<1, 128, DUMP + 1024>>>(map, rank, mode, -1, at, offset, 4096, out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaMemcpy(dumped.data(), source, 8192, cudaMemcpyDeviceToHost);
    printf("encode %d, %s", (int)r, cudaGetErrorName(e));
    if (e == cudaSuccess)
        printf(", hash %016llx:", (unsigned long long)hash(dumped.data(), 8192)),
            print_elements(dumped.data(), 8192, 4);
    else
        printf("\n");
}

static void load_from(int shift, bool zeros, int space) {
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    alignas(128) CUtensorMap map;
    unsigned char *maps;
    encode(a, &map);
    if (zeros) memset(&map, 0, sizeof map);
    TRY(cudaMalloc(&maps, 16384));
    TRY(cudaMemset(maps, 0, 16384));
    TRY(cudaMemcpy(maps + shift, &map, sizeof map, cudaMemcpyHostToDevice));
    if (space < 0)
        load_pointer<<<1, 128, DUMP + 1024>>>(maps + shift, 2, where({8, 3}), 0, 256, 512, out, done);
    else
        load_elsewhere<<<1, 128, DUMP + 1024>>>(map, space, where({8, 3}), 256, 512, out, done);
    finish("", 512);
}

struct Fault {
    const char *name;
    std::function<void()> run;
};

static std::vector<Fault> fault_list() {
    auto base = [] { return real(U32, 2, {40, 12}, {192}, {16, 4}); };
    std::vector<Fault> f = {
        {"load to +16",
         [=] {
             load_at(base(), where({8, 3}), 2, 0, 16);
         }},
        {"load to +32",
         [=] {
             load_at(base(), where({8, 3}), 2, 0, 32);
         }},
        {"load to +64",
         [=] {
             load_at(base(), where({8, 3}), 2, 0, 64);
         }},
        {"load to +4",
         [=] {
             load_at(base(), where({8, 3}), 2, 0, 4);
         }},
        {"load past shared memory",
         [=] {
             load_at(base(), where({8, 3}), 2, 0, 230 << 10);
         }},
        {"load past the block's own shared memory",
         [=] {
             load_at(base(), where({8, 3}), 2, 0, 120 << 10);
         }},
        {"store from +16",
         [=] {
             store_at(base(), where({8, 3}), 2, 0, 16);
         }},
        {"store from +64",
         [=] {
             store_at(base(), where({8, 3}), 2, 0, 64);
         }},
        {"store at column -4",
         [=] {
             store_at(base(), where({-4, 3}), 2, 0, 0);
         }},
        {"store at row -1",
         [=] {
             store_at(base(), where({8, -1}), 2, 0, 0);
         }},
        {"3d load of a 2d map",
         [=] {
             load_at(base(), where({8, 3, 0}), 3, 0, 0);
         }},
        {"1d load of a 2d map", [=] { load_at(base(), where({8}), 1, 0, 0); }},
        {"3d store of a 2d map",
         [=] {
             store_at(base(), where({8, 3, 0}), 3, 0, 0);
         }},
        {"tile load of an im2col map",
         [=] {
             load_at(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {0, 0}), where({0, 0, 0, 0}), 4, 0, 0);
         }},
        {"im2col load of a tile map",
         [=] {
             load_at(real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), where({0, 0, 0, 0}), 4, 1, 0);
         }},
        {"im2col store, lower corner -1",
         [=] {
             store_at(image(4, {8, 6, 5, 3}, 4, 24, {-1, -1}, {-1, -1}), where({0, 0, 0, 0}), 4, 1, 0);
         }},
        {"im2col store, upper corner 1",
         [=] {
             store_at(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {1, 1}), where({0, 0, 0, 0}), 4, 1, 0);
         }},
        {"im2col store at n -1",
         [=] {
             store_at(image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {0, 0}), where({0, 0, 0, -1}), 4, 1, 0);
         }},
        {"global memory that is not there",
         [=] {
             Args a = real(U32, 2, {40, 1u << 20}, {1u << 20}, {16, 4});
             load_at(a, where({8, 1 << 19}), 2, 0, 0);
         }},
        {"address 0",
         [=] {
             Args a = base();
             a.address = 0;
             load_at(a, where({8, 3}), 2, 0, 0);
         }},
        {"address 0, box outside",
         [=] {
             Args a = base();
             a.address = 0;
             load_at(a, where({100, 100}), 2, 0, 0);
         }},
        {"map of zeros", [=] { load_from(0, true, -1); }},
        {"map at +16", [=] { load_from(16, false, -1); }},
        {"map at +32", [=] { load_from(32, false, -1); }},
        {"map in shared memory", [=] { load_from(0, false, 0); }},
        {"map in local memory", [=] { load_from(0, false, 1); }},
    };
    for (auto &d : doubtful) {
        int op = d[0], type = d[1];
        f.push_back({"reduction", [=] { reduce(type, op); }});
    }
    return f;
}

static void reduces() {
    for (auto &l : legal) reduce(l[1], l[0]);
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {{"encoder", encoder},   {"places", places}, {"tiles", tiles},
                {"swizzles", swizzles}, {"fills", fills},   {"interleaves", interleaves},
                {"im2col", im2col},     {"stores", stores}, {"clusters", clusters},
                {"reduces", reduces}};

// Runs this program again for one section or fault; the probe to go on with, or -1.
static int run_child(const char *self, const std::string &words) {
    std::string command = std::string(self) + " " + words + " 2>/dev/null";
    static char line[1 << 20];
    int next = -1;
    bool any = false;
    fflush(stdout);
    FILE *p = popen(command.c_str(), "r");
    while (p && fgets(line, sizeof line, p)) {
        any = true;
        if (sscanf(line, "RESTART %d", &next) != 1) fputs(line, stdout);
    }
    if (p) pclose(p);
    if (!any) printf("(nothing)\n");
    fflush(stdout);
    return next;
}

int main(int argc, char **argv) {
    char self[4096] = {0};
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
    if (argc == 1) {
        for (auto &section : sections)
            for (int next = 0; next >= 0;)
                next = run_child(self, std::string(section.name) + " " + std::to_string(next));
        auto list = fault_list();
        for (size_t i = 0; i < list.size(); i++) {
            printf("fault %s: ", list[i].name);
            run_child(self, "fault " + std::to_string(i));
        }
        return 0;
    }
    TRY(cudaFree(0));
    open_all();
    if (argc > 2 && !strcmp(argv[1], "fault")) {
        fill_source(4);
        fault_list()[atoi(argv[2])].run();
        return 0;
    }
    if (argc > 2) skip = atoi(argv[2]);
    for (auto &section : sections)
        if (!strcmp(argv[1], section.name)) section.run();
    return 0;
}

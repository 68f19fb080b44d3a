// Tensor maps, second probe: what the first one left open, one line per fact. Build and run:
//   nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -o probe2 probe2.cu -lcuda && ./probe2 > probe2.h200.txt
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

__global__ void prefetch2(const __grid_constant__ CUtensorMap map, int x, int y) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(x), "r"(y)
                 : "memory");
}
__global__ void prefetch3(const __grid_constant__ CUtensorMap map, int x, int y, int z) {
    asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global.tile [%0, {%1, %2, %3}];" ::"l"(&map), "r"(x),
                 "r"(y), "r"(z)
                 : "memory");
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

static void open_all() {
    TRY(cudaMalloc(&source, SOURCE_BYTES));
    TRY(cudaMalloc(&out, 8 * DUMP));
    TRY(cudaMalloc(&done, 64));
    for (auto k : {(const void *)load_param, (const void *)load_pointer, (const void *)store_param,
                   (const void *)multicast, (const void *)remote_load})
        TRY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, DUMP + 1024));
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

// ---- the encoder ---------------------------------------------------------------------------------------

static void encoder() {
    struct Case {
        const char *name;
        std::function<void(Args &)> change;
    };
    auto box = [](Args &a, int type, std::initializer_list<unsigned> sides) {
        a.type = type;
        a.rank = 0;
        for (auto s : sides)
            a.box[a.rank] = s, a.dim[a.rank] = 256, a.stride[a.rank] = 4096ull << 8 * a.rank, a.rank++;
    };
    auto picture = [](Args &a, unsigned interleave) {
        uint64_t dims[] = {64, 20, 18, 8, 1}, step = 128;
        a.im2col = true;
        a.rank = 4;
        for (unsigned i = 0; i < 4; i++) {
            a.dim[i] = dims[i];
            if (i) a.stride[i - 1] = step, step *= a.dim[i];
        }
        a.channels = 32;
        a.pixels = 48;
        a.interleave = interleave;
        a.swizzle = interleave == 2 ? 1 : 0;
    };
    auto sliced = [](Args &a, unsigned interleave, unsigned swizzle) {
        a.rank = 3;
        a.dim[0] = 64, a.dim[1] = 10, a.dim[2] = 12;
        a.stride[0] = 4096, a.stride[1] = 1024;
        a.box[0] = 16, a.box[1] = 4, a.box[2] = 3;
        a.interleave = interleave;
        a.swizzle = swizzle;
    };
    std::vector<Case> cases = {
        {"box_227KiB",
         [&](Args &a) {
             box(a, U8, {256, 227, 4});
         }},
        {"box_228KiB",
         [&](Args &a) {
             box(a, U8, {256, 228, 4});
         }},
        {"box_229KiB",
         [&](Args &a) {
             box(a, U8, {256, 229, 4});
         }},
        {"box_255KiB",
         [&](Args &a) {
             box(a, U8, {256, 255, 4});
         }},
        {"box_256KiB-16",
         [&](Args &a) {
             box(a, U8, {240, 156, 7});
         }},
        {"box_256KiB",
         [&](Args &a) {
             box(a, F32, {256, 256});
         }},
        {"box_512KiB_4d",
         [&](Args &a) {
             box(a, U8, {256, 256, 4, 1});
             a.box[3] = 2;
         }},
        {"box_512KiB",
         [&](Args &a) {
             box(a, F64, {256, 256});
         }},
        {"box_1MiB",
         [&](Args &a) {
             box(a, F64, {256, 256, 2});
         }},
        {"box_16MiB",
         [&](Args &a) {
             box(a, U8, {256, 256, 256});
         }},
        {"box_2GiB",
         [&](Args &a) {
             box(a, U8, {256, 256, 256, 128});
         }},
        {"box_4GiB",
         [&](Args &a) {
             box(a, U8, {256, 256, 256, 256});
         }},
        {"box_8GiB",
         [&](Args &a) {
             box(a, U16, {256, 256, 256, 256});
         }},
        {"box_512KiB_es1_4",
         [&](Args &a) {
             box(a, F64, {256, 256});
             a.es[1] = 4;
         }},
        {"box_512KiB_es0_4",
         [&](Args &a) {
             box(a, F64, {256, 256});
             a.es[0] = 4;
         }},
        {"box_512KiB_es_0_slices",
         [&](Args &a) {
             box(a, F64, {256, 256, 2});
             a.es[2] = 3;
         }},
        {"im2col_256KiB",
         [&](Args &a) {
             picture(a, 0);
             a.channels = 128;
             a.pixels = 1024;
         }},
        {"im2col_512KiB",
         [&](Args &a) {
             picture(a, 0);
             a.channels = 256;
             a.pixels = 1024;
         }},
        {"im2col_228KiB",
         [&](Args &a) {
             picture(a, 0);
             a.channels = 256;
             a.pixels = 456;
         }},
        {"im2col_227KiB",
         [&](Args &a) {
             picture(a, 0);
             a.channels = 256;
             a.pixels = 454;
         }},
        {"address_2^40", [](Args &a) { a.address = 1ull << 40; }},
        {"address_2^47", [](Args &a) { a.address = 1ull << 47; }},
        {"address_2^48", [](Args &a) { a.address = 1ull << 48; }},
        {"address_2^49-16", [](Args &a) { a.address = (1ull << 49) - 16; }},
        {"address_2^49", [](Args &a) { a.address = 1ull << 49; }},
        {"address_2^52", [](Args &a) { a.address = 1ull << 52; }},
        {"address_2^56", [](Args &a) { a.address = 1ull << 56; }},
        {"address_2^57-16", [](Args &a) { a.address = (1ull << 57) - 16; }},
        {"address_2^63", [](Args &a) { a.address = 1ull << 63; }},
        {"interleave_32_swizzle_3", [&](Args &a) { sliced(a, 2, 3); }},
        {"interleave_16_swizzle_2", [&](Args &a) { sliced(a, 1, 2); }},
        {"interleave_16_u32_box0_4",
         [&](Args &a) {
             sliced(a, 1, 3);
             a.type = U32;
             a.box[0] = 4;
         }},
        {"interleave_16_swizzle_1_box0_32",
         [&](Args &a) {
             sliced(a, 1, 1);
             a.box[0] = 32;
         }},
        {"interleave_32_swizzle_0_address_16",
         [&](Args &a) {
             sliced(a, 2, 0);
             a.address += 16;
         }},
        {"interleave_32_stride1_16",
         [&](Args &a) {
             sliced(a, 2, 1);
             a.stride[1] += 16;
         }},
        {"im2col_interleave_16_channels_4",
         [&](Args &a) {
             picture(a, 1);
             a.channels = 4;
         }},
        {"im2col_interleave_16_channels_8",
         [&](Args &a) {
             picture(a, 1);
             a.channels = 8;
         }},
        {"im2col_interleave_32_channels_8",
         [&](Args &a) {
             picture(a, 2);
             a.channels = 8;
         }},
        {"im2col_interleave_32_channels_64",
         [&](Args &a) {
             picture(a, 2);
             a.channels = 64;
         }},
        {"im2col_interleave_32_swizzle_0",
         [&](Args &a) {
             picture(a, 2);
             a.swizzle = 0;
         }},
        {"im2col_es0_2",
         [&](Args &a) {
             picture(a, 0);
             a.es[0] = 2;
         }},
        {"im2col_es0_0",
         [&](Args &a) {
             picture(a, 0);
             a.es[0] = 0;
         }},
        {"im2col_es0_9",
         [&](Args &a) {
             picture(a, 0);
             a.es[0] = 9;
         }},
        {"im2col_es3_9",
         [&](Args &a) {
             picture(a, 0);
             a.es[3] = 9;
         }},
        {"es_past_rank_0", [](Args &a) { a.es[2] = 0; }},
        {"map_shift_1", [](Args &a) { a.shift = 1; }},
        {"map_shift_4", [](Args &a) { a.shift = 4; }},
    };
    alignas(128) unsigned char room[256];
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
    for (uint64_t address : {1ull << 48, 1ull << 49, 1ull << 56, 1ull << 57, 0xfffffffffffffff0ull})
        printf("replace_address %llx: %d\n", (unsigned long long)address,
               (int)cuTensorMapReplaceAddress(m, (void *)address));
    auto tiled = [&](CUtensorMap *map, const cuuint64_t *d, const cuuint64_t *s, const cuuint32_t *b,
                     const cuuint32_t *e, unsigned rank) {
        return (int)cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rank, (void *)a.address, d,
                                           s, b, e, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    const cuuint64_t *d = (const cuuint64_t *)a.dim, *s = (const cuuint64_t *)a.stride;
    printf("no map: %d\n", tiled(NULL, d, s, a.box, a.es, 2));
    printf("no sizes: %d\n", tiled(m, NULL, s, a.box, a.es, 2));
    printf("no strides: %d\n", tiled(m, d, NULL, a.box, a.es, 2));
    printf("no strides, rank 1: %d\n", tiled(m, d, NULL, a.box, a.es, 1));
    printf("no box: %d\n", tiled(m, d, s, NULL, a.es, 2));
    printf("no element strides: %d\n", tiled(m, d, s, a.box, NULL, 2));
    printf("replace_address of no map: %d\n",
           (int)cuTensorMapReplaceAddress(NULL, (void *)0x7f0000001000ull));
}

// ---- loads, all from a multiple of 16 bytes ------------------------------------------------------------

static void list(const char *name, const Args &a, const Where &at, unsigned unit, unsigned expect,
                 unsigned offset = 0, unsigned dump = 0) {
    if (!dump) dump = offset + expect + 512;
    if (!load(name, a, at, offset, expect, dump)) return;
    printf(" hash %016llx:", (unsigned long long)hash(dumped.data(), dump));
    print_elements(dumped.data(), dump, unit);
}

static void tiles() {
    fill_source(4);
    Args a2 = real(U32, 2, {40, 12}, {192}, {16, 4});
    load_list("2d left", a2, where({-4, 2}), 4);
    load_list("2d left by 12", a2, where({-12, 2}), 4);
    load_list("2d left by 16", a2, where({-16, 2}), 4);
    load_list("2d right", a2, where({28, 2}), 4);
    load_list("2d corner", a2, where({36, 9}), 4);
    load_list("2d corner before", a2, where({-8, -2}), 4);
    load_list("1d", real(U32, 1, {50}, {}, {64}), where({-8}), 4);
    load_list("1d right", real(U32, 1, {50}, {}, {64}), where({4}), 4);
    load_list("3d", real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2}), where({4, 3, 3}), 4);
    load_list("4d", real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), where({4, 1, 3, 1}), 4);
    Args a5 = real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2});
    load_list("5d", a5, where({4, 1, 2, 1, 0}), 4);
    load_list("5d out", a5, where({4, 4, 3, 2, 1}), 4);
    // A tensor that ends inside 16 bytes
    load_list("2d width 37", real(U32, 2, {37, 12}, {192}, {16, 4}), where({28, 2}), 4);
    Args nan = real(F32, 2, {37, 12}, {192}, {16, 4});
    nan.fill = 1;
    load_list("2d width 37, NaN", nan, where({28, 10}), 4);
    fill_source(2);
    load_list("u16 width 43", real(U16, 2, {43, 12}, {96}, {16, 4}), where({32, 2}), 2);
    fill_source(1);
    load_list("u8 width 51", real(U8, 2, {51, 12}, {64}, {32, 4}), where({32, 2}), 1);
    for (int type : {U8, U16, F16, BF16, TF32, F32_FTZ})
        for (int fill = 0; fill < 2; fill++) {
            unsigned size = sizes[type];
            Args a = real(type, 1, {64}, {}, {64 / size});
            a.fill = fill;
            char name[64];
            snprintf(name, sizeof name, "fill %d of type %d", fill, type);
            if (load(name, a, where({128}), 0, 64, 64)) print_hex(dumped.data(), 32, size);
        }
    fill_source(4);
    Args s = real(U32, 2, {40, 12}, {192}, {16, 4});
    s.es[0] = 3;
    load_list("stride 3 in dimension 0", s, where({28, 2}), 4);
}

// Coordinates that are no multiple of 16 bytes
static void unaligned() {
    fill_source(4);
    struct {
        const char *name;
        int type, swizzle, c;
    } cases[] = {{"u64 at 1", U64, 0, 1},
                 {"f16 at 4", F16, 0, 4},
                 {"u8 at 8", U8, 0, 8},
                 {"u32 at 2", U32, 0, 2},
                 {"u32 at 1, 32B swizzle", U32, 1, 1},
                 {"u32 at 1, 64B swizzle", U32, 2, 1},
                 {"u32 at 1, 128B swizzle", U32, 3, 1},
                 {"f16 at 4, 128B swizzle", F16, 3, 4},
                 {"u32 at -1, 128B swizzle", U32, 3, -1}};
    for (auto &c : cases) {
        Args a = real(c.type, 2, {64, 16}, {512}, {32 / sizes[c.type], 8});
        a.swizzle = c.swizzle;
        load_list(("unaligned " + std::string(c.name)).c_str(), a, where({c.c, 1}), 4);
    }
    for (auto &c : cases) {
        Args a = real(c.type, 2, {64, 16}, {512}, {32 / sizes[c.type], 8});
        a.swizzle = c.swizzle;
        if (c.c > 0) store(("unaligned " + std::string(c.name)).c_str(), a, -1, where({c.c, 1}), 4, 8192);
    }
    store("unaligned reduction", real(U32, 2, {64, 16}, {512}, {16, 4}), 0, where({1, 1}), 4, 8192);
    store("unaligned, outside", real(U32, 2, {64, 16}, {512}, {16, 4}), -1, where({101, 1}), 4, 8192);
    fill_source(4);
    Args a = real(U32, 2, {64, 16}, {512}, {16, 4});
    load_list(
        "unaligned, stride 2 in dimension 0",
        [&] {
            Args b = a;
            b.es[0] = 2;
            return b;
        }(),
        where({2, 1}), 4);
}

static void prefetching() {
    alignas(128) CUtensorMap map;
    auto line = [](const char *name) {
        cudaError_t e = cudaDeviceSynchronize();
        printf("prefetch %s: %s\n", name, cudaGetErrorName(e));
        if (e != cudaSuccess) broken();
    };
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    encode(a, &map);
    if (!skipped()) prefetch2<<<1, 1>>>(map, 4, 0), line("aligned");
    if (!skipped()) prefetch2<<<1, 1>>>(map, 1, 0), line("unaligned");
    if (!skipped()) prefetch2<<<1, 1>>>(map, -4, -1), line("before");
    if (!skipped()) prefetch3<<<1, 1>>>(map, 4, 0, 0), line("of another rank");
    a.address = 0;
    encode(a, &map);
    if (!skipped()) prefetch2<<<1, 1>>>(map, 0, 0), line("of address 0");
    memset(&map, 0, sizeof map);
    if (!skipped()) prefetch2<<<1, 1>>>(map, 0, 0), line("of a map of zeros");
}

// A tensor whose memory is not there, but whose box lies outside it
static void bases() {
    fill_source(4);
    struct {
        const char *name;
        uint64_t address;
    } cases[] = {{"16", 16},
                 {"1 MiB", 1 << 20},
                 {"4 GiB", 1ull << 32},
                 {"2^46", 1ull << 46},
                 {"1 GiB before the buffer", (uint64_t)source - (1 << 30)},
                 {"64 GiB past the buffer", (uint64_t)source + (64ull << 30)},
                 {"in the buffer", (uint64_t)source + 4096},
                 {"at its last 16 bytes", (uint64_t)source + SOURCE_BYTES - 16}};
    for (auto &c : cases) {
        Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
        a.address = c.address;
        load_list(("outside, base at " + std::string(c.name)).c_str(), a, where({100, 100}), 4);
        load_list(("one row outside, base at " + std::string(c.name)).c_str(), a, where({0, 12}), 4);
        store(("outside, base at " + std::string(c.name)).c_str(), a, -1, where({100, 100}), 4, 4096);
    }
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    a.address = 0;
    store("outside, base at 0", a, -1, where({100, 100}), 4, 4096);
    fill_source(4);
    a = real(U32, 2, {40, 1u << 20}, {1u << 20}, {16, 4});
    load_list("rows below the buffer, box before the tensor", a, where({0, -4}), 4);
    load_list("half of the box in memory that is not there", a, where({0, 14}), 4);
}

// ---- interleave ----------------------------------------------------------------------------------------

static void interleaves() {
    fill_source(2);
    for (int layout : {1, 2})
        for (unsigned slices : {1u, 7u, 8u, 9u, 16u, 17u, 24u, 32u, 64u}) {
            Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {8, slices, 2});
            unsigned per = 8u * layout, n = (slices + per - 1) / per;
            a.interleave = layout;
            a.swizzle = layout == 2 ? 1 : 0;
            char name[80];
            snprintf(name, sizeof name, "interleave %d box1 %u", 16 * layout, slices);
            list(name, a, where({0, 1, 2}), 2, 8 * 16 * layout * n * 2, 0, 8192);
        }
    for (int type : {U8, U32, U64}) {
        fill_source(sizes[type]);
        unsigned size = sizes[type];
        for (unsigned channels : {4u, 16u, 32u}) {
            Args a = real(type, 3, {40, 6, 5}, {6400, 1280}, {16, channels, 2});
            a.interleave = 1;
            unsigned per = 16 / size, n = (channels + per - 1) / per;
            char name[80];
            snprintf(name, sizeof name, "interleave 16 type %d box1 %u", type, channels);
            list(name, a, where({0, 1, 2}), size, 16 * 16 * n * 2, 0, 8192);
        }
    }
    fill_source(2);
    for (int c1 : {-1, -2, 4, 5, 6, 8}) {
        Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {8, 16, 2});
        a.interleave = 1;
        list(("interleave 16 box1 16 from slice " + std::to_string(c1)).c_str(), a, where({0, c1, 2}), 2,
             8 * 16 * 2 * 2);
    }
    for (unsigned es : {2u, 3u, 8u}) {
        Args a = real(U16, 3, {40, 6, 5}, {6400, 1280}, {8, 32, 2});
        a.interleave = 1;
        a.es[1] = es;
        list(("interleave 16 box1 32 stride " + std::to_string(es)).c_str(), a, where({0, 1, 2}), 2,
             8 * 16 * ((4 + es - 1) / es) * 2, 0, 4096);
    }
    Args d4 = real(U16, 4, {40, 6, 5, 4}, {320, 2560, 20480}, {8, 3, 16, 2});
    d4.interleave = 1;
    list("interleave 16 4d box2 16", d4, where({0, 1, 2, 1}), 2, 8 * 16 * 3 * 2 * 2);
    d4.es[1] = 2, d4.es[3] = 2;
    list("interleave 16 4d box2 16 strides 1 2 1 2", d4, where({0, 1, 2, 1}), 2, 8 * 16 * 2 * 2 * 1, 0, 4096);
    fill_source(4);
    for (int layout : {1, 2})
        for (int swizzle : {0, 1, 2, 3})
            for (unsigned box0 : {4u, 8u, 16u}) {
                Args a = real(U32, 3, {40, 6, 5}, {6400, 1280}, {box0, 4, 3});
                a.interleave = layout;
                a.swizzle = swizzle;
                char name[80];
                snprintf(name, sizeof name, "interleave %d words swizzle %d box0 %u", 16 * layout, swizzle,
                         box0);
                list(name, a, where({4, 1, 1}), 4, box0 * 16 * layout * 3, 0, 4096);
            }
    for (int layout : {1, 2}) {
        Args a = real(U32, 3, {40, 6, 5}, {6400, 1280}, {8, 8u * layout, 3});
        a.interleave = layout;
        a.swizzle = layout == 2 ? 1 : 0;
        store(layout == 1 ? "interleave 16 two slices" : "interleave 32 two slices", a, -1, where({36, 4, 3}),
              4, 65536);
        store(layout == 1 ? "interleave 16 two slices inside" : "interleave 32 two slices inside", a, -1,
              where({4, 2, 1}), 4, 65536);
    }
    fill_source(4);
    for (int layout : {1, 2})
        for (unsigned channels : {4u, 8u, 16u}) {
            Args a = image(4, {10, 6, 5, 3}, channels, 12, {-1, 0}, {0, 0});
            a.stride[0] = 320, a.stride[1] = 1920, a.stride[2] = 9600;
            a.interleave = layout;
            a.swizzle = layout == 2 ? 1 : 0;
            unsigned per = 4 * layout, n = (channels + per - 1) / per;
            char name[80];
            snprintf(name, sizeof name, "im2col interleave %d channels %u", 16 * layout, channels);
            list(name, a, where({-1, 1, 2, 0}, {0, 1}), 4, 12 * 16 * layout * n, 0, 4096);
            snprintf(name, sizeof name, "im2col interleave %d channels %u without offsets", 16 * layout,
                     channels);
            list(name, a, where({0, 0, 0, 0}, {0, 0}), 4, 12 * 16 * layout * n, 0, 4096);
        }
}

// ---- rows narrower than the swizzle --------------------------------------------------------------------

static void narrow() {
    fill_source(4);
    for (int w = 1; w < 4; w++)
        for (unsigned inner = 16; inner < 16u << w; inner += 16) {
            Args a = real(U32, 2, {64, 20}, {256}, {inner / 4, 6});
            a.swizzle = w;
            char name[64];
            snprintf(name, sizeof name, "narrow %u of %u", inner, 16 << w);
            store(name, a, -1, where({4, 2}), 4, 8192);
        }
    Args a = real(U32, 2, {64, 20}, {256}, {4, 6});
    a.swizzle = 2;
    store("narrow reduction", a, 7, where({4, 2}), 4, 8192);
    a = image(4, {64, 6, 5, 3}, 8, 12, {0, 0}, {-1, -2});
    a.swizzle = 3;
    store("narrow im2col", a, -1, where({4, 3, 1, 1}), 4, 65536);
    fill_source(4);
    a = image(4, {64, 6, 5, 3}, 8, 12, {-1, -1}, {-1, -1});
    a.swizzle = 3;
    load_list("narrow im2col", a, where({32, -1, -1, 0}, {1, 1}), 4, 0, 2048);
    a = real(U32, 3, {64, 8, 8}, {256, 2048}, {4, 3, 2});
    a.swizzle = 1;
    load_list("narrow 3d", a, where({4, 1, 1}), 4, 128, 1024);
    a = real(U32, 2, {64, 40}, {256}, {4, 10});
    a.swizzle = 3;
    a.es[1] = 3;
    load_list("narrow with strides", a, where({4, 1}), 4, 0, 2048);
    a = real(U32, 1, {64}, {}, {4});
    a.swizzle = 3;
    load_list("narrow 1d", a, where({4}), 4, 128, 1024);
}

// ---- im2col --------------------------------------------------------------------------------------------

static void im2col() {
    fill_source(4);
    Args a = image(4, {8, 6, 5, 3}, 4, 24, {-1, -1}, {-1, -1});
    load_pixels("im2col last w", a, where({0, 4, 0, 0}));
    load_pixels("im2col last h", a, where({0, 0, 3, 0}));
    load_pixels("im2col w -2", a, where({0, -2, 0, 0}));
    load_pixels("im2col h -2", a, where({0, 0, -2, 0}));
    load_pixels("im2col n -2", a, where({0, 0, 0, -2}));
    load_pixels("im2col n far", a, where({0, 0, 0, 2147483647}));
    load_pixels("im2col c -4", a, where({-4, 0, 0, 0}));
    load_pixels("im2col c 8", a, where({8, 0, 0, 0}));
    a.es[0] = 2;
    load_pixels("im2col stride 2 of c", a, where({0, 0, 0, 0}));
    a = image(4, {8, 6, 5, 3}, 8, 24, {0, 0}, {0, 0});
    load_pixels("im2col c 4 of 8", a, where({4, 0, 0, 0}));
    a = image(5, {4, 4, 3, 3, 2}, 4, 32, {0, 0, 0}, {0, -1, 0});
    load_pixels("im2col 5d past h", a, where({0, 0, 2, 0, 0}));
    load_pixels("im2col 5d past d", a, where({0, 0, 0, 3, 0}));
    a.es[4] = 2;
    load_pixels("im2col 5d stride 2 of n", a, where({0, 0, 0, 0, 0}));
    a = image(4, {8, 6, 5, 3}, 4, 24, {0, 0}, {-1, -2});
    store("im2col past w", a, -1, where({0, 5, 0, 0}), 4, 4096);
    store("im2col past h", a, -1, where({0, 0, 3, 0}), 4, 4096);
    store("im2col past n", a, -1, where({0, 0, 0, 3}), 4, 4096);
    store("im2col past c", a, -1, where({8, 0, 0, 0}), 4, 4096);
    store("im2col c 2", a, -1, where({2, 0, 0, 0}), 4, 4096);
    a = image(4, {8, 6, 5, 3}, 4, 24, {1, 0}, {0, 0});
    store("im2col lower corner 1", a, -1, where({0, 1, 0, 0}), 4, 4096);
    store("im2col before the lower corner", a, -1, where({0, 0, 0, 0}), 4, 4096);
}

// ---- clusters ------------------------------------------------------------------------------------------

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
        Where at = where({32, 2});
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

// ---- stores, reductions --------------------------------------------------------------------------------

static void stores() {
    Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
    store("2d right", a, -1, where({28, 2}), 4, 4096);
    store("2d corner", a, -1, where({36, 9}), 4, 4096);
    store("1d", real(U32, 1, {50}, {}, {64}), -1, where({8}), 4, 1024);
    store("3d", real(U32, 3, {8, 5, 4}, {64, 512}, {8, 3, 2}), -1, where({4, 3, 3}), 4, 4096);
    store("4d", real(U32, 4, {8, 5, 4, 3}, {64, 512, 2560}, {4, 2, 2, 2}), -1, where({4, 1, 3, 1}), 4, 16384);
    store("5d", real(U32, 5, {8, 5, 4, 3, 2}, {64, 512, 2560, 16384}, {4, 2, 2, 2, 2}), -1,
          where({4, 1, 2, 1, 0}), 4, 65536);
    store("2d width 37", real(U32, 2, {37, 12}, {192}, {16, 4}), -1, where({28, 2}), 4, 4096);
    store("u8 width 51", real(U8, 2, {51, 12}, {64}, {32, 4}), -1, where({32, 2}), 1, 1024);
    store("f16 width 43", real(F16, 2, {43, 12}, {96}, {16, 4}), -1, where({32, 2}), 2, 2048);
    store("f16 width 43, reduction", real(U32, 2, {43, 12}, {192}, {16, 4}), 7, where({32, 2}), 4, 4096);
}

static void reduce_bits(int type, int op) {
    if (skipped()) return;
    static const uint64_t before64[] = {0x3ff0000000000000ull, 0x7ff0000000000001ull, 0x7ff0000000000000ull,
                                        0x000fffffffffffffull, 0x8000000000000001ull, 0x7fefffffffffffffull,
                                        0xfff8000000000123ull, 0x4000000000000000ull};
    static const uint64_t values64[] = {0x3ca0000000000001ull, 0x3ff0000000000000ull, 0xfff0000000000000ull,
                                        0x0000000000000001ull, 0x0000000000000003ull, 0x7fefffffffffffffull,
                                        0x7ff8000000000456ull, 0x7ff4000000000789ull};
    static const uint32_t before32[] = {0x00000003, 0x80000001, 0x00800000, 0x7f800001,
                                        0x7f7fffff, 0xff800000, 0x3f800000, 0x00400000};
    static const uint32_t values32[] = {0x00000005, 0x00000001, 0x80000001, 0x3f800000,
                                        0x7f7fffff, 0x7f800000, 0x33800000, 0x00400000};
    unsigned size = sizes[type], bytes = size * 8;
    const void *before = size == 8 ? (const void *)before64 : (const void *)before32;
    const void *values = size == 8 ? (const void *)values64 : (const void *)values32;
    TRY(cudaMemcpy(source, before, bytes, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(out, values, bytes, cudaMemcpyHostToDevice));
    Args a = real(type, 1, {8}, {}, {8});
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

static void reduces() {
    static const int cases[][2] = {{0, F64}, {0, F32}, {0, F32_FTZ}, {0, TF32}, {6, S32}, {6, S64}, {5, S32},
                                   {7, U32}, {7, U64}, {3, F32},     {1, TF32}, {1, S64}, {5, F64}, {4, U64}};
    for (auto &c : cases) reduce_bits(c[1], c[0]);
}

// ---- maps that no encoder writes -----------------------------------------------------------------------

static void strange() {
    fill_source(4);
    struct {
        const char *name;
        int word;
        uint32_t keep, set;
    } cases[] = {{"as it is", 2, ~0u, 0},
                 {"word 2 bit 1", 2, ~0u, 1u << 1},
                 {"word 2 bit 2", 2, ~0u, 1u << 2},
                 {"word 2 bit 3", 2, ~0u, 1u << 3},
                 {"word 2 bit 19", 2, ~0u, 1u << 19},
                 {"word 2 bit 20", 2, ~0u, 1u << 20},
                 {"word 2 bit 21", 2, ~0u, 1u << 21},
                 {"word 2 bit 22", 2, ~0u, 1u << 22},
                 {"word 2 bit 24", 2, ~0u, 1u << 24},
                 {"word 2 bit 31", 2, ~0u, 1u << 31},
                 {"rank 6", 2, ~0x70u, 5 << 4},
                 {"rank 8", 2, ~0x70u, 7 << 4},
                 {"type 11", 2, ~0x780u, 11 << 7},
                 {"type 12", 2, ~0x780u, 12 << 7},
                 {"type 15", 2, ~0x780u, 15 << 7},
                 {"type u32, rounds to tf32", 2, ~0u, 1u << 16},
                 {"type f16, rounds to tf32", 2, ~0x780u, 6 << 7 | 1 << 16},
                 {"interleave 1 of rank 2", 2, ~0x1800u, 1 << 11},
                 {"interleave 3", 2, ~0x1800u, 3 << 11},
                 {"NaN for u32", 2, ~0u, 1u << 15},
                 {"32B swizzle, rows of 64 bytes", 2, ~0x6000u, 1 << 13},
                 {"im2col bit", 2, ~0u, 1},
                 {"address + 8", 0, ~0u, 8},
                 {"address + 1", 0, ~0u, 1},
                 {"address bit 57", 1, ~0u, 1u << 25},
                 {"address bit 63", 1, ~0u, 1u << 31},
                 {"word 7 bit 16", 7, ~0u, 1u << 16},
                 {"word 7 bit 4", 7, ~0u, 1u << 4},
                 {"word 7 bit 31", 7, ~0u, 1u << 31},
                 {"stride of dimension 2", 4, 0, 77},
                 {"size of dimension 2", 10, 0, 77},
                 {"size of dimension 4", 12, 0, 77},
                 {"word 13 bit 6", 13, ~0u, 1u << 6},
                 {"word 13 bit 15", 13, ~0u, 1u << 15},
                 {"word 13 bit 23", 13, ~0u, 1u << 23},
                 {"box 15", 13, 0xffffffu, 14u << 24},
                 {"box 17", 13, 0xffffffu, 16u << 24},
                 {"box 1", 13, 0xffffffu, 0},
                 {"box of dimension 2", 14, ~0u, 3 << 8},
                 {"word 15", 15, 0, 5},
                 {"word 15 bit 31", 15, 0, 1u << 31},
                 {"word 16", 16, 0, 7},
                 {"word 17", 17, 0, 7},
                 {"word 18", 18, 0, 7},
                 {"word 19", 19, 0, 7},
                 {"word 20", 20, 0, ~0u},
                 {"word 24", 24, 0, ~0u},
                 {"word 31", 31, 0, ~0u},
                 {"L2 promotion 3", 2, ~0u, 3 << 17}};
    unsigned char *maps;
    TRY(cudaMalloc(&maps, 16384));
    for (auto &c : cases) {
        if (skipped()) continue;
        Args a = real(U32, 2, {40, 12}, {192}, {16, 4});
        alignas(128) CUtensorMap map;
        uint32_t w[32];
        encode(a, &map);
        memcpy(w, &map, 128);
        w[c.word] = (w[c.word] & c.keep) | c.set;
        TRY(cudaMemcpy(maps, w, 128, cudaMemcpyHostToDevice));
        TRY(cudaMemset(out, 0, 8192));
        load_pointer<<<1, 128, DUMP + 1024>>>(maps, 2, where({8, 3}), 0, 256, 1024, out, done);
        cudaError_t e = cudaDeviceSynchronize();
        int finished = -1;
        printf("map with %s: %s", c.name, cudaGetErrorName(e));
        if (e != cudaSuccess) {
            printf("\n");
            broken();
        }
        TRY(cudaMemcpy(dumped.data(), out, 1024, cudaMemcpyDeviceToHost));
        TRY(cudaMemcpy(&finished, done, 4, cudaMemcpyDeviceToHost));
        printf(" done %d hash %016llx:", finished, (unsigned long long)hash(dumped.data(), 1024));
        print_elements(dumped.data(), 1024, 4);
    }
}

static const struct {
    const char *name;
    void (*run)();
} sections[] = {{"encoder", encoder},         {"tiles", tiles},     {"unaligned", unaligned},
                {"prefetching", prefetching}, {"bases", bases},     {"interleaves", interleaves},
                {"narrow", narrow},           {"im2col", im2col},   {"clusters", clusters},
                {"stores", stores},           {"reduces", reduces}, {"strange", strange}};

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
        return 0;
    }
    TRY(cudaFree(0));
    open_all();
    if (argc > 2) skip = atoi(argv[2]);
    for (auto &section : sections)
        if (!strcmp(argv[1], section.name)) section.run();
    return 0;
}

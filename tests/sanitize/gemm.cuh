// A product of 64 x 256 by 256 x 64 halves, as kernels for Hopper have it: boxes by tensor maps with a swizzle of 128 bytes, a ring of
// stages with full and empty mbarriers, a producer warp, a warpgroup with a product always under way, results by a tensor store.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

enum { M = 64, N = 64, K = 256, STEP = 64, STAGES = 2, PRODUCTS = STEP / 16 };

struct stage {
    alignas(1024) unsigned short a[M * STEP], b[N * STEP];
};

static __device__ uint64_t describe(const void *tile, int k) {
    uint64_t address = (uint64_t)__cvta_generic_to_shared(tile) + 32 * k;
    return address >> 4 & 0x3fff | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

static __device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,"
                 "%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
                   "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
                   "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
                   "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
                   "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b)
                 : "memory");
}
static __device__ void keep(float (&d)[32]) {
    for (int i = 0; i < 32; i++) asm volatile("" : "+f"(d[i])::"memory");
}

#ifndef LEFT // products that stay under way when the stage of the one before is given back
#define LEFT 1
#endif
#ifndef PUT_FENCE
#define PUT_FENCE ptx::fence_proxy_async(ptx::space_shared)
#endif

struct ring {
    stage stages[STAGES];
    alignas(128) float result[M * N];
    uint64_t full[STAGES], empty[STAGES];
};

static __device__ void produce(ring &r, const CUtensorMap *a, const CUtensorMap *b) {
    for (int i = 0; i < K / STEP; i++) {
        int s = i % STAGES;
        const int at[] = {STEP * i, 0};
        while (!ptx::mbarrier_try_wait_parity(&r.empty[s], ~(i / STAGES) & 1)) {}
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &r.full[s],
                                       sizeof r.stages[s].a + sizeof r.stages[s].b);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, r.stages[s].a, a, at, &r.full[s]);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, r.stages[s].b, b, at, &r.full[s]);
    }
}

static __device__ void consume(ring &r, float (&d)[32]) {
    for (int i = 0; i < K / STEP; i++) {
        int s = i % STAGES, before = (i + STAGES - 1) % STAGES;
        while (!ptx::mbarrier_try_wait_parity(&r.full[s], i / STAGES & 1)) {}
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < PRODUCTS; k++)
            multiply(d, describe(r.stages[s].a, k), describe(r.stages[s].b, k));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
        if (i > 0 && threadIdx.x == 0) ptx::mbarrier_arrive(&r.empty[before]);
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    keep(d);
}

static __device__ void put(ring &r, const float (&d)[32], const CUtensorMap *c) {
    int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    for (int i = 0; i < 32; i++)
        r.result[(16 * warp + g + i / 2 % 2 * 8) * N + i / 4 * 8 + 2 * t + i % 2] = d[i];
    PUT_FENCE;
    asm volatile("bar.sync 1, 128;" ::: "memory");
    if (threadIdx.x != 0) return;
    const int at[] = {0, 0};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, c, at, r.result);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

static __device__ void product(const CUtensorMap *a, const CUtensorMap *b, const CUtensorMap *c) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ring &r = *(ring *)memory;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&r.full[s], 1);
            ptx::mbarrier_init(&r.empty[s], 1);
        }
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128) produce(r, a, b);
        return;
    }
    float d[32] = {};
    consume(r, d);
    put(r, d, c);
}

// What the programs with warpgroups share: tiles of halves for wgmma.m64n8k16, mbarriers and bulk copies, each an instruction.
//
// A tile of A is 64 rows of 16 halves, of B 8 columns of 16: core matrices of 8 rows of 16 bytes, 128 bytes from one to the next along k,
// 256 along the rows. They lie so in global memory too, tile after tile along k, and hold ones, so each element of a product is its k.
#pragma once
#include "cases.cuh"
#include <cstdint>

enum { A_BYTES = 2048, B_BYTES = 256, TILE_BYTES = A_BYTES + B_BYTES, STAGES = 2, STEPS = 6 };

struct __align__(128) tiles {
    unsigned char a[A_BYTES], b[B_BYTES];
};

#define DEVICE static __device__ __forceinline__
DEVICE uint32_t address(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }
DEVICE uint64_t describe(const void *tile) {
    return (uint64_t)(address(tile) >> 4) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

// ---- wgmma -----------------------------------------------------------------------------------------------

DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int n> DEVICE void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory");
}
DEVICE void multiply(float d[4], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(a), "l"(b)
                 : "memory");
}
DEVICE void multiply_by(float d[4], const uint32_t a[4], uint64_t b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
        : "memory");
}
// Nothing is executed; the compiler takes the registers for changed, and moves no access across it.
DEVICE void keep(float d[4]) { asm volatile("" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory"); }
DEVICE void keep(uint32_t a[4]) {
    asm volatile("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3])::"memory");
}

// ---- copies ----------------------------------------------------------------------------------------------

DEVICE void copy16(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory");
}
DEVICE void copies_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> DEVICE void copies_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory"); }
DEVICE void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

DEVICE void bulk_in(void *to, const void *from, int bytes, uint64_t *bar) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            address(to)),
        "l"(from), "r"(bytes), "r"(address(bar))
        : "memory");
}
DEVICE void bulk_out(void *to, const void *from, int bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)),
                 "r"(bytes)
                 : "memory");
}
DEVICE void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
DEVICE void bulk_wait() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
DEVICE void bulk_wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }

// ---- barriers --------------------------------------------------------------------------------------------

DEVICE void bar_init(uint64_t *bar, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(count) : "memory");
}
DEVICE void bar_init_fence() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
DEVICE void bar_expect(uint64_t *bar, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes)
                 : "memory");
}
DEVICE void bar_arrive(uint64_t *bar) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
DEVICE void bar_wait(uint64_t *bar, int parity) {
    int over = 0;
    while (!over)
        asm volatile(
            "{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.s32 %0, 1, 0, p;}"
            : "=r"(over)
            : "r"(address(bar)), "r"(parity)
            : "memory");
}
template <int id, int threads> DEVICE void named_sync() {
    asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(threads) : "memory");
}
template <int id, int threads> DEVICE void named_arrive() {
    asm volatile("bar.arrive %0, %1;" ::"n"(id), "n"(threads) : "memory");
}

// ---- the host --------------------------------------------------------------------------------------------

// `count` tiles of A and B, one after the other, of ones.
static inline tiles *tiles_of_ones(size_t count) {
    size_t halves = count * TILE_BYTES / 2;
    uint16_t *host = (uint16_t *)std::malloc(halves * 2);
    for (size_t i = 0; i < halves; i++) host[i] = 0x3c00;
    void *memory = nullptr;
    cudaMalloc(&memory, halves * 2);
    cudaMemcpy(memory, host, halves * 2, cudaMemcpyHostToDevice);
    std::free(host);
    return (tiles *)memory;
}
static inline float float_at(const float *memory, size_t i) {
    int bits = at((const int *)memory, i);
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
static inline float *float_zeros(size_t n) { return (float *)zeros(n); }

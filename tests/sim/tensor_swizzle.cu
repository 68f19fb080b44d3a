// kz: sm 90
// launch: grid 1 block 128 shared 8192
// arg: map32 tensor = x u32 dims 64,32 strides 256 box 8,20 swizzle 32
// arg: map64 tensor = x u32 dims 64,32 strides 256 box 16,20 swizzle 64
// arg: map128 tensor = x u32 dims 64,32 strides 256 box 32,20 swizzle 128
// arg: back tensor = y u32 dims 64,32 strides 256 box 32,20 swizzle 128
// arg: x u32[2048] = 0
// arg: y u32[2048] = 0
// arg: wrong u32[4] = 9
// expect: wrong = 0 0 0 0

// Each swizzle moves pieces of 16 bytes by the address in shared memory: bits 4 to 6 by bits 7 to 9. A box that begins
// at 128, not at 1024, shows that the address counts. A store undoes it.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ void load(unsigned char *to, const CUtensorMap *map, uint64_t *bar, unsigned bytes,
                     unsigned parity) {
    if (threadIdx.x == 0) {
        const int at[] = {4, 3};
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, at, bar);
    }
    while (!ptx::mbarrier_try_wait_parity(bar, parity)) {}
}

__device__ unsigned count_wrong(const unsigned char *box, unsigned width, unsigned span) {
    unsigned wrong = 0, base = (unsigned)__cvta_generic_to_shared(box);
    for (unsigned i = threadIdx.x; i < 20 * width; i += blockDim.x) {
        unsigned at = base + 4 * i, place = at ^ ((at >> 7 & (span / 16 - 1)) << 4);
        wrong += *(const unsigned *)(box + (place - base)) != (3 + i / width) * 64 + 4 + i % width + 1;
    }
    return wrong;
}

extern "C" __global__ void tensor_swizzle(const __grid_constant__ CUtensorMap map32,
                                          const __grid_constant__ CUtensorMap map64,
                                          const __grid_constant__ CUtensorMap map128,
                                          const __grid_constant__ CUtensorMap back, unsigned *x, unsigned *y,
                                          unsigned *wrong) {
    extern __shared__ unsigned char memory[];
    __shared__ uint64_t bar;
    unsigned at = (unsigned)__cvta_generic_to_shared(memory);
    unsigned char *box = memory + (1024 - at % 1024) % 1024 + 128;
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) x[i] = i + 1;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    if (threadIdx.x < 4) wrong[threadIdx.x] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    load(box, &map32, &bar, 20 * 32, 0);
    atomicAdd(&wrong[0], count_wrong(box, 8, 32));
    __syncthreads();
    load(box, &map64, &bar, 20 * 64, 1);
    atomicAdd(&wrong[1], count_wrong(box, 16, 64));
    __syncthreads();
    load(box, &map128, &bar, 20 * 128, 0);
    atomicAdd(&wrong[2], count_wrong(box, 32, 128));
    if (threadIdx.x == 0) {
        const int to[] = {4, 3};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &back, to, box);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 2048; i += blockDim.x) {
        bool inside = i / 64 >= 3 && i / 64 < 23 && i % 64 >= 4 && i % 64 < 36;
        if (y[i] != (inside ? i + 1 : 0)) atomicAdd(&wrong[3], 1);
    }
}

// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 6,3,4 strides 96,288 box 4,3,2 interleave 16
// arg: back tensor = y u32 dims 6,3,4 strides 96,288 box 4,3,2 interleave 16
// arg: x u32[288] = 0
// arg: tile u32[32] = 0
// arg: y u32[288] = 0
// expect: tile = 185 186 187 188 189 190 191 192 0 0 0 0 0 0 0 0 257 258 259 260 261 262 263 264 0 0 0 0 0 0 0 0
// expect: y = 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 185 186 187 188 189 190 191 192 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 257 258 259 260 261 262 263 264 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0

// Interleaved: dimension 0 counts pixels of 16 bytes, the last but one slices of channels. The box takes 3 channels, so
// one slice.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_interleave(const __grid_constant__ CUtensorMap map,
                                             const __grid_constant__ CUtensorMap back, unsigned *x,
                                             unsigned *tile, unsigned *y) {
    __shared__ alignas(128) unsigned box[32];
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < 288; i += 32) x[i] = i + 1;
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    const int at[] = {4, 1, 2};
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 128);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, at, &bar);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    tile[threadIdx.x] = box[threadIdx.x];
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &back, at, box);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

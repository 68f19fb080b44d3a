// A tensor store out of shared memory, without a fence between the ways to memory.
// kz: sm 90
// launch: grid 1 block 64
// arg: map tensor = y s32 dims 8,8 strides 32 box 8,8
// arg: y s32[64] = 0
// expect finding: async-no-wait no proxy fence between
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_no_proxy_fence(const __grid_constant__ CUtensorMap map, int *y) {
    __shared__ alignas(128) int tile[64];
    tile[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

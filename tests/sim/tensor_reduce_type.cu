// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x f32 dims 12,8 strides 48 box 8,4
// arg: x u32[96] = 1
// expect fault: a reduction by .min of a tensor of f32

// Not every type has every operation.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_reduce_type(const __grid_constant__ CUtensorMap map, unsigned *x) {
    __shared__ alignas(128) unsigned tile[64];
    tile[threadIdx.x] = tile[threadIdx.x + 32] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_min, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

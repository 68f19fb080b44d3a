// A whole warp stores one box, as CUTLASS's epilogues do: one store, not 32 that race. Each warp of its own tile.
// kz: sm 90
// launch: grid 1 block 64
// arg: map tensor = y s32 dims 8,16 strides 32 box 8,8
// arg: y s32[128] = 0
// expect: y = 0 1 2 3 4 5 6 7 8 9
// seeds: 2
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void clean_tensor_by_warp(const __grid_constant__ CUtensorMap map, int *y) {
    __shared__ alignas(128) int tile[2][64];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int at[] = {0, 8 * warp};
    for (int i = lane; i < 64; i += 32) tile[warp][i] = 64 * warp + i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile[warp]);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

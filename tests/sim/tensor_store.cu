// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = y s32 dims 6,4 strides 32 box 4,2
// arg: steps tensor = z s32 dims 8,6 strides 32 box 4,4 steps 1,2
// arg: sum tensor = s s32 dims 6,4 strides 32 box 4,2
// arg: y s32[32] = -1
// arg: z s32[48] = -1
// arg: s s32[32] = 100
// expect: y = -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 0 1 2 3
// expect: z = -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 0 1 2 3 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 4 5 6 7
// expect: s = 100 100 100 100 100 100 100 100 100 100 100 100 100 102 104 106 100 100 100 100 108 110 112 114 100 100 100 100 100 100 100 100

// Stores and reductions leave out what lies outside, but write whole pieces of 16 bytes: rows of 6 words are 8 to them. Traversal
// strides skip rows.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_store(const __grid_constant__ CUtensorMap map,
                                        const __grid_constant__ CUtensorMap steps,
                                        const __grid_constant__ CUtensorMap sum, int *y, int *z, int *s) {
    __shared__ alignas(128) int tile[8];
    if (threadIdx.x < 8) tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        const int c[] = {4, 3}, d[] = {4, 3}, e[] = {4, 1};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, c, tile);
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &steps, d, tile);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sum, e, tile);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sum, e, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        tile[0] = 77; // the copies have read it
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = y u32 dims 6,2 strides 32 box 8,2
// arg: y u32[14] = 0
// expect fault: the last 8 of the 32 bytes are past the end of a buffer
// expect fault: likely cause: a row of the tensor ends inside 16 bytes, which stores and reductions write to their end
// expect fault: what to do: make the buffer larger

// The buffer ends with the last row's 6 words, but a store writes 8.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_store_piece(const __grid_constant__ CUtensorMap map, unsigned *y) {
    __shared__ alignas(128) unsigned tile[16];
    if (threadIdx.x < 16) tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

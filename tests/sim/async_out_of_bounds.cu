// kz: sm 80
// launch: grid 1 block 32
// arg: in s32[124] = 7
// expect fault: of 16 bytes at
// expect fault: in global memory is out of bounds
// expect fault: thread (31,0,0)
#include <cuda_pipeline.h>
extern "C" __global__ void async_out_of_bounds(int *in) {
    __shared__ alignas(16) int tile[128];
    __pipeline_memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    in[threadIdx.x] = tile[threadIdx.x];
}

// A buffer is filled again while others still read it.
// kz: sm 80
// launch: grid 1 block 64
// arg: in s32[256] = 1 2 3
// arg: out s32[256] = 0
// expect finding: race a missing __syncthreads()
// seeds: 2
#include <cuda_pipeline.h>
extern "C" __global__ void async_reused(const int *in, int *out) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], 4);
    __pipeline_commit();
    for (int round = 0; round < 4; round++) {
        if (round < 3) __pipeline_memcpy_async(&buffer[(round + 1) % 2][t], &in[(round + 1) * 64 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        out[round * 64 + t] = buffer[round % 2][63 - t];
    }
}

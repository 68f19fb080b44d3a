// Copies that nobody waits for.
// kz: sm 80
// launch: grid 1 block 64
// arg: in s32[256] = 1 2 3
// arg: out s32[256] = 0
// expect finding: async-no-wait no cp.async.wait_group
// seeds: 2
#include <cuda_pipeline.h>
extern "C" __global__ void async_no_wait(const int *in, int *out) {
    __shared__ int buffer[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&buffer[0][t], &in[t], 4);
    __pipeline_commit();
    for (int round = 0; round < 4; round++) {
        if (round < 3) __pipeline_memcpy_async(&buffer[(round + 1) % 2][t], &in[(round + 1) * 64 + t], 4);
        __pipeline_commit();

        __syncthreads();
        out[round * 64 + t] = buffer[round % 2][63 - t];
        __syncthreads();
    }
}

// One lane acquires, and tells the others by a shuffle, which orders no memory.
// launch: grid 1 block 64
// arg: out s32[64] = 0
// expect finding: race-publication another thread uses the flag
// seeds: 2
#include <cuda/atomic>

extern "C" __global__ void publish_shuffle(int *out) {
    __shared__ int data, flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> ready(flag);
    if (threadIdx.x == 0) {
        data = out[0];
        ready.store(1, cuda::memory_order_release);
    }
    if (threadIdx.x < 32) return;
    int seen = 0;
    while (!seen) {
        if (threadIdx.x == 32) seen = ready.load(cuda::memory_order_acquire);
        seen = __shfl_sync(0xffffffffu, seen, 0);
    }
    out[threadIdx.x] = data;
}

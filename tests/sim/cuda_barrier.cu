// kz: sm 80 90
// launch: grid 2 block 128
// arg: in s32[1024] = 1 2 3 4 5
// arg: out s32[256] = 0
// expect: out = 1 2 3 ...

// libcu++: cuda::barrier, cuda::pipeline, cuda::memcpy_async, and cooperative groups' own memcpy_async.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

extern "C" __global__ void cuda_barrier(const int *in, int *out) {
    __shared__ alignas(16) int tile[2][512];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    int t = threadIdx.x, good = 1;
    if (t == 0) init(&bar, 128);
    block.sync();

    cuda::memcpy_async(block, tile[0], in, cuda::aligned_size_t<16>(2048), bar);
    bar.arrive_and_wait();
    for (int i = 0; i < 4; i++) good &= tile[0][4 * t + i] == in[4 * t + i];
    bar.arrive_and_wait();
    cuda::memcpy_async(&tile[1][t], &in[t + 1], sizeof(int), bar); // one per thread
    auto token = bar.arrive();
    bar.wait(std::move(token));
    good &= tile[1][(t + 1) % 128] == in[(t + 1) % 128 + 1];
    block.sync();

    auto pipe = cuda::make_pipeline(block, &state);
    for (int fetch = 0, use = 0; use < 6; use++) {
        for (; fetch < 6 && fetch < use + 2; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % 2], in + 32 * fetch, cuda::aligned_size_t<16>(1024), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        good &= tile[use % 2][t] == in[32 * use + t] && tile[use % 2][255 - t] == in[32 * use + 255 - t];
        pipe.consumer_release();
    }
    block.sync();

    auto mine = cuda::make_pipeline(); // of the thread alone
    mine.producer_acquire();
    cuda::memcpy_async(&tile[0][t], &in[t], sizeof(int), mine);
    mine.producer_commit();
    mine.consumer_wait();
    good &= tile[0][t] == in[t];
    mine.consumer_release();
    block.sync();

    cg::memcpy_async(block, tile[1], in + 512, 2048);
    cg::wait(block);
    for (int i = 0; i < 4; i++) good &= tile[1][511 - 4 * t - i] == in[1023 - 4 * t - i];
    int n = blockIdx.x * 128 + t;
    out[n] = good ? (n < 2 ? n + 1 : 3) : -1;
}

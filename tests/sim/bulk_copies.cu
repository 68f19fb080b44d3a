// kz: sm 90
// launch: grid 4 block 128
// arg: in s32[4096] = 1 2 3 4 5 6 7 8 9
// arg: out s32[4096] = 0
// arg: sums s32[4] = 100
// expect: out = 2 3 4 5 6 7 8 9 10 2 3 4 5 6 7 8 9 10
// expect: sums = 104 104 104 104

// Two buffers filled by bulk copies with transaction counts, worked on, and copied back in bulk groups; a
// bulk reduction into global memory.
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void bulk_copies(const int *in, int *out, int *sums) {
    __shared__ alignas(128) int tile[2][256];
    __shared__ alignas(16) int ones[4];
    __shared__ barrier full[2];
    int t = threadIdx.x, base = blockIdx.x * 1024;
    if (t == 0) {
        init(&full[0], 128);
        init(&full[1], 128);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    if (t < 4) ones[t] = 1;
    __syncthreads();
    auto fetch = [&](int i) -> barrier::arrival_token {
        barrier &bar = full[i % 2];
        if (t == 0) {
            cuda::device::memcpy_async_tx(tile[i % 2], in + base + 256 * i, cuda::aligned_size_t<16>(1024),
                                          bar);
            return cuda::device::barrier_arrive_tx(bar, 1, 1024);
        }
        return bar.arrive();
    };
    for (int i = 0; i < 4; i++) {
        if (t == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
        __syncthreads();
        auto token = fetch(i);
        full[i % 2].wait(std::move(token));
        for (int j = t; j < 256; j += 128) tile[i % 2][j] += 1;
        ptx::fence_proxy_async(ptx::space_shared);
        __syncthreads();
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + base + 256 * i, tile[i % 2], 1024);
            ptx::cp_async_bulk_commit_group();
        }
    }
    if (t == 0) {
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sums, ones, 16);
        ptx::cp_async_bulk_commit_group();
    }
}

// kz: sm 90
// launch: grid 1 block 64
// arg: map tensor = x u32 dims 12,5 strides 64 box 8,4
// arg: x u32[80] = 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
// arg: column s32 = 8
// arg: row s32 = -1
// arg: out u32[64] = 0
// expect: out = 0 0 0 0 0 0 0 0 9 10 11 12 0 0 0 0 9 10 11 12 0 0 0 0 9 10 11 12 0 0 0 0 5 6 7 8 9 10 11 12 0 0 0 0 ...

// Two boxes of a matrix: elements outside are zeros and count among the bytes that the mbarrier waits for.
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void tensor_load(const __grid_constant__ CUtensorMap map, const unsigned *x, int column,
                                       int row, unsigned *out) {
    __shared__ alignas(128) unsigned tile[2][32];
    __shared__ barrier full;
    if (threadIdx.x == 0) {
        init(&full, 64);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(&map), "r"(0),
                     "r"(0));
        const int first[] = {column, row}, second[] = {4, 4};
        uint64_t *bar = cuda::device::barrier_native_handle(full);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &map, first, bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[1], &map, second, bar);
        token = cuda::device::barrier_arrive_tx(full, 1, 256);
    } else
        token = full.arrive();
    full.wait(std::move(token));
    out[threadIdx.x] = tile[threadIdx.x / 32][threadIdx.x % 32];
}

// kz: sm 90
// launch: grid 1 block 32
// arg: zeros tensor = x f16 dims 12 box 8
// arg: nans tensor = x bf16 dims 12 box 8 nan
// arg: tf tensor = w tf32 dims 4 box 4
// arg: ftz tensor = w f32.ftz dims 4 box 4
// arg: x u16[12] = 15360
// arg: w b32[4] = 3f801001 00000001 80000001 7f7fffff
// arg: out b32[16] = 0
// expect: out = 3c003c00 3c003c00 0 0 3c003c00 3c003c00 7ff77ff7 7ff77ff7 3f802000 0 80000000 7f800000 3f801001 1 80000001 7f7fffff

// What is filled, and what is rounded on the way: zeros or NaN outside, tf32. Subnormals stay: only
// reductions of f32.ftz flush them.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_types(const __grid_constant__ CUtensorMap zeros,
                                        const __grid_constant__ CUtensorMap nans,
                                        const __grid_constant__ CUtensorMap tf,
                                        const __grid_constant__ CUtensorMap ftz, const unsigned short *x,
                                        const unsigned *w, unsigned *out) {
    __shared__ alignas(128) unsigned tile[4][32];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        const int last[] = {8}, first[] = {0};
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 64);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[0], &zeros, last, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[1], &nans, last, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[2], &tf, first, &bar);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[3], &ftz, first, &bar);
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x < 16) out[threadIdx.x] = tile[threadIdx.x / 4][threadIdx.x % 4];
}

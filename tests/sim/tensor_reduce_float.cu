// kz: sm 90
// launch: grid 1 block 32
// arg: kept tensor = x f32 dims 4 box 4
// arg: flushed tensor = y f32.ftz dims 4 box 4
// arg: tf tensor = z tf32 dims 4 box 4
// arg: doubles tensor = d f64 dims 2 box 2
// arg: x b32[4] = 00000001 3f800000 7f800001 80000003
// arg: y b32[4] = 00000001 3f800000 7f800001 80000003
// arg: z b32[4] = 00000001 3f801001 7f800001 80000003
// arg: d b32[4] = 00000001 0 5 fff00000
// expect: x = 00000002 3f800001 7fffffff 80000002
// expect: y = 0 3f800001 7fffffff 0
// expect: z = 00000002 3f801002 7fffffff 80000002
// expect: d = 00000002 0 5 fff00000

// Sums of floats: f32 and tf32 keep subnormals, f32.ftz flushes them, and nothing is rounded to tf32. f64 passes a NaN on
// as it is.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_reduce_float(const __grid_constant__ CUtensorMap kept,
                                               const __grid_constant__ CUtensorMap flushed,
                                               const __grid_constant__ CUtensorMap tf,
                                               const __grid_constant__ CUtensorMap doubles, unsigned *x,
                                               unsigned *y, unsigned *z, unsigned *d) {
    __shared__ alignas(128) unsigned singles[4];
    __shared__ alignas(128) unsigned long long pair[2];
    const unsigned values[] = {1, 0x34000000, 0x3f800000, 1};
    if (threadIdx.x == 0) {
        for (int i = 0; i < 4; i++) singles[i] = values[i];
        pair[0] = 1, pair[1] = 0x3ff0000000000000;
        const int at[] = {0};
        ptx::fence_proxy_async(ptx::space_shared);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &kept, at,
                                         singles);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &flushed, at,
                                         singles);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &tf, at, singles);
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &doubles, at,
                                         pair);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

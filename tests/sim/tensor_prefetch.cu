// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 12,8 strides 48 box 8,4
// arg: x u32[96] = 1
// expect fault: a tensor copy at coordinate 2 of dimension 0, which is byte 8 of a row
// expect fault: it must be a multiple of 16 bytes

// A prefetch changes nothing, but is judged as a load is: the first is right, the second fails.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

__device__ void prefetch(const CUtensorMap *map, int x, int y) {
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" ::"l"(map), "r"(x), "r"(y)
                 : "memory");
}

extern "C" __global__ void tensor_prefetch(const __grid_constant__ CUtensorMap map, const unsigned *x) {
    if (threadIdx.x) return;
    prefetch(&map, -4, 100);
    prefetch(&map, 2, 0);
}

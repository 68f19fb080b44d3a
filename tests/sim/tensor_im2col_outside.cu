// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 4,4,2 strides 16,64 im2col lower -1 upper -1 channels 4 pixels 4
// arg: x u32[32] = 1
// expect fault: an im2col copy at coordinate 3 of dimension 1
// expect fault: its first pixel must lie in the bounding box, from -1 to 2
// expect fault: likely cause: the filter's offset was added

// The filter's offset has an operand of its own: the coordinate stays in the bounding box.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_im2col_outside(const __grid_constant__ CUtensorMap map, const unsigned *x) {
    __shared__ alignas(128) unsigned tile[16];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 64);
        asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"((unsigned)__cvta_generic_to_shared(tile)),
                     "l"(&map), "r"(0), "r"(3), "r"(0), "r"((unsigned)__cvta_generic_to_shared(&bar)),
                     "h"((unsigned short)0)
                     : "memory");
    }
    __syncwarp();
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
}

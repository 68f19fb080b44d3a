// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 4,3,2,2 strides 64,192,384 im2col lower -1,0 upper 0,0 channels 8 pixels 20 interleave 16
// arg: x u32[192] = 0
// arg: tile u32[20] = 99
// expect: tile = 0 17 18 19 20 0 21 22 23 24 0 0 0 0 0 0 41 42 43 44

// Two images of 4x3 pixels in two slices of 16 bytes: W, H, slice, image. An im2col copy takes the pixels of one slice, however many
// channels the map names. After the last row, which the filter's offset of 1 puts outside, it goes on in the next image.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_im2col_interleave(const __grid_constant__ CUtensorMap map, unsigned *x,
                                                    unsigned *tile) {
    __shared__ alignas(128) unsigned box[80];
    __shared__ uint64_t bar;
    for (unsigned i = threadIdx.x; i < 192; i += 32) x[i] = i / 4 + 1; // the 16 bytes i / 4, from 1 on
    if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 1);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 20 * 16);
        asm volatile(
            "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"((unsigned)__cvta_generic_to_shared(box)),
            "l"(&map), "r"(-1), "r"(0), "r"(1), "r"(0), "r"((unsigned)__cvta_generic_to_shared(&bar)),
            "h"((unsigned short)0), "h"((unsigned short)1)
            : "memory");
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
    if (threadIdx.x < 20) tile[threadIdx.x] = box[threadIdx.x * 4];
}

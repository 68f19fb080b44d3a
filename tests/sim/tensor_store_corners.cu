// kz: sm 90
// launch: grid 1 block 32
// arg: map tensor = x u32 dims 4,6,4 strides 16,96 im2col lower -1 upper -1 channels 4 pixels 8
// arg: x u32[96] = 1
// expect fault: an im2col store whose bounding box leaves the tensor: corners -1 and -1 of space dimension 0

// The bounding box of a store lies within the tensor.
#include <cuda.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

extern "C" __global__ void tensor_store_corners(const __grid_constant__ CUtensorMap map, unsigned *x) {
    __shared__ alignas(128) unsigned tile[64];
    tile[threadIdx.x] = tile[threadIdx.x + 32] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (threadIdx.x == 0) {
        const int at[] = {0, 0, 0};
        asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, "
                     "%3}], [%4];" ::"l"(&map),
                     "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"((unsigned)__cvta_generic_to_shared(tile))
                     : "memory");
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

// kz: sm 90
// launch: grid 1 block 1
// arg: in s32[64] = 7
// expect fault: misaligned access of 16 bytes
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void bulk_misaligned(int *in) {
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, in + 1, 16, &bar);
    in[0] = tile[0];
}

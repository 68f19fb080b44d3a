// kz: sm 90
// launch: grid 1 block 1
// arg: in s32[64] = 7
// arg: bytes u32 = 24
// expect fault: a bulk copy of 24 bytes: the size must be a multiple of 16
#include <cuda/ptx>
namespace ptx = cuda::ptx;
extern "C" __global__ void bulk_odd_size(int *in, unsigned bytes) {
    __shared__ alignas(16) int tile[64];
    __shared__ uint64_t bar;
    ptx::mbarrier_init(&bar, 1);
    ptx::cp_async_bulk(ptx::space_shared, ptx::space_global, tile, in, bytes, &bar);
    in[0] = tile[0];
}

// kz: sm 90
// Blocks exchange through global memory, with the grid's barrier between.
// launch: grid 4 block 64 cooperative
// arg: data s32[256] = 1 2 3
// arg: out s32[256] = 0
// seeds: 2
#include <cooperative_groups.h>
extern "C" __global__ void clean_grid_sync(int *data, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < 3; round++) {
        int next = data[(i + 100) % 256];
        cooperative_groups::this_grid().sync();
        data[i] = next + 1;
        cooperative_groups::this_grid().sync();
    }
    out[i] = data[255 - i];
}

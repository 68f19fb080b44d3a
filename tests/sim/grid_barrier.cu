// kz: sm 90
// A cooperative grid barrier: after it every block sees what all wrote before.
// launch: grid 40 block 64 cooperative
// arg: data u32[40] = 0
// arg: out u32[40] = 0
// expect: out = 820 ...
#include <cooperative_groups.h>
extern "C" __global__ void grid_barrier(unsigned *data, unsigned *out) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0) data[blockIdx.x] = blockIdx.x + 1;
        grid.sync();
        if (threadIdx.x == 0) {
            unsigned sum = 0;
            for (unsigned i = 0; i < gridDim.x; i++) sum += data[i];
            out[blockIdx.x] = sum;
        }
        grid.sync();
    }
}

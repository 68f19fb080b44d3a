// kz: sm 90
// launch: grid 4 block 544 cluster 2 shared 49152
// arg: x f32[45001] = 3 1 2
// arg: y f32[45001] = 7
// arg: largest f32[5] = 0
// expect: y = 7 18000 ...
// expect: largest = 3 ...

// The row frame: 5 rows of 9000 floats, off by one element, by clusters of two blocks, each with a ring of three stages: a
// row has two in each block.
#include "kz/device/row_ring.cuh"
#include "row_frame.cuh"

extern "C" __global__ void row_ring(const float *x, float *y, float *largest) {
    test_program<float> program = {{}, x + 1, y + 1, largest};
    kz_rows_cluster(program, 5, 9000, 3);
}

// launch: grid 2 block 64
// arg: x f32[301] = 3 1 2
// arg: y f32[301] = 7
// arg: largest f32[25] = 0
// expect: y = 7 24 ...
// expect: largest = 3 ...

// The row frame: 25 rows of 12 floats, which begin anywhere, by 4 lanes; x and y are off by one element. The last warp has
// fewer rows than lanes for them.
#include "row_frame.cuh"

extern "C" __global__ void row_lanes(const float *x, float *y, float *largest) {
    test_program<float> program = {{}, x + 1, y + 1, largest};
    kz_rows_lanes<test_program<float>, 1>(program, 25, 12, 4);
}

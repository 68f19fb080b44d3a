// launch: grid 2 block 64
// arg: x f32[9000] = 1 2 3
// arg: y f32[9000] = 7
// arg: largest f32[3] = 0
// expect: y = 6000 ...
// expect: largest = 3 ...

// The row frame: rows of 3000 floats, two in registers by a block each, the third by the first block, which comes round to
// it; then all of them again, read anew in each pass.
#include "row_frame.cuh"

extern "C" __global__ void row_block(const float *x, float *y, float *largest) {
    test_program<float> program = {{}, x, y, largest};
    kz_rows_block<test_program<float>, 12>(program, 3, 3000);
    __syncthreads();
    kz_rows_stream(program, 3, 3000);
}

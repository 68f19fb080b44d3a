// A table in constant memory read past its end: the message names the space and the table.
// launch: grid 1 block 32
// arg: out f32[32] = 0
// arg: n u32 = 8
// expect fault: load of 4 bytes
// expect fault: in constant memory is out of bounds
// expect fault: thread (8,0,0)
// expect fault: weights
__constant__ float weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void constant_out_of_bounds(float *out, unsigned n) {
    out[threadIdx.x] = weights[threadIdx.x * n / 8];
}

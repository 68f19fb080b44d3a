// Adds to an output that nobody set to zero: there is no "kz: fill out 0" here.
// family: reduce
// case: sum-f32-n1025-uniform
// exit: 1
// expect: likely: a value that was never set takes part: an output that is added to

extern "C" __global__ void not_filled_sum_f32(const float *in, float *out, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(out, in[i]);
}

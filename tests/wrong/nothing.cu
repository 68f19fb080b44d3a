// Does nothing: what the output held before must not pass for an answer.
// family: vector_add
// case: add-f32-n1025-uniform
// exit: 1
// expect: the output was never written

extern "C" __global__ void nothing_add_f32(const float *x, const float *y, float *z, size_t n) {}

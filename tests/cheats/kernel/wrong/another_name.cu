// fails: signature
// A kernel that nobody calls.
extern "C" __global__ void weight(const float *x, const float *w, float *y, int rows, int columns) {}

// fails: result
// Four separate sums, but 200 + 100 is 44.
extern "C" __global__ void add_saturated(const unsigned *x, const unsigned *y, unsigned *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = x[i], b = y[i];
    unsigned sum = ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
    unsigned over = ((a & b) | ((a | b) & ~sum)) & 0x80808080u;
    z[i] = sum;
}

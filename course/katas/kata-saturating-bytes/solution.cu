extern "C" __global__ void
add_saturated(const unsigned *x, const unsigned *y, unsigned *z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned a = x[i], b = y[i];
    // kz: begin
    unsigned sum =
        ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
    unsigned over = ((a & b) | ((a | b) & ~sum)) & 0x80808080u;
    z[i] = sum | ((over << 1) - (over >> 7)); // 0x80 becomes 0x100 - 0x01
    // kz: starter
    //|     z[i] = a + b; // carries run from byte to byte, and nothing is clamped
    // kz: end
}

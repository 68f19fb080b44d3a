// A right guest with heads: the buffers in their order, then n.
// kz: block 32
// kz: grid 1
// family: scan
// case: exclusive_segmented_sum-i32-n1025-uniform
// exit: 0
// expect: checks passed

extern "C" __global__ void right_exclusive_segmented_sum_i32(const unsigned *in, unsigned *out,
                                                             const unsigned char *heads, size_t n) {
    if (threadIdx.x != 0) return;
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (heads[i]) sum = 0;
        out[i] = sum;
        sum += in[i];
    }
}

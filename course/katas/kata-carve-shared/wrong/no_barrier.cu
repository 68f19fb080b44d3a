// fails: result
// Reads what another warp has not written yet.
extern "C" __global__ void reverse_pairs(const double *value, const unsigned char *key, double *value_out,
                                         unsigned char *key_out, int n) {
    int first = blockIdx.x * blockDim.x, t = threadIdx.x;
    int count = min((int)blockDim.x, n - first);
    extern __shared__ double values[]; // the larger type first: whatever follows it is aligned well enough
    unsigned char *keys = (unsigned char *)(values + blockDim.x);
    if (t < count) {
        values[t] = value[first + t];
        keys[t] = key[first + t];
    }
    if (t < count) {
        value_out[first + t] = values[count - 1 - t];
        key_out[first + t] = keys[count - 1 - t];
    }
}

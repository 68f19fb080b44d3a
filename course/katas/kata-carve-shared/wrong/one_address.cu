// fails: result
// Two declarations, one address: keys overwrite values.
extern "C" __global__ void reverse_pairs(const double *value, const unsigned char *key, double *value_out,
                                         unsigned char *key_out, int n) {
    int first = blockIdx.x * blockDim.x, t = threadIdx.x;
    int count = min((int)blockDim.x, n - first);
    extern __shared__ double values[];
    extern __shared__ unsigned char keys[];
    if (t < count) {
        values[t] = value[first + t];
        keys[t] = key[first + t];
    }
    __syncthreads();
    if (t < count) {
        value_out[first + t] = values[count - 1 - t];
        key_out[first + t] = keys[count - 1 - t];
    }
}

extern "C" __global__ void reverse_pairs(const double *value,
                                         const unsigned char *key,
                                         double *value_out,
                                         unsigned char *key_out, int n) {
    int first = blockIdx.x * blockDim.x, t = threadIdx.x;
    int count = min((int)blockDim.x, n - first);
    // kz: begin
    // the larger type first: whatever follows it is aligned well enough
    extern __shared__ double values[];
    unsigned char *keys = (unsigned char *)(values + blockDim.x);
    if (t < count) {
        values[t] = value[first + t];
        keys[t] = key[first + t];
    }
    __syncthreads();
    if (t < count) {
        value_out[first + t] = values[count - 1 - t];
        key_out[first + t] = keys[count - 1 - t];
    }
    // kz: starter
    //|     // Cut the shared piece in two, fill both parts, wait, and write them
    //|     // backwards.
    //|     if (t < count) {
    //|         value_out[first + t] = value[first + t];
    //|         key_out[first + t] = key[first + t];
    //|     }
    // kz: end
}

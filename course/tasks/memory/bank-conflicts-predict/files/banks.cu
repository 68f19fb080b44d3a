// Ten ways to read shared memory, one kernel each, launched with exactly one warp. Each fills its words with
// plain stores first; what is asked for is the one load after the barrier.

typedef unsigned char byte;

#define FILL(T, count)                                                                                       \
    __shared__ T words[count];                                                                               \
    for (int i = threadIdx.x; i < count; i += 32) words[i] = T(0);                                           \
    __syncthreads();                                                                                         \
    int t = threadIdx.x

__global__ void unit(float *out) {
    FILL(float, 32);
    out[t] = words[t];
}
__global__ void stride2(float *out) {
    FILL(float, 64);
    out[t] = words[2 * t];
}
__global__ void stride3(float *out) {
    FILL(float, 96);
    out[t] = words[3 * t];
}
__global__ void stride8(float *out) {
    FILL(float, 256);
    out[t] = words[8 * t];
}
__global__ void stride32(float *out) {
    FILL(float, 1024);
    out[t] = words[32 * t];
}
__global__ void stride33(float *out) {
    FILL(float, 1056);
    out[t] = words[33 * t];
}
__global__ void one_word(float *out) {
    FILL(float, 32);
    out[t] = words[5];
}
__global__ void two_words(float *out) {
    FILL(float, 64);
    out[t] = words[t % 2 * 32];
}
__global__ void doubles(float *out) {
    FILL(double, 32);
    out[t] = (float)words[t];
}
__global__ void byte_each(float *out) {
    FILL(byte, 32);
    out[t] = words[t];
}

int main(void) {
    float *out;
    cudaMalloc(&out, 128);
    unit<<<1, 32>>>(out);
    stride2<<<1, 32>>>(out);
    stride3<<<1, 32>>>(out);
    stride8<<<1, 32>>>(out);
    stride32<<<1, 32>>>(out);
    stride33<<<1, 32>>>(out);
    one_word<<<1, 32>>>(out);
    two_words<<<1, 32>>>(out);
    doubles<<<1, 32>>>(out);
    byte_each<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
    return 0;
}

__global__ void twice_plus_one(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2.0f * in[i] + 1.0f;
}

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

__global__ void minus(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] - b[i];
}

// kz: begin
static size_t available(void) {
    size_t free_bytes, total;
    cudaMemGetInfo(&free_bytes, &total);
    return free_bytes;
}

// kz: end
extern "C" void pipeline(const float *x, float *y, long long *held, int n) {
    size_t bytes = sizeof(float) * n;
    int blocks = (n + 255) / 256;
    // kz: begin
    size_t before = available();
    float *input, *work;
    cudaMalloc(&input, bytes);
    cudaMalloc(&work, bytes);
    // all that is ever held at once
    held[0] = (long long)(before - available());

    cudaMemcpy(input, x, bytes, cudaMemcpyHostToDevice);
    twice_plus_one<<<blocks, 256>>>(input, work, n);
    // each thread its own element: in place is safe
    square<<<blocks, 256>>>(work, work, n);
    minus<<<blocks, 256>>>(work, input, work, n);
    cudaMemcpy(y, work, bytes, cudaMemcpyDeviceToHost);

    cudaFree(input);
    cudaFree(work);
    // kz: starter
    //|     float *input, *line, *squared, *result;
    //|     cudaMalloc(&input, bytes);
    //|     cudaMalloc(&line, bytes);
    //|     cudaMalloc(&squared, bytes);
    //|     cudaMalloc(&result, bytes);
    //|
    //|     cudaMemcpy(input, x, bytes, cudaMemcpyHostToDevice);
    //|     twice_plus_one<<<blocks, 256>>>(input, line, n);
    //|     square<<<blocks, 256>>>(line, squared, n);
    //|     minus<<<blocks, 256>>>(squared, input, result, n);
    //|     cudaMemcpy(y, result, bytes, cudaMemcpyDeviceToHost);
    //|
    //|     cudaFree(input);
    //|     cudaFree(line);
    //|     cudaFree(result);
    //|     held[0] = 0; // the most that was held
    // kz: end
}

// y = 2 x, or zeros where there is not memory enough; status[0] says which.
#include <cuda_runtime.h>

static __global__ void double_all(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2.0f * x[i];
}

extern "C" void double_with_scratch(const float *x, float *y, int *status,
                                    int n, long long scratch) {
    size_t bytes = n * sizeof(float);
    // kz: begin
    float *in = NULL, *out = NULL;
    void *more = NULL;
    status[0] = 1;
    for (int i = 0; i < n; i++) y[i] = 0.0f;

    if (cudaMalloc(&in, bytes) != cudaSuccess) goto end;
    if (cudaMalloc(&out, bytes) != cudaSuccess) goto end;
    if (cudaMalloc(&more, scratch) != cudaSuccess) goto end;
    if (cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        goto end;
    double_all<<<(n + 255) / 256, 256>>>(in, out, n);
    if (cudaGetLastError() != cudaSuccess) goto end;
    if (cudaMemcpy(y, out, bytes, cudaMemcpyDeviceToHost) != cudaSuccess)
        goto end;
    status[0] = 0;
end:
    cudaGetLastError(); // ours: no later check may find it
    cudaFree(more);
    cudaFree(out);
    cudaFree(in);
    // kz: starter
    //|     float *in, *out;
    //|     void *more;
    //|     status[0] = 0;
    //|     if (cudaMalloc(&in, bytes) != cudaSuccess) return;
    //|     if (cudaMalloc(&out, bytes) != cudaSuccess) return;
    //|     if (cudaMalloc(&more, scratch) != cudaSuccess) return;
    //|     cudaMemcpy(in, x, bytes, cudaMemcpyHostToDevice);
    //|     double_all<<<(n + 255) / 256, 256>>>(in, out, n);
    //|     cudaMemcpy(y, out, bytes, cudaMemcpyDeviceToHost);
    // kz: end
    status[1] = cudaGetLastError() != cudaSuccess;
}

#include <cstdio>
#include <vector>

__global__ void sum(const float *in, float *out) {
    __shared__ float part[256];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * 256 + t];
    for (int step = 128; step > 0; step /= 2) {
        __syncthreads();
        if (t < step) part[t] += part[t + step];
    }
    if (t == 32) out[blockIdx.x] = part[0];
}

int main() {
    std::vector<float> ones(1024, 1.0f);
    float *in, *out, sums[4];
    cudaMalloc(&in, sizeof(float) * 1024);
    cudaMalloc(&out, sizeof sums);
    cudaMemcpy(in, ones.data(), sizeof(float) * 1024, cudaMemcpyHostToDevice);
    sum<<<4, 256>>>(in, out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[3]);
}

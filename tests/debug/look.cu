// A program to look into: a struct, an enumeration, a loop, a call, divergence, shared memory.
#include <cstdio>

struct point {
    float x, y;
    int tag[2];
};
enum colour { RED, GREEN = 5 };

__constant__ float weights[4] = {1, 2, 3, 4};

__device__ int twice(int v) {
    int doubled = v * 2;
    return doubled;
}

__global__ void look(const float *in, float *out, int n) {
    __shared__ float tile[2][32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    point p = {1.5f, 2.5f, {3, 4}};
    colour c = i % 2 ? GREEN : RED;
    for (int k = 0; k < 2; k++) {
        float x = in[i] + k;
        tile[k][threadIdx.x] = x;
        p.x += x * weights[k];
    }
    __syncthreads();
    if (threadIdx.x < 4) {
        p.tag[1] = twice(i);
        p.y = p.tag[1];
    } else {
        p.y = -1;
    }
    out[i] = tile[1][31 - threadIdx.x] + p.x + p.y + c;
}

int main(int argc, char **argv) {
    const int n = 64;
    float host[n], *in, *out;
    for (int i = 0; i < n; i++) host[i] = 0.5f * i;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    int count = argc > 1 ? atoi(argv[1]) : n;
    look<<<count / 32, 32>>>(in, out, n);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s, out[3] = %g\n", cudaGetErrorString(cudaGetLastError()), host[3]);
    return 0;
}

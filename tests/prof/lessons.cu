// One kernel per mistake, for the tests of kz prof; each line's comment is what the profile must say of it.
#include <cstdio>

struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

__global__ void structures(const particle *p, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = p[i].mass; // 32 sectors per request, 4 would do: 32 bytes apart
}

__global__ void divergent(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = data[i];
    int turns = i % 32 == 0 ? 400 : 4;
    for (int k = 0; k < turns; k++) v = v * 1.0001f + 0.5f; // lanes active
    data[i] = v;
}

__global__ void one_block(const float *in, float *out, int n) {
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
    out[threadIdx.x] = sum;
}

__global__ void tiny(float *data) { data[threadIdx.x] += 1; }

int main(int argc, char **argv) {
    int n = 1 << 18;
    particle *p;
    float *f, *s;
    cudaMalloc(&p, n * sizeof *p);
    cudaMalloc(&f, n * sizeof *f);
    cudaMalloc(&s, n * sizeof *s);
    cudaMemset(p, 0, n * sizeof *p);
    cudaMemset(f, 0, n * sizeof *f);
    structures<<<n / 256, 256>>>(p, s, n);
    divergent<<<n / 256, 256>>>(f, n);
    one_block<<<1, 256>>>(f, s, n);
    for (int i = 0; i < 10; i++) tiny<<<1, 64>>>(s);
    printf("%d arguments: %s\n", argc - 1, cudaGetErrorString(cudaDeviceSynchronize()));
    return argc > 2;
}

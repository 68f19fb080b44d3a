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

// The data choose the bin: whatever they are, folding in registers is no answer.
__global__ void histogram(const float *in, unsigned *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[(int)in[i] & 255], 1u);
}

__global__ void local_array(const int *index, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float own[64], sum = 0;
    for (int k = 0; k < 64; k++) own[k] = (float)(k * i);
    for (int k = 0; k < 64; k++) sum += own[(index[k] + i) & 63]; // local memory, and nothing uncoalesced
    out[i] = sum;
}

__global__ void __launch_bounds__(256, 8) spilling(const float *in, float *out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float v[48], sum = 0;
#pragma unroll
    for (int k = 0; k < 48; k++) v[k] = in[(i + k * 977) % n];
    for (int turn = 0; turn < 20; turn++)
#pragma unroll
        for (int k = 0; k < 48; k++) v[k] = v[k] * v[(k + 7) % 48] + v[(k + 13) % 48]; // spilled registers
#pragma unroll
    for (int k = 0; k < 48; k++) sum += v[k];
    out[i] = sum;
}

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
    if (argc == 2) {
        histogram<<<n / 1024, 256>>>(f, (unsigned *)s, n);
        local_array<<<n / 1024, 256>>>((const int *)p, s);
        spilling<<<264, 256>>>((const float *)p, s, n);
    }
    printf("%d arguments: %s\n", argc - 1, cudaGetErrorString(cudaDeviceSynchronize()));
    return argc > 2;
}

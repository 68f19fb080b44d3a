// A stencil of three points, with its halo in shared memory; then the same without shared memory.
//
// bug 1 race: no barrier after the loads
// bug 2 out-of-bounds: the left neighbour of the first element
// bug 3 out-of-bounds: the halo has no room
// bug 4 undefined-output: the right halo is not loaded
// bug 5 race: the result is written over the input
// bug 6 out-of-bounds: the last block writes past the end
#define BUGS 6
#include "bugs.cuh"

enum { N = 500, THREADS = 64 };

template <int bug> __global__ void tiled(const int *in, int *out, int n) {
    __shared__ int part[THREADS + (BUG(3) ? 1 : 2)];
    int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    part[t + 1] = i < n ? in[i] : 0; // <- 1 3
    if (t == 0) part[0] = BUG(2) || i > 0 ? in[i - 1] : 0; // <- 2
    if (t == THREADS - 1 && !BUG(4)) part[THREADS + 1] = i + 1 < n ? in[i + 1] : 0; // <- 3
    if (!BUG(1)) __syncthreads();
    if (BUG(6) || i < n) out[i] = part[t] + part[t + 1] + part[t + 2]; // <- 1 4 6
}

template <int bug> __global__ void plain(const int *in, int *out, int n) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i > 0 && i + 1 < n) out[i] = in[i - 1] + in[i] + in[i + 1]; // <- 5
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i % 11;
    int *device_in = device(N, in), *device_out = zeros<int>(N);
    PICK(tiled)<<<(N + THREADS - 1) / THREADS, THREADS>>>(device_in, device_out, N);
    launched();
    fetch(out, device_out, N);
    bool right = true;
    for (int i = 1; i + 1 < N; i++) right = right && out[i] == in[i - 1] + in[i] + in[i + 1];
    PICK(plain)<<<(N + THREADS - 1) / THREADS, THREADS>>>(device_in, which == 5 ? device_in : device_out, N);
    launched();
    fetch(out, device_out, N);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return finish(right);
}

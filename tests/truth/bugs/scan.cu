// A prefix sum of one block, back and forth between two arrays in shared memory.
//
// bug 1 race: one array serves as both
// bug 2 race: no barrier between the steps
// bug 3 out-of-bounds: the first threads look before the beginning
// bug 4 undefined-output: the first threads do not copy their element
// bug 5 race: no barrier after the loads
#define BUGS 5
#include "bugs.cuh"

enum { N = 128 };

template <int bug> __global__ void scan(const int *in, int *out) {
    __shared__ int arrays[2][N];
    int t = threadIdx.x;
    int *from = arrays[0], *to = arrays[BUG(1) ? 0 : 1];
    from[t] = in[t]; // <- 5
    if (!BUG(5)) __syncthreads();
    for (int step = 1; step < N; step *= 2) {
        if (BUG(3) || t >= step)
            to[t] = from[t] + from[t - step]; // <- 1 2 3 5
        else if (!BUG(4))
            to[t] = from[t]; // <- 1 2
        if (!BUG(2)) __syncthreads();
        int *old = from;
        from = to;
        to = old;
    }
    out[t] = from[t]; // <- 2 4
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = i % 5;
    int *device_in = device(N, in), *device_out = zeros<int>(N);
    PICK(scan)<<<1, N>>>(device_in, device_out);
    launched();
    fetch(out, device_out, N);
    int sum = 0;
    bool right = true;
    for (int i = 0; i < N; i++) right = right && out[i] == (sum += in[i]);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return finish(right);
}

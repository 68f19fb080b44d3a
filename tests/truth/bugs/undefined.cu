// Reading what nobody wrote, in global and shared memory.
//
// bug 1 undefined-branch: a flag in global memory was never set
// bug 2 undefined-address: an index in global memory was never set
// bug 3 undefined-output: a buffer is copied to the host unset
// bug 4 undefined-output: half of a buffer was set
// bug 5 undefined-branch: a flag in shared memory was never set
// bug 6 undefined-address: an index in shared memory was never set
// bug 7 undefined-output: a sum in global memory begins with whatever was there
// bug 8 undefined-branch: a limit that another kernel should have written
#define BUGS 8
#include "bugs.cuh"

enum { N = 64 };

template <int bug> __global__ void global(const int *flags, const int *indices, const int *values, int *out, int *sum) {
    int t = threadIdx.x;
    if (flags[t] > 3) out[t] = 1; // <- 1
    out[t] += values[indices[t] & (N - 1)]; // <- 2 4
    if (t == 0) sum[0] += 5; // <- 7
}

template <int bug> __global__ void shared(const int *values, int *out) {
    __shared__ int flags[N], indices[N];
    int t = threadIdx.x;
    if (!BUG(5) || t < N / 2) flags[t] = t;
    if (!BUG(6) || t < N / 2) indices[t] = N - 1 - t;
    __syncthreads();
    if (flags[N - 1 - t] > 3) out[t] = 2; // <- 5
    out[t] = values[indices[N - 1 - t] & (N - 1)]; // <- 6
}

template <int bug> __global__ void limit(int *most) {
    if (threadIdx.x == 0 && !BUG(8)) *most = 40;
}

template <int bug> __global__ void below(const int *most, int *out) {
    int t = threadIdx.x;
    if (t < *most) out[t] = t; // <- 8
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int values[N], back[N];
    for (int i = 0; i < N; i++) values[i] = i;
    int *flags = which == 1 ? device<int>(N) : zeros<int>(N), *indices = which == 2 ? device<int>(N) : zeros<int>(N);
    int *device_values = device<int>(N), *out = zeros<int>(N), *sum = which == 7 ? device<int>(1) : zeros<int>(1);
    int *most = device<int>(1), *unset = device<int>(N);
    CHECK(cudaMemcpy(device_values, values, (which == 4 ? 0 : N) * sizeof(int), cudaMemcpyHostToDevice));
    if (which == 4) CHECK(cudaMemcpy(device_values + 1, values + 1, 32 * sizeof(int), cudaMemcpyHostToDevice));
    if (which != 3) CHECK(cudaMemset(unset, 0, N * sizeof(int)));
    PICK(global)<<<1, N>>>(flags, indices, device_values, out, sum);
    launched();
    fetch(back, out, N);
    if (which == 4) CHECK(cudaMemcpy(device_values, values, sizeof values, cudaMemcpyHostToDevice));
    PICK(shared)<<<1, N>>>(device_values, out);
    launched();
    PICK(limit)<<<1, 32>>>(most);
    launched();
    PICK(below)<<<1, N>>>(most, out);
    launched();
    fetch(back, unset, N);
    fetch(back, sum, 1);
    int *all[] = {flags, indices, device_values, out, sum, most, unset};
    for (int *one : all) CHECK(cudaFree(one));
    return finish(back[0] == 5);
}

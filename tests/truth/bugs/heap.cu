// Memory that kernels take and give back themselves.
//
// bug 1 use-after-free: it is read after it was given back
// bug 2 out-of-bounds: one element past its end
// bug 3 leak: it is never given back
// bug 4 undefined-output: it is read before it was written
// bug 5 fault|use-after-free: it is given back twice
#define BUGS 5
#include "bugs.cuh"

template <int bug> __global__ void lists(int *out, int n) {
    int t = threadIdx.x;
    int *own = static_cast<int *>(malloc(n * sizeof(int))); // <- 3
    if (!own) return;
    for (int i = BUG(4) ? 1 : 0; i < n + (BUG(2) ? 1 : 0); i++) own[i] = i + t; // <- 2
    int sum = 0;
    if (BUG(1)) free(own); // <- 1
    for (int i = 0; i < n; i++) sum += own[i]; // <- 1 4
    if (!BUG(1) && !BUG(3)) free(own);
    if (BUG(5)) free(own); // <- 5
    out[t] = sum; // <- 4
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *device_out = zeros<int>(32), out[32];
    PICK(lists)<<<1, 32>>>(device_out, 10);
    launched();
    fetch(out, device_out, 32);
    CHECK(cudaFree(device_out));
    return finish(out[1] == 55);
}

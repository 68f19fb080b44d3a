// What goes wrong between host and device: pointers, sizes, lifetimes.
//
// bug 1 use-after-free: the kernel writes to what was freed
// bug 2 out-of-bounds: one element past the end
// bug 3 out-of-bounds: far past the end
// bug 4 misaligned: 8 bytes to an address that is a multiple of 4
// bug 5 out-of-bounds: a null pointer
// bug 6 leak: a buffer is never freed
// bug 7 out-of-bounds: the host's own pointer
// bug 8 out-of-bounds: before the beginning
#define BUGS 8
#include "bugs.cuh"

enum { N = 200 };

template <int bug> __global__ void fill(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (BUG(3)) i = i * 1000;
    if (BUG(8)) i -= 1;
    if (i < n + (BUG(2) ? 1 : 0) || BUG(3)) out[i] = i; // <- 1 2 3 5 7 8
}

template <int bug> __global__ void wide(char *out) {
    *reinterpret_cast<double *>(out + 16 * threadIdx.x + (BUG(4) ? 4 : 0)) = 1.0; // <- 4
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int own[N];
    int *out = zeros<int>(N), *other = zeros<int>(N), *to = out;
    char *bytes = zeros<char>(1024);
    if (which == 1) {
        CHECK(cudaFree(other));
        to = other;
    }
    if (which == 5) to = nullptr;
    if (which == 7) to = own;
    PICK(fill)<<<1, 256>>>(to, N);
    launched();
    PICK(wide)<<<1, 32>>>(bytes);
    launched();
    fetch(own, out, N);
    CHECK(cudaFree(out));
    CHECK(cudaFree(bytes));
    if (which != 1 && which != 6) CHECK(cudaFree(other));
    return finish(own[N - 1] == N - 1);
}

// Calls that fail, and nobody looks; memory that stays.
//
// bug 1 unchecked-error: more threads in a block than there can be
// bug 2 unchecked-error: more shared memory than there is
// bug 3 invalid-call: more is copied than fits
// bug 4 invalid-call: memory is freed twice
// bug 5 leak: memory of a stream's own order is not freed
// bug 6 leak: the pointer is overwritten by the next allocation
#define BUGS 6
#include "bugs.cuh"

template <int bug> __global__ void touch(int *out) {
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *out = zeros<int>(4), words[64] = {0}, *other = zeros<int>(4);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    PICK(touch)<<<4, which == 1 ? 2048 : 64, which == 2 ? 1 << 20 : 0>>>(out);
    if (which == 3) cudaMemcpy(out, words, sizeof words * 16, cudaMemcpyHostToDevice);
    if (which == 6) other = zeros<int>(4);
    int *ordered;
    CHECK(cudaMallocAsync(&ordered, 1024, stream));
    CHECK(cudaMemsetAsync(ordered, 0, 1024, stream));
    if (which != 5) CHECK(cudaFreeAsync(ordered, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    cudaFree(other);
    if (which == 4) cudaFree(other);
    cudaFree(out);
    return 0;
}

// Work in a queue: threads append, then take; and a chain of slots with flags.
//
// bug 1 out-of-bounds: the queue is full, and nobody looks
// bug 2 race: the end is moved without an atomic
// bug 3 race-publication|race: a slot is marked full before a fence
// bug 4 out-of-bounds: an array of the module is too short
// bug 5 race|race-same-value: a counter of the module is raised without an atomic
#define BUGS 5
#include "bugs.cuh"

enum { CAPACITY = 100, BLOCKS = 4 };
__device__ int table[24];
__device__ int visits;

template <int bug> __global__ void append(int *queue, int *end) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, index;
    if (BUG(2)) {
        index = *end; // <- 2
        *end = index + 1; // <- 2
        return;
    }
    index = atomicAdd(end, 1);
    if (BUG(1) || index < CAPACITY) queue[index] = i; // <- 1
}

template <int bug> __global__ void chain(int *slots, int *full) {
    if (threadIdx.x != 0) return;
    int b = blockIdx.x, v = 1;
    if (b > 0) {
        while (atomicAdd(&full[b - 1], 0) == 0) {} // <- 3
        __threadfence();
        v = slots[b - 1] + 1; // <- 3
    }
    slots[b] = v; // <- 3
    if (!BUG(3)) __threadfence();
    atomicExch(&full[b], 1); // <- 3
}

template <int bug> __global__ void look(const int *in, int *out) {
    int t = threadIdx.x;
    table[t % 24] = 1;
    __syncthreads();
    out[t] = table[BUG(4) ? in[t] : in[t] % 24]; // <- 4
    if (BUG(5))
        visits++; // <- 5
    else
        atomicAdd(&visits, 1);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int in[32], last;
    for (int i = 0; i < 32; i++) in[i] = i;
    int *queue = zeros<int>(CAPACITY), *words = zeros<int>(64), *device_in = device(32, in);
    PICK(append)<<<4, 32>>>(queue, words);
    launched();
    PICK(chain)<<<BLOCKS, 32>>>(words + 8, words + 16);
    launched();
    PICK(look)<<<1, 32>>>(device_in, words + 32);
    launched();
    fetch(&last, words + 8 + BLOCKS - 1, 1);
    CHECK(cudaFree(queue));
    CHECK(cudaFree(words));
    CHECK(cudaFree(device_in));
    return finish(last == BLOCKS);
}

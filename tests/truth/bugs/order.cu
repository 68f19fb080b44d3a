// Results that depend on who comes first.
//
// bug 1 nondeterministic: floats are added by atomics
// bug 2 nondeterministic: places are handed out by a counter
// bug 3 nondeterministic: the last to write remains
// bug 4 nondeterministic: whoever comes first is kept
#define BUGS 4
#include "bugs.cuh"

enum { N = 512, THREADS = 64 };

template <int bug> __global__ void order(const float *in, float *sum, int *count, int *places, int *last, int *first) {
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (BUG(1)) atomicAdd(sum, in[i]); // <- 1
    int place = BUG(2) ? atomicAdd(count, 1) : i; // <- 2
    places[place] = i; // <- 2
    if (BUG(3)) atomicExch(last, i); // <- 3
    else atomicMax(last, i);
    if (BUG(4)) atomicCAS(first, 0, i + 1); // <- 4
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static float in[N];
    static int places[N];
    for (int i = 0; i < N; i++) in[i] = 1.0f / (float)(i + 1);
    float *device_in = device(N, in), *sum = zeros<float>(1), total;
    int *words = zeros<int>(N + 3), three[3];
    PICK(order)<<<N / THREADS, THREADS>>>(device_in, sum, words, words + 3, words + 1, words + 2);
    launched();
    fetch(&total, sum, 1);
    fetch(three, words, 3);
    fetch(places, words + 3, N);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(sum));
    CHECK(cudaFree(words));
    return finish(true);
}

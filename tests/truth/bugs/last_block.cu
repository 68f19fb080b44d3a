// A sum whose last block adds up what the others left.
//
// bug 1 race-publication: no fence between the partial sum and the ticket
// bug 2 race: the ticket is drawn without an atomic
// bug 3 race: no barrier between drawing the ticket and reading it
// bug 4 out-of-bounds: too few partial sums
// bug 5 undefined-branch: the count of tickets is not set
// bug 6 race-publication: the ticket is drawn before the partial sum is written
#define BUGS 6
#include "bugs.cuh"

enum { N = 1024, THREADS = 64, BLOCKS = N / THREADS };

template <int bug> __global__ void sum(const int *in, int *partial, unsigned *tickets, int *out) {
    __shared__ int total;
    __shared__ bool is_last;
    int t = threadIdx.x;
    if (t == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, in[blockIdx.x * THREADS + t]);
    __syncthreads();
    if (t == 0) {
        if (!BUG(6)) partial[blockIdx.x] = total; // <- 1 2 4
        if (!BUG(1)) __threadfence();
        unsigned ticket;
        if (BUG(2))
            ticket = (*tickets)++; // <- 2
        else
            ticket = atomicAdd(tickets, 1); // <- 1 5 6
        if (BUG(6)) partial[blockIdx.x] = total; // <- 6
        is_last = ticket == BLOCKS - 1; // <- 3 5
    }
    if (!BUG(3)) __syncthreads();
    if (!is_last) return; // <- 3 5
    __threadfence();
    if (t == 0) total = 0;
    __syncthreads();
    if (t < BLOCKS) atomicAdd(&total, partial[t]); // <- 1 2 6
    __syncthreads();
    if (t == 0) *out = total;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static int in[N];
    int want = 0, got;
    for (int i = 0; i < N; i++) want += in[i] = i % 3;
    int *device_in = device(N, in), *partial = zeros<int>(which == 4 ? BLOCKS - 1 : BLOCKS), *out = zeros<int>(1);
    unsigned *tickets = which == 5 ? device<unsigned>(1) : zeros<unsigned>(1);
    PICK(sum)<<<BLOCKS, THREADS>>>(device_in, partial, tickets, out);
    launched();
    fetch(&got, out, 1);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(out));
    CHECK(cudaFree(tickets));
    return finish(got == want);
}

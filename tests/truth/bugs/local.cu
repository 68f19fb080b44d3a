// Arrays of a thread's own, in local memory.
//
// bug 1 out-of-bounds: far past the array
// bug 2 undefined-output: elements that were never set are added up
// bug 3 undefined-branch: an element that was never set decides
// bug 4 undefined-address: an element that was never set is an index
// bug 5 undefined-output: one of four fields is not set
#define BUGS 5
#include "bugs.cuh"

enum { SIZE = 16 };
struct record {
    int a, b, c, d;
};

template <int bug> __global__ void arrays(const int *in, int *out, const int *order, int count) {
    int own[SIZE], t = threadIdx.x, sum = 0;
    for (int i = 0; i < count; i++) own[order[i]] = in[i];
    if (BUG(1)) own[order[1] * 100000] = 7; // <- 1
    for (int i = 0; i < SIZE; i++) sum += own[order[i]]; // <- 2
    out[t] = BUG(3) || BUG(4) ? t : sum; // <- 2
    if (BUG(3) && sum > 100) // <- 3
        for (int i = 0; i < SIZE; i++) atomicAdd(&out[i], in[i]);
    if (BUG(4)) out[t] = in[sum & 15]; // <- 4
}

template <int bug> __device__ __noinline__ void make(record *r, int t) {
    r->a = t;
    r->b = t + 1;
    if (!BUG(5)) r->c = t + 2;
    r->d = t + 3;
}

template <int bug> __global__ void records(record *out) {
    record r;
    make<bug>(&r, threadIdx.x);
    out[threadIdx.x] = r; // <- 5
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int in[SIZE], order[SIZE], out[32];
    record fetched[32];
    for (int i = 0; i < SIZE; i++) in[i] = i, order[i] = i * 5 % SIZE;
    int *device_in = device(SIZE, in), *device_order = device(SIZE, order), *device_out = zeros<int>(32);
    record *device_records = zeros<record>(32);
    PICK(arrays)<<<1, 32>>>(device_in, device_out, device_order, which >= 2 && which <= 4 ? SIZE - 4 : SIZE);
    launched();
    PICK(records)<<<1, 32>>>(device_records);
    launched();
    fetch(out, device_out, 32);
    fetch(fetched, device_records, 32);
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_order));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(device_records));
    return finish(out[3] == 120 && fetched[3].c == 5);
}

// What lanes of a warp tell each other.
//
// bug 1 shuffle-outside: the upper half is read but not in the mask
// bug 2 shuffle-outside: the other half has left
// bug 3 race: lanes exchange through shared memory without __syncwarp
// bug 4 shuffle-outside: the last lane is asked, but only twenty are there
// bug 5 race: lanes exchange through global memory without __syncwarp
// bug 6 race: the leader's word is read before it is written
// bug 7 shuffle-outside: the mask of the half before
#define BUGS 7
#include "bugs.cuh"

template <int bug> __global__ void fold(const int *in, int *out) {
    int lane = threadIdx.x, v = in[lane];
    if (BUG(1)) {
        if (lane < 16) v += __shfl_down_sync(0x0000ffff, v, 8); // <- 1
    } else if (BUG(2)) {
        if (lane >= 16) return;
        v += __shfl_xor_sync(0xffffffff, v, 16); // <- 2
    } else if (BUG(7)) {
        if (lane < 16) return;
        v += __shfl_sync(0xffff0000, v, 3, 32); // <- 7
    } else {
        for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffff, v, step);
    }
    out[lane] = v;
}

template <int bug> __global__ void last(const int *in, int *out, int n) {
    int lane = threadIdx.x;
    if (lane >= n) return;
    int v = in[lane];
    v = __shfl_sync(__activemask(), v, BUG(4) ? 31 : n - 1); // <- 4
    out[lane] = v;
}

template <int bug> __global__ void exchange(const int *in, int *out, int *room) {
    __shared__ int words[32], leader;
    int lane = threadIdx.x;
    words[lane] = in[lane]; // <- 3
    if (!BUG(3)) __syncwarp();
    int v = words[lane ^ 1]; // <- 3
    room[lane] = v;          // <- 5
    if (!BUG(5)) __syncwarp();
    v += room[31 - lane]; // <- 5
    if (lane == 0) leader = v; // <- 6
    if (!BUG(6)) __syncwarp();
    out[lane] = v + leader; // <- 6
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int in[32], out[32];
    for (int i = 0; i < 32; i++) in[i] = i;
    int *device_in = device(32, in), *device_out = zeros<int>(32), *room = zeros<int>(32);
    PICK(fold)<<<1, 32>>>(device_in, device_out);
    launched();
    fetch(out, device_out, 32);
    bool right = out[5] == 31 * 16;
    PICK(last)<<<1, 32>>>(device_in, device_out, 20);
    launched();
    PICK(exchange)<<<1, 32>>>(device_in, device_out, room);
    launched();
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(room));
    return finish(right);
}

// A counter behind a lock, and a lock per account.
//
// bug 1 race: nobody takes the lock
// bug 2 race-publication|race: no fence before the lock is given back
// bug 3 race-publication|race: no fence after the lock was taken
// bug 4 race-publication|race: the lock is given back by a plain store
// bug 5 race: two locks for one counter
// bug 6 race: the account is read before its lock is taken
#define BUGS 6
#include "bugs.cuh"

template <int bug> __device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) {} // <- 2 3 4
    if (!BUG(3)) __threadfence();
}

template <int bug> __device__ void give(int *lock) {
    if (!BUG(2)) __threadfence();
    if (BUG(4))
        *lock = 0; // <- 4
    else
        atomicExch(lock, 0); // <- 2 3
}

template <int bug> __global__ void count(int *locks, int *counter) {
    if (threadIdx.x != 0) return;
    int *lock = &locks[BUG(5) ? blockIdx.x % 2 : 0];
    if (!BUG(1)) take<bug>(lock);
    *counter = *counter + 1; // <- 1 2 3 4 5
    if (!BUG(1)) give<bug>(lock);
}

template <int bug> __global__ void transfer(int *locks, int *accounts) {
    if (threadIdx.x != 0) return;
    int *account = &accounts[blockIdx.x % 4], *lock = &locks[blockIdx.x % 4];
    int before = BUG(6) ? *account : 0; // <- 6
    take<0>(lock);
    if (!BUG(6)) before = *account;
    *account = before + 1; // <- 6
    give<0>(lock);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *words = zeros<int>(16), out[16];
    PICK(count)<<<8, 32>>>(words, words + 8);
    launched();
    PICK(transfer)<<<16, 32>>>(words + 4, words + 9);
    launched();
    fetch(out, words, 16);
    CHECK(cudaFree(words));
    return finish(out[8] == 8 && out[9] == 4);
}

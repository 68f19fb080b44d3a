// One block hands data to another: by fences and atomics, then by release and acquire.
//
// bug 1 race-publication: no fence before the flag is raised
// bug 2 race-publication: no fence after the flag was seen
// bug 3 race-publication: the fence is of the block alone
// bug 4 race-publication|race: the flag is a plain store, which the compiler may move
// bug 5 race-publication: the store does not release
// bug 6 race-publication: the load does not acquire
// bug 7 race-publication: the release reaches the block alone
// bug 8 race-publication|race: the release comes before the data
#define BUGS 8
#include "bugs.cuh"

template <int bug> __global__ void by_fences(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        *data = 42; // <- 1 2 3 4
        if (BUG(3))
            __threadfence_block();
        else if (!BUG(1))
            __threadfence();
        if (BUG(4))
            *flag = 1; // <- 4
        else
            atomicExch(flag, 1); // <- 1 2 3
    } else {
        while (atomicAdd(flag, 0) == 0) {} // <- 1 2 3 4
        if (!BUG(2)) __threadfence();
        *out = *data; // <- 1 2 3 4
    }
}

template <int bug> __global__ void by_release(int *data, int *flag, int *out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) {
        if (!BUG(8)) *data = 43; // <- 5 6 7
        if (BUG(5))
            asm volatile("st.relaxed.gpu.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory"); // <- 5
        else if (BUG(7))
            asm volatile("st.release.cta.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory"); // <- 7
        else
            asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(flag), "r"(1) : "memory"); // <- 6 8
        if (BUG(8)) *data = 43; // <- 8
    } else {
        int seen;
        do {
            if (BUG(6))
                asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); // <- 6
            else
                asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory"); // <- 5 7 8
        } while (seen == 0);
        *out = *data; // <- 5 6 7 8
    }
}

int main(int argc, char **argv) {
    begin(argc, argv);
    int *words = zeros<int>(6), out[6];
    PICK(by_fences)<<<2, 32>>>(words, words + 1, words + 2);
    launched();
    PICK(by_release)<<<2, 32>>>(words + 3, words + 4, words + 5);
    launched();
    fetch(out, words, 6);
    CHECK(cudaFree(words));
    return finish(out[2] == 42 && out[5] == 43);
}

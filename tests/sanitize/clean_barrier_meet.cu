// Warps meet at named barriers from different instructions: with a count, without one (as barrier.sync and bar.sync
// both allow), and where two warpgroups take turns, one arriving where the other waits.
// launch: grid 2 block 256
// arg: out s32[512] = 0
// seeds: 3
// kz: sm 90
template <int id, int threads> static __device__ void meet() {
    asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(threads) : "memory");
}
template <int id, int threads> static __device__ void arrive() {
    asm volatile("bar.arrive %0, %1;" ::"n"(id), "n"(threads) : "memory");
}

extern "C" __global__ void clean_barrier_meet(int *out) {
    __shared__ int box[256];
    int t = threadIdx.x, sum = 0;
    box[t] = t;
    if (t < 128) {
        asm volatile("barrier.sync 1;" ::: "memory");
        sum = box[t + 128];
        asm volatile("barrier.sync 1;" ::: "memory");
    } else {
        asm volatile("barrier.sync 1;" ::: "memory");
        sum = box[t - 128];
        asm volatile("barrier.sync 1;" ::: "memory");
    }
    box[t] = sum;
    if (t < 64) {
        meet<2, 128>();
        sum += box[t + 64];
        meet<2, 128>();
    } else if (t < 128) {
        meet<2, 128>();
        sum += box[t - 64];
        meet<2, 128>();
    }
    // In turns: each warpgroup waits for its own barrier and arrives at the other's. The first arrives at its own, to begin.
    if (t < 128) arrive<3, 256>();
    for (int round = 0; round < 3; round++)
        if (t < 128) {
            meet<3, 256>();
            box[t] += 1;
            arrive<4, 256>();
        } else {
            meet<4, 256>();
            box[t - 128] += 1;
            if (round < 2) arrive<3, 256>();
        }
    out[blockIdx.x * 256 + t] = sum;
}

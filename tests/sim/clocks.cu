// kz: sm 80
// launch: grid 2 block 64
// arg: out s32[4] = 0
// expect: out = 2 2 2 2

// Clocks go on while a kernel looks at them or sleeps, and fast enough that one can wait for many cycles of
// them: a kernel that waits ten million of them must not go through as many instructions.
static __device__ bool sleeps_until(unsigned long long end) {
    unsigned long long now, before = 0;
    int looks = 0;
    do {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now < before) return false;
        before = now;
        __nanosleep(10000);
        looks++;
    } while (now < end);
    return looks <= 1001;
}

extern "C" __global__ void watch(int *out) {
    unsigned long long start;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    bool slept = threadIdx.x != 0 || sleeps_until(start + 10000000);
    if (threadIdx.x == 0 && slept) atomicAdd(&out[0], 1);
    long long first = clock64(), count = 0;
    while (clock64() - first < 20000) count++;
    if (threadIdx.x == 0 && count < 20000 / 32) atomicAdd(&out[1], 1);
    unsigned int small = (unsigned int)clock();
    if (threadIdx.x == 0 && small != 0) atomicAdd(&out[2], 1);
    long long a = clock64(), b = clock64();
    if (threadIdx.x == 0 && b > a) atomicAdd(&out[3], 1);
}

// One store, first to global memory, then to constant memory.
// launch: block 32
// arg: out s32[32] = 0
// expect fault: writes constant memory
__constant__ int table[32] = {1, 2, 3};
extern "C" __global__ void writes(int *out) {
    unsigned long long constant = (unsigned long long)(const int *)table;
    asm volatile("mov.u64 %0, %0;" : "+l"(constant)); // the compiler would refuse a write it can see
    for (int round = 0; round < 2; round++) {
        volatile int *to = round ? (volatile int *)constant : out;
        to[threadIdx.x] = round;
    }
}

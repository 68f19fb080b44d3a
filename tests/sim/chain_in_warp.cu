// 32 lanes of one warp, each in a loop of its own, wait for the next lane: slow, but it ends: no deadlock.
// launch: block 32
// arg: flags u32[32] = 0
// expect: flags = 1 2 3 4 5 6 7 8
#define CASE(k)                                                                                              \
    case k:                                                                                                  \
        while (flags[k + 1] != k + 2) asm volatile("// " #k);                                                \
        flags[k] = k + 1;                                                                                    \
        break;
extern "C" __global__ void chain(volatile unsigned *flags) {
    switch (threadIdx.x) {
        CASE(0)
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
        CASE(8)
        CASE(9)
        CASE(10)
        CASE(11)
        CASE(12)
        CASE(13)
        CASE(14)
        CASE(15)
        CASE(16)
        CASE(17)
        CASE(18)
        CASE(19)
        CASE(20)
        CASE(21)
        CASE(22)
        CASE(23)
        CASE(24)
        CASE(25)
        CASE(26)
        CASE(27)
        CASE(28)
        CASE(29)
        CASE(30)
    default: flags[31] = 32;
    }
}

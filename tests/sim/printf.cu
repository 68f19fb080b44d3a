// Device printf, in the order of the blocks whatever the number of host threads.
// launch: grid 3 block 1
// arg: n s32 = 5
// expect print: block 0: -5 5 2.50 'text' 00ff c% 1000000000000
// expect print: block 2: -5
// expect print: (null) +7 0X1F
#include <stdio.h>
extern "C" __global__ void print(int n) {
    printf("block %d: %d %u %.2f '%s' %04x %c%% %lld\n", (int)blockIdx.x, -n, n, n / 2.0, "text", 255, 'c',
           1000000000000ll);
    const char *nothing = n > 0 ? nullptr : "";
    printf("%s %+d %#X\n", nothing, 7, 31);
}

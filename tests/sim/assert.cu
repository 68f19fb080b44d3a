// launch: grid 2 block 40
// arg: n s32 = 5
// expect fault: assertion `n < 0` failed
// expect fault: block (0,0,0), thread (0,0,0)
#include <assert.h>
extern "C" __global__ void fails(int n) { assert(n < 0); }

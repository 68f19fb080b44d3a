// A dense switch becomes a branch table.
// launch: block 10
// arg: out s32[10] = 0
// expect: out = 5 17 3 900 -4 0 36 49 64 99
extern "C" __global__ void switch_table(volatile int *out) {
    int t = threadIdx.x;
    switch (t) {
    case 0: out[t] = 5; break;
    case 1: out[t] = 17; break;
    case 2: out[t] = out[0] >= 0 ? 3 : 4; break;
    case 3: out[t] = 900; break;
    case 4: out[t] = -t; break;
    case 5: out[t] = 0; break;
    case 6:
    case 7:
    case 8: out[t] = t * t; break;
    default: out[t] = 99;
    }
}

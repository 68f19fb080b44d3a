// launch: block 1
// arg: p u64 = 0
// expect fault: null pointer plus an offset
extern "C" __global__ void null_pointer(int *p) { p[3] = 1; }

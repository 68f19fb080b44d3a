// launch: block 1
// arg: p u64 = 0x7ffe12345678
// expect fault: looks like a host pointer
extern "C" __global__ void host_pointer(int *p) { p[0] = 1; }

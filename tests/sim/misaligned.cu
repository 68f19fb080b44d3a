// launch: block 1
// arg: in u8[64] = 1
// expect fault: misaligned load of 8 bytes
// expect fault: multiple of 8
extern "C" __global__ void misaligned(const char *in) {
    *(volatile double *)(in + 8) = *(const volatile double *)(in + 4);
}

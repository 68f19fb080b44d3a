// A loop that ends one byte past the end: the buffer is known from the accesses before.
// launch: block 1
// arg: in u8[77] = 1
// arg: out u32[1] = 0
// arg: n s32 = 77
// expect fault: just past the end of a buffer (77 bytes
extern "C" __global__ void one_past(const volatile unsigned char *in, unsigned *out, int n) {
    unsigned sum = 0;
    for (int i = 0; i <= n; i++) sum += in[i];
    *out = sum;
}

// Each lane holds two neighbours of a row of an 8 x 8 matrix; movmatrix gives it two of the transposed one.
// launch: block 32
// arg: out u16[64] = 0
// expect: out = 0 8 16 24 32 40 48 56 1 9 17 25 33 41 49 57 2 10 18 26 34 42 50 58 3 11 19 27 35 43 51 59
extern "C" __global__ void movmatrix(unsigned short *out) {
    unsigned lane = threadIdx.x, first = lane * 2, turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
                 : "=r"(turned)
                 : "r"(first | (first + 1) << 16));
    out[first] = (unsigned short)turned;
    out[first + 1] = (unsigned short)(turned >> 16);
}

// A loop down through a local array ends where the pointer is before it: there are addresses below local memory.
// launch: grid 1 block 32
// arg: n s32 = 8
// arg: out s32[32] = 0
// expect: out = 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67
extern "C" __global__ void walk_back(int n, int *out) {
    int a[16], sum = 0;
    for (int i = 0; i <= n; i++) a[i] = i;
    a[0] = threadIdx.x;
    for (const int *p = a + n; p >= a; p--) sum += *p;
    out[threadIdx.x] = sum;
}

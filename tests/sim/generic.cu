// Generic addresses into global, shared, local and constant memory and parameters; isspacep.
// launch: block 4
// arg: out s32[4] = 0
// expect: out = 10 21 32 43
struct many {
    int value[16];
};
__constant__ int table[4] = {10, 20, 30, 40};
__device__ __noinline__ int read(const int *p, int i) { return p[i]; }
extern "C" __global__ void generic(int *out) {
    __shared__ int box[4];
    int own[8];
    int t = threadIdx.x;
    box[t] = t;
    for (int i = 0; i < 8; i++) own[i] = table[(i + t) % 4] * i;
    __syncthreads();
    const int *p = t & 1 ? box : own;
    int a = read(p, t & 1 ? t : 1), b = read(table, t);
    int mine = a == table[(1 + t) % 4] ? t : 99;
    out[t] = b + (t & 1 ? a : mine) + (__isShared(box) && __isLocal(own) ? 0 : 1000);
}

// kz: sm 80
// launch: grid 1 block 64
// arg: out s32[64] = 0
// arg: n s32 = 12
// expect: out = 286 286 287 289

// Memory on the stack of a size known at run time, inside a function that is called again and again, and
// given back when it returns: more would be taken than there is, were it not.
__device__ __noinline__ int sum_of(int n) {
    int *list = (int *)alloca(n * 4 + 160);
    for (int i = 0; i < n; i++) list[i * 7 % 13] = i;
    int sum = 0;
    for (int i = 0; i < n; i++) sum += list[i * 7 % 13];
    return sum;
}

extern "C" __global__ void allocates(int *out, int n) {
    int sum = 0;
    for (int i = 1; i <= n + (int)threadIdx.x % 32 * 0; i++) sum += sum_of(i);
    int *more = (int *)alloca((threadIdx.x + 1) * 8);
    more[threadIdx.x] = (int)threadIdx.x;
    for (int i = 0; i < (int)threadIdx.x; i++) more[i] = i;
    for (int i = 0; i < (int)threadIdx.x; i++) sum += more[i];
    out[threadIdx.x] = sum;
}

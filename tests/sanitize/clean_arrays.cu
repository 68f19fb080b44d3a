// Pointers into arrays that stay inside of them: to the middle, one past the end, to one of two, by bytes and vectors.
// launch: grid 1 block 32 shared 256
// arg: out s32[32] = 0
// arg: k s32 = 7
// seeds: 2
__device__ __noinline__ int pick(const int *p, int i) { return p[i]; }
extern "C" __global__ void clean_arrays(int *out, int k) {
    __shared__ __align__(16) int a[32];
    __shared__ int b[32][33];
    extern __shared__ int parts[];
    int t = threadIdx.x, x[16], y[2][8], sum = 0;
    char z[5];
    a[t] = t;
    parts[t] = parts[t + 32] = k;
    for (int i = 0; i < 32; i++) b[i][t] = i;
    for (int i = 0; i < 16; i++) x[i] = y[i / 8][(i + k) % 8] = i;
    for (int i = 0; i < 5; i++) z[(i + k) % 5] = (char)i;
    __syncthreads();
    const int *middle = &x[8], *either = k & 1 ? &x[0] : &y[0][0], *shared = k & 1 ? a : parts;
    for (const int *p = a, *end = a + 32; p != end; p++) sum += *p;
    out[t] = sum + middle[(int)(threadIdx.x % 16) - 8] + pick(&x[4], k - 8) + either[k] + shared[31 - t] +
             z[k % 5] + ((const int4 *)a)[t % 8].w + b[t][k];
}

// Loops around compare-and-swap, which begin with a plain read of what others change: a guess, no race.
// launch: grid 4 block 64
// arg: sum f64[1] = 0
// arg: most f32[1] = 0
// arg: count s32[4] = 0
// seeds: 2
static __device__ void add(double *at, double value) {
    unsigned long long *bits = (unsigned long long *)at, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(
            bits, seen,
            (unsigned long long)__double_as_longlong(value + __longlong_as_double((long long)seen)));
    } while (old != seen);
}

static __device__ void raise_to(float *at, float value) {
    int *bits = (int *)at, old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen, __float_as_int(fmaxf(value, __int_as_float(seen))));
    } while (old != seen);
}

static __device__ void increment(int *at) {
    int guess = *at, old = atomicCAS(at, guess, guess + 1);
    while (old != guess) {
        guess = old;
        old = atomicCAS(at, guess, guess + 1);
    }
}

extern "C" __global__ void clean_compare_and_swap(double *sum, float *most, int *count) {
    __shared__ int inside;
    if (threadIdx.x == 0) inside = 0;
    __syncthreads();
    add(sum, 1);
    raise_to(most, (float)threadIdx.x);
    increment(&inside);
    __syncthreads();
    if (threadIdx.x == 0) count[blockIdx.x] = inside;
}

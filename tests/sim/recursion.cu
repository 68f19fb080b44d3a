// Recursion with a different depth in every lane.
// launch: block 12
// arg: out u32[12] = 0
// expect: out = 0 1 1 2 3 5 8 13 21 34 55 89
__device__ __noinline__ unsigned fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursion(unsigned *out) { out[threadIdx.x] = fibonacci(threadIdx.x); }

// launch: block 1
// arg: out u32[1] = 0
// expect fault: stack overflow
// expect fault: endless_recursion.cu
__device__ __noinline__ unsigned down(unsigned n, unsigned *out) {
    return n == 0xffffffffu ? 0 : down(n + 1, out) * 3 + *out;
}
extern "C" __global__ void endless_recursion(unsigned *out) { *out = down(0, out); }

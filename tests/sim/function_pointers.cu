// Calls through pointers that differ from lane to lane, and virtual functions.
// launch: block 6
// arg: out s32[6] = 0
// expect: out = 11 19 30 13 17 50
__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return b - a; }
__device__ __noinline__ int multiply(int a, int b) { return a * b; }
__device__ int (*const table[3])(int, int) = {add, subtract, multiply};
__constant__ int operands[6] = {1, 1, 3, 3, 3, 5};
extern "C" __global__ void function_pointers(int *out) {
    int b = threadIdx.x == 1 || threadIdx.x == 4 ? 20 : 10;
    out[threadIdx.x] = table[threadIdx.x % 3](operands[threadIdx.x], b);
}

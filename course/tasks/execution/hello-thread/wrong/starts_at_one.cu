// fails: result
// The right element, but the number is counted from 1.
extern "C" __global__ void hello_thread(int *who, int n) { who[threadIdx.x] = threadIdx.x + 1; }

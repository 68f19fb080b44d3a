// fails: result
// The right place, but the number of a person's finger-counting.
extern "C" __global__ void hello_thread(int *who, int n) { who[threadIdx.x] = threadIdx.x + 1; }

// fails: result
// All threads write into the same element: the others are never written.
extern "C" __global__ void hello_thread(int *who, int n) { who[0] = threadIdx.x; }

// fails: fault
// Counts from 1, as people do: the last thread writes past the end.
extern "C" __global__ void hello_thread(int *who, int n) { who[threadIdx.x + 1] = threadIdx.x + 1; }

// fails: result
// blockIdx.x is the block's number, and there is one block: every element is 0.
extern "C" __global__ void hello_thread(int *who, int n) { who[threadIdx.x] = blockIdx.x; }

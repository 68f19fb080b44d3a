// Blocks read what their neighbours write, in one launch.
// launch: grid 4 block 64
// arg: data s32[257] = 1
// expect finding: race two blocks
// seeds: 2
extern "C" __global__ void race_neighbours(int *data) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int next = data[i + 1];
    __syncthreads();
    data[i] = next;
}

// launch: block 64 shared 128
// arg: out s32[64] = 0
// expect fault: in shared memory is out of bounds
// expect fault: block (0,0,0), thread (32,0,0)
// expect fault: 128 bytes of shared memory
extern __shared__ int box[];
extern "C" __global__ void shared_past(int *out) {
    box[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = box[63 - threadIdx.x];
}

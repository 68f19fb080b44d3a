extern "C" __global__ void sum(const float *x, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if (i < n) atomicAdd(total, x[i]);
    // kz: starter
    //|     // loses nearly all additions: try it, and read what the grader says
    //|     if (i < n) *total += x[i];
    // kz: end
}

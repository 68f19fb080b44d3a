extern "C" __global__ void sum(const float *x, float *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // kz: begin
    if (i < n) atomicAdd(total, x[i]);
    // kz: starter
    //|     if (i < n) *total += x[i]; // loses nearly all additions: try it, and read what the grader says
    // kz: end
}

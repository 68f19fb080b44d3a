// kz: begin
__constant__ float table[8][4] = {
    // kz: starter
    //| __device__ float table[8][4] = {
    // kz: end
    {0.25f, 1.5f, -0.125f, 0.0625f}, {-0.5f, 0.875f, 0.25f, -0.03125f},
    {0.0f, 1.0f, 0.5f, 0.25f},       {1.0f, -1.0f, 0.75f, -0.5f},
    {0.125f, 2.0f, -1.5f, 1.0f},     {-0.75f, 0.5f, 0.5f, 0.5f},
    {2.0f, 0.25f, -0.25f, 0.125f},   {-1.25f, 1.75f, 0.375f, -0.625f},
};

extern "C" __global__ void calibrate(const float *x, float *y, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n) return;
    // the same for all threads of the block
    const float *t = table[blockIdx.y];
    size_t place = (size_t)blockIdx.y * n + i;
    float a = x[place];
    y[place] = t[0] + a * (t[1] + a * (t[2] + a * t[3]));
}

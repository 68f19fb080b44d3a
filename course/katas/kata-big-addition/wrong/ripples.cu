// fails: gate shuffles
// Right: the carry walks from lane to lane in 31 steps.
extern "C" __global__ void add_long(const unsigned *x, const unsigned *y, unsigned *z, int numbers) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i / 32 >= numbers) return; // the whole warp
    unsigned sum = x[i] + y[i];
    unsigned out = sum < x[i], in = 0;
    for (int step = 1; step < 32; step++) {
        unsigned before = __shfl_up_sync(0xffffffffu, out, 1);
        in = lane ? before : 0;
        out = sum < x[i] || (sum == 0xffffffffu && in);
    }
    z[i] = sum + in;
}

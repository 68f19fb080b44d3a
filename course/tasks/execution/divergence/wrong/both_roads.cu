// fails: gate flops
// Every lane computes both roads and keeps one: no branch, no idle lane, and half of the work is thrown away.
extern "C" __global__ void two_roads(const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float even = 1.0f, odd = 1.0f;
    for (int step = 0; step < 24; step++) {
        even = even * x[i] + 1.0f;
        odd = odd - 0.25f * (odd * odd - (1.0f + x[i]));
    }
    out[i] = i % 2 == 0 ? even : odd;
}

// A small program to trace by hand: kz run files/trace.cu prints what it computes.
#include <cstdio>

__global__ void trace(const int *in, int *out, int *visits, int n) {
    int step = gridDim.x * blockDim.x;
    int total = 0, turns = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        if (in[i] % 3 == 0)
            total += in[i];
        else if (threadIdx.x % 2 == 1)
            total -= 1;
        turns++;
    }
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = total;
    visits[t] = turns;
}

int main() {
    const int n = 19, threads = 8;
    int host[n], *in, *out, *visits;
    for (int i = 0; i < n; i++) host[i] = i + 1; // 1, 2, 3, ... 19
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, threads * sizeof(int));
    cudaMalloc(&visits, threads * sizeof(int));
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    trace<<<2, 4>>>(in, out, visits, n);
    int totals[threads], turns[threads];
    cudaMemcpy(totals, out, sizeof totals, cudaMemcpyDeviceToHost);
    cudaMemcpy(turns, visits, sizeof turns, cudaMemcpyDeviceToHost);
    for (int t = 0; t < threads; t++)
        printf("block %d thread %d: total %d turns %d\n", t / 4, t % 4, totals[t], turns[t]);
    cudaFree(in), cudaFree(out), cudaFree(visits);
    return 0;
}

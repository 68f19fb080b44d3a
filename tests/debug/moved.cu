// Lines that only name a constant, or a special register: no thread can stop there.
__global__ void moved(int *out, int n) {
    int i = threadIdx.x;
    int extra = 0;
    if (i < n) // two lines: only the first is a place to stop
        extra = 7;
    out[i] = extra + 2;
}

int main() {
    int *out;
    cudaMalloc(&out, 64 * sizeof *out);
    moved<<<1, 64>>>(out, 40);
    cudaDeviceSynchronize();
    return 0;
}

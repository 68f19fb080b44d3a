// Copies and shifts, 16 bytes at a time and one by one.
//
// bug 1 misaligned: 16 bytes from an address that is a multiple of 4
// bug 2 out-of-bounds: the tail is taken for a whole vector
// bug 3 race: elements move by one place in place
// bug 4 out-of-bounds: bytes counted as elements
// bug 5 misaligned: a structure of 12 bytes read as one of 16
#define BUGS 5
#include "bugs.cuh"

enum { N = 1001 };

template <int bug> __global__ void copy(const float *in, float *out, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 4 <= n || (BUG(2) && i < n)) {
        *reinterpret_cast<float4 *>(out + i) = *reinterpret_cast<const float4 *>(in + i + (BUG(1) ? 1 : 0)); // <- 1 2
    } else {
        for (; i < n; i++) out[i] = in[i];
    }
}

template <int bug> __global__ void shift(float *data, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < (BUG(4) ? n * 4 : n)) (BUG(3) ? data : out)[i] = data[i + 1]; // <- 3 4
}

template <int bug> __global__ void points(const float *in, float4 *out) {
    int t = threadIdx.x;
    if (BUG(5))
        out[t] = *reinterpret_cast<const float4 *>(in + 3 * t); // <- 5
    else
        out[t] = make_float4(in[3 * t], in[3 * t + 1], in[3 * t + 2], 0);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    static float in[N], out[N];
    for (int i = 0; i < N; i++) in[i] = (float)i;
    float *device_in = device(N, in), *device_out = zeros<float>(N), *data = device(N, in);
    float4 *all = zeros<float4>(32);
    PICK(copy)<<<2, 128>>>(device_in, device_out, N);
    launched();
    fetch(out, device_out, N);
    bool right = !memcmp(in, out, sizeof in);
    PICK(shift)<<<which == 4 ? 40 : 8, 128>>>(data, device_out, N);
    launched();
    PICK(points)<<<1, 32>>>(device_in, all);
    launched();
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    CHECK(cudaFree(data));
    CHECK(cudaFree(all));
    return finish(right);
}

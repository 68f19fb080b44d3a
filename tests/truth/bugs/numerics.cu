// NaN and infinities made from ordinary numbers.
//
// bug 1 numerics-inf|numerics-nan: exponentials of large numbers, without taking off the largest
// bug 2 numerics-nan: nothing divided by nothing
// bug 3 numerics-inf|numerics-nan: the logarithm of nothing
// bug 4 numerics-nan: the root of a variance that came out negative
// bug 5 numerics-inf: a sum that f16 cannot hold
// bug 6 numerics-inf: division by zero
#define BUGS 6
#include "bugs.cuh"
#include <cuda_fp16.h>

enum { N = 64 };

template <int bug> __global__ void softmax(const float *in, float *out) {
    int t = threadIdx.x;
    float largest = in[0], sum = 0;
    for (int i = 1; i < N; i++) largest = fmaxf(largest, in[i]);
    if (BUG(1)) largest = 0;
    for (int i = 0; i < N; i++) sum += expf(in[i] - largest); // <- 1
    out[t] = expf(in[t] - largest) / sum; // <- 1
}

template <int bug> __global__ void mean(const float *in, const float *weights, float *out) {
    int t = threadIdx.x;
    float sum = 0, weight = 0;
    for (int i = 0; i < t % 4; i++) sum += in[i] * weights[i], weight += weights[i];
    out[t] = sum / (BUG(2) ? weight : fmaxf(weight, 1e-30f)); // <- 2
    out[t] += __log2f(BUG(3) ? weights[t] : weights[t] + 1); // <- 3
}

template <int bug> __global__ void deviation(const float *in, float *out) {
    float sum = 0, squares = 0;
    for (int i = 0; i < N; i++) sum += 1000.1f, squares += 1000.1f * 1000.1f;
    float m = sum / N, variance = squares / N - m * m;
    if (!BUG(4)) variance = fmaxf(variance, 0.0f);
    else variance = -fabsf(variance) - 1e-3f;
    out[threadIdx.x] = sqrtf(variance); // <- 4
    out[threadIdx.x] += 1.0f / (BUG(6) ? in[threadIdx.x] - in[threadIdx.x] : in[threadIdx.x] + 1); // <- 6
}

template <int bug> __global__ void halves(const __half *in, __half *out) {
    __half sum = __float2half(0.0f);
    for (int i = 0; i < N; i++) sum = __hadd(sum, in[BUG(5) ? N - 1 : i % 4]); // <- 5
    out[threadIdx.x] = sum;
}

int main(int argc, char **argv) {
    begin(argc, argv);
    float in[N], weights[N];
    __half small[N];
    for (int i = 0; i < N; i++) in[i] = 2.0f * i, weights[i] = i % 2 ? 1.0f : 0.0f, small[i] = __float2half(40.0f * i);
    float *device_in = device(N, in), *device_weights = device(N, weights), *out = zeros<float>(N);
    __half *device_small = device(N, small), *half_out = zeros<__half>(N);
    PICK(softmax)<<<1, N>>>(device_in, out);
    launched();
    PICK(mean)<<<1, N>>>(device_in, device_weights, out);
    launched();
    PICK(deviation)<<<1, N>>>(device_in, out);
    launched();
    PICK(halves)<<<1, 32>>>(device_small, half_out);
    launched();
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_weights));
    CHECK(cudaFree(out));
    CHECK(cudaFree(device_small));
    CHECK(cudaFree(half_out));
    return finish(true);
}

// bench_saxpy [n]: time, GB/s, GFLOP/s, and the point on this machine's roofline, measured now.
//
// The median of several runs, each timed by events. The peaks are measured, not looked up: a copy on the
// device for memory, independent chains of fused multiply-adds for arithmetic.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.h"
#include "saxpy.h"

static const double BYTES_PER_ELEMENT = 12; // reads x and y, writes y
static const double FLOPS_PER_ELEMENT = 2;  // one multiplication, one addition

// The seconds of one call: the median of `runs`, after one that warms up.
template <typename Work> static double seconds_of(int runs, Work work) {
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    std::vector<double> times;
    for (int i = 0; i <= runs; i++) {
        float milliseconds;
        CHECK(cudaEventRecord(from));
        work();
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&milliseconds, from, to));
        if (i > 0) times.push_back(milliseconds / 1e3);
    }
    CHECK(cudaEventDestroy(from));
    CHECK(cudaEventDestroy(to));
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

// Eight chains per thread hide the latency of each; the result is written only where it could not be foreseen.
static __global__ void multiply_add(int rounds, float a, float *out) {
    float c[8];
    for (int k = 0; k < 8; k++) c[k] = (float)(threadIdx.x + k);
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < 8; k++) c[k] = c[k] * a + 1.0f;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += c[k];
    if (sum == 42.0f) *out = sum;
}

static double measure_flops(const cudaDeviceProp &gpu, int runs, int rounds, float *out) {
    int blocks = gpu.multiProcessorCount * (runs > 1 ? 8 : 1), threads = 256;
    double seconds = seconds_of(runs, [&] {
        multiply_add<<<blocks, threads>>>(rounds, 0.5f, out);
        CHECK(cudaGetLastError());
    });
    return 2.0 * 8 * rounds * (double)blocks * threads / seconds;
}

static double measure_bytes(size_t n, int runs, const float *from, float *to) {
    size_t bytes = n * sizeof(float);
    double seconds =
        seconds_of(runs, [&] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice)); });
    return 2.0 * (double)bytes / seconds;
}

static void report(size_t n, double seconds, double peak_bytes, double peak_flops) {
    double bytes = BYTES_PER_ELEMENT * (double)n, flops = FLOPS_PER_ELEMENT * (double)n;
    double intensity = flops / bytes, ridge = peak_flops / peak_bytes;
    double attainable = std::min(peak_flops, intensity * peak_bytes);
    std::printf("n %zu   %.3f us   %.1f GB/s   %.1f GFLOP/s\n", n, seconds * 1e6, bytes / seconds / 1e9,
                flops / seconds / 1e9);
    std::printf("peaks  memory %.1f GB/s (copy)   arithmetic %.1f GFLOP/s (fused multiply-add)\n",
                peak_bytes / 1e9, peak_flops / 1e9);
    std::printf("point  %.3f FLOP/byte, ridge at %.1f: bound by %s; %.1f%% of the attainable %.1f GFLOP/s\n",
                intensity, ridge, intensity < ridge ? "memory" : "arithmetic",
                100 * flops / seconds / attainable, attainable / 1e9);
}

int main(int argc, char **argv) {
    cudaDeviceProp gpu;
    CHECK(cudaGetDeviceProperties(&gpu, 0));
    bool simulated = std::getenv("KZ_OBSERVE") != NULL; // kz says by it what its simulator is to count
    size_t n = argc > 1 ? std::strtoull(argv[1], NULL, 0) : simulated ? (size_t)1 << 16 : (size_t)1 << 26;
    if (n == 0) return std::fprintf(stderr, "bench_saxpy [n]: n is a number from 1 on\n"), 2;
    int runs = simulated ? 1 : 20, rounds = simulated ? 4 : 4096;
    float *x, *y;
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    CHECK(cudaMalloc(&y, n * sizeof(float)));
    CHECK(cudaMemset(x, 0, n * sizeof(float)));
    CHECK(cudaMemset(y, 0, n * sizeof(float)));
    std::printf("%s%s\n", simulated ? "simulated " : "", gpu.name);
    double seconds = seconds_of(runs, [&] { CHECK(saxpy(n, 0.5f, x, y, 0)); });
    report(n, seconds, measure_bytes(n, runs, x, y), measure_flops(gpu, runs, rounds, y));
    if (simulated)
        std::printf(
            "These are the simulator's own times, and say nothing about a GPU: see the counts of kz prof.\n");
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    return 0;
}

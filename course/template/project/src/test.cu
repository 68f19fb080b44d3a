// Compares the kernel with a loop on the CPU, in double, on sizes around a warp and a block.
//
// One multiplication and one addition, or both in one: an error of at most one rounding of the product and
// one of the sum. NaN fails, because !(difference <= bound) holds for it. An unwritten element fails: all of
// y is checked, and a guard after it must not change.
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"
#include "saxpy.h"

static const size_t GUARD = 64;
static const float MARK = -12345.0f;

// Numbers in [-1, 1) that differ from each other: the same seed gives the same ones.
static float number(unsigned long long *state) {
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return (float)((double)(*state >> 40) / (1 << 23) - 1.0);
}

static size_t count_wrong(size_t n, float a, const std::vector<float> &x, const std::vector<float> &before,
                          const std::vector<float> &after) {
    const double u = 1.0 / (1 << 24);
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double product = (double)a * x[i], expected = product + before[i];
        double bound = u * (std::fabs(product) + std::fabs(expected)) * 1.01;
        if (std::fabs(after[i] - expected) <= bound) continue;
        if (wrong++ == 0)
            std::printf("n = %zu: y[%zu] is %.9g, should be %.9g\n", n, i, (double)after[i], expected);
    }
    for (size_t i = n; i < n + GUARD; i++)
        if (after[i] != MARK && wrong++ == 0) std::printf("n = %zu: wrote past the end, y[%zu]\n", n, i);
    return wrong;
}

static size_t run(size_t n, unsigned long long seed) {
    std::vector<float> x(n + GUARD, MARK), y(n + GUARD, MARK), result(n + GUARD);
    for (size_t i = 0; i < n; i++) x[i] = number(&seed), y[i] = number(&seed);
    float a = number(&seed), *device_x, *device_y;
    size_t bytes = (n + GUARD) * sizeof(float);
    CHECK(cudaMalloc(&device_x, bytes));
    CHECK(cudaMalloc(&device_y, bytes));
    CHECK(cudaMemcpy(device_x, x.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_y, y.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(saxpy(n, a, device_x, device_y, 0));
    CHECK(cudaMemcpy(result.data(), device_y, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    return count_wrong(n, a, x, y, result);
}

int main() {
    const size_t sizes[] = {0, 1, 2, 31, 32, 33, 255, 256, 257, 1023, 1025, 10007};
    size_t wrong = 0;
    for (size_t n : sizes) wrong += run(n, 2026 + n);
    std::printf("%s\n", wrong ? "FAILED" : "all right");
    return wrong ? 1 : 0;
}

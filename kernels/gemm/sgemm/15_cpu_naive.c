// sgemm 15: three loops on one core
//
// Idea     the definition: for each element of c, go along a row of a and down a column of b.
// Change   the first version of the CPU's ladder.
// Expect   each step down the column opens another line of b, and uses 4 bytes of its 64.
// Limit    the sum is one chain of additions: each waits for the one before, and nothing can be vectorised.
#include "private.h"

static void multiply(const kz_native_launch *launch) {
    sgemm_native g = sgemm_native_args(launch);
    for (uint64_t i = 0; i < g.m; i++)
        for (uint64_t j = 0; j < g.n; j++) {
            float sum = 0.0f;
            for (uint64_t x = 0; x < g.k; x++) sum += g.a[i * g.k + x] * g.b[x * g.n + j];
            g.c[i * g.n + j] = sum;
        }
}

const kz_native_entry sgemm_cpu_naive_natives[] = {{"sgemm_cpu_naive_gemm_f32", multiply}, {0}};

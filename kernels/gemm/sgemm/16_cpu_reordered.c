// sgemm 16: the same loops in another order
//
// Idea     swap the two inner loops: then b and c are both gone through along their rows.
// Change   for each number of a: a row of b, times it, is added to a row of c.
// Expect   whole lines are used, neighbouring additions are independent, and the compiler makes vectors of
//          them.
// Limit    all of b passes by for every row of c; once it is larger than the caches, memory sets the pace.
#include <string.h>

#include "private.h"

static void multiply(const kz_native_launch *launch) {
    sgemm_native g = sgemm_native_args(launch);
    for (uint64_t i = 0; i < g.m; i++) {
        float *restrict to = g.c + i * g.n;
        memset(to, 0, g.n * sizeof *to);
        for (uint64_t x = 0; x < g.k; x++) {
            float left = g.a[i * g.k + x];
            const float *right = g.b + x * g.n;
            for (uint64_t j = 0; j < g.n; j++) to[j] += left * right[j];
        }
    }
}

const kz_native_entry sgemm_cpu_reordered_natives[] = {{"sgemm_cpu_reordered_gemm_f32", multiply}, {0}};

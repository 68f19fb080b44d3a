// sgemm 17: blocks that stay in the caches
//
// Idea     use a piece of b for all rows of c while it is near, before going on to the next piece.
// Change   b in blocks of 256 x 256, which stay in L2; of c, four rows of such a block at a time stay in L1,
//          and each number of b that is loaded serves all four.
// Expect   b comes from memory once for each block of columns, not once for each row of c.
// Limit    every multiply-add still loads and stores its element of c, from L1 (see 18).
#include <string.h>

#include "private.h"
#include "tune.h"

enum { BLOCK = SGEMM_CPU_BLOCK, ROWS = 4 };

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Four rows of c from column `j0` on, `width` of them, with k from x0 to x1.
static void add_four(const sgemm_native *g, uint64_t i, uint64_t j0, uint64_t width, uint64_t x0,
                     uint64_t x1) {
    float *restrict c0 = g->c + i * g->n + j0, *restrict c1 = c0 + g->n;
    float *restrict c2 = c1 + g->n, *restrict c3 = c2 + g->n;
    const float *a = g->a + i * g->k;
    for (uint64_t x = x0; x < x1; x++) {
        const float *right = g->b + x * g->n + j0;
        float a0 = a[x], a1 = a[g->k + x], a2 = a[2 * g->k + x], a3 = a[3 * g->k + x];
        for (uint64_t j = 0; j < width; j++) {
            c0[j] += a0 * right[j];
            c1[j] += a1 * right[j];
            c2[j] += a2 * right[j];
            c3[j] += a3 * right[j];
        }
    }
}

static void add_one(const sgemm_native *g, uint64_t i, uint64_t j0, uint64_t width, uint64_t x0,
                    uint64_t x1) {
    float *restrict to = g->c + i * g->n + j0;
    for (uint64_t x = x0; x < x1; x++) {
        const float *right = g->b + x * g->n + j0;
        float left = g->a[i * g->k + x];
        for (uint64_t j = 0; j < width; j++) to[j] += left * right[j];
    }
}

static void multiply(const kz_native_launch *launch) {
    sgemm_native g = sgemm_native_args(launch);
    memset(g.c, 0, g.m * g.n * sizeof *g.c);
    for (uint64_t j = 0; j < g.n; j += BLOCK)
        for (uint64_t x = 0; x < g.k; x += BLOCK) {
            uint64_t width = least(BLOCK, g.n - j), end = least(x + BLOCK, g.k), i = 0;
            for (; i + ROWS <= g.m; i += ROWS) add_four(&g, i, j, width, x, end);
            for (; i < g.m; i++) add_one(&g, i, j, width, x, end);
        }
}

const kz_native_entry sgemm_cpu_blocked_natives[] = {{"sgemm_cpu_blocked_gemm_f32", multiply}, {0}};

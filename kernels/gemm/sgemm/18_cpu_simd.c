// sgemm 18: the tile of c in vector registers
//
// Idea     what register tiles are to a GPU's thread, they are to a core: load c once, not for each product.
// Change   12 x 32 elements of c stay in registers for 192 of k (panel.c). a and b are packed first, into
//          panels of 12 rows and 32 columns in the order in which they are read: no line and no page is
//          touched in vain.
// Expect   14 loads for 24 multiply-adds of 16 lanes with AVX-512: the arithmetic is the limit.
// Limit    one core (see 19).
#include <string.h>

#include "private.h"
#include "tune.h"

enum { MR = PANEL_ROWS, NR = PANEL_COLUMNS, DEPTH = SGEMM_CPU_DEPTH };

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// Zeros stand for rows and columns past the end: what comes of them is dropped.
static void pack_rows(const sgemm_native *g, uint64_t panel, float *to) {
    uint64_t first = panel * MR, rows = least(MR, g->m - first);
    for (uint64_t r = 0; r < MR; r++)
        for (uint64_t x = 0; x < g->k; x++) to[x * MR + r] = r < rows ? g->a[(first + r) * g->k + x] : 0.0f;
}

static void pack_columns(const sgemm_native *g, uint64_t panel, float *to) {
    uint64_t first = panel * NR, columns = least(NR, g->n - first);
    for (uint64_t x = 0; x < g->k; x++, to += NR) {
        memcpy(to, g->b + x * g->n + first, columns * sizeof *to);
        memset(to + columns, 0, (NR - columns) * sizeof *to);
    }
}

static void pack(const kz_native_launch *launch) {
    sgemm_native g = sgemm_native_args(launch);
    float *a = *(float *const *)launch->args[6], *b = *(float *const *)launch->args[7];
    uint64_t a_panels = kz_ceil_div(g.m, MR), all = a_panels + kz_ceil_div(g.n, NR);
    for (uint64_t p = launch->block_index[0]; p < all; p += launch->grid[0])
        if (p < a_panels)
            pack_rows(&g, p, a + p * MR * g.k);
        else
            pack_columns(&g, p - a_panels, b + (p - a_panels) * NR * g.k);
}

// A tile at the edge of c goes by way of a whole one.
static void multiply_panel(sgemm_panel multiply, const sgemm_native *g, const float *a, const float *b,
                           uint64_t depth, uint64_t i, uint64_t j, bool first) {
    float *c = g->c + i * g->n + j;
    if (i + MR <= g->m && j + NR <= g->n) {
        multiply(a, b, depth, c, g->n, first);
        return;
    }
    float whole[MR * NR];
    multiply(a, b, depth, whole, NR, true);
    for (uint64_t r = 0; r < least(MR, g->m - i); r++)
        for (uint64_t s = 0; s < least(NR, g->n - j); s++)
            c[r * g->n + s] = whole[r * NR + s] + (first ? 0.0f : c[r * g->n + s]);
}

static void multiply_tile(sgemm_panel multiply, const sgemm_native *g, const float *a, const float *b,
                          uint64_t row, uint64_t column) {
    uint64_t row_end = least(row + SGEMM_CPU_TILE_ROWS, g->m);
    uint64_t column_end = least(column + SGEMM_CPU_TILE_COLUMNS, g->n);
    for (uint64_t x = 0; x < g->k; x += DEPTH)
        for (uint64_t j = column; j < column_end; j += NR)
            for (uint64_t i = row; i < row_end; i += MR)
                multiply_panel(multiply, g, a + i * g->k + x * MR, b + j * g->k + x * NR,
                               least(DEPTH, g->k - x), i, j, x == 0);
}

static void multiply_packed(const kz_native_launch *launch) {
    sgemm_native g = sgemm_native_args(launch);
    const float *a = *(const float *const *)launch->args[6], *b = *(const float *const *)launch->args[7];
    sgemm_panel multiply = sgemm_choose_panel();
    uint64_t across = kz_ceil_div(g.n, SGEMM_CPU_TILE_COLUMNS);
    uint64_t tiles = across * kz_ceil_div(g.m, SGEMM_CPU_TILE_ROWS);
    for (uint64_t t = launch->block_index[0]; t < tiles; t += launch->grid[0])
        multiply_tile(multiply, &g, a, b, t / across * SGEMM_CPU_TILE_ROWS,
                      t % across * SGEMM_CPU_TILE_COLUMNS);
}

const kz_native_entry sgemm_cpu_simd_natives[] = {
    {"sgemm_cpu_pack_gemm_f32", pack}, {"sgemm_cpu_packed_gemm_f32", multiply_packed}, {0}};

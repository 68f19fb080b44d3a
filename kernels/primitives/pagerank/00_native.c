// pagerank 00: plain C on the `cpu` device
//
// Idea     each block of the grid pulls for a run of neighbouring vertices.
// Change   none: it stands before the ladder. Sums are accumulated in double.
// Expect   bound by loads of ranks at random; cores share nothing that is written.
#include "private.h"

static void pull(const kz_native_launch *launch) {
    const uint32_t *out = *(const uint32_t *const *)launch->args[0];
    const uint32_t *in = *(const uint32_t *const *)launch->args[1];
    const uint32_t *sources = *(const uint32_t *const *)launch->args[2];
    const float *rank = *(const float *const *)launch->args[3];
    float *next = *(float *const *)launch->args[4];
    uint64_t n = *(const uint64_t *)launch->args[5], chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t from = kz_min_u64(n, chunk * launch->block_index[0]);
    for (uint64_t v = from; v < kz_min_u64(n, from + chunk); v++) {
        double sum = 0.0;
        for (uint64_t e = in[v]; e < in[v + 1]; e++) {
            uint32_t u = sources[e];
            sum += (double)(rank[u] / (float)(out[u + 1] - out[u]));
        }
        next[v] = (float)((1.0 - PAGERANK_DAMPING) / (double)n + PAGERANK_DAMPING * sum);
    }
}

const kz_native_entry pagerank_natives[] = {{"pagerank_native_step_f32", pull}, {0}};

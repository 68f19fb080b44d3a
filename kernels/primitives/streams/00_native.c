// streams 00: plain C on the `cpu` device
//
// Idea     the host has the data already: no copies, just the loop.
// Change   none: it stands before the ladder. Each block of the grid is one contiguous chunk.
// Expect   what the pipelines must beat, copies included, for the detour over a GPU to be worth it.
#include "private.h"

static void work_f32(const kz_native_launch *launch) {
    const float *x = *(const float *const *)launch->args[0];
    float *y = *(float *const *)launch->args[1];
    uint64_t n = *(const uint64_t *)launch->args[2], rounds = *(const uint64_t *)launch->args[3];
    float a = *(const float *)launch->args[4], b = *(const float *)launch->args[5];
    uint64_t chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t first = kz_min_u64(n, chunk * launch->block_index[0]);
    uint64_t end = kz_min_u64(n, first + chunk);
    for (uint64_t i = first; i < end; i++) {
        float v = x[i];
        for (uint64_t r = 0; r < rounds; r++) v = a * v + b;
        y[i] = v;
    }
}

const kz_native_entry streams_natives[] = {{"streams_native_work_f32", work_f32}, {0}};

// vector_add 00: plain C on the `cpu` device
//
// Idea     the loop everybody writes first; what the compiler makes of it is the CPU's own naive version.
// Change   none: it stands before the ladder. Each block of the grid is one contiguous chunk.
// Expect   a core adds as fast as its memory gives; blocks run on all cores.
#include "private.h"
#include "tune.h"

static void add_f32(const kz_native_launch *launch) {
    const float *x = *(const float *const *)launch->args[0];
    const float *y = *(const float *const *)launch->args[1];
    float *z = *(float *const *)launch->args[2];
    uint64_t n = *(const uint64_t *)launch->args[3];
    uint64_t chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t first = kz_min_u64(n, chunk * launch->block_index[0]);
    uint64_t end = kz_min_u64(n, first + chunk);
    for (uint64_t i = first; i < end; i++) z[i] = x[i] + y[i];
}

const kz_native_entry vector_add_natives[] = {{"vector_add_native_add_f32", add_f32}, {0}};

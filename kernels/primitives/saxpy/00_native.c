// saxpy 00: plain C on the `cpu` device
//
// Idea     the loop everybody writes first; what the compiler makes of it is the CPU's own naive version.
// Change   none: it stands before the ladder. Each block of the grid is one contiguous chunk.
// Expect   a core goes as fast as its memory gives; blocks run on all cores.
#include "private.h"

static void saxpy_f32(const kz_native_launch *launch) {
    float a = *(const float *)launch->args[0];
    const float *x = *(const float *const *)launch->args[1];
    float *y = *(float *const *)launch->args[2];
    uint64_t n = *(const uint64_t *)launch->args[3];
    uint64_t chunk = kz_ceil_div(n, launch->grid[0]);
    uint64_t first = kz_min_u64(n, chunk * launch->block_index[0]);
    uint64_t end = kz_min_u64(n, first + chunk);
    for (uint64_t i = first; i < end; i++) y[i] = a * x[i] + y[i];
}

const kz_native_entry saxpy_natives[] = {{"saxpy_native_saxpy_f32", saxpy_f32}, {0}};

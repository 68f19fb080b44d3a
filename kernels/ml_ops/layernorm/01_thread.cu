// layernorm 01: a thread per row
//
// Idea     the definition: a pass for the mean, one for the squared differences from it, one that writes. Backward, a thread
//          per row for dx, and then a thread per column for dgamma and dbeta.
// Change   the first version.
// Expect   right, and slow: lanes of a warp are a row apart, so a load touches 32 sectors for 32 elements, in each pass. The
//          columns' sums are coalesced, but 4096 columns are 16 blocks.
// Limit    few rows, or few columns, are few threads (see 02).

#include "layernorm.cuh"
#include "ml_ops/norm_passes.cuh"

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(layernorm_thread_forward_##type) NORM_ARGS(T) {                                                 \
        kz_row_lanes_team alone = {1};                                                                       \
        size_t row = kz_thread();                                                                            \
        if (row < rows) norm_take<NORM_LAYER, NORM_PLAIN>(NORM_GIVEN(T), alone, {row, 0, 1, (int)columns});  \
    }                                                                                                        \
    KZ_ENTRY(layernorm_thread_backward_##type) NORM_BACK_ARGS(T) {                                           \
        kz_row_lanes_team alone = {1};                                                                       \
        size_t row = kz_thread();                                                                            \
        if (row < rows)                                                                                      \
            norm_take_back<NORM_LAYER, false>(NORM_BACK_GIVEN(T), alone, {row, 0, 1, (int)columns});         \
    }                                                                                                        \
    KZ_ENTRY(layernorm_thread_down_backward_##type) NORM_DOWN_ARGS(T) {                                      \
        norm_add_down<NORM_LAYER>(dy, x, mean, rstd, dgamma, dbeta, rows, columns);                          \
    }
NORM_TYPES(ENTRY)

// rmsnorm 01: a thread per row
//
// Idea     a row needs one owner: the thread adds its squares, then goes over it again and scales. Backward, a thread per row
//          for dx, and then a thread per column for dweight.
// Change   the first version.
// Expect   right, and slow: lanes of a warp are a row apart, so a load touches 32 sectors for 32 elements.
// Limit    few rows are few threads, and no access is coalesced (see 02).

#include "rmsnorm.cuh"
#include "ml_ops/norm_passes.cuh"

#define ENTRY(type, T)                                                                                       \
    KZ_ENTRY(rmsnorm_thread_rmsnorm_##type) NORM_ARGS(T) {                                                   \
        kz_row_lanes_team alone = {1};                                                                       \
        size_t row = kz_thread();                                                                            \
        if (row < rows) norm_take<NORM_RMS, NORM_PLAIN>(NORM_GIVEN(T), alone, {row, 0, 1, (int)columns});    \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_thread_backward_##type) NORM_BACK_ARGS(T) {                                             \
        kz_row_lanes_team alone = {1};                                                                       \
        size_t row = kz_thread();                                                                            \
        if (row < rows)                                                                                      \
            norm_take_back<NORM_RMS, false>(NORM_BACK_GIVEN(T), alone, {row, 0, 1, (int)columns});           \
    }                                                                                                        \
    KZ_ENTRY(rmsnorm_thread_down_backward_##type) NORM_DOWN_ARGS(T) {                                        \
        norm_add_down<NORM_RMS>(dy, x, mean, rstd, dgamma, dbeta, rows, columns);                            \
    }
NORM_TYPES(ENTRY)

// softmax 01: a thread per row
//
// Idea     the definition: a pass for the largest element, one for the sum of exponentials, one that writes. The largest is
//          subtracted, for exp(89) is more than a float holds.
// Change   the first version.
// Expect   right, and slow: lanes of a warp are a row apart, so a load touches 32 sectors for 32 elements, three times.
// Limit    few rows are few threads, and no access is coalesced (see 02).

#include "passes.cuh"

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY(softmax_thread_##operation##_##type) SOFTMAX_ARGS(T) {                                          \
        kz_row_lanes_team alone = {1};                                                                       \
        if (kz_thread() < batch * rows)                                                                      \
            take_row(program(a, b, out, rows), alone, kz_thread(), (int)columns, 0, 1);                      \
    }
SOFTMAX_ALL(ENTRY)

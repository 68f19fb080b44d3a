// cross_entropy 01: a thread per row
//
// Idea     the definition: a pass for the largest logit, one for the sum of exponentials, and one that writes the gradient.
// Change   the first version. No probability is stored: loss and gradient come from two values per row.
// Expect   right, and slow: lanes of a warp are a row apart, so a load touches 32 sectors for 32 logits, in each pass.
// Limit    few rows are few threads, and no access is coalesced (see 02).

#include "passes.cuh"

#define ENTRY(operation, type, args, program)                                                                \
    KZ_ENTRY(cross_entropy_thread_##operation##_##type) args {                                               \
        kz_row_lanes_team alone = {1};                                                                       \
        size_t row = kz_thread();                                                                            \
        if (row < rows) take_row(program, alone, row, {row * classes, 0, 1, (int)classes});                  \
    }
ENTROPY_ALL(ENTRY)

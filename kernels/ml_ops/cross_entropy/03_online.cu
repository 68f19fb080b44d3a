// cross_entropy 03: one pass for largest logit and sums
//
// Idea     a sum of exp(x - m) for the largest logit so far becomes that for a larger one by a factor: exp(m - larger). So
//          one pass finds both.
// Change   the row frame reads 16 bytes per load, four loads in flight per thread. The loss takes one pass, and so does the
//          backward pass; the gradient in place reads a row a second time.
// Expect   loss and backward at the speed of memory; the gradient too, as long as L2 serves its second reading.
// Limit    the gradient's second reading is a load per pack, and L2's (see 04, 05). The only variant of rows of any length
//          on every GPU that reads whole packs.

#include "cross_entropy.cuh"

#define ENTRY(operation, type, args, program)                                                                \
    KZ_ENTRY_BOUNDS(cross_entropy_online_##operation##_##type, 512, 2) args {                                \
        auto p = program;                                                                                    \
        kz_rows_stream(p, rows, classes);                                                                    \
    }
ENTROPY_ALL(ENTRY)

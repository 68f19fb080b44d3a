// softmax 03: one pass for largest and sum
//
// Idea     a sum of exp(x - m) for the largest element so far becomes that for a larger one by a factor: exp(m - larger).
//          So one pass finds both, and pairs of largest and sum fold like any value (Milakov and Gimelshein, 2018).
// Change   the row frame reads a row twice instead of three times, 16 bytes per load and four loads in flight per thread;
//          one fold instead of two.
// Expect   L2 serves the second reading where the rows in flight fit into it; DRAM is read once.
// Limit    a load per element and pass, though a short row has room in registers (see 04, 05); an exponential more per
//          element, and one for each pack. The only variant for rows of any length on every GPU.

#include "softmax.cuh"

#define ENTRY(operation, type, T, program)                                                                   \
    KZ_ENTRY_BOUNDS(softmax_online_##operation##_##type, 512, 2) SOFTMAX_ARGS(T) {                           \
        program p(a, b, out, rows);                                                                          \
        kz_rows_stream(p, batch *rows, columns);                                                             \
    }
SOFTMAX_ALL(ENTRY)

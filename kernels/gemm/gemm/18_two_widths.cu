// kz: sm 90a
// gemm 18: tiles of 256 x 192, and of 256 x 128 for the last columns
//
// Idea     10 moves the fewest bytes, but its rounds are coarse: where the last one is half empty, the bytes are saved in vain.
// Change   two widths in one kernel, as hgemm's 15: the plan says how many columns of tiles are wide.
// Expect   10's clock with all multiprocessors busy to the end, from 4096 x 4096 on.
// Limit    a as written, no beta, c by a tensor map; three stages.

#include "frame.cuh"

GEMM_NN_NT_OF(GEMM_TWO_WIDTHS, two_widths, TALL_128)

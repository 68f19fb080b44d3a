// kz: sm 90a
// gemm 19: tiles of 256 x 208, and of 256 x 128 for the last columns
//
// Idea     another width makes other rounds: 8192 columns are nine tiles of 208 and one of 128 for each multiprocessor, 99% full.
// Change   18 with 208 columns: 208 of a consumer's 240 registers are sums.
// Expect   the fewest bytes for each product of all tiles here.
// Limit    b transposed alone: slabs of 64 do not divide 208.

#include "frame.cuh"

GEMM_NT_OF(GEMM_TWO_WIDTHS, two_widths_208, TALLEST_128)

// gemv 04: x in registers
//
// Idea     03 loads 16 bytes of x for 16 of W, and its warps add their lanes' sums row by row. A thread that has the same k of every row
//          needs its x once.
// Change   a block takes whole rows, GEMV_REGISTER_ROWS at a time; a thread has the same 16 or 32 elements of each, and those of x in
//          registers, as floats. The next rows are on their way before the sums of these are added: over lanes by shuffles that
//          halve the rows in each step, over warps in shared memory, one barrier for all rows.
// Expect   a plain read's speed: adjacent rows, 64 KB in flight per multiprocessor, no load but W's.
// Limit    registers: k up to 16384, and one token. More are more multiply-adds than a multiprocessor has time for (see 05).

#include "registers.cuh"

#define ENTRIES(type, T) GEMV_REGISTER_ENTRIES(registers, type, T, false)
GEMV_TYPES(ENTRIES)

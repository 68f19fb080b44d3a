// permute 04: rows that stay whole
//
// Idea     where the last axis keeps its place, whole rows move: a row of 128 bf16 is 16 packs of 16 bytes,
//          and where a pack comes from costs as much to compute as where an element does.
// Change   the plan takes the widest unit, 16 bytes at most, that divides a row; the strides are counted in
//          units. A thread has several units in flight.
// Expect   an eighth of the accesses and of the arithmetic in bf16; a copy's speed for rows of a few sectors.
// Limit    a permutation that moves the last axis has no rows (see 05). Rows shorter than a sector of 32
//          bytes read sectors in pieces. Fewer than 2^31 units. Pointers that are not aligned for the unit
//          move elements.

#include "rows.cuh"

ROWS_ENTRIES(row_copy)

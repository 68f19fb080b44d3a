// permute 09: the plan dispatches by shape
//
// Idea     every permutation, after merging, is one of a few things.
// Change   the kernels of 04, 06, 07 and 08 in one module, and small tiles; the plan takes the one for the
//          shape, or a plain copy where nothing moves.
// Expect   the best of them everywhere.
// Limit    the rules are simple ones: limits by bytes (family.c).

#include "box.cuh"
#include "channels.cuh"
#include "packs.cuh"
#include "rows.cuh"

ROWS_ENTRIES(row_copy)
PACKS_ENTRIES(wide_tile, WIDE)
PACKS_ENTRIES(small, SMALL)
BOX_ENTRIES()
CHANNELS_ENTRIES()

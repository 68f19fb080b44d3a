// permute 06: wide tiles of 16-byte packs
//
// Idea     05 with the best tile there is: that of transpose/08, which is 256 bytes wide and high for every
//          type.
// Change   kz/device/tile_transpose.cuh: a thread loads a square block as packs of 16 bytes and transposes it in registers.
// Expect   a copy's speed where both axes fill tiles and rows are multiples of 16 bytes.
// Limit    an axis much shorter than the tile leaves most of it empty (see 07).

#include "packs.cuh"

PACKS_ENTRIES(wide_tile, WIDE)

// permute 07: tiles of four axes
//
// Idea     an image of 3 bytes per pixel has a last axis of 3: a tile of two axes would be 3 wide. But the
//          axis before it follows in memory, and 3 x 1024 neighbours are a fine piece to read.
// Change   a block takes a box of all four axes. The plan lets it grow, always along the side of memory that
//          has the shorter contiguous piece, until the box fills its share of shared memory. It lies there as
//          one side has it, whose packs go straight through; the other side's are put together from elements
//          a step apart.
// Expect   pieces of hundreds of bytes on both sides for axes of any length, 16 bytes per access where they
//          are aligned.
// Limit    elements one by one between registers and shared memory on one side, and divisions for every
//          access: for axes that fill tiles 06 does much less.

#include "box.cuh"

BOX_ENTRIES()

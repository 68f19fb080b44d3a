// kz: sm 90
// gemv 06: a ring of bulk copies
//
// Idea     loads in flight cost registers, and a warp that waits for one cannot ask for the next. The copy engine needs neither.
// Change   blocks that stay. One warp asks for bulk copies of W and x into a ring of stages in shared memory, up to GEMV_RING_BYTES ahead;
//          eight others multiply what has landed, by barriers. The ring runs on from unit to unit while sums are added and written.
// Expect   DRAM always has the next request: near the speed of a plain read, from some MB of W on.
// Limit    a block has whole rows: fewer units than multiprocessors leave some idle (see 07). The ring is empty at the start and runs
//          dry at the end of every launch (see 08). Hopper alone.

#include "ring.cuh"

#define GEMV_SHAPE(format, FORMAT, part, tiles, columns, depth, blocks)                                      \
    GEMV_RING_TYPES(bulk_ring, format, FORMAT, part, tiles, columns, depth, blocks, false, false)
#include "shapes.def"

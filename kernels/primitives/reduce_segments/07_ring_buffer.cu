// reduce_segments 07: a ring buffer
// kz: sm 90
//
// Idea     in 06 each of thousands of warps loads 2.5 KB at a time from an address of its own, and fetches its
//          next ends itself. The copy engine loads tens of KB by one instruction, and one warp can look up the
//          ends for all.
// Change   a block goes over one range of the input, through a ring buffer of tiles in shared memory (ring.cuh). One warp
//          loads tiles, by bulk copies. One brings offsets, into a ring of their own, and finds where each chunk of a
//          tile begins among the ends. The others fold a chunk each as in 05; one closes the segments that
//          chunks share. Blocks pass parts on as tile
//          statuses.
// Expect   12 instructions per element with segments of 16, and the speed of a read.
// Limit    sm_90. Below four elements per segment the ring of offsets holds less than two tiles' ends. The tile
//          statuses live in the module: one launch at a time.

#include "tune.h"
#define RING_WARPS  REDUCE_SEGMENTS_RING_WARPS
#define RING_STAGES REDUCE_SEGMENTS_RING_STAGES
#define RING_ENDS   REDUCE_SEGMENTS_RING_ENDS
#include "ring.cuh"

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_ring_buffer_##operation##_##type, REDUCE_SEGMENTS_RING_THREADS(WARPS),   \
                    REDUCE_SEGMENTS_RING_BLOCKS)                                                             \
    (const T *in, const unsigned *offsets, T *out, size_t segments, size_t n) {                              \
        const problem<T> p = {in, offsets, out, segments, n};                                                \
        ring<OPERATION, T, A>(p);                                                                            \
    }
REDUCE_SEGMENTS_ALL(ENTRY)

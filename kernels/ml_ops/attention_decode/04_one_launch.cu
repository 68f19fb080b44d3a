// attention_decode 04: one launch
//
// Idea     the block that finishes a row last can add up its parts, which are in L2 still.
// Change   no second launch: blocks that share a cache draw tickets, and the one that draws the last adds. Tickets are the
//          module's and wind themselves back to 0, so that the workspace may hold anything. A share that is alone, as where
//          sequences are many or short, goes into out at once.
// Expect   one launch's latency less; the parts are added in the order of the keys whoever comes last: the bits of 03.
// Limit    loads go through registers: what is in flight is bounded by them, and by how many blocks they let in. Products on CUDA
//          cores: a group of 8 takes more instructions than memory leaves time for.

#include "grouped.cuh"

#define ENTRY(R, operation, type, T, C)                                                                      \
    KZ_ENTRY(attention_decode_one_launch_##R##_##operation##_##type)                                         \
    (DECODE_PARAMETERS(T, C), float *workspace, size_t splits) {                                             \
        const decode<T, C> d = DECODE_OF(T, C);                                                              \
        const tile t = tile_of<R>(d, blockIdx.x, (unsigned)splits);                                          \
        if (t.split >= t.used) return;                                                                       \
        finish(d, t, fold_share<R>(d, t), workspace, (unsigned)splits);                                      \
    }
#define ENTRIES(operation, type, T, C) DECODE_ROWS(ENTRY, operation, type, T, C)
DECODE_TYPES(ENTRIES)

// attention_decode 02: rows that share keys together
//
// Idea     heads of a group, and the new queries of a sequence, read the same keys: one block computes up to eight of them.
// Change   a block per head of the cache and eight rows. Lanes load eight numbers of a key at once, 16 bytes of a half type, and
//          several keys and values before they use the first: 4 KB in flight per warp for groups of up to four.
// Expect   the cache is read once for groups of up to eight; loads of 512 bytes per warp.
// Limit    one long sequence has as many blocks as the cache has heads: 8 of 132 multiprocessors work. Eight rows take 8
//          multiply-adds for each number of the cache, and sums over lanes, on CUDA cores.

#include "grouped.cuh"

#define ENTRY(R, operation, type, T, C)                                                                      \
    KZ_ENTRY(attention_decode_grouped_##R##_##operation##_##type)(DECODE_PARAMETERS(T, C)) {                 \
        const decode<T, C> d = DECODE_OF(T, C);                                                              \
        const tile t = tile_of<R>(d, blockIdx.x, 1);                                                         \
        store_rows(d, t, fold_share<R>(d, t), WARPS, 0, t.rows);                                             \
    }
#define ENTRIES(operation, type, T, C) DECODE_ROWS(ENTRY, operation, type, T, C)
DECODE_TYPES(ENTRIES)

// attention_decode 03: a cache for several blocks
//
// Idea     parts of a softmax can be added: a block takes a share of the keys, and its (greatest, sum, weighted values) are a
//          part (flash-decoding, Dao and others 2023).
// Change   the plan splits every cache so that blocks fill the device in as few waves as it can, by the room of the cache;
//          how many keys a share has follows from the length on the device. A second launch adds the parts up.
// Expect   one sequence of 131072 keys and 8 heads takes 49 blocks per head: all multiprocessors work. A part is 520 bytes for each
//          row of 128, beside 2688 keys of 512 bytes.
// Limit    a second launch, some microseconds where the whole takes ten; it begins after the slowest block.

#include "grouped.cuh"

// A share that is not alone is a part; one that is, a part too, the only one.
template <int R, typename T, typename C>
static __device__ __forceinline__ void fold(const decode<T, C> &p, float *workspace, unsigned splits) {
    const tile t = tile_of<R>(p, blockIdx.x, splits);
    if (t.split >= t.used) return;
    const parts<R> warps = fold_share<R>(p, t);
    const parts<R> all(workspace + t.index * splits * warps.size(), p.dimension);
    store_part(t, warps, WARPS, all, t.split);
}

// A block per row.
template <int R, typename T, typename C>
static __device__ __forceinline__ void add(const decode<T, C> &p, float *workspace, unsigned splits) {
    extern __shared__ __align__(16) float shared[];
    const tile t = tile_of<R>(p, blockIdx.x / R * splits, splits);
    const parts<R> all(workspace + t.index * splits * DECODE_PART(R, p.dimension), p.dimension);
    unsigned row = blockIdx.x % R;
    if (row < t.rows) add_shares(p, t, all, shared, row, row + 1);
}

#define ENTRY(R, operation, type, T, C)                                                                      \
    KZ_ENTRY(attention_decode_split_##R##_##operation##_##type)                                              \
    (DECODE_PARAMETERS(T, C), float *workspace, size_t splits) {                                             \
        const decode<T, C> p = DECODE_OF(T, C);                                                              \
        fold<R>(p, workspace, (unsigned)splits);                                                             \
    }                                                                                                        \
    KZ_ENTRY(attention_decode_split_add_##R##_##operation##_##type)                                          \
    (DECODE_PARAMETERS(T, C), float *workspace, size_t splits) {                                             \
        const decode<T, C> p = DECODE_OF(T, C);                                                              \
        add<R>(p, workspace, (unsigned)splits);                                                              \
    }
#define ENTRIES(operation, type, T, C) DECODE_ROWS(ENTRY, operation, type, T, C)
DECODE_TYPES(ENTRIES)

// permute: tiles of packs, for 06 and 09. As tile.cuh, with the tiles of kz/device/tile_transpose.cuh: CHUNKS packs of 16
// bytes wide and high.
#ifndef PERMUTE_PACKS_CUH
#define PERMUTE_PACKS_CUH

#include "kz/device/tile_transpose.cuh"
#include "tile.cuh"
#include "tune.h"

template <int SIZE, int CHUNKS, int THREADS>
static __device__ __forceinline__ void packs(const void *in, void *out, TILE_PARAMETERS) {
    typedef kz_tile_transpose<SIZE, CHUNKS, THREADS> tile;
    typedef typename tile::bits bits;
    extern __shared__ uint4 shared[];
    tile_origin at = find_tile(tile::TILE, TILE_ARGUMENTS);
    bool whole = (in_pitch | in_outer | in_inner | sides >> 32) % tile::PACK == 0 && kz_aligned(in, 16);
    tile::load(shared, {(bits *)in + at.in, in_pitch, whole}, at.height, at.width);
    __syncthreads();
    whole = (out_pitch | out_outer | out_inner | sides) % tile::PACK == 0 && kz_aligned(out, 16);
    tile::store(shared, {(bits *)out + at.out, out_pitch, whole}, at.height, at.width);
}

#define PACKS_ENTRY(idea, type, size, chunks)                                                                \
    KZ_ENTRY_BOUNDS(permute_##idea##_permute_##type, PERMUTE_##chunks##_THREADS_##size,                      \
                    PERMUTE_##chunks##_BLOCKS_##size)                                                        \
    (const void *in, void *out, TILE_PARAMETERS) {                                                           \
        packs<size, PERMUTE_##chunks##_CHUNKS_##size, PERMUTE_##chunks##_THREADS_##size>(in, out,            \
                                                                                         TILE_ARGUMENTS);    \
    }
#define PACKS_ENTRIES(idea, chunks)                                                                          \
    PACKS_ENTRY(idea, u8, 1, chunks)                                                                         \
    PACKS_ENTRY(idea, u16, 2, chunks)                                                                        \
    PACKS_ENTRY(idea, u32, 4, chunks)                                                                        \
    PACKS_ENTRY(idea, i64, 8, chunks)

#endif

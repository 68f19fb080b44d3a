// transpose 08: 256 bytes on both sides, whatever the type
//
// Idea     DRAM knows bytes. 07's tile of 64 x 64 is 256 bytes wide in f32, but 128 in bf16, whose accesses
//          have 8 bytes: half as much is in flight, in pieces half as long.
// Change   a tile is so many packs of 16 bytes wide and high: 128 x 128 elements of 2 bytes. A thread loads a
//          block of 8 x 8 of them as 8 packs and transposes it in registers, where one instruction picks two
//          halves (or two pairs of bytes) from two words. What reaches shared memory are packs, in and out.
//          Blocks go down the columns of tiles, so that those which run together write neighbouring pieces.
// Expect   the same accesses for every size of element: 2 to 16 loads of 16 bytes in flight per thread.
// Limit    rows that are no multiples of 16 bytes go element by element, on their side. Registers: 64 for the
//          packs of 1-byte elements alone. Loading and storing of one block do not overlap.

#include "transpose.cuh"
#include "tune.h"
#include "kz/device/tile_transpose.cuh"

template <int SIZE, int CHUNKS, int THREADS>
static __device__ __forceinline__ void packs(const void *in, void *out, size_t rows, size_t columns) {
    typedef kz_tile_transpose<SIZE, CHUNKS, THREADS> tile;
    typedef typename tile::bits bits;
    extern __shared__ uint4 shared[];
    corner from = find_tile_down(rows, tile::TILE);
    size_t high = rows - from.row, wide = columns - from.column;
    unsigned height = high < tile::TILE ? (unsigned)high : tile::TILE;
    unsigned width = wide < tile::TILE ? (unsigned)wide : tile::TILE;
    bool whole = columns % tile::PACK == 0 && kz_aligned(in, 16);
    tile::load(shared, {(bits *)in + from.row * columns + from.column, columns, whole}, height, width);
    __syncthreads();
    whole = rows % tile::PACK == 0 && kz_aligned(out, 16);
    tile::store(shared, {(bits *)out + from.column * rows + from.row, rows, whole}, height, width);
}

#define PACKS_ENTRY(type, size)                                                                              \
    KZ_ENTRY_BOUNDS(transpose_wide_tile_transpose_##type, TRANSPOSE_WIDE_THREADS_##size,                     \
                    TRANSPOSE_WIDE_BLOCKS_##size)                                                            \
    (const void *in, void *out, size_t rows, size_t columns) {                                               \
        packs<size, TRANSPOSE_WIDE_CHUNKS_##size, TRANSPOSE_WIDE_THREADS_##size>(in, out, rows, columns);    \
    }
PACKS_ENTRY(u8, 1)
PACKS_ENTRY(u16, 2)
PACKS_ENTRY(u32, 4)
PACKS_ENTRY(i64, 8)

// compact 03: tiles, compacted in shared memory
//
// Idea     a block can bring its selected elements together before it writes: then they are one run in memory.
// Change   16-byte loads, 4 per thread; a pack's count of selected elements is a population count, and four rows'
//          counts share the words of one scan. Each element goes to its place in shared memory, and the
//          run goes to `out` in whole lines. A count per tile of 16 KB.
// Expect   for f32 at 50%: 4 + 4 bytes read, 2 written per element, and nothing else that counts.
// Limit    the input is read twice, and three launches (see 04).

#include "frame.cuh"
#include "tile.cuh"

template <typename R> using tile_of = block_tile<R, WARPS, COMPACT_ROWS>;

template <typename R>
static __device__ __forceinline__ void count_part(const typename R::element *in, const uint8_t *flags,
                                                  unsigned *counts, size_t n) {
    tile_of<R> tile(view<R>(in, flags, n), blockIdx.x);
    if (threadIdx.x == 0) counts[blockIdx.x] = tile.total;
}

template <typename R>
static __device__ __forceinline__ void write_part(const typename R::element *in, const uint8_t *flags,
                                                  const unsigned *counts, typename R::element *out,
                                                  size_t n) {
    __shared__ __align__(16) typename R::element compacted[tile_of<R>::TILE];
    view<R> all(in, flags, n);
    tile_of<R> tile(all, blockIdx.x);
    tile.write(all, compacted, out, counts[blockIdx.x]);
}

COMPACT_SUMS(shared_tile)
#define ENTRY(operation, type, T, rule)       COMPACT_FRAME(shared_tile, operation, type, T, rule)
#define COUNT_ENTRY(operation, type, T, rule) COMPACT_FRAME_COUNT(shared_tile, operation, type, T, rule)
COMPACT_FEW(ENTRY)
COMPACT_FEW_SELECTIONS(COUNT_ENTRY)

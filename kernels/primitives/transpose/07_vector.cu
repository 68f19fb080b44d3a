// transpose 07: four elements at a time
//
// Idea     06 moves 4 bytes per lane and instruction; the hardware moves 16, in DRAM and in shared memory.
// Change   a tile is 64 x 64. Each thread loads a 4 x 4 block as 4 quads, transposes it in registers, and puts 4
//          quads into the tile, already transposed; then quads of out's rows are read and written. Chunk k of
//          the tile's row c is kept at k ^ (c / 4), so that neither side meets a bank twice. Blocks that run
//          together take tiles of a square region, so that pieces of rows meet in L2 on both sides.
// Expect   four independent loads in flight per thread, a quarter of 06's accesses; most of copy.
// Limit    quads of 2 and 4 bytes alone, in rows whose lengths are multiples of 4 at aligned pointers: a side
//          that has not, goes element by element. Loading and storing of one block do not overlap; other
//          blocks fill in.

#include "transpose.cuh"
#include "tune.h"

enum {
    TILE = TRANSPOSE_VECTOR_TILE,
    THREADS = TRANSPOSE_VECTOR_THREADS,
    QUAD = 4,
    CHUNKS = TILE / QUAD,           // quads in a row of the tile
    VECTOR_STEP = THREADS / CHUNKS, // rows of the tile that the block does at once, by quads
    VECTOR_STEPS = TILE / VECTOR_STEP,
    SCALAR_STEP = THREADS / TILE, // and element by element,
    SCALARS = 8,                  // of which a thread has so many in flight
};
static_assert(THREADS == CHUNKS * CHUNKS, "a thread transposes one 4 x 4 block");

template <typename T> union quad;
template <> union quad<uint32_t> {
    typedef uint4 word;
    word raw;
    uint32_t at[QUAD];
};
template <> union quad<uint16_t> {
    typedef uint2 word;
    word raw;
    uint16_t at[QUAD];
};

// Consecutive blocks go down GROUP rows of tiles, then to the next column of tiles.
static __device__ __forceinline__ corner find_grouped_tile(size_t rows, size_t columns) {
    unsigned down = (unsigned)((rows + TILE - 1) / TILE), across = (unsigned)((columns + TILE - 1) / TILE);
    unsigned group = down < TRANSPOSE_VECTOR_GROUP ? down : TRANSPOSE_VECTOR_GROUP;
    unsigned first = blockIdx.x / (group * across) * group;
    unsigned local = blockIdx.x % (group * across);
    unsigned height = down - first < group ? down - first : group; // the last group may be lower
    return {(size_t)(first + local % height) * TILE, (size_t)(local / height) * TILE};
}

// The tile holds out's piece: row c has the elements of in's column c. Where chunk k of row c is kept:
static __device__ __forceinline__ unsigned swizzled_index(unsigned c, unsigned chunk) {
    return chunk ^ (c / QUAD);
}

template <typename T>
static __device__ __forceinline__ void read_quads(quad<T> (*tile)[CHUNKS], const T *in, size_t rows,
                                                  size_t columns, corner from) {
    typedef typename quad<T>::word word;
    unsigned across = threadIdx.x % CHUNKS, down = threadIdx.x / CHUNKS;
    size_t row = from.row + down * QUAD, column = from.column + across * QUAD;
    if (column >= columns) return;
    quad<T> line[QUAD];
#pragma unroll
    for (int i = 0; i < QUAD; i++)
        if (row + i < rows)
            line[i].raw = kz_load<TRANSPOSE_VECTOR_LOAD>((const word *)(in + (row + i) * columns + column));
#pragma unroll
    for (int j = 0; j < QUAD; j++) {
        quad<T> transposed;
#pragma unroll
        for (int i = 0; i < QUAD; i++) transposed.at[i] = line[i].at[j];
        unsigned c = across * QUAD + j;
        tile[c][swizzled_index(c, down)] = transposed;
    }
}

template <typename T>
static __device__ __forceinline__ void read_elements(quad<T> (*tile)[CHUNKS], const T *in, size_t rows,
                                                     size_t columns, corner from) {
    unsigned c = threadIdx.x % TILE;
    if (from.column + c >= columns) return;
    for (unsigned first = threadIdx.x / TILE; first < TILE; first += SCALARS * SCALAR_STEP) {
        const T *at = in + (from.row + first) * columns + from.column + c;
        T line[SCALARS]; // several loads before the first use, as with quads
#pragma unroll
        for (int step = 0; step < SCALARS; step++, at += SCALAR_STEP * columns)
            if (from.row + first + step * SCALAR_STEP < rows) line[step] = *at;
#pragma unroll
        for (int step = 0; step < SCALARS; step++) {
            unsigned r = first + step * SCALAR_STEP;
            tile[c][swizzled_index(c, r / QUAD)].at[r % QUAD] = line[step];
        }
    }
}

template <typename T>
static __device__ __forceinline__ void write_quads(const quad<T> (*tile)[CHUNKS], T *out, size_t rows,
                                                   size_t columns, corner from) {
    typedef typename quad<T>::word word;
    unsigned chunk = threadIdx.x % CHUNKS, first = threadIdx.x / CHUNKS;
    size_t row = from.row + chunk * QUAD;
    if (row >= rows) return;
    quad<T> line[VECTOR_STEPS];
#pragma unroll
    for (int step = 0; step < VECTOR_STEPS; step++) {
        unsigned c = first + step * VECTOR_STEP;
        line[step] = tile[c][swizzled_index(c, chunk)];
    }
    T *at = out + (from.column + first) * rows + row;
#pragma unroll
    for (int step = 0; step < VECTOR_STEPS; step++, at += VECTOR_STEP * rows)
        if (from.column + first + step * VECTOR_STEP < columns)
            kz_store<TRANSPOSE_VECTOR_STORE>((word *)at, line[step].raw);
}

template <typename T>
static __device__ __forceinline__ void write_elements(const quad<T> (*tile)[CHUNKS], T *out, size_t rows,
                                                      size_t columns, corner from) {
    unsigned r = threadIdx.x % TILE;
    if (from.row + r >= rows) return;
    for (unsigned first = threadIdx.x / TILE; first < TILE; first += SCALARS * SCALAR_STEP) {
        T line[SCALARS];
#pragma unroll
        for (int step = 0; step < SCALARS; step++) {
            unsigned c = first + step * SCALAR_STEP;
            line[step] = tile[c][swizzled_index(c, r / QUAD)].at[r % QUAD];
        }
        T *at = out + (from.column + first) * rows + from.row + r;
#pragma unroll
        for (int step = 0; step < SCALARS; step++, at += SCALAR_STEP * rows)
            if (from.column + first + step * SCALAR_STEP < columns) *at = line[step];
    }
}

template <typename T>
static __device__ __forceinline__ void vector(const T *in, T *out, size_t rows, size_t columns) {
    __shared__ quad<T> tile[TILE][CHUNKS];
    corner from = find_grouped_tile(rows, columns);
    if (columns % QUAD == 0 && kz_aligned(in, sizeof(quad<T>)))
        read_quads(tile, in, rows, columns, from);
    else
        read_elements(tile, in, rows, columns, from);
    __syncthreads();
    if (rows % QUAD == 0 && kz_aligned(out, sizeof(quad<T>)))
        write_quads(tile, out, rows, columns, from);
    else
        write_elements(tile, out, rows, columns, from);
}

#undef TRANSPOSE_ENTRY
#define TRANSPOSE_ENTRY(idea, KERNEL, type, T)                                                               \
    KZ_ENTRY_BOUNDS(transpose_##idea##_transpose_##type, THREADS, TRANSPOSE_VECTOR_BLOCKS)                   \
    (const T *in, T *out, size_t rows, size_t columns) { KERNEL(in, out, rows, columns); }
TRANSPOSE_ENTRY(vector, vector, u16, uint16_t)
TRANSPOSE_ENTRY(vector, vector, u32, uint32_t)

// transpose 07: four elements at a time
//
// Idea     06 moves 4 bytes per lane and instruction; the hardware moves 16, in DRAM and in shared memory.
// Change   a tile is 64 x 64. Each thread loads a 4 x 4 block as 4 quads, turns it in registers, and puts 4
//          quads into the tile, already transposed; then quads of out's rows are read and written. Chunk k of
//          the tile's row c is kept at k ^ (c / 4), so that neither side meets a bank twice. Blocks that run
//          together take tiles of a square region, so that pieces of rows meet in L2 on both sides.
// Expect   four independent loads in flight per thread, a quarter of 06's accesses; most of copy.
// Limit    quads need rows whose lengths are multiples of 4 and aligned pointers: a side that has not, goes
//          element by element. Loading and storing of one block do not overlap; other blocks fill in.

#include "transpose.cuh"
#include "tune.h"

enum {
    TILE = TRANSPOSE_VECTOR_TILE,
    THREADS = TRANSPOSE_VECTOR_THREADS,
    QUAD = 4,
    CHUNKS = TILE / QUAD,           // quads in a row of the tile
    SCALAR_STEP = THREADS / TILE,   // rows that the block does at once, element by element
    VECTOR_STEP = THREADS / CHUNKS, // rows that the block does at once, by quads
};
static_assert(THREADS == CHUNKS * CHUNKS, "a thread turns one 4 x 4 block");

template <typename T> union quad;
template <> union quad<float> {
    uint4 raw;
    float at[QUAD];
};
template <> union quad<kz_f16> {
    uint2 raw;
    kz_f16 at[QUAD];
};
template <> union quad<kz_bf16> {
    uint2 raw;
    kz_bf16 at[QUAD];
};

template <typename T> static __device__ __forceinline__ quad<T> load(const T *from) {
    quad<T> q;
    const decltype(q.raw) *at = (const decltype(q.raw) *)from;
    q.raw = TRANSPOSE_VECTOR_LOAD == KZ_STREAM ? __ldcs(at) : *at;
    return q;
}
template <typename T> static __device__ __forceinline__ void store(T *to, quad<T> q) {
    decltype(q.raw) *at = (decltype(q.raw) *)to;
    if (TRANSPOSE_VECTOR_STORE == KZ_STREAM)
        __stcs(at, q.raw);
    else
        *at = q.raw;
}

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
static __device__ __forceinline__ unsigned place(unsigned c, unsigned chunk) { return chunk ^ (c / QUAD); }

template <typename T>
static __device__ __forceinline__ void read_quads(quad<T> (*tile)[CHUNKS], const T *in, size_t rows,
                                                  size_t columns, corner from) {
    unsigned across = threadIdx.x % CHUNKS, down = threadIdx.x / CHUNKS;
    size_t row = from.row + down * QUAD, column = from.column + across * QUAD;
    if (column >= columns) return;
    quad<T> line[QUAD];
#pragma unroll
    for (int i = 0; i < QUAD; i++)
        if (row + i < rows) line[i] = load(in + (row + i) * columns + column);
#pragma unroll
    for (int j = 0; j < QUAD; j++) {
        quad<T> turned;
#pragma unroll
        for (int i = 0; i < QUAD; i++) turned.at[i] = line[i].at[j];
        unsigned c = across * QUAD + j;
        tile[c][place(c, down)] = turned;
    }
}

template <typename T>
static __device__ __forceinline__ void read_elements(quad<T> (*tile)[CHUNKS], const T *in, size_t rows,
                                                     size_t columns, corner from) {
    unsigned c = threadIdx.x % TILE;
#pragma unroll 4
    for (int step = 0; step < TILE / SCALAR_STEP; step++) {
        unsigned r = threadIdx.x / TILE + step * SCALAR_STEP;
        if (from.row + r < rows && from.column + c < columns)
            tile[c][place(c, r / QUAD)].at[r % QUAD] = in[(from.row + r) * columns + from.column + c];
    }
}

template <typename T>
static __device__ __forceinline__ void write_quads(const quad<T> (*tile)[CHUNKS], T *out, size_t rows,
                                                   size_t columns, corner from) {
    unsigned chunk = threadIdx.x % CHUNKS;
    size_t row = from.row + chunk * QUAD;
#pragma unroll
    for (int step = 0; step < TILE / VECTOR_STEP; step++) {
        unsigned c = threadIdx.x / CHUNKS + step * VECTOR_STEP;
        if (row < rows && from.column + c < columns)
            store(out + (from.column + c) * rows + row, tile[c][place(c, chunk)]);
    }
}

template <typename T>
static __device__ __forceinline__ void write_elements(const quad<T> (*tile)[CHUNKS], T *out, size_t rows,
                                                      size_t columns, corner from) {
    unsigned r = threadIdx.x % TILE;
#pragma unroll 4
    for (int step = 0; step < TILE / SCALAR_STEP; step++) {
        unsigned c = threadIdx.x / TILE + step * SCALAR_STEP;
        if (from.row + r < rows && from.column + c < columns)
            out[(from.column + c) * rows + from.row + r] = tile[c][place(c, r / QUAD)].at[r % QUAD];
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
TRANSPOSE_ENTRIES(vector, vector)

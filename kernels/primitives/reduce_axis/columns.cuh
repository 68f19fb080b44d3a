// reduce_axis: columns (inner > 1), and the second stage for a split n.
//
// A block takes a tile of `width` columns (a power of two, 32 at most) and a piece of n: thread t has column
// t % width of the tile and every height-th row, REDUCE_AXIS_ROWS of them in flight; then the rows meet in
// shared memory. Where n is in several pieces, a block leaves its part in partial[piece][segment] and `gather`
// folds the pieces, in order: the same bits in every run.
#ifndef REDUCE_AXIS_COLUMNS_CUH
#define REDUCE_AXIS_COLUMNS_CUH

#include "axis.cuh"

// What a kernel over columns is launched on; `across` counts in single columns or in packs of them.
typedef struct shape {
    size_t outer, n, inner, pieces;
    unsigned width; // of a tile
    size_t across;  // inner, or inner / PACK
} shape;

// A unit of work: a tile of columns in one piece of one outer index.
typedef struct unit {
    size_t o, piece, column, from, to; // rows [from, to)
} unit;

static __device__ __forceinline__ unit unit_of(size_t index, const shape *s) {
    size_t tiles = (s->across + s->width - 1) / s->width, chunk = (s->n + s->pieces - 1) / s->pieces;
    unit u;
    u.piece = index % s->pieces;
    u.column = index / s->pieces % tiles * s->width + threadIdx.x % s->width;
    u.o = index / s->pieces / tiles;
    u.from = u.piece * chunk < s->n ? u.piece * chunk : s->n;
    u.to = u.from + chunk < s->n ? u.from + chunk : s->n;
    return u;
}
static __device__ __forceinline__ size_t unit_count(const shape *s) {
    return (s->across + s->width - 1) / s->width * s->pieces * s->outer;
}

// Counts in packs where every row begins with one; the plan cannot see the pointer.
template <typename T> static __device__ __forceinline__ bool by_packs(const T *in, shape *s) {
    if (!kz_aligned(in, 16) || s->inner * sizeof(T) % 16 != 0) return false;
    s->across = s->inner * sizeof(T) / 16;
    while (s->width > 1 && s->width / 2 >= s->across) s->width /= 2;
    return true;
}

// The rows of a tile meet, with `count` neighbouring columns for each thread: the threads of row 0 get the results.
template <int operation, int count, typename A>
static __device__ __forceinline__ void fold_rows(A value[count], unsigned width) {
    __shared__ A partial[count][REDUCE_AXIS_THREADS];
#pragma unroll
    for (int e = 0; e < count; e++) partial[e][threadIdx.x] = value[e];
    for (unsigned half = REDUCE_AXIS_THREADS / 2; half >= width; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
#pragma unroll
            for (int e = 0; e < count; e++)
                partial[e][threadIdx.x] = value[e] =
                    kz_fold_combine<operation>(value[e], partial[e][threadIdx.x + half]);
    }
    __syncthreads();
}

template <int operation, typename O, typename A>
static __device__ __forceinline__ void leave(O out, A *partial, const shape *s, size_t piece, size_t segment,
                                             A value) {
    if (!partial)
        write_result<operation>(out, segment, value, s->n);
    else
        partial[piece * s->outer * s->inner + segment] = value;
}

template <int operation, typename T, typename A, typename O>
static __device__ __forceinline__ void columns(const T *in, O out, A *partial, const shape *s) {
    unsigned height = REDUCE_AXIS_THREADS / s->width;
    for (size_t index = blockIdx.x; index < unit_count(s); index += gridDim.x) {
        unit u = unit_of(index, s);
        A value = kz_fold_identity<operation>(A());
        if (u.column < s->inner) {
            const T *from = in + u.o * s->n * s->inner + u.column;
            size_t k = u.from + threadIdx.x / s->width;
            for (; k + (REDUCE_AXIS_ROWS - 1) * height < u.to; k += REDUCE_AXIS_ROWS * height) {
                T element[REDUCE_AXIS_ROWS];
#pragma unroll
                for (int r = 0; r < REDUCE_AXIS_ROWS; r++) element[r] = from[(k + r * height) * s->inner];
#pragma unroll
                for (int r = 0; r < REDUCE_AXIS_ROWS; r++)
                    value =
                        kz_fold_next<operation>(value, kz_fold_element<A>::at(element[r], k + r * height));
            }
            for (; k < u.to; k += height)
                value = kz_fold_next<operation>(value, kz_fold_element<A>::at(from[k * s->inner], k));
        }
        fold_rows<operation, 1>(&value, s->width);
        if (threadIdx.x < s->width && u.column < s->inner)
            leave<operation>(out, partial, s, u.piece, u.o * s->inner + u.column, value);
    }
}

// The second stage: a block folds the pieces of `width` neighbouring segments, as it folds the rows of columns.
template <int operation, typename A, typename O>
static __device__ __forceinline__ void gather(const A *partial, O out, size_t segments, size_t pieces,
                                              size_t n, unsigned width) {
    size_t s = (size_t)blockIdx.x * width + threadIdx.x % width;
    A value = kz_fold_identity<operation>(A());
    if (s < segments)
#pragma unroll 4
        for (size_t p = threadIdx.x / width; p < pieces; p += REDUCE_AXIS_THREADS / width)
            value = kz_fold_combine<operation>(value, partial[p * segments + s]);
    fold_rows<operation, 1>(&value, width);
    if (threadIdx.x < width && s < segments) write_result<operation>(out, s, value, n);
}

#define REDUCE_AXIS_COLUMNS(operation, OPERATION, type, T, A)                                                \
    KZ_ENTRY_BOUNDS(reduce_axis_columns_##operation##_##type, REDUCE_AXIS_THREADS, 4)                        \
    (const T *in, T *out, A *partial, size_t outer, size_t n, size_t inner, size_t pieces, size_t width) {   \
        const shape s = {outer, n, inner, pieces, (unsigned)width, inner};                                   \
        columns<OPERATION, T, A>(in, out, partial, &s);                                                      \
    }
#define REDUCE_AXIS_GATHER(operation, OPERATION, type, T, A)                                                 \
    KZ_ENTRY_BOUNDS(reduce_axis_gather_##operation##_##type, REDUCE_AXIS_THREADS, 4)                         \
    (const A *partial, T *out, size_t segments, size_t pieces, size_t n, size_t width) {                     \
        gather<OPERATION, A>(partial, out, segments, pieces, n, (unsigned)width);                            \
    }

#endif

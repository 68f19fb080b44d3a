// reduce_axis 07: the plan dispatches by shape
//
// Idea     no one kernel is right for every shape, but the plan knows the shape.
// Change   06 for short and middle rows; tiles in shared memory for short rows that do not begin with packs; a block
//          for each long row, eight packs per thread in flight; n in pieces, and a second launch, where there are too
//          few rows or columns to fill the GPU; for columns 05 with 16 bytes of neighbouring columns per load.
// Expect   the speed of a read for every shape of some 100 MB.
// Limit    columns of which 16 bytes do not divide the inner axis are read element by element, as in 05.

#include "columns.cuh"
#include "ragged.cuh"

// ---- a block per row or per piece of one -----------------------------------------------------------------

template <int operation, typename T, typename A>
static __device__ __forceinline__ void team(const T *in, T *out, A *partial, size_t segments, size_t n,
                                            size_t pieces) {
    const int PACK = 16 / sizeof(T);
    rows_view<T> v = view_rows(in, segments, n);
    // A piece ends with a pack where rows do.
    size_t chunk = ((n + pieces - 1) / pieces + PACK - 1) / PACK * PACK;
    for (size_t unit = blockIdx.x; unit < segments * pieces; unit += gridDim.x) {
        size_t s = pieces == 1 ? unit : unit / pieces, piece = pieces == 1 ? 0 : unit % pieces;
        size_t from = piece * chunk < n ? piece * chunk : n, to = from + chunk < n ? from + chunk : n;
        size_t row = v.begin + s * n;
        A value = fold_long<operation, REDUCE_AXIS_TEAM_PACKS, REDUCE_AXIS_TEAM_LOAD, T, A>(
            v, row + from, row + to, threadIdx.x, blockDim.x);
        value = kz_fold_block<operation>(value);
        if (threadIdx.x != 0) continue;
        if (pieces == 1)
            write_result<operation>(out, s, value, n);
        else
            partial[piece * segments + s] = value;
    }
}

// ---- columns by packs --------------------------------------------------------------------------------------

template <int operation, typename T, typename A>
static __device__ __forceinline__ void columns_of_packs(const T *in, T *out, A *partial, const shape *s) {
    const int PACK = 16 / sizeof(T);
    unsigned height = REDUCE_AXIS_THREADS / s->width;
    for (size_t index = blockIdx.x; index < unit_count(s); index += gridDim.x) {
        unit u = unit_of(index, s);
        A value[PACK];
#pragma unroll
        for (int e = 0; e < PACK; e++) value[e] = kz_fold_identity<operation>(A());
        if (u.column < s->across) {
            const T *from = in + u.o * s->n * s->inner + u.column * PACK;
            for (size_t k = u.from + threadIdx.x / s->width; k < u.to; k += REDUCE_AXIS_ROWS * height) {
                kz_pack<T> elements[REDUCE_AXIS_ROWS];
#pragma unroll
                for (int r = 0; r < REDUCE_AXIS_ROWS; r++) {
                    elements[r] = {};
                    if (k + r * height < u.to)
                        elements[r] = kz_load_pack<REDUCE_AXIS_LOAD>(from + (k + r * height) * s->inner);
                }
#pragma unroll
                for (int r = 0; r < REDUCE_AXIS_ROWS; r++)
                    if (k + r * height < u.to)
#pragma unroll
                        for (int e = 0; e < PACK; e++)
                            value[e] = kz_fold_combine<operation>(value[e], (A)kz_widen(elements[r].at[e]));
            }
        }
        fold_rows<operation, PACK>(value, s->width);
        if (threadIdx.x < s->width && u.column < s->across)
#pragma unroll
            for (int e = 0; e < PACK; e++)
                leave<operation>(out, partial, s, u.piece, u.o * s->inner + u.column * PACK + e, value[e]);
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void wide_columns(const T *in, T *out, A *partial, shape s) {
    if (by_packs(in, &s))
        columns_of_packs<operation, T, A>(in, out, partial, &s);
    else
        columns<operation, T, A>(in, out, partial, &s);
}

#define TEAM(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_axis_team_##operation##_##type, REDUCE_AXIS_TEAM_THREADS,                         \
                    REDUCE_AXIS_TEAM_BLOCKS)                                                                 \
    (const T *in, T *out, A *partial, size_t segments, size_t n, size_t pieces) {                            \
        team<OPERATION, T, A>(in, out, partial, segments, n, pieces);                                        \
    }
#define RAGGED(operation, OPERATION, type, T, A)                                                             \
    KZ_ENTRY_BOUNDS(reduce_axis_ragged_##operation##_##type, REDUCE_AXIS_THREADS, 6)                         \
    (const T *in, T *out, size_t segments, size_t n, size_t rows, size_t lanes) {                            \
        ragged<OPERATION, A>(in, out, segments, n, (unsigned)rows, (unsigned)lanes);                         \
    }
#define WIDE(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_axis_wide_columns_##operation##_##type, REDUCE_AXIS_THREADS, 4)                   \
    (const T *in, T *out, A *partial, size_t outer, size_t n, size_t inner, size_t pieces, size_t width) {   \
        const shape s = {outer, n, inner, pieces, (unsigned)width, inner};                                   \
        wide_columns<OPERATION, T, A>(in, out, partial, s);                                                  \
    }

REDUCE_AXIS_ALL(REDUCE_AXIS_SHORT)
REDUCE_AXIS_ALL(REDUCE_AXIS_LONG)
REDUCE_AXIS_ALL(TEAM)
REDUCE_AXIS_ALL(RAGGED)
REDUCE_AXIS_ALL(WIDE)
REDUCE_AXIS_ALL(REDUCE_AXIS_GATHER)
REDUCE_AXIS_MIN(REDUCE_AXIS_SHORT)
REDUCE_AXIS_MIN(REDUCE_AXIS_LONG)
REDUCE_AXIS_MIN(TEAM)
REDUCE_AXIS_MIN(RAGGED)
REDUCE_AXIS_MIN(WIDE)
REDUCE_AXIS_MIN(REDUCE_AXIS_GATHER)

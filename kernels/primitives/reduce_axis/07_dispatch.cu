// reduce_axis 07: the plan dispatches by shape
//
// Idea     no one kernel is right for every shape, but the plan knows the shape.
// Change   06 for short and middle rows; tiles in shared memory for short rows that do not begin with packs; a block
//          for each long row, four packs per thread in flight; where those are few, one for each piece, and the last
//          piece's block adds what the others publish; for columns 05 with 16 bytes of neighbouring columns per load,
//          n cut so that the blocks fill the GPU once, and a second launch.
// Expect   the speed of a read for every shape of some 100 MB.
// Limit    columns of several matrices, of which 16 bytes do not divide the inner axis, are read element by element, as
//          in 05. The tile statuses live in the module: one launch at a time.

#include "kz/device/fold_range.cuh"
#include "columns.cuh"
#include "ragged.cuh"

// ---- a block per row or per piece of one -----------------------------------------------------------------

static __device__ unsigned long long team_states[2 * REDUCE_AXIS_TEAM_STATUSES];

// Pieces have `chunk` elements each. Those of a row are neighbours among the blocks; the last one adds the others' parts.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void team(const T *in, T *out, size_t n, unsigned pieces, size_t chunk) {
    const kz_tile_states states = {team_states, REDUCE_AXIS_TEAM_STATUSES};
    size_t s = blockIdx.x, from = 0;
    unsigned piece = 0;
    if (pieces > 1) {
        s = blockIdx.x / pieces;
        piece = blockIdx.x % pieces;
        from = piece * chunk < n ? piece * chunk : n;
    }
    A value = kz_fold_range<operation, REDUCE_AXIS_TEAM_PACKS, REDUCE_AXIS_TEAM_LOAD, T, A>(
        in + s * n + from, (unsigned)(from + chunk < n ? chunk : n - from));
    value = kz_fold_warps<operation>(value);
    if (kz_warp() != 0) return;
    if (piece + 1 < pieces) {
        if (kz_lane() == 0) states.publish(blockIdx.x, 1, value);
        return;
    }
    if (pieces > 1) value = kz_fold_parts<operation>(states, value, blockIdx.x - piece, blockIdx.x);
    if (kz_lane() == 0) write_result<operation>(out, s, value, n);
}

// ---- columns by packs --------------------------------------------------------------------------------------

// Rows that begin anywhere, of one matrix: as many together as begin with packs again are one row of a matrix that is
// wider, and a column of the input is several of its columns. Each leaves a part: a piece more for the second stage, which
// the plan has counted. Rows that are left over are not in s->n.
template <typename T> static __device__ __forceinline__ bool rows_together(const T *in, shape *s) {
    unsigned rows = 1;
    while (s->inner * rows * sizeof(T) % 16 != 0) rows *= 2;
    if (s->outer != 1 || s->pieces % rows != 0 || !kz_aligned(in, 16)) return false;
    s->n /= rows;
    s->inner *= rows;
    s->pieces /= rows;
    return by_packs(in, s);
}

// A thread's part of its PACK columns.
template <int operation, typename T, typename A, int PACK>
static __device__ __forceinline__ void fold_columns(A (&value)[PACK], const T *from, size_t inner, size_t k,
                                                    size_t to, unsigned height) {
    kz_pack<T> elements[REDUCE_AXIS_ROWS];
    for (; k < to; k += REDUCE_AXIS_ROWS * height) {
        bool whole = k + (REDUCE_AXIS_ROWS - 1) * height < to;
#pragma unroll
        for (int r = 0; r < REDUCE_AXIS_ROWS; r++)
            if (whole || k + r * height < to)
                elements[r] = kz_load_pack<REDUCE_AXIS_COLUMN_LOAD>(from + (k + r * height) * inner);
#pragma unroll
        for (int r = 0; r < REDUCE_AXIS_ROWS; r++)
            if (whole || k + r * height < to)
#pragma unroll
                for (int e = 0; e < PACK; e++)
                    value[e] = kz_fold_combine<operation>(value[e], (A)kz_widen(elements[r].at[e]));
    }
}

// `count` elements in all: what is beyond the last whole row goes to the last piece.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void columns_of_packs(const T *in, T *out, A *partial, const shape *s,
                                                        size_t count) {
    const int PACK = 16 / sizeof(T);
    unsigned height = REDUCE_AXIS_THREADS / s->width, row = threadIdx.x / s->width;
    for (size_t index = blockIdx.x; index < unit_count(s); index += gridDim.x) {
        unit u = unit_of(index, s);
        A value[PACK];
#pragma unroll
        for (int e = 0; e < PACK; e++) value[e] = kz_fold_identity<operation>(A());
        if (u.column < s->across)
            fold_columns<operation>(value, in + u.o * s->n * s->inner + u.column * PACK, s->inner,
                                    u.from + row, u.to, height);
        size_t rest = s->outer * s->n * s->inner + u.column * PACK;
        if (rest < count && row == 0 && u.piece + 1 == s->pieces && u.column < s->across)
#pragma unroll
            for (int e = 0; e < PACK; e++)
                if (rest + e < count)
                    value[e] = kz_fold_combine<operation>(value[e], (A)kz_widen(in[rest + e]));
        fold_rows<operation, PACK>(value, s->width);
        if (threadIdx.x < s->width && u.column < s->across)
#pragma unroll
            for (int e = 0; e < PACK; e++)
                leave<operation>(out, partial, s, u.piece, u.o * s->inner + u.column * PACK + e, value[e]);
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void wide_columns(const T *in, T *out, A *partial, shape s) {
    size_t count = s.outer * s.n * s.inner;
    if (by_packs(in, &s) || rows_together(in, &s))
        columns_of_packs<operation, T, A>(in, out, partial, &s, count);
    else
        columns<operation, T, A>(in, out, partial, &s);
}

#define TEAM(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_axis_team_##operation##_##type, REDUCE_AXIS_TEAM_THREADS,                         \
                    REDUCE_AXIS_TEAM_BLOCKS)                                                                 \
    (const T *in, T *out, size_t n, size_t pieces, size_t chunk) {                                           \
        team<OPERATION, T, A>(in, out, n, (unsigned)pieces, chunk);                                          \
    }
#define RAGGED(operation, OPERATION, type, T, A)                                                             \
    KZ_ENTRY_BOUNDS(reduce_axis_ragged_##operation##_##type, REDUCE_AXIS_THREADS, 6)                         \
    (const T *in, T *out, size_t segments, size_t n, size_t rows, size_t lanes) {                            \
        ragged<OPERATION, A>(in, out, segments, n, (unsigned)rows, (unsigned)lanes);                         \
    }
#define WIDE(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_axis_wide_columns_##operation##_##type, REDUCE_AXIS_THREADS,                      \
                    REDUCE_AXIS_COLUMN_BLOCKS)                                                               \
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

// reduce_axis: rows (inner = 1) by 16-byte loads, several in flight per lane, wherever a row begins.
//
// Packs are counted from the 16-byte boundary at or before `in`, and positions of elements from there. A row
// that does not begin or end with a pack shares that one with its neighbour: both load it, and each folds its
// own elements alone. Packs that reach over the ends of the input are loaded element by element.
#ifndef REDUCE_AXIS_ROWS_CUH
#define REDUCE_AXIS_ROWS_CUH

#include "axis.cuh"

template <typename T> struct rows_view {
    const T *base;     // the boundary
    size_t begin, end; // positions of the input's first element and behind its last
    bool aligned;      // every row begins and ends with a pack
};

template <typename T>
static __device__ __forceinline__ rows_view<T> view_rows(const T *in, size_t segments, size_t n) {
    size_t shift = (size_t)in % 16 / sizeof(T);
    return {in - shift, shift, shift + segments * n, shift == 0 && n * sizeof(T) % 16 == 0};
}

// The row's positions [from, to), and the packs that hold them.
typedef struct span {
    size_t from, to, first, packs;
} span;

template <typename T>
static __device__ __forceinline__ span span_of(const rows_view<T> &v, size_t from, size_t to) {
    const int PACK = 16 / sizeof(T);
    span r = {from, to, from / PACK, 0};
    if (to > from) r.packs = (to - 1) / PACK - r.first + 1;
    return r;
}

template <bool aligned, typename T>
static __device__ __forceinline__ kz_pack<T> load_row_pack(const rows_view<T> &v, size_t pack) {
    const int PACK = 16 / sizeof(T);
    size_t position = pack * PACK;
    if (aligned || (position >= v.begin && position + PACK <= v.end))
        return kz_load_pack<REDUCE_AXIS_LOAD>(v.base + position);
    kz_pack<T> part = {};
    for (int e = 0; e < PACK; e++)
        if (position + e >= v.begin && position + e < v.end) part.at[e] = v.base[position + e];
    return part;
}

// All lanes of the group get the result; all lanes of the warp must call it.
template <int operation, typename A> static __device__ __forceinline__ A fold_group(A value, unsigned lanes) {
    for (unsigned step = lanes / 2; step > 0; step /= 2)
        value = kz_fold_combine<operation>(value, kz_fold_swap(value, (int)step));
    return value;
}

// ---- short rows: a pack per lane, ROWS rows per group in flight ------------------------------------------

enum { ROWS = REDUCE_AXIS_PACKS };
static_assert((ROWS & (ROWS - 1)) == 0, "lanes exchange halves of their rows");

// The elements of pack p of a row that belong to it, onto a value; the row has `n` of them, `skip` elements
// into its first pack.
template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ A fold_part(A value, kz_pack<T> elements, unsigned p, unsigned skip,
                                              unsigned n) {
    if (aligned) return kz_fold_pack<operation, T, A>(value, elements);
    const int PACK = 16 / sizeof(T);
#pragma unroll
    for (int e = 0; e < PACK; e++) {
        A next = kz_fold_combine<operation>(value, (A)kz_widen(elements.at[e]));
        if (p * PACK + e - skip < n) value = next; // unsigned: before the row is beyond it
    }
    return value;
}

// Row j of group g is base + j * groups + g: each load of a warp is as many neighbouring rows as it has
// groups. This is the careful way: rows that begin anywhere, and the last tile, which may not be full.
template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ void fold_short(const rows_view<T> &v, T *out, size_t segments, unsigned n,
                                                  unsigned lanes, size_t base) {
    const unsigned PACK = 16 / sizeof(T);
    unsigned lane = kz_lane() % lanes, groups = KZ_WARP / lanes;
    size_t tile = (size_t)groups * ROWS;
    for (; base < segments; base += kz_threads() / KZ_WARP * tile) {
        size_t s = base + kz_lane() / lanes;
        kz_pack<T> elements[ROWS];
        A value[ROWS];
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            size_t row = s + (size_t)j * groups, from = v.begin + row * n;
            elements[j] = {};
            if (row < segments && lane * PACK < from % PACK + n)
                elements[j] = load_row_pack<aligned>(v, from / PACK + lane);
        }
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            size_t row = s + (size_t)j * groups, from = v.begin + row * n;
            unsigned skip = aligned ? 0 : (unsigned)(from % PACK), end = row < segments ? skip + n : 0;
            value[j] = kz_fold_identity<operation>(A());
            if (lane * PACK < end)
                value[j] = fold_part<operation, aligned, T, A>(value[j], elements[j], lane, skip, n);
            // The plan counts packs as if the input began with one; where it does not, a row may touch one
            // more.
            for (unsigned p = lane + lanes; !aligned && p * PACK < end; p += lanes)
                value[j] = fold_part<operation, aligned, T, A>(
                    value[j], load_row_pack<aligned>(v, from / PACK + p), p, skip, n);
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j < ROWS; j++) value[j] = fold_group<operation>(value[j], lanes);
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            size_t row = s + (size_t)j * groups;
            if (j % lanes == lane && row < segments) write_result<operation>(out, row, value[j], n);
        }
    }
}

// The group's lanes fold `rows` values of which each has a part: in each step a lane keeps half of the rows
// and gives its part of the others to the lane that keeps those. Four rows take 3 shuffles over four lanes;
// one after another they would take 8. In the end a lane has rows / lanes of them, or lanes / rows lanes have
// one together.
template <int operation, int lanes, int rows, typename A>
static __device__ __forceinline__ void exchange(A *value, unsigned lane) {
    if constexpr (lanes > 1 && rows > 1) {
        bool upper = lane & (lanes / 2);
#pragma unroll
        for (int j = 0; j < rows / 2; j++) {
            A keep = upper ? value[j + rows / 2] : value[j], give = upper ? value[j] : value[j + rows / 2];
            value[j] = kz_fold_combine<operation>(keep, __shfl_xor_sync(KZ_ALL_LANES, give, lanes / 2));
        }
        exchange<operation, lanes / 2, rows / 2>(value, lane);
    } else if constexpr (lanes > 1) {
        value[0] = kz_fold_combine<operation>(value[0], __shfl_xor_sync(KZ_ALL_LANES, value[0], lanes / 2));
        exchange<operation, lanes / 2, 1>(value, lane);
    }
}

// The quick way, for whole tiles of rows that have a pack for every lane: the distance from a row to the next
// in flight is known to the compiler. Gives the first row of the tile that is left to the careful one.
template <int operation, int lanes, typename T, typename A>
static __device__ __forceinline__ size_t fold_tiles(const rows_view<T> &v, T *out, size_t segments,
                                                    size_t base) {
    const int PACK = 16 / sizeof(T), GROUPS = KZ_WARP / lanes, TILE = GROUPS * ROWS;
    const int KEPT = ROWS > lanes ? ROWS / lanes : 1;  // rows that a lane has in the end
    const int SHARE = lanes > ROWS ? lanes / ROWS : 1; // lanes that have the same one
    unsigned lane = kz_lane() % lanes, group = kz_lane() / lanes;
    size_t warps = kz_threads() / KZ_WARP;
    const T *from = v.base + ((base + group) * lanes + lane) * PACK;
    T *to = out + base + lane / SHARE * KEPT * GROUPS + group;
    for (; base + TILE <= segments; base += warps * TILE) {
        kz_pack<T> elements[ROWS];
        A value[ROWS];
#pragma unroll
        for (int j = 0; j < ROWS; j++)
            elements[j] = kz_load_pack<REDUCE_AXIS_LOAD>(from + j * GROUPS * lanes * PACK);
#pragma unroll
        for (int j = 0; j < ROWS; j++)
            value[j] = kz_fold_pack<operation, T, A>(kz_fold_identity<operation>(A()), elements[j]);
        exchange<operation, lanes, ROWS>(value, lane);
        if (lane % SHARE == 0)
#pragma unroll
            for (int j = 0; j < KEPT; j++) write_result<operation>(to, j * GROUPS, value[j], lanes * PACK);
        from += warps * TILE * lanes * PACK;
        to += warps * TILE;
    }
    return base;
}

// ---- long rows: PACKS packs of one row per lane in flight -------------------------------------------------

// This thread's part of a row, the positions [from, to): packs `lane`, `lane + lanes`, ... of those that are the
// row's alone. The elements before and after them, less than a pack each, go to the first lanes, one each.
template <int operation, int PACKS, int hint, typename T, typename A>
static __device__ __forceinline__ A fold_long(const rows_view<T> &v, size_t from, size_t to, size_t lane,
                                              size_t lanes) {
    const size_t PACK = 16 / sizeof(T);
    size_t first = (from + PACK - 1) / PACK, end = to / PACK;
    size_t head = first * PACK < to ? first * PACK : to; // behind the elements before the packs
    size_t tail = end * PACK > head ? end * PACK : head; // the first element after them
    A value[PACKS];
#pragma unroll
    for (int j = 0; j < PACKS; j++) value[j] = kz_fold_identity<operation>(A());
    for (size_t p = first + lane; p < end; p += PACKS * lanes) {
        kz_pack<T> elements[PACKS];
#pragma unroll
        for (int j = 0; j < PACKS; j++) {
            elements[j] = {};
            if (p + j * lanes < end) elements[j] = kz_load_pack<hint>(v.base + (p + j * lanes) * PACK);
        }
#pragma unroll
        for (int j = 0; j < PACKS; j++)
            if (p + j * lanes < end) value[j] = kz_fold_pack<operation, T, A>(value[j], elements[j]);
    }
    for (size_t k = from + lane; k < head; k += lanes)
        value[0] = kz_fold_combine<operation>(value[0], (A)kz_widen(v.base[k]));
    for (size_t k = tail + lane; k < to; k += lanes)
        value[0] = kz_fold_combine<operation>(value[0], (A)kz_widen(v.base[k]));
#pragma unroll
    for (int j = 1; j < PACKS; j++) value[0] = kz_fold_combine<operation>(value[0], value[j]);
    return value[0];
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void long_rows(const T *in, T *out, size_t segments, size_t n,
                                                 unsigned lanes) {
    rows_view<T> v = view_rows(in, segments, n);
    unsigned lane = kz_lane() % lanes, groups = KZ_WARP / lanes;
    for (size_t base = kz_thread() / KZ_WARP * groups; base < segments;
         base += kz_threads() / KZ_WARP * groups) {
        size_t s = base + kz_lane() / lanes, from = v.begin + s * n;
        A value = kz_fold_identity<operation>(A());
        if (s < segments)
            value = fold_long<operation, REDUCE_AXIS_PACKS, REDUCE_AXIS_LOAD, T, A>(v, from, from + n, lane,
                                                                                    lanes);
        __syncwarp();
        value = fold_group<operation>(value, lanes);
        if (lane == 0 && s < segments) write_result<operation>(out, s, value, n);
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void short_rows(const T *in, T *out, size_t segments, size_t n,
                                                  unsigned lanes) {
    rows_view<T> v = view_rows(in, segments, n);
    size_t base = kz_thread() / KZ_WARP * (KZ_WARP / lanes) * ROWS;
    if (v.aligned && n * sizeof(T) == lanes * 16) switch (lanes) {
        case 1: base = fold_tiles<operation, 1, T, A>(v, out, segments, base); break;
        case 2: base = fold_tiles<operation, 2, T, A>(v, out, segments, base); break;
        case 4: base = fold_tiles<operation, 4, T, A>(v, out, segments, base); break;
        case 8: base = fold_tiles<operation, 8, T, A>(v, out, segments, base); break;
        case 16: base = fold_tiles<operation, 16, T, A>(v, out, segments, base); break;
        }
    if (v.aligned)
        fold_short<operation, true, T, A>(v, out, segments, (unsigned)n, lanes, base);
    else
        fold_short<operation, false, T, A>(v, out, segments, (unsigned)n, lanes, base);
}

#define REDUCE_AXIS_SHORT(operation, OPERATION, type, T, A)                                                  \
    KZ_ENTRY_BOUNDS(reduce_axis_short_##operation##_##type, REDUCE_AXIS_ROW_THREADS, REDUCE_AXIS_ROW_BLOCKS) \
    (const T *in, T *out, size_t segments, size_t n, size_t lanes) {                                         \
        short_rows<OPERATION, T, A>(in, out, segments, n, (unsigned)lanes);                                  \
    }
#define REDUCE_AXIS_LONG(operation, OPERATION, type, T, A)                                                   \
    KZ_ENTRY_BOUNDS(reduce_axis_long_##operation##_##type, REDUCE_AXIS_ROW_THREADS, REDUCE_AXIS_ROW_BLOCKS)  \
    (const T *in, T *out, size_t segments, size_t n, size_t lanes) {                                         \
        long_rows<OPERATION, T, A>(in, out, segments, n, (unsigned)lanes);                                   \
    }

#endif

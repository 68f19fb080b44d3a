// reduce_axis: rows (inner = 1) by 16-byte loads, several in flight per lane, wherever a row begins.
//
// Packs are counted from the 16-byte boundary at or before `in`, and places of elements from there. A row that
// does not begin or end with a pack shares that one with its neighbour: both load it, and each folds its own
// elements alone. Packs that reach over the ends of the input are loaded element by element.
#ifndef REDUCE_AXIS_ROWS_CUH
#define REDUCE_AXIS_ROWS_CUH

#include "axis.cuh"

template <typename T> struct rows_view {
    const T *base;     // the boundary
    size_t begin, end; // places of the input's first element and behind its last
    bool aligned;      // every row begins and ends with a pack
};

template <typename T>
static __device__ __forceinline__ rows_view<T> view_rows(const T *in, size_t segments, size_t n) {
    size_t shift = (size_t)in % 16 / sizeof(T);
    return {in - shift, shift, shift + segments * n, shift == 0 && n * sizeof(T) % 16 == 0};
}

// The row's places [from, to), and the packs that hold them.
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
static __device__ __forceinline__ kz_pack<T> load_places(const rows_view<T> &v, size_t pack) {
    const int PACK = 16 / sizeof(T);
    size_t place = pack * PACK;
    if (aligned || (place >= v.begin && place + PACK <= v.end))
        return kz_load_pack<REDUCE_AXIS_LOAD>(v.base + place);
    kz_pack<T> part = {};
    for (int e = 0; e < PACK; e++)
        if (place + e >= v.begin && place + e < v.end) part.at[e] = v.base[place + e];
    return part;
}

// The pack's elements that belong to the row, onto a value.
template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ A fold_places(A value, kz_pack<T> elements, const span &r, size_t pack) {
    if (aligned) return fold_pack<operation, T, A>(value, elements);
    const int PACK = 16 / sizeof(T);
#pragma unroll
    for (int e = 0; e < PACK; e++) {
        size_t place = pack * PACK + e;
        A next = combine<operation>(value, (A)kz_widen(elements.at[e]));
        if (place >= r.from && place < r.to) value = next;
    }
    return value;
}

// All lanes of the group get the result; all lanes of the warp must call it.
template <int operation, typename A> static __device__ __forceinline__ A fold_group(A value, unsigned lanes) {
    for (unsigned step = lanes / 2; step > 0; step /= 2)
        value = combine<operation>(value, __shfl_xor_sync(KZ_ALL_LANES, value, step));
    return value;
}

// ---- short rows: a pack per lane, PACKS rows per group in flight ----------------------------------------

// Row j of group g is base + j * groups + g: each load of a warp is as many neighbouring rows as it has groups.
template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ void fold_short(const rows_view<T> &v, T *out, size_t segments, size_t n,
                                                  unsigned lanes) {
    const int ROWS = REDUCE_AXIS_PACKS;
    unsigned lane = kz_lane() % lanes, groups = KZ_WARP / lanes;
    size_t tile = (size_t)groups * ROWS;
    for (size_t base = kz_thread() / KZ_WARP * tile; base < segments; base += kz_threads() / KZ_WARP * tile) {
        size_t s = base + kz_lane() / lanes;
        kz_pack<T> elements[ROWS];
        span r[ROWS];
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            size_t row = s + (size_t)j * groups;
            r[j] = row < segments ? span_of(v, v.begin + row * n, v.begin + (row + 1) * n) : span();
            elements[j] = {};
            if (lane < r[j].packs) elements[j] = load_places<aligned>(v, r[j].first + lane);
        }
        A value[ROWS];
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            value[j] = identity<operation>(A());
            if (lane < r[j].packs)
                value[j] =
                    fold_places<operation, aligned, T, A>(value[j], elements[j], r[j], r[j].first + lane);
            // The plan counts packs as if the input began with one; where it does not, a row may touch one more.
            for (size_t p = lane + lanes; !aligned && p < r[j].packs; p += lanes)
                value[j] = fold_places<operation, aligned, T, A>(
                    value[j], load_places<aligned>(v, r[j].first + p), r[j], r[j].first + p);
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j < ROWS; j++) value[j] = fold_group<operation>(value[j], lanes);
            // Every lane of a group knows every row's result: lane j writes row j, so that a warp writes side by side.
#pragma unroll
        for (int j = 0; j < ROWS; j++) {
            size_t row = s + (size_t)j * groups;
            if (j % lanes == lane && row < segments) write_result<operation>(out, row, value[j], n);
        }
    }
}

// ---- long rows: PACKS packs of one row per lane in flight -------------------------------------------------

// This thread's part of a row: packs `lane`, `lane + lanes`, ...
template <int operation, bool aligned, int PACKS, typename T, typename A>
static __device__ __forceinline__ A fold_long(const rows_view<T> &v, const span &r, size_t lane,
                                              size_t lanes) {
    A value[PACKS];
#pragma unroll
    for (int j = 0; j < PACKS; j++) value[j] = identity<operation>(A());
    for (size_t p = lane; p < r.packs; p += PACKS * lanes) {
        kz_pack<T> elements[PACKS];
#pragma unroll
        for (int j = 0; j < PACKS; j++) {
            elements[j] = {};
            if (p + j * lanes < r.packs) elements[j] = load_places<aligned>(v, r.first + p + j * lanes);
        }
#pragma unroll
        for (int j = 0; j < PACKS; j++)
            if (p + j * lanes < r.packs)
                value[j] =
                    fold_places<operation, aligned, T, A>(value[j], elements[j], r, r.first + p + j * lanes);
    }
#pragma unroll
    for (int j = 1; j < PACKS; j++) value[0] = combine<operation>(value[0], value[j]);
    return value[0];
}

template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ void fold_longs(const rows_view<T> &v, T *out, size_t segments, size_t n,
                                                  unsigned lanes) {
    unsigned lane = kz_lane() % lanes, groups = KZ_WARP / lanes;
    for (size_t base = kz_thread() / KZ_WARP * groups; base < segments;
         base += kz_threads() / KZ_WARP * groups) {
        size_t s = base + kz_lane() / lanes;
        span r = s < segments ? span_of(v, v.begin + s * n, v.begin + (s + 1) * n) : span();
        A value = fold_long<operation, aligned, REDUCE_AXIS_PACKS, T, A>(v, r, lane, lanes);
        __syncwarp();
        value = fold_group<operation>(value, lanes);
        if (lane == 0 && s < segments) write_result<operation>(out, s, value, n);
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void short_rows(const T *in, T *out, size_t segments, size_t n,
                                                  unsigned lanes) {
    rows_view<T> v = view_rows(in, segments, n);
    if (v.aligned)
        fold_short<operation, true, T, A>(v, out, segments, n, lanes);
    else
        fold_short<operation, false, T, A>(v, out, segments, n, lanes);
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void long_rows(const T *in, T *out, size_t segments, size_t n,
                                                 unsigned lanes) {
    rows_view<T> v = view_rows(in, segments, n);
    if (v.aligned)
        fold_longs<operation, true, T, A>(v, out, segments, n, lanes);
    else
        fold_longs<operation, false, T, A>(v, out, segments, n, lanes);
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

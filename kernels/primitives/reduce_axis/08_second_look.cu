// reduce_axis 08: a second look
//
// Idea     argmax need not carry an index along: the greatest value is found as max finds it, and where it stands
//          by looking at the winner once more.
// Change   argmin and argmax alone. A lane folds each pack to its extreme by min or max, NaN apart, and keeps the pack
//          that leads, with its number. The lanes of a row agree on the value, then on the least number among those
//          that have it; that lane looks at its pack again for the first element that is the value. Eight packs per
//          lane are in flight. Columns, 16 bytes of neighbouring ones per load, carry a place of 32 bits each.
// Expect   a third of the instructions of folding values with their indices; rows at the speed of a read.
// Limit    columns of which 16 bytes do not divide the inner axis are read element by element, and short rows that do
//          not begin with packs by the kernel for long ones.

#include "columns.cuh"
#include "rows.cuh"

// ---- the pack that leads -----------------------------------------------------------------------------------

// Of a lane's packs. Where no element beats the identity all are equal to it, and the first pack leads.
template <typename A> struct leader {
    A value;
    unsigned number; // among the lane's packs
    uint4 pack;
};

// `next` comes later: an equal does not lead.
template <int operation, typename A>
static __device__ __forceinline__ leader<A> overtake(leader<A> best, leader<A> next) {
    bool beats = kz_beats<operation>(next.value, best.value);
    return {beats ? next.value : best.value,
            beats ? next.number : best.number,
            {beats ? next.pack.x : best.pack.x, beats ? next.pack.y : best.pack.y,
             beats ? next.pack.z : best.pack.z, beats ? next.pack.w : best.pack.w}};
}

// Of `PACKS` packs (a power of two), the first of which has this number.
template <int operation, int PACKS, typename T, typename A>
static __device__ __forceinline__ leader<A> leader_of(const uint4 *packs, unsigned number) {
    leader<A> at[PACKS];
#pragma unroll
    for (int j = 0; j < PACKS; j++)
        at[j] = {kz_pack_extreme<operation, T, A>(packs[j]), (unsigned)j, packs[j]};
#pragma unroll
    for (int step = 1; step < PACKS; step *= 2)
#pragma unroll
        for (int j = 0; j < PACKS; j += 2 * step) at[j] = overtake<operation>(at[j], at[j + step]);
    at[0].number += number;
    return at[0];
}

// Whether this lane's leader is the first of the best among `lanes` lanes, MOST at most; all lanes of the warp must call
// it. `any`: this lane has one.
template <int operation, int MOST, typename A>
static __device__ __forceinline__ bool leads(const leader<A> &l, bool any, unsigned lanes = MOST) {
    A most = l.value;
#pragma unroll
    for (unsigned step = MOST / 2; step > 0; step /= 2) {
        A other = kz_fold_combine<operation>(most, kz_fold_swap(most, (int)step));
        most = step < lanes ? other : most;
    }
    // Where the best is NaN, those that have it are NaN themselves; elsewhere nobody is.
    unsigned mine = 0xffffffffu, least;
    if (any && (l.value == most || l.value != l.value)) mine = l.number * KZ_WARP + kz_lane();
    least = mine;
#pragma unroll
    for (unsigned step = MOST / 2; step > 0; step /= 2) {
        unsigned other = min(least, kz_fold_swap(least, (int)step));
        least = step < lanes ? other : least;
    }
    return any && mine == least;
}

// The second look: the first element that is the leader's value, and where it stands. The lane's packs begin `lane` packs
// into the row, `lanes` apart.
template <typename T, typename A>
static __device__ __forceinline__ kz_best<A> look_again(const leader<A> &l, unsigned lane, unsigned lanes) {
    unsigned number;
    A value = kz_pack_find<T>(l.pack, l.value, &number);
    return {value, (unsigned)((lane + l.number * lanes) * (16 / sizeof(T)) + number), 0};
}

// ---- short rows: of 2, 4 or 8 packs, two lanes for each ----------------------------------------------------------

// Whole tiles of rows that begin with packs: PACKS for each lane, and as many rows in flight as that leaves. Gives the
// first row that is left.
template <int operation, int PACKS, typename T, typename A>
static __device__ __forceinline__ size_t find_short(const T *in, found<T> out, size_t segments) {
    const int ROUNDS = 8 / PACKS, LANES = 2, GROUPS = KZ_WARP / LANES, TILE = GROUPS * ROUNDS;
    unsigned lane = kz_lane() % LANES;
    for (size_t base = kz_thread() / KZ_WARP * TILE; base + TILE <= segments;
         base += kz_threads() / KZ_WARP * TILE) {
        size_t s = base + kz_lane() / LANES;
        const uint4 *from = (const uint4 *)in + s * LANES * PACKS + lane;
        uint4 packs[ROUNDS][PACKS];
        bool first[ROUNDS];
        kz_best<A> best[ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
#pragma unroll
            for (int j = 0; j < PACKS; j++)
                packs[r][j] = kz_load<REDUCE_AXIS_LOAD>(from + r * KZ_WARP * PACKS + j * LANES);
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            leader<A> l = leader_of<operation, PACKS, T, A>(packs[r], 0);
            first[r] = leads<operation, LANES>(l, true);
            best[r] = look_again<T>(l, lane, LANES);
        }
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (first[r]) write_result<operation>(out, s + r * GROUPS, best[r], 0);
        __syncwarp();
    }
    return segments / TILE * TILE;
}

// ---- long rows ---------------------------------------------------------------------------------------------

// A row, or a piece of one, by packs. The first and the last may be shared with neighbours, and reach over the ends of
// the input.
template <typename T> struct stretch {
    const T *first;             // of its first pack
    unsigned packs, skip, keep; // packs; elements before it in the first; up to its last one in the last
    bool before, behind;        // the first, the last reaches out of the input
};

// Places [from, to).
template <bool aligned, typename T>
static __device__ __forceinline__ stretch<T> stretch_of(const rows_view<T> &v, size_t from, size_t to) {
    const unsigned PACK = 16 / sizeof(T);
    if (aligned) return {v.base + from, (unsigned)((to - from) / PACK), 0, PACK, false, false};
    span r = span_of(v, from, to);
    size_t start = r.first * PACK, last = r.packs ? start + (r.packs - 1) * PACK : start;
    return {v.base + start, (unsigned)r.packs, (unsigned)(from - start), (unsigned)(to - last),
            start<v.begin, last + PACK> v.end};
}

// Pack p, if there is one. What is not the row's is `nothing`.
template <bool aligned, typename T>
static __device__ __forceinline__ uint4 load_pack(const stretch<T> &r, unsigned p, T nothing) {
    const unsigned PACK = 16 / sizeof(T);
    const T *from = r.first + (size_t)p * PACK;
    kz_pack<T> pack;
    bool out = (p == 0 && r.before) || (p == r.packs - 1 && r.behind);
    if (p < r.packs && (aligned || !out)) return kz_load<REDUCE_AXIS_LOAD>((const uint4 *)from);
#pragma unroll
    for (unsigned e = 0; e < PACK; e++) {
        bool own = (p != 0 || e >= r.skip) && (p != r.packs - 1 || e < r.keep);
        pack.at[e] = nothing;
        if (!aligned && p < r.packs && own) pack.at[e] = from[e];
    }
    return pack.raw;
}
template <typename T>
static __device__ __forceinline__ uint4 own_part(const stretch<T> &r, unsigned p, uint4 raw, T nothing) {
    kz_pack<T> pack;
    pack.raw = raw;
#pragma unroll
    for (unsigned e = 0; e < 16 / sizeof(T); e++)
        if ((p == 0 && e < r.skip) || (p == r.packs - 1 && e >= r.keep)) pack.at[e] = nothing;
    return pack.raw;
}

// Of packs `lane`, `lane + lanes`, ... of the row: all that are there at once while the lane has as many, then the rest.
template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ leader<A> find_leader(const stretch<T> &r, unsigned lane, unsigned lanes) {
    const int IN_FLIGHT = aligned ? REDUCE_AXIS_FIND_PACKS : REDUCE_AXIS_FIND_PACKS / 2;
    const A identity = kz_fold_identity<operation>(A());
    T nothing;
    kz_narrow(&nothing, identity);
    kz_pack<T> filler;
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++) filler.at[e] = nothing;
    leader<A> best = {identity, 0, filler.raw};
    unsigned p = lane, number = 0;
    for (; p + (IN_FLIGHT - 1) * lanes < r.packs; p += IN_FLIGHT * lanes, number += IN_FLIGHT) {
        uint4 packs[IN_FLIGHT];
#pragma unroll
        for (int j = 0; j < IN_FLIGHT; j++)
            packs[j] = aligned ? kz_load<REDUCE_AXIS_LOAD>((const uint4 *)r.first + p + j * lanes)
                               : load_pack<aligned>(r, p + j * lanes, nothing);
        if (!aligned) { // no other pack of these can be the first or the last one
            packs[0] = own_part(r, p, packs[0], nothing);
            packs[IN_FLIGHT - 1] = own_part(r, p + (IN_FLIGHT - 1) * lanes, packs[IN_FLIGHT - 1], nothing);
        }
        best = overtake<operation>(best, leader_of<operation, IN_FLIGHT, T, A>(packs, number));
    }
    for (; p < r.packs; p += 2 * lanes, number += 2) {
        uint4 packs[2] = {load_pack<aligned>(r, p, nothing), load_pack<aligned>(r, p + lanes, nothing)};
        if (!aligned) {
            packs[0] = own_part(r, p, packs[0], nothing);
            packs[1] = own_part(r, p + lanes, packs[1], nothing);
        }
        best = overtake<operation>(best, leader_of<operation, 2, T, A>(packs, number));
    }
    return best;
}

// The index of what a second look finds, counted from the row's element `from`, where the stretch begins.
template <typename T, typename A>
static __device__ __forceinline__ kz_best<A> place_in_row(kz_best<A> b, const stretch<T> &r, size_t from) {
    // What a pack has before its row is the identity; where that is the best, so are all elements.
    size_t index = from + (b.low > r.skip ? b.low - r.skip : 0);
    return {b.value, (unsigned)index, (int)(index >> 32)};
}

template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ void find_rows(const rows_view<T> &v, found<T> out, size_t segments,
                                                 size_t n, unsigned lanes, size_t done) {
    unsigned lane = kz_lane() & (lanes - 1), shift = __ffs((int)lanes) - 1, groups = KZ_WARP >> shift;
    for (size_t base = done + kz_thread() / KZ_WARP * groups; base < segments;
         base += kz_threads() / KZ_WARP * groups) {
        size_t s = base + (kz_lane() >> shift), from = v.begin + s * n;
        stretch<T> r = stretch_of<aligned>(v, from, s < segments ? from + n : from);
        leader<A> l = find_leader<operation, aligned, T, A>(r, lane, lanes);
        __syncwarp();
        if (leads<operation, KZ_WARP>(l, lane < r.packs, lanes))
            write_result<operation>(out, s, place_in_row(look_again<T>(l, lane, lanes), r, 0), n);
        if (n == 0 && lane == 0 && s < segments)
            write_result<operation>(out, s, kz_fold_identity<operation>(kz_best<A>()), n);
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void find(const T *in, found<T> out, size_t segments, size_t n,
                                            unsigned lanes) {
    rows_view<T> v = view_rows(in, segments, n);
    if (!v.aligned) {
        find_rows<operation, false, T, A>(v, out, segments, n, lanes, 0);
        return;
    }
    size_t done = 0;
    switch (n * sizeof(T) / 16) {
    case 2: done = find_short<operation, 1, T, A>(in, out, segments); break;
    case 4: done = find_short<operation, 2, T, A>(in, out, segments); break;
    case 8: done = find_short<operation, 4, T, A>(in, out, segments); break;
    }
    find_rows<operation, true, T, A>(v, out, segments, n, lanes, done);
}

// A block per row or per piece of one.
template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ void find_team(const rows_view<T> &v, found<T> out, kz_best<A> *partial,
                                                 size_t segments, size_t n, size_t pieces) {
    const int PACK = 16 / sizeof(T), LANES = REDUCE_AXIS_TEAM_THREADS;
    __shared__ kz_best<A> of_warp[LANES / KZ_WARP];
    size_t chunk = ((n + pieces - 1) / pieces + PACK - 1) / PACK * PACK;
    for (size_t unit = blockIdx.x; unit < segments * pieces; unit += gridDim.x) {
        size_t s = pieces == 1 ? unit : unit / pieces, piece = pieces == 1 ? 0 : unit % pieces;
        size_t from = piece * chunk < n ? piece * chunk : n, to = from + chunk < n ? from + chunk : n;
        stretch<T> r = stretch_of<aligned>(v, v.begin + s * n + from, v.begin + s * n + to);
        leader<A> l = find_leader<operation, aligned, T, A>(r, threadIdx.x, LANES);
        __syncwarp();
        if (leads<operation, KZ_WARP>(l, threadIdx.x < r.packs))
            of_warp[kz_warp()] = place_in_row(look_again<T>(l, threadIdx.x, LANES), r, from);
        if (kz_lane() == 0 && threadIdx.x >= r.packs) // none of the warp's lanes has a pack
            of_warp[kz_warp()] = kz_fold_identity<operation>(kz_best<A>());
        __syncthreads();
        if (threadIdx.x == 0) {
            kz_best<A> best = of_warp[0];
            for (int w = 1; w < LANES / KZ_WARP; w++) best = kz_fold_combine<operation>(best, of_warp[w]);
            if (pieces == 1)
                write_result<operation>(out, s, best, n);
            else
                partial[piece * segments + s] = best;
        }
        __syncthreads();
    }
}

// ---- columns by packs -----------------------------------------------------------------------------------------

// A thread has PACK neighbouring columns; where each one's best stands is a number of 32 bits in the thread's piece.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void find_columns(const T *in, found<T> out, kz_best<A> *partial,
                                                    const shape *s) {
    const int PACK = 16 / sizeof(T);
    const A identity = kz_fold_identity<operation>(A());
    unsigned height = REDUCE_AXIS_THREADS / s->width;
    for (size_t index = blockIdx.x; index < unit_count(s); index += gridDim.x) {
        unit u = unit_of(index, s);
        unsigned rows = u.column < s->across ? (unsigned)(u.to - u.from) : 0, first = threadIdx.x / s->width;
        const T *from = in + (u.o * s->n + u.from) * s->inner + u.column * PACK;
        A value[PACK];
        unsigned at[PACK];
#pragma unroll
        for (int e = 0; e < PACK; e++) value[e] = identity, at[e] = first;
        for (unsigned k = first; k < rows; k += REDUCE_AXIS_ROWS * height) {
            kz_pack<T> elements[REDUCE_AXIS_ROWS];
#pragma unroll
            for (int r = 0; r < REDUCE_AXIS_ROWS; r++) // the last row once more where there is none
                elements[r] = kz_load_pack<REDUCE_AXIS_LOAD>(from + min(k + r * height, rows - 1) * s->inner);
#pragma unroll
            for (int r = 0; r < REDUCE_AXIS_ROWS; r++)
#pragma unroll
                for (int e = 0; e < PACK; e++) {
                    A x = (A)kz_widen(elements[r].at[e]);
                    bool beats = kz_beats<operation>(x, value[e]);
                    value[e] = beats ? x : value[e];
                    at[e] = beats ? min(k + r * height, rows - 1) : at[e];
                }
        }
        kz_best<A> best[PACK];
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            best[e] = kz_element<kz_best<A>>::at(value[e], u.from + at[e]);
            if (first >= rows) best[e] = kz_fold_identity<operation>(kz_best<A>());
        }
        fold_rows<operation, PACK>(best, s->width);
        if (threadIdx.x < s->width && u.column < s->across)
#pragma unroll
            for (int e = 0; e < PACK; e++)
                leave<operation>(out, partial, s, u.piece, u.o * s->inner + u.column * PACK + e, best[e]);
    }
}

#define ROWS(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_axis_find_##operation##_##type, REDUCE_AXIS_ROW_THREADS, REDUCE_AXIS_FIND_BLOCKS) \
    (const T *in, T *out, size_t segments, size_t n, size_t lanes, long long *index) {                       \
        find<OPERATION, T, A>(in, found<T>{out, index}, segments, n, (unsigned)lanes);                       \
    }
#define TEAM(operation, OPERATION, type, T, A)                                                               \
    KZ_ENTRY_BOUNDS(reduce_axis_find_team_##operation##_##type, REDUCE_AXIS_TEAM_THREADS,                    \
                    REDUCE_AXIS_FIND_TEAM_BLOCKS)                                                            \
    (const T *in, T *out, kz_best<A> *partial, size_t segments, size_t n, size_t pieces, long long *index) { \
        rows_view<T> v = view_rows(in, segments, n);                                                         \
        if (v.aligned)                                                                                       \
            find_team<OPERATION, true, T>(v, {out, index}, partial, segments, n, pieces);                    \
        else                                                                                                 \
            find_team<OPERATION, false, T>(v, {out, index}, partial, segments, n, pieces);                   \
    }
#define COLUMNS(operation, OPERATION, type, T, A)                                                            \
    KZ_ENTRY_BOUNDS(reduce_axis_find_columns_##operation##_##type, REDUCE_AXIS_THREADS, 4)                   \
    (const T *in, T *out, kz_best<A> *partial, size_t outer, size_t n, size_t inner, size_t pieces,          \
     size_t width, long long *index) {                                                                       \
        shape s = {outer, n, inner, pieces, (unsigned)width, inner};                                         \
        if (by_packs(in, &s))                                                                                \
            find_columns<OPERATION>(in, found<T>{out, index}, partial, &s);                                  \
        else                                                                                                 \
            columns<OPERATION>(in, found<T>{out, index}, partial, &s);                                       \
    }
#define GATHER(operation, OPERATION, type, T, A)                                                             \
    KZ_ENTRY(reduce_axis_gather_##operation##_##type)                                                        \
    (const kz_best<A> *partial, T *out, size_t segments, size_t pieces, size_t n, size_t lanes,              \
     long long *index) {                                                                                     \
        gather<OPERATION>(partial, found<T>{out, index}, segments, pieces, n, (unsigned)lanes);              \
    }

KZ_BEST_TYPES(ROWS)
KZ_BEST_TYPES(TEAM)
KZ_BEST_TYPES(COLUMNS)
KZ_BEST_TYPES(GATHER)

// reduce_axis 08: the value first, then its index
//
// Idea     argmax need not carry an index along: the greatest value is found as max finds it, and where it stands
//          by looking at the winner once more.
// Change   argmin and argmax alone. A lane folds each pack to its extreme by min or max, NaN apart, and keeps the pack
//          that leads, with its number. The lanes of a row agree on the value, then on the least number among those
//          that have it; that lane looks at its pack again for the first element that is the value. Eight packs per
//          lane are in flight. Columns, 16 bytes of neighbouring ones per load, carry a position of 32 bits each.
// Expect   a third of the instructions of folding values with their indices; rows at the speed of a read.
// Limit    columns of which 16 bytes do not divide the inner axis are read element by element. Short rows that do not
//          begin with packs go through shared memory as in 07, with an index for each element.

#include "columns.cuh"
#include "ragged.cuh"

// ---- the pack that leads -----------------------------------------------------------------------------------

// Of a lane's packs, by their extremes.
template <typename A> struct leader {
    A value;
    unsigned
        position; // of its first element in the row; until all packs of the lane are seen, its number among them
    uint4 pack;
};

// `next` comes later: an equal does not lead.
template <int operation, typename A>
static __device__ __forceinline__ leader<A> overtake(leader<A> best, leader<A> next) {
    bool beats = kz_beats<operation>(next.value, best.value);
    return {beats ? next.value : best.value,
            beats ? next.position : best.position,
            {beats ? next.pack.x : best.pack.x, beats ? next.pack.y : best.pack.y,
             beats ? next.pack.z : best.pack.z, beats ? next.pack.w : best.pack.w}};
}

// Of PACKS packs (a power of two), by their numbers.
template <int operation, int PACKS, typename T, typename A>
static __device__ __forceinline__ leader<A> leader_of(const uint4 *packs) {
    leader<A> at[PACKS];
#pragma unroll
    for (int j = 0; j < PACKS; j++)
        at[j] = {kz_pack_extreme<operation, T, A>(packs[j]), (unsigned)j, packs[j]};
#pragma unroll
    for (int step = 1; step < PACKS; step *= 2)
#pragma unroll
        for (int j = 0; j < PACKS; j += 2 * step) at[j] = overtake<operation>(at[j], at[j + step]);
    return at[0];
}

// Whether this lane's leader is the first of the best among `lanes` lanes, MOST at most; all lanes of the warp must call
// it. `any`: this lane has elements. Where none beats the identity all are equal to it, and the first is the one.
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
    if (any && (l.value == most || l.value != l.value)) mine = l.position;
    least = mine;
#pragma unroll
    for (unsigned step = MOST / 2; step > 0; step /= 2) {
        unsigned other = min(least, kz_fold_swap(least, (int)step));
        least = step < lanes ? other : least;
    }
    return any && mine == least;
}

// The index: the first element of the pack that is its extreme, and where it stands in the row.
template <typename T, typename A>
static __device__ __forceinline__ kz_value_index<A> look_again(const leader<A> &l) {
    unsigned number;
    A value = kz_pack_find<T>(l.pack, l.value, &number);
    return {value, l.position + number, 0};
}

// ---- short rows: of 2, 4, 8 or 16 packs -------------------------------------------------------------------------

// Whole tiles of rows that begin with packs: LANES lanes with PACKS packs each have a row, and as many rows are in flight
// as make eight packs per lane. Gives the first row that is left.
template <int operation, int LANES, int PACKS, typename T, typename A>
static __device__ __forceinline__ size_t find_short(const T *in, found<T> out, size_t segments) {
    const int ROUNDS = 8 / PACKS, GROUPS = KZ_WARP / LANES, TILE = GROUPS * ROUNDS, PACK = 16 / sizeof(T);
    unsigned lane = kz_lane() % LANES;
    for (size_t base = kz_thread() / KZ_WARP * TILE; base + TILE <= segments;
         base += kz_threads() / KZ_WARP * TILE) {
        size_t s = base + kz_lane() / LANES;
        const uint4 *from = (const uint4 *)in + s * LANES * PACKS + lane;
        uint4 packs[ROUNDS][PACKS];
        bool first[ROUNDS];
        kz_value_index<A> best[ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
#pragma unroll
            for (int j = 0; j < PACKS; j++)
                packs[r][j] = kz_load<REDUCE_AXIS_LOAD>(from + r * KZ_WARP * PACKS + j * LANES);
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            leader<A> l = leader_of<operation, PACKS, T, A>(packs[r]);
            l.position = (lane + l.position * LANES) * PACK;
            first[r] = leads<operation, LANES>(l, true);
            best[r] = look_again<T>(l);
        }
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (first[r]) write_result<operation>(out, s + r * GROUPS, best[r], 0);
        __syncwarp();
    }
    return segments / TILE * TILE;
}

// ---- long rows ---------------------------------------------------------------------------------------------

// A row, or a piece of one: packs that are its alone, and less than a pack of elements before and behind them.
template <typename T> struct row_range {
    const T *first;              // its first element
    unsigned head, packs, count; // elements before the packs, packs, elements in all
};

template <typename T>
static __device__ __forceinline__ row_range<T> row_range_of(const T *first, unsigned count) {
    const unsigned PACK = 16 / sizeof(T), head = (unsigned)((0 - (size_t)first) % 16 / sizeof(T));
    row_range<T> r = {first, head < count ? head : count, 0, count};
    r.packs = (count - r.head) / PACK;
    return r;
}

// An element by itself, as a pack that leads.
template <typename T, typename A>
static __device__ __forceinline__ leader<A> single(const row_range<T> &r, unsigned position) {
    kz_pack<T> pack;
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++) pack.at[e] = r.first[position];
    return {(A)kz_widen(r.first[position]), position, pack.raw};
}

// Of IN_FLIGHT packs, `lanes` apart; WHOLE: all of them are there, else `left` packs from the first on.
enum { IN_FLIGHT = REDUCE_AXIS_FIND_PACKS };
template <int operation, bool WHOLE, typename T, typename A>
static __device__ __forceinline__ leader<A> load_leader(const uint4 *from, unsigned lanes, unsigned left) {
    T nothing;
    kz_narrow(&nothing, kz_fold_identity<operation>(A()));
    kz_pack<T> filler;
    uint4 packs[IN_FLIGHT];
#pragma unroll
    for (int e = 0; e < 16 / (int)sizeof(T); e++) filler.at[e] = nothing;
#pragma unroll
    for (int j = 0; j < IN_FLIGHT; j++) {
        packs[j] = filler.raw;
        if (WHOLE || j * lanes < left) packs[j] = kz_load<REDUCE_AXIS_LOAD>(from + j * lanes);
    }
    return leader_of<operation, IN_FLIGHT, T, A>(packs);
}

// Of packs `lane`, `lane + lanes`, ... of the row. WHOLE: IN_FLIGHT at once as long as all lanes have as many; where rows
// begin anywhere, some in a warp would, and others not.
template <int operation, bool WHOLE, typename T, typename A>
static __device__ __forceinline__ leader<A> find_leader(const row_range<T> &r, unsigned lane,
                                                        unsigned lanes) {
    const uint4 *from = (const uint4 *)(r.first + r.head) + lane;
    leader<A> best = {kz_fold_identity<operation>(A()), 0, {}};
    unsigned p = 0, number = 0;
    if (WHOLE)
        for (; p + IN_FLIGHT * lanes <= r.packs; p += IN_FLIGHT * lanes, number += IN_FLIGHT) {
            leader<A> next = load_leader<operation, true, T, A>(from + p, lanes, 0);
            next.position += number;
            best = overtake<operation>(best, next);
        }
    for (; p + lane < r.packs; p += IN_FLIGHT * lanes, number += IN_FLIGHT) {
        leader<A> next = load_leader<operation, false, T, A>(from + p, lanes, r.packs - p - lane);
        next.position += number;
        best = overtake<operation>(best, next);
    }
    best.position = r.head + (lane + best.position * lanes) * (16 / sizeof(T));
    return best;
}

// With the elements before the packs and behind them, which go one by one to the first lanes. *any: the lane has something.
template <int operation, typename T, typename A>
static __device__ __forceinline__ leader<A> with_edges(leader<A> best, const row_range<T> &r, unsigned lane,
                                                       unsigned lanes, bool *any) {
    for (unsigned k = r.head + r.packs * (16 / sizeof(T)) + lane; k < r.count; k += lanes) {
        leader<A> next = single<T, A>(r, k);
        best = *any ? overtake<operation>(best, next) : next;
        *any = true;
    }
    for (unsigned k = r.head; k-- > 0;) { // from the last to the first, which takes an equal's position
        if (k % lanes != lane) continue;
        best = *any ? overtake<operation>(single<T, A>(r, k), best) : single<T, A>(r, k);
        *any = true;
    }
    return best;
}

template <int operation, bool aligned, typename T, typename A>
static __device__ __forceinline__ void find_rows(const T *in, found<T> out, size_t segments, size_t n,
                                                 unsigned lanes, size_t done) {
    unsigned lane = kz_lane() & (lanes - 1), shift = __ffs((int)lanes) - 1, groups = KZ_WARP >> shift;
    for (size_t base = done + kz_thread() / KZ_WARP * groups; base < segments;
         base += kz_threads() / KZ_WARP * groups) {
        size_t s = base + (kz_lane() >> shift);
        unsigned count = s < segments ? (unsigned)n : 0;
        row_range<T> r = {in + s * n, 0, count / (unsigned)(16 / sizeof(T)), count};
        if (!aligned) r = row_range_of(in + s * n, count);
        leader<A> l = find_leader<operation, aligned, T, A>(r, lane, lanes);
        bool any = lane < r.packs;
        if (!aligned) l = with_edges<operation>(l, r, lane, lanes, &any);
        __syncwarp();
        if (leads<operation, KZ_WARP>(l, any, lanes)) write_result<operation>(out, s, look_again<T>(l), n);
        if (n == 0 && lane == 0 && s < segments)
            write_result<operation>(out, s, kz_fold_identity<operation>(kz_value_index<A>()), n);
    }
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void find(const T *in, found<T> out, size_t segments, size_t n,
                                            unsigned lanes) {
    if (!kz_aligned(in, 16) || n * sizeof(T) % 16 != 0) {
        find_rows<operation, false, T, A>(in, out, segments, n, lanes, 0);
        return;
    }
    size_t done = 0;
    switch (n * sizeof(T) / 16) {
    case 2: done = find_short<operation, 2, 1, T, A>(in, out, segments); break;
    case 4: done = find_short<operation, 4, 1, T, A>(in, out, segments); break;
    case 8: done = find_short<operation, 4, 2, T, A>(in, out, segments); break;
    case 16: done = find_short<operation, 8, 2, T, A>(in, out, segments); break;
    }
    find_rows<operation, true, T, A>(in, out, segments, n, lanes, done);
}

// A block per row or per piece of one.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void find_team(const T *in, found<T> out, kz_value_index<A> *partial,
                                                 size_t segments, size_t n, size_t pieces) {
    const int PACK = 16 / sizeof(T), LANES = REDUCE_AXIS_FIND_TEAM_THREADS;
    __shared__ kz_value_index<A> of_warp[LANES / KZ_WARP];
    size_t chunk = ((n + pieces - 1) / pieces + PACK - 1) / PACK * PACK;
    for (size_t unit = blockIdx.x; unit < segments * pieces; unit += gridDim.x) {
        size_t s = pieces == 1 ? unit : unit / pieces, piece = pieces == 1 ? 0 : unit % pieces;
        size_t from = piece * chunk < n ? piece * chunk : n, to = from + chunk < n ? from + chunk : n;
        row_range<T> r = row_range_of(in + s * n + from, (unsigned)(to - from));
        leader<A> l = find_leader<operation, true, T, A>(r, threadIdx.x, LANES);
        bool any = threadIdx.x < r.packs;
        if (r.packs * PACK < r.count) l = with_edges<operation>(l, r, threadIdx.x, LANES, &any);
        __syncwarp();
        if (!__any_sync(KZ_ALL_LANES, any) && kz_lane() == 0)
            of_warp[kz_warp()] = kz_fold_identity<operation>(kz_value_index<A>());
        if (leads<operation, KZ_WARP>(l, any)) {
            kz_value_index<A> b = look_again<T>(l);
            of_warp[kz_warp()] = kz_fold_element<kz_value_index<A>>::at(b.value, from + b.low);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            kz_value_index<A> best = of_warp[0];
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
static __device__ __forceinline__ void find_columns(const T *in, found<T> out, kz_value_index<A> *partial,
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
        kz_value_index<A> best[PACK];
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            best[e] = kz_fold_element<kz_value_index<A>>::at(value[e], u.from + at[e]);
            if (first >= rows) best[e] = kz_fold_identity<operation>(kz_value_index<A>());
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
    KZ_ENTRY_BOUNDS(reduce_axis_find_team_##operation##_##type, REDUCE_AXIS_FIND_TEAM_THREADS,               \
                    REDUCE_AXIS_FIND_TEAM_BLOCKS)                                                            \
    (const T *in, T *out, kz_value_index<A> *partial, size_t segments, size_t n, size_t pieces,              \
     long long *index) {                                                                                     \
        find_team<OPERATION, T>(in, found<T>{out, index}, partial, segments, n, pieces);                     \
    }
#define RAGGED(operation, OPERATION, type, T, A)                                                             \
    KZ_ENTRY_BOUNDS(reduce_axis_ragged_##operation##_##type, REDUCE_AXIS_THREADS, 6)                         \
    (const T *in, T *out, size_t segments, size_t n, size_t rows, size_t lanes, long long *index) {          \
        ragged<OPERATION, kz_value_index<A>>(in, found<T>{out, index}, segments, n, (unsigned)rows,          \
                                             (unsigned)lanes);                                               \
    }
#define COLUMNS(operation, OPERATION, type, T, A)                                                            \
    KZ_ENTRY_BOUNDS(reduce_axis_find_columns_##operation##_##type, REDUCE_AXIS_THREADS, 4)                   \
    (const T *in, T *out, kz_value_index<A> *partial, size_t outer, size_t n, size_t inner, size_t pieces,   \
     size_t width, long long *index) {                                                                       \
        shape s = {outer, n, inner, pieces, (unsigned)width, inner};                                         \
        if (by_packs(in, &s))                                                                                \
            find_columns<OPERATION>(in, found<T>{out, index}, partial, &s);                                  \
        else                                                                                                 \
            columns<OPERATION>(in, found<T>{out, index}, partial, &s);                                       \
    }
#define GATHER(operation, OPERATION, type, T, A)                                                             \
    KZ_ENTRY_BOUNDS(reduce_axis_gather_##operation##_##type, REDUCE_AXIS_THREADS, 4)                         \
    (const kz_value_index<A> *partial, T *out, size_t segments, size_t pieces, size_t n, size_t width,       \
     long long *index) {                                                                                     \
        gather<OPERATION>(partial, found<T>{out, index}, segments, pieces, n, (unsigned)width);              \
    }

KZ_ARG_TYPES(ROWS)
KZ_ARG_TYPES(TEAM)
KZ_ARG_TYPES(RAGGED)
KZ_ARG_TYPES(COLUMNS)
KZ_ARG_TYPES(GATHER)

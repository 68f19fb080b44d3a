// reduce_segments: a warp's way through its share of elements, with ends as bits, for 05 and 06.
//
// A lane has 80 bytes of a tile (48 of the half types) in registers. The ends that fall into the tile are read by the
// warp, and each sets a bit in the word of the lane that has its segment's last element.
#ifndef REDUCE_SEGMENTS_FLAGS_CUH
#define REDUCE_SEGMENTS_FLAGS_CUH

#include "kz/device/warp.cuh"
#include "merge.cuh"

enum { WINDOWS = 2, STAGES = REDUCE_SEGMENTS_FLAGS_STAGES };

// What a warp has in shared memory. An odd number of packs per lane goes through all banks.
template <typename T, typename A> struct room {
    static const int PACK = 16 / sizeof(T), PACKS = sizeof(T) == 2 ? 3 : 5;
    static const int EACH = PACK * PACKS, TILE = KZ_WARP * EACH;
    uint4 stage[STAGES][KZ_WARP * PACKS];
    static const bool INSTEAD = REDUCE_SEGMENTS_FLAGS_INSTEAD && sizeof(A) == sizeof(T);
    A apart[INSTEAD ? 1 : TILE];
    unsigned ends[KZ_WARP]; // by lane: which of its elements are the last of a segment

    // What segments come to, by their last element: which of the lane's it is, and the lane. In the place of the tile's
    // elements, which are in registers then, or apart.
    __device__ __forceinline__ A *folded(int tile) { return INSTEAD ? (A *)stage[tile] : apart; }
};

// What a warp goes over: ends [from.segment, to.segment), elements [from.element, to.element). Places count from the
// 16-byte boundary before the input.
template <typename T> struct share {
    const T *base;
    size_t shift; // the input's first position
    merge_coordinate from, to;
};

static __device__ __forceinline__ void copy_pack(uint4 *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from)
                 : "memory");
}

// Begins to bring the tile at `start`; a pack that reaches over the ends of the input comes by elements, at once.
template <typename T, typename A>
static __device__ __forceinline__ void begin_tile(const problem<T> &p, const share<T> &s, room<T, A> *r,
                                                  int stage, size_t start) {
    const int PACK = room<T, A>::PACK, PACKS = room<T, A>::PACKS;
    size_t input_end = s.shift + p.n, share_end = s.shift + s.to.element;
    uint4 *to = &r->stage[stage][kz_lane()];
    const T *from = s.base + start + kz_lane() * PACK;
    if (start >= s.shift && start + r->TILE <= share_end) {
#pragma unroll
        for (int j = 0; j < PACKS; j++) copy_pack(to + j * KZ_WARP, from + j * KZ_WARP * PACK);
    } else {
        for (int j = 0; j < PACKS; j++) {
            size_t first = start + (j * KZ_WARP + kz_lane()) * PACK;
            if (first >= share_end) continue;
            if (first >= s.shift && first + PACK <= input_end)
                copy_pack(to + j * KZ_WARP, s.base + first);
            else
                for (int e = 0; e < PACK; e++)
                    if (first + e >= s.shift && first + e < input_end)
                        ((T *)(to + j * KZ_WARP))[e] = s.base[first + e];
        }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <typename T> static __device__ __forceinline__ size_t first_position(const share<T> &s) {
    const int PACK = 16 / sizeof(T);
    return (s.shift + s.from.element) / PACK * PACK;
}

// What is not of the share becomes nothing: in the first tile and the last.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void clear_edges(const share<T> &s, room<T, A> *r, int stage,
                                                   size_t start) {
    size_t first = s.shift + s.from.element, end = s.shift + s.to.element;
    if (start >= first && start + r->TILE <= end) return;
    T *tile = (T *)r->stage[stage];
    for (int k = kz_lane(); k < r->TILE; k += KZ_WARP)
        if (start + k < first || start + k >= end) kz_narrow(&tile[k], kz_fold_identity<operation>(A()));
    __syncwarp();
}

// The lane's elements onto `value`, with a result put by at every bit. INSTEAD: `folded` is stored where the elements were.
template <int operation, int PACKS, bool INSTEAD, typename T, typename A>
static __device__ __forceinline__ A fold_lane(const uint4 *elements, A *folded, unsigned bits, A value) {
    const int PACK = 16 / sizeof(T);
    kz_pack<T> packs[PACKS];
#pragma unroll
    for (int j = 0; j < PACKS; j++) packs[j].raw = elements[kz_lane() * PACKS + j];
    if (INSTEAD) __syncwarp(); // all have theirs
    folded += kz_lane();
#pragma unroll
    for (int k = 0; k < PACKS * PACK; k++) {
        value = kz_fold_combine<operation>(value, (A)kz_widen(packs[k / PACK].at[k % PACK]));
        if (bits >> k & 1) {
            folded[k * KZ_WARP] = value;
            value = kz_fold_identity<operation>(value);
        }
    }
    return value;
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ A fold_stage(room<T, A> *r, int stage, unsigned bits, A value) {
    return fold_lane<operation, room<T, A>::PACKS, room<T, A>::INSTEAD, T, A>(r->stage[stage],
                                                                              r->folded(stage), bits, value);
}

// The ends that a lane has read: of segments first + 32 i + lane.
struct window {
    unsigned end[WINDOWS];
};
static __device__ __forceinline__ window read_ends(const unsigned *offsets, unsigned first, unsigned to) {
    window w;
#pragma unroll
    for (int i = 0; i < WINDOWS; i++) {
        w.end[i] = 0xffffffffu;
        if (first + i * KZ_WARP + kz_lane() < to)
            w.end[i] = offsets[(size_t)first + i * KZ_WARP + kz_lane() + 1];
    }
    return w;
}
// Where segment first + 32 i + lane begins; the window's first one begins at `begin`.
static __device__ __forceinline__ unsigned begin_of(const window &w, int i, unsigned begin) {
    unsigned before = __shfl_up_sync(KZ_ALL_LANES, w.end[i], 1);
    unsigned last = i ? __shfl_sync(KZ_ALL_LANES, w.end[i - 1], KZ_WARP - 1) : begin;
    return kz_lane() == 0 ? last : before;
}

// A warp on its way through its share.
template <typename T, typename A> struct walker {
    const problem<T> &p;
    const share<T> &s;
    room<T, A> *r;
    size_t start;     // the tile's first position
    unsigned end;     // behind the tile's last element
    unsigned segment; // the first whose end is not behind us
    unsigned begin;   // where that one begins
    int stage;        // where the tile is
    A head;           // of the share's first segment
};

// The segment's last element is in this tile; where not, it is empty, or its last element is another warp's.
template <typename T, typename A>
static __device__ __forceinline__ bool is_here(const walker<T, A> &w, unsigned begin, unsigned end) {
    return end > begin && end > w.s.from.element;
}
template <typename T, typename A>
static __device__ __forceinline__ unsigned position_of(const walker<T, A> &w, unsigned end) {
    return (unsigned)(w.s.shift + end - 1 - w.start);
}
template <typename T, typename A>
static __device__ __forceinline__ void mark(const walker<T, A> &w, unsigned begin, unsigned end) {
    const unsigned EACH = room<T, A>::EACH;
    if (is_here(w, begin, end))
        atomicOr(&w.r->ends[position_of(w, end) / EACH], 1u << position_of(w, end) % EACH);
}
// The share's first segment may have begun before it: what is known of it is left to the block.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void put(walker<T, A> &w, unsigned segment, unsigned begin, unsigned end) {
    A value = kz_fold_identity<operation>(A());
    const unsigned EACH = room<T, A>::EACH;
    if (is_here(w, begin, end))
        value = w.r->folded(w.stage)[position_of(w, end) % EACH * KZ_WARP + position_of(w, end) / EACH];
    if (segment == w.s.from.segment)
        w.head = value;
    else
        kz_narrow(&w.p.out[segment], kz_fold_conclude<operation>(value, end - begin));
}

// All that is open, over the lanes: `value` of each, behind its last bit. Gives what lies before the lane's first bit;
// *carry: what was open before the tile, and then behind it.
template <int operation, typename A>
static __device__ __forceinline__ A pass_on(A value, unsigned closed, A *carry) {
    unsigned below = closed & (0xffffffffu >> (KZ_WARP - 1 - kz_lane())); // closed lanes up to this one
    int since = below ? (int)kz_lane() - (KZ_WARP - 1 - __clz(below)) : (int)kz_lane();
#pragma unroll
    for (int step = 1; step < KZ_WARP; step *= 2) {
        A other = kz_fold_shift_up(value, step);
        if (step <= since) value = kz_fold_next<operation>(other, value);
    }
    if (!below) value = kz_fold_next<operation>(*carry, value);
    A before = kz_fold_shift_up(value, 1);
    if (kz_lane() == 0) before = *carry;
    *carry = kz_shuffle(value, KZ_WARP - 1);
    return before;
}

// A tile in which segments end. `value` is what each lane has open from the tiles before.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void fold_tile(walker<T, A> &w, A *carry) {
    __syncwarp(); // the bits are there
    unsigned bits = w.r->ends[kz_lane()];
    A value = fold_stage<operation>(w.r, w.stage, bits, kz_fold_identity<operation>(A()));
    unsigned closed = __ballot_sync(KZ_ALL_LANES, bits != 0);
    A before = pass_on<operation>(value, closed, carry);
    if (bits) {
        A *first = &w.r->folded(w.stage)[(__ffs(bits) - 1) * KZ_WARP + kz_lane()];
        *first = kz_fold_combine<operation>(before, *first);
    }
    w.r->ends[kz_lane()] = 0;
    __syncwarp();
}

// The ends of the tile: marked, and when its elements are folded, written. The window behind them is read meanwhile.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void close_tile(walker<T, A> &w, window &ends, A *carry) {
    unsigned count = 0, begins[WINDOWS], first = w.segment, to = w.s.to.segment;
#pragma unroll
    for (int i = 0; i < WINDOWS; i++) {
        begins[i] = begin_of(ends, i, w.begin);
        bool here = first + i * KZ_WARP + kz_lane() < to && ends.end[i] <= w.end;
        if (here) mark(w, begins[i], ends.end[i]);
        count += __popc(__ballot_sync(KZ_ALL_LANES, here));
    }
    bool more = count == WINDOWS * KZ_WARP;
    unsigned segment = first + count;
    while (more) { // seldom: read one by one, and once more to be written
        bool here = segment + kz_lane() < to && w.p.offsets[(size_t)segment + kz_lane() + 1] <= w.end;
        if (here)
            mark(w, w.p.offsets[(size_t)segment + kz_lane()], w.p.offsets[(size_t)segment + kz_lane() + 1]);
        count = __popc(__ballot_sync(KZ_ALL_LANES, here));
        segment += count;
        more = count == KZ_WARP;
    }
    window next = read_ends(w.p.offsets, segment, to);
    unsigned begin = w.p.offsets[segment];
    fold_tile<operation>(w, carry);
#pragma unroll
    for (int i = 0; i < WINDOWS; i++) {
        unsigned k = first + i * KZ_WARP + kz_lane();
        if (k < segment) put<operation>(w, k, begins[i], ends.end[i]);
    }
    for (unsigned k = first + WINDOWS * KZ_WARP + kz_lane(); k < segment; k += KZ_WARP)
        put<operation>(w, k, w.p.offsets[k], w.p.offsets[(size_t)k + 1]);
    __syncwarp(); // what is folded next may take the same room
    ends = next;
    w.segment = segment;
    w.begin = begin;
}

// What the lanes have open, behind what was open before.
template <int operation, typename A> static __device__ __forceinline__ A gather(A carry, A open) {
    return kz_fold_combine<operation>(carry, __shfl_sync(KZ_ALL_LANES, kz_fold_lanes<operation>(open), 0));
}

// The tiles that are on their way before the first is waited for.
template <typename T, typename A>
static __device__ __forceinline__ void begin_share(const problem<T> &p, const share<T> &s, room<T, A> *r) {
    for (int k = 0; k < STAGES - 1; k++) begin_tile(p, s, r, k, first_position(s) + k * r->TILE);
}

// Goes over a warp's share, whose first tiles are on their way; lane 0 has the head, all have what is left open. *to: the
// first segment that was not closed.
template <int operation, typename T, typename A>
static __device__ __forceinline__ A walk(const problem<T> &p, const share<T> &s, room<T, A> *r, A *head,
                                         unsigned *to) {
    const int TILE = room<T, A>::TILE;
    const A nothing = kz_fold_identity<operation>(A());
    walker<T, A> w = {p, s, r, first_position(s), 0, s.from.segment, p.offsets[s.from.segment], 0, nothing};
    window ends = read_ends(p.offsets, w.segment, s.to.segment);
    A carry = nothing, open = nothing; // open before the lanes' elements, and of this lane's since
    bool waiting = false;              // there is some of the latter
    r->ends[kz_lane()] = 0;
    do {
        begin_tile(p, s, r, (w.stage + STAGES - 1) % STAGES, w.start + (STAGES - 1) * TILE);
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncwarp();
        if (w.start < s.shift + s.to.element) {
            clear_edges<operation>(s, r, w.stage, w.start);
            size_t end = w.start + TILE - s.shift;
            w.end = end < s.to.element ? (unsigned)end : s.to.element;
        } else { // ends alone
            w.end = s.to.element;
            for (int k = kz_lane(); k < TILE; k += KZ_WARP) kz_narrow((T *)r->stage[w.stage] + k, nothing);
            __syncwarp();
        }
        unsigned first = __shfl_sync(KZ_ALL_LANES, ends.end[0], 0);
        if (w.segment < s.to.segment && first <= w.end) {
            if (waiting) carry = gather<operation>(carry, open);
            open = nothing;
            waiting = false;
            close_tile<operation>(w, ends, &carry);
        } else {
            open = fold_stage<operation>(r, w.stage, 0, open);
            waiting = true;
            __syncwarp(); // read by all, before it is filled again
        }
        w.stage = (w.stage + 1) % STAGES;
        w.start += TILE;
    } while (w.start < s.shift + s.to.element);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    *head = w.head;
    *to = w.segment;
    return gather<operation>(carry, open);
}

#endif

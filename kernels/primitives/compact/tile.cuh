// compact: a tile in rows, as 03 to 06 hold it: a warp has ROWS rows of 32 packs of 16 bytes, a lane one pack
// of each. A pack's bits say which of its elements are selected.
//
// Elements are counted from the last 16-byte boundary at or before `in`: all packs are aligned, whatever `in` is,
// and only the first and the last tile have positions that hold nothing.
#ifndef COMPACT_TILE_CUH
#define COMPACT_TILE_CUH

#include "compact.cuh"
#include "tune.h"

// The arrays, as seen from that boundary.
template <typename R> struct view {
    typedef typename R::element T;
    const T *in;
    const uint8_t *flags;
    size_t begin, end; // the positions that hold elements

    __device__ __forceinline__ view(const T *in, const uint8_t *flags, size_t n) {
        begin = (size_t)in % 16 / sizeof(T);
        end = begin + n;
        this->in = in - begin;
        this->flags = flags - begin;
    }
    __device__ __forceinline__ bool holds(size_t i) const { return i >= begin && i < end; }
    __device__ __forceinline__ bool holds_all(size_t first, size_t count) const {
        return first >= begin && first + count <= end;
    }
    // Nothing to mend (rows_of): no position is empty, none holds the first element of all where that matters.
    __device__ __forceinline__ bool is_plain(size_t first, size_t count) const {
        return holds_all(first, count) && (R::BY != RUN || first > begin);
    }
    // Of the `count` positions from `first` on, [lo, hi) hold elements.
    __device__ __forceinline__ int lo(size_t first) const { return first < begin ? (int)(begin - first) : 0; }
    __device__ __forceinline__ int hi(size_t first, int count) const {
        return first + count > end ? (int)(end - first) : count;
    }
};

// ---- which elements of a pack ---------------------------------------------------------------------------

// A pack's flags in one load.
template <int PACK> struct flags_of;
template <> struct flags_of<2> { typedef uint16_t whole; };
template <> struct flags_of<4> { typedef unsigned whole; };
template <> struct flags_of<8> { typedef uint2 whole; };
template <> struct flags_of<16> { typedef uint4 whole; };
template <int PACK> union flag_pack {
    typename flags_of<PACK>::whole whole;
    uint8_t at[PACK];
    // The last PACK bytes of `raw`.
    __device__ __forceinline__ void take(uint4 raw) {
        unsigned words[] = {raw.x, raw.y, raw.z, raw.w};
#pragma unroll
        for (int e = 0; e < PACK; e++)
            at[e] = (uint8_t)(words[(16 - PACK + e) / 4] >> (16 - PACK + e) % 4 * 8);
    }
};

// The 16 bytes move down by an element, which comes in above.
template <typename E> static __device__ __forceinline__ void push(uint4 *raw, E value) {
    union {
        unsigned words[2];
        E value;
    } in = {{0, 0}};
    in.value = value;
    if (sizeof(E) == 8) {
        *raw = make_uint4(raw->z, raw->w, in.words[0], in.words[1]);
    } else if (sizeof(E) == 4) {
        *raw = make_uint4(raw->y, raw->z, raw->w, in.words[0]);
    } else {
        const unsigned BITS = 8 * sizeof(E);
        *raw = make_uint4(__funnelshift_r(raw->x, raw->y, BITS), __funnelshift_r(raw->y, raw->z, BITS),
                          __funnelshift_r(raw->z, raw->w, BITS), __funnelshift_r(raw->w, in.words[0], BITS));
    }
}

// COUNT elements of `from` from position `at` on, as the last bytes of 16; 0 where a position holds nothing. A loop,
// for packs that are not whole are rare, and unrolled they would be most of a kernel's code.
template <int COUNT, typename R, typename E>
static __device__ __forceinline__ uint4 gather(const view<R> &all, const E *from, size_t at) {
    uint4 raw = {};
#pragma unroll 1
    for (int e = 0; e < COUNT; e++) push(&raw, all.holds(at + e) ? from[at + e] : E());
    return raw;
}

// For positions that all hold elements. `before` is the element before the pack, for runs.
template <typename R>
static __device__ __forceinline__ unsigned select_pack(const kz_pack<typename R::element> &pack,
                                                       const flag_pack<R::PACK> &flags,
                                                       typename R::element before) {
    unsigned bits = 0;
#pragma unroll
    for (int e = 0; e < R::PACK; e++) {
        bool selected = R::BY == FLAG    ? flags.at[e] != 0
                        : R::BY == VALUE ? is_above(pack.at[e])
                                         : differ(e > 0 ? pack.at[e - 1] : before, pack.at[e]);
        bits |= (unsigned)selected << e;
    }
    return bits;
}

template <typename R>
static __device__ __forceinline__ typename R::element
last_of_lane_before(const kz_pack<typename R::element> &pack) {
    union {
        unsigned words[2];
        typename R::element last;
    } up = {{0, 0}};
    up.last = pack.at[R::PACK - 1];
#pragma unroll
    for (int w = 0; w < (sizeof up.last > 4 ? 2 : 1); w++)
        up.words[w] = __shfl_up_sync(KZ_ALL_LANES, up.words[w], 1);
    return up.last;
}

template <typename R, int ROWS> struct rows_of {
    kz_pack<typename R::element> pack[ROWS];
    unsigned bits[ROWS]; // the selected ones

    // This lane's part of the rows from position `first` on, from memory.
    __device__ __forceinline__ void load(const view<R> &all, size_t first) {
        const int PACK = R::PACK, ROW = KZ_WARP * PACK;
        bool whole = all.holds_all(first, ROWS * ROW), flags_whole = kz_aligned(all.flags, PACK);
        bool plain = all.is_plain(first, ROWS * ROW);
        flag_pack<PACK> flags[ROWS];
        typename R::element edge[ROWS]; // before the row, for lane 0
        first += kz_lane() * PACK;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            size_t at = first + r * ROW;
            if (whole) pack[r] = kz_load_pack<COMPACT_LOAD>(all.in + at);
            if (whole && R::BY == FLAG && flags_whole)
                flags[r].whole = *(const typename flags_of<PACK>::whole *)(all.flags + at);
            if (R::BY == RUN)
                edge[r] = kz_lane() == 0 && all.holds(at - 1) ? all.in[at - 1] : typename R::element();
            if (!whole) pack[r].raw = gather<PACK>(all, all.in, at);
            if (R::BY == FLAG && !(whole && flags_whole)) flags[r].take(gather<PACK>(all, all.flags, at));
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            typename R::element before = last_of_lane_before<R>(pack[r]);
            if (R::BY == RUN && kz_lane() == 0) before = edge[r];
            bits[r] = select_pack<R>(pack[r], flags[r], before);
        }
        if (!plain) mend(all, first);
    }
    // Positions without an element are not selected; the first element of all begins a run. `at` is the position of
    // this lane's first pack.
    __device__ __forceinline__ void mend(const view<R> &all, size_t at) {
#pragma unroll
        for (int r = 0; r < ROWS; r++, at += KZ_WARP * R::PACK) {
            if (R::BY == RUN && all.begin - at < R::PACK) bits[r] |= 1u << (all.begin - at);
            if (at < all.begin) bits[r] &= ~((1u << all.lo(at)) - 1);
            if (at + R::PACK > all.end) bits[r] &= at >= all.end ? 0 : (1u << (all.end - at)) - 1;
        }
    }
};

// ---- ranks ----------------------------------------------------------------------------------------------

// How many are selected before this lane's pack of each row, from the first row on; the warp's count is returned.
// A row's counts go up to 32 PACK: four or two rows share a word, and so the steps of one scan.
template <int PACK, int ROWS>
static __device__ __forceinline__ unsigned rank_rows(const unsigned (&bits)[ROWS], unsigned (&before)[ROWS]) {
    const int BITS = PACK <= 4 ? 8 : 16, EACH = 32 / BITS, WORDS = (ROWS + EACH - 1) / EACH;
    unsigned own[WORDS], inclusive[WORDS], carry = 0;
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        own[w] = 0;
#pragma unroll
        for (int f = 0; f < EACH && w * EACH + f < ROWS; f++)
            own[w] |= __popc(bits[w * EACH + f]) << f * BITS;
        inclusive[w] = kz_scan_warp<count>(own[w]);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        int w = r / EACH, shift = r % EACH * BITS;
        before[r] = carry + ((inclusive[w] - own[w]) >> shift & ((1u << BITS) - 1));
        carry += kz_shuffle(inclusive[w], KZ_WARP - 1) >> shift & ((1u << BITS) - 1);
    }
    return carry;
}

// ---- to shared memory, and on to `out` --------------------------------------------------------------------

// The selected elements of a pack to tile[before] and on. PARTITION: the others to tile[held - 1] and down,
// given the number of elements in the tile before the pack's own (`first` is less than 0 where the pack
// begins with empty positions) and the tile's number of elements.
template <typename R>
static __device__ __forceinline__ void scatter_pack(const kz_pack<typename R::element> &pack, unsigned bits,
                                                    unsigned before, int first, int held,
                                                    typename R::element *tile) {
    typename R::element *at = tile + before;
#pragma unroll
    for (int e = 0; e < R::PACK; e++) {
        bool selected = bits >> e & 1;
        if (!R::PARTITION) {
            if (selected) *at++ = pack.at[e];
            continue;
        }
        // held - 1 less the elements before that are not selected
        if ((unsigned)(first + e) < (unsigned)held) at[selected ? 0 : held - 1 - first - e] = pack.at[e];
        at += selected;
    }
}

// to[i] = read(i) for i below `length`, by `threads` threads, a batch of reads at a time. Places are counted from
// the line of 128 bytes in which `to` lies, so that a warp's stores are whole sectors wherever a run begins.
template <typename W, typename Read>
static __device__ __forceinline__ void put_words(W *to, unsigned length, unsigned thread, unsigned threads,
                                                 Read read) {
    const unsigned BATCH = 8;
    unsigned skew = (unsigned)((size_t)to % 128 / sizeof(W)), end = skew + length;
    to -= skew;
    if (thread >= skew && thread < end)
        to[thread] = read(thread - skew); // skew is below 32, and so below threads
    unsigned i = thread + threads;
    for (; i + (BATCH - 1) * threads < end; i += BATCH * threads) {
        W words[BATCH];
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) words[k] = read(i - skew + k * threads);
#pragma unroll
        for (unsigned k = 0; k < BATCH; k++) to[i + k * threads] = words[k];
    }
    for (; i < end; i += threads) to[i] = read(i - skew);
}

// `length` elements from shared memory to `to`, by `threads` threads: words of 4 bytes or more, whatever the
// element, so that a warp writes whole lines.
template <typename T>
static __device__ __forceinline__ void put_run(T *to, const T *from, unsigned length, unsigned thread,
                                               unsigned threads) {
    if (sizeof(T) >= 4) {
        put_words(to, length, thread, threads, [=](unsigned i) { return from[i]; });
        return;
    }
    unsigned head = (4 - (unsigned)((size_t)to % 4)) % 4 / sizeof(T); // up to the first whole word of `to`
    if (head > length) head = length;
    if (thread < head) to[thread] = from[thread];
    unsigned words = (length - head) * sizeof(T) / 4, done = head + words * 4 / sizeof(T);
    unsigned bytes = (unsigned)((size_t)(from + head) % 4);
    const unsigned *source = (const unsigned *)((const char *)(from + head) - bytes);
    unsigned next = bytes != 0; // a whole word is shifted by nothing, and the one behind it may not be there
    put_words((unsigned *)(to + head), words, thread, threads,
              [=](unsigned i) { return __funnelshift_r(source[i], source[i + next], 8 * bytes); });
    if (done + thread < length) to[done + thread] = from[done + thread]; // up to three
}

// A compacted tile to `out`. `before`: selected elements before the tile; `passed`: all elements before it.
template <typename R>
static __device__ __forceinline__ void put_tile(const typename R::element *tile, typename R::element *out,
                                                size_t n, size_t passed, unsigned before, unsigned selected,
                                                unsigned held, unsigned thread, unsigned threads) {
    // From here on a number like any other: to trace it back to the sum of all counts takes the compiler seconds.
    asm("" : "+r"(selected));
    put_run(out + before, tile, selected, thread, threads);
    if (R::PARTITION)
        put_run(out + (n - (passed - before) - (held - selected)), tile + selected, held - selected, thread,
                threads);
}

// ---- a block's tile -----------------------------------------------------------------------------------------

// 03 to 05: a block of WARPS warps; its tile meets in `compacted`.
template <typename R, int WARPS, int ROWS> struct block_tile {
    typedef typename R::element T;
    static const int PART = ROWS * KZ_WARP * R::PACK, TILE = WARPS * PART;
    size_t first; // the tile's first position
    rows_of<R, ROWS> rows;
    unsigned before[ROWS], before_warp, total;

    __device__ __forceinline__ block_tile(const view<R> &all, size_t tile) {
        first = tile * TILE;
        rows.load(all, first + kz_warp() * PART);
        before_warp = kz_scan_warp_totals<count, WARPS>(rank_rows<R::PACK>(rows.bits, before), &total);
    }
    // All threads; `prefix`: selected elements before the tile.
    __device__ __forceinline__ void write(const view<R> &all, T *compacted, T *out, unsigned prefix) const {
        int lo = all.lo(first), held = all.hi(first, TILE) - lo;
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int position = kz_warp() * PART + (r * KZ_WARP + kz_lane()) * R::PACK;
            scatter_pack<R>(rows.pack[r], rows.bits[r], before_warp + before[r], position - lo, held,
                            compacted);
        }
        __syncthreads();
        put_tile<R>(compacted, out, all.end - all.begin, first + lo - all.begin, prefix, total, held,
                    threadIdx.x, WARPS * KZ_WARP);
    }
};

#endif

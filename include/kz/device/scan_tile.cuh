// What is scanned: operations, and a tile of elements in rows. The family scan has it from 04 on, kz/device/scan.cuh
// makes kernels of it.
//
// An operation is a struct of types and functions. `element` T lies in memory (1, 2, 4, 8 or 16 bytes), `value`
// A is what is combined (4, 8, ... bytes): float for a half, say. combine(before, after) is associative and is
// never called the wrong way round: `before` stands for elements before those of `after`. lift makes an element
// a value, lower makes it one again; exclude is what an exclusive scan writes for an element with `before`
// before it. An identity stays one when lowered and lifted. COMMUTES: the order of two values may be changed; SEGMENTED: lift wants the element's head, a byte.
#ifndef KZ_SCAN_TILE_CUH
#define KZ_SCAN_TILE_CUH

#include "kz/device/warp.cuh"

// Hints of 04 to 07's loads and stores. To be searched: KZ_CACHE KZ_STREAM; loads that are marked as streaming
// cost vector_add a tenth on an H200.
#ifndef KZ_SCAN_LOAD
#define KZ_SCAN_LOAD KZ_CACHE
#endif
#ifndef KZ_SCAN_STORE
#define KZ_SCAN_STORE KZ_CACHE
#endif

// ---- operations made of less ------------------------------------------------------------------------------

// Of `Own`, which has no more than `value`, identity() and combine(before, after): elements are values.
template <typename Own> struct kz_scan_of {
    typedef typename Own::value element;
    typedef typename Own::value value;
    static const bool COMMUTES = false, SEGMENTED = false;

    static __device__ __forceinline__ value identity(void) { return Own::identity(); }
    static __device__ __forceinline__ value combine(value before, value after) {
        return Own::combine(before, after);
    }
    static __device__ __forceinline__ value lift(element x, unsigned head) { return x; }
    static __device__ __forceinline__ element lower(value v) { return v; }
    static __device__ __forceinline__ value exclude(value before, value own) { return before; }
};

// A range of elements: the combination since its last head, and whether it has one. As words, so that there are
// no bytes of padding: it travels by words.
template <typename A> struct alignas(sizeof(A) == 4 ? 8 : 4) kz_scan_piece {
    kz_words_of<A> since_head;
    unsigned head;
};

// Any other operation, which begins anew at every head: the head travels with the value.
template <typename Op> struct kz_scan_by_heads {
    typedef typename Op::element element;
    typedef kz_scan_piece<typename Op::value> value;
    static const bool COMMUTES = false, SEGMENTED = true;

    static __device__ __forceinline__ value identity(void) { return {kz_to_words(Op::identity()), 0u}; }
    static __device__ __forceinline__ value combine(value before, value after) {
        typename Op::value both =
            Op::combine(kz_from_words(before.since_head), kz_from_words(after.since_head));
        return {after.head ? after.since_head : kz_to_words(both), before.head | after.head};
    }
    static __device__ __forceinline__ value lift(element x, unsigned head) {
        return {kz_to_words(Op::lift(x, 0)), head};
    }
    static __device__ __forceinline__ element lower(value v) {
        return Op::lower(kz_from_words(v.since_head));
    }
    static __device__ __forceinline__ value exclude(value before, value own) {
        return own.head ? value{kz_to_words(Op::identity()), 1u} : before; // nothing lies before a segment
    }
};

// ---- a tile in rows ---------------------------------------------------------------------------------------

// A warp has ROWS rows of 32 packs, a lane one pack of each. Neighbouring lanes read neighbouring packs, so
// 16-byte loads and stores are whole lines and nothing has to be transposed in shared memory; each row costs
// a scan of the warp, 5 shuffles for 4 floats a lane. Elements are counted from the last 16-byte boundary at or
// before `in`: all packs are aligned, whatever `in` is, and only the first and the last tile have positions that
// hold nothing.

// The heads of a pack, a byte each, as one number.
template <int PACK> struct kz_heads_of;
template <> struct kz_heads_of<1> { typedef uint8_t whole; };
template <> struct kz_heads_of<2> { typedef uint16_t whole; };
template <> struct kz_heads_of<4> { typedef unsigned whole; };
template <> struct kz_heads_of<8> { typedef unsigned long long whole; };
template <> struct kz_heads_of<16> { typedef unsigned long long whole; }; // for scans that have no heads

// The arrays, as seen from that boundary.
template <typename Op> struct kz_scan_view {
    typedef typename Op::element T;
    static const int PACK = 16 / sizeof(T);
    static_assert(PACK * sizeof(T) == 16, "an element has 1, 2, 4, 8 or 16 bytes");
    static_assert(!Op::SEGMENTED || PACK <= 8, "heads are read 8 at a time at most");
    static_assert(sizeof(typename Op::value) % 4 == 0, "a value travels in words of 4 bytes");

    const T *in;
    const uint8_t *heads;
    size_t begin, end; // the positions that hold elements

    __device__ __forceinline__ kz_scan_view(const T *in, const uint8_t *heads, size_t n) {
        begin = (size_t)in % 16 / sizeof(T);
        end = begin + n;
        this->in = in - begin;
        this->heads = heads - begin;
    }
    __device__ __forceinline__ bool holds(size_t i) const { return i >= begin && i < end; }
    __device__ __forceinline__ bool holds_all(size_t first, size_t count) const {
        return first >= begin && first + count <= end;
    }
    __device__ __forceinline__ T element(size_t i) const {
        return holds(i) ? in[i] : Op::lower(Op::identity());
    }
    __device__ __forceinline__ unsigned head(size_t i) const { return holds(i) ? heads[i] : 0; }
};

template <typename Op> struct kz_scan_row {
    typedef typename kz_heads_of<kz_scan_view<Op>::PACK>::whole heads_type;
    kz_pack<typename Op::element> pack;
    heads_type heads; // for a segmented scan

    __device__ __forceinline__ typename Op::value at(int e) const {
        return Op::lift(pack.at[e], Op::SEGMENTED ? (unsigned)(heads >> 8 * e) & 0xff : 0);
    }
};

template <typename Op>
static __device__ __forceinline__ typename Op::value kz_fold_pack(const kz_scan_row<Op> &r) {
    typename Op::value v = r.at(0);
#pragma unroll
    for (int e = 1; e < kz_scan_view<Op>::PACK; e++) v = Op::combine(v, r.at(e));
    return v;
}

// This lane's part of ROWS rows from position `first` on.
template <typename Op, int ROWS>
static __device__ __forceinline__ void kz_load_rows(const kz_scan_view<Op> &all, size_t first,
                                                    kz_scan_row<Op> (&rows)[ROWS]) {
    typedef typename kz_scan_row<Op>::heads_type heads_type;
    const int PACK = kz_scan_view<Op>::PACK;
    first += kz_lane() * PACK;
    if (all.holds_all(first - kz_lane() * PACK, ROWS * KZ_WARP * PACK)) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            rows[r].pack = kz_load_pack<KZ_SCAN_LOAD>(all.in + first + r * KZ_WARP * PACK);
        if (!Op::SEGMENTED) return;
        bool whole = kz_aligned(all.heads, PACK);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint8_t *from = all.heads + first + r * KZ_WARP * PACK;
            if (whole) {
                rows[r].heads = *(const heads_type *)from;
            } else {
                rows[r].heads = 0;
#pragma unroll
                for (int e = 0; e < PACK; e++) rows[r].heads |= (heads_type)from[e] << 8 * e;
            }
        }
        return;
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        rows[r].heads = 0;
#pragma unroll
        for (int e = 0; e < PACK; e++) {
            size_t i = first + r * KZ_WARP * PACK + e;
            rows[r].pack.at[e] = all.element(i);
            if (Op::SEGMENTED) rows[r].heads |= (heads_type)all.head(i) << 8 * e;
        }
    }
}

// What lies before this lane's pack of each row, from the first row on; the warp's total is returned.
template <typename Op, int ROWS>
static __device__ __forceinline__ typename Op::value kz_scan_rows(const kz_scan_row<Op> (&rows)[ROWS],
                                                                  typename Op::value (&before)[ROWS]) {
    typename Op::value total[ROWS], carry = Op::identity();
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        typename Op::value inclusive = kz_scan_warp<Op>(kz_fold_pack(rows[r]));
        before[r] = kz_before_lane<Op>(inclusive);
        total[r] = kz_shuffle(inclusive, KZ_WARP - 1);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        before[r] = Op::combine(carry, before[r]);
        carry = Op::combine(carry, total[r]);
    }
    return carry;
}

// The total alone, for lane 0.
template <typename Op, int ROWS>
static __device__ __forceinline__ typename Op::value kz_fold_rows(const kz_scan_row<Op> (&rows)[ROWS]) {
    if (Op::COMMUTES) { // the lanes' sums of all rows, then once over the warp
        typename Op::value v = kz_fold_pack(rows[0]);
#pragma unroll
        for (int r = 1; r < ROWS; r++) v = Op::combine(v, kz_fold_pack(rows[r]));
        return kz_fold_warp<Op>(v);
    }
    typename Op::value total = Op::identity();
#pragma unroll
    for (int r = 0; r < ROWS; r++) total = Op::combine(total, kz_fold_warp<Op>(kz_fold_pack(rows[r])));
    return total;
}

// The results of one pack, as elements (D is element) or as values, given what lies before it.
template <typename Op, typename D>
static __device__ __forceinline__ void kz_finish_pack(const kz_scan_row<Op> &r, typename Op::value before,
                                                      bool exclusive, D (&results)[kz_scan_view<Op>::PACK]) {
#pragma unroll
    for (int e = 0; e < kz_scan_view<Op>::PACK; e++) {
        typename Op::value own = r.at(e), after = Op::combine(before, own);
        typename Op::value result = exclusive ? Op::exclude(before, own) : after;
        if constexpr (sizeof(D) == sizeof(typename Op::element))
            results[e] = Op::lower(result);
        else
            results[e] = result;
        before = after;
    }
}

// The results of all rows, to `out`: elements, or values where those are another type.
template <typename Op, typename D, int ROWS>
static __device__ __forceinline__ void
kz_store_rows(const kz_scan_view<Op> &all, size_t first, D *out, const kz_scan_row<Op> (&rows)[ROWS],
              const typename Op::value (&before)[ROWS], typename Op::value prefix, bool exclusive) {
    const int PACK = kz_scan_view<Op>::PACK;
    D *from_boundary = out - all.begin;
    bool packs = sizeof(D) == sizeof(typename Op::element) && kz_aligned(from_boundary, 16) &&
                 all.holds_all(first, ROWS * KZ_WARP * PACK);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        union {
            uint4 raw;
            D at[PACK];
        } results;
        size_t position = first + (r * KZ_WARP + kz_lane()) * PACK;
        kz_finish_pack<Op, D>(rows[r], Op::combine(prefix, before[r]), exclusive, results.at);
        if (packs) {
            kz_store<KZ_SCAN_STORE>((uint4 *)(from_boundary + position), results.raw);
        } else {
#pragma unroll
            for (int e = 0; e < PACK; e++)
                if (all.holds(position + e)) from_boundary[position + e] = results.at[e];
        }
    }
}

#endif

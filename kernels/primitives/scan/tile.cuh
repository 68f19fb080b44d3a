// scan: a tile in rows, as 04 to 08 hold it: a warp has ROWS rows of 32 packs, a lane one pack of each.
//
// Neighbouring lanes read neighbouring packs, so 16-byte loads and stores are whole lines and nothing has to
// be turned round in shared memory; each row costs a scan of the warp, 5 shuffles for 4 floats a lane.
// Elements are counted from the last 16-byte boundary at or before `in`: all packs are aligned, whatever
// `in` is, and only the first and the last tile have places that hold nothing.
#ifndef SCAN_TILE_CUH
#define SCAN_TILE_CUH

#include "scan.cuh"
#include "tune.h"

// The arrays, as seen from that boundary.
template <typename Op> struct view {
    typedef typename Op::element T;
    static const int PACK = 16 / sizeof(T);
    static_assert(!Op::SEGMENTED || PACK == 4, "heads are read 4 at a time");

    const T *in;
    const uint8_t *heads;
    size_t begin, end; // the places that hold elements

    __device__ __forceinline__ view(const T *in, const uint8_t *heads, size_t n) {
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

template <typename Op> struct row {
    kz_pack<typename Op::element> pack;
    unsigned heads; // a byte per element, for a segmented scan

    __device__ __forceinline__ typename Op::value at(int e) const {
        return Op::lift(pack.at[e], Op::SEGMENTED ? heads >> 8 * e & 0xff : 0);
    }
};

template <typename Op> static __device__ __forceinline__ typename Op::value fold_pack(const row<Op> &r) {
    typename Op::value v = r.at(0);
#pragma unroll
    for (int e = 1; e < view<Op>::PACK; e++) v = Op::combine(v, r.at(e));
    return v;
}

// This lane's part of `rows` rows from place `first` on.
template <typename Op, int ROWS>
static __device__ __forceinline__ void load_rows(const view<Op> &all, size_t first, row<Op> (&rows)[ROWS]) {
    const int PACK = view<Op>::PACK;
    first += kz_lane() * PACK;
    if (all.holds_all(first - kz_lane() * PACK, ROWS * KZ_WARP * PACK)) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            rows[r].pack = kz_load_pack<SCAN_LOAD>(all.in + first + r * KZ_WARP * PACK);
        if (!Op::SEGMENTED) return;
        bool whole = kz_aligned(all.heads, 4);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const uint8_t *from = all.heads + first + r * KZ_WARP * PACK;
            if (whole)
                rows[r].heads = *(const unsigned *)from;
            else
                rows[r].heads = from[0] | from[1] << 8 | from[2] << 16 | (unsigned)from[3] << 24;
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
            if (Op::SEGMENTED) rows[r].heads |= all.head(i) << 8 * e;
        }
    }
}

// What lies before this lane's pack of each row, from the first row on; the warp's total is returned.
template <typename Op, int ROWS>
static __device__ __forceinline__ typename Op::value scan_rows(const row<Op> (&rows)[ROWS],
                                                               typename Op::value (&before)[ROWS]) {
    typename Op::value total[ROWS], carry = Op::identity();
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        typename Op::value inclusive = kz_scan_warp<Op>(fold_pack(rows[r]));
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
static __device__ __forceinline__ typename Op::value fold_rows(const row<Op> (&rows)[ROWS]) {
    if (Op::COMMUTES) { // the lanes' sums of all rows, then once over the warp
        typename Op::value v = fold_pack(rows[0]);
#pragma unroll
        for (int r = 1; r < ROWS; r++) v = Op::combine(v, fold_pack(rows[r]));
        return kz_fold_warp<Op>(v);
    }
    typename Op::value total = Op::identity();
#pragma unroll
    for (int r = 0; r < ROWS; r++) total = Op::combine(total, kz_fold_warp<Op>(fold_pack(rows[r])));
    return total;
}

// The results of one pack, as elements (D is element) or as values, given what lies before it.
template <typename Op, typename D>
static __device__ __forceinline__ void finish_pack(const row<Op> &r, typename Op::value before,
                                                   bool exclusive, D (&results)[view<Op>::PACK]) {
#pragma unroll
    for (int e = 0; e < view<Op>::PACK; e++) {
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
store_rows(const view<Op> &all, size_t first, D *out, const row<Op> (&rows)[ROWS],
           const typename Op::value (&before)[ROWS], typename Op::value prefix, bool exclusive) {
    const int PACK = view<Op>::PACK;
    D *from_boundary = out - all.begin;
    bool packs = sizeof(D) == sizeof(typename Op::element) && kz_aligned(from_boundary, 16) &&
                 all.holds_all(first, ROWS * KZ_WARP * PACK);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        union {
            uint4 raw;
            D at[PACK];
        } results;
        size_t place = first + (r * KZ_WARP + kz_lane()) * PACK;
        finish_pack<Op, D>(rows[r], Op::combine(prefix, before[r]), exclusive, results.at);
        if (packs) {
            kz_store<SCAN_STORE>((uint4 *)(from_boundary + place), results.raw);
        } else {
#pragma unroll
            for (int e = 0; e < PACK; e++)
                if (all.holds(place + e)) from_boundary[place + e] = results.at[e];
        }
    }
}

#endif

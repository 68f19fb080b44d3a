// reduce_segments 08: indices in shared memory
// kz: sm 90
//
// Idea     in 07's ring the elements of a chunk stay in shared memory while their segments are closed: what argmax has to
//          remember of a segment is an index in shared memory, and the value is looked up there.
// Change   argmin and argmax alone, in 07's ring. A lane carries a value and an index among its own elements, which
//          the compiler knows; at an end it stores the index, 16 bits beside the tiles. Between lanes, chunks and
//          blocks a value goes with an index of 32 bits, in order, so that an equal value never replaces it. A chunk in
//          which no segment ends is folded by packs, and searched again for the first element that is the extreme.
// Expect   four instructions per element more than max; the speed of a read from segments of 256 on.
// Limit    as in 07.

#include "tune.h"
#define RING_WARPS  REDUCE_SEGMENTS_INDEX_WARPS
#define RING_STAGES REDUCE_SEGMENTS_INDEX_STAGES
#define RING_ENDS   REDUCE_SEGMENTS_INDEX_ENDS
#include "ring.cuh"

template <typename T, typename A> struct ring_of<T, kz_value_index32<A>> {
    typedef A wide;
    typedef found<T> out;
    typedef uint16_t kept; // the elements are still wanted
    static const bool INSTEAD = false;
};

// The index was counted from the input's first element; where it is the identity it may stand before its segment.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_result(found<T> to, const unsigned *offsets, size_t s,
                                                    kz_value_index32<A> b) {
    unsigned begin = offsets[s], end = offsets[s + 1];
    kz_narrow(&to.out[s], b.value);
    to.index[s] = begin == end ? -1ll : b.at > begin ? (long long)(b.at - begin) : 0;
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ kz_value_index32<A> fold_flagged(const job<T, kz_value_index32<A>> &j,
                                                                   int stage, int warp, unsigned ends) {
    typedef job<T, kz_value_index32<A>> J;
    const uint4 *elements = j.chunk(stage, warp);
    uint16_t *indices = j.folded(stage, warp) + kz_lane();
    kz_pack<T> packs[J::PACKS];
#pragma unroll
    for (int k = 0; k < J::PACKS; k++) packs[k].raw = elements[kz_lane() * J::PACKS + k];
    const A identity = kz_fold_identity<operation>(A());
    A value = identity;
    unsigned at = 0; // among the lane's elements
#pragma unroll
    for (int k = 0; k < J::EACH; k++) {
        A x = (A)kz_widen(packs[k / J::PACK].at[k % J::PACK]);
        bool beats = kz_beats<operation>(x, value);
        value = beats ? x : value;
        at = beats ? k : at;
        if (ends >> k & 1) {
            indices[k * KZ_WARP] = (uint16_t)(kz_lane() * J::EACH + at);
            value = identity;
            at = k + 1;
        }
    }
    return {value, kz_lane() * J::EACH + at};
}

template <typename T, typename A>
static __device__ __forceinline__ kz_value_index32<A> value_at_index(const job<T, kz_value_index32<A>> &j,
                                                                     int stage, int warp, unsigned index) {
    return {(A)kz_widen(((const T *)j.chunk(stage, warp))[index]), index};
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ void complete(const job<T, kz_value_index32<A>> &j, int stage, int warp,
                                                unsigned ends, kz_value_index32<A> open) {
    uint16_t *first = &j.folded(stage, warp)[(__ffs(ends) - 1) * KZ_WARP + kz_lane()];
    kz_value_index32<A> own = value_at_index(j, stage, warp, *first);
    *first = (uint16_t)kz_fold_next<operation>(open, own).at;
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ kz_value_index32<A> value_at(const job<T, kz_value_index32<A>> &j,
                                                               int stage, int warp, ending e) {
    return value_at_index(j, stage, warp, j.folded(stage, warp)[e.bit * KZ_WARP + e.lane]);
}
template <int operation, typename T, typename A>
static __device__ __forceinline__ void write_closed(const job<T, kz_value_index32<A>> &j, unsigned segment,
                                                    ending e, kz_value_index32<A> value) {
    // A segment that is not the chunk's first begins in it. Where empty ones come first in an input that does not
    // begin with a pack, and nothing beats the identity, the value stands before the input, as in write_result.
    unsigned begin = e.lane * j.EACH + e.bit + 1 - e.length;
    kz_narrow(&j.p.out.out[segment], value.value);
    j.p.out.index[segment] = !e.length ? -1ll : value.at > begin ? (long long)(value.at - begin) : 0;
}
template <typename T, typename A>
static __device__ __forceinline__ kz_value_index32<A> outside(const job<T, kz_value_index32<A>> &j,
                                                              size_t position, kz_value_index32<A> value) {
    return {value.value, (unsigned)j.elements_before(position + value.at)};
}

// The leading pack's extreme, then its index in that pack.
template <int operation, typename T, typename A>
static __device__ __forceinline__ kz_value_index32<A> fold_chunk(const job<T, kz_value_index32<A>> &j,
                                                                 int stage, int warp) {
    typedef job<T, kz_value_index32<A>> J;
    const uint4 *elements = j.chunk(stage, warp) + kz_lane();
    A value = kz_pack_extreme<operation, T, A>(elements[0]), most;
    unsigned number = 0, which;
#pragma unroll
    for (int k = 1; k < J::PACKS; k++) {
        A next = kz_pack_extreme<operation, T, A>(elements[k * KZ_WARP]);
        bool beats = kz_beats<operation>(next, value);
        value = beats ? next : value;
        number = beats ? k : number;
    }
    most = value;
#pragma unroll
    for (int step = KZ_WARP / 2; step > 0; step /= 2)
        most = kz_fold_combine<operation>(most, kz_fold_swap(most, step));
    // Where the extreme is NaN, those that have it are NaN themselves; elsewhere nobody is.
    bool has = value == most || value != value;
    unsigned first = __reduce_min_sync(KZ_ALL_LANES, has ? number * KZ_WARP + kz_lane() : 0xffffffffu);
    most = kz_pack_find<T>(j.chunk(stage, warp)[first], most, &which);
    return {most, first * J::PACK + which};
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_shared_index_##operation##_##type, REDUCE_SEGMENTS_RING_THREADS(WARPS),  \
                    REDUCE_SEGMENTS_INDEX_BLOCKS)                                                            \
    (const T *in, const unsigned *offsets, T *out, long long *index, size_t segments, size_t n) {            \
        const problem<T, found<T>> p = {in, offsets, {out, index, false}, segments, n};                      \
        ring<OPERATION, T, kz_value_index32<A>>(p);                                                          \
    }
KZ_ARG_TYPES(ENTRY)

// reduce_segments 05: tail flags, segment ends as bits
// kz: sm 80
//
// Idea     04 asks at every item whether it is an element or an end: some thirty instructions per element. Elements are
//          many and ends are few: let elements be added without a question, and ends be bits beside them.
// Change   even shares as in 04, one for each warp. A warp takes 80 bytes per lane at a time, by cp.async, the next ones
//          on their way; it reads the ends that fall among them, 64 at once, and each sets a bit in the word of the lane
//          that has its segment's last element. A lane folds its elements in registers and puts the value by where a bit
//          is set; what is open goes from lane to lane by shuffles. The lanes that read the ends write the results, side
//          by side. Where no end falls among the elements, lanes keep what they have.
// Expect   about ten instructions per element with segments of 16, three with long ones; no barrier but at the end. The
//          speed of a read for any lengths.
// Limit    sm_80. A run of many empty segments is read 32 at a time by one warp.

#include "tail_flags.cuh"
#include "kz/device/last_block.cuh"

enum { THREADS = REDUCE_SEGMENTS_FLAGS_THREADS, WARPS = THREADS / KZ_WARP };

// The shares of a block's warps meet; the block leaves one part, as in 04.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void bits(const problem<T> &p, const left<A> &l, size_t chunk) {
    __shared__ room<T, A> rooms[WARPS];
    __shared__ A values[WARPS], heads[WARPS];
    __shared__ unsigned segments[WARPS + 1];
    size_t items = p.n + p.segments, d = ((size_t)blockIdx.x * WARPS + kz_warp()) * chunk;
    size_t from = d < items ? d : items, to = d + chunk < items ? d + chunk : items;
    share<T> s = {p.in, (size_t)p.in % 16 / sizeof(T)};
    s.base -= s.shift;
    find_coordinates(p.offsets, p.n, p.segments, from, to, &s.from, &s.to);
    A head = kz_fold_identity<operation>(A()), value = kz_fold_identity<operation>(A());
    unsigned closed_to;
    if (from < to) {
        begin_share(p, s, &rooms[kz_warp()]);
        value = walk<operation>(p, s, &rooms[kz_warp()], &head, &closed_to);
    }
    if (kz_lane() == 0) {
        values[kz_warp()] = value;
        heads[kz_warp()] = head;
        segments[kz_warp()] = s.from.segment;
        if (kz_warp() == WARPS - 1) segments[WARPS] = s.to.segment;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        part<A> carry = {kz_fold_identity<operation>(A()), 0};
        unsigned long long first = NONE;
        for (int i = 0; i < WARPS; i++) {
            bool closed = segments[i] < segments[i + 1];
            A whole = kz_fold_combine<operation>(carry.value, heads[i]);
            if (closed && carry.closed) write_result<operation>(p.out, p.offsets, segments[i], whole);
            if (closed && !carry.closed) {
                first = segments[i];
                l.head[blockIdx.x] = whole;
            }
            carry = append<operation>(carry, {values[i], closed});
        }
        l.value[blockIdx.x] = carry.value;
        l.segment[blockIdx.x] = first;
    }
    if (kz_is_last_block()) close_all<operation, WARPS>(p, l);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_tail_flags_##operation##_##type, THREADS, REDUCE_SEGMENTS_FLAGS_BLOCKS)  \
    (const T *in, const unsigned *offsets, T *out, A *value, A *head, unsigned long long *segment,           \
     size_t segments, size_t n, size_t chunk) {                                                              \
        const problem<T> p = {in, offsets, out, segments, n};                                                \
        const left<A> l = {value, head, segment};                                                            \
        bits<OPERATION, T, A>(p, l, chunk);                                                                  \
    }
REDUCE_SEGMENTS_FEW(ENTRY)

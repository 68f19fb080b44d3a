// reduce_segments 06: one front
// kz: sm 80
//
// Idea     in 05 each of 3168 warps reads at a place of its own, all over the input. DRAM and its address tables do best
//          where all read side by side.
// Change   many small blocks, which start in the order of their numbers, instead of a few large shares: the GPU goes over
//          the input as one front. A share is a range of elements, so its first tiles are on their way while the warp
//          looks for its segment. A block sends what is open behind it by mail (kz/device/mail.cuh); one that closes a segment
//          which began before it looks back for that segment's parts. The last of every 64 blocks sends what all of them
//          come to, so that a giant is looked back over in long strides. Parts are always combined in the same order.
// Expect   05's instructions at the speed of a read.
// Limit    sm_80. A run of many empty segments is read 32 at a time by one warp. The mail lives in the module: one launch
//          at a time.

#include "bits.cuh"
#include "parts.cuh"

enum { THREADS = REDUCE_SEGMENTS_BITS_THREADS, WARPS = THREADS / KZ_WARP };

enum { BLOCKS = REDUCE_SEGMENTS_FRONT_BLOCKS, GROUP = 64, GROUPS = BLOCKS / GROUP };
static __device__ unsigned long long segments_mail[4 * BLOCKS], segments_groups[4 * GROUPS];
static __device__ unsigned segments_launch,
    segments_ended; // number of the last launch; blocks of this one at their end

// The first warp brings the block's records together, and closes the segment that began before the block.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void close_block(const problem<T> &p, const record<A> *records,
                                                   unsigned launch) {
    typedef parts<operation, A> Op;
    const kz_mailbox box = {segments_mail, BLOCKS}, groups = {segments_groups, GROUPS};
    typename Op::value all = Op::identity(), before;
    A head = all.open;
    unsigned first = 0, group = blockIdx.x / GROUP;
    for (int i = 0; i < WARPS; i++) {
        record<A> r = records[i];
        A whole = kz_fold_combine<operation>(all.open, r.head);
        bool closed = r.from < r.to;
        if (closed && all.closed != 0) {
            if (kz_lane() == 0) write_result<operation>(p.out, p.offsets, r.from, whole);
        } else if (closed) {
            head = whole;
            first = r.from;
        }
        all = Op::combine(all, {r.value, Op::flag(closed)});
    }
    if (kz_lane() == 0) box.send(blockIdx.x, launch, all);
    bool closed = all.closed != 0, last = blockIdx.x % GROUP == GROUP - 1;
    if (closed || last) before = look_back<Op>(box, group * GROUP, blockIdx.x, launch);
    if (last && kz_lane() == 0) groups.send(group, launch, Op::combine(before, all));
    if (closed) {
        if (before.closed == 0) before = Op::combine(look_back<Op>(groups, 0, group, launch), before);
        if (kz_lane() == 0)
            write_result<operation>(p.out, p.offsets, first, kz_fold_combine<operation>(before.open, head));
    }
    if (kz_lane() == 0 && atomicInc(&segments_ended, gridDim.x - 1) == gridDim.x - 1)
        *(volatile unsigned *)&segments_launch = launch; // all have read the old number
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void front(const problem<T> &p, size_t chunk) {
    __shared__ room<T, A> rooms[WARPS];
    __shared__ record<A> records[WARPS];
    unsigned launch = kz_warp() == 0 ? *(volatile unsigned *)&segments_launch + 1 : 0;
    size_t shift = (size_t)p.in % 16 / sizeof(T), end = shift + p.n;
    size_t from = ((size_t)blockIdx.x * WARPS + kz_warp()) * chunk,
           to = from + chunk < end ? from + chunk : end;
    if (from < shift) from = shift;
    if (from > end) from = end;
    if (to < from) to = from;
    // The last share that has elements has what ends behind them, too; where there is no element, the first.
    bool mine = from < to || (p.n == 0 && blockIdx.x == 0 && kz_warp() == 0);
    share<T> s = {
        p.in - shift, shift, {0, (unsigned)(from - shift)}, {(unsigned)p.segments, (unsigned)(to - shift)}};
    record<A> r = {kz_fold_identity<operation>(A()), kz_fold_identity<operation>(A()), 0, 0};
    if (mine) {
        begin_share(p, s, &rooms[kz_warp()]);
        r.from = s.from.segment = ends_up_to(p.offsets, p.segments, p.n, s.from.element);
        r.value = walk<operation>(p, s, &rooms[kz_warp()], &r.head, &r.to);
    }
    if (kz_lane() == 0) records[kz_warp()] = r;
    __syncthreads();
    if (kz_warp() == 0) close_block<operation>(p, records, launch);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_front_##operation##_##type, THREADS, REDUCE_SEGMENTS_BITS_BLOCKS)        \
    (const T *in, const unsigned *offsets, T *out, size_t segments, size_t n, size_t chunk) {                \
        const problem<T> p = {in, offsets, out, segments, n};                                                \
        front<OPERATION, T, A>(p, chunk);                                                                    \
    }
REDUCE_SEGMENTS_ALL(ENTRY)
REDUCE_SEGMENTS_MIN(ENTRY)

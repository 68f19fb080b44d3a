// reduce_segments 06: in-order blocks
// kz: sm 80
//
// Idea     in 05 each of 3168 warps reads from an address range of its own, all over the input. DRAM and the TLBs do best
//          where all warps read neighbouring addresses.
// Change   many small blocks, which start in index order, instead of a few large ranges: the GPU sweeps over the input in
//          order. A warp's range is one of elements, so its first tiles are loading while the warp searches for its
//          segment. A block publishes what it leaves open as a tile status (kz/device/tile_status.cuh); one that closes a
//          segment which began before it looks back for that segment's parts. The last of every 64 blocks publishes the
//          total of all 64, so that the look-back over a giant takes long strides. Parts are always combined in the same
//          order.
// Expect   05's instructions at the speed of a read.
// Limit    sm_80. A run of many empty segments is read 32 at a time by one warp. The tile statuses live in the module: one
//          launch at a time.

#include "tail_flags.cuh"
#include "parts.cuh"

enum { THREADS = REDUCE_SEGMENTS_FLAGS_THREADS, WARPS = THREADS / KZ_WARP };

enum { BLOCKS = REDUCE_SEGMENTS_IN_ORDER_BLOCKS, GROUP = 64, GROUPS = BLOCKS / GROUP };
static __device__ unsigned long long segments_states[4 * BLOCKS], segments_groups[4 * GROUPS];
static __device__ unsigned segments_epoch, // of the last launch
    segments_ended;                        // blocks of this one that have ended

// The first warp brings the block's records together, and closes the segment that began before the block.
template <int operation, typename T, typename A>
static __device__ __forceinline__ void close_block(const problem<T> &p, const record<A> *records,
                                                   unsigned epoch) {
    typedef parts<operation, A> Op;
    const kz_tile_states states = {segments_states, BLOCKS}, groups = {segments_groups, GROUPS};
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
    if (kz_lane() == 0) states.publish(blockIdx.x, epoch, all);
    bool closed = all.closed != 0, last = blockIdx.x % GROUP == GROUP - 1;
    if (closed || last) before = look_back<Op>(states, group * GROUP, blockIdx.x, epoch);
    if (last && kz_lane() == 0) groups.publish(group, epoch, Op::combine(before, all));
    if (closed) {
        if (before.closed == 0) before = Op::combine(look_back<Op>(groups, 0, group, epoch), before);
        if (kz_lane() == 0)
            write_result<operation>(p.out, p.offsets, first, kz_fold_combine<operation>(before.open, head));
    }
    if (kz_lane() == 0 && atomicInc(&segments_ended, gridDim.x - 1) == gridDim.x - 1)
        *(volatile unsigned *)&segments_epoch = epoch; // all have read the old epoch
}

template <int operation, typename T, typename A>
static __device__ __forceinline__ void in_order(const problem<T> &p, size_t chunk) {
    __shared__ room<T, A> rooms[WARPS];
    __shared__ record<A> records[WARPS];
    unsigned epoch = kz_warp() == 0 ? *(volatile unsigned *)&segments_epoch + 1 : 0;
    size_t shift = (size_t)p.in % 16 / sizeof(T), end = shift + p.n;
    size_t from = ((size_t)blockIdx.x * WARPS + kz_warp()) * chunk,
           to = from + chunk < end ? from + chunk : end;
    if (from < shift) from = shift;
    if (from > end) from = end;
    if (to < from) to = from;
    // The last range that has elements has what ends after them, too; where there is no element, the first.
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
    if (kz_warp() == 0) close_block<operation>(p, records, epoch);
}

#define ENTRY(operation, OPERATION, type, T, A)                                                              \
    KZ_ENTRY_BOUNDS(reduce_segments_in_order_blocks_##operation##_##type, THREADS,                           \
                    REDUCE_SEGMENTS_FLAGS_BLOCKS)                                                            \
    (const T *in, const unsigned *offsets, T *out, size_t segments, size_t n, size_t chunk) {                \
        const problem<T> p = {in, offsets, out, segments, n};                                                \
        in_order<OPERATION, T, A>(p, chunk);                                                                 \
    }
REDUCE_SEGMENTS_ALL(ENTRY)
REDUCE_SEGMENTS_MIN(ENTRY)

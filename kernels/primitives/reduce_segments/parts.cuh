// reduce_segments: parts of segments that blocks pass on as tile statuses, for 06 and 07: what a range of elements
// leaves open, where it begins among the segments, and how a block looks back for the parts before it.
#ifndef REDUCE_SEGMENTS_PARTS_CUH
#define REDUCE_SEGMENTS_PARTS_CUH

#include "kz/device/value_index.cuh"
#include "kz/device/tile_status.cuh"

// What says whether a part is closed has its value's size, so that there is no padding; kz_value_index32 has none beside a word.
template <typename A> struct flag_of { typedef A type; };
template <typename A> struct flag_of<kz_value_index32<A>> { typedef unsigned type; };

// A part as a tile status's value.
template <int operation, typename A> struct parts {
    typedef typename flag_of<A>::type mark;
    struct value {
        A open;
        mark closed; // 0 or 1
    };
    static __device__ __forceinline__ mark flag(bool closed) { return closed ? mark(1) : mark(0); }
    static __device__ __forceinline__ value identity(void) {
        return {kz_fold_identity<operation>(A()), mark(0)};
    }
    static __device__ __forceinline__ value combine(value before, value after) {
        if (after.closed == 0) {
            after.open = kz_fold_next<operation>(before.open, after.open);
            after.closed = before.closed;
        }
        return after;
    }
};

// How many segments end at or before element e, by a warp. The first probes are around where they would be if all had one
// length, the farther from there the wider apart.
static __device__ __forceinline__ unsigned ends_up_to(const unsigned *offsets, size_t segments, size_t n,
                                                      size_t e) {
    if (e == 0) return 0;
    long long guess = (long long)((double)e / (double)n * (double)segments), lane = kz_lane();
    long long probe = lane < 16 ? guess - (1ll << 2 * (15 - lane)) : guess - 1 + (1ll << 2 * (lane - 16));
    long long low = 0, high = (long long)segments;
    bool inside = probe >= 0 && probe < high;
    bool before = probe < 0 || (inside && offsets[probe + 1] <= e);
    unsigned count = __popc(__ballot_sync(KZ_ALL_LANES, before));
    long long last = __shfl_sync(KZ_ALL_LANES, probe, count ? count - 1 : 0);
    long long next = __shfl_sync(KZ_ALL_LANES, probe, count < KZ_WARP ? count : 0);
    if (count && last >= 0) low = last + 1;
    if (count < KZ_WARP && next < high) high = next;
    while (low < high) {
        long long step = (high - low + KZ_WARP - 1) / KZ_WARP;
        probe = low + lane * step;
        before = probe < high && offsets[probe + 1] <= e;
        count = __popc(__ballot_sync(KZ_ALL_LANES, before));
        if (count == 0) break;
        long long found = low + (count - 1) * step;
        low = found + 1;
        high = found + step < high ? found + step : high;
    }
    return (unsigned)low;
}

// Of a warp: what it left open, its head, and the segments that it closed.
template <typename A> struct record {
    A value, head;
    unsigned from, to;
};

// The total of blocks [low, from), nearest first, 32 at a time, up to one that has closed a segment. By a warp; all
// lanes get it.
template <typename Op>
static __device__ __forceinline__ typename Op::value look_back(const kz_tile_states &states, unsigned low,
                                                               unsigned from, unsigned epoch) {
    typedef typename Op::value A;
    A prefix = Op::identity();
    for (int nearest = (int)from; nearest > (int)low && prefix.closed == 0; nearest -= KZ_WARP) {
        int block = nearest - 1 - (int)kz_lane();
        A value = Op::identity();
        if (block >= (int)low) {
            kz_tile_status<A> status;
            do status = states.load<A>((size_t)block);
            while (!status.has_flag(epoch));
            value = status.value();
        }
        __syncwarp();
#pragma unroll
        for (int step = 1; step < KZ_WARP; step *= 2) { // the higher lane has the earlier one
            A earlier = kz_shuffle_down(value, step);
            if (kz_lane() + step < KZ_WARP) value = Op::combine(earlier, value);
        }
        prefix = Op::combine(kz_shuffle(value, 0), prefix);
    }
    return prefix;
}

#endif

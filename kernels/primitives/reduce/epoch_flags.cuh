// reduce: one launch in which blocks publish partial results as tile statuses (kz/device/tile_status.cuh), for 08 and 09.
//
// A block publishes its partial result with the launch's number, the epoch, as the flag, and is done. Block 0 polls all
// words until each has this epoch, and folds them in order. Words and epoch live in the module: one launch at a time.
// Any number of whole warps per block.
#ifndef REDUCE_EPOCH_FLAGS_CUH
#define REDUCE_EPOCH_FLAGS_CUH

#include "kz/device/fold_range.cuh"
#include "vector.cuh"

// Words of 32 bits that a value is at most, and statuses a lane polls at once: fewer where a value is many words,
// for each word is two registers.
enum { STATUS_WORDS = sizeof(kz_value_index<double>) / 4 };
template <typename A> static constexpr int STATUSES = sizeof(A) > 8 ? 3 : REDUCE_EPOCH_STATUSES;

static __device__ unsigned long long reduce_states[STATUS_WORDS * REDUCE_EPOCH_BLOCKS];
static __device__ unsigned reduce_epoch; // of the last launch

// What STATUSES blocks published, a warp apart; `nothing` for blocks that are not there. All words are asked for
// before the first is looked at: a question at a time costs a trip to L2 each.
template <typename A>
static __device__ __forceinline__ void poll(const kz_tile_states &states, unsigned first, unsigned epoch,
                                            A nothing, A part[STATUSES<A>]) {
    kz_tile_status<A> status[STATUSES<A>];
    bool all;
    do {
        all = true;
#pragma unroll
        for (int m = 0; m < STATUSES<A>; m++)
            if (first + m * KZ_WARP < gridDim.x) status[m] = states.load<A>(first + m * KZ_WARP);
#pragma unroll
        for (int m = 0; m < STATUSES<A>; m++)
            if (first + m * KZ_WARP < gridDim.x) all = all && status[m].has_flag(epoch);
    } while (!all);
#pragma unroll
    for (int m = 0; m < STATUSES<A>; m++)
        part[m] = first + m * KZ_WARP < gridDim.x ? status[m].value() : nothing;
}

// `overlap`: launched before the previous kernel has ended (kz_launch.overlap).
template <int operation, typename T, typename A, bool overlap>
static __device__ __forceinline__ void epoch_flags(const T *in, T *out, long long *index, size_t n) {
    const kz_tile_states states = {reduce_states, REDUCE_EPOCH_BLOCKS};
    if (overlap) asm volatile("griddepcontrol.wait;" ::: "memory");
    // On its way while the input is read. One warp of each block asks: all of them would queue for one place in L2.
    unsigned epoch = kz_warp() == 0 ? *(volatile unsigned *)&reduce_epoch + 1 : 0;
    const int PACKS = sizeof(T) == 2 ? REDUCE_DEPENDENT_PACKS / 2 : REDUCE_DEPENDENT_PACKS;
    A value = overlap ? fold_thread<operation, T, A, PACKS>(in, n) : fold_thread<operation, T, A>(in, n);
    value = kz_fold_warps<operation>(value);
    if (kz_warp() != 0) return;
    if (blockIdx.x != 0) {
        if (kz_lane() == 0) states.publish(blockIdx.x, epoch, value);
        return;
    }
    // The next may take its place, which it does when all blocks have said so or ended: the others end, for blocks that
    // come while they still read take room and issue slots from them (notebook/2026-11-17-two-speeds-of-graphs.md).
    if (overlap) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (kz_lane() != 0) value = kz_fold_identity<operation>(value);
    for (unsigned first = 1 + kz_lane(); first < gridDim.x; first += KZ_WARP * STATUSES<A>) {
        A part[STATUSES<A>];
        poll(states, first, epoch, kz_fold_identity<operation>(value), part);
#pragma unroll
        for (int m = 0; m < STATUSES<A>; m++) value = kz_fold_combine<operation>(value, part[m]);
    }
    __syncwarp();
    value = kz_fold_lanes<operation>(value);
    if (kz_lane() == 0) {
        write_result<operation>(out, index, value, n);
        *(volatile unsigned *)&reduce_epoch = epoch; // every block has read the old epoch by now
    }
}

#endif

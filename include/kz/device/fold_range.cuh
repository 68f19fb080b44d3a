// Folding a long range of elements by blocks: one has a range to itself, or several have a piece each, and the last of them
// waits for what the others publish as tile statuses.
#ifndef KZ_FOLD_RANGE_CUH
#define KZ_FOLD_RANGE_CUH

#include "kz/device/fold.cuh"
#include "kz/device/tile_status.cuh"

// A thread's part of the `count` elements from `in` on, of all the block's threads: by packs of 16 bytes, `packs` of them in
// flight, and single elements at the edges. What comes before the first load is short: where a block has one round of loads,
// it is a good part of its time.
template <int operation, int packs, int hint, typename T, typename A>
static __device__ __forceinline__ A kz_fold_range(const T *in, unsigned count) {
    const unsigned PACK = 16 / sizeof(T);
    unsigned head = (0 - (unsigned)(size_t)in) % 16 / sizeof(T);
    if (head > count) head = count;
    unsigned whole = (count - head) / PACK, p = threadIdx.x, stride = blockDim.x;
    const T *at = in + head + (size_t)p * PACK;
    A value[packs];
#pragma unroll
    for (int j = 0; j < packs; j++) value[j] = kz_fold_identity<operation>(A());
    for (; p + (packs - 1) * stride < whole; p += packs * stride, at += packs * stride * PACK) {
        kz_pack<T> elements[packs];
#pragma unroll
        for (int j = 0; j < packs; j++) elements[j] = kz_load_pack<hint>(at + j * stride * PACK);
#pragma unroll
        for (int j = 0; j < packs; j++) value[j] = kz_fold_pack<operation, T, A>(value[j], elements[j]);
    }
    if (p < whole) { // the last round: not for all threads, or not all of it
        kz_pack<T> elements[packs];
#pragma unroll
        for (int j = 0; j < packs - 1; j++) {
            elements[j] = {};
            if (p + j * stride < whole) elements[j] = kz_load_pack<hint>(at + j * stride * PACK);
        }
#pragma unroll
        for (int j = 0; j < packs - 1; j++)
            if (p + j * stride < whole) value[j] = kz_fold_pack<operation, T, A>(value[j], elements[j]);
    }
    unsigned after = head + whole * PACK;
    if (threadIdx.x < head) value[0] = kz_fold_combine<operation>(value[0], (A)kz_widen(in[threadIdx.x]));
    if (threadIdx.x < count - after)
        value[0] = kz_fold_combine<operation>(value[0], (A)kz_widen(in[after + threadIdx.x]));
#pragma unroll
    for (int j = 1; j < packs; j++) value[0] = kz_fold_combine<operation>(value[0], value[j]);
    return value[0];
}

// All threads must call it, in whole warps; thread 0 gets the result, and only the first warp may go on with it: one
// barrier, where kz_fold_block has two.
template <int operation, typename A> static __device__ __forceinline__ A kz_fold_warps(A value) {
    __shared__ A of_warp[KZ_WARP];
    value = kz_fold_lanes<operation>(value);
    if (kz_lane() == 0) of_warp[kz_warp()] = value;
    __syncthreads();
    if (kz_warp() != 0) return value;
    value = kz_lane() < kz_warps() ? of_warp[kz_lane()] : kz_fold_identity<operation>(value);
    return kz_fold_lanes<operation>(value);
}

// By a warp, onto lane 0's value: what the blocks that have the statuses [first, end) published with flag 1, in an order
// that is the same in every run. The flags are taken back for the next launch. Those blocks must have started before this one.
template <int operation, typename A>
static __device__ __forceinline__ A kz_fold_parts(const kz_tile_states &states, A value, size_t first,
                                                  size_t end) {
    if (kz_lane() != 0) value = kz_fold_identity<operation>(value);
    for (size_t tile = first + kz_lane(); tile < end; tile += KZ_WARP) {
        kz_tile_status<A> status;
        do {
            status = states.load<A>(tile);
        } while (!status.has_flag(1));
        states.publish(tile, 0, status.value());
        value = kz_fold_combine<operation>(value, status.value());
    }
    __syncwarp();
    return kz_fold_lanes<operation>(value);
}

#endif

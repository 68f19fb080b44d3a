// warp 05: one instruction for the whole warp
// kz: sm 80
//
// Idea     the hardware folds integers (redux), votes (ballot) and finds equals (match) by itself.
// Change   one instruction in the place of 03's shuffles. Floats have no redux: their maximum is that of integers
//          in the same order. The last row's mask comes from a ballot of all lanes, before they diverge.
// Expect   a fold of integers, a vote, a match: one exchange each, and the answer is known to all lanes.
// Limit    no such instruction for sums of floats, nor for scans. One row per warp, 128 bytes in flight (see 06).

#include "row.cuh"

template <int operation> static __device__ __forceinline__ int fold_lanes(int value) {
    return operation == KZ_SUM ? __reduce_add_sync(KZ_ALL_LANES, value)
                               : __reduce_max_sync(KZ_ALL_LANES, value);
}

// A float's bits as an int in the floats' order: negative ones reversed, NaN above all.
template <int operation> static __device__ __forceinline__ float fold_lanes(float value) {
    int bits = __float_as_int(value);
    int key = value != value ? INT32_MAX : bits ^ ((bits >> 31) & INT32_MAX);
    key = __reduce_max_sync(KZ_ALL_LANES, key);
    return __int_as_float(key ^ ((key >> 31) & INT32_MAX)); // INT32_MAX is the bits of a NaN
}

template <int operation, typename T>
static __device__ __forceinline__ void fold_rows(const T *in, T *out, size_t n) {
    T value = fold_lanes<operation>(load_or(in, kz_thread(), n, kz_fold_identity<operation>(T())));
    if (kz_lane() == 0 && own_row() < rows_of(n)) out[own_row()] = value;
}

// Who is present is asked where all lanes are; behind the branch __activemask could name any of them, and need not
// name all.
static __device__ __forceinline__ unsigned peers_of(const int *in, size_t n) {
    bool present = kz_thread() < n;
    unsigned mask = __ballot_sync(KZ_ALL_LANES, present), peers = 0;
    if (present) peers = __match_any_sync(mask, in[kz_thread()]);
    __syncwarp();
    return peers;
}

WARP_FOLD(warp_intrinsics, sum, KZ_SUM, i32, int)
WARP_FOLD(warp_intrinsics, max, KZ_MAX, i32, int)
WARP_FOLD(warp_intrinsics, max, KZ_MAX, f32, float)

KZ_ENTRY(warp_warp_intrinsics_vote_f32)(const float *in, unsigned *count, unsigned *first, size_t n) {
    unsigned votes = __ballot_sync(KZ_ALL_LANES, load_or(in, kz_thread(), n, 0.0f) > 0.0f);
    if (kz_lane() || own_row() >= rows_of(n)) return;
    count[own_row()] = __popc(votes);
    first[own_row()] = first_of(votes);
}

KZ_ENTRY(warp_warp_intrinsics_match_i32)(const int *in, unsigned *out, size_t n) {
    unsigned peers = peers_of(in, n);
    if (kz_thread() < n) out[kz_thread()] = peers;
}

KZ_ENTRY(warp_warp_intrinsics_distinct_i32)(const int *in, unsigned *out, size_t n) {
    unsigned leaders = __ballot_sync(KZ_ALL_LANES, first_of(peers_of(in, n)) == kz_lane());
    if (kz_lane() == 0 && own_row() < rows_of(n)) out[own_row()] = __popc(leaders);
}

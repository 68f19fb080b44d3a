// warp 03: shuffles
//
// Idea     a register of one lane can be read by another: no memory, no barrier, one instruction.
// Change   02's exchanges become shuffles: down for folds, up for scans, lane by lane for match. In a product each
//          lane keeps its column of b in 32 registers, and the elements of a travel.
// Expect   no shared memory; five shuffles for a fold where 02 has five round trips. Match: 32 of them, and a
//          product 1024 for each matrix, one for every multiply-add.
// Limit    shuffles go through the same unit as shared memory, 32 lanes in a clock, and a product is bound by
//          them (see 06). Votes and match have instructions of their own (see 05). A row per warp: 128 bytes in
//          flight (see 04, 06).

#include "row.cuh"

template <int operation, typename T>
static __device__ __forceinline__ void fold_rows(const T *in, T *out, size_t n) {
    T value = kz_fold_lanes<operation>(load_or(in, kz_thread(), n, kz_fold_identity<operation>(T())));
    if (kz_lane() == 0 && own_row() < rows_of(n)) out[own_row()] = value;
}

template <bool exclusive, typename T>
static __device__ __forceinline__ void scan_rows(const T *in, T *out, size_t n) {
    T value = scan_lanes(load_or(in, kz_thread(), n, (T)0));
    if (exclusive) value = shift_up(value);
    if (kz_thread() < n) out[kz_thread()] = value;
}

static __device__ __forceinline__ unsigned peers_of(const int *in, size_t n) {
    int value = load_or(in, kz_thread(), n, 0);
    unsigned peers = 0;
#pragma unroll
    for (unsigned lane = 0; lane < KZ_WARP; lane++)
        if (__shfl_sync(KZ_ALL_LANES, value, lane) == value) peers |= 1u << lane;
    return kz_thread() < n ? peers & lanes_of(own_row(), n) : 0;
}

WARP_FOLDS(shuffle)
WARP_SCANS(shuffle)

KZ_ENTRY(warp_shuffle_vote_f32)(const float *in, unsigned *count, unsigned *first, size_t n) {
    bool above = load_or(in, kz_thread(), n, 0.0f) > 0.0f;
    int votes = kz_fold_lanes<KZ_SUM>(above ? 1 : 0);
    int lowest = kz_fold_lanes<KZ_MIN>(above ? (int)kz_lane() : KZ_WARP);
    if (kz_lane() || own_row() >= rows_of(n)) return;
    count[own_row()] = votes;
    first[own_row()] = lowest;
}

KZ_ENTRY(warp_shuffle_match_i32)(const int *in, unsigned *out, size_t n) {
    unsigned peers = peers_of(in, n);
    if (kz_thread() < n) out[kz_thread()] = peers;
}

KZ_ENTRY(warp_shuffle_distinct_i32)(const int *in, unsigned *out, size_t n) {
    int count = kz_fold_lanes<KZ_SUM>(first_of(peers_of(in, n)) == kz_lane() ? 1 : 0);
    if (kz_lane() == 0 && own_row() < rows_of(n)) out[own_row()] = count;
}

KZ_ENTRY(warp_shuffle_product_f32)(const float *a, float *out, const float *b, size_t n) {
    size_t matrix = own_row() * MATRIX;
    if (matrix >= n) return; // the whole warp
    float column[KZ_WARP];
#pragma unroll
    for (unsigned k = 0; k < KZ_WARP; k++) column[k] = b[matrix + k * KZ_WARP + kz_lane()];
    for (unsigned row = 0; row < KZ_WARP; row++) {
        float across = a[matrix + row * KZ_WARP + kz_lane()], sum = 0.0f;
#pragma unroll
        for (unsigned k = 0; k < KZ_WARP; k++) sum += __shfl_sync(KZ_ALL_LANES, across, k) * column[k];
        out[matrix + row * KZ_WARP + kz_lane()] = sum;
    }
}

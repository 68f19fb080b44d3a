// warp 02: through shared memory
//
// Idea     a warp per row: 32 lanes side by side read 32 neighbours, and exchange them in shared memory.
// Change   a lane puts its element down; folds are a tree, scans five rounds, votes bits of one word, match reads
//          the whole row. __syncwarp after each exchange: lanes of a warp need not be at the same place.
// Expect   one request of four whole sectors per row; a store, a load and a warp synchronisation for each step of a tree.
// Limit    every step is a round trip through shared memory, and the lanes that a tree drops wait (see 03).

#include "row.cuh"

enum { WARPS = WARP_THREADS / KZ_WARP, PRODUCT_WARPS = WARP_PRODUCT_THREADS / KZ_WARP };

template <int operation, typename T>
static __device__ __forceinline__ void fold_rows(const T *in, T *out, size_t n) {
    __shared__ T rows[WARPS][KZ_WARP];
    T *row = rows[kz_warp()];
    row[kz_lane()] = load_or(in, kz_thread(), n, kz_fold_identity<operation>(T()));
    __syncwarp();
    for (unsigned step = KZ_WARP / 2; step > 0; step /= 2) {
        if (kz_lane() < step)
            row[kz_lane()] = kz_fold_combine<operation>(row[kz_lane()], row[kz_lane() + step]);
        __syncwarp();
    }
    if (kz_lane() == 0 && own_row() < rows_of(n)) out[own_row()] = row[0];
}

// Two synchronisations per round: everybody has read before anybody writes, and has written before anybody reads.
template <bool exclusive, typename T>
static __device__ __forceinline__ void scan_rows(const T *in, T *out, size_t n) {
    __shared__ T rows[WARPS][KZ_WARP];
    T *row = rows[kz_warp()], value = load_or(in, kz_thread(), n, (T)0);
    row[kz_lane()] = value;
    __syncwarp();
    for (unsigned step = 1; step < KZ_WARP; step *= 2) {
        if (kz_lane() >= step) value = kz_fold_combine<KZ_SUM>(row[kz_lane() - step], value);
        __syncwarp();
        row[kz_lane()] = value;
        __syncwarp();
    }
    if (exclusive) value = kz_lane() ? row[kz_lane() - 1] : (T)0;
    if (kz_thread() < n) out[kz_thread()] = value;
}

// Bit l of the word that all lanes get is lane l's.
static __device__ __forceinline__ unsigned gather_bits(bool bit) {
    __shared__ unsigned words[WARPS];
    if (kz_lane() == 0) words[kz_warp()] = 0;
    __syncwarp();
    if (bit) atomicOr(&words[kz_warp()], 1u << kz_lane());
    __syncwarp();
    return words[kz_warp()];
}

static __device__ __forceinline__ unsigned peers_of(const int *in, size_t n) {
    __shared__ int rows[WARPS][KZ_WARP];
    bool present = kz_thread() < n;
    int value = load_or(in, kz_thread(), n, 0);
    rows[kz_warp()][kz_lane()] = value;
    __syncwarp();
    unsigned peers = 0;
    for (unsigned lane = 0; lane < KZ_WARP; lane++)
        if (rows[kz_warp()][lane] == value) peers |= 1u << lane;
    return present ? peers & lanes_of(own_row(), n) : 0;
}

WARP_FOLDS(shared)
WARP_SCANS(shared)

KZ_ENTRY(warp_shared_vote_f32)(const float *in, unsigned *count, unsigned *first, size_t n) {
    unsigned votes = gather_bits(load_or(in, kz_thread(), n, 0.0f) > 0.0f);
    if (kz_lane() || own_row() >= rows_of(n)) return;
    count[own_row()] = __popc(votes);
    first[own_row()] = first_of(votes);
}

KZ_ENTRY(warp_shared_match_i32)(const int *in, unsigned *out, size_t n) {
    unsigned peers = peers_of(in, n);
    if (kz_thread() < n) out[kz_thread()] = peers;
}

KZ_ENTRY(warp_shared_distinct_i32)(const int *in, unsigned *out, size_t n) {
    unsigned leaders = gather_bits(first_of(peers_of(in, n)) == kz_lane());
    if (kz_lane() == 0 && own_row() < rows_of(n)) out[own_row()] = __popc(leaders);
}

// A warp per matrix, a lane per column of the result. b's column stays the same for all rows, and the compiler keeps
// it in 32 registers; an element of a is one load for all lanes, and one for every multiply-add.
KZ_ENTRY(warp_shared_product_f32)(const float *a, float *out, const float *b, size_t n) {
    __shared__ float left[PRODUCT_WARPS][MATRIX], right[PRODUCT_WARPS][MATRIX];
    size_t matrix = own_row() * MATRIX;
    if (matrix >= n) return; // the whole warp
    float *l = left[kz_warp()], *r = right[kz_warp()];
    for (unsigned i = kz_lane(); i < MATRIX; i += KZ_WARP) l[i] = a[matrix + i], r[i] = b[matrix + i];
    __syncwarp();
    for (unsigned row = 0; row < KZ_WARP; row++) {
        float sum = 0.0f;
        for (unsigned k = 0; k < KZ_WARP; k++) sum += l[row * KZ_WARP + k] * r[k * KZ_WARP + kz_lane()];
        out[matrix + row * KZ_WARP + kz_lane()] = sum;
    }
}

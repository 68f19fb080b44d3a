// warp 01: a thread per row
//
// Idea     no exchange is needed: one thread reads its row's 32 elements and knows everything.
// Change   the first version. match compares each pair; products have a thread per element of the result.
// Expect   32 lanes that are 128 bytes apart: each load of a warp touches 32 sectors for 32 words, and the other
//          seven words of a sector must wait in L1 until they are read.
// Limit    L1, which the 32 rows of each warp on the multiprocessor have to share (see 02).

#include "row.cuh"

// A row's end, or n.
static __device__ __forceinline__ size_t end_of(size_t row, size_t n) { return min((row + 1) * KZ_WARP, n); }

template <int operation, typename T>
static __device__ __forceinline__ void fold_rows(const T *in, T *out, size_t n) {
    size_t row = kz_thread();
    if (row >= rows_of(n)) return;
    T value = kz_fold_identity<operation>(T());
    for (size_t i = row * KZ_WARP; i < end_of(row, n); i++) value = kz_fold_combine<operation>(value, in[i]);
    out[row] = value;
}

template <bool exclusive, typename T>
static __device__ __forceinline__ void scan_rows(const T *in, T *out, size_t n) {
    size_t row = kz_thread();
    if (row >= rows_of(n)) return;
    T sum = 0;
    for (size_t i = row * KZ_WARP; i < end_of(row, n); i++) {
        T next = kz_fold_combine<KZ_SUM>(sum, in[i]);
        out[i] = exclusive ? sum : next;
        sum = next;
    }
}

// The lanes of the row whose element is `value`.
static __device__ __forceinline__ unsigned peers_of(const int *in, size_t row, size_t n, int value) {
    unsigned peers = 0;
    for (size_t i = row * KZ_WARP; i < end_of(row, n); i++)
        if (in[i] == value) peers |= 1u << (i % KZ_WARP);
    return peers;
}

WARP_FOLDS(thread)
WARP_SCANS(thread)

KZ_ENTRY(warp_thread_vote_f32)(const float *in, unsigned *count, unsigned *first, size_t n) {
    size_t row = kz_thread();
    if (row >= rows_of(n)) return;
    unsigned votes = 0;
    for (size_t i = row * KZ_WARP; i < end_of(row, n); i++)
        if (in[i] > 0.0f) votes |= 1u << (i % KZ_WARP);
    count[row] = __popc(votes);
    first[row] = first_of(votes);
}

KZ_ENTRY(warp_thread_match_i32)(const int *in, unsigned *out, size_t n) {
    size_t row = kz_thread();
    if (row >= rows_of(n)) return;
    for (size_t i = row * KZ_WARP; i < end_of(row, n); i++) out[i] = peers_of(in, row, n, in[i]);
}

// A value counts where it stands for the first time.
KZ_ENTRY(warp_thread_distinct_i32)(const int *in, unsigned *out, size_t n) {
    size_t row = kz_thread();
    if (row >= rows_of(n)) return;
    unsigned count = 0;
    for (size_t i = row * KZ_WARP; i < end_of(row, n); i++)
        count += first_of(peers_of(in, row, n, in[i])) == i % KZ_WARP;
    out[row] = count;
}

KZ_ENTRY(warp_thread_product_f32)(const float *a, float *out, const float *b, size_t n) {
    size_t i = kz_thread();
    if (i >= n) return;
    size_t matrix = i / MATRIX * MATRIX, row = i % MATRIX / KZ_WARP, column = i % KZ_WARP;
    float sum = 0.0f;
    for (size_t k = 0; k < KZ_WARP; k++)
        sum += a[matrix + row * KZ_WARP + k] * b[matrix + k * KZ_WARP + column];
    out[i] = sum;
}

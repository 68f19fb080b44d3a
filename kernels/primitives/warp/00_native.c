// warp 00: plain C on the `cpu` device
//
// Idea     each block of the grid takes a run of neighbouring rows (of matrices for products), one after the other.
// Change   none: it stands before the ladder.
// Expect   bound by the chain of dependent additions, match by its 32 comparisons for each element.
#include "primitives/reduce/fold.h"
#include "private.h"

typedef struct job {
    const void *in;
    void *out;
    void *second;
    uint64_t n, from, to; // units [from, to): rows, or matrices
} job;

static job job_of(const kz_native_launch *launch, uint64_t unit) {
    job j = {.in = *(const void *const *)launch->args[0],
             .out = *(void *const *)launch->args[1],
             .second = *(void *const *)launch->args[2],
             .n = *(const uint64_t *)launch->args[3]};
    uint64_t units = kz_ceil_div(j.n, unit), chunk = kz_ceil_div(units, launch->grid[0]);
    j.from = kz_min_u64(units, chunk * launch->block_index[0]);
    j.to = kz_min_u64(units, j.from + chunk);
    return j;
}

static void fold(const kz_native_launch *launch, kz_reduce_operation operation, kz_type type) {
    job j = job_of(launch, ROW);
    for (uint64_t row = j.from; row < j.to; row++) {
        double value = reduce_identity(operation, type);
        for (uint64_t i = row * ROW; i < kz_min_u64(j.n, (row + 1) * ROW); i++)
            value = reduce_combine(operation, type, value, kz_element_get(type, j.in, i));
        kz_element_set(type, j.out, row, value);
    }
}

static void scan(const kz_native_launch *launch, bool exclusive, kz_type type) {
    job j = job_of(launch, ROW);
    double sum = 0.0;
    for (uint64_t i = j.from * ROW; i < kz_min_u64(j.n, j.to * ROW); i++) {
        if (i % ROW == 0) sum = 0.0;
        double next = reduce_combine(KZ_REDUCE_SUM, type, sum, kz_element_get(type, j.in, i));
        kz_element_set(type, j.out, i, exclusive ? sum : next);
        sum = next;
    }
}

static void vote_f32(const kz_native_launch *launch) {
    job j = job_of(launch, ROW);
    const float *in = j.in;
    for (uint64_t row = j.from; row < j.to; row++) {
        uint32_t count = 0, first = ROW;
        for (uint64_t i = row * ROW; i < kz_min_u64(j.n, (row + 1) * ROW); i++) {
            if (!(in[i] > 0.0f)) continue;
            if (count++ == 0) first = (uint32_t)(i % ROW);
        }
        ((uint32_t *)j.out)[row] = count;
        ((uint32_t *)j.second)[row] = first;
    }
}

static void match_rows(const kz_native_launch *launch, bool distinct) {
    job j = job_of(launch, ROW);
    const int32_t *in = j.in;
    uint32_t *out = j.out;
    for (uint64_t row = j.from; row < j.to; row++) {
        uint64_t begin = row * ROW, end = kz_min_u64(j.n, begin + ROW);
        uint32_t leaders = 0;
        for (uint64_t i = begin; i < end; i++) {
            uint32_t peers = 0;
            for (uint64_t k = begin; k < end; k++) peers |= (uint32_t)(in[k] == in[i]) << (k - begin);
            leaders += (peers & ((1u << (i - begin)) - 1)) == 0; // nobody before it
            if (!distinct) out[i] = peers;
        }
        if (distinct) out[row] = leaders;
    }
}
static void match_i32(const kz_native_launch *launch) { match_rows(launch, false); }
static void distinct_i32(const kz_native_launch *launch) { match_rows(launch, true); }

static void product_f32(const kz_native_launch *launch) {
    job j = job_of(launch, MATRIX);
    for (uint64_t m = j.from; m < j.to; m++) {
        const float *a = (const float *)j.in + m * MATRIX, *b = (const float *)j.second + m * MATRIX;
        float *out = (float *)j.out + m * MATRIX;
        for (int i = 0; i < ROW; i++) {
            float sum[ROW] = {0};
            for (int k = 0; k < ROW; k++)
                for (int column = 0; column < ROW; column++)
                    sum[column] += a[i * ROW + k] * b[k * ROW + column];
            for (int column = 0; column < ROW; column++) out[i * ROW + column] = sum[column];
        }
    }
}

#define TYPES(X, name, ...)                                                                                  \
    X(name, f32, F32, __VA_ARGS__)                                                                           \
    X(name, i32, I32, __VA_ARGS__)
#define ENTRY(name, type, TYPE, function, how)                                                               \
    static void name##_##type(const kz_native_launch *launch) { function(launch, how, KZ_##TYPE); }
#define ROW_OF(name, type, TYPE, ...) {"warp_native_" #name "_" #type, name##_##type},

TYPES(ENTRY, sum, fold, KZ_REDUCE_SUM)
TYPES(ENTRY, max, fold, KZ_REDUCE_MAX)
TYPES(ENTRY, inclusive, scan, false)
TYPES(ENTRY, exclusive, scan, true)

const kz_native_entry warp_natives[] = {TYPES(ROW_OF, sum) TYPES(ROW_OF, max) TYPES(ROW_OF, inclusive)
                                            TYPES(ROW_OF, exclusive){"warp_native_vote_f32", vote_f32},
                                        {"warp_native_match_i32", match_i32},
                                        {"warp_native_distinct_i32", distinct_i32},
                                        {"warp_native_product_f32", product_f32},
                                        {0}};

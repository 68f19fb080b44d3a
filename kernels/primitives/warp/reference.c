// warp: the right answer, row by row. Everything is exact but the sums and products of floats.
//
// A float sum of m elements takes m - 1 additions in any order, each of which rounds by at most u of a partial sum,
// and none of those exceeds the sum of magnitudes: the error is at most (m - 1) u sum|x|, up to terms of u^2. In a
// product each of 32 terms is rounded once more where it is not fused. Denormal products lose at most the least
// float each.
#include <math.h>

#include "primitives/reduce/fold.h"
#include "private.h"

static const double least = 0x1p-149;

static int32_t wrap(uint32_t bits) { return (int32_t)bits; }

static uint64_t row_end(const kz_case *c, uint64_t row) {
    return kz_min_u64((row + 1) * ROW, (uint64_t)c->axes[0]);
}

static void scan_row(const kz_case *c, const void *in, uint64_t row, double *expected, double *bound) {
    double sum = 0.0, magnitude = 0.0;
    bool exclusive = c->operation == KZ_WARP_EXCLUSIVE, whole = c->type == KZ_I32;
    for (uint64_t i = row * ROW, m = 0; i < row_end(c, row); i++, m++) {
        double x = kz_element_get(c->type, in, i);
        double next = whole ? (double)wrap((uint32_t)(int32_t)sum + (uint32_t)(int32_t)x) : sum + x;
        double error = whole ? 0.0 : 1.001 * (double)m * kz_unit_roundoff(KZ_F32);
        expected[i] = exclusive ? sum : next;
        bound[i] = isfinite(expected[i]) ? error * (magnitude + (exclusive ? 0.0 : fabs(x))) : 0.0;
        sum = next;
        magnitude += fabs(x);
    }
}

// Bit l: lane l of the row passes.
static uint32_t votes_of(const kz_case *c, const void *in, uint64_t row) {
    uint32_t votes = 0;
    for (uint64_t i = row * ROW; i < row_end(c, row); i++)
        if (kz_element_get(c->type, in, i) > 0.0) votes |= 1u << (i % ROW);
    return votes;
}

// peers[l]: the lanes of the row with lane l's value. Written without branches, as large cases need it.
static void peers_of(const kz_case *c, const int32_t *in, uint64_t row, uint32_t peers[ROW]) {
    uint32_t bit[ROW], lanes = (uint32_t)(row_end(c, row) - row * ROW);
    int32_t value[ROW] = {0};
    for (uint32_t l = 0; l < lanes; l++) value[l] = in[row * ROW + l];
    for (uint32_t l = 0; l < ROW; l++) bit[l] = l < lanes ? 1u << l : 0;
    for (uint32_t i = 0; i < lanes; i++) {
        peers[i] = 0;
        for (uint32_t l = 0; l < ROW; l++) peers[i] |= value[l] == value[i] ? bit[l] : 0;
    }
}

static unsigned count_bits(uint32_t word) { return (unsigned)__builtin_popcount(word); }
static unsigned first_bit(uint32_t word) { return word ? (unsigned)__builtin_ctz(word) : ROW; }

static double row_result(const kz_case *c, void *const *host, size_t which, uint64_t row, double *bound) {
    reduce_slice slice = {host[IN], row * ROW, row_end(c, row) - row * ROW, 1};
    uint32_t votes, peers[ROW];
    double count = 0.0;
    *bound = 0.0;
    switch (c->operation) {
    case KZ_WARP_SUM: return reduce_fold(KZ_REDUCE_SUM, c->type, slice, bound);
    case KZ_WARP_MAX: return reduce_fold(KZ_REDUCE_MAX, c->type, slice, bound);
    case KZ_WARP_VOTE:
        votes = votes_of(c, host[IN], row);
        return which == OUT ? count_bits(votes) : first_bit(votes);
    default:
        peers_of(c, host[IN], row, peers);
        for (uint32_t l = 0; l < slice.count; l++) count += first_bit(peers[l]) == l;
        return count;
    }
}

// One row of a result at a time.
static void multiply(const kz_case *c, void *const *host, double *expected, double *bound) {
    for (uint64_t at = 0; at < (uint64_t)c->axes[0]; at += ROW) {
        const float *a = (const float *)host[IN] + at,
                    *b = (const float *)host[SECOND] + at / MATRIX * MATRIX;
        double sum[ROW] = {0}, magnitude[ROW] = {0};
        for (int k = 0; k < ROW; k++)
            for (int column = 0; column < ROW; column++) {
                double term = (double)a[k] * (double)b[k * ROW + column];
                sum[column] += term;
                magnitude[column] += fabs(term);
            }
        for (int column = 0; column < ROW; column++) {
            double error = 1.001 * ROW * (kz_unit_roundoff(KZ_F32) * magnitude[column] + least);
            expected[at + (uint64_t)column] = sum[column];
            bound[at + (uint64_t)column] = isfinite(sum[column]) ? error : 0.0;
        }
    }
}

static void match(const kz_case *c, const int32_t *in, double *expected, double *bound) {
    for (uint64_t row = 0; row * ROW < (uint64_t)c->axes[0]; row++) {
        uint32_t peers[ROW];
        peers_of(c, in, row, peers);
        for (uint64_t i = row * ROW; i < row_end(c, row); i++) expected[i] = peers[i % ROW], bound[i] = 0.0;
    }
}

kz_status warp_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    uint64_t rows = kz_ceil_div((uint64_t)c->axes[0], ROW);
    switch (c->operation) {
    case KZ_WARP_PRODUCT: multiply(c, host, expected, bound); break;
    case KZ_WARP_MATCH: match(c, host[IN], expected, bound); break;
    case KZ_WARP_INCLUSIVE:
    case KZ_WARP_EXCLUSIVE:
        for (uint64_t row = 0; row < rows; row++) scan_row(c, host[IN], row, expected, bound);
        break;
    default:
        for (uint64_t row = 0; row < rows; row++)
            expected[row] = row_result(c, host, which, row, &bound[row]);
        break;
    }
    return KZ_OK;
}

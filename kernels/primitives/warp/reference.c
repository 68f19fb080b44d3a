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

static uint32_t peers_of(const kz_case *c, const int32_t *in, uint64_t i) {
    uint32_t peers = 0;
    for (uint64_t k = i / ROW * ROW; k < row_end(c, i / ROW); k++)
        if (in[k] == in[i]) peers |= 1u << (k % ROW);
    return peers;
}

static unsigned count_bits(uint32_t word) { return (unsigned)__builtin_popcount(word); }
static unsigned first_bit(uint32_t word) { return word ? (unsigned)__builtin_ctz(word) : ROW; }

static double row_result(const kz_case *c, void *const *host, size_t which, uint64_t row, double *bound) {
    reduce_slice slice = {host[IN], row * ROW, row_end(c, row) - row * ROW, 1};
    uint32_t votes;
    double count = 0.0;
    *bound = 0.0;
    switch (c->operation) {
    case KZ_WARP_SUM: return reduce_fold(KZ_REDUCE_SUM, c->type, slice, bound);
    case KZ_WARP_MAX: return reduce_fold(KZ_REDUCE_MAX, c->type, slice, bound);
    case KZ_WARP_VOTE:
        votes = votes_of(c, host[IN], row);
        return which == OUT ? count_bits(votes) : first_bit(votes);
    default:
        for (uint64_t i = row * ROW; i < row_end(c, row); i++)
            count += first_bit(peers_of(c, host[IN], i)) == i % ROW;
        return count;
    }
}

static void multiply(const kz_case *c, void *const *host, double *expected, double *bound) {
    const float *a = host[IN], *b = host[SECOND];
    for (uint64_t i = 0; i < (uint64_t)c->axes[0]; i++) {
        uint64_t matrix = i / MATRIX * MATRIX, row = i % MATRIX / ROW, column = i % ROW;
        double sum = 0.0, magnitude = 0.0;
        for (uint64_t k = 0; k < ROW; k++) {
            double term = (double)a[matrix + row * ROW + k] * (double)b[matrix + k * ROW + column];
            sum += term;
            magnitude += fabs(term);
        }
        expected[i] = sum;
        bound[i] = isfinite(sum) ? 1.001 * ROW * (kz_unit_roundoff(KZ_F32) * magnitude + least) : 0.0;
    }
}

kz_status warp_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    uint64_t n = (uint64_t)c->axes[0], rows = kz_ceil_div(n, ROW);
    switch (c->operation) {
    case KZ_WARP_PRODUCT: multiply(c, host, expected, bound); break;
    case KZ_WARP_MATCH:
        for (uint64_t i = 0; i < n; i++) expected[i] = peers_of(c, host[IN], i), bound[i] = 0.0;
        break;
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

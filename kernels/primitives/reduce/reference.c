// reduce: the right answer, and how far a sum may be from it.
//
// min, max and i32 sums are exact. A float sum rounds after each addition, in an order that nobody fixes.
// Take the order as random and the roundings as independent, each at most u times the partial sum: after i of
// n elements the square of the partial sum is about i/n * Q + (i/n)^2 * S^2, with S the sum and Q the sum of
// squares. Summed over i, the error's standard deviation is below u * sqrt(n * (Q / 2 + S^2 / 3)). Six of
// those are allowed, far below what accumulating in a half type does. Where all elements are equal the roundings
// are not independent: for a whole binade of partial sums each is the same. They may all go one way, u times the
// partial sum each, u * |S| * (n + 1) / 2 together. u is that of the accumulator: 2^-24 for f32, f16 and bf16. The
// result is rounded once more to the type. A mean is the sum, with its error, divided; the division and the count in the accumulator's type
// round once each.
#include <math.h>

#include "private.h"

enum { DEVIATIONS = 6 };

const char *const reduce_operations[] = {"sum", "min", "max", "mean", "argmin", "argmax", NULL};

static bool adds(kz_reduce_operation operation) {
    return operation == KZ_REDUCE_SUM || operation == KZ_REDUCE_MEAN;
}

double reduce_identity(kz_reduce_operation operation, kz_type type) {
    if (adds(operation)) return 0.0;
    bool least = operation == KZ_REDUCE_MIN || operation == KZ_REDUCE_ARGMIN;
    if (type == KZ_I32) return least ? INT32_MAX : INT32_MIN;
    return least ? INFINITY : -INFINITY;
}

kz_status reduce_supported(const char *family, kz_reduce_operation operation, kz_type type, kz_error *error) {
    switch (type) {
    case KZ_I32:
        if (operation == KZ_REDUCE_MEAN)
            return kz_plan_refuse(error, "%s has no mean of i32: the sum is exact, divide it", family);
        return KZ_OK;
    case KZ_F32:
    case KZ_F64:
    case KZ_F16:
    case KZ_BF16: return KZ_OK;
    default: return kz_plan_refuse(error, "%s has no %s", family, kz_type_name(type));
    }
}

static double element(kz_type type, reduce_slice slice, uint64_t i) {
    return kz_element_get(type, slice.in, slice.first + i * slice.stride);
}

static double extreme(kz_reduce_operation operation, kz_type type, reduce_slice slice) {
    double best = reduce_identity(operation, type);
    for (uint64_t i = 0; i < slice.count; i++) {
        double x = element(type, slice, i);
        if (isnan(x)) return x;
        if (operation == KZ_REDUCE_MIN ? x < best : x > best) best = x;
    }
    return best;
}

double reduce_find(kz_reduce_operation operation, kz_type type, reduce_slice slice, int64_t *index) {
    double best = reduce_identity(operation, type);
    *index = -1;
    for (uint64_t i = 0; i < slice.count; i++) {
        double x = element(type, slice, i);
        if (isnan(x)) {
            *index = (int64_t)i;
            return x;
        }
        if (*index >= 0 && (operation == KZ_REDUCE_ARGMIN ? x >= best : x <= best)) continue;
        best = x;
        *index = (int64_t)i;
    }
    return best;
}

static double wrapped_sum(reduce_slice slice) {
    uint32_t sum = 0;
    for (uint64_t i = 0; i < slice.count; i++)
        sum += (uint32_t)((const int32_t *)slice.in)[slice.first + i * slice.stride];
    return (int32_t)sum;
}

static double largest(kz_type type, reduce_slice slice) {
    double most = 0.0;
    for (uint64_t i = 0; i < slice.count; i++) most = fmax(most, fabs(element(type, slice, i)));
    return most;
}

// Neumaier's sum: `lost` gathers what each addition rounds away, so that f64 has a reference better than
// itself. The error is that of the accumulator; 0 where the sum is not finite or all elements are zeros.
static double float_sum(kz_type type, reduce_slice slice, double *error) {
    double scale = largest(type, slice); // squares are taken in its unit, for those of denormals vanish
    double sum = 0.0, lost = 0.0, squares = 0.0;
    bool equal = true;
    *error = 0.0;
    for (uint64_t i = 0; i < slice.count; i++) {
        double x = element(type, slice, i), next = sum + x;
        lost += fabs(sum) >= fabs(x) ? (sum - next) + x : (x - next) + sum;
        sum = next;
        squares += (x / scale) * (x / scale);
        equal = equal && x == element(type, slice, 0);
    }
    if (!isfinite(sum) || scale == 0.0) return sum; // NaN or infinity in, the same out; zeros give zero
    sum += lost;
    double u = kz_unit_roundoff(type == KZ_F64 ? KZ_F64 : KZ_F32);
    double n = (double)slice.count, whole = fabs(sum) / scale;
    double units = DEVIATIONS * sqrt(n * (squares / 2.0 + whole * whole / 3.0));
    if (equal) units = fmax(units, whole * (n + 1.0) / 2.0);
    *error = u * units * scale; // in this order: u * scale vanishes where elements are denormal
    return sum;
}

double reduce_fold(kz_reduce_operation operation, kz_type type, reduce_slice slice, double *bound) {
    *bound = 0.0;
    if (!adds(operation)) return extreme(operation, type, slice);
    if (type == KZ_I32) return wrapped_sum(slice);
    if (operation == KZ_REDUCE_MEAN && slice.count == 0) return NAN; // 0 / 0
    double error, value = float_sum(type, slice, &error);
    if (operation == KZ_REDUCE_MEAN) {
        kz_type wide = type == KZ_F64 ? KZ_F64 : KZ_F32;
        value /= (double)slice.count;
        error = error / (double)slice.count + (error > 0.0 ? 3.0 * kz_half_ulp(wide, value) : 0.0);
    }
    if (error == 0.0) return value;
    bool half = type == KZ_F16 || type == KZ_BF16;
    *bound = error + (half ? kz_half_ulp(type, fabs(value) + error) : 0.0);
    return kz_saturate(type, value);
}

const char *reduce_rule(const kz_case *c, size_t which) {
    (void)which;
    if (!reduce_finds(c)) return NULL;
    return "the first of equal extremes; the first NaN is before all numbers; -1 where there are no elements";
}

double reduce_expect(const kz_case *c, reduce_slice slice, size_t which, size_t index_at, double *bound) {
    if (!reduce_finds(c)) return reduce_fold(c->operation, c->type, slice, bound);
    int64_t index;
    double value = reduce_find(c->operation, c->type, slice, &index);
    *bound = 0.0;
    return which == index_at ? (double)index : value;
}

kz_status reduce_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    reduce_slice all = {host[IN], 0, (uint64_t)c->axes[0], 1};
    *expected = reduce_expect(c, all, which, INDEX, bound);
    return KZ_OK;
}

// layernorm and rmsnorm: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24. A sum of n terms, in any order: each of n additions is off by at most u times a partial sum, of which the
// i-th is about i/n of the magnitudes' sum. Taken as independent, that has a deviation of u sqrt(n / 3) of that sum;
// six deviations are allowed, and (n + 1) / 2 where all terms are equal, for then all may go one way. So the mean is off by
// e = u R mean|x|.
//
// The variance. Squared differences are added: u R of it. They are taken from a mean that is off: e^2. Parts of a row that
// have a mean each, off by e too, add 2 e times the deviation where they are merged. So with K e for e, a variance v is off by
// u R v + 2 K e sqrt(v) + (K e)^2, which goes through the root. This allows any way that works with differences; the mean of
// squares less the square of the mean is off by u R mean^2, which is far more where the mean is large.
//
// A result is what these give, a handful of roundings (TERMS) and one rounding to its type. e4m3 is compared as codes: those
// of both ends of the interval, so a byte is one off only where a boundary lies within.
#include <math.h>

#include "gemm/fp8.h"
#include "ml_ops/norm.h"

enum { DEVIATIONS = 6, TERMS = 8, MERGED = 2 };

static const double u = 0x1p-24, tiny = 0x1p-126, limit = 0x1p126; // sums beyond it may pass a float's range

static double roundings(double n, bool equal) {
    double drawn = DEVIATIONS * (sqrt(n / 3.0) + 1.0);
    return TERMS + (equal ? fmax(drawn, (n + 1.0) / 2.0 + 1.0) : drawn);
}

// ---- a row -------------------------------------------------------------------------------------------------------

typedef struct row {
    double mean, mean_error; // absolute
    double rstd, rstd_error; // relative
    bool overflows;          // a float's range: anything may come out
} row;

typedef struct source {
    const norm_family *f;
    const kz_case *c;
    const void *x, *residual; // residual: NULL for none
    uint64_t columns;
} source;

static const void *buffer(const norm_family *f, const kz_case *c, void *const *host, norm_role role) {
    uint32_t index = norm_buffer(f, c->operation, role);
    return index == NORM_NO_BUFFER ? NULL : host[index];
}

static source source_of(const norm_family *f, const kz_case *c, void *const *host) {
    return (source){f, c, buffer(f, c, host, NORM_X), buffer(f, c, host, NORM_ADDED),
                    (uint64_t)c->axes[NORM_COLUMNS]};
}

// What is normalised: x, or its sum with the residual, added as floats and rounded to the type.
static double element(const source *s, uint64_t i) {
    double x = kz_element_get(s->c->type, s->x, i), memory;
    if (!s->residual) return x;
    float sum = (float)x + (float)kz_element_get(s->c->type, s->residual, i);
    kz_element_set(s->c->type, &memory, 0, (double)sum);
    return kz_element_get(s->c->type, &memory, 0);
}

static row row_of(const source *s, uint64_t index) {
    uint64_t first = index * s->columns, end = first + s->columns;
    double n = (double)s->columns, epsilon = (double)norm_get_epsilon(s->f, s->c);
    double sum = 0.0, magnitudes = 0.0, squares = 0.0;
    bool equal = true;
    row r = {0};
    for (uint64_t i = first; i < end; i++) {
        double x = element(s, i);
        equal = equal && x == element(s, first);
        sum += x, magnitudes += fabs(x);
    }
    double terms = roundings(n, equal);
    if (s->f->centered) r.mean = sum / n, r.mean_error = u * terms * magnitudes / n;
    for (uint64_t i = first; i < end; i++) {
        double d = element(s, i) - r.mean;
        squares += d * d;
    }
    double variance = squares / n, with_epsilon = variance + epsilon, e = MERGED * r.mean_error;
    double off = (u * terms * variance + 2.0 * e * sqrt(variance) + e * e + tiny) / with_epsilon;
    r.rstd = 1.0 / sqrt(with_epsilon);
    r.rstd_error = !isfinite(with_epsilon) ? 0.0
                   : off < 1.0             ? 1.0 / sqrt(1.0 - off) - 1.0 + TERMS * u
                                           : (double)INFINITY;
    r.overflows = isfinite(with_epsilon) && (magnitudes > limit || squares > limit);
    return r;
}

static void set(kz_type type, double value, double wide, double *expected, double *bound) {
    *expected = kz_saturate(type, value);
    *bound = isfinite(value) ? wide + kz_half_ulp(type, fabs(value) + wide) : 0.0;
    if (isfinite(value) && !isfinite(wide)) *bound = KZ_ANYTHING;
}

// ---- forward -----------------------------------------------------------------------------------------------------

// Codes are in the order of magnitudes; a value whose sign is not known may have any code of up to 128.
static void set_code(double value, double wide, double *expected, double *bound) {
    if (isnan(value) || wide == 0.0 || !isfinite(value)) {
        *expected = isnan(value) ? 0x7f : gemm_fp8_code(GEMM_E4M3, value), *bound = 0.0;
        return;
    }
    double low = gemm_fp8_code(GEMM_E4M3, value - wide), high = gemm_fp8_code(GEMM_E4M3, value + wide);
    *expected = (low + high) / 2.0, *bound = fabs(high - low) / 2.0;
}

typedef struct output {
    double *expected, *bound;
} output;

static void refer_y(const source *s, void *const *host, uint64_t index, const row *r, output to) {
    const void *gamma = buffer(s->f, s->c, host, NORM_GAMMA), *beta = buffer(s->f, s->c, host, NORM_BETA);
    bool fp8 = s->c->operation == NORM_FP8;
    double scale = fp8 ? (double)*(const float *)buffer(s->f, s->c, host, NORM_SCALE) : 1.0;
    for (uint64_t c = 0; c < s->columns; c++) {
        uint64_t i = index * s->columns + c;
        double d = element(s, i) - r->mean, h = d * r->rstd, g = kz_element_get(s->c->type, gamma, c);
        double b = beta ? kz_element_get(s->c->type, beta, c) : 0.0, y = beta ? h * g + b : h * g;
        double h_off = fabs(h) * (r->rstd_error + 4.0 * u) +
                       r->rstd * (1.0 + r->rstd_error) * (r->mean_error + 2.0 * u * r->mean_error);
        double wide =
            fabs(g) * (h_off + tiny) + 2.0 * u * (fabs(h * g) + fabs(y)) + (y != 0.0 ? tiny * u : 0.0);
        if (y == 0.0 && d == 0.0 && r->mean_error == 0.0) wide = 0.0;
        if (r->overflows)
            to.expected[i] = 0.0, to.bound[i] = KZ_ANYTHING;
        else if (fp8)
            set_code(y * scale, fabs(scale) * wide + 2.0 * u * fabs(y * scale), &to.expected[i],
                     &to.bound[i]);
        else
            set(s->c->type, y, wide, &to.expected[i], &to.bound[i]);
    }
}

static void refer_forward(const source *s, void *const *host, norm_role role, output to) {
    for (uint64_t index = 0; index < (uint64_t)s->c->axes[NORM_ROWS]; index++) {
        row r = row_of(s, index);
        uint64_t first = index * s->columns;
        if (role == NORM_Y) {
            refer_y(s, host, index, &r, to);
        } else if (role == NORM_SUM) {
            for (uint64_t i = first; i < first + s->columns; i++)
                to.expected[i] = element(s, i), to.bound[i] = 0.0;
        } else {
            bool mean = role == NORM_MEAN;
            set(KZ_F32, mean ? r.mean : r.rstd, mean ? r.mean_error : r.rstd * r.rstd_error,
                &to.expected[index], &to.bound[index]);
            if (r.overflows) to.bound[index] = KZ_ANYTHING;
        }
    }
}

// ---- backward ----------------------------------------------------------------------------------------------------

// layernorm is given mean and rstd; rmsnorm finds rstd.
static row row_back(const source *s, void *const *host, uint64_t index) {
    if (!s->f->centered) return row_of(s, index);
    return (row){.mean = (double)((const float *)buffer(s->f, s->c, host, NORM_MEAN))[index],
                 .rstd = (double)((const float *)buffer(s->f, s->c, host, NORM_RSTD))[index]};
}

static void refer_dx(const source *s, void *const *host, uint64_t index, const row *r, output to) {
    const void *dy = buffer(s->f, s->c, host, NORM_DY), *gamma = buffer(s->f, s->c, host, NORM_GAMMA);
    kz_type type = s->c->type;
    double n = (double)s->columns, g_sum = 0.0, g_size = 0.0, gh_sum = 0.0, gh_size = 0.0;
    bool equal = s->c->data == KZ_DATA_EQUAL || s->c->data == KZ_DATA_ONES;
    double terms = u * roundings(n, equal), e = r->rstd_error;
    for (uint64_t c = 0; c < s->columns; c++) {
        double g = kz_element_get(type, dy, index * s->columns + c) * kz_element_get(type, gamma, c);
        double h = (element(s, index * s->columns + c) - r->mean) * r->rstd;
        g_sum += g, g_size += fabs(g), gh_sum += g * h, gh_size += fabs(g * h);
    }
    if (!s->f->centered) g_sum = 0.0, g_size = 0.0;
    for (uint64_t c = 0; c < s->columns; c++) {
        uint64_t i = index * s->columns + c;
        double g = kz_element_get(type, dy, i) * kz_element_get(type, gamma, c);
        double h = (element(s, i) - r->mean) * r->rstd, hc = h * gh_sum / n;
        double dx = r->rstd * (g - g_sum / n - hc);
        double inner = 5.0 * u * (fabs(g) + fabs(g_sum / n)) + terms * g_size / n +
                       fabs(h) * (terms + e + 4.0 * u) * gh_size / n + fabs(hc) * (e + 6.0 * u);
        set(type, dx, r->rstd * (1.0 + e) * inner + fabs(dx) * (e + 4.0 * u) + tiny, &to.expected[i],
            &to.bound[i]);
        if (r->overflows) to.bound[i] = KZ_ANYTHING;
    }
}

// Sums first, and in the place of bounds what they are off by.
static void refer_columns(const source *s, void *const *host, norm_role role, output to) {
    const void *dy = buffer(s->f, s->c, host, NORM_DY);
    uint64_t rows = (uint64_t)s->c->axes[NORM_ROWS];
    bool equal = s->c->data == KZ_DATA_EQUAL || s->c->data == KZ_DATA_ONES;
    double terms = u * roundings((double)rows, equal);
    for (uint64_t c = 0; c < s->columns; c++) to.expected[c] = to.bound[c] = 0.0;
    for (uint64_t index = 0; index < rows; index++) {
        row r = row_back(s, host, index);
        for (uint64_t c = 0; c < s->columns; c++) {
            double term = kz_element_get(s->c->type, dy, index * s->columns + c), e = terms;
            if (role == NORM_DGAMMA) {
                term *= (element(s, index * s->columns + c) - r.mean) * r.rstd;
                e += r.overflows ? (double)INFINITY : r.rstd_error + 4.0 * u;
            }
            to.expected[c] += term, to.bound[c] += fabs(term) * e + tiny;
        }
    }
    for (uint64_t c = 0; c < s->columns; c++)
        set(s->c->type, to.expected[c], rows ? to.bound[c] : 0.0, &to.expected[c], &to.bound[c]);
}

kz_status norm_reference(const norm_family *f, const kz_case *c, void *const *host, size_t which,
                         double *expected, double *bound, kz_error *error) {
    source s = source_of(f, c, host);
    output to = {expected, bound};
    norm_role role = 0;
    while (norm_buffer(f, c->operation, role) != which) role++;
    if (role == NORM_DGAMMA || role == NORM_DBETA) {
        refer_columns(&s, host, role, to);
    } else if (role == NORM_DX) {
        for (uint64_t index = 0; index < (uint64_t)c->axes[NORM_ROWS]; index++) {
            row r = row_back(&s, host, index);
            refer_dx(&s, host, index, &r, to);
        }
    } else {
        refer_forward(&s, host, role, to);
    }
    return KZ_OK;
}

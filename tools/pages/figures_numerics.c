// Figures of how exact the zoo's kernels are, run on the simulator: docs/concepts/numerics.md.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family/check.h"
#include "family/inputs.h"
#include "figures_job.h"
#include "kernels/gemm/gemm_types/gemm_types.h"
#include "kernels/gemm/hgemm/hgemm.h"
#include "kernels/ml_ops/cross_entropy/cross_entropy.h"
#include "kz/family.h"
#include "numbers.h"
#include "report/figures/figure.h"

// ---- one case, run once -----------------------------------------------------------------------------

// What an output should be; the caller frees it.
static kz_status job_expect(const figure_job *job, size_t which, double **expected, kz_error *error) {
    size_t count = (size_t)job->what[which].count;
    *expected = malloc(2 * count * sizeof **expected);
    if (!*expected) return base_fail(error, KZ_NO_MEMORY, "no memory for %zu numbers", count);
    return job->family->reference(&job->c, job->host, which, *expected, *expected + count, error);
}

// The errors of one output.
typedef struct numeric_error {
    double ulps;     // the largest, in units of the last place of the right answer
    double relative; // the mean of relative errors
} numeric_error;

static numeric_error compare(const figure_job *job, size_t which, const double *expected) {
    numeric_error e = {0};
    double counted = 0;
    for (uint64_t i = 0; i < job->what[which].count; i++) {
        kz_type type = job->what[which].type;
        double off = fabs(kz_element_get(type, job->got[which], i) - expected[i]);
        if (!isfinite(expected[i]) || expected[i] == 0) continue; // a label that is none, or no class
        e.ulps = fmax(e.ulps, off / (2 * kz_half_ulp(type, expected[i])));
        e.relative += off / fabs(expected[i]);
        counted++;
    }
    e.relative /= fmax(counted, 1);
    return e;
}

// What is measured: output `which` of a case.
typedef struct numeric_problem {
    const char *name, *family, *variant;
    size_t which;
    kz_case c;
    int axis; // that is the length
} numeric_problem;

static kz_status measure(figure_lab *lab, const numeric_problem *p, numeric_error *result, kz_error *error) {
    figure_job job;
    double *expected = NULL;
    kz_status status = figure_job_open(&job, p->family, p->variant, &p->c, error);
    if (!status) status = figure_job_run(lab, &job, error);
    if (!status) status = job_expect(&job, p->which, &expected, error);
    if (!status) *result = compare(&job, p->which, expected);
    free(expected);
    figure_job_close(&job);
    return status;
}

// The same for lengths that double, from 2^first on.
static kz_status measure_lengths(figure_lab *lab, const numeric_problem *p, int first, int count, double *x,
                                 numeric_error *results, kz_error *error) {
    numeric_problem at = *p;
    for (int i = 0; i < count; i++) {
        at.c.axes[p->axis] = 1 << (first + i);
        x[i] = ldexp(1, first + i);
        kz_status status = measure(lab, &at, &results[i], error);
        if (status) return status;
    }
    return KZ_OK;
}

// ---- the types --------------------------------------------------------------------------------------

// clang-format off
#define SOFTMAX(name, t) {name, "softmax", "04_lanes", 1, {.type = KZ_##t, .axes = {1, 16, 512}}, 0}
#define RMSNORM(name, t) {name, "rmsnorm", "02_block", 2, {.type = KZ_##t, .axes = {16, 512}}, 0}
#define CROSS_ENTROPY(name, t)                                                                               \
    {name, "cross_entropy", "04_registers", 0,                                                               \
     {.operation = KZ_CROSS_ENTROPY_GRADIENT, .type = KZ_##t, .axes = {16, 512}}, 0}
#define ADAMW(name, t) {name, "adamw", NULL, 0, {.type = KZ_##t, .axes = {4096, 1, 0, 2}}, 0}
#define PRODUCT(name, family, o, t)                                                                          \
    {name, family, NULL, 2,                                                                                  \
     {.operation = o, .type = KZ_##t, .axes = {32, 32, 512}, .data = KZ_DATA_POSITIVE}, 0}
static const numeric_problem of_types[] = {
    SOFTMAX("softmax, f32", F32), SOFTMAX("f16", F16), SOFTMAX("bf16", BF16),
    RMSNORM("rmsnorm, f32", F32), RMSNORM("f16", F16), RMSNORM("bf16", BF16),
    CROSS_ENTROPY("cross-entropy, gradient, f32", F32), CROSS_ENTROPY("f16", F16), CROSS_ENTROPY("bf16", BF16),
    ADAMW("AdamW, new weights, f32", F32), ADAMW("bf16", BF16),
    PRODUCT("matrix product, f32", "sgemm", 0, F32),
    PRODUCT("f16", "hgemm", KZ_HGEMM_NT, F16), PRODUCT("bf16", "hgemm", KZ_HGEMM_NT, BF16),
};
// clang-format on

kz_status figure_error_types(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { BARS = BASE_COUNT(of_types) };
    report_figure_bar bars[BARS];
    char values[BARS][32];
    double longest = 0;
    for (int i = 0; i < BARS; i++) {
        numeric_error e;
        kz_type type = of_types[i].c.type;
        kz_status status = measure(lab, &of_types[i], &e, error);
        if (status) return status;
        snprintf(values[i], sizeof values[i], "%.2f", e.ulps);
        bars[i] = (report_figure_bar){of_types[i].name, values[i], e.ulps,
                                      type == KZ_F32   ? 0
                                      : type == KZ_F16 ? 1
                                                       : 2};
        longest = fmax(longest, e.ulps);
    }
    report_figure_bars_write(
        svg, &(report_figure_bars){
                 .text = {"The largest error of an operation, in units of the last place of its type",
                          "Run on a simulated H200 against a reference in double with the same inputs: 16 "
                          "rows of 512, "
                          "4096 weights, products of 32 x 32 x 512. A single rounding is at most 0.5. A unit "
                          "is at most "
                          "1.2e-7 of a number in f32, 1e-3 in f16, 8e-3 in bf16."},
                 .bars = bars,
                 .count = BARS,
                 .full = longest});
    return KZ_OK;
}

// ---- lengths ----------------------------------------------------------------------------------------

kz_status figure_error_lengths(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SERIES = 4, FIRST = 4, COUNT = 10 };
    static const double x_ticks[] = {16, 64, 256, 1024, 4096}, y_ticks[] = {0.5, 1, 2, 5, 10, 20};
    static const numeric_problem rows[SERIES] = {
        {"softmax", "softmax", "02_block", 1, {.type = KZ_F32, .axes = {1, 8}}, 2},
        {"rmsnorm", "rmsnorm", "02_block", 2, {.type = KZ_F32, .axes = {8}}, 1},
        {"cross-entropy", "cross_entropy", "02_block", 2, {.type = KZ_F32, .axes = {8}}, 1},
        {"cross-entropy, a thread a row", "cross_entropy", "01_thread", 2, {.type = KZ_F32, .axes = {8}}, 1},
    };
    double x[COUNT], last[SERIES], y[SERIES][COUNT];
    numeric_error e[COUNT];
    char note[400];
    report_figure_plot plot = {
        .text = {"f32: the largest error against the length of a row", note},
        .x = {"elements of a row", 14, 9500, true, x_ticks, BASE_COUNT(x_ticks), NULL},
        .y = {"units in the last place of a float", 0.3, 40, true, y_ticks, BASE_COUNT(y_ticks), NULL},
        .series_count = SERIES};
    for (int k = 0; k < SERIES; k++) {
        kz_status status = measure_lengths(lab, &rows[k], FIRST, COUNT, x, e, error);
        if (status) return status;
        for (int i = 0; i < COUNT; i++) y[k][i] = last[k] = e[i].ulps;
        plot.series[k] = (report_figure_series){rows[k].name, x, y[k], COUNT, true};
    }
    snprintf(note, sizeof note,
             "Run on a simulated H200 against a reference in double: 8 rows. Of 8192: softmax/02_block %.1f, "
             "rmsnorm/02_block %.1f, the loss of cross_entropy/02_block %.1f and of 01_thread %.1f.",
             last[0], last[1], last[2], last[3]);
    report_figure_plot_write(svg, &plot);
    return KZ_OK;
}

// ---- inputs that were rounded -----------------------------------------------------------------------

enum { SOFTMAX_ROWS = 8, SOFTMAX_COLUMNS = 256 };

static void exact_softmax(const double *x, double *y) {
    double largest = x[0], sum = 0;
    for (int i = 0; i < SOFTMAX_COLUMNS; i++) largest = fmax(largest, x[i]);
    for (int i = 0; i < SOFTMAX_COLUMNS; i++) sum += y[i] = exp(x[i] - largest);
    for (int i = 0; i < SOFTMAX_COLUMNS; i++) y[i] /= sum;
}

// The mean over rows of the sum of errors, of which a row adds up to 1: against the softmax of the logits before they were
// rounded, and after.
static kz_status softmax_errors(figure_lab *lab, figure_job *job, double deviation, double *before,
                                double *after, kz_error *error) {
    enum { NUMBERS = SOFTMAX_ROWS * SOFTMAX_COLUMNS };
    kz_type type = job->c.type;
    double x[SOFTMAX_COLUMNS], y[2][SOFTMAX_COLUMNS];
    for (uint64_t i = 0; i < NUMBERS; i++)
        kz_element_set(type, job->host[0], i, deviation * number_normal(7, i));
    kz_status status = figure_job_run(lab, job, error);
    *before = *after = 0;
    for (uint64_t first = 0; first < NUMBERS && !status; first += SOFTMAX_COLUMNS) {
        for (uint64_t i = 0; i < SOFTMAX_COLUMNS; i++) x[i] = deviation * number_normal(7, first + i);
        exact_softmax(x, y[0]);
        for (uint64_t i = 0; i < SOFTMAX_COLUMNS; i++) x[i] = kz_element_get(type, job->host[0], first + i);
        exact_softmax(x, y[1]);
        for (uint64_t i = 0; i < SOFTMAX_COLUMNS; i++) {
            double got = kz_element_get(type, job->got[1], first + i);
            *before += fabs(got - y[0][i]) / SOFTMAX_ROWS;
            *after += fabs(got - y[1][i]) / SOFTMAX_ROWS;
        }
    }
    return status;
}

kz_status figure_error_inputs(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SERIES = 4, FIRST = -3, COUNT = 9, SAID = 2 - FIRST };
    static const kz_type types[] = {KZ_BF16, KZ_F16, KZ_F32};
    static const double x_ticks[] = {0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32},
                        y_ticks[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    double x[COUNT], y[SERIES][COUNT], after[COUNT];
    char note[400];
    kz_status status = KZ_OK;
    for (int k = 0; k < SERIES - 1 && !status; k++) {
        const kz_case c = {.type = types[k], .axes = {1, SOFTMAX_ROWS, SOFTMAX_COLUMNS}};
        figure_job job;
        status = figure_job_open(&job, "softmax", "04_lanes", &c, error);
        for (int i = 0; i < COUNT && !status; i++) {
            x[i] = ldexp(1, FIRST + i);
            status = softmax_errors(lab, &job, x[i], &y[k][i], &after[i], error);
            if (types[k] == KZ_BF16) y[SERIES - 1][i] = after[i];
        }
        figure_job_close(&job);
    }
    if (status) return status;
    snprintf(
        note, sizeof note,
        "Run on a simulated H200: rows of %d normal logits, rounded to the type, compared with a softmax in "
        "double of the logits before that (last: after that). At a deviation of 4: bf16 %.1g, f16 %.1g, f32 "
        "%.1g, bf16 of its own inputs %.1g.",
        SOFTMAX_COLUMNS, y[0][SAID], y[1][SAID], y[2][SAID], y[3][SAID]);
    report_figure_plot_write(
        svg, &(report_figure_plot){
                 .text = {"A softmax: what the type does to the inputs is the larger error", note},
                 .x = {"deviation of the logits", 0.115, 35, true, x_ticks, BASE_COUNT(x_ticks), NULL},
                 .y = {"sum of the errors of a row, which adds up to 1", 1e-8, 0.3, true, y_ticks,
                       BASE_COUNT(y_ticks), NULL},
                 .series = {{"bf16", x, y[0], COUNT, true},
                            {"f16", x, y[1], COUNT, true},
                            {"f32", x, y[2], COUNT, true},
                            {"bf16, inputs as rounded", x, y[3], COUNT, true}},
                 .series_count = SERIES});
    return KZ_OK;
}

// ---- rows with a mean -------------------------------------------------------------------------------

enum { NORM_ROWS = 4, NORM_COLUMNS = 512 };

static void exact_layernorm(const double *x, double *y) {
    static const double epsilon = (double)1e-5f;
    double mean = 0, squares = 0;
    for (int i = 0; i < NORM_COLUMNS; i++) mean += x[i] / NORM_COLUMNS;
    for (int i = 0; i < NORM_COLUMNS; i++) squares += (x[i] - mean) * (x[i] - mean) / NORM_COLUMNS;
    for (int i = 0; i < NORM_COLUMNS; i++) y[i] = (x[i] - mean) / sqrt(squares + epsilon);
}

// The root of the mean squared error, of results around 1, for rows around `mean` with deviation 1: against the layernorm
// of the numbers before they were rounded, and after.
static kz_status layernorm_errors(figure_lab *lab, figure_job *job, double mean, double *before,
                                  double *after, kz_error *error) {
    enum { X, GAMMA, BETA, Y, NUMBERS = NORM_ROWS * NORM_COLUMNS };
    kz_type type = job->c.type;
    double x[NORM_COLUMNS], y[2][NORM_COLUMNS], squares[2] = {0};
    for (uint64_t i = 0; i < NORM_COLUMNS; i++) {
        kz_element_set(type, job->host[GAMMA], i, 1);
        kz_element_set(type, job->host[BETA], i, 0);
    }
    for (uint64_t i = 0; i < NUMBERS; i++) kz_element_set(type, job->host[X], i, mean + number_normal(8, i));
    kz_status status = figure_job_run(lab, job, error);
    for (uint64_t first = 0; first < NUMBERS && !status; first += NORM_COLUMNS) {
        for (uint64_t i = 0; i < NORM_COLUMNS; i++) x[i] = mean + number_normal(8, first + i);
        exact_layernorm(x, y[0]);
        for (uint64_t i = 0; i < NORM_COLUMNS; i++) x[i] = kz_element_get(type, job->host[X], first + i);
        exact_layernorm(x, y[1]);
        for (uint64_t i = 0; i < NORM_COLUMNS; i++) {
            double got = kz_element_get(type, job->got[Y], first + i);
            for (int k = 0; k < 2; k++) squares[k] += (got - y[k][i]) * (got - y[k][i]) / NUMBERS;
        }
    }
    *before = sqrt(squares[0]);
    *after = sqrt(squares[1]);
    return status;
}

kz_status figure_error_means(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SERIES = 4, FIRST = 0, COUNT = 11, SAID = 6 - FIRST };
    static const kz_type types[] = {KZ_BF16, KZ_F16, KZ_F32};
    static const double x_ticks[] = {1, 4, 16, 64, 256, 1024},
                        y_ticks[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    double x[COUNT], y[SERIES][COUNT], after[COUNT];
    char note[400];
    kz_status status = KZ_OK;
    for (int k = 0; k < SERIES - 1 && !status; k++) {
        const kz_case c = {.type = types[k], .axes = {NORM_ROWS, NORM_COLUMNS}};
        figure_job job;
        status = figure_job_open(&job, "layernorm", "03_welford", &c, error);
        for (int i = 0; i < COUNT && !status; i++) {
            x[i] = ldexp(1, FIRST + i);
            status = layernorm_errors(lab, &job, x[i], &y[k][i], &after[i], error);
            if (types[k] == KZ_BF16) y[SERIES - 1][i] = after[i];
        }
        figure_job_close(&job);
    }
    if (status) return status;
    snprintf(note, sizeof note,
             "Run on a simulated H200: layernorm/03_welford, rows of %d normal numbers, rounded to the type, "
             "compared "
             "with a layernorm in double of the numbers before that (last: after that). At a mean of 64: "
             "bf16 %.1g, "
             "f16 %.1g, f32 %.1g, bf16 of its own inputs %.1g.",
             NORM_COLUMNS, y[0][SAID], y[1][SAID], y[2][SAID], y[3][SAID]);
    report_figure_plot_write(
        svg,
        &(report_figure_plot){.text = {"A layernorm: a mean takes the digits that the deviation needs", note},
                              .x = {"mean / deviation", 0.9, 1150, true, x_ticks, BASE_COUNT(x_ticks), NULL},
                              .y = {"error of the results (root mean square), which are around 1", 2e-8, 2,
                                    true, y_ticks, BASE_COUNT(y_ticks), NULL},
                              .series = {{"bf16", x, y[0], COUNT, true},
                                         {"f16", x, y[1], COUNT, true},
                                         {"f32", x, y[2], COUNT, true},
                                         {"bf16, inputs as rounded", x, y[3], COUNT, true}},
                              .series_count = SERIES});
    return KZ_OK;
}

// ---- sums of products -------------------------------------------------------------------------------

kz_status figure_product_sums(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SERIES = 4, FIRST = 7, COUNT = 7 };
    static const double x_ticks[] = {128, 256, 512, 1024, 2048, 4096, 8192},
                        y_ticks[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
#define OF(name, family, o, t)                                                                               \
    { name, family, NULL, 2, {.operation = o, .type = KZ_##t, .axes = {16, 16}, .data = KZ_DATA_POSITIVE}, 2 }
    static const numeric_problem rows[SERIES] = {
        OF("e4m3", "gemm_types", 4 * KZ_GEMM_E4M3 + KZ_GEMM_TYPES_NT, BF16),
        OF("e4m3, promoted", "gemm_types", 4 * KZ_GEMM_E4M3_PROMOTED + KZ_GEMM_TYPES_NT, BF16),
        OF("e5m2", "gemm_types", 4 * KZ_GEMM_E5M2 + KZ_GEMM_TYPES_NT, BF16),
        OF("f16 to f32", "hgemm", KZ_HGEMM_NT_F32, F16),
    };
#undef OF
    double x[COUNT], last[SERIES], y[SERIES][COUNT];
    numeric_error e[COUNT];
    char note[400];
    report_figure_plot plot = {
        .text = {"A matrix product: what the sums of tensor cores lose", note},
        .x = {"k, products in a sum", 115, 9500, true, x_ticks, BASE_COUNT(x_ticks), NULL},
        .y = {"mean relative error", 1e-7, 0.3, true, y_ticks, BASE_COUNT(y_ticks), NULL},
        .series_count = SERIES};
    for (int k = 0; k < SERIES; k++) {
        kz_status status = measure_lengths(lab, &rows[k], FIRST, COUNT, x, e, error);
        if (status) return status;
        for (int i = 0; i < COUNT; i++) y[k][i] = last[k] = e[i].relative;
        plot.series[k] = (report_figure_series){rows[k].name, x, y[k], COUNT, true};
    }
    snprintf(
        note, sizeof note,
        "Run on a simulated H200: 16 x 16 x k of positive numbers, against a product in double of the same "
        "codes. The result is bf16, in the last f32. At k = 8192: e4m3 %.1g, promoted %.1g, e5m2 %.1g, f16 "
        "to "
        "f32 %.1g.",
        last[0], last[1], last[2], last[3]);
    report_figure_plot_write(svg, &plot);
    return KZ_OK;
}

// Figures of what rounding does, calculated in C with each type's own rounding: docs/concepts/numerics.md.
#include <math.h>
#include <stdlib.h>

#include "figures.h"
#include "numbers.h"
#include "report/figures/figure.h"

static double clamp(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

// ---- what a type keeps ------------------------------------------------------------------------------

// The largest relative error of numbers from 2^exponent to the next power of two.
static double worst_in_octave(number_format format, int exponent) {
    enum { SAMPLES = 256 };
    double worst = 0;
    for (int i = 0; i < SAMPLES; i++) {
        double x = ldexp(1 + (i + number_unit(0, (uint64_t)i)) / SAMPLES, exponent);
        worst = fmax(worst, fabs(number_round(format, x) - x) / x);
    }
    return worst;
}

kz_status figure_number_steps(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { FORMATS = 4, FIRST = -34, LAST = 20, COUNT = LAST - FIRST };
    static const number_format formats[FORMATS] = {NUMBER_F32, NUMBER_BF16, NUMBER_F16, NUMBER_E4M3};
    static const double x_ticks[] = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e6},
                        y_ticks[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    double x[COUNT], y[FORMATS][COUNT];
    size_t counts[FORMATS] = {0};
    for (int i = 0; i < COUNT; i++) x[i] = ldexp(1.5, FIRST + i);
    for (int k = 0; k < FORMATS; k++)
        for (int i = 0; i < COUNT; i++) {
            y[k][i] = worst_in_octave(formats[k], FIRST + i);
            if (isinf(y[k][i])) break; // too large for it
            counts[k]++;
        }
    report_figure_plot_write(
        svg,
        &(report_figure_plot){
            .text = {"What a type keeps: the largest rounding error of a number",
                     "Calculated: 256 numbers of each power of two, rounded to the type. A curve ends where "
                     "numbers are too large; at 1 all of a number is lost. bf16 and f32 go on to 1e-38 on "
                     "the left and 3e38 on the right."},
            .x = {"the number", 4e-11, 2e6, true, x_ticks, BASE_COUNT(x_ticks), NULL},
            .y = {"relative error", 3e-8, 1.5, true, y_ticks, BASE_COUNT(y_ticks), NULL},
            .series = {{"f32", x, y[0], counts[0], false},
                       {"bf16", x, y[1], counts[1], false},
                       {"f16", x, y[2], counts[2], false},
                       {"e4m3", x, y[3], counts[3], false}},
            .series_count = FORMATS});
    return KZ_OK;
}

// ---- sums -------------------------------------------------------------------------------------------

enum { SUM_ORDERS = 4 };

static double sum_in_order(number_format format, const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum = number_round(format, sum + x[i]);
    return sum;
}

static double sum_pairwise(number_format format, const double *x, size_t n) {
    if (n == 1) return number_round(format, x[0]);
    return number_round(format, sum_pairwise(format, x, n / 2) + sum_pairwise(format, x + n / 2, n - n / 2));
}

// As the course's task `sum-error`: what an addition lost is taken off the next term.
static double sum_kahan(number_format format, const double *x, size_t n) {
    double total = 0, lost = 0;
    for (size_t i = 0; i < n; i++) {
        double term = number_round(format, x[i] - lost), next = number_round(format, total + term);
        lost = number_round(format, number_round(format, next - total) - term);
        total = next;
    }
    return total;
}

typedef struct sum_way {
    number_format format;
    double (*sum)(number_format format, const double *x, size_t n);
} sum_way;

// The mean relative errors over a few draws of the sums of n numbers in [0.5, 1.5).
static kz_status sum_errors(const sum_way ways[SUM_ORDERS], size_t n, double errors[SUM_ORDERS],
                            kz_error *error) {
    enum { DRAWS = 8 };
    double *x = malloc(n * sizeof *x);
    if (!x) return base_fail(error, KZ_NO_MEMORY, "no memory for %zu numbers", n);
    for (int k = 0; k < SUM_ORDERS; k++) errors[k] = 0;
    for (uint32_t draw = 0; draw < DRAWS; draw++) {
        double exact = 0; // of 2^20 floats below 2: a double rounds nothing
        for (size_t i = 0; i < n; i++) {
            x[i] = number_round(NUMBER_F32, 0.5 + number_unit(draw, i));
            exact += x[i];
        }
        for (int k = 0; k < SUM_ORDERS; k++)
            errors[k] += fabs(ways[k].sum(ways[k].format, x, n) - exact) / exact / DRAWS;
    }
    free(x);
    return KZ_OK;
}

kz_status figure_sum_types(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { FIRST = 4, LAST = 15, COUNT = LAST - FIRST + 1 };
    static const sum_way ways[SUM_ORDERS] = {{NUMBER_BF16, sum_in_order},
                                             {NUMBER_F16, sum_in_order},
                                             {NUMBER_BF16, sum_pairwise},
                                             {NUMBER_F32, sum_in_order}};
    static const double x_ticks[] = {16, 64, 256, 1024, 4096, 16384},
                        y_ticks[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    double x[COUNT], y[SUM_ORDERS][COUNT], errors[SUM_ORDERS];
    char note[400];
    for (int i = 0; i < COUNT; i++) {
        x[i] = ldexp(1, FIRST + i);
        kz_status status = sum_errors(ways, (size_t)x[i], errors, error);
        if (status) return status;
        for (int k = 0; k < SUM_ORDERS; k++) y[k][i] = clamp(errors[k], 1e-8, 1);
    }
    enum { AT = 12 - FIRST };
    snprintf(
        note, sizeof note,
        "Calculated: numbers from 0.5 to 1.5, every addition rounded to the type; mean of 8 draws. At 4096 "
        "numbers: bf16 %.0f%%, f16 %.2g%%, bf16 pairwise %.2g%%, f32 %.1g.",
        100 * y[0][AT], 100 * y[1][AT], 100 * y[2][AT], y[3][AT]);
    report_figure_plot_write(
        svg, &(report_figure_plot){
                 .text = {"A long sum: the type of the running sum decides", note},
                 .x = {"numbers in the sum", 14, 36000, true, x_ticks, BASE_COUNT(x_ticks), NULL},
                 .y = {"relative error", 1e-8, 1.5, true, y_ticks, BASE_COUNT(y_ticks), NULL},
                 .series = {{"bf16 in order", x, y[0], COUNT, true},
                            {"f16 in order", x, y[1], COUNT, true},
                            {"bf16 pairwise", x, y[2], COUNT, true},
                            {"f32 in order", x, y[3], COUNT, true}},
                 .series_count = SUM_ORDERS});
    return KZ_OK;
}

kz_status figure_sum_orders(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { FIRST = 4, STEP = 2, COUNT = 8, WAYS = 3 };
    static const sum_way ways[SUM_ORDERS] = {{NUMBER_F32, sum_in_order},
                                             {NUMBER_F32, sum_pairwise},
                                             {NUMBER_F32, sum_kahan},
                                             {NUMBER_BF16, sum_kahan}};
    static const double x_ticks[] = {16, 64, 256, 1024, 4096, 16384, 65536, 262144},
                        y_ticks[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
    double x[COUNT], y[SUM_ORDERS][COUNT], errors[SUM_ORDERS];
    char note[400];
    for (int i = 0; i < COUNT; i++) {
        x[i] = ldexp(1, FIRST + STEP * i);
        kz_status status = sum_errors(ways, (size_t)x[i], errors, error);
        if (status) return status;
        for (int k = 0; k < SUM_ORDERS; k++) y[k][i] = clamp(errors[k], 5e-9, 1);
    }
    snprintf(
        note, sizeof note,
        "Calculated: numbers from 0.5 to 1.5, mean of 8 draws. At 262144 numbers: in order %.1g, pairwise "
        "%.1g, Kahan %.1g; Kahan in bf16 %.1g.",
        y[0][COUNT - 1], y[1][COUNT - 1], y[2][COUNT - 1], y[3][COUNT - 1]);
    report_figure_plot_write(
        svg,
        &(report_figure_plot){.text = {"A long sum: the order decides next", note},
                              .x = {"numbers in the sum", 14, 4e5, true, x_ticks, BASE_COUNT(x_ticks), NULL},
                              .y = {"relative error", 5e-9, 1.5, true, y_ticks, BASE_COUNT(y_ticks), NULL},
                              .series = {{"f32 in order", x, y[0], COUNT, true},
                                         {"f32 pairwise", x, y[1], COUNT, true},
                                         {"f32 Kahan", x, y[2], COUNT, true},
                                         {"bf16 Kahan", x, y[3], COUNT, true}},
                              .series_count = SUM_ORDERS});
    return KZ_OK;
}

// ---- variances --------------------------------------------------------------------------------------

enum { VARIANCE_ROW = 1024, VARIANCE_WAYS = 4 };

static double variance_shifted(const float *x, float by) {
    float sum = 0, squares = 0;
    for (int i = 0; i < VARIANCE_ROW; i++) {
        float d = x[i] - by;
        sum += d;
        squares += d * d;
    }
    float mean = sum / VARIANCE_ROW;
    return (double)(squares / VARIANCE_ROW - mean * mean);
}

static double variance_two_passes(const float *x) {
    float sum = 0, squares = 0;
    for (int i = 0; i < VARIANCE_ROW; i++) sum += x[i];
    float mean = sum / VARIANCE_ROW;
    for (int i = 0; i < VARIANCE_ROW; i++) squares += (x[i] - mean) * (x[i] - mean);
    return (double)(squares / VARIANCE_ROW);
}

static double variance_welford(const float *x) {
    float mean = 0, squares = 0;
    for (int i = 0; i < VARIANCE_ROW; i++) {
        float d = x[i] - mean;
        mean += d / (float)(i + 1);
        squares += d * (x[i] - mean);
    }
    return (double)(squares / VARIANCE_ROW);
}

static double variance_exact(const float *x) {
    double sum = 0, squares = 0;
    for (int i = 0; i < VARIANCE_ROW; i++) sum += (double)x[i];
    for (int i = 0; i < VARIANCE_ROW; i++) {
        double d = (double)x[i] - sum / VARIANCE_ROW;
        squares += d * d;
    }
    return squares / VARIANCE_ROW;
}

// Mean relative errors of rows with deviation 1 around `base`; returns how many shortcuts were negative.
static int variance_errors(double base, int rows, double errors[VARIANCE_WAYS]) {
    int negative = 0;
    for (int k = 0; k < VARIANCE_WAYS; k++) errors[k] = 0;
    for (int row = 0; row < rows; row++) {
        float x[VARIANCE_ROW];
        for (int i = 0; i < VARIANCE_ROW; i++)
            x[i] = (float)(base + number_normal((uint32_t)row, (uint64_t)i));
        double exact = variance_exact(x),
               got[VARIANCE_WAYS] = {variance_shifted(x, 0), variance_two_passes(x), variance_welford(x),
                                     variance_shifted(x, x[0])};
        negative += got[0] < 0;
        for (int k = 0; k < VARIANCE_WAYS; k++) errors[k] += fabs(got[k] - exact) / exact / rows;
    }
    return negative;
}

kz_status figure_variance(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { FIRST = -1, LAST = 16, COUNT = LAST - FIRST + 1, ROWS = 32, SAID = 12 - FIRST };
    static const double x_ticks[] = {1, 10, 100, 1000, 10000},
                        y_ticks[] = {1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000};
    double x[COUNT], y[VARIANCE_WAYS][COUNT], errors[VARIANCE_WAYS];
    int negative = 0;
    char note[400];
    for (int i = 0; i < COUNT; i++) {
        x[i] = ldexp(1, FIRST + i);
        int here = variance_errors(x[i], ROWS, errors);
        if (i == SAID) negative = here;
        for (int k = 0; k < VARIANCE_WAYS; k++) y[k][i] = clamp(errors[k], 1e-7, 2000);
    }
    snprintf(
        note, sizeof note,
        "Calculated in float: rows of 1024 numbers, deviation 1, added in order; mean of %d rows. At a mean "
        "of 4096 the shortcut is off by %.1f times the variance and below 0 in %d rows of %d; two passes "
        "%.1g, Welford %.1g, shifted by x[0] %.1g.",
        ROWS, y[0][SAID], negative, ROWS, y[1][SAID], y[2][SAID], y[3][SAID]);
    report_figure_plot_write(
        svg,
        &(report_figure_plot){
            .text = {"A variance: never the difference of two large numbers", note},
            .x = {"mean / deviation", 0.45, 1e5, true, x_ticks, BASE_COUNT(x_ticks), NULL},
            .y = {"relative error of the variance", 1e-7, 3000, true, y_ticks, BASE_COUNT(y_ticks), NULL},
            .series = {{"E[x\302\262] - E[x]\302\262", x, y[0], COUNT, true},
                       {"two passes", x, y[1], COUNT, true},
                       {"Welford", x, y[2], COUNT, true},
                       {"shifted by x[0]", x, y[3], COUNT, true}},
            .series_count = VARIANCE_WAYS});
    return KZ_OK;
}

// ---- the scale of a loss ----------------------------------------------------------------------------

enum { GRADIENTS = 1 << 15 };

// Of gradients times a scale, how many become 0 or infinite.
static double share_lost(number_format format, const double *sizes, double scale) {
    int lost = 0;
    for (int i = 0; i < GRADIENTS; i++) {
        double stored = number_round(format, sizes[i] * scale);
        lost += stored == 0 || isinf(stored);
    }
    return 100.0 * lost / GRADIENTS;
}

kz_status figure_loss_scale(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { FORMATS = 4, COUNT = 21, STEP = 2, SAID = 16 / STEP };
    static const number_format formats[FORMATS] = {NUMBER_BF16, NUMBER_F16, NUMBER_E5M2, NUMBER_E4M3};
    static const double x_ticks[] = {0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40},
                        y_ticks[] = {0, 20, 40, 60, 80, 100};
    double x[COUNT], y[FORMATS][COUNT], *sizes = malloc(GRADIENTS * sizeof *sizes);
    char note[400];
    if (!sizes) return base_fail(error, KZ_NO_MEMORY, "no memory for %d numbers", (int)GRADIENTS);
    for (int i = 0; i < GRADIENTS; i++) sizes[i] = exp2(-20 + 5 * number_normal(0, (uint64_t)i));
    for (int k = 0; k < FORMATS; k++)
        for (int i = 0; i < COUNT; i++) {
            x[i] = STEP * i;
            y[k][i] = share_lost(formats[k], sizes, exp2(x[i]));
        }
    free(sizes);
    snprintf(
        note, sizeof note,
        "Calculated: %d drawn sizes whose logarithm is normal, mean 2^-20, deviation 5 powers of two. Lost "
        "without a scale and with 2^16: f16 %.0f%% and %.1g%%, e5m2 %.0f%% and %.1g%%, e4m3 %.0f%% and "
        "%.0f%% (with 2^20 %.0f%%), bf16 none.",
        (int)GRADIENTS, y[1][0], y[1][SAID], y[2][0], y[2][SAID], y[3][0], y[3][SAID], y[3][20 / STEP]);
    report_figure_plot_write(
        svg, &(report_figure_plot){.text = {"Loss scaling: gradients that become 0 or infinite", note},
                                   .x = {"power of two that the loss is multiplied by", 0, 40, false, x_ticks,
                                         BASE_COUNT(x_ticks), NULL},
                                   .y = {"lost, %", 0, 102, false, y_ticks, BASE_COUNT(y_ticks), NULL},
                                   .series = {{"bf16", x, y[0], COUNT, true},
                                              {"f16", x, y[1], COUNT, true},
                                              {"e5m2", x, y[2], COUNT, true},
                                              {"e4m3", x, y[3], COUNT, true}},
                                   .series_count = FORMATS});
    return KZ_OK;
}

// ---- who shares a scale -----------------------------------------------------------------------------

enum { SCALED_ROWS = 32, SCALED_COLUMNS = 1024, SCALED = SCALED_ROWS * SCALED_COLUMNS };

// Every fourth row has an outlier.
static bool is_outlier(int i) {
    int row = i / SCALED_COLUMNS;
    return row % 4 == 0 && i % SCALED_COLUMNS == 37 * row % SCALED_COLUMNS;
}

// The root of the mean squared error over the root of the mean square of all but the outliers, where `group` neighbours
// share a scale.
static double error_of_groups(const double *x, int group) {
    double errors = 0, squares = 0;
    for (int first = 0; first < SCALED; first += group) {
        double largest = 0;
        for (int i = first; i < first + group; i++) largest = fmax(largest, fabs(x[i]));
        double scale = largest / number_largest_e4m3();
        for (int i = first; i < first + group; i++) {
            if (is_outlier(i)) continue;
            double off = scale * number_round(NUMBER_E4M3, x[i] / scale) - x[i];
            errors += off * off;
            squares += x[i] * x[i];
        }
    }
    return sqrt(errors / squares);
}

kz_status figure_fp8_scales(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { GROUPS = 4, COUNT = 11 };
    static const int groups[GROUPS] = {SCALED, SCALED_COLUMNS, 128, 32};
    static const double x_ticks[] = {1, 10, 100, 1000, 10000, 1e5, 1e6},
                        y_ticks[] = {0.02, 0.05, 0.1, 0.2, 0.5, 1};
    double x[COUNT], y[GROUPS][COUNT], *numbers = malloc(SCALED * sizeof *numbers);
    char note[400];
    if (!numbers) return base_fail(error, KZ_NO_MEMORY, "no memory for %d numbers", (int)SCALED);
    for (int p = 0; p < COUNT; p++) {
        x[p] = ldexp(1, 2 * p);
        for (int i = 0; i < SCALED; i++)
            numbers[i] = is_outlier(i) ? 4 * x[p] : number_normal(0, (uint64_t)i);
        for (int k = 0; k < GROUPS; k++) y[k][p] = error_of_groups(numbers, groups[k]);
    }
    free(numbers);
    snprintf(
        note, sizeof note,
        "Calculated: %d rows of %d normal numbers in e4m3, an outlier in every fourth row; the error is that "
        "of the others. All begin at %.1f%%. With outliers of 2^20: tensor %.0f%%, row %.0f%%, 128 %.0f%%, "
        "32 %.0f%%.",
        (int)SCALED_ROWS, (int)SCALED_COLUMNS, 100 * y[0][0], 100 * y[0][10], 100 * y[1][10], 100 * y[2][10],
        100 * y[3][10]);
    report_figure_plot_write(
        svg, &(report_figure_plot){.text = {"fp8: an outlier spoils those who share its scale", note},
                                   .x = {"how much larger the outliers are than the largest of the others",
                                         0.8, 1.4e6, true, x_ticks, BASE_COUNT(x_ticks), NULL},
                                   .y = {"error / size (root mean squares)", 0.018, 1.3, true, y_ticks,
                                         BASE_COUNT(y_ticks), NULL},
                                   .series = {{"one for the tensor", x, y[0], COUNT, true},
                                              {"a row", x, y[1], COUNT, true},
                                              {"128", x, y[2], COUNT, true},
                                              {"32", x, y[3], COUNT, true}},
                                   .series_count = GROUPS});
    return KZ_OK;
}

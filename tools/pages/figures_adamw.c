// Figures of AdamW's state in 16 bits: the zoo's own steps on the simulator, one after another. docs/concepts/numerics.md.
#include <math.h>
#include <stdlib.h>

#include "figures.h"
#include "kernels/ml_ops/adamw/adamw.h"
#include "kz/family.h"
#include "numbers.h"
#include "report/figures/figure.h"

enum { WEIGHTS = 1024 };
static const kz_adamw_options options = {.beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};

// One tensor and its state on the device.
typedef struct adamw_model {
    figure_lab *lab;
    kz_operation *adamw;
    kz_adamw_buffers at;
    kz_type state, gradients;
} adamw_model;

static kz_status model_put(const adamw_model *model, kz_ptr to, const void *from, size_t bytes,
                           kz_error *error) {
    kz_status status = kz_copy_to_device(model->lab->device, NULL, to, from, bytes, error);
    return status ? status : kz_device_synchronize(model->lab->device, error);
}

// The weight i is `mean` + `deviation` times a normal number; moments are 0.
static kz_status model_set_weights(const adamw_model *model, double mean, double deviation, kz_error *error) {
    double memory[WEIGHTS];
    for (uint64_t i = 0; i < WEIGHTS; i++)
        kz_element_set(model->state, memory, i, mean + deviation * number_normal(3, i));
    return model_put(model, model->at.weights, memory, WEIGHTS * kz_type_size(model->state), error);
}

static kz_status model_set_gradients(const adamw_model *model, double gradient, kz_error *error) {
    double memory[WEIGHTS];
    for (uint64_t i = 0; i < WEIGHTS; i++) kz_element_set(model->gradients, memory, i, gradient);
    return model_put(model, model->at.gradients, memory, WEIGHTS * kz_type_size(model->gradients), error);
}

static kz_status model_get(const adamw_model *model, kz_type type, kz_ptr from, double values[WEIGHTS],
                           kz_error *error) {
    double memory[WEIGHTS];
    size_t bytes = WEIGHTS * kz_type_size(type);
    kz_status status = kz_copy_to_host(model->lab->device, NULL, memory, from, bytes, error);
    if (!status) status = kz_device_synchronize(model->lab->device, error);
    for (uint64_t i = 0; i < WEIGHTS && !status; i++) values[i] = kz_element_get(type, memory, i);
    return status;
}

static kz_status model_open(adamw_model *model, figure_lab *lab, kz_adamw which, kz_type type,
                            kz_error *error) {
    bool master = which == KZ_ADAMW_UPDATE_MASTER;
    kz_parameter table = {.count = WEIGHTS, .rate = 1};
    uint64_t chunks = kz_parameters_chunks(&table, 1);
    int64_t list[1];
    *model = (adamw_model){.lab = lab, .state = master ? KZ_F32 : type, .gradients = type};
    kz_ptr *const buffers[] = {&model->at.weights, &model->at.gradients,  &model->at.m,     &model->at.v,
                               &model->at.copy,    &model->at.parameters, &model->at.chunks};
    figure_lab_clear(lab);
    kz_status status = kz_parameters_pack(&table, 1, list, chunks, error);
    for (size_t i = 0; i < BASE_COUNT(buffers) && !status; i++)
        status = figure_lab_buffer(lab, WEIGHTS * sizeof(double), buffers[i], error);
    if (!status) status = model_put(model, model->at.parameters, &table, sizeof table, error);
    if (!status) status = model_put(model, model->at.chunks, list, sizeof list, error);
    if (!master) model->at.copy = 0;
    if (status) return status;
    return kz_adamw_open(lab->device, which, type, &options, WEIGHTS, 1, chunks, NULL, &model->adamw, error);
}

static double mean_of(const double values[WEIGHTS]) {
    double sum = 0;
    for (int i = 0; i < WEIGHTS; i++) sum += values[i];
    return sum / WEIGHTS;
}

// ---- the second moment ------------------------------------------------------------------------------

enum { MOMENT_STEPS = 2000, MOMENT_EVERY = 25, MOMENT_POINTS = MOMENT_STEPS / MOMENT_EVERY + 1 };

// The gradient is 1 at first, then a tenth.
static double gradient_at(int step) { return step <= MOMENT_STEPS / 2 ? 1.0 : 0.1; }

static kz_status follow_moment(figure_lab *lab, kz_type type, double y[MOMENT_POINTS], kz_error *error) {
    adamw_model model;
    double v[WEIGHTS];
    kz_status status = model_open(&model, lab, KZ_ADAMW_UPDATE, type, error);
    y[0] = 0;
    for (int step = 1; step <= MOMENT_STEPS && !status; step++) {
        if (step == 1 || gradient_at(step) != gradient_at(step - 1))
            status = model_set_gradients(&model, gradient_at(step), error);
        if (!status) status = kz_adamw_run(model.adamw, NULL, 1e-3f, (uint32_t)step, &model.at, error);
        if (status || step % MOMENT_EVERY) continue;
        status = model_get(&model, type, model.at.v, v, error);
        y[step / MOMENT_EVERY] = v[0];
    }
    kz_operation_close(model.adamw);
    return status;
}

// One that is rounded to bf16 by chance; returns the mean of many at the end.
static double follow_chance(double y[MOMENT_POINTS]) {
    double v[WEIGHTS] = {0};
    y[0] = 0;
    for (int step = 1; step <= MOMENT_STEPS; step++) {
        double added = (1 - options.beta2) * gradient_at(step) * gradient_at(step);
        for (uint64_t i = 0; i < WEIGHTS; i++)
            v[i] = number_round_by_chance(options.beta2 * v[i] + added, number_unit((uint32_t)step, i));
        if (step % MOMENT_EVERY == 0) y[step / MOMENT_EVERY] = v[0];
    }
    return mean_of(v);
}

kz_status figure_adamw_moment(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SERIES = 3, HALF = MOMENT_POINTS / 2, END = MOMENT_POINTS - 1 };
    static const double x_ticks[] = {0, 500, 1000, 1500, 2000}, y_ticks[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    double x[MOMENT_POINTS], y[SERIES][MOMENT_POINTS];
    char note[400];
    for (int i = 0; i < MOMENT_POINTS; i++) x[i] = MOMENT_EVERY * i;
    kz_status status = follow_moment(lab, KZ_F32, y[0], error);
    if (!status) status = follow_moment(lab, KZ_BF16, y[1], error);
    if (status) return status;
    double mean = follow_chance(y[2]);
    snprintf(note, sizeof note,
             "adamw's update on a simulated H200, beta2 = 0.999; gradients of 1 for %d steps, then of 0.1. "
             "After %d and %d steps: "
             "f32 %.3f and %.3f, bf16 %.3f and %.3f. Calculated: one that is rounded by chance; the mean of "
             "%d such is %.3f at "
             "the end.",
             MOMENT_STEPS / 2, MOMENT_STEPS / 2, (int)MOMENT_STEPS, y[0][HALF], y[0][END], y[1][HALF],
             y[1][END], (int)WEIGHTS, mean);
    report_figure_plot_write(
        svg, &(report_figure_plot){.text = {"AdamW's second moment: in bf16 it stands still", note},
                                   .x = {"steps", 0, MOMENT_STEPS, false, x_ticks, BASE_COUNT(x_ticks), NULL},
                                   .y = {"v, the average of squared gradients", 0, 0.68, false, y_ticks,
                                         BASE_COUNT(y_ticks), NULL},
                                   .series = {{"f32", x, y[0], MOMENT_POINTS, false},
                                              {"bf16", x, y[1], MOMENT_POINTS, false},
                                              {"bf16, rounded by chance", x, y[2], MOMENT_POINTS, false}},
                                   .series_count = SERIES});
    return KZ_OK;
}

// ---- weights ----------------------------------------------------------------------------------------

enum { UPDATE_STEPS = 16 };
static const double weight_deviation = 0.02;

// How far the weights went in some steps, of what the rate and gradients of one sign ask for, in percent.
static kz_status follow_weights(figure_lab *lab, kz_adamw which, kz_type type, double rate, double *moved,
                                kz_error *error) {
    adamw_model model;
    double before[WEIGHTS], after[WEIGHTS];
    bool copy = which == KZ_ADAMW_UPDATE_MASTER;
    kz_status status = model_open(&model, lab, which, type, error);
    if (!status) status = model_set_weights(&model, 0, weight_deviation, error);
    if (!status) status = model_set_gradients(&model, 1, error);
    if (!status) status = model_get(&model, model.state, model.at.weights, before, error);
    for (uint32_t step = 1; step <= UPDATE_STEPS && !status; step++)
        status = kz_adamw_run(model.adamw, NULL, (float)rate, step, &model.at, error);
    if (!status)
        status = model_get(&model, copy ? type : model.state, copy ? model.at.copy : model.at.weights, after,
                           error);
    kz_operation_close(model.adamw);
    if (!status) *moved = 100 * (mean_of(before) - mean_of(after)) / (rate * UPDATE_STEPS);
    return status;
}

static double follow_by_chance(double rate) {
    double sum = 0;
    for (uint64_t i = 0; i < WEIGHTS; i++) {
        double first = number_round(NUMBER_BF16, weight_deviation * number_normal(3, i)), w = first;
        for (uint32_t step = 0; step < UPDATE_STEPS; step++)
            w = number_round_by_chance(w - rate, number_unit(100 + step, i));
        sum += first - w;
    }
    return 100 * sum / WEIGHTS / (rate * UPDATE_STEPS);
}

kz_status figure_adamw_updates(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SERIES = 4, COUNT = 9, SAID = 2 };
    static const double rates[COUNT] = {1e-6, 3e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2};
    static const double x_ticks[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2}, y_ticks[] = {0, 20, 40, 60, 80, 100, 120};
    double y[SERIES][COUNT];
    char note[400];
    kz_status status = KZ_OK;
    for (int i = 0; i < COUNT && !status; i++) {
        status = follow_weights(lab, KZ_ADAMW_UPDATE, KZ_F32, rates[i], &y[0][i], error);
        if (!status) status = follow_weights(lab, KZ_ADAMW_UPDATE, KZ_BF16, rates[i], &y[1][i], error);
        if (!status) status = follow_weights(lab, KZ_ADAMW_UPDATE_MASTER, KZ_BF16, rates[i], &y[2][i], error);
        y[3][i] = follow_by_chance(rates[i]);
    }
    if (status) return status;
    snprintf(
        note, sizeof note,
        "adamw on a simulated H200: %d weights of deviation %g, %d steps, all gradients 1, so each step asks "
        "for the rate. At a rate of 1e-5: f32 %.0f%%, bf16 %.0f%%, the bf16 copy of f32 weights %.0f%%; "
        "calculated, bf16 rounded by chance %.0f%%.",
        (int)WEIGHTS, weight_deviation, (int)UPDATE_STEPS, y[0][SAID], y[1][SAID], y[2][SAID], y[3][SAID]);
    report_figure_plot_write(
        svg, &(report_figure_plot){
                 .text = {"AdamW's updates: in bf16 small ones are lost", note},
                 .x = {"learning rate", 8e-7, 1.2e-2, true, x_ticks, BASE_COUNT(x_ticks), NULL},
                 .y = {"moved, % of what was asked for", 0, 130, false, y_ticks, BASE_COUNT(y_ticks), NULL},
                 .series = {{"f32", rates, y[0], COUNT, true},
                            {"bf16", rates, y[1], COUNT, true},
                            {"bf16 copy of f32", rates, y[2], COUNT, true},
                            {"bf16, by chance", rates, y[3], COUNT, true}},
                 .series_count = SERIES});
    return KZ_OK;
}

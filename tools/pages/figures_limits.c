// Figures of what fits: bytes in flight, occupancy, waves, and the roofline.
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "observe/costs.h"
#include "workload/profile.h"
#include "report/figures/figure.h"
#include "report/profile/show.h"
#include "report/profile/peaks.h"

// ---- bytes in flight --------------------------------------------------------------------------------

kz_status figure_in_flight(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { POINTS = 2, WIDTHS = 3 };
    static const double x_ticks[] = {0, 16, 32, 48, 64}, y_ticks[] = {0, 8e3, 16e3, 24e3, 32e3};
    static const int bytes[WIDTHS] = {4, 8, 16};
    device_gpu gpu;
    observe_gpu limits;
    kz_status status = figure_gpu(&gpu, &limits, error);
    if (status) return status;
    double most = limits.max_threads / 32.0, seconds = (double)OBSERVE_LATENCY_DRAM / gpu.clock;
    double needed = gpu.bandwidth * seconds / gpu.multiprocessors;
    double x[POINTS] = {0, most}, y[WIDTHS][POINTS], need[POINTS] = {needed, needed};
    char need_name[48], note[240];
    for (int k = 0; k < WIDTHS; k++) y[k][0] = 0, y[k][1] = most * 32 * bytes[k];
    snprintf(need_name, sizeof need_name, "needed: %.1f kB", 1e-3 * needed);
    snprintf(
        note, sizeof note,
        "Little's law with gpus/h200.gpu: %.1f TB/s x %.0f ns (%.0f clocks, as kz prof supposes), over %.0f "
        "multiprocessors; each thread has one load under way.",
        1e-12 * gpu.bandwidth, 1e9 * seconds, (double)OBSERVE_LATENCY_DRAM, gpu.multiprocessors);
    report_figure_plot_write(
        svg,
        &(report_figure_plot){.text = {"Bytes in flight on a multiprocessor, and what keeps DRAM busy", note},
                              .x = {"resident warps", 0, most, false, x_ticks, BASE_COUNT(x_ticks), NULL},
                              .y = {"bytes under way", 0, 34e3, false, y_ticks, BASE_COUNT(y_ticks), "B"},
                              .series = {{"4 bytes a thread", x, y[0], POINTS, false},
                                         {"8 bytes", x, y[1], POINTS, false},
                                         {"16 bytes", x, y[2], POINTS, false},
                                         {need_name, x, need, POINTS, false}},
                              .series_count = 4});
    return KZ_OK;
}

// ---- occupancy and waves ----------------------------------------------------------------------------

kz_status figure_occupancy(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { FIRST = 16, LAST = 255, COUNT = LAST - FIRST + 1 };
    static const uint32_t threads[] = {128, 256, 1024};
    static const double x_ticks[] = {16, 32, 64, 96, 128, 168, 208, 255}, y_ticks[] = {0, 8, 16, 32, 48, 64};
    double x[COUNT], y[3][COUNT];
    device_gpu gpu;
    observe_gpu limits;
    kz_status status = figure_gpu(&gpu, &limits, error);
    if (status) return status;
    for (int k = 0; k < 3; k++)
        for (int r = FIRST; r <= LAST; r++) {
            x[r - FIRST] = r;
            y[k][r - FIRST] = observe_occupancy(&limits, &(observe_occupancy_input){.threads = threads[k],
                                                                                    .registers = (uint32_t)r,
                                                                                    .blocks = 1})
                                  .warps;
        }
    report_figure_plot_write(
        svg,
        &(report_figure_plot){
            .text =
                {"Occupancy: warps on a multiprocessor against registers per thread",
                 "Calculated from gpus/h200.gpu by the rules that kz prof uses (docs/counters.md), without "
                 "shared memory. At 0 the kernel cannot be launched."},
            .x = {"registers per thread", FIRST, LAST, false, x_ticks, BASE_COUNT(x_ticks), NULL},
            .y = {"warps", 0, 66, false, y_ticks, BASE_COUNT(y_ticks), NULL},
            .series = {{"128 threads a block", x, y[0], COUNT, false},
                       {"256", x, y[1], COUNT, false},
                       {"1024", x, y[2], COUNT, false}},
            .series_count = 3});
    return KZ_OK;
}

kz_status figure_waves(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab;
    enum { STEP = 11, COUNT = 312 };
    static const uint32_t threads[] = {256, 1024};
    static const double x_ticks[] = {1, 264, 1056, 2112, 3168}, y_ticks[] = {0, 25, 50, 75, 100};
    double x[COUNT], y[2][COUNT];
    device_gpu gpu;
    observe_gpu limits;
    kz_status status = figure_gpu(&gpu, &limits, error);
    if (status) return status;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < COUNT; i++) {
            uint64_t blocks = (uint64_t)(i + 1) * STEP;
            observe_occupancy_result r = observe_occupancy(
                &limits, &(observe_occupancy_input){.threads = threads[k], .blocks = blocks});
            uint64_t at_once = (uint64_t)r.blocks * limits.multiprocessors;
            x[i] = (double)blocks;
            y[k][i] = 100 * r.waves / (double)((blocks + at_once - 1) / at_once);
        }
    report_figure_plot_write(
        svg, &(report_figure_plot){
                 .text = {"Waves: how full the GPU is, over all waves of a launch",
                          "Calculated from gpus/h200.gpu: 132 multiprocessors that hold 8 blocks of 256 "
                          "threads, or 2 "
                          "of 1024. Assumes blocks that take equally long."},
                 .x = {"blocks of the launch", 1, COUNT * STEP, false, x_ticks, BASE_COUNT(x_ticks), NULL},
                 .y = {"places in use, %", 0, 104, false, y_ticks, BASE_COUNT(y_ticks), NULL},
                 .series = {{"256 threads a block", x, y[0], COUNT, false},
                            {"1024 threads a block", x, y[1], COUNT, false}},
                 .series_count = 2});
    return KZ_OK;
}

// ---- the roofline -----------------------------------------------------------------------------------

// The place of a record's first kernel under the peak: flop per modelled byte of DRAM, and flop per second of
// the estimate.
static kz_status locate_record(const report_record *record, const device_gpu *gpu,
                               report_figure_kernel *point, kz_error *error) {
    report_prof report;
    report_prof_roofline r;
    kz_status status = report_prof_open(record, &(report_prof_options){.gpu = *gpu}, &report, error);
    if (status) return status;
    if (report.kernel_count && report_prof_roofline_of(&report, &report.kernels[0], &r) && r.flops > 0) {
        point->intensity = r.intensity;
        point->flops_per_s = r.flops / report.kernels[0].estimate;
    } else
        status = base_fail(error, KZ_INVALID, "%s did no flops that a roofline could show", point->name);
    report_prof_close(&report);
    return status;
}

static kz_status locate_variant(figure_lab *lab, const char *pattern, report_figure_kernel *point,
                                kz_error *error) {
    const workload_profile_options options = {.settings.gpu = lab->gpu.key, .pattern = pattern};
    workload w = {.kind = WORKLOAD_ZOO};
    workload_profile run = {0};
    kz_status status = workload_find_variant(point->name, &w.family, &w.variant, error);
    if (!status) status = workload_profile_run(&w, &options, &run, error);
    if (!status) status = locate_record(&run.record, &lab->gpu, point, error);
    workload_profile_close(&run);
    return status;
}

static kz_status locate_own(figure_lab *lab, figure_launch *launch, report_figure_kernel *point,
                            kz_error *error) {
    report_record record = {0};
    kz_status status = figure_lab_count(lab, launch, &record, error);
    if (!status) status = locate_record(&record, &lab->gpu, point, error);
    report_record_free(&record);
    return status;
}

// What the figure was made from; true where it has peaks that were measured.
static bool note_measured(const bench_peaks *peaks, char *note, size_t size) {
    char read[REPORT_PEAK_TEXT], cores[REPORT_PEAK_TEXT];
    bool measured = peaks->of[BENCH_PEAK_dram_read].measured && peaks->of[BENCH_PEAK_fma_f32].measured;
    report_peak_text(read, peaks, BENCH_PEAK_dram_read);
    report_peak_text(cores, peaks, BENCH_PEAK_fma_f32);
    snprintf(note, size,
             "Flops are counted, bytes of DRAM come from the cache model, flop/s are those over the time "
             "that kz prof estimates. %s%s%s%s.",
             measured ? "Dashed: reading " : "None of it is measured", measured ? read : "",
             measured ? ", cores " : "", measured ? cores : "");
    return measured;
}

kz_status figure_roofline(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { N = 1 << 18, MATRIX = 512, DEPTH = 128 };
    report_figure_kernel points[] = {
        {"vector_add/03_vector", 0, 0},  {"saxpy/03_vector", 0, 0},       {"reduce/03_sequential_tree", 0, 0},
        {"reduce/06_vector", 0, 0},      {"polynomial, degree 8", 0, 0},  {"polynomial, degree 128", 0, 0},
        {"matrix product, naive", 0, 0}, {"matrix product, tiles", 0, 0},
    };
    static const char *const cases[] = {"add-f32-n1048576-uniform", "saxpy-f32-n1048576-uniform",
                                        "sum-f32-n1048576-uniform", "sum-f32-n1048576-uniform"};
    kz_ptr x, y, z;
    int n = N, rows = MATRIX, depth = DEPTH;
    kz_status status = figure_lab_buffer(lab, N * sizeof(float), &x, error);
    if (!status) status = figure_lab_buffer(lab, N * sizeof(float), &y, error);
    if (!status) status = figure_lab_buffer(lab, N * sizeof(float), &z, error);
    figure_launch own[] = {
        {"polynomial_8", {N / 256}, 256, {&x, &y, &n}, 3},
        {"polynomial_128", {N / 256}, 256, {&x, &y, &n}, 3},
        {"product_naive", {MATRIX / 16, MATRIX / 16}, 256, {&x, &y, &z, &rows, &depth}, 5},
        {"product_tiled_32", {MATRIX / 32, MATRIX / 32}, 256, {&x, &y, &z, &rows, &depth}, 5},
    };
    for (size_t i = 0; i < BASE_COUNT(cases) && !status; i++)
        status = locate_variant(lab, cases[i], &points[i], error);
    for (size_t i = 0; i < BASE_COUNT(own) && !status; i++)
        status = locate_own(lab, &own[i], &points[BASE_COUNT(cases) + i], error);
    if (status) return status;
    char note[400];
    bench_peaks peaks;
    bench_peaks_load(lab->gpu.key, NULL, &peaks); // those that were built in, whoever makes the figure
    bool measured = note_measured(&peaks, note, sizeof note);
    char title[120], bandwidth[REPORT_NUMBER], peak[REPORT_NUMBER];
    snprintf(title, sizeof title, "Roofline of a simulated %s: %s, %s in f32", lab->gpu.name,
             report_si(bandwidth, lab->gpu.bandwidth, "B/s"), report_si(peak, lab->gpu.flops_f32, "FLOP/s"));
    report_figure_roofline_write(
        svg,
        &(report_figure_roofline){.text = {title, note},
                                  .bandwidth = lab->gpu.bandwidth,
                                  .peak = lab->gpu.flops_f32,
                                  .measured_bandwidth = measured ? peaks.of[BENCH_PEAK_dram_read].value : 0,
                                  .measured_peak = measured ? peaks.of[BENCH_PEAK_fma_f32].value : 0,
                                  .kernels = points,
                                  .count = BASE_COUNT(points)});
    return KZ_OK;
}

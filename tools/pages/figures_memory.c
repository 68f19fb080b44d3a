// Figures of memory: strides over sectors and banks, tiles, fusion.
#include "figures.h"
#include "report/figures/figure.h"

enum { WARP = 32 };

static const char LOAD_SECTORS[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
static const char STORE_SECTORS[] = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";

static kz_status count_one(figure_lab *lab, figure_launch *launch, const char *metric, double *value,
                           kz_error *error) {
    report_record record = {0};
    kz_status status = figure_lab_count(lab, launch, &record, error);
    if (!status) *value = figure_metric(&record, metric);
    report_record_free(&record);
    return status;
}

// ---- strides ----------------------------------------------------------------------------------------

kz_status figure_coalescing(figure_lab *lab, base_text *svg, kz_error *error) {
    static const char *const kernels[] = {"load_4", "load_8", "load_16"};
    static const double x_ticks[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}, y_ticks[] = {0, 4, 8, 16, 24, 32};
    double x[WARP], y[3][WARP];
    kz_ptr in, out;
    kz_status status = figure_lab_buffer(lab, WARP * WARP * 16, &in, error);
    if (!status) status = figure_lab_buffer(lab, WARP * 16, &out, error);
    for (int k = 0; k < 3; k++)
        for (int stride = 1; stride <= WARP && !status; stride++) {
            figure_launch launch = {.kernel = kernels[k],
                                    .blocks = {1},
                                    .threads = WARP,
                                    .args = {&in, &out, &stride},
                                    .arg_count = 3};
            x[stride - 1] = stride;
            status = count_one(lab, &launch, LOAD_SECTORS, &y[k][stride - 1], error);
        }
    if (status) return status;
    report_figure_plot_write(
        svg,
        &(report_figure_plot){
            .text = {"Coalescing: what one load of a warp touches",
                     "Counted by the simulator: one warp, in[threadIdx.x * stride], sectors of 32 bytes."},
            .x = {"stride between neighbouring lanes, in elements", 1, 32, false, x_ticks,
                  BASE_COUNT(x_ticks), NULL},
            .y = {"sectors per request", 0, 34, false, y_ticks, BASE_COUNT(y_ticks), NULL},
            .series = {{"float (4 bytes)", x, y[0], WARP, true},
                       {"float2 (8 bytes)", x, y[1], WARP, true},
                       {"float4 (16 bytes)", x, y[2], WARP, true}},
            .series_count = 3});
    return KZ_OK;
}

kz_status figure_banks(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { STRIDES = 33 };
    static const double x_ticks[] = {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}, y_ticks[] = {1, 2, 4, 8, 16, 32};
    double x[STRIDES], y[STRIDES];
    kz_ptr out;
    kz_status status = figure_lab_buffer(lab, WARP * sizeof(float), &out, error);
    for (int stride = 1; stride <= STRIDES && !status; stride++) {
        figure_launch launch = {.kernel = "shared_stride",
                                .blocks = {1},
                                .threads = WARP,
                                .args = {&out, &stride},
                                .arg_count = 2};
        x[stride - 1] = stride;
        status = count_one(lab, &launch, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                           &y[stride - 1], error);
    }
    if (status) return status;
    report_figure_plot_write(
        svg,
        &(report_figure_plot){
            .text =
                {"Banks: wavefronts that one load of shared memory needs",
                 "Counted by the simulator: one warp, words[threadIdx.x * stride], words of 4 bytes in 32 "
                 "banks. Odd strides never collide; 33 is the padded row of 32."},
            .x = {"stride between neighbouring lanes, in words", 0.5, 33.5, false, x_ticks,
                  BASE_COUNT(x_ticks), NULL},
            .y = {"wavefronts", 0.8, 40, true, y_ticks, BASE_COUNT(y_ticks), NULL},
            .series = {{"", x, y, STRIDES, true}},
            .series_count = 1});
    return KZ_OK;
}

// ---- padding ----------------------------------------------------------------------------------------

// The bank of each lane's word in the last load of shared memory.
typedef struct bank_trace {
    sim_listener listener; // first
    uint32_t bank[WARP];
} bank_trace;

static void bank_access(sim_listener *self, const sim_access *access) {
    bank_trace *t = (bank_trace *)self;
    if (access->space != SIM_SHARED || access->kind != SIM_LOAD) return;
    for (int lane = 0; lane < WARP; lane++) t->bank[lane] = (uint32_t)(access->addresses[lane] / 4 % WARP);
}

kz_status figure_padding(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { KINDS = 3 };
    static const struct {
        const char *kernel, *name;
        int argument;
    } kinds[KINDS] = {{"shared_stride", "tile[32][32]", 32},
                      {"shared_stride", "tile[32][33]", 33},
                      {"shared_swizzled", "tile[r][c ^ r], column 5", 5}};
    report_figure_row rows[KINDS] = {0};
    char numbers[WARP][4];
    kz_ptr out;
    kz_status status = figure_lab_buffer(lab, WARP * sizeof(float), &out, error);
    for (int i = 0; i < WARP; i++) snprintf(numbers[i], sizeof numbers[i], "%d", i);
    for (int k = 0; k < KINDS && !status; k++) {
        bank_trace trace = {.listener = {.access = bank_access}};
        figure_launch launch = {.kernel = kinds[k].kernel,
                                .blocks = {1},
                                .threads = WARP,
                                .args = {&out, &kinds[k].argument},
                                .arg_count = 2};
        status = figure_lab_run(lab, &launch, &trace.listener, error);
        rows[k].name = kinds[k].name;
        rows[k].count = WARP;
        for (int lane = 0; lane < WARP; lane++) {
            rows[k].tone[lane] = (uint8_t)(trace.bank[lane] / 8);
            rows[k].inside[lane] = numbers[trace.bank[lane]];
        }
    }
    if (status) return status;
    report_figure_rows_write(
        svg, &(report_figure_rows){.text = {"A column of a tile: the bank that each lane's word lies in",
                                            "Lanes 0 to 31 from left to right, each reading one row. All in "
                                            "bank 0 are 32 wavefronts, all "
                                            "in different banks one. Addresses seen by the simulator."},
                                   .rows = rows,
                                   .count = KINDS,
                                   .name_width = 176,
                                   .cell_width = 16.2,
                                   .cell_height = 18});
    return KZ_OK;
}

// ---- tiles ------------------------------------------------------------------------------------------

kz_status figure_tiles(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { N = 128, KERNELS = 3 };
    static const struct {
        const char *kernel, *name;
        uint32_t tile;
    } kernels[KERNELS] = {{"product_naive", "one thread, one result", 16},
                          {"product_tiled_16", "tiles of 16 x 16", 16},
                          {"product_tiled_32", "tiles of 32 x 32", 32}};
    report_figure_bar bars[KERNELS] = {0};
    char values[KERNELS][48];
    int n = N;
    double least = 2.0 * N * N * sizeof(float); // A and B, once
    kz_ptr matrix[3];
    kz_status status = KZ_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = figure_lab_buffer(lab, N * N * sizeof(float), &matrix[i], error);
    for (int k = 0; k < KERNELS && !status; k++) {
        uint32_t blocks = N / kernels[k].tile;
        figure_launch launch = {.kernel = kernels[k].kernel,
                                .blocks = {blocks, blocks},
                                .threads = 256,
                                .args = {&matrix[0], &matrix[1], &matrix[2], &n, &n},
                                .arg_count = 5};
        double sectors = 0;
        status = count_one(lab, &launch, LOAD_SECTORS, &sectors, error);
        snprintf(values[k], sizeof values[k], "%.2f MB, %.0f x A and B", 32e-6 * sectors,
                 32 * sectors / least);
        bars[k] = (report_figure_bar){kernels[k].name, values[k], 32 * sectors, 0};
    }
    if (status) return status;
    report_figure_bars_write(
        svg, &(report_figure_bars){
                 .text = {"Tiles: bytes that a 128 x 128 x 128 product loads from global memory",
                          "Sectors of global loads x 32 bytes, before any cache, counted by the simulator."},
                 .bars = bars,
                 .count = KERNELS,
                 .full = bars[0].length});
    return KZ_OK;
}

// ---- fusion -----------------------------------------------------------------------------------------

kz_status figure_fusion(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { N = 1 << 16, PARTS = 3, BARS = 5 };
    static const char *const kernels[] = {"scale", "bias", "cut", "fused"};
    static const char *const names[BARS] = {"scale", "bias", "cut", "the three together", "fused"};
    report_figure_bar bars[BARS];
    char values[BARS][32];
    double bytes[BARS] = {0};
    int n = N;
    kz_ptr x, y;
    kz_status status = figure_lab_buffer(lab, N * sizeof(float), &x, error);
    if (!status) status = figure_lab_buffer(lab, N * sizeof(float), &y, error);
    for (int k = 0; k < PARTS + 1 && !status; k++) {
        figure_launch launch = {
            .kernel = kernels[k], .blocks = {N / 256}, .threads = 256, .args = {&x, &y, &n}, .arg_count = 3};
        report_record record = {0};
        status = figure_lab_count(lab, &launch, &record, error);
        double moved =
            32 * (figure_metric(&record, LOAD_SECTORS) + figure_metric(&record, STORE_SECTORS)) / N;
        bytes[k < PARTS ? k : PARTS + 1] = moved;
        if (k < PARTS) bytes[PARTS] += moved;
        report_record_free(&record);
    }
    if (status) return status;
    for (int i = 0; i < BARS; i++) {
        snprintf(values[i], sizeof values[i], "%.0f bytes", bytes[i]);
        bars[i] = (report_figure_bar){names[i], values[i], bytes[i], i < PARTS ? 0 : i == PARTS ? 1 : 2};
    }
    report_figure_bars_write(
        svg, &(report_figure_bars){
                 .text = {"Fusion: bytes moved for each element of max(0, 2 x + 1)",
                          "Sectors of global loads and stores x 32 bytes over 65536 elements, counted by the "
                          "simulator."},
                 .bars = bars,
                 .count = BARS,
                 .full = bytes[PARTS]});
    return KZ_OK;
}

// Figures of attention, of its page among the concepts and of kernels/ml_ops/attention/README.md: what its variants keep, move and
// execute, how a softmax goes along its row, which tiles of keys count, what a multiprocessor's units have to do, and who does it when.
#include <math.h>

#include "family/case.h"
#include "figures_job.h"
#include "kernels/ml_ops/attention/attention.h"
#include "kernels/ml_ops/attention/tune.h"
#include "kernels/ml_ops/attention/wgmma_order.h"
#include "kz/family.h"
#include "kernels/ml_ops/attention_case.h"
#include "numbers.h"
#include "report/figures/figure.h"

// ---- memory -----------------------------------------------------------------------------------------

enum { HEADS = 16, DIMENSION = 128, LENGTHS = 7, SHORTEST = 512 };

static kz_status workspace_of(const figure_lab *lab, const char *variant, size_t length, double *bytes,
                              kz_error *error) {
    const kz_attention_shape shape = {.size = sizeof shape,
                                      .batch = 1,
                                      .heads = HEADS,
                                      .kv_heads = HEADS,
                                      .queries = length,
                                      .keys = length,
                                      .dimension = DIMENSION};
    kz_operation *operation;
    kz_status status =
        kz_attention_open(lab->device, KZ_ATTENTION_CAUSAL, KZ_BF16, &shape, variant, &operation, error);
    if (status) return status;
    *bytes = (double)kz_operation_workspace(operation);
    kz_operation_close(operation);
    return KZ_OK;
}

kz_status figure_attention_memory(figure_lab *lab, base_text *svg, kz_error *error) {
    static const double x_ticks[] = {512, 1024, 2048, 4096, 8192, 16384, 32768},
                        y_ticks[] = {1e6, 1e7, 1e8, 1e9, 1e10, 1e11};
    double x[LENGTHS], scores[LENGTHS], arrays[LENGTHS], tiles[LENGTHS];
    kz_status status = figure_lab_open(lab, error);
    for (int i = 0; i < LENGTHS && !status; i++) {
        size_t length = (size_t)SHORTEST << i;
        x[i] = (double)length;
        arrays[i] = 4.0 * HEADS * DIMENSION * 2.0 * (double)length;
        status = workspace_of(lab, "01_unfused", length, &scores[i], error);
        if (!status) status = workspace_of(lab, "04_async_copy", length, &tiles[i], error);
        if (!status && tiles[i] != 0)
            status = base_fail(error, KZ_INVALID,
                               "attention/04_async_copy has a workspace: its figure says "
                               "that it has none");
    }
    if (status) return status;
    report_figure_plot_write(
        svg,
        &(report_figure_plot){
            .text = {"Attention: memory against the length of a sequence",
                     "From the plans of 01_unfused, causal, 16 heads of 128 elements in bf16. The fused "
                     "variants (02 and above) have no workspace: a tile of scores is in shared memory or "
                     "registers."},
            .x = {"queries and keys", SHORTEST, x[LENGTHS - 1], true, x_ticks, BASE_COUNT(x_ticks), NULL},
            .y = {"memory", 1e6, 1e11, true, y_ticks, BASE_COUNT(y_ticks), "B"},
            .series = {{"scores", x, scores, LENGTHS, true}, {"q, k, v, out", x, arrays, LENGTHS, true}},
            .series_count = 2});
    return KZ_OK;
}

// ---- tiles ------------------------------------------------------------------------------------------

enum { QUERIES = ATTENTION_MMA_QUERIES(DIMENSION), KEYS = ATTENTION_MMA_KEYS(DIMENSION), TILES = 8 };
enum { WHOLE = 0, EDGE = 1 };

// Of a tile of queries from `row` on: query i sees the keys up to i, `reach` of them.
static uint8_t tone_of(int row, int key, int reach) {
    int last = row + QUERIES - 1, first_seen = row + 1 > reach ? row + 1 - reach : 0,
        all_from = last + 1 > reach ? last + 1 - reach : 0;
    if (key > last || key + KEYS <= first_seen) return REPORT_FIGURE_OFF;
    return key + KEYS <= row + 1 && key >= all_from ? WHOLE : EDGE;
}

kz_status figure_attention_tiles(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { COLUMNS = TILES * QUERIES / KEYS, WINDOW = 300 };
    static const int reaches[] = {TILES * QUERIES, WINDOW};
    static const char *const headings[] = {"causal", "a window of 300 keys"};
    static report_figure_row rows[2 * (TILES + 1)];
    static char names[TILES][24];
    size_t count = 0;
    for (int mask = 0; mask < 2; mask++) {
        rows[count++] = (report_figure_row){.name = headings[mask]};
        for (int tile = 0; tile < TILES; tile++) {
            report_figure_row *row = &rows[count++];
            snprintf(names[tile], sizeof names[tile], "query %4d", tile * QUERIES);
            *row = (report_figure_row){.name = names[tile], .count = COLUMNS};
            for (int column = 0; column < COLUMNS; column++)
                row->tone[column] = tone_of(tile * QUERIES, column * KEYS, reaches[mask]);
        }
    }
    report_figure_rows_write(
        svg,
        &(report_figure_rows){
            .text =
                {"Attention: which tiles of keys a tile of queries goes along",
                 "A row has 128 queries, a cell 64 keys, as 03_mma has them for heads of 128 elements. Grey: "
                 "skipped. Blue: all of its queries see all of its keys, no mask. Orange: the mask decides "
                 "key by key. Here "
                 "tiles begin at multiples of 64; the kernels begin at the first key that is seen."},
            .rows = rows,
            .count = count,
            .name_width = 90,
            .end_width = 0,
            .cell_width = 24,
            .cell_height = 16});
    return KZ_OK;
}

// ---- what the variants move and execute ----------------------------------------------------------------

static double bytes_moved(const report_record *record) {
    return 32 * (figure_metric_sum(record, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") +
                 figure_metric_sum(record, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum") +
                 figure_metric_sum(record, "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts.sum")) +
           figure_metric_sum(record, "ptx__bulk_bytes_global_ld.sum") +
           figure_metric_sum(record, "ptx__bulk_bytes_global_st.sum");
}

static double warp_instructions(const report_record *record) {
    return figure_metric_sum(record, "ptx__inst_executed.sum");
}

// One head of bf16, full.
static kz_status count_head(figure_lab *lab, const char *variant, int queries, int keys, int dimension,
                            double (*metric)(const report_record *record), double *value, kz_error *error) {
    const kz_case c = {.type = KZ_BF16,
                       .axes = {1, 1, 1, (uint64_t)queries, (uint64_t)keys, (uint64_t)dimension}};
    figure_job job;
    report_record record = {0};
    kz_status status = figure_job_open(&job, "attention", variant, &c, error);
    if (!status) status = figure_lab_open(lab, error);
    if (!status) status = figure_job_count(lab, &job, &record, error);
    if (!status) *value = metric(&record);
    report_record_free(&record);
    figure_job_close(&job);
    return status;
}

kz_status figure_attention_traffic(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { KINDS = 3, FIRST = 5, COUNT = 5, WIDTH = 64 };
    static const char *const variants[KINDS] = {"01_unfused", "02_tiled", "09_persistent"};
    static const double x_ticks[] = {32, 64, 128, 256, 512}, y_ticks[] = {1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    double x[COUNT], y[KINDS + 1][COUNT];
    kz_status status = KZ_OK;
    for (int i = 0; i < COUNT; i++) {
        int length = 1 << (FIRST + i);
        x[i] = length;
        y[KINDS][i] = 4.0 * length * WIDTH * 2;
        for (int k = 0; k < KINDS && !status; k++)
            status = count_head(lab, variants[k], length, length, WIDTH, bytes_moved, &y[k][i], error);
    }
    if (status) return status;
    report_figure_plot plot = {
        .text =
            {"Attention: bytes that kernels ask of the memory system",
             "Counted by the simulator: sectors x 32 bytes and bulk copies, one head of 64 elements in bf16. "
             "The least: q, k and v read once, the result written once."},
        .x = {"queries and keys", 30, 550, true, x_ticks, BASE_COUNT(x_ticks), NULL},
        .y = {"bytes", 1e4, 1e9, true, y_ticks, BASE_COUNT(y_ticks), "B"},
        .series_count = KINDS + 1};
    for (int k = 0; k <= KINDS; k++)
        plot.series[k] =
            (report_figure_series){k < KINDS ? variants[k] : "the least", x, y[k], COUNT, k < KINDS};
    report_figure_plot_write(svg, &plot);
    return KZ_OK;
}

kz_status figure_attention_instructions(figure_lab *lab, base_text *svg, kz_error *error) {
    enum { SAID = 2, BARS = 7, WIDTH = 128, ROWS = 256, COLUMNS = 512 };
    static const char *const variants[SAID + BARS] = {"01_unfused",    "02_tiled",   "03_mma",
                                                      "04_async_copy", "05_wgmma",   "06_warp_specialized",
                                                      "07_ping_pong",  "08_overlap", "09_persistent"};
    report_figure_bar bars[BARS];
    char values[BARS][16], note[240];
    double each[SAID + BARS];
    kz_status status = KZ_OK;
    for (int i = 0; i < SAID + BARS && !status; i++) {
        status = count_head(lab, variants[i], ROWS, COLUMNS, WIDTH, warp_instructions, &each[i], error);
        each[i] /= ROWS * COLUMNS / 32.0;
    }
    if (status) return status;
    for (int i = 0; i < BARS; i++) {
        snprintf(values[i], sizeof values[i], "%.1f", each[SAID + i]);
        bars[i] = (report_figure_bar){variants[SAID + i], values[i], each[SAID + i],
                                      i < 2   ? 0
                                      : i < 3 ? 1
                                              : 2};
    }
    snprintf(
        note, sizeof note,
        "PTX instructions, counted by the simulator: 256 queries and 512 keys of 128 elements in bf16, full. "
        "01_unfused takes %.0f, 02_tiled %.0f.",
        each[0], each[1]);
    report_figure_bars_write(
        svg, &(report_figure_bars){.text = {"Attention: instructions of a warp for 32 scores", note},
                                   .bars = bars,
                                   .count = BARS,
                                   .full = each[SAID]});
    return KZ_OK;
}

// ---- a softmax in one pass --------------------------------------------------------------------------------

kz_status figure_attention_online(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { SCORES = 64, TILE = 8, STREAM = 13 };
    static const double x_ticks[] = {0, 8, 16, 24, 32, 40, 48, 56, 64}, y_ticks[] = {-8, -4, 0, 4, 8};
    double x[SCORES], score[SCORES], greatest[SCORES], logarithm[SCORES];
    double m = -INFINITY, sum = 0;
    for (int first = 0; first < SCORES; first += TILE) {
        double before = m;
        for (int i = first; i < first + TILE; i++) {
            x[i] = i + 1;
            score[i] = 1.5 * number_normal(STREAM, (uint64_t)i) + i / 16.0 - 2;
            m = fmax(m, score[i]);
        }
        sum *= exp2(before - m);
        for (int i = first; i < first + TILE; i++) sum += exp2(score[i] - m);
        for (int i = first; i < first + TILE; i++) greatest[i] = m, logarithm[i] = m + log2(sum);
    }
    report_figure_plot_write(
        svg, &(report_figure_plot){.text = {"An online softmax goes along a row of 64 scores, 8 at a time",
                                            "Calculated. After each tile the largest score so far and the "
                                            "sum of 2^(score - largest), shown "
                                            "as the sum's logarithm plus the largest, are those of all "
                                            "scores seen: the last are those of "
                                            "the row."},
                                   .x = {"keys", 0, SCORES + 1, false, x_ticks, BASE_COUNT(x_ticks), NULL},
                                   .y = {"in powers of 2", -8, 9, false, y_ticks, BASE_COUNT(y_ticks), NULL},
                                   .series = {{"scores", x, score, SCORES, true},
                                              {"largest so far", x, greatest, SCORES, false},
                                              {"logarithm of the sum", x, logarithm, SCORES, false}},
                                   .series_count = 3});
    return KZ_OK;
}

// ---- what units have to do -----------------------------------------------------------------------------------

// Of a multiprocessor of sm_90 in a clock: 989 TFLOP/s of 132 at 1.83 GHz, and a warp's powers of 2 in two (observe/costs.h).
enum { TENSOR_FLOPS = 4096, POWERS = 16 };

kz_status figure_attention_units(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { WIDTHS = 4, BARS = 2 * WIDTHS, SCORES = 128 * 128 };
    static const int widths[WIDTHS] = {64, 96, 128, 256};
    static report_figure_bar bars[BARS];
    static char names[BARS][48], values[BARS][24];
    for (int i = 0; i < BARS; i++) {
        double clocks = i % 2 ? SCORES / POWERS : 4.0 * SCORES * widths[i / 2] / TENSOR_FLOPS;
        snprintf(names[i], sizeof names[i], i % 2 ? "powers of 2" : "%d elements: both products",
                 widths[i / 2]);
        snprintf(values[i], sizeof values[i], "%.0f clocks", clocks);
        bars[i] = (report_figure_bar){names[i], values[i], clocks, i % 2 ? 1 : 0};
    }
    report_figure_bars_write(
        svg,
        &(report_figure_bars){
            .text = {"Attention: how long two units of a multiprocessor are busy with 128 x 128 scores",
                     "Calculated for an H200: 4096 flops and 16 powers of 2 in a clock. One after the other "
                     "they add up; at the same time the longer one counts."},
            .bars = bars,
            .count = BARS,
            .full = 4.0 * SCORES * 256 / TENSOR_FLOPS});
    return KZ_OK;
}

// ---- who does what when -----------------------------------------------------------------------------------------

enum { SMS = 132, QUERY_TILES = 64, SECTION = 8, ALL = HEADS * QUERY_TILES };

// Tile `at` of all heads, in the order of a grid or the longest first: how many tiles of keys a causal mask leaves it.
static int grid_order(int at) { return at % QUERY_TILES + 1; }
static int longest_first(int at) { return QUERY_TILES - at / HEADS; }

// Each multiprocessor takes the next tile when it is done with one: when the last is done.
static double last_of(int (*work)(int at)) {
    double end[SMS] = {0}, last = 0;
    for (int at = 0; at < ALL; at++) {
        int next = 0;
        for (int i = 1; i < SMS; i++)
            if (end[i] < end[next]) next = i;
        end[next] += work(at);
        last = fmax(last, end[next]);
    }
    return last;
}

// 09: nobody asks who is free.
static double last_of_rounds(void) {
    const attention_order order = {QUERY_TILES, HEADS, SECTION};
    double last = 0;
    for (unsigned block = 0; block < SMS; block++) {
        double end = 0;
        for (unsigned round = 0; round * SMS < ALL; round++) {
            unsigned number = attention_turn_number(round, block, SMS);
            if (number < ALL) end += attention_turn_of(&order, number).tile + 1;
        }
        last = fmax(last, end);
    }
    return last;
}

kz_status figure_attention_schedule(figure_lab *lab, base_text *svg, kz_error *error) {
    (void)lab, (void)error;
    enum { BARS = 4 };
    double sum = 0, length[BARS];
    static char values[BARS][32];
    report_figure_bar bars[BARS] = {{.name = "an even share"},
                                    {.name = "as the grid has them"},
                                    {.name = "the longest first"},
                                    {.name = "09: in rounds, by sections"}};
    for (int at = 0; at < ALL; at++) sum += grid_order(at);
    length[0] = sum / SMS;
    length[1] = last_of(grid_order);
    length[2] = last_of(longest_first);
    length[3] = last_of_rounds();
    for (int i = 0; i < BARS; i++) {
        snprintf(values[i], sizeof values[i], "%.0f tiles", length[i]);
        bars[i].value = values[i], bars[i].length = length[i], bars[i].tone = i == 0 ? 2 : i == 1 ? 1 : 0;
    }
    report_figure_bars_write(
        svg, &(report_figure_bars){
                 .text = {"Causal attention: when the last of 132 multiprocessors is done",
                          "Calculated in tiles of 128 keys: 16 heads, 8192 queries and keys, tiles of 128 "
                          "queries, of which the last ones see the most keys."},
                 .bars = bars,
                 .count = BARS,
                 .full = length[1],
                 .mark = length[0],
                 .mark_name = "even"});
    return KZ_OK;
}

// Figures of attention: what its variants keep in memory, and which tiles of keys a tile of queries looks at.
// kernels/ml_ops/attention/README.md.
#include "family/case.h"
#include "figures.h"
#include "kernels/ml_ops/attention/attention.h"
#include "kernels/ml_ops/attention/tune.h"
#include "kz/family.h"
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

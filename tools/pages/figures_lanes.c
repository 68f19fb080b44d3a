// Figures of who works: elements and their threads, lanes in a branch, threads in a tree.
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "report/figures/figure.h"

enum { WARP = 32 };

// ---- ownership --------------------------------------------------------------------------------------

enum { ELEMENTS = 64, SHOWN = 60, OWNER_BLOCK = 16, OWNERS = 3, OWNER_ROWS = 3 };

// Cells of one kernel: a heading and two rows of 32 elements. `digits` are the texts 0 to 15.
static void fill_owners(report_figure_row rows[OWNER_ROWS], const char *heading, const int owners[ELEMENTS],
                        const char *const *digits) {
    static const char *const names[] = {"out[0..31]", "out[32..63]"};
    rows[0].name = heading;
    for (int i = 0; i < ELEMENTS; i++) {
        report_figure_row *row = &rows[1 + i / WARP];
        int owner = owners[i] - 1, at = i % WARP;
        row->name = names[i / WARP];
        row->count = WARP;
        row->tone[at] = owner < 0 ? REPORT_FIGURE_OFF : (uint8_t)(owner / 256);
        row->inside[at] = owner < 0 ? NULL : digits[owner % 256];
    }
}

kz_status figure_ownership(figure_lab *lab, base_text *svg, kz_error *error) {
    static const char *const digits[] = {"0", "1", "2",  "3",  "4",  "5",  "6",  "7",
                                         "8", "9", "10", "11", "12", "13", "14", "15"};
    static const struct {
        const char *kernel, *heading;
        uint32_t blocks;
    } owners[OWNERS] = {
        {"owner_plain", "4 blocks of 16: i = blockIdx.x * blockDim.x + threadIdx.x, if (i < 60)", 4},
        {"owner_grid_stride", "2 blocks of 16, grid-stride loop: i += gridDim.x * blockDim.x", 2},
        {"owner_chunks", "2 blocks of 16, a piece for each thread: neighbouring threads are apart", 2},
    };
    report_figure_row rows[OWNERS * OWNER_ROWS] = {0};
    int n = SHOWN, found[ELEMENTS];
    kz_ptr out;
    kz_status status = figure_lab_buffer(lab, sizeof found, &out, error);
    for (int k = 0; k < OWNERS && !status; k++) {
        figure_launch launch = {.kernel = owners[k].kernel,
                                .blocks = {owners[k].blocks},
                                .threads = OWNER_BLOCK,
                                .args = {&out, &n},
                                .arg_count = 2};
        status = kz_memory_fill(lab->device, NULL, out, 0, sizeof found, error);
        if (!status) status = figure_lab_run(lab, &launch, NULL, error);
        if (!status) status = kz_copy_to_host(lab->device, NULL, found, out, sizeof found, error);
        if (!status) status = kz_device_synchronize(lab->device, error);
        if (!status) fill_owners(&rows[k * OWNER_ROWS], owners[k].heading, found, digits);
    }
    if (status) return status;
    report_figure_rows_write(
        svg,
        &(report_figure_rows){
            .text =
                {"Who takes which of 60 elements",
                 "The number is threadIdx.x, the colour blockIdx.x (blue 0, orange 1, green 2, violet 3). "
                 "Each thread wrote its indices into out[i], on the simulator."},
            .rows = rows,
            .count = BASE_COUNT(rows),
            .name_width = 90,
            .cell_width = 18.5,
            .cell_height = 18});
    return KZ_OK;
}

// ---- divergence -------------------------------------------------------------------------------------

enum { STEPS = 40 };

// One row for each branch and each access to memory: what a line does in between would only repeat them.
typedef struct lane_trace {
    sim_listener listener; // first
    const ptx_module *module;
    struct {
        uint32_t line, mask;
    } steps[STEPS];
    size_t count;
} lane_trace;

static void trace_begin(sim_listener *self, const sim_launch_event *event) {
    ((lane_trace *)self)->module = event->module;
}

static void trace_add(lane_trace *t, const sim_event *event) {
    int32_t at = ptx_user_location(t->module, event->inst);
    uint32_t line = at < 0 ? 0 : t->module->locations[at].line;
    bool same = t->count && t->steps[t->count - 1].line == line && t->steps[t->count - 1].mask == event->mask;
    if (!line || same || t->count == STEPS) return;
    t->steps[t->count].line = line;
    t->steps[t->count++].mask = event->mask;
}

static void trace_branch(sim_listener *self, const sim_event *event, uint32_t taken) {
    (void)taken;
    trace_add((lane_trace *)self, event);
}

static void trace_access(sim_listener *self, const sim_access *access) {
    if (access->space == SIM_GLOBAL) trace_add((lane_trace *)self, &access->at);
}

static void write_divergence(base_text *svg, const lane_trace *trace, char *const *lines, char (*ends)[16]) {
    report_figure_row rows[STEPS] = {0};
    for (size_t i = 0; i < trace->count; i++) {
        rows[i].name = lines[i] ? lines[i] : "";
        rows[i].end = ends[i];
        rows[i].count = WARP;
        for (int lane = 0; lane < WARP; lane++)
            rows[i].tone[lane] = trace->steps[i].mask >> lane & 1 ? 0 : REPORT_FIGURE_OFF;
    }
    report_figure_rows_write(
        svg,
        &(report_figure_rows){
            .text = {"One warp, a branch and a loop: lanes 0 to 31 in the order of execution",
                     "Blue lanes execute the line, grey ones wait. The paths of a branch take turns; a loop "
                     "lasts as long as its longest lane. Run on the simulator."},
            .rows = rows,
            .count = trace->count,
            .name_width = 264,
            .end_width = 60,
            .cell_width = 11.5,
            .cell_height = 14});
}

kz_status figure_divergence(figure_lab *lab, base_text *svg, kz_error *error) {
    lane_trace trace = {
        .listener = {.launch_begin = trace_begin, .branch = trace_branch, .access = trace_access}};
    kz_ptr buffers[5];
    figure_launch launch = {.kernel = "divergence", .blocks = {1}, .threads = WARP, .arg_count = 5};
    kz_status status = KZ_OK;
    for (int i = 0; i < 5 && !status; i++) {
        launch.args[i] = &buffers[i];
        status = figure_lab_buffer(lab, WARP * sizeof(float), &buffers[i], error);
    }
    if (!status) status = figure_lab_run(lab, &launch, &trace.listener, error);
    if (status) return status;
    char *lines[STEPS], ends[STEPS][16];
    for (size_t i = 0; i < trace.count; i++) {
        lines[i] = figure_lab_line(lab, trace.steps[i].line);
        snprintf(ends[i], sizeof ends[i], "%d lanes", __builtin_popcount(trace.steps[i].mask));
    }
    write_divergence(svg, &trace, lines, ends);
    for (size_t i = 0; i < trace.count; i++) free(lines[i]);
    return KZ_OK;
}

// ---- trees ------------------------------------------------------------------------------------------

enum { TREE = 64, TREE_STEPS = 6, TREE_ROWS = 1 + TREE_STEPS };

// Which threads add in which step: a warp's step is the number of barriers it has come to. What is stored
// before the first barrier is the filling.
typedef struct tree_trace {
    sim_listener listener; // first
    uint32_t barriers[TREE / WARP];
    uint32_t active[TREE_STEPS][TREE / WARP];
} tree_trace;

static void tree_access(sim_listener *self, const sim_access *access) {
    tree_trace *t = (tree_trace *)self;
    uint32_t step = t->barriers[access->at.warp];
    if (access->space == SIM_SHARED && access->kind == SIM_STORE && step >= 1 && step <= TREE_STEPS)
        t->active[step - 1][access->at.warp] |= access->at.mask;
}

static void tree_sync(sim_listener *self, const sim_sync *sync) {
    if (sync->kind == SIM_ARRIVE && sync->is_barrier) ((tree_trace *)self)->barriers[sync->at.warp]++;
}

static kz_status trace_tree(figure_lab *lab, const char *kernel, const char *heading,
                            report_figure_row rows[TREE_ROWS], char ends[TREE_STEPS][40], kz_error *error) {
    static const char *const names[] = {"step 1", "step 2", "step 3", "step 4", "step 5", "step 6"};
    tree_trace trace = {.listener = {.access = tree_access, .sync = tree_sync}};
    kz_ptr out;
    kz_status status = figure_lab_buffer(lab, sizeof(float), &out, error);
    figure_launch launch = {.kernel = kernel, .blocks = {1}, .threads = TREE, .args = {&out}, .arg_count = 1};
    if (!status) status = figure_lab_run(lab, &launch, &trace.listener, error);
    if (status) return status;
    rows[0].name = heading;
    for (int s = 0; s < TREE_STEPS; s++) {
        int threads = 0, warps = 0;
        for (int t = 0; t < TREE; t++)
            rows[s + 1].tone[t] =
                trace.active[s][t / WARP] >> t % WARP & 1 ? (uint8_t)(t / WARP) : REPORT_FIGURE_OFF;
        for (int w = 0; w < TREE / WARP; w++) {
            threads += __builtin_popcount(trace.active[s][w]);
            warps += trace.active[s][w] != 0;
        }
        snprintf(ends[s], sizeof ends[s], "%d in %d warp%s", threads, warps, warps == 1 ? "" : "s");
        rows[s + 1].name = names[s];
        rows[s + 1].count = TREE;
        rows[s + 1].end = ends[s];
    }
    return KZ_OK;
}

kz_status figure_tree(figure_lab *lab, base_text *svg, kz_error *error) {
    report_figure_row rows[2 * TREE_ROWS] = {0};
    char ends[2][TREE_STEPS][40];
    kz_status status =
        trace_tree(lab, "tree_interleaved", "if (t % (2 * step) == 0): those who add are scattered", rows,
                   ends[0], error);
    if (!status)
        status = trace_tree(lab, "tree_sequential", "if (t < step): those who add are neighbours",
                            rows + TREE_ROWS, ends[1], error);
    if (status) return status;
    report_figure_rows_write(
        svg,
        &(report_figure_rows){
            .text =
                {"A tree over 64 values: the threads that add in each step",
                 "Blue: warp 0, orange: warp 1. Both trees do 63 additions; a warp without a single active "
                 "lane costs next to nothing. Run on the simulator."},
            .rows = rows,
            .count = BASE_COUNT(rows),
            .name_width = 56,
            .end_width = 100,
            .cell_width = 8,
            .cell_height = 12});
    return KZ_OK;
}

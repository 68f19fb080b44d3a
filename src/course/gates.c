// Gates on what the simulator counted: values from the record, limits from the task, and words.
#include "gates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "device/device.h"
#include "device/gpus.h"
#include "observe/observe.h"

#define GLOBAL(what, op) "l1tex__t_" what "_pipe_lsu_mem_global_op_" op ".sum"
#define LOCAL(what, op)  "l1tex__t_" what "_pipe_lsu_mem_local_op_" op ".sum"

#define LOADS(what)  GLOBAL(what, "ld"), GLOBAL(what, "ldgsts"), GLOBAL(what, "atom")
#define STORES(what) GLOBAL(what, "st"), GLOBAL(what, "red"), GLOBAL(what, "atom")

#define BULK "ptx__bulk_bytes_global_" // bytes, in sectors

enum { PARTS = 4, SECTOR = 32 };

// A metric of the course as sums over names of the record; with `below`, divided by their sum. Atomics read and write
// as loads and stores do: what moves by them is counted with those. Bulk copies count by their bytes.
typedef struct rule {
    const char *metric;
    const char *above[PARTS], *below[PARTS];
} rule;

static const rule rules[] = {
    {"instructions", {"ptx__inst_executed.sum"}, {0}},
    {"thread_instructions", {"ptx__thread_inst_executed.sum"}, {0}},
    {"lanes_per_instruction", {"ptx__thread_inst_executed.sum"}, {"ptx__inst_executed.sum"}},
    {"narrow_bytes", {"ptx__bytes_narrow.sum"}, {0}},
    {"divergent_branches", {"ptx__branches_divergent.sum"}, {0}},
    {"loads", {LOADS("requests")}, {0}},
    {"stores", {STORES("requests")}, {0}},
    {"load_sectors", {LOADS("sectors"), BULK "ld.sum"}, {0}},
    {"store_sectors", {STORES("sectors"), BULK "st.sum"}, {0}},
    {"dram_bytes", {"model__dram_bytes_read.sum", "model__dram_bytes_write.sum"}, {0}},
    {"local_sectors", {LOCAL("sectors", "ld"), LOCAL("sectors", "st")}, {0}},
    {"shared_loads", {"ptx__requests_shared_ld.sum"}, {0}},
    {"shared_stores", {"ptx__requests_shared_st.sum"}, {0}},
    {"shared_wavefronts",
     {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
     {0}},
    {"bank_conflicts", {"ptx__bank_conflicts_shared_ld.sum", "ptx__bank_conflicts_shared_st.sum"}, {0}},
    {"barriers", {"ptx__inst_barrier.sum"}, {0}},
    {"atomics", {GLOBAL("requests", "atom"), GLOBAL("requests", "red")}, {0}},
    {"atomic_conflicts", {"ptx__atomic_collisions.sum"}, {0}},
    {"shared_atomics", {"ptx__requests_shared_atom.sum"}, {0}},
    {"shuffles", {"ptx__inst_shuffle.sum"}, {0}},
    {"votes", {"ptx__inst_vote.sum"}, {0}},
    {"flops",
     {"ptx__flops_f16.sum", "ptx__flops_f32.sum", "ptx__flops_f64.sum", "ptx__flops_tensor.sum"},
     {0}},
    {"blocks", {"ptx__blocks.sum"}, {0}},
};

static const json_t *metrics_of(const json_t *object) { return json_object_get(object, "metrics"); }

// Metric names hold dots, so they are looked up whole.
static double given(const json_t *kernel, const char *name) {
    return json_number_value(json_object_get(metrics_of(kernel), name));
}

static double sum_of(const json_t *object, const char *const *names, bool *known) {
    double sum = 0;
    for (size_t i = 0; i < PARTS && names[i]; i++) {
        const json_t *value = json_object_get(metrics_of(object), names[i]);
        if (value) *known = true;
        double unit = strncmp(names[i], BULK, strlen(BULK)) == 0 ? SECTOR : 1;
        sum += json_number_value(value) / unit;
    }
    return sum;
}

// ---- the line that costs most ---------------------------------------------------------------------------

// For a sum the line with the largest part of it; for a ratio the line that is furthest from an even one.
static void find_line(const report_record *record, const rule *r, course_metric_value *value) {
    const json_t *kernel;
    double most = 0, whole = 0;
    bool known = false;
    for (size_t at = 0; (kernel = report_record_next(record, "kernel", &at));) {
        size_t i;
        json_t *line;
        json_array_foreach(json_object_get(kernel, "lines"), i, line) {
            double part = sum_of(line, r->above, &known);
            whole += part;
            if (report_get_count(line, "line") == 0) continue;
            double below = r->below[0] ? sum_of(line, r->below, &known) : 0;
            double weight = r->below[0] ? 32 * below - part : part; // lanes that are idle
            if (weight <= most) continue;
            most = weight;
            value->share = part;
            value->line = (uint32_t)report_get_count(line, "line");
            snprintf(value->file, sizeof value->file, "%s", report_get_text(line, "file"));
        }
    }
    value->share = whole > 0 ? value->share / whole : 0;
}

// ---- values ---------------------------------------------------------------------------------------------

static bool of_rule(const report_record *record, const rule *r, course_metric_value *value) {
    double above = 0, below = 0;
    bool known = false, divided = r->below[0] != NULL;
    const json_t *kernel;
    for (size_t at = 0; (kernel = report_record_next(record, "kernel", &at));) {
        above += sum_of(kernel, r->above, &known);
        if (divided) below += sum_of(kernel, r->below, &known);
    }
    // Without a request there is nothing to divide by: no sectors are the best that can be.
    value->value = !divided ? above : below > 0 ? above / below : 0;
    value->known = known;
    if (known && value->value > 0) find_line(record, r, value);
    return true;
}

// By the limits of the record's GPU and the registers.
static double occupancy_of(const json_t *kernel, const json_t *header, uint32_t registers) {
    device_gpu described;
    observe_gpu gpu;
    if (device_gpu_load(report_get_text(header, "gpu"), &described, NULL)) return (double)NAN;
    device_gpu_describe(&described, &gpu);
    const observe_occupancy_input input = {
        .threads = (uint32_t)given(kernel, "launch__block_size"),
        .registers = registers,
        .shared_static = (uint32_t)given(kernel, "launch__shared_mem_per_block_static"),
        .shared_dynamic = (uint32_t)given(kernel, "launch__shared_mem_per_block_dynamic"),
        .blocks = (uint64_t)given(kernel, "launch__grid_size")};
    return observe_occupancy(&gpu, &input).occupancy;
}

// Metrics that are no sums: of launches, registers and the like.
static bool of_launches(const report_record *record, const char *metric, uint32_t registers,
                        course_metric_value *value) {
    static const char *const names[] = {"launches", "threads", "shared_bytes", "registers", "occupancy"};
    bool is_one = false;
    for (size_t i = 0; i < BASE_COUNT(names); i++) is_one = is_one || strcmp(names[i], metric) == 0;
    if (!is_one) return false;
    size_t at = 0;
    const json_t *header = report_record_next(record, "record", &at), *kernel;
    double sum = 0, most = 0, least = (double)INFINITY;
    for (at = 0; (kernel = report_record_next(record, "kernel", &at));) {
        double launches = (double)report_get_count(kernel, "launches");
        value->known = true;
        if (strcmp(metric, "launches") == 0)
            sum += launches;
        else if (strcmp(metric, "threads") == 0)
            sum += launches * given(kernel, "launch__thread_count");
        else if (strcmp(metric, "shared_bytes") == 0)
            most = fmax(most, given(kernel, "launch__shared_mem_per_block_static") +
                                  given(kernel, "launch__shared_mem_per_block_dynamic"));
        else if (strcmp(metric, "occupancy") == 0)
            least = fmin(least, occupancy_of(kernel, header, registers));
    }
    if (strcmp(metric, "registers") == 0)
        value->value = registers, value->known = registers > 0;
    else if (strcmp(metric, "occupancy") == 0)
        value->value = least, value->known = isfinite(least) && registers > 0;
    else
        value->value = sum + most;
    return true;
}

static const rule *find_rule(const char *metric) {
    for (size_t i = 0; i < BASE_COUNT(rules); i++)
        if (strcmp(rules[i].metric, metric) == 0) return &rules[i];
    return NULL;
}

// A total says how much too much it is, and the mean what it is that costs.
static void add_mean(const report_record *record, const char *metric, course_metric_value *value) {
    const char *requests = strcmp(metric, "load_sectors") == 0    ? "loads"
                           : strcmp(metric, "store_sectors") == 0 ? "stores"
                                                                  : NULL;
    course_metric_value all = {0};
    if (!requests || !of_rule(record, find_rule(requests), &all) || all.value <= 0) return;
    value->mean = value->value / all.value;
}

bool course_metric_of_record(const report_record *record, const char *metric, uint32_t registers,
                             course_metric_value *value) {
    *value = (course_metric_value){0};
    const rule *r = find_rule(metric);
    if (!r) return of_launches(record, metric, registers, value);
    of_rule(record, r, value);
    add_mean(record, metric, value);
    return true;
}

void course_metric_counted(const course_metric_value *value, base_text *out) {
    base_text_add(out, "by the simulator");
    if (value->mean > 0)
        base_text_add(out, ", %.3g for each request of a warp (32 lanes with 4 bytes each need 4)",
                      value->mean);
    if (!value->line) return;
    const char *slash = strrchr(value->file, '/');
    base_text_add(out, "; most of it at %s:%u (%.0f%%)", slash ? slash + 1 : value->file, value->line,
                  100 * value->share);
}

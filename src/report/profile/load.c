// From a record to a report_prof: typed kernels, lines and accesses, sorted by what they cost.
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile/profile.h"

// ---- small things --------------------------------------------------------------------------------------

static const struct {
    const char *name, *title;
} bounds[] = {
#define REPORT_PROF_BOUND(id, name, title) {name, title},
#include "report/profile/bounds.def"
#undef REPORT_PROF_BOUND
};

const char *report_prof_bound_name(report_prof_bound bound) { return bounds[bound].name; }
const char *report_prof_bound_title(report_prof_bound bound) { return bounds[bound].title; }

// Metric names hold dots: they are no paths.
double report_prof_metric(const json_t *metrics, const char *name) {
    const json_t *value = json_object_get(metrics, name);
    return json_is_number(value) ? json_number_value(value) : 0;
}

bool report_prof_has_metric(const json_t *metrics, const char *name) {
    return json_is_number(json_object_get(metrics, name));
}

double report_prof_active_lanes(const json_t *metrics) {
    double warp = report_prof_metric(metrics, "ptx__inst_executed.sum");
    return warp > 0 ? report_prof_metric(metrics, "ptx__thread_inst_executed.sum") / warp : 32;
}

const char *report_prof_text(report_prof *report, const char *format, ...) {
    base_text text = {0};
    va_list list;
    va_start(list, format);
    base_text_add_v(&text, format, list);
    va_end(list);
    char *copy = text.data ? base_arena_string(report->arena, text.data, text.length) : NULL;
    base_text_free(&text);
    return copy ? copy : "";
}

const char *report_prof_basename(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// ---- accesses and lines --------------------------------------------------------------------------------

static void load_pattern(const json_t *json, report_prof_pattern *pattern) {
    static const char *const kinds[] = {"uniform", "contiguous", "stride", "rows"};
    *pattern = (report_prof_pattern){.kind = REPORT_PROF_OTHER};
    if (!json) return;
    for (size_t i = 0; i < BASE_COUNT(kinds); i++)
        if (strcmp(report_get_text(json, "kind"), kinds[i]) == 0) pattern->kind = (report_prof_pattern_kind)i;
    pattern->stride = (int64_t)report_get_number(json, "stride", 0);
    pattern->jump = (int64_t)report_get_number(json, "jump", 0);
    pattern->run = (uint32_t)report_get_count(json, "run");
    pattern->share = report_get_number(json, "share", 0);
}

static report_prof_space space_of(const char *name) {
    if (strcmp(name, "global") == 0) return REPORT_PROF_GLOBAL;
    if (strcmp(name, "shared") == 0 || strcmp(name, "distributed") == 0) return REPORT_PROF_SHARED;
    return strcmp(name, "local") == 0 ? REPORT_PROF_LOCAL : REPORT_PROF_ELSEWHERE;
}

static void load_access(const json_t *json, report_prof_access *access) {
    const char *kind = report_get_text(json, "kind");
    bool is_bulk = strcmp(report_get_text(json, "agent"), "bulk") == 0;
    *access = (report_prof_access){
        .ptx = report_get_text(json, "ptx"),
        .ptx_line = (uint32_t)report_get_count(json, "ptx_line"),
        .bytes = (uint32_t)report_get_count(json, "bytes"),
        .is_store = strcmp(kind, "store") == 0,
        .is_atomic = strcmp(kind, "atomic") == 0 || strcmp(kind, "reduction") == 0,
        .is_bulk = is_bulk,
        .is_gathered = report_get_bool(json, "gathered"),
        .address_by_data = report_get_bool(json, "address_by_data"),
        .is_distributed = strcmp(report_get_text(json, "space"), "distributed") == 0,
        .space = space_of(report_get_text(json, "space")),
        .requests = report_get_number(json, "requests", 0),
        .lanes = report_get_number(json, is_bulk ? "requests" : "lanes", 0),
        .sectors = report_get_number(json, "sectors", 0),
        .ideal_sectors = report_get_number(json, "ideal_sectors", 0),
        .wavefronts = report_get_number(json, "wavefronts", 0),
        .ideal_wavefronts = report_get_number(json, "ideal_wavefronts", 0),
        .distinct = report_get_number(json, "distinct", 0),
    };
    load_pattern(json_array_get(report_get(json, "patterns"), 0), &access->pattern);
    access->padding = (report_prof_padding){.row = (uint32_t)report_get_count(json, "padding.row"),
                                            .to = (uint32_t)report_get_count(json, "padding.to"),
                                            .now = report_get_number(json, "padding.now", 0),
                                            .then = report_get_number(json, "padding.then", 0),
                                            .own_now = report_get_number(json, "padding.own_now", 0),
                                            .own_then = report_get_number(json, "padding.own_then", 0)};
}

static bool load_line(report_prof *report, const json_t *json, report_prof_line *line) {
    const json_t *accesses = report_get(json, "accesses");
    *line = (report_prof_line){
        .file = report_get_text(json, "file"),
        .line = (uint32_t)report_get_count(json, "line"),
        .is_ptx = report_get_bool(json, "is_ptx"),
        .inlined_at = report_get(json, "inlined_at"),
        .metrics = report_get(json, "metrics"),
        .access_count = json_array_size(accesses),
    };
    line->accesses = base_arena_alloc(report->arena, (line->access_count + 1) * sizeof *line->accesses);
    if (!line->accesses) return false;
    for (size_t i = 0; i < line->access_count; i++)
        load_access(json_array_get(accesses, i), &line->accesses[i]);
    return true;
}

// ---- kernels -------------------------------------------------------------------------------------------

static void load_triple(const json_t *json, const char *name, uint32_t triple[3]) {
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(report_get(json, name), i);
        triple[i] =
            json_is_integer(value) && json_integer_value(value) > 0 ? (uint32_t)json_integer_value(value) : 1;
    }
}

static void load_occupancy(const report_prof *report, const report_prof_options *o, report_prof_kernel *k) {
    bool known = o->machine && o->machine(o->context, k->module, k->name, &k->machine);
    if (!known) k->machine = (report_prof_machine){0};
    k->occupancy.registers = k->machine.code.registers ? (int)k->machine.code.registers : -1;
    report_prof_occupy(&report->gpu, k);
}

static bool load_kernel(report_prof *report, const report_prof_options *o, const json_t *json,
                        report_prof_kernel *k) {
    const json_t *lines = report_get(json, "lines");
    *k = (report_prof_kernel){
        .json = json,
        .name = report_get_text(json, "name"),
        .title = report_get_text(json, "short"),
        .module = report_get_text(json, "module"),
        .launches = report_get_count(json, "launches"),
        .failed = report_get_count(json, "failed"),
        .shared_dynamic = (uint32_t)report_get_count(json, "shared_dynamic"),
        .local_bytes = (uint32_t)report_get_count(json, "local_bytes"),
        .metrics = json_copy((json_t *)report_get(json, "metrics")),
        .caches = report_get(json, "caches"),
        .line_count = json_array_size(lines),
    };
    if (!*k->title) k->title = k->name;
    if (!k->launches) k->launches = 1;
    k->shared_bytes = k->shared_dynamic + (uint32_t)report_get_count(json, "shared_static");
    load_triple(json, "grid", k->grid);
    load_triple(json, "block", k->block);
    load_triple(json, "cluster", k->cluster);
    k->blocks = (double)k->grid[0] * k->grid[1] * k->grid[2];
    k->threads = (double)k->block[0] * k->block[1] * k->block[2];
    k->warps = (double)(((uint64_t)k->threads + 31) / 32);
    k->lines = base_arena_alloc(report->arena, (k->line_count + 1) * sizeof *k->lines);
    for (size_t i = 0; k->lines && i < k->line_count; i++)
        if (!load_line(report, json_array_get(lines, i), &k->lines[i])) return false;
    load_occupancy(report, o, k);
    return k->lines != NULL;
}

static bool is_wanted(const char *pattern, const report_prof_kernel *k) {
    if (!pattern) return true;
    return strstr(k->title, pattern) || strstr(k->name, pattern) || fnmatch(pattern, k->title, 0) == 0 ||
           fnmatch(pattern, k->name, 0) == 0;
}

static int by_cost(const void *a, const void *b) {
    const report_prof_kernel *x = a, *y = b;
    double p = x->estimate * (double)x->launches, q = y->estimate * (double)y->launches;
    if (p != q) return p > q ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int by_line_cost(const void *a, const void *b) {
    const report_prof_line *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    int file = strcmp(x->file, y->file);
    return file ? file : (x->line > y->line) - (x->line < y->line);
}

// ---- the report ----------------------------------------------------------------------------------------

// The record has the peaks of its GPU; the limits are those of gpus/, where it is still there.
static void load_gpu(report_prof *report, const report_prof_options *o) {
    report->gpu = o->gpu;
    if (report->gpu.key[0]) return;
    report->gpu.sm = report_get_number(report->head, "sm", 0);
    report->gpu.multiprocessors = report_get_number(report->head, "multiprocessors", 0);
    report->gpu.clock = report_get_number(report->head, "peaks.clock", 0);
    report->gpu.bandwidth = report_get_number(report->head, "peaks.bandwidth", 0);
    report->gpu.flops_f32 = report_get_number(report->head, "peaks.flops_f32", 0);
    report->gpu.flops_f64 = report_get_number(report->head, "peaks.flops_f64", 0);
    report->gpu.flops_f16 = report_get_number(report->head, "peaks.flops_f16", 0);
    report->gpu.l2 = report_get_number(report->head, "l2_bytes", 0);
}

static size_t count_kernels(const report_record *record) {
    size_t count = 0, at = 0;
    while (report_record_next(record, "kernel", &at)) count++;
    return count;
}

static void decide(report_prof *report, report_prof_kernel *k) {
    qsort(k->lines, k->line_count, sizeof *k->lines, by_line_cost);
    for (size_t l = 0; l < k->line_count; l++) report_prof_explain(report, k, &k->lines[l]);
    report_prof_decide(report, k);
}

static report_prof_kernel *same_verdict(report_prof *report, size_t count, const report_prof_kernel *k) {
    for (size_t i = 0; i < count; i++) {
        report_prof_kernel *other = &report->kernels[i];
        if (other->bound == k->bound && strcmp(other->name, k->name) == 0 &&
            strcmp(other->module, k->module) == 0)
            return other;
    }
    return NULL;
}

// A kernel that a loop launches in many sizes is told once, with its most costly one. The others move behind those that
// are shown.
static void fold(report_prof *report) {
    size_t count = 0;
    for (size_t i = 0; i < report->kernel_count; i++) {
        report_prof_kernel k = report->kernels[i], *first = same_verdict(report, count, &k);
        if (first) {
            first->other_shapes++;
            first->other_launches += k.launches;
            first->other_seconds += k.estimate * (double)k.launches;
            continue;
        }
        memmove(&report->kernels[count + 1], &report->kernels[count], (i - count) * sizeof k);
        report->kernels[count++] = k;
    }
    report->kernel_count = count;
}

static bool load_kernels(const report_record *record, const report_prof_options *o, report_prof *report) {
    size_t at = 0;
    report->kernels = base_arena_alloc(report->arena, (count_kernels(record) + 1) * sizeof *report->kernels);
    if (!report->kernels) return false;
    for (const json_t *json; (json = report_record_next(record, "kernel", &at));) {
        report_prof_kernel *k = &report->kernels[report->kernel_count];
        if (!load_kernel(report, o, json, k)) return false;
        if (!is_wanted(o->pattern, k)) {
            json_decref(k->metrics);
            report->hidden_count++;
            continue;
        }
        report_prof_estimate(report, k);
        report->loaded_count = ++report->kernel_count;
    }
    report_prof_distinguish_titles(report);
    qsort(report->kernels, report->kernel_count, sizeof *report->kernels, by_cost);
    for (size_t i = 0; i < report->kernel_count; i++) decide(report, &report->kernels[i]);
    if (o->top) fold(report);
    if (o->top && o->top < report->kernel_count) {
        report->hidden_count += report->kernel_count - o->top;
        report->kernel_count = o->top;
    }
    return true;
}

kz_status report_prof_open(const report_record *record, const report_prof_options *options,
                           report_prof *report, kz_error *error) {
    size_t at = 0;
    *report = (report_prof){.arena = base_arena_open(), .cut = record->cut};
    if (!report->arena) return base_fail(error, KZ_NO_MEMORY, "no memory for the report");
    report->head = report_record_next(record, "record", &at);
    report->end = report_record_next(record, "end", &at);
    at = 0;
    report->host = report_record_next(record, "host", &at);
    kz_status status = KZ_OK;
    if (!report->head || report_get_count(report->head, "version") != 1) {
        status = base_fail(error, KZ_UNSUPPORTED, "this is no record that this version of kz can read");
        base_fail_note(error, "make it again: kz prof PROGRAM");
    } else {
        report->program =
            options->title ? options->title : report_prof_basename(report_get_text(report->head, "program"));
        report->detail = options->detail ? options->detail : "";
        report->gpu_key = report_get_text(report->head, "gpu");
        report->cut = report->cut || !report->end;
        load_gpu(report, options);
        if (options->peaks) report->peaks = *options->peaks;
        if (!load_kernels(record, options, report))
            status = base_fail(error, KZ_NO_MEMORY, "no memory for the report");
    }
    if (status) report_prof_close(report);
    return status;
}

void report_prof_close(report_prof *report) {
    for (size_t i = 0; i < report->loaded_count; i++) json_decref(report->kernels[i].metrics);
    if (report->arena) base_arena_close(report->arena);
    *report = (report_prof){0};
}

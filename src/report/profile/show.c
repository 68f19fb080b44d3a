// Words and figures of a kernel, for every rendering. See prof_show.h.
#include "report/profile/show.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- sums ------------------------------------------------------------------------------------------------

void report_prof_traffic_add(report_prof_traffic *t, const report_prof_line *line) {
    for (size_t i = 0; i < line->access_count; i++) {
        const report_prof_access *a = &line->accesses[i];
        if (a->is_atomic) {
            t->atomic_requests += a->requests;
            t->atomic_lanes += a->lanes;
            t->atomic_distinct += a->distinct;
        }
        if (a->space == REPORT_PROF_SHARED && a->is_bulk)
            continue; // the copy engine's wavefronts are not counted
        if (a->space == REPORT_PROF_SHARED) {
            *(a->is_distributed ? &t->distributed_requests : &t->shared_requests) += a->requests;
            t->wavefronts += a->wavefronts;
            t->ideal_wavefronts += a->ideal_wavefronts;
        } else if (a->space == REPORT_PROF_GLOBAL) {
            bool store = a->is_store || a->is_atomic;
            *(store ? &t->store_requests : &t->load_requests) += a->requests;
            *(store ? &t->store_sectors : &t->load_sectors) += a->sectors;
            *(store ? &t->store_ideal : &t->load_ideal) += a->ideal_sectors;
            t->used_bytes += a->lanes * a->bytes;
        }
    }
}

report_prof_traffic report_prof_traffic_of(const report_prof_kernel *k) {
    report_prof_traffic t = {0};
    for (size_t i = 0; i < k->line_count; i++) report_prof_traffic_add(&t, &k->lines[i]);
    return t;
}

double report_prof_show_part(const report_prof *report, const report_prof_kernel *k) {
    double all = 0;
    for (size_t i = 0; i < report->loaded_count; i++)
        all += report->kernels[i].estimate * (double)report->kernels[i].launches;
    return all > 0 ? (k->estimate * (double)k->launches + k->other_seconds) / all : 0;
}

static void take_measured(const report_prof *report, double writes, report_prof_roofline *r) {
    static const double FEW = 0.05; // of the bytes: as good as none
    const bench_known_peak *bandwidth =
        &report->peaks.of[writes < FEW * r->bytes ? BENCH_PEAK_dram_read : BENCH_PEAK_dram_copy];
    const bench_known_peak *peak = &report->peaks.of[strcmp(r->type, "f64") == 0   ? BENCH_PEAK_fma_f64
                                                     : strcmp(r->type, "f16") == 0 ? BENCH_PEAK_fma_f16
                                                                                   : BENCH_PEAK_fma_f32];
    r->origin = "";
    if (!bandwidth->measured || !peak->measured || r->on_tensor) return; // no microbenchmark has tensor cores
    r->measured_bandwidth = bandwidth->value;
    r->measured_peak = peak->value;
    r->measured_attainable = fmin(peak->value, r->intensity * bandwidth->value);
    r->origin = bandwidth->origin;
}

// Of a kernel that computes most on tensor cores the peak is theirs, for the type that it has most of.
static void take_tensor(const report_prof *report, const report_prof_kernel *k, report_prof_roofline *r) {
    report_prof_tensor t;
    if (!report_prof_tensor_of(report, k, &t)) return;
    r->on_tensor = t.ops > r->flops;
    r->flops += t.ops;
    if (!r->on_tensor) return;
    r->peak = t.peak;
    r->type = observe_tensor_name(t.type);
    r->unit = observe_tensor_is_float(t.type) ? "flop" : "op";
    r->sparse = t.sparse;
}

bool report_prof_roofline_of(const report_prof *report, const report_prof_kernel *k,
                             report_prof_roofline *r) {
    double n = (double)k->launches, f32 = report_prof_metric(k->metrics, "ptx__flops_f32.sum") / n,
           f64 = report_prof_metric(k->metrics, "ptx__flops_f64.sum") / n,
           f16 = report_prof_metric(k->metrics, "ptx__flops_f16.sum") / n;
    *r = (report_prof_roofline){
        .flops = f32 + f64 + f16, .bandwidth = report->gpu.bandwidth, .unit = "flop", .origin = ""};
    r->bytes = (report_get_number(k->caches, "dram.read_bytes", 0) +
                report_get_number(k->caches, "dram.write_bytes", 0)) /
               n;
    r->type = f64 >= f32 && f64 >= f16 && f64 > 0 ? "f64" : f16 > f32 ? "f16" : "f32";
    r->peak = *r->type == 'f' && strcmp(r->type, "f64") == 0 ? report->gpu.flops_f64
              : strcmp(r->type, "f16") == 0                  ? report->gpu.flops_f16
                                                             : report->gpu.flops_f32;
    take_tensor(report, k, r);
    if (r->bytes <= 0 || r->bandwidth <= 0 || r->peak <= 0) return false;
    r->intensity = r->flops / r->bytes;
    r->ridge = r->peak / r->bandwidth;
    r->attainable = fmin(r->peak, r->intensity * r->bandwidth);
    take_measured(report, report_get_number(k->caches, "dram.write_bytes", 0) / n, r);
    return true;
}

// ---- lines of words ---------------------------------------------------------------------------------

static bool begins_cold(const report_prof *report) {
    size_t i;
    const json_t *name;
    json_array_foreach(report_get(report->head, "instruments"), i,
                       name) if (strcmp(json_string_value(name) ? json_string_value(name) : "", "cold") ==
                                 0) return true;
    return false;
}

void report_prof_show_head(base_text *text, const report_prof *report) {
    char bandwidth[REPORT_NUMBER];
    report_si(bandwidth, report->gpu.bandwidth, "B/s");
    base_text_add(text,
                  "%s%s%s on a simulated %s (%.0f SMs, %s).\nCounts are exact, on PTX; times are estimated "
                  "from them%s.",
                  report->program, *report->detail ? ", " : "", report->detail,
                  report->gpu.name[0] ? report->gpu.name : report->gpu_key, report->gpu.multiprocessors,
                  bandwidth, begins_cold(report) ? ", as if each launch began with empty caches" : "");
}

// Streams and copies, in a sentence.
static void add_host(base_text *text, const json_t *host) {
    uint64_t copies =
                 report_get_count(host, "blocking_copies") + report_get_count(host, "asynchronous_copies"),
             streams = report_get_count(host, "streams");
    char bytes[REPORT_NUMBER];
    if (!copies) return;
    base_text_add(
        text,
        "The host used %llu stream%s and copied %s in %llu cop%s, %llu of which it waited for; %.0f%% of "
        "the bytes may move while a kernel runs. ",
        (unsigned long long)streams, streams == 1 ? "" : "s",
        report_bytes(bytes, (double)report_get_count(host, "copied_bytes")), (unsigned long long)copies,
        copies == 1 ? "y" : "ies", (unsigned long long)report_get_count(host, "blocking_copies"),
        100 * report_get_number(host, "overlap", 0));
    uint64_t unordered = report_get_count(host, "unordered_uses");
    if (unordered)
        base_text_add(
            text,
            "%llu time%s a copy and another operation use the same memory, and nothing says which comes "
            "first: a hazard. ",
            (unsigned long long)unordered, unordered == 1 ? "" : "s");
}

void report_prof_show_tail(base_text *text, const report_prof *report) {
    const char *message = report_get_text(report->end, "message");
    add_host(text, report->host);
    if (report->hidden_count)
        base_text_add(text, "%zu more kernel%s not shown (--kernel, --top 0). ", report->hidden_count,
                      report->hidden_count == 1 ? " is" : "s are");
    if (report->cut)
        base_text_add(text,
                      "The record is cut off: the program was killed, and what it ran last is missing. ");
    if (*message) base_text_add(text, "A launch failed: %.*s", (int)strcspn(message, "\n"), message);
    while (text->length && text->data[text->length - 1] == ' ') text->data[--text->length] = 0;
}

static void add_triple(base_text *text, const uint32_t t[3]) {
    base_text_add(text, "%u", t[0]);
    if (t[1] > 1 || t[2] > 1) base_text_add(text, "x%u", t[1]);
    if (t[2] > 1) base_text_add(text, "x%u", t[2]);
}

void report_prof_show_shape(base_text *text, const report_prof_kernel *k) {
    char bytes[REPORT_NUMBER];
    base_text_add(text, "grid ");
    add_triple(text, k->grid);
    base_text_add(text, ", block ");
    add_triple(text, k->block);
    if (k->cluster[0] * k->cluster[1] * k->cluster[2] > 1) {
        base_text_add(text, ", cluster ");
        add_triple(text, k->cluster);
    }
    base_text_add(text, ": %.0f block%s of %.0f warp%s", k->blocks, k->blocks == 1 ? "" : "s", k->warps,
                  k->warps == 1 ? "" : "s");
    if (k->shared_bytes)
        base_text_add(text, ", %s of shared memory each", report_bytes(bytes, k->shared_bytes));
    if (k->launches > 1) base_text_add(text, "; %llu launches", (unsigned long long)k->launches);
    if (k->other_shapes)
        base_text_add(text, "; %llu launch%s more in %zu other shape%s with the same verdict (--top 0)",
                      (unsigned long long)k->other_launches, k->other_launches == 1 ? "" : "es",
                      k->other_shapes, k->other_shapes == 1 ? "" : "s");
}

void report_prof_show_location(base_text *text, const report_prof_line *line) {
    base_text_add(text, "%s%s:%u", line->is_ptx ? "PTX " : "", report_prof_basename(line->file), line->line);
    const json_t *outer = json_array_get(line->inlined_at, json_array_size(line->inlined_at) - 1);
    if (outer)
        base_text_add(text, " in %s:%llu", report_prof_basename(report_get_text(outer, "file")),
                      (unsigned long long)report_get_count(outer, "line"));
}

const char *report_prof_show_resource(observe_resource resource) {
    return resource == OBSERVE_BY_DRAM ? "DRAM (cache model)" : observe_resource_title(resource);
}

double report_prof_show_longest(const report_prof_kernel *k) {
    double longest = 0;
    for (int r = 0; r < OBSERVE_RESOURCES; r++) longest = fmax(longest, k->seconds[r]);
    return longest;
}

// ---- facts ------------------------------------------------------------------------------------------

static void show_roofline(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    report_prof_roofline r;
    char rate[REPORT_NUMBER], flops[REPORT_NUMBER], bytes[REPORT_NUMBER], intensity[REPORT_NUMBER];
    if (!report_prof_roofline_of(report, k, &r)) return;
    if (r.flops <= 0) {
        base_text_add(text, "no floating point; its %s of data would take %s at %s",
                      report_bytes(bytes, r.bytes), report_seconds(flops, r.bytes / r.bandwidth),
                      report_si(rate, r.bandwidth, "B/s"));
        return;
    }
    if (r.intensity < 1000)
        snprintf(intensity, sizeof intensity, "%.3g", r.intensity);
    else
        snprintf(intensity, sizeof intensity, "%.0f", r.intensity);
    char per_second[8];
    snprintf(per_second, sizeof per_second, "%s/s", r.unit);
    report_si(rate, r.attainable, per_second);
    report_si(flops, r.flops, r.unit);
    base_text_add(text,
                  "%s over %s of data: %s %s/byte; below %.3g bandwidth "
                  "is the peak, so at best %s, "
                  "%.*f%% of %s's peak%s%s",
                  flops, report_bytes(bytes, r.bytes), intensity, r.unit, r.ridge, rate,
                  r.attainable < 0.1 * r.peak, 100 * r.attainable / r.peak, r.type,
                  r.on_tensor ? " on tensor cores" : "", r.sparse ? ", sparse" : "");
    if (r.origin[0])
        base_text_add(text, "; by peaks that were %s, %s", r.origin,
                      report_si(rate, r.measured_attainable, per_second));
}

static void show_memory(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    report_prof_traffic t = report_prof_traffic_of(k);
    if (t.load_requests > 0)
        base_text_add(text, "loads %.1f sectors per request, ideal %.1f", t.load_sectors / t.load_requests,
                      t.load_ideal / t.load_requests);
    if (t.store_requests > 0)
        base_text_add(text, "%s%s %.1f, ideal %.1f", t.load_requests > 0 ? "; " : "",
                      report_prof_has_atomics(k, REPORT_PROF_GLOBAL) ? "stores and atomics" : "stores",
                      t.store_sectors / t.store_requests, t.store_ideal / t.store_requests);
    double moved = 32 * (t.load_sectors + t.store_sectors);
    // More than all is used where lanes share words.
    if (moved > 0 && t.used_bytes <= moved)
        base_text_add(text, "; %.0f%% of the bytes moved are used", 100 * t.used_bytes / moved);
}

static void show_caches(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    char reads[REPORT_NUMBER], writes[REPORT_NUMBER];
    if (!k->caches) return;
    report_prof_dram dram = report_prof_dram_of(k);
    base_text_add(text, "L1 hits %.0f%%, L2 hits %.0f%%; DRAM reads %s, writes %s",
                  100 * report_get_number(k->caches, "l1.hit_rate", 0),
                  100 * report_get_number(k->caches, "l2.hit_rate", 0), report_bytes(reads, dram.read),
                  report_bytes(writes, dram.written));
    if (dram.left > 0)
        base_text_add(text, "; %s%s stay in L2, to be written later", report_bytes(writes, dram.left),
                      dram.written > 0 ? " more" : "");
    base_text_add(text, " (a model, no measurement)");
}

static void show_shared(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    report_prof_traffic t = report_prof_traffic_of(k);
    double extra = t.wavefronts - t.ideal_wavefronts;
    char requests[REPORT_NUMBER];
    if (t.shared_requests > 0)
        base_text_add(text, "%.2f wavefronts per request, ideal %.2f", t.wavefronts / t.shared_requests,
                      t.ideal_wavefronts / t.shared_requests);
    if (t.shared_requests > 0 && extra > 0)
        base_text_add(text, "; bank conflicts%s cost %.0f%% of them",
                      report_prof_has_atomics(k, REPORT_PROF_SHARED) ? " and atomics at one address" : "",
                      100 * extra / t.wavefronts);
    else if (t.shared_requests > 0)
        base_text_add(text, ": no bank conflicts");
    if (t.distributed_requests > 0)
        base_text_add(text,
                      "%s%s requests a launch by the cluster's window, whose wavefronts are not counted",
                      t.shared_requests > 0 ? "; " : "",
                      report_si(requests, t.distributed_requests / (double)k->launches, ""));
}

static void show_atomics(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    report_prof_traffic t = report_prof_traffic_of(k);
    char requests[REPORT_NUMBER];
    if (t.atomic_requests <= 0) return;
    base_text_add(text, "%s requests a launch; %.1f lanes on %.1f addresses each",
                  report_si(requests, t.atomic_requests / (double)k->launches, ""),
                  t.atomic_lanes / t.atomic_requests, t.atomic_distinct / t.atomic_requests);
}

static void show_lanes(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    double branches = report_prof_metric(k->metrics, "ptx__branches.sum"),
           divergent = report_prof_metric(k->metrics, "ptx__branches_divergent.sum");
    base_text_add(text, "%.1f of 32 lanes active", report_prof_active_lanes(k->metrics));
    if (branches > 0) base_text_add(text, "; %.1f%% of the branches diverge", 100 * divergent / branches);
}

static void show_occupancy(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    const report_prof_occupancy *o = &k->occupancy;
    double most = report->gpu.max_threads_per_multiprocessor / 32;
    if (most <= 0) return;
    if (o->registers < 0) {
        base_text_add(text,
                      "registers unknown: ptxas or the PTX is not there; up to %.0f%% by the other limits",
                      100 * o->fraction);
    } else {
        base_text_add(text, "%.0f%% at most: %d of %.0f warps per SM", 100 * o->fraction, o->warps, most);
        if (o->limiter && *o->limiter) base_text_add(text, ", limited by %s", o->limiter);
        base_text_add(text, "; %d registers per thread (ptxas)", o->registers);
    }
    if (k->resident < o->warps) base_text_add(text, "; this grid gives an SM %.0f at most", k->resident);
}

typedef struct fact {
    const char *label;
    void (*show)(base_text *text, const report_prof *report, const report_prof_kernel *k);
} fact;

static const fact facts[] = {
    {"roofline", show_roofline}, {"tensor", report_prof_tensor_show},
    {"memory", show_memory},     {"caches", show_caches},
    {"shared", show_shared},     {"atomics", show_atomics},
    {"lanes", show_lanes},       {"occupancy", show_occupancy},
};

size_t report_prof_show_count(void) { return BASE_COUNT(facts); }
const char *report_prof_show_label(size_t which) { return facts[which].label; }
void report_prof_show_fact(base_text *text, size_t which, const report_prof *report,
                           const report_prof_kernel *k) {
    facts[which].show(text, report, k);
}

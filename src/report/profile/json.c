// The report as JSON: what the page says, with every figure at full precision.
#include <math.h>

#include "report/profile/profile.h"
#include "report/profile/show.h"

static json_t *triple(const uint32_t t[3]) {
    return json_pack("[I,I,I]", (json_int_t)t[0], (json_int_t)t[1], (json_int_t)t[2]);
}

static json_t *seconds_of(const double seconds[OBSERVE_RESOURCES]) {
    json_t *object = json_object();
    for (int r = 0; r < OBSERVE_RESOURCES; r++)
        json_object_set_new(object, observe_resource_name((observe_resource)r), report_number(seconds[r]));
    return object;
}

static json_t *texts(const char *const *list, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(array, json_string(list[i]));
    return array;
}

static json_t *line_of(const report_prof_line *line) {
    json_t *object = json_pack("{s:s, s:i, s:o, s:s, s:s*, s:o}", "file", line->file, "line", (int)line->line,
                               "share", report_number(line->share), "reason", line->reason, "advice",
                               line->advice, "seconds", seconds_of(line->seconds));
    if (line->is_ptx) json_object_set_new(object, "is_ptx", json_true());
    if (line->inlined_at) json_object_set(object, "inlined_at", (json_t *)line->inlined_at);
    if (line->metrics) json_object_set(object, "metrics", (json_t *)line->metrics);
    return object;
}

static json_t *occupancy_of(const report_prof_occupancy *o) {
    return json_pack("{s:o, s:i, s:i, s:o, s:s}", "registers",
                     o->registers < 0 ? json_null() : json_integer(o->registers), "blocks_per_multiprocessor",
                     o->blocks, "warps_per_multiprocessor", o->warps, "fraction", report_number(o->fraction),
                     "limited_by", o->limiter ? o->limiter : "");
}

static json_t *roofline_of(const report_prof *report, const report_prof_kernel *k) {
    report_prof_roofline r;
    if (!report_prof_roofline_of(report, k, &r)) return json_null();
    json_t *measured = r.origin[0] ? json_pack("{s:f, s:f, s:f, s:s}", "bytes_per_s", r.measured_bandwidth,
                                               "flops_per_s", r.measured_peak, "attainable_flops_per_s",
                                               r.measured_attainable, "origin", r.origin)
                                   : NULL;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:s, s:o*}", "flops", r.flops, "dram_bytes_model", r.bytes,
                     "intensity", r.intensity, "ridge", r.ridge, "attainable_flops_per_s", r.attainable,
                     "type", r.type, "measured", measured);
}

static json_t *kernel_of(const report_prof *report, const report_prof_kernel *k) {
    json_t *lines = json_array();
    for (size_t i = 0; i < k->line_count; i++) json_array_append_new(lines, line_of(&k->lines[i]));
    json_t *object = json_pack(
        "{s:s, s:s, s:I, s:o, s:o, s:I, s:s, s:s, s:s, s:b, s:f, s:o, s:o, s:o, s:o, s:o}", "name", k->name,
        "short", k->title, "launches", (json_int_t)k->launches, "grid", triple(k->grid), "block",
        triple(k->block), "shared_bytes", (json_int_t)k->shared_bytes, "bound",
        report_prof_bound_name(k->bound), "resource", observe_resource_name(k->first), "why", k->why, "close",
        k->close, "estimated_seconds", k->estimate, "seconds", seconds_of(k->seconds), "occupancy",
        occupancy_of(&k->occupancy), "roofline", roofline_of(report, k), "advice",
        texts(k->advice, k->advice_count), "notes", texts(k->notes, k->note_count));
    json_object_set_new(object, "launch_seconds", json_real(k->launch));
    if (k->other_shapes)
        json_object_set_new(object, "other_shapes",
                            json_pack("{s:I, s:I, s:f}", "count", (json_int_t)k->other_shapes, "launches",
                                      (json_int_t)k->other_launches, "estimated_seconds", k->other_seconds));
    if (k->metrics) json_object_set(object, "metrics", (json_t *)k->metrics);
    if (k->caches) json_object_set(object, "caches", (json_t *)k->caches);
    json_object_set_new(object, "lines", lines);
    return object;
}

json_t *report_prof_to_json(const report_prof *report) {
    json_t *kernels = json_array();
    for (size_t i = 0; i < report->kernel_count; i++)
        json_array_append_new(kernels, kernel_of(report, &report->kernels[i]));
    return json_pack("{s:s, s:i, s:s, s:s, s:b, s:o}", "kind", "prof", "version", 1, "program",
                     report->program, "gpu", report->gpu_key, "cut", report->cut, "kernels", kernels);
}

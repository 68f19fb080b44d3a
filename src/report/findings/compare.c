// Outputs of runs under different schedules, compared: what differs, by how much, and what may be why.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "report/findings/findings.h"

typedef struct difference {
    uint64_t elements, total; // that differ, of how many; 0 of 0 where the bytes are not known
    double worst;             // relative; NAN where it has no meaning
    double one, other;        // of the first that differs
    uint64_t first;
} difference;

// What an output holds, by the type of the stores: of a packed type, one of its parts.
static ptx_type element_of(const json_t *output) {
    const char *name = report_get_text(output, "element");
    char part[16];
    ptx_type type = ptx_type_named(name);
    if (ptx_type_class(type) != 'v') return type;
    snprintf(part, sizeof part, "%.*s", (int)strcspn(name, "x"), name);
    return ptx_type_named(part);
}

static size_t width_of(ptx_type type) {
    size_t bytes = ptx_type_bits(type) / 8;
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? bytes : 1;
}

static uint64_t read_bits(const char *hex, size_t bytes) {
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bits |= (uint64_t)strtoul(pair, NULL, 16) << (8 * i);
    }
    return bits;
}

static double number_of(ptx_type type, uint64_t bits, size_t bytes) {
    float single;
    double wide;
    uint32_t word = (uint32_t)bits;
    switch (type) {
    case PTX_BF16: return (double)base_bf16_to_f32((uint16_t)bits);
    case PTX_F16: return (double)base_f16_to_f32((uint16_t)bits);
    case PTX_F32: memcpy(&single, &word, sizeof single); return (double)single;
    case PTX_F64: memcpy(&wide, &bits, sizeof wide); return wide;
    default: break;
    }
    if (ptx_type_class(type) == 's') return (double)((int64_t)(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    return (double)bits;
}

static difference compare(const json_t *a, const json_t *b) {
    const char *x = report_get_text(a, "data"), *y = report_get_text(b, "data");
    ptx_type element = element_of(a);
    difference d = {.worst = 0};
    size_t bytes = width_of(element);
    if (!x[0] || strlen(x) != strlen(y)) return d;
    d.total = strlen(x) / (2 * bytes);
    for (uint64_t i = 0; i < d.total; i++) {
        const char *p = x + 2 * bytes * i, *q = y + 2 * bytes * i;
        if (memcmp(p, q, 2 * bytes) == 0) continue;
        double one = number_of(element, read_bits(p, bytes), bytes),
               other = number_of(element, read_bits(q, bytes), bytes);
        double scale = fmax(fabs(one), fabs(other)), apart = scale > 0 ? fabs(one - other) / scale : 0;
        if (!d.elements++) {
            d.first = i;
            d.one = one;
            d.other = other;
        }
        d.worst = isnan(apart) ? NAN : fmax(d.worst, apart);
    }
    return d;
}

static void say_kernels(const json_t *output, base_text *out) {
    size_t i;
    json_t *kernel;
    json_array_foreach(report_get(output, "kernels"), i, kernel)
        base_text_add(out, "%s%s", i ? ", " : ", written by ", json_string_value(kernel));
}

// Floats that differ by no more than another order of additions would make them.
static bool may_be_rounding(const json_t *output, const difference *d) {
    char class = ptx_type_class(element_of(output));                          // floats are stored as bits too
    return (class == 'f' || class == 'b') && d->elements && d->worst <= 0.01; // false for NAN
}

static void say_cause(const json_t *output, const difference *d, base_text *out) {
    if (report_get_bool(output, "atomic_is_float"))
        base_text_add(out,
                      "\nlikely cause: a floating-point atomic adds in the order in which threads come, and "
                      "rounding depends on the order\nwhat to do: reduce in a fixed order (shuffles, shared "
                      "memory, a second kernel), or accept it and compare with a tolerance");
    else if (report_get(output, "atomic"))
        base_text_add(out,
                      "\nlikely cause: the order of atomic operations decides who gets which place or value\n"
                      "what to do: sort afterwards, or compute places by a scan");
    else if (may_be_rounding(output, d))
        base_text_add(
            out,
            "\nlikely cause: partial results are combined in the order in which they arrive (a look-back, "
            "a flag, a ticket), and floats round by the order\nwhat to do: combine them in a fixed "
            "order, or accept it, say so and compare with a tolerance; races would stand in findings "
            "of their own");
    else
        base_text_add(
            out, "\nlikely cause: a data race, an undefined value, or atomics elsewhere whose order shows "
                 "here\nwhat to do: see the other findings first");
}

static json_t *make_finding(const json_t *a, const json_t *b, uint64_t seed_a, uint64_t seed_b) {
    difference d = compare(a, b);
    base_text text = {0};
    base_text_add(&text, "output %llu (%s", (unsigned long long)report_get_count(a, "number"),
                  report_get_text(a, "buffer"));
    say_kernels(a, &text);
    base_text_add(&text, ") differs between the schedules %llu and %llu", (unsigned long long)seed_a,
                  (unsigned long long)seed_b);
    if (d.elements) {
        base_text_add(&text, ": %llu of %llu elements (%s), the first is element %llu: %.9g and %.9g",
                      (unsigned long long)d.elements, (unsigned long long)d.total,
                      report_get_text(a, "element"), (unsigned long long)d.first, d.one, d.other);
        if (!isnan(d.worst)) base_text_add(&text, "; the largest relative difference is %.3g", d.worst);
    }
    say_cause(a, &d, &text);
    json_t *finding =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:I}", "type", "finding", "kind", "nondeterministic",
                  "severity", "warning", "title", "the result depends on the schedule", "text",
                  text.data ? text.data : "", "buffer", report_get_text(a, "buffer"), "count", (json_int_t)1);
    base_text_free(&text);
    const json_t *kernels = report_get(a, "kernels"), *atomic = report_get(a, "atomic");
    if (json_array_size(kernels))
        json_object_set(finding, "kernel", json_array_get(kernels, json_array_size(kernels) - 1));
    if (atomic) json_object_set_new(finding, "first", json_deep_copy(atomic));
    return finding;
}

static json_t *make_count_finding(uint64_t seed_a, uint64_t seed_b) {
    base_text text = {0};
    base_text_add(
        &text,
        "the program copies a different number or size of results to the host under the schedules %llu "
        "and %llu\nlikely cause: what the host does depends on a result that depends on the schedule",
        (unsigned long long)seed_a, (unsigned long long)seed_b);
    json_t *finding =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "type", "finding", "kind", "nondeterministic", "severity",
                  "warning", "title", "the result depends on the schedule", "text",
                  text.data ? text.data : "", "count", (json_int_t)1);
    base_text_free(&text);
    return finding;
}

// Whether anything differed.
static bool compare_pair(report_findings *findings, const report_record *a, const report_record *b,
                         uint64_t seed_a, uint64_t seed_b, const char *target) {
    size_t at_a = 0, at_b = 0;
    bool differs = false;
    for (;;) {
        const json_t *x = report_record_next(a, "output", &at_a), *y = report_record_next(b, "output", &at_b);
        if (!x && !y) return differs;
        json_t *finding = NULL;
        bool same_shape = x && y && report_get_count(x, "bytes") == report_get_count(y, "bytes");
        if (!same_shape)
            finding = make_count_finding(seed_a, seed_b);
        else if (strcmp(report_get_text(x, "hash"), report_get_text(y, "hash")))
            finding = make_finding(x, y, seed_a, seed_b);
        if (finding) report_findings_add_one(findings, finding, target, seed_b);
        differs |= finding != NULL;
        json_decref(finding);
        if (!same_shape) return true;
    }
}

void report_findings_compare(report_findings *findings, const report_record *records, const uint64_t *seeds,
                             size_t count, const char *target) {
    for (size_t i = 1; i < count; i++)
        if (compare_pair(findings, &records[0], &records[i], seeds[0], seeds[i], target)) return;
}

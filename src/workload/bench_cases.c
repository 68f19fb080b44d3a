// What kz bench measures on a device. See bench.h.
#include "workload/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family/check.h"

// What a device does in reasonable time where nothing was asked for by name.
typedef struct limits {
    uint64_t elements;
    double flops;
} limits;
static limits limits_of(const kz_device_info *device) {
    switch (device ? device->kind : KZ_DEVICE_CUDA) {
    case KZ_DEVICE_SIM: return (limits){1 << 20, 1e8};
    case KZ_DEVICE_CPU: return (limits){1 << 24, 4e9};
    default: return (limits){UINT64_MAX, INFINITY};
    }
}

static bool fits(const kz_family *family, const kz_case *c, const limits *most) {
    return family_case_elements(family, c) <= most->elements && family->work(c).flops <= most->flops;
}

static kz_status add_matching(workload_bench_cases *s, const kz_family *family, const char *pattern,
                              const limits *most, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status = workload_find_cases(family, pattern, KZ_USE_BENCH, &cases, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status; i++) {
        // A glob means cases worth timing, where there are any; edge cases must be named.
        bool meant = !pattern || !strpbrk(pattern, "*?[") || (cases[i].use & KZ_USE_BENCH);
        if (meant && (pattern || fits(family, &cases[i], most)))
            status = workload_bench_cases_add(s, family, &cases[i], NULL, error);
    }
    free(cases);
    return status;
}

static const kz_case *largest_that_fits(const kz_family *family, const limits *most) {
    const kz_case *best = NULL;
    for (size_t i = 0; i < family->case_count; i++) {
        const kz_case *c = &family->cases[i];
        if (c->misalign || c->data != KZ_DATA_UNIFORM || !fits(family, c, most)) continue;
        if (!best || family_case_elements(family, c) > family_case_elements(family, best)) best = c;
    }
    return best;
}

// All cases that are timed are too large for this device: why, and a command that is not.
static void suggest_case(const kz_family *family, const kz_device_info *device, const limits *most,
                         kz_error *error) {
    char name[FAMILY_CASE_NAME];
    base_fail(error, KZ_NOT_FOUND,
              "the cases of %s that are timed are of a GPU's size, too large for %s (%.3g elements and %.3g "
              "flops at most)",
              family->name, device->id, (double)most->elements, most->flops);
    const kz_case *c = largest_that_fits(family, most);
    if (!c) return;
    family_case_name(family, c, name);
    base_fail_note(error, "one of any size can be named: kz bench %s --case %s --device %s", family->name,
                   name, device->id);
}

// ---- suites -----------------------------------------------------------------------------------------------

static uint64_t bytes_of(const kz_family *family, const kz_case *c) {
    kz_buffer buffers[KZ_FAMILY_BUFFERS] = {0};
    uint64_t bytes = 0;
    size_t count = family->buffers(c, buffers);
    for (size_t i = 0; i < count; i++) bytes += buffers[i].count * kz_type_size(buffers[i].type);
    return bytes;
}

static bool is_asked_for(const workload *w, const char *pattern, const workload_bench_case *item) {
    bool family = false;
    for (size_t i = 0; i < w->zoo.count; i++) family = family || w->zoo.families[i] == item->family;
    return family && (!pattern || family_case_matches(item->family, &item->c, pattern));
}

// The first case that does not fit into memory is shown where the file asks for it.
static void complain_of_memory(const workload_bench_options *o, const kz_device_info *device,
                               const workload_bench_case *item, size_t count) {
    char name[FAMILY_CASE_NAME], consequence[100];
    kz_error error = {0};
    family_case_name(item->family, &item->c, name);
    workload_suite_point(o->suite, item->part, &error, "%s %s has buffers of %.3g GB, and %s has %.3g GB",
                         item->family->name, name, (double)bytes_of(item->family, &item->c) / 1e9, device->id,
                         (double)device->memory_bytes / 1e9);
    snprintf(consequence, sizeof consequence,
             "%zu case%s left out for the same reason, and the rest measured", count,
             count == 1 ? " is" : "s are");
    if (o->complain) o->complain(&error, consequence);
}

// What the device cannot hold, or not do in reasonable time, is left out, and that is said.
static void drop_large(const workload_bench_options *o, const kz_device_info *device,
                       workload_bench_cases *cases) {
    const limits most = limits_of(device);
    size_t kept = 0, heavy = 0, all = cases->count;
    workload_bench_case first = {0};
    for (size_t i = 0; i < all; i++) {
        const workload_bench_case item = cases->items[i];
        bool holds = bytes_of(item.family, &item.c) <= device->memory_bytes;
        if (!holds && !heavy++) first = item;
        if (holds && fits(item.family, &item.c, &most)) cases->items[kept++] = item;
    }
    cases->count = kept;
    if (heavy) complain_of_memory(o, device, &first, heavy);
    if (kept + heavy == all || !o->note) return;
    char text[200];
    snprintf(text, sizeof text, "%zu of %zu cases of the suite would take too long on %s, and are left out",
             all - kept - heavy, all, device->id);
    o->note(text);
}

static void note_gpu(const workload_bench_options *o, const kz_device_info *device) {
    const char *gpu = o->suite->gpu;
    char text[300];
    if (!gpu || strcmp(gpu, device->gpu) == 0 || !o->note) return;
    snprintf(text, sizeof text, "the suite %s was written for %s: sizes and targets are not made for %s",
             o->suite->name, gpu, device->id);
    o->note(text);
}

static void note_drawn(const workload_bench_options *o, const workload_bench_cases *cases) {
    char text[300];
    if (!cases->drawn_again || !o->note) return;
    snprintf(text, sizeof text,
             "the suite %s draws %zu case%s that it has already: there are fewer than its count asks for",
             o->suite->name, cases->drawn_again, cases->drawn_again == 1 ? "" : "s");
    o->note(text);
}

static kz_status select_suite(const workload *w, const workload_bench_options *o,
                              const kz_device_info *device, workload_bench_cases *cases, kz_error *error) {
    kz_status status = workload_suite_cases(o->suite, cases, error);
    if (status) return status;
    size_t kept = 0, all = cases->count;
    note_drawn(o, cases);
    for (size_t i = 0; i < all; i++)
        if (is_asked_for(w, o->pattern, &cases->items[i])) cases->items[kept++] = cases->items[i];
    cases->count = kept;
    if (!kept) {
        base_fail(error, KZ_NOT_FOUND, "the suite %s has %zu cases, and none of what was asked for",
                  o->suite->name, all);
        base_fail_note(error, "kz bench --suite %s --list shows them", o->suite->word);
        return KZ_NOT_FOUND;
    }
    if (device) note_gpu(o, device);
    if (device) drop_large(o, device, cases);
    if (cases->count) return KZ_OK;
    base_fail(error, KZ_NO_DEVICE, "all cases of the suite %s are too large for %s%s", o->suite->name,
              device->id, device->has_clock ? "" : ", which has no clock");
    base_fail_note(error,
                   "a suite is timed on a GPU; name cases to %s: kz bench FAMILY --device %s --case NAME",
                   device->has_clock ? "time here" : "count in the simulator", device->id);
    return KZ_NO_DEVICE;
}

// ---- quick --------------------------------------------------------------------------------------------------

static int by_bytes(const void *a, const void *b) {
    const workload_bench_case *x = a, *y = b;
    double s = x->family->work(&x->c).bytes, t = y->family->work(&y->c).bytes;
    return (s > t) - (s < t);
}

// Of each family's cases that stand together, the least and the middle one.
static void keep_few(workload_bench_cases *cases) {
    size_t kept = 0;
    for (size_t from = 0, to; from < cases->count; from = to) {
        workload_bench_case *first = &cases->items[from];
        for (to = from; to < cases->count && cases->items[to].family == first->family &&
                        cases->items[to].part == first->part;)
            to++;
        qsort(first, to - from, sizeof *first, by_bytes);
        workload_bench_case middle = first[(to - from) / 2];
        cases->items[kept++] = *first;
        if (to - from > 1) cases->items[kept++] = middle;
    }
    cases->count = kept;
}

// ---- all of it ----------------------------------------------------------------------------------------------

static kz_status select_named(const workload *w, const workload_bench_options *o,
                              const kz_device_info *device, workload_bench_cases *cases, kz_error *error) {
    const kz_family *const *families = w->zoo.families;
    size_t count = w->zoo.count;
    const limits most = limits_of(device);
    bool found = false;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count; i++) {
        status = add_matching(cases, families[i], o->pattern, &most, error);
        found = found || !status;
        if (status && status != KZ_NOT_FOUND && status != KZ_INVALID) return status;
    }
    if (!found && status) return status;
    if (cases->count) return KZ_OK;
    if (!o->pattern && count == 1 && most.elements < UINT64_MAX) {
        suggest_case(families[0], device, &most, error);
        return KZ_NOT_FOUND;
    }
    base_fail(error, KZ_NOT_FOUND, "there is no case to time on %s", device ? device->id : "a GPU");
    base_fail_note(error, "kz info FAMILY lists cases; --case takes one of any size");
    return KZ_NOT_FOUND;
}

kz_status workload_bench_select(const workload *w, const workload_bench_options *o,
                                const kz_device_info *device, workload_bench_cases *cases, kz_error *error) {
    *cases = (workload_bench_cases){0};
    kz_status status =
        o->suite ? select_suite(w, o, device, cases, error) : select_named(w, o, device, cases, error);
    size_t all = cases->count;
    char text[120];
    if (!status && o->quick) keep_few(cases);
    snprintf(text, sizeof text, "--quick: %zu of %zu cases, two sizes of each family", cases->count, all);
    if (cases->count < all && o->note) o->note(text);
    return status;
}

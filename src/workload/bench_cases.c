// What kz bench measures on a device. See bench.h.
#include "workload/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "family/check.h"

static kz_status add_case(workload_bench_cases *all, const kz_family *family, const kz_case *c,
                          kz_error *error) {
    char name[FAMILY_CASE_NAME];
    family_case_name(family, c, name);
    for (size_t i = 0; i < all->count; i++)
        if (all->items[i].family == family && family_case_matches(family, &all->items[i].c, name))
            return KZ_OK;
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        void *grown = realloc(all->items, capacity * sizeof *all->items);
        if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory for the list of cases");
        all->items = grown;
        all->capacity = capacity;
    }
    all->items[all->count].family = family;
    all->items[all->count++].c = *c;
    return KZ_OK;
}

// What a device does in reasonable time where nothing was asked for by name.
typedef struct limits {
    uint64_t elements;
    double flops;
} limits;
static limits limits_of(const kz_device_info *device) {
    switch (device->kind) {
    case KZ_DEVICE_SIM: return (limits){1 << 20, 1e8};
    case KZ_DEVICE_CPU: return (limits){1 << 24, 4e9};
    default: return (limits){UINT64_MAX, INFINITY};
    }
}

static kz_status add_matching(workload_bench_cases *s, const kz_family *family, const char *pattern,
                              const limits *most, kz_error *error) {
    kz_case *cases;
    size_t count;
    kz_status status = workload_find_cases(family, pattern, KZ_USE_BENCH, &cases, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count && !status; i++) {
        bool fits = pattern || (family_case_elements(family, &cases[i]) <= most->elements &&
                                family->work(&cases[i]).flops <= most->flops);
        // A glob means cases worth timing, where there are any; edge cases must be named.
        bool meant = !pattern || !strpbrk(pattern, "*?[") || (cases[i].use & KZ_USE_BENCH);
        if (fits && meant) status = add_case(s, family, &cases[i], error);
    }
    free(cases);
    return status;
}

// All cases that are timed are too large for this device: why, and a command that is not.
static void suggest_case(const kz_family *family, const kz_device_info *device, const limits *most,
                         kz_error *error) {
    kz_case c;
    char name[FAMILY_CASE_NAME];
    base_fail(error, KZ_NOT_FOUND,
              "the cases of %s that are timed are of a GPU's size, too large for %s (%llu elements at most)",
              family->name, device->id, (unsigned long long)most->elements);
    if (workload_choose_case(family, NULL, NULL, most->elements, &c, NULL)) return;
    family_case_name(family, &c, name);
    base_fail_note(error, "one of any size can be named: kz bench %s --case %s --device %s", family->name,
                   name, device->id);
}

// A suite is what the targets of a GPU speak of, with the rivals and the whole ladder.
static kz_status add_suite(workload_bench_cases *s, const kz_family *family, const char *gpu,
                           kz_error *error) {
    bench_targets targets;
    kz_status status = bench_targets_of(family->name, &targets, error);
    for (size_t i = 0; i < targets.count && !status; i++)
        if (strcmp(targets.rows[i].gpu, gpu) == 0)
            status = add_matching(s, family, targets.rows[i].pattern, NULL, error);
    return status;
}

kz_status workload_bench_select(const workload *w, const workload_bench_options *o,
                                const kz_device_info *device, workload_bench_cases *cases, kz_error *error) {
    const kz_family *const *families = w->zoo.families;
    size_t count = w->zoo.count;
    const limits most = limits_of(device);
    *cases = (workload_bench_cases){0};
    bool found = false;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count; i++) {
        if (o->suite)
            status = add_suite(cases, families[i], o->suite, error);
        else
            status = add_matching(cases, families[i], o->pattern, &most, error);
        found = found || !status;
        if (status && status != KZ_NOT_FOUND && status != KZ_INVALID) return status;
    }
    if (!found && status) return status;
    if (cases->count && o->suite && device->kind == KZ_DEVICE_SIM)
        return base_fail(error, KZ_NO_DEVICE,
                         "a suite is timed on a GPU, and %s has no clock\nname cases to count in the "
                         "simulator: kz bench FAMILY --device sim",
                         device->id);
    if (cases->count) return KZ_OK;
    if (o->suite)
        base_fail(error, KZ_NOT_FOUND, "there is no suite \"%s\": no targets.csv names that GPU", o->suite);
    else if (!o->pattern && count == 1 && most.elements < UINT64_MAX) {
        suggest_case(families[0], device, &most, error);
        return KZ_NOT_FOUND;
    } else
        base_fail(error, KZ_NOT_FOUND, "there is no case to time on %s", device->id);
    base_fail_note(error, "kz info FAMILY lists cases; --case takes one of any size");
    return KZ_NOT_FOUND;
}

void workload_bench_cases_free(workload_bench_cases *cases) {
    free(cases->items);
    *cases = (workload_bench_cases){0};
}

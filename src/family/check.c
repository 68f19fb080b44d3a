// One check, from plan to verdict. See check.h.
#include "family/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "family/buffers.h"
#include "family/case.h"

enum { ROUNDS = 2, KEEP_BYTES = 1 << 26 };

const char *family_outcome_name(family_outcome outcome) {
    static const char *const names[FAMILY_OUTCOMES] = {"passed", "wrong", "faulted", "skipped", "failed"};
    return (unsigned)outcome < FAMILY_OUTCOMES ? names[outcome] : "?";
}

bool family_variant_suits(const kz_variant *variant, const kz_device_info *device) {
    return (variant->natives != NULL) == (device->kind == KZ_DEVICE_CPU);
}

kz_status family_make_plan(const family_check_job *job, kz_plan *plan, kz_error *error) {
    const kz_device_info *info = kz_device_get_info(job->device);
    *plan = (kz_plan){0};
    if (job->guest) return family_guest_plan(job->guest, job->c, info, plan, error);
    if (job->c->use & KZ_USE_HUGE && info->kind != KZ_DEVICE_CUDA)
        return base_fail(error, KZ_UNSUPPORTED, "past 2^31 elements: for GPUs only");
    return kz_variant_plan(job->family, job->variant, job->c, info, plan, error);
}

// ---- one output against its reference -----------------------------------------------------------

static const void *find_same_input(const family_buffers *b, const kz_buffer *output) {
    for (size_t i = 0; i < b->count; i++) {
        const family_slot *slot = &b->slots[i];
        if (slot->what.role != KZ_OUTPUT && slot->what.type == output->type &&
            slot->what.count == output->count)
            return slot->host;
    }
    return NULL;
}

// A number as a reader wants it: NaN and Inf by name.
static void print_number(char text[32], double value, int digits) {
    if (isnan(value))
        snprintf(text, 32, "NaN");
    else if (isinf(value))
        snprintf(text, 32, "%sInf", value < 0 ? "-" : "+");
    else
        snprintf(text, 32, "%.*g", digits, value);
}

static kz_status say_wrong(const family_slot *slot, const family_comparison *m, const char *rule,
                           kz_error *error) {
    char got[32], expected[32], bound[32] = "";
    // As many digits as it takes to tell the two apart.
    for (int digits = 9; digits <= 17; digits += 4) {
        print_number(got, m->got, digits);
        print_number(expected, m->expected, digits);
        if (strcmp(got, expected) != 0) break;
    }
    base_fail(error, KZ_WRONG, "%s", m->pattern);
    if (m->bound > 0 && isfinite(m->expected)) snprintf(bound, sizeof bound, " within %.3g", m->bound);
    base_fail_note(error, "%s[%llu] is %s, expected %s%s; %llu of %llu are wrong", slot->what.name,
                   (unsigned long long)m->first_wrong, got, expected, bound, (unsigned long long)m->wrong,
                   (unsigned long long)m->count);
    if (m->cause[0]) base_fail_note(error, "likely: %s", m->cause);
    if (rule) base_fail_note(error, "the rule: %s", rule);
    return KZ_WRONG;
}

kz_status family_compare_slot(const family_check_job *job, const family_buffers *b, size_t which,
                              const void *previous, family_comparison *comparison, kz_error *error) {
    const family_slot *slot = &b->slots[which];
    uint64_t count = slot->what.count;
    void *host[KZ_FAMILY_BUFFERS];
    for (size_t i = 0; i < b->count; i++) host[i] = b->slots[i].host;
    double *expected = malloc((count + 1) * sizeof *expected), *bound = malloc((count + 1) * sizeof *bound);
    kz_status status = KZ_OK;
    if (!expected || !bound)
        status = base_fail(error, KZ_NO_MEMORY, "no host memory for the reference (%.2f GB)",
                           (double)count * 16 / 1e9);
    if (!status) status = job->family->reference(job->c, host, which, expected, bound, error);
    if (!status) {
        bool matrix = job->family->axes[0] && job->family->axes[1];
        family_output output = {.type = slot->what.type,
                                .count = count,
                                .got = slot->got,
                                .expected = expected,
                                .bound = bound,
                                .read = job->family->read ? job->family->read(job->c, which) : NULL,
                                .input = find_same_input(b, &slot->what),
                                .previous = previous,
                                .is_zeroed = true, // a plan may begin with a fill
                                .rows = matrix ? (uint64_t)job->c->axes[0] : 0,
                                .columns = matrix ? (uint64_t)job->c->axes[1] : 0};
        family_compare(&output, comparison);
        const char *rule = job->family->rule ? job->family->rule(job->c, which) : NULL;
        if (comparison->wrong) status = say_wrong(slot, comparison, rule, error);
    }
    free(expected);
    free(bound);
    return status;
}

// ---- one run ------------------------------------------------------------------------------------

typedef struct kept {
    void *bytes[KZ_FAMILY_BUFFERS]; // what the outputs held after an earlier run
} kept;

static void keep(kept *k, const family_buffers *b) {
    for (size_t i = 0; i < b->count; i++) {
        const family_slot *slot = &b->slots[i];
        if (!slot->got || slot->bytes > KEEP_BYTES) continue;
        if (!k->bytes[i]) k->bytes[i] = malloc(slot->bytes + 1);
        if (k->bytes[i]) memcpy(k->bytes[i], slot->got, slot->bytes);
    }
}

static void drop(kept *k) {
    for (size_t i = 0; i < KZ_FAMILY_BUFFERS; i++) free(k->bytes[i]);
}

static kz_status run_plan(const family_check_job *job, family_buffers *b, const kz_plan *plan, uint64_t seed,
                          int round, kz_error *error) {
    // Garbage that counts as NaN, and garbage that does not: no kernel may rely on either.
    kz_status status = family_buffers_fill(b, seed, round == 0 ? 0xa5 : 0xff, error);
    if (!status)
        status = kz_plan_run(job->device, NULL, job->module, plan, b->addresses, b->count, b->workspace.data,
                             error);
    return status ? status : family_buffers_read(b, error);
}

static kz_status run_counted(const family_check_job *job, family_buffers *b, const kz_plan *plan,
                             uint64_t seed, int round, kz_counters *counters, kz_error *error) {
    bool count = job->count && round == 0 && kz_counters_enable(job->device, true, NULL) == KZ_OK;
    counters->size = sizeof *counters;
    if (count) kz_counters_read(job->device, counters, true, NULL);
    kz_status status = run_plan(job, b, plan, seed, round, error);
    if (count) {
        kz_counters_read(job->device, counters, true, NULL);
        kz_counters_enable(job->device, false, NULL);
    }
    return status;
}

static kz_status compare_all(const family_check_job *job, family_buffers *b, const kept *before,
                             family_check_result *result) {
    for (size_t i = 0; i < b->count; i++) {
        if (!b->slots[i].got) continue;
        family_comparison comparison;
        kz_status status = family_compare_slot(job, b, i, before->bytes[i], &comparison, &result->error);
        if (status && status != KZ_WRONG) return status;
        if (!result->buffer || status || comparison.worst_ratio >= result->comparison.worst_ratio) {
            result->buffer = b->slots[i].what.name;
            result->comparison = comparison;
        }
        if (status) return status;
    }
    return KZ_OK;
}

// A wrong answer that is another one on the same data is a race; the simulator never has one.
static void look_for_race(const family_check_job *job, family_buffers *b, const kz_plan *plan, int round,
                          family_check_result *result) {
    if (kz_device_get_info(job->device)->kind == KZ_DEVICE_SIM) return;
    kept first = {0};
    keep(&first, b);
    if (run_plan(job, b, plan, result->seed, round, NULL) == KZ_OK) {
        bool same = true;
        for (size_t i = 0; i < b->count; i++)
            if (first.bytes[i] && memcmp(first.bytes[i], b->slots[i].got, b->slots[i].bytes) != 0)
                same = false;
        if (!same) base_fail_note(&result->error, "it differs from run to run on the same data: a race?");
    }
    drop(&first);
}

// ---- the check ----------------------------------------------------------------------------------

static kz_status run_rounds(const family_check_job *job, family_buffers *b, const kz_plan *plan,
                            family_check_result *result) {
    kept before = {0};
    kz_status status = KZ_OK;
    for (int round = 0; round < ROUNDS && !status; round++) {
        base_philox_block other = base_philox(job->seed, UINT64_MAX, (uint64_t)round);
        result->seed = round == 0 ? job->seed
                                  : ((uint64_t)other.word[1] << 32 | other.word[0]) >> 11; // as JSON holds it
        status = run_counted(job, b, plan, result->seed, round, &result->counters, &result->error);
        if (!status) status = compare_all(job, b, &before, result);
        if (status == KZ_WRONG) look_for_race(job, b, plan, round, result);
        if (!status) keep(&before, b);
    }
    drop(&before);
    return status;
}

static family_outcome outcome_of(kz_status status) {
    switch (status) {
    case KZ_OK: return FAMILY_PASSED;
    case KZ_WRONG: return FAMILY_WRONG;
    case KZ_FAULT:
    case KZ_DEADLOCK: return FAMILY_FAULTED;
    default: return FAMILY_FAILED;
    }
}

static bool writes_nothing(const family_buffers *b) {
    uint64_t elements = 0;
    for (size_t i = 0; i < b->count; i++)
        if (b->slots[i].what.role != KZ_INPUT) elements += b->slots[i].what.count;
    return elements == 0;
}

void family_check(const family_check_job *job, family_check_result *result) {
    *result = (family_check_result){.seed = job->seed};
    result->work = job->family->work(job->c);
    result->elements = family_case_elements(job->family, job->c);
    kz_plan plan;
    family_buffers buffers = {0};
    kz_status status = family_make_plan(job, &plan, &result->error);
    if (status) {
        result->outcome = status == KZ_UNSUPPORTED ? FAMILY_SKIPPED : outcome_of(status);
        return;
    }
    status =
        family_buffers_open(job->family, job->c, job->device, plan.workspace_bytes, &buffers, &result->error);
    if (!status) status = run_rounds(job, &buffers, &plan, result);
    if (status == KZ_FAULT && job->guest && writes_nothing(&buffers))
        base_fail_note(&result->error,
                       "likely: this case is empty, and a grid of 0 blocks becomes 1: a block "
                       "without work has to return");
    // A case of ordinary size that gets no memory was not checked, and that is no success.
    result->outcome = buffers.is_too_large ? FAMILY_SKIPPED : outcome_of(status);
    if (!status) result->error = (kz_error){0};
    // A fault poisons a CUDA context: nothing that lives in it can be used, or freed.
    bool failed = result->outcome == FAMILY_FAULTED || result->outcome == FAMILY_FAILED;
    result->device_lost = failed && kz_device_get_info(job->device)->kind == KZ_DEVICE_CUDA;
    family_buffers_close(&buffers);
}

// Building plans: the helpers of kz/family.h that append steps.
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "kz/family.h"

kz_arg kz_arg_buffer(uint32_t buffer) { return (kz_arg){.kind = KZ_ARG_BUFFER, .buffer = buffer}; }

kz_arg kz_arg_workspace(uint64_t offset) { return (kz_arg){.kind = KZ_ARG_WORKSPACE, .offset = offset}; }

kz_arg kz_arg_u64(uint64_t value) { return (kz_arg){.kind = KZ_ARG_SCALAR, .scalar = value}; }

kz_arg kz_arg_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (kz_arg){.kind = KZ_ARG_SCALAR, .scalar = bits};
}

static kz_step *add_step(kz_plan *plan, kz_step_kind kind) {
    assert(plan->step_count < KZ_PLAN_STEPS);
    kz_step *step = &plan->steps[plan->step_count++];
    *step = (kz_step){.kind = kind};
    return step;
}

kz_step *kz_plan_add_launch(kz_plan *plan, const char *entry, uint64_t blocks, uint32_t threads,
                            const kz_arg *args, size_t arg_count) {
    assert(blocks > 0 && blocks <= INT32_MAX && threads > 0 && arg_count <= KZ_PLAN_ARGS);
    kz_step *step = add_step(plan, KZ_STEP_LAUNCH);
    assert(strlen(entry) < sizeof step->entry);
    snprintf(step->entry, sizeof step->entry, "%s", entry);
    step->launch =
        (kz_launch){.size = sizeof(kz_launch), .grid = {(uint32_t)blocks, 1, 1}, .block = {threads, 1, 1}};
    step->arg_count = (uint32_t)arg_count;
    memcpy(step->args, args, arg_count * sizeof *args);
    return step;
}

kz_step *kz_plan_add_entry(kz_plan *plan, const kz_family *family, const kz_case *c, const char *idea,
                           uint64_t blocks, uint32_t threads, const kz_arg *args, size_t arg_count) {
    char entry[KZ_ENTRY_NAME];
    kz_entry_name(entry, family->name, idea, family->operations[c->operation], c->type);
    return kz_plan_add_launch(plan, entry, blocks, threads, args, arg_count);
}

kz_step *kz_plan_add_fill(kz_plan *plan, kz_arg to, uint8_t byte, uint64_t bytes) {
    kz_step *step = add_step(plan, KZ_STEP_FILL);
    step->arg_count = 1;
    step->args[0] = to;
    step->fill = byte;
    step->bytes = bytes;
    return step;
}

kz_step *kz_plan_add_copy(kz_plan *plan, kz_arg to, kz_arg from, uint64_t bytes) {
    kz_step *step = add_step(plan, KZ_STEP_COPY);
    step->arg_count = 2;
    step->args[0] = to;
    step->args[1] = from;
    step->bytes = bytes;
    return step;
}

static kz_step *add_order(kz_plan *plan, kz_step_kind kind, uint32_t stream, uint32_t event) {
    assert(stream < KZ_PLAN_STREAMS && event < KZ_PLAN_EVENTS);
    kz_step *step = add_step(plan, kind);
    step->stream = stream;
    step->event = event;
    return step;
}

kz_step *kz_plan_add_record(kz_plan *plan, uint32_t stream, uint32_t event) {
    return add_order(plan, KZ_STEP_RECORD, stream, event);
}
kz_step *kz_plan_add_wait(kz_plan *plan, uint32_t stream, uint32_t event) {
    return add_order(plan, KZ_STEP_WAIT, stream, event);
}
kz_step *kz_plan_add_synchronize(kz_plan *plan, uint32_t stream) {
    return add_order(plan, KZ_STEP_SYNCHRONIZE, stream, 0);
}

void kz_entry_name(char name[KZ_ENTRY_NAME], const char *family, const char *idea, const char *operation,
                   kz_type type) {
    int length = snprintf(name, KZ_ENTRY_NAME, "%s_%s_%s_%s", family, idea, operation, kz_type_name(type));
    assert(length < KZ_ENTRY_NAME);
    (void)length;
}

kz_status kz_plan_refuse(kz_error *error, const char *format, ...) {
    char reason[256];
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    return base_fail(error, KZ_UNSUPPORTED, "%s", reason);
}

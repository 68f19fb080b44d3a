// Building plans: the helpers of kz/plan.h and kz/family.h that append steps.
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

kz_arg kz_plan_add_map(kz_plan *plan, kz_arg at, const kz_tensor *tensor) {
    uint32_t index = plan ? plan->map_count++ : 0;
    if (plan && tensor && index < KZ_PLAN_MAPS) plan->maps[index] = (kz_plan_map){at, *tensor};
    return (kz_arg){.kind = KZ_ARG_TENSOR_MAP, .buffer = index};
}

// The next step; NULL where the plan is full. It is counted even so, and kz_plan_run refuses a plan of so many.
static kz_step *add_step(kz_plan *plan, kz_step_kind kind, uint32_t stream) {
    uint32_t index = plan->step_count;
    if (index < UINT32_MAX) plan->step_count++;
    if (index >= KZ_PLAN_STEPS) return NULL;
    kz_step *step = &plan->steps[index];
    *step = (kz_step){.kind = kind, .stream = stream};
    return step;
}

void kz_plan_add_kernel(kz_plan *plan, uint32_t stream, const char *entry, const kz_launch *launch,
                        const kz_arg *args, size_t arg_count) {
    if (!plan) return;
    kz_step *step = add_step(plan, KZ_STEP_LAUNCH, stream);
    if (!step) return;
    size_t length = entry ? strlen(entry) : 0;
    if (length)
        memcpy(step->entry, entry, kz_min_u64(length, sizeof step->entry)); // too long: without an end
    if (launch) step->launch = *launch;
    if (!args) return;
    step->arg_count = (uint32_t)kz_min_u64(arg_count, UINT32_MAX);
    memmove(step->args, args, kz_min_u64(arg_count, KZ_PLAN_ARGS) * sizeof *args);
}

void kz_plan_add_fill(kz_plan *plan, kz_arg to, uint8_t byte, uint64_t bytes) {
    if (!plan) return;
    kz_step *step = add_step(plan, KZ_STEP_FILL, 0);
    if (!step) return;
    step->arg_count = 1;
    step->args[0] = to;
    step->fill = byte;
    step->bytes = bytes;
}

void kz_plan_add_copy(kz_plan *plan, uint32_t stream, kz_arg to, kz_arg from, uint64_t bytes) {
    if (!plan) return;
    kz_step *step = add_step(plan, KZ_STEP_COPY, stream);
    if (!step) return;
    step->arg_count = 2;
    step->args[0] = to;
    step->args[1] = from;
    step->bytes = bytes;
}

static void add_event_step(kz_plan *plan, kz_step_kind kind, uint32_t stream, uint32_t event) {
    kz_step *step = plan ? add_step(plan, kind, stream) : NULL;
    if (step) step->event = event;
}

void kz_plan_add_record(kz_plan *plan, uint32_t stream, uint32_t event) {
    add_event_step(plan, KZ_STEP_RECORD, stream, event);
}
void kz_plan_add_wait(kz_plan *plan, uint32_t stream, uint32_t event) {
    add_event_step(plan, KZ_STEP_WAIT, stream, event);
}
void kz_plan_add_synchronize(kz_plan *plan, uint32_t stream) {
    add_event_step(plan, KZ_STEP_SYNCHRONIZE, stream, 0);
}

// ---- for a family's variants ------------------------------------------------------------------------

size_t kz_guest_args(const kz_family *family, const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    if (!family || !c || !args) return 0;
    if (family->guest_args) return family->guest_args(c, args);
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    uint32_t count = 0, buffer_count = (uint32_t)family->buffers(c, buffers);
    for (; count < buffer_count; count++) args[count] = kz_arg_buffer(count);
    for (size_t i = 0; i < KZ_CASE_AXES && family->axes[i] && count < KZ_PLAN_ARGS; i++)
        args[count++] = kz_arg_u64((uint64_t)c->axes[i]);
    return count;
}

const char *kz_variant_idea(const kz_variant *variant) {
    if (!variant) return NULL;
    const char *idea = strchr(variant->name, '_');
    return idea ? idea + 1 : variant->name;
}

static void make_entry(const kz_planner *p, const char *idea, const kz_plan_launch *launch,
                       char name[KZ_ENTRY_NAME]) {
    const kz_family *family = p->family;
    kz_entry of = {family->operations[p->c->operation], p->c->type};
    if (family->entry) of = family->entry(p->c);
    if (launch->operation) of.operation = launch->operation;
    const char *part = launch->part;
    char whole[KZ_ENTRY_NAME];
    snprintf(whole, sizeof whole, "%s%s%s", idea, part ? "_" : "", part ? part : "");
    kz_entry_name(name, family->name, whole, of.operation, of.type);
}

kz_status kz_plan_add_launch(const kz_planner *p, const kz_plan_launch *launch) {
    kz_status status = BASE_NEED(p, PLANNER, NULL);
    if (!status) status = BASE_NEED(launch, PLAN_LAUNCH, p->error);
    if (status) return status;
    const char *idea = launch->idea ? launch->idea : kz_variant_idea(p->variant), *entry = launch->entry;
    if (launch->blocks > INT32_MAX)
        return kz_plan_refuse(p->error, "%s takes %llu blocks here, more than a grid has", idea,
                              (unsigned long long)launch->blocks);
    if (launch->blocks == 0) return KZ_OK;
    char name[KZ_ENTRY_NAME];
    if (!entry) make_entry(p, idea, launch, name);
    kz_arg guest[KZ_PLAN_ARGS];
    const kz_arg *args = launch->args;
    size_t arg_count = launch->arg_count;
    if (!args) arg_count = kz_guest_args(p->family, p->c, guest), args = guest;
    kz_launch shape = {.size = sizeof(kz_launch),
                       .grid = {(uint32_t)launch->blocks, 1, 1},
                       .block = {launch->threads, 1, 1},
                       .dynamic_shared_bytes = launch->shared_bytes,
                       .cooperative = launch->cooperative,
                       .overlap = launch->overlap};
    if (launch->cluster) memcpy(shape.cluster, (uint32_t[]){launch->cluster, 1, 1}, sizeof shape.cluster);
    kz_plan_add_kernel(p->plan, launch->stream, entry ? entry : name, &shape, args, arg_count);
    return KZ_OK;
}

kz_status kz_plan_tiles(const kz_planner *p) {
    kz_status status = BASE_NEED(p, PLANNER, NULL);
    if (status) return status;
    const kz_variant *row = p->variant;
    uint64_t blocks = kz_ceil_div((uint64_t)p->c->axes[0], row->tile);
    if (row->width) blocks *= kz_ceil_div((uint64_t)p->c->axes[1], row->width);
    if (row->blocks) blocks = kz_min_u64(blocks, (uint64_t)p->device->multiprocessors * row->blocks);
    return kz_plan_add_launch(p, &(kz_plan_launch){.blocks = blocks, .threads = row->threads});
}

void kz_entry_name(char name[KZ_ENTRY_NAME], const char *family, const char *idea, const char *operation,
                   kz_type type) {
    if (!name) return;
    snprintf(name, KZ_ENTRY_NAME, "%s_%s_%s_%s", family ? family : "", idea ? idea : "",
             operation ? operation : "", kz_type_name(type));
}

kz_type kz_type_of_size(size_t bytes) {
    switch (bytes) {
    case 1: return KZ_U8;
    case 2: return KZ_U16;
    case 4: return KZ_U32;
    case 8: return KZ_I64;
    default: return KZ_TYPE_COUNT;
    }
}

static kz_status fail(kz_error *error, kz_status status, const char *format, va_list list) {
    char reason[512];
    vsnprintf(reason, sizeof reason, format ? format : "no reason was given", list);
    return base_fail(error, status, "%s", reason);
}

kz_status kz_plan_refuse(kz_error *error, const char *format, ...) {
    va_list list;
    va_start(list, format);
    kz_status status = fail(error, KZ_UNSUPPORTED, format, list);
    va_end(list);
    return status;
}

kz_status kz_fail(kz_error *error, kz_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fail(error, status, format, list);
    va_end(list);
    return status;
}

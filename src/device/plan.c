// Runs plans: checks each step against the caller's buffers and workspace, then enqueues it.
#include "device/device.h"

#include <inttypes.h>
#include <string.h>

typedef struct plan_run {
    kz_device *device;
    kz_stream *stream;
    kz_module *module;
    const kz_plan *plan;
    const kz_ptr *buffers;
    size_t buffer_count;
    kz_ptr workspace;
    kz_error *error;
} plan_run;

// The 8 bytes that argument `index` of step `step` stands for: an address or a scalar's bits.
static kz_status resolve(const plan_run *run, uint32_t step, uint32_t index, uint64_t *value) {
    const kz_arg *arg = &run->plan->steps[step].args[index];
    switch (arg->kind) {
    case KZ_ARG_SCALAR: *value = arg->scalar; return KZ_OK;
    case KZ_ARG_BUFFER:
        if (arg->buffer >= run->buffer_count)
            return base_fail(run->error, KZ_INVALID,
                             "step %u, argument %u of the plan is buffer %u: there are %zu", step, index,
                             arg->buffer, run->buffer_count);
        *value = run->buffers[arg->buffer] + arg->offset;
        return KZ_OK;
    case KZ_ARG_WORKSPACE:
        if (!run->plan->workspace_bytes || arg->offset > run->plan->workspace_bytes)
            return base_fail(run->error, KZ_INVALID,
                             "step %u, argument %u of the plan is byte %" PRIu64 " of a workspace of %" PRIu64
                             " bytes",
                             step, index, arg->offset, run->plan->workspace_bytes);
        *value = run->workspace + arg->offset;
        return KZ_OK;
    }
    return base_fail(run->error, KZ_INVALID, "step %u, argument %u of the plan has the unknown kind %d", step,
                     index, (int)arg->kind);
}

// A fill or copy that lies in the workspace must end in it.
static kz_status check_extent(const plan_run *run, uint32_t step, uint32_t index) {
    const kz_arg *arg = &run->plan->steps[step].args[index];
    uint64_t bytes = run->plan->steps[step].bytes;
    if (arg->kind == KZ_ARG_SCALAR)
        return base_fail(run->error, KZ_INVALID, "step %u of the plan fills or copies a scalar", step);
    if (arg->kind != KZ_ARG_WORKSPACE || bytes <= run->plan->workspace_bytes - arg->offset) return KZ_OK;
    return base_fail(run->error, KZ_INVALID,
                     "step %u of the plan moves %" PRIu64 " bytes at byte %" PRIu64
                     " of a workspace of %" PRIu64 " bytes",
                     step, bytes, arg->offset, run->plan->workspace_bytes);
}

static kz_status run_launch(const plan_run *run, uint32_t index) {
    const kz_step *step = &run->plan->steps[index];
    if (step->arg_count > KZ_PLAN_ARGS || !memchr(step->entry, 0, sizeof step->entry))
        return base_fail(run->error, KZ_INVALID,
                         "step %u of the plan has %u arguments, or a name without an end", index,
                         step->arg_count);
    uint64_t values[KZ_PLAN_ARGS];
    const void *args[KZ_PLAN_ARGS];
    for (uint32_t i = 0; i < step->arg_count; i++) {
        kz_status status = resolve(run, index, i, &values[i]);
        if (status) return status;
        args[i] = &values[i]; // little-endian: a narrower parameter reads the low bytes
    }
    if (!run->module)
        return base_fail(run->error, KZ_INVALID, "the plan launches %s, but the module is NULL", step->entry);
    kz_kernel *kernel;
    kz_status status = kz_module_kernel(run->module, step->entry, &kernel, run->error);
    if (status) return status;
    return kz_launch_kernel(run->device, run->stream, kernel, &step->launch, args, step->arg_count,
                            run->error);
}

static kz_status run_fill(const plan_run *run, uint32_t index) {
    const kz_step *step = &run->plan->steps[index];
    uint64_t to;
    if (!step->bytes) return KZ_OK;
    kz_status status = resolve(run, index, 0, &to);
    if (!status) status = check_extent(run, index, 0);
    if (status) return status;
    return kz_memory_fill(run->device, run->stream, to, step->fill, step->bytes, run->error);
}

static kz_status run_copy(const plan_run *run, uint32_t index) {
    const kz_step *step = &run->plan->steps[index];
    uint64_t to, from;
    if (!step->bytes) return KZ_OK;
    kz_status status = resolve(run, index, 0, &to);
    if (!status) status = resolve(run, index, 1, &from);
    if (!status) status = check_extent(run, index, 0);
    if (!status) status = check_extent(run, index, 1);
    if (status) return status;
    return kz_copy_on_device(run->device, run->stream, to, from, step->bytes, run->error);
}

kz_status kz_plan_run(kz_device *device, kz_stream *stream, kz_module *module, const kz_plan *plan,
                      const kz_ptr *buffers, size_t buffer_count, kz_ptr workspace, kz_error *error) {
    if (!device || !plan || (buffer_count && !buffers))
        return base_fail(error, KZ_INVALID, "the %s is NULL",
                         !device ? "device"
                         : !plan ? "plan"
                                 : "list of buffers");
    if (plan->step_count > KZ_PLAN_STEPS)
        return base_fail(error, KZ_INVALID, "the plan has %u steps; %d is the most", plan->step_count,
                         KZ_PLAN_STEPS);
    if (plan->workspace_bytes && !workspace) {
        base_fail(error, KZ_INVALID, "the plan needs a workspace of %" PRIu64 " bytes, none was given",
                  plan->workspace_bytes);
        base_fail_note(error, "allocate it with kz_memory_alloc and pass its address");
        return KZ_INVALID;
    }
    plan_run run = {device, stream, module, plan, buffers, buffer_count, workspace, error};
    for (uint32_t i = 0; i < plan->step_count; i++) {
        kz_status status;
        switch (plan->steps[i].kind) {
        case KZ_STEP_LAUNCH: status = run_launch(&run, i); break;
        case KZ_STEP_FILL: status = run_fill(&run, i); break;
        case KZ_STEP_COPY: status = run_copy(&run, i); break;
        default: status = base_fail(error, KZ_INVALID, "step %u of the plan has an unknown kind", i);
        }
        if (status) return status;
    }
    return KZ_OK;
}

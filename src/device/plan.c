// Runs plans: checks each step against the caller's buffers and workspace, then enqueues it in its stream.
#include "device/plan.h"

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
    kz_stream *in; // of the step that runs
} plan_run;

// The 8 bytes that `arg`, argument `index` of step `step`, stands for: an address or a scalar's bits.
static kz_status resolve_arg(const plan_run *run, const kz_arg *arg, uint32_t step, uint32_t index,
                             uint64_t *value) {
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
    case KZ_ARG_TENSOR_MAP:
        return base_fail(run->error, KZ_INVALID,
                         "step %u, argument %u of the plan is a tensor map where an address is needed", step,
                         index);
    case KZ_ARG_REGION:
        return base_fail(run->error, KZ_INVALID,
                         "step %u, argument %u of the plan is region %u, which has no place "
                         "yet\nkz_plan_place_regions gives "
                         "it one",
                         step, index, arg->buffer);
    }
    return base_fail(run->error, KZ_INVALID, "step %u, argument %u of the plan has the unknown kind %d", step,
                     index, (int)arg->kind);
}

static kz_status resolve(const plan_run *run, uint32_t step, uint32_t index, uint64_t *value) {
    return resolve_arg(run, &run->plan->steps[step].args[index], step, index, value);
}

typedef struct map_bytes {
    _Alignas(KZ_TENSOR_MAP_ALIGN) unsigned char at[KZ_TENSOR_MAP_BYTES];
} map_bytes;

static kz_status make_map(const plan_run *run, uint32_t step, uint32_t index, map_bytes *map) {
    uint32_t which = run->plan->steps[step].args[index].buffer;
    if (which >= run->plan->map_count)
        return base_fail(run->error, KZ_INVALID,
                         "step %u, argument %u of the plan is tensor map %u: there are %u", step, index,
                         which, run->plan->map_count);
    kz_tensor tensor = run->plan->maps[which].tensor;
    kz_status status = resolve_arg(run, &run->plan->maps[which].at, step, index, &tensor.address);
    return status ? status : kz_tensor_map_encode(run->device, &tensor, map->at, run->error);
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
    uint64_t values[KZ_PLAN_ARGS];
    const void *args[KZ_PLAN_ARGS];
    map_bytes maps[KZ_PLAN_ARGS];
    uint32_t map_count = 0;
    for (uint32_t i = 0; i < step->arg_count; i++) {
        kz_status status;
        if (step->args[i].kind == KZ_ARG_TENSOR_MAP) {
            args[i] = &maps[map_count];
            status = make_map(run, index, i, &maps[map_count++]);
        } else {
            args[i] = &values[i]; // little-endian: a narrower parameter reads the low bytes
            status = resolve(run, index, i, &values[i]);
        }
        if (status) return status;
    }
    if (!run->module) {
        base_fail(run->error, KZ_INVALID, "the plan launches %s, but the module is NULL", step->entry);
        base_fail_note(run->error, "kz_module_load gives one: load the image that has this kernel");
        return KZ_INVALID;
    }
    kz_kernel *kernel;
    kz_status status = device_module_kernel(run->module, step->image, step->entry, &kernel, run->error);
    if (status) return status;
    return kz_launch_kernel(run->device, run->in, kernel, &step->launch, args, step->arg_count, run->error);
}

static kz_status run_fill(const plan_run *run, uint32_t index) {
    const kz_step *step = &run->plan->steps[index];
    uint64_t to;
    if (!step->bytes) return KZ_OK;
    kz_status status = resolve(run, index, 0, &to);
    if (!status) status = check_extent(run, index, 0);
    if (status) return status;
    return kz_memory_fill(run->device, run->in, to, step->fill, step->bytes, run->error);
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
    return kz_copy_on_device(run->device, run->in, to, from, step->bytes, run->error);
}

// ---- streams and events ------------------------------------------------------------------------------------

static kz_status find_stream(const plan_run *run, uint32_t number, kz_stream **stream) {
    *stream = run->stream;
    if (!number) return KZ_OK;
    kz_stream **kept = &run->device->plan_streams[number];
    kz_status status = *kept ? KZ_OK : kz_stream_open(run->device, kept, run->error);
    *stream = *kept;
    return status;
}

static kz_status find_event(const plan_run *run, uint32_t number, kz_event **event) {
    kz_event **kept = &run->device->plan_events[number];
    kz_status status = *kept ? KZ_OK : kz_event_open(run->device, kept, run->error);
    *event = *kept;
    return status;
}

static kz_status record(const plan_run *run, kz_stream *stream, uint32_t event) {
    kz_event *e;
    kz_status status = find_event(run, event, &e);
    return status ? status : kz_event_record(run->device, e, stream, run->error);
}

static kz_status wait(const plan_run *run, kz_stream *stream, uint32_t event) {
    kz_event *e;
    kz_status status = find_event(run, event, &e);
    return status ? status : kz_stream_wait(run->device, stream, e, run->error);
}

// The other streams begin behind what the caller's holds, and the caller's goes on behind them.
static kz_status fork_streams(const plan_run *run, const bool used[KZ_PLAN_STREAMS]) {
    kz_stream *stream;
    kz_status status = record(run, run->stream, KZ_PLAN_EVENTS);
    for (uint32_t s = 1; s < KZ_PLAN_STREAMS && !status; s++) {
        if (!used[s]) continue;
        status = find_stream(run, s, &stream);
        if (!status) status = wait(run, stream, KZ_PLAN_EVENTS);
    }
    return status;
}

static kz_status join_streams(const plan_run *run, const bool used[KZ_PLAN_STREAMS]) {
    kz_status status = KZ_OK;
    for (uint32_t s = 1; s < KZ_PLAN_STREAMS && !status; s++) {
        if (!used[s]) continue;
        status = record(run, run->device->plan_streams[s], KZ_PLAN_EVENTS + s);
        if (!status) status = wait(run, run->stream, KZ_PLAN_EVENTS + s);
    }
    return status;
}

void device_plan_close_streams(kz_device *device) {
    for (size_t i = 0; i < BASE_COUNT(device->plan_streams); i++) kz_stream_close(device->plan_streams[i]);
    for (size_t i = 0; i < BASE_COUNT(device->plan_events); i++) kz_event_close(device->plan_events[i]);
}

// ---- the steps ---------------------------------------------------------------------------------------------

static kz_status run_step(const plan_run *run, uint32_t index) {
    const kz_step *step = &run->plan->steps[index];
    switch (step->kind) {
    case KZ_STEP_LAUNCH: return run_launch(run, index);
    case KZ_STEP_FILL: return run_fill(run, index);
    case KZ_STEP_COPY: return run_copy(run, index);
    case KZ_STEP_RECORD: return record(run, run->in, step->event);
    case KZ_STEP_WAIT: return wait(run, run->in, step->event);
    case KZ_STEP_SYNCHRONIZE: return kz_stream_synchronize(run->device, run->in, run->error);
    }
    return base_fail(run->error, KZ_INVALID, "step %u of the plan has an unknown kind", index);
}

static kz_status check_step(const kz_plan *plan, uint32_t index, kz_error *error) {
    const kz_step *step = &plan->steps[index];
    if (step->stream >= KZ_PLAN_STREAMS || step->event >= KZ_PLAN_EVENTS)
        return base_fail(error, KZ_INVALID,
                         "step %u of the plan is in stream %u, with event %u: there are %d and %d", index,
                         step->stream, step->event, KZ_PLAN_STREAMS, KZ_PLAN_EVENTS);
    if (step->kind != KZ_STEP_LAUNCH) return KZ_OK;
    if (!memchr(step->entry, 0, sizeof step->entry))
        return base_fail(
            error, KZ_INVALID,
            "step %u of the plan has a name without an end; %zu characters are the most: %.*s...", index,
            sizeof step->entry - 1, (int)sizeof step->entry - 1, step->entry);
    if (step->arg_count <= KZ_PLAN_ARGS) return KZ_OK;
    base_fail(error, KZ_INVALID, "step %u of the plan launches %s with %u arguments; %d are the most", index,
              step->entry, step->arg_count, KZ_PLAN_ARGS);
    base_fail_note(error, "keep what is more in a buffer, and pass the buffer");
    return KZ_INVALID;
}

kz_status device_plan_check(const kz_plan *plan, kz_error *error) {
    if (plan->step_count > KZ_PLAN_STEPS) {
        base_fail(error, KZ_INVALID, "the plan has %u steps; %d are the most", plan->step_count,
                  KZ_PLAN_STEPS);
        base_fail_note(error, "make two plans of it, and run one after the other");
        return KZ_INVALID;
    }
    if (plan->map_count > KZ_PLAN_MAPS)
        return base_fail(error, KZ_INVALID, "the plan has %u tensor maps; %d are the most", plan->map_count,
                         KZ_PLAN_MAPS);
    kz_status status = KZ_OK;
    for (uint32_t i = 0; i < plan->step_count && !status; i++) status = check_step(plan, i, error);
    return status;
}

kz_status device_plan_load(kz_module *module, const kz_plan *plan, kz_error *error) {
    kz_kernel *kernel;
    kz_status status = KZ_OK;
    for (uint32_t i = 0; i < plan->step_count && !status; i++)
        if (plan->steps[i].kind == KZ_STEP_LAUNCH)
            status = device_module_kernel(module, plan->steps[i].image, plan->steps[i].entry, &kernel, error);
    return status;
}

static kz_status check_call(const device_plan_call *call, kz_error *error) {
    kz_status status = device_plan_check(call->plan, error);
    if (status || !call->plan->workspace_bytes || call->workspace) return status;
    base_fail(error, KZ_INVALID, "the plan needs a workspace of %" PRIu64 " bytes, none was given",
              call->plan->workspace_bytes);
    base_fail_note(error, "allocate it with kz_memory_alloc and pass its address");
    return KZ_INVALID;
}

kz_status device_plan_steps(const device_plan_call *call, const device_plan_watcher *watcher,
                            kz_error *error) {
    bool used[KZ_PLAN_STREAMS] = {0}, several = false;
    kz_status status = check_call(call, error);
    if (status) return status;
    for (uint32_t i = 0; i < call->plan->step_count; i++) used[call->plan->steps[i].stream] = true;
    plan_run run = {call->device,       call->stream,    call->module, call->plan, call->buffers,
                    call->buffer_count, call->workspace, error,        NULL};
    for (uint32_t s = 1; s < KZ_PLAN_STREAMS; s++) several |= used[s];
    if (several) status = fork_streams(&run, used);
    for (uint32_t i = 0; i < call->plan->step_count && !status; i++) {
        status = find_stream(&run, call->plan->steps[i].stream, &run.in);
        if (!status && watcher) status = watcher->before(watcher->self, i, run.in, error);
        if (!status) status = run_step(&run, i);
        if (!status && watcher) status = watcher->after(watcher->self, i, run.in, error);
    }
    return !status && several ? join_streams(&run, used) : status;
}

uint64_t kz_plan_workspace(const kz_plan *plan) { return plan ? plan->workspace_bytes : 0; }

size_t kz_plan_step_count(const kz_plan *plan) { return plan ? plan->step_count : 0; }

kz_status kz_plan_run(kz_device *device, kz_stream *stream, kz_module *module, const kz_plan *plan,
                      const kz_ptr *buffers, size_t buffer_count, kz_ptr workspace, kz_error *error) {
    const device_plan_call call = {device, stream, module, plan, buffers, buffer_count, workspace};
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED(plan, PLAN, error);
    if (!status && buffer_count) status = BASE_NEED(buffers, BUFFERS, error);
    if (!status && buffer_count > UINT32_MAX)
        status = base_fail(error, KZ_INVALID, "%zu is no number of buffers that a plan has", buffer_count);
    if (status) return status;
    // Not the device's lock, where its backend allows: a plan may wait, and must hold up other plans alone.
    pthread_mutex_lock(&device->plan_lock);
    device_enter(device);
    status = plan->graph && module ? device_plan_launch_graph(&call, error)
                                   : device_plan_steps(&call, NULL, error);
    device_leave(device, status);
    pthread_mutex_unlock(&device->plan_lock);
    return status;
}

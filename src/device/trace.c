// See trace.h.
#include "device/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_work(const kz_step *step) {
    return step->kind == KZ_STEP_LAUNCH || step->kind == KZ_STEP_FILL || step->kind == KZ_STEP_COPY;
}

static kz_location location_of(const device_plan_call *call, const kz_arg *arg) {
    if (arg->kind != KZ_ARG_BUFFER || arg->buffer >= call->buffer_count) return KZ_ON_DEVICE;
    return device_location(call->device, call->buffers[arg->buffer]);
}

static device_engine engine_of(const device_plan_call *call, const kz_step *step) {
    if (step->kind != KZ_STEP_COPY) return DEVICE_ENGINE_COMPUTE;
    if (location_of(call, &step->args[0]) != KZ_ON_DEVICE) return DEVICE_ENGINE_TO_HOST;
    return location_of(call, &step->args[1]) != KZ_ON_DEVICE ? DEVICE_ENGINE_TO_DEVICE
                                                             : DEVICE_ENGINE_COMPUTE;
}

static void describe(const device_plan_call *call, device_trace *trace) {
    for (uint32_t i = 0; i < call->plan->step_count; i++) {
        const kz_step *step = &call->plan->steps[i];
        if (!is_work(step)) continue;
        trace->spans[trace->count++] = (device_span){
            .engine = engine_of(call, step), .stream = step->stream, .step = i, .bytes = step->bytes};
    }
}

// ---- a GPU: events -----------------------------------------------------------------------------------------

typedef struct timer {
    const device_plan_call *call;
    kz_event *base, *end;
    kz_event *around[KZ_PLAN_STEPS][2];
} timer;

static kz_status mark(timer *t, kz_event **event, kz_stream *stream, kz_error *error) {
    kz_device *device = t->call->device;
    kz_status status = kz_event_open(device, event, error);
    if (status) return status;
    if (!t->call->plan->graph) return kz_event_record(device, *event, stream, error);
    if (device->backend->event_mark) return device->backend->event_mark(device, *event, stream, error);
    return base_fail(error, KZ_UNSUPPORTED, "%s cannot time the parts of a graph", device->info.id);
}

static kz_status mark_before(void *self, uint32_t step, kz_stream *stream, kz_error *error) {
    timer *t = self;
    return is_work(&t->call->plan->steps[step]) ? mark(t, &t->around[step][0], stream, error) : KZ_OK;
}

static kz_status mark_after(void *self, uint32_t step, kz_stream *stream, kz_error *error) {
    timer *t = self;
    return is_work(&t->call->plan->steps[step]) ? mark(t, &t->around[step][1], stream, error) : KZ_OK;
}

static kz_status run_timed(timer *t, const device_plan_call *call, kz_graph *graph, kz_error *error) {
    const device_plan_watcher watcher = {t, mark_before, mark_after};
    kz_status status = kz_device_synchronize(call->device, error);
    if (!status) status = kz_event_record(call->device, t->base, call->stream, error);
    if (!status)
        status = graph ? kz_graph_launch(call->device, graph, call->stream, error)
                       : device_plan_steps(call, &watcher, error);
    if (!status) status = kz_event_record(call->device, t->end, call->stream, error);
    return status ? status : kz_device_synchronize(call->device, error);
}

static kz_status read_spans(timer *t, device_trace *trace, kz_error *error) {
    kz_device *device = t->call->device;
    kz_status status = kz_event_elapsed(device, t->base, t->end, &trace->seconds, error);
    for (size_t i = 0; i < trace->count && !status; i++) {
        device_span *span = &trace->spans[i];
        status = kz_event_elapsed(device, t->base, t->around[span->step][0], &span->start, error);
        if (!status) status = kz_event_elapsed(device, t->base, t->around[span->step][1], &span->end, error);
    }
    // An engine does one after the other: none begins before the one that ended last before it.
    for (size_t i = 0; i < trace->count && !status; i++)
        for (size_t k = 0; k < trace->count; k++) {
            device_span *span = &trace->spans[i];
            const device_span *other = &trace->spans[k];
            bool before = other->end < span->end || (other->end == span->end && k < i);
            if (k != i && other->engine == span->engine && before)
                span->start = fmax(span->start, other->end);
        }
    return status;
}

// In a stream of its own, not the default one: that would wait for each of the plan's streams.
static kz_status trace_cuda(const device_plan_call *given, device_trace *trace, kz_error *error) {
    device_plan_call call = *given;
    timer t = {.call = &call};
    kz_graph *graph = NULL;
    kz_stream *stream = NULL;
    kz_status status = kz_stream_open(call.device, &stream, error);
    call.stream = stream;
    if (!status) status = kz_event_open(call.device, &t.base, error);
    if (!status) status = kz_event_open(call.device, &t.end, error);
    if (!status && call.plan->graph)
        status =
            device_plan_record(&call, &(device_plan_watcher){&t, mark_before, mark_after}, &graph, error);
    if (!status) status = run_timed(&t, &call, graph, error);
    if (!status) status = read_spans(&t, trace, error);
    if (graph) kz_graph_close(graph);
    for (size_t i = 0; i < KZ_PLAN_STEPS; i++)
        for (int k = 0; k < 2; k++) kz_event_close(t.around[i][k]);
    kz_event_close(t.base);
    kz_event_close(t.end);
    kz_stream_close(stream);
    return status;
}

// ---- the simulator: the model ------------------------------------------------------------------------------

typedef struct model {
    const device_plan_call *call;
    device_clock *clock;
    device_gpu gpu;
    observe_session *timer;
    device_moment streams[KZ_PLAN_STREAMS], events[KZ_PLAN_EVENTS], steps[KZ_PLAN_STEPS];
} model;

static kz_status model_before(void *self, uint32_t step, kz_stream *stream, kz_error *error) { return KZ_OK; }

static kz_status describe_launch(model *m, const kz_step *step, device_task *task, kz_error *error) {
    kz_kernel *kernel;
    kz_status status = device_module_kernel(m->call->module, step->image, step->entry, &kernel, error);
    if (status) return status;
    observe_time time;
    int registers = kernel->info.registers;
    const observe_machine_code code = {.registers = registers > 0 ? (uint32_t)registers : 0};
    observe_session_time(m->timer, &code, &time);
    task->seconds = fmax(time.launch, device_empty_launch_seconds());
    task->share = time.share;
    task->queued = device_queued_seconds();
    return KZ_OK;
}

static kz_status describe_work(model *m, const kz_step *step, device_task *task, kz_error *error) {
    *task = (device_task){.engine = engine_of(m->call, step), .share = 1, .after = m->streams[step->stream]};
    if (step->kind == KZ_STEP_LAUNCH) return describe_launch(m, step, task, error);
    if (step->kind == KZ_STEP_FILL) {
        task->seconds = device_fill_seconds(&m->gpu, step->bytes);
        return KZ_OK;
    }
    bool pageable = location_of(m->call, &step->args[0]) == KZ_ON_HOST_PAGEABLE ||
                    location_of(m->call, &step->args[1]) == KZ_ON_HOST_PAGEABLE;
    task->seconds = device_copy_seconds(&m->gpu, task->engine, pageable, step->bytes);
    task->blocking = pageable && !m->call->plan->graph;
    return KZ_OK;
}

static kz_status model_after(void *self, uint32_t index, kz_stream *stream, kz_error *error) {
    model *m = self;
    const kz_step *step = &m->call->plan->steps[index];
    device_moment *last = &m->streams[step->stream];
    if (is_work(step)) {
        device_task task;
        kz_status status = describe_work(m, step, &task, error);
        if (status) return status;
        if (!m->call->plan->graph) device_clock_issue(m->clock, device_call_seconds());
        *last = m->steps[index] = device_clock_add(m->clock, &task);
        if (task.blocking) device_clock_issue(m->clock, device_wake_seconds());
    } else if (step->kind == KZ_STEP_RECORD)
        m->events[step->event] = *last;
    else if (step->kind == KZ_STEP_WAIT)
        *last = device_clock_join(m->clock, *last, m->events[step->event]);
    else {
        device_clock_wait(m->clock, *last);
        device_clock_issue(m->clock, device_wake_seconds());
    }
    return KZ_OK;
}

static kz_status trace_model(const device_plan_call *call, device_trace *trace, kz_error *error) {
    model m = {.call = call, .gpu = *device_sim_card(call->device)};
    const device_plan_watcher watcher = {&m, model_before, model_after};
    const observe_options wanted = {.counters = true, .caches = true};
    observe_gpu gpu;
    device_gpu_describe(&m.gpu, &gpu);
    trace->modelled = true;
    kz_status status = device_clock_open(device_bus_beside(), &m.clock, error);
    if (!status) status = observe_session_open(&wanted, &gpu, &m.timer, error);
    if (!status) status = device_sim_observe(call->device, m.timer, error);
    if (!status && call->plan->graph) device_clock_issue(m.clock, device_graph_seconds());
    if (!status) status = device_plan_steps(call, &watcher, error);
    device_sim_observe(call->device, NULL, NULL);
    observe_session_close(m.timer);
    if (!status) device_clock_wait_all(m.clock);
    for (size_t i = 0; i < trace->count && !status; i++)
        device_clock_span(m.clock, m.steps[trace->spans[i].step], &trace->spans[i].start,
                          &trace->spans[i].end);
    if (!status) trace->seconds = device_clock_now(m.clock);
    device_clock_close(m.clock);
    return status;
}

kz_status device_plan_trace(const device_plan_call *call, device_trace *trace, kz_error *error) {
    *trace = (device_trace){0};
    if (call->device->info.kind == KZ_DEVICE_CPU) {
        base_fail(error, KZ_UNSUPPORTED,
                  "cpu has no engines that could run side by side: there is nothing to draw");
        base_fail_note(error, "take --device sim, which models a GPU's, or --device cuda");
        return KZ_UNSUPPORTED;
    }
    kz_status status = device_plan_check(call->plan, error);
    if (status) return status;
    describe(call, trace);
    return call->device->info.kind == KZ_DEVICE_SIM ? trace_model(call, trace, error)
                                                    : trace_cuda(call, trace, error);
}

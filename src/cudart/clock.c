// The model of time for whole programs: each operation becomes a task of a device_clock, which says when a GPU would
// have done it. Who waits for whom is the journal's: an order carries the moment at which all in it has ended.
#include "runtime.h"

#include "device/device.h"

void cudart_clock_start(void) {
    if (cudart.clock || device_clock_open(device_bus_beside(), &cudart.clock, NULL)) return;
    if (cudart.debugger) return; // it listens alone: kernels then take the time of a launch
    cudart.counters = cudart.session ? observe_session_count(cudart.session) : observe_counters_open();
}

sim_listener *cudart_clock_listener(void) {
    return cudart.counters && !cudart.session ? observe_counters_listener(cudart.counters) : NULL;
}

void cudart_clock_wait(device_moment moment, bool all) {
    if (!cudart.clock) return;
    if (all)
        device_clock_wait_all(cudart.clock);
    else
        device_clock_wait(cudart.clock, moment);
    device_clock_issue(cudart.clock, device_wake_seconds());
}

double cudart_clock_seconds(device_moment moment) {
    double start, end;
    device_clock_span(cudart.clock, moment, &start, &end);
    return end;
}

static uint64_t volume(const uint32_t size[3]) { return (uint64_t)size[0] * size[1] * size[2]; }

static void describe_launch(const cudart_launch *l, device_task *task) {
    observe_gpu gpu;
    kz_counters counters = {0};
    device_gpu_describe(&cudart.gpu, &gpu);
    if (cudart.counters) {
        observe_counters_read(cudart.counters, &counters);
        observe_counters_reset(cudart.counters);
    }
    const observe_occupancy_input input = {.threads = (uint32_t)volume(l->block),
                                           .registers = l->function->registers,
                                           .shared_static = (uint32_t)l->function->info.static_shared_bytes,
                                           .shared_dynamic = (uint32_t)l->shared,
                                           .blocks = volume(l->grid)};
    observe_estimate estimate = observe_estimate_launch(&gpu, &counters, &input);
    task->engine = DEVICE_ENGINE_COMPUTE;
    task->seconds = device_launch_seconds(&estimate);
    task->share = estimate.share;
}

static void describe_copy(const cudart_done *done, device_task *task) {
    task->engine = done->kind == CUDART_DONE_TO_DEVICE ? DEVICE_ENGINE_TO_DEVICE
                   : done->kind == CUDART_DONE_TO_HOST ? DEVICE_ENGINE_TO_HOST
                                                       : DEVICE_ENGINE_COMPUTE;
    task->seconds = device_copy_seconds(&cudart.gpu, task->engine, done->pageable, done->bytes);
    task->blocking = done->blocking;
}

void cudart_clock_add(const cudart_op *op) {
    cudart_journal *j = &cudart.journal;
    cudart_done done = {0};
    device_task task = {.engine = DEVICE_ENGINE_COMPUTE, .share = 1, .after = j->base.moment};
    if (!cudart.clock || !cudart_journal_describe(op, &done) || done.on_host) return;
    if (op->kind == CUDART_OP_KERNEL)
        describe_launch(&op->launch, &task);
    else if (op->kind == CUDART_OP_COPY)
        describe_copy(&done, &task);
    else
        task.seconds = device_fill_seconds(&cudart.gpu, done.bytes);
    if (!j->graphs) device_clock_issue(cudart.clock, device_call_seconds());
    j->after.moment = device_clock_add(cudart.clock, &task);
    if (task.blocking) device_clock_issue(cudart.clock, device_wake_seconds());
    if (j->current) j->current->moment = j->after.moment;
}

// The model of time for whole programs: each operation becomes a task of a device_clock, which says when a GPU would
// have done it. Who waits for whom is the journal's: an order carries the moment at which all in it has ended.
#include "runtime.h"

#include <math.h>

#include "device/device.h"

// The session of a profile has the instruments that a time needs; any other is given one that has them.
static observe_session *open_timer(void) {
    const observe_options wanted = {.counters = true, .caches = true};
    observe_options there = {0};
    observe_session *timer = NULL;
    observe_gpu gpu;
    if (cudart.session && !observe_options_parse(cudart.observe, &there, NULL) && there.counters &&
        there.caches && !there.cold)
        return cudart.session;
    device_gpu_describe(&cudart.gpu, &gpu);
    if (observe_session_open(&wanted, &gpu, &timer, NULL)) return NULL;
    if (!cudart.session)
        sim_machine_set_listener(cudart.machine, observe_session_listener(timer));
    else if (!observe_session_add(cudart.session, timer)) {
        observe_session_close(timer);
        timer = NULL;
    }
    return timer;
}

void cudart_clock_start(void) {
    if (cudart.clock || device_clock_open(device_bus_beside(), &cudart.clock, NULL)) return;
    if (cudart.debugger) return; // it listens alone: kernels then take the time of a launch
    cudart.timer = open_timer();
}

// Times depend on what L2 has, so a program that asks for them has the model from its beginning on, as a timeline has.
// The sanitizer's runs, whose times nobody reads, have it from the first event on.
void cudart_clock_start_if_asked(void) {
    observe_options there = {0};
    if (cudart.session && (observe_options_parse(cudart.observe, &there, NULL) || !there.counters)) return;
    if (base_self_names("cudaEventElapsedTime", "libcudart")) cudart_clock_start();
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

static void describe_launch(const cudart_launch *l, device_task *task) {
    observe_time time = {.share = 1};
    if (cudart.timer) observe_session_time(cudart.timer, &l->function->code, &time);
    task->engine = DEVICE_ENGINE_COMPUTE;
    task->seconds = fmax(time.launch, device_empty_launch_seconds());
    task->share = time.share;
    task->queued = cudart.journal.base.moment == cudart.marked ? 0 : device_queued_seconds();
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

// Plans inside the device layer: one call, and somebody who watches its steps.
#ifndef DEVICE_PLAN_H
#define DEVICE_PLAN_H

#include "device/device.h"

typedef struct device_plan_call { // the arguments of kz_plan_run
    kz_device *device;
    kz_stream *stream;
    kz_module *module;
    const kz_plan *plan;
    const kz_ptr *buffers;
    size_t buffer_count;
    kz_ptr workspace;
} device_plan_call;

// Told before and after each step is enqueued, with the stream that it goes into.
typedef struct device_plan_watcher {
    void *self;
    kz_status (*before)(void *self, uint32_t step, kz_stream *stream, kz_error *error);
    kz_status (*after)(void *self, uint32_t step, kz_stream *stream, kz_error *error);
} device_plan_watcher;

// Refuses a plan with more than fits into it: steps, arguments, streams, events, names.
kz_status device_plan_check(const kz_plan *plan, kz_error *error);
// Finds the kernels of its launches: what the first run would load is loaded.
kz_status device_plan_load(kz_module *module, const kz_plan *plan, kz_error *error);
// Enqueues the steps, whatever plan->graph says; `watcher` may be NULL.
kz_status device_plan_steps(const device_plan_call *call, const device_plan_watcher *watcher,
                            kz_error *error);
// plan_graph.c: records the steps as a graph.
kz_status device_plan_record(const device_plan_call *call, const device_plan_watcher *watcher,
                             kz_graph **graph, kz_error *error);
// Launches the graph of the plan on these buffers, which is recorded the first time and kept with the module.
kz_status device_plan_launch_graph(const device_plan_call *call, kz_error *error);

#endif

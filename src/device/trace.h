// When each step of a plan ran: by events on a GPU, by the model of time on the simulator.
//
// On a GPU every step stands between two events in its stream, all on the clock of the first event. A step's first
// event comes when its stream has reached it; where its engine was still busy with another step then, the step is
// taken to begin when that one ended. Who wants warm times runs the plan once before.
#ifndef DEVICE_TRACE_H
#define DEVICE_TRACE_H

#include "device/clock.h"
#include "device/plan.h"

typedef struct device_span {
    device_engine engine;
    uint32_t stream, step; // of the plan
    uint64_t bytes;        // of a copy or fill
    double start, end;     // seconds from the plan's start
} device_span;

typedef struct device_trace {
    device_span spans[KZ_PLAN_STEPS]; // launches, fills and copies, in the order of the plan
    size_t count;
    double seconds; // from the start to the end of it all, as the host sees it
    bool modelled;  // by the simulator
} device_trace;

// Runs the plan once. KZ_UNSUPPORTED on `cpu`.
kz_status device_plan_trace(const device_plan_call *call, device_trace *trace, kz_error *error);

#endif

// The simulator's model of time: engines, streams as chains of tasks, and a host that issues and waits.
//
// A GPU has an engine that copies to the device, one that copies to the host, and the multiprocessors. A task
// takes one engine for a known time, and may begin when all that it comes after has ended, the host has issued
// it, and its engine is free: of those that wait for an engine, the one that was ready first, as a GPU with a
// hardware queue per stream does. Kernels that do not fill the GPU run side by side. A stream is a chain of
// tasks, an event the end of one; join() makes one of two. The host's own work takes no time but for issuing.
// Every figure here is a model's: docs/timeline.md says what it leaves out.
#ifndef DEVICE_CLOCK_H
#define DEVICE_CLOCK_H

#include "device/gpus.h"
#include "observe/time.h"

// DEVICE_ENGINE(ID, "name"): one row per engine, in the order they are shown.
typedef enum device_engine {
#define DEVICE_ENGINE(id, name) DEVICE_ENGINE_##id,
#include "device/engines.def"
#undef DEVICE_ENGINE
    DEVICE_ENGINES
} device_engine;
const char *device_engine_name(device_engine engine); // "copy to device"

typedef uint32_t device_moment; // the end of a task; 0: the beginning of time

typedef struct device_task {
    device_engine engine;
    double seconds;
    double share;        // of its engine: 1 for copies, less for kernels that leave room
    device_moment after; // what must have ended
    double
        queued; // seconds less where it waits in its stream for what it comes after, and nothing is between
    bool blocking; // the host waits for its end
} device_task;

typedef struct device_clock device_clock;
// `beside` is the rate, of 1, at which a copy goes while one that began before it goes the other way.
kz_status device_clock_open(double beside, device_clock **clock, kz_error *error);
void device_clock_close(device_clock *clock);

// The host issues one more operation: it takes a little of its own time. 0 where memory is short.
device_moment device_clock_add(device_clock *clock, const device_task *task);
device_moment device_clock_join(device_clock *clock, device_moment a, device_moment b); // when both are over
device_moment device_clock_mark(device_clock *clock,
                                device_moment after); // not before the host's present time
// What the host's call itself takes.
void device_clock_issue(device_clock *clock, double seconds);
void device_clock_wait(device_clock *clock, device_moment moment); // the host waits
void device_clock_wait_all(device_clock *clock);
double device_clock_now(const device_clock *clock); // the host's time, in seconds from the beginning
// When a task began and ended. What was not waited for is taken to be the last that was issued.
void device_clock_span(device_clock *clock, device_moment moment, double *start, double *end);

// ---- how long things take ---------------------------------------------------------------------------------

// A copy on an engine: of host memory that is `pageable` or not, or, on COMPUTE, inside the device's memory.
double device_copy_seconds(const device_gpu *gpu, device_engine engine, bool pageable, uint64_t bytes);
double device_fill_seconds(const device_gpu *gpu, uint64_t bytes);
double device_empty_launch_seconds(void); // a stream, for a kernel that does nothing
double device_queued_seconds(void);       // what a launch saves that is ready when the one before it ends
double device_bus_beside(void);           // for device_clock_open
double device_call_seconds(void);         // the host, for one operation
double device_graph_seconds(void);        // the host, for the launch of a graph, whatever is in it
double device_wake_seconds(void);         // the host, to go on after what it waited for has ended

#endif

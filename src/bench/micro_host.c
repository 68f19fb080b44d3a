// bench/micro: what the host sees: launches, and copies to the device and back.
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "bench/micro_lab.h"
#include "device/host.h"

enum { SAMPLES = 21, BURST = 500 };

// One sample in seconds of whatever `act` does; without a clock it is done once.
static kz_status time_host(bench_micro_lab *lab, bench_micro_point *point, double work, bool rate,
                           void *context,
                           kz_status (*act)(bench_micro_lab *lab, void *context, kz_error *error),
                           kz_error *error) {
    for (int i = 0; i < SAMPLES && !point->status && bench_micro_goes_on(lab); i++) {
        double begin = base_seconds();
        point->status = act(lab, context, &point->error);
        double seconds = base_seconds() - begin;
        if (!lab->timed) break;
        if (i && seconds > 0) point->samples[point->count++] = rate ? work / seconds : seconds / work;
    }
    return bench_micro_hand_over(lab, point, error);
}

// ---- launches ---------------------------------------------------------------------------------------------

static const bench_micro_job *empty(void) {
    static const bench_micro_job job = {.file = MICRO_MEMORY, .entry = "empty", .blocks = 1, .threads = 32};
    return &job;
}

typedef struct launches {
    int count;
    kz_kernel *kernel; // found once: a name is no part of a launch
    kz_graph *graph;
} launches;

static kz_status enqueue(bench_micro_lab *lab, const launches *l, kz_error *error) {
    kz_status status = KZ_OK;
    for (int i = 0; i < l->count && !status; i++)
        status = bench_micro_launch_kernel(lab, empty(), l->kernel, error);
    return status;
}

static kz_status launch_many(bench_micro_lab *lab, void *context, kz_error *error) {
    kz_status status = enqueue(lab, context, error);
    return status ? status : kz_stream_synchronize(lab->device, lab->stream, error);
}

static kz_status launch_graph(bench_micro_lab *lab, void *context, kz_error *error) {
    const launches *l = context;
    kz_status status = kz_graph_launch(lab->device, l->graph, lab->stream, error);
    return status ? status : kz_stream_synchronize(lab->device, lab->stream, error);
}

static kz_status record_graph(bench_micro_lab *lab, launches *l, kz_error *error) {
    kz_status status =
        bench_micro_launch_kernel(lab, empty(), l->kernel, error); // what loads lazily does so now
    if (!status) status = kz_stream_synchronize(lab->device, lab->stream, error);
    if (!status) status = kz_graph_begin(lab->device, lab->stream, error);
    if (status) return status;
    status = enqueue(lab, l, error);
    kz_status ended = kz_graph_end(lab->device, lab->stream, &l->graph, status ? NULL : error);
    return status ? status : ended;
}

static kz_status launch_point(bench_micro_lab *lab, const char *name, int count, bool in_graph,
                              kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_launch, name, "s", MICRO_MEMORY, "empty");
    bench_micro_point point = bench_micro_point_of(&job);
    launches l = {.count = count};
    if (!bench_micro_goes_on(lab)) return lab->fatal;
    point.status = bench_micro_kernel(lab, empty(), &l.kernel, &point.error);
    if (!point.status && in_graph) point.status = record_graph(lab, &l, &point.error);
    kz_status status = time_host(lab, &point, count, false, &l, in_graph ? launch_graph : launch_many, error);
    if (l.graph) kz_graph_close(l.graph);
    return status;
}

kz_status bench_micro_group_launch(bench_micro_lab *lab, kz_error *error) {
    int many = lab->timed ? BURST : 4;
    kz_status status = launch_point(lab, "one_after_another", many, false, error);
    if (!status) status = launch_point(lab, "and_wait", 1, false, error);
    if (!status) status = launch_point(lab, "in_a_graph", many, true, error);
    if (!status) status = launch_point(lab, "graph_and_wait", 1, true, error);
    return status;
}

// ---- copies -----------------------------------------------------------------------------------------------

typedef struct host_copy {
    unsigned char *memory;
    kz_ptr pinned; // in the place of `memory` where it is not 0
    size_t bytes;
    bool back;
    kz_status status; // why there is no pinned memory
    kz_error error;
} host_copy;

static kz_status copy(bench_micro_lab *lab, void *context, kz_error *error) {
    const host_copy *c = context;
    kz_status status;
    if (c->pinned)
        status = kz_copy_on_device(lab->device, lab->stream, c->back ? c->pinned : lab->data,
                                   c->back ? lab->data : c->pinned, c->bytes, error);
    else if (c->back)
        status = kz_copy_to_host(lab->device, lab->stream, c->memory, lab->data, c->bytes, error);
    else
        status = kz_copy_to_device(lab->device, lab->stream, lab->data, c->memory, c->bytes, error);
    return status ? status : kz_stream_synchronize(lab->device, lab->stream, error);
}

static unsigned char byte_at(size_t i) { return (unsigned char)(i * 151 >> 3 ^ i); }

// What is in the device's memory comes home and is what was sent; the memory here is cleared first.
static kz_status check_home(bench_micro_lab *lab, const host_copy *c, kz_error *error) {
    host_copy home = {.memory = c->memory, .bytes = c->bytes, .back = true};
    memset(c->memory, 0, c->bytes);
    kz_status status = copy(lab, &home, error);
    for (size_t i = 0; i < c->bytes && !status; i++)
        if (c->memory[i] != byte_at(i))
            status = base_fail(error, KZ_WRONG, "byte %zu came back from the device changed", i);
    return status;
}

static kz_status copy_point(bench_micro_lab *lab, host_copy *c, const char *name, bool back,
                            kz_error *error) {
    bench_micro_job job = bench_micro_job_of(BENCH_MICRO_host, name, "B/s", MICRO_MEMORY, "");
    if (lab->gpu.bus > 0) job.nominal = lab->gpu.bus;
    if (!bench_micro_goes_on(lab)) return lab->fatal;
    bench_micro_point point = bench_micro_point_of(&job);
    c->back = back;
    point.status = c->status;
    if (c->status) point.error = c->error;
    // Once and checked, then timed. A copy away from the device must not find there what it should bring.
    if (c->pinned && !back)
        point.status = kz_memory_fill(lab->device, lab->stream, lab->data, 0, c->bytes, &point.error);
    if (!point.status) point.status = copy(lab, c, &point.error);
    if (!point.status) point.status = check_home(lab, c, &point.error);
    return time_host(lab, &point, (double)c->bytes, true, c, copy, error);
}

kz_status bench_micro_group_host(bench_micro_lab *lab, kz_error *error) {
    host_copy c = {.bytes = lab->timed ? (size_t)64 << 20 : (size_t)64 << 10};
    kz_ptr pinned = 0;
    if (c.bytes > lab->data_bytes) c.bytes = lab->data_bytes;
    c.memory = malloc(c.bytes);
    if (!c.memory) return base_fail(error, KZ_NO_MEMORY, "no memory for copies between host and device");
    for (size_t i = 0; i < c.bytes; i++) c.memory[i] = byte_at(i);
    kz_status status = copy_point(lab, &c, "to_device_pageable", false, error);
    if (!status) status = copy_point(lab, &c, "to_host_pageable", true, error);
    // Pinned memory gets its bytes from the device, and gives them back.
    if (!status) c.status = kz_memory_alloc_host(lab->device, c.bytes, true, &pinned, &c.error);
    c.pinned = pinned;
    if (!status) status = copy_point(lab, &c, "to_host_pinned", true, error);
    if (!status) status = copy_point(lab, &c, "to_device_pinned", false, error);
    kz_memory_free(lab->device, pinned, NULL);
    free(c.memory);
    return status;
}

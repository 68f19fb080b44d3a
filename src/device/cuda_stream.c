// Streams, events and graphs of the cuda backend. Graphs are made by stream capture, in its relaxed mode:
// what else the process does meanwhile is its own affair.
#include "device/cuda.h"

#include <stdlib.h>

typedef struct cuda_event {
    kz_event base;
    driver_event handle;
} cuda_event;

typedef struct cuda_graph {
    kz_graph base;
    driver_graph_exec exec;
} cuda_graph;

static const driver_table *driver_of(kz_device *device) { return &cuda_of(device)->driver; }
static driver_event handle_of(const kz_event *event) { return ((const cuda_event *)event)->handle; }

// The driver's answer to opening something: where it is an error, what was made for it goes.
static kz_status check_made(kz_device *device, driver_result result, void *made, kz_error *error,
                            const char *what) {
    kz_status status = device_cuda_check(device, result, error, "%s", what);
    if (status) free(made);
    return status;
}

// ---- streams ---------------------------------------------------------------------------------------

kz_status device_cuda_stream_open(kz_device *device, kz_stream **stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    cuda_stream *made = DEVICE_NEW(cuda_stream, error);
    if (!made) return KZ_NO_MEMORY;
    driver_result result = driver_of(device)->stream_create(&made->handle, DRIVER_STREAM_DEFAULT);
    status = check_made(device, result, made, error, "opening a stream");
    if (!status) *stream = &made->base;
    return status;
}

kz_status device_cuda_stream_wrap(kz_device *device, void *handle, kz_stream **stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    // A stream of another GPU's context would fail at its first use, with the driver's words for something
    // else.
    driver_context context = NULL;
    driver_result result = driver_of(device)->stream_context(handle, &context);
    status = device_cuda_check(device, result, error, "asking a stream for its context");
    if (status) return status;
    if (context != cuda_of(device)->context) {
        base_fail(error, KZ_INVALID, "the stream belongs to another context than %s uses", device->info.id);
        base_fail_note(error,
                       "likely cause: it was made for another GPU, or in a context of its own; %s uses the "
                       "primary context, as the CUDA runtime does",
                       device->info.id);
        return KZ_INVALID;
    }
    cuda_stream *made = DEVICE_NEW(cuda_stream, error);
    if (!made) return KZ_NO_MEMORY;
    *made = (cuda_stream){.handle = handle, .foreign = true};
    *stream = &made->base;
    return KZ_OK;
}

void device_cuda_stream_close(kz_stream *stream) {
    if (!((cuda_stream *)stream)->foreign && !device_cuda_enter(stream->device, NULL))
        driver_of(stream->device)->stream_destroy(cuda_stream_of(stream));
    free(stream);
}

void *device_cuda_stream_handle(const kz_stream *stream) { return cuda_stream_of(stream); }

kz_status device_cuda_stream_synchronize(kz_device *device, kz_stream *stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = driver_of(device)->stream_synchronize(cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "waiting for a stream");
}

kz_status device_cuda_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = driver_of(device)->stream_wait(cuda_stream_of(stream), handle_of(event), 0);
    return device_cuda_check(device, result, error, "letting a stream wait for an event");
}

// ---- events ----------------------------------------------------------------------------------------

kz_status device_cuda_event_open(kz_device *device, kz_event **event, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    cuda_event *made = DEVICE_NEW(cuda_event, error);
    if (!made) return KZ_NO_MEMORY;
    driver_result result = driver_of(device)->event_create(&made->handle, DRIVER_EVENT_DEFAULT);
    status = check_made(device, result, made, error, "opening an event");
    if (!status) *event = &made->base;
    return status;
}

void device_cuda_event_close(kz_event *event) {
    if (!device_cuda_enter(event->device, NULL)) driver_of(event->device)->event_destroy(handle_of(event));
    free(event);
}

kz_status device_cuda_event_record(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = driver_of(device)->event_record(handle_of(event), cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "recording an event");
}

kz_status device_cuda_event_mark(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    if (!driver_of(device)->event_record_with)
        return base_fail(error, KZ_UNSUPPORTED,
                         "this driver cannot record events inside a graph: it is too old");
    driver_result result = driver_of(device)->event_record_with(handle_of(event), cuda_stream_of(stream),
                                                                DRIVER_RECORD_EXTERNAL);
    return device_cuda_check(device, result, error, "recording an event inside a graph");
}

kz_status device_cuda_event_synchronize(kz_device *device, kz_event *event, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = driver_of(device)->event_synchronize(handle_of(event));
    return device_cuda_check(device, result, error, "waiting for an event");
}

kz_status device_cuda_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                                    kz_error *error) {
    kz_status status = device_cuda_event_synchronize(device, from, error);
    if (!status) status = device_cuda_event_synchronize(device, to, error);
    if (status) return status;
    float milliseconds;
    driver_result result = driver_of(device)->event_elapsed(&milliseconds, handle_of(from), handle_of(to));
    status = device_cuda_check(device, result, error, "reading the time between two events");
    if (!status)
        *seconds = 1e-3 * (double)milliseconds;
    else if (result == DRIVER_INVALID_HANDLE)
        base_fail_note(error, "both events must have been recorded");
    return status;
}

// ---- graphs ----------------------------------------------------------------------------------------

kz_status device_cuda_graph_begin(kz_device *device, kz_stream *stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = driver_of(device)->capture_begin(cuda_stream_of(stream), DRIVER_CAPTURE_RELAXED);
    return device_cuda_check(device, result, error, "beginning to record a graph");
}

kz_status device_cuda_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    const driver_table *d = driver_of(device);
    cuda_graph *made = DEVICE_NEW(cuda_graph, error);
    driver_graph recorded = NULL;
    driver_result result =
        d->capture_end(cuda_stream_of(stream), &recorded); // in any case, to end the recording
    if (!made) {
        if (recorded) d->graph_destroy(recorded);
        return KZ_NO_MEMORY;
    }
    status = device_cuda_check(device, result, error, "ending the recording of a graph");
    if (!status) {
        result = d->graph_instantiate(&made->exec, recorded, 0);
        status = device_cuda_check(device, result, error, "making a recorded graph ready to launch");
    }
    if (recorded) d->graph_destroy(recorded); // the executable graph stands by itself
    if (!status) {                            // now, so that the first launch is as fast as the others
        result = d->graph_upload(made->exec, cuda_stream_of(stream));
        status = device_cuda_check(device, result, error, "uploading a graph");
        if (status) d->graph_exec_destroy(made->exec);
    }
    if (status)
        free(made);
    else
        *graph = &made->base;
    return status;
}

kz_status device_cuda_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result =
        driver_of(device)->graph_launch(((cuda_graph *)graph)->exec, cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "launching a graph");
}

void device_cuda_graph_close(kz_graph *graph) {
    if (!device_cuda_enter(graph->device, NULL))
        driver_of(graph->device)->graph_exec_destroy(((cuda_graph *)graph)->exec);
    free(graph);
}

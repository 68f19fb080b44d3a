// Streams, events and graphs: what is the same for every backend.
#include "device/device.h"

// Whatever is passed must belong to `device`.
static kz_status check_owner(const kz_device *device, const kz_device *owner, const char *what,
                             kz_error *error) {
    if (owner == device) return KZ_OK;
    return base_fail(error, KZ_INVALID, "the %s belongs to %s, not to %s", what, owner->info.id,
                     device->info.id);
}

static kz_status check_event(const char *call, const kz_device *device, const kz_event *event,
                             kz_error *error) {
    kz_status status = base_need(device, call, BASE_NEEDS_DEVICE, error);
    if (!status) status = base_need(event, call, BASE_NEEDS_EVENT, error);
    return status ? status : check_owner(device, event->device, "event", error);
}

kz_status kz_stream_open(kz_device *device, kz_stream **stream, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(stream, kz_stream *, error);
    if (status) return status;
    *stream = NULL;
    device_enter(device);
    status = device_leave(device, device->backend->stream_open(device, stream, error));
    if (!status) (*stream)->device = device;
    return status;
}

kz_status kz_stream_wrap(kz_device *device, void *handle, kz_stream **stream, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(stream, kz_stream *, error);
    if (status) return status;
    *stream = NULL;
    if (!device->backend->stream_wrap) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no streams but its own: a CUstream belongs to a GPU",
                  device->info.id);
        base_fail_note(error, "open one with kz_stream_open, or take a `cuda` device");
        return KZ_UNSUPPORTED;
    }
    status = BASE_NEED(handle, HANDLE, error);
    if (!status) status = device->backend->stream_wrap(device, handle, stream, error);
    if (!status) (*stream)->device = device;
    return status;
}

void kz_stream_close(kz_stream *stream) {
    if (!stream) return;
    kz_device *device = stream->device;
    device_enter(device);
    device->backend->stream_close(stream);
    device_leave(device, KZ_OK);
}

void *kz_stream_handle(const kz_stream *stream) {
    if (!stream || !stream->device->backend->stream_handle) return NULL;
    return stream->device->backend->stream_handle(stream);
}

kz_status kz_stream_synchronize(kz_device *device, kz_stream *stream, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->stream_synchronize(device, stream, error));
}

kz_status kz_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error) {
    kz_status status = check_event(__func__, device, event, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->stream_wait(device, stream, event, error));
}

kz_status kz_event_open(kz_device *device, kz_event **event, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(event, kz_event *, error);
    if (status) return status;
    *event = NULL;
    device_enter(device);
    status = device_leave(device, device->backend->event_open(device, event, error));
    if (!status) (*event)->device = device;
    return status;
}

void kz_event_close(kz_event *event) {
    if (!event) return;
    kz_device *device = event->device;
    device_enter(device);
    device->backend->event_close(event);
    device_leave(device, KZ_OK);
}

kz_status kz_event_record(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error) {
    kz_status status = check_event(__func__, device, event, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->event_record(device, event, stream, error));
}

kz_status kz_event_synchronize(kz_device *device, kz_event *event, kz_error *error) {
    kz_status status = check_event(__func__, device, event, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->event_synchronize(device, event, error));
}

kz_status kz_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                           kz_error *error) {
    kz_status status = check_event(__func__, device, from, error);
    if (!status) status = check_event(__func__, device, to, error);
    if (!status) status = BASE_NEED_RESULT(seconds, double, error);
    if (status) return status;
    if (!device->info.has_clock) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no clock: it counts, it does not time", device->info.id);
        base_fail_note(error, "read its counters, or measure on a GPU (--device cuda)");
        return KZ_UNSUPPORTED;
    }
    device_enter(device);
    return device_leave(device, device->backend->event_elapsed(device, from, to, seconds, error));
}

kz_status kz_graph_begin(kz_device *device, kz_stream *stream, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED(stream, STREAM, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->graph_begin(device, stream, error));
}

kz_status kz_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED(stream, STREAM, error);
    if (!status) status = BASE_NEED_RESULT(graph, kz_graph *, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status) return status;
    *graph = NULL;
    device_enter(device);
    status = device_leave(device, device->backend->graph_end(device, stream, graph, error));
    if (!status) (*graph)->device = device;
    return status;
}

kz_status kz_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED(graph, GRAPH, error);
    if (!status) status = check_owner(device, graph->device, "graph", error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->graph_launch(device, graph, stream, error));
}

void kz_graph_close(kz_graph *graph) {
    if (!graph) return;
    kz_device *device = graph->device;
    device_enter(device);
    device->backend->graph_close(graph);
    device_leave(device, KZ_OK);
}

// Streams, events and graphs: what is the same for every backend.
#include "device/device.h"

// Whatever is passed must belong to `device`.
static kz_status check_owner(const kz_device *device, const kz_device *owner, const char *what,
                             kz_error *error) {
    if (!device) return base_fail(error, KZ_INVALID, "the device is NULL");
    if (!owner) return base_fail(error, KZ_INVALID, "the %s is NULL", what);
    if (owner == device) return KZ_OK;
    return base_fail(error, KZ_INVALID, "the %s belongs to %s, not to %s", what, owner->info.id,
                     device->info.id);
}

static const kz_device *stream_owner(const kz_device *device, const kz_stream *stream) {
    return stream ? stream->device : device; // the default stream is everybody's
}
static const kz_device *event_owner(const kz_event *event) { return event ? event->device : NULL; }

static kz_status check_event(const kz_device *device, const kz_event *event, const kz_stream *stream,
                             kz_error *error) {
    kz_status status = check_owner(device, event_owner(event), "event", error);
    return status ? status : check_owner(device, stream_owner(device, stream), "stream", error);
}

kz_status kz_stream_open(kz_device *device, kz_stream **stream, kz_error *error) {
    kz_status status = check_owner(device, device, "stream", error);
    if (status) return status;
    if (!stream) return base_fail(error, KZ_INVALID, "where to put the stream is NULL");
    *stream = NULL;
    device_enter(device);
    status = device_leave(device, device->backend->stream_open(device, stream, error));
    if (!status) (*stream)->device = device;
    return status;
}

kz_status kz_stream_wrap(kz_device *device, void *handle, kz_stream **stream, kz_error *error) {
    kz_status status = check_owner(device, device, "stream", error);
    if (status) return status;
    if (!stream) return base_fail(error, KZ_INVALID, "where to put the stream is NULL");
    *stream = NULL;
    if (!device->backend->stream_wrap) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no streams but its own: a CUstream belongs to a GPU",
                  device->info.id);
        base_fail_note(error, "open one with kz_stream_open, or take a `cuda` device");
        return KZ_UNSUPPORTED;
    }
    if (!handle)
        return base_fail(error, KZ_INVALID, "the handle is NULL: the default stream needs no wrapping");
    status = device->backend->stream_wrap(device, handle, stream, error);
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
    kz_status status = check_owner(device, stream_owner(device, stream), "stream", error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->stream_synchronize(device, stream, error));
}

kz_status kz_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error) {
    kz_status status = check_event(device, event, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->stream_wait(device, stream, event, error));
}

kz_status kz_event_open(kz_device *device, kz_event **event, kz_error *error) {
    kz_status status = check_owner(device, device, "event", error);
    if (status) return status;
    if (!event) return base_fail(error, KZ_INVALID, "where to put the event is NULL");
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
    kz_status status = check_event(device, event, stream, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->event_record(device, event, stream, error));
}

kz_status kz_event_synchronize(kz_device *device, kz_event *event, kz_error *error) {
    kz_status status = check_owner(device, event_owner(event), "event", error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->event_synchronize(device, event, error));
}

kz_status kz_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                           kz_error *error) {
    kz_status status = check_owner(device, event_owner(from), "first event", error);
    if (!status) status = check_owner(device, event_owner(to), "second event", error);
    if (status) return status;
    if (!seconds) return base_fail(error, KZ_INVALID, "where to put the seconds is NULL");
    if (!device->info.has_clock) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no clock: it counts, it does not time", device->info.id);
        base_fail_note(error, "read its counters, or measure on a GPU (--device cuda)");
        return KZ_UNSUPPORTED;
    }
    device_enter(device);
    return device_leave(device, device->backend->event_elapsed(device, from, to, seconds, error));
}

kz_status kz_graph_begin(kz_device *device, kz_stream *stream, kz_error *error) {
    kz_status status = check_owner(device, stream_owner(device, stream), "stream", error);
    if (status) return status;
    if (stream) {
        device_enter(device);
        return device_leave(device, device->backend->graph_begin(device, stream, error));
    }
    base_fail(error, KZ_INVALID, "the default stream cannot be recorded into a graph");
    base_fail_note(error, "open a stream with kz_stream_open and record that");
    return KZ_INVALID;
}

kz_status kz_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error) {
    kz_status status = check_owner(device, stream ? stream->device : NULL, "stream", error);
    if (status) return status;
    if (!graph) return base_fail(error, KZ_INVALID, "where to put the graph is NULL");
    *graph = NULL;
    device_enter(device);
    status = device_leave(device, device->backend->graph_end(device, stream, graph, error));
    if (!status) (*graph)->device = device;
    return status;
}

kz_status kz_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error) {
    kz_status status = check_owner(device, graph ? graph->device : NULL, "graph", error);
    if (!status) status = check_owner(device, stream_owner(device, stream), "stream", error);
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

// Streams, events and graphs for devices that run each operation as it is enqueued; see queue.h.
#include "device/queue.h"

#include <stdlib.h>
#include <string.h>

#include "device/host.h"

typedef struct queue_stream {
    kz_stream base;
    kz_stream *next;
    bool recorded; // its operations go to the device's recording
} queue_stream;

typedef struct queue_event {
    kz_event base;
    bool recorded;      // at least once
    uint64_t recording; // the number of the recording it belongs to, or 0
    double seconds;
} queue_event;

typedef struct queue_graph {
    kz_graph base;
    device_op *ops; // the arguments of each launch are one malloc'ed piece
    size_t count, capacity;
} queue_graph;

static device_queue *queue_of(kz_device *device) { return (device_queue *)device; }

// ---- operations ------------------------------------------------------------------------------------

// Copies the arguments of a launch: a table of pointers followed by the values, one piece of memory.
static kz_status keep_args(device_queue *queue, device_op *op, kz_error *error) {
    if (!op->arg_count) return KZ_OK;
    size_t total = 0;
    for (size_t i = 0; i < op->arg_count; i++) total += (queue->arg_bytes(op->kernel, i) + 15) & ~(size_t)15;
    size_t table = (op->arg_count * sizeof(void *) + 15) & ~(size_t)15;
    char *memory = device_new(table + total, error);
    if (!memory) return KZ_NO_MEMORY;
    const void **kept = (const void **)memory;
    char *value = memory + table;
    for (size_t i = 0; i < op->arg_count; i++) {
        size_t bytes = queue->arg_bytes(op->kernel, i);
        memcpy(value, op->args[i], bytes);
        kept[i] = value;
        value += (bytes + 15) & ~(size_t)15;
    }
    op->args = kept;
    return KZ_OK;
}

static kz_status record(device_queue *queue, const device_op *op, kz_error *error) {
    queue_graph *graph = (queue_graph *)queue->recording;
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity ? 2 * graph->capacity : 16;
        device_op *larger = realloc(graph->ops, capacity * sizeof *larger);
        if (!larger)
            return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for a graph of %zu operations",
                             capacity);
        graph->ops = larger;
        graph->capacity = capacity;
    }
    device_op kept = *op;
    kz_status status = op->kind == DEVICE_OP_LAUNCH ? keep_args(queue, &kept, error) : KZ_OK;
    if (!status) graph->ops[graph->count++] = kept;
    return status;
}

static kz_status enqueue(kz_device *device, kz_stream *stream, const device_op *op, kz_error *error) {
    device_queue *queue = queue_of(device);
    if (stream && ((queue_stream *)stream)->recorded) return record(queue, op, error);
    return queue->run(device, op, error);
}

kz_status device_queue_fill(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                            kz_error *error) {
    device_op op = {.kind = DEVICE_OP_FILL, .to = to, .byte = byte, .bytes = bytes};
    return enqueue(device, stream, &op, error);
}

kz_status device_queue_to_device(kz_device *device, kz_stream *stream, kz_ptr to, const void *from,
                                 size_t bytes, kz_error *error) {
    device_op op = {.kind = DEVICE_OP_TO_DEVICE, .to = to, .host_from = from, .bytes = bytes};
    return enqueue(device, stream, &op, error);
}

kz_status device_queue_to_host(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                               kz_error *error) {
    device_op op = {.kind = DEVICE_OP_TO_HOST, .host_to = to, .from = from, .bytes = bytes};
    return enqueue(device, stream, &op, error);
}

kz_status device_queue_on_device(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                                 kz_error *error) {
    device_op op = {.kind = DEVICE_OP_ON_DEVICE, .to = to, .from = from, .bytes = bytes};
    return enqueue(device, stream, &op, error);
}

kz_status device_queue_launch(kz_device *device, kz_stream *stream, kz_kernel *kernel,
                              const kz_launch *launch, const void *const *args, size_t arg_count,
                              kz_error *error) {
    device_op op = {
        .kind = DEVICE_OP_LAUNCH, .kernel = kernel, .launch = *launch, .args = args, .arg_count = arg_count};
    return enqueue(device, stream, &op, error);
}

kz_status device_queue_synchronize(kz_device *device, kz_error *error) {
    if (!queue_of(device)->recording) return KZ_OK; // everything has run already
    return base_fail(error, KZ_INVALID, "%s cannot be synchronised while a stream is recorded into a graph",
                     device->info.id);
}

// ---- streams ---------------------------------------------------------------------------------------

kz_status device_queue_stream_open(kz_device *device, kz_stream **stream, kz_error *error) {
    queue_stream *made = DEVICE_NEW(queue_stream, error);
    if (!made) return KZ_NO_MEMORY;
    made->next = queue_of(device)->streams;
    queue_of(device)->streams = &made->base;
    *stream = &made->base;
    return KZ_OK;
}

void device_queue_stream_close(kz_stream *stream) {
    device_queue *queue = queue_of(stream->device);
    kz_stream **link = &queue->streams;
    while (*link != stream) link = &((queue_stream *)*link)->next;
    *link = ((queue_stream *)stream)->next;
    if (queue->origin == stream) device_queue_end(queue);
    free(stream);
}

kz_status device_queue_stream_synchronize(kz_device *device, kz_stream *stream, kz_error *error) {
    if (!stream || !((queue_stream *)stream)->recorded) return KZ_OK;
    return base_fail(error, KZ_INVALID, "a stream cannot be synchronised while it is recorded into a graph");
}

kz_status device_queue_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error) {
    const device_queue *queue = queue_of(device);
    if (!queue->recording || ((queue_event *)event)->recording != queue->recording_number) return KZ_OK;
    if (!stream)
        return base_fail(error, KZ_INVALID,
                         "the default stream cannot wait for an event recorded into a graph");
    ((queue_stream *)stream)->recorded = true;
    return KZ_OK;
}

// ---- events ----------------------------------------------------------------------------------------

kz_status device_queue_event_open(kz_device *device, kz_event **event, kz_error *error) {
    queue_event *made = DEVICE_NEW(queue_event, error);
    if (!made) return KZ_NO_MEMORY;
    *event = &made->base;
    return KZ_OK;
}

void device_queue_event_close(kz_event *event) { free(event); }

kz_status device_queue_event_record(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error) {
    queue_event *e = (queue_event *)event;
    bool into_graph = stream && ((queue_stream *)stream)->recorded;
    e->recording = into_graph ? queue_of(device)->recording_number : 0;
    e->recorded = true;
    e->seconds = base_seconds();
    return KZ_OK;
}

kz_status device_queue_event_synchronize(kz_device *device, kz_event *event, kz_error *error) {
    if (!((queue_event *)event)->recording) return KZ_OK;
    return base_fail(error, KZ_INVALID,
                     "the event was recorded into a graph: it marks no moment to wait for");
}

kz_status device_queue_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                                     kz_error *error) {
    const queue_event *a = (queue_event *)from, *b = (queue_event *)to;
    if (!a->recorded || !b->recorded || a->recording || b->recording)
        return base_fail(error, KZ_INVALID,
                         "an event that was not recorded, or only into a graph, marks no moment");
    *seconds = b->seconds - a->seconds;
    return KZ_OK;
}

// ---- graphs ----------------------------------------------------------------------------------------

kz_status device_queue_graph_begin(kz_device *device, kz_stream *stream, kz_error *error) {
    device_queue *queue = queue_of(device);
    if (queue->recording)
        return base_fail(error, KZ_BUSY, "%s is recording a graph already", device->info.id);
    queue_graph *graph = DEVICE_NEW(queue_graph, error);
    if (!graph) return KZ_NO_MEMORY;
    graph->base.device = device;
    queue->recording = &graph->base;
    queue->recording_number++;
    queue->origin = stream;
    ((queue_stream *)stream)->recorded = true;
    return KZ_OK;
}

// The streams are ordinary ones again.
static kz_graph *stop_recording(device_queue *queue) {
    kz_graph *graph = queue->recording;
    for (kz_stream *s = queue->streams; s; s = ((queue_stream *)s)->next)
        ((queue_stream *)s)->recorded = false;
    queue->recording = NULL;
    queue->origin = NULL;
    return graph;
}

kz_status device_queue_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error) {
    device_queue *queue = queue_of(device);
    if (!queue->recording || queue->origin != stream) {
        base_fail(error, KZ_INVALID, "this stream is not being recorded into a graph");
        base_fail_note(error, "kz_graph_end takes the stream that kz_graph_begin was given");
        return KZ_INVALID;
    }
    *graph = stop_recording(queue);
    return KZ_OK;
}

kz_status device_queue_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error) {
    const queue_graph *g = (queue_graph *)graph;
    for (size_t i = 0; i < g->count; i++) {
        kz_status status = enqueue(device, stream, &g->ops[i], error);
        if (status) return status;
    }
    return KZ_OK;
}

void device_queue_graph_close(kz_graph *graph) {
    queue_graph *g = (queue_graph *)graph;
    for (size_t i = 0; i < g->count; i++) free((void *)g->ops[i].args);
    free(g->ops);
    free(g);
}

void device_queue_end(device_queue *queue) {
    if (queue->recording) device_queue_graph_close(stop_recording(queue));
}

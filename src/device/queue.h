// Streams, events and graphs for a device that runs each operation as it is enqueued (sim, cpu).
//
// Operations happen in the order they are enqueued, whatever their stream: one of the orders that
// streams and events allow. While a stream is recorded its operations go into a list instead, which a
// graph replays. A device of this kind starts with a device_queue and puts the functions below into
// its backend.
#ifndef DEVICE_QUEUE_H
#define DEVICE_QUEUE_H

#include "device/device.h"

typedef enum device_op_kind {
    DEVICE_OP_FILL,
    DEVICE_OP_TO_DEVICE,
    DEVICE_OP_TO_HOST,
    DEVICE_OP_ON_DEVICE,
    DEVICE_OP_LAUNCH
} device_op_kind;

typedef struct device_op {
    device_op_kind kind;
    kz_ptr to, from;
    const void *host_from;
    void *host_to;
    size_t bytes;
    uint8_t byte;
    kz_kernel *kernel;
    kz_launch launch;
    const void *const *args;
    size_t arg_count;
} device_op;

typedef struct device_queue {
    kz_device device;
    kz_status (*run)(kz_device *device, const device_op *op, kz_error *error);
    size_t (*arg_bytes)(const kz_kernel *kernel, size_t index); // how much of an argument a graph keeps
    kz_graph *recording;                                        // the graph being recorded, or NULL
    uint64_t recording_number;                                  // from 1; tells recordings apart
    kz_stream *origin;                                          // where the recording began
    kz_stream *streams;                                         // all open ones
} device_queue;

kz_status device_queue_fill(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                            kz_error *error);
kz_status device_queue_to_device(kz_device *device, kz_stream *stream, kz_ptr to, const void *from,
                                 size_t bytes, kz_error *error);
kz_status device_queue_to_host(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                               kz_error *error);
kz_status device_queue_on_device(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                                 kz_error *error);
kz_status device_queue_launch(kz_device *device, kz_stream *stream, kz_kernel *kernel,
                              const kz_launch *launch, const void *const *args, size_t arg_count,
                              kz_error *error);
kz_status device_queue_synchronize(kz_device *device, kz_error *error);
kz_status device_queue_stream_open(kz_device *device, kz_stream **stream, kz_error *error);
void device_queue_stream_close(kz_stream *stream);
kz_status device_queue_stream_synchronize(kz_device *device, kz_stream *stream, kz_error *error);
kz_status device_queue_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error);
kz_status device_queue_event_open(kz_device *device, kz_event **event, kz_error *error);
void device_queue_event_close(kz_event *event);
kz_status device_queue_event_record(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error);
kz_status device_queue_event_synchronize(kz_device *device, kz_event *event, kz_error *error);
kz_status device_queue_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                                     kz_error *error);
kz_status device_queue_graph_begin(kz_device *device, kz_stream *stream, kz_error *error);
kz_status device_queue_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error);
kz_status device_queue_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error);
void device_queue_graph_close(kz_graph *graph);
void device_queue_end(device_queue *queue); // frees a recording that was never ended

// The rows of a backend that this file fills.
#define DEVICE_QUEUE_BACKEND                                                                                 \
    .synchronize = device_queue_synchronize, .fill = device_queue_fill,                                      \
    .copy_to_device = device_queue_to_device, .copy_to_host = device_queue_to_host,                          \
    .copy_on_device = device_queue_on_device, .launch = device_queue_launch,                                 \
    .stream_open = device_queue_stream_open, .stream_close = device_queue_stream_close,                      \
    .stream_synchronize = device_queue_stream_synchronize, .stream_wait = device_queue_stream_wait,          \
    .event_open = device_queue_event_open, .event_close = device_queue_event_close,                          \
    .event_record = device_queue_event_record, .event_synchronize = device_queue_event_synchronize,          \
    .event_elapsed = device_queue_event_elapsed, .graph_begin = device_queue_graph_begin,                    \
    .graph_end = device_queue_graph_end, .graph_launch = device_queue_graph_launch,                          \
    .graph_close = device_queue_graph_close

#endif

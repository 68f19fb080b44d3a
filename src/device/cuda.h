// What the files of the cuda backend share: cuda.c (device, modules, launches), cuda_memory.c and
// cuda_stream.c (streams, events, graphs).
#ifndef DEVICE_CUDA_H
#define DEVICE_CUDA_H

#include "device/device.h"
#include "device/driver.h"

typedef struct cuda_device {
    kz_device base; // first
    driver_table driver;
    driver_device ordinal;
    driver_context context; // the primary one, shared with vendor libraries
    driver_context other;   // what device_switch_context has work; NULL until it is first asked to
    driver_pointer other_memory;
    // Once a kernel faults or the GPU goes, the context answers nothing else: we say why from here on. These
    // three are under the device's lock, and so is the other context.
    kz_status dead;
    char dead_why[512];
    char last_kernel[128]; // faults show up late: this one is the first suspect
} cuda_device;

typedef struct cuda_stream {
    kz_stream base;
    driver_stream handle;
    bool foreign; // somebody else's, who destroys it
} cuda_stream;

static inline cuda_device *cuda_of(kz_device *device) { return (cuda_device *)device; }
static inline driver_stream cuda_stream_of(const kz_stream *stream) {
    return stream ? ((const cuda_stream *)stream)->handle : NULL;
}

// To be called first: makes the context current, or says why the device is dead.
kz_status device_cuda_enter(kz_device *device, kz_error *error);

// KZ_OK for result 0; else explains it, `format` saying what was being done, and marks the device dead where
// the context is lost.
kz_status device_cuda_check(kz_device *device, driver_result result, kz_error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

kz_status device_cuda_memory_available(kz_device *device, size_t *bytes, kz_error *error);
kz_status device_cuda_tensor_map(kz_device *device, const struct sim_tensor_map *tensor, void *map,
                                 kz_error *error); // cuda_tensor_map.c
kz_status device_cuda_memory_alloc(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error);
kz_status device_cuda_memory_free(kz_device *device, kz_ptr address, kz_error *error);
kz_status device_cuda_host_alloc(kz_device *device, size_t bytes, bool pinned, kz_ptr *address,
                                 kz_error *error);
kz_status device_cuda_host_free(kz_device *device, kz_ptr address, bool pinned, kz_error *error);
kz_status device_cuda_memory_register(kz_device *device, void *memory, size_t bytes, kz_error *error);
kz_status device_cuda_memory_unregister(kz_device *device, void *memory, kz_error *error);
kz_status device_cuda_memory_alloc_shared(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error);
kz_status device_cuda_memory_export(kz_device *device, kz_ptr address, struct device_memory_handle *handle,
                                    kz_error *error);
kz_status device_cuda_memory_import(kz_device *device, const struct device_memory_handle *handle,
                                    kz_ptr *address, kz_error *error);
kz_status device_cuda_memory_close(kz_device *device, kz_ptr address, kz_error *error);
kz_status device_cuda_fill(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                           kz_error *error);
kz_status device_cuda_copy_to_device(kz_device *device, kz_stream *stream, kz_ptr to, const void *from,
                                     size_t bytes, kz_error *error);
kz_status device_cuda_copy_to_host(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                                   kz_error *error);
kz_status device_cuda_copy_on_device(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from,
                                     size_t bytes, kz_error *error);

kz_status device_cuda_stream_open(kz_device *device, kz_stream **stream, kz_error *error);
kz_status device_cuda_stream_wrap(kz_device *device, void *handle, kz_stream **stream, kz_error *error);
void device_cuda_stream_close(kz_stream *stream);
void *device_cuda_stream_handle(const kz_stream *stream);
kz_status device_cuda_stream_synchronize(kz_device *device, kz_stream *stream, kz_error *error);
kz_status device_cuda_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error);
kz_status device_cuda_event_open(kz_device *device, kz_event **event, kz_error *error);
void device_cuda_event_close(kz_event *event);
kz_status device_cuda_event_record(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error);
kz_status device_cuda_event_mark(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error);
kz_status device_cuda_event_synchronize(kz_device *device, kz_event *event, kz_error *error);
kz_status device_cuda_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                                    kz_error *error);
kz_status device_cuda_graph_begin(kz_device *device, kz_stream *stream, kz_error *error);
kz_status device_cuda_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error);
kz_status device_cuda_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error);
void device_cuda_graph_close(kz_graph *graph);

#endif

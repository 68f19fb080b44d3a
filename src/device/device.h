// The inside of the device layer: one struct of function pointers per kind of device.
//
// The public functions (device.c, stream.c, plan.c) check what every device has in common: arguments,
// ownership, launch limits; a backend sees valid calls only. A backend's own objects start with the
// structs below. Optional functions may be NULL: the public function then answers KZ_UNSUPPORTED.
#ifndef DEVICE_DEVICE_H
#define DEVICE_DEVICE_H

#include <pthread.h>

#include "base/base.h"
#include "kz/plan.h"

struct device_memory_handle;
struct sim_tensor_map;

typedef struct device_backend {
    kz_device_kind kind;
    const char *prefix; // what ids start with: "cuda"
    bool concurrent;    // it serves several threads at once; the others are called by one at a time (lock.c)

    // Gives how many there are and describes the first `capacity`; a backend that does not work has none.
    size_t (*list)(kz_device_info *infos, size_t capacity);
    // `which` is what follows the colon of the id, or NULL.
    kz_status (*open)(const char *which, kz_device **device, kz_error *error);
    void (*close)(kz_device *device);
    kz_status (*synchronize)(kz_device *device, kz_error *error);
    kz_status (*switch_context)(kz_device *device, kz_error *error); // optional: context.h
    kz_status (*set_print)(kz_device *device, kz_print print, void *context, kz_error *error); // optional
    kz_status (*set_threads)(kz_device *device, unsigned threads, kz_error *error);            // optional
    kz_status (*counters_enable)(kz_device *device, bool on, kz_error *error);                 // optional
    kz_status (*counters_read)(kz_device *device, kz_counters *counters, bool reset,
                               kz_error *error); // optional

    // `bytes` is never 0, an address never 0.
    kz_status (*memory_alloc)(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error);
    kz_status (*memory_free)(kz_device *device, kz_ptr address, kz_error *error);
    // Host memory; where these are NULL, it is taken from the device's own.
    kz_status (*host_alloc)(kz_device *device, size_t bytes, bool pinned, kz_ptr *address, kz_error *error);
    kz_status (*host_free)(kz_device *device, kz_ptr address, bool pinned, kz_error *error);
    // Optional: where there is nothing to pin, device.c notes the range.
    kz_status (*memory_register)(kz_device *device, void *memory, size_t bytes, kz_error *error);
    kz_status (*memory_unregister)(kz_device *device, void *memory, kz_error *error);
    kz_status (*memory_available)(kz_device *device, size_t *bytes, kz_error *error);
    // Shared with other processes, see share.h. Optional; where the first is NULL, all memory can be exported.
    kz_status (*memory_alloc_shared)(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error);
    kz_status (*memory_export)(kz_device *device, kz_ptr address, struct device_memory_handle *handle,
                               kz_error *error);
    kz_status (*memory_import)(kz_device *device, const struct device_memory_handle *handle, kz_ptr *address,
                               kz_error *error);
    kz_status (*memory_close)(kz_device *device, kz_ptr address, kz_error *error);
    kz_status (*fill)(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                      kz_error *error);
    kz_status (*copy_to_device)(kz_device *device, kz_stream *stream, kz_ptr to, const void *from,
                                size_t bytes, kz_error *error);
    kz_status (*copy_to_host)(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                              kz_error *error);
    kz_status (*copy_on_device)(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                                kz_error *error);

    kz_status (*module_load)(kz_device *device, const kz_image *image, kz_module **module, kz_error *error);
    void (*module_close)(kz_module *module);
    // Makes a kernel with its info filled; device.c names it and keeps it for the module's life.
    kz_status (*kernel_open)(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error);
    void (*kernel_close)(kz_kernel *kernel);
    // `index` is below the kernel's param_count. Optional.
    kz_status (*kernel_param)(kz_kernel *kernel, size_t index, size_t *offset, size_t *bytes,
                              kz_error *error);
    kz_status (*module_global)(kz_module *module, const char *name, kz_ptr *address, size_t *bytes,
                               kz_error *error);
    // `tensor` obeys the rules, `map` is aligned. Optional.
    kz_status (*tensor_map)(kz_device *device, const struct sim_tensor_map *tensor, void *map,
                            kz_error *error);
    kz_status (*launch)(kz_device *device, kz_stream *stream, kz_kernel *kernel, const kz_launch *launch,
                        const void *const *args, size_t arg_count, kz_error *error);

    kz_status (*stream_open)(kz_device *device, kz_stream **stream, kz_error *error);
    kz_status (*stream_wrap)(kz_device *device, void *handle, kz_stream **stream,
                             kz_error *error); // optional
    void (*stream_close)(kz_stream *stream);
    void *(*stream_handle)(const kz_stream *stream); // optional
    kz_status (*stream_synchronize)(kz_device *device, kz_stream *stream, kz_error *error);
    kz_status (*stream_wait)(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error);

    kz_status (*event_open)(kz_device *device, kz_event **event, kz_error *error);
    void (*event_close)(kz_event *event);
    kz_status (*event_record)(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error);
    // While `stream` is recorded into a graph: the event is recorded whenever the graph comes there. Optional.
    kz_status (*event_mark)(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error);
    kz_status (*event_synchronize)(kz_device *device, kz_event *event, kz_error *error);
    kz_status (*event_elapsed)(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                               kz_error *error);

    kz_status (*graph_begin)(kz_device *device, kz_stream *stream, kz_error *error);
    kz_status (*graph_end)(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error);
    kz_status (*graph_launch)(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error);
    void (*graph_close)(kz_graph *graph);
} device_backend;

extern const device_backend device_cuda, device_sim, device_cpu;
extern const device_backend *const device_backends[]; // best first; NULL ends them

// ---- observing: only the simulator can ------------------------------------------------------------

struct observe_session;
struct observe_gpu;
struct device_gpu;
struct sim_config;
// From now on launches, copies and allocations are told to the session, and a launch that fails is told as
// its fault; NULL ends it. The session must outlive the device or be taken off first. While it is there,
// kz_counters count nothing. KZ_UNSUPPORTED on devices that are not simulated.
kz_status device_sim_observe(kz_device *device, struct observe_session *session, kz_error *error);
// The same for one listener of any other kind, such as a debugger; NULL ends it.
struct sim_listener;
kz_status device_sim_listen(kz_device *device, struct sim_listener *listener, kz_error *error);
// Ends the launch that runs with KZ_TIMEOUT.
void device_sim_interrupt(kz_device *device);
// The seed of the schedule of the launches to come; 0 is the plain order.
kz_status device_sim_set_seed(kz_device *device, uint64_t seed, kz_error *error);
// What a simulator of this GPU is opened with, its memory no larger than the host's.
void device_gpu_configure(const struct device_gpu *gpu, struct sim_config *out);
// What observe/ wants to know of a GPU.
void device_gpu_describe(const struct device_gpu *gpu, struct observe_gpu *out);
// The file of the GPU that a simulated device stands for; the device must be one.
const struct device_gpu *device_sim_card(kz_device *device);
// The GPU that a simulated device stands for.
kz_status device_sim_gpu(kz_device *device, struct observe_gpu *out, kz_error *error);

// ---- what every backend's objects start with -----------------------------------------------------

typedef struct device_host_range {
    kz_ptr address;
    uint64_t bytes;
    bool pinned;
    struct device_host_range *next;
} device_host_range;

struct kz_device {
    const device_backend *backend;
    kz_device_info info;     // does not change
    pthread_mutex_t lock;    // of all that follows; and see lock.c
    uint64_t frees;          // of memory: a graph that was recorded before one may point at what is no more
    device_host_range *host; // what kz_memory_alloc_host gave
    device_host_range *registered;
    pthread_mutex_t plan_lock; // of what plans need, their graphs included: they are enqueued one at a time
    kz_stream *plan_streams[KZ_PLAN_STREAMS]; // of plans, opened when first needed; [0] records graphs
    kz_event *plan_events[KZ_PLAN_EVENTS + KZ_PLAN_STREAMS]; // the last ones are for the plan's begin and end
};

struct kz_module {
    kz_device *device;
    kz_kernel *kernels;                // those asked for so far
    struct device_plan_graph *graphs;  // of plans that want to be one
    char name[64];                     // the image's, for messages
    const kz_image_set *const *others; // the image's
    kz_module *parts, *next_part;      // those of `others` that were loaded
};

struct kz_kernel {
    kz_module *module;
    kz_kernel *next;
    char *name;
    kz_kernel_info info;
};

struct kz_stream {
    kz_device *device;
};
struct kz_event {
    kz_device *device;
};
struct kz_graph {
    kz_device *device;
};

// Where an address of the device's lies.
kz_location device_location(kz_device *device, kz_ptr address);
void device_memory_end(kz_device *device); // of a device that closes
// A stream must be the device's own; NULL is the default stream.
kz_status device_check_stream(const kz_device *device, const kz_stream *stream, kz_error *error);
// Streams and events of plans; graphs of plans (plan.c).
void device_plan_close_streams(kz_device *device);
void device_plan_close_graphs(kz_module *module);

// Of a module's or an image's others the one that has the kernel: by its name or, where that is NULL, by the kernel's. NULL: none.
const kz_image *device_find_image(const kz_image_set *const *others, const char *name, const char *kernel);
// Of an image and its others the one that has the launch's kernel.
const kz_image *device_step_image(const kz_image *image, const kz_step *step);
// kz_module_kernel for a step of a plan, whose `image` may be NULL.
kz_status device_module_kernel(kz_module *module, const char *image, const char *name, kz_kernel **kernel,
                               kz_error *error);

// ---- several threads (lock.c) ----------------------------------------------------------------------

// What a backend's open and close call first and last.
void device_begin(kz_device *device, const device_backend *backend);
void device_end(kz_device *device);
// For the device's tables. The thread that has the lock may take it again.
void device_lock(kz_device *device);
void device_unlock(kz_device *device);
// Around a call of the backend: `device_enter(device); return device_leave(device, backend->call(...))`.
void device_enter(kz_device *device);
kz_status device_leave(kz_device *device, kz_status status);

// ---- for the backends ------------------------------------------------------------------------------

// "3.2 GiB", into a buffer of the caller's.
enum { DEVICE_SIZE_TEXT = 32 };
const char *device_size_text(uint64_t bytes, char text[DEVICE_SIZE_TEXT]);

// KZ_NO_MEMORY that says how much was asked, how much there is and what to do.
kz_status device_fail_memory(const kz_device *device, uint64_t asked, uint64_t available, kz_error *error);

// A note that lists what this machine has.
void device_note_present(kz_error *error);

#define DEVICE_NEW(type, error) ((type *)device_new(sizeof(type), error))
// Zeroed memory from malloc; NULL, with `error` filled, when there is none.
void *device_new(size_t bytes, kz_error *error);

#endif

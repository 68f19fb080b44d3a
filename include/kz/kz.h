// Kernel Zoo, for people who call kernels: devices, memory, modules, launches, plans.
//
// Ownership: the caller owns what an _open, _load, _wrap or _alloc call or kz_graph_end gives, and ends it
// with the matching _close or _free; kernels belong to their module. Strings, infos and plans returned by
// pointer live as long as the object that returned them.
// Errors: every call that can fail returns a kz_status and, if `error` is not NULL, fills it with what
// happened, where, the likely cause and the next step. Nothing here exits or prints. A pointer that a call needs
// and that is NULL is KZ_INVALID; a call that returns no status gives 0, NULL or NaN then, or does nothing.
// Structs that may grow begin with their size, which the caller sets: `kz_launch x = {.size = sizeof x}`. A
// library of another version reads and fills no more than that; fields it does not know must be 0.
// Threads: any thread may make any call at any time, on one device too, unless a comment `Threads:` says
// otherwise. Until a call returns, do not touch the structs and buffers it was given. A call that waits
// blocks no other thread. The simulator and `cpu` run one operation at a time, whichever thread enqueued it.
#ifndef KZ_KZ_H
#define KZ_KZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kz/version.h"

// What libkz shows: the functions that have it, and nothing else.
#ifdef __GNUC__
#define KZ_API __attribute__((visibility("default")))
#else
#define KZ_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---- status ---------------------------------------------------------------------------------

typedef enum kz_status {
#define KZ_STATUS(name, value, text) KZ_##name = value,
#include "kz/status.def"
#undef KZ_STATUS
} kz_status;

typedef struct kz_error {
    kz_status status;
    char message[4000]; // whole lines; the first says what happened
} kz_error;

KZ_API const char *kz_status_name(kz_status status); // "NO_DEVICE"
KZ_API const char *kz_status_text(kz_status status); // "no such device"
KZ_API const char *kz_version(void);                 // of the library that runs; KZ_VERSION is the header's

// ---- element types --------------------------------------------------------------------------

typedef enum kz_type {
#define KZ_TYPE(id, ...) KZ_##id,
#include "kz/types.def"
#undef KZ_TYPE
    KZ_TYPE_COUNT
} kz_type;

KZ_API size_t kz_type_size(kz_type type);
KZ_API const char *kz_type_name(kz_type type); // "bf16"

// ---- devices --------------------------------------------------------------------------------

// Each of these is known by its address alone.
typedef struct kz_device kz_device;
typedef struct kz_module kz_module;
typedef struct kz_kernel kz_kernel;
typedef struct kz_stream kz_stream; // NULL is the default stream
typedef struct kz_event kz_event;
typedef struct kz_graph kz_graph;

// An address in a device's memory. On `cpu` it is a host address; on other devices the host cannot use it.
typedef uint64_t kz_ptr;

// `cpu` runs native C functions on the host's cores, `sim` is a simulated GPU, `cuda` an NVIDIA GPU.
typedef enum kz_device_kind { KZ_DEVICE_CPU, KZ_DEVICE_SIM, KZ_DEVICE_CUDA } kz_device_kind;

// What is known of a device. Sizes are in bytes, peaks in bytes or floating-point operations per second.
typedef struct kz_device_info {
    size_t size; // sizeof(kz_device_info), by the caller
    kz_device_kind kind;
    char id[32];         // what --device takes: "cuda:0", "sim:h200", "cpu"
    char name[96];       // "NVIDIA H200", "simulated NVIDIA H200", "AMD EPYC ..."
    char gpu[32];        // key into gpus/: "h200"; "" if unknown
    int sm;              // compute capability times ten: 90; 0 on cpu
    int multiprocessors; // cores on cpu
    int warp_size;       // 32; 1 on cpu
    int max_threads_per_block, max_threads_per_multiprocessor, max_blocks_per_multiprocessor;
    int registers_per_multiprocessor;
    size_t memory_bytes; // what can be allocated in all
    size_t l2_bytes;
    size_t shared_per_block, shared_per_block_optin, shared_per_multiprocessor;
    double peak_bytes_per_s; // nominal; 0 if unknown
    double peak_flops_f32;   // nominal; 0 if unknown
    bool has_clock;          // false on the simulator: it counts, it does not time
    bool has_memory_guards;  // accesses out of bounds stop the kernel
} kz_device_info;

// Lists the devices of this machine, best first; `*count` is how many there are, whatever `capacity` is. The
// `size` of the first info holds for all.
KZ_API kz_status kz_device_list(kz_device_info *infos, size_t capacity, size_t *count, kz_error *error);

// `id` as in kz_device_info. "cuda" means the first GPU, "sim" the GPU that the variable KZ_GPU names, else
// the default of gpus/, NULL the best device there is.
KZ_API kz_status kz_device_open(const char *id, kz_device **device, kz_error *error);
// Threads: must be the last call on the device and all that belongs to it.
KZ_API void kz_device_close(kz_device *device);
KZ_API const kz_device_info *kz_device_get_info(const kz_device *device);
KZ_API kz_status kz_device_synchronize(kz_device *device, kz_error *error);

// Gets the output of device printf, a piece at a time.
typedef void (*kz_print)(void *context, const char *text, size_t length);

// Passes the output of device printf to `print`; NULL drops it. On `cuda` the driver writes it to stdout by
// itself: KZ_UNSUPPORTED there and on `cpu`.
// Threads: the thread that launches calls `print`, which must make no call on the device.
KZ_API kz_status kz_device_set_print(kz_device *device, kz_print print, void *context, kz_error *error);

// Host threads that the simulator and `cpu` spread blocks over; 0 means all cores. KZ_UNSUPPORTED on `cuda`.
KZ_API kz_status kz_device_set_threads(kz_device *device, unsigned threads, kz_error *error);

// ---- memory ---------------------------------------------------------------------------------

KZ_API kz_status kz_memory_alloc(kz_device *device, size_t bytes, kz_ptr *address,
                                 kz_error *error); // 0 bytes: 0
// Threads: nothing may use the memory any more.
KZ_API kz_status kz_memory_free(kz_device *device, kz_ptr address, kz_error *error); // 0 is allowed
KZ_API kz_status kz_memory_available(kz_device *device, size_t *bytes, kz_error *error);

// Where buffers are: in device memory, or in pinned or pageable host memory.
typedef enum kz_location { KZ_ON_DEVICE, KZ_ON_HOST_PINNED, KZ_ON_HOST_PAGEABLE } kz_location;

// Host memory that kz_memory_free ends and that fills and copies take on either side. A GPU's copy engines
// and kernels can reach pinned memory; a copy with pageable memory on a side goes through a buffer of the
// driver's, and the call waits for it.
KZ_API kz_status kz_memory_alloc_host(kz_device *device, size_t bytes, bool pinned, kz_ptr *address,
                                      kz_error *error);

// Registers memory that the host already has, so that copies between it and the device are as fast as with
// pinned memory, and the call does not wait for them. The caller still owns the memory, and unregisters it
// before freeing it. The simulator and `cpu` have nothing to pin: they note the range, and report the same
// errors. 0 bytes: nothing happens.
KZ_API kz_status kz_memory_register(kz_device *device, void *memory, size_t bytes, kz_error *error);
// Threads: no copy from or to the memory may be in flight.
KZ_API kz_status kz_memory_unregister(kz_device *device, void *memory, kz_error *error);

// Asynchronous in `stream`; host memory must stay valid until the stream is synchronised. kz_copy_on_device
// copies between any two addresses, those of host memory included.
KZ_API kz_status kz_memory_fill(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                                kz_error *error);
KZ_API kz_status kz_copy_to_device(kz_device *device, kz_stream *stream, kz_ptr to, const void *from,
                                   size_t bytes, kz_error *error);
KZ_API kz_status kz_copy_to_host(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                                 kz_error *error);
KZ_API kz_status kz_copy_on_device(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                                   kz_error *error);

// ---- modules --------------------------------------------------------------------------------

// What a native kernel is told of its launch.
typedef struct kz_native_launch {
    uint32_t grid[3], block_index[3];
    const void *const *args; // args[i] points at the value of argument i
} kz_native_launch;

// A native kernel of the `cpu` device: a C function, called once for each block index of the grid.
typedef void (*kz_native_function)(const kz_native_launch *launch);

// A native kernel and the name that kz_module_kernel finds it by.
typedef struct kz_native_entry {
    const char *name;
    kz_native_function function;
} kz_native_entry;

// Machine code of one architecture: a cubin.
typedef struct kz_machine_code {
    int sm;        // 90
    bool specific; // sm_90a: runs on that architecture alone
    const void *data;
    size_t size;
    size_t packed_size; // 0, or `data` is an LZ4 block of so many bytes, which unpacks to `size`
} kz_machine_code;

// The code of a module in all its forms. `cuda` loads machine code that fits the GPU, else the PTX, which the driver
// compiles; `sim` runs the PTX; `cpu` has the native functions.
typedef struct kz_image_set kz_image_set;
typedef struct kz_image {
    size_t size;      // sizeof(kz_image), by the caller
    const char *name; // for messages: "reduce/03_warp_shuffle"
    const char *ptx;  // NUL-terminated; NULL if there is none
    size_t ptx_size;  // without the NUL
    const kz_machine_code *machine_code;
    size_t machine_code_count;
    const kz_native_entry *natives; // ends with a NULL name; NULL if there is none
    const void *packed_ptx;         // in the place of `ptx`: an LZ4 block, which unpacks to `ptx_size` bytes
    size_t packed_ptx_size;
    // NULL, or ends with a NULL: images whose kernels the module has as well. One is loaded when the first of its kernels is
    // asked for: those of "reduce/03_warp_shuffle" begin with reduce_warp_shuffle_. They must outlive the module.
    const kz_image_set *const *others;
} kz_image;

// Images side by side.
struct kz_image_set {
    const kz_image *images;
    size_t count;
};

// The PTX of an image, packed or not: text for the caller to free. KZ_NOT_FOUND if it has none.
KZ_API kz_status kz_image_ptx(const kz_image *image, char **ptx, kz_error *error);

// Loads an image on a device and gives the module. The caller may free the image, and what it points at except
// `natives`, afterwards. KZ_UNSUPPORTED if the image has no form that the device can use; what is wrong with the PTX
// is in the error.
KZ_API kz_status kz_module_load(kz_device *device, const kz_image *image, kz_module **module,
                                kz_error *error);

// Unloads the module; its kernels and variables are gone with it.
// Threads: must be the last call on the module and its kernels.
KZ_API void kz_module_close(kz_module *module);

// The kernel of that name, as the PTX has it: `extern "C"` in CUDA keeps it unmangled. It belongs to the module and is
// not closed. KZ_NOT_FOUND if there is none.
KZ_API kz_status kz_module_kernel(kz_module *module, const char *name, kz_kernel **kernel, kz_error *error);

// The address and the size of a `__device__` or `__constant__` variable, to copy to or from it. KZ_NOT_FOUND if there is
// none; KZ_UNSUPPORTED on `cpu`, where the program has its variables itself.
KZ_API kz_status kz_module_global(kz_module *module, const char *name, kz_ptr *address, size_t *bytes,
                                  kz_error *error);

// ---- launches -------------------------------------------------------------------------------

typedef struct kz_launch {
    size_t size; // sizeof(kz_launch), by the caller
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // 0 0 0: no clusters
    uint32_t dynamic_shared_bytes;
    bool cooperative; // all blocks resident, so that a grid-wide barrier works
    // It may be put on the multiprocessors before the kernel in front of it in the stream has ended. The
    // kernel must then wait (griddepcontrol.wait) before it reads or writes memory. From sm_90 on; nothing
    // happens elsewhere.
    bool overlap;
} kz_launch;

// `args[i]` points at the value of parameter i, as for cuLaunchKernel.
KZ_API kz_status kz_launch_kernel(kz_device *device, kz_stream *stream, kz_kernel *kernel,
                                  const kz_launch *launch, const void *const *args, size_t arg_count,
                                  kz_error *error);

// What a kernel needs of the device.
typedef struct kz_kernel_info {
    size_t size;   // sizeof(kz_kernel_info), by the caller
    int registers; // as ptxas allotted them; -1 if unknown
    size_t static_shared_bytes;
    size_t local_bytes_per_thread;
    int max_threads_per_block;
    int param_count; // -1 if unknown: native kernels state none
} kz_kernel_info;

// Fills `info`, whose `size` the caller sets.
KZ_API kz_status kz_kernel_get_info(kz_kernel *kernel, kz_kernel_info *info, kz_error *error);

// The offset of parameter `index` in the parameter block, and its size. KZ_INVALID past the last one;
// KZ_UNSUPPORTED on `cpu`, and on `cuda` if the driver is older than CUDA 12.4.
KZ_API kz_status kz_kernel_get_param(kz_kernel *kernel, size_t index, size_t *offset, size_t *bytes,
                                     kz_error *error);

// ---- tensor maps ----------------------------------------------------------------------------

enum { KZ_TENSOR_RANK = 5, KZ_TENSOR_MAP_BYTES = 128, KZ_TENSOR_MAP_ALIGN = 64 };

// The numbers of these four are CUDA's (CUtensorMapDataType, CUtensorMapInterleave, ...).
typedef enum kz_tensor_type {
#define KZ_TENSOR_TYPE(id, ...) KZ_TENSOR_##id,
#include "kz/tensor_types.def"
#undef KZ_TENSOR_TYPE
} kz_tensor_type;
typedef enum kz_tensor_interleave {
    KZ_TENSOR_INTERLEAVE_NONE,
    KZ_TENSOR_INTERLEAVE_16B,
    KZ_TENSOR_INTERLEAVE_32B
} kz_tensor_interleave;
typedef enum kz_tensor_swizzle {
    KZ_TENSOR_SWIZZLE_NONE,
    KZ_TENSOR_SWIZZLE_32B,
    KZ_TENSOR_SWIZZLE_64B,
    KZ_TENSOR_SWIZZLE_128B
} kz_tensor_swizzle;
typedef enum kz_tensor_promotion {
    KZ_TENSOR_PROMOTION_NONE,
    KZ_TENSOR_PROMOTION_64B,
    KZ_TENSOR_PROMOTION_128B,
    KZ_TENSOR_PROMOTION_256B
} kz_tensor_promotion;

// A tensor in global memory, and the box of it that one copy moves. Dimension 0 is contiguous.
typedef struct kz_tensor {
    size_t size; // sizeof(kz_tensor), by the caller
    kz_tensor_type type;
    uint32_t rank;                    // 1 to 5
    kz_ptr address;                   // a multiple of 16
    uint64_t dims[KZ_TENSOR_RANK];    // elements
    uint64_t strides[KZ_TENSOR_RANK]; // bytes: strides[i] of dimension i; strides[0] is not looked at
    uint32_t box[KZ_TENSOR_RANK];     // elements, 1 to 256; not for im2col
    uint32_t steps[KZ_TENSOR_RANK];   // every how manyth element of a dimension is taken; 0 means 1
    kz_tensor_interleave interleave;  //
    kz_tensor_swizzle swizzle;        // of the box in shared memory
    kz_tensor_promotion promotion;    // bytes that L2 fetches at once
    bool fill_nan;                    // what is outside the tensor is NaN, not 0
    bool im2col;                      // pixels of a bounding box instead of a box
    int32_t lower[3], upper[3];       // im2col: its corners, W first
    uint32_t channels, pixels;        // im2col: of one copy
} kz_tensor;

// Writes the tensor map, KZ_TENSOR_MAP_BYTES at a multiple of KZ_TENSOR_MAP_ALIGN: an argument that a kernel takes as
// `const __grid_constant__ CUtensorMap`, or bytes to copy to the device. KZ_INVALID where a rule of CUDA's is broken: the
// error names it. KZ_UNSUPPORTED on `cpu` and on GPUs before sm_90.
KZ_API kz_status kz_tensor_map_encode(kz_device *device, const kz_tensor *tensor, void *map, kz_error *error);

// ---- streams --------------------------------------------------------------------------------

// The default stream waits for all others and they for it, as CUDA's legacy default stream does.
KZ_API kz_status kz_stream_open(kz_device *device, kz_stream **stream, kz_error *error);
// Wraps a stream that another library made (a CUstream, a cudaStream_t), to run in order with its work. The
// wrapped stream must outlive ours; closing ours does not end it. It may be recording a graph: launches become part of it. KZ_UNSUPPORTED except on `cuda`.
KZ_API kz_status kz_stream_wrap(kz_device *device, void *handle, kz_stream **stream, kz_error *error);
// Threads: must be the last call on the stream.
KZ_API void kz_stream_close(kz_stream *stream);
KZ_API kz_status kz_stream_synchronize(kz_device *device, kz_stream *stream, kz_error *error);
KZ_API kz_status kz_stream_wait(kz_device *device, kz_stream *stream, kz_event *event, kz_error *error);
// The driver's handle (a CUstream), for vendor libraries; NULL for the default stream and on other devices.
// A kz_ptr of a `cuda` device is a CUdeviceptr, and its primary context is current after every call.
KZ_API void *kz_stream_handle(const kz_stream *stream);

// ---- events ---------------------------------------------------------------------------------

KZ_API kz_status kz_event_open(kz_device *device, kz_event **event, kz_error *error);
// Threads: must be the last call on the event.
KZ_API void kz_event_close(kz_event *event);
KZ_API kz_status kz_event_record(kz_device *device, kz_event *event, kz_stream *stream, kz_error *error);
KZ_API kz_status kz_event_synchronize(kz_device *device, kz_event *event, kz_error *error);
// Seconds between two recorded events, both waited for. KZ_UNSUPPORTED if the device has no clock.
KZ_API kz_status kz_event_elapsed(kz_device *device, kz_event *from, kz_event *to, double *seconds,
                                  kz_error *error);

// ---- graphs ---------------------------------------------------------------------------------

// What is enqueued in `stream` between begin and end is recorded instead of run; streams that wait for an
// event recorded there join in. The default stream cannot be recorded. Scalars are kept as they were, while
// host memory is read and written when the graph runs. On `cpu`, whose kernels state no parameter sizes, each
// recorded argument must be readable for 8 bytes. The graph's module must outlive it.
// Threads: the simulator and `cpu` record one stream at a time. Meanwhile another kz_graph_begin is KZ_BUSY
// there, and kz_device_synchronize KZ_INVALID, in every thread.
KZ_API kz_status kz_graph_begin(kz_device *device, kz_stream *stream, kz_error *error);
KZ_API kz_status kz_graph_end(kz_device *device, kz_stream *stream, kz_graph **graph, kz_error *error);
KZ_API kz_status kz_graph_launch(kz_device *device, kz_graph *graph, kz_stream *stream, kz_error *error);
// Threads: must be the last call on the graph.
KZ_API void kz_graph_close(kz_graph *graph);

// ---- counters -------------------------------------------------------------------------------

// Sums over the launches since the last reset. Only the simulator fills them; `valid` is false elsewhere.
typedef struct kz_counters {
    size_t size; // sizeof(kz_counters), by the caller
    bool valid;
    uint64_t launches, blocks, warps;
    uint64_t warp_instructions, thread_instructions; // PTX instructions issued, and lanes active in them
    uint64_t global_requests, global_sectors, global_ideal_sectors;
    uint64_t shared_requests, shared_wavefronts, shared_ideal_wavefronts;
    uint64_t atomic_requests, atomic_lane_conflicts; // lanes beyond the first on one address
    uint64_t barriers;
} kz_counters;

// Counting costs speed, so it is off until asked for. KZ_UNSUPPORTED on devices that cannot count.
KZ_API kz_status kz_counters_enable(kz_device *device, bool on, kz_error *error);
KZ_API kz_status kz_counters_read(kz_device *device, kz_counters *counters, bool reset, kz_error *error);

// ---- plans ----------------------------------------------------------------------------------

// What an operation does on the host: an ordered list of steps over the caller's buffers and workspace, made
// by a pure function of shape, type and device. Callers hold it by its address; kz/plan.h is for those who
// build one.
typedef struct kz_plan kz_plan;

KZ_API uint64_t kz_plan_workspace(const kz_plan *plan); // bytes that a run needs; may be 0
KZ_API size_t kz_plan_step_count(const kz_plan *plan);

// Enqueues every step. `buffers` are the operation's buffers in the family's order.
// Threads: any, at any time; plans on one device are enqueued one after the other.
KZ_API kz_status kz_plan_run(kz_device *device, kz_stream *stream, kz_module *module, const kz_plan *plan,
                             const kz_ptr *buffers, size_t buffer_count, kz_ptr workspace, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

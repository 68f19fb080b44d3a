// The CUDA driver interface, as far as we use it, opened at run time.
//
// Our own declarations of its types: the build needs no CUDA header, and abi_test.c compares them with cuda.h
// where there is one. The library is libcuda.so.1; the variable KZ_LIBCUDA names another file instead.
#ifndef DEVICE_DRIVER_H
#define DEVICE_DRIVER_H

#include "base/base.h"

typedef int driver_result; // CUresult: 0 is success
typedef int driver_device; // CUdevice
typedef uint64_t driver_pointer;
typedef struct driver_context_handle *driver_context;
typedef struct driver_module_handle *driver_module;
typedef struct driver_function_handle *driver_function;
typedef struct driver_stream_handle *driver_stream;
typedef struct driver_event_handle *driver_event;
typedef struct driver_graph_handle *driver_graph;
typedef struct driver_graph_exec_handle *driver_graph_exec;

typedef struct driver_memory_handle { // CUipcMemHandle
    char bytes[64];
} driver_memory_handle;

typedef struct driver_launch_attribute { // CUlaunchAttribute
    int id;
    char pad[4];
    union {
        char room[64];
        int cooperative;
        int overlap;
        struct {
            unsigned x, y, z;
        } cluster;
    } value;
} driver_launch_attribute;

typedef struct driver_launch_config { // CUlaunchConfig
    unsigned grid[3], block[3];
    unsigned shared_bytes;
    driver_stream stream;
    driver_launch_attribute *attributes;
    unsigned attribute_count;
} driver_launch_config;

enum { // CUdevice_attribute
    DRIVER_MAX_THREADS_PER_BLOCK = 1,
    DRIVER_SHARED_PER_BLOCK = 8,
    DRIVER_WARP_SIZE = 10,
    DRIVER_CLOCK_RATE = 13, // kHz
    DRIVER_MULTIPROCESSORS = 16,
    DRIVER_MEMORY_CLOCK_RATE = 36, // kHz
    DRIVER_MEMORY_BUS_WIDTH = 37,  // bits
    DRIVER_L2_BYTES = 38,
    DRIVER_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    DRIVER_CAPABILITY_MAJOR = 75,
    DRIVER_CAPABILITY_MINOR = 76,
    DRIVER_SHARED_PER_MULTIPROCESSOR = 81,
    DRIVER_REGISTERS_PER_MULTIPROCESSOR = 82,
    DRIVER_SHARED_PER_BLOCK_OPTIN = 97,
    DRIVER_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
};
enum { // CUfunction_attribute
    DRIVER_FUNCTION_MAX_THREADS = 0,
    DRIVER_FUNCTION_SHARED_BYTES = 1,
    DRIVER_FUNCTION_LOCAL_BYTES = 3,
    DRIVER_FUNCTION_REGISTERS = 4,
    DRIVER_FUNCTION_MAX_DYNAMIC_SHARED = 8,
    DRIVER_FUNCTION_NON_PORTABLE_CLUSTER = 14,
};
enum { // CUjit_option
    DRIVER_JIT_INFO_LOG = 3,
    DRIVER_JIT_INFO_LOG_BYTES = 4,
    DRIVER_JIT_ERROR_LOG = 5,
    DRIVER_JIT_ERROR_LOG_BYTES = 6,
    DRIVER_JIT_LINE_INFO = 13,
};
enum { // CUlaunchAttributeID
    DRIVER_LAUNCH_COOPERATIVE = 2,
    DRIVER_LAUNCH_CLUSTER = 4,
    DRIVER_LAUNCH_OVERLAP = 6, // programmatic stream serialization
};
enum { DRIVER_REGISTER_PORTABLE = 1 }; // CU_MEMHOSTREGISTER_PORTABLE: pinned for all GPUs
enum { DRIVER_IMPORT_PEERS = 1 };      // CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, the only flag there is
enum { DRIVER_CAPTURE_RELAXED = 2 };   // CUstreamCaptureMode
enum { DRIVER_STREAM_DEFAULT = 0, DRIVER_EVENT_DEFAULT = 0 }; // events with timing
enum { DRIVER_RECORD_EXTERNAL = 1 };                          // CUevent_record_flags

enum { // CUresult, those the code itself asks about; driver_errors.def has them all
#define DRIVER_ERROR(code, name, status, lasting, cause) DRIVER_##name = code,
#include "device/driver_errors.def"
#undef DRIVER_ERROR
};

typedef struct driver_table {
#define DRIVER(name, symbol, need, params) driver_result(*name) params;
#include "device/driver.def"
#undef DRIVER
} driver_table;

// Opens the library, finds every symbol and starts the driver. The library stays loaded for the process's
// life, for libcuda cannot be unloaded.
kz_status device_driver_open(driver_table *d, kz_error *error);

// Explains `result`: its name, the driver's text, `where` it happened, the likely cause and the next step.
// Gives the status it stands for; `sticky` (may be NULL) says whether the context is lost with it.
kz_status device_driver_fail(const driver_table *d, driver_result result, const char *where, bool *sticky,
                             kz_error *error);

#endif

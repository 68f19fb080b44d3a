// The real cuDNN on a machine without a GPU, for plan.c: it compiles for a device of which it is told the properties, here an
// H200's (cuDNN calls that deviceless ahead-of-time compilation). What the rival asks with a handle is asked with these; nothing
// can be executed. The driver's functions that cuDNN looks up are beside this file (deviceless_driver.c).
//
// The library is found as the rival finds it; KZ_REAL_CUDNN names its file. Its version is 0 where it is not there, or not one
// whose form of the properties this is.
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "peers/library.h"

enum {
    HEURISTICS = 4,
    PROPERTIES = 38,
    KINDS = 4096, // descriptors of one plan
    HEURISTICS_PROPERTIES = 204,
    PLAN_HANDLE = 400,
    PLAN_PROPERTIES = 407,
    GRAPH_HANDLE = 800,
    PROPERTIES_TEXT = 2702,
    IS_DESCRIPTOR = 15,
    IS_TEXT = 24,
    NOT_SUPPORTED = 3000,
    KNOWN = 919, // 9.19
};

static const char h200[] =
    "{\"cudaDeviceId\":0,\"deviceName\":\"NVIDIA "
    "H200\",\"deviceVer\":900,\"driverVer\":13000,\"pciDeviceId\":0,"
    "\"isTccDriver\":0,\"supportCoopLaunch\":1,\"multiProcessorCount\":132,\"warpSize\":32,"
    "\"maxGridSize\":[2147483647,65535,65535],\"maxBlockSize\":[1024,1024,64],\"maxThreadsPerBlock\":1024,"
    "\"maxThreadsPerSM\":2048,\"maxCtasPerSM\":32,\"regsPerBlock\":65536,\"maxRegistersPerSM\":65536,"
    "\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":232448,"
    "\"reservedSharedMemoryPerBlock\":1024,\"l2CacheSize\":62914560,\"totalGlobalMem\":150754820096,"
    "\"smClockRateKHz\":1980000,\"memClockRateKHz\":3201000}";

static struct {
    size_t (*version)(void);
    const char *(*text)(int status);
    void (*last_error)(char *message, size_t bytes);
    int (*make)(int kind, void **descriptor);
    int (*drop)(void *descriptor);
    int (*finalize)(void *descriptor);
    int (*set)(void *descriptor, int attribute, int type, int64_t count, const void *values);
    int (*get)(const void *descriptor, int attribute, int type, int64_t asked, int64_t *count, void *values);
    int (*make_tensor)(void **tensor);
    int (*drop_tensor)(void *tensor);
    int (*set_tensor)(void *tensor, int format, int type, int n, int c, int h, int w);
} real;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;
static void *device; // its properties
static void *heuristics[KINDS];
static size_t heuristics_count;

static void open_real(void) {
    static const peer_symbol symbols[] = {
        {"cudnnGetVersion", &real.version},
        {"cudnnGetErrorString", &real.text},
        {"cudnnGetLastErrorString", &real.last_error},
        {"cudnnBackendCreateDescriptor", &real.make},
        {"cudnnBackendDestroyDescriptor", &real.drop},
        {"cudnnBackendFinalize", &real.finalize},
        {"cudnnBackendSetAttribute", &real.set},
        {"cudnnBackendGetAttribute", &real.get},
        {"cudnnCreateTensorDescriptor", &real.make_tensor},
        {"cudnnDestroyTensorDescriptor", &real.drop_tensor},
        {"cudnnSetTensor4dDescriptor", &real.set_tensor},
    };
    const peer_wanted wanted = {.variable = "KZ_REAL_CUDNN",
                                .files = {"libcudnn.so.9"},
                                .symbols = symbols,
                                .symbol_count = sizeof symbols / sizeof symbols[0]};
    if (!dlopen(DRIVER, RTLD_NOW | RTLD_GLOBAL)) return; // found by its soname then
    peer_library_open(&library, &wanted);
}

size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void) {
    const char *why;
    pthread_once(&once, open_real);
    bool known = peer_library_usable(&library, &why) && real.version() / 100 == KNOWN;
    return known ? real.version() : 0;
}

const char *cudnnGetErrorString(int status);
const char *cudnnGetErrorString(int status) { return real.text(status); }
void cudnnGetLastErrorString(char *message, size_t bytes);
void cudnnGetLastErrorString(char *message, size_t bytes) { real.last_error(message, bytes); }

// A handle is the device's properties.
int cudnnCreate(void **handle);
int cudnnCreate(void **handle) {
    *handle = &device;
    if (device) return 0;
    int status = real.make(PROPERTIES, &device);
    if (status == 0) status = real.set(device, PROPERTIES_TEXT, IS_TEXT, sizeof h200 - 1, h200);
    return status ? status : real.finalize(device);
}
int cudnnDestroy(void *handle);
int cudnnDestroy(void *handle) { return handle == &device ? 0 : NOT_SUPPORTED; }
int cudnnSetStream(void *handle, void *stream);
int cudnnSetStream(void *handle, void *stream) { return handle && !stream ? 0 : NOT_SUPPORTED; }

int cudnnBackendCreateDescriptor(int kind, void **descriptor);
int cudnnBackendCreateDescriptor(int kind, void **descriptor) {
    int status = real.make(kind, descriptor);
    if (status == 0 && kind == HEURISTICS && heuristics_count < KINDS)
        heuristics[heuristics_count++] = *descriptor;
    return status;
}
int cudnnBackendDestroyDescriptor(void *descriptor);
int cudnnBackendDestroyDescriptor(void *descriptor) {
    for (size_t i = 0; i < heuristics_count; i++)
        if (heuristics[i] == descriptor) heuristics[i] = heuristics[--heuristics_count];
    return real.drop(descriptor);
}

int cudnnBackendSetAttribute(void *descriptor, int attribute, int type, int64_t count, const void *values);
int cudnnBackendSetAttribute(void *descriptor, int attribute, int type, int64_t count, const void *values) {
    if (attribute == GRAPH_HANDLE) return 0; // it needs none
    if (attribute == PLAN_HANDLE) return real.set(descriptor, PLAN_PROPERTIES, IS_DESCRIPTOR, 1, &device);
    return real.set(descriptor, attribute, type, count, values);
}

int cudnnBackendFinalize(void *descriptor);
int cudnnBackendFinalize(void *descriptor) {
    int status = 0;
    for (size_t i = 0; i < heuristics_count; i++)
        if (heuristics[i] == descriptor)
            status = real.set(descriptor, HEURISTICS_PROPERTIES, IS_DESCRIPTOR, 1, &device);
    return status ? status : real.finalize(descriptor);
}

int cudnnBackendGetAttribute(const void *descriptor, int attribute, int type, int64_t asked, int64_t *count,
                             void *values);
int cudnnBackendGetAttribute(const void *descriptor, int attribute, int type, int64_t asked, int64_t *count,
                             void *values) {
    return real.get(descriptor, attribute, type, asked, count, values);
}

int cudnnCreateTensorDescriptor(void **tensor);
int cudnnCreateTensorDescriptor(void **tensor) { return real.make_tensor(tensor); }
int cudnnDestroyTensorDescriptor(void *tensor);
int cudnnDestroyTensorDescriptor(void *tensor) { return real.drop_tensor(tensor); }
int cudnnSetTensor4dDescriptor(void *tensor, int format, int type, int n, int c, int h, int w);
int cudnnSetTensor4dDescriptor(void *tensor, int format, int type, int n, int c, int h, int w) {
    return real.set_tensor(tensor, format, type, n, c, h, w);
}

// What would run.
#define CANNOT(name)                                                                                         \
    int name(void);                                                                                          \
    int name(void) { return NOT_SUPPORTED; }
CANNOT(cudnnBackendExecute)
CANNOT(cudnnSoftmaxForward)
CANNOT(cudnnSoftmaxBackward)

// The device: there is one, with the properties of the GPU that is simulated.
#include "runtime.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The bus as wide as the kind of memory needs it, by what is known of the bandwidth alone: HBM above 1.2
// TB/s.
static int bus_width(const device_gpu *gpu) {
    if (gpu->bandwidth >= 1.2e12) return gpu->bandwidth >= 4e12 ? 6144 : 5120;
    return gpu->bandwidth >= 5e11 ? 384 : 256;
}

static void describe(struct cudaDeviceProp *p) {
    const device_gpu *gpu = &cudart.gpu;
    int sm = (int)gpu->sm;
    *p = (struct cudaDeviceProp){
        .totalGlobalMem = (size_t)gpu->memory,
        .sharedMemPerBlock = (size_t)gpu->shared_per_block,
        .regsPerBlock = 65536,
        .warpSize = 32,
        .memPitch = INT32_MAX,
        .maxThreadsPerBlock = (int)gpu->max_threads_per_block,
        .maxThreadsDim = {1024, 1024, 64},
        .maxGridSize = {INT32_MAX, 65535, 65535},
        .totalConstMem = 65536,
        .major = sm / 10,
        .minor = sm % 10,
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .multiProcessorCount = (int)gpu->multiprocessors,
        .canMapHostMemory = 1,
        .maxTexture1D = 131072,
        .maxTexture1DMipmap = 32768,
        .maxTexture2D = {131072, 65536},
        .maxTexture2DMipmap = {32768, 32768},
        .maxTexture2DLinear = {131072, 65000, 2097120},
        .maxTexture2DGather = {32768, 32768},
        .maxTexture3D = {16384, 16384, 16384},
        .maxTexture3DAlt = {8192, 8192, 32768},
        .maxTextureCubemap = 32768,
        .maxTexture1DLayered = {32768, 2048},
        .maxTexture2DLayered = {32768, 32768, 2048},
        .maxTextureCubemapLayered = {32768, 2046},
        .maxSurface1D = 32768,
        .maxSurface2D = {131072, 65536},
        .maxSurface3D = {16384, 16384, 16384},
        .maxSurface1DLayered = {32768, 2048},
        .maxSurface2DLayered = {32768, 32768, 2048},
        .maxSurfaceCubemap = 32768,
        .maxSurfaceCubemapLayered = {32768, 2046},
        .surfaceAlignment = 512,
        .concurrentKernels = 1,
        .ECCEnabled = 1,
        .pciBusID = 1,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .memoryBusWidth = bus_width(gpu),
        .l2CacheSize = (int)gpu->l2,
        .persistingL2CacheMaxSize = sm >= 80 ? (int)(gpu->l2 * 0.75) : 0,
        .maxThreadsPerMultiProcessor = (int)gpu->max_threads_per_multiprocessor,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = (size_t)gpu->shared_per_multiprocessor,
        .regsPerMultiprocessor = (int)gpu->registers_per_multiprocessor,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .cooperativeLaunch = 1,
        .sharedMemPerBlockOptin = (size_t)gpu->shared_per_block_optin,
        .maxBlocksPerMultiProcessor = (int)gpu->max_blocks_per_multiprocessor,
        .accessPolicyMaxWindowSize = sm >= 80 ? 128 << 20 : 0,
        .reservedSharedMemPerBlock = sm >= 80 ? 1024 : 0,
        .hostRegisterSupported = 1,
        .hostRegisterReadOnlySupported = 1,
        .memoryPoolsSupported = 1,
        .clusterLaunch = sm >= 90,
        .deviceNumaId = -1,
        .hostNumaId = -1,
    };
    snprintf(p->name, sizeof p->name, "%s", gpu->name);
    snprintf(p->uuid.bytes, sizeof p->uuid.bytes, "kz-sim-%.8s", gpu->key);
}

// ---- which --------------------------------------------------------------------------------------------

static cudaError_t give_int(int *to, int value) {
    if (!to) return cudaErrorInvalidValue;
    *to = value;
    return cudaSuccess;
}

static cudaError_t check_device(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidDevice; }

cudaError_t cudaGetDeviceCount(int *count) { return CUDART_CALL(give_int(count, 1)); }
cudaError_t cudaGetDevice(int *device) { return CUDART_CALL(give_int(device, 0)); }
cudaError_t cudaSetDevice(int device) { return CUDART_CALL(check_device(device)); }
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    return CUDART_CALL(check_device(device));
}
cudaError_t cudaSetValidDevices(int *devices, int count) {
    return CUDART_CALL(count > 1 || (count == 1 && devices && devices[0]) ? cudaErrorInvalidDevice
                                                                          : cudaSuccess);
}
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
    return CUDART_CALL(wanted ? give_int(device, 0) : cudaErrorInvalidValue);
}
cudaError_t cudaDriverGetVersion(int *version) { return CUDART_CALL(give_int(version, CUDART_VERSION)); }
cudaError_t cudaRuntimeGetVersion(int *version) { return CUDART_CALL(give_int(version, CUDART_VERSION)); }

// ---- what it is ---------------------------------------------------------------------------------------

static cudaError_t properties(struct cudaDeviceProp *p, int device) {
    if (!p) return cudaErrorInvalidValue;
    cudaError_t error = check_device(device);
    if (!error) describe(p);
    return error;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    return CUDART_CALL(properties(p, device));
}

static cudaError_t attribute(int *value, enum cudaDeviceAttr wanted, int device) {
    struct cudaDeviceProp made;
    const struct cudaDeviceProp *p = &made;
    const device_gpu *gpu = &cudart.gpu;
    cudaError_t error = value ? check_device(device) : cudaErrorInvalidValue;
    if (error) return error;
    describe(&made);
    switch (wanted) {
#define CUDART_ATTRIBUTE(name, expression)                                                                   \
    case cudaDevAttr##name:                                                                                  \
        *value = (int)(expression);                                                                          \
        return cudaSuccess;
#include "attributes.def"
#undef CUDART_ATTRIBUTE
    default: break;
    }
    if (wanted < cudaDevAttrMaxThreadsPerBlock || wanted >= cudaDevAttrMax) return cudaErrorInvalidValue;
    *value = 0; // a feature that is not here, or a number that is reserved
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr wanted, int device) {
    return CUDART_CALL(attribute(value, wanted, device));
}

static cudaError_t bus_id(char *text, int length, int device) {
    if (!text || length < 1) return cudaErrorInvalidValue;
    cudaError_t error = check_device(device);
    if (!error && snprintf(text, (size_t)length, "0000:01:00.0") >= length) error = cudaErrorInvalidValue;
    return error;
}

cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
    return CUDART_CALL(bus_id(text, length, device));
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
    return CUDART_CALL(id && strstr(id, "01:00") ? give_int(device, 0) : cudaErrorInvalidValue);
}

// ---- settings -----------------------------------------------------------------------------------------

// What the runtime makes of a value, as measured on an H200 where the documentation does not say.
enum {
    STACK_UNIT = 16,
    STACK_MOST = 511 << 10, // of a thread, by an H200: 512 KiB of local memory, less 1 KiB
    PRINT_UNIT = 256,
    PRINT_LEAST = 512 << 10,
};

static size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

void cudart_reset_limits(void) {
    static const size_t limits[] = {1024, 0, 8 << 20, 2, 2048, 64, 0};
    memcpy(cudart.limits, limits, sizeof limits);
    cudart.limits[cudaLimitPrintfFifoSize] = (size_t)cudart.gpu.multiprocessors << 16;
    cudart.has_printed = cudart.has_allocated = false;
    sim_machine_set_stack(cudart.machine, (uint32_t)limits[cudaLimitStackSize]);
    sim_memory_set_heap(cudart.machine, limits[cudaLimitMallocHeapSize]);
}

static cudaError_t check_limit(enum cudaLimit limit) {
    if ((unsigned)limit > cudaLimitPersistingL2CacheSize) return cudaErrorInvalidValue;
    // From sm_90 on kernels do not wait for kernels (CUDA Runtime API, "cudaDeviceSetLimit").
    bool gone = limit == cudaLimitDevRuntimeSyncDepth && cudart.gpu.sm >= 90;
    return gone ? cudaErrorUnsupportedLimit : cudaSuccess;
}

static cudaError_t set_limit(enum cudaLimit limit, size_t value) {
    cudaError_t error = check_limit(limit);
    if (error) return error;
    switch (limit) {
    case cudaLimitStackSize:
        if (value > STACK_MOST) return cudaErrorInvalidValue;
        value = round_up(value, STACK_UNIT);
        sim_machine_set_stack(cudart.machine, (uint32_t)value);
        break;
    case cudaLimitPrintfFifoSize:
        if (cudart.has_printed || value > SIZE_MAX - PRINT_UNIT) return cudaErrorInvalidValue;
        value = round_up(value < PRINT_LEAST ? PRINT_LEAST : value, PRINT_UNIT);
        break;
    case cudaLimitMallocHeapSize:
        if (cudart.has_allocated) return cudaErrorInvalidValue;
        sim_memory_set_heap(cudart.machine, value);
        break;
    default: break;
    }
    cudart.limits[limit] = value;
    return cudaSuccess;
}

static cudaError_t get_limit(size_t *value, enum cudaLimit limit) {
    if (!value) return cudaErrorInvalidValue;
    cudaError_t error = check_limit(limit);
    if (!error) *value = cudart.limits[limit];
    return error;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    return CUDART_CALL(set_limit(limit, value));
}
cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    return CUDART_CALL(get_limit(value, limit));
}

static cudaError_t set_cache(enum cudaFuncCache config) {
    cudart.cache_config = config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) { return CUDART_CALL(set_cache(config)); }
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    return CUDART_CALL(give_int((int *)config, (int)cudart.cache_config));
}
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) { return CUDART_CALL(cudaSuccess); }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
    return CUDART_CALL(give_int((int *)config, cudaSharedMemBankSizeFourByte));
}

static cudaError_t set_flags(unsigned flags) {
    if (flags & ~(unsigned)cudaDeviceMask) return cudaErrorInvalidValue;
    cudart.device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) { return CUDART_CALL(set_flags(flags)); }
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    return CUDART_CALL(give_int((int *)flags, (int)(cudart.device_flags | cudaDeviceMapHost)));
}

static cudaError_t priorities(int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    return CUDART_CALL(priorities(least, greatest));
}
cudaError_t cudaCtxResetPersistingL2Cache(void) { return CUDART_CALL(cudaSuccess); }
// cuda_profiler_api.h is not everywhere where the runtime's header is.
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaProfilerStart(void) { return CUDART_CALL(cudaSuccess); }
cudaError_t cudaProfilerStop(void) { return CUDART_CALL(cudaSuccess); }
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget target,
                                               enum cudaFlushGPUDirectRDMAWritesScope scope) {
    return CUDART_CALL(cudaErrorNotSupported);
}

// ---- peers: there are none ----------------------------------------------------------------------------

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    return CUDART_CALL(device || peer ? cudaErrorInvalidDevice : give_int(can, 0));
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return CUDART_CALL(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessUnsupported);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    return CUDART_CALL(peer ? cudaErrorInvalidDevice : cudaErrorPeerAccessNotEnabled);
}
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr wanted, int from, int to) {
    return CUDART_CALL(cudaErrorInvalidDevice);
}

// ---- reset --------------------------------------------------------------------------------------------

// All memory goes; variables of modules get their first values again when the modules are loaded anew.
static cudaError_t reset(void) {
    cudart_flush_prints();
    cudart_journal_device_asked();
    cudart_journal_all_ended();
    while (cudart.allocation_count) {
        cudart_allocation *a = &cudart.allocations[cudart.allocation_count - 1];
        uint64_t address = a->address;
        if (a->kind == CUDART_MEMORY_REGISTERED) {
            sim_memory_unregister(cudart.machine, address, NULL);
            cudart.host->unshare(address, a->bytes, a->shared);
        } else
            sim_memory_free(cudart.machine, address, NULL);
        cudart_journal_freed(a->kind, a->bytes);
        cudart.allocation_count--;
    }
    for (cudart_module *m = cudart.modules; m; m = m->next) {
        if (m->program && !cudart.session) { // a record still speaks of its instructions
            sim_program_close(m->program);
            m->program = NULL;
        }
        if (!m->program && m->image) m->error = cudaSuccess;
    }
    for (cudart_function *f = cudart.functions; f; f = f->next)
        f->described = f->module->program && f->described;
    cudart.fault = cudart.pending = cudart.failure_error = cudaSuccess; // whoever resets has noticed
    cudart.is_unanswered = false;
    cudart_reset_limits();
    return cudaSuccess;
}

cudaError_t cudaDeviceReset(void) {
    cudart_enter(NULL); // also, and above all, after a fault
    return cudart_leave(cudart.open_error ? cudart.open_error : reset());
}

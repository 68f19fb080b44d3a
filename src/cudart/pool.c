// Memory in the order of streams: cudaMallocAsync and pools; and hints about managed memory.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

struct CUmemPoolHandle_st {
    uint64_t threshold, used, used_high, reserved_high;
    int reuse[4];
    struct CUmemPoolHandle_st *next;
};

static struct CUmemPoolHandle_st default_pool = {.reuse = {0, 1, 1, 1}};
static struct CUmemPoolHandle_st *pools;
static cudaMemPool_t current = &default_pool;

static bool is_pool(cudaMemPool_t pool) {
    if (pool == &default_pool) return true;
    for (struct CUmemPoolHandle_st *p = pools; p; p = p->next)
        if (p == pool) return true;
    return false;
}

// ---- allocating -----------------------------------------------------------------------------------------

static cudaError_t allocate(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t handle,
                            const char *call) {
    uint64_t address;
    cudaStream_t stream;
    if (!pointer || !is_pool(pool)) return cudaErrorInvalidValue;
    *pointer = NULL;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error || bytes == 0) return error;
    error = cudart_allocate(bytes, CUDART_MEMORY_DEVICE, 0, call, &address);
    if (error) return error;
    cudart_allocation_find(address)->pool = pool;
    pool->used += bytes;
    if (pool->used > pool->used_high) pool->used_high = pool->reserved_high = pool->used;
    *pointer = (void *)(uintptr_t)address;
    if (!stream->capture) cudart_uses_free(address, bytes, stream, false);
    if (!stream->capture) return cudaSuccess;
    cudart_op op = {.kind = CUDART_OP_ALLOC, .alloc = {.bytesize = bytes, .dptr = *pointer}};
    return cudart_submit(handle, &op);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
    return CUDART_CALL(allocate(pointer, bytes, current, stream, "cudaMallocAsync"));
}
CUDART_TWIN(cudaMallocAsync, _ptsz);

cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return CUDART_CALL(allocate(pointer, bytes, pool, stream, "cudaMallocFromPoolAsync"));
}
CUDART_TWIN(cudaMallocFromPoolAsync, _ptsz);

static cudaError_t release(void *pointer, cudaStream_t handle) {
    cudaStream_t stream;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    cudart_op op = {.kind = CUDART_OP_FREE, .address = address};
    if (stream->capture) return cudart_submit(handle, &op); // the graph may run often: it keeps its memory
    cudart_allocation *a = cudart_allocation_find(address);
    if (a && a->pool && a->address == address) a->pool->used -= a->bytes;
    if (a && a->address == address) cudart_uses_free(address, a->bytes, stream, true);
    return cudart_deallocate(address, "cudaFreeAsync");
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
    return CUDART_CALL(release(pointer, stream));
}
CUDART_TWIN(cudaFreeAsync, _ptsz);

// ---- pools ----------------------------------------------------------------------------------------------

static cudaError_t pool_create(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    if (!pool || !props || (props->location.type == cudaMemLocationTypeDevice && props->location.id))
        return cudaErrorInvalidValue;
    struct CUmemPoolHandle_st *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->reuse[1] = made->reuse[2] = made->reuse[3] = 1;
    made->next = pools;
    *pool = pools = made;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *props) {
    return CUDART_CALL(pool_create(pool, props));
}

static cudaError_t pool_destroy(cudaMemPool_t pool) {
    for (struct CUmemPoolHandle_st **at = &pools; *at; at = &(*at)->next) {
        if (*at != pool) continue;
        *at = pool->next;
        for (size_t i = 0; i < cudart.allocation_count; i++)
            if (cudart.allocations[i].pool == pool) cudart.allocations[i].pool = NULL;
        if (current == pool) current = &default_pool;
        free(pool);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) { return CUDART_CALL(pool_destroy(pool)); }

static cudaError_t pool_attribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *get,
                                  const void *put) {
    if (!is_pool(pool) || (!get && !put)) return cudaErrorInvalidValue;
    uint64_t *wide = NULL;
    switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        if (get) memcpy(get, &pool->reuse[attribute], sizeof(int));
        if (put) memcpy(&pool->reuse[attribute], put, sizeof(int));
        return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold: wide = &pool->threshold; break;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: wide = &pool->used; break;
    case cudaMemPoolAttrReservedMemHigh: wide = &pool->reserved_high; break;
    case cudaMemPoolAttrUsedMemHigh: wide = &pool->used_high; break;
    default: return cudaErrorInvalidValue;
    }
    if (put && wide == &pool->used) return cudaErrorInvalidValue;
    if (get) memcpy(get, wide, sizeof *wide);
    if (put) memcpy(wide, put, sizeof *wide);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
    return CUDART_CALL(pool_attribute(pool, attribute, value, NULL));
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
    return CUDART_CALL(pool_attribute(pool, attribute, NULL, value));
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
    return CUDART_CALL(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count) {
    return CUDART_CALL(is_pool(pool) ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t pool_access(enum cudaMemAccessFlags *flags, cudaMemPool_t pool) {
    if (!flags || !is_pool(pool)) return cudaErrorInvalidValue;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool,
                                 struct cudaMemLocation *location) {
    return CUDART_CALL(pool_access(flags, pool));
}

static cudaError_t get_pool(cudaMemPool_t *pool, int device, cudaMemPool_t which) {
    if (!pool) return cudaErrorInvalidValue;
    if (device) return cudaErrorInvalidDevice;
    *pool = which;
    return cudaSuccess;
}

static cudaError_t set_pool(int device, cudaMemPool_t pool) {
    if (device) return cudaErrorInvalidDevice;
    if (!is_pool(pool)) return cudaErrorInvalidValue;
    current = pool;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    return CUDART_CALL(get_pool(pool, device, &default_pool));
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
    return CUDART_CALL(get_pool(pool, device, current));
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
    return CUDART_CALL(set_pool(device, pool));
}
cudaError_t cudaDeviceGraphMemTrim(int device) {
    return CUDART_CALL(device ? cudaErrorInvalidDevice : cudaSuccess);
}

// ---- hints about managed memory -------------------------------------------------------------------------

static cudaError_t check_managed(const void *pointer, size_t bytes, const char *call,
                                 cudart_allocation **found) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    *found = cudart_allocation_find(address);
    const cudart_allocation *a = *found;
    if (a && a->kind == CUDART_MEMORY_MANAGED && bytes <= a->bytes - (address - a->address))
        return cudaSuccess;
    if (!a && sim_memory_is_device(cudart.machine, address)) return cudaSuccess; // a __managed__ variable
    return cudart_misuse(
        cudaErrorInvalidValue,
        "%s: %p is no managed memory of that size\nlikely cause: memory of cudaMalloc, or more "
        "bytes than were allocated\nwhat to do: cudaMallocManaged, and a size in bytes",
        call, pointer);
}

static cudaError_t prefetch(const void *pointer, size_t bytes, struct cudaMemLocation location,
                            unsigned flags, cudaStream_t stream) {
    cudart_allocation *a;
    if (flags) return cudaErrorInvalidValue;
    cudaError_t error = check_managed(pointer, bytes, "cudaMemPrefetchAsync", &a);
    if (error) return error;
    if (location.type == cudaMemLocationTypeDevice && location.id) return cudaErrorInvalidDevice;
    if (a) a->last_prefetch = location.type == cudaMemLocationTypeDevice ? 0 : cudaCpuDeviceId;
    cudart_op op = {.kind = CUDART_OP_EMPTY};
    return cudart_submit(stream, &op);
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
    return CUDART_CALL(prefetch(pointer, bytes, location, flags, stream));
}
CUDART_TWIN(cudaMemPrefetchAsync, _ptsz);

static cudaError_t advise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    cudart_allocation *a;
    cudaError_t error = check_managed(pointer, bytes, "cudaMemAdvise", &a);
    bool elsewhere = location.type == cudaMemLocationTypeDevice && location.id;
    if (!error && (bytes == 0 || elsewhere)) error = cudaErrorInvalidValue;
    if (error || !a) return error;
    int where = location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
    switch (advice) {
    case cudaMemAdviseSetReadMostly: a->read_mostly = 1; break;
    case cudaMemAdviseUnsetReadMostly: a->read_mostly = 0; break;
    case cudaMemAdviseSetPreferredLocation: a->preferred = where; break;
    case cudaMemAdviseUnsetPreferredLocation: a->preferred = cudaInvalidDeviceId; break;
    case cudaMemAdviseSetAccessedBy: a->accessed_by = 1; break;
    case cudaMemAdviseUnsetAccessedBy: a->accessed_by = 0; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
    return CUDART_CALL(advise(pointer, bytes, advice, location));
}

static cudaError_t range_attribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                   const void *pointer, size_t bytes) {
    cudart_allocation *a;
    // A list of devices may have any length, all else is one number.
    bool fits = attribute == cudaMemRangeAttributeAccessedBy ? size >= sizeof(int) : size == sizeof(int);
    if (!data || !fits) return cudaErrorInvalidValue;
    cudaError_t error = check_managed(pointer, bytes, "cudaMemRangeGetAttribute", &a);
    if (error || !a) return error;
    int value;
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly: value = a->read_mostly; break;
    case cudaMemRangeAttributePreferredLocation: value = a->preferred; break;
    case cudaMemRangeAttributeAccessedBy: value = a->accessed_by ? 0 : cudaInvalidDeviceId; break;
    case cudaMemRangeAttributeLastPrefetchLocation: value = a->last_prefetch; break;
    default: return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i + sizeof value <= size; i += sizeof value) {
        memcpy((char *)data + i, &value, sizeof value);
        value = cudaInvalidDeviceId;
    }
    return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, enum cudaMemRangeAttribute attribute,
                                     const void *pointer, size_t bytes) {
    return CUDART_CALL(range_attribute(data, size, attribute, pointer, bytes));
}

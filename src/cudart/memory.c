// Memory: device, pinned, managed and registered; what an address is.
#include "runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the list of allocations, sorted by address ---------------------------------------------------------

// The index of the first allocation above the address.
static size_t above(uint64_t address) {
    size_t low = 0, high = cudart.allocation_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (cudart.allocations[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

cudart_allocation *cudart_allocation_find(uint64_t address) {
    size_t index = above(address);
    if (index == 0) return NULL;
    cudart_allocation *a = &cudart.allocations[index - 1];
    return address - a->address < a->bytes || address == a->address ? a : NULL;
}

static cudart_allocation *insert(const cudart_allocation *added) {
    if (cudart.allocation_count == cudart.allocation_capacity) {
        size_t capacity = cudart.allocation_capacity ? cudart.allocation_capacity * 2 : 64;
        cudart_allocation *grown = realloc(cudart.allocations, capacity * sizeof *grown);
        if (!grown) return NULL;
        cudart.allocations = grown;
        cudart.allocation_capacity = capacity;
    }
    size_t index = above(added->address);
    memmove(cudart.allocations + index + 1, cudart.allocations + index,
            (cudart.allocation_count - index) * sizeof *added);
    cudart.allocations[index] = *added;
    cudart.allocation_count++;
    return &cudart.allocations[index];
}

static void take_out(cudart_allocation *gone) {
    size_t index = (size_t)(gone - cudart.allocations);
    memmove(gone, gone + 1, (cudart.allocation_count - index - 1) * sizeof *gone);
    cudart.allocation_count--;
}

// Tells the findings which function of the program allocates. A loop comes from the same place each time.
static void tell_allocated(uint64_t address) {
    static struct {
        const void *caller;
        bool is_named;
        char name[128];
    } last; // under the runtime's lock
    if (!cudart.session) return;
    if (last.caller != cudart.caller) {
        last.caller = cudart.caller;
        last.is_named = cudart_function_at(cudart.caller, last.name, sizeof last.name);
    }
    observe_findings_allocated(observe_session_findings(cudart.session), address,
                               (uint64_t)(uintptr_t)cudart.caller, last.is_named ? last.name : NULL);
}

cudaError_t cudart_allocate(uint64_t bytes, cudart_memory_kind kind, unsigned flags, const char *call,
                            uint64_t *address) {
    kz_error error = {0};
    bool visible = kind == CUDART_MEMORY_PINNED || kind == CUDART_MEMORY_MANAGED;
    kz_status status = visible ? sim_memory_alloc_visible(cudart.machine, bytes, address, &error)
                               : sim_memory_alloc(cudart.machine, bytes, address, &error);
    if (status) {
        static bool said; // a program may go on trying with less
        if (!said) cudart_say("%s: %s", call, error.message);
        said = true;
        return cudaErrorMemoryAllocation;
    }
    cudart_allocation made = {.address = *address,
                              .bytes = bytes,
                              .kind = kind,
                              .flags = flags,
                              .call = call,
                              .serial = ++cudart.allocation_serial,
                              .preferred = cudaInvalidDeviceId,
                              .last_prefetch = cudaInvalidDeviceId};
    cudart_journal_allocated(kind, bytes);
    tell_allocated(*address);
    return insert(&made) ? cudaSuccess : cudaErrorMemoryAllocation;
}

void cudart_describe_address(uint64_t address, char *text, size_t capacity) {
    const cudart_allocation *a = cudart_allocation_find(address);
    if (a) {
        snprintf(text, capacity,
                 "0x%" PRIx64 " lies in buffer #%" PRIu64 " of %" PRIu64 " bytes allocated by %s", address,
                 a->serial, a->bytes, a->call);
        return;
    }
    base_text words = {0};
    sim_memory_describe(cudart.machine, address, &words);
    snprintf(text, capacity, "0x%" PRIx64 ": %s", address, words.data ? words.data : "");
    base_text_free(&words);
}

cudaError_t cudart_deallocate(uint64_t address, const char *call) {
    if (address == 0) return cudaSuccess;
    cudart_allocation *a = cudart_allocation_find(address);
    kz_error error = {0};
    if (!a || a->address != address || a->kind == CUDART_MEMORY_REGISTERED) {
        char what[512];
        cudart_describe_address(address, what, sizeof what);
        return cudart_misuse(cudaErrorInvalidValue,
                             "%s: no live allocation begins at this address\n%s\nlikely cause: %s", call,
                             what,
                             a ? "a pointer that was moved on since the allocation gave it\nwhat to do: free "
                                 "the pointer that the allocation gave"
                               : "it was freed before, or never allocated\nwhat to do: free it once; a null "
                                 "pointer may be freed any number of times");
    }
    cudart_journal_freed(a->kind, a->bytes);
    take_out(a);
    sim_memory_free(cudart.machine, address, &error);
    return cudaSuccess;
}

bool cudart_is_on_device(uint64_t address) {
    const cudart_allocation *a = cudart_allocation_find(address);
    return a || sim_memory_is_device(cudart.machine, address);
}

bool cudart_is_on_host(uint64_t address) {
    const cudart_allocation *a = cudart_allocation_find(address);
    if (a) return a->kind != CUDART_MEMORY_DEVICE && a->kind != CUDART_MEMORY_VARIABLE;
    return !sim_memory_is_device(cudart.machine, address);
}

// ---- device memory --------------------------------------------------------------------------------------

static cudaError_t allocate(void **pointer, size_t bytes, cudart_memory_kind kind, unsigned flags,
                            const char *call) {
    uint64_t address = 0;
    if (!pointer) return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0) return cudaSuccess;
    cudaError_t error = cudart_capture_forbids(call);
    if (!error) error = cudart_allocate(bytes, kind, flags, call, &address);
    if (!error) *pointer = (void *)(uintptr_t)address;
    return error;
}

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    return CUDART_CALL(allocate(pointer, bytes, CUDART_MEMORY_DEVICE, 0, "cudaMalloc"));
}

static cudaError_t wrong_free(const cudart_allocation *a, const void *pointer, const char *call) {
    char what[512];
    cudart_describe_address((uint64_t)(uintptr_t)pointer, what, sizeof what);
    return cudart_misuse(cudaErrorInvalidValue,
                         "%s: that is memory of another kind\n%s\nlikely cause: the call that frees is not "
                         "that of the call that allocated\nwhat to do: %s",
                         call, what,
                         a->kind == CUDART_MEMORY_PINNED ? "cudaFreeHost for cudaMallocHost and cudaHostAlloc"
                         : a->kind == CUDART_MEMORY_REGISTERED
                             ? "cudaHostUnregister, then free what allocated it"
                             : "cudaFree for cudaMalloc and cudaMallocManaged");
}

static cudaError_t release(void *pointer, const char *call, bool is_pinned) {
    const cudart_allocation *a = cudart_allocation_find((uint64_t)(uintptr_t)pointer);
    if (pointer && a && (a->kind == CUDART_MEMORY_PINNED) != is_pinned) return wrong_free(a, pointer, call);
    cudaError_t error = cudart_capture_forbids(call);
    if (!error) error = cudart_synchronize(); // it waits for the device
    if (!error) cudart_journal_device_asked(), cudart_journal_all_ended();
    return error ? error : cudart_deallocate((uint64_t)(uintptr_t)pointer, call);
}

cudaError_t cudaFree(void *pointer) { return CUDART_CALL(release(pointer, "cudaFree", false)); }

static size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

enum { PITCH = 512 };

static cudaError_t allocate_pitched(struct cudaPitchedPtr *made, struct cudaExtent extent, const char *call) {
    size_t pitch = round_up(extent.width, PITCH), bytes;
    if (__builtin_mul_overflow(pitch, extent.height, &bytes) ||
        __builtin_mul_overflow(bytes, extent.depth, &bytes))
        return cudaErrorInvalidValue;
    *made = (struct cudaPitchedPtr){.pitch = pitch, .xsize = extent.width, .ysize = extent.height};
    return allocate(&made->ptr, bytes, CUDART_MEMORY_DEVICE, 0, call);
}

static cudaError_t malloc_pitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    struct cudaPitchedPtr made = {0};
    if (!pointer || !pitch) return cudaErrorInvalidValue;
    cudaError_t error = allocate_pitched(&made, (struct cudaExtent){width, height, 1}, "cudaMallocPitch");
    *pointer = made.ptr;
    *pitch = made.pitch;
    return error;
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    return CUDART_CALL(malloc_pitch(pointer, pitch, width, height));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *made, struct cudaExtent extent) {
    return CUDART_CALL(made ? allocate_pitched(made, extent, "cudaMalloc3D") : cudaErrorInvalidValue);
}

// ---- pinned and managed: one address for both sides -----------------------------------------------------

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
    return CUDART_CALL(
        allocate(pointer, bytes, CUDART_MEMORY_PINNED, cudaHostAllocDefault, "cudaMallocHost"));
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    return CUDART_CALL(flags > 7 ? cudaErrorInvalidValue
                                 : allocate(pointer, bytes, CUDART_MEMORY_PINNED, flags, "cudaHostAlloc"));
}

cudaError_t cudaFreeHost(void *pointer) { return CUDART_CALL(release(pointer, "cudaFreeHost", true)); }

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned flags) {
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
    return CUDART_CALL(known ? allocate(pointer, bytes, CUDART_MEMORY_MANAGED, flags, "cudaMallocManaged")
                             : cudaErrorInvalidValue);
}

// Whether any of it lies among the device's addresses: what would be registered there is none of the host's own.
static bool is_in_reach_of_device(uint64_t address, uint64_t bytes) {
    uint64_t base, size;
    sim_memory_range(cudart.machine, &base, &size);
    return address + bytes < address || (address < base + size && base < address + bytes);
}

static cudaError_t host_register(void *pointer, size_t bytes, unsigned flags) {
    kz_error error = {0};
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const unsigned known = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory |
                           cudaHostRegisterReadOnly;
    if (!pointer || bytes == 0 || flags & ~known) return cudaErrorInvalidValue;
    if (cudart_allocation_find(address)) return cudaErrorHostMemoryAlreadyRegistered;
    if (is_in_reach_of_device(address, bytes)) return cudaErrorInvalidValue;
    void *shared = cudart.host->share(address, bytes);
    if (!shared) return cudaErrorMemoryAllocation;
    kz_status status = sim_memory_register(cudart.machine, address, shared, bytes,
                                           (flags & cudaHostRegisterReadOnly) != 0, &error);
    if (status) {
        cudart.host->unshare(address, bytes, shared);
        return status == KZ_BUSY ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorMemoryAllocation;
    }
    cudart_allocation made = {.address = address,
                              .bytes = bytes,
                              .kind = CUDART_MEMORY_REGISTERED,
                              .flags = flags,
                              .serial = ++cudart.allocation_serial,
                              .shared = shared,
                              .call = "cudaHostRegister"};
    return insert(&made) ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
    return CUDART_CALL(host_register(pointer, bytes, flags));
}

static cudaError_t host_unregister(void *pointer) {
    cudart_allocation *a = cudart_allocation_find((uint64_t)(uintptr_t)pointer);
    if (!pointer) return cudaErrorInvalidValue;
    if (!a) return cudaErrorHostMemoryNotRegistered;
    if (a->kind != CUDART_MEMORY_REGISTERED || a->address != (uint64_t)(uintptr_t)pointer)
        return cudaErrorInvalidValue;
    sim_memory_unregister(cudart.machine, a->address, NULL);
    cudart.host->unshare(a->address, a->bytes, a->shared);
    take_out(a);
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *pointer) { return CUDART_CALL(host_unregister(pointer)); }

static cudart_allocation *find_host(const void *pointer) {
    cudart_allocation *a = cudart_allocation_find((uint64_t)(uintptr_t)pointer);
    return a && (a->kind == CUDART_MEMORY_PINNED || a->kind == CUDART_MEMORY_REGISTERED) ? a : NULL;
}

static cudaError_t host_device_pointer(void **device, void *host, unsigned flags) {
    if (!device || flags || !find_host(host)) return cudaErrorInvalidValue;
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
    return CUDART_CALL(host_device_pointer(device, host, flags));
}

static cudaError_t host_flags(unsigned *flags, void *host) {
    const cudart_allocation *a = find_host(host);
    if (!flags || !a) return cudaErrorInvalidValue;
    *flags = a->flags | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) { return CUDART_CALL(host_flags(flags, host)); }

// ---- questions ------------------------------------------------------------------------------------------

// The variable of the program that holds an address, if one does.
static const cudart_variable *variable_at(uint64_t address) {
    for (const cudart_variable *v = cudart.variables; v; v = v->next) {
        uint64_t begin;
        size_t bytes;
        if (!v->module->program || cudart_variable_find(v->host, &begin, &bytes)) continue;
        if (address - begin < bytes) return v;
    }
    return NULL;
}

static cudaError_t pointer_attributes(struct cudaPointerAttributes *out, const void *pointer) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    const cudart_allocation *a = cudart_allocation_find(address);
    void *plain = (void *)(uintptr_t)pointer;
    if (!out) return cudaErrorInvalidValue;
    *out = (struct cudaPointerAttributes){
        .type = cudaMemoryTypeUnregistered, .device = cudaInvalidDeviceId, .hostPointer = plain};
    const cudart_variable *v = a ? NULL : variable_at(address);
    if (v && v->managed)
        *out = (struct cudaPointerAttributes){
            .type = cudaMemoryTypeManaged, .devicePointer = plain, .hostPointer = plain};
    else if (v)
        *out = (struct cudaPointerAttributes){.type = cudaMemoryTypeDevice, .devicePointer = plain};
    if (!a) return cudaSuccess;
    *out = (struct cudaPointerAttributes){.devicePointer = plain, .hostPointer = plain};
    switch (a->kind) {
    case CUDART_MEMORY_MANAGED: out->type = cudaMemoryTypeManaged; break;
    case CUDART_MEMORY_PINNED:
    case CUDART_MEMORY_REGISTERED: out->type = cudaMemoryTypeHost; break;
    default: out->type = cudaMemoryTypeDevice; out->hostPointer = NULL;
    }
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer) {
    return CUDART_CALL(pointer_attributes(attributes, pointer));
}

static cudaError_t memory_info(size_t *available, size_t *total) {
    uint64_t pinned = 0;
    // Pinned memory is the host's; here it is taken from the same room.
    for (size_t i = 0; i < cudart.allocation_count; i++)
        if (cudart.allocations[i].kind == CUDART_MEMORY_PINNED) pinned += cudart.allocations[i].bytes;
    if (available) *available = sim_memory_available(cudart.machine) + pinned;
    if (total)
        *total = (size_t)cudart.gpu.memory; // as in the properties; what the host can back is in `available`
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    return CUDART_CALL(memory_info(available, total));
}

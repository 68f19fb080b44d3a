// Memory of the cuda backend, the GPU's and the host's, and copies between them.
#include "device/cuda.h"

#include <stdlib.h>
#include <string.h>

#include "device/share.h"

enum { HOST_ALIGNMENT = 4096 };

kz_status device_cuda_memory_available(kz_device *device, size_t *bytes, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    size_t total;
    driver_result result = cuda_of(device)->driver.memory_info(bytes, &total);
    return device_cuda_check(device, result, error, "asking for the free memory");
}

kz_status device_cuda_memory_alloc(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = cuda_of(device)->driver.memory_alloc(address, bytes);
    if (result == DRIVER_OUT_OF_MEMORY) {
        size_t available = 0;
        device_cuda_memory_available(device, &available, NULL);
        return device_fail_memory(device, bytes, available, error);
    }
    return device_cuda_check(device, result, error, "allocating %zu bytes", bytes);
}

kz_status device_cuda_memory_free(kz_device *device, kz_ptr address, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = cuda_of(device)->driver.memory_free(address);
    return device_cuda_check(device, result, error, "freeing the memory at 0x%llx",
                             (unsigned long long)address);
}

kz_status device_cuda_host_alloc(kz_device *device, size_t bytes, bool pinned, kz_ptr *address,
                                 kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    void *memory = NULL;
    if (status) return status;
    if (pinned) {
        driver_result result = cuda_of(device)->driver.host_alloc(&memory, bytes, 0);
        status =
            device_cuda_check(device, result, error, "allocating %zu bytes of pinned host memory", bytes);
    } else if (posix_memalign(&memory, HOST_ALIGNMENT, bytes) != 0)
        status = base_fail(error, KZ_NO_MEMORY, "the host has no memory left for %zu bytes", bytes);
    *address = (kz_ptr)(uintptr_t)memory;
    return status;
}

kz_status device_cuda_host_free(kz_device *device, kz_ptr address, bool pinned, kz_error *error) {
    void *memory = (void *)(uintptr_t)address;
    kz_status status = device_cuda_enter(device, error);
    if (!pinned)
        free(memory);
    else if (!status)
        status = device_cuda_check(device, cuda_of(device)->driver.host_free(memory), error,
                                   "freeing pinned host memory");
    return status;
}

kz_status device_cuda_memory_register(kz_device *device, void *memory, size_t bytes, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = cuda_of(device)->driver.host_register(memory, bytes, DRIVER_REGISTER_PORTABLE);
    return device_cuda_check(device, result, error, "registering %zu bytes of host memory at %p", bytes,
                             memory);
}

kz_status device_cuda_memory_unregister(kz_device *device, void *memory, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_result result = cuda_of(device)->driver.host_unregister(memory);
    return device_cuda_check(device, result, error, "ending the registration of host memory at %p", memory);
}

// ---- shared with other processes -----------------------------------------------------------------------

// Whole pages of 2 MiB. The driver maps an allocation that ends within one by smaller pages in the process that opens it:
// on an H200 a kernel there read 1 GB in 470 us instead of 250.
kz_status device_cuda_memory_alloc_shared(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    const size_t page = (size_t)2 << 20;
    return device_cuda_memory_alloc(device, (bytes + page - 1) / page * page, address, error);
}

static kz_status fail_old(kz_error *error) {
    return base_fail(error, KZ_UNSUPPORTED,
                     "this CUDA driver does not share memory between processes (cuIpcGetMemHandle)");
}

kz_status device_cuda_memory_export(kz_device *device, kz_ptr address, device_memory_handle *handle,
                                    kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_memory_handle made;
    if (!cuda_of(device)->driver.memory_export) return fail_old(error);
    driver_result result = cuda_of(device)->driver.memory_export(&made, address);
    memcpy(handle->bytes, made.bytes, sizeof made.bytes);
    return device_cuda_check(device, result, error, "sharing the memory at 0x%llx with another process",
                             (unsigned long long)address);
}

kz_status device_cuda_memory_import(kz_device *device, const device_memory_handle *handle, kz_ptr *address,
                                    kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    driver_memory_handle given;
    memcpy(given.bytes, handle->bytes, sizeof given.bytes);
    if (!cuda_of(device)->driver.memory_import) return fail_old(error);
    driver_result result = cuda_of(device)->driver.memory_import(address, given, DRIVER_IMPORT_PEERS);
    return device_cuda_check(device, result, error, "opening another process's memory");
}

kz_status device_cuda_memory_close(kz_device *device, kz_ptr address, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    if (!cuda_of(device)->driver.memory_close) return fail_old(error);
    return device_cuda_check(device, cuda_of(device)->driver.memory_close(address), error,
                             "closing another process's memory at 0x%llx", (unsigned long long)address);
}

// ---- fills and copies -----------------------------------------------------------------------------------

static bool on_host(kz_device *device, kz_ptr address) {
    return device_location(device, address) != KZ_ON_DEVICE;
}

// What the host does by itself to memory that a stream may still use.
static kz_status wait_for_host(kz_device *device, kz_stream *stream, kz_error *error) {
    driver_result result = cuda_of(device)->driver.stream_synchronize(cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "waiting for a stream");
}

static kz_status host_copy(kz_device *device, kz_stream *stream, void *to, const void *from, size_t bytes,
                           kz_error *error) {
    kz_status status = wait_for_host(device, stream, error);
    if (!status) memcpy(to, from, bytes);
    return status;
}

kz_status device_cuda_fill(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                           kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    if (on_host(device, to)) {
        status = wait_for_host(device, stream, error);
        if (!status) memset((void *)(uintptr_t)to, byte, bytes);
        return status;
    }
    driver_result result = cuda_of(device)->driver.fill(to, byte, bytes, cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "filling %zu bytes at 0x%llx", bytes,
                             (unsigned long long)to);
}

kz_status device_cuda_copy_to_device(kz_device *device, kz_stream *stream, kz_ptr to, const void *from,
                                     size_t bytes, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    if (on_host(device, to)) return host_copy(device, stream, (void *)(uintptr_t)to, from, bytes, error);
    driver_result result = cuda_of(device)->driver.copy_to_device(to, from, bytes, cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "copying %zu bytes to 0x%llx", bytes,
                             (unsigned long long)to);
}

kz_status device_cuda_copy_to_host(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                                   kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    if (on_host(device, from))
        return host_copy(device, stream, to, (const void *)(uintptr_t)from, bytes, error);
    driver_result result = cuda_of(device)->driver.copy_to_host(to, from, bytes, cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "copying %zu bytes from 0x%llx", bytes,
                             (unsigned long long)from);
}

kz_status device_cuda_copy_on_device(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from,
                                     size_t bytes, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    // Host memory on one side is the other's copy to or from the host; on both sides, the host's own.
    if (on_host(device, to))
        return device_cuda_copy_to_host(device, stream, (void *)(uintptr_t)to, from, bytes, error);
    if (on_host(device, from))
        return device_cuda_copy_to_device(device, stream, to, (const void *)(uintptr_t)from, bytes, error);
    driver_result result = cuda_of(device)->driver.copy_on_device(to, from, bytes, cuda_stream_of(stream));
    return device_cuda_check(device, result, error, "copying %zu bytes from 0x%llx to 0x%llx", bytes,
                             (unsigned long long)from, (unsigned long long)to);
}

// Memory, fills and copies: what is the same for every backend.
#include "device/device.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- allocations -----------------------------------------------------------------------------------

kz_status kz_memory_alloc(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(address, kz_ptr, error);
    if (status) return status;
    *address = 0;
    if (!bytes) return KZ_OK;
    device_enter(device);
    return device_leave(device, device->backend->memory_alloc(device, bytes, address, error));
}

kz_status kz_memory_alloc_host(kz_device *device, size_t bytes, bool pinned, kz_ptr *address,
                               kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(address, kz_ptr, error);
    if (status) return status;
    *address = 0;
    if (!bytes) return KZ_OK;
    const device_backend *backend = device->backend;
    device_host_range *range = DEVICE_NEW(device_host_range, error);
    if (!range) return KZ_NO_MEMORY;
    device_enter(device);
    status =
        device_leave(device, backend->host_alloc ? backend->host_alloc(device, bytes, pinned, address, error)
                                                 : backend->memory_alloc(device, bytes, address, error));
    if (status) {
        free(range);
        return status;
    }
    device_lock(device);
    *range = (device_host_range){.address = *address, .bytes = bytes, .pinned = pinned, .next = device->host};
    device->host = range;
    device_unlock(device);
    return KZ_OK;
}

kz_location device_location(kz_device *device, kz_ptr address) {
    kz_location location = KZ_ON_DEVICE;
    device_lock(device);
    for (const device_host_range *r = device->host; r; r = r->next)
        if (address - r->address < r->bytes) location = r->pinned ? KZ_ON_HOST_PINNED : KZ_ON_HOST_PAGEABLE;
    device_unlock(device);
    return location;
}

// Takes the range that begins at `address` out of the list; NULL where none does.
static device_host_range *take_range(device_host_range **list, kz_ptr address) {
    while (*list && (*list)->address != address) list = &(*list)->next;
    device_host_range *range = *list;
    if (range) *list = range->next;
    return range;
}

kz_status kz_memory_free(kz_device *device, kz_ptr address, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (status || !address) return status;
    const device_backend *backend = device->backend;
    device_lock(device); // out of the list first: freed, the address may be another thread's next
    device->frees++;
    device_host_range *range = take_range(&device->host, address);
    device_unlock(device);
    device_enter(device);
    status = device_leave(device, range && backend->host_free
                                      ? backend->host_free(device, address, range->pinned, error)
                                      : backend->memory_free(device, address, error));
    free(range);
    return status;
}

kz_status kz_memory_available(kz_device *device, size_t *bytes, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED_RESULT(bytes, size_t, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->memory_available(device, bytes, error));
}

// ---- memory of the host's own ----------------------------------------------------------------------

// A driver pins pages, so it finds out; the simulator and `cpu` ask the kernel, which knows the pages that are mapped.
static bool is_mapped(kz_ptr address, size_t bytes) {
    unsigned char resident[4096];
    kz_ptr page = (kz_ptr)sysconf(_SC_PAGESIZE), at = address - address % page, end;
    if (__builtin_add_overflow(address, bytes, &end)) return false;
    for (size_t most = sizeof resident * page; at < end; at += most) {
        size_t length = end - at < most ? end - at : most;
        if (mincore((void *)(uintptr_t)at, length, resident) != 0 && errno == ENOMEM) return false;
    }
    return true;
}

static kz_status check_mapped(const kz_device *device, kz_ptr address, size_t bytes, kz_error *error) {
    if (is_mapped(address, bytes)) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s: %zu bytes at 0x%llx are not all memory of this process",
              device->info.id, bytes, (unsigned long long)address);
    base_fail_note(error, "likely cause: a size that is not the buffer's, or a buffer that was freed");
    return KZ_INVALID;
}

static kz_status check_overlap(const kz_device *device, kz_ptr address, size_t bytes, kz_error *error) {
    for (const device_host_range *r = device->registered; r; r = r->next)
        if (address < r->address + r->bytes && r->address < address + bytes) {
            base_fail(error, KZ_INVALID,
                      "%zu bytes at 0x%llx overlap %llu bytes at 0x%llx, registered on %s already", bytes,
                      (unsigned long long)address, (unsigned long long)r->bytes,
                      (unsigned long long)r->address, device->info.id);
            base_fail_note(error, "register a buffer once, or end the other with kz_memory_unregister first");
            return KZ_INVALID;
        }
    return KZ_OK;
}

kz_status kz_memory_register(kz_device *device, void *memory, size_t bytes, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status && bytes) status = BASE_NEED(memory, MEMORY, error);
    if (status || !bytes) return status;
    kz_ptr address = (kz_ptr)(uintptr_t)memory;
    status = check_mapped(device, address, bytes, error);
    if (status) return status;
    device_host_range *range = DEVICE_NEW(device_host_range, error);
    if (!range) return KZ_NO_MEMORY;
    device_lock(device); // pinning takes long, but two threads must not register one range
    status = check_overlap(device, address, bytes, error);
    if (!status && device->backend->memory_register)
        status = device->backend->memory_register(device, memory, bytes, error);
    if (!status) {
        *range = (device_host_range){
            .address = address, .bytes = bytes, .pinned = true, .next = device->registered};
        device->registered = range;
    }
    device_unlock(device);
    if (status) free(range);
    return status;
}

kz_status kz_memory_unregister(kz_device *device, void *memory, kz_error *error) {
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (status || !memory) return status;
    device_lock(device);
    device_host_range *range = take_range(&device->registered, (kz_ptr)(uintptr_t)memory);
    if (!range) {
        status = base_fail(error, KZ_INVALID, "no memory that begins at %p is registered on %s", memory,
                           device->info.id);
        base_fail_note(error, "likely cause: it was unregistered before, or is an address inside a buffer");
    } else if (device->backend->memory_unregister)
        status = device->backend->memory_unregister(device, memory, error);
    device_unlock(device);
    free(range);
    return status;
}

void device_memory_end(kz_device *device) {
    while (device->registered)
        kz_memory_unregister(device, (void *)(uintptr_t)device->registered->address, NULL);
    while (device->host) kz_memory_free(device, device->host->address, NULL);
}

// ---- fills and copies ------------------------------------------------------------------------------

// The device address and, where there is one, the host address of a copy of `bytes` bytes.
static kz_status check_transfer(const char *call, const kz_device *device, const kz_stream *stream,
                                kz_ptr address, const void *host, size_t bytes, kz_error *error) {
    kz_status status = base_need(device, call, BASE_NEEDS_DEVICE, error);
    if (!status) status = device_check_stream(device, stream, error);
    if (status || !bytes) return status;
    if (!address) return base_fail(error, KZ_INVALID, "%s: %zu bytes at device address 0", call, bytes);
    return base_need(host, call, BASE_NEEDS_MEMORY, error);
}

kz_status kz_memory_fill(kz_device *device, kz_stream *stream, kz_ptr to, uint8_t byte, size_t bytes,
                         kz_error *error) {
    kz_status status = check_transfer(__func__, device, stream, to, device, bytes, error);
    if (status || !bytes) return status;
    device_enter(device);
    return device_leave(device, device->backend->fill(device, stream, to, byte, bytes, error));
}

kz_status kz_copy_to_device(kz_device *device, kz_stream *stream, kz_ptr to, const void *from, size_t bytes,
                            kz_error *error) {
    kz_status status = check_transfer(__func__, device, stream, to, from, bytes, error);
    if (status || !bytes) return status;
    device_enter(device);
    return device_leave(device, device->backend->copy_to_device(device, stream, to, from, bytes, error));
}

kz_status kz_copy_to_host(kz_device *device, kz_stream *stream, void *to, kz_ptr from, size_t bytes,
                          kz_error *error) {
    kz_status status = check_transfer(__func__, device, stream, from, to, bytes, error);
    if (status || !bytes) return status;
    device_enter(device);
    return device_leave(device, device->backend->copy_to_host(device, stream, to, from, bytes, error));
}

kz_status kz_copy_on_device(kz_device *device, kz_stream *stream, kz_ptr to, kz_ptr from, size_t bytes,
                            kz_error *error) {
    kz_status status = check_transfer(__func__, device, stream, to, device, bytes, error);
    if (!status) status = check_transfer(__func__, device, stream, from, device, bytes, error);
    if (status || !bytes) return status;
    device_enter(device);
    return device_leave(device, device->backend->copy_on_device(device, stream, to, from, bytes, error));
}

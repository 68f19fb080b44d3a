// Shared memory: what is the same for every backend. See share.h.
#include "device/share.h"

#include "device/device.h"

static kz_status fail_unsupported(const kz_device *device, kz_error *error) {
    base_fail(error, KZ_UNSUPPORTED, "%s has no memory that another process could open", device->info.id);
    base_fail_note(error, "memory of `cuda` and `cpu` can be shared");
    return KZ_UNSUPPORTED;
}

kz_status device_memory_alloc_shared(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error) {
    if (!device->backend->memory_alloc_shared) return kz_memory_alloc(device, bytes, address, error);
    *address = 0;
    if (!bytes) return KZ_OK;
    device_enter(device);
    return device_leave(device, device->backend->memory_alloc_shared(device, bytes, address, error));
}

kz_status device_memory_export(kz_device *device, kz_ptr address, device_memory_handle *handle,
                               kz_error *error) {
    *handle = (device_memory_handle){0};
    if (!device->backend->memory_export) return fail_unsupported(device, error);
    if (device_location(device, address) != KZ_ON_DEVICE)
        return base_fail(error, KZ_UNSUPPORTED,
                         "%s: memory of the host that a kernel uses cannot be opened by another process",
                         device->info.id);
    device_enter(device);
    return device_leave(device, device->backend->memory_export(device, address, handle, error));
}

kz_status device_memory_import(kz_device *device, const device_memory_handle *handle, kz_ptr *address,
                               kz_error *error) {
    *address = 0;
    if (!device->backend->memory_import) return fail_unsupported(device, error);
    device_enter(device);
    return device_leave(device, device->backend->memory_import(device, handle, address, error));
}

kz_status device_memory_close(kz_device *device, kz_ptr address, kz_error *error) {
    if (!address) return KZ_OK;
    if (!device->backend->memory_close) return fail_unsupported(device, error);
    device_enter(device);
    return device_leave(device, device->backend->memory_close(device, address, error));
}

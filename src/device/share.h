// Memory that two processes share: one exports an allocation, the other imports it.
//
// A handle is plain bytes, to be sent as they are. On `cuda` it is a CUDA IPC handle; on `cpu` it names a file in memory
// that the exporting process holds open. What was exported must live until every import of it was closed.
#ifndef DEVICE_SHARE_H
#define DEVICE_SHARE_H

#include "kz/kz.h"

enum { DEVICE_HANDLE_BYTES = 64 }; // as CUipcMemHandle

typedef struct device_memory_handle {
    unsigned char bytes[DEVICE_HANDLE_BYTES];
} device_memory_handle;

// Memory that can be exported; kz_memory_free frees it. On `cpu` only such memory can be; on `cuda` it is as any other.
kz_status device_memory_alloc_shared(kz_device *device, size_t bytes, kz_ptr *address, kz_error *error);
// `address` is what an allocation begins with. KZ_UNSUPPORTED where the device has no memory that others can open.
kz_status device_memory_export(kz_device *device, kz_ptr address, device_memory_handle *handle,
                               kz_error *error);
// In another process, on the same device. Ends with device_memory_close, not with kz_memory_free.
kz_status device_memory_import(kz_device *device, const device_memory_handle *handle, kz_ptr *address,
                               kz_error *error);
kz_status device_memory_close(kz_device *device, kz_ptr address, kz_error *error); // 0 is allowed

#endif

// Another context: what is the same for every backend. See context.h.
#include "device/context.h"

#include "device/device.h"

bool device_has_contexts(const kz_device *device) { return device->backend->switch_context != NULL; }

kz_status device_switch_context(kz_device *device, kz_error *error) {
    if (!device_has_contexts(device))
        return base_fail(error, KZ_UNSUPPORTED, "%s has one context alone: there is no other to switch to",
                         device->info.id);
    device_enter(device);
    return device_leave(device, device->backend->switch_context(device, error));
}

// Tensor maps: the rules are checked here, for all devices alike, so that the message names the one that is broken.
#include "sim/tensor_map.h"

#include <string.h>

#include "device/device.h"
#include "device/sized.h"

static sim_tensor_map read_tensor(const kz_tensor *t) {
    sim_tensor_map map = {.im2col = t->im2col,
                          .type = (int32_t)t->type,
                          .rank = t->rank,
                          .address = t->address,
                          .channels = t->channels,
                          .pixels = t->pixels,
                          .interleave = (int32_t)t->interleave,
                          .swizzle = (int32_t)t->swizzle,
                          .promotion = (int32_t)t->promotion,
                          .fill = t->fill_nan};
    for (uint32_t i = 0; i < KZ_TENSOR_RANK; i++) {
        map.dim[i] = t->dims[i];
        map.box[i] = t->box[i];
        map.step[i] = t->steps[i] ? t->steps[i] : 1;
        if (i) map.stride[i - 1] = t->strides[i];
    }
    memcpy(map.lower, t->lower, sizeof map.lower);
    memcpy(map.upper, t->upper, sizeof map.upper);
    return map;
}

kz_status kz_tensor_map_encode(kz_device *device, const kz_tensor *tensor, void *map, kz_error *error) {
    kz_tensor own;
    uint8_t bytes[SIM_TENSOR_MAP_BYTES];
    kz_status status = BASE_NEED(device, DEVICE, error);
    if (!status) status = BASE_NEED(tensor, TENSOR, error);
    if (!status) status = BASE_NEED(map, TENSOR_MAP, error);
    if (!status) status = DEVICE_TAKE(kz_tensor, pixels, &own, tensor, error);
    if (status) return status;
    if (!device->backend->tensor_map || device->info.sm < 90) {
        base_fail(error, KZ_UNSUPPORTED, "%s has no tensor maps", device->info.id);
        base_fail_note(error, "what to do: take a GPU of sm_90 or newer, or the simulator: sim:h200");
        return KZ_UNSUPPORTED;
    }
    // The driver does not look, but a kernel that reads the map there fails.
    if ((uintptr_t)map % SIM_TENSOR_MAP_ALIGN) {
        sim_tensor_breach breach = {SIM_TENSOR_RULE_MAP_ALIGN, -1, (int64_t)(uintptr_t)map};
        return sim_tensor_breach_fail(&breach, error);
    }
    sim_tensor_map read = read_tensor(&own);
    status = sim_tensor_map_encode(&read, bytes, error);
    if (status) return status;
    device_enter(device);
    return device_leave(device, device->backend->tensor_map(device, &read, map, error));
}

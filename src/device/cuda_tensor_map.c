// Tensor maps by the driver, which alone knows their bytes.
#include "device/cuda.h"
#include "sim/tensor_map.h"

kz_status device_cuda_tensor_map(kz_device *device, const sim_tensor_map *t, void *map, kz_error *error) {
    kz_status status = device_cuda_enter(device, error);
    if (status) return status;
    const driver_table *driver = &cuda_of(device)->driver;
    void *address = (void *)(uintptr_t)t->address;
    if (!driver->tensor_map_tiled || !driver->tensor_map_im2col)
        return base_fail(error, KZ_UNSUPPORTED,
                         "the driver makes no tensor maps: it is older than CUDA 12.0\nwhat to do: install a "
                         "newer driver");
    driver_result result =
        t->im2col ? driver->tensor_map_im2col(map, t->type, t->rank, address, t->dim, t->stride, t->lower,
                                              t->upper, t->channels, t->pixels, t->step, t->interleave,
                                              t->swizzle, t->promotion, t->fill)
                  : driver->tensor_map_tiled(map, t->type, t->rank, address, t->dim, t->stride, t->box,
                                             t->step, t->interleave, t->swizzle, t->promotion, t->fill);
    return device_cuda_check(device, result, error, "encoding a tensor map");
}

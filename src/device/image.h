// Images whose code is packed: the zoo's are, and only what is loaded is unpacked.
#ifndef DEVICE_IMAGE_H
#define DEVICE_IMAGE_H

#include "base/base.h"
#include "kz/kz.h"

// The caller's image as one of ours: whatever version it has, and with a text as long as it says.
kz_status device_image_take(kz_image *own, const kz_image *given, kz_error *error);

// `code` as it is for the driver; `*unpacked` is for the caller to free, NULL where it was not packed.
kz_status device_code_unpack(const char *name, const kz_machine_code *code, const void **data,
                             void **unpacked, kz_error *error);

#endif

// See image.h and kz_image_ptx.
#include "device/image.h"

#include <stdlib.h>
#include <string.h>

#include "device/sized.h"

// `size` bytes and a NUL behind them.
static kz_status unpack(const char *name, const void *packed, size_t packed_size, size_t size, char **data,
                        kz_error *error) {
    *data = size < SIZE_MAX ? malloc(size + 1) : NULL;
    if (!*data) return base_fail(error, KZ_NO_MEMORY, "the host has no memory left for the code of %s", name);
    (*data)[size] = 0;
    if (base_lz4_unpack(packed, packed_size, (uint8_t *)*data, size)) return KZ_OK;
    free(*data);
    *data = NULL;
    base_fail(error, KZ_INTERNAL, "the packed code of %s is damaged", name);
    base_fail_note(error, "likely: the file of this program or library is not whole; install it again");
    return KZ_INTERNAL;
}

kz_status device_image_take(kz_image *own, const kz_image *given, kz_error *error) {
    kz_status status = DEVICE_TAKE(kz_image, packed_ptx_size, own, given, error);
    size_t length = !status && own->ptx ? strnlen(own->ptx, own->ptx_size) : 0;
    if (status || !own->ptx || length == own->ptx_size) return status;
    base_fail(error, KZ_INVALID, "the PTX of %s ends after %zu bytes, and its ptx_size is %zu",
              own->name ? own->name : "unnamed", length, own->ptx_size);
    base_fail_note(error, "set ptx_size to strlen(ptx)");
    return KZ_INVALID;
}

kz_status kz_image_ptx(const kz_image *given, char **ptx, kz_error *error) {
    kz_image own, *image = &own;
    kz_status status = BASE_NEED_RESULT(ptx, char *, error);
    if (!status) status = BASE_NEED(given, IMAGE, error);
    if (ptx) *ptx = NULL;
    if (!status) status = device_image_take(image, given, error);
    if (status) return status;
    const char *name = image->name ? image->name : "unnamed";
    if (image->packed_ptx && !image->ptx)
        return unpack(name, image->packed_ptx, image->packed_ptx_size, image->ptx_size, ptx, error);
    if (!image->ptx) return base_fail(error, KZ_NOT_FOUND, "%s has no PTX", name);
    *ptx = strdup(image->ptx);
    return *ptx ? KZ_OK
                : base_fail(error, KZ_NO_MEMORY, "the host has no memory left for the code of %s", name);
}

kz_status device_code_unpack(const char *name, const kz_machine_code *code, const void **data,
                             void **unpacked, kz_error *error) {
    char *made = NULL;
    kz_status status = KZ_OK;
    if (code->packed_size) status = unpack(name, code->data, code->packed_size, code->size, &made, error);
    *unpacked = made;
    *data = made ? made : code->data;
    return status;
}

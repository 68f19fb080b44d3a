// See sized.h.
#include "device/sized.h"

#include <string.h>

static size_t size_of(const void *given) {
    size_t size; // a struct's first field
    memcpy(&size, given, sizeof size);
    return size;
}

kz_status device_check_size(const void *given, size_t least, const char *type, kz_error *error) {
    enum { MOST = 4096 }; // no struct will grow to that: it is memory that nobody has set
    size_t size = size_of(given);
    if (size >= least && size <= MOST) return KZ_OK;
    base_fail(error, KZ_INVALID, "the size of a %s is %zu; its first version had %zu bytes", type, size,
              least);
    base_fail_note(error, "set its field `size`: %s x = {.size = sizeof x}", type);
    return KZ_INVALID;
}

kz_status device_take(void *own, size_t own_bytes, const void *given, size_t least, const char *type,
                      kz_error *error) {
    kz_status status = device_check_size(given, least, type, error);
    if (status) return status;
    size_t size = size_of(given), both = size < own_bytes ? size : own_bytes;
    for (size_t i = own_bytes; i < size; i++)
        if (((const char *)given)[i]) {
            base_fail(error, KZ_UNSUPPORTED, "a %s of %zu bytes sets a field that libkz %s does not know",
                      type, size, KZ_VERSION);
            base_fail_note(error,
                           "the program was compiled for a newer kz: install that, or leave the field 0");
            return KZ_UNSUPPORTED;
        }
    memset(own, 0, own_bytes);
    memcpy(own, given, both);
    memcpy(own, &own_bytes, sizeof own_bytes);
    return KZ_OK;
}

void device_give(void *given, size_t given_bytes, const void *own, size_t own_bytes) {
    size_t both = given_bytes < own_bytes ? given_bytes : own_bytes;
    memcpy(given, own, both);
    if (given_bytes > both) memset((char *)given + both, 0, given_bytes - both);
    memcpy(given, &given_bytes, sizeof given_bytes);
}

// Structs that may grow begin with their size, as the program that passes one was compiled. What it has and
// we do not know must be 0; what we know and it lacks is 0. A new field comes last, and begins where the old
// struct ended: its padding may hold anything.
#ifndef DEVICE_SIZED_H
#define DEVICE_SIZED_H

#include "base/base.h"

// Of the type's first version, whose last field was `last`: new fields are added behind the others.
#define DEVICE_LEAST(type, last) (offsetof(type, last) + sizeof((type *)0)->last)

// The caller's struct as one of ours. `last` as above.
#define DEVICE_TAKE(type, last, own, given, error)                                                           \
    device_take(own, sizeof(type), given, DEVICE_LEAST(type, last), #type, error)
kz_status device_take(void *own, size_t own_bytes, const void *given, size_t least, const char *type,
                      kz_error *error);

// Whether the caller's struct, which is to be filled, says its size.
#define DEVICE_CHECK_SIZE(type, last, given, error)                                                          \
    device_check_size(given, DEVICE_LEAST(type, last), #type, error)
kz_status device_check_size(const void *given, size_t least, const char *type, kz_error *error);
// Fills it with what fits; its size stays, and what we do not know becomes 0. Their sizes, in bytes, are
// apart for the sake of arrays, whose first struct alone has one.
void device_give(void *given, size_t given_bytes, const void *own, size_t own_bytes);

#endif

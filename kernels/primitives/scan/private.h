// What the C files of scan share.
#ifndef SCAN_PRIVATE_H
#define SCAN_PRIVATE_H

#include "kz/family.h"
#include "scan.h" // the operations' numbers

enum { IN, OUT, HEADS }; // the buffers, in order; heads for a segmented scan alone

extern const kz_family kz_family_scan;
extern const kz_native_entry scan_natives[];

// A case's operation is one of the functions, inclusive, and then all of them again, exclusive.
static inline kz_scan_function scan_function(const kz_case *c) {
    return (kz_scan_function)(c->operation % KZ_SCAN_FUNCTIONS);
}
static inline bool scan_exclusive(const kz_case *c) { return c->operation >= KZ_SCAN_FUNCTIONS; }

// A value on the host: a number in x; an affine map's a and b in x and y; a segment's sum
// in x, with y = 1 where a head lies in it.
typedef struct scan_value {
    double x, y;
} scan_value;
scan_value scan_identity(kz_scan_function function, kz_type type);
scan_value scan_combine(kz_scan_function function, kz_type type, scan_value before, scan_value after);
scan_value scan_element(kz_scan_function function, kz_type type, const void *in, const uint8_t *heads,
                        uint64_t i);

kz_status scan_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error);

#endif

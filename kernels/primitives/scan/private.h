// What the C files of scan share.
#ifndef SCAN_PRIVATE_H
#define SCAN_PRIVATE_H

#include "kz/family.h"
#include "scan.h" // the operations' numbers

enum { IN, OUT, HEADS }; // the buffers, in order; heads for a segmented scan alone

KZ_DECLARE_FAMILY(scan);
extern const kz_native_entry scan_natives[];

// A case's operation is one of the functions, inclusive, and then all of them again, exclusive.
static inline kz_scan_function scan_function(const kz_case *c) {
    return (kz_scan_function)(c->operation % KZ_SCAN_FUNCTIONS);
}
// The function that a segmented one does from head to head; its own where it is none.
static inline kz_scan_function scan_within(kz_scan_function function) {
    return function < KZ_SCAN_SEGMENTED_SUM
               ? function
               : (kz_scan_function)(function - KZ_SCAN_SEGMENTED_SUM + KZ_SCAN_SUM);
}
static inline bool scan_segmented(kz_scan_function function) { return function >= KZ_SCAN_SEGMENTED_SUM; }
static inline bool scan_exclusive(const kz_case *c) { return c->operation >= KZ_SCAN_FUNCTIONS; }

// A value on the host: a number, or a map's a and b; whether a head lies in it. Floats are in x, integers in i, which
// is what their type can hold: i64 has more digits than a double.
typedef struct scan_value {
    double x[2];
    int64_t i[2];
    bool head;
} scan_value;
bool scan_whole(kz_type type); // an integer
scan_value scan_identity(kz_scan_function function, kz_type type);
scan_value scan_combine(kz_scan_function function, kz_type type, scan_value before, scan_value after);
// The result, as an exclusive scan writes it or an inclusive one, of an element with `before` before it.
scan_value scan_result(kz_scan_function function, kz_type type, scan_value before, scan_value own,
                       bool exclusive);
scan_value scan_element(kz_scan_function function, kz_type type, const void *in, const uint8_t *heads,
                        uint64_t i);

kz_status scan_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error);

#endif

// A guest: somebody's own .cu file in a family's place.
//
// The file has one entry per operation and type, named "..._<operation>_<type>" (or just the family's
// name: its first operation in f32). It takes the family's guest arguments: the buffers in order,
// then the axes. Comment lines say how to launch it:
//     // kz: block 256                 threads: up to three expressions
//     // kz: grid ceil(n/256)          blocks: up to three expressions
//     // kz: shared 4*block            dynamic shared memory in bytes
//     // kz: fill out 0                a buffer filled with a byte before the launch
//     // kz: cooperative               all blocks resident
// Each may end with "for SUFFIX": it then holds for entries whose name ends so. An expression knows the
// axes, `elements` (of the largest buffer), `block` (threads per block) and `sms`, + - * / ( ) ceil() floor()
// min() max(); division is exact, and the result is rounded down. Without comments: 256 threads, one per
// element.
#ifndef FAMILY_GUEST_H
#define FAMILY_GUEST_H

#include "base/base.h"
#include "kz/family.h"

typedef struct family_guest family_guest;

// `source` is the .cu text (for the comment lines), `ptx` what it compiled to. Both are copied.
kz_status family_guest_open(const kz_family *family, const char *name, const char *source, const char *ptx,
                            family_guest **guest, kz_error *error);
void family_guest_close(family_guest *guest);

const char *family_guest_name(const family_guest *guest);
const kz_image *family_guest_image(const family_guest *guest);

// The entry for the case's operation and type; NULL where the guest has none.
const char *family_guest_entry(const family_guest *guest, const kz_case *c);

// Like kz_variant.plan.
kz_status family_guest_plan(const family_guest *guest, const kz_case *c, const kz_device_info *device,
                            kz_plan *plan, kz_error *error);

// The parameters of a kernel for the case, as C; false where the family's signatures have none for it.
bool family_guest_signature(const kz_family *family, const kz_case *c, base_text *text);

// A whole small .cu file that would do for this family, one kernel for each of its signatures: what messages
// show.
enum { FAMILY_GUEST_EXAMPLE = 4096 };
void family_guest_example(const kz_family *family, char *text, size_t size);

#endif

// Kernel Zoo, for people who call an operation: the object that every kz/ops/<family>.h opens.
//
// An operation is one problem on one device: its plan is made and its code loaded once, at open; it
// then runs as often as you like, on any buffers of that shape. The caller owns the buffers and the
// workspace, and ends the operation with kz_operation_close before closing the device.
// One operation is in flight at a time: runs in one stream follow one another; for two streams open two.
// After a run that failed with a fault, close the operation: its module's state is not defined.
#ifndef KZ_OPERATION_H
#define KZ_OPERATION_H

#include "kz/kz.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kz_operation kz_operation;

// A family and one of its problems, for the general calls below; kz/family.h defines both. A case names the operation, by
// its index in the family's list, the type, and the axes in the family's order; all else may be 0. `kz info FAMILY` lists
// operations and axes. To transpose a matrix of 1000 x 500
// floats:
//
//     kz_case c = {.type = KZ_F32, .axes = {1000, 500}};
//     kz_operation_open(device, "transpose", &c, NULL, &operation, &error);
struct kz_family;
struct kz_case;

// In a variant's place: the fastest known of those whose result is the same, bit by bit, in every run on one
// GPU. (Floats that are added by atomics come in another order each time.) NULL asks for the fastest known of
// all.
#define KZ_DETERMINISTIC "deterministic"

// The general form, which every kz_<family>_open calls. `variant` NULL takes the one that the family chooses
// for device, type and size, KZ_DETERMINISTIC one with the same bits in every run; a name as in `kz info
// FAMILY` overrides both.
KZ_API kz_status kz_operation_open_family(kz_device *device, const struct kz_family *family,
                                          const struct kz_case *c, const char *variant,
                                          kz_operation **operation, kz_error *error);
// The same for a family known by name. It knows all of them: a program that calls it links the whole zoo,
// while one that calls kz_reduce_open alone links reduce alone.
KZ_API kz_status kz_operation_open(kz_device *device, const char *family, const struct kz_case *c,
                                   const char *variant, kz_operation **operation, kz_error *error);
// Threads: must be the last call on the operation.
KZ_API void kz_operation_close(kz_operation *operation); // NULL is allowed

KZ_API const char *kz_operation_family(const kz_operation *operation);  // "reduce": whose variant it is
KZ_API const char *kz_operation_variant(const kz_operation *operation); // "04_unrolled": what was chosen
KZ_API uint64_t kz_operation_workspace(const kz_operation *operation);  // bytes that a run needs; may be 0
KZ_API const kz_plan *kz_operation_plan(const kz_operation *operation);

// Buffers in the family's order. Enqueued in `stream`; the workspace may hold anything before and after, and
// begins at a multiple of KZ_WORKSPACE_ALIGNMENT, as what kz_memory_alloc gives does.
#define KZ_WORKSPACE_ALIGNMENT 16
// Threads: one run of an operation at a time; each thread opens its own.
KZ_API kz_status kz_operation_run(kz_operation *operation, kz_stream *stream, const kz_ptr *buffers,
                                  size_t buffer_count, kz_ptr workspace, uint64_t workspace_bytes,
                                  kz_error *error);

// A buffer by its name in the family's list.
typedef struct kz_named_buffer {
    const char *name; // "lse"
    kz_ptr address;
} kz_named_buffer;

// The same for operations whose cases take different buffers. What the case does not take has the address 0, or is left
// out.
// Threads: one run of an operation at a time; each thread opens its own.
KZ_API kz_status kz_operation_run_named(kz_operation *operation, kz_stream *stream,
                                        const kz_named_buffer *buffers, size_t buffer_count, kz_ptr workspace,
                                        uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

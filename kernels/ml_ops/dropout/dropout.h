// Kernel Zoo, an operation: dropout, whose mask is never stored.
//
//     forward    y = x / (1 - p) where the element is kept, else 0
//     backward   dx = dy / (1 - p) where it was kept, else 0: the same function of dy
//
//     kz_operation *dropout;
//     kz_dropout_open(device, KZ_DROPOUT_FORWARD, KZ_BF16, n, 0.1, NULL, &dropout, &error);
//     kz_dropout_run(dropout, NULL, x, state, y, workspace, bytes, &error); // as often as one likes
//     kz_operation_close(dropout);
//
// `state` is 16 bytes of device memory, aligned to 8: the seed and the offset, 64 bits each. Whether element i is kept
// depends on seed, offset and i alone, by Philox 4x32-10 (kz_philox in kz/family.h; kz/device/philox.cuh says which bits). So the
// backward pass takes the state of the forward pass; another offset is an independent mask of the same seed: count it up from
// call to call. Because kernels read the state when they run, a recorded graph is launched with other masks once a copy or a
// kernel of your own, in the graph or before it, has changed it.
//
// p is rounded to a multiple of 1/65536, and 1 / (1 - p) is that of the rounded p: the mean of y is x. p = 0 keeps all, p = 1
// none. What is dropped is 0 even where x is NaN or infinite. Types: KZ_F32, KZ_F16, KZ_BF16. y may be x itself; partial
// overlap is not allowed. Pointers aligned to 16 bytes are fastest.
#ifndef KZ_OPS_DROPOUT_H
#define KZ_OPS_DROPOUT_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_dropout { KZ_DROPOUT_FORWARD, KZ_DROPOUT_BACKWARD } kz_dropout;

// `variant` NULL takes the best known for device, type and size; a name ("04_vector") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_dropout_open(kz_device *device, kz_dropout pass, kz_type type, size_t n, double p,
                                 const char *variant, kz_operation **operation, kz_error *error);
// The workspace is that of kz_operation_workspace, which is 0 but for 01_stored_mask.
KZ_API kz_status kz_dropout_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr state, kz_ptr y,
                                kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

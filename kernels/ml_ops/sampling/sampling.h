// Kernel Zoo, an operation: one token for each row of logits, drawn with temperature, top-k, top-p and min-p, or the greatest.
//
//     kz_sampling_params params = {.size = sizeof params, .temperature = 0.8f, .top_k = 50, .top_p = 0.95f, .seed = 1};
//     kz_operation *sampling;
//     kz_sampling_open(device, KZ_BF16, rows, vocabulary, &params, NULL, &sampling, &error);
//     uint64_t bytes = kz_operation_workspace(sampling); // the caller's; 0 for most variants
//     kz_sampling_run(sampling, NULL, logits, step, token, workspace, bytes, &error);
//     kz_operation_close(sampling);
//
// What is kept, in this order, with p = exp(logit / temperature) over its sum:
//   1. top_k: the logits that are at least the top_k'th greatest. 0, or as many as there are, keeps all.
//   2. top_p: of these, the fewest greatest logits whose p are together at least top_p of what (1) kept. 0, or 1 and more,
//      keeps all.
//   3. min_p: of these, the tokens whose p is at least min_p of the greatest p. 0 keeps all.
// A limit is itself kept, and tokens with equal logits are kept or dropped together, so more than top_k may be left.
// Then, with 64 random bits R of the row and the kept p as integers w = 2^31 exp((logit - greatest) / temperature) rounded
// down, it is the first token, in the order of the vocabulary, at which the sum of w exceeds R / 2^64 of all. A sum of
// integers is exact, so every variant draws the same token. R is Philox4x32-10 with the seed as its key, and the row above the
// step as its counter: rows and steps are independent.
//
// Temperature 0 is greedy: the greatest logit, the first of equals, and no other parameter counts. NaN and -Inf are never
// drawn, and +Inf leaves only those that are +Inf too; a row where nothing can be drawn gives -1. Types of logits: KZ_F32,
// KZ_F16, KZ_BF16, rows x vocabulary, row-major; token is KZ_I32, one for each row.
//
// step is a KZ_I64 on the device, read by the kernel: a recorded graph draws anew when whoever replays it has counted it up.
#ifndef KZ_OPS_SAMPLING_H
#define KZ_OPS_SAMPLING_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kz_sampling_params {
    size_t size;       // sizeof(kz_sampling_params), by the caller
    float temperature; // 0: greedy
    uint32_t top_k;    // 0: off
    float top_p;       // 0: off
    float min_p;       // 0: off
    uint64_t seed;
} kz_sampling_params;

// `variant` NULL takes the best known for device, type and size; a name ("03_search") overrides it. `params` is read here
// alone. KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_sampling_open(kz_device *device, kz_type type, size_t rows, size_t vocabulary,
                                  const kz_sampling_params *params, const char *variant,
                                  kz_operation **operation, kz_error *error);
// `step` is not read where the temperature is 0, and may be 0 then.
KZ_API kz_status kz_sampling_run(kz_operation *operation, kz_stream *stream, kz_ptr logits, kz_ptr step,
                                 kz_ptr token, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

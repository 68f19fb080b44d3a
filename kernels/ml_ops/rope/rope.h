// Kernel Zoo, an operation: rotary position embedding of queries and keys, forward and backward.
//
//     kz_rope_shape shape = {.size = sizeof shape, .batch = 1, .sequence = 8192, .q_heads = 32, .k_heads = 8,
//                            .dim = 128, .rotary = 128, .theta = 500000.0f};
//     kz_operation *rope;
//     kz_rope_open(device, KZ_ROPE_HALVES, KZ_BF16, &shape, NULL, &rope, &error);
//     uint64_t bytes = kz_operation_workspace(rope); // the caller's: kz_memory_alloc, any content; may be 0
//     kz_rope_run(rope, NULL, q, k, positions, q, k, workspace, bytes, &error); // in place
//     kz_operation_close(rope);
//
// q is batch x sequence x q_heads x dim, k the same with k_heads, row-major. A token's heads lie together, and tokens may have
// room between them: with q_stride and k_stride of (q_heads + 2 * k_heads) * dim, q and k lie in one array with the values, as
// one product with all three weights gives them. The outputs have the strides of the inputs, and what lies between tokens is
// neither read nor written. Positions are i32, one for each token (batch x sequence), on the device: for a prompt they count up, for a step of decoding they are where each sequence is now. Pair i of
// a head turns by position * theta^(-2 i / rotary) radians; elements from `rotary` on are passed on. Types: KZ_F32, KZ_F16,
// KZ_BF16; arithmetic is float, each result is rounded once. An angle is within 2^-49 |position| radians: up to positions of
// 2^24 that is less than the rounding of a float cosine, and 2^-18 at the largest position an i32 holds.
//
// q_out may be q and k_out may be k; no other element may be shared. k_heads may be 0: q alone. Then k and k_out may be 0.
// The backward pass takes the gradients of the outputs in the place of q and k, and gives those of the inputs: it turns by
// the opposite angle. The same bits in every run.
#ifndef KZ_OPS_ROPE_H
#define KZ_OPS_ROPE_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

// Which elements are pair i: (2 i, 2 i + 1), or (i, i + rotary / 2).
typedef enum kz_rope_operation {
    KZ_ROPE_INTERLEAVED,
    KZ_ROPE_HALVES,
    KZ_ROPE_INTERLEAVED_BACKWARD,
    KZ_ROPE_HALVES_BACKWARD,
    KZ_ROPE_COUNT
} kz_rope_operation;

typedef struct kz_rope_shape {
    size_t size; // sizeof(kz_rope_shape); what a shorter one of an older program lacks is 0
    size_t batch, sequence, q_heads, k_heads, dim;
    size_t rotary;             // elements of a head that turn, from its first: even, at most dim
    float theta;               // the base of the frequencies, from 1 up; 0: 10000
    size_t q_stride, k_stride; // elements from one token to the next; 0: as many as its heads have
} kz_rope_shape;

// `variant` NULL takes the best known for device, type and size; a name ("04_heads") overrides it.
// KZ_DETERMINISTIC: kz/operation.h.
KZ_API kz_status kz_rope_open(kz_device *device, kz_rope_operation function, kz_type type,
                              const kz_rope_shape *shape, const char *variant, kz_operation **operation,
                              kz_error *error);
KZ_API kz_status kz_rope_run(kz_operation *operation, kz_stream *stream, kz_ptr q, kz_ptr k, kz_ptr positions,
                             kz_ptr q_out, kz_ptr k_out, kz_ptr workspace, uint64_t workspace_bytes,
                             kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

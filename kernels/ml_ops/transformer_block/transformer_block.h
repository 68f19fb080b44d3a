// Kernel Zoo, an operation: a transformer's block, forward, and forward with all gradients. Pre-norm, grouped heads, rope, swiglu.
//
//     kz_transformer_block_shape shape = {.size = sizeof shape, .batch = 1, .tokens = 4096, .width = 4096, .heads = 32,
//                                         .kv_heads = 8, .hidden = 14336};
//     kz_operation *block;
//     kz_transformer_block_open(device, KZ_TRANSFORMER_BLOCK_FORWARD, KZ_BF16, &shape, NULL, &block, &error);
//     uint64_t bytes = kz_operation_workspace(block); // the caller's: kz_memory_alloc, any content
//     kz_transformer_block_run(block, NULL, &buffers, workspace, bytes, &error);
//     kz_operation_close(block);
//
// With d = width / heads, the elements of a head, and rows = batch x tokens:
//     n = rmsnorm(x) norm1;  q, k, v = n wqkv^T;  q, k turned by rope (halves, base 10000) at `positions`
//     h = x + attention(q, k, v) wo^T     causal, scale 1 / sqrt(d); head i reads keys and values i / (heads / kv_heads)
//     m = rmsnorm(h) norm2;  g, u = m wgu^T
//     y = h + (silu(g) u) wd^T
// All arrays are row-major: x, y rows x width; wqkv (heads + 2 kv_heads) d x width, the rows of q, then those of k, then of v; wo
// width x width; wgu 2 hidden x width, rows of g and u by turns, so that an epilogue has both; wd width x hidden; norm1, norm2 of width; positions i32,
// batch x tokens. epsilon is 10^-6. GRADIENTS takes dy as well, and gives y, dx and the gradient of each weight, in the weight's
// shape. Types: KZ_F32, KZ_F16, KZ_BF16, for all but the positions; what one part leaves for the next is rounded to the type.
//
// It is one plan of the zoo's families, each by the variant that it would choose, all of which give the same bits in every run:
// `kz info transformer_block --case CASE` prints the steps, and the plan of the workspace, in which arrays that do not live at the
// same time share memory.
#ifndef KZ_OPS_TRANSFORMER_BLOCK_H
#define KZ_OPS_TRANSFORMER_BLOCK_H

#include "kz/operation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kz_transformer_block {
    KZ_TRANSFORMER_BLOCK_FORWARD,
    KZ_TRANSFORMER_BLOCK_GRADIENTS,
    KZ_TRANSFORMER_BLOCK_OPERATIONS
} kz_transformer_block;

typedef struct kz_transformer_block_shape {
    size_t size; // sizeof(kz_transformer_block_shape)
    size_t batch, tokens;
    size_t width, heads, kv_heads; // heads divide the width, by an even number; kv_heads divide the heads
    size_t hidden;
} kz_transformer_block_shape;

typedef struct kz_transformer_block_buffers {
    size_t size; // sizeof(kz_transformer_block_buffers)
    kz_ptr x, positions, norm1, wqkv, wo, norm2, wgu, wd, y;
    kz_ptr dy, dx, dnorm1, dwqkv, dwo, dnorm2, dwgu, dwd; // GRADIENTS; else 0
} kz_transformer_block_buffers;

// `variant` NULL takes the best known for device, type and size. KZ_DETERMINISTIC: kz/operation.h; all have the same bits in every run.
KZ_API kz_status kz_transformer_block_open(kz_device *device, kz_transformer_block which, kz_type type,
                                           const kz_transformer_block_shape *shape, const char *variant,
                                           kz_operation **operation, kz_error *error);
// No output may overlap another array.
KZ_API kz_status kz_transformer_block_run(kz_operation *operation, kz_stream *stream,
                                          const kz_transformer_block_buffers *buffers, kz_ptr workspace,
                                          uint64_t workspace_bytes, kz_error *error);

#ifdef __cplusplus
}
#endif
#endif

// What the C files of transformer_block share.
#ifndef TRANSFORMER_BLOCK_PRIVATE_H
#define TRANSFORMER_BLOCK_PRIVATE_H

#include "kz/family.h"
#include "transformer_block.h"

enum { BATCH, TOKENS, WIDTH, HEADS, KV_HEADS, HIDDEN };                  // the axes, in order
enum { X, POSITIONS, NORM1, WQKV, WO, NORM2, WGU, WD, Y };               // the buffers of FORWARD, in order
enum { DY = 8, GRADIENTS_Y, DX, DNORM1, DWQKV, DWO, DNORM2, DWGU, DWD }; // and of GRADIENTS, after WD

KZ_DECLARE_FAMILY(transformer_block);
extern const kz_native_entry transformer_block_natives[];

typedef struct block_shape {
    uint64_t batch, tokens, width, heads, kv_heads, hidden;
    uint64_t rows, head; // batch x tokens; elements of a head
    uint64_t qkv;        // columns of q, k and v together
} block_shape;
block_shape block_shape_of(const kz_case *c);
size_t block_buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]);

static const float block_epsilon = 1e-6f;
static const double block_theta = 10000.0;

// ---- the block in double (model.c) -----------------------------------------------------------------------------------

// Every array of the block, forward and backward. `rounding` KZ_F64: exact. Else what a part leaves for the next is rounded to that
// type, and sums of products are floats, as in kernels.
typedef struct block_model {
    block_shape s;
    kz_type rounding;
    const int32_t *positions;
    double *x, *norm1, *wqkv, *wo, *norm2, *wgu, *wd, *dy; // given
    double *n, *qkv, *o, *h, *m, *gu, *a, *y;              // forward; qkv after rope
    double *da, *dgu, *dm, *dh, *dout, *dqkv, *dn, *dx;    // backward
    double *dnorm1, *dwqkv, *dwo, *dnorm2, *dwgu, *dwd;
    double *memory;
} block_model;
// False where there is no memory.
bool block_model_open(block_model *model, const block_shape *shape, kz_type rounding);
void block_model_close(block_model *model);
void block_model_forward(block_model *model);
void block_model_backward(block_model *model); // after the forward pass
double *block_model_output(const block_model *model, uint32_t operation,
                           size_t which); // a buffer of the case

kz_status block_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error);

#endif

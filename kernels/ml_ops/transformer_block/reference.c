// transformer_block: the right answer in double, and how far kernels may be from it.
//
// A bound through seven products, two norms and a softmax, forward and backward, would be far too wide to say anything. It is taken
// from arithmetic instead: the block is computed a second time with float sums, and with everything that one part leaves for the
// next rounded to the type. What that moves results by is a deviation, its root mean square over the array one figure; kernels
// round elsewhere, but as often, and results are within twelve of those figures and sixteen roundings of their own size, in float. Each part has a bound of its own in its family.
#include <math.h>
#include <stdlib.h>

#include "private.h"

enum { DEVIATIONS = 12, ROUNDINGS = 16 };

static void take(double *to, const kz_case *c, const kz_buffer *buffer, const void *host) {
    for (uint64_t i = 0; i < buffer->count; i++) to[i] = kz_element_get(c->type, host, i);
}

static void load(block_model *model, const kz_case *c, void *const *host) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    block_buffers(c, list);
    double *const inputs[] = {
        [X] = model->x,         [NORM1] = model->norm1, [WQKV] = model->wqkv, [WO] = model->wo,
        [NORM2] = model->norm2, [WGU] = model->wgu,     [WD] = model->wd};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (i != POSITIONS) take(inputs[i], c, &list[i], host[i]);
    model->positions = host[POSITIONS];
    if (c->operation == KZ_TRANSFORMER_BLOCK_GRADIENTS) take(model->dy, c, &list[DY], host[DY]);
}

static bool compute(block_model *model, const kz_case *c, void *const *host, kz_type rounding) {
    block_shape s = block_shape_of(c);
    if (!block_model_open(model, &s, rounding)) return false;
    load(model, c, host);
    block_model_forward(model);
    if (c->operation == KZ_TRANSFORMER_BLOCK_GRADIENTS) block_model_backward(model);
    return true;
}

kz_status block_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    block_model exact = {0}, like = {0};
    block_buffers(c, list);
    bool done = compute(&exact, c, host, KZ_F64) && compute(&like, c, host, c->type);
    if (done) {
        const double *right = block_model_output(&exact, c->operation, which),
                     *near = block_model_output(&like, c->operation, which);
        double squares = 0.0;
        uint64_t count = list[which].count;
        for (uint64_t i = 0; i < count; i++) squares += (right[i] - near[i]) * (right[i] - near[i]);
        double deviation = count ? sqrt(squares / (double)count) : 0.0;
        for (uint64_t i = 0; i < count; i++) {
            expected[i] = kz_saturate(c->type, right[i]);
            double most = DEVIATIONS * deviation + ROUNDINGS * kz_unit_roundoff(KZ_F32) * fabs(right[i]);
            bound[i] = most + kz_half_ulp(c->type, fabs(right[i]) + most);
        }
    }
    block_model_close(&exact);
    block_model_close(&like);
    return done
               ? KZ_OK
               : kz_fail(error, KZ_NO_MEMORY, "transformer_block: no memory for the arrays of the reference");
}

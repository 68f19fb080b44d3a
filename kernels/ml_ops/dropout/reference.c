// dropout: the right answer in double. The mask is exact: what is dropped is 0 with bound 0, and what is kept differs from 0
// by more than its bound unless x is 0.
//
// A kept element is one product in float, of x and the factor, which was rounded to float: u = 2^-24 each. A half type's
// is rounded once more, to the type.
#include <math.h>

#include "ml_ops/dropout_mask.h"
#include "private.h"

kz_status dropout_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error) {
    dropout_mask mask = dropout_mask_of(host[STATE], (uint64_t)c->axes[DROP]);
    double scale = dropout_scale((uint64_t)c->axes[DROP]);
    for (int64_t i = 0; i < c->axes[N]; i++) {
        expected[i] = bound[i] = 0.0;
        if (!dropout_mask_keeps(&mask, (uint64_t)i)) continue;
        double y = kz_element_get(c->type, host[X], (uint64_t)i) * scale;
        expected[i] = kz_saturate(c->type, y);
        if (!isfinite(y) || scale == 1.0) continue; // the product with 1 is exact
        double extra = kz_unit_roundoff(KZ_F32) * fabs(y);
        if (c->type != KZ_F32) extra += kz_half_ulp(KZ_F32, y);
        bound[i] = extra + kz_half_ulp(c->type, fabs(y) + extra);
    }
    return KZ_OK;
}

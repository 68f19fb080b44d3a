// vector_add: the right answer. z[i] = x[i] + y[i] in double; a correct kernel rounds once.
#include "private.h"

kz_status vector_add_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                               double *bound, kz_error *error) {
    for (int64_t i = 0; i < c->axes[0]; i++) {
        double sum = kz_element_get(c->type, host[X], i) + kz_element_get(c->type, host[Y], i);
        expected[i] = kz_saturate(c->type, sum);
        bound[i] = kz_half_ulp(c->type, sum);
    }
    return KZ_OK;
}

// saxpy: the right answer, y = a * x + y in double.
//
// A kernel may round the product and then the sum, or fuse them and round once; the bound allows both.
#include <math.h>

#include "private.h"

kz_status saxpy_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error) {
    double a = saxpy_get_a(c);
    for (int64_t i = 0; i < c->axes[0]; i++) {
        double product = a * kz_element_get(c->type, host[X], i);
        double sum = product + kz_element_get(c->type, host[Y], i);
        expected[i] = kz_saturate(c->type, sum);
        // The rounded product may move the sum a little, and with it the size of the second rounding.
        double first = kz_half_ulp(c->type, product);
        bound[i] = first + kz_half_ulp(c->type, fabs(sum) + first);
    }
    return KZ_OK;
}

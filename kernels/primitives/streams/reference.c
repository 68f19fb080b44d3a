// streams: the right answer, x + rounds * b in double.
//
// A kernel rounds once per round, to a number no larger than |x| + rounds * b: half an ulp of that, so many times.
#include <math.h>

#include "private.h"

kz_status streams_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                            double *bound, kz_error *error) {
    double rounds = (double)c->axes[ROUNDS], more = rounds * (double)streams_b;
    for (int64_t i = 0; i < c->axes[N]; i++) {
        double x = kz_element_get(c->type, host[X], (uint64_t)i);
        expected[i] = kz_saturate(c->type, x + more);
        bound[i] = isfinite(x) ? rounds * kz_half_ulp(c->type, fabs(x) + more) : 0;
    }
    return KZ_OK;
}

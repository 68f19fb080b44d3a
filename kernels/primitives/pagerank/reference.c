// pagerank: the right answer, by pulling in double, and how far a kernel may be from it.
//
// A vertex's sum has k terms, and the ground. A term is rounded at most three times before it is added (the division, the
// damping, 0.85 as a float), the ground twice. Each addition rounds by at most u times the partial sum, which is at most
// the sum of magnitudes S: k u S in all, in any order (Higham, section 4.2). reduce allows only the square root of that,
// for its roundings are independent; here they are not, for equal shares added to one sum are rounded alike: a hub that
// points at a hub a thousand times. The bound is that of the worst order, then: u S (k + 6), and the last bit.
#include <math.h>

#include "private.h"

static double bound_of(double terms, double magnitude, double result) {
    return kz_unit_roundoff(KZ_F32) * magnitude * (terms + 6.0) + kz_half_ulp(KZ_F32, result);
}

kz_status pagerank_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                             double *bound, kz_error *error) {
    const uint32_t *out = host[OUT_OFFSETS], *in = host[IN_OFFSETS], *sources = host[IN_SOURCES];
    const float *rank = host[RANK];
    uint64_t n = (uint64_t)c->axes[VERTICES];
    double ground = n ? (1.0 - PAGERANK_DAMPING) / (double)n : 0.0;
    for (uint64_t v = 0; v < n; v++) {
        double sum = ground, magnitude = ground;
        for (uint64_t e = in[v]; e < in[v + 1]; e++) {
            uint64_t u = sources[e];
            double term = PAGERANK_DAMPING * (double)rank[u] / (double)(out[u + 1] - out[u]);
            sum += term;
            magnitude += fabs(term);
        }
        expected[v] = sum;
        bound[v] = isfinite(sum) ? bound_of(in[v + 1] - in[v], magnitude, sum) : 0.0;
    }
    return KZ_OK;
}

// reduce_axis: the right answer, segment by segment: what reduce says of each (reduce/reference.c).
#include "private.h"

kz_status reduce_axis_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                double *bound, kz_error *error) {
    uint64_t outer = (uint64_t)c->axes[OUTER], n = (uint64_t)c->axes[N], inner = (uint64_t)c->axes[INNER];
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < inner; i++) {
            uint64_t s = o * inner + i;
            reduce_slice slice = {host[IN], o * n * inner + i, n, inner};
            expected[s] = reduce_expect(c, slice, which, INDEX, &bound[s]);
        }
    return KZ_OK;
}

// reduce_segments: the right answer, segment by segment: what reduce says of each (reduce/reference.c).
#include "private.h"

kz_status reduce_segments_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                    double *bound, kz_error *error) {
    const uint32_t *offsets = host[OFFSETS];
    for (int64_t s = 0; s < c->axes[SEGMENTS]; s++) {
        reduce_slice slice = {host[IN], offsets[s], offsets[s + 1] - offsets[s], 1};
        expected[s] = reduce_expect(c, slice, which, INDEX, &bound[s]);
    }
    return KZ_OK;
}

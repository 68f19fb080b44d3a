// For tests: the family of one operation, z = x + y.
#ifndef BENCH_TEST_ADD_H
#define BENCH_TEST_ADD_H

#include "kz/family.h"

static inline size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[0];
    list[0] = (kz_buffer){"x", KZ_INPUT, KZ_F32, n};
    list[1] = (kz_buffer){"y", KZ_INPUT, KZ_F32, n};
    list[2] = (kz_buffer){"z", KZ_OUTPUT, KZ_F32, n};
    return 3;
}

static inline kz_status reference(const kz_case *c, void *const *host, size_t which, double *expected,
                                  double *bound, kz_error *error) {
    for (int64_t i = 0; i < c->axes[0]; i++) {
        expected[i] = (double)((float *)host[0])[i] + ((float *)host[1])[i];
        bound[i] = 1e-6;
    }
    return KZ_OK;
}

static inline kz_work work(const kz_case *c) {
    return (kz_work){.bytes = 12.0 * (double)c->axes[0], .flops = 1};
}

#endif

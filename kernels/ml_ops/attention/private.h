// What the C files of attention share.
#ifndef ATTENTION_PRIVATE_H
#define ATTENTION_PRIVATE_H

#include "ml_ops/attention_case.h"

// The buffers: q, k, v, what the mask needs, out, lse where it is asked for. -1: the case has none.
attention_arrays attention_list(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS], size_t *count);

KZ_DECLARE_FAMILY(attention);
extern const kz_native_entry attention_natives[];

kz_status attention_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                              double *bound, kz_error *error);

#endif

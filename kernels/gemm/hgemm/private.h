// What the C files of hgemm share.
#ifndef HGEMM_PRIVATE_H
#define HGEMM_PRIVATE_H

#include "kz/family.h"
#include "hgemm.h"

enum { A, B, C }; // the buffers, in order
enum { M, N, K }; // the axes, in order

KZ_DECLARE_FAMILY(hgemm);
extern const kz_native_entry hgemm_natives[];

// What an operation's name says: nn, nt, tn, tt, and the same with c in f32.
static inline bool hgemm_a_mn(const kz_case *c) { return c->operation / 2 % 2 == 1; }
static inline bool hgemm_b_mn(const kz_case *c) { return c->operation % 2 == 0; }
static inline kz_type hgemm_out(const kz_case *c) { return c->operation >= 4 ? KZ_F32 : c->type; }

kz_status hgemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error);

#endif

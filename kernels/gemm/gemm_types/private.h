// What the C files of gemm_types share.
#ifndef GEMM_TYPES_PRIVATE_H
#define GEMM_TYPES_PRIVATE_H

#include "kz/family.h"

#include "gemm_types.h"
#include "scales.h"

enum { A, B, C, SCALE_A, SCALE_B, BUFFERS }; // in order; no scales where the format has none
enum { M, N, K };                            // the axes, in order

KZ_DECLARE_FAMILY(gemm_types);
extern const kz_native_entry gemm_types_natives[];

// ---- formats (formats.c) ----------------------------------------------------------------------------

// What an element of a and b is; kept as bytes (KZ_U8) where it is no kz_type.
typedef enum gemm_element { GEMM_TF32, GEMM_INT8, GEMM_8_E4M3, GEMM_8_E5M2, GEMM_F64 } gemm_element;

typedef struct gemm_types_format {
    const char *name;
    gemm_element element;
    kz_type in, out; // of the buffers
    int scales;      // SCALES_*
    bool promoted;   // sums of KZ_GEMM_TYPES_BLOCK products are added in f32
    int parts;       // products that it is made of
} gemm_types_format;

// An operation is a format and an order: "e4m3_fine_nt".
enum { ORDERS = 4 };
extern const gemm_types_format gemm_types_formats[];
static inline const gemm_types_format *gemm_types_format_of(const kz_case *c) {
    return &gemm_types_formats[c->operation / ORDERS];
}
// Contiguous along m (n), not along k.
static inline bool gemm_types_a_mn(const kz_case *c) { return c->operation / 2 % 2 == 1; }
static inline bool gemm_types_b_mn(const kz_case *c) { return c->operation % 2 == 0; }
static inline uint64_t gemm_types_axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

double gemm_types_get(gemm_element element, const void *data, uint64_t index);
bool gemm_types_fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                     void *host);

// Elements of scale_a, scale_b.
uint64_t gemm_types_scale_count(const kz_case *c, int which);
// The factor of element x along k of row `row` of a (of b): 1 where there are no scales.
double gemm_types_scale(const kz_case *c, int which, const float *scales, uint64_t row, uint64_t x);

// ---- plans (plans.c) -----------------------------------------------------------------------------------

kz_status gemm_types_plan_native(const kz_planner *p);
kz_status gemm_types_plan_cores(const kz_planner *p);
kz_status gemm_types_plan_cluster(const kz_planner *p);
kz_status gemm_types_plan_ping_pong(const kz_planner *p);
kz_status gemm_types_plan_any_shape(const kz_planner *p);
kz_status gemm_types_plan_mma(const kz_planner *p);
kz_status gemm_types_plan_two_sets(const kz_planner *p);

kz_status gemm_types_reference(const kz_case *c, void *const *host, size_t which, double *expected,
                               double *bound, kz_error *error);

#endif

// What the C files of sgemm share.
#ifndef SGEMM_PRIVATE_H
#define SGEMM_PRIVATE_H

#include "kz/family.h"

enum { A, B, C };                             // the buffers, in order
enum { M, N, K };                             // the axes, in order: a is M x K, b is K x N, c is M x N
enum { PANEL_ROWS = 12, PANEL_COLUMNS = 32 }; // of 18 and 19: what a packed panel of a has, and one of b

KZ_DECLARE_FAMILY(sgemm);
extern const kz_native_entry sgemm_cpu_naive_natives[], sgemm_cpu_reordered_natives[],
    sgemm_cpu_blocked_natives[], sgemm_cpu_simd_natives[];

kz_status sgemm_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                          kz_error *error);

// Plans of 11 to 14 (plans.c, selection.c).
kz_status sgemm_plan_split_k(const kz_planner *p), sgemm_plan_stream_k(const kz_planner *p),
    sgemm_plan_matrix_vector(const kz_planner *p), sgemm_plan_shape_selection(const kz_planner *p);

// ---- the CPU's ladder --------------------------------------------------------------------------------

// The arguments of a native kernel: the family's, in order.
typedef struct sgemm_native {
    const float *a, *b;
    float *c;
    uint64_t m, n, k;
} sgemm_native;
static inline sgemm_native sgemm_native_args(const kz_native_launch *launch) {
    const void *const *args = launch->args;
    return (sgemm_native){*(const float *const *)args[0], *(const float *const *)args[1],
                          *(float *const *)args[2],       *(const uint64_t *)args[3],
                          *(const uint64_t *)args[4],     *(const uint64_t *)args[5]};
}

// One way to multiply a packed panel of a, 12 rows x depth, and one of b, depth x 32: added to c, or stored
// there where it is the first. Rows of c are n floats apart.
typedef void (*sgemm_panel)(const float *a, const float *b, uint64_t depth, float *c, uint64_t n, bool first);

// The best that this machine runs: AVX-512, AVX2 with FMA, or what the compiler makes of plain C.
sgemm_panel sgemm_choose_panel(void);
// Those this machine runs, by name, ends with a NULL function: for tests.
typedef struct sgemm_panel_entry {
    const char *name;
    sgemm_panel multiply;
} sgemm_panel_entry;
size_t sgemm_list_panels(sgemm_panel_entry entries[4]);

#endif

// What the C files of attention share.
#ifndef ATTENTION_PRIVATE_H
#define ATTENTION_PRIVATE_H

#include "ml_ops/attention_case.h"

// The buffers: q, k, v, what the mask needs, out, lse where it is asked for. -1: the case has none.
attention_arrays attention_list(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS], size_t *count);

KZ_DECLARE_FAMILY(attention);
extern const kz_native_entry attention_natives[], attention_cpu_naive_natives[],
    attention_cpu_blocked_natives[], attention_cpu_simd_natives[];

// ---- plans of Hopper's rungs: wgmma_plan.c -----------------------------------------------------------

kz_status attention_plan_wgmma(const kz_planner *p);            // 05
kz_status attention_plan_warp_specialized(const kz_planner *p); // 06
kz_status attention_plan_ping_pong(const kz_planner *p);        // 07 and 08
kz_status attention_plan_persistent(const kz_planner *p);       // 09

// ---- the CPU's ladder --------------------------------------------------------------------------------

// The arguments of a native kernel.
typedef struct attention_native {
    attention_problem p;
    const void *q, *k, *v, *mask;
    void *out;
    float *lse;
    const int32_t *query_offsets, *key_offsets;
    void *workspace;
} attention_native;
attention_native attention_native_of(const kz_native_launch *launch, kz_type type);

// Queries of one head that follow one another.
typedef struct attention_queries {
    uint64_t b, head, kv_head;
    attention_sequence s;
    uint64_t query, count; // the first one, within its sequence
} attention_queries;
attention_queries attention_native_row(const attention_native *n,
                                       uint64_t at); // of all queries of the arrays
// Tile `at` of ATTENTION_CPU_QUERIES of one head; false where there are no more.
bool attention_native_tile(const attention_native *n, uint64_t at, uint64_t head, attention_queries *tile);

// The two steps of a tile that take the time, for which 12 has wider registers.
typedef struct attention_steps {
    const char *name;
    // c = a b, or is added to: ATTENTION_CPU_QUERIES rows of c, `columns` of them, a multiple of 16. Rows follow one another
    // after a_pitch, b_pitch, c_pitch floats.
    void (*multiply)(const float *a, uint64_t a_pitch, const float *b, uint64_t b_pitch, float *c,
                     uint64_t c_pitch, uint64_t columns, uint64_t depth, bool add);
    // Each of ATTENTION_CPU_KEYS scores becomes exp(score - base); returns their sum.
    float (*soften)(float *scores, float base);
} attention_steps;
extern const attention_steps attention_steps_plain; // 11
// Those this machine runs, the best one first, ends with a NULL name.
size_t attention_list_steps(attention_steps list[3]);
// A block's share of all tiles, and the bytes of workspace that a block needs.
void attention_native_attend(const kz_native_launch *launch, kz_type type, const attention_steps *steps);
uint64_t attention_native_scratch(uint64_t dimension);

#endif

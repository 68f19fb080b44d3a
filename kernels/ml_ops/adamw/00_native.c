// adamw 00: plain C on the `cpu` device
//
// Idea     the formulas in float, chunk by chunk; each block of the grid takes a run of neighbouring chunks.
// Change   none: it stands before the ladder.
// Expect   bound by the conversion of half types, the root and the division, not by memory.
#include <math.h>
#include <string.h>

#include "private.h"

typedef struct native_terms {
    float beta1, beta2, rest1, rest2, epsilon, scale, rate, step, root;
    uint64_t seed;
    uint32_t count; // the step's number
} native_terms;

static float scalar(const kz_native_launch *launch, size_t arg) { return *(const float *)launch->args[arg]; }

// As adamw.cuh: the rate and step are at the address, or in its place where bit 63 is set.
static native_terms prepare(const kz_native_launch *launch) {
    const float *scale = kz_native_pointer(launch, ARG_SCALE);
    uint64_t bits = kz_native_u64(launch, ARG_NOW);
    kz_adamw_now now;
    if (bits >> 63) {
        bits &= ~(1ULL << 63);
        memcpy(&now, &bits, sizeof now);
    } else {
        memcpy(&now, kz_native_pointer(launch, ARG_NOW), sizeof now);
    }
    native_terms t = {scalar(launch, ARG_BETA1), scalar(launch, ARG_BETA2), scalar(launch, ARG_REST1),
                      scalar(launch, ARG_REST2), scalar(launch, ARG_EPSILON)};
    float step = (float)now.step;
    t.scale = scale ? *scale : 1.0f;
    t.rate = now.learning_rate;
    t.seed = kz_native_u64(launch, ARG_SEED), t.count = now.step & 0x7fffffff;
    t.step = t.rate / -expm1f(step * scalar(launch, ARG_LOG_BETA1));
    t.root = 1.0f / sqrtf(-expm1f(step * scalar(launch, ARG_LOG_BETA2)));
    return t;
}

typedef struct native_arrays {
    kz_type type, narrow;
    char *weights, *m, *v, *copy;
    const char *gradients;
    bool draws;
} native_arrays;

// Rounded by chance, as adamw.cuh does it.
static void set_by_chance(void *array, uint64_t i, float x, uint32_t bits) {
    uint32_t exact, carried;
    memcpy(&exact, &x, sizeof exact);
    carried = exact + bits;
    if (!isfinite(x) || carried << 1 >= 0xffu << 24) carried = isnan(x) ? 0x7fffffffu : exact;
    ((uint16_t *)array)[i] = (uint16_t)(carried >> 16);
}

static void step(const native_terms *t, const kz_parameter *tensor, const native_arrays *a, uint64_t i) {
    float weight = (float)kz_element_get(a->type, a->weights, i), m = (float)kz_element_get(a->type, a->m, i),
          v = (float)kz_element_get(a->type, a->v, i),
          g = (float)kz_element_get(a->narrow, a->gradients, i) * t->scale;
    m = t->beta1 * m + t->rest1 * g;
    v = t->beta2 * v + t->rest2 * g * g;
    weight = weight * (1.0f - t->rate * tensor->rate * tensor->weight_decay) -
             t->step * tensor->rate * (m / (sqrtf(v) * t->root + t->epsilon));
    if (a->draws) {
        adamw_bits bits = adamw_draw(t->seed, t->count, tensor->first + i);
        set_by_chance(a->weights, i, weight, bits.weight);
        set_by_chance(a->m, i, m, bits.m);
        set_by_chance(a->v, i, v, bits.v);
        return;
    }
    kz_element_set(a->type, a->weights, i, weight);
    kz_element_set(a->type, a->m, i, m);
    kz_element_set(a->type, a->v, i, v);
    if (a->copy) kz_element_set(a->narrow, a->copy, i, weight);
}

static void update_any(const kz_native_launch *launch, kz_type type, kz_type narrow, bool draws) {
    const kz_parameter *table = kz_native_pointer(launch, ARG_TABLE);
    const int64_t *list = kz_native_pointer(launch, ARG_LIST);
    const uint32_t *skip = kz_native_pointer(launch, ARG_SKIP);
    char *copy = kz_native_pointer(launch, ARG_COPY);
    if (skip && *skip) return;
    native_terms t = prepare(launch);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, ARG_CHUNKS));
    for (uint64_t k = own.begin; k < own.end; k++) {
        const kz_parameter *tensor = &table[list[k] >> 32];
        const native_arrays a = {type,
                                 narrow,
                                 (char *)kz_native_pointer(launch, ARG_WEIGHTS) + tensor->weights,
                                 (char *)kz_native_pointer(launch, ARG_M) + tensor->m,
                                 (char *)kz_native_pointer(launch, ARG_V) + tensor->v,
                                 copy ? copy + tensor->copy : NULL,
                                 (const char *)kz_native_pointer(launch, ARG_GRADIENTS) + tensor->gradients,
                                 draws};
        uint64_t begin = (uint64_t)(uint32_t)list[k] * KZ_PARAMETER_CHUNK;
        uint64_t end = kz_min_u64(begin + KZ_PARAMETER_CHUNK, tensor->count);
        for (uint64_t i = begin; i < end; i++) step(&t, tensor, &a, i);
    }
}

static void update(const kz_native_launch *launch, kz_type type, kz_type narrow) {
    update_any(launch, type, narrow, false);
}

static void update_stochastic_bf16(const kz_native_launch *launch) {
    update_any(launch, KZ_BF16, KZ_BF16, true);
}
static void update_f32(const kz_native_launch *launch) { update(launch, KZ_F32, KZ_F32); }
static void update_bf16(const kz_native_launch *launch) { update(launch, KZ_BF16, KZ_BF16); }
static void update_master_f16(const kz_native_launch *launch) { update(launch, KZ_F32, KZ_F16); }
static void update_master_bf16(const kz_native_launch *launch) { update(launch, KZ_F32, KZ_BF16); }

const kz_native_entry adamw_natives[] = {{"adamw_native_update_f32", update_f32},
                                         {"adamw_native_update_bf16", update_bf16},
                                         {"adamw_native_update_stochastic_bf16", update_stochastic_bf16},
                                         {"adamw_native_update_master_f16", update_master_f16},
                                         {"adamw_native_update_master_bf16", update_master_bf16},
                                         {0}};

// rope 00: plain C on the `cpu` device
//
// Idea     the formula, pair by pair; each block of the grid takes a run of neighbouring tokens.
// Change   none: it stands before the ladder. Angles in double, once for each pair of a token.
// Expect   bound by cosines, sines and the conversion of half types, not by memory.
#include <math.h>

#include "private.h"

typedef struct job {
    kz_type type;
    bool halves;
    uint64_t dim, rotary;
} job;

// One pair of all heads of a token, which begins at element `at`.
static void turn_heads(const job *j, const void *in, void *out, uint64_t at, uint64_t heads, uint64_t pair,
                       double angle) {
    double c = cos(angle), s = sin(angle);
    uint64_t first = j->halves ? pair : 2 * pair, second = j->halves ? pair + j->rotary / 2 : 2 * pair + 1;
    for (uint64_t head = at; head < at + heads * j->dim; head += j->dim) {
        double x = kz_element_get(j->type, in, head + first);
        double y = kz_element_get(j->type, in, head + second);
        kz_element_set(j->type, out, head + first, x * c - y * s);
        kz_element_set(j->type, out, head + second, y * c + x * s);
    }
}

static void pass_on(const job *j, const void *in, void *out, uint64_t at, uint64_t heads) {
    for (uint64_t head = at; head < at + heads * j->dim; head += j->dim)
        for (uint64_t i = head + j->rotary; i < head + j->dim; i++)
            kz_element_set(j->type, out, i, kz_element_get(j->type, in, i));
}

static void turn_tokens(const kz_native_launch *launch, kz_type type, bool halves) {
    const int32_t *positions = kz_native_pointer(launch, 2);
    kz_share own = kz_native_share(launch, kz_native_u64(launch, 5));
    uint64_t heads[] = {kz_native_u64(launch, 6), kz_native_u64(launch, 7)};
    uint64_t strides[] = {kz_native_u64(launch, 10), kz_native_u64(launch, 11)};
    job j = {type, halves, kz_native_u64(launch, 8), kz_native_u64(launch, 9)};
    double log2_step = *(const double *)launch->args[12], sign = (double)*(const float *)launch->args[13];
    for (uint64_t token = own.begin; token < own.end; token++)
        for (size_t which = 0; which < 2; which++) {
            const void *in = kz_native_pointer(launch, which);
            void *out = kz_native_pointer(launch, 3 + which);
            for (uint64_t pair = 0; pair < j.rotary / 2; pair++)
                turn_heads(&j, in, out, token * strides[which], heads[which], pair,
                           sign * (double)positions[token] * exp2((double)pair * log2_step));
            pass_on(&j, in, out, token * strides[which], heads[which]);
        }
}

#define NATIVE(layout, halves, type, TYPE)                                                                   \
    static void turn_##layout##_##type(const kz_native_launch *launch) {                                     \
        turn_tokens(launch, KZ_##TYPE, halves);                                                              \
    }
NATIVE(interleaved, false, f32, F32)
NATIVE(interleaved, false, f16, F16)
NATIVE(interleaved, false, bf16, BF16)
NATIVE(halves, true, f32, F32)
NATIVE(halves, true, f16, F16)
NATIVE(halves, true, bf16, BF16)

const kz_native_entry rope_natives[] = {{"rope_native_interleaved_f32", turn_interleaved_f32},
                                        {"rope_native_interleaved_f16", turn_interleaved_f16},
                                        {"rope_native_interleaved_bf16", turn_interleaved_bf16},
                                        {"rope_native_halves_f32", turn_halves_f32},
                                        {"rope_native_halves_f16", turn_halves_f16},
                                        {"rope_native_halves_bf16", turn_halves_bf16},
                                        {0}};

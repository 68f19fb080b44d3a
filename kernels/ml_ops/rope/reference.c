// rope: the right answer in double, and how far float arithmetic may be from it.
//
// With u = 2^-24: a cosine or a sine that is rounded to float, or computed in float from an angle that is nearly exact, is
// within 3 u (turns.h; a test looks at 2^20 angles). x c - y s then rounds each product and the difference, 2 u of |x| + |y|
// at most. So TERMS u (|x| + |y|), and the rounding to the type.
//
// The angle itself has an error, on both sides. A frequency theta^-e has a few roundings of a double, and the rounding of e
// log2(theta), which is the less of it the smaller the frequency is; ten units of 2^-53 at most. A position multiplies them:
// 2^-49 of it is allowed. At 2^20 that is 2^-29 radians, 1/32 of u, and at 2^24 it is half of u. An angle in float would be off
// by up to 2^-5 radians at 2^20. Products of denormals lose up to 2^-150 each.
#include <math.h>

#include "private.h"

enum { TERMS = 6 };

static const double tiny = 0x1p-148;

float rope_theta(const kz_case *c) {
    const rope_detail *detail = c->detail;
    return detail ? detail->theta : 10000.0f;
}

static bool is_q(size_t which) { return which == Q || which == Q_OUT; }

uint64_t rope_token(const kz_case *c, size_t which) {
    return (uint64_t)c->axes[is_q(which) ? Q_HEADS : K_HEADS] * (uint64_t)c->axes[DIM];
}

uint64_t rope_stride(const kz_case *c, size_t which) {
    const rope_detail *detail = c->detail;
    uint64_t given = !detail ? 0 : is_q(which) ? detail->q_stride : detail->k_stride;
    return given ? given : rope_token(c, which);
}

uint64_t rope_count(const kz_case *c, size_t which) {
    uint64_t tokens = (uint64_t)c->axes[BATCH] * (uint64_t)c->axes[SEQUENCE], token = rope_token(c, which);
    return tokens && token ? (tokens - 1) * rope_stride(c, which) + token : 0;
}

double rope_angle(const kz_case *c, int64_t position, uint64_t pair) {
    double frequency = pow((double)rope_theta(c), -2.0 * (double)pair / (double)c->axes[ROTARY]);
    return (double)(rope_is_backward(c) ? -position : position) * frequency;
}

rope_place rope_find_place(const kz_case *c, size_t which, uint64_t index) {
    uint64_t dim = (uint64_t)c->axes[DIM], rotary = (uint64_t)c->axes[ROTARY], stride = rope_stride(c, which);
    uint64_t column = index % stride % dim;
    rope_place place = {.token = index / stride, .between = index % stride >= rope_token(c, which)};
    place.turns = !place.between && column < rotary;
    if (!place.turns) return place;
    if (rope_is_halves(c)) {
        place.second = column >= rotary / 2;
        place.pair = column % (rotary / 2);
        place.other = place.second ? index - rotary / 2 : index + rotary / 2;
    } else {
        place.second = column % 2;
        place.pair = column / 2;
        place.other = place.second ? index - 1 : index + 1;
    }
    return place;
}

kz_status rope_reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                         kz_error *error) {
    const void *in = which == Q_OUT ? host[Q] : host[K];
    const int32_t *positions = host[POSITIONS];
    double u = kz_unit_roundoff(KZ_F32);
    for (uint64_t i = 0, count = rope_count(c, which); i < count; i++) {
        rope_place place = rope_find_place(c, which, i);
        expected[i] = kz_element_get(c->type, place.between ? host[which] : in, i); // what is between stays
        bound[i] = 0.0;
        if (!place.turns) continue;
        double other = kz_element_get(c->type, in, place.other), own = expected[i];
        double position = positions[place.token], angle = rope_angle(c, positions[place.token], place.pair);
        double y = own * cos(angle) + (place.second ? other : -other) * sin(angle);
        double wide = (fabs(own) + fabs(other)) * (TERMS * u + 0x1p-49 * fabs(position)) + tiny;
        expected[i] = kz_saturate(c->type, y);
        if (isfinite(y)) bound[i] = wide + kz_half_ulp(c->type, fabs(y) + wide);
    }
    return KZ_OK;
}

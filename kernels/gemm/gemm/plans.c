// gemm: the plans of 00 and 01, which do everything.
#include <string.h>

#include "private.h"
#include "tune.h"

static kz_arg real(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return kz_arg_u64(bits);
}

// The arguments of 00 and 01: an order is a pair of strides.
static kz_status launch_any(const kz_planner *p, const gemm_spec *s, uint64_t blocks, uint32_t threads) {
    bool grouped = s->form == KZ_GEMM_GROUPED;
    return KZ_LAUNCH(
        p, .operation = s->out == s->type ? "any" : "any_to_f32", .blocks = blocks, .threads = threads,
        KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C),
                grouped ? kz_arg_buffer(OFFSETS) : kz_arg_u64(0), kz_arg_u64(s->m), kz_arg_u64(s->n),
                kz_arg_u64(s->k), kz_arg_u64(s->a_transposed ? 1 : s->a.ld),
                kz_arg_u64(s->a_transposed ? s->a.ld : 1), kz_arg_u64(s->b_transposed ? s->b.ld : 1),
                kz_arg_u64(s->b_transposed ? 1 : s->b.ld), kz_arg_u64(s->c.ld), kz_arg_u64(s->a.stride),
                kz_arg_u64(s->b.stride), kz_arg_u64(s->c.stride), kz_arg_u64(s->count), real(s->alpha),
                real(s->beta), kz_arg_u64(s->form == KZ_GEMM_POINTERS)));
}

kz_status gemm_plan_native(const kz_planner *p) {
    gemm_spec s = gemm_spec_of(p->c);
    if (gemm_is_empty(&s)) return KZ_OK;
    uint64_t shares = s.form == KZ_GEMM_GROUPED ? s.count : s.m * s.count;
    return launch_any(p, &s, kz_min_u64(shares, (uint64_t)p->device->multiprocessors), 1);
}

kz_status gemm_plan_universal(const kz_planner *p) {
    gemm_spec s = gemm_spec_of(p->c);
    if (gemm_is_empty(&s)) return KZ_OK;
    uint64_t down = kz_ceil_div(s.m, GEMM_UNIVERSAL_SIDE), across = kz_ceil_div(s.n, GEMM_UNIVERSAL_SIDE);
    uint64_t most = s.form == KZ_GEMM_GROUPED ? down + s.count : down * s.count; // rows of tiles
    most = kz_min_u64(most, INT32_MAX / 4) * kz_min_u64(across, INT32_MAX / 4);
    return launch_any(p, &s, kz_min_u64(most, 1 << 20), GEMM_UNIVERSAL_THREADS);
}

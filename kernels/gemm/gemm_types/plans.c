// gemm_types: the plans of its variants.
#include "private.h"
#include "tune.h"

// A sum of nothing is 0; a plan goes on where this has left `*done` false.
static kz_status plan_empty(const kz_planner *p, bool *done) {
    const gemm_types_format *f = gemm_types_format_of(p->c);
    uint64_t m = gemm_types_axis(p->c, M), n = gemm_types_axis(p->c, N), k = gemm_types_axis(p->c, K);
    if (p->c->type != f->out)
        return kz_plan_refuse(p->error, "c of %s has the type %s", f->name, kz_type_name(f->out));
    *done = m == 0 || n == 0 || k == 0;
    if (*done && k == 0) kz_plan_add_fill(p->plan, kz_arg_buffer(C), 0, m * n * kz_type_size(f->out));
    return KZ_OK;
}

// ---- elements one by one -----------------------------------------------------------------------------------

// The buffers, the axes, and the order: bit 1, a is MN-major; bit 0, b is not.
static kz_status launch_plain(const kz_planner *p, uint64_t blocks, uint32_t threads) {
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads,
                     KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C), kz_arg_buffer(SCALE_A),
                             kz_arg_buffer(SCALE_B), kz_arg_u64(gemm_types_axis(p->c, M)),
                             kz_arg_u64(gemm_types_axis(p->c, N)), kz_arg_u64(gemm_types_axis(p->c, K)),
                             kz_arg_u64(p->c->operation % ORDERS)));
}

kz_status gemm_types_plan_native(const kz_planner *p) {
    bool done = false;
    kz_status status = plan_empty(p, &done);
    uint64_t blocks = kz_min_u64(gemm_types_axis(p->c, M), (uint64_t)p->device->multiprocessors);
    return status || done ? status : launch_plain(p, blocks, 1);
}

kz_status gemm_types_plan_cores(const kz_planner *p) {
    bool done = false;
    kz_status status = plan_empty(p, &done);
    uint64_t tiles = kz_ceil_div(gemm_types_axis(p->c, M), GEMM_TYPES_CORES_TILE) *
                     kz_ceil_div(gemm_types_axis(p->c, N), GEMM_TYPES_CORES_TILE);
    return status || done ? status : launch_plain(p, tiles, GEMM_TYPES_CORES_THREADS);
}

// Plans of kernels made of kz/device/gemm.cuh.
#include "gemm/frame_plan.h"

#include "kz/device/gemm_shape.h"

gemm_operand gemm_operand_of(kz_arg at, uint64_t rows, uint64_t k, bool mn) {
    uint64_t inner = mn ? rows : k;
    return (gemm_operand){at, rows, k, mn, mn ? k : rows, inner, inner};
}

bool gemm_whole_units(uint64_t elements, kz_type type) { return elements * kz_type_size(type) % 16 == 0; }

kz_status gemm_refuse_rows(const kz_planner *p, const gemm_operand *o, const char *name) {
    if (gemm_whole_units(o->inner, p->c->type)) return KZ_OK;
    return kz_plan_refuse(p->error, "rows of %s have %llu elements; tensor maps need multiples of 8", name,
                          (unsigned long long)o->inner);
}

kz_status gemm_refuse_addresses(const kz_planner *p, kz_type out) {
    if (!gemm_whole_units(p->c->misalign, p->c->type) || !gemm_whole_units(p->c->misalign, out))
        return kz_plan_refuse(p->error, "tensor maps need matrices that begin at multiples of 16 bytes");
    for (int i = 0; i < KZ_CASE_AXES; i++)
        if (p->c->axes[i] > INT32_MAX)
            return kz_plan_refuse(p->error, "an axis of %lld is more than a tensor map's coordinates count",
                                  (long long)p->c->axes[i]);
    return KZ_OK;
}

kz_arg gemm_reserve(const kz_planner *p, uint64_t bytes) {
    uint64_t at = p->plan->workspace_bytes;
    p->plan->workspace_bytes += kz_ceil_div(bytes, 256) * 256;
    return kz_arg_workspace(at);
}

kz_status gemm_pad(const kz_planner *p, gemm_operand *o, const char *entry) {
    if (gemm_whole_units(o->inner, p->c->type)) return KZ_OK;
    kz_arg from = o->at;
    o->pitch = kz_ceil_div(o->inner, 8) * 8;
    o->at = gemm_reserve(p, o->outer * o->pitch * 2);
    return KZ_LAUNCH(p, .entry = entry, .blocks = kz_min_u64(o->outer, 65536), .threads = 256,
                     KZ_ARGS(from, o->at, kz_arg_u64(o->outer), kz_arg_u64(o->inner), kz_arg_u64(o->pitch)));
}

// ---- tensor maps ---------------------------------------------------------------------------------------------

kz_tensor_type gemm_tensor_type(kz_type type) {
    switch (type) {
    case KZ_F32: return KZ_TENSOR_F32;
    case KZ_F16: return KZ_TENSOR_F16;
    case KZ_U8: return KZ_TENSOR_U8;
    default: return KZ_TENSOR_BF16;
    }
}

kz_tensor gemm_tensor(kz_tensor_type type, uint64_t bytes, uint64_t columns, uint64_t rows,
                      uint64_t row_bytes, uint32_t box) {
    return (kz_tensor){.size = sizeof(kz_tensor),
                       .type = type,
                       .rank = 3,
                       .dims = {columns, rows, 1},
                       .strides = {bytes, row_bytes, rows * row_bytes},
                       .box = {(uint32_t)(KZ_GEMM_CHUNK / bytes), box, 1},
                       .swizzle = KZ_TENSOR_SWIZZLE_128B,
                       .promotion = KZ_TENSOR_PROMOTION_128B};
}

kz_arg gemm_map_operand(const kz_planner *p, const gemm_operand *o, uint32_t rows) {
    uint64_t bytes = kz_type_size(p->c->type);
    kz_tensor tensor = gemm_tensor(gemm_tensor_type(p->c->type), bytes, o->inner, o->outer, o->pitch * bytes,
                                   o->mn ? 64 : rows);
    return kz_plan_add_map(p->plan, o->at, &tensor);
}

kz_arg gemm_map_result(const kz_planner *p, kz_arg at, kz_type type, uint64_t rows, uint64_t columns) {
    uint64_t bytes = kz_type_size(type);
    kz_tensor tensor = gemm_tensor(gemm_tensor_type(type), bytes, columns, rows, columns * bytes, 64);
    tensor.promotion = KZ_TENSOR_PROMOTION_NONE;
    return kz_plan_add_map(p->plan, at, &tensor);
}

// ---- launches ------------------------------------------------------------------------------------------------

kz_status gemm_launch_frame(const kz_planner *p, const gemm_frame *f, kz_plan_launch launch,
                            const gemm_operand *a, const gemm_operand *b, kz_arg result, const kz_arg *extra,
                            size_t extra_count) {
    uint64_t clusters =
        kz_ceil_div(a->rows, (uint64_t)f->tile_m * f->cluster_m) * kz_ceil_div(b->rows, f->tile_n);
    clusters = kz_min_u64(clusters, (uint64_t)p->device->multiprocessors / f->cluster_m);
    kz_arg args[KZ_PLAN_ARGS] = {gemm_map_operand(p, a, f->tile_m),
                                 gemm_map_operand(p, b, f->tile_n / f->cluster_m), result};
    size_t count = 3;
    for (size_t i = 0; i < extra_count; i++) args[count++] = extra[i];
    args[count++] = kz_arg_u64(a->rows);
    args[count++] = kz_arg_u64(b->rows);
    args[count++] = kz_arg_u64(a->k);
    args[count++] = kz_arg_u64(f->group / f->cluster_m);
    launch.blocks = clusters * f->cluster_m;
    launch.threads = KZ_GEMM_THREADS(f->consumers);
    launch.cluster = f->cluster_m > 1 ? f->cluster_m : 0;
    launch.overlap = true;
    launch.shared_bytes =
        (uint32_t)KZ_GEMM_SHARED_BYTES(f->tile_m, f->tile_n, f->stages, f->consumers, f->tensor_store);
    launch.args = args, launch.arg_count = count;
    return kz_plan_add_launch(p, &launch);
}

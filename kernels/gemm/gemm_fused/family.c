// gemm_fused: c = epilogue(a * b), for the epilogues of epilogues.def. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: a, b, c, then x and y where the epilogue has them. Operations: an epilogue and b's order.
#include <math.h>
#include <string.h>

#include "gemm/frame_plan.h"
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static kz_buffer buffer_of(const fused_extra *e) { return (kz_buffer){e->name, e->role, e->type, e->count}; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    fused_epilogue e = fused_epilogue_of(c);
    list[A] = (kz_buffer){"a", KZ_INPUT, c->type, axis(c, M) * axis(c, K)};
    list[B] = (kz_buffer){"b", KZ_INPUT, c->type, axis(c, K) * axis(c, N)};
    list[C] = (kz_buffer){"c", KZ_OUTPUT, e.out, axis(c, M) * fused_columns(c, &e)};
    if (e.x.name) list[X] = buffer_of(&e.x);
    if (e.y.name) list[Y] = buffer_of(&e.y);
    return e.y.name ? 5 : e.x.name ? 4 : 3;
}

// Flops are those of the product.
static kz_work work(const kz_case *c) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = buffers(c, list);
    double bytes = 0.0;
    for (size_t i = 0; i < count; i++) bytes += (double)list[i].count * (double)kz_type_size(list[i].type);
    return (kz_work){.bytes = bytes,
                     .flops = 2.0 * (double)c->axes[M] * (double)c->axes[N] * (double)c->axes[K],
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- inputs ----------------------------------------------------------------------------------------------------

static double unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; } // [0, 1)

// Half of a mask's bytes are 0, the others any. A scale brings sums of uniform numbers into c's range, and 1 in 20 beyond
// its end; of c that is no bytes, it is what remains of dropout.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    fused_epilogue e = fused_epilogue_of(c);
    if (which < X) return false;
    const fused_extra *x = which == X ? &e.x : &e.y;
    if (x->type == KZ_U8) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bits = kz_draw(seed, (uint32_t)which, first + i);
            ((uint8_t *)host)[i] = bits & 1 ? (uint8_t)(1 + (bits >> 1) % 255) : 0;
        }
        return true;
    }
    if (x->count != 1 || strcmp(x->name, "scale") != 0) return false;
    double most = e.byte ? 1.5 * gemm_byte_largest(e.byte) / sqrt((double)(c->axes[K] + 1)) : 2.0;
    if (count > 0) *(float *)host = (float)(most * (0.5 + unit(kz_draw(seed, (uint32_t)which, 0)) / 2.0));
    return true;
}

static kz_read *read_of(const kz_case *c, size_t which) {
    return which == C ? gemm_byte_read(fused_epilogue_of(c).byte) : NULL;
}

// ---- plans -----------------------------------------------------------------------------------------------------

// What every plan begins with, and the arguments of x and y: partial results in the place of what is folded from them.
typedef struct fusion {
    const kz_planner *p;
    fused_epilogue e;
    uint64_t m, n, k;
    kz_arg extra[2];
    uint64_t parts, folded; // partial results of each, and how many are folded
} fusion;

static uint64_t parts_of(const fusion *f, uint64_t width) {
    return f->e.x.fold == FOLD_SUM_COLUMNS ? kz_ceil_div(f->m, 16) : kz_ceil_div(f->n, width);
}

// `width`: columns of a tile.
static kz_status begin(const kz_planner *p, uint64_t width, fusion *f) {
    const kz_case *c = p->c;
    *f = (fusion){p, fused_epilogue_of(c), axis(c, M), axis(c, N), axis(c, K)};
    if (f->e.halves && f->n % 2)
        return kz_plan_refuse(p->error, "%s makes one column of two, and n is %llu", f->e.name,
                              (unsigned long long)f->n);
    for (int i = M; i <= K; i++)
        if (c->axes[i] > INT32_MAX)
            return kz_plan_refuse(p->error, "an axis of %lld is more than kernels count",
                                  (long long)c->axes[i]);
    f->extra[0] = f->e.x.name ? kz_arg_buffer(X) : kz_arg_u64(0);
    f->extra[1] = f->e.y.name ? kz_arg_buffer(Y) : kz_arg_u64(0);
    if (!f->e.x.fold || !width) return KZ_OK;
    f->parts = parts_of(f, width), f->folded = f->e.x.count;
    if (f->m && f->n) f->extra[0] = gemm_reserve(p, f->parts * f->folded * sizeof(float));
    return KZ_OK;
}

// A matrix without rows or columns has nothing to compute, but for what is folded: sums are 0 then, maxima -infinity.
static bool is_empty(const fusion *f) { return f->m == 0 || f->n == 0; }

static kz_status fold(const fusion *f) {
    if (!f->e.x.fold) return KZ_OK;
    uint64_t blocks = kz_min_u64(kz_ceil_div(f->folded, 256), (uint64_t)f->p->device->multiprocessors * 8);
    return KZ_LAUNCH(f->p,
                     .entry = f->e.x.fold == FOLD_MAX_ROWS ? "gemm_fused_fold_max" : "gemm_fused_fold_sum",
                     .blocks = blocks, .threads = 256,
                     KZ_ARGS(is_empty(f) ? kz_arg_u64(0) : f->extra[0], kz_arg_buffer(X),
                             kz_arg_u64(is_empty(f) ? 0 : f->parts), kz_arg_u64(f->folded)));
}

static kz_status plan_native(const kz_planner *p) {
    fusion f;
    kz_status status = begin(p, 0, &f);
    if (status || (is_empty(&f) && !f.e.x.fold)) return status;
    bool alone = f.e.x.fold == FOLD_SUM_COLUMNS;
    uint64_t blocks = alone ? 1 : kz_min_u64(f.m, (uint64_t)p->device->multiprocessors);
    return KZ_LAUNCH(p, .blocks = blocks, .threads = 1,
                     KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C), f.extra[0], f.extra[1],
                             kz_arg_u64(f.m), kz_arg_u64(f.n), kz_arg_u64(f.k)));
}

static uint64_t warp_blocks(const fusion *f, uint64_t width) {
    return kz_ceil_div(kz_ceil_div(f->m, 16) * kz_ceil_div(f->n, width), FUSED_WARPS);
}

static kz_status plan_naive(const kz_planner *p) {
    fusion f;
    kz_status status = begin(p, KZ_PLAIN_WIDTH, &f);
    if (!status && !is_empty(&f))
        status = KZ_LAUNCH(p, .blocks = warp_blocks(&f, KZ_PLAIN_WIDTH), .threads = FUSED_WARPS * 32,
                           KZ_ARGS(kz_arg_buffer(A), kz_arg_buffer(B), kz_arg_buffer(C), f.extra[0],
                                   f.extra[1], kz_arg_u64(f.m), kz_arg_u64(f.n), kz_arg_u64(f.k)));
    return status ? status : fold(&f);
}

// ---- by the frame ------------------------------------------------------------------------------------------------

static gemm_operand operand_a(const fusion *f) {
    return gemm_operand_of(kz_arg_buffer(A), f->m, f->k, false);
}
static gemm_operand operand_b(const fusion *f) {
    return gemm_operand_of(kz_arg_buffer(B), f->n, f->k, fused_b_mn(f->p->c));
}

static kz_status refuse_nothing(const fusion *f) {
    return f->k ? KZ_OK
                : kz_plan_refuse(f->p->error, "k is 0: there is nothing to multiply; 01_naive does it");
}

// Rows of whole units everywhere, `out` elements in those of c.
static kz_status refuse_odd(const fusion *f, const gemm_operand *a, const gemm_operand *b, uint64_t out,
                            kz_type type) {
    kz_status status = refuse_nothing(f);
    if (!status) status = gemm_refuse_addresses(f->p, f->e.out);
    if (!status) status = gemm_refuse_rows(f->p, a, "a");
    if (!status) status = gemm_refuse_rows(f->p, b, "b");
    if (!status && !gemm_whole_units(out, type))
        status = kz_plan_refuse(f->p->error, "rows of c do not begin at multiples of 16 bytes");
    return status;
}

static kz_status plan_unfused(const kz_planner *p) {
    fusion f;
    kz_status status = begin(p, KZ_PASS_WIDTH, &f);
    gemm_operand a = operand_a(&f), b = operand_b(&f);
    if (!status && !is_empty(&f)) status = refuse_odd(&f, &a, &b, f.n, KZ_F32);
    if (status || is_empty(&f)) return status ? status : fold(&f);
    kz_arg sums = gemm_reserve(p, f.m * f.n * sizeof(float));
    const gemm_frame frame = {FUSED_TILE_M, FUSED_TILE_N, FUSED_STAGES, 2, 2, FUSED_GROUP, true};
    status = gemm_launch_frame(
        p, &frame, (kz_plan_launch){.part = "product", .operation = fused_b_mn(p->c) ? "nn" : "nt"}, &a, &b,
        gemm_map_result(p, sums, KZ_F32, f.m, f.n), NULL, 0);
    if (!status)
        status = KZ_LAUNCH(p, .operation = f.e.name, .blocks = warp_blocks(&f, KZ_PASS_WIDTH),
                           .threads = FUSED_WARPS * 32,
                           KZ_ARGS(sums, kz_arg_buffer(C), f.extra[0], f.extra[1], kz_arg_u64(f.m),
                                   kz_arg_u64(f.n), kz_arg_u64(f.k)));
    return status ? status : fold(&f);
}

static kz_status plan_direct(const kz_planner *p) {
    const gemm_frame frame = {FUSED_DIRECT_M, FUSED_DIRECT_N, FUSED_DIRECT_STAGES, 1, 1, FUSED_GROUP, false};
    fusion f;
    kz_status status = begin(p, FUSED_DIRECT_N, &f);
    if (status || is_empty(&f)) return status ? status : fold(&f);
    gemm_operand a = operand_a(&f), b = operand_b(&f);
    status = refuse_nothing(&f);
    if (!status) status = gemm_refuse_addresses(p, f.e.out);
    if (!status) status = gemm_pad(p, &a, "gemm_fused_direct_pad");
    if (!status) status = gemm_pad(p, &b, "gemm_fused_direct_pad");
    if (!status)
        status = gemm_launch_frame(p, &frame, (kz_plan_launch){0}, &a, &b, kz_arg_buffer(C), f.extra, 2);
    return status ? status : fold(&f);
}

static kz_status plan_tensor(const kz_planner *p, const gemm_frame *frame) {
    fusion f;
    kz_status status = begin(p, frame->tile_n, &f);
    if (status || is_empty(&f)) return status ? status : fold(&f);
    gemm_operand a = operand_a(&f), b = operand_b(&f);
    status = refuse_odd(&f, &a, &b, fused_columns(p->c, &f.e), f.e.out);
    if (!status)
        status = gemm_launch_frame(
            p, frame, (kz_plan_launch){0}, &a, &b,
            gemm_map_result(p, kz_arg_buffer(C), f.e.out, f.m, fused_columns(p->c, &f.e)), f.extra, 2);
    return status ? status : fold(&f);
}
static kz_status plan_tensor_store(const kz_planner *p) {
    return plan_tensor(p, &(gemm_frame){FUSED_TILE_M, FUSED_TILE_N, FUSED_STAGES, 2, 2, FUSED_GROUP, true});
}
static kz_status plan_ping_pong(const kz_planner *p) {
    if (!(p->variant->does >> p->c->operation / 2 & 1))
        return kz_plan_refuse(p->error, "this rung has epilogues that are worth hiding; 04 has all");
    return plan_tensor(p, &(gemm_frame){FUSED_PING_PONG_M, FUSED_PING_PONG_N, FUSED_PING_PONG_STAGES, 2, 2,
                                        FUSED_GROUP, true});
}

enum { // the operations
#define EPILOGUE(name, ...) IS_##name##_nn, IS_##name##_nt,
#include "epilogues.def"
#undef EPILOGUE
};
#define DOES(name) | 1u << IS_##name##_nn / 2 // an epilogue, in both orders

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", gemm_fused_natives},
    {"01_naive", 75, plan_naive, "CUDA cores, four sums per lane, then the steps"},
    {"02_unfused", KZ_SM_EXACT(90), plan_unfused, "hgemm's product in f32, then a kernel that applies the steps"},
    {"03_direct", KZ_SM_EXACT(90), plan_direct, "the steps on sums in registers; any shape"},
    {"04_tensor_store", KZ_SM_EXACT(90), plan_tensor_store, "128 x 256; c leaves by a tensor map"},
    {"05_ping_pong", KZ_SM_EXACT(90), plan_ping_pong, "one consumer's steps under the other's products",
     .does = 0 FUSED_PING_PONG(DOES)},
};

// ---- cases -----------------------------------------------------------------------------------------------------

#define CASE(e, t, m, n, k, u, ...)                                                                          \
    {.operation = IS_##e, .type = KZ_##t, .axes = {m, n, k}, .use = u, __VA_ARGS__}
#define CHECK(e, t, m, n, k, ...) CASE(e, t, m, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(e, t, m, n, k) CASE(e, t, m, n, k, KZ_USE_BENCH)
// Every epilogue: less than a tile; rows that are no whole units; clusters of tiles and a bit.
#define EDGES(name, ...)                                                                                     \
    CHECK(name##_nn, BF16, 40, 24, 16), CHECK(name##_nt, F16, 67, 62, 131),                                  \
    CHECK(name##_nt, BF16, 136, 272, 72), CHECK(name##_nn, F16, 33, 36, 20, .misalign = 1),
#define EPILOGUE(name, ...) EDGES(name)
// clang-format on

static const kz_case cases[] = {
#include "epilogues.def"
#undef EPILOGUE
    CHECK(bias_gelu_nt, BF16, 0, 5, 5),
    CHECK(bias_gelu_nt, BF16, 5, 0, 5),
    CHECK(bias_gelu_nn, F16, 5, 7, 0), // a sum of nothing
    CHECK(row_max_nn, BF16, 5, 0, 3),  // the largest of nothing
    CHECK(column_sum_nt, BF16, 0, 5, 3),
    CHECK(bias_nn, BF16, 1, 1, 1),
    CHECK(swiglu_nt, F16, 1, 2, 1),
    CHECK(bias_gelu_nt, BF16, 264, 520, 392), // clusters, more chunks than stages
    CHECK(bias_residual_nn, F16, 264, 520, 392),
    CHECK(swiglu_nt, BF16, 264, 528, 136),
    CHECK(row_sum_nt, BF16, 264, 520, 136),
    CHECK(column_sum_nn, BF16, 264, 520, 136),
    KZ_NOT_FINITE(CHECK, bias_gelu_nt, BF16, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, bias_relu_nn, F16, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, swiglu_nt, BF16, 40, 32, 16),
    KZ_NOT_FINITE(CHECK, row_max_nt, BF16, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, masked_nt, BF16, 40, 24, 16), // what is dropped is 0, NaN too
    KZ_NOT_FINITE(CHECK, key_scores_nt, F16, 40, 24, 16),
    KZ_NOT_FINITE(CHECK, to_e4m3_nt, BF16, 40, 32, 16), // the largest in the place of infinities
    KZ_NOT_FINITE(CHECK, to_e5m2_nt, F16, 40, 32, 16),
    KZ_NOT_FINITE(CHECK, to_int8_nt, BF16, 40, 32, 16),
    CHECK(to_e4m3_nt, BF16, 264, 528, 136), // tiles, and units of 16 bytes that are no whole parts of them
    CHECK(to_int8_nn, F16, 136, 272, 72),
    CHECK(bias_gelu_e4m3_nt, BF16, 264, 528, 392),
    CHECK(to_e5m2_nn, BF16, 24, 40, 16), // c's rows begin at multiples of 8 bytes: not by a tensor map
    CHECK(masked_nn, BF16, 264, 520, 136),
    KZ_CONSTANT(CHECK, to_e4m3_nt, F16, 40, 32, 16),
    KZ_MAGNITUDES(CHECK, to_e5m2_nt, F16, 40, 32, 16),
    CHECK(to_int8_nt, F16, 40, 32, 600, .data = KZ_DATA_EQUAL),
    CHECK(to_int8_nt, BF16, 5, 0, 3),
    CHECK(to_e4m3_nn, F16, 5, 7, 0),
    CHECK(bias_silu_nt, F16, 40, 24, 16, .data = KZ_DATA_LARGE),
    CHECK(bias_gelu_tanh_nt, F16, 40, 24, 16, .data = KZ_DATA_LARGE), // past the largest half
    CHECK(geglu_nt, BF16, 40, 32, 16, .data = KZ_DATA_SMALL),
    CHECK(row_sum_nt, F16, 40, 24, 600, .data = KZ_DATA_EQUAL),
    BENCH(bias_gelu_nt, BF16, 4096, 16384, 4096),
    BENCH(bias_gelu_nt, BF16, 8192, 8192, 8192),
    BENCH(bias_gelu_tanh_nt, BF16, 4096, 16384, 4096),
    BENCH(bias_nt, BF16, 4096, 4096, 4096),
    BENCH(bias_relu_nt, BF16, 4096, 16384, 4096),
    BENCH(bias_residual_nt, BF16, 4096, 4096, 16384),
    BENCH(swiglu_nt, BF16, 4096, 28672, 4096),
    BENCH(row_sum_nt, BF16, 4096, 4096, 4096),
    BENCH(column_sum_nn, BF16, 4096, 4096, 4096),
    BENCH(bias_gelu_nt, F16, 4096, 16384, 4096),
    BENCH(bias_gelu_e4m3_nt, BF16, 4096, 16384, 4096),
    BENCH(to_e4m3_nt, BF16, 4096, 4096, 4096),
    BENCH(to_int8_nt, BF16, 4096, 4096, 4096),
    BENCH(masked_nt, BF16, 4096, 4096, 4096),
    BENCH(bias_gelu_nt, BF16, 1024, 4096, 1024),
    CASE(bias_nt, BF16, 46352, 46352, 8, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, M) * axis(c, N); }

// By hand: 10 x 20 x 30. With a bias; gated, c has 10 columns; with floats and a residual's like.
static const kz_worked worked[] = {
    {{.operation = IS_bias_gelu_nt, .type = KZ_BF16, .axes = {10, 20, 30}},
     {2 * (300 + 600 + 200 + 20), 12000, true}},
    {{.operation = IS_swiglu_nn, .type = KZ_F16, .axes = {10, 20, 30}}, {2 * (300 + 600 + 100), 12000, true}},
    {{.operation = IS_scaled_nn, .type = KZ_F16, .axes = {10, 20, 30}},
     {2 * (300 + 600 + 200) + 4 * 30, 12000, true}},
    {{.operation = IS_masked_nn, .type = KZ_F16, .axes = {10, 20, 30}},
     {2 * (300 + 600 + 200) + 200 + 4, 12000, true}},
    {{.operation = IS_to_int8_nt, .type = KZ_BF16, .axes = {10, 20, 30}},
     {2 * (300 + 600) + 200 + 4, 12000, true}},
};

const kz_family kz_family_gemm_fused = {
    .name = "gemm_fused",
    .group = "gemm",
    .summary = "c = epilogue(a * b): bias, activations, residual, scales, masks, gates, 8-bit results, folds",
    .operations =
        (const char *const[]){
#define EPILOGUE(name, ...) #name "_nn", #name "_nt",
#include "epilogues.def"
#undef EPILOGUE
            NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .types = KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_gemm_fused,
    .buffers = buffers,
    .fill = fill,
    .read = read_of,
    .reference = gemm_fused_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublaslt", "cutlass", "torch", "torch_compile", NULL},
    .guest_signature =
        "const T *a, const T *b, T *c, const T *bias, size_t m, size_t n, size_t k\n"
        "bias_residual_*-*: const T *a, const T *b, T *c, const T *bias, const T *residual, size_t m, size_t "
        "n, "
        "size_t k\n"
        "bias_f32_*-*: const T *a, const T *b, float *c, const T *bias, size_t m, size_t n, size_t k\n"
        "scaled_*-*: const T *a, const T *b, T *c, const float *row_scales, const float *column_scales, "
        "size_t m, "
        "size_t n, size_t k\n"
        "scores_*-*,swiglu_*-*,geglu_*-*: const T *a, const T *b, T *c, size_t m, size_t n, size_t k\n"
        "row_sum_*-*,column_sum_*-*: const T *a, const T *b, T *c, float *sums, size_t m, size_t n, size_t "
        "k\n"
        "row_max_*-*: const T *a, const T *b, T *c, float *maxima, size_t m, size_t n, size_t k\n"
        "masked_*-*: const T *a, const T *b, T *c, const unsigned char *mask, const float *scale, size_t m, "
        "size_t n, size_t k\n"
        "key_scores_*-*: const T *a, const T *b, T *c, const unsigned char *keys, size_t m, size_t n, size_t "
        "k\n"
        "to_*-*: const T *a, const T *b, unsigned char *c, const float *scale, size_t m, size_t n, size_t k\n"
        "bias_gelu_e4m3_*-*: const T *a, const T *b, unsigned char *c, const T *bias, const float *scale, "
        "size_t m, size_t n, size_t k",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------------------

kz_status kz_gemm_fused_open(kz_device *device, kz_gemm_fused epilogue, kz_type type, size_t m, size_t n,
                             size_t k, const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = (uint32_t)epilogue, .type = type, .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_gemm_fused, &c, variant, operation, error);
}

kz_status kz_gemm_fused_run(kz_operation *operation, kz_stream *stream, kz_ptr a, kz_ptr b, kz_ptr c,
                            kz_ptr x, kz_ptr y, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    size_t count = y ? 5 : x ? 4 : 3;
    return kz_operation_run(operation, stream, (kz_ptr[]){a, b, c, x, y}, count, workspace, workspace_bytes,
                            error);
}

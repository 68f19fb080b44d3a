// fused_mlp: two products with an activation between them. Cases, work, plans and the table of variants.
//
// Axes: tokens, model, hidden. Buffers: x, w1, b1, w2, b2, y; swiglu has no biases.
#include "gemm/frame_plan.h"
#include "kz/device/gemm_shape.h"
#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static const char *const operations[] = {"relu", "gelu", "silu", "swiglu", NULL};

gemm_step *const *mlp_steps(const kz_case *c) {
    static gemm_step *const steps[][3] = {
        [KZ_FUSED_MLP_RELU] = {epilogue_add_x_column, epilogue_relu},
        [KZ_FUSED_MLP_GELU] = {epilogue_add_x_column, epilogue_gelu_erf},
        [KZ_FUSED_MLP_SILU] = {epilogue_add_x_column, epilogue_silu},
        [KZ_FUSED_MLP_SWIGLU] = {epilogue_gate_silu},
    };
    return steps[c->operation];
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    mlp_buffers at = mlp_buffers_of(c);
    uint64_t tokens = axis(c, TOKENS), model = axis(c, MODEL), hidden = axis(c, HIDDEN);
    list[at.x] = (kz_buffer){"x", KZ_INPUT, c->type, tokens * model};
    list[at.w1] = (kz_buffer){"w1", KZ_INPUT, c->type, mlp_columns(c) * model};
    list[at.w2] = (kz_buffer){"w2", KZ_INPUT, c->type, model * hidden};
    list[at.y] = (kz_buffer){"y", KZ_OUTPUT, c->type, tokens * model};
    if (mlp_gated(c)) return at.count;
    list[at.b1] = (kz_buffer){"b1", KZ_INPUT, c->type, hidden};
    list[at.b2] = (kz_buffer){"b2", KZ_INPUT, c->type, model};
    return at.count;
}

// The hidden layer need not cross DRAM. Flops are those of the products.
static kz_work work(const kz_case *c) {
    double tokens = (double)c->axes[TOKENS], model = (double)c->axes[MODEL], hidden = (double)c->axes[HIDDEN];
    double columns = (double)mlp_columns(c), biases = mlp_gated(c) ? 0.0 : hidden + model;
    return (kz_work){.bytes = 2.0 * (2.0 * tokens * model + model * (columns + hidden) + biases),
                     .flops = 2.0 * tokens * model * (columns + hidden),
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans -----------------------------------------------------------------------------------------------------

// One of the two products: result = epilogue(left * right'), right n x k.
typedef struct layer {
    const char *epilogue;
    kz_arg left, right, bias, result;
    uint64_t n, k, columns; // of right; of the result
} layer;
typedef struct layers {
    const kz_planner *p;
    uint64_t m;
    layer at[2];
    bool done; // there is nothing to do
} layers;

static kz_status begin(const kz_planner *p, layers *l) {
    const kz_case *c = p->c;
    mlp_buffers at = mlp_buffers_of(c);
    uint64_t model = axis(c, MODEL), hidden = axis(c, HIDDEN);
    bool gated = mlp_gated(c);
    for (int i = TOKENS; i <= HIDDEN; i++)
        if (c->axes[i] > INT32_MAX / 2)
            return kz_plan_refuse(p->error,
                                  "an axis of %lld: kernels count to 2^30 - 1; cut the tokens into parts",
                                  (long long)c->axes[i]);
    *l = (layers){p, axis(c, TOKENS), .done = axis(c, TOKENS) == 0 || model == 0};
    if (l->done) return KZ_OK;
    // Where it is empty, nobody reads it; but an argument lies inside the workspace.
    kz_arg none = kz_arg_u64(0), between = hidden ? gemm_reserve(p, l->m * hidden * 2) : none;
    l->at[0] = (layer){operations[c->operation],
                       kz_arg_buffer(at.x),
                       kz_arg_buffer(at.w1),
                       gated ? none : kz_arg_buffer(at.b1),
                       between,
                       mlp_columns(c),
                       model,
                       hidden};
    l->at[1] = (layer){gated ? "plain" : "bias",
                       between,
                       kz_arg_buffer(at.w2),
                       gated ? none : kz_arg_buffer(at.b2),
                       kz_arg_buffer(at.y),
                       model,
                       hidden,
                       model};
    return KZ_OK;
}

static kz_status plan_native(const kz_planner *p) {
    layers l;
    kz_status status = begin(p, &l);
    if (status || l.done) return status;
    kz_arg args[KZ_PLAN_ARGS];
    uint32_t count = mlp_buffers_of(p->c).count;
    for (uint32_t i = 0; i < count; i++) args[i] = kz_arg_buffer(i);
    args[count++] = l.at[0].result;
    for (int i = TOKENS; i <= HIDDEN; i++) args[count++] = kz_arg_u64(axis(p->c, i));
    return KZ_LAUNCH(p, .blocks = kz_min_u64(l.m, (uint64_t)p->device->multiprocessors), .threads = 1,
                     .args = args, .arg_count = count);
}

static uint64_t warp_blocks(const layers *l, const layer *at, uint64_t width) {
    return kz_ceil_div(kz_ceil_div(l->m, 16) * kz_ceil_div(at->n, width), MLP_WARPS);
}

static kz_status plan_naive(const kz_planner *p) {
    layers l;
    kz_status status = begin(p, &l);
    for (int i = 0; !status && !l.done && i < 2; i++) {
        const layer *at = &l.at[i];
        status = KZ_LAUNCH(p, .operation = at->epilogue, .blocks = warp_blocks(&l, at, KZ_PLAIN_WIDTH),
                           .threads = MLP_WARPS * 32,
                           KZ_ARGS(at->left, at->right, at->result, at->bias, kz_arg_u64(l.m),
                                   kz_arg_u64(at->n), kz_arg_u64(at->k)));
    }
    return status;
}

static kz_status refuse(const layers *l, bool whole_rows) {
    const kz_planner *p = l->p;
    if (axis(p->c, HIDDEN) == 0) return kz_plan_refuse(p->error, "hidden is 0: 01_naive does it");
    kz_status status = gemm_refuse_addresses(p, p->c->type);
    for (int i = 0; !status && whole_rows && i < 2; i++)
        if (!gemm_whole_units(l->at[i].k, p->c->type))
            status = kz_plan_refuse(
                p->error,
                "rows of w%d have %llu elements, and tensor maps need multiples of 8: 03_direct takes any",
                i + 1, (unsigned long long)l->at[i].k);
    return status;
}

static kz_status launch(const layers *l, const gemm_frame *f, kz_plan_launch what, const layer *at,
                        kz_arg result, const char *pad) {
    gemm_operand a = gemm_operand_of(at->left, l->m, at->k, false),
                 b = gemm_operand_of(at->right, at->n, at->k, false);
    kz_status status = pad ? gemm_pad(l->p, &a, pad) : KZ_OK;
    if (!status && pad) status = gemm_pad(l->p, &b, pad);
    return status ? status : gemm_launch_frame(l->p, f, what, &a, &b, result, &at->bias, 1);
}

static kz_status plan_unfused(const kz_planner *p) {
    const gemm_frame f = {MLP_TILE_M, MLP_TILE_N, MLP_STAGES, 2, 2, MLP_GROUP, true};
    layers l;
    kz_status status = begin(p, &l);
    if (!status && !l.done) status = refuse(&l, true);
    if (status || l.done) return status;
    uint64_t widest = l.at[0].n > l.at[1].n ? l.at[0].n : l.at[1].n;
    kz_arg sums = gemm_reserve(p, l.m * widest * sizeof(float));
    for (int i = 0; !status && i < 2; i++) {
        const layer *at = &l.at[i];
        kz_arg map = gemm_map_result(p, sums, KZ_F32, l.m, at->n);
        status = launch(&l, &f, (kz_plan_launch){.operation = "product"}, at, map, NULL);
        if (!status)
            status = KZ_LAUNCH(p, .operation = at->epilogue, .blocks = warp_blocks(&l, at, KZ_PASS_WIDTH),
                               .threads = MLP_WARPS * 32,
                               KZ_ARGS(sums, at->result, at->bias, kz_arg_u64(l.m), kz_arg_u64(at->n)));
    }
    return status;
}

static kz_status plan_direct(const kz_planner *p) {
    const gemm_frame f = {MLP_DIRECT_M, MLP_DIRECT_N, MLP_DIRECT_STAGES, 1, 1, MLP_GROUP, false};
    layers l;
    kz_status status = begin(p, &l);
    if (!status && !l.done) status = refuse(&l, false);
    for (int i = 0; !status && !l.done && i < 2; i++)
        status = launch(&l, &f, (kz_plan_launch){.operation = l.at[i].epilogue}, &l.at[i], l.at[i].result,
                        "fused_mlp_direct_pad");
    return status;
}

static kz_status plan_ping_pong(const kz_planner *p) {
    const gemm_frame f = {MLP_PING_PONG_M, MLP_PING_PONG_N, MLP_PING_PONG_STAGES, 2, 2, MLP_GROUP, true};
    layers l;
    kz_status status = begin(p, &l);
    if (!status && !l.done) status = refuse(&l, true);
    for (int i = 0; !status && !l.done && i < 2; i++) {
        const layer *at = &l.at[i];
        kz_arg map = gemm_map_result(p, at->result, p->c->type, l.m, at->columns);
        status = launch(&l, &f, (kz_plan_launch){.operation = at->epilogue}, at, map, NULL);
    }
    return status;
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", fused_mlp_natives},
    {"01_naive", 75, plan_naive, "CUDA cores, two kernels"},
    {"02_unfused", KZ_SM_EXACT(90), plan_unfused, "product, activation, product, bias: four kernels"},
    {"03_direct", KZ_SM_EXACT(90), plan_direct, "two kernels, steps on sums in registers; any shape"},
    {"04_ping_pong", KZ_SM_EXACT(90), plan_ping_pong, "one consumer's activation under the other's products"},
};

// ---- cases -----------------------------------------------------------------------------------------------------

#define CASE(o, t, m, d, h, u, ...)                                                                          \
    {.operation = KZ_FUSED_MLP_##o, .type = KZ_##t, .axes = {m, d, h}, .use = u, __VA_ARGS__}
#define CHECK(o, t, m, d, h, ...) CASE(o, t, m, d, h, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, m, d, h) CASE(o, t, m, d, h, KZ_USE_BENCH)
// Less than a tile; rows that are no whole units; tiles and a bit.
#define EDGES(o)                                                                                             \
    CHECK(o, BF16, 40, 16, 24), CHECK(o, F16, 67, 61, 131), CHECK(o, BF16, 136, 136, 272),                   \
    CHECK(o, F16, 33, 20, 36, .misalign = 1), KZ_NOT_FINITE(CHECK, o, BF16, 24, 16, 24)
// clang-format on

static const kz_case cases[] = {
    CHECK(GELU, BF16, 0, 8, 8),
    CHECK(GELU, BF16, 3, 0, 8),
    CHECK(GELU, BF16, 3, 8, 0), // no hidden layer: b2
    CHECK(SWIGLU, F16, 3, 8, 0),
    CHECK(RELU, F16, 1, 1, 1),
    EDGES(RELU),
    EDGES(GELU),
    EDGES(SILU),
    EDGES(SWIGLU),
    CHECK(GELU, BF16, 264, 136, 520), // clusters, more chunks than stages
    CHECK(SWIGLU, F16, 264, 136, 520),
    CHECK(GELU, BF16, 40, 24, 32, .data = KZ_DATA_ZEROS),
    BENCH(GELU, BF16, 4096, 4096, 16384),
    BENCH(GELU, BF16, 16384, 1024, 4096),
    BENCH(RELU, F16, 4096, 4096, 16384),
    BENCH(SWIGLU, BF16, 4096, 4096, 14336),
    BENCH(SWIGLU, BF16, 16384, 2048, 5632),
    CASE(GELU, BF16, 268439552, 8, 8, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, TOKENS) * axis(c, HIDDEN); }

// By hand: 10 tokens, 20, 30: x and y of 200, weights of 600, biases of 50; gated, w1 of 1200.
static const kz_worked worked[] = {
    {{.operation = KZ_FUSED_MLP_GELU, .type = KZ_BF16, .axes = {10, 20, 30}},
     {2 * (400 + 1200 + 50), 24000, true}},
    {{.operation = KZ_FUSED_MLP_SWIGLU, .type = KZ_F16, .axes = {10, 20, 30}},
     {2 * (400 + 1800), 36000, true}},
};

const kz_family kz_family_fused_mlp = {
    .name = "fused_mlp",
    .group = "ml_ops",
    .summary = "y = f(x * w1' + b1) * w2' + b2: a transformer's perceptron, gated too",
    .operations = operations,
    .axes = (const char *const[]){"tokens", "model", "hidden", NULL},
    .types = KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_fused_mlp,
    .buffers = buffers,
    .reference = fused_mlp_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", NULL},
    .guest_signature =
        "const T *x, const T *w1, const T *b1, const T *w2, const T *b2, T *y, size_t tokens, size_t "
        "model, size_t hidden\n"
        "swiglu-*: const T *x, const T *w1, const T *w2, T *y, size_t tokens, size_t model, size_t "
        "hidden",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------------------

kz_status kz_fused_mlp_open(kz_device *device, kz_fused_mlp activation, kz_type type, size_t tokens,
                            size_t model, size_t hidden, const char *variant, kz_operation **operation,
                            kz_error *error) {
    kz_case c = {.operation = (uint32_t)activation,
                 .type = type,
                 .axes = {(int64_t)tokens, (int64_t)model, (int64_t)hidden}};
    return kz_operation_open_family(device, &kz_family_fused_mlp, &c, variant, operation, error);
}

kz_status kz_fused_mlp_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr w1, kz_ptr b1,
                           kz_ptr w2, kz_ptr b2, kz_ptr y, kz_ptr workspace, uint64_t workspace_bytes,
                           kz_error *error) {
    if (!b1 && !b2)
        return kz_operation_run(operation, stream, (kz_ptr[]){x, w1, w2, y}, 4, workspace, workspace_bytes,
                                error);
    return kz_operation_run(operation, stream, (kz_ptr[]){x, w1, b1, w2, b2, y}, 6, workspace,
                            workspace_bytes, error);
}

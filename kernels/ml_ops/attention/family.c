// attention: softmax(scale q k^T) v, forward. Cases, work, plans and the table of variants.
//
// Axes: batch, heads, kv_heads, queries, keys, dimension; attention_case.h has what a mask needs.
#include "attention.h"

#include <stdio.h>

#include "private.h"
#include "tune.h"

enum { THREADS = 256 };

attention_arrays attention_list(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS],
                                size_t *count) {
    attention_arrays at = {.q = 0, .k = 1, .v = 2, .lse = -1};
    uint64_t of_keys = attention_extent(p, &p->kv, p->kv_heads, p->keys);
    list[0] = (kz_buffer){"q", KZ_INPUT, p->type, attention_extent(p, &p->q, p->heads, p->queries)};
    list[1] = (kz_buffer){"k", KZ_INPUT, p->type, of_keys};
    list[2] = (kz_buffer){"v", KZ_INPUT, p->type, of_keys};
    *count = 3;
    at.inputs = attention_add_inputs(p, list, count);
    list[at.out = (int)(*count)++] =
        (kz_buffer){"out", KZ_OUTPUT, p->type, attention_extent(p, &p->out, p->heads, p->queries)};
    if (p->lse)
        list[at.lse = (int)(*count)++] = (kz_buffer){"lse", KZ_OUTPUT, KZ_F32, attention_lse_count(p)};
    return at;
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    attention_problem p = attention_problem_of(c);
    size_t count;
    attention_list(&p, list, &count);
    return count;
}

// Small cases have scores far apart; large ones keep the harness's numbers, which come many times as fast.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t buffer_count = buffers(c, list);
    if (which >= buffer_count) return false;
    if (which > 2) return attention_fill_input(c, list[which].name, seed, first, count, host);
    if (which == 2 || c->data != KZ_DATA_UNIFORM || list[which].count > 1 << 20) return false;
    attention_fill_wide(c, which, seed, first, count, host);
    return true;
}

// What no sequence has is the kernel's.
static void leave(const attention_problem *p, const kz_buffer *buffer, double *expected, double *bound) {
    bool gaps = p->packed || buffer->count != p->sequences_of_arrays * p->heads * p->queries * p->dimension;
    for (uint64_t i = 0; i < buffer->count && (gaps || buffer->type == KZ_F32); i++)
        expected[i] = 0.0, bound[i] = KZ_ANYTHING;
}

static kz_status reference(const kz_case *c, void *const *host, size_t which, double *expected, double *bound,
                           kz_error *error) {
    attention_problem p = attention_problem_of(c);
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count;
    attention_arrays at = attention_list(&p, list, &count);
    leave(&p, &list[which], expected, bound);
    attention_sources from = {.q = host[at.q],
                              .k = host[at.k],
                              .v = host[at.v],
                              .mask = at.inputs.mask < 0 ? NULL : host[at.inputs.mask],
                              .query_offsets =
                                  at.inputs.query_offsets < 0 ? NULL : host[at.inputs.query_offsets],
                              .key_offsets = at.inputs.key_offsets < 0 ? NULL : host[at.inputs.key_offsets]};
    attention_answer to = (int)which == at.lse ? (attention_answer){.lse = expected, .lse_bound = bound}
                                               : (attention_answer){.out = expected, .out_bound = bound};
    return attention_forward(&p, &from, &to, error);
}

// Two products of 2 flops for each pair of a query and a key that it sees; the softmax is not counted.
static kz_work work(const kz_case *c) {
    attention_problem p = attention_problem_of(c);
    double d = (double)p.dimension, arrays = (double)p.sequences_of_arrays, heads = (double)p.heads;
    double rows = arrays * 2.0 * (heads * (double)p.queries + (double)p.kv_heads * (double)p.keys);
    if (p.batch == 0) rows = 0.0;
    double mask = p.operation == KZ_ATTENTION_ADDITIVE
                      ? (double)p.batch * (p.mask.head ? heads : 1.0) * (double)p.queries * (double)p.keys
                      : 0.0;
    return (kz_work){.bytes = (rows * d + mask) * (double)kz_type_size(c->type),
                     .flops = 4.0 * heads * attention_pairs(&p) * d,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans -----------------------------------------------------------------------------------------

// The arguments of KZ_ATTENTION_PARAMETERS; `*has_rows` is false where there is nothing to compute.
static kz_status begin(const kz_planner *p, attention_problem *problem, kz_arg args[KZ_PLAN_ARGS],
                       size_t *count, bool *has_rows) {
    kz_status status = attention_refuse(p);
    if (status) return status;
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t buffer_count;
    *problem = attention_problem_of(p->c);
    attention_arrays at = attention_list(problem, list, &buffer_count);
    *count = attention_args(problem, &at, args);
    *has_rows = problem->batch && problem->heads && problem->queries && problem->dimension;
    return KZ_OK;
}

static uint64_t rows_of(const attention_problem *p) { return p->sequences_of_arrays * p->heads * p->queries; }

static kz_status plan_native(const kz_planner *p) {
    attention_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count;
    bool has_rows;
    kz_status status = begin(p, &problem, args, &count, &has_rows);
    if (status || !has_rows) return status;
    uint64_t blocks = kz_min_u64(rows_of(&problem), (uint64_t)p->device->multiprocessors);
    args[count++] = kz_arg_workspace(0); // a row of weights for each block
    p->plan->workspace_bytes = blocks * problem.keys * sizeof(double) + sizeof(double);
    return KZ_LAUNCH(p, .operation = "any", .blocks = blocks, .threads = 1, .args = args, .arg_count = count);
}

static kz_status plan_unfused(const kz_planner *p) {
    attention_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count;
    bool has_rows;
    kz_status status = begin(p, &problem, args, &count, &has_rows);
    if (status || !has_rows) return status;
    uint64_t rows = rows_of(&problem), scores = rows * problem.keys;
    p->plan->workspace_bytes = scores * sizeof(float) + sizeof(float);
    args[count++] = kz_arg_workspace(0);
    status = KZ_LAUNCH(p, .part = "scores", .operation = "any", .blocks = kz_ceil_div(scores, THREADS),
                       .threads = THREADS, .args = args, .arg_count = count);
    if (!status)
        status = KZ_LAUNCH(p, .part = "softmax", .operation = "any", .blocks = rows, .threads = THREADS,
                           .args = args, .arg_count = count);
    if (status) return status;
    return KZ_LAUNCH(p, .part = "product", .operation = "any",
                     .blocks = kz_ceil_div(rows * problem.dimension, THREADS), .threads = THREADS,
                     .args = args, .arg_count = count);
}

// ---- plans of the CPU's ladder -----------------------------------------------------------------------

static kz_status plan_cpu_naive(const kz_planner *p) {
    attention_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count;
    bool has_rows;
    kz_status status = begin(p, &problem, args, &count, &has_rows);
    if (!status && p->c->type != KZ_F32)
        status = kz_plan_refuse(p->error, "loops over floats: %s is left to 11_cpu_blocked, which converts",
                                kz_type_name(p->c->type));
    if (status || !has_rows) return status;
    args[count++] = kz_arg_workspace(0); // a row of weights
    p->plan->workspace_bytes = (problem.keys + 1) * sizeof(float);
    return KZ_LAUNCH(p, .operation = "any", .blocks = 1, .threads = 1, .args = args, .arg_count = count);
}

static kz_status plan_tiles_of_cpu(const kz_planner *p, const char *idea, uint64_t most_blocks) {
    attention_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count;
    bool has_rows;
    kz_status status = begin(p, &problem, args, &count, &has_rows);
    if (status || !has_rows) return status;
    uint64_t tiles = attention_tiles(&problem, ATTENTION_CPU_QUERIES) * problem.heads;
    uint64_t blocks = kz_min_u64(tiles, most_blocks);
    args[count++] = kz_arg_workspace(0);
    p->plan->workspace_bytes = blocks * attention_native_scratch(problem.dimension);
    return KZ_LAUNCH(p, .idea = idea, .operation = "any", .blocks = blocks, .threads = 1, .args = args,
                     .arg_count = count);
}

static kz_status plan_cpu_one_core(const kz_planner *p) { return plan_tiles_of_cpu(p, NULL, 1); }

static kz_status plan_cpu_threads(const kz_planner *p) {
    return plan_tiles_of_cpu(p, "cpu_simd", ATTENTION_CPU_BLOCKS * (uint64_t)p->device->multiprocessors);
}

// ---- plans of the fused kernels ----------------------------------------------------------------------

// What a fused kernel says of itself: entries by dimension, and a block for each tile of queries of each head.
typedef struct fused_shape {
    uint64_t dimension, queries, shared_bytes;
} fused_shape;

// The least of `shapes` (which end with a dimension of 0) that holds the case's dimension.
static kz_status plan_fused(const kz_planner *p, const fused_shape *shapes, uint32_t threads,
                            bool additive_apart) {
    attention_problem problem;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count;
    bool has_rows;
    kz_status status = begin(p, &problem, args, &count, &has_rows);
    if (status || !has_rows) return status;
    while (shapes->dimension && shapes->dimension < problem.dimension) shapes++;
    if (!shapes->dimension)
        return kz_plan_refuse(
            p->error, "heads of %llu elements: this kernel keeps a row of at most %d in shared memory",
            (unsigned long long)problem.dimension, ATTENTION_MOST_DIMENSION);
    bool additive = additive_apart && problem.operation == KZ_ATTENTION_ADDITIVE;
    char operation[KZ_ENTRY_NAME];
    snprintf(operation, sizeof operation, "d%llu%s", (unsigned long long)shapes->dimension,
             additive ? "_additive" : "");
    return KZ_LAUNCH(p, .operation = operation,
                     .blocks = attention_tiles(&problem, shapes->queries) * problem.heads, .threads = threads,
                     .shared_bytes = (uint32_t)shapes->shared_bytes, .args = args, .arg_count = count);
}

static kz_status plan_tiled(const kz_planner *p) {
    static const fused_shape shapes[] = {{64, ATTENTION_TILED_QUERIES(64), ATTENTION_TILED_BYTES(64)},
                                         {128, ATTENTION_TILED_QUERIES(128), ATTENTION_TILED_BYTES(128)},
                                         {256, ATTENTION_TILED_QUERIES(256), ATTENTION_TILED_BYTES(256)},
                                         {0}};
    return plan_fused(p, shapes, ATTENTION_TILED_THREADS, false);
}

static kz_status plan_by_mma(const kz_planner *p, const fused_shape *shapes) {
    if (p->c->type == KZ_F32)
        return kz_plan_refuse(p->error, "mma.sync multiplies half types here: f32 is left to 02_tiled");
    return plan_fused(p, shapes, ATTENTION_MMA_THREADS, true);
}

// clang-format off
#define MMA_SHAPE(d, stages) {d, ATTENTION_MMA_QUERIES(d), ATTENTION_MMA_BYTES(d, stages)}
// clang-format on
#define MMA_SHAPES(stages)                                                                                   \
    {                                                                                                        \
        MMA_SHAPE(64, stages), MMA_SHAPE(96, stages), MMA_SHAPE(128, stages), MMA_SHAPE(256, stages), { 0 }  \
    }

static kz_status plan_mma(const kz_planner *p) {
    static const fused_shape shapes[] = MMA_SHAPES(1);
    return plan_by_mma(p, shapes);
}

static kz_status plan_async_copy(const kz_planner *p) {
    static const fused_shape shapes[] = MMA_SHAPES(ATTENTION_MMA_STAGES);
    return plan_by_mma(p, shapes);
}

static const kz_variant variants[] = {
    // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", attention_natives},
    {"01_unfused", 75, plan_unfused, "scores, softmax and product as three kernels"},
    {"02_tiled", 75, plan_tiled, "one kernel: tiles in shared memory, an online softmax"},
    {"03_mma", 80, plan_mma, "tensor cores, scores stay in registers"},
    {"04_async_copy", 80, plan_async_copy, "cp.async: the next keys and values load meanwhile"},
    {"05_wgmma", KZ_SM_EXACT(90), attention_plan_wgmma, "wgmma and tensor maps; weights stay in registers"},
    {"06_warp_specialized", KZ_SM_EXACT(90), attention_plan_warp_specialized,
     "warps that copy, warpgroups that multiply"},
    {"07_ping_pong", KZ_SM_EXACT(90), attention_plan_ping_pong,
     "one warpgroup's softmax under the other's products"},
    {"08_overlap", KZ_SM_EXACT(90), attention_plan_ping_pong,
     "the next tile's scores before this one's softmax"},
    {"09_persistent", KZ_SM_EXACT(90), attention_plan_persistent,
     "blocks that stay, the longest tiles first"},
    {"10_cpu_naive", 0, plan_cpu_naive, "the definition on one core", attention_cpu_naive_natives},
    {"11_cpu_blocked", 0, plan_cpu_one_core, "tiles that stay in L1 and L2", attention_cpu_blocked_natives},
    {"12_cpu_simd", 0, plan_cpu_one_core, "tiles in vector registers, eight exponentials at a time",
     attention_cpu_simd_natives},
    {"13_cpu_threads", 0, plan_cpu_threads, "the same on all cores", attention_cpu_simd_natives},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, b, h, g, q, k, d, u, ...)                                                                 \
    {.operation = KZ_ATTENTION_##o, .type = KZ_##t, .axes = {b, h, g, q, k, d}, .use = u, __VA_ARGS__}
#define CHECK(o, t, b, h, g, q, k, d, ...) CASE(o, t, b, h, g, q, k, d, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, b, h, g, q, k, d) CASE(o, t, b, h, g, q, k, d, KZ_USE_BENCH)
// One query, fewer queries than keys, tiles and a bit; grouped heads; dimensions of tensor cores and others.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 2, 1, 1, 1, 70, 16), CHECK(o, t, 2, 4, 2, 17, 33, 64), CHECK(o, t, 1, 2, 1, 130, 150, 64, .detail = &lse), \
    CHECK(o, t, 1, 1, 1, 65, 65, 24, .misalign = 1)
#define MASKS(list, t) \
    list(FULL, t), list(CAUSAL, t), list(WINDOW, t), list(PADDED, t), list(PACKED, t), list(PACKED_CAUSAL, t), list(ADDITIVE, t)
#define DIMENSIONS(t) \
    CHECK(CAUSAL, t, 1, 1, 1, 70, 100, 96), CHECK(FULL, t, 1, 2, 2, 66, 129, 128), CHECK(WINDOW, t, 1, 1, 1, 140, 140, 128), \
    CHECK(CAUSAL, t, 1, 1, 1, 65, 130, 256), CHECK(PADDED, t, 3, 1, 1, 10, 90, 128), CHECK(PACKED_CAUSAL, t, 4, 2, 1, 150, 150, 128)
#define SPECIALS(t)                                                                                          \
    KZ_NOT_FINITE(CHECK, FULL, t, 1, 2, 1, 9, 40, 8), KZ_NOT_FINITE(CHECK, CAUSAL, t, 1, 2, 2, 70, 70, 64), \
    KZ_NOT_FINITE(CHECK, PADDED, t, 4, 1, 1, 9, 70, 64), KZ_NOT_FINITE(CHECK, PACKED, t, 4, 1, 1, 70, 70, 64), \
    CHECK(FULL, t, 1, 1, 1, 3, 300, 8, .data = KZ_DATA_POSITIVE), CHECK(FULL, t, 1, 1, 1, 3, 33, 64, .data = KZ_DATA_ZEROS), \
    CHECK(CAUSAL, t, 1, 1, 1, 70, 5, 64, .detail = &lse), /* more queries than keys: the first see none */ \
    CHECK(FULL, t, 2, 4, 2, 20, 40, 64, .detail = &tokens_first), CHECK(CAUSAL, t, 2, 4, 2, 40, 40, 128, .detail = &in_one_array), \
    CHECK(CAUSAL, t, 1, 2, 1, 40, 71, 64, .detail = &turned), CHECK(PACKED_CAUSAL, t, 3, 2, 1, 90, 95, 64, .detail = &windowed), \
    CHECK(ADDITIVE, t, 1, 2, 2, 33, 35, 64, .detail = &mask_of_heads), \
    CHECK(PACKED, t, 70, 1, 1, 300, 350, 32) /* more sequences than lanes, many shorter than a tile */
// Models' training steps.
#define BENCHES(o, t)                                                                                        \
    BENCH(o, t, 8, 16, 16, 1024, 1024, 64), BENCH(o, t, 8, 32, 32, 2048, 2048, 64), BENCH(o, t, 8, 16, 16, 2048, 2048, 128), \
    BENCH(o, t, 2, 16, 16, 8192, 8192, 128), BENCH(o, t, 2, 32, 32, 8192, 8192, 64)
// clang-format on

static const attention_detail lse = {.lse = true};
// batch x tokens x heads x dimension, of two sequences of 20 queries and 40 keys, 4 and 2 heads of 64.
static const attention_detail tokens_first = {
    .scale = 0.25f, .q = {256, 64, 5120}, .kv = {128, 64, 5120}, .out = {256, 64, 5120}, .lse = true};
// q, k and v in one array of 8 heads of 128 for each of 40 tokens; out is dense.
static const attention_detail in_one_array = {.q = {1024, 128, 40960}, .kv = {1024, 128, 40960}};

// The largest score is the one that was the smallest.
static const attention_detail turned = {.scale = -0.125f, .lse = true};
static const attention_detail windowed = {.window = 20};
// Two heads of 33 rows of 35, a row every 36 elements.
static const attention_detail mask_of_heads = {.mask = {36, 36 * 33, 36 * 66}, .scale = -0.5f};

static const kz_case cases[] = {
    CHECK(FULL, F32, 0, 2, 2, 3, 4, 8),
    CHECK(CAUSAL, F32, 2, 2, 2, 0, 4, 8),
    CHECK(FULL, F32, 2, 2, 1, 3, 0, 8, .detail = &lse), // no keys: zeros
    CHECK(PACKED, F32, 3, 2, 1, 0, 0, 8),
    CHECK(FULL, F32, 1, 1, 1, 1, 1, 1),
    CHECK(CAUSAL, F32, 1, 1, 1, 1, 1, 1),
    CHECK(FULL, F32, 1, 1, 1, 33, 5, 8), // more queries than keys
    MASKS(EDGES, F32),
    MASKS(EDGES, F16),
    MASKS(EDGES, BF16),
    DIMENSIONS(F32),
    DIMENSIONS(F16),
    DIMENSIONS(BF16),
    SPECIALS(F32),
    SPECIALS(F16),
    SPECIALS(BF16),
    // Several tiles of keys and of queries, and more of those than multiprocessors, for the rings and rounds of Hopper's rungs.
    CHECK(CAUSAL, BF16, 3, 46, 23, 10, 150, 64),
    CHECK(CAUSAL, BF16, 1, 2, 1, 300, 500, 128, .detail = &lse),
    CHECK(FULL, F16, 1, 2, 1, 150, 600, 128),
    CHECK(FULL, BF16, 1, 2, 1, 70, 4200, 128), // 09 has another tile for long sequences
    CHECK(PADDED, F16, 2, 1, 1, 150, 4200, 120),
    CHECK(WINDOW, F16, 1, 1, 1, 400, 400, 64),
    CHECK(PACKED_CAUSAL, BF16, 6, 3, 1, 700, 700, 64, .detail = &lse),
    CHECK(PADDED, F16, 3, 2, 2, 70, 300, 96),
    CHECK(PACKED, BF16, 3, 2, 2, 200, 300, 256),
    CHECK(ADDITIVE, BF16, 1, 1, 1, 70, 300, 256),
    CHECK(ADDITIVE, F16, 1, 1, 1, 140, 300, 96),
    BENCH(FULL, F32, 8, 16, 16, 1024, 1024, 64),
    BENCH(CAUSAL, F32, 8, 16, 16, 1024, 1024, 64),
    BENCHES(FULL, F16),
    BENCHES(FULL, BF16),
    BENCHES(CAUSAL, F16),
    BENCHES(CAUSAL, BF16),
    BENCH(CAUSAL, BF16, 2, 32, 8, 8192, 8192, 128),
    BENCH(FULL, BF16, 1, 16, 16, 8192, 8192, 256),
    BENCH(FULL, BF16, 1, 16, 16, 8192, 8192, 96),
    BENCH(WINDOW, BF16, 1, 16, 16, 8192, 8192, 128),
    BENCH(PADDED, BF16, 8, 16, 16, 2048, 2048, 128),
    BENCH(PACKED_CAUSAL, BF16, 8, 16, 16, 16384, 16384, 128),
    BENCH(ADDITIVE, BF16, 1, 16, 16, 4096, 4096, 128),
    CASE(FULL, F16, 1 << 20, 33, 33, 1, 1, 64, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[ATTENTION_KEYS]; }

// Strides and log-sum-exps are more than a guest is told.
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    attention_problem p = attention_problem_of(c);
    size_t count;
    if (p.lse || !attention_is_dense(c)) return 0;
    attention_list(&p, list, &count);
    for (size_t i = 0; i < count; i++) args[i] = kz_arg_buffer((uint32_t)i);
    for (size_t i = 0; i < KZ_CASE_AXES; i++) args[count++] = kz_arg_u64((uint64_t)c->axes[i]);
    args[count++] = kz_arg_f32((float)p.scale);
    args[count++] = kz_arg_u64(p.reach);
    return count;
}

// By hand: 2 sequences, each of 3 heads of 4 queries and 1 head of 5 keys, of 8 numbers each: 2 x (12 + 5) rows; 20 pairs per
// head, of which the causal mask takes 1 + 2 + 3, and a window of 3 keys 2 + 1 more.
static const kz_worked worked[] = {
    {{.operation = KZ_ATTENTION_FULL, .type = KZ_F16, .axes = {2, 3, 1, 4, 5, 8}},
     {2 * 34 * 16, 6 * 20 * 32}},
    {{.operation = KZ_ATTENTION_CAUSAL, .type = KZ_F16, .axes = {2, 3, 1, 4, 5, 8}},
     {2 * 34 * 16, 6 * 14 * 32}},
    {{.operation = KZ_ATTENTION_WINDOW, .type = KZ_F16, .axes = {2, 3, 1, 4, 5, 8}},
     {2 * 34 * 16, 6 * 11 * 32}},
};

const kz_family kz_family_attention = {
    .name = "attention",
    .group = "ml_ops",
    .summary =
        "softmax(scale q k^T) v, forward: full, causal, windows, padded and packed sequences, grouped heads",
    .operations = ATTENTION_OPERATION_NAMES,
    .axes = ATTENTION_AXES,
    .axes_note =
        "kv_heads: heads of k and v, which divide the heads; of packed sequences queries and keys count all",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_attention,
    .buffers = buffers,
    .fill = fill,
    .reference = reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "sdpa", "triton", NULL},
    .guest_signature =
        "const T *q, const T *k, const T *v, T *out, size_t batch, size_t heads, size_t kv_heads, size_t "
        "queries, "
        "size_t keys, size_t dimension, float scale, size_t reach\n"
        "padded-*: const T *q, const T *k, const T *v, const int *key_lengths, T *out, size_t batch, size_t "
        "heads, "
        "size_t kv_heads, size_t queries, size_t keys, size_t dimension, float scale, size_t reach\n"
        "packed*: const T *q, const T *k, const T *v, const int *query_offsets, const int *key_offsets, T "
        "*out, size_t batch, "
        "size_t heads, size_t kv_heads, size_t queries, size_t keys, size_t dimension, float scale, size_t "
        "reach\n"
        "additive-*: const T *q, const T *k, const T *v, const T *mask, T *out, size_t batch, size_t heads, "
        "size_t kv_heads, size_t queries, size_t keys, size_t dimension, float scale, size_t reach",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_attention_open(kz_device *device, kz_attention_operation which, kz_type type,
                            const kz_attention_shape *shape, const char *variant, kz_operation **operation,
                            kz_error *error) {
    attention_detail detail;
    kz_case c = {0};
    if (operation) *operation = NULL;
    kz_status status = KZ_OK;
    if (device && operation) // or kz_operation_open_family says which is NULL
        status = attention_case_of(shape, which, type, "kz_attention_open", &detail, &c, error);
    if (status) return status;
    return kz_operation_open_family(device, &kz_family_attention, &c, variant, operation, error);
}

kz_status kz_attention_run(kz_operation *operation, kz_stream *stream, const kz_attention_buffers *buffers,
                           kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    if (!buffers || buffers->size != sizeof *buffers)
        return kz_fail(error, KZ_INVALID,
                       "kz_attention_run: the buffers are NULL or of another version\nset their size: "
                       "kz_attention_buffers buffers = {.size = sizeof buffers}");
    const kz_named_buffer named[] = {{"q", buffers->q},
                                     {"k", buffers->k},
                                     {"v", buffers->v},
                                     {"out", buffers->out},
                                     {"lse", buffers->lse},
                                     {"key_lengths", buffers->key_lengths},
                                     {"query_offsets", buffers->query_offsets},
                                     {"key_offsets", buffers->key_offsets},
                                     {"mask", buffers->mask}};
    return kz_operation_run_named(operation, stream, named, sizeof named / sizeof *named, workspace,
                                  workspace_bytes, error);
}

// transformer_block: a transformer's block as one plan of the zoo's families. Cases, work, plans, the table of variants.
//
// Axes: batch, tokens, width, heads, kv_heads, hidden. Buffers as transformer_block.h names them.
#include "transformer_block.h"

#include <math.h>

#include "gemm/gemm/part.h"
#include "gemm/gemm_fused/gemm_fused.h"
#include "ml_ops/attention_case.h"
#include "ml_ops/norm.h"
#include "ml_ops/rmsnorm/rmsnorm.h"
#include "ml_ops/rope/detail.h"
#include "ml_ops/rope/rope.h"
#include "private.h"

extern const kz_family kz_family_attention, kz_family_attention_backward, kz_family_rmsnorm,
    kz_family_gemm_fused, kz_family_rope;
extern const kz_embedded kz_embedded_attention, kz_embedded_attention_backward, kz_embedded_rmsnorm,
    kz_embedded_gemm_fused, kz_embedded_rope;
static const kz_image_set *const parts_code[] = {GEMM_PART_CODE,
                                                 &kz_embedded_transformer_block.code,
                                                 &kz_embedded_attention.code,
                                                 &kz_embedded_attention_backward.code,
                                                 &kz_embedded_rmsnorm.code,
                                                 &kz_embedded_gemm_fused.code,
                                                 &kz_embedded_rope.code,
                                                 NULL};

block_shape block_shape_of(const kz_case *c) {
    block_shape s = {(uint64_t)c->axes[BATCH],
                     (uint64_t)c->axes[TOKENS],
                     (uint64_t)c->axes[WIDTH],
                     (uint64_t)c->axes[HEADS],
                     (uint64_t)c->axes[KV_HEADS],
                     (uint64_t)c->axes[HIDDEN],
                     0,
                     0,
                     0};
    s.rows = s.batch * s.tokens;
    s.head = s.heads ? s.width / s.heads : 0;
    s.qkv = (s.heads + 2 * s.kv_heads) * s.head;
    return s;
}

static bool goes_back(const kz_case *c) { return c->operation == KZ_TRANSFORMER_BLOCK_GRADIENTS; }

size_t block_buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    block_shape s = block_shape_of(c);
    uint64_t rows = s.rows * s.width, of_qkv = s.qkv * s.width, square = s.width * s.width,
             of_hidden = s.hidden * s.width;
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, rows};
    list[POSITIONS] = (kz_buffer){"positions", KZ_INPUT, KZ_I32, s.rows};
    list[NORM1] = (kz_buffer){"norm1", KZ_INPUT, c->type, s.width};
    list[WQKV] = (kz_buffer){"wqkv", KZ_INPUT, c->type, of_qkv};
    list[WO] = (kz_buffer){"wo", KZ_INPUT, c->type, square};
    list[NORM2] = (kz_buffer){"norm2", KZ_INPUT, c->type, s.width};
    list[WGU] = (kz_buffer){"wgu", KZ_INPUT, c->type, 2 * of_hidden};
    list[WD] = (kz_buffer){"wd", KZ_INPUT, c->type, of_hidden};
    if (!goes_back(c)) {
        list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, rows};
        return Y + 1;
    }
    list[DY] = (kz_buffer){"dy", KZ_INPUT, c->type, rows};
    list[GRADIENTS_Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, rows};
    list[DX] = (kz_buffer){"dx", KZ_OUTPUT, c->type, rows};
    list[DNORM1] = (kz_buffer){"dnorm1", KZ_OUTPUT, c->type, s.width};
    list[DWQKV] = (kz_buffer){"dwqkv", KZ_OUTPUT, c->type, of_qkv};
    list[DWO] = (kz_buffer){"dwo", KZ_OUTPUT, c->type, square};
    list[DNORM2] = (kz_buffer){"dnorm2", KZ_OUTPUT, c->type, s.width};
    list[DWGU] = (kz_buffer){"dwgu", KZ_OUTPUT, c->type, 2 * of_hidden};
    list[DWD] = (kz_buffer){"dwd", KZ_OUTPUT, c->type, of_hidden};
    return DWD + 1;
}

// Weights as they are trained: products keep the size of what they multiply. Norms are around 1, positions count up.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    block_shape s = block_shape_of(c);
    if (which == POSITIONS) {
        for (uint64_t i = 0; i < count; i++)
            ((int32_t *)host)[i] = (int32_t)((first + i) % (s.tokens ? s.tokens : 1));
        return true;
    }
    if (c->data != KZ_DATA_UNIFORM || which == X || which > WD) return false;
    double size = sqrt(3.0 / (double)(which == WD ? s.hidden : s.width)), middle = 0.0;
    if (which == NORM1 || which == NORM2) size = 0.25, middle = 1.0;
    for (uint64_t i = 0; i < count; i++) {
        double unit = (double)(kz_draw(seed, (uint32_t)which, first + i) >> 11) * 0x1p-52 - 1.0;
        kz_element_set(c->type, host, i, middle + size * unit);
    }
    return true;
}

// Products alone, of which a backward pass has two for each; attention's has five for two.
static kz_work work(const kz_case *c) {
    block_shape s = block_shape_of(c);
    double rows = (double)s.rows, width = (double)s.width,
           weights = width * ((double)s.qkv + width + 3.0 * (double)s.hidden);
    double pairs = (double)s.batch * (double)s.tokens * ((double)s.tokens + 1.0) / 2.0;
    double attention = 4.0 * pairs * (double)(s.heads * s.head), products = 2.0 * rows * weights;
    double elements = 2.0 * rows * width + weights + 2.0 * width;
    if (goes_back(c)) {
        products *= 3.0;
        attention *= 3.5;
        elements = 4.0 * rows * width + 2.0 * (weights + 2.0 * width);
    }
    return (kz_work){.bytes = elements * (double)kz_type_size(c->type) + 4.0 * rows,
                     .flops = products + attention,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- plans -----------------------------------------------------------------------------------------------------------

static kz_status refuse_shape(const kz_planner *p, const block_shape *s) {
    if (s->heads == 0 || s->width % s->heads || s->head % 2)
        return kz_plan_refuse(
            p->error,
            "%llu heads of a width of %llu: a head has an even number of elements, and heads divide the "
            "width",
            (unsigned long long)s->heads, (unsigned long long)s->width);
    if (s->kv_heads == 0 || s->heads % s->kv_heads)
        return kz_plan_refuse(p->error,
                              "%llu heads cannot share %llu heads of keys evenly: kv_heads must divide heads",
                              (unsigned long long)s->heads, (unsigned long long)s->kv_heads);
    return KZ_OK;
}

// What is passed from part to part. The first status that is not KZ_OK stays.
typedef struct builder {
    const kz_planner *p;
    block_shape s;
    uint64_t element; // bytes
    bool fused;       // gates are applied to sums, before they are rounded
    kz_status status;
} builder;

static kz_arg region(builder *b, const char *name, uint64_t elements) {
    return kz_plan_add_region(b->p->plan, name, elements * b->element);
}
static kz_arg behind(const builder *b, kz_arg at, uint64_t elements) {
    at.offset += elements * b->element;
    return at;
}

// c = left right, or c += left right.
typedef struct block_product {
    uint64_t m, n, k;
    bool left_transposed, right_transposed, adds;
} block_product;
static void multiply(builder *b, block_product of, kz_arg left, kz_arg right, kz_arg c) {
    static const double one = 1.0;
    const kz_gemm_problem problem = {.size = sizeof problem,
                                     .type = b->p->c->type,
                                     .m = of.m,
                                     .n = of.n,
                                     .k = of.k,
                                     .a_transposed = of.left_transposed,
                                     .b_transposed = of.right_transposed,
                                     .alpha = of.adds ? &one : NULL,
                                     .beta = of.adds ? &one : NULL};
    if (!b->status) b->status = gemm_add_product(b->p, &problem, left, right, c);
}
// rows x n = rows x k times a weight of n x k; and the two gradients, of what was multiplied and of the weight.
static void forward_product(builder *b, uint64_t n, uint64_t k, kz_arg in, kz_arg weight, kz_arg out,
                            bool adds) {
    multiply(b, (block_product){.m = b->s.rows, .n = n, .k = k, .right_transposed = true, .adds = adds}, in,
             weight, out);
}
static void backward_products(builder *b, uint64_t n, uint64_t k, kz_arg dout, kz_arg in, kz_arg weight,
                              kz_arg din, kz_arg dweight) {
    multiply(b, (block_product){.m = b->s.rows, .n = k, .k = n}, dout, weight, din);
    multiply(b, (block_product){.m = n, .n = k, .k = b->s.rows, .left_transposed = true}, dout, in, dweight);
}

static void part(builder *b, const kz_family *family, kz_case c, const kz_arg *buffers, size_t count) {
    c.type = b->p->c->type;
    if (!b->status) b->status = kz_plan_add_operation(b->p, family, &c, NULL, buffers, count);
}
#define PART(b, family, c, ...)                                                                              \
    part(b, &kz_family_##family, c, (const kz_arg[]){__VA_ARGS__},                                           \
         sizeof((const kz_arg[]){__VA_ARGS__}) / sizeof(kz_arg))

static kz_case norm_case(const builder *b, kz_rmsnorm operation) {
    return (kz_case){.operation = operation,
                     .axes = {[NORM_ROWS] = (int64_t)b->s.rows,
                              [NORM_COLUMNS] = (int64_t)b->s.width,
                              [NORM_EPSILON] = norm_put_epsilon(block_epsilon)}};
}

// q, k and v lie in one array, a row for each token; the output's rows are those of the residual.
static attention_detail attention_of(const builder *b, bool lse) {
    const block_shape *s = &b->s;
    return (attention_detail){.q = {s->qkv, s->head, s->tokens * s->qkv},
                              .kv = {s->qkv, s->head, s->tokens * s->qkv},
                              .out = {s->width, s->head, s->tokens * s->width},
                              .lse = lse};
}
static kz_case attention_case(const builder *b, const attention_detail *detail) {
    const block_shape *s = &b->s;
    return (kz_case){.operation = KZ_ATTENTION_CAUSAL,
                     .axes = {(int64_t)s->batch, (int64_t)s->heads, (int64_t)s->kv_heads, (int64_t)s->tokens,
                              (int64_t)s->tokens, (int64_t)s->head},
                     .detail = detail};
}

// A kernel of its own over `elements`, some of them for each thread.
static void elementwise(builder *b, const char *operation, uint64_t elements, const kz_arg *args,
                        size_t count) {
    enum { THREADS = 256, PER_THREAD = 32, MOST = 1 << 16 };
    kz_arg all[4];
    for (size_t i = 0; i < count; i++) all[i] = args[i];
    all[count++] = kz_arg_u64(elements);
    if (!b->status)
        b->status = KZ_LAUNCH(b->p, .idea = "composed", .operation = operation,
                              .blocks = kz_min_u64(kz_ceil_div(elements, THREADS * PER_THREAD), MOST),
                              .threads = THREADS, .args = all, .arg_count = count);
}
#define ELEMENTWISE(b, operation, elements, ...)                                                             \
    elementwise(b, operation, elements, (const kz_arg[]){__VA_ARGS__},                                       \
                sizeof((const kz_arg[]){__VA_ARGS__}) / sizeof(kz_arg))

// Queries and keys where they lie: forward, or their gradients back.
static void turn(builder *b, kz_arg qkv, bool back) {
    const block_shape *s = &b->s;
    const rope_detail detail = {(float)block_theta, s->qkv, s->qkv};
    const kz_case c = {.operation = back ? KZ_ROPE_HALVES_BACKWARD : KZ_ROPE_HALVES,
                       .axes = {(int64_t)s->batch, (int64_t)s->tokens, (int64_t)s->heads,
                                (int64_t)s->kv_heads, (int64_t)s->head, (int64_t)s->head},
                       .detail = &detail};
    kz_arg k = behind(b, qkv, s->heads * s->head);
    PART(b, rope, c, qkv, k, kz_arg_buffer(POSITIONS), qkv, k);
}

// What the forward pass leaves for the backward one.
typedef struct saved {
    kz_arg n, qkv, o, lse, h, m, gu, a;
} saved;

static saved forward(builder *b, kz_arg y) {
    const block_shape *s = &b->s;
    bool back = goes_back(b->p->c);
    saved at = {.n = region(b, "n = norm(x)", s->rows * s->width),
                .qkv = region(b, "q, k, v", s->rows * s->qkv),
                .o = region(b, "o = attention(q, k, v)", s->rows * s->width),
                .h = back ? region(b, "h = x + o wo", s->rows * s->width) : y,
                .m = region(b, "m = norm(h)", s->rows * s->width),
                .gu = region(b, "g, u", 2 * s->rows * s->hidden),
                .a = region(b, "a = silu(g) u", s->rows * s->hidden)};
    if (back) at.lse = kz_plan_add_region(b->p->plan, "log-sum-exps", s->rows * s->heads * sizeof(float));
    kz_arg projected = region(b, "o wo", s->rows * s->width), k = behind(b, at.qkv, s->heads * s->head),
           v = behind(b, k, s->kv_heads * s->head);
    PART(b, rmsnorm, norm_case(b, KZ_RMSNORM_FORWARD), kz_arg_buffer(X), kz_arg_buffer(NORM1), at.n);
    forward_product(b, s->qkv, s->width, at.n, kz_arg_buffer(WQKV), at.qkv, false);
    turn(b, at.qkv, false);
    attention_detail detail = attention_of(b, back);
    const kz_arg attention[] = {at.qkv, k, v, at.o, at.lse};
    part(b, &kz_family_attention, attention_case(b, &detail), attention, back ? 5 : 4);
    forward_product(b, s->width, s->width, at.o, kz_arg_buffer(WO), projected, false);
    PART(b, rmsnorm, norm_case(b, KZ_RMSNORM_RESIDUAL), projected, kz_arg_buffer(X), kz_arg_buffer(NORM2),
         at.h, at.m);
    if (b->fused) {
        const kz_case gated = {.operation = KZ_GEMM_FUSED_SWIGLU_NT,
                               .axes = {(int64_t)s->rows, 2 * (int64_t)s->hidden, (int64_t)s->width}};
        PART(b, gemm_fused, gated, at.m, kz_arg_buffer(WGU), at.a);
    } else {
        forward_product(b, 2 * s->hidden, s->width, at.m, kz_arg_buffer(WGU), at.gu, false);
        ELEMENTWISE(b, "swiglu", s->rows * s->hidden, at.gu, at.a);
    }
    if (back) kz_plan_add_copy(b->p->plan, 0, y, at.h, s->rows * s->width * b->element);
    forward_product(b, s->width, s->hidden, at.a, kz_arg_buffer(WD), y, true);
    return at;
}

static void backward(builder *b, const saved *at) {
    const block_shape *s = &b->s;
    uint64_t of_rows = s->rows * s->width;
    kz_arg dy = kz_arg_buffer(DY), da = region(b, "da", s->rows * s->hidden),
           dgu = region(b, "dg, du", 2 * s->rows * s->hidden), dm = region(b, "dm", of_rows),
           dnormed = region(b, "dh behind the norm", of_rows), dh = region(b, "dh", of_rows),
           dout = region(b, "do", of_rows), dqkv = region(b, "dq, dk, dv", s->rows * s->qkv),
           dn = region(b, "dn", of_rows), dfirst = region(b, "dx behind the norm", of_rows);
    backward_products(b, s->width, s->hidden, dy, at->a, kz_arg_buffer(WD), da, kz_arg_buffer(DWD));
    ELEMENTWISE(b, "swiglu_back", s->rows * s->hidden, at->gu, da, dgu);
    backward_products(b, 2 * s->hidden, s->width, dgu, at->m, kz_arg_buffer(WGU), dm, kz_arg_buffer(DWGU));
    PART(b, rmsnorm, norm_case(b, KZ_RMSNORM_BACKWARD), dm, at->h, kz_arg_buffer(NORM2), dnormed,
         kz_arg_buffer(DNORM2));
    ELEMENTWISE(b, "add", of_rows, dnormed, dy, dh);
    backward_products(b, s->width, s->width, dh, at->o, kz_arg_buffer(WO), dout, kz_arg_buffer(DWO));
    attention_detail detail = attention_of(b, false);
    uint64_t k = s->heads * s->head, v = k + s->kv_heads * s->head;
    PART(b, attention_backward, attention_case(b, &detail), at->qkv, behind(b, at->qkv, k),
         behind(b, at->qkv, v), at->o, dout, at->lse, dqkv, behind(b, dqkv, k), behind(b, dqkv, v));
    turn(b, dqkv, true);
    backward_products(b, s->qkv, s->width, dqkv, at->n, kz_arg_buffer(WQKV), dn, kz_arg_buffer(DWQKV));
    PART(b, rmsnorm, norm_case(b, KZ_RMSNORM_BACKWARD), dn, kz_arg_buffer(X), kz_arg_buffer(NORM1), dfirst,
         kz_arg_buffer(DNORM1));
    ELEMENTWISE(b, "add", of_rows, dfirst, dh, kz_arg_buffer(DX));
}

static kz_status begin(const kz_planner *p, builder *b) {
    *b = (builder){.p = p, .s = block_shape_of(p->c), .element = kz_type_size(p->c->type)};
    return refuse_shape(p, &b->s);
}

// Of no rows the gradients of the weights are zero.
static kz_status clear_gradients(const builder *b) {
    kz_buffer list[KZ_FAMILY_BUFFERS] = {0};
    block_buffers(b->p->c, list);
    for (uint32_t i = DNORM1; i <= DWD; i++)
        if (list[i].count) kz_plan_add_fill(b->p->plan, kz_arg_buffer(i), 0, list[i].count * b->element);
    return KZ_OK;
}

static kz_status build(builder *b) {
    const kz_case *c = b->p->c;
    if (b->s.rows == 0 || b->s.width == 0) return clear_gradients(b);
    saved at = forward(b, kz_arg_buffer(goes_back(c) ? (uint32_t)GRADIENTS_Y : (uint32_t)Y));
    if (goes_back(c)) backward(b, &at);
    return b->status ? b->status : kz_plan_place_regions(b->p->plan, b->p->error);
}

static kz_status plan_composed(const kz_planner *p) {
    builder b;
    kz_status status = begin(p, &b);
    return status ? status : build(&b);
}

static kz_status plan_fused(const kz_planner *p) {
    builder b;
    kz_status status = begin(p, &b);
    if (status) return status;
    if (goes_back(p->c))
        return kz_plan_refuse(
            p->error, "the backward pass needs what the gates were before they were applied: 01_composed");
    if (p->c->type == KZ_F32)
        return kz_plan_refuse(p->error, "products with epilogues are of halves: 01_composed has f32");
    b.fused = true;
    return build(&b);
}

static kz_status plan_native(const kz_planner *p) {
    builder b;
    kz_status status = begin(p, &b);
    if (status || ((b.s.rows == 0 || b.s.width == 0) && !goes_back(p->c))) return status;
    return KZ_LAUNCH(p, .operation = goes_back(p->c) ? "gradients" : "forward", .blocks = 1, .threads = 1);
}

static const kz_variant variants[] = {
    // the order is the journey
    {"00_native", 0, plan_native, "plain C, in double", transformer_block_natives},
    {"01_composed", 75, plan_composed, "the zoo's families one after another", .others = parts_code},
    {"02_fused", KZ_SM_EXACT(90), plan_fused, "gates in the epilogue of their product", .others = parts_code},
};

// ---- cases -----------------------------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, b, n, w, h, g, f, u, ...)                                                                 \
    {.operation = KZ_TRANSFORMER_BLOCK_##o, .type = KZ_##t, .axes = {b, n, w, h, g, f}, .use = u, __VA_ARGS__}
#define CHECK(o, t, b, n, w, h, g, f, ...) CASE(o, t, b, n, w, h, g, f, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, b, n, w, h, g, f) CASE(o, t, b, n, w, h, g, f, KZ_USE_BENCH)
// Two sequences, groups of heads; tokens that are no multiple of a tile.
#define EDGES(o, t) CHECK(o, t, 2, 10, 32, 4, 2, 48), CHECK(o, t, 1, 70, 64, 2, 1, 40)
// clang-format on

static const kz_case cases[] = {
    CHECK(FORWARD, F32, 0, 5, 32, 2, 1, 48),
    CHECK(FORWARD, F32, 1, 1, 16, 1, 1, 16),
    EDGES(FORWARD, F32),
    EDGES(FORWARD, F16),
    EDGES(FORWARD, BF16),
    CHECK(FORWARD, BF16, 1, 64, 256, 4, 2, 256), // of tensor cores in all parts
    CHECK(GRADIENTS, F32, 1, 0, 32, 2, 1, 48),
    CHECK(GRADIENTS, F32, 1, 1, 16, 1, 1, 16),
    EDGES(GRADIENTS, F32),
    EDGES(GRADIENTS, F16),
    EDGES(GRADIENTS, BF16),
    CHECK(GRADIENTS, BF16, 1, 64, 256, 4, 2, 256),
    // Llama 3 8B's, and Llama 7B's
    BENCH(FORWARD, BF16, 1, 4096, 4096, 32, 8, 14336),
    BENCH(FORWARD, BF16, 1, 4096, 4096, 32, 32, 11008),
    BENCH(GRADIENTS, BF16, 1, 4096, 4096, 32, 8, 14336),
};

static uint64_t size(const kz_case *c) { return (uint64_t)(c->axes[BATCH] * c->axes[TOKENS]); }

// By hand: 6 rows of 8; of weights 8 x (8 + 8) + 8 x 8 + 3 x 8 x 10 = 432, and 16 of norms. Products of 6 x 432 and two of 2 x 6 pairs of
// 8 numbers.
static const kz_worked worked[] = {
    {{.operation = KZ_TRANSFORMER_BLOCK_FORWARD, .type = KZ_F16, .axes = {2, 3, 8, 2, 1, 10}},
     {2 * (2 * 48 + 432 + 16) + 24, 2 * 6 * 432 + 4 * 12 * 8}},
    {{.operation = KZ_TRANSFORMER_BLOCK_GRADIENTS, .type = KZ_F16, .axes = {2, 3, 8, 2, 1, 10}},
     {2 * (4 * 48 + 2 * (432 + 16)) + 24, 3 * 2 * 6 * 432 + 14 * 12 * 8}},
};

const kz_family kz_family_transformer_block = {
    .name = "transformer_block",
    .group = "ml_ops",
    .summary = "a transformer's block of the zoo's families in one plan, forward and with all gradients",
    .operations = (const char *const[]){"forward", "gradients", NULL},
    .axes = (const char *const[]){"batch", "tokens", "width", "heads", "kv_heads", "hidden", NULL},
    .axes_note = "width: heads times the elements of a head; hidden: of silu(g) u",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_transformer_block,
    .buffers = block_buffers,
    .fill = fill,
    .reference = block_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", NULL},
    .guest_signature =
        "const T *x, const int *positions, const T *norm1, const T *wqkv, const T *wo, const T *norm2, const "
        "T *wgu, const T *wd, "
        "T *y, size_t batch, size_t tokens, size_t width, size_t heads, size_t kv_heads, size_t hidden\n"
        "gradients-*: const T *x, const int *positions, const T *norm1, const T *wqkv, const T *wo, const T "
        "*norm2, const T *wgu, "
        "const T *wd, const T *dy, T *y, T *dx, T *dnorm1, T *dwqkv, T *dwo, T *dnorm2, T *dwgu, T *dwd, "
        "size_t batch, "
        "size_t tokens, size_t width, size_t heads, size_t kv_heads, size_t hidden",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------------------------

kz_status kz_transformer_block_open(kz_device *device, kz_transformer_block which, kz_type type,
                                    const kz_transformer_block_shape *shape, const char *variant,
                                    kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if (!shape)
        return kz_fail(
            error, KZ_INVALID,
            "kz_transformer_block_open: the shape is NULL\nfill a kz_transformer_block_shape with its "
            "size, batch, tokens, width, heads, kv_heads and hidden");
    if (device && operation && shape->size != sizeof *shape)
        return kz_fail(
            error, KZ_INVALID,
            "kz_transformer_block_open: the size in kz_transformer_block_shape is %zu, and this "
            "library's is %zu\nset its size: kz_transformer_block_shape shape = {.size = sizeof shape}",
            shape->size, sizeof *shape);
    const kz_case c = {.operation = which,
                       .type = type,
                       .axes = {(int64_t)shape->batch, (int64_t)shape->tokens, (int64_t)shape->width,
                                (int64_t)shape->heads, (int64_t)shape->kv_heads, (int64_t)shape->hidden}};
    return kz_operation_open_family(device, &kz_family_transformer_block, &c, variant, operation, error);
}

kz_status kz_transformer_block_run(kz_operation *operation, kz_stream *stream,
                                   const kz_transformer_block_buffers *b, kz_ptr workspace,
                                   uint64_t workspace_bytes, kz_error *error) {
    if (!b || b->size != sizeof *b)
        return kz_fail(
            error, KZ_INVALID,
            "kz_transformer_block_run: the buffers are NULL or of another version\nset their size: "
            "kz_transformer_block_buffers buffers = {.size = sizeof buffers}");
    const kz_named_buffer named[] = {{"x", b->x},           {"positions", b->positions},
                                     {"norm1", b->norm1},   {"wqkv", b->wqkv},
                                     {"wo", b->wo},         {"norm2", b->norm2},
                                     {"wgu", b->wgu},       {"wd", b->wd},
                                     {"y", b->y},           {"dy", b->dy},
                                     {"dx", b->dx},         {"dnorm1", b->dnorm1},
                                     {"dwqkv", b->dwqkv},   {"dwo", b->dwo},
                                     {"dnorm2", b->dnorm2}, {"dwgu", b->dwgu},
                                     {"dwd", b->dwd}};
    return kz_operation_run_named(operation, stream, named, sizeof named / sizeof *named, workspace,
                                  workspace_bytes, error);
}

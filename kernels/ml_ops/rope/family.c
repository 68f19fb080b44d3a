// rope: rotary position embedding of queries and keys. Cases, work, plans, the table of variants.
//
// Axes: batch, sequence, q_heads, k_heads, dim, rotary. Buffers: q of batch * sequence * q_heads * dim elements, k with
// k_heads, a position for each token, and the outputs, which are like q and k. theta is 10000, and tokens lie side by side,
// unless the case carries a rope_detail. Kernels are named for the layout: the backward pass is the same kernel with a sign.
#include "rope.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "private.h"
#include "tune.h"

enum { MOST_BLOCKS = 1 << 30, SHARED_ARGS = 14 };

static const char *const operations[] = {"interleaved", "halves", "interleaved_backward", "halves_backward",
                                         NULL};
static const char *const layouts[] = {"interleaved", "halves"};

static uint64_t tokens_of(const kz_case *c) { return (uint64_t)c->axes[BATCH] * (uint64_t)c->axes[SEQUENCE]; }
static uint64_t heads_of(const kz_case *c) { return (uint64_t)c->axes[Q_HEADS] + (uint64_t)c->axes[K_HEADS]; }
static uint64_t elements(const kz_case *c) { return tokens_of(c) * heads_of(c) * (uint64_t)c->axes[DIM]; }

// Where there is room between tokens, what is in it must stay.
static kz_role role_of(const kz_case *c, size_t which) {
    return rope_stride(c, which) == rope_token(c, which) ? KZ_OUTPUT : KZ_INOUT;
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[Q] = (kz_buffer){"q", KZ_INPUT, c->type, rope_count(c, Q)};
    list[K] = (kz_buffer){"k", KZ_INPUT, c->type, rope_count(c, K)};
    list[POSITIONS] = (kz_buffer){"positions", KZ_INPUT, KZ_I32, tokens_of(c)};
    list[Q_OUT] = (kz_buffer){"q_out", role_of(c, Q), c->type, rope_count(c, Q)};
    list[K_OUT] = (kz_buffer){"k_out", role_of(c, K), c->type, rope_count(c, K)};
    return 5;
}

// The first sequence begins at 0, others up to where they end at 2^20; some of these at negative positions.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which != POSITIONS) return false;
    int32_t *positions = host;
    int64_t sequence = c->axes[SEQUENCE], last = (1 << 20) - sequence;
    for (uint64_t i = 0; i < count; i++) {
        int64_t of = (int64_t)(first + i) / sequence, at = (int64_t)(first + i) % sequence, start = last;
        if (of == 0 && sequence > 1) start = 0;
        if (of % 4 >= 2) start = (int64_t)(kz_draw(seed, POSITIONS, (uint64_t)of) % (1 << 20)) % (last + 1);
        positions[i] = (int32_t)(of % 4 == 3 ? -start - at : start + at);
    }
    return true;
}

// A pair is four products and two additions; what is not rotated is moved.
static kz_work work(const kz_case *c) {
    double tokens = (double)tokens_of(c), rows = tokens * (double)heads_of(c);
    return (kz_work){.bytes =
                         2.0 * rows * (double)c->axes[DIM] * (double)kz_type_size(c->type) + 4.0 * tokens,
                     .flops = 3.0 * rows * (double)c->axes[ROTARY]};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = Q; i <= K_OUT; i++) args[i] = kz_arg_buffer(i);
    for (size_t i = BATCH; i <= ROTARY; i++) args[5 + i] = kz_arg_u64((uint64_t)c->axes[i]);
    args[11] = kz_arg_f32(rope_theta(c));
    args[12] = kz_arg_u64(rope_stride(c, Q));
    args[13] = kz_arg_u64(rope_stride(c, K));
    return 14;
}

// ---- plans -----------------------------------------------------------------------------------------------

static kz_arg arg_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return kz_arg_u64(bits);
}

static double log2_step(const kz_case *c) {
    return c->axes[ROTARY] ? -2.0 * log2((double)rope_theta(c)) / (double)c->axes[ROTARY] : 0.0;
}

// Kernels count a stride in 32 bits.
static kz_status check_stride(const kz_planner *p, const char *name, size_t which) {
    uint64_t stride = rope_stride(p->c, which), token = rope_token(p->c, which);
    if (stride < token)
        return kz_plan_refuse(
            p->error,
            "rope: %s_stride is %llu, and a token's heads have %llu elements: pass as many or more, or 0",
            name, (unsigned long long)stride, (unsigned long long)token);
    if (stride > UINT32_MAX || (double)tokens_of(p->c) * (double)stride > 0x1p60)
        return kz_plan_refuse(
            p->error,
            "rope: %s_stride is %llu; it is below 2^32, in elements, and %llu tokens so far apart fit in "
            "memory",
            name, (unsigned long long)stride, (unsigned long long)tokens_of(p->c));
    return KZ_OK;
}

static kz_status check_shape(const kz_planner *p) {
    const kz_case *c = p->c;
    if (c->axes[ROTARY] % 2 || c->axes[ROTARY] > c->axes[DIM])
        return kz_plan_refuse(
            p->error,
            "rope: rotary is %lld and dim %lld; rotary counts the elements of whole pairs, so it "
            "is even and at most dim",
            (long long)c->axes[ROTARY], (long long)c->axes[DIM]);
    float theta = rope_theta(c);
    if (!(theta >= 1.0f && isfinite(theta)))
        return kz_plan_refuse(p->error, "rope: theta is %g; it is a finite number from 1 up, mostly 10000",
                              (double)theta);
    double token = (double)heads_of(c) * (double)c->axes[DIM]; // its elements, which kernels count in 32 bits
    double tokens = (double)c->axes[BATCH] * (double)c->axes[SEQUENCE];
    if (c->axes[DIM] > 1 << 20 || heads_of(c) > 1 << 20 || token >= 0x1p32 || tokens * token > 0x1p60)
        return kz_plan_refuse(
            p->error,
            "rope: batch %lld, sequence %lld, %llu heads of %lld elements; heads and dim are 2^20 at most, "
            "and a token has less than 2^32 elements: check the shape's fields",
            (long long)c->axes[BATCH], (long long)c->axes[SEQUENCE], (unsigned long long)heads_of(c),
            (long long)c->axes[DIM]);
    kz_status status = check_stride(p, "q", Q);
    return status ? status : check_stride(p, "k", K);
}

static void set_args(const kz_planner *p, kz_arg args[SHARED_ARGS]) {
    const kz_case *c = p->c;
    for (uint32_t i = Q; i <= K_OUT; i++) args[i] = kz_arg_buffer(i);
    args[5] = kz_arg_u64(tokens_of(c));
    for (size_t i = Q_HEADS; i <= ROTARY; i++) args[4 + i] = kz_arg_u64((uint64_t)c->axes[i]);
    args[10] = kz_arg_u64(rope_stride(c, Q));
    args[11] = kz_arg_u64(rope_stride(c, K));
    args[12] = arg_f64(log2_step(c));
    args[13] = kz_arg_f32(rope_is_backward(c) ? -1.0f : 1.0f);
}

static uint64_t blocks_for(uint64_t threads) {
    return kz_min_u64(kz_ceil_div(threads, ROPE_THREADS), MOST_BLOCKS);
}

// A launch with the shared arguments and up to two more, of at most a thread for each of `threads`.
static kz_status add_turns(const kz_planner *p, uint64_t threads, size_t more, kz_arg first, kz_arg second) {
    kz_arg args[SHARED_ARGS + 2];
    set_args(p, args);
    args[SHARED_ARGS] = first, args[SHARED_ARGS + 1] = second;
    return KZ_LAUNCH(p, .operation = layouts[rope_is_halves(p->c)], .blocks = blocks_for(threads),
                     .threads = ROPE_THREADS, .args = args, .arg_count = SHARED_ARGS + more);
}

// Cosines and sines of all tokens, at the beginning of the workspace.
static kz_status add_table(const kz_planner *p) {
    const kz_case *c = p->c;
    uint64_t pairs = (uint64_t)c->axes[ROTARY] / 2, entries = tokens_of(c) * pairs;
    char entry[KZ_ENTRY_NAME];
    snprintf(entry, sizeof entry, "rope_%s_table", kz_variant_idea(p->variant));
    p->plan->workspace_bytes = 8 * entries + 16; // 16: the address of an empty table is valid too
    return KZ_LAUNCH(p, .entry = entry, .blocks = blocks_for(entries), .threads = ROPE_THREADS,
                     KZ_ARGS(kz_arg_buffer(POSITIONS), kz_arg_workspace(0), kz_arg_u64(tokens_of(c)),
                             kz_arg_u64(pairs), arg_f64(log2_step(c)),
                             kz_arg_f32(rope_is_backward(c) ? -1.0f : 1.0f)));
}

static uint64_t slots(const kz_case *c) { // pairs, and elements that are passed on
    return tokens_of(c) * heads_of(c) * (uint64_t)(c->axes[DIM] - c->axes[ROTARY] / 2);
}

// Threads of a unit each, where units are whole accesses. Fewer than the units of single elements where they are not: the
// kernels stride.
static uint64_t units(const kz_case *c, uint64_t groups) {
    uint64_t pack = 16 / kz_type_size(c->type), turning = (uint64_t)c->axes[ROTARY];
    uint64_t of_head =
        turning / (rope_is_halves(c) ? 2 * pack : pack) + ((uint64_t)c->axes[DIM] - turning) / pack;
    return tokens_of(c) * groups * (of_head ? of_head : 1);
}

static kz_status plan_native(const kz_planner *p) {
    kz_status status = check_shape(p);
    if (status != KZ_OK || elements(p->c) == 0) return status;
    kz_arg args[SHARED_ARGS];
    set_args(p, args);
    return KZ_LAUNCH(p, .operation = layouts[rope_is_halves(p->c)],
                     .blocks = kz_min_u64(tokens_of(p->c), (uint64_t)p->device->multiprocessors),
                     .threads = 1, .args = args, .arg_count = SHARED_ARGS);
}

static kz_status plan_naive(const kz_planner *p) {
    kz_status status = check_shape(p);
    if (status != KZ_OK || elements(p->c) == 0) return status;
    return add_turns(p, slots(p->c), 0, kz_arg_u64(0), kz_arg_u64(0));
}

static kz_status plan_table(const kz_planner *p) {
    kz_status status = check_shape(p);
    if (status != KZ_OK || elements(p->c) == 0) return status;
    status = add_table(p);
    return status ? status : add_turns(p, slots(p->c), 1, kz_arg_workspace(0), kz_arg_u64(0));
}

static kz_status plan_vector(const kz_planner *p) {
    kz_status status = check_shape(p);
    if (status != KZ_OK || elements(p->c) == 0) return status;
    status = add_table(p);
    uint64_t threads = units(p->c, heads_of(p->c));
    return status ? status : add_turns(p, threads, 1, kz_arg_workspace(0), kz_arg_u64(0));
}

static kz_status plan_heads(const kz_planner *p) {
    kz_status status = check_shape(p);
    if (status != KZ_OK || elements(p->c) == 0) return status;
    uint64_t groups = kz_ceil_div(heads_of(p->c), ROPE_HEADS);
    status = add_table(p);
    return status ? status : add_turns(p, units(p->c, groups), 2, kz_arg_workspace(0), kz_arg_u64(groups));
}

// As many heads per thread as leave the GPU enough threads: few tokens are spread over all multiprocessors.
static kz_status plan_fixed_point(const kz_planner *p) {
    kz_status status = check_shape(p);
    if (status != KZ_OK || elements(p->c) == 0) return status;
    uint64_t fill = (uint64_t)p->device->multiprocessors * ROPE_FILL, heads = ROPE_MOST_HEADS;
    while (heads > 1 && units(p->c, kz_ceil_div(heads_of(p->c), heads)) < fill) heads /= 2;
    uint64_t groups = kz_ceil_div(heads_of(p->c), heads);
    return add_turns(p, units(p->c, groups), 2, kz_arg_u64(groups), arg_f64(exp2(log2_step(p->c))));
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", rope_natives},
    {"01_naive", 75, plan_naive, "a thread per pair, angles in double"},
    {"02_table", 75, plan_table, "cosines and sines of a token computed once, read by all heads"},
    {"03_vector", 75, plan_vector, "16 bytes per access"},
    {"04_heads", 75, plan_heads, "a thread serves several heads: angles in registers"},
    {"05_fixed_point", 80, plan_fixed_point, "angles by integer products modulo one turn: no table"},
};

// ---- cases -----------------------------------------------------------------------------------------------

#define CASE(o, t, b, s, qh, kh, d, r, u, ...)                                                               \
    {.operation = KZ_ROPE_##o, .type = KZ_##t, .axes = {b, s, qh, kh, d, r}, .use = u, __VA_ARGS__}
#define CHECK(o, t, b, s, qh, kh, d, r, ...) CASE(o, t, b, s, qh, kh, d, r, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, b, s, qh, kh, d, r) CASE(o, t, b, s, qh, kh, d, r, KZ_USE_BENCH)
// Four sequences, whose positions are near 0, near 2^20 and negative; grouped heads; half rotated; odd; misaligned.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 4, 3, 6, 2, 32, 32), CHECK(o, t, 4, 2, 5, 1, 64, 32), CHECK(o, t, 3, 3, 3, 2, 11, 6),        \
    CHECK(o, t, 2, 3, 2, 1, 16, 16, .misalign = 1)
#define LAYOUT_EDGES(o)                                                                                      \
    EDGES(o, F32), EDGES(o, F16), EDGES(o, BF16), KZ_NOT_FINITE(CHECK, o, F32, 2, 3, 2, 1, 16, 8),           \
    KZ_NOT_FINITE(CHECK, o, F16, 2, 3, 2, 1, 16, 16), KZ_NOT_FINITE(CHECK, o, BF16, 2, 3, 2, 1, 16, 16)
// A model's prompt, a batch of them, and a step of decoding; the heads of Llama 3 8B and 70B, and of a model with one
// group of keys. Pythia and GPT-J rotate a part.
#define BENCHES(o, t)                                                                                        \
    BENCH(o, t, 1, 8192, 32, 8, 128, 128), BENCH(o, t, 8, 4096, 64, 8, 128, 128), BENCH(o, t, 64, 1, 64, 8, 128, 128)
// clang-format on

static const rope_detail theta_500000 = {500000.0f, 0, 0}, theta_1 = {1.0f, 0, 0};
// In one array with the values, 5 + 2 + 2 heads of 32; rows that begin anywhere; k's alone have room.
static const rope_detail in_one = {10000.0f, 9 * 32, 9 * 32}, odd = {10000.0f, 3 * 24 + 1, 2 * 24 + 3},
                         room_for_k = {10000.0f, 0, 4 * 48};

static const kz_case cases[] = {
    CHECK(INTERLEAVED, F32, 0, 5, 4, 2, 16, 16),
    CHECK(HALVES, F16, 3, 0, 4, 2, 16, 16),
    CHECK(HALVES, F32, 2, 2, 0, 0, 16, 16),
    CHECK(INTERLEAVED, F32, 1, 1, 1, 0, 1, 0), // one element, which no pair has
    CHECK(INTERLEAVED, F32, 1, 1, 1, 1, 2, 2),
    CHECK(HALVES, BF16, 1, 1, 1, 1, 2, 2),
    CHECK(HALVES, F32, 1, 5, 0, 3, 8, 8),     // keys alone
    CHECK(HALVES, BF16, 9, 1, 9, 0, 16, 0),   // nothing is rotated
    CHECK(HALVES, BF16, 5, 1, 17, 3, 64, 64), // decoding
    CHECK(INTERLEAVED, F16, 5, 1, 17, 3, 64, 64),
    CHECK(INTERLEAVED, F32, 2, 66, 25, 1, 128, 128), // on an H200 threads enough for two rounds of heads each
    CHECK(HALVES, F16, 2, 33, 13, 2, 16, 16),
    CHECK(HALVES, BF16, 1, 2, 3, 1, 128, 128, .detail = &theta_500000),
    CHECK(INTERLEAVED, F32, 4, 1, 3, 1, 20, 20, .detail = &theta_1), // all pairs turn alike
    CHECK(HALVES, F32, 2, 3, 5, 2, 32, 32, .detail = &in_one),
    CHECK(HALVES, F16, 2, 3, 5, 2, 32, 32, .detail = &in_one),
    CHECK(INTERLEAVED, BF16, 2, 3, 5, 2, 32, 16, .detail = &in_one),
    CHECK(HALVES_BACKWARD, BF16, 2, 3, 5, 2, 32, 32, .detail = &in_one),
    CHECK(INTERLEAVED, F32, 2, 3, 3, 2, 24, 24, .detail = &odd),
    CHECK(HALVES, BF16, 2, 3, 3, 2, 24, 16, .detail = &odd),
    CHECK(INTERLEAVED_BACKWARD, F16, 3, 2, 1, 3, 48, 32, .detail = &room_for_k),
    CHECK(HALVES, F32, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_ZEROS),
    CHECK(HALVES, F32, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_EQUAL),
    CHECK(HALVES, F32, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_DENORMAL),
    CHECK(INTERLEAVED, F16, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_DENORMAL),
    CHECK(INTERLEAVED, F32, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_LARGE), // some leave the type's range
    CHECK(HALVES, F16, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_LARGE),
    CHECK(HALVES, BF16, 2, 3, 2, 1, 16, 16, .data = KZ_DATA_SMALL),
    LAYOUT_EDGES(INTERLEAVED),
    LAYOUT_EDGES(HALVES),
    EDGES(INTERLEAVED_BACKWARD, F32),
    EDGES(HALVES_BACKWARD, F32),
    EDGES(HALVES_BACKWARD, F16),
    EDGES(HALVES_BACKWARD, BF16),
    BENCHES(HALVES, BF16),
    BENCHES(HALVES, F16),
    BENCHES(INTERLEAVED, BF16),
    BENCH(HALVES, F32, 1, 8192, 32, 8, 128, 128),
    BENCH(HALVES_BACKWARD, BF16, 8, 4096, 64, 8, 128, 128),
    BENCH(HALVES, BF16, 8, 2048, 32, 32, 80, 20),
    BENCH(INTERLEAVED, BF16, 8, 2048, 16, 16, 256, 64),
    BENCH(HALVES, BF16, 8, 4096, 71, 1, 64, 64),
    CASE(HALVES, BF16, 8, 32771, 64, 8, 128, 128, KZ_USE_HUGE),
};

// By hand: 10 tokens of 3 heads of 20 in and out and 10 positions; 8 pairs of 6 flops each.
static const kz_worked worked[] = {
    {{.operation = KZ_ROPE_HALVES, .type = KZ_F16, .axes = {2, 5, 2, 1, 20, 16}}, {2 * 1200 + 40, 1440}}};

const kz_family kz_family_rope = {
    .name = "rope",
    .group = "ml_ops",
    .summary = "rotary position embedding of queries and keys, and its backward pass",
    .operations = operations,
    .axes = (const char *const[]){"batch", "sequence", "q_heads", "k_heads", "dim", "rotary", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_rope,
    .buffers = buffers,
    .fill = fill,
    .reference = rope_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", "liger", NULL},
    .guest_signature =
        "const T *q, const T *k, const int *positions, T *q_out, T *k_out, size_t batch, "
        "size_t sequence, size_t q_heads, size_t k_heads, size_t dim, size_t rotary, float theta, "
        "size_t q_stride, size_t k_stride",
    .guest_args = guest_args,
    .size = elements,
};

// ---- the public operation --------------------------------------------------------------------------------

// The caller's struct as ours: an older one ends before the strides, a newer one must not ask for what we do not know.
static kz_status take(const kz_rope_shape *given, kz_rope_shape *own, kz_error *error) {
    enum { FIRST_VERSION = offsetof(kz_rope_shape, q_stride), MOST = 4096 };
    size_t size;
    if (!given)
        return kz_fail(error, KZ_INVALID,
                       "kz_rope_open: the shape is NULL\nfill a kz_rope_shape with its size, batch, "
                       "sequence, heads, dim and rotary");
    memcpy(&size, given, sizeof size);
    if (size < FIRST_VERSION || size > MOST)
        return kz_fail(error, KZ_INVALID,
                       "kz_rope_open: the size in kz_rope_shape is %zu, and this library's is %zu\nset it: "
                       "kz_rope_shape x = {.size = sizeof x}",
                       size, sizeof *own);
    for (size_t i = sizeof *own; i < size; i++)
        if (((const char *)given)[i])
            return kz_fail(
                error, KZ_INVALID,
                "kz_rope_open: kz_rope_shape has a field that this library does not know\nbuild and run "
                "with the same version of kz");
    *own = (kz_rope_shape){0};
    memcpy(own, given, size < sizeof *own ? size : sizeof *own);
    return KZ_OK;
}

kz_status kz_rope_open(kz_device *device, kz_rope_operation function, kz_type type,
                       const kz_rope_shape *shape, const char *variant, kz_operation **operation,
                       kz_error *error) {
    kz_rope_shape own = {0};
    kz_case c = {.operation = function, .type = type};
    if (operation) *operation = NULL;
    if (shape && (!device || !operation)) // which is said there
        return kz_operation_open_family(device, &kz_family_rope, &c, variant, operation, error);
    kz_status status = take(shape, &own, error);
    if (status) return status;
    rope_detail detail = {own.theta == 0.0f ? 10000.0f : own.theta, own.q_stride, own.k_stride};
    const size_t axes[] = {own.batch, own.sequence, own.q_heads, own.k_heads, own.dim, own.rotary};
    for (size_t i = BATCH; i <= ROTARY; i++) c.axes[i] = (int64_t)axes[i];
    c.detail = &detail;
    return kz_operation_open_family(device, &kz_family_rope, &c, variant, operation, error);
}

kz_status kz_rope_run(kz_operation *operation, kz_stream *stream, kz_ptr q, kz_ptr k, kz_ptr positions,
                      kz_ptr q_out, kz_ptr k_out, kz_ptr workspace, uint64_t workspace_bytes,
                      kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){q, k, positions, q_out, k_out}, 5, workspace,
                            workspace_bytes, error);
}

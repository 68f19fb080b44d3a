// dropout: y = x / (1 - p) where the element is kept, else 0. Cases, work, plans and the table of variants.
//
// Axes: n; drop, which is p in units of 1/65536. Buffers: x and y of n elements, between them the state, two KZ_I64: seed and
// offset. Forward and backward are one function, so they have the same kernels.
#include "dropout.h"

#include "ml_ops/dropout_mask.h"
#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static const char *const operations[] = {"forward", "backward", NULL};
static kz_entry entry(const kz_case *c) { return (kz_entry){"dropout", c->type}; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    bool back = c->operation == KZ_DROPOUT_BACKWARD;
    list[X] = (kz_buffer){back ? "dy" : "x", KZ_INPUT, c->type, axis(c, N)};
    list[STATE] = (kz_buffer){"state", KZ_INPUT, KZ_I64, 2};
    list[Y] = (kz_buffer){back ? "dx" : "y", KZ_OUTPUT, c->type, axis(c, N)};
    return 3;
}

// Any bits are a seed.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which != STATE) return false;
    for (uint64_t i = 0; i < count; i++) ((uint64_t *)host)[i] = kz_draw(seed, STATE, first + i);
    return true;
}

// The integers of Philox are no flops.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[N];
    return (kz_work){.bytes = 2.0 * n * (double)kz_type_size(c->type) + 16.0, .flops = n};
}

static kz_arg scale_of(const kz_case *c) { return kz_arg_f32((float)dropout_scale(axis(c, DROP))); }

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = X; i <= Y; i++) args[i] = kz_arg_buffer(i);
    args[3] = kz_arg_u64(axis(c, N));
    args[4] = kz_arg_u64(axis(c, DROP));
    args[5] = scale_of(c);
    return 6;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status check_drop(const kz_planner *p) {
    if (axis(p->c, DROP) <= DROPOUT_ALL) return KZ_OK;
    return kz_plan_refuse(p->error,
                          "drop is %lld, but p in units of 1/65536 is 0 to 65536\ngive p * 65536, rounded",
                          (long long)p->c->axes[DROP]);
}

static kz_status plan_plain(const kz_planner *p) {
    kz_status status = check_drop(p);
    return status ? status : kz_plan_tiles(p);
}

static kz_status plan_stored(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = check_drop(p);
    if (status || axis(c, N) == 0) return status;
    uint64_t n = axis(c, N), blocks = kz_ceil_div(n, DROPOUT_THREADS);
    p->plan->workspace_bytes = n;
    status = KZ_LAUNCH(
        p, .entry = "dropout_stored_mask_draw", .blocks = blocks, .threads = DROPOUT_THREADS,
        KZ_ARGS(kz_arg_buffer(STATE), kz_arg_workspace(0), kz_arg_u64(n), kz_arg_u64(axis(c, DROP))));
    return status ? status
                  : KZ_LAUNCH(p, .blocks = blocks, .threads = DROPOUT_THREADS,
                              KZ_ARGS(kz_arg_buffer(X), kz_arg_workspace(0), kz_arg_buffer(Y), kz_arg_u64(n),
                                      scale_of(c)));
}

// A pair is two packs of the same 64 elements; the last 64 may be fewer. A thread has as many pairs as the row's tile, or more where
// the grid is limited.
static kz_status plan_pairs(const kz_planner *p) {
    kz_status status = check_drop(p);
    uint64_t pairs = kz_ceil_div(axis(p->c, N), 64) * (2 * kz_type_size(p->c->type));
    uint64_t blocks = kz_ceil_div(pairs, DROPOUT_THREADS * p->variant->tile);
    if (p->variant->blocks)
        blocks = kz_min_u64(blocks, (uint64_t)p->device->multiprocessors * p->variant->blocks);
    return status ? status : KZ_LAUNCH(p, .blocks = blocks, .threads = DROPOUT_THREADS);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_plain, "plain C on all cores", dropout_natives, .threads = 1, .tile = 4096, .blocks = 1},
    {"01_stored_mask", 75, plan_stored, "a mask of bytes, written and read"},
    {"02_recomputed", 75, plan_plain, "Philox for each element, no mask in memory",
     .threads = DROPOUT_THREADS, .tile = DROPOUT_THREADS},
    {"03_eight_per_call", 75, plan_plain, "one call of Philox for eight elements",
     .threads = DROPOUT_THREADS, .tile = 8 * DROPOUT_THREADS},
    {"04_vector", 75, plan_pairs, "two packs of 16 bytes per thread", .tile = 1},
    {"05_persistent", 80, plan_pairs, "seed and round keys made once, four packs in flight",
     .tile = DROPOUT_PERSISTENT_PAIRS, .blocks = DROPOUT_PERSISTENT_BLOCKS},
};

// ---- cases -----------------------------------------------------------------------------------------

enum { P10 = 6554, P50 = 32768 }; // 0.1 and 0.5
#define CASE(o, t, n, p, u, ...)                                                                             \
    {.operation = KZ_DROPOUT_##o, .type = KZ_##t, .axes = {n, p}, .use = u, __VA_ARGS__}
#define CHECK(t, p, n, ...) CASE(FORWARD, t, n, p, KZ_USE_CHECK, __VA_ARGS__)
#define BACKWARD(t, p, n, ...) CASE(BACKWARD, t, n, p, KZ_USE_CHECK, __VA_ARGS__)
// In each type: whole groups of 64 and a rest, no 16-byte alignment, what the data may hold.
#define EDGES(t)                                                                                             \
    CHECK(t, P10, 10007), CHECK(t, P50, 4099, .misalign = 1), CHECK(t, P50, 4096),                           \
    KZ_NOT_FINITE(CHECK, t, P50, 1000), KZ_MAGNITUDES(CHECK, t, P10, 1000),                                  \
    BACKWARD(t, P10, 1025)
#define BENCH(o, t, n) CASE(o, t, n, P10, KZ_USE_BENCH)
#define BENCHES(t) BENCH(FORWARD, t, 1 << 24), BENCH(FORWARD, t, 1 << 28), BENCH(BACKWARD, t, 1 << 28)
// clang-format on

static const kz_case cases[] = {
    KZ_FEW(CHECK, F32, P50),
    CHECK(F32, 1, 1), // the smallest p
    KZ_AROUND_WARP(CHECK, F32, P50),
    CHECK(F32, P50, 63),
    CHECK(F16, P50, 65),
    KZ_AROUND_1024(CHECK, F32, P10),
    CHECK(F32, 0, 1000), // p = 0, p = 1, and their neighbours
    CHECK(F32, DROPOUT_ALL, 1000),
    CHECK(F32, DROPOUT_ALL - 1, 1000),
    CHECK(F16, 0, 1000, .data = KZ_DATA_NAN),
    CHECK(BF16, DROPOUT_ALL, 1000, .data = KZ_DATA_INF),
    CHECK(F32, P10, 300000), // many blocks
    CHECK(F32, P50, 1000, .data = KZ_DATA_ZEROS),
    BACKWARD(BF16, P50, 0),
    BACKWARD(F16, P50, 77, .misalign = 3),
    EDGES(F32),
    EDGES(F16),
    EDGES(BF16),
    BENCHES(F32),
    BENCHES(F16),
    BENCHES(BF16),
    CASE(FORWARD, BF16, KZ_PAST_2_31, P10, KZ_USE_HUGE),
};

// By hand: 1000 halves in and out, and the state.
static const kz_worked worked[] = {{{.type = KZ_F16, .axes = {1000, P10}}, {4016, 1000}}};

const kz_family kz_family_dropout = {
    .name = "dropout",
    .group = "ml_ops",
    .summary = "y = x / (1 - p) or 0: the mask from Philox, never stored; forward and backward",
    .operations = operations,
    .axes = (const char *const[]){"n", "drop", NULL},
    .axes_note = "drop is the probability times 65536: 6554 is 0.1",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_dropout,
    .entry = entry,
    .buffers = buffers,
    .fill = fill,
    .reference = dropout_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .guest_signature =
        "const T *x, const long long *state, T *y, size_t n, size_t drop, float scale\n"
        "backward-*: const T *dy, const long long *state, T *dx, size_t n, size_t drop, float scale",
    .guest_args = guest_args,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_dropout_open(kz_device *device, kz_dropout pass, kz_type type, size_t n, double p,
                          const char *variant, kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if (dropout_of(p) > DROPOUT_ALL)
        return kz_fail(error, KZ_INVALID,
                       "kz_dropout_open: p is %g\nit is the part that is dropped: give a number from 0 to 1",
                       p);
    kz_case c = {.operation = (uint32_t)pass, .type = type, .axes = {(int64_t)n, (int64_t)dropout_of(p)}};
    return kz_operation_open_family(device, &kz_family_dropout, &c, variant, operation, error);
}

kz_status kz_dropout_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr state, kz_ptr y,
                         kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, state, y}, 3, workspace, workspace_bytes, error);
}

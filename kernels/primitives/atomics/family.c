// atomics: many threads, few places. Cases, inputs, work and the public operation; plans.c has the plans.
//
// Axes: n elements, k words that they meet at. Buffers: see private.h. choice.csv goes by k.
#include "atomics.h"

#include "private.h"

const char *const atomics_operations[] = {"count", "append", "max", "update", NULL};

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[N], k = (uint64_t)c->axes[K];
    list[KEYS] = (kz_buffer){"keys", KZ_INPUT, KZ_U32, n};
    switch (c->operation) {
    case KZ_ATOMICS_COUNT: list[OUT] = (kz_buffer){"out", KZ_OUTPUT, KZ_U32, k}; return 2;
    case KZ_ATOMICS_APPEND:
        list[KEYS] = (kz_buffer){"in", KZ_INPUT, KZ_F32, n};
        list[OUT] = (kz_buffer){"out", KZ_OUTPUT, KZ_F32, n};
        list[VALUES] = (kz_buffer){"length", KZ_OUTPUT, KZ_U32, 1};
        return 3;
    default:
        list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, c->operation == KZ_ATOMICS_MAX ? k : k * PARTS};
        list[VALUES] = (kz_buffer){"values", KZ_INPUT, c->type, n};
        return 3;
    }
}

// Keys: uniform; biased, most of them small; equal, all the same. What other kinds of data there are is for the values.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which != KEYS || c->operation == KZ_ATOMICS_APPEND) return false;
    uint64_t k = (uint64_t)c->axes[K];
    for (uint64_t i = 0; i < count; i++) {
        double x = (double)(kz_draw(seed, KEYS, c->data == KZ_DATA_EQUAL ? 0 : first + i) >> 11) * 0x1p-53;
        if (c->data == KZ_DATA_BIASED) x *= x, x *= x, x *= x;
        ((uint32_t *)host)[i] = (uint32_t)kz_min_u64((uint64_t)(x * (double)k), k - 1);
    }
    return true;
}

// Bytes that must be moved. One change of a word is counted as a flop.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[N], k = (double)c->axes[K];
    switch (c->operation) {
    case KZ_ATOMICS_COUNT: return (kz_work){.bytes = 4.0 * (n + k), .flops = n};
    case KZ_ATOMICS_APPEND: return (kz_work){.bytes = 8.0 * n, .flops = n};
    case KZ_ATOMICS_MAX: return (kz_work){.bytes = 8.0 * n + 4.0 * k, .flops = n};
    default: return (kz_work){.bytes = 8.0 * n + 4.0 * PARTS * k, .flops = n};
    }
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    args[0] = kz_arg_buffer(KEYS);
    args[1] = kz_arg_buffer(OUT);
    args[2] = c->operation == KZ_ATOMICS_COUNT ? kz_arg_u64(0) : kz_arg_buffer(VALUES);
    args[3] = kz_arg_u64((uint64_t)c->axes[N]);
    args[4] = kz_arg_u64((uint64_t)c->axes[K]);
    return 5;
}

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, n, k, u, ...)                                                                             \
    {.operation = KZ_ATOMICS_##f, .type = KZ_##t, .axes = {n, k}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, k, ...) CASE(f, t, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n, k, ...) CASE(f, t, n, k, KZ_USE_BENCH, __VA_ARGS__)
// Nobody, one, a warp and one; one word for all, few, more than there are elements; skewed, and all at one of many.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 0, 3), CHECK(f, t, 1, 1), CHECK(f, t, 33, 1), CHECK(f, t, 31, 4), CHECK(f, t, 300, 1),       \
    CHECK(f, t, 700, 7, .misalign = 1), CHECK(f, t, 500, 1000), CHECK(f, t, 600, 50, .data = KZ_DATA_BIASED),\
    CHECK(f, t, 260, 40, .data = KZ_DATA_EQUAL)
#define SWEEP (1 << 22)
#define SMALL (1 << 16) // where a crowd can still try
// clang-format on

static const kz_case cases[] = {
    EDGES(COUNT, U32),
    CHECK(COUNT, U32, 5003, 3),
    CHECK(COUNT, U32, 1000, 13000), // more than 48 KiB of counters
    EDGES(MAX, F32),
    CHECK(MAX, F32, 700, 7, .data = KZ_DATA_NAN),
    CHECK(MAX, F32, 700, 7, .data = KZ_DATA_INF),
    CHECK(MAX, F32, 300, 30, .data = KZ_DATA_ZEROS),
    CHECK(MAX, F32, 300, 3, .data = KZ_DATA_POSITIVE),
    CHECK(MAX, F32, 300, 3, .data = KZ_DATA_DENORMAL),
    EDGES(UPDATE, I32),
    CHECK(UPDATE, I32, 300, 3, .data = KZ_DATA_LARGE), // the sums wrap
    CHECK(APPEND, F32, 0, 1),
    CHECK(APPEND, F32, 1, 1),
    CHECK(APPEND, F32, 33, 1),
    CHECK(APPEND, F32, 1000, 1, .misalign = 1),
    CHECK(APPEND, F32, 5003, 1),
    CHECK(APPEND, F32, 700, 1, .data = KZ_DATA_POSITIVE), // all of them
    CHECK(APPEND, F32, 700, 1, .data = KZ_DATA_ZEROS),    // none
    CHECK(APPEND, F32, 700, 1, .data = KZ_DATA_NAN),
    BENCH(COUNT, U32, SWEEP, 1),
    BENCH(COUNT, U32, SWEEP, 32),
    BENCH(COUNT, U32, SWEEP, 1 << 10),
    BENCH(COUNT, U32, SWEEP, 1 << 10, .data = KZ_DATA_BIASED),
    BENCH(COUNT, U32, SWEEP, 1 << 16),
    BENCH(COUNT, U32, SWEEP, 1 << 16, .data = KZ_DATA_BIASED),
    BENCH(COUNT, U32, SWEEP, 1 << 20),
    BENCH(COUNT, U32, 1 << 26, 1 << 10),
    BENCH(COUNT, U32, 1 << 12, 1),
    BENCH(COUNT, U32, SMALL, 32),
    BENCH(COUNT, U32, SMALL, 1 << 10),
    BENCH(COUNT, U32, SMALL, 1 << 16),
    BENCH(APPEND, F32, SWEEP, 1),
    BENCH(APPEND, F32, SWEEP, 1, .data = KZ_DATA_POSITIVE),
    BENCH(MAX, F32, SWEEP, 1),
    BENCH(MAX, F32, SWEEP, 1 << 10),
    BENCH(MAX, F32, SWEEP, 1 << 16),
    BENCH(MAX, F32, SWEEP, 1 << 20),
    BENCH(UPDATE, I32, 1 << 12, 1),
    BENCH(UPDATE, I32, SMALL, 32),
    BENCH(UPDATE, I32, SMALL, 1 << 10),
    BENCH(UPDATE, I32, SMALL, 1 << 16),
    BENCH(UPDATE, I32, 1 << 20, 1 << 10),
    BENCH(UPDATE, I32, 1 << 20, 1 << 16),
    BENCH(UPDATE, I32, 1 << 20, 1 << 20),
    BENCH(UPDATE, I32, 1 << 14, 1 << 16, .data = KZ_DATA_BIASED),
    CASE(COUNT, U32, KZ_PAST_2_31, 4096, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[K]; }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"01_atom", "01_atomic"},          {"04_warp", "04_warp_aggregated"},
    {"05_block", "05_privatized"},     {"06_spin", "06_spin_lock"},
    {"07_backoff", "07_backoff_lock"}, {"08_ticket", "08_ticket_lock"},
    {"09_leader", "09_leader_lock"},   {0},
};

static const kz_worked worked[] = {
    {{.operation = KZ_ATOMICS_COUNT, .type = KZ_U32, .axes = {1000, 10}}, {4040, 1000}},
    {{.operation = KZ_ATOMICS_UPDATE, .type = KZ_I32, .axes = {1000, 10}}, {8160, 1000}},
};

const kz_family kz_family_atomics = {
    .name = "atomics",
    .group = "primitives",
    .summary = "many threads, few words: counters, queues, maxima, updates under locks",
    .operations = atomics_operations,
    .axes = (const char *const[]){"n", "k", NULL},
    .variants = atomics_variants,
    .variant_count = ATOMICS_VARIANTS,
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_atomics,
    .buffers = buffers,
    .fill = fill,
    .reference = atomics_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", NULL},
    .guest_signature = "const unsigned *keys, T *out, const T *values, size_t n, size_t k\n"
                       "count-*: const unsigned *keys, T *out, const void *null, size_t n, size_t k\n"
                       "append-*: const T *in, T *out, unsigned *length, size_t n, size_t k",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_atomics_open(kz_device *device, kz_atomics_operation function, size_t n, size_t k,
                          const char *variant, kz_operation **operation, kz_error *error) {
    static const kz_type types[] = {KZ_U32, KZ_F32, KZ_F32, KZ_I32};
    kz_case c = {.operation = function,
                 .type = function < KZ_ATOMICS_OPERATIONS ? types[function] : KZ_U32,
                 .axes = {(int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_atomics, &c, variant, operation, error);
}

kz_status kz_atomics_run(kz_operation *operation, kz_stream *stream, kz_ptr first, kz_ptr out, kz_ptr third,
                         kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){first, out, third}, third ? 3 : 2, workspace,
                            workspace_bytes, error);
}

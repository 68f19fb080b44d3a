// adamw: a step of AdamW for many tensors. Cases, tables, work, plans, the table of variants.
//
// Axes: n elements in so many tensors, split as ml_ops/parameters.h says; the step; control, what is done with scale and skip
// (private.h). Buffers: weights, gradients, m and v of n elements, the table, the list of chunks, the rate and step, a scale, a
// flag, and for update_master a copy of the weights.
#include "adamw.h"

#include <math.h>
#include <string.h>

#include "private.h"
#include "tune.h"

static const kz_adamw_options default_options = {0.9, 0.999, 1e-8, 2026};
static const float learning_rate = 1e-2f; // of the cases

kz_adamw_options adamw_options_of(const kz_case *c) {
    return c->detail ? *(const kz_adamw_options *)c->detail : default_options;
}

static bool is_public(const kz_case *c) { return c->axes[CONTROL] == CONTROL_PUBLIC; }
static uint64_t elements(const kz_case *c) { return (uint64_t)c->axes[PARAMETERS_N]; }
static uint64_t chunks(const kz_case *c) {
    return is_public(c) ? (uint64_t)c->axes[CHUNKS] : parameters_chunk_count(c);
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    adamw_types types = adamw_types_of(c);
    uint64_t n = elements(c), controls = !is_public(c); // a public operation may have none
    list[WEIGHTS] = (kz_buffer){"weights", KZ_INOUT, types.weights, n};
    list[GRADIENTS] = (kz_buffer){"gradients", KZ_INPUT, types.gradients, n};
    list[M] = (kz_buffer){"m", KZ_INOUT, types.weights, n};
    list[V] = (kz_buffer){"v", KZ_INOUT, types.weights, n};
    list[TABLE] =
        (kz_buffer){"parameters", KZ_INPUT, KZ_I64, (uint64_t)c->axes[PARAMETERS_TENSORS] * PARAMETERS_WORDS};
    list[LIST] = (kz_buffer){"chunks", KZ_INPUT, KZ_I64, chunks(c)};
    list[NOW] = (kz_buffer){"now", KZ_INPUT, KZ_I64, controls};
    list[SCALE] = (kz_buffer){"scale", KZ_INPUT, KZ_F32, controls};
    list[SKIP] = (kz_buffer){"skip", KZ_INPUT, KZ_U32, controls};
    list[COPY] = (kz_buffer){"copy", KZ_INOUT, types.gradients, n}; // which a skipped step leaves as it was
    return types.copy ? COPY + 1 : COPY;
}

// ---- inputs ------------------------------------------------------------------------------------------

// A second moment is no less than 0, and 0 before the first step, as the first is.
static void fill_v(const kz_case *c, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    static const int exponents[KZ_DATA_COUNT] = {
        [KZ_DATA_DENORMAL] = -127, [KZ_DATA_SMALL] = -120, [KZ_DATA_LARGE] = 127};
    bool zeros = c->axes[STEP] == 1 || c->data == KZ_DATA_ZEROS;
    for (uint64_t i = 0; i < count; i++) {
        double root = (double)(kz_draw(seed, V, first + i) >> 11) * 0x1p-53;
        kz_element_set(adamw_types_of(c).weights, host, i,
                       zeros ? 0.0 : ldexp(root * root, exponents[c->data]));
    }
}

static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    adamw_types types = adamw_types_of(c);
    switch (which) {
    case M:
        if (c->axes[STEP] != 1) return false;
        memset(host, 0, count * kz_type_size(types.weights));
        return true;
    case V: fill_v(c, seed, first, count, host); return true;
    case TABLE: parameters_fill_table(c, adamw_sizes(types), first, count, host); return true;
    case LIST: parameters_fill_chunks(c, first, count, host); return true;
    case NOW:
        if (count)
            memcpy(host, &(kz_adamw_now){learning_rate, (uint32_t)c->axes[STEP]}, sizeof(kz_adamw_now));
        return true;
    case SCALE:
        if (count) *(float *)host = c->axes[CONTROL] == CONTROL_NONE ? 1.0f : 0.37f;
        return true;
    case SKIP:
        if (count) *(uint32_t *)host = c->axes[CONTROL] == CONTROL_SKIP;
        return true;
    default: return false;
    }
}

// Per element: 3 flops for m, 4 for v, 3 and a division for the quotient, 3 for the weight. A skipped step moves nothing.
static kz_work work(const kz_case *c) {
    adamw_types types = adamw_types_of(c);
    double n = (double)c->axes[PARAMETERS_N], wide = (double)kz_type_size(types.weights),
           narrow = (double)kz_type_size(types.gradients);
    if (c->axes[CONTROL] == CONTROL_SKIP) return (kz_work){0};
    return (kz_work){.bytes = n * (6.0 * wide + narrow * (types.copy ? 2.0 : 1.0)), .flops = 14.0 * n};
}

// ---- plans -------------------------------------------------------------------------------------------

// What a kernel from outside gets: the buffers, a copy where there is one, the counts and the options.
static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    static const uint8_t after[] = {TABLE, LIST, NOW, SCALE, SKIP};
    kz_adamw_options options = adamw_options_of(c);
    size_t count = 0;
    for (uint32_t i = WEIGHTS; i <= V; i++) args[count++] = kz_arg_buffer(i);
    if (adamw_types_of(c).copy) args[count++] = kz_arg_buffer(COPY);
    for (size_t i = 0; i < sizeof after; i++) args[count++] = kz_arg_buffer(after[i]);
    args[count++] = kz_arg_u64(elements(c));
    args[count++] = kz_arg_u64((uint64_t)c->axes[PARAMETERS_TENSORS]);
    args[count++] = kz_arg_u64(chunks(c));
    args[count++] = kz_arg_f32((float)options.beta1);
    args[count++] = kz_arg_f32((float)options.beta2);
    args[count++] = kz_arg_f32((float)options.epsilon);
    if (adamw_draws(c)) args[count++] = kz_arg_u64(options.seed);
    return count;
}

// The variants' arguments: those, with a 0 for a copy that is none, and what is better computed in double, once.
static kz_status launch(const kz_planner *p, uint64_t blocks, uint32_t threads, uint32_t shared_bytes) {
    kz_arg args[KZ_PLAN_ARGS];
    kz_adamw_options options = adamw_options_of(p->c);
    size_t count = guest_args(p->c, args);
    if (!adamw_types_of(p->c).copy) {
        memmove(&args[ARG_COPY + 1], &args[ARG_COPY], (count - ARG_COPY) * sizeof args[0]);
        args[ARG_COPY] = kz_arg_u64(0);
    }
    args[ARG_REST1] = kz_arg_f32((float)(1.0 - options.beta1));
    args[ARG_REST2] = kz_arg_f32((float)(1.0 - options.beta2));
    args[ARG_LOG_BETA1] = kz_arg_f32((float)log(options.beta1));
    args[ARG_LOG_BETA2] = kz_arg_f32((float)log(options.beta2));
    args[ARG_SEED] = kz_arg_u64(options.seed);
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads, .shared_bytes = shared_bytes, .args = args,
                     .arg_count = ADAMW_ARGS);
}

static kz_status refuse_types(const kz_planner *p) {
    bool master = adamw_types_of(p->c).copy;
    kz_type type = p->c->type;
    if (type == KZ_BF16) return KZ_OK;
    if (adamw_draws(p->c))
        return kz_plan_refuse(p->error,
                              "adamw's update_stochastic has no %s: it has bf16, which is short of bits",
                              kz_type_name(type));
    if (type == (master ? KZ_F16 : KZ_F32)) return KZ_OK;
    return kz_plan_refuse(p->error, "adamw's %s has no %s: it has %s and bf16",
                          p->family->operations[p->c->operation], kz_type_name(type), master ? "f16" : "f32");
}

static kz_status plan_elements(const kz_planner *p) {
    kz_status status = refuse_types(p);
    return status ? status : launch(p, kz_ceil_div(elements(p->c), ADAMW_THREADS), ADAMW_THREADS, 0);
}

static kz_status add_chunks(const kz_planner *p, uint32_t shared_bytes) {
    kz_status status = refuse_types(p);
    uint64_t blocks = chunks(p->c), full = (uint64_t)p->device->multiprocessors * p->variant->blocks;
    if (full) blocks = kz_min_u64(blocks, full);
    return status ? status : launch(p, blocks, p->variant->threads, shared_bytes);
}
static kz_status plan_chunks(const kz_planner *p) { return add_chunks(p, 0); }

static kz_status plan_ring(const kz_planner *p) {
    size_t shared = (size_t)ADAMW_STAGES * ADAMW_STAGE_BYTES;
    if (shared > p->device->shared_per_block_optin)
        return kz_plan_refuse(
            p->error,
            "%zu bytes of shared memory are more than a block may have on %s (%zu): 06_persistent needs none",
            shared, p->device->id, p->device->shared_per_block_optin);
    return add_chunks(p, (uint32_t)shared);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_chunks, "plain C on all cores", adamw_natives, .threads = 1, .blocks = 1},
    {"01_search", 75, plan_elements, "a thread per element, which searches its tensor"},
    {"02_chunks", 75, plan_chunks, "a block per chunk of a tensor, by a list", .threads = ADAMW_THREADS},
    {"03_vector", 75, plan_chunks, "16 bytes per access, wherever tensors begin", .threads = ADAMW_THREADS},
    {"04_unrolled", 75, plan_chunks, "two packs of each array in flight", .threads = ADAMW_THREADS},
    {"05_fast_math", 80, plan_chunks, "root and quotient by the special function unit", .threads = ADAMW_THREADS},
    {"06_persistent", 80, plan_chunks, "blocks walk over the list and look ahead",
     .threads = ADAMW_THREADS, .blocks = ADAMW_BLOCKS},
    {"07_bulk_copy", 90, plan_ring, "a warp loads tiles into a ring by bulk copies",
     .threads = ADAMW_THREADS + 32, .blocks = ADAMW_BLOCKS},
};

// ---- cases -------------------------------------------------------------------------------------------

#define CASE(f, t, n, s, k, i, x, u, ...)                                                                    \
    {.operation = KZ_ADAMW_##f, .type = KZ_##t, .axes = {n, s, PARAMETERS_##k, i, CONTROL_##x}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, s, k, i, x, ...) CASE(f, t, n, s, k, i, x, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n, s, k) CASE(f, t, n, s, k, 100, NONE, KZ_USE_BENCH)
// One element; tensors of any length, which begin anywhere, some of them empty; the first step; a chunk that ends in a part of a
// pack; a scale, and a step that is skipped.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 1, 1, EQUAL, 1, NONE), CHECK(f, t, 1003, 7, EQUAL, 2, NONE),                                 \
    CHECK(f, t, 6007, 20, SKEWED, 1000, SCALE), CHECK(f, t, 17001, 1, EQUAL, 1, SCALE),                       \
    CHECK(f, t, 4099, 3, EQUAL, 5, NONE, .misalign = 1), CHECK(f, t, 1000, 3, EQUAL, 3, SKIP),               \
    KZ_NOT_FINITE(CHECK, f, t, 500, 3, EQUAL, 3, NONE), KZ_MAGNITUDES(CHECK, f, t, 500, 3, EQUAL, 7, NONE),  \
    CHECK(f, t, 500, 3, EQUAL, 4, NONE, .data = KZ_DATA_ZEROS)
#define BENCHES(f, t)                                                                                        \
    BENCH(f, t, 1 << 24, 1, EQUAL), BENCH(f, t, 1 << 26, 1024, EQUAL), BENCH(f, t, 1 << 29, 1, EQUAL)
// clang-format on

static const kz_case cases[] = {
    CHECK(UPDATE, F32, 0, 1, EQUAL, 1, NONE),
    CHECK(UPDATE, F32, 1, 1, SKEWED, 1, SCALE),
    CHECK(UPDATE, F32, 300, 300, EQUAL, 2, NONE),   // tensors of one element
    CHECK(UPDATE, F32, 50021, 900, EQUAL, 2, NONE), // more chunks than blocks: 06 and 07 go round their loop
    CHECK(UPDATE_MASTER, BF16, 50021, 900, EQUAL, 2, NONE),
    CHECK(UPDATE, F32, 65536, 4, EQUAL, 2, NONE),
    CHECK(UPDATE, BF16, 65536, 4, EQUAL, 2, NONE),
    CHECK(UPDATE, F32, 8194, 1, EQUAL, 2, NONE,
          .misalign = 3), // a last chunk that its head leaves one element
    CHECK(UPDATE, BF16, 20011, 2, SKEWED, 2147483647, NONE, .misalign = 5),
    EDGES(UPDATE, F32),
    EDGES(UPDATE, BF16),
    EDGES(UPDATE_STOCHASTIC, BF16),
    CHECK(UPDATE_STOCHASTIC, BF16, 50021, 900, EQUAL, 2, NONE),
    CHECK(UPDATE_STOCHASTIC, BF16, 20011, 2, SKEWED, 2147483647, NONE, .misalign = 5),
    EDGES(UPDATE_MASTER, F16),
    EDGES(UPDATE_MASTER, BF16),
    BENCHES(UPDATE, F32),
    BENCHES(UPDATE, BF16),
    BENCHES(UPDATE_MASTER, BF16),
    BENCHES(UPDATE_STOCHASTIC, BF16),
    BENCH(UPDATE, F32, 1 << 29, 300, SKEWED),
    BENCH(UPDATE, BF16, 1 << 29, 300, SKEWED),
    CASE(UPDATE, BF16, KZ_PAST_2_31, 3, EQUAL, 100, NONE, KZ_USE_HUGE),
};

// By hand: 1000 weights, m and v of 4 bytes in and out, 1000 gradients in: of 2 bytes with a copy, and that out.
static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {1000, 5, 0, 1}}, {28000, 14000}},
    {{.type = KZ_BF16, .axes = {1000, 5, 0, 1}}, {14000, 14000}},
    {{.operation = KZ_ADAMW_UPDATE_STOCHASTIC, .type = KZ_BF16, .axes = {1000, 5, 0, 1}}, {14000, 14000}},
    {{.operation = KZ_ADAMW_UPDATE_MASTER, .type = KZ_F16, .axes = {1000, 5, 0, 1}}, {28000, 14000}},
};

#define SIGNATURE(W, copy, seed)                                                                             \
    W " *weights, const T *gradients, " W " *m, " W " *v, " copy "const long long *parameters, "             \
      "const long long *chunks, const long long *now, const float *scale, const unsigned *skip, size_t n, "  \
      "size_t tensors, size_t chunk_count, float beta1, float beta2, float epsilon" seed

const kz_family kz_family_adamw = {
    .name = "adamw",
    .group = "ml_ops",
    .summary = "a step of AdamW for all tensors of a model, in f32, bf16 (rounded by chance, too), or with "
               "master weights",
    .operations = (const char *const[]){"update", "update_master", "update_stochastic", NULL},
    .axes = (const char *const[]){"n", "tensors", "split", "step", "control", NULL},
    .axes_note = "split, the tensors: 0 of equal length, 1 of very different ones; control: 1 is a scale "
                 "that is not 1, 2 a step that is skipped",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_adamw,
    .buffers = buffers,
    .fill = fill,
    .reference = adamw_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", NULL},
    .guest_signature = SIGNATURE("T", "", "") "\nupdate_master-*: " SIGNATURE(
        "float", "T *copy, ", "") "\nupdate_stochastic-*: " SIGNATURE("T", "", ", unsigned long long seed"),
    .guest_args = guest_args,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_adamw_open(kz_device *device, kz_adamw which, kz_type type, const kz_adamw_options *options,
                        size_t n, size_t tensors, size_t chunk_count, const char *variant,
                        kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if (!options)
        return kz_fail(
            error, KZ_INVALID,
            "kz_adamw_open: the options are NULL\n"
            "pass a kz_adamw_options: beta1, beta2, epsilon, and a seed where rounding is by chance");
    if (!(options->beta1 >= 0 && options->beta1 < 1 && options->beta2 >= 0 && options->beta2 < 1 &&
          options->epsilon >= 0))
        return kz_fail(error, KZ_INVALID,
                       "kz_adamw_open: beta1 is %g, beta2 %g, epsilon %g\n"
                       "betas are 0 or more and below 1, epsilon is 0 or more",
                       options->beta1, options->beta2, options->epsilon);
    kz_case c = {.operation = (uint32_t)which,
                 .type = type,
                 .axes = {(int64_t)n, (int64_t)tensors, 0, 1, CONTROL_PUBLIC, (int64_t)chunk_count},
                 .detail = options};
    kz_status status = parameters_check("kz_adamw_open", n, tensors, chunk_count, error);
    if (status) return status;
    return kz_operation_open_family(device, &kz_family_adamw, &c, variant, operation, error);
}

// The order of the buffers. `now` is an address, or the rate and step themselves with bit 63 set: no address has that.
static kz_status run(kz_operation *operation, kz_stream *stream, kz_ptr now, const kz_adamw_buffers *b,
                     kz_error *error) {
    if (!b)
        return kz_fail(error, KZ_INVALID,
                       "kz_adamw_run: the buffers are NULL\n"
                       "pass a kz_adamw_buffers with the addresses in device memory");
    const kz_ptr list[] = {b->weights, b->gradients, b->m,     b->v,    b->parameters,
                           b->chunks,  now,          b->scale, b->skip, b->copy};
    return kz_operation_run(operation, stream, list, b->copy ? COPY + 1 : COPY, 0, 0, error);
}

kz_status kz_adamw_run(kz_operation *operation, kz_stream *stream, float rate, uint32_t step,
                       const kz_adamw_buffers *at, kz_error *error) {
    uint32_t bits;
    memcpy(&bits, &rate, sizeof bits);
    if (step == 0 || step >> 31)
        return kz_fail(error, KZ_INVALID, "kz_adamw_run: step %u\nthe first step is 1, the last 2^31 - 1",
                       step);
    return run(operation, stream, 1ULL << 63 | (kz_ptr)step << 32 | bits, at, error);
}

kz_status kz_adamw_run_from(kz_operation *operation, kz_stream *stream, kz_ptr now,
                            const kz_adamw_buffers *at, kz_error *error) {
    if (!now || now % 8)
        return kz_fail(
            error, KZ_INVALID,
            "kz_adamw_run_from: `now` is 0x%llx\npass the address of a kz_adamw_now in device memory, a "
            "multiple of 8 bytes; kz_adamw_run takes the rate and the step by value",
            (unsigned long long)now);
    return run(operation, stream, now, at, error);
}

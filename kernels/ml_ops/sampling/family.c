// sampling: a token for each row of logits. Cases, work, plans and the table of variants.
//
// Axes: rows, vocabulary, and what is asked for (private.h). Buffers: logits of rows * vocabulary elements, token of rows, and
// step, one integer, which greedy does without.
#include <math.h>

#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }
static bool is_greedy(const kz_case *c) { return c->operation == GREEDY; }

// 0 stands for `off`.
static float thousandths(const kz_case *c, int which, float off) {
    return c->axes[which] == 0 ? off : (float)c->axes[which] / 1000.0f;
}

sampling_filters sampling_filters_of(const kz_case *c) {
    const kz_sampling_params *asked = c->detail;
    sampling_filters f = {.top_k = axis(c, TOP_K), .seed = asked ? asked->seed : SAMPLING_SEED};
    f.top_p = asked ? asked->top_p : thousandths(c, TOP_P, 1.0f);
    f.min_p = asked ? asked->min_p : thousandths(c, MIN_P, 0.0f);
    f.temperature = asked ? asked->temperature : thousandths(c, TEMPERATURE, 1.0f);
    if (f.top_p == 0.0f) f.top_p = 1.0f;
    f.scale = (float)(1.4426950408889634 / (double)f.temperature);
    return f;
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[LOGITS] = (kz_buffer){"logits", KZ_INPUT, c->type, axis(c, ROWS) * axis(c, VOCABULARY)};
    list[TOKEN] = (kz_buffer){"token", KZ_OUTPUT, KZ_I32, axis(c, ROWS)};
    list[STEP] = (kz_buffer){"step", KZ_INPUT, KZ_I64, is_greedy(c) ? 0 : 1};
    return 3;
}

// A step is a count.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which != STEP) return false;
    for (uint64_t i = 0; i < count; i++)
        ((int64_t *)host)[i] = (int64_t)(kz_draw(seed, STEP, first + i) >> 20);
    return true;
}

// Each logit once. A sample takes a difference, a product and an exponential of each.
static kz_work work(const kz_case *c) {
    double rows = (double)c->axes[ROWS], logits = rows * (double)c->axes[VOCABULARY];
    return (kz_work){.bytes =
                         logits * (double)kz_type_size(c->type) + rows * 4.0 + (is_greedy(c) ? 0.0 : 8.0),
                     .flops = is_greedy(c) ? 0.0 : 3.0 * logits};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    sampling_filters f = sampling_filters_of(c);
    size_t count = 0;
    args[count++] = kz_arg_buffer(LOGITS);
    args[count++] = kz_arg_buffer(TOKEN);
    if (!is_greedy(c)) args[count++] = kz_arg_buffer(STEP);
    args[count++] = kz_arg_u64(axis(c, ROWS));
    args[count++] = kz_arg_u64(axis(c, VOCABULARY));
    if (is_greedy(c)) return count;
    args[count++] = kz_arg_u64(f.top_k);
    args[count++] = kz_arg_f32(f.top_p);
    args[count++] = kz_arg_f32(f.min_p);
    args[count++] = kz_arg_f32(f.scale);
    args[count++] = kz_arg_u64(f.seed);
    return count;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) {
    const kz_case *c = p->c;
    sampling_filters f = sampling_filters_of(c);
    if (c->axes[ROWS] < 0 || c->axes[VOCABULARY] < 0 || c->axes[TOP_K] < 0)
        return kz_plan_refuse(p->error, "rows, vocabulary and top_k are counts, 0 or more: %lld, %lld, %lld",
                              (long long)c->axes[ROWS], (long long)c->axes[VOCABULARY],
                              (long long)c->axes[TOP_K]);
    if (c->axes[VOCABULARY] > 1 << 24)
        return kz_plan_refuse(p->error, "a vocabulary of %lld: weights are added up for 2^24 tokens at most",
                              (long long)c->axes[VOCABULARY]);
    if (is_greedy(c)) return KZ_OK;
    if (!(f.temperature > 0.0f) || !isfinite(f.temperature))
        return kz_plan_refuse(p->error,
                              "temperature is %g: it is finite and above 0; ask for greedy instead of 0",
                              (double)f.temperature);
    if (!(f.top_p >= 0.0f) || !(f.min_p >= 0.0f && f.min_p <= 1.0f))
        return kz_plan_refuse(p->error, "top_p is %g and min_p %g: they are shares, from 0 to 1",
                              (double)f.top_p, (double)f.min_p);
    return KZ_OK;
}

// A launch with a guest's arguments and one more, 0 where it has none.
static kz_status add(const kz_planner *p, kz_plan_launch launch, const kz_arg *more) {
    kz_arg args[KZ_PLAN_ARGS];
    launch.arg_count = guest_args(p->c, args);
    if (more) args[launch.arg_count++] = *more;
    launch.args = args;
    return kz_plan_add_launch(p, &launch);
}

static kz_status plan_native(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK || axis(c, ROWS) == 0) return status;
    uint64_t blocks = kz_min_u64(axis(c, ROWS), (uint64_t)p->device->multiprocessors);
    kz_arg items = kz_arg_workspace(0);
    if (!is_greedy(c)) p->plan->workspace_bytes = (blocks * axis(c, VOCABULARY) + 1) * 16;
    return add(p, (kz_plan_launch){.blocks = blocks, .threads = 1}, is_greedy(c) ? NULL : &items);
}

static uint64_t power_of_two(uint64_t n) {
    uint64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

static kz_status plan_launches(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    uint64_t rows = axis(c, ROWS), room = power_of_two(axis(c, VOCABULARY));
    if (status != KZ_OK || rows == 0) return status;
    if (is_greedy(c)) return add(p, (kz_plan_launch){.blocks = rows, .threads = SAMPLING_THREADS}, NULL);
    sampling_filters f = sampling_filters_of(c);
    kz_arg items = kz_arg_workspace(0), found = kz_arg_workspace(rows * room * 8),
           vocabulary = kz_arg_u64(axis(c, VOCABULARY));
    p->plan->workspace_bytes = rows * (room + 1) * 8;
    status = KZ_LAUNCH(
        p, .part = "weights", .blocks = rows, .threads = SAMPLING_THREADS,
        KZ_ARGS(kz_arg_buffer(LOGITS), items, found, kz_arg_u64(room), vocabulary, kz_arg_f32(f.scale)));
    if (!status)
        status = KZ_LAUNCH(p, .entry = "sampling_launches_sort", .blocks = rows, .threads = SAMPLING_THREADS,
                           KZ_ARGS(items, kz_arg_u64(room)));
    if (!status)
        status = KZ_LAUNCH(
            p, .entry = "sampling_launches_bound", .blocks = rows, .threads = SAMPLING_THREADS,
            KZ_ARGS(items, found, kz_arg_u64(room), vocabulary, kz_arg_u64(f.top_k), kz_arg_f32(f.top_p)));
    if (status) return status;
    return KZ_LAUNCH(p, .part = "draw", .blocks = rows, .threads = SAMPLING_THREADS,
                     KZ_ARGS(kz_arg_buffer(LOGITS), kz_arg_buffer(TOKEN), kz_arg_buffer(STEP), found,
                             vocabulary, kz_arg_f32(f.min_p), kz_arg_f32(f.scale), kz_arg_u64(f.seed)));
}

static kz_status plan_sort(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    if (is_greedy(c))
        return kz_plan_refuse(p->error, "greedy needs no sort: 01_launches and 03_search do it");
    uint64_t room = power_of_two(axis(c, VOCABULARY)), least = p->device->shared_per_block_optin;
    if (room * 8 + SAMPLING_STATIC_BYTES > least)
        return kz_plan_refuse(
            p->error, "a vocabulary of %llu takes %llu bytes of shared memory, a block has %llu: 03_search",
            (unsigned long long)axis(c, VOCABULARY), (unsigned long long)room * 8, (unsigned long long)least);
    if (axis(c, ROWS) == 0) return KZ_OK;
    kz_arg more = kz_arg_u64(room);
    return add(p,
               (kz_plan_launch){
                   .blocks = axis(c, ROWS), .threads = SAMPLING_THREADS, .shared_bytes = (uint32_t)room * 8},
               &more);
}

// Teams of `blocks` for a row each, whose slices stay in shared memory where they fit.
static kz_status add_teams(const kz_planner *p, uint64_t blocks, uint32_t threads) {
    const kz_case *c = p->c;
    uint64_t size = kz_type_size(c->type), each = 16 / size;
    uint64_t share = kz_ceil_div(kz_ceil_div(axis(c, VOCABULARY), blocks), each) * each;
    uint64_t bytes = share * size + 16; // a slice that begins between two packs touches one more
    bool fits = !is_greedy(c) && bytes + SAMPLING_STATIC_BYTES <= p->device->shared_per_block_optin;
    kz_arg more = kz_arg_u64(fits);
    return add(p,
               (kz_plan_launch){.blocks = axis(c, ROWS) * blocks,
                                .threads = threads,
                                .cluster = blocks > 1 ? (uint32_t)blocks : 0,
                                .shared_bytes = fits ? (uint32_t)bytes : 0},
               is_greedy(c) ? NULL : &more);
}

static kz_status plan_search(const kz_planner *p) {
    kz_status status = supported(p);
    return status != KZ_OK || axis(p->c, ROWS) == 0
               ? status
               : add_teams(p, 1, is_greedy(p->c) ? SAMPLING_GREEDY_THREADS : SAMPLING_ROW_THREADS);
}

static kz_status plan_cluster(const kz_planner *p) {
    kz_status status = supported(p);
    uint64_t rows = axis(p->c, ROWS), enough = (uint64_t)p->device->multiprocessors / 2;
    if (status != KZ_OK || rows == 0) return status;
    if (rows > enough)
        return kz_plan_refuse(p->error,
                              "%llu rows: from %llu on a block for each (03_search) keeps the GPU busy",
                              (unsigned long long)rows, (unsigned long long)enough + 1);
    return add_teams(p, SAMPLING_CLUSTER, SAMPLING_CLUSTER_THREADS);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", sampling_natives},
    {"01_launches", 75, plan_launches, "a launch for each step, and a sort in memory"},
    {"02_sort", 75, plan_sort, "one launch, the row sorted in shared memory"},
    {"03_search", 75, plan_search, "one launch, a search in the place of the sort"},
    {"04_cluster", 90, plan_cluster, "8 blocks per row, for few rows"},
};

#define CASE(o, t, r, v, k, p, m, h, u, ...)                                                                 \
    {.operation = o, .type = KZ_##t, .axes = {r, v, k, p, m, h}, .use = u, __VA_ARGS__}
#define CHECK(o, t, r, v, k, p, m, h, ...) CASE(o, t, r, v, k, p, m, h, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, r, v, k, p, m, h) CASE(o, t, r, v, k, p, m, h, KZ_USE_BENCH)
// Each filter alone and all together, rows that begin anywhere, equal logits.
#define EDGES(t)                                                                                             \
    CHECK(SAMPLE, t, 3, 501, 0, 0, 0, 100), CHECK(SAMPLE, t, 3, 501, 40, 0, 0, 0, .misalign = 1),            \
    CHECK(SAMPLE, t, 2, 1000, 0, 900, 0, 100), CHECK(SAMPLE, t, 3, 333, 0, 0, 300, 250),                     \
    CHECK(SAMPLE, t, 4, 777, 50, 800, 20, 150), CHECK(SAMPLE, t, 2, 300, 40, 700, 0, 0, .data = KZ_DATA_EQUAL), \
    CHECK(SAMPLE, t, 2, 400, 90, 950, 0, 100, .data = KZ_DATA_RUNS),                                         \
    CHECK(SAMPLE, t, 2, 200, 20, 900, 0, 200, .data = KZ_DATA_NAN),                                          \
    CHECK(SAMPLE, t, 2, 200, 20, 900, 0, 200, .data = KZ_DATA_INF),                                          \
    CHECK(GREEDY, t, 3, 501, 0, 0, 0, 0, .misalign = 1), CHECK(GREEDY, t, 2, 200, 0, 0, 0, 0, .data = KZ_DATA_NAN), \
    CHECK(GREEDY, t, 2, 200, 0, 0, 0, 0, .data = KZ_DATA_INF), CHECK(GREEDY, t, 2, 100, 0, 0, 0, 0, .data = KZ_DATA_EQUAL)
// Inputs lie evenly in [-1, 1): at a temperature of 0.05 weights fall by e^40 over a row, and a top_p of 0.9 keeps 6 of 100
// tokens, where at 0.5 it would keep 54. A decoder keeps few.
#define BENCHES(t)                                                                                           \
    BENCH(GREEDY, t, 256, 131072, 0, 0, 0, 0), BENCH(GREEDY, t, 16, 131072, 0, 0, 0, 0),                     \
    BENCH(GREEDY, t, 1, 131072, 0, 0, 0, 0), BENCH(GREEDY, t, 4096, 32000, 0, 0, 0, 0),                      \
    BENCH(SAMPLE, t, 256, 131072, 50, 900, 0, 50), BENCH(SAMPLE, t, 16, 131072, 50, 900, 0, 50),             \
    BENCH(SAMPLE, t, 256, 131072, 0, 900, 0, 50), BENCH(SAMPLE, t, 256, 131072, 0, 0, 50, 50),               \
    BENCH(SAMPLE, t, 1024, 32000, 50, 900, 0, 50)
// clang-format on

static const kz_case cases[] = {
    CHECK(SAMPLE, F32, 0, 16, 0, 0, 0, 0),
    CHECK(SAMPLE, F32, 3, 0, 0, 0, 0, 0), // nothing to draw from
    CHECK(GREEDY, F32, 3, 0, 0, 0, 0, 0),
    CHECK(SAMPLE, F32, 1, 1, 0, 0, 0, 0),
    CHECK(GREEDY, F32, 1, 1, 0, 0, 0, 0),
    CHECK(SAMPLE, F32, 1, 5000, 0, 950, 0, 500), // more between the limits than the list of a search holds
    CHECK(SAMPLE, BF16, 1, 3000, 2500, 950, 0, 500),
    CHECK(SAMPLE, F32, 2, 300, 300, 1000, 1000, 0),                // the greatest alone
    CHECK(SAMPLE, F16, 2, 300, 5, 0, 0, 0, .data = KZ_DATA_LARGE), // beside which all weights are 0
    CHECK(SAMPLE, F32, 2, 300, 5, 500, 0, 0, .data = KZ_DATA_LARGE),
    CHECK(SAMPLE, BF16, 2, 300, 0, 500, 0, 0, .data = KZ_DATA_DENORMAL),
    CHECK(SAMPLE, F32, 2, 100, 1, 0, 0, 0, .data = KZ_DATA_ZEROS),
    CHECK(GREEDY, F32, 2, 5000, 0, 0, 0, 0, .data = KZ_DATA_RUNS),
    EDGES(F32),
    EDGES(F16),
    EDGES(BF16),
    BENCHES(F32),
    BENCHES(BF16),
    CASE(GREEDY, BF16, 65537, 32771, 0, 0, 0, 0, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 halves in, 10 tokens out, a step; 3 operations for each of the 200.
static const kz_worked worked[] = {
    {{.operation = SAMPLE, .type = KZ_F16, .axes = {10, 20}}, {400 + 40 + 8, 600}},
    {{.operation = GREEDY, .type = KZ_F16, .axes = {10, 20}}, {400 + 40, 0}},
};

static uint64_t size(const kz_case *c) { return axis(c, VOCABULARY); }

static const char *rule(const kz_case *c, size_t which) {
    return is_greedy(c)
               ? "the greatest logit, the first of equals; NaN and -Inf never, and -1 where nothing is left"
               : "the first token, in the order of the vocabulary, at which the sum of weights passes the "
                 "random share of all; -1 where nothing is left";
}

const kz_family kz_family_sampling = {
    .name = "sampling",
    .group = "ml_ops",
    .summary = "a token for each row of logits: temperature, top-k, top-p and min-p, or the greatest",
    .operations = (const char *const[]){"sample", "greedy", NULL},
    .axes = (const char *const[]){"rows", "vocabulary", "top_k", "top_p", "min_p", "temperature", NULL},
    .axes_note = "top_p, min_p and temperature are in thousandths: top_p900 is 0.9; 0 stands for off, of "
                 "temperature for 1",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_sampling,
    .buffers = buffers,
    .fill = fill,
    .reference = sampling_reference,
    .rule = rule,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", NULL},
    .guest_signature =
        "const T *logits, int *token, const long long *step, size_t rows, size_t vocabulary, size_t top_k, "
        "float share, float least, float scale, unsigned long long seed\n"
        "greedy-*: const T *logits, int *token, size_t rows, size_t vocabulary",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_sampling_open(kz_device *device, kz_type type, size_t rows, size_t vocabulary,
                           const kz_sampling_params *params, const char *variant, kz_operation **operation,
                           kz_error *error) {
    if (operation) *operation = NULL;
    if (!params || params->size < sizeof *params)
        return kz_fail(error, KZ_INVALID,
                       "kz_sampling_open: params is NULL or of another version\n"
                       "set params.size to sizeof(kz_sampling_params)");
    kz_case c = {.operation = params->temperature == 0.0f ? GREEDY : SAMPLE,
                 .type = type,
                 .axes = {(int64_t)rows, (int64_t)vocabulary, params->top_k},
                 .detail = params};
    return kz_operation_open_family(device, &kz_family_sampling, &c, variant, operation, error);
}

kz_status kz_sampling_run(kz_operation *operation, kz_stream *stream, kz_ptr logits, kz_ptr step,
                          kz_ptr token, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){logits, token, step}, 3, workspace, workspace_bytes,
                            error);
}

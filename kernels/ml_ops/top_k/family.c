// top_k: the k greatest of each row, with their indices. Cases, work, plans and the table of variants.
//
// Axes: rows, columns, k. Buffers: x of rows * columns elements, values and index of rows * k.
#include "top_k.h"

#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, axis(c, ROWS) * axis(c, COLUMNS)};
    list[VALUES] = (kz_buffer){"values", KZ_OUTPUT, c->type, axis(c, ROWS) * axis(c, K)};
    list[INDEX] = (kz_buffer){"index", KZ_OUTPUT, KZ_I32, axis(c, ROWS) * axis(c, K)};
    return 3;
}

// A comparison for each element is no flop.
static kz_work work(const kz_case *c) {
    double size = (double)kz_type_size(c->type), rows = (double)c->axes[ROWS];
    return (kz_work){.bytes = rows * ((double)c->axes[COLUMNS] * size + (double)c->axes[K] * (size + 4.0))};
}

// ---- plans -----------------------------------------------------------------------------------------

static uint64_t power_of_two(uint64_t n) {
    uint64_t power = 1;
    while (power < n) power *= 2;
    return power;
}

static kz_status supported(const kz_planner *p) {
    const kz_case *c = p->c;
    if (c->axes[ROWS] < 0 || c->axes[COLUMNS] < 0 || c->axes[K] < 0)
        return kz_plan_refuse(p->error, "rows, columns and k are counts, 0 or more: %lld, %lld, %lld",
                              (long long)c->axes[ROWS], (long long)c->axes[COLUMNS], (long long)c->axes[K]);
    if (c->axes[K] > c->axes[COLUMNS])
        return kz_plan_refuse(p->error, "k is %lld, and a row has %lld columns: ask for at most as many",
                              (long long)c->axes[K], (long long)c->axes[COLUMNS]);
    if (c->axes[COLUMNS] > INT32_MAX)
        return kz_plan_refuse(
            p->error, "%lld columns: indices are i32, so a row has fewer than 2^31; cut it into parts",
            (long long)c->axes[COLUMNS]);
    return KZ_OK;
}

static bool is_empty(const kz_case *c) { return c->axes[ROWS] == 0 || c->axes[K] == 0; }

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    return KZ_LAUNCH(p, .blocks = kz_min_u64(axis(p->c, ROWS), (uint64_t)p->device->multiprocessors),
                     .threads = 1);
}

// A block per row, with room for so many candidates of 8 bytes, and `more` bytes of shared memory that the kernel itself has.
static kz_status add_blocks(const kz_planner *p, uint64_t room, uint64_t more) {
    uint64_t bytes = room * 8;
    if (bytes + more > p->device->shared_per_block_optin)
        return kz_plan_refuse(
            p->error,
            "%llu candidates take %llu bytes of shared memory, %llu with what else is there, and a block has "
            "%zu: 01_arg_max needs none",
            (unsigned long long)room, (unsigned long long)bytes, (unsigned long long)(bytes + more),
            p->device->shared_per_block_optin);
    return KZ_LAUNCH(p, .blocks = axis(p->c, ROWS), .threads = p->variant->threads,
                     .shared_bytes = (uint32_t)bytes);
}

static kz_status plan_arg_max(const kz_planner *p) {
    kz_status status = supported(p);
    return status != KZ_OK || is_empty(p->c) ? status : add_blocks(p, 0, 0);
}

static kz_status plan_sort(const kz_planner *p) {
    kz_status status = supported(p);
    return status != KZ_OK || is_empty(p->c) ? status : add_blocks(p, power_of_two(axis(p->c, COLUMNS)), 0);
}

static kz_status plan_radix_select(const kz_planner *p) {
    kz_status status = supported(p);
    return status != KZ_OK || is_empty(p->c) ? status
                                             : add_blocks(p, power_of_two(axis(p->c, K)), TOP_K_STATIC_BYTES);
}

static kz_status plan_warp_filter(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(c)) return status;
    uint64_t per_pack = TOP_K_LANES * (16 / kz_type_size(c->type)),
             packs = kz_ceil_div(axis(c, COLUMNS), per_pack);
    if (axis(c, K) > TOP_K_WARP_MOST || packs > 32)
        return kz_plan_refuse(p->error,
                              "a warp takes k to %d and rows to %llu columns: 05_block_filter takes more",
                              TOP_K_WARP_MOST, (unsigned long long)(32 * per_pack));
    return KZ_LAUNCH(p,
                     .part = packs <= 1    ? "1"
                             : packs <= 4  ? "4"
                             : packs <= 16 ? "16"
                                           : "32",
                     .blocks = kz_ceil_div(axis(c, ROWS), TOP_K_WARPS), .threads = TOP_K_WARPS * TOP_K_LANES);
}

// The most that the maxima of a block's groups tell of.
static kz_status filters(const kz_planner *p) {
    enum { MOST = TOP_K_FILTER_THREADS * TOP_K_FILTER_GROUPS / 2 };
    kz_status status = supported(p);
    if (status != KZ_OK || p->c->axes[K] <= MOST) return status;
    return kz_plan_refuse(p->error, "k is %lld: the filter takes %d at most, 03_radix_select more",
                          (long long)p->c->axes[K], MOST);
}

static uint64_t top_k_list(uint64_t k) {
    uint64_t room = 4 * power_of_two(k);
    return room < TOP_K_LIST ? TOP_K_LIST : room;
}

static kz_status plan_block_filter(const kz_planner *p) {
    kz_status status = filters(p);
    return status != KZ_OK || is_empty(p->c) ? status
                                             : add_blocks(p, top_k_list(axis(p->c, K)), TOP_K_STATIC_BYTES);
}

static kz_status plan_cluster(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = filters(p);
    if (status != KZ_OK || is_empty(c)) return status;
    uint64_t enough = (uint64_t)p->device->multiprocessors / 2;
    if (axis(c, ROWS) > enough)
        return kz_plan_refuse(p->error,
                              "%llu rows: from %llu on a block for each (05_block_filter) does less work",
                              (unsigned long long)axis(c, ROWS), (unsigned long long)enough + 1);
    uint64_t room = top_k_list(axis(c, K)) + TOP_K_CLUSTER * axis(c, K);
    return KZ_LAUNCH(p, .blocks = axis(c, ROWS) * TOP_K_CLUSTER, .threads = TOP_K_FILTER_THREADS,
                     .cluster = TOP_K_CLUSTER, .shared_bytes = (uint32_t)room * 8);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", top_k_natives},
    {"01_arg_max", 75, plan_arg_max, "k times the greatest", .threads = TOP_K_THREADS},
    {"02_sort", 75, plan_sort, "the whole row sorted in shared memory", .threads = TOP_K_SORT_THREADS},
    {"03_radix_select", 75, plan_radix_select, "digit by digit to the k'th, then k sorted", .threads = TOP_K_THREADS},
    {"04_warp_filter", 80, plan_warp_filter, "a warp per row; maxima of groups give a bound"},
    {"05_block_filter", 80, plan_block_filter, "the same for long rows, read twice", .threads = TOP_K_FILTER_THREADS},
    {"06_cluster", 90, plan_cluster, "8 blocks per row, for few long rows"},
};

#define CASE(t, r, c, k, u, ...) {.type = KZ_##t, .axes = {r, c, k}, .use = u, __VA_ARGS__}
#define CHECK(t, r, c, k, ...) CASE(t, r, c, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(t, r, c, k) CASE(t, r, c, k, KZ_USE_BENCH)
// Rows that begin anywhere, many equals, more rows than a block of warps has.
#define EDGES(t)                                                                                             \
    CHECK(t, 5, 67, 8), CHECK(t, 3, 501, 33, .misalign = 1), CHECK(t, 2, 1024, 64),                          \
    KZ_NOT_FINITE(CHECK, t, 3, 200, 7), CHECK(t, 2, 300, 40, .data = KZ_DATA_EQUAL),                         \
    CHECK(t, 1, 700, 90, .data = KZ_DATA_RUNS)
#define BENCHES(t)                                                                                           \
    BENCH(t, 32768, 4096, 64), BENCH(t, 32768, 1024, 32), BENCH(t, 65536, 256, 8), BENCH(t, 1024, 131072, 64), \
    BENCH(t, 16, 131072, 64), BENCH(t, 1024, 131072, 1024)
// clang-format on

static const kz_case cases[] = {
    CHECK(F32, 0, 16, 4),
    CHECK(F32, 3, 16, 0),
    CHECK(F32, 1, 1, 1),
    CHECK(BF16, 1, 1, 1),
    CHECK(F32, 2, 128, 128),
    CHECK(F16, 2, 77, 77),
    CHECK(BF16, 1, 2048, 1),
    CHECK(F32, 2, 400, 5, .data = KZ_DATA_ZEROS),
    CHECK(F16, 2, 400, 129, .data = KZ_DATA_ONES), // past what 04 takes, and equal
    CHECK(F32, 1, 300, 20, .data = KZ_DATA_DENORMAL),
    CHECK(BF16, 1, 300, 20, .data = KZ_DATA_LARGE),
    CHECK(F16, 1, 300, 20, .data = KZ_DATA_SMALL),
    CHECK(BF16, 1, 4096, 64, .data = KZ_DATA_EQUAL), // more survivors than have room
    CHECK(BF16, 2, 4096, 64),
    CHECK(BF16, 1, 5001, 50),
    CHECK(F32, 1, 4096, 128, .misalign = 1), // no room for the pack in which it begins
    CHECK(F32, 1, 1100, 1024),
    CHECK(BF16, 1, 2056, 1024, .data = KZ_DATA_ONES),
    EDGES(F32),
    EDGES(F16),
    EDGES(BF16),
    BENCHES(F32),
    BENCHES(F16),
    BENCHES(BF16),
    CASE(BF16, 65537, 32771, 16, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 halves in, of 3 halves and 3 integers out.
static const kz_worked worked[] = {{{.type = KZ_F16, .axes = {10, 20, 3}}, {.bytes = 10 * (40 + 6 + 12)}}};

static uint64_t size(const kz_case *c) { return axis(c, COLUMNS); }

static const char *rule(const kz_case *c, size_t which) {
    return which == INDEX
               ? "of equal values the lower index comes first; -0 and +0 are equal, NaN is the greatest"
               : "values descend; NaN comes first";
}

const kz_family kz_family_top_k = {
    .name = "top_k",
    .group = "ml_ops",
    .summary = "the k greatest elements of each row, in order, with their indices",
    .operations = (const char *const[]){"top_k", NULL},
    .axes = (const char *const[]){"rows", "columns", "k", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_top_k,
    .buffers = buffers,
    .reference = top_k_reference,
    .rule = rule,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", NULL},
    .guest_signature = "const T *x, T *values, int *index, size_t rows, size_t columns, size_t k",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_top_k_open(kz_device *device, kz_type type, size_t rows, size_t columns, size_t k,
                        const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)rows, (int64_t)columns, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_top_k, &c, variant, operation, error);
}

kz_status kz_top_k_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr values, kz_ptr index,
                       kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, values, index}, 3, 0, 0, error);
}

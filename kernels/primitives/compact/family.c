// compact: select, partition, unique. Cases, work, plans and the table of variants.
//
// Axes: n and percent, the share of elements that is selected (unique: that begins a run), which inputs of
// data `uniform` follow. Buffers: in, out of n elements, count, flags of n bytes where the operation has some.
#include "compact.h"

#include <stdio.h>

#include "private.h"
#include "tune.h"

static const char *const operations[] = {
    "select", "select_flagged", "partition", "partition_flagged", "unique", NULL};

static bool is_flagged(const kz_case *c) { return compact_flagged(c->operation); }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[AXIS_N];
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, n};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, n};
    list[COUNT] = (kz_buffer){"count", KZ_OUTPUT, KZ_U32, 1};
    if (!is_flagged(c)) return 3;
    list[FLAGS] = (kz_buffer){"flags", KZ_INPUT, KZ_U8, n};
    return 4;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[AXIS_N], size = (double)kz_type_size(c->type);
    double written = compact_partitions(c->operation) ? 1.0 : (double)c->axes[AXIS_PERCENT] / 100.0;
    return (kz_work){.bytes = n * (size * (1.0 + written) + (is_flagged(c) ? 1.0 : 0.0)) + 4.0};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    size_t count = 0;
    args[count++] = kz_arg_buffer(IN);
    args[count++] = kz_arg_buffer(OUT);
    args[count++] = kz_arg_buffer(COUNT);
    if (is_flagged(c)) args[count++] = kz_arg_buffer(FLAGS);
    args[count++] = kz_arg_u64((uint64_t)c->axes[AXIS_N]);
    return count;
}

// What is not looked at is named for its size alone (compact.cuh).
static kz_entry entry(const kz_case *c) {
    bool looks = compact_by_value(c->operation) || (!is_flagged(c) && compact_real(c->type));
    return (kz_entry){operations[c->operation], looks ? c->type : kz_type_of_size(kz_type_size(c->type))};
}

// ---- plans -----------------------------------------------------------------------------------------

// KZ_OK, and *done where there is nothing to launch: no elements, and a count of 0.
static kz_status begin(const kz_planner *p, bool *done) {
    const kz_case *c = p->c;
    const char *type = kz_type_name(c->type);
    bool known =
        c->type == KZ_F32 || c->type == KZ_F64 || c->type == KZ_I32 || c->type == KZ_F16 || c->type == KZ_U8;
    if (compact_by_value(c->operation) && !known)
        return kz_plan_refuse(
            p->error,
            "compact looks at values of f32, f64, i32, f16 and u8, not of %s: make flags, and select by "
            "those",
            type);
    if (c->axes[AXIS_N] > UINT32_MAX)
        return kz_plan_refuse(p->error, "compact counts in 32 bits: %lld elements are too many; split them",
                              (long long)c->axes[AXIS_N]);
    if (c->axes[AXIS_PERCENT] > 100)
        return kz_plan_refuse(p->error, "percent is %lld: the share that is selected, 0 to 100",
                              (long long)c->axes[AXIS_PERCENT]);
    *done = c->axes[AXIS_N] == 0;
    if (*done) kz_plan_add_fill(p->plan, kz_arg_buffer(COUNT), 0, 4);
    return KZ_OK;
}

// 01 to 03 have f32, u8 by value, what has 4 bytes by flags, f32 and integers of 4 bytes by runs.
static kz_status begin_few(const kz_planner *p, bool *done) {
    const kz_case *c = p->c;
    kz_status status = begin(p, done);
    if (status != KZ_OK) return status;
    kz_type type = entry(c).type;
    bool known = type == (is_flagged(c) ? KZ_U32 : KZ_F32) ||
                 type == (compact_by_value(c->operation) ? KZ_U8 : KZ_U32);
    if (known) return KZ_OK;
    return kz_plan_refuse(p->error, "this variant has no %s of %s: 04 to 06 have all",
                          operations[c->operation], kz_type_name(c->type));
}

static kz_arg flags_arg(const kz_case *c) { return is_flagged(c) ? kz_arg_buffer(FLAGS) : kz_arg_u64(0); }
static kz_arg n_arg(const kz_case *c) { return kz_arg_u64((uint64_t)c->axes[AXIS_N]); }

// Tiles of `tile` bytes of elements, counted from the 16-byte boundary before `in`: one more than the
// elements need, at worst.
static uint64_t tiles_from_boundary(const kz_case *c, uint64_t tile) {
    uint64_t size = kz_type_size(c->type);
    return kz_ceil_div((uint64_t)c->axes[AXIS_N] * size + 16 - size, tile);
}

enum { ROWS_TILE = COMPACT_THREADS * COMPACT_ROWS * 16 }; // bytes: 03 and 04

// 01 to 03: parts are counted, the counts added up, the parts written. A block has `parts_of_block`.
static kz_status plan_frame(const kz_planner *p, uint64_t parts, uint64_t parts_of_block) {
    bool done = false;
    kz_status status = begin_few(p, &done);
    if (status != KZ_OK || done) return status;
    uint64_t blocks = kz_ceil_div(parts, parts_of_block);
    kz_arg in = kz_arg_buffer(IN), flags = flags_arg(p->c), counts = kz_arg_workspace(0), n = n_arg(p->c);
    p->plan->workspace_bytes = parts * 4;
    kz_case counted = *p->c; // a partition counts as a selection does
    if (counted.operation == KZ_COMPACT_PARTITION) counted.operation = KZ_COMPACT_SELECT;
    if (counted.operation == KZ_COMPACT_PARTITION_FLAGGED) counted.operation = KZ_COMPACT_SELECT_FLAGGED;
    kz_planner count = *p;
    count.c = &counted;
    status = KZ_LAUNCH(&count, .part = "count", .blocks = blocks, .threads = COMPACT_THREADS,
                       KZ_ARGS(in, flags, counts, n));
    char sums[KZ_ENTRY_NAME];
    snprintf(sums, sizeof sums, "compact_%s_sums", kz_variant_idea(p->variant));
    if (!status)
        status = KZ_LAUNCH(p, .entry = sums, .blocks = 1, .threads = COMPACT_THREADS,
                           KZ_ARGS(counts, kz_arg_u64(parts), kz_arg_buffer(COUNT)));
    if (status) return status;
    return KZ_LAUNCH(p, .blocks = blocks, .threads = COMPACT_THREADS,
                     KZ_ARGS(in, flags, counts, kz_arg_buffer(OUT), n));
}

static kz_status plan_thread_chunks(const kz_planner *p) {
    return plan_frame(p, kz_ceil_div((uint64_t)p->c->axes[AXIS_N], COMPACT_ITEMS), COMPACT_THREADS);
}

static kz_status plan_ballot(const kz_planner *p) {
    return plan_frame(p, kz_ceil_div((uint64_t)p->c->axes[AXIS_N], COMPACT_ITEMS * 32), COMPACT_THREADS / 32);
}

static kz_status plan_shared_tile(const kz_planner *p) {
    return plan_frame(p, tiles_from_boundary(p->c, ROWS_TILE), 1);
}

// The workspace: the counter, then a word for each tile.
static kz_status plan_look_back(const kz_planner *p) {
    bool done = false;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    uint64_t tiles = tiles_from_boundary(p->c, ROWS_TILE);
    p->plan->workspace_bytes = 8 + tiles * 8;
    kz_plan_add_fill(p->plan, kz_arg_workspace(0), 0, p->plan->workspace_bytes);
    return KZ_LAUNCH(p, .blocks = tiles, .threads = COMPACT_THREADS,
                     KZ_ARGS(kz_arg_buffer(IN), flags_arg(p->c), kz_arg_buffer(OUT), kz_arg_buffer(COUNT),
                             kz_arg_workspace(0), kz_arg_workspace(8), n_arg(p->c)));
}

static kz_status fits_tile_states(const kz_planner *p, uint64_t tiles) {
    if (tiles <= COMPACT_STATUSES) return KZ_OK;
    return kz_plan_refuse(
        p->error, "the module has room for %d tiles, and this is %llu: 04_look_back has no such limit",
        COMPACT_STATUSES, (unsigned long long)tiles);
}

// 05 and 06: one launch, which needs no workspace.
static kz_status add_single_pass(const kz_planner *p, uint64_t blocks, uint32_t threads,
                                 uint32_t shared_bytes) {
    return KZ_LAUNCH(
        p, .blocks = blocks, .threads = threads, .shared_bytes = shared_bytes,
        KZ_ARGS(kz_arg_buffer(IN), flags_arg(p->c), kz_arg_buffer(OUT), kz_arg_buffer(COUNT), n_arg(p->c)));
}

static kz_status plan_epoch_flags(const kz_planner *p) {
    bool done = false;
    uint64_t tiles = tiles_from_boundary(p->c, COMPACT_EPOCH_THREADS * COMPACT_EPOCH_ROWS * 16);
    kz_status status = begin(p, &done);
    if (status == KZ_OK) status = fits_tile_states(p, tiles);
    if (status != KZ_OK || done) return status;
    return add_single_pass(p, tiles, COMPACT_EPOCH_THREADS, 0);
}

// No more blocks than the elements need tiles wherever they lie: each block has one.
static kz_status plan_look_ahead(const kz_planner *p) {
    const kz_case *c = p->c;
    const kz_device_info *device = p->device;
    bool done = false;
    kz_status status = begin(p, &done);
    if (status == KZ_OK) status = fits_tile_states(p, tiles_from_boundary(c, COMPACT_AHEAD_TILE));
    if (status != KZ_OK || done) return status;
    uint32_t size = (uint32_t)kz_type_size(c->type);
    uint64_t tiles = kz_ceil_div((uint64_t)c->axes[AXIS_N] * size, COMPACT_AHEAD_TILE);
    uint64_t blocks = kz_min_u64(tiles, (uint64_t)device->multiprocessors * COMPACT_AHEAD_BLOCKS);
    uint32_t stage = COMPACT_AHEAD_STAGE(size, is_flagged(c), c->operation == KZ_COMPACT_UNIQUE);
    uint32_t shared = stage * COMPACT_AHEAD_DEPTH(stage);
    if (shared > device->shared_per_block_optin)
        return kz_plan_refuse(p->error,
                              "%u bytes of shared memory are more than a block may have on %s (%zu)", shared,
                              device->id, device->shared_per_block_optin);
    return add_single_pass(p, blocks, COMPACT_AHEAD_THREADS, shared);
}

static kz_status plan_native(const kz_planner *p) {
    bool done = false;
    kz_status status = begin(p, &done);
    if (status != KZ_OK || done) return status;
    uint64_t blocks =
        kz_min_u64(kz_ceil_div((uint64_t)p->c->axes[AXIS_N], 4096), (uint64_t)p->device->multiprocessors);
    kz_arg in = kz_arg_buffer(IN), flags = flags_arg(p->c), counts = kz_arg_workspace(0), n = n_arg(p->c);
    p->plan->workspace_bytes = blocks * 4;
    status = KZ_LAUNCH(p, .part = "count", .blocks = blocks, .threads = 1, KZ_ARGS(in, flags, counts, n));
    if (status) return status;
    return KZ_LAUNCH(p, .blocks = blocks, .threads = 1,
                     KZ_ARGS(in, flags, counts, n, kz_arg_buffer(OUT), kz_arg_buffer(COUNT)));
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", compact_natives},
    {"01_thread_chunks", 75, plan_thread_chunks, "a chunk per thread: count, scan, write"},
    {"02_ballot", 75, plan_ballot, "ranks from a warp's ballot"},
    {"03_shared_tile", 75, plan_shared_tile, "16-byte loads, compacted in shared memory"},
    {"04_look_back", 75, plan_look_back, "one pass: decoupled look-back"},
    {"05_epoch_flags", 75, plan_epoch_flags, "one launch: tile statuses flagged with the launch's epoch"},
    {"06_look_ahead", 90, plan_look_ahead, "specialized warps, bulk loads, six tiles in flight"},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(o, t, n, percent, u, ...)                                                                       \
    {.operation = KZ_COMPACT_##o, .type = KZ_##t, .axes = {n, percent}, .use = u, __VA_ARGS__}
#define CHECK(o, t, n, percent, ...) CASE(o, t, n, percent, KZ_USE_CHECK, __VA_ARGS__)
#define HALF(o, t, n)                CHECK(o, t, n, 50)
#define BENCH(o, t, n, percent)      CASE(o, t, n, percent, KZ_USE_BENCH)
// 1025 fills no tile of 03 to 06 but for f64; 20011 are several, the first of which begins with empty places.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 1, 0), CHECK(o, t, 1, 100), CHECK(o, t, 1025, 50), CHECK(o, t, 9001, 10, .misalign = 1)
#define VALUE_EDGES(o) EDGES(o, F32), EDGES(o, F64), EDGES(o, I32), EDGES(o, F16), EDGES(o, U8)
#define SIZE_EDGES(o)  EDGES(o, I32), EDGES(o, I64), EDGES(o, U16), EDGES(o, U8), CHECK(o, BF16, 1025, 50)
// Every percentage, on several tiles.
#define PERCENTS(o, t, n)                                                                                    \
    CHECK(o, t, n, 0), CHECK(o, t, n, 50), CHECK(o, t, n, 90, .misalign = 3), CHECK(o, t, n, 100)
#define SPECIALS(o, t)                                                                                       \
    KZ_NOT_FINITE(CHECK, o, t, 700, 50),                                                                     \
    CHECK(o, t, 700, 50, .data = KZ_DATA_DENORMAL), CHECK(o, t, 700, 50, .data = KZ_DATA_ZEROS)
// clang-format on

static const kz_case cases[] = {
    CHECK(SELECT, F32, 0, 50),
    CHECK(UNIQUE, U8, 0, 50),
    CHECK(PARTITION_FLAGGED, F64, 0, 50),
    KZ_AROUND_WARP(HALF, SELECT, F32),
    CHECK(PARTITION, F32, 4096, 50),
    CHECK(UNIQUE, I32, 4096, 50, .data = KZ_DATA_RUNS),
    CHECK(UNIQUE, F32, 8192, 50, .data = KZ_DATA_EQUAL),
    VALUE_EDGES(SELECT),
    VALUE_EDGES(PARTITION),
    SIZE_EDGES(SELECT_FLAGGED),
    CHECK(SELECT_FLAGGED, F32, 1025, 100),
    CHECK(SELECT_FLAGGED, F64, 1025, 0),
    SIZE_EDGES(PARTITION_FLAGGED),
    CHECK(PARTITION_FLAGGED, U32, 1025, 100),
    CHECK(PARTITION_FLAGGED, F16, 1025, 0),
    SIZE_EDGES(UNIQUE),
    EDGES(UNIQUE, F32),
    EDGES(UNIQUE, F64),
    EDGES(UNIQUE, F16),
    CHECK(UNIQUE, U32, 1025, 50),
    PERCENTS(SELECT, F32, 20011),
    PERCENTS(PARTITION, U8, 70001),
    PERCENTS(UNIQUE, F16, 33333),
    PERCENTS(SELECT_FLAGGED, I32, 20011),
    SPECIALS(SELECT, F32),
    SPECIALS(PARTITION, F16),
    SPECIALS(UNIQUE, F64),
    SPECIALS(UNIQUE, BF16),
    // 147 tiles of 06, more than there are multiprocessors.
    CHECK(PARTITION, F64, 600011, 50, .misalign = 1),
    CASE(SELECT, F32, 1 << 16, 50, KZ_USE_CHECK | KZ_USE_BENCH),
    BENCH(SELECT, F32, 1 << 18, 50),
    BENCH(SELECT, F32, 1 << 20, 50),
    BENCH(SELECT, F32, 1 << 22, 50),
    BENCH(SELECT, F32, 1 << 24, 50),
    BENCH(SELECT, F32, 1 << 26, 50),
    BENCH(SELECT, F32, 1 << 28, 50),
    BENCH(SELECT, F32, 1 << 29, 50),
    BENCH(SELECT, F32, 1 << 28, 0),
    BENCH(SELECT, F32, 1 << 28, 10),
    BENCH(SELECT, F32, 1 << 28, 90),
    BENCH(SELECT, F32, 1 << 28, 100),
    BENCH(SELECT, I32, 1 << 28, 50),
    BENCH(SELECT, F64, 1 << 28, 50),
    BENCH(SELECT, F16, 1 << 28, 50),
    BENCH(SELECT, U8, 1 << 29, 50),
    BENCH(SELECT_FLAGGED, F32, 1 << 28, 50),
    BENCH(PARTITION, F32, 1 << 28, 50),
    BENCH(PARTITION_FLAGGED, F32, 1 << 28, 50),
    BENCH(UNIQUE, F32, 1 << 28, 50),
    BENCH(UNIQUE, F32, 1 << 28, 10),
    BENCH(UNIQUE, I64, 1 << 28, 50),
    CASE(PARTITION, U8, KZ_PAST_2_31, 50, KZ_USE_HUGE),
};

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"01_threads", "01_thread_chunks"},
    {"03_tiles", "03_shared_tile"},
    {"05_mail", "05_epoch_flags"},
    {0},
};

static const kz_worked worked[] = {
    {{.operation = KZ_COMPACT_SELECT, .type = KZ_F32, .axes = {1000, 50}}, {6004, 0}},
    {{.operation = KZ_COMPACT_PARTITION, .type = KZ_F32, .axes = {1000, 50}}, {8004, 0}},
    {{.operation = KZ_COMPACT_SELECT_FLAGGED, .type = KZ_F32, .axes = {1000, 50}}, {7004, 0}},
};

const kz_family kz_family_compact = {
    .name = "compact",
    .group = "primitives",
    .summary = "select, partition, unique: the wanted elements together, in order",
    .operations = operations,
    .axes = (const char *const[]){"n", "percent", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_compact,
    .entry = entry,
    .buffers = buffers,
    .fill = compact_fill,
    .reference = compact_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", NULL},
    .guest_signature =
        "const T *in, T *out, unsigned *count, size_t n\n"
        "*_flagged-*: const T *in, T *out, unsigned *count, const unsigned char *flags, size_t n",
    .guest_args = guest_args,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_compact_open(kz_device *device, kz_compact_operation which, kz_type type, size_t n,
                          const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = which, .type = type, .axes = {(int64_t)n, 50}};
    return kz_operation_open_family(device, &kz_family_compact, &c, variant, operation, error);
}

kz_status kz_compact_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr flags, kz_ptr out,
                         kz_ptr count, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out, count, flags}, flags ? 4 : 3, workspace,
                            workspace_bytes, error);
}

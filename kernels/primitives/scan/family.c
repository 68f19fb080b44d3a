// scan: prefix sums and their kin. Cases, inputs, work, plans and the table of variants.
//
// Axes: n. Buffers: in, out of n elements (of 2 n numbers for affine maps), heads of n bytes for segmented
// scans.
#include "scan.h"

#include "private.h"
#include "tune.h"

// In the order of kz_scan_function, inclusive and then exclusive.
static const char *const operations[] = {
    "inclusive_sum",           "inclusive_min",           "inclusive_max",
    "inclusive_affine",        "inclusive_segmented_sum", "inclusive_segmented_min",
    "inclusive_segmented_max", "exclusive_sum",           "exclusive_min",
    "exclusive_max",           "exclusive_affine",        "exclusive_segmented_sum",
    "exclusive_segmented_min", "exclusive_segmented_max", NULL};
// In kernels' names: whether a scan is exclusive is an argument there.
static const char *const functions[] = {"sum",           "min",           "max",          "affine",
                                        "segmented_sum", "segmented_min", "segmented_max"};

// What a variant has entry points for, as in scan.cuh: each list has all before it.
typedef enum entries { NOTHING, FEW, ROUNDED, MANY, ALL } entries;
// The first list that has the function and the type.
static const uint8_t lists[KZ_SCAN_FUNCTIONS][KZ_TYPE_COUNT] = {
    [KZ_SCAN_SUM] = {[KZ_F32] = FEW,
                     [KZ_I32] = FEW,
                     [KZ_U32] = FEW,
                     [KZ_F16] = FEW,
                     [KZ_F64] = ROUNDED,
                     [KZ_BF16] = ROUNDED,
                     [KZ_I64] = MANY},
    [KZ_SCAN_MIN] = {[KZ_F32] = MANY,
                     [KZ_F64] = MANY,
                     [KZ_I32] = MANY,
                     [KZ_U32] = MANY,
                     [KZ_I64] = MANY,
                     [KZ_F16] = MANY,
                     [KZ_BF16] = MANY},
    [KZ_SCAN_MAX] = {[KZ_F32] = FEW,
                     [KZ_F64] = MANY,
                     [KZ_I32] = MANY,
                     [KZ_U32] = MANY,
                     [KZ_I64] = MANY,
                     [KZ_F16] = MANY,
                     [KZ_BF16] = MANY},
    [KZ_SCAN_AFFINE] = {[KZ_I32] = FEW, [KZ_U32] = FEW, [KZ_F32] = ROUNDED},
    [KZ_SCAN_SEGMENTED_SUM] =
        {[KZ_F32] = FEW, [KZ_F64] = ROUNDED, [KZ_I32] = MANY, [KZ_U32] = MANY, [KZ_I64] = MANY},
    [KZ_SCAN_SEGMENTED_MIN] = {[KZ_F32] = ALL, [KZ_I32] = ALL, [KZ_U32] = ALL},
    [KZ_SCAN_SEGMENTED_MAX] = {[KZ_F32] = ALL, [KZ_I32] = ALL, [KZ_U32] = ALL},
};

static bool is_segmented(const kz_case *c) { return scan_segmented(scan_function(c)); }
static bool is_affine(const kz_case *c) { return scan_function(c) == KZ_SCAN_AFFINE; }
static bool is_half(kz_type type) { return type == KZ_F16 || type == KZ_BF16; }
static uint64_t element_bytes(const kz_case *c) { return kz_type_size(c->type) * (is_affine(c) ? 2 : 1); }
// What is combined: floats for halves, a number and its head for segments.
static uint64_t value_bytes(const kz_case *c) {
    uint64_t number = is_half(c->type) ? sizeof(float) : element_bytes(c);
    return number + (is_segmented(c) ? 4 : 0);
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[0], numbers = is_affine(c) ? 2 * n : n;
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, numbers};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, numbers};
    if (!is_segmented(c)) return 2;
    list[HEADS] = (kz_buffer){"heads", KZ_INPUT, KZ_U8, n};
    return 3;
}

// Heads: every 61st or so, and none at all in every second run of 16384, so that segments of all lengths
// meet tiles of all sizes. Integer maps have an odd a, which has an inverse: no map is ever forgotten.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    bool heads = which == HEADS, maps = which == IN && is_affine(c) && scan_whole(c->type);
    for (uint64_t i = 0; (heads || maps) && i < count; i++) {
        uint64_t index = first + i, draw = kz_draw(seed, (uint32_t)which, index);
        if (heads)
            ((uint8_t *)host)[i] = (index >> 14 & 1) == 0 && draw % 61 == 0;
        else
            ((uint32_t *)host)[i] = (uint32_t)draw | (index % 2 == 0);
    }
    return heads || maps;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[0];
    return (kz_work){.bytes = n * (2.0 * (double)element_bytes(c) + (is_segmented(c) ? 1.0 : 0.0)),
                     .flops = is_affine(c) ? 3.0 * n : n};
}

// Sums and products of u32 have the bits of those of i32, and whether a scan is exclusive is an argument.
static kz_entry entry(const kz_case *c) {
    kz_scan_function within = scan_within(scan_function(c));
    bool by_order = within == KZ_SCAN_MIN || within == KZ_SCAN_MAX;
    return (kz_entry){functions[scan_function(c)], c->type == KZ_U32 && !by_order ? KZ_I32 : c->type};
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p, entries variant) {
    const kz_case *c = p->c;
    const char *function = functions[scan_function(c)], *type = kz_type_name(c->type);
    entries first = (entries)lists[scan_function(c)][c->type];
    if (first == NOTHING) return kz_plan_refuse(p->error, "scan has no %s of %s", function, type);
    if (first > variant)
        return kz_plan_refuse(p->error,
                              "this variant has no %s of %s: 07_epoch_flags and 08_look_ahead have all",
                              function, type);
    return KZ_OK;
}

static kz_arg heads_arg(const kz_case *c) { return is_segmented(c) ? kz_arg_buffer(HEADS) : kz_arg_u64(0); }
static kz_arg n_arg(const kz_case *c) { return kz_arg_u64((uint64_t)c->axes[0]); }
static kz_arg exclusive_arg(const kz_case *c) { return kz_arg_u64(scan_exclusive(c)); }

// Tiles of `tile` bytes of elements, counted from the 16-byte boundary before `in`: one more than the
// elements need, at worst.
static uint64_t tiles_from_boundary(const kz_case *c, uint64_t tile) {
    return kz_ceil_div((uint64_t)c->axes[0] * element_bytes(c) + 16 - element_bytes(c), tile);
}

enum { ROWS_TILE = SCAN_THREADS * SCAN_ROWS * 16 }; // bytes: 04 to 06

// 01 to 04: tiles, the sums of tiles, and their carry, which may want to see `in` as well.
static kz_status plan_frame(const kz_planner *p, uint64_t count, bool shifted) {
    const kz_case *c = p->c;
    kz_status status = supported(p, FEW);
    uint64_t n = (uint64_t)c->axes[0];
    if (status != KZ_OK || n == 0) return status;
    bool in_out = value_bytes(c) == element_bytes(c);
    uint64_t local_bytes = in_out ? 0 : kz_ceil_div(n * value_bytes(c), 256) * 256;
    kz_arg in = kz_arg_buffer(IN), out = kz_arg_buffer(OUT), local = in_out ? out : kz_arg_workspace(0);
    kz_arg sums = kz_arg_workspace(local_bytes);
    p->plan->workspace_bytes = local_bytes + count * value_bytes(c);
    status = KZ_LAUNCH(p, .blocks = count, .threads = SCAN_THREADS,
                       KZ_ARGS(in, heads_arg(c), local, sums, n_arg(c), exclusive_arg(c)));
    if (!status)
        status = KZ_LAUNCH(p, .part = "sums", .blocks = 1, .threads = SCAN_THREADS,
                           KZ_ARGS(sums, kz_arg_u64(count)));
    if (status) return status;
    const kz_arg carry[] = {in, local, sums, out, n_arg(c)};
    size_t first = shifted ? 0 : 1;
    return KZ_LAUNCH(p, .part = "carry", .blocks = kz_ceil_div(n, SCAN_THREADS), .threads = SCAN_THREADS,
                     .args = carry + first, .arg_count = 5 - first);
}

static kz_status plan_single(const kz_planner *p) { // an element for each thread
    return plan_frame(p, kz_ceil_div((uint64_t)p->c->axes[0], SCAN_THREADS), false);
}

static kz_status plan_block_scan(const kz_planner *p) {
    return plan_frame(p, tiles_from_boundary(p->c, ROWS_TILE), true);
}

// First the sums of `blocks` parts, added up by a launch of their own where they are `added`; then all is written.
static kz_status reduce_then_scan(const kz_planner *p, uint64_t blocks, uint32_t threads, uint64_t sum_bytes,
                                  bool added) {
    const kz_case *c = p->c;
    kz_arg in = kz_arg_buffer(IN), heads = heads_arg(c), sums = kz_arg_workspace(0), n = n_arg(c);
    p->plan->workspace_bytes = blocks * sum_bytes;
    kz_status status =
        KZ_LAUNCH(p, .part = "reduce", .blocks = blocks, .threads = threads, KZ_ARGS(in, heads, sums, n));
    if (!status && added)
        status =
            KZ_LAUNCH(p, .part = "sums", .blocks = 1, .threads = threads, KZ_ARGS(sums, kz_arg_u64(blocks)));
    if (status) return status;
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads,
                     KZ_ARGS(in, heads, sums, kz_arg_buffer(OUT), n, exclusive_arg(c)));
}

static kz_status plan_reduce_then_scan(const kz_planner *p) {
    kz_status status = supported(p, ROUNDED);
    if (status != KZ_OK || p->c->axes[0] == 0) return status;
    return reduce_then_scan(p, tiles_from_boundary(p->c, ROWS_TILE), SCAN_THREADS, value_bytes(p->c), true);
}

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p, ALL);
    if (status != KZ_OK || p->c->axes[0] == 0) return status;
    uint64_t blocks =
        kz_min_u64(kz_ceil_div((uint64_t)p->c->axes[0], 4096), (uint64_t)p->device->multiprocessors);
    return reduce_then_scan(p, blocks, 1, sizeof(scan_value), false);
}

// The workspace: the counter, then a word for each 4 bytes of a tile's total.
static kz_status plan_look_back(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p, MANY);
    if (status != KZ_OK || c->axes[0] == 0) return status;
    uint64_t tiles = tiles_from_boundary(c, ROWS_TILE);
    p->plan->workspace_bytes = 8 + tiles * 8 * (value_bytes(c) / 4);
    kz_plan_add_fill(p->plan, kz_arg_workspace(0), 0, p->plan->workspace_bytes);
    return KZ_LAUNCH(p, .blocks = tiles, .threads = SCAN_THREADS,
                     KZ_ARGS(kz_arg_buffer(IN), heads_arg(c), kz_arg_buffer(OUT), kz_arg_workspace(0),
                             kz_arg_workspace(8), n_arg(c), exclusive_arg(c)));
}

static kz_status refuse_tiles(const kz_planner *p, uint64_t tiles, int room) {
    bool look_back = lists[scan_function(p->c)][p->c->type] <= MANY;
    return kz_plan_refuse(p->error, "the module has room for %d tiles, and this is %llu: %s", room,
                          (unsigned long long)tiles,
                          look_back ? "06_look_back has no such limit" : "split the input at heads");
}

// 07 and 08: one launch, which needs no workspace.
static kz_status add_single_pass(const kz_planner *p, uint64_t blocks, uint32_t threads,
                                 uint32_t shared_bytes) {
    return KZ_LAUNCH(
        p, .blocks = blocks, .threads = threads, .shared_bytes = shared_bytes,
        KZ_ARGS(kz_arg_buffer(IN), heads_arg(p->c), kz_arg_buffer(OUT), n_arg(p->c), exclusive_arg(p->c)));
}

static kz_status plan_epoch_flags(const kz_planner *p) {
    bool wide = SCAN_EPOCH_IS_WIDE(element_bytes(p->c), value_bytes(p->c));
    uint32_t threads = wide ? SCAN_EPOCH_WIDE_THREADS : SCAN_EPOCH_THREADS;
    uint64_t rows = wide ? SCAN_EPOCH_WIDE_ROWS : SCAN_EPOCH_ROWS;
    uint64_t tiles = tiles_from_boundary(p->c, threads * rows * 16);
    kz_status status = supported(p, ALL);
    if (status != KZ_OK || p->c->axes[0] == 0) return status;
    if (tiles > SCAN_STATUSES) return refuse_tiles(p, tiles, SCAN_STATUSES);
    return add_single_pass(p, tiles, threads, 0);
}

static kz_status plan_look_ahead(const kz_planner *p) {
    const kz_device_info *device = p->device;
    kz_status status = supported(p, ALL);
    if (status != KZ_OK || p->c->axes[0] == 0) return status;
    size_t n = (size_t)p->c->axes[0], size = (size_t)element_bytes(p->c);
    kz_scan_shape shape = kz_scan_shape_of(n, size, is_segmented(p->c), device->multiprocessors);
    if (shape.blocks == 0) return refuse_tiles(p, kz_scan_tiles_at_most(n, size), KZ_SCAN_STATUSES);
    if (shape.shared_bytes > device->shared_per_block_optin)
        return kz_plan_refuse(p->error,
                              "%u bytes of shared memory are more than a block may have on %s (%zu)",
                              shape.shared_bytes, device->id, device->shared_per_block_optin);
    return add_single_pass(p, shape.blocks, shape.threads, shape.shared_bytes);
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", scan_natives},
    {"01_hillis_steele", 75, plan_single, "log n steps in shared memory"},
    {"02_blelloch", 75, plan_single, "a tree up and down in shared memory"},
    {"03_warp_shuffle", 75, plan_single, "registers, two barriers per block"},
    {"04_block_scan", 75, plan_block_scan, "several elements per thread, 16-byte accesses"},
    {"05_reduce_then_scan", 75, plan_reduce_then_scan, "reduce first, write once"},
    {"06_look_back", 75, plan_look_back, "one pass: decoupled look-back", .unordered = true},
    {"07_epoch_flags", 75, plan_epoch_flags, "one launch: tile statuses flagged with the launch's epoch",
     .unordered = true},
    {"08_look_ahead", 90, plan_look_ahead, "specialized warps, bulk copies, six tiles in flight"},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

#define INCLUSIVE 0
#define EXCLUSIVE KZ_SCAN_FUNCTIONS
// clang-format off
#define CASE(k, f, t, n, u, ...)                                                                             \
    {.operation = k + KZ_SCAN_##f, .type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(k, f, t, n, ...) CASE(k, f, t, n, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(k, f, t, n)      CASE(k, f, t, n, KZ_USE_BENCH)
#define BOTH(f, t, n, ...)     CHECK(INCLUSIVE, f, t, n, __VA_ARGS__), CHECK(EXCLUSIVE, f, t, n, __VA_ARGS__)
// 1025 fills no tile of 04 to 08; 20011 are several, the first of which begins with empty places.
#define EDGES(f, t)                                                                                          \
    BOTH(f, t, 1), CHECK(INCLUSIVE, f, t, 1025), CHECK(EXCLUSIVE, f, t, 20011, .misalign = 1)
#define FLOAT_EDGES(f, t)                                                                                    \
    EDGES(f, t), KZ_NOT_FINITE(BOTH, f, t, 700)
// Magnitudes near the largest: not for float sums, where an infinity on the way depends on the order.
#define EXTREME_EDGES(f, t)                                                                                  \
    FLOAT_EDGES(f, t), CHECK(INCLUSIVE, f, t, 700, .data = KZ_DATA_LARGE),                                   \
    CHECK(EXCLUSIVE, f, t, 700, .data = KZ_DATA_DENORMAL)
#define FLOATS(list, f) list(f, F32), list(f, F64), list(f, F16), list(f, BF16)
#define MAPS(t)                                                                                              \
    BOTH(AFFINE, t, 0), BOTH(AFFINE, t, 1), BOTH(AFFINE, t, 33), CHECK(INCLUSIVE, AFFINE, t, 1025),          \
    CHECK(EXCLUSIVE, AFFINE, t, 9001, .misalign = 2)
#define SEGMENTS(f, t)                                                                                       \
    BOTH(f, t, 1), BOTH(f, t, 1025), CHECK(EXCLUSIVE, f, t, 20011, .misalign = 3)
#define EXTREME_SEGMENTS(f, t) BOTH(f, t, 1025), CHECK(EXCLUSIVE, f, t, 20011, .misalign = 1)
// clang-format on

static const kz_case cases[] = {
    CHECK(INCLUSIVE, SUM, F32, 0),
    CHECK(INCLUSIVE, SUM, F32, 2),
    KZ_AROUND_WARP(CHECK, INCLUSIVE, SUM, F32),
    CHECK(INCLUSIVE, SUM, F32, 256),
    CHECK(INCLUSIVE, SUM, F32, 1023),
    CHECK(INCLUSIVE, SUM, F32, 1024),
    CHECK(INCLUSIVE, SUM, F32, 4096),
    CHECK(EXCLUSIVE, SUM, F32, 8192),
    CHECK(EXCLUSIVE, SUM, F32, 8193),
    CHECK(INCLUSIVE, SUM, F32, 10007, .data = KZ_DATA_POSITIVE),
    CHECK(INCLUSIVE, SUM, F16, 10007, .data = KZ_DATA_POSITIVE),
    CHECK(EXCLUSIVE, SUM, BF16, 10007, .data = KZ_DATA_POSITIVE),
    CHECK(INCLUSIVE, SUM, F32, 700, .data = KZ_DATA_ZEROS),
    KZ_TINY(CHECK, INCLUSIVE, SUM, F32, 700),
    CHECK(INCLUSIVE, SUM, F16, 700, .data = KZ_DATA_LARGE), // float holds what f16 does not
    CHECK(INCLUSIVE, SUM, F16, 4099, .misalign = 7),
    CHECK(INCLUSIVE, SUM, I32, 700, .data = KZ_DATA_LARGE), // wraps
    CHECK(INCLUSIVE, SUM, U32, 700, .data = KZ_DATA_LARGE),
    FLOATS(FLOAT_EDGES, SUM),
    FLOATS(EXTREME_EDGES, MIN),
    FLOATS(EXTREME_EDGES, MAX),
    EDGES(SUM, I32),
    EDGES(MIN, I32),
    EDGES(MAX, I32),
    EDGES(SUM, U32),
    EDGES(MIN, U32),
    EDGES(MAX, U32),
    CHECK(INCLUSIVE, MAX, U32, 700, .data = KZ_DATA_LARGE), // above INT32_MAX
    EDGES(SUM, I64),
    EDGES(MIN, I64),
    EDGES(MAX, I64),
    CHECK(INCLUSIVE, SUM, I64, 700, .data = KZ_DATA_LARGE), // past a double's digits
    MAPS(F32),
    MAPS(I32),
    MAPS(U32),
    BOTH(SEGMENTED_SUM, F32, 0),
    CHECK(INCLUSIVE, SEGMENTED_SUM, F32, 40009),
    SEGMENTS(SEGMENTED_SUM, F32),
    SEGMENTS(SEGMENTED_SUM, F64),
    SEGMENTS(SEGMENTED_SUM, I32),
    SEGMENTS(SEGMENTED_SUM, I64),
    CHECK(INCLUSIVE, SEGMENTED_SUM, U32, 20011, .data = KZ_DATA_LARGE),
    EXTREME_SEGMENTS(SEGMENTED_MIN, F32),
    EXTREME_SEGMENTS(SEGMENTED_MIN, I32),
    EXTREME_SEGMENTS(SEGMENTED_MIN, U32),
    EXTREME_SEGMENTS(SEGMENTED_MAX, F32),
    EXTREME_SEGMENTS(SEGMENTED_MAX, I32),
    EXTREME_SEGMENTS(SEGMENTED_MAX, U32),
    CHECK(INCLUSIVE, SEGMENTED_MAX, F32, 700, .data = KZ_DATA_NAN), // forgotten at the next head
    // 147 tiles of 08, more than there are multiprocessors.
    CHECK(INCLUSIVE, AFFINE, I32, 600011, .misalign = 2),
    CASE(INCLUSIVE, SUM, F32, 1 << 16, KZ_USE_CHECK | KZ_USE_BENCH),
    KZ_POWERS_18_TO_29(BENCH, INCLUSIVE, SUM, F32),
    BENCH(EXCLUSIVE, SUM, F32, 1 << 28),
    BENCH(EXCLUSIVE, SUM, I32, 1 << 28),
    BENCH(INCLUSIVE, MAX, F32, 1 << 28),
    BENCH(INCLUSIVE, SUM, F16, 1 << 28),
    BENCH(INCLUSIVE, SUM, BF16, 1 << 28),
    BENCH(INCLUSIVE, SUM, F64, 1 << 28),
    BENCH(EXCLUSIVE, SUM, U32, 1 << 28),
    BENCH(INCLUSIVE, SUM, I64, 1 << 28),
    BENCH(INCLUSIVE, MAX, U32, 1 << 28),
    BENCH(INCLUSIVE, MAX, I64, 1 << 28),
    BENCH(INCLUSIVE, AFFINE, F32, 1 << 27),
    BENCH(INCLUSIVE, SEGMENTED_SUM, F32, 1 << 28),
    BENCH(INCLUSIVE, SEGMENTED_SUM, I64, 1 << 28),
    BENCH(INCLUSIVE, SEGMENTED_MAX, F32, 1 << 28),
    // Every element counts.
    CASE(INCLUSIVE, SUM, I32, KZ_PAST_2_31, KZ_USE_HUGE),
};

// Float sums and maps by look-back are rounded in an order that depends on who was first.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    kz_scan_function within = scan_within(scan_function(c));
    bool rounded = !scan_whole(c->type) && within != KZ_SCAN_MIN && within != KZ_SCAN_MAX;
    return rounded && variant->unordered;
}

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"05_three_kernels", "05_reduce_then_scan"},
    {"07_mail", "07_epoch_flags"},
    {0},
};

static const kz_worked worked[] = {
    {{.operation = KZ_SCAN_SUM, .type = KZ_F32, .axes = {1000}}, {8000, 1000}},
    {{.operation = KZ_SCAN_SEGMENTED_SUM, .type = KZ_F32, .axes = {1000}}, {9000, 1000}},
};

const kz_family kz_family_scan = {
    .name = "scan",
    .group = "primitives",
    .summary = "prefix sums, minima and maxima, segmented too; affine maps",
    .operations = operations,
    .axes = (const char *const[]){"n", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_scan,
    .entry = entry,
    .buffers = buffers,
    .fill = fill,
    .reference = scan_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", "torch_compile", "triton", NULL},
    .guest_signature = "const T *in, T *out, size_t n\n"
                       "*_segmented_*: const T *in, T *out, const unsigned char *heads, size_t n",
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_scan_open(kz_device *device, kz_scan_function function, kz_scan_kind kind, kz_type type,
                       size_t n, const char *variant, kz_operation **operation, kz_error *error) {
    if ((unsigned)function >= KZ_SCAN_FUNCTIONS || (unsigned)kind > KZ_SCAN_EXCLUSIVE) {
        if (operation) *operation = NULL;
        return kz_fail(error, KZ_INVALID, "kz_scan_open: %u is no kz_scan_function, or %u no kz_scan_kind",
                       (unsigned)function, (unsigned)kind);
    }
    uint32_t number = (uint32_t)function + (kind == KZ_SCAN_EXCLUSIVE ? KZ_SCAN_FUNCTIONS : 0);
    kz_case c = {.operation = number, .type = type, .axes = {(int64_t)n}};
    return kz_operation_open_family(device, &kz_family_scan, &c, variant, operation, error);
}

kz_status kz_scan_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr heads,
                      kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out, heads}, heads ? 3 : 2, workspace,
                            workspace_bytes, error);
}

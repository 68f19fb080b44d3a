// reduce_segments: a fold of each segment of a row of elements. Cases, offsets, work, plans, the table of
// variants.
//
// Axes: n, segments, skew: 0 all segments equal, 1 lengths at random from 0 to twice the mean, 2 one giant
// with half of all elements, 3 fifteen of sixteen empty. Buffers: in of n elements, offsets of segments + 1,
// out of segments, and as many indices for argmin and argmax.
#include "reduce_segments.h"

#include "private.h"
#include "tune.h"

static uint64_t segments(const kz_case *c) { return (uint64_t)c->axes[SEGMENTS]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, (uint64_t)c->axes[N]};
    list[OFFSETS] = (kz_buffer){"offsets", KZ_INPUT, KZ_U32, segments(c) + 1};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, segments(c)};
    if (!reduce_finds(c)) return 3;
    list[INDEX] = (kz_buffer){"index", KZ_OUTPUT, KZ_I64, segments(c)};
    return 4;
}

// Where segment s begins; from 0 to n as s goes from 0 to `count`, and never falling.
static uint64_t offset_of(const kz_case *c, uint64_t seed, uint64_t s) {
    uint64_t n = (uint64_t)c->axes[N], count = segments(c);
    if (count == 0 || s == 0) return 0;
    if (s >= count) return n;
    switch (c->axes[SKEW]) {
    case RANDOM: // moved up by less than the least length
        return s * n / count + kz_draw(seed, OFFSETS, s) % (n / count + 1);
    case GIANT: return s * (n / 2) / count + (s > count / 2 ? n - n / 2 : 0);
    case EMPTY: return s / 16 * 16 * n / count;
    default: return s * n / count;
    }
}

static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    for (uint64_t i = 0; which == OFFSETS && i < count; i++)
        ((uint32_t *)host)[i] = (uint32_t)offset_of(c, seed, first + i);
    return which == OFFSETS;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[N], count = (double)segments(c), size = (double)kz_type_size(c->type);
    double result = size + (reduce_finds(c) ? 8.0 : 0.0);
    return (kz_work){.bytes = n * size + (count + 1.0) * sizeof(uint32_t) + count * result, .flops = n};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    size_t count = 0;
    for (uint32_t i = IN; i <= OUT; i++) args[count++] = kz_arg_buffer(i);
    if (reduce_finds(c)) args[count++] = kz_arg_buffer(INDEX);
    args[count++] = kz_arg_u64(segments(c));
    args[count++] = kz_arg_u64((uint64_t)c->axes[N]);
    return count;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = reduce_supported("reduce_segments", c->operation, c->type, p->error);
    if (status != KZ_OK) return status;
    if (c->axes[N] > UINT32_MAX || c->axes[SEGMENTS] >= UINT32_MAX)
        return kz_plan_refuse(
            p->error, "offsets have 32 bits, and n is %lld in %lld segments: split them over several calls",
            (long long)c->axes[N], (long long)c->axes[SEGMENTS]);
    if (c->axes[SKEW] < 0 || c->axes[SKEW] >= SKEWS)
        return kz_plan_refuse(p->error, "skew is %lld: 0 equal, 1 random, 2 one giant, 3 mostly empty",
                              (long long)c->axes[SKEW]);
    if (c->axes[N] > 0 && segments(c) == 0)
        return kz_plan_refuse(p->error, "%lld elements in no segment", (long long)c->axes[N]);
    return KZ_OK;
}

// Those that the ladder is told with; a few variants have the others as well.
static kz_status told(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK || (c->operation != KZ_REDUCE_MIN && !reduce_finds(c))) return status;
    return kz_plan_refuse(p->error, "no %s here: 01_thread and 04_merge_path do it, and %s",
                          reduce_operations[c->operation],
                          reduce_finds(c) ? "08_shared_index" : "06_in_order_blocks and 09_split_giants");
}

// A launch of (in, offsets, out, segments), with the indices' buffer behind them where they are to be found.
static kz_status add_each(const kz_planner *p, uint64_t blocks, uint32_t threads) {
    kz_arg args[] = {kz_arg_buffer(IN), kz_arg_buffer(OFFSETS), kz_arg_buffer(OUT),
                     kz_arg_u64(segments(p->c)), kz_arg_buffer(INDEX)};
    return KZ_LAUNCH(p, .blocks = blocks, .threads = threads, .args = args,
                     .arg_count = reduce_finds(p->c) ? 5 : 4);
}

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    uint64_t blocks = kz_min_u64(segments(p->c), (uint64_t)p->device->multiprocessors);
    return status ? status : add_each(p, blocks, 1);
}

// As many threads for each segment as the row says.
static kz_status add_lanes(const kz_planner *p) {
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_SEGMENTS_BLOCKS;
    uint64_t threads = segments(p->c) * p->variant->threads;
    return add_each(p, kz_min_u64(kz_ceil_div(threads, REDUCE_SEGMENTS_THREADS), full),
                    REDUCE_SEGMENTS_THREADS);
}

static kz_status plan_thread(const kz_planner *p) {
    kz_status status = supported(p);
    return status ? status : add_lanes(p);
}

static kz_status plan_lanes(const kz_planner *p) {
    kz_status status = told(p);
    return status ? status : add_lanes(p);
}

// A launch over even shares of elements and ends, each of `chunk` items. The workspace, per block: a value
// and a head of 8 bytes each, 16 with an index, and a segment's number of 8. What finds is one kernel: the
// least is the greatest of elements negated round, and where no index is wanted none is written.
static kz_status add_shares(const kz_planner *p, uint64_t blocks, uint32_t threads, uint64_t chunk) {
    const kz_case *c = p->c;
    bool least = c->operation == KZ_REDUCE_MIN || c->operation == KZ_REDUCE_ARGMIN;
    kz_case taken = *c;
    if (least) taken.operation = KZ_REDUCE_ARGMAX;
    uint64_t part = reduce_finds(&taken) ? 16 : 8;
    p->plan->workspace_bytes = (2 * part + 8) * blocks;
    kz_arg args[] = {kz_arg_buffer(IN),
                     kz_arg_buffer(OFFSETS),
                     kz_arg_buffer(OUT),
                     kz_arg_workspace(0),
                     kz_arg_workspace(part * blocks),
                     kz_arg_workspace(2 * part * blocks),
                     kz_arg_u64(segments(c)),
                     kz_arg_u64((uint64_t)c->axes[N]),
                     kz_arg_u64(chunk),
                     reduce_finds(c) ? kz_arg_buffer(INDEX) : kz_arg_u64(0),
                     kz_arg_u64(least)};
    kz_planner named = *p;
    named.c = &taken;
    return KZ_LAUNCH(&named, .blocks = blocks, .threads = threads, .args = args,
                     .arg_count = reduce_finds(&taken) ? 11 : 9);
}

// Whole tiles for every block.
static kz_status plan_merge_path(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    uint64_t n = (uint64_t)c->axes[N], tiles = kz_ceil_div(n + segments(c), REDUCE_SEGMENTS_MERGE_TILE);
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_SEGMENTS_MERGE_BLOCKS;
    uint64_t each = kz_ceil_div(tiles, full), blocks = kz_ceil_div(tiles, each);
    return add_shares(p, blocks, REDUCE_SEGMENTS_MERGE_THREADS, each * REDUCE_SEGMENTS_MERGE_TILE);
}

// A share for every warp.
static kz_status plan_tail_flags(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = told(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    if (c->operation == KZ_REDUCE_MEAN)
        return kz_plan_refuse(p->error,
                              "sums and maxima alone: 04_merge_path and 06_in_order_blocks do means too");
    uint64_t items = (uint64_t)c->axes[N] + segments(c), warps = REDUCE_SEGMENTS_FLAGS_THREADS / 32;
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_SEGMENTS_FLAGS_BLOCKS;
    uint64_t blocks = kz_min_u64(kz_ceil_div(items, warps * REDUCE_SEGMENTS_FLAGS_ITEMS), full);
    return add_shares(p, blocks, REDUCE_SEGMENTS_FLAGS_THREADS, kz_ceil_div(items, blocks * warps));
}

// A range of whole tiles for every warp, in positions: there are up to 15 bytes of them before the input.
static kz_status plan_in_order_blocks(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = c->operation == KZ_REDUCE_MIN ? supported(p) : told(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    uint64_t size = kz_type_size(c->type), warps = REDUCE_SEGMENTS_FLAGS_THREADS / 32;
    uint64_t positions = (uint64_t)c->axes[N] + 16 / size - 1, tile = 32 * (size == 2 ? 3 : 5) * 16 / size;
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_SEGMENTS_FLAGS_BLOCKS;
    uint64_t tiles = kz_min_u64(positions / (tile * warps * full) + 1, REDUCE_SEGMENTS_IN_ORDER_TILES);
    uint64_t least = kz_ceil_div(positions, tile * warps * REDUCE_SEGMENTS_IN_ORDER_BLOCKS);
    uint64_t chunk = tile * (tiles > least ? tiles : least);
    return KZ_LAUNCH(p, .blocks = kz_ceil_div(positions, chunk * warps),
                     .threads = REDUCE_SEGMENTS_FLAGS_THREADS,
                     KZ_ARGS(kz_arg_buffer(IN), kz_arg_buffer(OFFSETS), kz_arg_buffer(OUT),
                             kz_arg_u64(segments(c)), kz_arg_u64((uint64_t)c->axes[N]), kz_arg_u64(chunk)));
}

// A launch of the ring: warps that fold, stages, blocks per multiprocessor, bytes of what is put by at an end.
typedef struct ring_shape {
    uint32_t warps, stages, blocks;
    size_t kept;
} ring_shape;

// A range of tiles for every block.
static kz_status add_ring(const kz_planner *p, ring_shape ring) {
    const kz_device_info *device = p->device;
    size_t size = kz_type_size(p->c->type);
    size_t shared = REDUCE_SEGMENTS_RING_SHARED(size, ring.warps, ring.stages, ring.kept);
    if (shared > device->shared_per_block_optin)
        return kz_plan_refuse(p->error,
                              "%zu bytes of shared memory are more than a block may have on %s (%zu)", shared,
                              device->id, device->shared_per_block_optin);
    uint64_t tile = ring.warps * REDUCE_SEGMENTS_RING_CHUNK(size);
    uint64_t full = (uint64_t)device->multiprocessors * ring.blocks;
    uint64_t blocks = kz_min_u64(kz_ceil_div((uint64_t)p->c->axes[N] + 1, tile), full);
    return KZ_LAUNCH(p, .blocks = kz_min_u64(blocks, REDUCE_SEGMENTS_RING_STATUSES),
                     .threads = REDUCE_SEGMENTS_RING_THREADS(ring.warps), .shared_bytes = (uint32_t)shared);
}

// Values lie in the place of elements; those of the half types, which are floats, behind the stages.
static kz_status plan_ring_buffer(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = told(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    const ring_shape ring = {REDUCE_SEGMENTS_RING_WARPS, REDUCE_SEGMENTS_RING_STAGES,
                             REDUCE_SEGMENTS_RING_BLOCKS, kz_type_size(c->type) == 2 ? sizeof(float) : 0};
    return add_ring(p, ring);
}

static kz_status plan_shared_index(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status == KZ_OK && !reduce_finds(c))
        return kz_plan_refuse(p->error, "argmin and argmax alone: 04_merge_path and 06_in_order_blocks do %s",
                              reduce_operations[c->operation]);
    if (status != KZ_OK || segments(c) == 0) return status;
    const ring_shape ring = {REDUCE_SEGMENTS_INDEX_WARPS, REDUCE_SEGMENTS_INDEX_STAGES,
                             REDUCE_SEGMENTS_INDEX_BLOCKS, sizeof(uint16_t)};
    return add_ring(p, ring);
}

// Threads that a segment of the mean length wants: more while each has two rounds of loads, or one where the segments are
// too few to fill the GPU.
static uint32_t split_threads(const kz_planner *p) {
    uint64_t count = segments(p->c), packs = (uint64_t)p->c->axes[N] * kz_type_size(p->c->type) / 16 / count;
    uint64_t full = (uint64_t)p->device->multiprocessors * 2048;
    uint32_t threads = REDUCE_SEGMENTS_SPLIT_LEAST;
    if (packs >= 2 * threads * REDUCE_SEGMENTS_SPLIT_PACKS) threads *= 2;
    while (threads < REDUCE_SEGMENTS_SPLIT_THREADS) {
        uint64_t rounds = packs / (2 * threads * REDUCE_SEGMENTS_SPLIT_PACKS);
        if (rounds < 1 || (rounds < 2 && count * threads * 2 > full)) break;
        threads *= 2;
    }
    return threads;
}

// Pieces are as short as a block reads quickly, and not many more than the GPU has room for: each has a helper, which is
// there for nothing where there is no giant.
static kz_status plan_split_giants(const kz_planner *p) {
    const kz_case *c = p->c;
    kz_status status = c->operation == KZ_REDUCE_MIN ? supported(p) : told(p);
    if (status != KZ_OK || segments(c) == 0) return status;
    uint32_t threads = split_threads(p), each = threads < 128 ? 16 : 8;
    uint64_t n = (uint64_t)c->axes[N], most = (uint64_t)p->device->multiprocessors * each;
    uint64_t round = threads * REDUCE_SEGMENTS_SPLIT_PACKS * 16 / kz_type_size(c->type);
    uint64_t piece = round * REDUCE_SEGMENTS_SPLIT_ROUNDS;
    most = kz_min_u64(most, REDUCE_SEGMENTS_SPLIT_HELPERS);
    if (kz_ceil_div(n, piece) > most) piece = kz_ceil_div(n, most);
    uint64_t helpers = n > piece ? kz_ceil_div(n, piece) : 0;
    return KZ_LAUNCH(p, .blocks = helpers + segments(c), .threads = threads,
                     KZ_ARGS(kz_arg_buffer(IN), kz_arg_buffer(OFFSETS), kz_arg_buffer(OUT),
                             kz_arg_u64(segments(c)), kz_arg_u64(n), kz_arg_u64(piece), kz_arg_u64(helpers)));
}

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", reduce_segments_natives},
    {"01_thread", 75, plan_thread, "a thread per segment", .threads = 1},
    {"02_warp", 75, plan_lanes, "a warp per segment", .threads = 32},
    {"03_block", 75, plan_lanes, "a block per segment", .threads = REDUCE_SEGMENTS_THREADS},
    {"04_merge_path", 75, plan_merge_path, "elements and ends divided evenly, whatever the skew"},
    {"05_tail_flags", 80, plan_tail_flags, "branch-free folding, segment ends as bits"},
    {"06_in_order_blocks", 80, plan_in_order_blocks, "small blocks in index order: reads stay together"},
    {"07_ring_buffer", 90, plan_ring_buffer, "a ring of tiles by bulk copies, one warp looks up the ends"},
    {"08_shared_index", 90, plan_shared_index, "argmin and argmax: indices into the ring's tiles"},
    {"09_split_giants", 75, plan_split_giants, "a block per segment; the giants' pieces have helpers"},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, n, s, k, u, ...)                                                                          \
    {.operation = KZ_REDUCE_##f, .type = KZ_##t, .axes = {n, s, k}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, s, k, ...) CASE(f, t, n, s, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n, s, k) CASE(f, t, n, s, k, KZ_USE_BENCH)
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 1, 1, EQUAL), CHECK(f, t, 1025, 33, RANDOM), CHECK(f, t, 9001, 200, GIANT, .misalign = 1),   \
    CHECK(f, t, 2000, 1023, EMPTY)
#define FLOAT_EDGES(f, t)                                                                                    \
    EDGES(f, t), KZ_NOT_FINITE(CHECK, f, t, 700, 31, RANDOM)
#define FLOATS(list, f) list(f, F32), list(f, F64), list(f, F16), list(f, BF16)
#define SKEWED(n, s) BENCH(SUM, F32, n, s, EQUAL), BENCH(SUM, F32, n, s, RANDOM),                            \
    BENCH(SUM, F32, n, s, GIANT), BENCH(SUM, F32, n, s, EMPTY)
// clang-format on

static const kz_case cases[] = {
    CHECK(SUM, F32, 0, 0, EQUAL),
    CHECK(SUM, F32, 0, 100, EQUAL), // all empty
    CHECK(MEAN, F32, 0, 3, EQUAL),  // NaN
    CHECK(MAX, I32, 0, 3, EQUAL),
    CHECK(SUM, F32, 4096, 256, EQUAL),
    CHECK(SUM, F32, 1024, 32, EQUAL),
    CHECK(SUM, F32, 3841, 1, EQUAL),     // an end behind a whole tile of 04
    CHECK(SUM, F32, 30011, 3, GIANT),    // open through several blocks of 04
    CHECK(SUM, F32, 5000, 20011, EMPTY), // tiles of ends alone
    CHECK(SUM, F32, 40009, 2500, RANDOM),
    CHECK(SUM, F32, 300007, 1, EQUAL), // open through 79 blocks of 06: more than a group
    CHECK(MEAN, F16, 120011, 400, RANDOM, .misalign = 3),
    CHECK(SUM, F32, 300, 300, RANDOM, .data = KZ_DATA_ZEROS),
    CHECK(SUM, F32, 300, 20, RANDOM, .data = KZ_DATA_DENORMAL),
    CHECK(SUM, F16, 9001, 7, GIANT, .data = KZ_DATA_POSITIVE),
    CHECK(SUM, I32, 1000, 31, RANDOM, .data = KZ_DATA_LARGE), // wraps
    FLOATS(FLOAT_EDGES, SUM),
    FLOATS(FLOAT_EDGES, MAX),
    FLOATS(FLOAT_EDGES, MEAN),
    EDGES(SUM, I32),
    EDGES(MAX, I32),
    FLOATS(FLOAT_EDGES, MIN),
    FLOATS(FLOAT_EDGES, ARGMIN),
    FLOATS(FLOAT_EDGES, ARGMAX),
    EDGES(MIN, I32),
    EDGES(ARGMIN, I32),
    EDGES(ARGMAX, I32),
    CHECK(ARGMIN, F32, 0, 3, EQUAL), // no index
    CHECK(ARGMAX, F32, 9001, 31, RANDOM, .data = KZ_DATA_EQUAL),
    CHECK(ARGMIN, F16, 30011, 5, GIANT, .data = KZ_DATA_RUNS), // ties in many blocks
    CHECK(ARGMAX, F32, 120011, 400, RANDOM, .data = KZ_DATA_RUNS, .misalign = 3),
    CHECK(ARGMAX, F64, 40009, 2500, RANDOM, .data = KZ_DATA_NAN),
    SKEWED(1 << 28, 1 << 24),
    SKEWED(1 << 28, 1 << 20),
    SKEWED(1 << 28, 1 << 16),
    BENCH(MEAN, F32, 1 << 28, 1 << 20, RANDOM),
    BENCH(MIN, F32, 1 << 28, 1 << 20, RANDOM),
    BENCH(ARGMAX, F32, 1 << 28, 1 << 24, RANDOM),
    BENCH(ARGMAX, F32, 1 << 28, 1 << 20, RANDOM),
    BENCH(ARGMAX, F32, 1 << 28, 1 << 16, RANDOM),
    BENCH(SUM, F16, 1 << 28, 1 << 20, RANDOM),
    CASE(SUM, I32, (1LL << 31) + 4099, 1 << 20, RANDOM, KZ_USE_HUGE), // every element counts
};

static uint64_t size(const kz_case *c) { return segments(c) ? (uint64_t)c->axes[N] / segments(c) : 0; }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"05_bits", "05_tail_flags"},
    {"06_front", "06_in_order_blocks"},
    {"07_ring", "07_ring_buffer"},
    {"08_places", "08_shared_index"},
    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {1000, 10}}, {4000 + 44 + 40, 1000}},
};

const kz_family kz_family_reduce_segments = {
    .name = "reduce_segments",
    .group = "primitives",
    .summary = "sum, min, max, mean, argmin and argmax of segments of any length, given by offsets",
    .operations = reduce_operations,
    .axes = (const char *const[]){"n", "segments", "skew", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_reduce_segments,
    .buffers = buffers,
    .fill = fill,
    .reference = reduce_segments_reference,
    .rule = reduce_rule,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", NULL},
    .guest_signature = "const T *in, const unsigned *offsets, T *out, size_t segments, size_t n\n"
                       "argmin-*,argmax-*: const T *in, const unsigned *offsets, T *out, long long *index, "
                       "size_t segments, size_t n",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_reduce_segments_open(kz_device *device, kz_reduce_operation function, kz_type type, size_t n,
                                  size_t segments, const char *variant, kz_operation **operation,
                                  kz_error *error) {
    kz_case c = {.operation = function, .type = type, .axes = {(int64_t)n, (int64_t)segments}};
    return kz_operation_open_family(device, &kz_family_reduce_segments, &c, variant, operation, error);
}

kz_status kz_reduce_segments_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr offsets,
                                 kz_ptr out, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, offsets, out}, 3, workspace, workspace_bytes,
                            error);
}

kz_status kz_reduce_segments_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr offsets,
                                       kz_ptr out, kz_ptr index, kz_ptr workspace, uint64_t workspace_bytes,
                                       kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, offsets, out, index}, 4, workspace,
                            workspace_bytes, error);
}

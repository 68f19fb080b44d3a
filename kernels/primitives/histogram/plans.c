// histogram: the plans, and the table of variants.
//
// Every plan clears the output and launches one kernel, whose blocks add their counts to it. What differs is
// the number of blocks and what a block's shared memory holds: counters, copies of them, levels, a guide.
#include <math.h>
#include <string.h>

#include "private.h"
#include "tune.h"

static const char *const operations[] = {"even", "range"};

// ---- what all have -----------------------------------------------------------------------------------

static kz_status check_limits(const kz_case *c, kz_error *error) {
    if (c->operation != KZ_HISTOGRAM_EVEN) return KZ_OK;
    double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
    double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
    if (!(isfinite(lower) && isfinite(upper) && lower < upper))
        return kz_plan_refuse(error, "histogram needs finite limits, lower below upper; these are %g and %g",
                              lower, upper);
    double end = ldexp(1.0, 8 * (int)kz_type_size(c->type));
    if (c->type != KZ_F32 && (lower < 0.0 || upper > end))
        return kz_plan_refuse(error, "histogram of %s needs limits from 0 to %.0f; these are %.0f and %.0f",
                              kz_type_name(c->type), end, lower, upper);
    return KZ_OK;
}

static kz_status supported(const kz_case *c, kz_error *error) {
    if (c->operation >= KZ_HISTOGRAM_COUNT) return kz_plan_refuse(error, "histogram has no such operation");
    if (c->type != KZ_U8 && c->type != KZ_U16 && c->type != KZ_U32 && c->type != KZ_F32)
        return kz_plan_refuse(error, "histogram has no %s", kz_type_name(c->type));
    if (c->axes[AXIS_BINS] < 1 || c->axes[AXIS_BINS] > KZ_HISTOGRAM_MOST_BINS)
        return kz_plan_refuse(error, "histogram has 1 to %d bins, not %lld", KZ_HISTOGRAM_MOST_BINS,
                              (long long)c->axes[AXIS_BINS]);
    return check_limits(c, error);
}

// bins * 2^64 / (upper - lower) rounded up, as 2^64 * whole + factor; for f32 the double bins / (upper -
// lower). See bins.cuh for why this is exact.
static void reciprocal(const kz_case *c, uint64_t *whole, uint64_t *factor) {
    *whole = *factor = 0;
    if (c->operation != KZ_HISTOGRAM_EVEN) return;
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS];
    if (c->type == KZ_F32) {
        double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
        double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
        double scale = (double)bins / (upper - lower);
        memcpy(factor, &scale, sizeof scale);
        return;
    }
    uint64_t span = (uint64_t)(c->axes[AXIS_UPPER] - c->axes[AXIS_LOWER]);
    uint64_t rest = bins % span;
    uint64_t high = (rest << 32) / span, low_rest = (rest << 32) % span;
    uint64_t low = (low_rest << 32) / span;
    *whole = bins / span;
    *factor = (high << 32) + low + ((low_rest << 32) % span != 0); // below 2^64, for rest < span
}

// The parameters of every kernel (HISTOGRAM_PARAMETERS in bins.cuh).
static size_t arguments(const kz_case *c, kz_arg out, kz_arg args[KZ_PLAN_ARGS]) {
    uint64_t whole, factor;
    reciprocal(c, &whole, &factor);
    bool even = c->operation == KZ_HISTOGRAM_EVEN;
    args[0] = kz_arg_buffer(IN);
    args[1] = out;
    args[2] = even ? kz_arg_u64(0) : kz_arg_buffer(LEVELS);
    args[3] = kz_arg_u64((uint64_t)c->axes[AXIS_N]);
    args[4] = kz_arg_u64((uint64_t)c->axes[AXIS_BINS]);
    args[5] = kz_arg_u64((uint64_t)c->axes[AXIS_LOWER]);
    args[6] = kz_arg_u64((uint64_t)c->axes[AXIS_UPPER]);
    args[7] = kz_arg_u64(whole);
    args[8] = kz_arg_u64(factor);
    return 9;
}

typedef struct shape {
    const char *idea;
    uint64_t blocks;
    uint32_t threads;
    uint64_t words; // of dynamic shared memory
    size_t extra_count;
    uint64_t extra[2]; // arguments behind those of every kernel
} shape;

static void count_by(const kz_case *c, kz_plan *plan, const shape *s) {
    kz_plan_add_fill(plan, kz_arg_buffer(OUT), 0, (uint64_t)c->axes[AXIS_BINS] * sizeof(uint32_t));
    if (c->axes[AXIS_N] == 0) return;
    char entry[KZ_ENTRY_NAME];
    kz_entry_name(entry, "histogram", s->idea, operations[c->operation], c->type);
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = arguments(c, kz_arg_buffer(OUT), args);
    for (size_t i = 0; i < s->extra_count; i++) args[count++] = kz_arg_u64(s->extra[i]);
    kz_step *step = kz_plan_add_launch(plan, entry, s->blocks, s->threads, args, count);
    step->launch.dynamic_shared_bytes = (uint32_t)(s->words * 4);
}

// ---- shared memory ----------------------------------------------------------------------------------------

// Words that one of `blocks` blocks on a multiprocessor may have; the hardware keeps 1 KiB per block.
static uint64_t shared_words(const kz_device_info *device, uint64_t blocks) {
    uint64_t most = device->shared_per_block_optin ? device->shared_per_block_optin : 48 << 10;
    return (blocks <= 1 ? most : (most + 1024) / blocks - 1024) / 4;
}

static uint64_t level_words(const kz_case *c) {
    return c->operation == KZ_HISTOGRAM_RANGE ? (uint64_t)c->axes[AXIS_BINS] + 1 : 0;
}

static kz_status refuse_bins(const kz_case *c, uint64_t words, uint64_t room, kz_error *error) {
    return kz_plan_refuse(error, "%lld bins need %llu KiB of shared memory in a block, which has %llu",
                          (long long)c->axes[AXIS_BINS], (unsigned long long)(words / 256 + 1),
                          (unsigned long long)(room / 256));
}

// Copies of the counters, a power of two up to one per lane: as many as `words` has room for, but no more
// words than there are elements for the block to count.
static uint64_t choose_copies(uint64_t rows, uint64_t words, uint64_t elements) {
    uint64_t copies = 1;
    while (copies < 32 && rows * copies * 2 <= words && rows * copies * 2 <= elements) copies *= 2;
    return copies;
}

enum { OUTSIDE = 2 }; // 05, 07 and 08 have a row of counters for what lies below the bins, and one above

// ---- 00 to 04 ------------------------------------------------------------------------------------------

static kz_status plan_native(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t n = (uint64_t)c->axes[AXIS_N], bins = (uint64_t)c->axes[AXIS_BINS];
    uint64_t blocks = n == 0 ? 1 : kz_min_u64(kz_ceil_div(n, 4096), (uint64_t)device->multiprocessors);
    plan->workspace_bytes = blocks * bins * sizeof(uint32_t);
    char entry[KZ_ENTRY_NAME];
    kz_entry_name(entry, "histogram", "native", operations[c->operation], c->type);
    kz_arg args[KZ_PLAN_ARGS];
    kz_plan_add_launch(plan, entry, blocks, 1, args, arguments(c, kz_arg_workspace(0), args));
    kz_arg sums[] = {kz_arg_workspace(0), kz_arg_buffer(OUT), kz_arg_u64(bins), kz_arg_u64(blocks)};
    kz_plan_add_launch(plan, "histogram_add_up", 1, 1, sums, 4);
    return KZ_OK;
}

static kz_status plan_atomic(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t blocks = kz_ceil_div((uint64_t)c->axes[AXIS_N], HISTOGRAM_THREADS);
    count_by(c, plan, &(shape){.idea = "atomic", .blocks = blocks, .threads = HISTOGRAM_THREADS});
    return KZ_OK;
}

// As many blocks on a multiprocessor as their shared memory allows, up to HISTOGRAM_BLOCKS.
static uint64_t stride_blocks(const kz_case *c, const kz_device_info *device, uint64_t words) {
    uint64_t resident = HISTOGRAM_BLOCKS;
    while (resident > 1 && shared_words(device, resident) < words) resident--;
    uint64_t full = (uint64_t)device->multiprocessors * resident;
    return kz_min_u64(kz_ceil_div((uint64_t)c->axes[AXIS_N], HISTOGRAM_THREADS), full);
}

static kz_status plan_one_copy(const kz_case *c, const kz_device_info *device, const char *idea,
                               kz_plan *plan, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t words = (uint64_t)c->axes[AXIS_BINS] + level_words(c), room = shared_words(device, 1);
    if (words > room) return refuse_bins(c, words, room, error);
    count_by(c, plan,
             &(shape){.idea = idea,
                      .blocks = stride_blocks(c, device, words),
                      .threads = HISTOGRAM_THREADS,
                      .words = words});
    return KZ_OK;
}

static kz_status plan_privatized(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                 kz_error *error) {
    return plan_one_copy(c, device, "privatized", plan, error);
}

static kz_status plan_warp_aggregated(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                      kz_error *error) {
    return plan_one_copy(c, device, "warp_aggregated", plan, error);
}

static kz_status plan_replicated(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                 kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS], levels = level_words(c), room = shared_words(device, 1);
    if (bins + levels > room) return refuse_bins(c, bins + levels, room, error);
    // Copies within half of a multiprocessor's memory: two blocks at least where one copy allows it.
    uint64_t half = shared_words(device, 2);
    uint64_t copies = choose_copies(bins, half > levels ? half - levels : 0, (uint64_t)c->axes[AXIS_N]);
    uint64_t words = bins * copies + levels;
    count_by(c, plan,
             &(shape){.idea = "replicated",
                      .blocks = stride_blocks(c, device, words),
                      .threads = HISTOGRAM_THREADS,
                      .words = words,
                      .extra_count = 1,
                      .extra = {copies}});
    return KZ_OK;
}

// ---- 05 to 08 --------------------------------------------------------------------------------------------

// A pack per thread while that does not fill the grid; at least one block.
static uint64_t vector_blocks(const kz_case *c, const kz_device_info *device, uint64_t resident) {
    uint64_t pack = 16 / kz_type_size(c->type), n = (uint64_t)c->axes[AXIS_N];
    uint64_t blocks = kz_min_u64(kz_ceil_div(n, HISTOGRAM_VECTOR_THREADS * pack),
                                 (uint64_t)device->multiprocessors * resident);
    return blocks ? blocks : 1;
}

static shape vector_shape(const kz_case *c, const kz_device_info *device, const char *idea,
                          uint64_t resident) {
    return (shape){
        .idea = idea, .blocks = vector_blocks(c, device, resident), .threads = HISTOGRAM_VECTOR_THREADS};
}

static kz_status plan_vector(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    bool bytes = c->type == KZ_U8; // the 256 values are counted, not the bins; levels stay where they are
    uint64_t rows = bytes ? 256 : (uint64_t)c->axes[AXIS_BINS] + OUTSIDE, levels = bytes ? 0 : level_words(c);
    uint64_t room = shared_words(device, HISTOGRAM_VECTOR_BLOCKS);
    if (rows + levels > room) return refuse_bins(c, rows + levels, room, error);
    shape s = vector_shape(c, device, "vector", HISTOGRAM_VECTOR_BLOCKS);
    uint64_t words = kz_min_u64(room - levels, HISTOGRAM_VECTOR_WORDS);
    uint64_t elements = kz_ceil_div((uint64_t)c->axes[AXIS_N], s.blocks);
    s.extra_count = 1;
    s.extra[0] = bytes ? 32 : choose_copies(rows, words, elements);
    s.words = rows * s.extra[0] + levels;
    count_by(c, plan, &s);
    return KZ_OK;
}

// 06 to 08 are for elements that can have more values than shared memory has room for.
static kz_status supported_wide(const kz_case *c, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK || c->type != KZ_U8) return status;
    return kz_plan_refuse(error, "a u8 has 256 values, which 05_vector counts for any bins");
}

static kz_status plan_cluster(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                              kz_error *error) {
    kz_status status = supported_wide(c, error);
    if (status != KZ_OK) return status;
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS], room = shared_words(device, 1), shift = 0;
    while ((UINT64_C(1) << shift) * HISTOGRAM_CLUSTER < bins) shift++;
    if (UINT64_C(1) << shift > room) return refuse_bins(c, UINT64_C(1) << shift, room, error);
    shape s = vector_shape(c, device, "cluster", 1);
    s.blocks = kz_ceil_div(s.blocks, HISTOGRAM_CLUSTER) * HISTOGRAM_CLUSTER;
    s.words = UINT64_C(1) << shift;
    s.extra_count = 1;
    s.extra[0] = shift;
    count_by(c, plan, &s);
    for (uint32_t i = 0; i < plan->step_count; i++)
        if (plan->steps[i].kind == KZ_STEP_LAUNCH)
            memcpy(plan->steps[i].launch.cluster, (uint32_t[]){HISTOGRAM_CLUSTER, 1, 1}, 12);
    return KZ_OK;
}

static kz_status plan_packed_counters(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                      kz_error *error) {
    kz_status status = supported_wide(c, error);
    if (status != KZ_OK) return status;
    uint64_t words = ((uint64_t)c->axes[AXIS_BINS] + OUTSIDE + 1) / 2, room = shared_words(device, 1);
    if (words > room) return refuse_bins(c, words, room, error);
    shape s = vector_shape(c, device, "packed_counters", 1);
    s.words = words;
    count_by(c, plan, &s);
    return KZ_OK;
}

static kz_status plan_lookup_table(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                   kz_error *error) {
    kz_status status = supported_wide(c, error);
    if (status != KZ_OK) return status;
    if (c->operation != KZ_HISTOGRAM_RANGE)
        return kz_plan_refuse(error, "even bins are computed, not searched for: 05_vector");
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS], rows = bins + OUTSIDE, levels = level_words(c);
    uint64_t cells = kz_min_u64(bins * HISTOGRAM_GUIDE_CELLS, HISTOGRAM_GUIDE_MOST), guide = cells + 1;
    uint64_t room = shared_words(device, HISTOGRAM_VECTOR_BLOCKS);
    if (rows + levels + guide > room) return refuse_bins(c, rows + levels + guide, room, error);
    shape s = vector_shape(c, device, "lookup_table", HISTOGRAM_VECTOR_BLOCKS);
    uint64_t words = kz_min_u64(room - levels - guide, HISTOGRAM_VECTOR_WORDS);
    uint64_t copies = choose_copies(rows, words, kz_ceil_div((uint64_t)c->axes[AXIS_N], s.blocks));
    s.words = rows * copies + levels + guide;
    s.extra_count = 2;
    s.extra[0] = copies;
    s.extra[1] = cells;
    count_by(c, plan, &s);
    return KZ_OK;
}

const kz_variant histogram_variants[HISTOGRAM_VARIANTS] = {
    {"00_native", 0, plan_native, "plain C on all cores", histogram_natives},
    {"01_atomic", 75, plan_atomic, "one global atomic per element", NULL},
    {"02_privatized", 75, plan_privatized, "a histogram per block in shared memory", NULL},
    {"03_warp_aggregated", 75, plan_warp_aggregated, "lanes with the same bin add once", NULL},
    {"04_replicated", 75, plan_replicated, "several copies, a bank of its own for each lane", NULL},
    {"05_vector", 75, plan_vector, "16-byte loads in flight, cheap bins", NULL},
    {"06_cluster", 90, plan_cluster, "bins split over the shared memory of a cluster", NULL},
    {"07_packed_counters", 75, plan_packed_counters, "two counters of 16 bits in a word", NULL},
    {"08_lookup_table", 75, plan_lookup_table, "range: a lookup table narrows the search", NULL},
};

// histogram: the plans, and the table of variants.
//
// Every plan clears the output and launches one kernel, whose blocks add their counts to it. What differs is
// the number of blocks and what a block's shared memory holds: counters, copies of them, levels, a guide.
#include <math.h>
#include <string.h>

#include "private.h"
#include "tune.h"

// ---- what all have -----------------------------------------------------------------------------------

static kz_status check_limits(const kz_planner *p) {
    const kz_case *c = p->c;
    if (c->operation != KZ_HISTOGRAM_EVEN) return KZ_OK;
    double lower = histogram_limit(c->type, c->axes[AXIS_LOWER]);
    double upper = histogram_limit(c->type, c->axes[AXIS_UPPER]);
    if (!(isfinite(lower) && isfinite(upper) && lower < upper))
        return kz_plan_refuse(
            p->error, "histogram needs finite limits, lower below upper; these are %g and %g", lower, upper);
    double end = ldexp(1.0, 8 * (int)kz_type_size(c->type));
    if (c->type != KZ_F32 && (lower < 0.0 || upper > end))
        return kz_plan_refuse(p->error,
                              "histogram of %s needs limits from 0 to %.0f; these are %.0f and %.0f",
                              kz_type_name(c->type), end, lower, upper);
    return KZ_OK;
}

static kz_status supported(const kz_planner *p) {
    int64_t bins = p->c->axes[AXIS_BINS];
    if (bins < 1 || bins > KZ_HISTOGRAM_MOST_BINS)
        return kz_plan_refuse(p->error, "histogram has 1 to %d bins, not %lld", KZ_HISTOGRAM_MOST_BINS,
                              (long long)bins);
    return check_limits(p);
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
    uint64_t blocks;
    uint32_t threads, cluster;
    uint64_t words; // of dynamic shared memory
    size_t extra_count;
    uint64_t extra[2]; // arguments behind those of every kernel
} shape;

static kz_status count_by(const kz_planner *p, const shape *s) {
    uint64_t bins = (uint64_t)p->c->axes[AXIS_BINS];
    kz_plan_add_fill(p->plan, kz_arg_buffer(OUT), 0, bins * sizeof(uint32_t));
    if (p->c->axes[AXIS_N] == 0) return KZ_OK;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = arguments(p->c, kz_arg_buffer(OUT), args);
    for (size_t i = 0; i < s->extra_count; i++) args[count++] = kz_arg_u64(s->extra[i]);
    return KZ_LAUNCH(p, .blocks = s->blocks, .threads = s->threads, .cluster = s->cluster,
                     .shared_bytes = (uint32_t)(s->words * 4), .args = args, .arg_count = count);
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

static kz_status refuse_bins(const kz_planner *p, uint64_t words, uint64_t room) {
    return kz_plan_refuse(p->error, "%lld bins need %llu KiB of shared memory in a block, which has %llu",
                          (long long)p->c->axes[AXIS_BINS], (unsigned long long)(words / 256 + 1),
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

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    uint64_t n = (uint64_t)p->c->axes[AXIS_N], bins = (uint64_t)p->c->axes[AXIS_BINS];
    uint64_t blocks = n == 0 ? 1 : kz_min_u64(kz_ceil_div(n, 4096), (uint64_t)p->device->multiprocessors);
    p->plan->workspace_bytes = blocks * bins * sizeof(uint32_t);
    kz_arg args[KZ_PLAN_ARGS], sums = kz_arg_workspace(0);
    size_t count = arguments(p->c, sums, args);
    status = KZ_LAUNCH(p, .blocks = blocks, .threads = 1, .args = args, .arg_count = count);
    if (status) return status;
    return KZ_LAUNCH(p, .entry = "histogram_add_up", .blocks = 1, .threads = 1,
                     KZ_ARGS(sums, kz_arg_buffer(OUT), kz_arg_u64(bins), kz_arg_u64(blocks)));
}

static kz_status plan_atomic(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    uint64_t blocks = kz_ceil_div((uint64_t)p->c->axes[AXIS_N], HISTOGRAM_THREADS);
    return count_by(p, &(shape){.blocks = blocks, .threads = HISTOGRAM_THREADS});
}

// As many blocks on a multiprocessor as their shared memory allows, up to HISTOGRAM_BLOCKS.
static uint64_t stride_blocks(const kz_case *c, const kz_device_info *device, uint64_t words) {
    uint64_t resident = HISTOGRAM_BLOCKS;
    while (resident > 1 && shared_words(device, resident) < words) resident--;
    uint64_t full = (uint64_t)device->multiprocessors * resident;
    return kz_min_u64(kz_ceil_div((uint64_t)c->axes[AXIS_N], HISTOGRAM_THREADS), full);
}

static kz_status plan_one_copy(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    uint64_t words = (uint64_t)p->c->axes[AXIS_BINS] + level_words(p->c), room = shared_words(p->device, 1);
    if (words > room) return refuse_bins(p, words, room);
    return count_by(p, &(shape){.blocks = stride_blocks(p->c, p->device, words),
                                .threads = HISTOGRAM_THREADS,
                                .words = words});
}

static kz_status plan_replicated(const kz_planner *p) {
    const kz_case *c = p->c;
    const kz_device_info *device = p->device;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS], levels = level_words(c), room = shared_words(device, 1);
    if (bins + levels > room) return refuse_bins(p, bins + levels, room);
    // Copies within half of a multiprocessor's memory: two blocks at least where one copy allows it.
    uint64_t half = shared_words(device, 2);
    uint64_t copies = choose_copies(bins, half > levels ? half - levels : 0, (uint64_t)c->axes[AXIS_N]);
    uint64_t words = bins * copies + levels;
    return count_by(p, &(shape){.blocks = stride_blocks(c, device, words),
                                .threads = HISTOGRAM_THREADS,
                                .words = words,
                                .extra_count = 1,
                                .extra = {copies}});
}

// ---- 05 to 08 --------------------------------------------------------------------------------------------

// A pack per thread while that does not fill the grid; at least one block.
static uint64_t vector_blocks(const kz_case *c, const kz_device_info *device, uint64_t resident) {
    uint64_t pack = 16 / kz_type_size(c->type), n = (uint64_t)c->axes[AXIS_N];
    uint64_t blocks = kz_min_u64(kz_ceil_div(n, HISTOGRAM_VECTOR_THREADS * pack),
                                 (uint64_t)device->multiprocessors * resident);
    return blocks ? blocks : 1;
}

static shape vector_shape(const kz_case *c, const kz_device_info *device, uint64_t resident) {
    return (shape){.blocks = vector_blocks(c, device, resident), .threads = HISTOGRAM_VECTOR_THREADS};
}

static kz_status plan_vector(const kz_planner *p) {
    const kz_case *c = p->c;
    const kz_device_info *device = p->device;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    bool bytes = c->type == KZ_U8; // the 256 values are counted, not the bins; levels stay where they are
    uint64_t rows = bytes ? 256 : (uint64_t)c->axes[AXIS_BINS] + OUTSIDE, levels = bytes ? 0 : level_words(c);
    uint64_t room = shared_words(device, HISTOGRAM_VECTOR_BLOCKS);
    if (rows + levels > room) return refuse_bins(p, rows + levels, room);
    shape s = vector_shape(c, device, HISTOGRAM_VECTOR_BLOCKS);
    uint64_t words = kz_min_u64(room - levels, HISTOGRAM_VECTOR_WORDS);
    uint64_t elements = kz_ceil_div((uint64_t)c->axes[AXIS_N], s.blocks);
    s.extra_count = 1;
    s.extra[0] = bytes ? 32 : choose_copies(rows, words, elements);
    s.words = rows * s.extra[0] + levels;
    return count_by(p, &s);
}

// 06 to 08 are for elements that can have more values than shared memory has room for.
static kz_status supported_wide(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || p->c->type != KZ_U8) return status;
    return kz_plan_refuse(p->error, "a u8 has 256 values, which 05_vector counts for any bins");
}

static kz_status plan_cluster(const kz_planner *p) {
    const kz_case *c = p->c;
    const kz_device_info *device = p->device;
    kz_status status = supported_wide(p);
    if (status != KZ_OK) return status;
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS], room = shared_words(device, 1), shift = 0;
    while ((UINT64_C(1) << shift) * HISTOGRAM_CLUSTER < bins) shift++;
    if (UINT64_C(1) << shift > room) return refuse_bins(p, UINT64_C(1) << shift, room);
    shape s = vector_shape(c, device, 1);
    s.blocks = kz_ceil_div(s.blocks, HISTOGRAM_CLUSTER) * HISTOGRAM_CLUSTER;
    s.words = UINT64_C(1) << shift;
    s.extra_count = 1;
    s.extra[0] = shift;
    s.cluster = HISTOGRAM_CLUSTER;
    return count_by(p, &s);
}

static kz_status plan_packed_counters(const kz_planner *p) {
    const kz_case *c = p->c;
    const kz_device_info *device = p->device;
    kz_status status = supported_wide(p);
    if (status != KZ_OK) return status;
    uint64_t words = ((uint64_t)c->axes[AXIS_BINS] + OUTSIDE + 1) / 2, room = shared_words(device, 1);
    if (words > room) return refuse_bins(p, words, room);
    shape s = vector_shape(c, device, 1);
    s.words = words;
    return count_by(p, &s);
}

static kz_status plan_lookup_table(const kz_planner *p) {
    const kz_case *c = p->c;
    const kz_device_info *device = p->device;
    kz_status status = supported_wide(p);
    if (status != KZ_OK) return status;
    if (c->operation != KZ_HISTOGRAM_RANGE)
        return kz_plan_refuse(p->error, "even bins are computed, not searched for: 05_vector");
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS], rows = bins + OUTSIDE, levels = level_words(c);
    uint64_t cells = kz_min_u64(bins * HISTOGRAM_GUIDE_CELLS, HISTOGRAM_GUIDE_MOST), guide = cells + 1;
    uint64_t room = shared_words(device, HISTOGRAM_VECTOR_BLOCKS);
    if (rows + levels + guide > room) return refuse_bins(p, rows + levels + guide, room);
    shape s = vector_shape(c, device, HISTOGRAM_VECTOR_BLOCKS);
    uint64_t words = kz_min_u64(room - levels - guide, HISTOGRAM_VECTOR_WORDS);
    uint64_t copies = choose_copies(rows, words, kz_ceil_div((uint64_t)c->axes[AXIS_N], s.blocks));
    s.words = rows * copies + levels + guide;
    s.extra_count = 2;
    s.extra[0] = copies;
    s.extra[1] = cells;
    return count_by(p, &s);
}

// clang-format off
const kz_variant histogram_variants[HISTOGRAM_VARIANTS] = {
    {"00_native", 0, plan_native, "plain C on all cores", histogram_natives},
    {"01_atomic", 75, plan_atomic, "one global atomic per element"},
    {"02_privatized", 75, plan_one_copy, "a histogram per block in shared memory"},
    {"03_warp_aggregated", 75, plan_one_copy, "lanes with the same bin add once"},
    {"04_replicated", 75, plan_replicated, "several copies, a bank of its own for each lane"},
    {"05_vector", 75, plan_vector, "16-byte loads in flight, cheap bins"},
    {"06_cluster", 90, plan_cluster, "bins split over the shared memory of a cluster"},
    {"07_packed_counters", 75, plan_packed_counters, "two counters of 16 bits in a word"},
    {"08_lookup_table", 75, plan_lookup_table, "range: a lookup table narrows the search"},
};
// clang-format on

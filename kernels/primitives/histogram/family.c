// histogram: how many elements fall into each bin. Cases, work and the public operation; plans.c has the
// plans.
//
// Axes: n, bins, lower, upper (a number; for f32 the bits of a float: 1065353216 is 1.0). Buffers: in of n
// elements, out of `bins` u32, and for range bins + 1 levels. choice.csv goes by the number of bins.
#include <math.h>

#include "histogram.h"

#include "private.h"

static const char *const operations[] = {"even", "range", NULL};

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t bins = (uint64_t)c->axes[AXIS_BINS];
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, (uint64_t)c->axes[AXIS_N]};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, KZ_U32, bins};
    if (c->operation == KZ_HISTOGRAM_EVEN) return 2;
    list[LEVELS] = (kz_buffer){"levels", KZ_INPUT, histogram_level_type(c->type), bins + 1};
    return 3;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[AXIS_N], bins = (double)c->axes[AXIS_BINS];
    double levels = c->operation == KZ_HISTOGRAM_RANGE ? bins + 1.0 : 0.0;
    return (kz_work){.bytes = n * (double)kz_type_size(c->type) + 4.0 * (bins + levels), .flops = 0.0};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    args[0] = kz_arg_buffer(IN);
    args[1] = kz_arg_buffer(OUT);
    args[2] = c->operation == KZ_HISTOGRAM_RANGE ? kz_arg_buffer(LEVELS) : kz_arg_u64(0);
    for (size_t i = 0; i < 4; i++) args[3 + i] = kz_arg_u64((uint64_t)c->axes[i]);
    return 7;
}

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
enum { ZERO = 0, ONE = 0x3f800000, TEN = 0x41200000, THREE = 0x40400000 }; // floats by their bits
#define MINUS_ONE 0xbf800000
#define TINY      1       // the smallest denormal
#define HUGE_ONE  0x7f7fffff // the largest float
#define CASE(f, t, n, b, lo, up, u, ...)                                                                     \
    {.operation = KZ_HISTOGRAM_##f, .type = KZ_##t, .axes = {n, b, lo, up}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, b, lo, up, ...) CASE(f, t, n, b, lo, up, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n, b, up, ...)     CASE(f, t, n, b, 0, up, KZ_USE_BENCH, __VA_ARGS__)
#define EDGES(f, t, b, lo, up)                                                                               \
    CHECK(f, t, 0, b, lo, up), CHECK(f, t, 1, b, lo, up), CHECK(f, t, 33, b, lo, up),                        \
    CHECK(f, t, 5003, b, lo, up, .misalign = 1), CHECK(f, t, 4096, b, lo, up, .data = KZ_DATA_BIASED),       \
    CHECK(f, t, 1025, b, lo, up, .data = KZ_DATA_EQUAL), CHECK(f, t, 1031, b, lo, up, .data = KZ_DATA_SMALL),\
    CHECK(f, t, 1000, b, lo, up, .data = KZ_DATA_LARGE)
#define SIZES(t, b, up)                                                                                      \
    BENCH(EVEN, t, 1 << 20, b, up), BENCH(EVEN, t, 1 << 22, b, up), BENCH(EVEN, t, 1 << 24, b, up),          \
    BENCH(EVEN, t, 1 << 26, b, up), BENCH(EVEN, t, 1 << 28, b, up), BENCH(EVEN, t, 1 << 29, b, up)
#define SKEWED(f, t, b, up)                                                                                  \
    BENCH(f, t, 1 << 28, b, up, .data = KZ_DATA_BIASED), BENCH(f, t, 1 << 28, b, up, .data = KZ_DATA_EQUAL)
// clang-format on

static const kz_case cases[] = {
    EDGES(EVEN, F32, 256, ZERO, ONE),
    EDGES(EVEN, F32, 100, MINUS_ONE,
          THREE), // no power of two, and no lower of 0: boundaries that are rounded
    EDGES(EVEN, U8, 256, 0, 256),
    EDGES(EVEN, U8, 7, 3, 200),
    EDGES(EVEN, U16, 256, 0, 65536),
    EDGES(EVEN, U32, 77, 5, 1000003),
    EDGES(RANGE, F32, 100, MINUS_ONE, TEN),
    EDGES(RANGE, U8, 10, 3, 200),
    EDGES(RANGE, U16, 33, 100, 50000),
    EDGES(RANGE, U32, 256, 0, 1 << 24),
    CHECK(EVEN, F32, 1, 1, ZERO, ONE),
    CHECK(EVEN, F32, 1023, 1, ZERO, ONE),
    CHECK(EVEN, F32, 1024, 2048, ZERO, TEN),
    CHECK(EVEN, F32, 1000, 3, TINY, HUGE_ONE, .data = KZ_DATA_SMALL), // a scale that float does not hold
    CHECK(EVEN, F32, 1000, 1, ZERO, TINY, .data = KZ_DATA_SMALL),
    CHECK(EVEN, F32, 1000, 10, MINUS_ONE, ONE, .data = KZ_DATA_DENORMAL),
    CHECK(EVEN, F32, 1000, 16, ZERO, ONE, .data = KZ_DATA_NAN),
    CHECK(EVEN, F32, 1000, 10, MINUS_ONE, ONE, .data = KZ_DATA_NAN),
    CHECK(EVEN, F32, 1000, 10, MINUS_ONE, ONE, .data = KZ_DATA_INF),
    CHECK(EVEN, F32, 1000, 10, MINUS_ONE, ONE, .data = KZ_DATA_ONES), // all at the upper limit
    CHECK(RANGE, F32, 1000, 16, MINUS_ONE, ONE, .data = KZ_DATA_NAN),
    CHECK(RANGE, F32, 1000, 16, MINUS_ONE, ONE, .data = KZ_DATA_INF),
    CHECK(RANGE, F32, 4099, 1, ZERO, ONE, .misalign = 3),
    CHECK(RANGE, F32, 4099, 501, ZERO, ONE),                                 // most levels close together
    CHECK(RANGE, F32, 1000, 256, HUGE_ONE, HUGE_ONE, .data = KZ_DATA_SMALL), // all levels equal
    CHECK(EVEN, U8, 1000, 1000, 0, 256),                                     // more bins than values
    CHECK(EVEN, U32, 1000, 65536, 0, 1LL << 32),
    CHECK(EVEN, U32, 1031, 65521, 1, UINT32_MAX, .data = KZ_DATA_SMALL),
    CHECK(EVEN, U16, 4099, 65521, 0, 65535, .data = KZ_DATA_SMALL),
    CHECK(EVEN, U16, 4099, 641, 1, 65536, .data = KZ_DATA_SMALL),
    CHECK(EVEN, U16, 66000, 65536, 0, 65536, .data = KZ_DATA_EQUAL), // one counter of many gets all
    CHECK(EVEN, F32, 2011, 65535, ZERO, ONE),
    CHECK(EVEN, F32, 150001, 16, ZERO, ONE), // round the loop of 05 with more than one set
    SIZES(F32, 256, ONE),
    SIZES(F32, 2048, ONE),
    SIZES(U8, 256, 256),
    SKEWED(EVEN, F32, 256, ONE),
    SKEWED(EVEN, F32, 2048, ONE),
    SKEWED(EVEN, U8, 256, 256),
    BENCH(EVEN, F32, 1 << 28, 16, ONE),
    BENCH(EVEN, F32, 1 << 28, 100, TEN),
    BENCH(EVEN, F32, 1 << 28, 16384, ONE),
    BENCH(EVEN, F32, 1 << 28, 65536, ONE),
    SKEWED(EVEN, F32, 65536, ONE),
    BENCH(EVEN, U16, 1 << 28, 256, 65536),
    BENCH(EVEN, U16, 1 << 28, 65536, 65536),
    BENCH(EVEN, U32, 1 << 28, 256, 1 << 24),
    BENCH(RANGE, F32, 1 << 26, 256, ONE),
    BENCH(RANGE, F32, 1 << 26, 255, ONE),
    BENCH(RANGE, F32, 1 << 26, 2048, ONE),
    BENCH(RANGE, U8, 1 << 28, 16, 256),
    CASE(EVEN, U8, KZ_PAST_2_31, 256, 0, 256, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[AXIS_BINS]; }

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"02_shared", "02_privatized"},   {"03_aggregated", "03_warp_aggregated"},
    {"04_copies", "04_replicated"},   {"07_packed", "07_packed_counters"},
    {"08_guided", "08_lookup_table"}, {0},
};

static const kz_worked worked[] = {
    {{.operation = KZ_HISTOGRAM_EVEN, .type = KZ_F32, .axes = {1000, 256}}, {4000 + 1024, 0}},
    {{.operation = KZ_HISTOGRAM_RANGE, .type = KZ_F32, .axes = {1000, 256}}, {4000 + 1024 + 1028, 0}},
};

const kz_family kz_family_histogram = {
    .name = "histogram",
    .group = "primitives",
    .summary = "how many elements fall into each bin, of one width or between levels",
    .operations = operations,
    .axes = (const char *const[]){"n", "bins", "lower", "upper", NULL},
    .types = KZ_TYPE_BIT(U8) | KZ_TYPE_BIT(U16) | KZ_TYPE_BIT(U32) | KZ_TYPE_BIT(F32),
    .variants = histogram_variants,
    .variant_count = HISTOGRAM_VARIANTS,
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_histogram,
    .buffers = buffers,
    .fill = histogram_fill,
    .reference = histogram_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "torch", NULL},
    .guest_signature = "even-*: const T *in, unsigned *out, const void *null, size_t n, size_t bins, "
                       "unsigned long long lower, unsigned long long upper\n"
                       "even-f32: const T *in, unsigned *out, const void *null, size_t n, size_t bins, "
                       "float lower, float upper\n"
                       "range-*: const T *in, unsigned *out, const unsigned *levels, size_t n, size_t bins, "
                       "size_t lower, size_t upper\n"
                       "range-f32: const T *in, unsigned *out, const float *levels, size_t n, size_t bins, "
                       "size_t lower, size_t upper",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

static kz_status refuse_limit(kz_type type, double limit, kz_error *error) {
    if (type == KZ_F32 && isfinite((float)limit))
        return kz_plan_refuse(error, "histogram: %.17g is no f32; the nearest one is %.9g: pass (float)limit",
                              limit, (float)limit);
    return kz_plan_refuse(error, "histogram: %.17g is no %s; the limits must be values of the elements' type",
                          limit, kz_type_name(type));
}

kz_status kz_histogram_even_open(kz_device *device, kz_type type, size_t n, size_t bins, double lower,
                                 double upper, const char *variant, kz_operation **operation,
                                 kz_error *error) {
    bool whole = type != KZ_F32;
    double limits[] = {lower, upper};
    for (int i = 0; i < 2; i++) {
        double most = 0x1p32;
        bool fits = whole ? limits[i] >= 0.0 && limits[i] <= most && floor(limits[i]) == limits[i]
                          : (double)(float)limits[i] == limits[i];
        if (!fits) return refuse_limit(type, limits[i], error);
    }
    kz_case c = {
        .operation = KZ_HISTOGRAM_EVEN,
        .type = type,
        .axes = {(int64_t)n, (int64_t)bins, histogram_axis(type, lower), histogram_axis(type, upper)}};
    return kz_operation_open_family(device, &kz_family_histogram, &c, variant, operation, error);
}

kz_status kz_histogram_even_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr counts,
                                kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, counts}, 2, workspace, workspace_bytes, error);
}

kz_status kz_histogram_range_open(kz_device *device, kz_type type, size_t n, size_t bins, const char *variant,
                                  kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = KZ_HISTOGRAM_RANGE, .type = type, .axes = {(int64_t)n, (int64_t)bins}};
    return kz_operation_open_family(device, &kz_family_histogram, &c, variant, operation, error);
}

kz_status kz_histogram_range_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr levels,
                                 kz_ptr counts, kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, counts, levels}, 3, workspace, workspace_bytes,
                            error);
}

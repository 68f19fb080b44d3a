// permute: the axes of a tensor in another order. Cases, work and the table of variants; the plans are in
// plans.c.
//
// Axes: a, b, c, d of the input, row-major. Operations: the order of these axes in the output, "acbd" say:
// out[a][c][b][d] = in[a][b][c][d]. Fewer axes have leading ones. Buffers: in, out.
#include "permute.h"

#include <string.h>

#include "plans.h"

static uint64_t elements(const kz_case *c) {
    permute_shape s = permute_shape_of(c);
    return permute_elements(&s);
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, elements(c)};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, elements(c)};
    return 2;
}

static kz_work work(const kz_case *c) {
    double bytes = 2.0 * (double)kz_type_size(c->type);
    for (int i = 0; i < PERMUTE_AXES; i++) bytes *= (double)c->axes[i];
    return (kz_work){.bytes = bytes, .flops = 0.0};
}

// Bits are moved, whatever they mean, and the order is an argument: one kernel serves all types of a size.
static kz_entry entry(const kz_case *c) {
    return (kz_entry){"permute", kz_type_of_size(kz_type_size(c->type))};
}

static const kz_variant variants[] = {
    {"00_native", 0, permute_plan_native, "plain C on all cores", permute_natives},
    {"01_naive", 75, permute_plan_naive, "one thread per element, three divisions"},
    {"02_fast_division", 75, permute_plan_fast_division, "multiplications for divisions"},
    {"03_merged_axes", 75, permute_plan_merged_axes, "axes that stay together are one"},
    {"04_row_copy", 75, permute_plan_row_copy, "rows that stay whole, by 16 bytes"},
    {"05_shared_tile", 75, permute_plan_shared_tile, "the two axes that matter, transposed in shared memory"},
    {"06_wide_tile", 75, permute_plan_wide_tile, "tiles of 256 bytes on both sides for every type"},
    {"07_tile_4d", 75, permute_plan_tile_4d, "a tile of all four axes, for short ones"},
    {"08_few_channels", 75, permute_plan_few_channels, "2 to 4 channels to planes and back, in registers"},
    {"09_dispatch", 75, permute_plan_dispatch, "the plan dispatches by shape"},
};

// ---- cases -----------------------------------------------------------------------------------------

// As in permute_orders.
enum {
    ABCD,
    ABDC,
    ACBD,
    ACDB,
    ADBC,
    ADCB,
    BACD,
    BADC,
    BCAD,
    BCDA,
    BDAC,
    BDCA,
    CABD,
    CADB,
    CBAD,
    CBDA,
    CDAB,
    CDBA,
    DABC,
    DACB,
    DBAC,
    DBCA,
    DCAB,
    DCBA
};

// clang-format off
#define CASE(o, t, a, b, c, d, u, ...)                                                                       \
    {.operation = o, .type = KZ_##t, .axes = {a, b, c, d}, .use = u, __VA_ARGS__}
#define CHECK(o, t, a, b, c, d, ...) CASE(o, t, a, b, c, d, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, a, b, c, d) CASE(o, t, a, b, c, d, KZ_USE_BENCH)
#define EVERY(X, t, a, b, c, d)                                                                              \
    X(ABCD, t, a, b, c, d), X(ABDC, t, a, b, c, d), X(ACBD, t, a, b, c, d), X(ACDB, t, a, b, c, d),          \
    X(ADBC, t, a, b, c, d), X(ADCB, t, a, b, c, d), X(BACD, t, a, b, c, d), X(BADC, t, a, b, c, d),          \
    X(BCAD, t, a, b, c, d), X(BCDA, t, a, b, c, d), X(BDAC, t, a, b, c, d), X(BDCA, t, a, b, c, d),          \
    X(CABD, t, a, b, c, d), X(CADB, t, a, b, c, d), X(CBAD, t, a, b, c, d), X(CBDA, t, a, b, c, d),          \
    X(CDAB, t, a, b, c, d), X(CDBA, t, a, b, c, d), X(DABC, t, a, b, c, d), X(DACB, t, a, b, c, d),          \
    X(DBAC, t, a, b, c, d), X(DBCA, t, a, b, c, d), X(DCAB, t, a, b, c, d), X(DCBA, t, a, b, c, d)
// A transpose in batches, rows, channels to the end and back; whole packs and not, tiles and a bit; pointers
// that are aligned for elements alone.
#define SIZES(t)                                                                                             \
    CHECK(ABDC, t, 1, 2, 48, 80), CHECK(ABDC, t, 1, 3, 33, 35), CHECK(ACBD, t, 2, 3, 5, 32),                 \
    CHECK(ACBD, t, 2, 5, 3, 7), CHECK(ACDB, t, 2, 3, 8, 16), CHECK(ADBC, t, 2, 8, 16, 3),                    \
    CHECK(ADBC, t, 2, 9, 7, 40, .misalign = 1), CHECK(ACBD, t, 2, 3, 5, 32, .misalign = 1)
#define CHANNELS(t)                                                                                          \
    CHECK(ADBC, t, 3, 4, 16, 2), CHECK(ADBC, t, 1, 16, 16, 4), CHECK(ACDB, t, 3, 2, 4, 16),                  \
    CHECK(ACDB, t, 1, 4, 16, 16), CHECK(ACDB, t, 2, 3, 16, 16, .misalign = 1), CHECK(ADBC, t, 2, 16, 16, 3)
// clang-format on

static const kz_case cases[] = {
    CHECK(ABCD, F32, 0, 3, 4, 5),
    CHECK(DCBA, F32, 3, 4, 5, 0),
    CHECK(DCBA, U8, 1, 1, 1, 1),
    CHECK(DCBA, F64, 1, 7, 1, 1),
    CHECK(ABCD, BF16, 3, 5, 7, 16),
    CHECK(CADB, F32, 1, 130, 1, 67), // a transpose, after merging
    EVERY(CHECK, U16, 3, 5, 7, 11),
// A type is its size, and the check knows each.
#define KZ_TYPE(id, ...) CHECK(DCBA, id, 3, 7, 5, 11),
#include "kz/types.def"
#undef KZ_TYPE
    EVERY(CHECK, F32, 4, 3, 8, 4),
    SIZES(U8),
    SIZES(BF16),
    SIZES(F32),
    SIZES(F64),
    CHECK(ABDC, BF16, 1, 2, 136, 264),
    CHECK(ABDC, U8, 1, 1, 272, 528),
    CHECK(ADCB, BF16, 2, 72, 3, 72),
    CHECK(DBCA, F32, 70, 2, 3, 68),
    CHECK(DBCA, U8, 3, 2, 40, 3),
    CHECK(ACDB, U8, 1, 3, 50, 60), // images of three channels
    CHECK(ADBC, U8, 1, 50, 60, 3),
    CHECK(ADBC, F16, 1, 31, 37, 3),
    CHANNELS(U8),
    CHANNELS(BF16),
    CHANNELS(F32),
    CHANNELS(I64),
    CHECK(ADBC, U8, 3, 48, 48, 3), // more than one block
    CHECK(ACDB, U8, 3, 3, 48, 48),
    CHECK(BACD, I64, 127, 131, 1, 1),
    CHECK(BACD, U16, 40, 72, 1, 3), // rows of a few bytes
    CHECK(BACD, U8, 35, 33, 1, 5),
    CHECK(BACD, U8, 64, 48, 1, 6, .misalign = 1),
    CHECK(BACD, F32, 24, 40, 1, 3),
    CHECK(ACBD, F32, 2, 3, 5, 32, .data = KZ_DATA_NAN),
    CHECK(ABDC, F32, 1, 2, 40, 48, .data = KZ_DATA_INF),
    CHECK(ABDC, F16, 1, 2, 40, 48, .data = KZ_DATA_DENORMAL),
    BENCH(ACDB, F32, 64, 256, 56, 56), // NCHW to NHWC
    BENCH(ADBC, F32, 64, 56, 56, 256), // and back
    BENCH(ACDB, BF16, 128, 256, 56, 56),
    BENCH(ADBC, BF16, 128, 56, 56, 256),
    BENCH(ACDB, BF16, 128, 64, 112, 112),
    BENCH(ACBD, BF16, 8, 4096, 32, 128), // positions, heads: to heads, positions
    BENCH(ACBD, BF16, 8, 4096, 64, 64),
    BENCH(ABDC, F32, 1, 64, 2048, 2048), // transposes
    BENCH(ABDC, BF16, 1, 128, 2048, 1024),
    BENCH(ABDC, BF16, 1, 1, 16384, 16384),
    BENCH(ABDC, U8, 1, 64, 2048, 2048),
    BENCH(ABDC, F64, 1, 32, 2048, 2048),
    BENCH(ADBC, U8, 256, 512, 512, 3), // images: three channels to planes
    BENCH(ACDB, U8, 256, 3, 512, 512), // and back
    BENCH(ACDB, F32, 128, 3, 512, 512),
    BENCH(ADBC, F32, 64, 256, 256, 8), // short axes
    BENCH(DBCA, U8, 16, 2048, 1024, 6),
    BENCH(BACD, F16, 4096, 8192, 1, 3),
    BENCH(DCBA, F32, 96, 112, 128, 160), // everything changes places
    BENCH(BADC, BF16, 64, 64, 128, 256),
    CASE(ACBD, BF16, 5, 65537, 103, 64, KZ_USE_HUGE),
    CASE(ABDC, U8, 3, 1, 65537, 32771, KZ_USE_HUGE),
};

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"03_merged", "03_merged_axes"}, {"04_rows", "04_row_copy"},
    {"05_tile", "05_shared_tile"},   {"06_packs", "06_wide_tile"},
    {"07_box", "07_tile_4d"},        {"08_channels", "08_few_channels"},
    {"09_chosen", "09_dispatch"},    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F64, .axes = {2, 3, 4, 5}}, {1920, 0}},
};

const kz_family kz_family_permute = {
    .name = "permute",
    .group = "primitives",
    .summary = "the axes of a tensor in any order of up to four: batched transposes, NCHW to NHWC",
    .operations = permute_orders,
    .axes = (const char *const[]){"a", "b", "c", "d", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_permute,
    .entry = entry,
    .buffers = buffers,
    .reference = permute_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", NULL},
    .guest_signature = "const T *in, T *out, size_t a, size_t b, size_t c, size_t d",
    .size = elements,
};

// ---- the public operation ----------------------------------------------------------------------------

static kz_status refuse(kz_error *error, const char *what) {
    return kz_fail(error, KZ_INVALID, "kz_permute_open: %s", what);
}

kz_status kz_permute_open(kz_device *device, kz_type type, unsigned axis_count, const size_t *axes,
                          const unsigned *order, const char *variant, kz_operation **operation,
                          kz_error *error) {
    if (operation) *operation = NULL;
    if (axis_count && !axes) return refuse(error, "axes is NULL\npass the length of each axis");
    if (axis_count && !order) return refuse(error, "order is NULL\npass the order of the axes in the result");
    if (axis_count > PERMUTE_AXES) return refuse(error, "more than 4 axes; merge those that stay together");
    kz_case c = {.type = type};
    unsigned missing = PERMUTE_AXES - axis_count, seen = 0;
    char name[PERMUTE_AXES + 1] = "abcd"; // axes that are missing are the first ones, and stay
    for (unsigned i = 0; i < PERMUTE_AXES; i++) c.axes[i] = i < missing ? 1 : (int64_t)axes[i - missing];
    for (unsigned i = 0; i < axis_count; i++) {
        if (order[i] >= axis_count || seen >> order[i] & 1)
            return refuse(error, "the order does not name each axis once: it holds 0 to axis_count - 1");
        seen |= 1u << order[i];
        name[missing + i] = (char)('a' + missing + order[i]);
    }
    while (strcmp(permute_orders[c.operation], name) != 0) c.operation++;
    return kz_operation_open_family(device, &kz_family_permute, &c, variant, operation, error);
}

kz_status kz_permute_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out}, 2, 0, 0, error);
}

// gemm: c = alpha a b + beta c, of any shape, order, stride and count. Cases, work and the table of variants.
//
// Axes: m, n, k; batch, the number of products, of groups where they are grouped; slack, elements by which rows and matrices
// lie further apart than they must. Buffers: a, b, c and, where they are grouped, offsets; an operation's letters say how a
// and b lie: n as written, t transposed. _f32: c is of floats. _scaled: alpha is 1.5, beta -0.5. _grouped: gemm.h.
#include "private.h"

// ---- buffers and work --------------------------------------------------------------------------------

// Where c has gaps, what is in them must stay; where beta counts, c is read.
static kz_role role_of_c(const gemm_spec *s) {
    bool gaps = s->c.ld != s->n || (s->form != KZ_GEMM_GROUPED && s->c.stride != s->m * s->n);
    return s->beta != 0.0 || gaps ? KZ_INOUT : KZ_OUTPUT;
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    gemm_spec s = gemm_spec_of(c);
    bool pointers = s.form == KZ_GEMM_POINTERS, grouped = s.form == KZ_GEMM_GROUPED;
    list[A] = (kz_buffer){"a", KZ_INPUT, pointers ? KZ_I64 : s.type, gemm_elements(&s, &s.a)};
    list[B] = (kz_buffer){"b", KZ_INPUT, pointers ? KZ_I64 : s.type, gemm_elements(&s, &s.b)};
    list[C] = (kz_buffer){"c", role_of_c(&s), pointers ? KZ_I64 : s.out, gemm_elements(&s, &s.c)};
    list[OFFSETS] = (kz_buffer){"offsets", KZ_INPUT, KZ_U32, s.count + 1};
    return grouped ? 4 : 3;
}

// Groups that grow, every third of them empty.
static uint32_t offset_of(const kz_case *c, uint64_t group) {
    uint64_t count = (uint64_t)c->axes[BATCH], shown = group % 3 == 2 && group < count ? group - 1 : group;
    return count ? (uint32_t)((double)c->axes[M] * (double)shown * (double)shown /
                              ((double)count * (double)count))
                 : 0;
}

static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    (void)seed;
    for (uint64_t i = 0; which == OFFSETS && i < count; i++) ((uint32_t *)host)[i] = offset_of(c, first + i);
    return which == OFFSETS;
}

static double matrices(const gemm_matrix *matrix, const gemm_spec *s) {
    return (double)matrix->rows * (double)matrix->columns * (matrix->stride ? (double)s->count : 1.0);
}

static kz_work work(const kz_case *c) {
    gemm_spec s = gemm_spec_of(c);
    double in = (double)kz_type_size(s.type), out = (double)kz_type_size(s.out) * (s.beta != 0.0 ? 2.0 : 1.0);
    double products = s.form == KZ_GEMM_GROUPED ? 1.0 : (double)s.count;
    return (kz_work){.bytes = in * (matrices(&s.a, &s) + matrices(&s.b, &s)) + out * matrices(&s.c, &s),
                     .flops = 2.0 * (double)s.m * (double)s.n * (double)s.k * products,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- variants ----------------------------------------------------------------------------------------

// clang-format off
#define FRAME(name, id, idea) {name, KZ_SM_EXACT(90), gemm_plan_frame, idea, .tile = GEMM_##id}
#define UNTIMED(name, id, idea) {name, KZ_SM_EXACT(90), gemm_plan_frame, idea, .tile = GEMM_##id, .untimed = true}
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, gemm_plan_native, "plain C on all cores", gemm_natives},
    {"01_universal", 75, gemm_plan_universal, "every type, order and stride, by FFMA"},
    FRAME("02_tile_128x256", LARGE, "128 x 256, clusters of two, blocks that stay"),
    FRAME("03_tile_128x192", WIDE, "128 x 192, one consumer stores while the other multiplies"),
    FRAME("04_tile_128x128", SMALL, "128 x 128, by turns as 03"),
    FRAME("05_tile_64x128", NARROW, "64 x 128, for a small c"),
    FRAME("06_cluster_split_k", SPLIT, "four blocks of a cluster share 64 x 64, for long sums"),
    FRAME("07_stream_k", STREAM, "02 whose last tiles are cut along k"),
    FRAME("08_few_rows", ROWS_16, "up to 64 rows of a as the tile's columns"),
    FRAME("09_grouped", GROUP_LARGE, "groups of rows, found on the device"),
    FRAME("10_tile_256x192", TALL, "256 x 192: the fewest bytes for each product"),
    FRAME("11_tile_256x128", PAIR, "256 x 128, two side by side share a"),
    FRAME("12_tile_128x160", MIDDLE, "128 x 160, by turns as 03"),
    FRAME("13_tile_128x112", BAND, "128 x 112, four side by side share a"),
    FRAME("14_tile_64x64_row", ROW_OF_4, "64 x 64, four side by side share a"),
    FRAME("15_tile_64x64_column", COLUMN_OF_4, "64 x 64, four one above the other share b"),
    FRAME("16_tile_64x112_mesh", MESH, "64 x 112, two by four share both"),
    FRAME("17_cluster_split_8", SPLIT_8, "06 with eight blocks for each tile"),
    FRAME("18_two_widths", TALL_128, "10 whose last columns are 256 x 128, so that all end together"),
    FRAME("19_two_widths_208", TALLEST_128, "18 with 256 x 208"),
    FRAME("20_tile_128x224", BROAD, "128 x 224: another width for 02"),
    FRAME("21_tile_192x192", SQUARE, "192 x 192 by three consumers"),
    FRAME("22_split_k", K_PARTS, "128 x 128, k divided among any number of blocks; a second kernel adds"),
    UNTIMED("23_split_k_few_rows", K_PARTS_16, "08, k divided as in 22"),
    UNTIMED("24_odd_rows", ODD, "22 whose producer's warps shift rows that begin anywhere into place"),
    UNTIMED("25_odd_few_rows", ODD_16, "23 with 24's producer"),
};

// What kernels of the frame are named for.
static const char *const operations[] = {
    "nn", "nt", "tn", "tt", "nn_f32", "nt_f32", "tn_f32", "tt_f32", "nn_scaled", "nt_scaled", "tn_scaled", "tt_scaled",
    "nn_grouped", "nt_grouped", NULL};
// clang-format on

static kz_entry entry(const kz_case *c) {
    gemm_spec s = gemm_spec_of(c);
    uint32_t order = (s.a_transposed ? 2 : 0) + (s.b_transposed ? 1 : 0);
    return (kz_entry){operations[order + (s.out == s.type ? 0 : ORDERS)], s.type};
}

// ---- cases -------------------------------------------------------------------------------------------

enum {
#define OPERATION(o) NN##o, NT##o, TN##o, TT##o
    OPERATION(),
    OPERATION(_F32),
    OPERATION(_SCALED),
    NN_GROUPED,
    NT_GROUPED,
};

// clang-format off
#define CASE(o, t, m, n, k, batch, slack, u, ...)                                                            \
    {.operation = o, .type = KZ_##t, .axes = {m, n, k, batch, slack}, .use = u, __VA_ARGS__}
#define CHECK(o, t, m, n, k, batch, slack, ...) CASE(o, t, m, n, k, batch, slack, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, m, n, k, batch) CASE(o, t, m, n, k, batch, 0, KZ_USE_BENCH)
// One element; primes; tiles and a bit, with room behind the rows; a batch.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 1, 1, 1, 1, 0), CHECK(o, t, 67, 61, 131, 1, 0), CHECK(o, t, 136, 264, 72, 1, 8),             \
    CHECK(o, t, 40, 24, 72, 3, 0)
// clang-format on

static const kz_case cases[] = {
    CHECK(NN, BF16, 0, 5, 5, 1, 0),
    CHECK(NN, BF16, 5, 0, 5, 1, 0),
    CHECK(NT, F16, 5, 7, 0, 1, 0),         // a sum of nothing: zeros
    CHECK(NT_SCALED, BF16, 5, 7, 0, 2, 3), // and beta c
    CHECK(NN, BF16, 5, 7, 5, 0, 0),        // no products
    EDGES(NN, BF16),
    EDGES(NT, BF16),
    EDGES(TN, BF16),
    EDGES(TT, BF16),
    EDGES(NN_F32, BF16),
    EDGES(NT_F32, F16),
    EDGES(TT_F32, F16),
    EDGES(NN_SCALED, F16),
    EDGES(TT_SCALED, BF16),
    CHECK(TN_F32, BF16, 67, 61, 131, 2, 3),
    CHECK(NT_SCALED, F16, 67, 61, 131, 3, 5),
    CHECK(NT, BF16, 33, 36, 20, 2, 0, .misalign = 1),
    CHECK(NN_SCALED, BF16, 33, 36, 20, 2, 4, .misalign = 1),
    CHECK(NN, F32, 67, 61, 33, 2, 3),
    CHECK(TT_SCALED, F32, 40, 24, 16, 1, 0),
    CHECK(NT, F64, 67, 61, 33, 2, 3),
    CHECK(TN_SCALED, F64, 40, 24, 16, 1, 0),
    CHECK(NT, BF16, 264, 520, 392, 1, 0), // clusters, more chunks than stages
    CHECK(NN, BF16, 264, 264, 136, 2, 8),
    CHECK(NT, BF16, 1, 520, 264, 1, 0),         // a row
    CHECK(NT_SCALED, BF16, 40, 72, 264, 3, 0),  // few
    CHECK(NT_SCALED, BF16, 72, 40, 2056, 1, 0), // long sums
    CHECK(TN_F32, F16, 67, 61, 1031, 2, 0),
    CHECK(NN, F16, 67, 61, 1031, 1, 3),  // rows of c that begin at multiples of 16 bytes and end anywhere
    CHECK(NT, BF16, 8, 520, 5640, 1, 0), // shared out along k
    CHECK(NN_SCALED, BF16, 72, 136, 520, 1, 8),
    CHECK(TN_F32, F16, 67, 61, 515, 1, 0),
    CHECK(TT, BF16, 136, 72, 520, 1, 0),
    CHECK(NN_F32, F16, 136, 72, 520, 1, 8),
    CHECK(TT_F32, BF16, 72, 136, 520, 1, 0),
    CHECK(TT_F32, BF16, 12, 40, 2056, 1, 0),
    CHECK(NN_F32, F16, 12, 40, 2056, 1, 0),
    CHECK(NN_F32, BF16, 12, 72, 515, 1, 0),
    CHECK(NN, F16, 12, 72, 515, 1, 0),    // and of few rows
    CHECK(NN, BF16, 131, 133, 200, 1, 1), // rows that begin anywhere, two tiles
    KZ_NOT_FINITE(CHECK, NT, BF16, 20, 36, 77, 1, 0),
    CHECK(NN_SCALED, BF16, 40, 61, 515, 1, 3),
    CHECK(NT, BF16, 1, 20008, 8, 2, 0), // 18: a wide tile and a narrow one for each block, of two products
    CHECK(NN_GROUPED, BF16, 300, 136, 72, 7, 0),
    CHECK(NT_GROUPED, BF16, 300, 136, 72, 7, 8),
    CHECK(NT_GROUPED, F16, 67, 61, 33, 4, 0),
    CHECK(NN_GROUPED, F32, 67, 61, 33, 4, 3),
    CHECK(NT_GROUPED, BF16, 0, 61, 33, 4, 0),
    CHECK(NT_GROUPED, BF16, 40, 24, 16, 1, 0),
    KZ_NOT_FINITE(CHECK, NN, BF16, 40, 24, 16, 2, 0),
    KZ_NOT_FINITE(CHECK, NT_SCALED, F16, 40, 24, 16, 1, 8),
    CHECK(NT_F32, F16, 40, 24, 600, 1, 0, .data = KZ_DATA_EQUAL), // products that all round alike
    CHECK(NT, F32, 40, 24, 600, 1, 0, .data = KZ_DATA_EQUAL),
    CHECK(NT, F16, 40, 24, 16, 1, 0, .data = KZ_DATA_LARGE), // past the largest half
    BENCH(NT, BF16, 1024, 1024, 1024, 1),
    BENCH(NT, BF16, 4096, 4096, 4096, 1),
    BENCH(NT, BF16, 8192, 8192, 8192, 1),
    BENCH(NN, BF16, 4096, 4096, 4096, 1),
    BENCH(TN, BF16, 4096, 4096, 4096, 1),
    BENCH(TT, BF16, 4096, 4096, 4096, 1),
    BENCH(NT, F16, 4096, 4096, 4096, 1),
    BENCH(NT_F32, BF16, 4096, 4096, 4096, 1),
    BENCH(NT_SCALED, BF16, 4096, 4096, 4096, 1),
    BENCH(NN, BF16, 8191, 8191, 8191, 1), // nothing is aligned
    BENCH(NT, BF16, 512, 512, 512, 64),
    BENCH(NN, BF16, 1024, 1024, 128, 96), // attention's products, by heads
    BENCH(NT, BF16, 16, 8192, 8192, 1),
    BENCH(NT, BF16, 256, 256, 16384, 1),
    BENCH(NT_GROUPED, BF16, 8192, 4096, 2048, 8), // a mixture of experts
    BENCH(NT_GROUPED, BF16, 4096, 2048, 4096, 64),
    CASE(NT, BF16, 46352, 46352, 8, 1, 0, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) {
    return (uint64_t)c->axes[M] * (uint64_t)c->axes[N] * (uint64_t)c->axes[BATCH];
}

// By hand: two products of 10 x 20 x 30; c in halves, in floats, read and written; two groups that share 10 rows.
static const kz_worked worked[] = {
    {{.operation = NN, .type = KZ_F16, .axes = {10, 20, 30, 2}}, {2 * 2 * (300 + 600 + 200), 24000}},
    {{.operation = TT_F32, .type = KZ_BF16, .axes = {10, 20, 30, 2}},
     {2 * (2 * (300 + 600) + 4 * 200), 24000}},
    {{.operation = NT_SCALED, .type = KZ_F32, .axes = {10, 20, 30, 1}}, {4 * (300 + 600 + 2 * 200), 12000}},
    {{.operation = NN_GROUPED, .type = KZ_BF16, .axes = {10, 20, 30, 2}}, {2 * (300 + 1200 + 200), 12000}},
};

const kz_family kz_family_gemm = {
    .name = "gemm",
    .group = "gemm",
    .summary = "c = alpha a b + beta c: any shape, order, stride and count, by what is fastest for it",
    .operations = operations,
    .axes = (const char *const[]){"m", "n", "k", "batch", "slack", NULL},
    .axes_note =
        "slack: elements between rows, and between matrices, that are nobody's; batch counts groups in "
        "_grouped; _f32: c is of floats; _scaled: alpha is 1.5, beta -0.5",
    .types = KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16) | KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F64),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_gemm,
    .entry = entry,
    .buffers = buffers,
    .fill = fill,
    .reference = gemm_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublas", "cublaslt", NULL},
    .guest_signature =
        "const T *a, const T *b, T *c, size_t m, size_t n, size_t k, size_t batch, size_t slack\n"
        "*_f32-*: const T *a, const T *b, float *c, size_t m, size_t n, size_t k, size_t batch, size_t "
        "slack\n"
        "*_grouped-*: const T *a, const T *b, T *c, const unsigned *offsets, size_t m, size_t n, size_t k, "
        "size_t batch, size_t slack",
    .size = size,
    .estimate = gemm_estimate,
};

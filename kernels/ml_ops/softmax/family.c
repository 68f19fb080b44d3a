// softmax: each row's exponentials over their sum, and the gradients. Cases, work, plans, the table of variants.
//
// Axes: batch, rows, columns. Buffers: x, y of batch * rows * columns elements, with a mask of as many bytes between them;
// backward y, dy, dx.
#include "softmax.h"

#include "kz/device/row_shape.h"
#include "private.h"
#include "tune.h"

static uint64_t all_rows(const kz_case *c) { return (uint64_t)c->axes[BATCH] * (uint64_t)c->axes[ROWS]; }
static uint64_t elements(const kz_case *c) { return all_rows(c) * (uint64_t)c->axes[COLUMNS]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = elements(c);
    if (softmax_goes_back(c->operation)) {
        list[BACK_Y] = (kz_buffer){"y", KZ_INPUT, c->type, n};
        list[BACK_DY] = (kz_buffer){"dy", KZ_INPUT, c->type, n};
        list[BACK_DX] = (kz_buffer){"dx", KZ_OUTPUT, c->type, n};
        return 3;
    }
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, n};
    if (c->operation == KZ_SOFTMAX_MASKED) {
        list[MASK] = (kz_buffer){"mask", KZ_INPUT, KZ_U8, n};
        list[MASKED_Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, n};
        return 3;
    }
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, n};
    return 2;
}

// A quarter of a mask is 0, and every fifth row whole. Small cases have elements up to 16 apart, so that shares differ by
// e^16; large ones keep the harness's, which come many times as fast.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    uint64_t columns = (uint64_t)c->axes[COLUMNS];
    if (c->operation == KZ_SOFTMAX_MASKED && which == MASK) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t bits = kz_draw(seed, (uint32_t)which, first + i);
            bool hidden = (first + i) / columns % 5 == 4 || bits % 4 == 0;
            ((uint8_t *)host)[i] = hidden ? 0 : (uint8_t)(bits >> 8 | 1);
        }
        return true;
    }
    if (softmax_goes_back(c->operation) || which != X) return false;
    if (c->data != KZ_DATA_UNIFORM || elements(c) > 1 << 20) return false;
    for (uint64_t i = 0; i < count; i++) {
        double unit = (double)(kz_draw(seed, (uint32_t)which, first + i) >> 11) * 0x1p-53;
        kz_element_set(c->type, host, i, 16.0 * unit - 8.0);
    }
    return true;
}

// What causal rows see, of all rows of a batch: row r sees columns - rows + r + 1 columns, if that is more than none.
static double causal_reads(const kz_case *c) {
    double rows = (double)c->axes[ROWS], columns = (double)c->axes[COLUMNS];
    double seeing = rows < columns ? rows : columns;
    return (double)c->axes[BATCH] * (seeing * columns - seeing * (seeing - 1.0) / 2.0);
}

// Per element a difference, an exponential, an addition and a product; backward two products, a difference and an addition
// (of logarithms an exponential and a product for the two). The largest is found by comparisons, which do not count.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[BATCH] * (double)c->axes[ROWS] * (double)c->axes[COLUMNS], moved = 2.0 * n,
           mask = c->operation == KZ_SOFTMAX_MASKED ? n : 0.0;
    if (softmax_goes_back(c->operation)) moved = 3.0 * n;
    if (c->operation == KZ_SOFTMAX_CAUSAL) moved = n + causal_reads(c);
    return (kz_work){.bytes = moved * (double)kz_type_size(c->type) + mask, .flops = 4.0 * n};
}

// ---- plans -----------------------------------------------------------------------------------------------

static kz_row_work row_work(const kz_planner *p) {
    const kz_case *c = p->c;
    return (kz_row_work){.rows = all_rows(c),
                         .columns = (uint64_t)c->axes[COLUMNS],
                         .element_bytes = (unsigned)kz_type_size(c->type),
                         .arrays = softmax_goes_back(c->operation) ? 2 : 1,
                         .multiprocessors = p->device->multiprocessors,
                         .shared_bytes = p->device->shared_per_block_optin};
}

static unsigned units(const kz_case *c) {
    return softmax_goes_back(c->operation) ? SOFTMAX_BACK_UNITS : SOFTMAX_UNITS;
}

// A launch as the shape says. `extra` is the kernel's last argument.
static kz_status add(const kz_planner *p, const char *part, kz_row_shape shape, unsigned extra) {
    const kz_case *c = p->c;
    bool back = softmax_goes_back(c->operation), masked = c->operation == KZ_SOFTMAX_MASKED;
    if (c->axes[COLUMNS] >= 1 << 30)
        return kz_plan_refuse(
            p->error, "%lld columns: a row of softmax has less than 2^30; look at the arguments' order",
            (long long)c->axes[COLUMNS]);
    if (elements(c) == 0) return KZ_OK;
    return KZ_LAUNCH(p, .part = part, .blocks = shape.blocks, .threads = shape.threads,
                     .cluster = shape.cluster, .shared_bytes = shape.shared_bytes,
                     KZ_ARGS(kz_arg_buffer(X), kz_arg_buffer(back || masked ? 1 : X),
                             kz_arg_buffer(back     ? (uint32_t)BACK_DX
                                           : masked ? (uint32_t)MASKED_Y
                                                    : (uint32_t)Y),
                             kz_arg_u64((uint64_t)c->axes[BATCH]), kz_arg_u64((uint64_t)c->axes[ROWS]),
                             kz_arg_u64((uint64_t)c->axes[COLUMNS]), kz_arg_u64(extra)));
}

// As many rows as the variant's tile says for each block.
static kz_status plan_blocks(const kz_planner *p) {
    kz_row_shape shape = {.threads = p->variant->threads};
    shape.blocks = kz_min_u64(kz_ceil_div(all_rows(p->c), p->variant->tile), 1u << 30);
    return add(p, NULL, shape, 0);
}

static kz_status plan_native(const kz_planner *p) {
    uint64_t blocks = kz_min_u64(all_rows(p->c), (uint64_t)p->device->multiprocessors);
    return add(p, NULL, (kz_row_shape){.blocks = blocks, .threads = 1}, 0);
}

static kz_status plan_stream(const kz_planner *p) {
    kz_row_work w = row_work(p);
    return add(p, NULL, kz_row_stream(&w), 0);
}

static kz_status refuse_long(const kz_planner *p, const char *who) {
    return kz_plan_refuse(p->error,
                          "rows of %lld columns do not fit into %s; 03_online takes rows of any length",
                          (long long)p->c->axes[COLUMNS], who);
}

// A pack for each lane of short rows, four (two backward) of others: the more a lane has, the less is folding.
static kz_status plan_lanes(const kz_planner *p) {
    kz_row_work w = row_work(p);
    bool brief = kz_row_packs(&w) <= SOFTMAX_SHORT_PACKS;
    w.resident = brief ? SOFTMAX_SHORT_RESIDENT : SOFTMAX_LANES_RESIDENT;
    kz_row_shape shape = kz_row_lanes(&w, brief ? 1 : units(p->c));
    if (shape.blocks == 0 && elements(p->c)) return refuse_long(p, "a warp's registers");
    return add(p, brief ? "short" : NULL, shape, shape.lanes);
}

static kz_status plan_registers(const kz_planner *p) {
    kz_row_work w = row_work(p);
    kz_row_shape shape = kz_row_block(&w, units(p->c), KZ_ROW_BLOCK_THREADS);
    if (shape.blocks == 0 && elements(p->c)) return refuse_long(p, "a block's registers");
    return add(p, NULL, shape, 0);
}

static kz_status plan_cluster(const kz_planner *p) {
    kz_row_work w = row_work(p);
    kz_row_shape shape = kz_row_cluster(&w);
    return add(p, NULL, shape, shape.stages);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", softmax_natives},
    {"01_thread", 75, plan_blocks, "a thread per row, three passes", .threads = SOFTMAX_THREADS, .tile = SOFTMAX_THREADS},
    {"02_block", 75, plan_blocks, "a block per row: coalesced, three passes", .threads = SOFTMAX_THREADS, .tile = 1},
    {"03_online", 75, plan_stream, "largest and sum in one pass, 16-byte loads"},
    {"04_lanes", 80, plan_lanes, "lanes of a warp hold the row in registers"},
    {"05_registers", 80, plan_registers, "a block holds the row in registers"},
    {"06_cluster", 90, plan_cluster, "a cluster holds the row in rings of shared memory"},
};

#define CASE(f, t, b, r, c, u, ...)                                                                          \
    {.operation = KZ_SOFTMAX_##f, .type = KZ_##t, .axes = {b, r, c}, .use = u, __VA_ARGS__}
#define CHECK(f, t, b, r, c, ...) CASE(f, t, b, r, c, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, b, r, c) CASE(f, t, b, r, c, KZ_USE_BENCH)
// Rows of one lane and of several, of whole packs, that begin anywhere, of a block; not finite.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 1, 37, 16), CHECK(f, t, 2, 5, 33, .misalign = 1), CHECK(f, t, 1, 3, 1025),                   \
        KZ_NOT_FINITE(CHECK, f, t, 1, 9, 40), CHECK(f, t, 1, 3, 40, .data = KZ_DATA_ZEROS),                  \
        CHECK(f, t, 1, 3, 700, .data = KZ_DATA_EQUAL)
#define TYPES(list, f) list(f, F32), list(f, F16), list(f, BF16)
#define FORWARD(f, t) EDGES(f, t), CHECK(f, t, 1, 6, 130, .data = KZ_DATA_LARGE)
#define BENCHES(f, t) BENCH(f, t, 1, 32768, 4096), BENCH(f, t, 1, 8192, 131072), BENCH(f, t, 1, 64, 4096)
// clang-format on

static const kz_case cases[] = {
    CHECK(PLAIN, F32, 1, 0, 16),
    CHECK(PLAIN, F32, 1, 3, 0),
    CHECK(PLAIN, F32, 1, 1, 1),
    CHECK(LOG, F32, 1, 1, 1),
    CHECK(BACKWARD, F32, 1, 1, 1),
    CHECK(LOG_BACKWARD, F32, 0, 3, 5),
    CHECK(PLAIN, F32, 1, 300, 7),
    CHECK(PLAIN, F32, 1, 70, 256), // 04: several rows in turn for each warp
    CHECK(PLAIN, F16, 1, 1100, 8), // ... of one lane
    CHECK(PLAIN, F32, 1, 3, 100, .data = KZ_DATA_DENORMAL),
    CHECK(LOG, F32, 1, 3, 100, .data = KZ_DATA_SMALL),
    CHECK(PLAIN, F32, 1, 3, 4096, .misalign = 1),  // 05: a pack more than registers, by single elements
    CHECK(PLAIN, F32, 1, 3, 20003, .misalign = 3), // 06: clusters, packs that are not whole
    CHECK(LOG, F16, 1, 2, 40000),
    CHECK(BACKWARD, F32, 1, 2, 20002, .misalign = 1),
    CHECK(LOG_BACKWARD, BF16, 1, 2, 30001),
    CHECK(CAUSAL, F16, 1, 3, 20000),
    CHECK(MASKED, F32, 1, 2, 10001, .misalign = 2),
    CHECK(CAUSAL, F32, 2, 40, 40),
    CHECK(CAUSAL, F16, 2, 9, 4),    // rows that see nothing
    CHECK(CAUSAL, BF16, 3, 5, 200), // the last of 200
    CHECK(CAUSAL, F32, 1, 33, 2100),
    CHECK(PLAIN, F16, 1, 3, 2000, .data = KZ_DATA_POSITIVE),
    CHECK(BACKWARD, F16, 1, 3, 2000, .data = KZ_DATA_POSITIVE),
    TYPES(FORWARD, PLAIN),
    TYPES(FORWARD, LOG),
    TYPES(FORWARD, MASKED),
    TYPES(FORWARD, CAUSAL),
    TYPES(EDGES, BACKWARD),
    TYPES(EDGES, LOG_BACKWARD),
    TYPES(BENCHES, PLAIN),
    BENCH(PLAIN, F32, 1, 1 << 20, 128),
    BENCH(PLAIN, BF16, 1, 1 << 20, 128),
    BENCH(PLAIN, F32, 1, 16, 1 << 20),
    BENCH(LOG, F32, 1, 32768, 4096),
    BENCH(LOG, BF16, 1, 32768, 4096),
    BENCH(LOG, BF16, 1, 8192, 50257), // the tokens of a vocabulary: rows that begin anywhere
    BENCH(MASKED, BF16, 1, 32768, 4096),
    BENCH(CAUSAL, BF16, 32, 2048, 2048),
    BENCH(BACKWARD, F32, 1, 32768, 4096),
    BENCH(BACKWARD, BF16, 1, 32768, 4096),
    BENCH(BACKWARD, F32, 1, 4096, 131072),
    BENCH(LOG_BACKWARD, F32, 1, 32768, 4096),
    BENCH(LOG_BACKWARD, BF16, 1, 32768, 4096),
    CASE(PLAIN, F16, 1, 65537, 32771, KZ_USE_HUGE),
    CASE(BACKWARD, F16, 1, 65537, 32771, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 in and out, the same with 200 bytes of mask, three arrays; causal, 2 rows of 3 read 2 and 3.
static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {2, 5, 20}}, {1600, 800}},
    {{.operation = KZ_SOFTMAX_MASKED, .type = KZ_F32, .axes = {2, 5, 20}}, {1800, 800}},
    {{.operation = KZ_SOFTMAX_BACKWARD, .type = KZ_F16, .axes = {2, 5, 20}}, {1200, 800}},
    {{.operation = KZ_SOFTMAX_CAUSAL, .type = KZ_F32, .axes = {1, 2, 3}}, {44, 24}},
    {{.operation = KZ_SOFTMAX_CAUSAL, .type = KZ_F32, .axes = {1, 3, 2}}, {36, 24}},
};

// Bytes of a row: what decides who holds it.
static uint64_t size(const kz_case *c) {
    uint64_t arrays = softmax_goes_back(c->operation) ? 2 : 1;
    return (uint64_t)c->axes[COLUMNS] * kz_type_size(c->type) * arrays;
}

const kz_family kz_family_softmax = {
    .name = "softmax",
    .group = "ml_ops",
    .summary = "softmax of each row: plain, logarithmic, masked, causal, and the gradients",
    .operations =
        (const char *const[]){"softmax", "log_softmax", "masked", "causal", "backward", "log_backward", NULL},
    .axes = (const char *const[]){"batch", "rows", "columns", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_softmax,
    .buffers = buffers,
    .fill = fill,
    .reference = softmax_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cudnn", "torch", "torch_compile", "liger", NULL},
    .guest_signature =
        "const T *x, T *y, size_t batch, size_t rows, size_t columns\n"
        "masked-*: const T *x, const unsigned char *mask, T *y, size_t batch, size_t rows, "
        "size_t columns\n"
        "backward-*,log_backward-*: const T *y, const T *dy, T *dx, size_t batch, size_t rows, "
        "size_t columns",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_softmax_open(kz_device *device, kz_softmax function, kz_type type, size_t batch, size_t rows,
                          size_t columns, const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {
        .operation = function, .type = type, .axes = {(int64_t)batch, (int64_t)rows, (int64_t)columns}};
    return kz_operation_open_family(device, &kz_family_softmax, &c, variant, operation, error);
}

kz_status kz_softmax_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, y}, 2, 0, 0, error);
}

kz_status kz_softmax_run_masked(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr mask, kz_ptr y,
                                kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, mask, y}, 3, 0, 0, error);
}

kz_status kz_softmax_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr y, kz_ptr dy, kz_ptr dx,
                                  kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){y, dy, dx}, 3, 0, 0, error);
}

// gemv: y = x W' for a few rows of x, W dense or packed. Cases, work, plans and the table of variants.
//
// Axes: m, n, k. Buffers: w of n x k elements, bytes where they are packed; its scales; x of m x k; y of m x n.
#include "gemv.h"

#include "private.h"
#include "ring_shape.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }
static bool is_dense(const kz_case *c) { return c->operation == KZ_GEMV_DENSE; }
static uint64_t scales(const kz_case *c) {
    return is_dense(c) ? 0 : axis(c, N) * (axis(c, K) / KZ_GEMV_GROUP);
}
static uint64_t weight_bytes(const kz_case *c) {
    return kz_gemv_bytes((kz_gemv_format)c->operation, axis(c, N), axis(c, K));
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[W] = (kz_buffer){"w", KZ_INPUT, is_dense(c) ? c->type : KZ_U8,
                          is_dense(c) ? axis(c, N) * axis(c, K) : weight_bytes(c)};
    list[SCALE] = (kz_buffer){"scale", KZ_INPUT, c->type, scales(c)};
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, axis(c, M) * axis(c, K)};
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, axis(c, M) * axis(c, N)};
    return 4;
}

static kz_work work(const kz_case *c) {
    double m = (double)c->axes[M], n = (double)c->axes[N], k = (double)c->axes[K];
    return (kz_work){.bytes = (double)weight_bytes(c) + 2.0 * ((double)scales(c) + m * k + m * n),
                     .flops = 2.0 * m * n * k,
                     .products = KZ_PRODUCTS_OF_TYPE};
}

// ---- inputs ----------------------------------------------------------------------------------------

static uint8_t zero_code(uint32_t format) { return format == KZ_GEMV_INT4 ? 0x88 : 0; }

// Any byte is a code. NaN are for cases that ask for them; the words of 32 zeros of INT3 are its own pattern.
static uint8_t draw_code(const kz_case *c, uint64_t seed, uint64_t index) {
    static const uint8_t int3_zeros[12] = {0x24, 0x49, 0x24, 0x49, 0x24, 0x49,
                                           0x24, 0x49, 0x24, 0xc9, 0x24, 0xc9};
    uint8_t code = (uint8_t)kz_draw(seed, W, c->data == KZ_DATA_EQUAL ? 0 : index);
    bool nan = c->operation == KZ_GEMV_FP8 && (code & 0x7f) == 0x7f;
    if (c->data == KZ_DATA_ZEROS)
        return c->operation == KZ_GEMV_INT3 ? int3_zeros[index % 12] : zero_code(c->operation);
    return nan && c->data != KZ_DATA_NAN ? code ^ 1 : code;
}

// Scales that bring the format's values to about 1.
static double draw_scale(const kz_case *c, uint64_t seed, uint64_t index) {
    static const double unit[] = {[KZ_GEMV_DENSE] = 1,
                                  [KZ_GEMV_INT8] = 0x1p-7,
                                  [KZ_GEMV_FP8] = 0x1p-8,
                                  [KZ_GEMV_INT4] = 0x1p-3,
                                  [KZ_GEMV_INT3] = 0x1p-2};
    uint64_t bits = kz_draw(seed, SCALE, c->data == KZ_DATA_EQUAL ? 0 : index);
    return (0.5 + (double)(bits >> 11) * 0x1p-53) * unit[c->operation];
}

static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (is_dense(c) || which == X) return false;
    for (uint64_t i = 0; i < count; i++) {
        if (which == W)
            ((uint8_t *)host)[i] = draw_code(c, seed, first + i);
        else
            kz_element_set(c->type, host, i, draw_scale(c, seed, first + i));
    }
    return true;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_planner *p) {
    uint64_t m = axis(p->c, M), k = axis(p->c, K);
    if (m > KZ_GEMV_TOKENS)
        return kz_plan_refuse(p->error,
                              "gemv is for 1 to %d rows of x, not %llu: that is a product of matrices",
                              KZ_GEMV_TOKENS, (unsigned long long)m);
    if (!is_dense(p->c) && k % KZ_GEMV_GROUP != 0)
        return kz_plan_refuse(
            p->error, "k is %llu; packed rows have a scale for each %d elements: pad k to a multiple of %d",
            (unsigned long long)k, KZ_GEMV_GROUP, KZ_GEMV_GROUP);
    return KZ_OK;
}

static bool is_empty(const kz_case *c) { return c->axes[M] == 0 || c->axes[N] == 0; }

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    return KZ_LAUNCH(p, .blocks = kz_min_u64(axis(p->c, N), (uint64_t)p->device->multiprocessors),
                     .threads = 1);
}

// `each`: results, or rows, that a block takes.
static kz_status plan_thread(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    return KZ_LAUNCH(p, .blocks = kz_ceil_div(axis(p->c, M) * axis(p->c, N), GEMV_THREADS),
                     .threads = GEMV_THREADS);
}

static kz_status plan_warp(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    uint64_t most = (uint64_t)p->device->multiprocessors * GEMV_BLOCKS;
    return KZ_LAUNCH(p, .blocks = kz_min_u64(kz_ceil_div(axis(p->c, N), GEMV_THREADS / 32), most),
                     .threads = GEMV_THREADS);
}

static kz_status plan_vector(const kz_planner *p) {
    if (!is_dense(p->c))
        return kz_plan_refuse(p->error, "dense alone: 05_tensor and those after it unpack in registers");
    return plan_warp(p);
}

// ---- plan of the rows by registers --------------------------------------------------------------------

// A thread has two packs of 16 bytes of a row, or four where k is long.
static bool fits_registers(const kz_case *c) {
    return is_dense(c) && axis(c, M) == 1 && axis(c, K) <= 32 * GEMV_REGISTER_THREADS;
}

static kz_status add_registers(const kz_planner *p, bool overlap) {
    uint64_t k = axis(p->c, K), packs = k <= 16 * GEMV_REGISTER_THREADS ? 2 : 4;
    uint64_t threads = 32 * kz_ceil_div(k > 0 ? k : 1, 32 * 8 * packs);
    uint64_t room = (uint64_t)p->device->multiprocessors * (GEMV_REGISTER_THREADS / threads);
    return KZ_LAUNCH(p, .idea = overlap ? "dependent_launch" : "registers",
                     .part = packs == 2 ? "short" : "long",
                     .blocks = kz_min_u64(kz_ceil_div(axis(p->c, N), GEMV_REGISTER_ROWS), room),
                     .threads = (uint32_t)threads, .overlap = overlap);
}

static kz_status plan_registers(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    if (!fits_registers(p->c))
        return kz_plan_refuse(
            p->error,
            "dense rows of up to %d elements and one token: 05_tensor and those after it do the rest",
            32 * GEMV_REGISTER_THREADS);
    return add_registers(p, false);
}

static const char *part_of(const kz_case *c) { return c->axes[M] <= 8 ? "few" : "many"; }

static kz_status plan_tensor(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    return KZ_LAUNCH(p, .part = part_of(p->c), .blocks = kz_ceil_div(axis(p->c, N), 16),
                     .threads = 32 * GEMV_DIRECT_WARPS);
}

// ---- plans of the ring -----------------------------------------------------------------------------

typedef struct shape {
    uint32_t format;
    bool many; // tokens: up to 16, not 8
    uint32_t rows, depth, blocks;
} shape;
static const shape shapes[] = {
#define GEMV_SHAPE(format, FORMAT, part, tiles, columns, depth, blocks)                                      \
    {KZ_GEMV_##FORMAT, columns == 2, 16 * tiles, depth, blocks},
#include "shapes.def"
#undef GEMV_SHAPE
};

static const shape *shape_of(const kz_case *c) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].format == c->operation && shapes[i].many == (c->axes[M] > 8)) return &shapes[i];
    return NULL;
}

static uint64_t shared_bytes(const kz_case *c, const shape *s, uint64_t parts, uint64_t stages) {
    static const uint32_t bits[] = {16, 8, 8, 4, 3};
    uint64_t m = axis(c, M), k = axis(c, K), chunk = kz_gemv_bytes((kz_gemv_format)c->operation, 1, s->depth);
    uint64_t stage = s->rows * GEMV_W_STRIDE(c->operation == KZ_GEMV_INT3, chunk) +
                     m * GEMV_X_STRIDE(bits[c->operation], s->depth);
    uint64_t least_chunks = kz_ceil_div(k, s->depth) / parts;
    uint64_t scale = is_dense(c) ? 0 : s->rows * (k / KZ_GEMV_GROUP) * 2;
    return GEMV_BARRIER_BYTES + stages * stage + GEMV_SCALE_SLOTS(least_chunks, stages) * scale +
           GEMV_WARPS * m * (s->rows + GEMV_SUM_PAD) * sizeof(float);
}

// Blocks of a cluster that share the k of a unit: more while there is room for them on the GPU and chunks for each.
static uint64_t parts_of(const kz_planner *p, const shape *s) {
    uint64_t units = kz_ceil_div(axis(p->c, N), s->rows), chunks = kz_ceil_div(axis(p->c, K), s->depth),
             parts = 1;
    while (parts < GEMV_CLUSTER && 2 * parts * units <= (uint64_t)p->device->multiprocessors &&
           2 * parts <= chunks)
        parts *= 2;
    return parts;
}

static kz_status add_ring(const kz_planner *p, bool split, bool overlap) {
    const shape *s = shape_of(p->c);
    uint64_t units = kz_ceil_div(axis(p->c, N), s->rows), parts = split ? parts_of(p, s) : 1;
    uint64_t stages = GEMV_STAGES, blocks = s->blocks, all = (uint64_t)p->device->multiprocessors;
    if (shared_bytes(p->c, s, parts, 2) > GEMV_RING_BYTES / blocks) blocks = 1;
    while (stages > 2 && shared_bytes(p->c, s, parts, stages) > GEMV_RING_BYTES / blocks) stages--;
    uint64_t shared = shared_bytes(p->c, s, parts, stages);
    if (shared > GEMV_RING_BYTES)
        return kz_plan_refuse(
            p->error, "the scales of %u rows of k = %llu do not fit beside the ring: 05_tensor does it",
            s->rows, (unsigned long long)axis(p->c, K));
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(p->family, p->c, args);
    args[count++] = kz_arg_u64(stages);
    return KZ_LAUNCH(p, .part = part_of(p->c),
                     .blocks = parts > 1 ? units * parts : kz_min_u64(units, all * blocks),
                     .threads = 32 * (GEMV_WARPS + GEMV_FETCHERS), .cluster = parts > 1 ? (uint32_t)parts : 0,
                     .shared_bytes = (uint32_t)shared, .overlap = overlap, .args = args, .arg_count = count);
}

static kz_status plan_ring(const kz_planner *p) {
    kz_status status = supported(p);
    return status != KZ_OK || is_empty(p->c) ? status : add_ring(p, false, false);
}
static kz_status plan_split(const kz_planner *p) {
    kz_status status = supported(p);
    return status != KZ_OK || is_empty(p->c) ? status : add_ring(p, true, false);
}

// Rows that begin anywhere: 02's way, which every kernel has in it.
static kz_status add_anywhere(const kz_planner *p) {
    uint64_t each = GEMV_REGISTER_THREADS / 32, most = (uint64_t)p->device->multiprocessors * 4;
    return KZ_LAUNCH(p, .part = "short", .blocks = kz_min_u64(kz_ceil_div(axis(p->c, N), each), most),
                     .threads = GEMV_REGISTER_THREADS, .overlap = true);
}

// Dense rows by one token go 04's way where there are enough for half of the multiprocessors, all else 07's.
static kz_status plan_dependent(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK || is_empty(p->c)) return status;
    if (axis(p->c, K) % 8 != 0) return add_anywhere(p);
    bool enough = axis(p->c, N) / GEMV_REGISTER_ROWS >= (uint64_t)p->device->multiprocessors / 2;
    return fits_registers(p->c) && enough ? add_registers(p, true) : add_ring(p, true, true);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", gemv_natives},
    {"01_thread", 75, plan_thread, "a thread per result"},
    {"02_warp", 75, plan_warp, "a warp per row: coalesced"},
    {"03_vector", 75, plan_vector, "16-byte loads, 2 KB in flight per warp"},
    {"04_registers", 75, plan_registers, "x in registers, whole rows by a block, the next on their way"},
    {"05_tensor", 89, plan_tensor, "tensor cores: W unpacked in registers, 16 tokens for the loads of one"},
    {"06_bulk_ring", 90, plan_ring, "a ring in shared memory, filled by bulk copies"},
    {"07_split", 90, plan_split, "few rows: k split over a cluster"},
    {"08_dependent_launch", 90, plan_dependent, "W on its way before the kernel in front has ended"},
};

#define CASE(f, t, m, n, k, u, ...) {.operation = KZ_GEMV_##f, .type = KZ_##t, .axes = {m, n, k}, .use = u, __VA_ARGS__}
#define CHECK(f, t, m, n, k, ...) CASE(f, t, m, n, k, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, m, n, k) CASE(f, t, m, n, k, KZ_USE_BENCH)
// Several units and chunks with a rest of rows, both widths; what is not finite; all codes of a byte.
#define PACKED(f, t)                                                                                         \
    CHECK(f, t, 1, 16, 128), CHECK(f, t, 3, 37, 384), CHECK(f, t, 9, 70, 1280),                              \
    KZ_NOT_FINITE(CHECK, f, t, 2, 20, 256), CHECK(f, t, 2, 33, 256, .data = KZ_DATA_ZEROS),                  \
    CHECK(f, t, 5, 40, 256, .misalign = 1)
#define DECODE(f, t) BENCH(f, t, 1, 4096, 4096), BENCH(f, t, 1, 8192, 8192), BENCH(f, t, 16, 8192, 8192)
// clang-format on

static const kz_case cases[] = {
    CHECK(DENSE, BF16, 0, 5, 8),
    CHECK(DENSE, BF16, 2, 0, 8),
    CHECK(DENSE, BF16, 2, 7, 0), // a sum of nothing: zeros
    CHECK(INT4, F16, 2, 7, 0),
    CHECK(DENSE, BF16, 1, 1, 1),
    CHECK(DENSE, F16, 1, 31, 33), // rows begin anywhere
    CHECK(DENSE, BF16, 7, 101, 131),
    CHECK(DENSE, BF16, 16, 48, 264),
    CHECK(DENSE, F16, 9, 17, 1288),   // a chunk and a piece that is not whole
    CHECK(DENSE, BF16, 8, 70, 2056),  // more chunks than one
    CHECK(DENSE, BF16, 1, 2304, 64),  // more units than blocks
    CHECK(DENSE, F16, 2, 20, 9216),   // more chunks than stages; split over a cluster
    CHECK(DENSE, BF16, 1, 301, 1032), // by registers: several rounds of rows, a warp that is not whole
    CHECK(DENSE, F16, 1, 267, 8256),  // four packs of a row per thread
    CHECK(DENSE, BF16, 3, 64, 512, .misalign = 1),
    CHECK(DENSE, BF16, 1, 270, 64, .misalign = 1),
    CHECK(DENSE, F16, 2, 33, 77, .misalign = 3),
    KZ_NOT_FINITE(CHECK, DENSE, BF16, 3, 33, 104),
    KZ_NOT_FINITE(CHECK, DENSE, F16, 2, 19, 264),
    CHECK(DENSE, BF16, 2, 33, 128, .data = KZ_DATA_ZEROS),
    CHECK(DENSE, F16, 3, 20, 600, .data = KZ_DATA_EQUAL), // products that all round alike
    CHECK(DENSE, F16, 1, 20, 96, .data = KZ_DATA_LARGE),  // sums past the largest f16
    CHECK(DENSE, F16, 1, 20, 96, .data = KZ_DATA_DENORMAL),
    PACKED(INT8, BF16),
    PACKED(INT8, F16),
    PACKED(FP8, BF16),
    PACKED(FP8, F16),
    PACKED(INT4, BF16),
    PACKED(INT4, F16),
    PACKED(INT3, BF16),
    PACKED(INT3, F16),
    CHECK(INT4, BF16, 1, 20, 9216),
    CHECK(INT3, F16, 16, 20, 4224),
    DECODE(DENSE, BF16),
    DECODE(INT4, BF16),
    BENCH(DENSE, BF16, 16, 4096, 4096),
    BENCH(DENSE, BF16, 4, 4096, 14336),
    BENCH(DENSE, BF16, 1, 1024, 8192), // few rows
    BENCH(DENSE, BF16, 1, 4095, 4095), // nothing is aligned
    BENCH(DENSE, F16, 1, 8192, 8192),
    BENCH(INT8, BF16, 1, 8192, 8192),
    BENCH(FP8, BF16, 1, 8192, 8192),
    BENCH(INT3, BF16, 1, 8192, 8192),
    BENCH(INT4, F16, 1, 8192, 8192),
    CASE(DENSE, BF16, 2, 65537, 32771, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, N) * axis(c, K); }

// By hand: 20 rows of 256, two scales each; 3 rows of x, 3 of y.
static const kz_worked worked[] = {
    {{.operation = KZ_GEMV_DENSE, .type = KZ_BF16, .axes = {3, 20, 256}}, {10240 + 1536 + 120, 30720}},
    {{.operation = KZ_GEMV_INT8, .type = KZ_F16, .axes = {3, 20, 256}}, {5120 + 80 + 1536 + 120, 30720}},
    {{.operation = KZ_GEMV_INT4, .type = KZ_BF16, .axes = {3, 20, 256}}, {2560 + 80 + 1536 + 120, 30720}},
    {{.operation = KZ_GEMV_INT3, .type = KZ_BF16, .axes = {3, 20, 256}}, {1920 + 80 + 1536 + 120, 30720}},
};

const kz_family kz_family_gemv = {
    .name = "gemv",
    .group = "gemm",
    .summary = "y = W x for 1 to 16 tokens: W dense, int8, fp8, int4 or int3",
    .operations = (const char *const[]){"dense", "int8", "fp8", "int4", "int3", NULL},
    .axes = (const char *const[]){"m", "n", "k", NULL},
    .types = KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_gemv,
    .buffers = buffers,
    .fill = fill,
    .reference = gemv_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cublas", "cublaslt", "torch", "torch_compile", NULL},
    .guest_signature =
        "const T *w, const T *scale, const T *x, T *y, size_t m, size_t n, size_t k\n"
        "int8-*,fp8-*,int4-*,int3-*: const unsigned char *w, const T *scale, const T *x, T *y, "
        "size_t m, size_t n, size_t k",
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_gemv_open(kz_device *device, kz_gemv_format format, kz_type type, size_t m, size_t n, size_t k,
                       const char *variant, kz_operation **operation, kz_error *error) {
    if (format < KZ_GEMV_DENSE || format > KZ_GEMV_INT3)
        return kz_fail(error, KZ_INVALID, "kz_gemv_open: there is no format %d\nkz/ops/gemv.h lists them",
                       (int)format);
    kz_case c = {.operation = format, .type = type, .axes = {(int64_t)m, (int64_t)n, (int64_t)k}};
    return kz_operation_open_family(device, &kz_family_gemv, &c, variant, operation, error);
}

kz_status kz_gemv_run(kz_operation *operation, kz_stream *stream, kz_ptr w, kz_ptr scale, kz_ptr x, kz_ptr y,
                      kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){w, scale, x, y}, 4, 0, 0, error);
}

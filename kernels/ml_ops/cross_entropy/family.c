// cross_entropy: the loss of each row of logits and its label, and the gradients. Cases, work, plans, the table of variants.
//
// Axes: rows, classes, smoothing in millionths. Buffers: logits, of rows * classes elements, and labels, a number for each
// row; then what the operation adds (private.h).
#include "cross_entropy.h"

#include <math.h>

#include "kz/device/row_shape.h"
#include "private.h"
#include "tune.h"

static uint64_t elements(const kz_case *c) { return (uint64_t)c->axes[ROWS] * (uint64_t)c->axes[CLASSES]; }

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = elements(c), rows = (uint64_t)c->axes[ROWS];
    bool in_place = c->operation == KZ_CROSS_ENTROPY_GRADIENT;
    list[LOGITS] = (kz_buffer){"logits", in_place ? KZ_INOUT : KZ_INPUT, c->type, n};
    list[LABELS] = (kz_buffer){"labels", KZ_INPUT, KZ_I32, rows};
    if (c->operation == KZ_CROSS_ENTROPY_LOSS) {
        list[LOSS_OF] = (kz_buffer){"loss", KZ_OUTPUT, KZ_F32, rows};
        list[LOG_SUM] = (kz_buffer){"log_sum", KZ_OUTPUT, KZ_F32, rows};
        return 4;
    }
    if (in_place) {
        list[SCALE] = (kz_buffer){"scale", KZ_INPUT, KZ_F32, 1};
        list[LOSS_TOO] = (kz_buffer){"loss", KZ_OUTPUT, KZ_F32, rows};
        return 4;
    }
    list[LOG_SUM_IN] = (kz_buffer){"log_sum", KZ_INPUT, KZ_F32, rows};
    list[DLOSS] = (kz_buffer){"dloss", KZ_INPUT, KZ_F32, rows};
    list[DLOGITS] = (kz_buffer){"dlogits", KZ_OUTPUT, c->type, n};
    return 5;
}

static double draw_unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

// Every eighth row is ignored. log_sum is what rows of the harness's logits have, nearly. In small cases every 64th row has a
// label that no class has, which ends PyTorch, a rival of the large ones; and logits are up to 16 apart, so that shares differ
// by e^16. Large cases keep the harness's, which come many times as fast.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    uint64_t classes = (uint64_t)c->axes[CLASSES];
    bool small = elements(c) <= 1 << 20, drawn = small && c->data == KZ_DATA_UNIFORM;
    bool factor = which != LABELS && which != LOGITS;
    if (which == LOGITS && !drawn) return false;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = kz_draw(seed, (uint32_t)which, first + i);
        double unit = draw_unit(bits);
        if (which == LABELS) {
            int32_t label = (int32_t)(bits / 64 % (classes ? classes : 1));
            if (small && bits % 64 == 1) label = (int32_t)classes + 3;
            ((int32_t *)host)[i] = bits % 8 == 0 ? IGNORED : label;
        } else if (!factor) {
            kz_element_set(c->type, host, i, 16.0 * unit - 8.0);
        } else if (c->operation == KZ_CROSS_ENTROPY_BACKWARD && which == LOG_SUM_IN) {
            ((float *)host)[i] = (float)(log((double)classes) + (drawn ? 5.0 : 0.0) + unit);
        } else {
            ((float *)host)[i] = (float)(unit + 0.5);
        }
    }
    return true;
}

// Per logit a difference, an exponential, two additions; a gradient takes a product, a difference and a product more, and
// backward, which adds nothing up, those and the first two. Comparisons do not count.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[ROWS] * (double)c->axes[CLASSES], rows = (double)c->axes[ROWS];
    double logits = n * (double)kz_type_size(c->type);
    if (c->operation == KZ_CROSS_ENTROPY_LOSS)
        return (kz_work){.bytes = logits + 12.0 * rows, .flops = 4.0 * n};
    if (c->operation == KZ_CROSS_ENTROPY_GRADIENT)
        return (kz_work){.bytes = 2.0 * logits + 8.0 * rows + 4.0, .flops = 7.0 * n};
    return (kz_work){.bytes = 2.0 * logits + 12.0 * rows, .flops = 5.0 * n};
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS] = {0};
    size_t count = buffers(c, list);
    for (size_t i = 0; i < count; i++) args[i] = kz_arg_buffer((uint32_t)i);
    args[count++] = kz_arg_u64((uint64_t)c->axes[ROWS]);
    args[count++] = kz_arg_u64((uint64_t)c->axes[CLASSES]);
    args[count++] = kz_arg_f32((float)cross_entropy_smoothing(c));
    return count;
}

// ---- plans -----------------------------------------------------------------------------------------------

static kz_row_work row_work(const kz_planner *p) {
    return (kz_row_work){.rows = (uint64_t)p->c->axes[ROWS],
                         .columns = (uint64_t)p->c->axes[CLASSES],
                         .element_bytes = (unsigned)kz_type_size(p->c->type),
                         .arrays = 1,
                         .multiprocessors = p->device->multiprocessors,
                         .shared_bytes = p->device->shared_per_block_optin};
}

// A launch as the shape says. `extra` is the kernel's last argument.
static kz_status add(const kz_planner *p, kz_row_shape shape, unsigned extra) {
    const kz_case *c = p->c;
    kz_arg args[KZ_PLAN_ARGS];
    if (c->axes[ROWS] == 0) return KZ_OK;
    if (c->axes[CLASSES] == 0)
        return kz_plan_refuse(p->error,
                              "0 classes: a row of no logits has no loss; give it one class or more");
    if (c->axes[CLASSES] >= 1 << 30)
        return kz_plan_refuse(
            p->error, "%lld classes: a row of cross_entropy has less than 2^30; look at the arguments' order",
            (long long)c->axes[CLASSES]);
    size_t count = guest_args(c, args);
    args[count++] = kz_arg_u64(extra);
    return KZ_LAUNCH(p, .blocks = shape.blocks, .threads = shape.threads, .cluster = shape.cluster,
                     .shared_bytes = shape.shared_bytes, .args = args, .arg_count = count);
}

// As many rows as the variant's tile says for each block.
static kz_status plan_blocks(const kz_planner *p) {
    kz_row_shape shape = {.threads = p->variant->threads};
    shape.blocks = kz_min_u64(kz_ceil_div((uint64_t)p->c->axes[ROWS], p->variant->tile), 1u << 30);
    return add(p, shape, 0);
}

static kz_status plan_native(const kz_planner *p) {
    uint64_t blocks = kz_min_u64((uint64_t)p->c->axes[ROWS], (uint64_t)p->device->multiprocessors);
    return add(p, (kz_row_shape){.blocks = blocks, .threads = 1}, 0);
}

static kz_status plan_stream(const kz_planner *p) {
    kz_row_work w = row_work(p);
    return add(p, kz_row_stream(&w), 0);
}

static kz_status refuse_long(const kz_planner *p, const char *who) {
    return kz_plan_refuse(p->error,
                          "rows of %lld classes do not fit into %s; 03_online takes rows of any length",
                          (long long)p->c->axes[CLASSES], who);
}

static kz_status plan_registers(const kz_planner *p) {
    kz_row_work w = row_work(p);
    kz_row_shape shape = kz_row_block(&w, CROSS_ENTROPY_UNITS, CROSS_ENTROPY_BLOCK);
    if (shape.blocks == 0 && elements(p->c)) return refuse_long(p, "a block's registers");
    return add(p, shape, 0);
}

static kz_status plan_cluster(const kz_planner *p) {
    kz_row_work w = row_work(p);
    kz_row_shape shape = kz_row_cluster(&w);
    if (p->c->operation != KZ_CROSS_ENTROPY_GRADIENT)
        return kz_plan_refuse(p->error,
                              "it keeps a row for a second pass, and only the gradient in place has one; "
                              "03_online does the others in one pass");
    return add(p, shape, shape.stages);
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", cross_entropy_natives},
    {"01_thread", 75, plan_blocks, "a thread per row", .threads = CROSS_ENTROPY_THREADS, .tile = CROSS_ENTROPY_THREADS},
    {"02_block", 75, plan_blocks, "a block per row: coalesced, read three times", .threads = CROSS_ENTROPY_THREADS, .tile = 1},
    {"03_online", 75, plan_stream, "largest logit and sums in one pass, 16 bytes per load"},
    {"04_registers", 75, plan_registers, "a block per row, in registers"},
    {"05_cluster", 90, plan_cluster, "a cluster per row, in shared memory, for the gradient in place"},
};

enum { LOSS = KZ_CROSS_ENTROPY_LOSS, GRADIENT = KZ_CROSS_ENTROPY_GRADIENT, BACKWARD = KZ_CROSS_ENTROPY_BACKWARD };
#define CASE(o, t, r, c, s, u, ...) {.operation = o, .type = KZ_##t, .axes = {r, c, s}, .use = u, __VA_ARGS__}
#define CHECK(o, t, r, c, s, ...) CASE(o, t, r, c, s, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(o, t, r, c) CASE(o, t, r, c, 0, KZ_USE_BENCH)
#define ALL_OF(t, r, c, s, ...)                                                                              \
    CHECK(LOSS, t, r, c, s, __VA_ARGS__), CHECK(GRADIENT, t, r, c, s, __VA_ARGS__),                          \
    CHECK(BACKWARD, t, r, c, s, __VA_ARGS__)
#define TENTH 100000 // of smoothing
// Two classes and a label beyond them; rows that begin anywhere; the ends of a block's registers.
#define EDGES(t)                                                                                             \
    ALL_OF(t, 130, 2, 0), ALL_OF(t, 7, 33, TENTH, .misalign = 1), ALL_OF(t, 3, 1000, TENTH),                 \
    CHECK(GRADIENT, t, 2, 5003, 0), KZ_NOT_FINITE(ALL_OF, t, 9, 40, 0)
// The vocabularies of GPT-2 (padded), Llama 2, Llama 3 and Gemma.
#define BENCHES(t)                                                                                           \
    BENCH(LOSS, t, 8192, 50304), BENCH(GRADIENT, t, 8192, 50304), BENCH(BACKWARD, t, 8192, 50304),           \
    BENCH(GRADIENT, t, 8192, 32000), BENCH(GRADIENT, t, 4096, 128256), BENCH(GRADIENT, t, 2048, 262144)
// clang-format on

static const kz_case cases[] = {
    ALL_OF(F32, 0, 16, 0),
    ALL_OF(F32, 1, 1, 0),
    ALL_OF(F32, 1, 1, TENTH),
    ALL_OF(F32, 5, 31, MILLION),      // the label does not count
    ALL_OF(F32, 3, 200, MILLION - 1), // ... nearly
    ALL_OF(F16, 4, 300, TENTH, .data = KZ_DATA_EQUAL),
    ALL_OF(BF16, 4, 300, 0, .data = KZ_DATA_ZEROS),
    ALL_OF(F32, 3, 100, 0, .data = KZ_DATA_LARGE), // differences pass 3.4e38
    ALL_OF(F16, 3, 100, TENTH, .data = KZ_DATA_LARGE),
    ALL_OF(F32, 3, 100, TENTH, .data = KZ_DATA_DENORMAL),
    CHECK(GRADIENT, F32, 3, 17000, TENTH), // more than a block's registers
    CHECK(GRADIENT, BF16, 2, 66001, 0),    // the cluster's ring goes round
    EDGES(F32),
    EDGES(F16),
    EDGES(BF16),
    BENCHES(F32),
    BENCHES(BF16),
    BENCH(LOSS, F32, 65536, 1000), // a classifier of images
    BENCH(GRADIENT, F32, 65536, 1000),
    BENCH(GRADIENT, F16, 8192, 50304),
    CASE(GRADIENT, BF16, 16411, 131101, 0, KZ_USE_HUGE),
};

// By hand: 10 rows of 20 logits of 4 bytes; 10 labels, losses and logarithms; in and out, 10 labels and losses, a factor.
static const kz_worked worked[] = {
    {{.operation = KZ_CROSS_ENTROPY_LOSS, .type = KZ_F32, .axes = {10, 20}}, {800 + 120, 800}},
    {{.operation = KZ_CROSS_ENTROPY_GRADIENT, .type = KZ_F32, .axes = {10, 20}}, {1600 + 84, 1400}},
    {{.operation = KZ_CROSS_ENTROPY_BACKWARD, .type = KZ_F32, .axes = {10, 20}}, {1600 + 120, 1000}},
};

static uint64_t size(const kz_case *c) { return (uint64_t)c->axes[CLASSES]; }

const kz_family kz_family_cross_entropy = {
    .name = "cross_entropy",
    .group = "ml_ops",
    .summary = "the loss of rows of logits and their labels; its gradient, in place of the logits too",
    .operations = (const char *const[]){"loss", "gradient", "backward", NULL},
    .axes = (const char *const[]){"rows", "classes", "smoothing", NULL},
    .axes_note = "smoothing is in millionths: 100000 is 0.1",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_cross_entropy,
    .buffers = buffers,
    .fill = fill,
    .reference = cross_entropy_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", "liger", NULL},
    .guest_signature =
        "const T *logits, const int *labels, float *loss, float *log_sum, size_t rows, size_t classes, float "
        "s\ngradient-*: T *logits, const int *labels, const float *scale, float *loss, size_t rows, "
        "size_t classes, float s\nbackward-*: const T *logits, const int *labels, const float *log_sum, "
        "const float *dloss, T *dlogits, size_t rows, size_t classes, float s",
    .guest_args = guest_args,
    .size = size,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_cross_entropy_open(kz_device *device, kz_cross_entropy function, kz_type type, size_t rows,
                                size_t classes, float smoothing, const char *variant,
                                kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    if ((unsigned)function >= KZ_CROSS_ENTROPY_COUNT)
        return kz_fail(
            error, KZ_INVALID,
            "kz_cross_entropy_open: function %d is none of enum kz_cross_entropy\n"
            "it takes KZ_CROSS_ENTROPY_LOSS, KZ_CROSS_ENTROPY_GRADIENT or KZ_CROSS_ENTROPY_BACKWARD",
            (int)function);
    if (!(smoothing >= 0.0f && smoothing <= 1.0f))
        return kz_fail(error, KZ_INVALID,
                       "kz_cross_entropy_open: a smoothing of %g\n"
                       "it is the share of the target that all classes have alike: 0 to 1, usually 0 or 0.1",
                       (double)smoothing);
    kz_case c = {.operation = function,
                 .type = type,
                 .axes = {(int64_t)rows, (int64_t)classes, llround((double)smoothing * MILLION)}};
    return kz_operation_open_family(device, &kz_family_cross_entropy, &c, variant, operation, error);
}

kz_status kz_cross_entropy_run_loss(kz_operation *operation, kz_stream *stream, kz_ptr logits, kz_ptr labels,
                                    kz_ptr loss, kz_ptr log_sum, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){logits, labels, loss, log_sum}, 4, 0, 0, error);
}

kz_status kz_cross_entropy_run_gradient(kz_operation *operation, kz_stream *stream, kz_ptr logits,
                                        kz_ptr labels, kz_ptr scale, kz_ptr loss, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){logits, labels, scale, loss}, 4, 0, 0, error);
}

kz_status kz_cross_entropy_run_backward(kz_operation *operation, kz_stream *stream, kz_ptr logits,
                                        kz_ptr labels, kz_ptr log_sum, kz_ptr dloss, kz_ptr dlogits,
                                        kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){logits, labels, log_sum, dloss, dlogits}, 5, 0, 0,
                            error);
}

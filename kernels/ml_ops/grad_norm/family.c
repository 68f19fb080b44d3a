// grad_norm: y = grad_norm(x). Cases, work, plans and the table of variants.
//
// Axes: n. Buffers: x, y of n elements.
#include "grad_norm.h"

#include "private.h"

enum { THREADS = 256 };

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    uint64_t n = (uint64_t)c->axes[0];
    list[X] = (kz_buffer){"x", KZ_INPUT, c->type, n};
    list[Y] = (kz_buffer){"y", KZ_OUTPUT, c->type, n};
    return 2;
}

static kz_work work(const kz_case *c) {
    return (kz_work){.bytes = 2.0 * (double)c->axes[0] * (double)kz_type_size(c->type)};
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, kz_plan_tiles, "plain C on all cores", grad_norm_natives, .threads = 1, .tile = 4096, .blocks = 1},
    {"01_naive", 75, kz_plan_tiles, "one element per thread", .threads = THREADS, .tile = THREADS},
};

#define CASE(t, n, u, ...) {.type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(t, n, ...)   CASE(t, n, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(t, n)        CASE(t, n, KZ_USE_BENCH)
// clang-format on

static const kz_case cases[] = {
    // the lists are in kz/cases.h
    KZ_EDGE_SIZES(CHECK, F32),      CHECK(F32, KZ_PRIME),
    KZ_MISALIGNED(CHECK, F32),      KZ_NOT_FINITE(CHECK, F32, 1000),
    KZ_POWERS_20_TO_28(BENCH, F32), CASE(F32, KZ_PAST_2_31, KZ_USE_HUGE), // on a GPU only
};

// By hand: 1000 floats in, 1000 out.
static const kz_worked worked[] = {{{.type = KZ_F32, .axes = {1000}}, {.bytes = 8000}}};

const kz_family kz_family_grad_norm = {
    .name = "grad_norm",
    .group = "ml_ops",
    .summary = "y = x: a copy, to be replaced by what the family computes",
    .operations = (const char *const[]){"grad_norm", NULL},
    .axes = (const char *const[]){"n", NULL},
    .types = KZ_TYPE_BIT(F32),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_grad_norm,
    .buffers = buffers,
    .reference = grad_norm_reference,
    .elementwise = true,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .guest_signature = "const float *x, float *y, size_t n",
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_grad_norm_open(kz_device *device, kz_type type, size_t n, const char *variant,
                            kz_operation **operation, kz_error *error) {
    kz_case c = {.type = type, .axes = {(int64_t)n}};
    return kz_operation_open_family(device, &kz_family_grad_norm, &c, variant, operation, error);
}

kz_status kz_grad_norm_run(kz_operation *operation, kz_stream *stream, kz_ptr x, kz_ptr y, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){x, y}, 2, 0, 0, error);
}

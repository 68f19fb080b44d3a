// fused_elementwise: chains of elementwise steps, forward and backward. Cases, work and the table of variants.
//
// Axes: rows, columns; unnamed, p of dropout (private.h). Buffers: those of a chain in the order of chain_buffers.
#include "fused_elementwise.h"

#include <stdio.h>
#include <string.h>

#include "ml_ops/dropout_mask.h"
#include "plan.h"
#include "private.h"
#include "tune.h"

static uint64_t axis(const kz_case *c, int which) { return (uint64_t)c->axes[which]; }

static const char *const operations[] = {"bias_gelu",
                                         "bias_gelu_backward",
                                         "bias_dropout_add",
                                         "bias_dropout_add_backward",
                                         "swiglu",
                                         "swiglu_backward",
                                         "geglu",
                                         "geglu_backward",
                                         NULL};

chain_buffers chain_buffers_of(const kz_case *c) {
    enum { NO = NONE };
    static const chain_buffers of[] = {
        // x, bias, residual, dy, state, y, dx, dbias, count
        [KZ_BIAS_GELU] = {0, 1, NO, NO, NO, 2, NO, NO, 3},
        [KZ_BIAS_GELU_BACKWARD] = {0, 1, NO, 2, NO, NO, 3, 4, 5},
        [KZ_BIAS_DROPOUT_ADD] = {0, 1, 2, NO, 3, 4, NO, NO, 5},
        [KZ_BIAS_DROPOUT_ADD_BACKWARD] = {NO, NO, NO, 0, 1, NO, 2, 3, 4},
        [KZ_SWIGLU] = {0, NO, NO, NO, NO, 1, NO, NO, 2},
        [KZ_SWIGLU_BACKWARD] = {0, NO, NO, 1, NO, NO, 2, NO, 3},
        [KZ_GEGLU] = {0, NO, NO, NO, NO, 1, NO, NO, 2},
        [KZ_GEGLU_BACKWARD] = {0, NO, NO, 1, NO, NO, 2, NO, 3},
    };
    return of[c->operation];
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    chain_buffers at = chain_buffers_of(c);
    uint64_t columns = axis(c, COLUMNS), n = axis(c, ROWS) * columns, wide = chain_gated(c) ? 2 * n : n;
    if (at.x != NONE) list[at.x] = (kz_buffer){"x", KZ_INPUT, c->type, wide};
    if (at.bias != NONE) list[at.bias] = (kz_buffer){"bias", KZ_INPUT, c->type, columns};
    if (at.residual != NONE) list[at.residual] = (kz_buffer){"residual", KZ_INPUT, c->type, n};
    if (at.dy != NONE) list[at.dy] = (kz_buffer){"dy", KZ_INPUT, c->type, n};
    if (at.state != NONE) list[at.state] = (kz_buffer){"state", KZ_INPUT, KZ_I64, 2};
    if (at.y != NONE) list[at.y] = (kz_buffer){"y", KZ_OUTPUT, c->type, n};
    if (at.dx != NONE) list[at.dx] = (kz_buffer){"dx", KZ_OUTPUT, c->type, wide};
    if (at.dbias != NONE) list[at.dbias] = (kz_buffer){"dbias", KZ_OUTPUT, c->type, columns};
    return at.count;
}

// Any bits are a seed.
static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    if (which != chain_buffers_of(c).state) return false;
    for (uint64_t i = 0; i < count; i++) ((uint64_t *)host)[i] = kz_draw(seed, (uint32_t)which, first + i);
    return true;
}

// Every array once. Flops per element as the formulas are written, a function of the library counted as one.
static kz_work work(const kz_case *c) {
    static const double flops[] = {[KZ_BIAS_GELU] = 6.0,
                                   [KZ_BIAS_GELU_BACKWARD] = 12.0,
                                   [KZ_BIAS_DROPOUT_ADD] = 3.0,
                                   [KZ_BIAS_DROPOUT_ADD_BACKWARD] = 2.0,
                                   [KZ_SWIGLU] = 4.0,
                                   [KZ_SWIGLU_BACKWARD] = 10.0,
                                   [KZ_GEGLU] = 6.0,
                                   [KZ_GEGLU_BACKWARD] = 14.0};
    kz_buffer list[KZ_FAMILY_BUFFERS];
    double n = (double)axis(c, ROWS) * (double)axis(c, COLUMNS);
    kz_work w = {.bytes = n >= 0x1p62 ? n : 0.0,
                 .flops = n * flops[c->operation]}; // past 2^64 counts wrap around
    for (size_t i = 0, count = buffers(c, list); i < count; i++)
        w.bytes += (double)list[i].count * (double)kz_type_size(list[i].type);
    return w;
}

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    chain_buffers at = chain_buffers_of(c);
    size_t count = 0;
    while (count < at.count) args[count] = kz_arg_buffer((uint32_t)count), count++;
    args[count++] = kz_arg_u64(axis(c, ROWS));
    args[count++] = kz_arg_u64(axis(c, COLUMNS));
    if (at.state == NONE) return count;
    args[count++] = kz_arg_u64(chain_drop(c));
    args[count++] = kz_arg_f32((float)dropout_scale(chain_drop(c)));
    return count;
}

// clang-format off
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, chain_plan_native, "plain C on all cores", fused_elementwise_natives},
    {"01_unfused", 75, chain_plan_unfused, "a kernel per step"},
    {"02_fused", 75, chain_plan_elements, "one kernel, a thread per element; sums by atomics",
     .tile = 1, .unordered = true},
    {"03_vector", 75, chain_plan_elements, "a pack of 16 bytes per thread; sums by atomics",
     .tile = 16, .unordered = true},
    {"04_columns", 75, chain_plan_columns, "threads stay on their columns; sums in two stages",
     .tile = 1, .blocks = FUSED_COLUMNS_BLOCKS},
    {"05_in_flight", 80, chain_plan_columns, "packs of several rows in flight",
     .tile = FUSED_PACKS, .blocks = FUSED_IN_FLIGHT_BLOCKS},
};

// ---- cases -----------------------------------------------------------------------------------------

#define CASE(o, t, r, k, u, ...) {.operation = KZ_##o, .type = KZ_##t, .axes = {r, k}, .use = u, __VA_ARGS__}
#define CHECK(o, t, r, k, ...) CASE(o, t, r, k, KZ_USE_CHECK, __VA_ARGS__)
#define DROPS(o, t, r, k, drop) {.operation = KZ_##o, .type = KZ_##t, .axes = {r, k, (drop) + 1}, .use = KZ_USE_CHECK}
#define BENCH(o, t, r, k) CASE(o, t, r, k, KZ_USE_BENCH)
// No packs, whole packs, two packs 32 apart, and what the data may hold.
#define EDGES(o, t)                                                                                          \
    CHECK(o, t, 5, 33, .misalign = 1), CHECK(o, t, 37, 40), CHECK(o, t, 9, 192),                             \
    KZ_NOT_FINITE(CHECK, o, t, 7, 64)
// Tiles side by side; pieces of rows, several lines of them in flight; magnitudes. Denormal floats are for chains without
// column sums: the hardware's atomic addition of floats takes them as zero. f16's are not denormal in float.
#define SHAPES(o)                                                                                            \
    CHECK(o, F32, 3, 520), CHECK(o, BF16, 131, 72), CHECK(o, F32, 300, 7), CHECK(o, F32, 200, 192), CHECK(o, F16, 200, 384),          \
    CHECK(o, F16, 9, 64, .data = KZ_DATA_DENORMAL), CHECK(o, F16, 9, 64, .data = KZ_DATA_LARGE)
#define DENORMALS(o) CHECK(o, F32, 9, 64, .data = KZ_DATA_DENORMAL)
// Not aligned, rows have more tiles than the plan can tell: its blocks take several.
#define CHAIN(o)                                                                                             \
    CHECK(o, F32, 1, 1), CHECK(o, F32, 0, 16), CHECK(o, BF16, 3, 0), CHECK(o, BF16, 5, 264, .misalign = 3),  \
    EDGES(o, F32), EDGES(o, F16), EDGES(o, BF16), SHAPES(o)
#define BENCHES(o) BENCH(o, F32, 16384, 4096), BENCH(o, BF16, 16384, 4096)
// clang-format on

static const kz_case cases[] = {
    CHAIN(BIAS_GELU),
    CHAIN(BIAS_GELU_BACKWARD),
    CHAIN(BIAS_DROPOUT_ADD),
    CHAIN(BIAS_DROPOUT_ADD_BACKWARD),
    CHAIN(SWIGLU),
    CHAIN(SWIGLU_BACKWARD),
    CHAIN(GEGLU),
    CHAIN(GEGLU_BACKWARD),
    DENORMALS(BIAS_GELU),
    DENORMALS(BIAS_DROPOUT_ADD),
    DENORMALS(SWIGLU),
    DENORMALS(SWIGLU_BACKWARD),
    DENORMALS(GEGLU),
    DENORMALS(GEGLU_BACKWARD),
    CHECK(BIAS_GELU, F32, 5, 100, .data = KZ_DATA_ZEROS),
    CHECK(SWIGLU, F32, 5, 100, .data = KZ_DATA_EQUAL),
    CHECK(BIAS_GELU, F32, 5, 100, .data = KZ_DATA_LARGE), // a sum past float's largest
    DROPS(BIAS_DROPOUT_ADD, F32, 4, 128, 0),
    DROPS(BIAS_DROPOUT_ADD, F16, 4, 130, DROPOUT_ALL),
    DROPS(BIAS_DROPOUT_ADD_BACKWARD, BF16, 4, 132, 0),
    DROPS(BIAS_DROPOUT_ADD_BACKWARD, F32, 4, 136, DROPOUT_ALL),
    DROPS(BIAS_DROPOUT_ADD_BACKWARD, F32, 4, 140, 32768),
    BENCHES(BIAS_GELU),
    BENCHES(BIAS_GELU_BACKWARD),
    BENCHES(BIAS_DROPOUT_ADD),
    BENCHES(BIAS_DROPOUT_ADD_BACKWARD),
    BENCHES(SWIGLU),
    BENCHES(SWIGLU_BACKWARD),
    BENCHES(GEGLU),
    BENCHES(GEGLU_BACKWARD),
    BENCH(BIAS_DROPOUT_ADD, F32, 65536, 4096),
    BENCH(SWIGLU, BF16, 8192, 14336),
    BENCH(BIAS_GELU, BF16, 16, 4096), // a decoder's step
    CASE(BIAS_DROPOUT_ADD, BF16, 65537, 32832, KZ_USE_HUGE),
};

static uint64_t size(const kz_case *c) { return axis(c, ROWS) * axis(c, COLUMNS); }

static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return variant->unordered && chain_buffers_of(c).dbias != NONE;
}

// By hand: 10 rows of 20; x, dy and dx, and two of 20; a row of 2 columns in, one out.
static const kz_worked worked[] = {
    {{.operation = KZ_BIAS_GELU_BACKWARD, .type = KZ_F32, .axes = {10, 20}}, {4 * (600 + 40), 2400}},
    {{.operation = KZ_SWIGLU, .type = KZ_BF16, .axes = {10, 20}}, {2 * 600, 800}},
};

const kz_family kz_family_fused_elementwise = {
    .name = "fused_elementwise",
    .group = "ml_ops",
    .summary = "bias + gelu, bias + dropout + residual, swiglu and geglu in one kernel; backward, too",
    .operations = operations,
    .axes = (const char *const[]){"rows", "columns", NULL},
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_fused_elementwise,
    .buffers = buffers,
    .fill = fill,
    .reference = fused_elementwise_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", "liger", NULL},
    .guest_signature =
        "const T *x, T *y, size_t rows, size_t columns\n"
        "bias_gelu-*: const T *x, const T *bias, T *y, size_t rows, size_t columns\n"
        "bias_gelu_backward-*: const T *x, const T *bias, const T *dy, T *dx, T *dbias, size_t rows, "
        "size_t columns\n"
        "bias_dropout_add-*: const T *x, const T *bias, const T *residual, const long long *state, T *y, "
        "size_t rows, size_t columns, size_t drop, float scale\n"
        "bias_dropout_add_backward-*: const T *dy, const long long *state, T *dx, T *dbias, size_t rows, "
        "size_t columns, size_t drop, float scale\n"
        "swiglu_backward-*,geglu_backward-*: const T *x, const T *dy, T *dx, size_t rows, size_t columns",
    .guest_args = guest_args,
    .size = size,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_fused_elementwise_open(kz_device *device, kz_fused_elementwise chain, kz_type type, size_t rows,
                                    size_t columns, double p, const char *variant, kz_operation **operation,
                                    kz_error *error) {
    if (operation) *operation = NULL;
    if (dropout_of(p) > DROPOUT_ALL)
        return kz_fail(
            error, KZ_INVALID,
            "kz_fused_elementwise_open: p is %g\nit is the part that is dropped: give a number from 0 to 1",
            p);
    kz_case c = {.operation = (uint32_t)chain,
                 .type = type,
                 .axes = {(int64_t)rows, (int64_t)columns, (int64_t)dropout_of(p) + 1}};
    return kz_operation_open_family(device, &kz_family_fused_elementwise, &c, variant, operation, error);
}

// "x, bias, y"
static void list_names(const kz_buffer *buffers, size_t count, char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", buffers[i].name);
}

// A field of the struct: into the place of the chain's buffer of that name. What a chain has not must be 0, for the caller
// means something by it that does not happen.
static kz_status place(const kz_case *c, const char *field, kz_ptr address, kz_ptr *list, kz_error *error) {
    kz_buffer has[KZ_FAMILY_BUFFERS];
    char names[128];
    size_t count = buffers(c, has), at = 0;
    while (at < count && strcmp(has[at].name, field) != 0) at++;
    list_names(has, count, names, sizeof names);
    if (at == count && address)
        return kz_fail(error, KZ_INVALID,
                       "kz_fused_elementwise_run: %s is 0x%llx, and %s has no %s\nit has %s: leave %s 0",
                       field, (unsigned long long)address, operations[c->operation], field, names, field);
    if (at == count) return KZ_OK;
    list[at] = address;
    if (address || has[at].count == 0) return KZ_OK;
    return kz_fail(
        error, KZ_INVALID,
        "kz_fused_elementwise_run: %s is 0, and %s needs it\nit has %s: set %s to the address of %llu "
        "elements of %s",
        field, operations[c->operation], names, field, (unsigned long long)has[at].count,
        kz_type_name(has[at].type));
}

kz_status kz_fused_elementwise_run(kz_operation *operation, kz_stream *stream,
                                   const kz_fused_elementwise_arrays *arrays, kz_ptr workspace,
                                   uint64_t workspace_bytes, kz_error *error) {
    const kz_case *c = kz_operation_case(operation);
    if (!c) return kz_operation_run(operation, stream, NULL, 0, workspace, workspace_bytes, error);
    if (!arrays)
        return kz_fail(error, KZ_INVALID,
                       "kz_fused_elementwise_run: arrays is NULL\nfill one with what the chain has");
    if (strcmp(kz_operation_family(operation), "fused_elementwise") != 0)
        return kz_fail(error, KZ_INVALID,
                       "kz_fused_elementwise_run: the operation is one of %s\npass what "
                       "kz_fused_elementwise_open opened",
                       kz_operation_family(operation));
    const struct {
        const char *field;
        kz_ptr address;
    } all[] = {{"x", arrays->x},   {"bias", arrays->bias},   {"residual", arrays->residual},
               {"dy", arrays->dy}, {"state", arrays->state}, {"y", arrays->y},
               {"dx", arrays->dx}, {"dbias", arrays->dbias}};
    kz_ptr list[sizeof all / sizeof *all] = {0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        kz_status status = place(c, all[i].field, all[i].address, list, error);
        if (status) return status;
    }
    return kz_operation_run(operation, stream, list, chain_buffers_of(c).count, workspace, workspace_bytes,
                            error);
}

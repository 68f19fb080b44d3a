// grad_norm: the 2-norm of all gradients of a model, and clipping by it. Cases, tables, work, plans, the table of variants.
//
// Axes: n elements in so many tensors, split as ml_ops/parameters.h says; control (private.h). Buffers: gradients of n elements, the
// table, the list of chunks, a scale; then norm's three results. clip changes the gradients, and its scale is the coefficient.
#include "grad_norm.h"

#include <string.h>

#include "private.h"
#include "tune.h"

float grad_norm_max(const kz_case *c) {
    if (c->axes[MAX_NORM] == 0) return 1.0f;
    uint32_t bits = (uint32_t)c->axes[MAX_NORM];
    float most;
    memcpy(&most, &bits, sizeof most);
    return most;
}

static int64_t put_max(float most) {
    uint32_t bits;
    memcpy(&bits, &most, sizeof bits);
    return (int64_t)((1ULL << 32) | bits);
}

static bool is_public(const kz_case *c) { return c->axes[CONTROL] == CONTROL_PUBLIC; }
static bool clips(const kz_case *c) { return c->operation == OPERATION_CLIP; }
static uint64_t elements(const kz_case *c) { return (uint64_t)c->axes[PARAMETERS_N]; }
static uint64_t chunks(const kz_case *c) {
    return is_public(c) ? (uint64_t)c->axes[CHUNKS] : parameters_chunk_count(c);
}

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    bool scaled = clips(c) || !is_public(c); // a public operation may have none
    list[GRADIENTS] = (kz_buffer){"gradients", clips(c) ? KZ_INOUT : KZ_INPUT, c->type, elements(c)};
    list[TABLE] =
        (kz_buffer){"parameters", KZ_INPUT, KZ_I64, (uint64_t)c->axes[PARAMETERS_TENSORS] * PARAMETERS_WORDS};
    list[LIST] = (kz_buffer){"chunks", KZ_INPUT, KZ_I64, chunks(c)};
    list[SCALED] = (kz_buffer){clips(c) ? "coefficient" : "scale", KZ_INPUT, KZ_F32, scaled};
    if (clips(c)) return SCALED + 1;
    list[NORM] = (kz_buffer){"norm", KZ_OUTPUT, KZ_F32, 1};
    list[COEFFICIENT] = (kz_buffer){"coefficient", KZ_OUTPUT, KZ_F32, 1};
    list[NOT_FINITE] = (kz_buffer){"not_finite", KZ_OUTPUT, KZ_U32, 1};
    return NOT_FINITE + 1;
}

static bool fill(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count, void *host) {
    size_t size = kz_type_size(c->type);
    switch (which) {
    case TABLE:
        parameters_fill_table(c, (parameters_sizes){size, size, size}, first, count, host);
        return true;
    case LIST: parameters_fill_chunks(c, first, count, host); return true;
    case SCALED:
        if (count) *(float *)host = clips(c) == (c->axes[CONTROL] == CONTROL_NOTHING) ? 1.0f : 0.37f;
        return true;
    default: return false;
    }
}

// A square and its addition, or a product. Clipping by 1 moves nothing.
static kz_work work(const kz_case *c) {
    double n = (double)c->axes[PARAMETERS_N], bytes = n * (double)kz_type_size(c->type);
    if (!clips(c)) return (kz_work){.bytes = bytes, .flops = 2.0 * n};
    if (c->axes[CONTROL] == CONTROL_NOTHING) return (kz_work){0};
    return (kz_work){.bytes = 2.0 * bytes, .flops = n};
}

// ---- plans -------------------------------------------------------------------------------------------

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    size_t count = clips(c) ? SCALED + 1 : NOT_FINITE + 1;
    for (uint32_t i = 0; i < count; i++) args[i] = kz_arg_buffer(i);
    args[count++] = kz_arg_u64(chunks(c));
    if (!clips(c)) args[count++] = kz_arg_f32(grad_norm_max(c));
    return count;
}

// A block for each entry of the list, which needs not be told how many there are.
static kz_status plan_clip(const kz_planner *p) {
    return KZ_LAUNCH(
        p, .blocks = chunks(p->c), .threads = p->variant->threads,
        KZ_ARGS(kz_arg_buffer(GRADIENTS), kz_arg_buffer(TABLE), kz_arg_buffer(LIST), kz_arg_buffer(SCALED)));
}

// norm's arguments: the workspace stands before the last two. The second launch has the number of sums in the place of chunks.
enum { ARG_SUMS = NOT_FINITE + 1, ARG_CHUNKS, ARG_MAX, NORM_ARGS };
static kz_status add_norm(const kz_planner *p, const kz_plan_launch *launch, uint64_t count) {
    kz_arg args[KZ_PLAN_ARGS];
    kz_plan_launch whole = *launch;
    kz_guest_args(p->family, p->c, args);
    args[ARG_MAX] = kz_arg_f32(grad_norm_max(p->c));
    args[ARG_CHUNKS] = kz_arg_u64(count);
    args[ARG_SUMS] = kz_arg_workspace(0);
    whole.threads = p->variant->threads;
    whole.args = args;
    whole.arg_count = NORM_ARGS;
    return kz_plan_add_launch(p, &whole);
}

// Blocks that walk over the list, or one for each chunk.
static uint64_t norm_blocks(const kz_planner *p) {
    uint64_t count = chunks(p->c), full = (uint64_t)p->device->multiprocessors * p->variant->blocks;
    return full ? kz_min_u64(count, full) : count;
}

static kz_status plan_cell(const kz_planner *p) {
    if (clips(p->c)) return plan_clip(p);
    p->plan->workspace_bytes = sizeof(float);
    kz_plan_add_fill(p->plan, kz_arg_workspace(0), 0, sizeof(float));
    kz_status status = add_norm(p, &(kz_plan_launch){.blocks = norm_blocks(p)}, chunks(p->c));
    return status ? status : add_norm(p, &(kz_plan_launch){.part = "finish", .blocks = 1}, 1);
}

static kz_status plan_persistent(const kz_planner *p) {
    if (clips(p->c))
        return kz_plan_refuse(p->error, "clip has nothing to fold: 01_block_atomic and 02_vector do it");
    return plan_cell(p);
}

// A sum for each block of the first launch.
static kz_status add_sums(const kz_planner *p, bool overlap) {
    if (clips(p->c)) return plan_persistent(p);
    uint64_t blocks = norm_blocks(p);
    p->plan->workspace_bytes = (blocks ? blocks : 1) * sizeof(float);
    kz_status status = add_norm(p, &(kz_plan_launch){.blocks = blocks}, chunks(p->c));
    if (status) return status;
    return add_norm(p, &(kz_plan_launch){.part = "finish", .blocks = 1, .overlap = overlap && blocks},
                    blocks);
}
static kz_status plan_sums(const kz_planner *p) { return add_sums(p, false); }
static kz_status plan_dependent_launch(const kz_planner *p) { return add_sums(p, true); }

static kz_status plan_last_block(const kz_planner *p) {
    if (clips(p->c)) return plan_persistent(p);
    uint64_t blocks = norm_blocks(p) ? norm_blocks(p) : 1; // one to say that the norm of nothing is 0
    p->plan->workspace_bytes = blocks * sizeof(float);
    return add_norm(p, &(kz_plan_launch){.blocks = blocks}, chunks(p->c));
}

// As 04, a double for each sum.
static kz_status plan_native(const kz_planner *p) {
    if (clips(p->c)) {
        uint64_t blocks = norm_blocks(p);
        return KZ_LAUNCH(p, .blocks = blocks, .threads = 1);
    }
    kz_status status = add_sums(p, false);
    p->plan->workspace_bytes *= 2;
    return status;
}

// clang-format off
#define THREADS .threads = GRAD_NORM_THREADS
static const kz_variant variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", grad_norm_natives, .threads = 1, .blocks = 1},
    {"01_block_atomic", 75, plan_cell, "a block per chunk of a tensor, one atomic each", THREADS, .unordered = true},
    {"02_vector", 75, plan_cell, "16 bytes per access, several in flight", THREADS, .unordered = true},
    {"03_persistent", 75, plan_persistent, "blocks walk over the list, one atomic at their end",
     THREADS, .blocks = GRAD_NORM_BLOCKS, .unordered = true},
    {"04_block_sums", 75, plan_sums, "a sum per block, folded in order by a second launch",
     THREADS, .blocks = GRAD_NORM_BLOCKS},
    {"05_last_block", 75, plan_last_block, "one launch: the last block folds the sums",
     THREADS, .blocks = GRAD_NORM_BLOCKS},
    {"06_dependent_launch", 90, plan_dependent_launch, "04, its second launch resident before the first ends",
     THREADS, .blocks = GRAD_NORM_BLOCKS},
};

// ---- cases -------------------------------------------------------------------------------------------

#define CASE(f, t, n, s, k, x, u, ...)                                                                       \
    {.operation = OPERATION_##f, .type = KZ_##t, .axes = {n, s, PARAMETERS_##k, CONTROL_##x}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, s, k, x, ...) CASE(f, t, n, s, k, x, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n, s, k) CASE(f, t, n, s, k, PLAIN, KZ_USE_BENCH)
// One element; tensors of any length, which begin anywhere, some of them empty; several chunks, with a part of a pack at the end.
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 1, 1, EQUAL, PLAIN), CHECK(f, t, 1003, 7, EQUAL, SCALE), CHECK(f, t, 6007, 20, SKEWED, PLAIN), \
    CHECK(f, t, 17001, 1, EQUAL, PLAIN), CHECK(f, t, 8195, 3, EQUAL, PLAIN, .misalign = 1),                  \
    CHECK(f, t, 500, 3, EQUAL, PLAIN, .data = KZ_DATA_ZEROS), KZ_NOT_FINITE(CHECK, f, t, 500, 3, EQUAL, PLAIN), \
    KZ_MAGNITUDES(CHECK, f, t, 500, 3, EQUAL, PLAIN), CHECK(f, t, 9001, 2, EQUAL, PLAIN, .data = KZ_DATA_EQUAL)
#define BENCHES(t)                                                                                           \
    BENCH(NORM, t, 1 << 24, 1, EQUAL), BENCH(NORM, t, 1 << 29, 1, EQUAL),                                    \
    BENCH(NORM, t, 1 << 29, 300, SKEWED), BENCH(CLIP, t, 1 << 29, 300, SKEWED)
// clang-format on

static const kz_case cases[] = {
    CHECK(NORM, F32, 0, 1, EQUAL, PLAIN), // 0, and a coefficient of 1
    CHECK(NORM, F32, 0, 3, SKEWED, SCALE),
    CHECK(NORM, F32, 1, 1, SKEWED, SCALE),
    CHECK(CLIP, F32, 0, 1, EQUAL, PLAIN),
    CHECK(NORM, F32, 300, 300, EQUAL, PLAIN), // tensors of one element
    CHECK(NORM, F32, 65536, 4, EQUAL, PLAIN),
    CHECK(NORM, F32, 8194, 1, EQUAL, PLAIN, .misalign = 3), // a last chunk that its head leaves one element
    CHECK(CLIP, F32, 65536, 4, EQUAL, PLAIN),
    CHECK(CLIP, F32, 100, 2, EQUAL, NOTHING, .data = KZ_DATA_POSITIVE),
    CHECK(NORM, F16, 300011, 1100, EQUAL,
          PLAIN), // twice as many chunks as blocks: 03 to 06 go round their loop
    CHECK(NORM, BF16, 100003, 50, SKEWED, SCALE, .misalign = 5),
    EDGES(NORM, F32),
    EDGES(NORM, F16),
    EDGES(NORM, BF16),
    EDGES(CLIP, F32),
    EDGES(CLIP, F16),
    EDGES(CLIP, BF16),
    BENCHES(F32),
    BENCHES(BF16),
    BENCH(NORM, F16, 1 << 29, 1, EQUAL),
    CASE(CLIP, BF16, KZ_PAST_2_31, 3, EQUAL, PLAIN, KZ_USE_HUGE),
};

// Those that add by atomics do it in the order in which they come.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return !clips(c) && variant->unordered;
}

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {1000, 5}}, {4000, 2000}},
    {{.operation = OPERATION_CLIP, .type = KZ_BF16, .axes = {1000, 5}}, {4000, 1000}},
};

const kz_family kz_family_grad_norm = {
    .name = "grad_norm",
    .group = "ml_ops",
    .summary = "the 2-norm of all gradients of a model, and clipping by it",
    .operations = (const char *const[]){"norm", "clip", NULL},
    .axes = (const char *const[]){"n", "tensors", "split", "control", NULL},
    .axes_note = "split, the tensors: 0 of equal length, 1 of very different ones; control: 1 is a scale "
                 "that is not 1, of clip a coefficient of 1",
    .types = KZ_TYPE_BIT(F32) | KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16),
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_grad_norm,
    .buffers = buffers,
    .fill = fill,
    .reference = grad_norm_reference,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"torch", "torch_compile", NULL},
    .guest_signature = "const T *gradients, const long long *parameters, const long long *chunks, "
                       "const float *scale, float *norm, float *coefficient, unsigned *not_finite, "
                       "size_t chunk_count, float max_norm\n"
                       "clip-*: T *gradients, const long long *parameters, const long long *chunks, "
                       "const float *coefficient, size_t chunk_count",
    .guest_args = guest_args,
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

static kz_status open_case(const char *call, kz_device *device, const kz_case *c, const char *variant,
                           kz_operation **operation, kz_error *error) {
    if (operation) *operation = NULL;
    kz_status status = parameters_check(call, elements(c), (uint64_t)c->axes[PARAMETERS_TENSORS],
                                        (uint64_t)c->axes[CHUNKS], error);
    return status ? status
                  : kz_operation_open_family(device, &kz_family_grad_norm, c, variant, operation, error);
}

kz_status kz_grad_norm_open(kz_device *device, kz_type type, float max_norm, size_t n, size_t tensors,
                            size_t chunk_count, const char *variant, kz_operation **operation,
                            kz_error *error) {
    if (operation) *operation = NULL;
    if (!(max_norm > 0))
        return kz_fail(error, KZ_INVALID,
                       "kz_grad_norm_open: max_norm is %g\n"
                       "pass a number above 0; INFINITY asks for the norm alone",
                       (double)max_norm);
    const kz_case c = {
        .operation = OPERATION_NORM,
        .type = type,
        .axes = {(int64_t)n, (int64_t)tensors, 0, CONTROL_PUBLIC, (int64_t)chunk_count, put_max(max_norm)}};
    return open_case("kz_grad_norm_open", device, &c, variant, operation, error);
}

kz_status kz_grad_norm_run(kz_operation *operation, kz_stream *stream, kz_ptr gradients, kz_ptr parameters,
                           kz_ptr list, kz_ptr scale, kz_ptr norm, kz_ptr coefficient, kz_ptr not_finite,
                           kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    const kz_ptr at[] = {gradients, parameters, list, scale, norm, coefficient, not_finite};
    return kz_operation_run(operation, stream, at, NOT_FINITE + 1, workspace, workspace_bytes, error);
}

kz_status kz_grad_norm_open_clip(kz_device *device, kz_type type, size_t n, size_t tensors,
                                 size_t chunk_count, const char *variant, kz_operation **operation,
                                 kz_error *error) {
    const kz_case c = {.operation = OPERATION_CLIP,
                       .type = type,
                       .axes = {(int64_t)n, (int64_t)tensors, 0, CONTROL_PUBLIC, (int64_t)chunk_count}};
    return open_case("kz_grad_norm_open_clip", device, &c, variant, operation, error);
}

kz_status kz_grad_norm_run_clip(kz_operation *operation, kz_stream *stream, kz_ptr gradients,
                                kz_ptr parameters, kz_ptr list, kz_ptr coefficient, kz_error *error) {
    const kz_ptr at[] = {gradients, parameters, list, coefficient};
    return kz_operation_run(operation, stream, at, SCALED + 1, 0, 0, error);
}

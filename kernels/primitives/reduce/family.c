// reduce: sum, min, max, mean of n elements, argmin and argmax. Cases, work, plans and the table of variants.
//
// Axes: n. Buffers: in of n elements, out of one, and its index for argmin and argmax.
#include "reduce.h"

#include "private.h"
#include "tune.h"

static size_t buffers(const kz_case *c, kz_buffer list[KZ_FAMILY_BUFFERS]) {
    list[IN] = (kz_buffer){"in", KZ_INPUT, c->type, (uint64_t)c->axes[0]};
    list[OUT] = (kz_buffer){"out", KZ_OUTPUT, c->type, 1};
    if (!reduce_finds(c)) return 2;
    list[INDEX] = (kz_buffer){"index", KZ_OUTPUT, KZ_I64, 1};
    return 3;
}

static kz_work work(const kz_case *c) {
    double n = (double)c->axes[0];
    return (kz_work){.bytes = (n + 1.0) * (double)kz_type_size(c->type), .flops = n};
}

// ---- plans -----------------------------------------------------------------------------------------

static uint64_t tiles(const kz_planner *p, uint64_t tile) {
    return kz_ceil_div((uint64_t)p->c->axes[0], tile);
}

static kz_status supported(const kz_planner *p) {
    return reduce_supported("reduce", p->c->operation, p->c->type, p->error);
}

static kz_status plan_native(const kz_planner *p) {
    kz_status status = supported(p);
    uint64_t n = (uint64_t)p->c->axes[0];
    uint64_t blocks = n == 0 ? 1 : kz_min_u64(tiles(p, 4096), (uint64_t)p->device->multiprocessors);
    p->plan->workspace_bytes =
        blocks * 2 * sizeof(double); // an index beside the value, for argmin and argmax
    kz_arg partials = kz_arg_workspace(0), out = kz_arg_buffer(OUT), count = kz_arg_u64(n);
    if (!status)
        status = KZ_LAUNCH(p, .blocks = blocks, .threads = 1, KZ_ARGS(kz_arg_buffer(IN), partials, count));
    if (status) return status;
    kz_plan_launch finish = {.idea = "finish", .blocks = 1, .threads = 1};
    const kz_arg fold[] = {partials, out, kz_arg_u64(blocks), count};
    const kz_arg find[] = {partials, out, kz_arg_buffer(INDEX), kz_arg_u64(blocks)};
    finish.args = reduce_finds(p->c) ? find : fold;
    finish.arg_count = 4;
    return kz_plan_add_launch(p, &finish);
}

// The cell is filled, all blocks fold into it, and one thread makes the result of it. The sum of a type
// that is its own accumulator needs no such turning: out itself is the cell. See reduce.cuh for what the cell
// holds.
static kz_status fold_into_cell(const kz_planner *p, uint64_t blocks) {
    const kz_case *c = p->c;
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    if (c->operation > KZ_REDUCE_MAX)
        return kz_plan_refuse(p->error, "an atomic cell has no %s: 07_last_block and those after it do it",
                              reduce_operations[c->operation]);
    bool half = c->type == KZ_F16 || c->type == KZ_BF16;
    bool direct = c->operation == KZ_REDUCE_SUM && !half;
    kz_arg cell = direct ? kz_arg_buffer(OUT) : kz_arg_workspace(0);
    uint64_t cell_bytes = half ? sizeof(float) : kz_type_size(c->type);
    if (!direct) p->plan->workspace_bytes = 8;
    kz_plan_add_fill(p->plan, cell, c->operation == KZ_REDUCE_MIN ? 0xff : 0, cell_bytes);
    if (c->axes[0] > 0)
        status = KZ_LAUNCH(p, .blocks = blocks, .threads = p->variant->threads,
                           KZ_ARGS(kz_arg_buffer(IN), cell, kz_arg_u64((uint64_t)c->axes[0])));
    if (status || direct) return status;
    return KZ_LAUNCH(p, .idea = "finish", .blocks = 1, .threads = 1, KZ_ARGS(cell, kz_arg_buffer(OUT)));
}

static kz_status plan_cell(const kz_planner *p) {
    uint64_t blocks = tiles(p, p->variant->tile),
             full = (uint64_t)p->device->multiprocessors * p->variant->blocks;
    return fold_into_cell(p, full ? kz_min_u64(blocks, full) : blocks);
}

// A pack per thread while that does not fill the grid; at least one block.
static uint64_t vector_blocks(const kz_planner *p) {
    uint64_t pack = 16 / kz_type_size(p->c->type);
    uint64_t full = (uint64_t)p->device->multiprocessors * REDUCE_VECTOR_BLOCKS * REDUCE_VECTOR_WAVES;
    uint64_t blocks = kz_min_u64(tiles(p, REDUCE_VECTOR_THREADS * pack), full);
    return blocks ? blocks : 1;
}

static kz_status plan_vector(const kz_planner *p) { return fold_into_cell(p, vector_blocks(p)); }

static kz_status plan_last_block(const kz_planner *p) {
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    uint64_t blocks = vector_blocks(p);
    p->plan->workspace_bytes = blocks * 16; // a partial result is 4 or 8 bytes, 12 or 16 with an index
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = kz_guest_args(p->family, p->c, args);
    args[count] = args[count - 1]; // n stands behind the partial results
    args[count - 1] = kz_arg_workspace(0);
    return KZ_LAUNCH(p, .blocks = blocks, .threads = REDUCE_VECTOR_THREADS, .args = args,
                     .arg_count = count + 1);
}

// A few elements have one block, which waits for no other. All multiprocessors have a part of a small input, and each a
// small block: one that had all of it to itself would read no faster than one multiprocessor can. Larger blocks when those
// no longer suffice; a second one on each where threads would go round and round.
static kz_status add_epoch_flags(const kz_planner *p, bool overlap) {
    kz_status status = supported(p);
    if (status != KZ_OK) return status;
    size_t size = kz_type_size(p->c->type);
    uint64_t packs = tiles(p, 16 / size), each = (uint64_t)p->device->multiprocessors;
    uint64_t most = size == 2 ? REDUCE_EPOCH_PACKS / 2 : REDUCE_EPOCH_PACKS;
    uint32_t threads = REDUCE_EPOCH_THREADS;
    if (packs <= REDUCE_EPOCH_ALONE) each = 1;
    while (threads < REDUCE_VECTOR_THREADS && packs > each * threads) threads *= 2;
    if (each > 1 && packs > each * threads * most) each *= REDUCE_VECTOR_BLOCKS;
    uint64_t blocks = kz_min_u64(kz_min_u64(kz_ceil_div(packs, threads), each), REDUCE_EPOCH_BLOCKS);
    return KZ_LAUNCH(p, .blocks = blocks ? blocks : 1, .threads = threads, .overlap = overlap);
}
static kz_status plan_epoch_flags(const kz_planner *p) { return add_epoch_flags(p, false); }
static kz_status plan_dependent_launch(const kz_planner *p) { return add_epoch_flags(p, true); }

enum { T = REDUCE_THREADS };

// clang-format off
static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", reduce_natives},
    {"01_atomic", 75, plan_cell, "one atomic per element", .threads = T, .tile = T, .unordered = true},
    {"02_interleaved_tree", 75, plan_cell, "a tree in shared memory, threads spread out",
     .threads = T, .tile = T, .unordered = true},
    {"03_sequential_tree", 75, plan_cell, "a tree in shared memory, whole warps at a time",
     .threads = T, .tile = T, .unordered = true},
    {"04_warp_shuffle", 75, plan_cell, "registers only, one atomic per warp",
     .threads = T, .tile = T, .unordered = true},
    {"05_block_atomic", 75, plan_cell, "a grid that fills the GPU, one atomic per block",
     .threads = T, .tile = T, .blocks = REDUCE_STRIDE_BLOCKS, .unordered = true},
    {"06_vector", 75, plan_vector, "16-byte loads, several in flight",
     .threads = REDUCE_VECTOR_THREADS, .unordered = true},
    {"07_last_block", 75, plan_last_block, "one kernel: the last block finishes"},
    {"08_epoch_flags", 75, plan_epoch_flags, "partial results flagged with the launch's epoch"},
    {"09_dependent_launch", 90, plan_dependent_launch, "blocks resident before the previous kernel ends"},
};
// clang-format on

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, n, u, ...) {.operation = KZ_REDUCE_##f, .type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, ...) CASE(f, t, n, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n) CASE(f, t, n, KZ_USE_BENCH)
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 0), CHECK(f, t, 1), CHECK(f, t, 33), CHECK(f, t, 1025), CHECK(f, t, 10007),                  \
    CHECK(f, t, 4099, .misalign = 1), CHECK(f, t, 33, .data = KZ_DATA_EQUAL)
#define FLOAT_EDGES(f, t)                                                                                    \
    EDGES(f, t), KZ_NOT_FINITE(CHECK, f, t, 1000)
// Magnitudes near the largest: not for float sums, where an infinity on the way depends on the order. Near
// the smallest: not for sums in float, for the hardware's atomic addition of floats takes denormals as zero.
#define EXTREME_EDGES(f, t)                                                                                  \
    FLOAT_EDGES(f, t), KZ_MAGNITUDES(CHECK, f, t, 1000)
#define FLOATS(list, f) list(f, F32), list(f, F64), list(f, F16), list(f, BF16)
// clang-format on

static const kz_case cases[] = {
    CHECK(SUM, F32, 2),
    CHECK(SUM, F32, 3),
    CHECK(SUM, F32, 31),
    CHECK(SUM, F32, 32),
    CHECK(SUM, F32, 1023),
    CHECK(SUM, F32, 1024),
    CHECK(SUM, F32, 5003, .data = KZ_DATA_EQUAL), // elements that all round alike
    CHECK(SUM, F32, 2500009), // 06 and 07 go round their unrolled loop on 132 multiprocessors
    CHECK(SUM, F64, 1200007), // 06 to 09 go round their unrolled loop on 132 multiprocessors
    CHECK(SUM, F32, 4097, .misalign = 3),
    KZ_CONSTANT(CHECK, SUM, F32, 1000),
    CHECK(SUM, F32, 10007, .data = KZ_DATA_POSITIVE),
    CHECK(SUM, F16, 10007, .data = KZ_DATA_POSITIVE),
    CHECK(SUM, F16, 1000, .data = KZ_DATA_LARGE), // float holds what f16 does not: infinity at the end alone
    CHECK(SUM, BF16, 10007, .data = KZ_DATA_POSITIVE),
    CHECK(SUM, F16, 4099, .misalign = 7),
    CHECK(SUM, F16, 1000, .data = KZ_DATA_DENORMAL), // not denormal in float
    CHECK(SUM, F64, 1000, .data = KZ_DATA_DENORMAL), // the atomic of doubles keeps them
    FLOATS(FLOAT_EDGES, SUM),
    FLOATS(EXTREME_EDGES, MIN),
    FLOATS(EXTREME_EDGES, MAX),
    EDGES(SUM, I32),
    EDGES(MIN, I32),
    EDGES(MAX, I32),
    CHECK(SUM, I32, 1000, .data = KZ_DATA_LARGE), // wraps
    CHECK(MIN, I32, 1000, .data = KZ_DATA_LARGE),
    CHECK(MAX, I32, 1000, .data = KZ_DATA_LARGE),
    FLOATS(FLOAT_EDGES, MEAN),
    CHECK(MEAN, F32, 1000, .data = KZ_DATA_DENORMAL),
    FLOATS(FLOAT_EDGES, ARGMIN),
    FLOATS(FLOAT_EDGES, ARGMAX),
    EDGES(ARGMIN, I32),
    EDGES(ARGMAX, I32),
    CHECK(ARGMAX, F32, 100003, .data = KZ_DATA_RUNS), // ties
    CHECK(ARGMIN, F16, 100003, .data = KZ_DATA_BIASED, .misalign = 3),
    CHECK(MEAN, F16, 10007, .data = KZ_DATA_POSITIVE),
    CASE(SUM, F32, 1 << 16, KZ_USE_CHECK | KZ_USE_BENCH),
    KZ_POWERS_18_TO_29(BENCH, SUM, F32),
    BENCH(MAX, F32, 1 << 28),
    BENCH(SUM, F16, 1 << 28),
    BENCH(SUM, BF16, 1 << 28),
    BENCH(MAX, BF16, 1 << 28),
    BENCH(SUM, I32, 1 << 28),
    BENCH(SUM, F64, 1 << 28),
    BENCH(MEAN, F32, 1 << 28),
    BENCH(ARGMAX, F32, 1 << 28),
    BENCH(ARGMIN, BF16, 1 << 28),
    CASE(SUM, I32, KZ_PAST_2_31, KZ_USE_HUGE), // of which every element counts
};

// Those that add by atomics do it in the order in which they come; that changes sums of floats alone.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return c->operation == KZ_REDUCE_SUM && c->type != KZ_I32 && variant->unordered;
}

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"08_mailbox", "08_epoch_flags"},
    {"09_overlap", "09_dependent_launch"},
    {0},
};

static const kz_worked worked[] = {
    {{.type = KZ_F32, .axes = {1000}}, {4004, 1000}},
};

const kz_family kz_family_reduce = {
    .name = "reduce",
    .group = "primitives",
    .summary = "sum, min, max, mean, argmin and argmax of n elements",
    .operations = reduce_operations,
    .axes = (const char *const[]){"n", NULL},
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .former_names = former_names,
    .cases = cases,
    .case_count = sizeof cases / sizeof cases[0],
    .embedded = &kz_embedded_reduce,
    .buffers = buffers,
    .reference = reduce_reference,
    .rule = reduce_rule,
    .work = work,
    .worked = worked,
    .worked_count = sizeof worked / sizeof worked[0],
    .rivals = (const char *const[]){"cub", "cudnn", "torch", "torch_compile", "triton", NULL},
    .guest_signature = "const T *in, T *out, size_t n\n"
                       "argmin-*,argmax-*: const T *in, T *out, long long *index, size_t n",
    .nondeterministic = nondeterministic,
};

// ---- the public operation ----------------------------------------------------------------------------

kz_status kz_reduce_open(kz_device *device, kz_reduce_operation function, kz_type type, size_t n,
                         const char *variant, kz_operation **operation, kz_error *error) {
    kz_case c = {.operation = function, .type = type, .axes = {(int64_t)n}};
    return kz_operation_open_family(device, &kz_family_reduce, &c, variant, operation, error);
}

kz_status kz_reduce_run(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr workspace,
                        uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out}, 2, workspace, workspace_bytes, error);
}

kz_status kz_reduce_run_index(kz_operation *operation, kz_stream *stream, kz_ptr in, kz_ptr out, kz_ptr index,
                              kz_ptr workspace, uint64_t workspace_bytes, kz_error *error) {
    return kz_operation_run(operation, stream, (kz_ptr[]){in, out, index}, 3, workspace, workspace_bytes,
                            error);
}

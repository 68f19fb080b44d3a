// reduce: sum, min, max, mean of n elements, argmin and argmax. Cases, work, plans and the table of variants.
//
// Axes: n. Buffers: in of n elements, out of one, and its index for argmin and argmax. Where choice.csv does not know
// the GPU, the last variant that the device can run is taken.
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

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    size_t count = 0;
    args[count++] = kz_arg_buffer(IN);
    args[count++] = kz_arg_buffer(OUT);
    if (reduce_finds(c)) args[count++] = kz_arg_buffer(INDEX);
    args[count++] = kz_arg_u64((uint64_t)c->axes[0]);
    return count;
}

// ---- plans -----------------------------------------------------------------------------------------

static kz_status supported(const kz_case *c, kz_error *error) {
    return reduce_supported("reduce", c->operation, c->type, error);
}

// The cell is filled, all blocks fold into it, and one thread turns it into the result. The sum of a type
// that is its own accumulator needs no such turning: out itself is the cell. See reduce.cuh for what the cell
// holds.
static kz_status fold_into_cell(const kz_case *c, kz_plan *plan, const char *idea, uint64_t blocks,
                                uint32_t threads, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    if (c->operation > KZ_REDUCE_MAX)
        return kz_plan_refuse(error, "an atomic cell has no %s: 07_last_block and those after it do it",
                              reduce_operations[c->operation]);
    bool half = c->type == KZ_F16 || c->type == KZ_BF16;
    bool direct = c->operation == KZ_REDUCE_SUM && !half;
    kz_arg cell = direct ? kz_arg_buffer(OUT) : kz_arg_workspace(0);
    uint64_t cell_bytes = half ? sizeof(float) : kz_type_size(c->type);
    if (!direct) plan->workspace_bytes = 8;
    kz_plan_add_fill(plan, cell, c->operation == KZ_REDUCE_MIN ? 0xff : 0, cell_bytes);
    if (c->axes[0] > 0) {
        kz_arg args[] = {kz_arg_buffer(IN), cell, kz_arg_u64((uint64_t)c->axes[0])};
        kz_plan_add_entry(plan, &kz_family_reduce, c, idea, blocks, threads, args, 3);
    }
    if (!direct)
        kz_plan_add_entry(plan, &kz_family_reduce, c, "finish", 1, 1, (kz_arg[]){cell, kz_arg_buffer(OUT)},
                          2);
    return KZ_OK;
}

static uint64_t tiles(const kz_case *c, uint64_t tile) { return kz_ceil_div((uint64_t)c->axes[0], tile); }

static kz_status plan_native(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t n = (uint64_t)c->axes[0];
    uint64_t blocks = n == 0 ? 1 : kz_min_u64(tiles(c, 4096), (uint64_t)device->multiprocessors);
    plan->workspace_bytes = blocks * 2 * sizeof(double); // an index beside the value, for argmin and argmax
    kz_arg partials = kz_arg_workspace(0);
    kz_plan_add_entry(plan, &kz_family_reduce, c, "native", blocks, 1,
                      (kz_arg[]){kz_arg_buffer(IN), partials, kz_arg_u64(n)}, 3);
    kz_arg finish[] = {partials, kz_arg_buffer(OUT), kz_arg_u64(blocks), kz_arg_u64(n)};
    kz_arg find[] = {partials, kz_arg_buffer(OUT), kz_arg_buffer(INDEX), kz_arg_u64(blocks)};
    kz_plan_add_entry(plan, &kz_family_reduce, c, "finish", 1, 1, reduce_finds(c) ? find : finish, 4);
    return KZ_OK;
}

static kz_status plan_atomic(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return fold_into_cell(c, plan, "atomic", tiles(c, REDUCE_THREADS), REDUCE_THREADS, error);
}

static kz_status plan_interleaved_tree(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                       kz_error *error) {
    return fold_into_cell(c, plan, "interleaved_tree", tiles(c, REDUCE_THREADS), REDUCE_THREADS, error);
}

static kz_status plan_sequential_tree(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                      kz_error *error) {
    return fold_into_cell(c, plan, "sequential_tree", tiles(c, REDUCE_THREADS), REDUCE_THREADS, error);
}

static kz_status plan_warp_shuffle(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                   kz_error *error) {
    return fold_into_cell(c, plan, "warp_shuffle", tiles(c, REDUCE_THREADS), REDUCE_THREADS, error);
}

static kz_status plan_block_atomic(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                   kz_error *error) {
    uint64_t full = (uint64_t)device->multiprocessors * REDUCE_STRIDE_BLOCKS;
    uint64_t blocks = kz_min_u64(tiles(c, REDUCE_THREADS), full);
    return fold_into_cell(c, plan, "block_atomic", blocks, REDUCE_THREADS, error);
}

// A pack per thread while that does not fill the grid; at least one block.
static uint64_t vector_blocks(const kz_case *c, const kz_device_info *device) {
    uint64_t pack = 16 / kz_type_size(c->type);
    uint64_t full = (uint64_t)device->multiprocessors * REDUCE_VECTOR_BLOCKS * REDUCE_VECTOR_WAVES;
    uint64_t blocks = kz_min_u64(tiles(c, REDUCE_VECTOR_THREADS * pack), full);
    return blocks ? blocks : 1;
}

static kz_status plan_vector(const kz_case *c, const kz_device_info *device, kz_plan *plan, kz_error *error) {
    return fold_into_cell(c, plan, "vector", vector_blocks(c, device), REDUCE_VECTOR_THREADS, error);
}

static kz_status plan_last_block(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                 kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t blocks = vector_blocks(c, device);
    plan->workspace_bytes = blocks * 16; // a partial result is 4 or 8 bytes, 12 or 16 with an index
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = guest_args(c, args);
    args[count] = args[count - 1]; // n stands behind the partial results
    args[count - 1] = kz_arg_workspace(0);
    kz_plan_add_entry(plan, &kz_family_reduce, c, "last_block", blocks, REDUCE_VECTOR_THREADS, args,
                      count + 1);
    return KZ_OK;
}

// All multiprocessors have a part of a small input, and each a small block: one that had all of it to itself would read
// no faster than one multiprocessor can. Larger blocks when those no longer suffice; a second one on each where threads
// would go round and round.
static kz_status add_epoch_flags(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                 const char *idea, kz_error *error) {
    kz_status status = supported(c, error);
    if (status != KZ_OK) return status;
    uint64_t packs = tiles(c, 16 / kz_type_size(c->type)), each = (uint64_t)device->multiprocessors;
    uint32_t threads = REDUCE_EPOCH_THREADS;
    while (threads < REDUCE_VECTOR_THREADS && packs > each * threads) threads *= 2;
    if (packs > each * threads * REDUCE_EPOCH_PACKS) each *= REDUCE_VECTOR_BLOCKS;
    uint64_t blocks = kz_min_u64(kz_min_u64(kz_ceil_div(packs, threads), each), REDUCE_EPOCH_BLOCKS);
    if (blocks == 0) blocks = 1;
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = guest_args(c, args);
    kz_plan_add_entry(plan, &kz_family_reduce, c, idea, blocks, threads, args, count);
    return KZ_OK;
}

static kz_status plan_epoch_flags(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                  kz_error *error) {
    return add_epoch_flags(c, device, plan, "epoch_flags", error);
}

static kz_status plan_dependent_launch(const kz_case *c, const kz_device_info *device, kz_plan *plan,
                                       kz_error *error) {
    kz_status status = add_epoch_flags(c, device, plan, "dependent_launch", error);
    if (status == KZ_OK) plan->steps[0].launch.overlap = true;
    return status;
}

static const kz_variant variants[] = {
    {"00_native", 0, plan_native, "plain C on all cores", reduce_natives},
    {"01_atomic", 75, plan_atomic, "one atomic per element", NULL},
    {"02_interleaved_tree", 75, plan_interleaved_tree, "a tree in shared memory, threads spread out", NULL},
    {"03_sequential_tree", 75, plan_sequential_tree, "a tree in shared memory, whole warps at a time", NULL},
    {"04_warp_shuffle", 75, plan_warp_shuffle, "registers only, one atomic per warp", NULL},
    {"05_block_atomic", 75, plan_block_atomic, "a grid that fills the GPU, one atomic per block", NULL},
    {"06_vector", 75, plan_vector, "16-byte loads, several in flight", NULL},
    {"07_last_block", 75, plan_last_block, "one kernel: the last block finishes", NULL},
    {"08_epoch_flags", 75, plan_epoch_flags, "partial results flagged with the launch's epoch", NULL},
    {"09_dependent_launch", 90, plan_dependent_launch, "blocks resident before the previous kernel ends",
     NULL},
};

// ---- cases -----------------------------------------------------------------------------------------

// clang-format off
#define CASE(f, t, n, u, ...) {.operation = KZ_REDUCE_##f, .type = KZ_##t, .axes = {n}, .use = u, __VA_ARGS__}
#define CHECK(f, t, n, ...) CASE(f, t, n, KZ_USE_CHECK, __VA_ARGS__)
#define BENCH(f, t, n) CASE(f, t, n, KZ_USE_BENCH)
#define EDGES(f, t)                                                                                          \
    CHECK(f, t, 0), CHECK(f, t, 1), CHECK(f, t, 33), CHECK(f, t, 1025), CHECK(f, t, 10007),                  \
    CHECK(f, t, 4099, .misalign = 1), CHECK(f, t, 33, .data = KZ_DATA_EQUAL)
#define FLOAT_EDGES(f, t)                                                                                    \
    EDGES(f, t), CHECK(f, t, 1000, .data = KZ_DATA_NAN), CHECK(f, t, 1000, .data = KZ_DATA_INF)
// Magnitudes near the largest: not for float sums, where an infinity on the way depends on the order. Near
// the smallest: not for sums in float, for the hardware's atomic addition of floats takes denormals as zero.
#define EXTREME_EDGES(f, t)                                                                                  \
    FLOAT_EDGES(f, t), CHECK(f, t, 1000, .data = KZ_DATA_LARGE), CHECK(f, t, 1000, .data = KZ_DATA_SMALL),   \
    CHECK(f, t, 1000, .data = KZ_DATA_DENORMAL)
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
    CHECK(SUM, F32, 4097, .misalign = 3),
    CHECK(SUM, F32, 1000, .data = KZ_DATA_ZEROS),
    CHECK(SUM, F32, 1000, .data = KZ_DATA_ONES),
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
    BENCH(SUM, F32, 1 << 18),
    BENCH(SUM, F32, 1 << 20),
    BENCH(SUM, F32, 1 << 22),
    BENCH(SUM, F32, 1 << 24),
    BENCH(SUM, F32, 1 << 26),
    BENCH(SUM, F32, 1 << 28),
    BENCH(SUM, F32, 1 << 29),
    BENCH(MAX, F32, 1 << 28),
    BENCH(SUM, F16, 1 << 28),
    BENCH(SUM, BF16, 1 << 28),
    BENCH(MAX, BF16, 1 << 28),
    BENCH(SUM, I32, 1 << 28),
    BENCH(SUM, F64, 1 << 28),
    BENCH(MEAN, F32, 1 << 28),
    BENCH(ARGMAX, F32, 1 << 28),
    BENCH(ARGMIN, BF16, 1 << 28),
    CASE(SUM, I32, (1LL << 31) + 4099, KZ_USE_HUGE), // of which every element counts
};

// 01 to 06 add by atomics, in the order in which they come; that changes sums of floats alone.
static bool nondeterministic(const kz_case *c, const kz_variant *variant) {
    return c->operation == KZ_REDUCE_SUM && c->type != KZ_I32 && variant >= &variants[1] &&
           variant <= &variants[6];
}

// What variants were called before, as kept results and commands may say.
static const kz_former_name former_names[] = {
    {"08_mailbox", "08_epoch_flags"},
    {"09_overlap", "09_dependent_launch"},
    {0},
};

const kz_family kz_family_reduce = {
    .name = "reduce",
    .group = "primitives",
    .summary = "sum, extremes, where they stand, mean of n elements: how threads come to one answer",
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
    .work = work,
    .guest_signature = "const T *in, T *out, size_t n\n"
                       "argmin-*,argmax-*: const T *in, T *out, long long *index, size_t n",
    .guest_args = guest_args,
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

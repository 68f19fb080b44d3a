// attention_backward: the plans, and the table of variants.
#include <stdio.h>

#include "private.h"
#include "tune.h"

enum { THREADS = 256 };

// What a plan is about. The workspace begins with the queries' numbers (attention_backward.cuh), 2 floats each.
typedef struct backward_plan {
    attention_problem p;
    backward_arrays at;
    kz_arg args[KZ_PLAN_ARGS]; // BACKWARD_PARAMETERS; dq is the gradient itself
    size_t count;
    uint64_t rows, pairs; // queries of all heads, and pairs, of the arrays
    bool has_queries, has_keys;
} backward_plan;
enum { ARG_ROWS = 4, ARG_DQ = 8 };

static kz_arg reserve(const kz_planner *p, uint64_t bytes) {
    uint64_t offset = (p->plan->workspace_bytes + 127) / 128 * 128;
    p->plan->workspace_bytes = offset + bytes;
    return kz_arg_workspace(offset);
}

static kz_arg buffer_or_null(int index) { return index < 0 ? kz_arg_u64(0) : kz_arg_buffer((uint32_t)index); }

static void add_strides(backward_plan *b, const kz_attention_strides *strides) {
    b->args[b->count++] = kz_arg_u64(strides->token);
    b->args[b->count++] = kz_arg_u64(strides->head);
    b->args[b->count++] = kz_arg_u64(strides->batch);
}

static void list_args(backward_plan *b, kz_arg rows) {
    const attention_problem *p = &b->p;
    const int arrays[] = {Q,
                          K,
                          V,
                          b->at.dout,
                          -1,
                          b->at.inputs.query_offsets,
                          b->at.inputs.key_offsets,
                          b->at.inputs.mask,
                          b->at.dq,
                          b->at.dk,
                          b->at.dv};
    const uint64_t sizes[] = {p->batch, p->heads, p->kv_heads, p->queries, p->keys, p->dimension};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        b->args[b->count++] = buffer_or_null(arrays[i]);
    b->args[ARG_ROWS] = rows;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) b->args[b->count++] = kz_arg_u64(sizes[i]);
    b->args[b->count++] = kz_arg_f32((float)p->scale);
    b->args[b->count++] = kz_arg_u64(p->reach);
    add_strides(b, &p->q), add_strides(b, &p->kv), add_strides(b, &p->out), add_strides(b, &p->mask);
}

// Lanes that a query's deltas take, as the kernel reckons where rows are aligned; where they are not, it goes round.
static uint64_t lanes_of_row(const kz_planner *p, const attention_problem *a) {
    uint64_t units = kz_ceil_div(a->dimension * kz_type_size(p->c->type), 16), lanes = 32;
    while (lanes > 1 && lanes / 2 >= units) lanes /= 2;
    return lanes;
}

// The arguments, and the kernel that fills the queries' numbers: some lanes each, or of natives a share.
static kz_status begin(const kz_planner *p, const char *idea, backward_plan *b) {
    kz_status status = attention_refuse(p);
    if (status) return status;
    kz_buffer list[KZ_FAMILY_BUFFERS];
    *b = (backward_plan){.p = attention_problem_of(p->c)};
    const attention_problem *a = &b->p;
    b->at = backward_list(a, list);
    bool any = a->batch && a->heads && a->dimension;
    b->has_queries = any && a->queries, b->has_keys = any && a->keys;
    b->rows = any ? a->sequences_of_arrays * a->heads * a->queries : 0;
    b->pairs = b->rows * a->keys;
    kz_arg rows = reserve(p, b->rows * 2 * sizeof(float) + sizeof(float));
    list_args(b, rows);
    const kz_arg args[] = {kz_arg_buffer((uint32_t)b->at.out),
                           kz_arg_buffer((uint32_t)b->at.dout),
                           kz_arg_buffer((uint32_t)b->at.lse),
                           rows,
                           kz_arg_u64(a->heads),
                           kz_arg_u64(a->queries),
                           kz_arg_u64(a->dimension),
                           kz_arg_u64(a->out.token),
                           kz_arg_u64(a->out.head),
                           kz_arg_u64(a->out.batch),
                           kz_arg_u64(b->rows)};
    bool native = p->variant->min_sm == 0;
    uint64_t cores = (uint64_t)p->device->multiprocessors;
    return KZ_LAUNCH(p, .idea = idea, .part = "rows", .operation = "any",
                     .blocks = native ? kz_min_u64(b->rows, cores)
                                      : kz_ceil_div(b->rows * lanes_of_row(p, a), THREADS),
                     .threads = native ? 1 : THREADS, .args = args, .arg_count = sizeof args / sizeof *args);
}

static kz_status launch(const kz_planner *p, const backward_plan *b, const char *part, uint64_t blocks,
                        uint32_t threads, uint32_t shared_bytes) {
    return KZ_LAUNCH(p, .part = part, .operation = "any", .blocks = blocks, .threads = threads,
                     .shared_bytes = shared_bytes, .args = b->args, .arg_count = b->count);
}

static kz_status plan_native(const kz_planner *p) {
    backward_plan b;
    kz_status status = begin(p, NULL, &b);
    if (status || !(b.has_queries || b.has_keys)) return status;
    uint64_t blocks = kz_min_u64(b.p.batch * b.p.kv_heads, (uint64_t)p->device->multiprocessors);
    b.args[b.count++] = reserve(p, blocks * 2 * b.p.keys * (b.p.dimension + 1) * sizeof(double) + 8);
    return launch(p, &b, NULL, blocks, 1, 0);
}

static kz_status plan_unfused(const kz_planner *p) {
    backward_plan b;
    kz_status status = begin(p, NULL, &b);
    if (status) return status;
    uint64_t keys = b.has_keys ? b.p.sequences_of_arrays * b.p.kv_heads * b.p.keys : 0;
    b.args[b.count++] = reserve(p, 2 * b.pairs * sizeof(float) + sizeof(float));
    status = launch(p, &b, "pairs", kz_ceil_div(b.pairs, THREADS), THREADS, 0);
    if (!status) status = launch(p, &b, "queries", kz_ceil_div(b.rows * b.p.dimension, THREADS), THREADS, 0);
    if (!status) status = launch(p, &b, "keys", kz_ceil_div(keys * b.p.dimension, THREADS), THREADS, 0);
    return status;
}

// ---- 02 and 03 -----------------------------------------------------------------------------------------

typedef struct recompute_tile {
    uint32_t dimension, keys, queries, shared_bytes;
} recompute_tile;

static kz_status recompute_tile_of(const kz_planner *p, uint64_t dimension, recompute_tile *tile) {
#define ROW(d, k, q, ...) {d, k, q, RECOMPUTE_SHARED_BYTES(d, k, q)},
    static const recompute_tile tiles[] = {RECOMPUTE_TILES(ROW, )};
#undef ROW
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (dimension <= tiles[i].dimension) {
            *tile = tiles[i];
            return KZ_OK;
        }
    return kz_plan_refuse(p->error, "a dimension of %llu: tiles have up to 256; 01_unfused takes any",
                          (unsigned long long)dimension);
}

// Tiles of keys of all sequences, of all their heads.
static uint64_t key_blocks(const backward_plan *b, uint64_t keys) {
    const attention_problem *p = &b->p;
    if (!b->has_keys) return 0;
    return p->kv_heads * (p->packed ? p->keys / keys + p->batch : p->batch * kz_ceil_div(p->keys, keys));
}

static kz_status plan_recompute(const kz_planner *p) {
    backward_plan b;
    recompute_tile tile = {0};
    char part[16];
    kz_status status = recompute_tile_of(p, (uint64_t)p->c->axes[ATTENTION_DIMENSION], &tile);
    if (!status) status = begin(p, NULL, &b);
    if (status) return status;
    uint64_t elements = b.rows * b.p.dimension;
    kz_arg sums = reserve(p, elements * sizeof(float) + sizeof(float)), dq = b.args[ARG_DQ];
    if (elements) kz_plan_add_fill(p->plan, sums, 0, elements * sizeof(float));
    b.args[ARG_DQ] = sums;
    snprintf(part, sizeof part, "d%u", tile.dimension);
    status = launch(p, &b, part, key_blocks(&b, tile.keys), RECOMPUTE_THREADS, tile.shared_bytes);
    b.args[b.count++] = dq;
    return status ? status : launch(p, &b, "convert", kz_ceil_div(elements, THREADS), THREADS, 0);
}

static kz_status plan_two_passes(const kz_planner *p) {
    backward_plan b;
    recompute_tile tile = {0};
    char part[16];
    kz_status status = recompute_tile_of(p, (uint64_t)p->c->axes[ATTENTION_DIMENSION], &tile);
    if (!status) status = begin(p, NULL, &b);
    if (status) return status;
    snprintf(part, sizeof part, "k%u", tile.dimension);
    status = launch(p, &b, part, key_blocks(&b, tile.keys), RECOMPUTE_THREADS, tile.shared_bytes);
    snprintf(part, sizeof part, "q%u", tile.dimension);
    uint64_t blocks = b.has_queries ? b.p.heads * attention_tiles(&b.p, tile.queries) : 0;
    return status ? status : launch(p, &b, part, blocks, RECOMPUTE_THREADS, tile.shared_bytes);
}

// ---- 04 and 05 -----------------------------------------------------------------------------------------

typedef struct mma_tile {
    uint32_t dimension, keys, queries, shared_bytes;
} mma_tile;

static kz_status mma_tile_of(const kz_planner *p, uint64_t dimension, mma_tile *tile) {
#define ROW(d, k, q, ...) {d, k, q, BACKWARD_MMA_SHARED_BYTES(d, k, q)},
    static const mma_tile tiles[] = {BACKWARD_MMA_TILES(ROW, )};
#undef ROW
    if (p->c->type == KZ_F32)
        return kz_plan_refuse(p->error,
                              "tensor cores multiply halves; 02_recompute and 03_two_passes do f32");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        if (dimension <= tiles[i].dimension) {
            *tile = tiles[i];
            return KZ_OK;
        }
    return kz_plan_refuse(p->error, "a dimension of %llu: tiles have up to 256; 01_unfused takes any",
                          (unsigned long long)dimension);
}

// Tiles of queries of all heads, with room for what packed sequences leave.
static uint64_t query_tiles(const backward_plan *b, uint64_t queries) {
    const attention_problem *p = &b->p;
    if (!b->has_queries) return 0;
    return p->packed ? p->heads * (p->queries / queries + p->batch + 1)
                     : p->batch * p->heads * kz_ceil_div(p->queries, queries);
}

static kz_status plan_mma(const kz_planner *p) {
    backward_plan b;
    mma_tile tile = {0};
    char part[16];
    kz_status status = mma_tile_of(p, (uint64_t)p->c->axes[ATTENTION_DIMENSION], &tile);
    if (!status) status = begin(p, NULL, &b);
    if (status) return status;
    // dq as mma.cuh has it: 16 queries x 8 columns are 128 floats.
    uint64_t bytes = query_tiles(&b, 16) * kz_ceil_div(b.p.dimension, 8) * 128 * sizeof(float);
    kz_arg sums = reserve(p, bytes + sizeof(float)), dq = b.args[ARG_DQ];
    b.args[ARG_DQ] = sums;
    if (!p->variant->unordered) { // a counter for the blocks, and one for each tile of queries
        uint64_t counters = (1 + query_tiles(&b, tile.queries)) * sizeof(uint32_t);
        b.args[b.count] = reserve(p, counters);
        kz_plan_add_fill(p->plan, b.args[b.count], 0, counters);
    }
    if (bytes) kz_plan_add_fill(p->plan, sums, 0, bytes);
    snprintf(part, sizeof part, "d%u", tile.dimension);
    b.count += !p->variant->unordered;
    status = launch(p, &b, part, key_blocks(&b, tile.keys), BACKWARD_MMA_THREADS, tile.shared_bytes);
    b.count -= !p->variant->unordered;
    b.args[b.count++] = dq;
    return status ? status
                  : launch(p, &b, "convert", kz_ceil_div(b.rows * b.p.dimension, THREADS), THREADS, 0);
}

// ---- 06 to 08 ----------------------------------------------------------------------------------------------------

static bool is_whole(uint64_t elements) { return elements * 2 % 16 == 0; }

// Tensor maps step by multiples of 16 bytes, below 2^40.
static bool fits(const kz_attention_strides *at, uint64_t batch, uint64_t heads, uint64_t tokens) {
    const uint64_t strides[] = {at->token, at->head, at->batch}, counts[] = {tokens, heads, batch};
    for (int i = 0; i < 3; i++)
        if (counts[i] > 1 && (!strides[i] || !is_whole(strides[i]) || strides[i] >= UINT64_C(1) << 39))
            return false;
    return true;
}

static kz_status refuse_maps(const kz_planner *p, const attention_problem *a) {
    uint64_t batch = a->sequences_of_arrays;
    if (a->type == KZ_F32)
        return kz_plan_refuse(p->error,
                              "tensor cores multiply halves; 02_recompute and 03_two_passes do f32");
    if (a->dimension > 128 || !is_whole(a->dimension))
        return kz_plan_refuse(p->error, "a dimension of %llu: multiples of 8 up to 128; 04_mma has up to 256",
                              (unsigned long long)a->dimension);
    if (!a->queries || !a->keys)
        return kz_plan_refuse(p->error, "no queries or no keys: a tensor map has at least one row; 04_mma "
                                        "does it");
    if (!is_whole(p->c->misalign) || !fits(&a->q, batch, a->heads, a->queries) ||
        !fits(&a->kv, batch, a->kv_heads, a->keys) || !fits(&a->out, batch, a->heads, a->queries))
        return kz_plan_refuse(p->error, "tensor maps need addresses and strides that are multiples of 16 "
                                        "bytes; 04_mma takes any");
    if (a->heads > INT32_MAX || batch > INT32_MAX)
        return kz_plan_refuse(p->error, "2^31 heads or sequences; 04_mma takes them");
    return KZ_OK;
}

static kz_arg tensor_of(const kz_planner *p, const attention_problem *a, int buffer,
                        const kz_attention_strides *at, uint64_t heads, uint64_t tokens, uint32_t rows) {
    const uint64_t counts[] = {tokens, heads, a->sequences_of_arrays};
    uint64_t bytes[] = {at->token * 2, at->head * 2, at->batch * 2};
    for (int i = 0; i < 3; i++)
        if (counts[i] == 1) bytes[i] = 16; // nobody steps along it
    kz_tensor tensor = {.size = sizeof tensor,
                        .type = a->type == KZ_F16 ? KZ_TENSOR_F16 : KZ_TENSOR_BF16,
                        .rank = 4,
                        .dims = {a->dimension, tokens, heads, a->sequences_of_arrays},
                        .strides = {2, bytes[0], bytes[1], bytes[2]},
                        .box = {64, rows, 1, 1},
                        .swizzle = KZ_TENSOR_SWIZZLE_128B,
                        .promotion = KZ_TENSOR_PROMOTION_128B};
    return kz_plan_add_map(p->plan, kz_arg_buffer((uint32_t)buffer), &tensor);
}

static kz_status launch_wgmma(const kz_planner *p, const backward_plan *b, const char *part, kz_arg chunks,
                              uint32_t dimension, uint32_t queries, uint32_t slopes) {
    const attention_problem *a = &b->p;
    enum { KV_STRIDES = 22, MASK_STRIDES = 28, SCALARS_END = 19 };
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = 0;
    args[count++] = tensor_of(p, a, Q, &a->q, a->heads, a->queries, queries);
    args[count++] = tensor_of(p, a, K, &a->kv, a->kv_heads, a->keys, BACKWARD_WGMMA_KEYS);
    args[count++] = tensor_of(p, a, V, &a->kv, a->kv_heads, a->keys, BACKWARD_WGMMA_KEYS);
    args[count++] = tensor_of(p, a, b->at.dout, &a->out, a->heads, a->queries, queries);
    args[count++] = chunks;
    for (size_t i = ARG_ROWS + 1; i < SCALARS_END; i++) args[count++] = b->args[i];
    for (size_t i = 0; i < 3; i++) args[count++] = b->args[KV_STRIDES + i];
    for (size_t i = 0; i < 3; i++) args[count++] = b->args[MASK_STRIDES + i];
    args[count] = kz_arg_u64(0);
    if (!p->variant
             ->unordered) { // a counter for the blocks, and one for each warpgroup's part of a tile of queries
        uint64_t counters = (1 + 2 * query_tiles(b, queries)) * sizeof(uint32_t);
        args[count] = reserve(p, counters);
        kz_plan_add_fill(p->plan, args[count], 0, counters);
    }
    count++;
    return KZ_LAUNCH(p, .part = part, .operation = "any", .blocks = key_blocks(b, BACKWARD_WGMMA_KEYS),
                     .threads = BACKWARD_WGMMA_THREADS,
                     .shared_bytes = BACKWARD_WGMMA_SHARED_BYTES(dimension, queries, slopes), .args = args,
                     .arg_count = count);
}

// `slopes`: how many places ds has.
static kz_status plan_wgmma_with(const kz_planner *p, uint32_t slopes) {
    backward_plan b;
    attention_problem a = attention_problem_of(p->c);
    kz_status status = attention_refuse(p);
    if (!status) status = refuse_maps(p, &a);
    if (!status) status = begin(p, NULL, &b);
    if (status || !b.has_queries) return status;
    bool narrow = a.dimension <= 64;
    uint64_t chunks = query_tiles(&b, BACKWARD_WGMMA_CHUNK), slabs = narrow ? 1 : 2;
    uint64_t rows = chunks * BACKWARD_WGMMA_CHUNK, bytes = rows * 64 * slabs * sizeof(float);
    kz_arg dq = b.args[ARG_DQ], sums = reserve(p, bytes);
    kz_arg numbers =
        reserve(p, (rows + BACKWARD_WGMMA_CHUNK) * 2 * sizeof(float)); // a tile may end a chunk later
    kz_plan_add_fill(p->plan, sums, 0, bytes);
    b.args[ARG_DQ] = sums;
    b.args[b.count++] = numbers;
    status = launch(p, &b, "chunks", kz_ceil_div(rows, THREADS), THREADS, 0);
    if (!status)
        status = narrow ? launch_wgmma(p, &b, "d64", numbers, 64, 128, slopes)
                        : launch_wgmma(p, &b, "d128", numbers, 128, 64, slopes);
    b.args[b.count - 1] = dq;
    return status ? status : launch(p, &b, "convert", kz_ceil_div(b.rows * a.dimension, THREADS), THREADS, 0);
}

static kz_status plan_wgmma(const kz_planner *p) { return plan_wgmma_with(p, 1); }
static kz_status plan_overlap(const kz_planner *p) { return plan_wgmma_with(p, 2); }

// ---- the CPU's ladder ------------------------------------------------------------------------------------

static kz_status plan_cpu_naive(const kz_planner *p) {
    backward_plan b;
    if (p->c->type != KZ_F32)
        return kz_plan_refuse(p->error, "loops over floats: %s is left to 11_cpu_blocked, which converts",
                              kz_type_name(p->c->type));
    kz_status status = begin(p, NULL, &b);
    if (status || !(b.has_queries || b.has_keys)) return status;
    b.args[b.count++] = kz_arg_u64(0); // natives take a workspace, which this one needs not
    return launch(p, &b, NULL, 1, 1, 0);
}

// `most`: blocks, each with its own memory, which share the heads of keys.
static kz_status plan_cpu_tiles(const kz_planner *p, const char *idea, uint64_t most) {
    backward_plan b;
    kz_status status = begin(p, idea, &b);
    if (status || !(b.has_queries || b.has_keys)) return status;
    uint64_t blocks = kz_min_u64(b.p.batch * b.p.kv_heads, most);
    b.args[b.count++] = reserve(p, blocks * backward_cpu_bytes(&b.p) + sizeof(float));
    return KZ_LAUNCH(p, .idea = idea, .operation = "any", .blocks = blocks, .threads = 1, .args = b.args,
                     .arg_count = b.count);
}

static kz_status plan_cpu_one_core(const kz_planner *p) { return plan_cpu_tiles(p, NULL, 1); }
static kz_status plan_cpu_threads(const kz_planner *p) {
    return plan_cpu_tiles(p, "cpu_simd", (uint64_t)p->device->multiprocessors);
}

// clang-format off
const kz_variant attention_backward_variants[] = { // the order is the journey
    {"00_native", 0, plan_native, "plain C on all cores", attention_backward_natives},
    {"01_unfused", 75, plan_unfused, "p and ds as matrices, then three products"},
    {"02_recompute", 75, plan_recompute, "p and ds again, tile by tile; dq by atomics", .unordered = true},
    {"03_two_passes", 75, plan_two_passes, "a pass for keys and one for queries, no atomics"},
    {"04_mma", 80, plan_mma, "tensor cores, p and ds as operands in registers", .unordered = true},
    {"05_mma_ordered", 80, plan_mma, "tiles of keys add to dq one after the other"},
    {"06_wgmma", KZ_SM_EXACT(90), plan_wgmma, "wgmma out of shared memory and registers, a producer, bulk additions",
     .unordered = true},
    {"07_wgmma_ordered", KZ_SM_EXACT(90), plan_wgmma, "06 with 05's counters"},
    {"08_overlap", KZ_SM_EXACT(90), plan_overlap, "06 with p under dp, and dq leaving under dk", .unordered = true},
    {"10_cpu_naive", 0, plan_cpu_naive, "the definition on one core", attention_backward_cpu_naive_natives},
    {"11_cpu_blocked", 0, plan_cpu_one_core, "tiles that stay in L2", attention_backward_cpu_blocked_natives},
    {"12_cpu_simd", 0, plan_cpu_one_core, "tiles of sums in vector registers, eight powers at a time",
     attention_backward_cpu_simd_natives},
    {"13_cpu_threads", 0, plan_cpu_threads, "the same on all cores", attention_backward_cpu_simd_natives},
};
// clang-format on
_Static_assert(sizeof attention_backward_variants / sizeof *attention_backward_variants ==
                   ATTENTION_BACKWARD_VARIANTS,
               "private.h counts them");

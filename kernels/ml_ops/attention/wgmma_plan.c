// Plans of the kernels made of wgmma.cuh: tensor maps, launches, and what these kernels do not take.
#include "private.h"

#include "tune.h"
#include "wgmma_shape.h"

// What kernels may differ for: whether all queries of a sequence see the same keys.
enum { EVEN = 1, UNEVEN = 2, ADDED = 4, INTERVALS = EVEN | UNEVEN };

// A kernel, as its file has it: the dimension up to which it goes, keys of a tile, consumers, stages.
typedef struct frame {
    uint32_t dimension, keys, consumers, stages;
    const char *operation; // in its name
    uint32_t serves;       // kinds of masks
    uint32_t q_stages;     // 0: one
    uint32_t from;         // keys of a sequence from which on it is worth it
} frame;

// ---- what is refused -------------------------------------------------------------------------------------------

static bool is_whole(uint64_t elements) { return elements * 2 % 16 == 0; }

static bool fits(const kz_attention_strides *at, uint64_t batch, uint64_t heads, uint64_t tokens) {
    const uint64_t most = UINT64_C(1) << 39; // elements of 2 bytes: a stride has 40 bits
    const uint64_t strides[] = {at->token, at->head, at->batch}, counts[] = {tokens, heads, batch};
    for (int i = 0; i < 3; i++)
        if (counts[i] > 1 && (!strides[i] || !is_whole(strides[i]) || strides[i] >= most)) return false;
    return true;
}

static kz_status refuse(const kz_planner *p, const attention_problem *a) {
    if (a->type == KZ_F32) return kz_plan_refuse(p->error, "tensor cores round f32: 01 and 02 do it");
    if (a->dimension > 256 || a->dimension % 8 != 0)
        return kz_plan_refuse(p->error, "%llu elements of a head: multiples of 8 up to 256",
                              (unsigned long long)a->dimension);
    if (a->keys == 0) return kz_plan_refuse(p->error, "no keys: a tensor map has at least one row");
    if (a->scale <= 0.0 && a->operation != KZ_ATTENTION_ADDITIVE)
        return kz_plan_refuse(p->error, "a scale of %g: the largest score is looked for before it is scaled",
                              a->scale);
    uint64_t batch = a->sequences_of_arrays;
    if (!is_whole(p->c->misalign) || !fits(&a->q, batch, a->heads, a->queries) ||
        !fits(&a->kv, batch, a->kv_heads, a->keys) || !fits(&a->out, batch, a->heads, a->queries))
        return kz_plan_refuse(p->error,
                              "tensor maps need addresses and strides that are multiples of 16 bytes");
    if (batch > INT32_MAX || a->heads > INT32_MAX ||
        attention_tiles(a, ATTENTION_ROWS) * a->heads > INT32_MAX)
        return kz_plan_refuse(p->error, "more than 2^31 tiles of queries");
    return KZ_OK;
}

// ---- tensor maps -----------------------------------------------------------------------------------------------

// A stride that nobody steps along may be anything but 0.
static uint64_t stride(uint64_t elements, uint64_t count) { return count > 1 ? elements * 2 : 16; }

static kz_arg map(const kz_planner *p, const attention_problem *a, int buffer, const kz_attention_strides *at,
                  uint64_t heads, uint64_t tokens, uint32_t rows, bool reads) {
    uint64_t batch = a->sequences_of_arrays;
    kz_tensor tensor = {
        .size = sizeof tensor,
        .type = a->type == KZ_F16 ? KZ_TENSOR_F16 : KZ_TENSOR_BF16,
        .rank = 4,
        .dims = {a->dimension, tokens, heads, batch},
        .strides = {2, stride(at->token, tokens), stride(at->head, heads), stride(at->batch, batch)},
        .box = {ATTENTION_SLAB, rows, 1, 1},
        .swizzle = KZ_TENSOR_SWIZZLE_128B,
        .promotion = reads ? KZ_TENSOR_PROMOTION_128B : KZ_TENSOR_PROMOTION_NONE};
    return kz_plan_add_map(p->plan, kz_arg_buffer((uint32_t)buffer), &tensor);
}

// ---- launches --------------------------------------------------------------------------------------------------

enum { SCALARS = 13 }; // of attention_args: from out to reach

static size_t arguments(const kz_planner *p, const attention_problem *a, const frame *f,
                        kz_arg args[KZ_PLAN_ARGS]) {
    kz_buffer list[KZ_FAMILY_BUFFERS];
    kz_arg all[KZ_PLAN_ARGS];
    size_t buffer_count, count = 0;
    attention_arrays at = attention_list(a, list, &buffer_count);
    attention_args(a, &at, all);
    args[count++] = map(p, a, at.q, &a->q, a->heads, a->queries, ATTENTION_ROWS, true);
    args[count++] = map(p, a, at.k, &a->kv, a->kv_heads, a->keys, f->keys, true);
    args[count++] = map(p, a, at.v, &a->kv, a->kv_heads, a->keys, f->keys, true);
    args[count++] = map(p, a, at.out, &a->out, a->heads, a->queries, ATTENTION_ROWS, false);
    for (size_t i = 3; i < 3 + SCALARS; i++) args[count++] = all[i];
    for (size_t i = 22; i < 28; i++) args[count++] = all[i]; // strides of out and of the mask
    return count;
}

// The first of `frames`, which end with an empty one, that has so many elements and the mask. Packed sequences are as long as their mean:
// more is not known here.
static const frame *frame_of(const attention_problem *a, const frame *frames) {
    uint64_t keys = a->packed ? a->keys / a->batch : a->keys;
    uint32_t mask = a->operation == KZ_ATTENTION_ADDITIVE ? ADDED : a->reach ? UNEVEN : EVEN;
    for (const frame *f = frames; f->dimension; f++)
        if (a->dimension <= f->dimension && f->serves & mask && keys >= f->from) return f;
    return NULL;
}

static kz_status plan(const kz_planner *p, const frame *frames, bool persistent) {
    kz_status status = attention_refuse(p);
    attention_problem a = attention_problem_of(p->c);
    if (status || !a.batch || !a.heads || !a.queries || !a.dimension) return status;
    if ((status = refuse(p, &a))) return status;
    const frame *f = frame_of(&a, frames);
    if (!f)
        return kz_plan_refuse(
            p->error, "this rung has up to 128 elements of a head and no added mask; 05 and 09 have all");
    bool alone = f->consumers == 1;
    uint64_t columns = a.packed ? a.heads : a.heads * a.batch;
    uint64_t blocks = attention_tiles(&a, (uint64_t)f->consumers * ATTENTION_ROWS) * a.heads,
             tiles = blocks / columns, section = columns;
    if (persistent) {
        uint64_t group = a.heads / a.kv_heads, bytes = a.keys * a.dimension * 4;
        section = kz_min_u64(columns, group * (bytes < ATTENTION_SECTION ? ATTENTION_SECTION / bytes : 1));
        blocks = kz_min_u64(blocks, (uint64_t)p->device->multiprocessors);
    }
    kz_arg args[KZ_PLAN_ARGS];
    size_t count = arguments(p, &a, f, args);
    args[count++] = kz_arg_u64(tiles);
    args[count++] = kz_arg_u64(columns);
    args[count++] = kz_arg_u64(section);
    return KZ_LAUNCH(p, .operation = f->operation, .blocks = blocks, .threads = 128 * (f->consumers + !alone),
                     .overlap = !alone,
                     .shared_bytes = (uint32_t)ATTENTION_SHARED(f->dimension, f->keys, f->consumers,
                                                                f->stages, f->q_stages + !f->q_stages),
                     .args = args, .arg_count = count);
}

kz_status attention_plan_wgmma(const kz_planner *p) {
    static const frame frames[] = {{64, ATTENTION_SINGLE_KEYS_64, 1, 1, "d64", INTERVALS},
                                   {96, ATTENTION_SINGLE_KEYS, 1, 1, "d96", INTERVALS},
                                   {128, ATTENTION_SINGLE_KEYS, 1, 1, "d128", INTERVALS},
                                   {256, ATTENTION_SINGLE_KEYS, 1, 1, "d256", INTERVALS},
                                   {64, ATTENTION_SINGLE_KEYS_64, 1, 1, "additive_d64", ADDED},
                                   {128, ATTENTION_SINGLE_KEYS, 1, 1, "additive_d128", ADDED},
                                   {256, ATTENTION_SINGLE_KEYS, 1, 1, "additive_d256", ADDED},
                                   {0}};
    return plan(p, frames, false);
}

kz_status attention_plan_warp_specialized(const kz_planner *p) {
    static const frame frames[] = {{64, ATTENTION_PAIR_KEYS, 2, ATTENTION_STAGES, "d64", INTERVALS},
                                   {128, ATTENTION_PAIR_KEYS, 2, ATTENTION_STAGES, "d128", INTERVALS},
                                   {0}};
    return plan(p, frames, false);
}

kz_status attention_plan_ping_pong(const kz_planner *p) {
    static const frame frames[] = {
        {64, ATTENTION_KEYS_64, ATTENTION_CONSUMERS_64, ATTENTION_STAGES, "d64", INTERVALS},
        {128, ATTENTION_KEYS_128, 2, ATTENTION_STAGES, "d128", INTERVALS},
        {0}};
    return plan(p, frames, false);
}

kz_status attention_plan_persistent(const kz_planner *p) {
    static const frame frames[] = {
        {64, ATTENTION_KEYS_64, ATTENTION_CONSUMERS_64, ATTENTION_STAGES, "d64", INTERVALS, 2},
        {96, ATTENTION_KEYS_96, 2, ATTENTION_STAGES, "d96", INTERVALS, 2},
        {128, ATTENTION_FULL_KEYS_128, 2, ATTENTION_STAGES, "d128", EVEN, 1, ATTENTION_FULL_FROM_128},
        {128, ATTENTION_KEYS_128, 2, ATTENTION_STAGES, "causal_d128", INTERVALS, 2},
        {256, ATTENTION_KEYS_256, 2, ATTENTION_STAGES, "d256", INTERVALS},
        {64, ATTENTION_KEYS_64, 2, ATTENTION_STAGES, "additive_d64", ADDED, 2},
        {128, ATTENTION_KEYS_128, 2, ATTENTION_STAGES, "additive_d128", ADDED, 2},
        {256, ATTENTION_KEYS_256, 2, ATTENTION_STAGES, "additive_d256", ADDED},
        {0}};
    return plan(p, frames, true);
}

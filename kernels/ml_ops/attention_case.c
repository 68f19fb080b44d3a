// See attention_case.h.
#include "attention_case.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_WINDOW = 1024 };
static const uint64_t FAR = UINT64_C(1) << 62; // a reach that ends at no key

static bool is_unset(const kz_attention_strides *at) { return !at->token && !at->head && !at->batch; }

static bool is_packed(uint32_t operation) {
    return operation == KZ_ATTENTION_PACKED || operation == KZ_ATTENTION_PACKED_CAUSAL;
}

static kz_attention_strides strides(kz_attention_strides at, bool packed, uint64_t heads, uint64_t tokens,
                                    uint64_t d) {
    if (is_unset(&at))
        at = packed ? (kz_attention_strides){heads * d, d, 0}
                    : (kz_attention_strides){d, tokens * d, heads * tokens * d};
    if (packed) at.batch = 0;
    return at;
}

static uint64_t reach_of(uint32_t operation, uint64_t window, uint64_t keys) {
    window = kz_min_u64(window, FAR);
    switch (operation) {
    case KZ_ATTENTION_CAUSAL: return FAR;
    case KZ_ATTENTION_WINDOW:
        return window ? window : kz_min_u64((keys + 1) / 2, DEFAULT_WINDOW) + (keys == 0);
    case KZ_ATTENTION_PACKED_CAUSAL: return window ? window : FAR;
    default: return 0;
    }
}

attention_problem attention_problem_of(const kz_case *c) {
    static const attention_detail none;
    const attention_detail *detail = c->detail ? c->detail : &none;
    attention_problem p = {.operation = c->operation,
                           .type = c->type,
                           .batch = (uint64_t)c->axes[ATTENTION_BATCH],
                           .heads = (uint64_t)c->axes[ATTENTION_HEADS],
                           .kv_heads = (uint64_t)c->axes[ATTENTION_KV_HEADS],
                           .queries = (uint64_t)c->axes[ATTENTION_QUERIES],
                           .keys = (uint64_t)c->axes[ATTENTION_KEYS],
                           .dimension = (uint64_t)c->axes[ATTENTION_DIMENSION],
                           .lse = detail->lse,
                           .packed = is_packed(c->operation)};
    p.sequences_of_arrays = p.packed ? 1 : p.batch;
    float scale = detail->scale;
    if (scale == 0.0f) scale = p.dimension ? (float)(1.0 / sqrt((double)p.dimension)) : 1.0f;
    p.scale = (double)scale;
    p.reach = reach_of(c->operation, detail->window, p.keys);
    p.q = strides(detail->q, p.packed, p.heads, p.queries, p.dimension);
    p.kv = strides(detail->kv, p.packed, p.kv_heads, p.keys, p.dimension);
    p.out = strides(detail->out, p.packed, p.heads, p.queries, p.dimension);
    p.mask = detail->mask;
    if (is_unset(&p.mask)) p.mask = (kz_attention_strides){p.keys, 0, p.queries * p.keys};
    return p;
}

bool attention_is_dense(const kz_case *c) {
    const attention_detail *d = c->detail;
    return !d || (is_unset(&d->q) && is_unset(&d->kv) && is_unset(&d->out) && is_unset(&d->mask));
}

kz_status attention_refuse(const kz_planner *planner) {
    attention_problem p = attention_problem_of(planner->c);
    if (p.kv_heads ? p.heads % p.kv_heads : p.heads)
        return kz_plan_refuse(planner->error,
                              "%llu heads cannot share %llu heads of keys evenly: kv_heads must divide heads",
                              (unsigned long long)p.heads, (unsigned long long)p.kv_heads);
    if (p.queries >= 1u << 31 || p.keys >= 1u << 31)
        return kz_plan_refuse(planner->error, "%llu queries and %llu keys: a sequence has less than 2^31",
                              (unsigned long long)p.queries, (unsigned long long)p.keys);
    return KZ_OK;
}

attention_detail attention_detail_of(const kz_attention_shape *shape) {
    return (attention_detail){.scale = shape->scale,
                              .window = shape->window,
                              .q = shape->q,
                              .kv = shape->kv,
                              .out = shape->out,
                              .mask = shape->mask,
                              .lse = shape->lse};
}

kz_status attention_case_of(const kz_attention_shape *shape, kz_attention_operation which, kz_type type,
                            const char *call, attention_detail *detail, kz_case *c, kz_error *error) {
    if (!shape)
        return kz_fail(error, KZ_INVALID,
                       "%s: the shape is NULL\nfill a kz_attention_shape with its size, batch, heads, "
                       "kv_heads, queries, keys and dimension",
                       call);
    if (shape->size != sizeof *shape)
        return kz_fail(error, KZ_INVALID,
                       "%s: the size in kz_attention_shape is %zu, and this library's is %zu\nset it: "
                       "kz_attention_shape shape = {.size = sizeof shape}",
                       call, shape->size, sizeof *shape);
    if (which == KZ_ATTENTION_WINDOW && shape->window == 0)
        return kz_fail(error, KZ_INVALID,
                       "%s: a window of 0 keys\nset .window to how many keys a query sees, or open "
                       "KZ_ATTENTION_CAUSAL for all of them",
                       call);
    if (which != KZ_ATTENTION_WINDOW && which != KZ_ATTENTION_PACKED_CAUSAL && shape->window)
        return kz_fail(error, KZ_INVALID,
                       "%s: a window of %zu keys, which this operation has not\nset .window to 0, or open "
                       "KZ_ATTENTION_WINDOW or KZ_ATTENTION_PACKED_CAUSAL",
                       call, shape->window);
    if (shape->scale != shape->scale || isinf(shape->scale))
        return kz_fail(error, KZ_INVALID,
                       "%s: the scale is %g\nset .scale to a number, or to 0 for 1 / sqrt(dimension)", call,
                       (double)shape->scale);
    *detail = attention_detail_of(shape);
    *c = (kz_case){.operation = which,
                   .type = type,
                   .axes = {(int64_t)shape->batch, (int64_t)shape->heads, (int64_t)shape->kv_heads,
                            (int64_t)shape->queries, (int64_t)shape->keys, (int64_t)shape->dimension},
                   .detail = detail};
    return KZ_OK;
}

uint64_t attention_extent(const attention_problem *p, const kz_attention_strides *at, uint64_t heads,
                          uint64_t tokens) {
    uint64_t batch = p->sequences_of_arrays;
    if (!batch || !p->batch || !heads || !tokens || !p->dimension) return 0;
    return attention_row(at, batch - 1, heads - 1, tokens - 1) + p->dimension;
}

uint64_t attention_lse_count(const attention_problem *p) {
    return (p->batch ? p->sequences_of_arrays : 0) * p->heads * p->queries;
}

// ---- sequences and what queries see ---------------------------------------------------------------------------------

static uint64_t clamp(int64_t at, uint64_t most) { return at < 0 ? 0 : kz_min_u64((uint64_t)at, most); }

attention_sequence attention_sequence_of(const attention_problem *p, const int32_t *query_offsets,
                                         const int32_t *key_offsets, uint64_t b) {
    attention_sequence s = {0, p->queries, 0, p->keys};
    if (p->packed) {
        s.query = clamp(query_offsets[b], p->queries);
        s.key = clamp(key_offsets[b], p->keys);
        uint64_t query_end = clamp(query_offsets[b + 1], p->queries),
                 key_end = clamp(key_offsets[b + 1], p->keys);
        s.queries = query_end > s.query ? query_end - s.query : 0;
        s.keys = key_end > s.key ? key_end - s.key : 0;
    } else if (p->operation == KZ_ATTENTION_PADDED)
        s.keys = clamp(key_offsets[b], p->keys);
    return s;
}

attention_span attention_span_of(const attention_problem *p, const attention_sequence *s, uint64_t query) {
    if (p->reach == 0) return (attention_span){0, s->keys};
    uint64_t end = query + 1 + s->keys;
    if (end <= s->queries) return (attention_span){0, 0};
    end = kz_min_u64(end - s->queries, s->keys);
    uint64_t seen = kz_min_u64(p->reach, end);
    return (attention_span){end - seen, end};
}

uint64_t attention_lse_index(const attention_problem *p, uint64_t b, uint64_t head, uint64_t query) {
    return ((p->packed ? 0 : b * p->heads) + head) * p->queries + query;
}

// Of `queries` and `keys` of one sequence.
static double pairs_of(double queries, double keys, double reach) {
    if (reach == 0.0) return queries * keys;
    double seeing = fmin(queries, keys), all = seeing * keys - seeing * (seeing - 1.0) / 2.0;
    double beyond =
        fmax(keys - reach, 0.0); // keys that the last query no longer sees; one less for each before it
    double rows = fmin(seeing, beyond);
    return all - (rows * beyond - rows * (rows - 1.0) / 2.0);
}

double attention_pairs(const attention_problem *p) {
    double batch = (double)p->batch, queries = (double)p->queries, keys = (double)p->keys,
           reach = (double)p->reach;
    if (batch == 0.0) return 0.0;
    if (p->packed) queries /= batch, keys /= batch;
    return batch * pairs_of(queries, keys, reach);
}

// ---- buffers -----------------------------------------------------------------------------------------------------------

attention_inputs attention_add_inputs(const attention_problem *p, kz_buffer list[KZ_FAMILY_BUFFERS],
                                      size_t *count) {
    attention_inputs at = {-1, -1, -1};
    if (p->packed) {
        list[at.query_offsets = (int)(*count)++] =
            (kz_buffer){"query_offsets", KZ_INPUT, KZ_I32, p->batch + 1};
        list[at.key_offsets = (int)(*count)++] = (kz_buffer){"key_offsets", KZ_INPUT, KZ_I32, p->batch + 1};
    }
    if (p->operation == KZ_ATTENTION_PADDED)
        list[at.key_offsets = (int)(*count)++] = (kz_buffer){"key_lengths", KZ_INPUT, KZ_I32, p->batch};
    if (p->operation == KZ_ATTENTION_ADDITIVE) {
        uint64_t elements = 0;
        if (p->batch && p->heads && p->queries && p->keys)
            elements = attention_row(&p->mask, p->batch - 1, p->heads - 1, p->queries - 1) + p->keys;
        list[at.mask = (int)(*count)++] = (kz_buffer){"mask", KZ_INPUT, p->type, elements};
    }
    return at;
}

static double unit(uint64_t seed, uint32_t which, uint64_t index) {
    return (double)(kz_draw(seed, which, index) >> 11) * 0x1p-53;
}

// Sequences of lengths between 0 and twice the mean; queries and keys are cut at the same shares.
static int32_t offset(uint64_t seed, uint64_t b, uint64_t batch, uint64_t total) {
    if (b == 0) return 0;
    if (b >= batch) return (int32_t)total;
    double at = (double)total * ((double)b + unit(seed, 90, b) - 0.5) / (double)batch;
    return (int32_t)(at + 0.5);
}

// The first sequence is whole, the second one empty.
static int32_t length(uint64_t seed, uint64_t b, uint64_t keys) {
    return b == 0 ? (int32_t)keys : b == 1 ? 0 : (int32_t)(unit(seed, 91, b) * ((double)keys + 1.0));
}

bool attention_fill_input(const kz_case *c, const char *name, uint64_t seed, uint64_t first, uint64_t count,
                          void *host) {
    attention_problem p = attention_problem_of(c);
    bool queries = strcmp(name, "query_offsets") == 0, keys = strcmp(name, "key_offsets") == 0;
    if (queries || keys)
        for (uint64_t i = 0; i < count; i++)
            ((int32_t *)host)[i] = offset(seed, first + i, p.batch, queries ? p.queries : p.keys);
    else if (strcmp(name, "key_lengths") == 0)
        for (uint64_t i = 0; i < count; i++) ((int32_t *)host)[i] = length(seed, first + i, p.keys);
    else if (strcmp(name, "mask") == 0)
        for (uint64_t i = 0; i < count; i++) { // a quarter is hidden, and every seventh row whole
            double x = unit(seed, 92, first + i);
            bool hidden = x < 0.25 || (p.keys && (first + i) / p.keys % 7 == 5);
            kz_element_set(p.type, host, i, hidden ? (double)-INFINITY : 4.0 * x - 2.5);
        }
    else
        return false;
    return true;
}

void attention_fill_wide(const kz_case *c, size_t which, uint64_t seed, uint64_t first, uint64_t count,
                         void *host) {
    uint64_t dimension = (uint64_t)c->axes[ATTENTION_DIMENSION];
    for (uint64_t i = 0; i < count; i++) {
        bool near = which == 0 && dimension && (first + i) / dimension % 2;
        kz_element_set(c->type, host, i,
                       (near ? 0.5 : 16.0) * (unit(seed, (uint32_t)which, first + i) - 0.5));
    }
}

// ---- plans ----------------------------------------------------------------------------------------------------------------

static kz_arg buffer_or_null(int index) { return index < 0 ? kz_arg_u64(0) : kz_arg_buffer((uint32_t)index); }

size_t attention_args(const attention_problem *p, const attention_arrays *at, kz_arg args[KZ_PLAN_ARGS]) {
    const int arrays[] = {
        at->q,          at->k, at->v, at->out, at->lse, at->inputs.query_offsets, at->inputs.key_offsets,
        at->inputs.mask};
    const uint64_t sizes[] = {p->batch, p->heads, p->kv_heads, p->queries, p->keys, p->dimension};
    const kz_attention_strides *strides_of[] = {&p->q, &p->kv, &p->out, &p->mask};
    size_t count = 0;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) args[count++] = buffer_or_null(arrays[i]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) args[count++] = kz_arg_u64(sizes[i]);
    args[count++] = kz_arg_f32((float)p->scale);
    args[count++] = kz_arg_u64(p->reach);
    for (size_t i = 0; i < sizeof strides_of / sizeof *strides_of; i++) {
        args[count++] = kz_arg_u64(strides_of[i]->token);
        args[count++] = kz_arg_u64(strides_of[i]->head);
        args[count++] = kz_arg_u64(strides_of[i]->batch);
    }
    return count;
}

uint64_t attention_tiles(const attention_problem *p, uint64_t rows) {
    if (p->packed) return p->queries ? p->queries / rows + p->batch : 0;
    return p->batch * kz_ceil_div(p->queries, rows);
}

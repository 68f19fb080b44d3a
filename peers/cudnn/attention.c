// See attention.h. The patterns are those that cuDNN's fused engines serve, as its open frontend builds them.
#include "peers/cudnn/attention.h"

#include <math.h>
#include <stdlib.h>

#include "peers/cudnn/driver.h"
#include "peers/cudnn/problem.h"

enum { BATCH, HEADS, KV_HEADS, QUERIES, KEYS, DIMENSION }; // axes[]

static bool sees_some(const kz_peer_problem *p) { return is(p, "causal") || is(p, "window"); }

// A decoder's cache, of which each sequence uses its length.
static bool decodes(const kz_peer_problem *p) { return strcmp(p->family, "attention_decode") == 0; }

static bool is_paged(const kz_peer_problem *p) { return decodes(p) && is(p, "paged"); }

// The last arguments: 1 / sqrt(dimension) unless the case has another; how many keys up to its own a query sees, or of pages
// how many tokens each has and how many there are.
static float scale_of(const kz_peer_problem *p) {
    float scale;
    size_t after = is_paged(p) ? 2 : decodes(p) ? 0 : 1;
    memcpy(&scale, &p->args[p->arg_count - 1 - after].scalar, sizeof scale);
    return scale;
}
static uint64_t reach_of(const kz_peer_problem *p) { return p->args[p->arg_count - 1].scalar; }

// Buffers of a case, which are its first arguments; the last of them is the log-sum-exps where those are asked for.
static size_t buffers_of(const kz_peer_problem *p) {
    size_t count = 0;
    while (count < p->arg_count && p->args[count].kind == KZ_ARG_BUFFER) count++;
    return count;
}

static void *compare(graph *g, int mode, void *x, void *b, const int64_t *all) {
    void *result = graph_virtual(g, TYPE_BOOLEAN, 4, all);
    graph_pointwise_of(g, mode, TYPE_BOOLEAN, x, b, result);
    return result;
}

static void *add_whole(graph *g, void *x, int64_t value, const int64_t *all) {
    void *result = graph_virtual(g, TYPE_I32, 4, all);
    graph_pointwise_of(g, POINTWISE_ADD, TYPE_I32, x, graph_whole(g, (int32_t)value, 4), result);
    return result;
}

// Scores where `seen`, and -infinity elsewhere.
static void *choose(graph *g, void *scores, void *seen, const int64_t *all) {
    void *masked = graph_virtual(g, TYPE_F32, 4, all);
    graph_pointwise(g, POINTWISE_BINARY_SELECT, scores, graph_value(g, -INFINITY, 4), seen, masked);
    return masked;
}

static void *index_of(graph *g, void *scores, int64_t axis, const int64_t *all) {
    void *index = graph_virtual(g, TYPE_I32, 4, all);
    graph_index(g, axis, scores, index);
    return index;
}

// The last query sees the last key. Indices are made for each comparison: that is the pattern which its engines look for.
static void *mask_later(graph *g, const kz_peer_problem *p, void *scores, const int64_t *all) {
    int64_t after = p->axes[KEYS] - p->axes[QUERIES];
    void *query = index_of(g, scores, 2, all), *key = index_of(g, scores, 3, all);
    if (after) query = add_whole(g, query, after, all);
    return choose(g, scores, compare(g, POINTWISE_CMP_GE, query, key, all), all);
}

// Keys that are too far before a query.
static void *mask_earlier(graph *g, const kz_peer_problem *p, void *scores, const int64_t *all) {
    int64_t after = p->axes[KEYS] - p->axes[QUERIES];
    void *query = index_of(g, scores, 2, all), *key = index_of(g, scores, 3, all);
    query = add_whole(g, query, after - (int64_t)reach_of(p), all);
    return choose(g, scores, compare(g, POINTWISE_CMP_GT, key, query, all), all);
}

// How many tokens of each sequence count: all its queries, and keys as the case's lengths say. NULL where all do.
typedef struct lengths {
    void *queries, *keys;
} lengths;

static lengths lengths_of(graph *g, const kz_peer_problem *p) {
    const int64_t each[] = {p->axes[BATCH], 1, 1, 1};
    if (!attention_has_lengths(p)) return (lengths){NULL, NULL};
    return (lengths){graph_packed(g, TYPE_I32, 4, each), graph_buffer(g, 3, TYPE_I32, 4, each)};
}

static void *mask_padding(graph *g, lengths n, void *scores, const int64_t *all) {
    void *query = compare(g, POINTWISE_CMP_LT, index_of(g, scores, 2, all), n.queries, all);
    void *key = compare(g, POINTWISE_CMP_LT, index_of(g, scores, 3, all), n.keys, all);
    return choose(g, scores, compare(g, POINTWISE_AND, query, key, all), all);
}

static void *mask(graph *g, const kz_peer_problem *p, lengths n, void *scores, const int64_t *all) {
    if (n.keys) scores = mask_padding(g, n, scores, all);
    if (!sees_some(p)) return scores;
    scores = mask_later(g, p, scores, all);
    return reach_of(p) < (uint64_t)p->axes[KEYS] ? mask_earlier(g, p, scores, all) : scores;
}

static void *add_mask(graph *g, const kz_peer_problem *p, void *scores, const int64_t *all) {
    const int64_t for_all_heads[] = {p->axes[BATCH], 1, p->axes[QUERIES], p->axes[KEYS]};
    void *masked = graph_virtual(g, TYPE_F32, 4, all);
    graph_pointwise(g, POINTWISE_ADD, scores, graph_buffer(g, 3, type_of(p), 4, for_all_heads), NULL, masked);
    return masked;
}

// Of each row. Its engines look for the logarithm of the sum too, which training wants, whoever reads it.
static void soften(graph *g, void *scores, const int64_t *all, void *lse, void *weights) {
    const int64_t per_row[] = {all[0], all[1], all[2], 1};
    void *most = graph_virtual(g, TYPE_F32, 4, per_row), *less = graph_virtual(g, TYPE_F32, 4, all);
    void *power = graph_virtual(g, TYPE_F32, 4, all), *sum = graph_virtual(g, TYPE_F32, 4, per_row);
    void *logarithm = graph_virtual(g, TYPE_F32, 4, per_row);
    graph_reduce(g, REDUCE_MAX, scores, most);
    graph_pointwise(g, POINTWISE_SUB, scores, most, NULL, less);
    graph_pointwise(g, POINTWISE_EXP, less, NULL, NULL, power);
    graph_reduce(g, REDUCE_ADD, power, sum);
    graph_pointwise(g, POINTWISE_LOG, sum, NULL, NULL, logarithm);
    graph_pointwise(g, POINTWISE_ADD, most, logarithm, NULL, lse);
    graph_pointwise(g, POINTWISE_DIV, power, sum, NULL, weights);
}

// k, turned, and v, as they lie or out of pages: page x token x head x dimension.
static void keys_and_values(graph *g, const kz_peer_problem *p, lengths n, void **k, void **v) {
    int64_t batch = p->axes[BATCH], heads = p->axes[KV_HEADS], keys = p->axes[KEYS], d = p->axes[DIMENSION];
    const int64_t of_k[] = {batch, heads, d, keys}, of_v[] = {batch, heads, keys, d};
    if (!is_paged(p)) {
        *k = graph_buffer_transposed(g, 1, type_of(p), 4, of_k);
        *v = graph_buffer(g, 2, type_of(p), 4, of_v);
        return;
    }
    int64_t page = (int64_t)p->args[p->arg_count - 2].scalar,
            pages = (int64_t)p->args[p->arg_count - 1].scalar;
    const int64_t pool[] = {pages, heads, page, d}, strides[] = {page * heads * d, d, heads * d, 1};
    void *table = graph_buffer(g, 4, TYPE_I32, 4, (const int64_t[]){batch, 1, (keys + page - 1) / page, 1});
    *k = graph_virtual_transposed(g, type_of(p), 4, of_k);
    *v = graph_virtual(g, type_of(p), 4, of_v);
    graph_paged_load(g, graph_buffer_at(g, 1, type_of(p), 4, pool, strides), n.keys, table, *k);
    graph_paged_load(g, graph_buffer_at(g, 2, type_of(p), 4, pool, strides), n.keys, table, *v);
}

// The graph that cuDNN's fused attention serves: product, scale, mask, softmax, product. Heads of k and v are shared evenly.
void attention_forward(graph *g, const kz_peer_problem *p) {
    int64_t batch = p->axes[BATCH], heads = p->axes[HEADS], queries = p->axes[QUERIES];
    int type = type_of(p);
    bool bias = is(p, "additive");
    size_t count = buffers_of(p), at_out = 3 + (bias || attention_has_lengths(p)) + is_paged(p);
    const int64_t of_q[] = {batch, heads, queries, p->axes[DIMENSION]},
                  all[] = {batch, heads, queries, p->axes[KEYS]}, per_row[] = {batch, heads, queries, 1};
    void *q = graph_buffer(g, 0, type, 4, of_q), *out = graph_buffer(g, at_out, type, 4, of_q), *k, *v;
    lengths n = lengths_of(g, p);
    keys_and_values(g, p, n, &k, &v);
    void *lse = count > at_out + 1 ? graph_buffer(g, at_out + 1, TYPE_F32, 4, per_row)
                                   : graph_virtual(g, TYPE_F32, 4, per_row);
    void *product = graph_virtual(g, TYPE_F32, 4, all), *scores = graph_virtual(g, TYPE_F32, 4, all);
    graph_multiply_part(g, q, k, product, (graph_sizes){n.queries, n.keys, NULL});
    graph_pointwise(g, POINTWISE_MUL, product, graph_value(g, scale_of(p), 4), NULL, scores);
    scores = bias ? add_mask(g, p, scores, all) : mask(g, p, n, scores, all);
    void *weights = graph_virtual(g, type, 4, all);
    soften(g, scores, all, lse, weights);
    graph_multiply_part(g, weights, v, out, (graph_sizes){n.queries, NULL, n.keys});
}

// Of all heads' gradients of k or v; where heads share them, a sum over each group.
static void add_groups(graph *g, void *transposed, void *x, void *to, const kz_peer_problem *p, lengths n) {
    const int64_t of_heads[] = {p->axes[BATCH], p->axes[HEADS], p->axes[KEYS], p->axes[DIMENSION]};
    if (p->axes[HEADS] == p->axes[KV_HEADS]) {
        graph_multiply_part(g, transposed, x, to, (graph_sizes){n.keys, NULL, n.queries});
        return;
    }
    void *each = graph_virtual(g, type_of(p), 4, of_heads);
    graph_multiply_part(g, transposed, x, each, (graph_sizes){n.keys, NULL, n.queries});
    graph_reduce(g, REDUCE_ADD, each, to);
}

// q, k, v, what the mask needs, out, dout, lse, dq, dk, dv. The rows' sums of dout out and the sums of dq lie in memory, in float.
void attention_backward(graph *g, const kz_peer_problem *p) {
    int64_t batch = p->axes[BATCH], heads = p->axes[HEADS], kv_heads = p->axes[KV_HEADS];
    int64_t queries = p->axes[QUERIES], keys = p->axes[KEYS], d = p->axes[DIMENSION];
    int type = type_of(p);
    size_t at = 3 + (is(p, "additive") || attention_has_lengths(p));
    lengths n = lengths_of(g, p);
    const int64_t of_q[] = {batch, heads, queries, d}, of_k[] = {batch, kv_heads, keys, d},
                  turned_k[] = {batch, kv_heads, d, keys}, all[] = {batch, heads, queries, keys},
                  turned[] = {batch, heads, keys, queries}, per_row[] = {batch, heads, queries, 1};
    void *q = graph_buffer(g, 0, type, 4, of_q), *k = graph_buffer_transposed(g, 1, type, 4, turned_k),
         *v = graph_buffer_transposed(g, 2, type, 4, turned_k), *out = graph_buffer(g, at, type, 4, of_q),
         *dout = graph_buffer(g, at + 1, type, 4, of_q), *lse = graph_buffer(g, at + 2, TYPE_F32, 4, per_row);
    void *scale = graph_value(g, scale_of(p), 4);

    void *products = graph_virtual(g, TYPE_F32, 4, of_q), *sums = graph_virtual(g, TYPE_F32, 4, per_row),
         *delta = graph_scratch(g, 4, per_row);
    graph_pointwise(g, POINTWISE_MUL, dout, out, NULL, products);
    graph_reduce(g, REDUCE_ADD, products, sums);
    graph_pointwise(g, POINTWISE_MUL, sums, graph_value(g, 1.0f, 4), NULL,
                    delta); // dropout's factor has its place here

    void *product = graph_virtual(g, TYPE_F32, 4, all), *scores = graph_virtual(g, TYPE_F32, 4, all);
    graph_multiply_part(g, q, k, product, (graph_sizes){n.queries, n.keys, NULL});
    graph_pointwise(g, POINTWISE_MUL, product, scale, NULL, scores);
    if (is(p, "additive")) scores = add_mask(g, p, scores, all);
    void *logarithms = graph_virtual(g, TYPE_F32, 4, all), *weights = graph_virtual(g, TYPE_F32, 4, all);
    graph_pointwise(g, POINTWISE_SUB, scores, lse, NULL, logarithms);
    logarithms = mask(g, p, n, logarithms, all);
    graph_pointwise(g, POINTWISE_EXP, logarithms, NULL, NULL, weights);
    void *turned_weights = graph_virtual_transposed(g, type, 4, turned);
    graph_reshape(g, weights, turned_weights);
    add_groups(g, turned_weights, dout, graph_buffer(g, at + 5, type, 4, of_k), p, n);

    void *dweights = graph_virtual(g, TYPE_F32, 4, all), *less = graph_virtual(g, TYPE_F32, 4, all);
    void *times = graph_virtual(g, TYPE_F32, 4, all), *dscores = graph_virtual(g, TYPE_F32, 4, all);
    graph_multiply_part(g, dout, v, dweights, (graph_sizes){n.queries, n.keys, NULL});
    graph_pointwise(g, POINTWISE_SUB, dweights, delta, NULL, less);
    graph_pointwise(g, POINTWISE_MUL, less, weights, NULL, times);
    graph_pointwise(g, POINTWISE_MUL, times, scale, NULL, dscores);
    void *turned_dscores = graph_virtual_transposed(g, type, 4, turned);
    graph_reshape(g, dscores, turned_dscores);
    add_groups(g, turned_dscores, q, graph_buffer(g, at + 4, type, 4, of_k), p, n);

    void *rows_of_k = graph_virtual(g, type, 4, of_k), *added = graph_scratch(g, 4, of_q);
    graph_reshape(g, k, rows_of_k);
    graph_multiply_part(g, dscores, rows_of_k, added, (graph_sizes){n.queries, NULL, n.keys});
    graph_pointwise(g, POINTWISE_IDENTITY, added, NULL, NULL, graph_buffer(g, at + 3, type, 4, of_q));
}

// ---- what is served, and what is packed ------------------------------------------------------------------------

// Dimensions in eights. A query that sees nothing is NaN there; sequences behind one another would want their offsets in
// elements. A decoder's step is of one new query, which sees its sequence's whole length.
bool attention_is_served(const kz_peer_problem *p) {
    bool packed = is(p, "packed") || is(p, "packed_causal");
    bool step = (is(p, "contiguous") || is(p, "paged")) && p->axes[QUERIES] == 1;
    if (packed || p->axes[HEADS] % p->axes[KV_HEADS] || (decodes(p) && !step)) return false;
    if (sees_some(p) && p->axes[KEYS] < p->axes[QUERIES]) return false;
    return p->axes[DIMENSION] % 8 == 0 && p->axes[DIMENSION] <= 256;
}

bool attention_has_lengths(const kz_peer_problem *p) {
    return decodes(p) || (strncmp(p->family, "attention", 9) == 0 && is(p, "padded"));
}

size_t attention_packed_bytes(const kz_peer_problem *p) { return (size_t)p->axes[BATCH] * sizeof(int32_t); }

bool attention_pack(const kz_peer_problem *p, kz_ptr packed) {
    int32_t *queries = malloc(attention_packed_bytes(p));
    for (int64_t b = 0; queries && b < p->axes[BATCH]; b++) queries[b] = (int32_t)p->axes[QUERIES];
    bool done = queries && driver_copy_in(packed, queries, attention_packed_bytes(p));
    free(queries);
    return done;
}

// cuDNN as a rival: sums of vectors, reductions, matrix products, norms and their gradients, attention, all through its graph
// interface; softmax by the functions that it has for that.
//
// The library is opened when it is first asked for; KZ_CUDNN names its file. A graph's algorithms are its heuristics'
// engines. f16 and bf16 are computed in f32. A product in f32 takes engines that do not say that they round to fewer bits.
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peers/cudnn/graph.h"
#include "peers/cudnn/softmax.h"

static const char *version(const char **why) { return peer_library_version(cudnn_library(), why); }

static int type_of(const kz_peer_problem *problem) {
    return problem->type == KZ_F16 ? TYPE_F16 : problem->type == KZ_BF16 ? TYPE_BF16 : TYPE_F32;
}

static bool is(const kz_peer_problem *p, const char *operation) {
    return strcmp(p->operation, operation) == 0;
}

// ---- operations ------------------------------------------------------------------------------------------

enum { ROW = 1024, ALIGNMENT = 16 };

// Elements as rows, where those divide them evenly.
static int64_t row_of(int64_t n) { return n % ROW == 0 ? ROW : n; }

static void add_vectors(graph *g, const kz_peer_problem *p) {
    int64_t n = p->axes[0], row = row_of(n);
    const int64_t dimensions[] = {1, n / row, row};
    void *x = graph_buffer(g, 0, TYPE_F32, 3, dimensions), *y = graph_buffer(g, 1, TYPE_F32, 3, dimensions);
    graph_pointwise(g, POINTWISE_ADD, x, y, NULL, graph_buffer(g, 2, TYPE_F32, 3, dimensions));
}

static int reduction(const char *operation) {
    static const struct {
        const char *name;
        int mode;
    } modes[] = {{"sum", REDUCE_ADD}, {"min", REDUCE_MIN}, {"max", REDUCE_MAX}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(modes[i].name, operation) == 0) return modes[i].mode;
    return -1;
}

static void reduce(graph *g, const kz_peer_problem *p) {
    int64_t n = p->axes[0], row = row_of(n);
    void *x = graph_matrix(g, 0, TYPE_F32, n / row, row);
    graph_reduce(g, reduction(p->operation), x, graph_matrix(g, 1, TYPE_F32, 1, 1));
}

// The rows of a matrix, or its columns.
static void reduce_axis(graph *g, const kz_peer_problem *p) {
    int64_t outer = p->axes[0], n = p->axes[1], inner = p->axes[2];
    void *x = inner == 1 ? graph_matrix(g, 0, TYPE_F32, outer, n) : graph_matrix(g, 0, TYPE_F32, n, inner);
    graph_reduce(g, reduction(p->operation), x, graph_matrix(g, 1, TYPE_F32, outer, inner));
}

static void multiply(graph *g, const kz_peer_problem *p) {
    int64_t m = p->axes[0], n = p->axes[1], k = p->axes[2];
    void *a = graph_buffer(g, 0, TYPE_F32, 3, (const int64_t[]){1, m, k});
    void *b = graph_buffer(g, 1, TYPE_F32, 3, (const int64_t[]){1, k, n});
    graph_multiply(g, a, b, graph_buffer(g, 2, TYPE_F32, 3, (const int64_t[]){1, m, n}));
}

// ---- norms -----------------------------------------------------------------------------------------------

enum { NORM_ROWS, NORM_COLUMNS }; // axes[]

// A norm's matrices, and what has a number for each column or each row.
static void *whole(graph *g, const kz_peer_problem *p, size_t index) {
    return graph_buffer(g, index, type_of(p), 4,
                        (const int64_t[]){p->axes[NORM_ROWS], p->axes[NORM_COLUMNS], 1, 1});
}
static void *per_column(graph *g, const kz_peer_problem *p, size_t index) {
    return graph_buffer(g, index, type_of(p), 4, (const int64_t[]){1, p->axes[NORM_COLUMNS], 1, 1});
}
static void *per_row(graph *g, const kz_peer_problem *p, size_t index) {
    return graph_buffer(g, index, TYPE_F32, 4, (const int64_t[]){p->axes[NORM_ROWS], 1, 1, 1});
}

static void *epsilon_of(graph *g, const kz_peer_problem *p) { // the last argument
    float epsilon;
    memcpy(&epsilon, &p->args[p->arg_count - 1].scalar, sizeof epsilon);
    return graph_value(g, epsilon, 4);
}

// layernorm: x, gamma, beta, y, mean, rstd.
static void normalise_layer(graph *g, const kz_peer_problem *p) {
    graph_norm(g, &(graph_norm_tensors){.mode = LAYER_NORM,
                                        .x = whole(g, p, 0),
                                        .scale = per_column(g, p, 1),
                                        .bias = per_column(g, p, 2),
                                        .y = whole(g, p, 3),
                                        .mean = per_row(g, p, 4),
                                        .deviation = per_row(g, p, 5),
                                        .epsilon = epsilon_of(g, p)});
}

// dy, x, gamma, mean, rstd, dx, dgamma, dbeta.
static void normalise_layer_back(graph *g, const kz_peer_problem *p) {
    graph_norm_back(g, &(graph_norm_tensors){.mode = LAYER_NORM,
                                             .y = whole(g, p, 0),
                                             .x = whole(g, p, 1),
                                             .scale = per_column(g, p, 2),
                                             .mean = per_row(g, p, 3),
                                             .deviation = per_row(g, p, 4),
                                             .dx = whole(g, p, 5),
                                             .dscale = per_column(g, p, 6),
                                             .bias = per_column(g, p, 7)});
}

// rmsnorm: x, weight, y.
static void normalise(graph *g, const kz_peer_problem *p) {
    graph_norm(g, &(graph_norm_tensors){.mode = RMS_NORM,
                                        .x = whole(g, p, 0),
                                        .scale = per_column(g, p, 1),
                                        .y = whole(g, p, 2),
                                        .epsilon = epsilon_of(g, p)});
}

static void *kept_per_row(graph *g, const kz_peer_problem *p) {
    return graph_packed(g, TYPE_F32, 4, (const int64_t[]){p->axes[NORM_ROWS], 1, 1, 1});
}

// dy, x, weight, dx, dweight. The family's kernels find each row's deviation again; cuDNN's want what the forward pass kept.
static void normalise_back(graph *g, const kz_peer_problem *p) {
    graph_norm_back(g, &(graph_norm_tensors){.mode = RMS_NORM,
                                             .y = whole(g, p, 0),
                                             .x = whole(g, p, 1),
                                             .scale = per_column(g, p, 2),
                                             .deviation = kept_per_row(g, p),
                                             .dx = whole(g, p, 3),
                                             .dscale = per_column(g, p, 4)});
}

// That forward pass. Its y goes where the gradient will be.
static void normalise_before(graph *g, const kz_peer_problem *p) {
    graph_norm(g, &(graph_norm_tensors){.mode = RMS_NORM,
                                        .x = whole(g, p, 1),
                                        .scale = per_column(g, p, 2),
                                        .y = whole(g, p, 3),
                                        .deviation = kept_per_row(g, p),
                                        .epsilon = epsilon_of(g, p)});
}

// ---- attention -------------------------------------------------------------------------------------------

enum { BATCH, HEADS, KV_HEADS, QUERIES, KEYS, DIMENSION }; // axes[]

static bool sees_some(const kz_peer_problem *p) { return is(p, "causal") || is(p, "window"); }

// A decoder's cache, of which each sequence uses its length.
static bool decodes(const kz_peer_problem *p) { return strcmp(p->family, "attention_decode") == 0; }

// The last arguments: 1 / sqrt(dimension) unless the case has another; how many keys up to its own a query sees, which a
// decoder's step has not.
static float scale_of(const kz_peer_problem *p) {
    float scale;
    memcpy(&scale, &p->args[p->arg_count - (decodes(p) ? 1 : 2)].scalar, sizeof scale);
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

static void *mask(graph *g, const kz_peer_problem *p, void *scores, const int64_t *all) {
    if (is(p, "padded") || decodes(p)) {
        void *lengths = graph_buffer(g, 3, TYPE_I32, 4, (const int64_t[]){p->axes[BATCH], 1, 1, 1});
        return choose(g, scores, compare(g, POINTWISE_CMP_LT, index_of(g, scores, 3, all), lengths, all),
                      all);
    }
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

// The graph that cuDNN's fused attention serves: product, scale, mask, softmax, product. Heads of k and v are shared evenly.
static void attend(graph *g, const kz_peer_problem *p) {
    int64_t batch = p->axes[BATCH], heads = p->axes[HEADS], kv_heads = p->axes[KV_HEADS];
    int64_t queries = p->axes[QUERIES], keys = p->axes[KEYS], d = p->axes[DIMENSION];
    int type = type_of(p);
    bool bias = is(p, "additive");
    size_t count = buffers_of(p), at_out = 3 + (bias || is(p, "padded") || decodes(p));
    const int64_t of_q[] = {batch, heads, queries, d}, of_k[] = {batch, kv_heads, d, keys};
    const int64_t of_v[] = {batch, kv_heads, keys, d}, all[] = {batch, heads, queries, keys},
                  per_row[] = {batch, heads, queries, 1};
    void *q = graph_buffer(g, 0, type, 4, of_q), *k = graph_buffer_transposed(g, 1, type, 4, of_k);
    void *v = graph_buffer(g, 2, type, 4, of_v), *out = graph_buffer(g, at_out, type, 4, of_q);
    void *lse = count > at_out + 1 ? graph_buffer(g, at_out + 1, TYPE_F32, 4, per_row)
                                   : graph_virtual(g, TYPE_F32, 4, per_row);
    void *product = graph_virtual(g, TYPE_F32, 4, all), *scores = graph_virtual(g, TYPE_F32, 4, all);
    graph_multiply(g, q, k, product);
    graph_pointwise(g, POINTWISE_MUL, product, graph_value(g, scale_of(p), 4), NULL, scores);
    if (bias)
        scores = add_mask(g, p, scores, all);
    else if (!is(p, "full"))
        scores = mask(g, p, scores, all);
    void *weights = graph_virtual(g, type, 4, all);
    soften(g, scores, all, lse, weights);
    graph_multiply(g, weights, v, out);
}

// Of all heads' gradients of k or v; where heads share them, a sum over each group.
static void add_groups(graph *g, void *transposed, void *x, void *to, const kz_peer_problem *p) {
    const int64_t of_heads[] = {p->axes[BATCH], p->axes[HEADS], p->axes[KEYS], p->axes[DIMENSION]};
    if (p->axes[HEADS] == p->axes[KV_HEADS]) {
        graph_multiply(g, transposed, x, to);
        return;
    }
    void *each = graph_virtual(g, type_of(p), 4, of_heads);
    graph_multiply(g, transposed, x, each);
    graph_reduce(g, REDUCE_ADD, each, to);
}

// q, k, v, what the mask needs, out, dout, lse, dq, dk, dv. The graph that cuDNN's fused engine serves, as its open frontend
// builds it: the rows' sums of dout out and the sums of dq lie in memory, in float.
static void attend_back(graph *g, const kz_peer_problem *p) {
    int64_t batch = p->axes[BATCH], heads = p->axes[HEADS], kv_heads = p->axes[KV_HEADS];
    int64_t queries = p->axes[QUERIES], keys = p->axes[KEYS], d = p->axes[DIMENSION];
    int type = type_of(p);
    size_t at = 3 + (is(p, "additive") || is(p, "padded"));
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
    graph_multiply(g, q, k, product);
    graph_pointwise(g, POINTWISE_MUL, product, scale, NULL, scores);
    if (is(p, "additive")) scores = add_mask(g, p, scores, all);
    void *logarithms = graph_virtual(g, TYPE_F32, 4, all), *weights = graph_virtual(g, TYPE_F32, 4, all);
    graph_pointwise(g, POINTWISE_SUB, scores, lse, NULL, logarithms);
    if (sees_some(p) || is(p, "padded")) logarithms = mask(g, p, logarithms, all);
    graph_pointwise(g, POINTWISE_EXP, logarithms, NULL, NULL, weights);
    void *turned_weights = graph_virtual_transposed(g, type, 4, turned);
    graph_reshape(g, weights, turned_weights);
    add_groups(g, turned_weights, dout, graph_buffer(g, at + 5, type, 4, of_k), p);

    void *dweights = graph_virtual(g, TYPE_F32, 4, all), *less = graph_virtual(g, TYPE_F32, 4, all);
    void *times = graph_virtual(g, TYPE_F32, 4, all), *dscores = graph_virtual(g, TYPE_F32, 4, all);
    graph_multiply(g, dout, v, dweights);
    graph_pointwise(g, POINTWISE_SUB, dweights, delta, NULL, less);
    graph_pointwise(g, POINTWISE_MUL, less, weights, NULL, times);
    graph_pointwise(g, POINTWISE_MUL, times, scale, NULL, dscores);
    void *turned_dscores = graph_virtual_transposed(g, type, 4, turned);
    graph_reshape(g, dscores, turned_dscores);
    add_groups(g, turned_dscores, q, graph_buffer(g, at + 4, type, 4, of_k), p);

    void *rows_of_k = graph_virtual(g, type, 4, of_k), *added = graph_scratch(g, 4, of_q);
    graph_reshape(g, k, rows_of_k);
    graph_multiply(g, dscores, rows_of_k, added);
    graph_pointwise(g, POINTWISE_IDENTITY, added, NULL, NULL, graph_buffer(g, at + 3, type, 4, of_q));
}

// ---- the rival -------------------------------------------------------------------------------------------

// It has no mean, and writes f32 alone.
static bool reduces(const kz_peer_problem *p) { return reduction(p->operation) >= 0; }

static bool reduces_axis(const kz_peer_problem *p) {
    return reduces(p) && (p->axes[0] == 1 || p->axes[2] == 1);
}

// Its fused attention: dimensions in eights. A query that sees nothing is NaN there; sequences behind one another would want
// their offsets in elements.
static bool attends(const kz_peer_problem *p) {
    bool packed = is(p, "packed") || is(p, "packed_causal");
    if (packed || p->axes[HEADS] % p->axes[KV_HEADS] || (sees_some(p) && p->axes[KEYS] < p->axes[QUERIES]))
        return false;
    return p->axes[DIMENSION] % 8 == 0 && p->axes[DIMENSION] <= 256;
}

// One new query, which sees its sequence's whole length.
static bool attends_to_cache(const kz_peer_problem *p) {
    return is(p, "contiguous") && p->axes[QUERIES] == 1 && attends(p);
}

// The norms alone: no residual, no fp8.
static bool normalises_forward(const kz_peer_problem *p) { return is(p, "rmsnorm") || is(p, "forward"); }
static bool normalises_back(const kz_peer_problem *p) { return is(p, "backward"); }

// No mask, and tensors of less than 2^31 elements.
static bool softens(const kz_peer_problem *p) {
    double elements = (double)p->axes[0] * (double)p->axes[1] * (double)p->axes[2];
    return !is(p, "masked") && !is(p, "causal") && elements < 0x1p31;
}

enum { F32 = 1u << KZ_F32, HALVES = 1u << KZ_F16 | 1u << KZ_BF16 };

static const struct operation {
    const char *family, *name;
    unsigned types;
    int axes;                                     // that are sizes
    bool (*does)(const kz_peer_problem *problem); // NULL: all
    // The graph; NULL for softmax, which is none.
    void (*describe)(graph *g, const kz_peer_problem *problem);
    void (*before)(graph *g, const kz_peer_problem *problem); // a graph that is run once, untimed; NULL: none
} operations[] = {
    {"vector_add", "cuDNN graph, pointwise", F32, 1, NULL, add_vectors, NULL},
    {"reduce", "cuDNN graph, reduction", F32, 1, reduces, reduce, NULL},
    {"reduce_axis", "cuDNN graph, reduction", F32, 3, reduces_axis, reduce_axis, NULL},
    {"sgemm", "cuDNN graph, matmul", F32, 3, NULL, multiply, NULL},
    {"softmax", "cudnnSoftmax", F32 | HALVES, 3, softens, NULL, NULL},
    {"layernorm", "cuDNN graph, norm", F32 | HALVES, 2, normalises_forward, normalise_layer, NULL},
    {"layernorm", "cuDNN graph, norm backward", F32 | HALVES, 2, normalises_back, normalise_layer_back, NULL},
    {"rmsnorm", "cuDNN graph, norm", F32 | HALVES, 2, normalises_forward, normalise, NULL},
    {"rmsnorm", "cuDNN graph, norm backward, deviations kept", F32 | HALVES, 2, normalises_back,
     normalise_back, normalise_before},
    {"attention", "cuDNN graph, attention", HALVES, 6, attends, attend, NULL},
    {"attention_decode", "cuDNN graph, attention", HALVES, 6, attends_to_cache, attend, NULL},
    {"attention_backward", "cuDNN graph, attention backward", HALVES, 6, attends, attend_back, NULL},
};

static const struct operation *find(const kz_peer_problem *problem) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *o = &operations[i];
        if (strcmp(o->family, problem->family) != 0 || !(o->types >> problem->type & 1)) continue;
        for (int k = 0; k < o->axes; k++)
            if (problem->axes[k] < 1 || problem->axes[k] > 0x7fffffff) return NULL;
        if (!o->does || o->does(problem)) return o;
    }
    return NULL;
}

static const char *offers(const kz_peer_problem *problem) {
    const struct operation *o = find(problem);
    return o ? o->name : NULL;
}

typedef struct state {
    const struct operation *operation;
    graph graph, before;
    softmax softmax;
} state;

// Before 9.6 the sums of dq had to be zeros, and up to 9.15 keys that are no 128s wanted a mask.
enum { GRADIENTS_FROM = 91600 };

static bool is_too_old(const struct operation *o, const char **why) {
    if (o->describe != attend_back || cudnn_functions()->version() >= GRADIENTS_FROM) return false;
    *why = "its gradients of attention are asked of cuDNN 9.16 and later: install a newer one, or name its "
           "file with "
           "KZ_CUDNN";
    return true;
}

static bool prepare_graph(graph *g, void (*describe)(graph *g, const kz_peer_problem *problem),
                          const kz_peer_problem *problem, const char **why) {
    g->alignment = problem->alignment && problem->alignment < ALIGNMENT ? problem->alignment : ALIGNMENT;
    if (graph_open(g)) describe(g, problem);
    *why = g->error;
    return !g->error[0] && graph_plan(g, problem->type == KZ_F32);
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    if (!peer_library_usable(cudnn_library(), why)) return 1;
    state *s = plan->state = calloc(1, sizeof *s);
    *why = "no memory";
    if (!s) return 1;
    s->operation = find(problem);
    if (is_too_old(s->operation, why)) return KZ_PEER_DOES_NOT;
    if (!s->operation->describe) {
        *why = s->softmax.error;
        plan->algorithms = SOFTMAX_MODES;
        return softmax_open(&s->softmax, problem, type_of(problem)) ? 0 : 1;
    }
    if (!prepare_graph(&s->graph, s->operation->describe, problem, why)) return 1;
    if (s->operation->before && !prepare_graph(&s->before, s->operation->before, problem, why)) return 1;
    plan->algorithms = s->graph.plan_count;
    plan->workspace_bytes = graph_workspace(&s->graph);
    if (graph_workspace(&s->before) > plan->workspace_bytes)
        plan->workspace_bytes = graph_workspace(&s->before);
    if (s->operation->before) plan->packed_bytes = (size_t)problem->axes[NORM_ROWS] * sizeof(float);
    return 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    (void)problem;
    state *s = plan->state;
    *why = s->operation->describe ? s->graph.error : s->softmax.error;
    bool done = s->operation->describe ? graph_run(&s->graph, plan->algorithm, call)
                                       : softmax_run(&s->softmax, plan->algorithm, call);
    return done ? 0 : 1;
}

// cuDNN has no call that waits. Where there is no driver, as for tests, nothing runs on after its call.
static bool wait_for(void *stream) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*synchronize)(void *) = NULL;
    if (driver) *(void **)&synchronize = dlsym(driver, "cuStreamSynchronize");
    return !synchronize || synchronize(stream) == 0;
}

// A forward pass, whose plans all leave the same.
static int pack(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
                const char **why) {
    (void)problem;
    state *s = plan->state;
    if (!s->operation->before) return 0;
    *why = s->before.error;
    if (!graph_run(&s->before, 0, call)) return 1;
    *why = "the forward pass before it did not end well";
    return wait_for(call->stream) ? 0 : 1;
}

static void close_plan(kz_peer_plan *plan) {
    state *s = plan->state;
    if (!s) return;
    graph_close(&s->graph), graph_close(&s->before), softmax_close(&s->softmax);
    free(s);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cudnn", false,      version, offers,
                             prepare,           run,     close_plan, pack};

const kz_peer *kz_peer_get(void) { return &peer; }

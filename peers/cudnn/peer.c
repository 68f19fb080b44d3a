// cuDNN as a rival, through its graph interface: sums of vectors, reductions, matrix products, RMS norms, attention.
//
// The library is opened when it is first asked for; KZ_CUDNN names its file. Each operation is a graph; its
// heuristics' engines are the algorithms. f16 and bf16 are computed in f32. A product in f32 takes engines that do
// not say that they round to fewer bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "peers/cudnn/graph.h"

static const char *version(const char **why) { return peer_library_version(graph_library(), why); }

static int type_of(const kz_peer_problem *problem) {
    return problem->type == KZ_F16 ? TYPE_F16 : problem->type == KZ_BF16 ? TYPE_BF16 : TYPE_F32;
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

static void normalise(graph *g, const kz_peer_problem *p) {
    const int64_t all[] = {p->axes[0], p->axes[1], 1, 1}, row[] = {1, p->axes[1], 1, 1};
    float epsilon;
    memcpy(&epsilon, &p->args[5].scalar, sizeof epsilon);
    void *x = graph_buffer(g, 0, type_of(p), 4, all), *scale = graph_buffer(g, 1, type_of(p), 4, row);
    graph_rms_norm(g, x, scale, graph_value(g, epsilon, 4), graph_buffer(g, 2, type_of(p), 4, all));
}

// Scores where the key is not after the query, and -infinity elsewhere.
static void *mask(graph *g, void *scores, const int64_t *dimensions) {
    void *query = graph_virtual(g, TYPE_I32, 4, dimensions), *key = graph_virtual(g, TYPE_I32, 4, dimensions);
    void *seen = graph_virtual(g, TYPE_BOOLEAN, 4, dimensions),
         *masked = graph_virtual(g, TYPE_F32, 4, dimensions);
    graph_index(g, 2, scores, query);
    graph_index(g, 3, scores, key);
    graph_pointwise(g, POINTWISE_CMP_GE, query, key, NULL, seen);
    graph_pointwise(g, POINTWISE_BINARY_SELECT, scores, graph_value(g, -INFINITY, 4), seen, masked);
    return masked;
}

// Of each row. Its engines look for the logarithm of the sum too, which training wants, though nobody reads it.
static void soften(graph *g, void *scores, const int64_t *all, void *weights) {
    const int64_t per_row[] = {all[0], all[1], all[2], 1};
    void *most = graph_virtual(g, TYPE_F32, 4, per_row), *less = graph_virtual(g, TYPE_F32, 4, all);
    void *power = graph_virtual(g, TYPE_F32, 4, all), *sum = graph_virtual(g, TYPE_F32, 4, per_row);
    void *logarithm = graph_virtual(g, TYPE_F32, 4, per_row);
    graph_reduce(g, REDUCE_MAX, scores, most);
    graph_pointwise(g, POINTWISE_SUB, scores, most, NULL, less);
    graph_pointwise(g, POINTWISE_EXP, less, NULL, NULL, power);
    graph_reduce(g, REDUCE_ADD, power, sum);
    graph_pointwise(g, POINTWISE_LOG, sum, NULL, NULL, logarithm);
    graph_pointwise(g, POINTWISE_ADD, most, logarithm, NULL, graph_virtual(g, TYPE_F32, 4, per_row));
    graph_pointwise(g, POINTWISE_DIV, power, sum, NULL, weights);
}

// The graph that cuDNN's fused attention serves: product, scale, mask, softmax, product.
static void attend(graph *g, const kz_peer_problem *p) {
    int64_t batch = p->axes[0], heads = p->axes[1], queries = p->axes[2], keys = p->axes[3], d = p->axes[4];
    int type = type_of(p);
    const int64_t of_q[] = {batch, heads, queries, d}, of_k[] = {batch, heads, d, keys};
    const int64_t of_v[] = {batch, heads, keys, d}, all[] = {batch, heads, queries, keys};
    void *q = graph_buffer(g, 0, type, 4, of_q), *k = graph_buffer_transposed(g, 1, type, 4, of_k);
    void *v = graph_buffer(g, 2, type, 4, of_v), *out = graph_buffer(g, 3, type, 4, of_q);
    void *product = graph_virtual(g, TYPE_F32, 4, all), *scores = graph_virtual(g, TYPE_F32, 4, all);
    graph_multiply(g, q, k, product);
    graph_pointwise(g, POINTWISE_MUL, product, graph_value(g, 1.0f / sqrtf((float)d), 4), NULL, scores);
    if (strcmp(p->operation, "causal") == 0) scores = mask(g, scores, all);
    void *weights = graph_virtual(g, type, 4, all);
    soften(g, scores, all, weights);
    graph_multiply(g, weights, v, out);
}

// ---- the rival -------------------------------------------------------------------------------------------

// It has no mean, and writes f32 alone.
static bool reduces(const kz_peer_problem *p) { return reduction(p->operation) >= 0; }

static bool reduces_axis(const kz_peer_problem *p) {
    return reduces(p) && (p->axes[0] == 1 || p->axes[2] == 1);
}

// Its fused attention: dimensions in eights, and a mask for as many queries as keys.
static bool attends(const kz_peer_problem *p) {
    bool masked = strcmp(p->operation, "causal") == 0;
    return p->axes[4] % 8 == 0 && p->axes[4] <= 256 && (!masked || p->axes[2] == p->axes[3]);
}

// The norm alone: no residual, no fp8, no gradients.
static bool normalises(const kz_peer_problem *p) { return strcmp(p->operation, "rmsnorm") == 0; }

enum { F32 = 1u << KZ_F32, HALVES = 1u << KZ_F16 | 1u << KZ_BF16 };

static const struct operation {
    const char *family, *name;
    unsigned types;
    int axes;                                     // that are sizes
    bool (*does)(const kz_peer_problem *problem); // NULL: all
    void (*describe)(graph *g, const kz_peer_problem *problem);
} operations[] = {
    {"vector_add", "cuDNN graph, pointwise", F32, 1, NULL, add_vectors},
    {"reduce", "cuDNN graph, reduction", F32, 1, reduces, reduce},
    {"reduce_axis", "cuDNN graph, reduction", F32, 3, reduces_axis, reduce_axis},
    {"sgemm", "cuDNN graph, matmul", F32, 3, NULL, multiply},
    {"rmsnorm", "cuDNN graph, norm", F32 | HALVES, 2, normalises, normalise},
    {"attention", "cuDNN graph, attention", HALVES, 5, attends, attend},
};

static const struct operation *find(const kz_peer_problem *problem) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *o = &operations[i];
        if (strcmp(o->family, problem->family) != 0 || !(o->types >> problem->type & 1)) continue;
        for (int k = 0; k < o->axes; k++)
            if (problem->axes[k] < 1 || problem->axes[k] > 0x7fffffff) return NULL;
        return !o->does || o->does(problem) ? o : NULL;
    }
    return NULL;
}

static const char *offers(const kz_peer_problem *problem) {
    const struct operation *o = find(problem);
    return o ? o->name : NULL;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    if (!peer_library_usable(graph_library(), why)) return 1;
    graph *g = plan->state = calloc(1, sizeof *g);
    *why = "no memory";
    if (!g) return 1;
    g->alignment = problem->alignment && problem->alignment < ALIGNMENT ? problem->alignment : ALIGNMENT;
    if (graph_open(g)) find(problem)->describe(g, problem);
    bool good = !g->error[0] && graph_plan(g, problem->type == KZ_F32);
    plan->algorithms = g->plan_count;
    plan->workspace_bytes = g->workspace_bytes;
    *why = g->error;
    return good ? 0 : 1;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    (void)problem;
    graph *g = plan->state;
    if (graph_run(g, plan->algorithm, call)) return 0;
    *why = g->error;
    return 1;
}

static void close_plan(kz_peer_plan *plan) {
    if (plan->state) graph_close(plan->state);
    free(plan->state);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cudnn", false, version, offers, prepare, run, close_plan};

const kz_peer *kz_peer_get(void) { return &peer; }

// cuDNN as a rival: sums of vectors, reductions, matrix products, norms and their gradients, attention, all through its graph
// interface; softmax by the functions that it has for that.
//
// The library is opened when it is first asked for; KZ_CUDNN names its file. A graph's algorithms are its heuristics'
// engines. f16 and bf16 are computed in f32. A product in f32 takes engines that do not say that they round to fewer bits.
#include <stdlib.h>
#include <string.h>

#include "peers/cudnn/attention.h"
#include "peers/cudnn/driver.h"
#include "peers/cudnn/graph.h"
#include "peers/cudnn/problem.h"
#include "peers/cudnn/softmax.h"

static const char *version(const char **why) { return peer_library_version(cudnn_library(), why); }

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

// ---- the rival -------------------------------------------------------------------------------------------

// It has no mean, and writes f32 alone.
static bool reduces(const kz_peer_problem *p) { return reduction(p->operation) >= 0; }

static bool reduces_axis(const kz_peer_problem *p) {
    return reduces(p) && (p->axes[0] == 1 || p->axes[2] == 1);
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
    {"attention", "cuDNN graph, attention", HALVES, 6, attention_is_served, attention_forward, NULL},
    {"attention_decode", "cuDNN graph, attention", HALVES, 6, attention_is_served, attention_forward, NULL},
    {"attention_backward", "cuDNN graph, attention backward", HALVES, 6, attention_is_served,
     attention_backward, NULL},
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
    if (o->describe != attention_backward || cudnn_functions()->version() >= GRADIENTS_FROM) return false;
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
    if (attention_has_lengths(problem)) plan->packed_bytes = attention_packed_bytes(problem);
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

// What a plan keeps of the inputs: of a forward pass, whose plans all leave the same; or how many queries each sequence has.
static int pack(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
                const char **why) {
    state *s = plan->state;
    *why = "the number of queries could not be copied";
    if (attention_has_lengths(problem)) return attention_pack(problem, call->packed) ? 0 : 1;
    if (!s->operation->before) return 0;
    *why = s->before.error;
    if (!graph_run(&s->before, 0, call)) return 1;
    *why = "the forward pass before it did not end well";
    return driver_wait(call->stream) ? 0 : 1;
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

// cuDNN's graph interface in C: descriptors, the graph of a few operations, and the plans that its heuristics give.
//
// A graph keeps its first error: what follows it does nothing, and graph_plan says what happened.
#ifndef PEERS_CUDNN_GRAPH_H
#define PEERS_CUDNN_GRAPH_H

#include "peers/cudnn/api.h"
#include "peers/peer.h"

enum {
    GRAPH_DIMENSIONS = 4,
    GRAPH_DESCRIPTORS = 256,
    GRAPH_OPERATIONS = 40,
    GRAPH_VALUES = 8,
    GRAPH_SCRATCH = 2,
    GRAPH_PLANS = 8, // each is compiled, which takes up to a second
};

// cuDNN's numbers.
enum {
    POINTWISE_ADD = 0,
    POINTWISE_MUL = 1,
    POINTWISE_DIV = 6,
    POINTWISE_SUB = 9,
    POINTWISE_EXP = 13,
    POINTWISE_LOG = 15,
    POINTWISE_IDENTITY = 21,
    POINTWISE_CMP_GT = 302,
    POINTWISE_CMP_GE = 303,
    POINTWISE_CMP_LT = 304,
    POINTWISE_AND = 400,
    POINTWISE_GEN_INDEX = 501,
    POINTWISE_BINARY_SELECT = 601,
    REDUCE_ADD = 0,
    REDUCE_MIN = 2,
    REDUCE_MAX = 3,
    LAYER_NORM = 0,
    RMS_NORM = 4,
};

typedef union graph_number {
    float real;
    int32_t whole;
} graph_number;

typedef struct graph {
    const cudnn_api *api;
    void *handle;
    void *made[GRAPH_DESCRIPTORS];
    size_t made_count;
    void *operations[GRAPH_OPERATIONS];
    size_t operation_count;
    size_t buffers, values, virtuals;
    size_t scratch[GRAPH_SCRATCH], scratch_count, scratch_bytes; // behind the plans' workspace
    bool packed;                                                 // it has a tensor in the packed memory
    int64_t alignment;                                           // of buffers, in bytes
    graph_number value[GRAPH_VALUES];                            // scalars of the operations
    void *plans[GRAPH_PLANS];
    int plan_count;
    size_t workspace_bytes;  // enough for each plan
    char error[CUDNN_ERROR]; // "" so far
} graph;

bool graph_open(graph *g);
void graph_close(graph *g);

// Rows are last: a tensor's dimensions are those of a C array. Up to GRAPH_DIMENSIONS; the count is `rank`.
void *graph_buffer(graph *g, size_t index, int type, int rank, const int64_t *dimensions);
void *graph_buffer_at(graph *g, size_t index, int type, int rank, const int64_t *dimensions,
                      const int64_t *strides);
// One whose last two dimensions are swapped, though not in memory.
void *graph_buffer_transposed(graph *g, size_t index, int type, int rank, const int64_t *dimensions);
// A matrix as its reductions want it: images of one pixel, whose channels are the columns.
void *graph_matrix(graph *g, size_t index, int type, int64_t rows, int64_t columns);
void *graph_virtual(graph *g, int type, int rank, const int64_t *dimensions); // between two operations
void *graph_virtual_transposed(graph *g, int type, int rank, const int64_t *dimensions);
void *graph_scratch(graph *g, int rank, const int64_t *dimensions);          // floats in the workspace
void *graph_packed(graph *g, int type, int rank, const int64_t *dimensions); // in the packed memory
void *graph_value(graph *g, float value, int rank);
void *graph_whole(graph *g, int32_t value, int rank);

// Each computes in f32. `b` and `t` may be NULL.
void graph_pointwise(graph *g, int mode, void *x, void *b, void *t, void *y);
void graph_pointwise_of(graph *g, int mode, int type, void *x, void *b,
                        void *y); // in `type`: indices, and what is true of them
void graph_index(graph *g, int64_t axis, void *x, void *y);
void graph_reduce(graph *g, int mode, void *x, void *y); // where y's dimension is 1
void graph_multiply(graph *g, void *a, void *b, void *c);
// Of each matrix of a batch as much as these tensors of whole numbers say; NULL: all.
typedef struct graph_sizes {
    void *rows, *columns, *depth;
} graph_sizes;
void graph_multiply_part(graph *g, void *a, void *b, void *c, graph_sizes sizes);
void graph_reshape(graph *g, void *x, void *y);
// Of a pool of pages those that a sequence's table names, one after another.
void graph_paged_load(graph *g, void *pool, void *lengths, void *table, void *y);

// Of a norm, and of its gradients; those that the mode or the direction has not are NULL.
typedef struct graph_norm_tensors {
    int mode; // LAYER_NORM, RMS_NORM
    void *x, *scale, *epsilon;
    void *bias; // backward its gradient
    void *y;    // backward its gradient
    void *mean,
        *deviation; // of each row, which backward reads; the deviation's inverse, as the families have it
    void *dx, *dscale;
} graph_norm_tensors;
void graph_norm(graph *g, const graph_norm_tensors *t); // without `deviation` nothing is kept for backward
void graph_norm_back(graph *g, const graph_norm_tensors *t);

// Asks the heuristics. In f32 those that round to fewer bits are taken only where there are no others.
bool graph_plan(graph *g, bool exact);
size_t graph_workspace(const graph *g); // bytes: the plans', and what is scratch
bool graph_run(graph *g, int plan, const kz_peer_call *call);

#endif

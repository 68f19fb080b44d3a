// Graphs: nodes with what they need, copies of them, executable ones. What nodes hold is in graph_node.c.
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- building -------------------------------------------------------------------------------------------

bool cudart_is_graph(cudaGraph_t graph) {
    for (struct CUgraph_st *g = cudart.graphs; g; g = g->next)
        if (g == graph) return true;
    return false;
}

bool cudart_is_node(cudaGraphNode_t node) {
    for (struct CUgraph_st *g = cudart.graphs; g; g = g->next)
        for (size_t i = 0; i < g->count; i++)
            if (g->nodes[i] == node) return true;
    return false;
}

static cudaGraph_t open_graph(void) {
    struct CUgraph_st *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->next = cudart.graphs;
    cudart.graphs = made;
    return made;
}

static cudaError_t create(cudaGraph_t *graph, unsigned flags) {
    if (!graph || flags) return cudaErrorInvalidValue;
    *graph = open_graph();
    return *graph ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) { return CUDART_CALL(create(graph, flags)); }

static void free_node(cudaGraphNode_t node) {
    cudart_op_drop(&node->op);
    free(node->needs);
    free(node);
}

void cudart_graph_free(cudaGraph_t graph) {
    for (struct CUgraph_st **at = &cudart.graphs; *at; at = &(*at)->next)
        if (*at == graph) {
            *at = graph->next;
            break;
        }
    for (size_t i = 0; i < graph->count; i++) free_node(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}

static cudaError_t destroy(cudaGraph_t graph) {
    if (!cudart_is_graph(graph) || graph->is_child || cudart_is_captured(graph)) return cudaErrorInvalidValue;
    cudart_graph_free(graph);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return CUDART_CALL(destroy(graph)); }

static cudaError_t add_need(cudaGraphNode_t node, cudaGraphNode_t need) {
    for (size_t i = 0; i < node->need_count; i++)
        if (node->needs[i] == need) return cudaSuccess;
    cudaGraphNode_t *grown = realloc(node->needs, (node->need_count + 1) * sizeof *grown);
    if (!grown) return cudaErrorMemoryAllocation;
    node->needs = grown;
    node->needs[node->need_count++] = need;
    return cudaSuccess;
}

cudaError_t cudart_graph_add(cudaGraph_t graph, const cudart_op *op, cudaGraphNode_t const *needs,
                             size_t need_count, cudaGraphNode_t *node) {
    if (!cudart_is_graph(graph) || !node || (need_count && !needs)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < need_count; i++)
        if (!needs[i] || needs[i]->graph != graph) return cudaErrorInvalidValue;
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity ? graph->capacity * 2 : 16;
        cudaGraphNode_t *grown = realloc(graph->nodes, capacity * sizeof *grown);
        if (!grown) return cudaErrorMemoryAllocation;
        graph->nodes = grown;
        graph->capacity = capacity;
    }
    struct CUgraphNode_st *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->graph = graph;
    cudaError_t error = cudart_op_keep(op, &made->op);
    for (size_t i = 0; i < need_count && !error; i++) error = add_need(made, needs[i]);
    if (error) {
        free_node(made);
        return error;
    }
    made->index = graph->count;
    graph->nodes[graph->count++] = made;
    *node = made;
    return cudaSuccess;
}

cudaGraph_t cudart_graph_copy(cudaGraph_t graph) {
    cudaGraph_t made = open_graph();
    bool failed = !made;
    for (size_t i = 0; i < graph->count && !failed; i++) {
        const struct CUgraphNode_st *from = graph->nodes[i];
        cudaGraphNode_t node;
        failed = cudart_graph_add(made, &from->op, NULL, 0, &node) != cudaSuccess;
        if (failed) break;
        node->original = graph->nodes[i];
        node->disabled = from->disabled;
        memcpy(node->attributes, from->attributes, sizeof node->attributes);
    }
    for (size_t i = 0; i < graph->count && !failed; i++)
        for (size_t k = 0; k < graph->nodes[i]->need_count && !failed; k++)
            failed = add_need(made->nodes[i], made->nodes[graph->nodes[i]->needs[k]->index]) != cudaSuccess;
    if (failed && made) cudart_graph_free(made);
    if (failed) return NULL;
    made->original = graph;
    return made;
}

static cudaError_t clone_graph(cudaGraph_t *made, cudaGraph_t graph) {
    if (!made || !cudart_is_graph(graph)) return cudaErrorInvalidValue;
    *made = cudart_graph_copy(graph);
    return *made ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaGraphClone(cudaGraph_t *made, cudaGraph_t graph) {
    return CUDART_CALL(clone_graph(made, graph));
}

static cudaError_t find_in_clone(cudaGraphNode_t *found, cudaGraphNode_t original, cudaGraph_t graph) {
    if (!found || !cudart_is_graph(graph)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i]->original == original) {
            *found = graph->nodes[i];
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t graph) {
    return CUDART_CALL(find_in_clone(node, original, graph));
}

// ---- edges ----------------------------------------------------------------------------------------------

static cudaError_t change_edges(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                size_t count, bool add) {
    if (!cudart_is_graph(graph) || (count && (!from || !to))) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; i++) {
        if (!from[i] || !to[i] || from[i]->graph != graph || to[i]->graph != graph || from[i] == to[i])
            return cudaErrorInvalidValue;
        size_t at = 0;
        while (at < to[i]->need_count && to[i]->needs[at] != from[i]) at++;
        if (add != (at == to[i]->need_count)) return cudaErrorInvalidValue;
        if (add) {
            cudaError_t error = add_need(to[i], from[i]);
            if (error) return error;
        } else
            to[i]->needs[at] = to[i]->needs[--to[i]->need_count];
    }
    return cudaSuccess;
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                     const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                     size_t count) {
    return CUDART_CALL(change_edges(graph, from, to, count, true));
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                        const cudaGraphNode_t *to, const cudaGraphEdgeData *edges,
                                        size_t count) {
    return CUDART_CALL(change_edges(graph, from, to, count, false));
}

static cudaError_t destroy_node(cudaGraphNode_t node) {
    if (!node || !cudart_is_graph(node->graph)) return cudaErrorInvalidValue;
    struct CUgraph_st *g = node->graph;
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->need_count; k++)
            if (g->nodes[i]->needs[k] == node) {
                struct CUgraphNode_st *n = g->nodes[i];
                n->needs[k] = n->needs[--n->need_count];
                break;
            }
    memmove(g->nodes + node->index, g->nodes + node->index + 1,
            (g->count - node->index - 1) * sizeof *g->nodes);
    g->count--;
    for (size_t i = 0; i < g->count; i++) g->nodes[i]->index = i;
    free_node(node);
    return cudaSuccess;
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) { return CUDART_CALL(destroy_node(node)); }

// Lists come as CUDA gives them: the count alone where there is no room, else as many as fit, then NULLs.
typedef struct node_list {
    cudaGraphNode_t *to;
    size_t room, count;
} node_list;

static void list_add(node_list *list, cudaGraphNode_t node) {
    if (list->to && list->count < list->room) list->to[list->count] = node;
    list->count++;
}

static cudaError_t list_end(node_list *list, size_t *count) {
    for (size_t i = list->count; list->to && i < list->room; i++) list->to[i] = NULL;
    *count = list->to && list->count > list->room ? list->room : list->count;
    return cudaSuccess;
}

static cudaError_t get_nodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count, bool only_roots) {
    if (!cudart_is_graph(graph) || !count) return cudaErrorInvalidValue;
    node_list list = {.to = nodes, .room = *count};
    for (size_t i = 0; i < graph->count; i++)
        if (!only_roots || graph->nodes[i]->need_count == 0) list_add(&list, graph->nodes[i]);
    return list_end(&list, count);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return CUDART_CALL(get_nodes(graph, nodes, count, false));
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
    return CUDART_CALL(get_nodes(graph, nodes, count, true));
}

static cudaError_t get_edges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                             cudaGraphEdgeData *edges, size_t *count) {
    if (!cudart_is_graph(graph) || !count || !from != !to) return cudaErrorInvalidValue;
    node_list sources = {.to = from, .room = *count}, targets = {.to = to, .room = *count};
    if (edges && from) memset(edges, 0, *count * sizeof *edges);
    for (size_t i = 0; i < graph->count; i++)
        for (size_t k = 0; k < graph->nodes[i]->need_count; k++) {
            list_add(&sources, graph->nodes[i]->needs[k]);
            list_add(&targets, graph->nodes[i]);
        }
    list_end(&sources, count);
    return list_end(&targets, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                              cudaGraphEdgeData *edges, size_t *count) {
    return CUDART_CALL(get_edges(graph, from, to, edges, count));
}

static cudaError_t neighbours(cudaGraphNode_t node, cudaGraphNode_t *out, size_t *count, bool after) {
    if (!node || !count || !cudart_is_graph(node->graph)) return cudaErrorInvalidValue;
    node_list list = {.to = out, .room = *count};
    if (!after)
        for (size_t i = 0; i < node->need_count; i++) list_add(&list, node->needs[i]);
    for (size_t i = 0; after && i < node->graph->count; i++)
        for (size_t k = 0; k < node->graph->nodes[i]->need_count; k++)
            if (node->graph->nodes[i]->needs[k] == node) list_add(&list, node->graph->nodes[i]);
    return list_end(&list, count);
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *needs,
                                         cudaGraphEdgeData *edges, size_t *count) {
    return CUDART_CALL(neighbours(node, needs, count, false));
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                           cudaGraphEdgeData *edges, size_t *count) {
    return CUDART_CALL(neighbours(node, nodes, count, true));
}

// ---- running --------------------------------------------------------------------------------------------

// An order in which every node comes after what it needs; false where there is a cycle.
static bool order_nodes(cudaGraph_t graph, cudaGraphNode_t *order) {
    size_t done = 0;
    for (size_t i = 0; i < graph->count; i++) graph->nodes[i]->marked = false;
    for (bool moved = true; moved && done < graph->count;) {
        moved = false;
        for (size_t i = 0; i < graph->count; i++) {
            struct CUgraphNode_st *n = graph->nodes[i];
            bool ready = !n->marked;
            for (size_t k = 0; ready && k < n->need_count; k++) ready = n->needs[k]->marked;
            if (!ready) continue;
            n->marked = moved = true;
            order[done++] = n;
        }
    }
    return done == graph->count;
}

cudaError_t cudart_graph_run(cudaGraph_t graph) {
    cudaGraphNode_t *order = malloc((graph->count + 1) * sizeof *order);
    if (!order) return cudaErrorMemoryAllocation;
    cudaError_t error = order_nodes(graph, order) ? cudaSuccess : cudaErrorInvalidValue;
    cudart_order outer, all = {0};
    cudart_journal_graph_enter(graph, &outer);
    for (size_t i = 0; i < graph->count && !error; i++) {
        cudart_journal_node_enter(&outer, order[i]);
        if (!order[i]->disabled) error = cudart_op_run(&order[i]->op);
        cudart_journal_node_leave(order[i], &all);
    }
    cudart_journal_graph_leave(graph, &outer, &all);
    free(order);
    return error;
}

// ---- executable graphs ----------------------------------------------------------------------------------

static bool is_exec(cudaGraphExec_t exec) {
    for (struct CUgraphExec_st *e = cudart.execs; e; e = e->next)
        if (e == exec) return true;
    return false;
}

static cudaError_t instantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    if (!exec || !cudart_is_graph(graph)) return cudaErrorInvalidValue;
    *exec = NULL;
    cudaGraphNode_t *order = malloc((graph->count + 1) * sizeof *order);
    bool right = order && order_nodes(graph, order);
    free(order);
    if (!right) {
        cudart_say("cudaGraphInstantiate: the nodes of the graph need each other in a circle");
        return cudaErrorInvalidValue;
    }
    struct CUgraphExec_st *made = calloc(1, sizeof *made);
    if (made) made->graph = cudart_graph_copy(graph);
    if (!made || !made->graph) {
        free(made);
        return cudaErrorMemoryAllocation;
    }
    made->graph->is_child = true; // nobody else may destroy it
    made->flags = flags;
    made->next = cudart.execs;
    cudart.execs = made;
    cudart.journal.instantiations++;
    *exec = made;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
    return CUDART_CALL(instantiate(exec, graph, flags));
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                          unsigned long long flags) {
    return CUDART_CALL(instantiate(exec, graph, flags));
}

static cudaError_t instantiate_params(cudaGraphExec_t *exec, cudaGraph_t graph,
                                      cudaGraphInstantiateParams *params) {
    if (!params) return cudaErrorInvalidValue;
    cudaError_t error = instantiate(exec, graph, params->flags);
    params->errNode_out = NULL;
    params->result_out = error ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateSuccess;
    return error;
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
    return CUDART_CALL(instantiate_params(exec, graph, params));
}
CUDART_TWIN(cudaGraphInstantiateWithParams, _ptsz);

static cudaError_t exec_destroy(cudaGraphExec_t exec) {
    for (struct CUgraphExec_st **at = &cudart.execs; *at; at = &(*at)->next) {
        if (*at != exec) continue;
        *at = exec->next;
        cudart_graph_free(exec->graph);
        free(exec);
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) { return CUDART_CALL(exec_destroy(exec)); }

static cudaError_t exec_flags(cudaGraphExec_t exec, unsigned long long *flags) {
    if (!is_exec(exec) || !flags) return cudaErrorInvalidValue;
    *flags = exec->flags;
    return cudaSuccess;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
    return CUDART_CALL(exec_flags(exec, flags));
}

static cudaError_t launch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (!is_exec(exec)) return cudaErrorInvalidValue;
    cudart.journal.launch_calls++;
    if (cudart.clock) device_clock_issue(cudart.clock, device_graph_seconds());
    cudart_op op = {.kind = CUDART_OP_CHILD, .child = exec->graph};
    return cudart_submit(stream, &op);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    return CUDART_CALL(launch(exec, stream));
}
CUDART_TWIN(cudaGraphLaunch, _ptsz);

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
    return CUDART_CALL(is_exec(exec) ? cudaSuccess : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaGraphUpload, _ptsz);

// The node of an executable graph that was made from `node`; NULL where there is none.
cudaGraphNode_t cudart_exec_node(cudaGraphExec_t exec, cudaGraphNode_t node) {
    if (!is_exec(exec) || !node) return NULL;
    for (size_t i = 0; i < exec->graph->count; i++)
        if (exec->graph->nodes[i]->original == node) return exec->graph->nodes[i];
    return NULL;
}

static cudaError_t enable(cudaGraphExec_t exec, cudaGraphNode_t node, const unsigned *put, unsigned *get) {
    cudaGraphNode_t found = cudart_exec_node(exec, node);
    if (!found) return cudaErrorInvalidValue;
    cudart_op_kind kind = found->op.kind; // no others can be skipped
    if (kind != CUDART_OP_KERNEL && kind != CUDART_OP_COPY && kind != CUDART_OP_SET)
        return cudaErrorInvalidValue;
    if (put) found->disabled = !*put;
    if (get) *get = !found->disabled;
    return cudaSuccess;
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned on) {
    return CUDART_CALL(enable(exec, node, &on, NULL));
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *on) {
    return CUDART_CALL(on ? enable(exec, node, NULL, on) : cudaErrorInvalidValue);
}

static bool same_shape(cudaGraph_t a, cudaGraph_t b, cudaGraphExecUpdateResultInfo *info) {
    info->result = cudaGraphExecUpdateErrorTopologyChanged;
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        info->errorNode = b->nodes[i];
        if (a->nodes[i]->op.kind != b->nodes[i]->op.kind) {
            info->result = cudaGraphExecUpdateErrorNodeTypeChanged;
            return false;
        }
        if (a->nodes[i]->need_count != b->nodes[i]->need_count) return false;
        for (size_t k = 0; k < a->nodes[i]->need_count; k++)
            if (a->nodes[i]->needs[k]->index != b->nodes[i]->needs[k]->index) return false;
    }
    *info = (cudaGraphExecUpdateResultInfo){.result = cudaGraphExecUpdateSuccess};
    return true;
}

static cudaError_t update(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
    cudaGraphExecUpdateResultInfo own;
    if (!info) info = &own;
    *info = (cudaGraphExecUpdateResultInfo){0};
    if (!is_exec(exec) || !cudart_is_graph(graph)) return cudaErrorInvalidValue;
    if (!same_shape(exec->graph, graph, info)) return cudaErrorGraphExecUpdateFailure;
    for (size_t i = 0; i < graph->count; i++) {
        cudart_op kept;
        cudaError_t error = cudart_op_keep(&graph->nodes[i]->op, &kept);
        if (error) return error;
        cudart_op_drop(&exec->graph->nodes[i]->op);
        exec->graph->nodes[i]->op = kept;
        exec->graph->nodes[i]->original = graph->nodes[i];
    }
    return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info) {
    return CUDART_CALL(update(exec, graph, info));
}

// ---- a picture ------------------------------------------------------------------------------------------

static cudaError_t print_dot(cudaGraph_t graph, const char *path) {
    static const char *const kinds[] = {"empty", "kernel", "copy", "fill",  "host function",
                                        "graph", "record", "wait", "alloc", "free"};
    FILE *file = cudart_is_graph(graph) && path ? fopen(path, "w") : NULL;
    if (!file) return path ? cudaErrorOperatingSystem : cudaErrorInvalidValue;
    fprintf(file, "digraph {\n");
    for (size_t i = 0; i < graph->count; i++) {
        const struct CUgraphNode_st *n = graph->nodes[i];
        const char *name = n->op.kind == CUDART_OP_KERNEL ? cudart_readable(n->op.launch.function->name) : "";
        fprintf(file, "  n%zu [label=\"%zu: %s %s\"];\n", i, i, kinds[n->op.kind], name);
        for (size_t k = 0; k < n->need_count; k++) fprintf(file, "  n%zu -> n%zu;\n", n->needs[k]->index, i);
    }
    fprintf(file, "}\n");
    return fclose(file) ? cudaErrorOperatingSystem : cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    return CUDART_CALL(print_dot(graph, path));
}

// What the nodes of graphs hold: made, asked for, and changed, in graphs and in executable ones.
#include "runtime.h"

#include <string.h>

// ---- operations from the API's structs ------------------------------------------------------------------

static cudaError_t kernel_op(const struct cudaKernelNodeParams *p, cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_KERNEL};
    cudart_launch *l = &op->launch;
    if (!p) return cudaErrorInvalidValue;
    l->function = cudart_function_find(p->func);
    if (!l->function) return cudart_no_function(p->func);
    cudaError_t error = cudart_function_describe(l->function);
    if (error) return error;
    memcpy(l->grid, &p->gridDim, sizeof l->grid);
    memcpy(l->block, &p->blockDim, sizeof l->block);
    for (int i = 0; i < 3; i++)
        l->cluster[i] = l->function->cluster[i] ? l->function->cluster[i] : l->function->entry->cluster[i];
    l->shared = p->sharedMemBytes;
    l->args = p->kernelParams;
    l->params = *p;
    if (!l->args && l->function->entry->param_count) {
        cudart_say("a kernel node without kernelParams: packed arguments (`extra`) are not supported");
        return cudaErrorNotSupported;
    }
    return cudart_launch_check(l);
}

static cudaError_t copy_op(const struct cudaMemcpy3DParms *p, cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_COPY};
    cudaError_t error = p ? cudart_copy_of_params(p, "a copy of a graph", &op->copy) : cudaErrorInvalidValue;
    return error ? error : cudart_copy_check(&op->copy);
}

static cudaError_t set_op(const struct cudaMemsetParams *p, cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_SET};
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4))
        return cudaErrorInvalidValue;
    op->set = (cudart_set){.to = {(uint64_t)(uintptr_t)p->dst, p->pitch, 0},
                           .width = p->width,
                           .height = p->height,
                           .depth = 1,
                           .element = p->elementSize,
                           .value = p->value,
                           .call = "a fill of a graph"};
    return cudart_set_check(&op->set);
}

static cudaError_t host_op(const struct cudaHostNodeParams *p, cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_HOST};
    if (!p || !p->fn) return cudaErrorInvalidValue;
    op->host.function = p->fn;
    op->host.data = p->userData;
    return cudaSuccess;
}

static cudaError_t child_op(cudaGraph_t child, cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_CHILD, .child = child};
    return cudart_is_graph(child) ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t event_op(cudaEvent_t event, cudart_op_kind kind, cudart_op *op) {
    *op = (cudart_op){.kind = kind, .event = event};
    return cudart_is_event(event) ? cudaSuccess : cudaErrorInvalidValue;
}

// ---- adding, changing -----------------------------------------------------------------------------------

static cudaError_t add(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                       const cudart_op *op, cudaError_t error) {
    return error ? error : cudart_graph_add(graph, op, needs, count, node);
}

static cudaError_t change(cudaGraphNode_t node, const cudart_op *op, cudaError_t error) {
    cudart_op kept;
    if (!error && (!node || node->op.kind != op->kind)) error = cudaErrorInvalidValue;
    if (!error) error = cudart_op_keep(op, &kept);
    if (error) return error;
    if (op->kind == CUDART_OP_KERNEL) { // attributes of the node stay
        memcpy(kept.launch.cluster, node->op.launch.cluster, sizeof kept.launch.cluster);
        kept.launch.cooperative = node->op.launch.cooperative;
    }
    cudart_op_drop(&node->op);
    node->op = kept;
    return cudaSuccess;
}

static cudaError_t change_exec(cudaGraphExec_t exec, cudaGraphNode_t node, const cudart_op *op,
                               cudaError_t error) {
    return change(cudart_exec_node(exec, node), op, error);
}

#define WITH_OP(make, then)                                                                                  \
    ({                                                                                                       \
        cudart_op op;                                                                                        \
        cudaError_t made = (make);                                                                           \
        (then);                                                                                              \
    })

// A kind of node whose parameters are one struct: added, changed in the graph, changed in what was made of it.
#define NODE_OF_PARAMS(kind, params, make)                                                                   \
    cudaError_t cudaGraphAdd##kind##Node(cudaGraphNode_t *node, cudaGraph_t graph,                           \
                                         const cudaGraphNode_t *needs, size_t count, const params *p) {      \
        return CUDART_CALL(WITH_OP(make(p, &op), add(node, graph, needs, count, &op, made)));                \
    }                                                                                                        \
    cudaError_t cudaGraph##kind##NodeSetParams(cudaGraphNode_t node, const params *p) {                      \
        return CUDART_CALL(WITH_OP(make(p, &op), change(node, &op, made)));                                  \
    }                                                                                                        \
    cudaError_t cudaGraphExec##kind##NodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,               \
                                                   const params *p) {                                        \
        return CUDART_CALL(WITH_OP(make(p, &op), change_exec(exec, node, &op, made)));                       \
    }
NODE_OF_PARAMS(Kernel, struct cudaKernelNodeParams, kernel_op)
NODE_OF_PARAMS(Memcpy, struct cudaMemcpy3DParms, copy_op)
NODE_OF_PARAMS(Memset, struct cudaMemsetParams, set_op)
NODE_OF_PARAMS(Host, struct cudaHostNodeParams, host_op)

static cudaError_t copy_1d(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                           cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_COPY,
                      .copy = cudart_copy_1d(to, from, bytes, kind, "a copy of a graph")};
    return cudart_copy_check(&op->copy);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                     size_t count, void *to, const void *from, size_t bytes,
                                     enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        WITH_OP(copy_1d(to, from, bytes, kind, &op), add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void *to, const void *from, size_t bytes,
                                           enum cudaMemcpyKind kind) {
    return CUDART_CALL(WITH_OP(copy_1d(to, from, bytes, kind, &op), change(node, &op, made)));
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                               const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    return CUDART_CALL(WITH_OP(copy_1d(to, from, bytes, kind, &op), change_exec(exec, node, &op, made)));
}

static cudaError_t to_symbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                             enum cudaMemcpyKind kind, cudart_op *op) {
    void *to = NULL;
    cudaError_t error = cudart_symbol_address(symbol, offset, bytes, &to, "a copy of a graph");
    return error ? error : copy_1d(to, from, bytes, kind, op);
}

static cudaError_t from_symbol(void *to, const void *symbol, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind, cudart_op *op) {
    void *from = NULL;
    cudaError_t error = cudart_symbol_address(symbol, offset, bytes, &from, "a copy of a graph");
    return error ? error : copy_1d(to, from, bytes, kind, op);
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *needs, size_t count, const void *symbol,
                                           const void *from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind) {
    return CUDART_CALL(WITH_OP(to_symbol(symbol, from, bytes, offset, kind, &op),
                               add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    return CUDART_CALL(WITH_OP(to_symbol(symbol, from, bytes, offset, kind, &op), change(node, &op, made)));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                     const void *symbol, const void *from, size_t bytes,
                                                     size_t offset, enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        WITH_OP(to_symbol(symbol, from, bytes, offset, kind, &op), change_exec(exec, node, &op, made)));
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *needs, size_t count, void *to,
                                             const void *symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind) {
    return CUDART_CALL(WITH_OP(from_symbol(to, symbol, bytes, offset, kind, &op),
                               add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol,
                                                   size_t bytes, size_t offset, enum cudaMemcpyKind kind) {
    return CUDART_CALL(WITH_OP(from_symbol(to, symbol, bytes, offset, kind, &op), change(node, &op, made)));
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t bytes, size_t offset,
                                                       enum cudaMemcpyKind kind) {
    return CUDART_CALL(
        WITH_OP(from_symbol(to, symbol, bytes, offset, kind, &op), change_exec(exec, node, &op, made)));
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                       size_t count, cudaGraph_t child) {
    return CUDART_CALL(WITH_OP(child_op(child, &op), add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
    return CUDART_CALL(WITH_OP(child_op(child, &op), change_exec(exec, node, &op, made)));
}

static cudaError_t empty_op(cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_EMPTY};
    return cudaSuccess;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                  size_t count) {
    return CUDART_CALL(WITH_OP(empty_op(&op), add(node, graph, needs, count, &op, made)));
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *needs, size_t count, cudaEvent_t event) {
    return CUDART_CALL(
        WITH_OP(event_op(event, CUDART_OP_RECORD, &op), add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return CUDART_CALL(WITH_OP(event_op(event, CUDART_OP_RECORD, &op), change(node, &op, made)));
}
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
    return CUDART_CALL(WITH_OP(event_op(event, CUDART_OP_RECORD, &op), change_exec(exec, node, &op, made)));
}
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                      size_t count, cudaEvent_t event) {
    return CUDART_CALL(
        WITH_OP(event_op(event, CUDART_OP_WAIT, &op), add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
    return CUDART_CALL(WITH_OP(event_op(event, CUDART_OP_WAIT, &op), change(node, &op, made)));
}
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               cudaEvent_t event) {
    return CUDART_CALL(WITH_OP(event_op(event, CUDART_OP_WAIT, &op), change_exec(exec, node, &op, made)));
}

// Memory of a graph is taken when the node is made, and is the graph's for good.
static cudaError_t add_alloc(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             size_t count, struct cudaMemAllocNodeParams *p) {
    uint64_t address;
    if (!p) return cudaErrorInvalidValue;
    cudaError_t error =
        cudart_allocate(p->bytesize, CUDART_MEMORY_DEVICE, 0, "cudaGraphAddMemAllocNode", &address);
    if (error) return error;
    p->dptr = (void *)(uintptr_t)address;
    cudart_op op = {.kind = CUDART_OP_ALLOC, .alloc = *p};
    return cudart_graph_add(graph, &op, needs, count, node);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                     size_t count, struct cudaMemAllocNodeParams *p) {
    return CUDART_CALL(add_alloc(node, graph, needs, count, p));
}

static cudaError_t free_op(void *pointer, cudart_op *op) {
    *op = (cudart_op){.kind = CUDART_OP_FREE, .address = (uint64_t)(uintptr_t)pointer};
    return cudart_allocation_find(op->address) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                                    size_t count, void *pointer) {
    return CUDART_CALL(WITH_OP(free_op(pointer, &op), add(node, graph, needs, count, &op, made)));
}

// ---- one call for all kinds -----------------------------------------------------------------------------

static cudaError_t any_op(const struct cudaGraphNodeParams *p, cudart_op *op) {
    if (!p) return cudaErrorInvalidValue;
    switch (p->type) {
    case cudaGraphNodeTypeKernel: {
        struct cudaKernelNodeParams plain = {.func = p->kernel.func,
                                             .gridDim = p->kernel.gridDim,
                                             .blockDim = p->kernel.blockDim,
                                             .sharedMemBytes = p->kernel.sharedMemBytes,
                                             .kernelParams = p->kernel.kernelParams,
                                             .extra = p->kernel.extra};
        return kernel_op(&plain, op);
    }
    case cudaGraphNodeTypeMemcpy: return copy_op(&p->memcpy.copyParams, op);
    case cudaGraphNodeTypeMemset: {
        struct cudaMemsetParams plain = {.dst = p->memset.dst,
                                         .pitch = p->memset.pitch,
                                         .value = p->memset.value,
                                         .elementSize = p->memset.elementSize,
                                         .width = p->memset.width,
                                         .height = p->memset.height};
        return set_op(&plain, op);
    }
    case cudaGraphNodeTypeHost: {
        struct cudaHostNodeParams plain = {.fn = p->host.fn, .userData = p->host.userData};
        return host_op(&plain, op);
    }
    case cudaGraphNodeTypeGraph: return child_op(p->graph.graph, op);
    case cudaGraphNodeTypeEmpty: return empty_op(op);
    case cudaGraphNodeTypeEventRecord: return event_op(p->eventRecord.event, CUDART_OP_RECORD, op);
    case cudaGraphNodeTypeWaitEvent: return event_op(p->eventWait.event, CUDART_OP_WAIT, op);
    case cudaGraphNodeTypeMemFree: return free_op(p->free.dptr, op);
    default: return cudaErrorNotSupported;
    }
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *needs,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *p) {
    return CUDART_CALL(WITH_OP(any_op(p, &op), add(node, graph, needs, count, &op, made)));
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p) {
    return CUDART_CALL(WITH_OP(any_op(p, &op), change(node, &op, made)));
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       struct cudaGraphNodeParams *p) {
    return CUDART_CALL(WITH_OP(any_op(p, &op), change_exec(exec, node, &op, made)));
}

// ---- asking ---------------------------------------------------------------------------------------------

static bool is(cudaGraphNode_t node, cudart_op_kind kind) { return node && node->op.kind == kind; }

static cudaError_t get_type(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    static const enum cudaGraphNodeType types[] = {
        [CUDART_OP_EMPTY] = cudaGraphNodeTypeEmpty,        [CUDART_OP_KERNEL] = cudaGraphNodeTypeKernel,
        [CUDART_OP_COPY] = cudaGraphNodeTypeMemcpy,        [CUDART_OP_SET] = cudaGraphNodeTypeMemset,
        [CUDART_OP_HOST] = cudaGraphNodeTypeHost,          [CUDART_OP_CHILD] = cudaGraphNodeTypeGraph,
        [CUDART_OP_RECORD] = cudaGraphNodeTypeEventRecord, [CUDART_OP_WAIT] = cudaGraphNodeTypeWaitEvent,
        [CUDART_OP_ALLOC] = cudaGraphNodeTypeMemAlloc,     [CUDART_OP_FREE] = cudaGraphNodeTypeMemFree,
    };
    if (!node || !type) return cudaErrorInvalidValue;
    *type = types[node->op.kind];
    return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
    return CUDART_CALL(get_type(node, type));
}

#define GET(kind, out, value)                                                                                \
    (is(node, kind) && (out) ? (*(out) = (value), cudaSuccess) : cudaErrorInvalidValue)

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p) {
    return CUDART_CALL(GET(CUDART_OP_KERNEL, p, node->op.launch.params));
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *p) {
    return CUDART_CALL(GET(CUDART_OP_COPY, p, node->op.copy.params));
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *p) {
    const cudart_set *s = node ? &node->op.set : NULL;
    return CUDART_CALL(GET(CUDART_OP_SET, p,
                           ((struct cudaMemsetParams){.dst = (void *)(uintptr_t)s->to.address,
                                                      .pitch = s->to.pitch,
                                                      .value = s->value,
                                                      .elementSize = s->element,
                                                      .width = s->width,
                                                      .height = s->height})));
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *p) {
    return CUDART_CALL(
        GET(CUDART_OP_HOST, p,
            ((struct cudaHostNodeParams){.fn = node->op.host.function, .userData = node->op.host.data})));
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
    return CUDART_CALL(GET(CUDART_OP_CHILD, graph, node->op.child));
}
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return CUDART_CALL(GET(CUDART_OP_RECORD, event, node->op.event));
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
    return CUDART_CALL(GET(CUDART_OP_WAIT, event, node->op.event));
}
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *p) {
    return CUDART_CALL(GET(CUDART_OP_ALLOC, p, node->op.alloc));
}
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
    return CUDART_CALL(GET(CUDART_OP_FREE, (uint64_t *)pointer, node->op.address));
}

// ---- attributes of kernel nodes -------------------------------------------------------------------------

static cudaError_t attribute(cudaGraphNode_t node, cudaLaunchAttributeID id, cudaLaunchAttributeValue *get,
                             const cudaLaunchAttributeValue *put) {
    if (!is(node, CUDART_OP_KERNEL) || (unsigned)id >= BASE_COUNT(node->attributes) || (!get && !put))
        return cudaErrorInvalidValue;
    if (get) *get = node->attributes[id];
    if (!put) return cudaSuccess;
    node->attributes[id] = *put;
    if (id == cudaLaunchAttributeCooperative) node->op.launch.cooperative = put->cooperative != 0;
    if (id == cudaLaunchAttributeClusterDimension)
        memcpy(node->op.launch.cluster, &put->clusterDim, sizeof node->op.launch.cluster);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            cudaLaunchAttributeValue *value) {
    return CUDART_CALL(attribute(node, id, value, NULL));
}
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID id,
                                            const cudaLaunchAttributeValue *value) {
    return CUDART_CALL(attribute(node, id, NULL, value));
}

static cudaError_t copy_attributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    if (!is(to, CUDART_OP_KERNEL) || !is(from, CUDART_OP_KERNEL)) return cudaErrorInvalidValue;
    memcpy(to->attributes, from->attributes, sizeof to->attributes);
    to->op.launch.cooperative = from->op.launch.cooperative;
    memcpy(to->op.launch.cluster, from->op.launch.cluster, sizeof to->op.launch.cluster);
    return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
    return CUDART_CALL(copy_attributes(to, from));
}

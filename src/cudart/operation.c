// Operations: run now, or kept for later as a node of a graph.
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/library_call.h"

// In the program's headers cublasSgemm is a macro for cublasSgemm_v2.
void __cudaLibraryCall(const char *routine) {
    static const char *const suffixes[] = {"_64", "_v2"};
    char *name = cudart.journal.library_call;
    snprintf(name, sizeof cudart.journal.library_call, "%s", routine ? routine : "");
    for (size_t i = 0; i < BASE_COUNT(suffixes); i++) {
        size_t length = strlen(name);
        if (length > 3 && strcmp(name + length - 3, suffixes[i]) == 0) name[length - 3] = 0;
    }
}

static void call_host(const cudart_op *op) {
    // CUDA forbids API calls from host functions, but our cuBLAS is one that copies. The lock is held, and may be
    // taken again by this thread.
    cudart.journal.calls_host = true;
    cudart.host->call(op);
    cudart.journal.calls_host = false;
    cudart_journal_host_function_ended();
}

static cudaError_t run(const cudart_op *op) {
    bool has_event = op->kind == CUDART_OP_WAIT || op->kind == CUDART_OP_RECORD;
    if (has_event && !cudart_is_event(op->event)) return cudaErrorInvalidValue; // a graph's, destroyed since
    switch (op->kind) {
    case CUDART_OP_WAIT:
        cudart_journal_wait(op->event);
        if (cudart.journal.stream) cudart.journal.stream->waited_in_vain = !op->event->recorded;
        return cudaSuccess; // what was recorded has been done
    case CUDART_OP_EMPTY:
    case CUDART_OP_ALLOC: // its memory was taken when the node was made
    case CUDART_OP_FREE: return cudaSuccess;
    case CUDART_OP_KERNEL: return cudart_launch_run(&op->launch);
    case CUDART_OP_COPY: return cudart.pending ? cudaSuccess : cudart_copy_run(&op->copy);
    case CUDART_OP_SET: return cudart.pending ? cudaSuccess : cudart_set_run(&op->set);
    case CUDART_OP_HOST: call_host(op); return cudaSuccess;
    case CUDART_OP_CHILD: return cudart_graph_run(op->child);
    case CUDART_OP_RECORD:
        cudart_journal_record(op->event);
        op->event->recorded = true;
        op->event->capture = NULL;
        op->event->when = cudart_now();
        return cudaSuccess;
    }
    return cudaErrorUnknown;
}

cudaError_t cudart_op_run(const cudart_op *op) {
    cudart_journal_add(op);
    cudart_uses_begin(op);
    cudaError_t error = run(op);
    cudart_uses_end();
    cudart_clock_add(op);
    return error;
}

cudaError_t cudart_op_keep(const cudart_op *from, cudart_op *kept) {
    *kept = *from;
    if (from->kind == CUDART_OP_KERNEL) return cudart_launch_keep(&from->launch, &kept->launch);
    if (from->kind == CUDART_OP_CHILD) {
        kept->child = cudart_graph_copy(from->child);
        if (!kept->child) return cudaErrorMemoryAllocation;
        kept->child->is_child = true;
    }
    return cudaSuccess;
}

void cudart_op_drop(cudart_op *op) {
    if (op->kind == CUDART_OP_KERNEL) free(op->launch.storage);
    if (op->kind == CUDART_OP_CHILD) cudart_graph_free(op->child);
    *op = (cudart_op){0};
}

// The legacy stream would have to wait for a stream that captures.
static cudaError_t check_legacy(cudaStream_t stream) {
    if (stream != &cudart.legacy) return cudaSuccess;
    for (cudart_capture *c = cudart.captures; c; c = c->next) {
        if (c->origin->flags & cudaStreamNonBlocking) continue;
        c->invalid = true;
        return cudaErrorStreamCaptureImplicit;
    }
    return cudaSuccess;
}

cudaError_t cudart_submit(cudaStream_t handle, const cudart_op *op) {
    cudaStream_t stream;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    cudart_capture *capture = stream->capture;
    if (cudart.journal.calls_host) {
        error = cudart_op_run(op);
        cudart.journal.base = cudart.journal.after; // its next one comes after
        return error;
    }
    if (!capture) {
        error = check_legacy(stream);
        if (error) return error;
        cudart_journal_enter(stream);
        error = cudart_op_run(op);
        cudart_journal_leave();
        return error;
    }
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    cudaGraphNode_t node;
    error = cudart_graph_add(capture->graph, op, stream->last, stream->last_count, &node);
    if (error) return error;
    stream->last_count = 0;
    return cudart_stream_depend(stream, &node, 1);
}

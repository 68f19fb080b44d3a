// Capturing: what streams are asked to do becomes the nodes of a graph.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

cudaError_t cudart_capture_forbids(const char *call) {
    if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    for (cudart_capture *c = cudart.captures; c; c = c->next) {
        if (c->mode == cudaStreamCaptureModeRelaxed) continue;
        c->invalid = true;
        cudart_say(
            "%s is not possible while a stream is being captured: it would have to wait for the device\n"
            "  do it before cudaStreamBeginCapture, or take the form that ends in Async on the captured "
            "stream",
            call);
        return cudaErrorStreamCaptureUnsupported;
    }
    return cudaSuccess;
}

// ---- what the next node depends on ----------------------------------------------------------------------

cudaError_t cudart_stream_depend(cudaStream_t stream, cudaGraphNode_t const *nodes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t k = 0; k < stream->last_count; k++) known |= stream->last[k] == nodes[i];
        if (known) continue;
        cudaGraphNode_t *grown = realloc(stream->last, (stream->last_count + 1) * sizeof *grown);
        if (!grown) return cudaErrorMemoryAllocation;
        stream->last = grown;
        stream->last[stream->last_count++] = nodes[i];
    }
    return cudaSuccess;
}

cudaError_t cudart_stream_joins(cudaStream_t stream, cudart_capture *capture) {
    if (stream == &cudart.legacy) {
        capture->invalid = true;
        return cudaErrorStreamCaptureImplicit;
    }
    stream->capture = capture;
    stream->last_count = 0;
    capture->streams++;
    return cudaSuccess;
}

static void leave(cudaStream_t stream) {
    stream->capture = NULL;
    free(stream->last);
    stream->last = NULL;
    stream->last_count = 0;
}

// ---- begin and end --------------------------------------------------------------------------------------

static cudaError_t begin(cudaStream_t handle, cudaGraph_t graph, const cudaGraphNode_t *needs, size_t count,
                         enum cudaStreamCaptureMode mode) {
    cudaStream_t stream;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    if (stream == &cudart.legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream->capture) return cudaErrorIllegalState;
    if (mode > cudaStreamCaptureModeRelaxed || (count && !needs)) return cudaErrorInvalidValue;
    cudart_capture *capture = calloc(1, sizeof *capture);
    if (!capture) return cudaErrorMemoryAllocation;
    capture->own_graph = !graph;
    if (!graph && cudaGraphCreate(&graph, 0)) {
        free(capture);
        return cudaErrorMemoryAllocation;
    }
    capture->graph = graph;
    capture->origin = stream;
    capture->mode = mode;
    capture->id = cudart.next_id++;
    capture->next = cudart.captures;
    cudart.captures = capture;
    stream->capture = capture;
    stream->last_count = 0;
    return cudart_stream_depend(stream, needs, count);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    return CUDART_CALL(begin(stream, NULL, NULL, 0, mode));
}
CUDART_TWIN(cudaStreamBeginCapture, _ptsz);

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *needs, const cudaGraphEdgeData *edges,
                                          size_t count, enum cudaStreamCaptureMode mode) {
    return CUDART_CALL(graph ? begin(stream, graph, needs, count, mode) : cudaErrorInvalidValue);
}
CUDART_TWIN(cudaStreamBeginCaptureToGraph, _ptsz);

// Whether every end of the graph is one that the origin has waited for.
static bool is_joined(const cudart_capture *capture) {
    const struct CUgraph_st *g = capture->graph;
    for (size_t i = 0; i < g->count; i++) g->nodes[i]->marked = false;
    for (size_t i = 0; i < g->count; i++)
        for (size_t k = 0; k < g->nodes[i]->need_count; k++) g->nodes[i]->needs[k]->marked = true;
    for (size_t k = 0; k < capture->origin->last_count; k++) capture->origin->last[k]->marked = true;
    for (size_t i = 0; i < g->count; i++)
        if (!g->nodes[i]->marked) return false;
    return true;
}

static void end_capture(cudart_capture *capture) {
    for (struct CUstream_st *s = cudart.streams; s; s = s->next)
        if (s->capture == capture) leave(s);
    for (cudart_capture **at = &cudart.captures; *at; at = &(*at)->next)
        if (*at == capture) {
            *at = capture->next;
            break;
        }
    free(capture);
}

void cudart_capture_leave(cudaStream_t stream) {
    cudart_capture *capture = stream->capture;
    if (!capture) return;
    capture->invalid = true;
    leave(stream);
    if (capture->origin != stream) return;
    cudaGraph_t made = capture->graph;
    bool own = capture->own_graph;
    end_capture(capture);
    if (own) cudart_graph_free(made);
}

bool cudart_is_captured(cudaGraph_t graph) {
    for (const cudart_capture *c = cudart.captures; c; c = c->next)
        if (c->graph == graph) return true;
    return false;
}

static cudaError_t end(cudaStream_t handle, cudaGraph_t *graph) {
    cudaStream_t stream;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    if (!graph) return cudaErrorInvalidValue;
    *graph = NULL;
    cudart_capture *capture = stream->capture;
    if (!capture) return cudaErrorIllegalState;
    if (capture->origin != stream) return cudaErrorStreamCaptureUnmatched;
    if (capture->invalid)
        error = cudaErrorStreamCaptureInvalidated;
    else if (capture->streams && !is_joined(capture)) {
        cudart_say("cudaStreamEndCapture: another stream took part in the capture, and the first did not "
                   "wait for it\n"
                   "  record an event on that stream and let the first wait for it (cudaStreamWaitEvent)");
        error = cudaErrorStreamCaptureUnjoined;
    }
    cudaGraph_t made = capture->graph;
    bool own = capture->own_graph;
    end_capture(capture);
    if (!error)
        *graph = made;
    else if (own)
        cudaGraphDestroy(made);
    return error;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
    return CUDART_CALL(end(stream, graph));
}
CUDART_TWIN(cudaStreamEndCapture, _ptsz);

// ---- questions ------------------------------------------------------------------------------------------

static enum cudaStreamCaptureStatus status_of(cudaStream_t stream) {
    if (!stream->capture) return cudaStreamCaptureStatusNone;
    return stream->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

static cudaError_t is_capturing(cudaStream_t handle, enum cudaStreamCaptureStatus *status) {
    cudaStream_t stream;
    cudaError_t error = status ? cudart_stream_find(handle, &stream) : cudaErrorInvalidValue;
    if (!error) *status = status_of(stream);
    return error;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    return CUDART_CALL(is_capturing(stream, status));
}
CUDART_TWIN(cudaStreamIsCapturing, _ptsz);

static cudaError_t capture_info(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **needs,
                                const cudaGraphEdgeData **edges, size_t *count) {
    cudaStream_t stream;
    cudaError_t error = status ? cudart_stream_find(handle, &stream) : cudaErrorInvalidValue;
    if (error) return error;
    *status = status_of(stream);
    if (!stream->capture) return cudaSuccess;
    if (id) *id = stream->capture->id;
    if (graph) *graph = stream->capture->graph;
    if (needs) *needs = stream->last;
    if (edges) *edges = NULL;
    if (count) *count = stream->last_count;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **needs, const cudaGraphEdgeData **edges,
                                     size_t *count) {
    return CUDART_CALL(capture_info(stream, status, id, graph, needs, edges, count));
}
CUDART_TWIN(cudaStreamGetCaptureInfo, _ptsz);

static cudaError_t update_needs(cudaStream_t handle, const cudaGraphNode_t *needs, size_t count,
                                unsigned flags) {
    cudaStream_t stream;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    if (!stream->capture) return cudaErrorIllegalState;
    if (flags == cudaStreamSetCaptureDependencies) stream->last_count = 0;
    return cudart_stream_depend(stream, needs, count);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *needs,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned flags) {
    return CUDART_CALL(update_needs(stream, needs, count, flags));
}
CUDART_TWIN(cudaStreamUpdateCaptureDependencies, _ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    if (!mode || *mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

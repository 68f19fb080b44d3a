// Streams and events. Work is done when it is enqueued, so a stream never has work left: waiting for one
// means to look at faults. When it would have been done on a GPU is the model's business (clock.c), and an event's
// time is by that. Capturing is in capture.c.
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

// ---- finding --------------------------------------------------------------------------------------------

cudaError_t cudart_stream_find(cudaStream_t handle, cudaStream_t *stream) {
    if (handle == NULL) handle = cudart.is_per_thread ? cudaStreamPerThread : cudaStreamLegacy;
    *stream = handle == cudaStreamPerThread ? cudart_own_stream() : &cudart.legacy;
    if (handle == cudaStreamLegacy || handle == cudaStreamPerThread) return cudaSuccess;
    for (struct CUstream_st *s = cudart.streams; s; s = s->next)
        if (s == handle) {
            *stream = s;
            return cudaSuccess;
        }
    return cudaErrorInvalidResourceHandle;
}

bool cudart_is_event(cudaEvent_t event) {
    for (struct CUevent_st *e = cudart.events; e; e = e->next)
        if (e == event) return true;
    return false;
}

// ---- streams --------------------------------------------------------------------------------------------

static cudaError_t stream_create(cudaStream_t *stream, unsigned flags, int priority) {
    if (!stream || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    struct CUstream_st *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->flags = flags;
    made->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    made->id = cudart.next_id++;
    made->next = cudart.streams;
    cudart.streams = made;
    *stream = made;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return CUDART_CALL(stream_create(stream, 0, 0)); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) {
    return CUDART_CALL(stream_create(stream, flags, 0));
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    return CUDART_CALL(stream_create(stream, flags, priority));
}

static cudaError_t stream_destroy(cudaStream_t handle) {
    for (struct CUstream_st **at = &cudart.streams; *at; at = &(*at)->next) {
        if (*at != handle || handle->is_own) continue;
        cudart_capture_leave(handle);
        *at = handle->next;
        cudart_journal_forget(handle);
        free(handle);
        return cudaSuccess;
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) { return CUDART_CALL(stream_destroy(stream)); }

static cudaError_t stream_wait(cudaStream_t handle, bool is_wait) {
    cudaStream_t stream;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    if (stream->capture) {
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
    }
    if (is_wait)
        cudart_journal_count_wait();
    else
        cudart_journal_stream_asked(stream);
    cudart_journal_stream_ended(stream);
    return cudart_synchronize();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return CUDART_CALL(stream_wait(stream, true)); }
CUDART_TWIN(cudaStreamSynchronize, _ptsz);
cudaError_t cudaStreamQuery(cudaStream_t stream) { return CUDART_CALL(stream_wait(stream, false)); }
CUDART_TWIN(cudaStreamQuery, _ptsz);

static cudaError_t device_wait(void) {
    cudaError_t error = cudart_capture_forbids("cudaDeviceSynchronize");
    if (!error) cudart_journal_count_wait(), cudart_journal_all_ended();
    return error ? error : cudart_synchronize();
}

cudaError_t cudaDeviceSynchronize(void) { return CUDART_CALL(device_wait()); }

typedef enum stream_question { FLAGS, PRIORITY, ID, DEVICE } stream_question;
static cudaError_t stream_ask(cudaStream_t handle, stream_question question, void *answer) {
    cudaStream_t s;
    cudaError_t error = answer ? cudart_stream_find(handle, &s) : cudaErrorInvalidValue;
    if (error) return error;
    switch (question) {
    case FLAGS: *(unsigned *)answer = s->flags; break;
    case PRIORITY: *(int *)answer = s->priority; break;
    case ID: *(unsigned long long *)answer = s->id; break;
    case DEVICE: *(int *)answer = 0; break;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
    return CUDART_CALL(stream_ask(stream, FLAGS, flags));
}
CUDART_TWIN(cudaStreamGetFlags, _ptsz);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    return CUDART_CALL(stream_ask(stream, PRIORITY, priority));
}
CUDART_TWIN(cudaStreamGetPriority, _ptsz);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
    return CUDART_CALL(stream_ask(stream, ID, id));
}
CUDART_TWIN(cudaStreamGetId, _ptsz);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device) {
    return CUDART_CALL(stream_ask(stream, DEVICE, device));
}
CUDART_TWIN(cudaStreamGetDevice, _ptsz);

// Attributes (the window of L2 that stays, and so on) are kept and change nothing.
static cudaError_t stream_attribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                    cudaLaunchAttributeValue *get, const cudaLaunchAttributeValue *put) {
    cudaStream_t s;
    cudaError_t error = cudart_stream_find(handle, &s);
    if (error) return error;
    if ((!get && !put) || (unsigned)id >= BASE_COUNT(s->attributes)) return cudaErrorInvalidValue;
    if (get) *get = s->attributes[id];
    if (put) s->attributes[id] = *put;
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   cudaLaunchAttributeValue *value) {
    return CUDART_CALL(stream_attribute(stream, id, value, NULL));
}
CUDART_TWIN(cudaStreamGetAttribute, _ptsz);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value) {
    return CUDART_CALL(stream_attribute(stream, id, NULL, value));
}
CUDART_TWIN(cudaStreamSetAttribute, _ptsz);

static cudaError_t stream_copy_attributes(cudaStream_t to, cudaStream_t from) {
    cudaStream_t a, b;
    cudaError_t error = cudart_stream_find(to, &a);
    if (!error) error = cudart_stream_find(from, &b);
    if (!error) memcpy(a->attributes, b->attributes, sizeof a->attributes);
    return error;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    return CUDART_CALL(stream_copy_attributes(to, from));
}
CUDART_TWIN(cudaStreamCopyAttributes, _ptsz);

// All of a managed allocation, and one stream, the host or everybody.
static cudaError_t attach(cudaStream_t stream, void *pointer, size_t length, unsigned flags) {
    cudaStream_t found;
    cudaError_t error = cudart_stream_find(stream, &found);
    if (error) return error;
    const cudart_allocation *a = cudart_allocation_find((uint64_t)(uintptr_t)pointer);
    bool whole = !a || length == 0 || length == a->bytes;
    bool known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle;
    return (a && a->kind == CUDART_MEMORY_DEVICE) || !whole || !known ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t length, unsigned flags) {
    return CUDART_CALL(attach(stream, pointer, length, flags));
}
CUDART_TWIN(cudaStreamAttachMemAsync, _ptsz);

// ---- host functions -------------------------------------------------------------------------------------

static cudaError_t host_function(cudaStream_t stream, cudaHostFn_t function, void *data) {
    cudart_op op = {.kind = CUDART_OP_HOST, .host = {.function = function, .data = data}};
    return function ? cudart_submit(stream, &op) : cudaErrorInvalidValue;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    return CUDART_CALL(host_function(stream, function, data));
}
CUDART_TWIN(cudaLaunchHostFunc, _ptsz);

static cudaError_t callback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags) {
    cudart_op op = {.kind = CUDART_OP_HOST, .host = {.callback = function, .data = data, .stream = stream}};
    return function && !flags ? cudart_submit(stream, &op) : cudaErrorInvalidValue;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data,
                                  unsigned flags) {
    return CUDART_CALL(callback(stream, function, data, flags));
}
CUDART_TWIN(cudaStreamAddCallback, _ptsz);

// ---- events ---------------------------------------------------------------------------------------------

static cudaError_t event_create(cudaEvent_t *event, unsigned flags) {
    bool timed_elsewhere = (flags & cudaEventInterprocess) && !(flags & cudaEventDisableTiming);
    if (!event || flags > 7 || timed_elsewhere) return cudaErrorInvalidValue;
    struct CUevent_st *made = calloc(1, sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    made->flags = flags;
    if (!(flags & cudaEventDisableTiming)) cudart_clock_start();
    made->next = cudart.events;
    cudart.events = made;
    *event = made;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return CUDART_CALL(event_create(event, 0)); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    return CUDART_CALL(event_create(event, flags));
}

static cudaError_t event_destroy(cudaEvent_t event) {
    for (struct CUevent_st **at = &cudart.events; *at; at = &(*at)->next) {
        if (*at != event) continue;
        *at = event->next;
        free(event->nodes);
        free(event);
        return cudaSuccess;
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) { return CUDART_CALL(event_destroy(event)); }

static cudaError_t keep_nodes(cudaEvent_t event, cudaStream_t stream) {
    size_t bytes = stream->last_count * sizeof *event->nodes;
    cudaGraphNode_t *nodes = malloc(bytes ? bytes : 1);
    if (!nodes) return cudaErrorMemoryAllocation;
    if (bytes) memcpy(nodes, stream->last, bytes);
    free(event->nodes);
    event->nodes = nodes;
    event->node_count = stream->last_count;
    event->capture = stream->capture;
    event->capture_id = stream->capture->id;
    return cudaSuccess;
}

static cudaError_t event_record(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
    cudaStream_t stream;
    if (!cudart_is_event(event)) return cudaErrorInvalidResourceHandle;
    if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    if (stream->capture && flags != cudaEventRecordExternal) {
        if (stream->capture->invalid) return cudaErrorStreamCaptureInvalidated;
        return keep_nodes(event, stream);
    }
    cudart_op op = {.kind = CUDART_OP_RECORD, .event = event};
    return cudart_submit(handle, &op);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return CUDART_CALL(event_record(event, stream, 0));
}
CUDART_TWIN(cudaEventRecord, _ptsz);
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
    return CUDART_CALL(event_record(event, stream, flags));
}
CUDART_TWIN(cudaEventRecordWithFlags, _ptsz);

// The capture that the event was recorded in, if that is still going on.
static cudart_capture *capture_of(cudaEvent_t event) {
    for (cudart_capture *c = cudart.captures; c; c = c->next)
        if (c == event->capture && c->id == event->capture_id) return c;
    return NULL;
}

static cudaError_t stream_wait_event(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
    cudaStream_t stream;
    if (!cudart_is_event(event)) return cudaErrorInvalidResourceHandle;
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    cudaError_t error = cudart_stream_find(handle, &stream);
    if (error) return error;
    cudart_capture *capture = capture_of(event);
    if (capture) {
        if (stream->capture && stream->capture != capture) {
            stream->capture->invalid = capture->invalid = true;
            return cudaErrorStreamCaptureMerge;
        }
        if (!stream->capture) error = cudart_stream_joins(stream, capture);
        return error ? error : cudart_stream_depend(stream, event->nodes, event->node_count);
    }
    if (stream->capture && !(flags & cudaEventWaitExternal)) {
        stream->capture->invalid = true;
        return cudaErrorStreamCaptureIsolation;
    }
    cudart_op op = {.kind = CUDART_OP_WAIT, .event = event};
    return cudart_submit(handle, &op);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    return CUDART_CALL(stream_wait_event(stream, event, flags));
}
CUDART_TWIN(cudaStreamWaitEvent, _ptsz);

static cudaError_t event_wait(cudaEvent_t event, bool is_wait) {
    if (!cudart_is_event(event)) return cudaErrorInvalidResourceHandle;
    if (capture_of(event)) {
        capture_of(event)->invalid = true;
        return cudaErrorCapturedEvent;
    }
    if (is_wait)
        cudart_journal_count_wait();
    else
        cudart_journal_event_asked(event);
    cudart_journal_event_ended(event);
    return cudart_synchronize();
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) { return CUDART_CALL(event_wait(event, true)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return CUDART_CALL(event_wait(event, false)); }

static cudaError_t event_elapsed(float *ms, cudaEvent_t start, cudaEvent_t end) {
    if (!ms) return cudaErrorInvalidValue;
    if (!cudart_is_event(start) || !cudart_is_event(end)) return cudaErrorInvalidResourceHandle;
    if ((start->flags | end->flags) & cudaEventDisableTiming) return cudaErrorInvalidResourceHandle;
    if (!start->recorded || !end->recorded) return cudaErrorInvalidResourceHandle;
    if (!cudart_journal_has_ended(start) || !cudart_journal_has_ended(end)) {
        cudart_say(
            "cudaEventElapsedTime: nobody has waited for the %s event, and on a GPU its work may still be "
            "going on\n  call cudaEventSynchronize on the later of the two first",
            cudart_journal_has_ended(end) ? "first" : "second");
        return cudaErrorNotReady;
    }
    cudart_journal_timed(start, end);
    *ms =
        cudart.clock
            ? (float)((cudart_clock_seconds(end->order.moment) - cudart_clock_seconds(start->order.moment)) *
                      1e3)
            : (float)((end->when - start->when) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end) {
    return CUDART_CALL(event_elapsed(ms, start, end));
}

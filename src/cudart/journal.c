// What the host asked for, and in which order it must happen: the lines "operation" and "host" of the record.
//
// Work is done at once here, but a GPU may do it in any order that streams, events and the host's waiting leave
// free. Each operation gets the set of those that must have ended before it starts; two operations of which
// neither is in the other's set may run side by side. A stream's set is what its next operation waits for, an
// event's what was in its stream when it was recorded, the host's what it has waited for: all that it asks for
// later comes after. Sets are vector clocks (observe/streams.h). The first CUDART_KEPT operations are kept; counts go on.
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static void join(cudart_order *to, const cudart_order *from) {
    observe_order_join(&to->set, &from->set);
    if (cudart.clock) to->moment = device_clock_join(cudart.clock, to->moment, from->moment);
}

// The host has waited: what it asks for from now on comes later, by its own time.
static void join_host(const cudart_order *order) {
    observe_order_join(&cudart.journal.host.set, &order->set);
    cudart_clock_wait(order->moment, false);
    cudart_uses_waited();
}

static bool holds(const cudart_order *order, size_t i) {
    return observe_order_has(&order->set, cudart.journal.done[i].turn);
}

// ---- streams and events -----------------------------------------------------------------------------------

// The legacy stream waits for all that is in streams that do not refuse it, and they wait for it.
static void frontier(cudaStream_t stream, cudart_order *order) {
    *order = stream->order;
    join(order, &cudart.journal.host);
    if (stream->flags & cudaStreamNonBlocking) return;
    join(order, &cudart.legacy.order);
    if (stream != &cudart.legacy) return;
    join(order, &cudart.journal.orphans);
    for (struct CUstream_st *s = cudart.streams; s; s = s->next)
        if (!(s->flags & cudaStreamNonBlocking)) join(order, &s->order);
}

void cudart_journal_enter(cudaStream_t stream) {
    cudart_journal *j = &cudart.journal;
    frontier(stream, &j->base);
    j->after = j->base;
    j->stream = stream;
}

void cudart_journal_leave(void) {
    if (cudart.journal.stream) cudart.journal.stream->order = cudart.journal.after;
    cudart.journal.stream = NULL;
}

void cudart_journal_node_enter(const cudart_order *outer, cudaGraphNode_t node) {
    cudart_journal *j = &cudart.journal;
    j->base = *outer;
    for (size_t i = 0; i < node->need_count; i++) join(&j->base, &node->needs[i]->order);
    j->after = j->base;
    j->graphs++;
}

void cudart_journal_node_leave(cudaGraphNode_t node, cudart_order *all) {
    node->order = cudart.journal.after;
    join(all, &node->order);
    cudart.journal.graphs--;
}

// Runs of one executable graph follow each other, in whatever streams they are (CUDA Programming Guide, "CUDA Graphs").
void cudart_journal_graph_enter(cudaGraph_t graph, cudart_order *outer) {
    *outer = cudart.journal.base;
    join(outer, &graph->ran);
}

void cudart_journal_graph_leave(cudaGraph_t graph, const cudart_order *outer, const cudart_order *all) {
    cudart.journal.base = *outer;
    cudart.journal.after = *outer;
    join(&cudart.journal.after, all);
    graph->ran = cudart.journal.after;
}

void cudart_journal_record(cudaEvent_t event) {
    event->order = cudart.journal.base;
    if (cudart.clock) {
        cudart.marked = event->order.moment; // what comes next starts after the event
        event->order.moment = device_clock_mark(cudart.clock, event->order.moment);
    }
}
void cudart_journal_wait(cudaEvent_t event) { join(&cudart.journal.after, &event->order); }

void cudart_journal_forget(cudaStream_t stream) {
    if (!(stream->flags & cudaStreamNonBlocking)) join(&cudart.journal.orphans, &stream->order);
}

// ---- the host waits ---------------------------------------------------------------------------------------

void cudart_journal_stream_ended(cudaStream_t stream) {
    cudart_order order;
    frontier(stream, &order);
    join_host(&order);
}

void cudart_journal_event_ended(cudaEvent_t event) { join_host(&event->order); }

// A host function may set a flag, or start a thread: the rest of the host then knows what came before it.
void cudart_journal_host_function_ended(void) {
    observe_order_join(&cudart.journal.host.set, &cudart.journal.base.set);
    cudart_uses_waited();
}

void cudart_journal_all_ended(void) {
    memcpy(cudart.journal.host.set.ended, cudart.journal.chains.last, sizeof cudart.journal.chains.last);
    cudart_clock_wait(0, true);
    cudart_uses_waited();
}

void cudart_journal_count_wait(void) { cudart.journal.synchronisations++; }

// Here the device has always caught up, so a query says so at once; whoever asks until it does has waited, as has who
// frees memory.
static void count_query(const cudart_order *order) {
    if (!observe_order_covers(&cudart.journal.host.set, &order->set)) cudart_journal_count_wait();
}

void cudart_journal_stream_asked(cudaStream_t stream) {
    cudart_order order;
    frontier(stream, &order);
    count_query(&order);
}

void cudart_journal_event_asked(cudaEvent_t event) { count_query(&event->order); }

void cudart_journal_device_asked(void) {
    cudart_order order = {0};
    memcpy(order.set.ended, cudart.journal.chains.last, sizeof order.set.ended);
    count_query(&order);
}

bool cudart_journal_has_ended(const struct CUevent_st *event) {
    return observe_order_covers(&cudart.journal.host.set, &event->order.set);
}

void cudart_journal_timed(const struct CUevent_st *start, const struct CUevent_st *end) {
    cudart_journal *j = &cudart.journal;
    for (size_t i = 0; i < j->kept; i++) {
        if (!holds(&end->order, i) || holds(&start->order, i)) continue;
        if (j->done[i].kind == CUDART_DONE_KERNEL) j->done[i].timed++;
        if (cudart_work_is_across(&j->done[i])) j->timed_copies++;
    }
}

// ---- operations -------------------------------------------------------------------------------------------

typedef enum side { DEVICE, PINNED, PAGEABLE } side;
static side side_of(uint64_t address) {
    const cudart_allocation *a = cudart_allocation_find(address);
    if (!a) return sim_memory_is_device(cudart.machine, address) ? DEVICE : PAGEABLE;
    return a->kind == CUDART_MEMORY_PINNED || a->kind == CUDART_MEMORY_REGISTERED ? PINNED : DEVICE;
}

// Managed memory.
static bool is_seen(uint64_t address) { return cudart_is_on_device(address) && cudart_is_on_host(address); }

static bool waits_for_copy(void) { return !cudart.journal.graphs && !cudart.journal.calls_host; }

// The host waits for a copy that was asked for so, and, as CUDA documents it, for one that has pageable memory on
// a side; not for one within the device, and not for the nodes of a graph. It waits for a fill of memory that it sees.
static void describe_copy(const cudart_copy *c, cudart_done *done) {
    side to = side_of(c->to.address), from = side_of(c->from.address);
    done->kind = to == DEVICE && from == DEVICE ? CUDART_DONE_COPY
                 : to == DEVICE                 ? CUDART_DONE_TO_DEVICE
                 : from == DEVICE               ? CUDART_DONE_TO_HOST
                                                : CUDART_DONE_COPY;
    done->bytes = (uint64_t)c->width * c->height * c->depth;
    bool across = done->kind != CUDART_DONE_COPY;
    done->pageable = across && (to == PAGEABLE || from == PAGEABLE);
    done->on_host = !across && to != DEVICE;
    bool on_device = to == DEVICE && from == DEVICE && !is_seen(c->to.address) && !is_seen(c->from.address);
    done->blocking = waits_for_copy() && !on_device && (c->waits || to == PAGEABLE || from == PAGEABLE);
    done->to = c->to.address;
    done->from = c->from.address;
    done->range = c->height * c->depth > 1 ? c->width : done->bytes; // of rows the first alone
    const cudart_rows *rows = to == DEVICE ? &c->to : &c->from;
    done->span = done->bytes ? (c->depth - 1) * rows->slice + (c->height - 1) * rows->pitch + c->width : 0;
}

// What a kernel's pointers point at; where else it reaches from there is not known.
static void describe_launch(const cudart_launch *l, cudart_done *done) {
    done->kind = CUDART_DONE_KERNEL;
    const char *name = cudart_readable(l->function->name);
    snprintf(done->kernel, sizeof done->kernel, "%.*s", (int)strcspn(name, "("), name);
    const ptx_function *entry = l->function->entry;
    for (size_t i = 0; i < entry->param_count && done->pointer_count < CUDART_POINTERS; i++) {
        uint64_t value;
        if (entry->params[i]->size != sizeof value) continue;
        memcpy(&value, l->args[i], sizeof value);
        if (cudart_is_on_device(value)) done->pointers[done->pointer_count++] = value;
    }
}

static void count(const cudart_done *done) {
    cudart_journal *j = &cudart.journal;
    j->operations++;
    if (j->stream && !j->stream->worked) {
        j->stream->worked = true;
        j->streams++;
    }
    if (done->kind == CUDART_DONE_KERNEL && !j->graphs) j->launch_calls++;
    if (!cudart_work_is_across(done)) return;
    j->copied_bytes += done->bytes;
    if (done->blocking)
        j->blocking_copies++;
    else
        j->asynchronous_copies++;
}

bool cudart_journal_describe(const cudart_op *op, cudart_done *done) {
    if (op->kind == CUDART_OP_COPY)
        describe_copy(&op->copy, done);
    else if (op->kind == CUDART_OP_SET) {
        done->kind = CUDART_DONE_FILL;
        done->bytes = (uint64_t)op->set.width * op->set.element * op->set.height * op->set.depth;
        done->to = op->set.to.address;
        done->blocking = waits_for_copy() && op->set.waits && is_seen(op->set.to.address);
        done->range = op->set.height * op->set.depth > 1 ? op->set.width * op->set.element : done->bytes;
    } else if (op->kind == CUDART_OP_KERNEL)
        describe_launch(&op->launch, done);
    else
        return false;
    return op->kind == CUDART_OP_KERNEL || done->bytes != 0;
}

void cudart_journal_add(const cudart_op *op) {
    cudart_journal *j = &cudart.journal;
    j->current = NULL;
    j->is_operation = false;
    if (!cudart.session) return;
    cudart_done done = {.stream = j->stream ? j->stream->id : 0, .before = j->base};
    if (!cudart_journal_describe(op, &done)) return;
    count(&done);
    j->is_operation = true;
    j->turn = done.turn = observe_chains_next(&j->chains, &j->base.set);
    observe_order_add(&j->after.set, j->turn);
    if (j->kept < CUDART_KEPT) {
        j->current = &j->done[j->kept++];
        *j->current = done;
    }
    if (!done.blocking) return;
    observe_order_join(&j->host.set, &j->after.set);
    cudart_uses_waited();
}

static bool is_of_device(cudart_memory_kind kind) {
    return kind == CUDART_MEMORY_DEVICE || kind == CUDART_MEMORY_MANAGED;
}

static void hold(uint64_t bytes) {
    cudart_journal *j = &cudart.journal;
    j->holds += bytes;
    if (j->holds > j->held) j->held = j->holds;
}

void cudart_journal_allocated(cudart_memory_kind kind, uint64_t bytes) {
    if (!is_of_device(kind)) return;
    cudart.journal.allocations++;
    hold(bytes);
}

static bool is_registered(const cudart_module *module, const char *name) {
    for (const cudart_variable *v = cudart.variables; v; v = v->next)
        if (v->module == module && strcmp(v->name, name) == 0) return true;
    return false;
}

// Variables of a module are held as long as it is loaded. Names with a dollar that the host does not know are the
// compiler's own: texts of printf and assert.
void cudart_journal_loaded(const cudart_module *module) {
    const ptx_module *ptx = sim_program_module(module->program);
    for (uint32_t i = 0; i < ptx->variable_count; i++) {
        const ptx_variable *v = ptx->variables[i];
        if (v->space != PTX_MOD_GLOBAL && v->space != PTX_MOD_CONST) continue;
        if (v->name[0] == '$' && !is_registered(module, v->name)) continue;
        hold(v->size);
    }
}

// CUDA sets it aside for the first kernel that calls malloc.
void cudart_journal_heap(uint64_t bytes) { hold(bytes); }

void cudart_journal_freed(cudart_memory_kind kind, uint64_t bytes) {
    if (is_of_device(kind)) cudart.journal.holds -= bytes;
}

// ---- the record -------------------------------------------------------------------------------------------

static bool meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
    return a && b && a < b + b_bytes && b < a + a_bytes;
}

// One of the two writes what the other uses. A kernel is taken to write what its pointers point at.
static bool share(const cudart_done *copy, const cudart_done *other) {
    if (other->kind != CUDART_DONE_KERNEL)
        return meet(copy->to, copy->range, other->to, other->range) ||
               meet(copy->to, copy->range, other->from, other->range) ||
               meet(copy->from, copy->range, other->to, other->range);
    for (size_t i = 0; i < other->pointer_count; i++)
        if (meet(copy->to, copy->range, other->pointers[i], 1) ||
            meet(copy->from, copy->range, other->pointers[i], 1))
            return true;
    return false;
}

static uint64_t count_unordered(const cudart_journal *j) {
    uint64_t pairs = 0;
    for (size_t a = 0; a < j->kept; a++) {
        if (j->done[a].kind == CUDART_DONE_KERNEL) continue;
        for (size_t b = 0; b < j->kept; b++) {
            if (j->done[b].kind != CUDART_DONE_KERNEL && b <= a) continue; // each pair once
            if (!holds(&j->done[a].before, b) && !holds(&j->done[b].before, a) &&
                share(&j->done[a], &j->done[b]))
                pairs++;
        }
    }
    return pairs;
}

// What it waits for directly: those of its set that no other of them waits for.
static void write_before(const cudart_journal *j, size_t i, base_text *out) {
    cudart_order covered = {0};
    const char *comma = "";
    base_text_add(out, ",\"after\":[");
    for (size_t k = i; k-- > 0;) {
        if (!holds(&j->done[i].before, k)) continue;
        if (!holds(&covered, k)) {
            base_text_add(out, "%s%zu", comma, k + 1);
            comma = ",";
        }
        observe_order_join(&covered.set, &j->done[k].before.set);
    }
    base_text_add(out, "]");
}

static void write_times(const cudart_done *d, base_text *out) {
    static const device_engine engines[] = {
        [CUDART_DONE_TO_DEVICE] = DEVICE_ENGINE_TO_DEVICE, [CUDART_DONE_TO_HOST] = DEVICE_ENGINE_TO_HOST,
        [CUDART_DONE_COPY] = DEVICE_ENGINE_COMPUTE,        [CUDART_DONE_FILL] = DEVICE_ENGINE_COMPUTE,
        [CUDART_DONE_KERNEL] = DEVICE_ENGINE_COMPUTE,
    };
    double start, end;
    device_clock_span(cudart.clock, d->moment, &start, &end);
    if (d->kind == CUDART_DONE_KERNEL) base_text_add(out, ",\"kernel\":\"%s\"", d->kernel);
    base_text_add(out, ",\"engine\":\"%s\",\"start\":%.9g,\"end\":%.9g", device_engine_name(engines[d->kind]),
                  start, end);
}

void cudart_journal_write(base_text *out) {
    static const char *const kinds[] = {"copy_to_device", "copy_to_host", "copy", "fill", "kernel"};
    cudart_journal *j = &cudart.journal;
    cudart_work_count(j);
    uint64_t across = 0, hidden = 0;
    for (size_t i = 0; i < j->kept; i++) {
        const cudart_done *d = &j->done[i];
        base_text_add(out, "{\"type\":\"operation\",\"number\":%zu,\"kind\":\"%s\",\"stream\":%llu", i + 1,
                      kinds[d->kind], d->stream);
        if (d->kind != CUDART_DONE_KERNEL)
            base_text_add(out, ",\"bytes\":%llu", (unsigned long long)d->bytes);
        if (cudart_work_is_across(d)) {
            base_text_add(out, ",\"blocking\":%s", d->blocking ? "true" : "false");
            base_text_add(out, ",\"overlaps\":%s", d->hidden ? "true" : "false");
            across += d->bytes;
            hidden += d->hidden;
        }
        write_before(j, i, out);
        if (d->moment) write_times(d, out);
        base_text_add(out, "}\n");
    }
    base_text_add(
        out,
        "{\"type\":\"host\",\"operations\":%llu,\"kept\":%zu,\"streams\":%u,\"blocking_copies\":%llu,"
        "\"asynchronous_copies\":%llu,\"copied_bytes\":%llu",
        (unsigned long long)j->operations, j->kept, j->streams, (unsigned long long)j->blocking_copies,
        (unsigned long long)j->asynchronous_copies, (unsigned long long)j->copied_bytes);
    if (across) base_text_add(out, ",\"overlap\":%.6g", (double)hidden / (double)across);
    base_text_add(out, ",\"launch_calls\":%llu,\"instantiations\":%llu", (unsigned long long)j->launch_calls,
                  (unsigned long long)j->instantiations);
    base_text_add(out, ",\"unordered_uses\":%llu,\"timed_kernels\":%llu,\"timed_copies\":%llu",
                  (unsigned long long)count_unordered(j), (unsigned long long)j->timed_kernels,
                  (unsigned long long)j->timed_copies);
    base_text_add(out, ",\"synchronisations\":%llu,\"allocations\":%llu,\"held_bytes\":%llu}\n",
                  (unsigned long long)j->synchronisations, (unsigned long long)j->allocations,
                  (unsigned long long)j->held);
}

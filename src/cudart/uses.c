// What operations use, for the detector of races between streams (observe/streams.h).
#include "runtime.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_VARIABLE (UINT64_C(1) << 30)

// Pageable memory is the host's alone: what is copied from it or to it, the host waits for. What would lie beyond the end of
// an allocation is nobody's: the operation is refused when it runs.
static void use_rows(const cudart_rows *rows, size_t width, size_t height, size_t depth, bool is_write) {
    const cudart_allocation *a = cudart_allocation_find(rows->address);
    if (!a && (!cudart_is_on_device(rows->address) || width > LARGEST_VARIABLE)) return;
    uint64_t end = a ? a->address + a->bytes : rows->address + LARGEST_VARIABLE;
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++) {
            uint64_t at = rows->address + z * rows->slice + y * rows->pitch;
            if (at < rows->address || at >= end) return;
            observe_streams_range(cudart.uses, at, width < end - at ? width : end - at, is_write);
        }
}

static void use_op(const cudart_op *op) {
    if (op->kind == CUDART_OP_COPY) {
        const cudart_copy *c = &op->copy;
        use_rows(&c->from, c->width, c->height, c->depth, false);
        use_rows(&c->to, c->width, c->height, c->depth, true);
    }
    if (op->kind == CUDART_OP_SET) {
        const cudart_set *s = &op->set;
        use_rows(&s->to, s->width * s->element, s->height, s->depth, true);
    }
}

static void begin(const char *what, unsigned traits) {
    const cudart_journal *j = &cudart.journal;
    observe_operation operation = {
        .stream = j->stream ? j->stream->id : 0, .traits = traits, .turn = j->turn, .before = &j->base.set};
    snprintf(operation.what, sizeof operation.what, "%s", what);
    if (j->stream == &cudart.legacy) operation.traits |= OBSERVE_STREAM_LEGACY;
    if (j->stream && j->stream->flags & cudaStreamNonBlocking)
        operation.traits |= OBSERVE_STREAM_NON_BLOCKING;
    if (j->stream && j->stream->waited_in_vain) operation.traits |= OBSERVE_STREAM_WAITED_IN_VAIN;
    if (j->stream && j->stream->is_own) operation.traits |= OBSERVE_STREAM_OF_THREAD;
    if (j->graphs) operation.traits |= OBSERVE_STREAM_OF_GRAPH;
    observe_streams_begin(cudart.uses, &operation);
}

void cudart_uses_begin(const cudart_op *op) {
    if (!cudart.uses || !cudart.journal.is_operation) return;
    char kernel[96];
    if (op->kind == CUDART_OP_KERNEL) {
        const char *name = cudart_readable(op->launch.function->name);
        snprintf(kernel, sizeof kernel, "kernel %.*s", (int)strcspn(name, "("), name);
    }
    begin(op->kind == CUDART_OP_KERNEL ? kernel
          : op->kind == CUDART_OP_COPY ? op->copy.call
                                       : op->set.call,
          op->kind == CUDART_OP_KERNEL && op->launch.overlaps ? OBSERVE_STREAM_OVERLAPS : 0);
    use_op(op);
}

void cudart_uses_end(void) {
    if (!cudart.uses || !cudart.journal.is_operation) return;
    cudart_done *current = cudart.journal.current;
    if (current && current->kind == CUDART_DONE_KERNEL) cudart_work_keep(current);
    observe_streams_end(cudart.uses);
    cudart_pages_used();
    cudart.journal.is_operation = false;
}

void cudart_uses_free(uint64_t address, uint64_t bytes, cudaStream_t stream, bool is_free) {
    cudart_journal *j = &cudart.journal;
    if (!cudart.uses) return;
    cudart_journal_enter(stream);
    j->turn = observe_chains_next(&j->chains, &j->base.set);
    observe_order_add(&j->after.set, j->turn);
    begin(is_free ? "cudaFreeAsync" : "cudaMallocAsync",
          is_free ? OBSERVE_STREAM_FREES : OBSERVE_STREAM_ALLOCATES);
    observe_streams_range(cudart.uses, address, bytes, true);
    observe_streams_end(cudart.uses);
    cudart_journal_leave();
}

void cudart_uses_waited(void) {
    if (!cudart.uses) return;
    observe_streams_ended(cudart.uses, &cudart.journal.host.set);
    cudart_pages_waited();
}

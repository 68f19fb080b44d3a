// What operations use, for the detector of races between streams (observe/streams.h).
#include "runtime.h"

#include <stdio.h>
#include <string.h>

// Pageable memory is the host's alone: what is copied from it or to it, the host waits for.
static void use_row(uint64_t address, size_t bytes, bool is_write) {
    if (cudart_is_on_device(address)) observe_streams_range(cudart.uses, address, bytes, is_write);
}

static void use_rows(const cudart_rows *rows, size_t width, size_t height, size_t depth, bool is_write) {
    for (size_t z = 0; z < depth; z++)
        for (size_t y = 0; y < height; y++)
            use_row(rows->address + z * rows->slice + y * rows->pitch, width, is_write);
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

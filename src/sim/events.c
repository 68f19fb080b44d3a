// Tells the listener what happens. Nothing here runs where nobody listens.

#include "sim/core.h"

#include <stdlib.h>

void sim_emit_sync_to(sim_listener *listener, sim_warp *w, const ptx_inst *inst, uint32_t mask,
                      sim_sync_kind kind, sim_agent agent, uint64_t object, uint32_t count) {
    sim_sync sync = {
        .at = sim_event_of(w, inst, mask), .kind = kind, .agent = agent, .object = object, .count = count};
    ptx_end end = ptx_op_get(inst->op)->end;
    sync.is_barrier = end == PTX_END_BARRIER || end == PTX_END_ARRIVE;
    listener->sync(listener, &sync);
}

bool sim_ask_wants(sim_worker *worker) {
    sim_listener *listener = worker->listener;
    const sim_kernel *k = worker->grid->kernel;
    if (!listener || !(listener->step || listener->done || listener->wants)) return true;
    unsigned can =
        (listener->step ? SIM_WANT_STEP | SIM_WANT_STEP_IN_DETAIL : 0) | (listener->done ? SIM_WANT_DONE : 0);
    if (!(worker->wants = malloc(k->op_count + 1))) return false;
    for (uint32_t i = 0; i < k->op_count; i++) {
        const sim_op *op = &k->ops[i];
        bool is_instruction = op->inst && op->masked != sim_do_nothing;
        unsigned wanted = !is_instruction   ? 0
                          : listener->wants ? listener->wants(listener, op->inst)
                                            : SIM_WANT_ALL;
        worker->wants[i] = (uint8_t)(wanted & can);
    }
    // Ends are told of anyway: whoever hands on to several is to know who wants them.
    for (uint32_t i = 0; listener->wants && i < k->basic_block_count; i++)
        if (k->basic_blocks[i].last) listener->wants(listener, k->basic_blocks[i].last->inst);
    return true;
}

void sim_execute_observed(sim_warp *w, const sim_basic_block *basic_block, uint32_t mask) {
    sim_worker *worker = w->block->worker;
    sim_listener *listener = worker->listener;
    const sim_op *op = w->block->grid->kernel->ops + basic_block->first, *end = op + basic_block->count;
    const uint8_t *wants = worker->wants + basic_block->first;
    if (op == end) return;
    sim_event event = sim_event_of(w, basic_block->first_inst, mask);
    w->in_detail = !listener->enter || listener->enter(listener, &event, basic_block->instructions);
    for (; op < end; op++, wants++) {
        uint32_t m = mask;
        if (op->guard >= 0) {
            uint32_t guard = SIM_PRED(w, op->guard);
            m &= op->guard_negated ? ~guard : guard;
        }
        if (*wants & SIM_WANT_STEP || (w->in_detail && *wants & SIM_WANT_STEP_IN_DETAIL)) {
            event.inst = op->inst;
            event.mask = m;
            listener->step(listener, &event);
        }
        if (!m) continue;
        w->mask = m;
        if (m == SIM_ALL)
            op->full(w, op);
        else {
            if (w->lanes_mask != m) sim_expand_mask(w, m);
            op->masked(w, op);
        }
        if (*wants & SIM_WANT_DONE) {
            event.inst = op->inst;
            event.mask = m;
            listener->done(listener, &event);
        }
    }
}

// Tells the listener what happens. Nothing here runs where nobody listens.

#include "sim/core.h"

void sim_tell_sync(sim_warp *w, const ptx_inst *inst, uint32_t mask, sim_sync_kind kind, sim_agent agent,
                   uint64_t object, uint32_t count) {
    sim_listener *listener = w->block->worker->listener;
    if (!listener || !listener->sync) return;
    sim_sync sync = {
        .at = sim_event_of(w, inst, mask), .kind = kind, .agent = agent, .object = object, .count = count};
    switch (inst->op) {
    case PTX_OP_BAR_SYNC:
    case PTX_OP_BAR_RED:
    case PTX_OP_BAR_ARRIVE:
    case PTX_OP_BARRIER_SYNC:
    case PTX_OP_BARRIER_RED:
    case PTX_OP_BARRIER_ARRIVE: sync.is_barrier = true; break;
    default: break;
    }
    listener->sync(listener, &sync);
}

void sim_execute_told(sim_warp *w, const sim_op *op, uint32_t count, uint32_t mask) {
    sim_listener *listener = w->block->worker->listener;
    for (const sim_op *end = op + count; op < end; op++) {
        uint32_t m = mask;
        if (op->guard >= 0) {
            uint32_t guard = SIM_PRED(w, op->guard);
            m &= op->guard_negated ? ~guard : guard;
        }
        if (op->masked == sim_do_nothing) { // no instruction
            w->mask = m;
            if (m == SIM_ALL) op->full(w, op);
            continue;
        }
        sim_event event = sim_event_of(w, op->inst, m);
        if (listener->step) listener->step(listener, &event);
        if (!m) continue;
        w->mask = m;
        if (m == SIM_ALL)
            op->full(w, op);
        else {
            if (w->lanes_mask != m) sim_expand_mask(w, m);
            op->masked(w, op);
        }
        if (listener->done) listener->done(listener, &event);
    }
}

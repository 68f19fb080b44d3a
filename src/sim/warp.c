// A warp: paths of lanes that are at the same instruction, basic block by basic block.
//
// Of the paths that can go on, the one furthest behind runs (see flow.c), and paths at the same instruction
// become one. This alone would starve lanes that wait for each other (a lock inside a warp), so a
// slice that was spent on looking at memory others may change is followed by one that goes to a path
// chosen by turn.

#include "sim/core.h"

#include <stdlib.h>
#include <string.h>

enum { SPIN_COST = 1024 }; // basic blocks that one iteration of a waiting loop is charged with

// Ends of basic blocks that cost anyway stay out of the loop over basic blocks, which keeps its registers.
#define SIM_NOINLINE __attribute__((noinline))

static inline void execute(sim_warp *w, const sim_op *op, const sim_basic_block *basic_block, uint32_t mask,
                           const sim_listener *listener) {
    const sim_op *end = op + basic_block->count;
    w->mask = mask;
    if (__builtin_expect(listener && w->observed, 0)) {
        sim_execute_observed(w, basic_block, mask);
        return;
    }
    if (mask == SIM_ALL && !basic_block->guarded) {
        for (; op < end; op++) op->full(w, op);
        return;
    }
    for (; op < end; op++) {
        uint32_t m = mask;
        if (op->guard >= 0) {
            uint32_t guard = SIM_PRED(w, op->guard);
            m &= op->guard_negated ? ~guard : guard;
            if (!m) continue;
        }
        w->mask = m;
        if (m == SIM_ALL) {
            op->full(w, op);
        } else {
            if (w->lanes_mask != m) sim_expand_mask(w, m);
            op->masked(w, op);
        }
    }
}

// ---- paths ---------------------------------------------------------------------------------------------

static void remove_path(sim_warp *w, sim_path *path) { *path = w->paths[--w->path_count]; }

// Takes `lanes` out of the path into one of their own, which is at the same instruction.
static sim_path *split(sim_warp *w, sim_path *path, uint32_t lanes) {
    sim_path *other = &w->paths[w->path_count++]; // never full: paths are disjoint sets of 32 lanes
    *other = *path;
    other->mask = lanes;
    path->mask &= ~lanes;
    return other;
}

static bool same_position(const sim_path *a, const sim_path *b) {
    return a->basic_block == b->basic_block && a->frame == b->frame && a->state == b->state &&
           a->at_end == b->at_end && (a->state != SIM_PATH_AT_SYNC || a->sync_mask == b->sync_mask);
}

static void merge_ready(sim_warp *w) {
    for (uint32_t i = 0; i < w->path_count; i++)
        for (uint32_t j = w->path_count; j-- > i + 1;)
            if (w->paths[i].state == SIM_PATH_READY && same_position(&w->paths[i], &w->paths[j])) {
                w->paths[i].mask |= w->paths[j].mask;
                remove_path(w, &w->paths[j]);
            }
}

// The path to run: of the deepest call the one furthest behind; in a fair slice, the next in turn.
static sim_path *pick(sim_warp *w, bool fair) {
    sim_worker *worker = w->block->worker;
    if (__builtin_expect(worker->random && w->path_count > 1, 0) && sim_draw(worker, 4) == 0) {
        uint32_t first = sim_draw(worker, w->path_count);
        for (uint32_t i = 0; i < w->path_count; i++) {
            sim_path *p = &w->paths[(first + i) % w->path_count];
            if (p->state == SIM_PATH_READY) return p;
        }
    }
    sim_path *best = NULL;
    uint32_t ready = 0;
    for (uint32_t i = 0; i < w->path_count; i++) {
        sim_path *p = &w->paths[i];
        if (p->state != SIM_PATH_READY) continue;
        ready++;
        if (!best || p->frame > best->frame ||
            (p->frame == best->frame && p->basic_block < best->basic_block))
            best = p;
    }
    if (!fair || ready < 2) return best;
    uint32_t turn = w->turn++ % ready;
    for (uint32_t i = 0; i < w->path_count; i++)
        if (w->paths[i].state == SIM_PATH_READY && turn-- == 0) return &w->paths[i];
    return best;
}

// ---- exiting, waiting, warp synchronisation --------------------------------------------------------------

static void release_frame(sim_warp *w, uint32_t frame, uint32_t lanes) {
    // A lane that leaves from inside calls leaves all of them.
    w->frames[frame].lanes &= ~lanes;
    while (w->frame_count > 1 && w->frames[w->frame_count - 1].lanes == 0) w->frame_count--;
}

static void leave(sim_warp *w, sim_path *path, uint32_t lanes) {
    sim_listener *listener = w->block->worker->listener;
    if (__builtin_expect(listener && listener->leave, 0)) {
        const ptx_inst *last = w->block->grid->kernel->basic_blocks[path->basic_block].first_inst;
        listener->leave(
            listener,
            &(sim_event){.inst = last, .self = w, .block = w->block->index, .warp = w->index, .mask = lanes});
    }
    for (uint32_t f = path->frame;; f = w->frames[f].caller) {
        w->frames[f].lanes &= ~lanes;
        if (f == 0) break;
    }
    release_frame(w, 0, lanes);
    w->exited |= lanes;
    path->mask &= ~lanes;
    if (!path->mask) remove_path(w, path);
    sim_block_lanes_left(w->block, sim_lane_count(lanes));
    if (__builtin_expect(w->block->cluster != NULL, 0)) sim_cluster_lanes_left(w, lanes);
    if (__builtin_expect(w->block->sets_registers && w->exited == SIM_ALL, 0)) sim_registers_left(w);
    sim_warp_settle(w);
}

static uint32_t sync_mask_of(const sim_warp *w, const sim_path *path, uint32_t *same) {
    const sim_basic_block *basic_block = &w->block->grid->kernel->basic_blocks[path->basic_block];
    int64_t at = basic_block->last->offset;
    *same = path->mask;
    if (at < 0) return path->mask; // the old forms without .sync: whoever is here
    const uint32_t *masks = (const uint32_t *)(w->registers + w->frames[path->frame].at + at);
    uint32_t mask = masks[__builtin_ctz(path->mask)], differs = 0;
    for (int i = 0; i < SIM_LANES; i++) differs |= masks[i] ^ mask;
    for (uint32_t m = differs ? path->mask : 0; m; m &= m - 1)
        if (masks[__builtin_ctz(m)] != mask) *same &= ~(UINT32_C(1) << __builtin_ctz(m));
    return mask;
}

static void exchange_and_go(sim_warp *w, sim_path **paths, uint32_t count) {
    sim_exchange(w, paths, count);
    sim_listener *listener = w->block->worker->listener;
    if (__builtin_expect(listener && listener->sync, 0)) {
        const sim_op *op = w->block->grid->kernel->basic_blocks[paths[0]->basic_block].last;
        uint32_t all = 0;
        for (uint32_t i = 0; i < count; i++) all |= paths[i]->mask;
        // Shuffles, votes and their like make lanes wait, but order no memory.
        if (op->inst->op == PTX_OP_BAR_WARP)
            sim_emit_sync(w, op->inst, all, SIM_WARP_SYNC, SIM_THREAD, 0, paths[0]->sync_mask);
    }
    for (uint32_t i = 0; i < count; i++) {
        paths[i]->basic_block = w->block->grid->kernel->basic_blocks[paths[i]->basic_block].next;
        paths[i]->state = SIM_PATH_READY;
        paths[i]->at_end = false;
    }
}

void sim_warp_settle(sim_warp *w) {
    for (uint32_t i = 0; i < w->path_count; i++) {
        if (w->paths[i].state != SIM_PATH_AT_SYNC) continue;
        uint32_t wanted = w->paths[i].sync_mask & ~w->exited, present = 0, count = 0;
        sim_path *together[SIM_LANES];
        for (uint32_t j = i; j < w->path_count; j++) {
            sim_path *p = &w->paths[j];
            if (p->state != SIM_PATH_AT_SYNC || p->sync_mask != w->paths[i].sync_mask) continue;
            present |= p->mask;
            together[count++] = p;
        }
        if ((present & wanted) == wanted && !sim_exchange_waits(w, &w->paths[i])) {
            exchange_and_go(w, together, count);
            w->block->moved = true;
        }
    }
    merge_ready(w);
}

// The path stands at a shuffle or the like: does it now if all the lanes it names are here, else waits for
// them.
static void end_sync(sim_warp *w, sim_path *path) {
    uint32_t same, mask = sync_mask_of(w, path, &same);
    if (same != path->mask) split(w, path, path->mask & ~same)->at_end = true;
    if (path->mask & ~mask) {
        const sim_basic_block *basic_block = &w->block->grid->kernel->basic_blocks[path->basic_block];
        uint32_t lane = (uint32_t)__builtin_ctz(path->mask & ~mask);
        sim_fault_here(w, basic_block->last, lane, SIM_FAULT_MEMBER_MASK,
                       "the thread is not in its own member mask 0x%08x", mask);
    }
    path->sync_mask = mask;
    if (path->mask == (mask & ~w->exited) && !sim_exchange_waits(w, path)) {
        exchange_and_go(w, &path, 1);
        return;
    }
    path->state = SIM_PATH_AT_SYNC;
    path->at_end = true;
    sim_warp_settle(w);
}

// ---- calls -----------------------------------------------------------------------------------------------

static const sim_variable_slot *slot_of(const sim_code *code, const ptx_variable *variable) {
    for (uint32_t i = 0; i < code->slot_count; i++)
        if (code->slots[i].variable == variable) return &code->slots[i];
    return NULL;
}

static inline void copy_piece(uint8_t *to, const uint8_t *from, uint32_t lanes, size_t bytes) {
    if (lanes == SIM_ALL) {
        for (int i = 0; i < SIM_LANES; i++)
            memcpy(to + i * SIM_LOCAL_PIECE, from + i * SIM_LOCAL_PIECE, bytes);
        return;
    }
    for (uint32_t m = lanes; m; m &= m - 1) {
        int i = __builtin_ctz(m);
        memcpy(to + i * SIM_LOCAL_PIECE, from + i * SIM_LOCAL_PIECE, bytes);
    }
}

// From one offset of the lanes' local memory to another, piece by piece.
static void copy_local(const sim_warp *w, uint32_t lanes, uint32_t to, uint32_t from, uint64_t bytes) {
    while (bytes) {
        uint32_t past = to % SIM_LOCAL_PIECE > from % SIM_LOCAL_PIECE ? to : from;
        uint32_t room = SIM_LOCAL_PIECE - past % SIM_LOCAL_PIECE,
                 step = bytes < room ? (uint32_t)bytes : room;
        uint8_t *d = sim_local(w, 0, to);
        const uint8_t *s = sim_local(w, 0, from);
        switch (step) { // the usual ones as moves instead of calls
        case 4: copy_piece(d, s, lanes, 4); break;
        case 8: copy_piece(d, s, lanes, 8); break;
        case SIM_LOCAL_PIECE: copy_piece(d, s, lanes, SIM_LOCAL_PIECE); break;
        default: copy_piece(d, s, lanes, step);
        }
        to += step;
        from += step;
        bytes -= step;
    }
}

// Copies variables of call frames, for the given lanes: the caller's into the callee's, or back.
static void copy_variables(sim_warp *w, uint32_t lanes, const sim_variable_slot *caller, uint32_t caller_base,
                           const sim_code *code, ptx_variable **callee, uint32_t callee_base, uint32_t count,
                           bool back) {
    for (uint32_t i = 0; i < count; i++) {
        const sim_variable_slot *inner = slot_of(code, callee[i]);
        if (!inner) continue;
        uint64_t bytes =
            caller[i].variable->size < callee[i]->size ? caller[i].variable->size : callee[i]->size;
        sim_listener *listener = w->block->worker->listener;
        if (__builtin_expect(listener && listener->copy_local, 0)) {
            sim_event event = sim_event_of(w, NULL, lanes);
            uint32_t out = caller_base + caller[i].offset, in = callee_base + inner->offset;
            listener->copy_local(listener, &event, back ? out : in, back ? in : out, (uint32_t)bytes);
        }
        copy_local(w, lanes, (back ? caller_base : callee_base) + (back ? caller[i].offset : inner->offset),
                   (back ? callee_base : caller_base) + (back ? inner->offset : caller[i].offset), bytes);
    }
}

static sim_frame *push_frame(sim_warp *w, const sim_op *op, uint32_t lane, const sim_path *path,
                             const sim_code *code) {
    const sim_kernel *k = w->block->grid->kernel;
    const sim_frame *caller = &w->frames[path->frame], *top = &w->frames[w->frame_count - 1];
    uint32_t at = top->at + top->bytes,
             local = caller->local + k->basic_blocks[path->basic_block].code->local_bytes;
    uint32_t stack = caller->stack + code->stack_frame, allowed = k->program->machine->config.stack_bytes;
    if (allowed < k->least_stack) allowed = k->least_stack;
    bool full = at + code->frame_bytes > k->register_bytes ||
                local + code->local_bytes > k->local_room - k->stack_bytes ||
                (k->recursive && stack > allowed);
    if (w->frame_count == w->frame_capacity && !full) {
        uint32_t capacity = w->frame_capacity * 2;
        sim_frame *grown = realloc(w->frames, capacity * sizeof *grown);
        if (!grown)
            full = true;
        else {
            w->frames = grown;
            w->frame_capacity = capacity;
        }
    }
    if (full)
        sim_fault_here(
            w, op, lane, SIM_FAULT_STACK,
            "stack overflow: %u calls deep, at least %u bytes of stack per thread, %u allowed\n"
            "likely cause: a recursion without end, or one deeper than the stack, or a function with "
            "large arrays that is called by pointer; cudaDeviceSetLimit(cudaLimitStackSize, bytes) allows "
            "more",
            w->frame_count, stack, allowed);
    sim_frame *frame = &w->frames[w->frame_count++];
    bool in_place = w->frame_count <= w->frames_filled && frame->code == code && frame->at == at &&
                    frame->local == local; // since the last call from here
    *frame = (sim_frame){.at = at,
                         .bytes = code->frame_bytes,
                         .local = local,
                         .stack = stack,
                         .caller = path->frame,
                         .code = code};
    if (in_place) return frame;
    sim_fill_constants(w, w->registers + at, code, local, false);
    w->frames_filled = w->frame_count;
    return frame;
}

static sim_code *callee_of(sim_warp *w, sim_path *path, const sim_op *op, const sim_call *call) {
    if (call->pointer_at == SIM_NOWHERE) return call->callee;
    const uint64_t *pointers = SIM_REG(uint64_t, w, call->pointer_at);
    uint32_t lane = (uint32_t)__builtin_ctz(path->mask), others = 0;
    for (uint32_t m = path->mask; m; m &= m - 1)
        if (pointers[__builtin_ctz(m)] != pointers[lane]) others |= m & (0u - m);
    if (others) split(w, path, others)->at_end = true;
    const sim_kernel *k = w->block->grid->kernel;
    uint64_t index = (pointers[lane] - SIM_CODE_WINDOW) / 16 - 1;
    bool known = pointers[lane] > SIM_CODE_WINDOW && pointers[lane] % 16 == 0 &&
                 index < k->program->module->function_count;
    if (!known || !k->code_of[index])
        sim_fault_here(w, op, lane, SIM_FAULT_CALL, "calls 0x%llx, which is not a device function",
                       (unsigned long long)pointers[lane]);
    return k->code_of[index];
}

static SIM_NOINLINE void end_call(sim_warp *w, sim_path *path, const sim_basic_block *basic_block) {
    const sim_op *op = basic_block->last;
    const sim_call *call = (const sim_call *)(uintptr_t)op->aux;
    uint32_t lane = (uint32_t)__builtin_ctz(path->mask);
    if (call->builtin != SIM_BUILTIN_NONE) {
        w->mask = path->mask;
        sim_call_builtin(w, op, call, w->frames[path->frame].local);
        path->basic_block = basic_block->next;
        return;
    }
    const sim_code *code = callee_of(w, path, op, call);
    sim_frame *frame = push_frame(w, op, lane, path, code);
    frame->lanes = path->mask;
    frame->back = basic_block->next;
    frame->call = call;
    sim_listener *listener = w->block->worker->listener;
    if (__builtin_expect(listener && listener->call, 0)) {
        sim_event event = sim_event_of(w, op->inst, path->mask);
        listener->call(listener, &event, code->function, w->frame_count - 1);
    }
    uint32_t count =
        call->arg_count < code->function->param_count ? call->arg_count : code->function->param_count;
    copy_variables(w, path->mask, call->args, w->frames[path->frame].local, code, code->function->params,
                   frame->local, count, false);
    if (code->stack_at != SIM_NOWHERE)
        memcpy(w->registers + frame->at + code->stack_at, w->stack_top, sizeof w->stack_top);
    path->frame = w->frame_count - 1;
    path->basic_block = code->entry_basic_block;
    path->at_end = false;
}

static void end_return(sim_warp *w, sim_path *path, const sim_basic_block *basic_block) {
    if (path->frame == 0) {
        leave(w, path, path->mask);
        return;
    }
    const sim_frame *frame = &w->frames[path->frame];
    const sim_call *call = frame->call;
    const sim_code *code = basic_block->code;
    uint32_t count =
        call->result_count < code->function->return_count ? call->result_count : code->function->return_count;
    copy_variables(w, path->mask, call->results, w->frames[frame->caller].local, code,
                   code->function->returns, frame->local, count, true);
    if (code->stack_at != SIM_NOWHERE) {
        const uint32_t *tops = (const uint32_t *)(w->registers + frame->at + code->stack_at);
        for (uint32_t m = path->mask; m; m &= m - 1) w->stack_top[__builtin_ctz(m)] = tops[__builtin_ctz(m)];
    }
    uint32_t back = frame->back, caller = frame->caller;
    release_frame(w, path->frame, path->mask);
    path->basic_block = back;
    path->frame = caller;
}

// ---- ends of basic blocks ------------------------------------------------------------------------------

static SIM_NOINLINE void end_table(sim_warp *w, sim_path *path, const sim_basic_block *basic_block) {
    const uint32_t *index = SIM_REG(uint32_t, w, basic_block->last->a),
                   *targets = (const uint32_t *)(uintptr_t)basic_block->last->aux;
    uint32_t lane = (uint32_t)__builtin_ctz(path->mask), chosen = index[lane], others = 0;
    for (uint32_t m = path->mask; m; m &= m - 1)
        if (index[__builtin_ctz(m)] != chosen) others |= m & (0u - m);
    if (others) split(w, path, others)->at_end = true;
    if (chosen >= (uint64_t)basic_block->last->offset)
        sim_fault_here(w, basic_block->last, lane, SIM_FAULT_BRANCH_TABLE,
                       "branches to entry %u of a table of %lld", chosen,
                       (long long)basic_block->last->offset);
    path->basic_block = targets[chosen];
    path->at_end = false;
}

static SIM_NOINLINE void emit_end(sim_warp *w, const sim_path *path, const sim_basic_block *basic_block,
                                  uint32_t taken) {
    sim_listener *listener = w->block->worker->listener;
    const sim_op *last = basic_block->last;
    sim_event event = sim_event_of(w, last->inst, taken);
    if (listener->step) listener->step(listener, &event);
    event.mask = path->mask;
    bool chooses =
        (basic_block->end == PTX_END_BRANCH && last->guard >= 0) || basic_block->end == PTX_END_TABLE;
    if (listener->branch && chooses) listener->branch(listener, &event, taken);
}

static SIM_NOINLINE void end_cluster(sim_warp *w, sim_path *path, const sim_basic_block *basic_block) {
    uint32_t ready;
    path->basic_block = basic_block->next;
    if (sim_cluster_wait(w, path, basic_block->last, &ready)) return;
    if (ready) split(w, path, ready);
    path->state = SIM_PATH_AT_CLUSTER;
}

static SIM_NOINLINE uint32_t longest_sleep(const sim_warp *w, const sim_op *op, uint32_t mask) {
    const uint32_t *asked = SIM_REG(const uint32_t, w, op->a);
    uint32_t longest = 0;
    for (; mask; mask &= mask - 1) {
        uint32_t time = asked[__builtin_ctz(mask)];
        if (time > longest) longest = time;
    }
    return longest;
}

// Whether the path simply goes on, being still the warp's only one.
static inline bool end_basic_block(sim_warp *w, sim_path *path, const sim_basic_block *basic_block,
                                   uint32_t *slice, const sim_listener *listener) {
    uint32_t taken = path->mask;
    const sim_op *last = basic_block->last;
    if (last && last->guard >= 0) {
        uint32_t guard = SIM_PRED(w, last->guard);
        taken &= last->guard_negated ? ~guard : guard;
    }
    path->at_end = false;
    if (__builtin_expect(listener && w->ends_observed && last, 0)) emit_end(w, path, basic_block, taken);
    if (basic_block->end == PTX_END_BRANCH) {
        if (taken == path->mask) {
            // A loop that looks at what others change is charged for waiting.
            if (basic_block->target <= path->basic_block && w->spun)
                *slice = *slice > SPIN_COST ? *slice - SPIN_COST : 0;
            path->basic_block = basic_block->target;
        } else if (taken) {
            split(w, path, taken)->basic_block = basic_block->target;
            path->basic_block = basic_block->next;
        } else
            path->basic_block = basic_block->next;
        return w->path_count == 1;
    }
    if (basic_block->end == PTX_END_FALL || !taken) {
        path->basic_block = basic_block->next;
        return w->path_count == 1;
    }
    if (taken != path->mask) { // the guard keeps some lanes out: they go on
        sim_path *rest = split(w, path, path->mask & ~taken);
        rest->basic_block = basic_block->next;
    }
    switch (basic_block->end) {
    case PTX_END_TABLE: end_table(w, path, basic_block); break;
    case PTX_END_CALL: end_call(w, path, basic_block); break;
    case PTX_END_RETURN: end_return(w, path, basic_block); break;
    case PTX_END_EXIT: leave(w, path, path->mask); break;
    case PTX_END_BARRIER:
    case PTX_END_ARRIVE:
        path->basic_block = basic_block->next;
        sim_barrier_arrive(w->block, w, path, last);
        break;
    case PTX_END_SYNC: end_sync(w, path); break;
    case PTX_END_CLUSTER: end_cluster(w, path, basic_block); break;
    case PTX_END_REGISTERS:
        path->at_end = !sim_set_registers(w, path, last);
        if (!path->at_end) path->basic_block = basic_block->next;
        w->spun = w->spun || path->at_end;
        *slice = path->at_end ? 0 : *slice;
        break;
    case PTX_END_YIELD:
        path->basic_block = basic_block->next;
        w->block->waited += longest_sleep(w, last, taken);
        w->spun = true;
        *slice = 0;
        break;
    case PTX_END_FALL: // these two went on above
    case PTX_END_BRANCH:
    case PTX_END_TRAP:
        sim_fault_here(w, last, (uint32_t)__builtin_ctz(path->mask), SIM_FAULT_TRAP, "executed %s",
                       last->inst->op == PTX_OP_BRKPT ? "brkpt: a breakpoint, and a GPU has no debugger"
                                                      : "trap: the program stopped itself");
    }
    return w->path_count == 1 && w->paths[0].state == SIM_PATH_READY;
}

sim_warp_outcome sim_warp_run(sim_warp *w, uint32_t slice) {
    const sim_kernel *k = w->block->grid->kernel;
    sim_worker *worker = w->block->worker;
    sim_listener *listener = worker->listener;
    bool fair = w->fair;
    uint64_t warp_instructions = 0, thread_instructions = 0;
    w->spun = w->fair = false;
    sim_path *path = NULL;
    sim_warp_outcome outcome = SIM_WARP_SLICE_OVER;
    while (slice > 0) {
        if (w->path_count > 1) merge_ready(w);
        // In a fair slice the chosen path keeps its turn as long as it is where it was left.
        if (!fair || !path || w->path_count == 0 || path >= w->paths + w->path_count ||
            path->state != SIM_PATH_READY)
            path = pick(w, fair);
        if (!path) {
            outcome = w->path_count ? SIM_WARP_WAITS : SIM_WARP_DONE;
            break;
        }
        w->current = (uint32_t)(path - w->paths);
        w->frame = w->registers + w->frames[path->frame].at;
        const sim_basic_block *basic_block;
        bool alone;
        do {
            basic_block = &k->basic_blocks[path->basic_block];
            uint32_t mask = path->mask;
            if (!path->at_end) {
                execute(w, k->ops + basic_block->first, basic_block, mask, listener);
                w->issued += basic_block->instructions;
                warp_instructions += basic_block->instructions;
                thread_instructions += (uint64_t)basic_block->instructions * sim_lane_count(mask);
                // The return that ends a text without `ret` is no instruction.
                if (__builtin_expect(listener && listener->run && basic_block->first_inst, 0))
                    listener->run(listener, basic_block->first_inst, basic_block->instructions,
                                  w->block->index, w->index, mask);
                if (__builtin_expect(listener && w->spun && w->block->grid->by_turns, 0)) slice = 1;
            }
            slice--;
            alone = end_basic_block(w, path, basic_block, &slice, listener);
        } while (alone && slice > 0 &&
                 (basic_block->end == PTX_END_FALL || basic_block->end == PTX_END_BRANCH));
    }
    worker->warp_instructions += warp_instructions;
    worker->thread_instructions += thread_instructions;
    w->block->clock += warp_instructions;
    w->issued = 0;
    if (outcome == SIM_WARP_SLICE_OVER && w->spun && w->path_count > 1) w->fair = !fair;
    if (w->path_count == 0) outcome = SIM_WARP_DONE;
    return outcome;
}

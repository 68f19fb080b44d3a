// A session: what the simulator tells, and when to stop.
//
// Most instructions pass with one look at a table (`marks`, breakpoints by serial number); the rest of this
// file runs only at breakpoints and while stepping.

#include "debug/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- talking ---------------------------------------------------------------------------------------------

void debug_say(debug_session *s, const char *format, ...) {
    va_list list;
    va_start(list, format);
    base_text_add_v(&s->out, format, list);
    va_end(list);
}

void debug_flush(debug_session *s) {
    if (s->out.length) s->terminal.write(s->terminal.context, s->out.data, s->out.length);
    base_text_free(&s->out);
}

bool debug_is_stopped(debug_session *s) {
    if (s->event) return true;
    debug_say(s, "No kernel runs yet: set a breakpoint and say run.\n");
    return false;
}

// ---- the focused thread ----------------------------------------------------------------------------------

const sim_warp *debug_focused_warp(const debug_session *s) {
    if (!s->event || !s->event->self) return NULL;
    sim_inspect_where where;
    for (uint32_t i = 0; i < sim_inspect_resident(s->event->self); i++) {
        const sim_warp *first = sim_inspect_block(s->event->self, i);
        sim_inspect_at(first, &where);
        if (where.block_index == s->focus.block) return sim_inspect_warp(first, s->focus.warp);
    }
    return s->focus.block == s->event->block ? sim_inspect_warp(s->event->self, s->focus.warp) : NULL;
}

bool debug_path_of(const debug_session *s, const sim_warp *warp, uint32_t lane, sim_inspect_path *path) {
    for (uint32_t i = 0; sim_inspect_path_at(warp, i, path); i++) {
        if (!(path->mask >> lane & 1)) continue;
        if (warp == s->event->self && path->state == SIM_INSPECT_RUNNING && s->event->inst)
            path->inst = s->event->inst;
        return true;
    }
    return false;
}

bool debug_focused_context(debug_session *s, debug_context *context) {
    if (!debug_is_stopped(s)) return false;
    const sim_warp *warp = debug_focused_warp(s);
    sim_inspect_path path;
    if (!warp || !debug_path_of(s, warp, s->focus.lane, &path)) {
        debug_say(s, "The thread has ended; choose another: block, thread, warp, lane (info threads lists "
                     "them).\n");
        return false;
    }
    *context = (debug_context){
        .warp = warp, .lane = s->focus.lane, .frame = path.frame, .inst = path.inst, .symbols = s->symbols};
    for (unsigned i = 0; i < s->focus.level; i++) {
        const ptx_inst *back;
        uint32_t caller;
        if (!sim_inspect_caller(warp, context->frame, &caller, &back)) break;
        context->frame = caller;
        const ptx_function *function = sim_inspect_function(warp, caller);
        if (!back && function && function->inst_count) back = function->insts + function->inst_count;
        context->inst = back ? back - 1 : NULL; // the call itself
    }
    return true;
}

uint32_t debug_depth(const sim_warp *warp, uint32_t frame) {
    uint32_t depth = 0, caller;
    const ptx_inst *back;
    while (depth < 100000 && sim_inspect_caller(warp, frame, &caller, &back)) {
        frame = caller;
        depth++;
    }
    return depth;
}

void debug_clear_step(debug_session *s) { s->step = (debug_step){.mode = DEBUG_RUNS}; }

// ---- stopping --------------------------------------------------------------------------------------------

// The path that executes the event.
static bool running_path(const sim_event *event, sim_inspect_path *path) {
    for (uint32_t i = 0; sim_inspect_path_at(event->self, i, path); i++)
        if (path->state == SIM_INSPECT_RUNNING) return true;
    return false;
}

static void focus_on(debug_session *s, const sim_event *event, uint32_t lane) {
    s->focus = (debug_focus){.block = event->block, .warp = event->warp, .lane = lane};
}

// In code that is not the user's (__assert_fail) the call that led there is what to look at.
static void select_own_call(debug_session *s) {
    debug_context context;
    uint32_t depth = UINT32_MAX;
    for (s->focus.level = 0; debug_focused_context(s, &context); s->focus.level++) {
        if (depth == UINT32_MAX) depth = debug_depth(context.warp, context.frame);
        debug_line at = {UINT32_MAX, 0};
        if (context.inst) at = debug_line_at(s->symbols, context.inst, UINT32_MAX, NULL);
        bool own = at.file < s->launch.module->file_count && at.line &&
                   !ptx_is_foreign(s->launch.module->files[at.file].path);
        if (own) return;
        if (s->focus.level >= depth) break;
    }
    s->focus.level = 0;
}

static void stop(debug_session *s, const sim_event *event, int lane) {
    s->event = event;
    s->interrupted = 0;
    s->stopped_in_launch = true;
    focus_on(s, event, lane >= 0 ? (uint32_t)lane : event->mask ? (uint32_t)__builtin_ctz(event->mask) : 0);
    s->listed_line = 0;
    if (s->out.length && s->step.mode != DEBUG_STEPI) select_own_call(s);
    // After a step in one function, by the same lanes, the line says enough.
    debug_step step = s->step;
    sim_inspect_path path;
    bool brief = !s->out.length && step.mode != DEBUG_RUNS && running_path(event, &path) &&
                 s->focus.lane == step.of.lane && path.mask == step.mask &&
                 debug_depth(event->self, path.frame) == step.depth;
    debug_clear_step(s);
    debug_show_where(s, brief, step.mode == DEBUG_STEPI);
    debug_prompt(s);
    s->event = NULL;
}

// What the launch's instructions are, and where breakpoints lie among them.
static void prepare(debug_session *s) {
    uint32_t count = s->launch.module->inst_count;
    free(s->has_step);
    free(s->marks);
    s->has_step = calloc(count + 1, sizeof *s->has_step);
    s->marks = calloc(count + 1, 1);
    s->mark_count = s->has_step && s->marks ? count : 0;
    if (s->mark_count == 0) return;
    sim_inspect_steps(&s->launch, s->has_step, count);
    debug_resolve_breakpoints(s);
}

// ---- steps -----------------------------------------------------------------------------------------------

static bool same_line(debug_line a, debug_line b) { return a.file == b.file && a.line == b.line; }

// Code without a line of the user's own is gone over, unless the step began in such code.
static bool has_user_line(const ptx_module *module, debug_line at, debug_line began) {
    if (at.file >= module->file_count) return began.file >= module->file_count;
    return at.line && !ptx_is_foreign(module->files[at.file].path);
}

// The beginning of a function, where its parameters are fetched, is no line to stop at.
static bool fetches_parameters(debug_session *s, const sim_warp *warp, uint32_t frame, const ptx_inst *inst) {
    const ptx_function *f = sim_inspect_function(warp, frame);
    if (!f || debug_symbols_note(s->symbols)) return false;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        if (f->insts[i].source != f->insts[0].source) return false;
        if (&f->insts[i] == inst) return true;
    }
    return false;
}

// Whether the step that is under way ends at this instruction; `lane` is then the thread to look at.
static bool step_ends(debug_session *s, const sim_event *event, int *lane) {
    debug_step *step = &s->step;
    const ptx_module *module = s->launch.module;
    sim_inspect_path path;
    if (s->thread_ended) return true;
    if (event->block != step->of.block || event->warp != step->of.warp || !running_path(event, &path))
        return false;
    bool there = path.mask >> step->of.lane & 1;
    if (!there && !step->whole_warp) return false;
    *lane = there ? (int)step->of.lane : __builtin_ctz(path.mask);
    uint32_t depth = debug_depth(event->self, path.frame);
    if (step->mode == DEBUG_STEPI) return true;
    if (step->mode == DEBUG_FINISH) return depth < step->depth;
    if (step->mode == DEBUG_NEXT && depth > step->depth) return false;
    if (depth > step->depth && fetches_parameters(s, event->self, path.frame, event->inst)) return false;
    uint32_t most = step->mode == DEBUG_NEXT && depth == step->depth ? step->inlined : UINT32_MAX;
    debug_line at = debug_line_at(s->symbols, event->inst, most, NULL);
    if (!has_user_line(module, at, step->line)) return false;
    if (step->forward && depth == step->depth && at.file == step->line.file && at.line < step->line.line)
        return false;
    return depth != step->depth || !same_line(at, step->line);
}

bool debug_begin_step(debug_session *s, debug_mode mode, uint64_t count, bool whole_warp, bool forward) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return false;
    uint32_t depth = debug_depth(context.warp, context.frame); // of the selected call
    debug_line line = {UINT32_MAX, 0};
    uint32_t inlined = 0;
    if (context.inst) line = debug_line_at(s->symbols, context.inst, UINT32_MAX, &inlined);
    s->step = (debug_step){.mode = mode,
                           .whole_warp = whole_warp,
                           .of = s->focus,
                           .line = line,
                           .depth = depth,
                           .inlined = inlined,
                           .count = count,
                           .forward = forward};
    sim_inspect_path path;
    if (debug_path_of(s, context.warp, context.lane, &path)) s->step.mask = path.mask;
    return true;
}

static bool step_goes_on(debug_session *s, const sim_event *event) {
    if (s->step.count < 2 || s->thread_ended) return false;
    sim_inspect_path path;
    s->step.count--;
    s->step.line = debug_line_at(s->symbols, event->inst, UINT32_MAX, &s->step.inlined);
    if (running_path(event, &path)) s->step.depth = debug_depth(event->self, path.frame);
    return true;
}

// ---- events ----------------------------------------------------------------------------------------------

static bool stop_at_breakpoint(debug_session *s, const sim_event *event) {
    for (uint32_t i = 0; i < s->breakpoint_count; i++) {
        debug_breakpoint *b = &s->breakpoints[i];
        if (!b->enabled || b->is_watch) continue;
        bool here = false;
        for (uint32_t j = 0; j < b->serial_count; j++) here = here || b->serials[j] == event->inst->serial;
        int lane = here ? debug_breakpoint_lane(s, b, event) : -1;
        if (lane < 0) continue;
        b->hits++;
        debug_say(s, "\n%s %u, ", b->temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
        if (b->temporary) debug_delete_breakpoint(s, i);
        stop(s, event, lane);
        return true;
    }
    return false;
}

static bool stop_at_watch(debug_session *s) {
    uint32_t id = s->watch_hit - 1;
    s->watch_hit = 0;
    for (uint32_t i = 0; i < s->breakpoint_count; i++) {
        debug_breakpoint *b = &s->breakpoints[i];
        if (b->id != id) continue;
        uint64_t now = 0;
        if (!b->type) b->type = debug_type_builtin(s->symbols, DEBUG_UNSIGNED, b->bytes);
        sim_inspect_memory(s->watch_event.self, b->watch_lane, b->address, &now, b->bytes);
        if (now == b->old) return false; // the same value was written
        b->hits++;
        debug_say(s, "\nWatchpoint %u: %s\n  old value: ", b->id, b->expression);
        debug_print_number(b->type, b->old, 0, &s->out);
        debug_say(s, "\n  new value: ");
        debug_print_number(b->type, now, 0, &s->out);
        debug_say(s, "\nwritten by ");
        b->old = now;
        sim_event event = s->watch_event;
        stop(s, &event, (int)s->watch_writer);
        return true;
    }
    return false;
}

static void look_closer(debug_session *s, const sim_event *event) {
    if (s->watch_hit && stop_at_watch(s)) return;
    bool marked = event->inst->serial < s->mark_count && s->marks[event->inst->serial];
    if (marked && event->mask && stop_at_breakpoint(s, event)) return;
    int lane = -1;
    if (s->step.mode != DEBUG_RUNS && step_ends(s, event, &lane) && !step_goes_on(s, event)) {
        if (s->thread_ended) debug_say(s, "The thread that was stepped has ended.\n");
        s->thread_ended = false;
        stop(s, event, lane);
    } else if (s->interrupted) {
        debug_say(s, "\nInterrupted: ");
        stop(s, event, -1);
    }
}

static void on_step(sim_listener *self, const sim_event *event) {
    debug_session *s = (debug_session *)self;
    if (s->detached || s->killed) return;
    if (s->step.mode != DEBUG_RUNS || s->interrupted || s->watch_hit || s->thread_ended ||
        (event->inst->serial < s->mark_count && s->marks[event->inst->serial]))
        look_closer(s, event);
    if (s->killed) sim_inspect_end(event->self);
}

// Whether the access touches what is watched; a generic address tells the space.
static bool touches(const debug_breakpoint *b, const sim_access *access, uint64_t window, uint32_t *by) {
    if (b->is_local && (access->at.warp != b->watch_warp || access->at.block != b->watch_block)) return false;
    if (window == sim_inspect_window(SIM_SHARED) && access->at.block != b->watch_block) return false;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t address = access->addresses[lane] + window;
        if (b->is_local && lane != b->watch_lane) continue;
        if (address >= b->address + b->bytes || b->address >= address + access->bytes) continue;
        *by = lane;
        return true;
    }
    return false;
}

static void on_access(sim_listener *self, const sim_access *access) {
    debug_session *s = (debug_session *)self;
    if (s->detached || access->kind == SIM_LOAD) return;
    if (access->space == SIM_SHARED) debug_note_write(s, access);
    uint64_t window = sim_inspect_window(access->space);
    uint32_t lane = 0;
    for (uint32_t i = 0; s->watch_count && i < s->breakpoint_count; i++) {
        const debug_breakpoint *b = &s->breakpoints[i];
        if (!b->is_watch || !b->enabled || !touches(b, access, window, &lane)) continue;
        s->watch_hit = b->id + 1; // looked at when the store is done
        s->watch_event = access->at;
        s->watch_writer = lane;
    }
}

static void on_leave(sim_listener *self, const sim_event *event) {
    debug_session *s = (debug_session *)self;
    const debug_focus *of = &s->step.of;
    if (s->step.mode != DEBUG_RUNS && event->block == of->block && event->warp == of->warp &&
        (event->mask >> of->lane & 1) && !s->step.whole_warp)
        s->thread_ended = true;
}

static void on_fault(sim_listener *self, const sim_event *event, const char *message) {
    debug_session *s = (debug_session *)self;
    if (s->detached || s->killed) return;
    sim_event at = *event;
    debug_say(s, "\nError: %s\n", message);
    stop(s, &at, -1);
}

static void on_block_end(sim_listener *self, uint32_t block) {
    debug_session *s = (debug_session *)self;
    debug_shadow *shadow = debug_shadow_of(s, block);
    s->ended_blocks++;
    if (!shadow) return;
    free(shadow->writers);
    *shadow = s->shadows[--s->shadow_count];
}

static void take_symbols(debug_session *s) {
    const ptx_module *module = s->launch.module;
    if (s->symbols && debug_symbols_module(s->symbols) == module && s->symbols_text == module->text) return;
    debug_symbols_close(s->symbols);
    s->symbols = NULL;
    for (uint32_t i = 0; i < s->breakpoint_count; i++) s->breakpoints[i].type = NULL;
    debug_forget_sources(s);
    kz_error error = {0};
    if (debug_symbols_open(module, &s->symbols, &error) != KZ_OK) {
        debug_say(s, "%s\n", error.message);
        s->detached = true;
    }
    s->symbols_text = module->text;
}

static void on_launch_begin(sim_listener *self, const sim_launch_event *event) {
    debug_session *s = (debug_session *)self;
    if (s->detached) return;
    s->launch = *event;
    s->thread_ended = s->stopped_in_launch = false;
    s->watch_hit = s->ended_blocks = 0;
    take_symbols(s);
    if (s->detached) return;
    prepare(s);
    bool stepped = s->step.mode != DEBUG_RUNS;
    if (s->started && !stepped) return;
    char name[256];
    const sim_launch *l = event->launch;
    debug_function_name(s->symbols, event->entry, name, sizeof name);
    debug_clear_step(s);
    debug_say(s, "%s%s is about to be launched with grid (%u,%u,%u), block (%u,%u,%u)",
              s->started ? "" : "Kernel ", name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
              l->block[2]);
    uint32_t shared = event->shared_bytes - event->reserved_shared_bytes;
    debug_say(s, shared ? ", %u bytes of shared memory.\n" : ".\n", shared);
    if (!s->started) {
        const char *note = debug_symbols_note(s->symbols);
        if (note) debug_say(s, "Note: %s\n", note);
        debug_say(s, "Set breakpoints (break LINE), then say run. help lists the commands.\n");
    }
    s->started = true;
    debug_prompt(s);
}

static void on_launch_end(sim_listener *self, kz_status status) {
    debug_session *s = (debug_session *)self;
    for (uint32_t i = 0; i < s->shadow_count; i++) free(s->shadows[i].writers);
    s->shadow_count = 0;
    bool killed = s->killed;
    s->killed = false;
    if (s->detached || !s->stopped_in_launch) return;
    char name[256];
    debug_function_name(s->symbols, s->launch.entry, name, sizeof name);
    debug_say(s, "Kernel %s has %s.\n", name,
              killed            ? "been killed"
              : status == KZ_OK ? "ended"
                                : "been ended by an error");
    debug_flush(s);
}

// ---- open and close --------------------------------------------------------------------------------------

kz_status debug_open(const debug_terminal *terminal, debug_session **session, kz_error *error) {
    debug_session *s = calloc(1, sizeof *s);
    *session = s;
    if (!s) return base_fail(error, KZ_NO_MEMORY, "no memory for a debugger");
    s->terminal = *terminal;
    s->next_id = 1;
    s->listener = (sim_listener){.launch_begin = on_launch_begin,
                                 .launch_end = on_launch_end,
                                 .block_end = on_block_end,
                                 .step = on_step,
                                 .access = on_access,
                                 .leave = on_leave,
                                 .fault = on_fault};
    return KZ_OK;
}

void debug_close(debug_session *s) {
    if (!s) return;
    for (uint32_t i = 0; i < s->breakpoint_count; i++) debug_free_breakpoint(&s->breakpoints[i]);
    debug_forget_sources(s);
    for (uint32_t i = 0; i < s->shadow_count; i++) free(s->shadows[i].writers);
    debug_symbols_close(s->symbols);
    base_text_free(&s->out);
    free(s->breakpoints);
    free(s->shadows);
    free(s->has_step);
    free(s->marks);
    free(s->last_line);
    for (size_t i = 0; i < BASE_COUNT(s->displays); i++) free(s->displays[i]);
    free(s->folder);
    if (s->terminal.close) s->terminal.close(s->terminal.context);
    free(s);
}

sim_listener *debug_listener(debug_session *s) { return &s->listener; }

bool debug_interrupt(debug_session *s) {
    bool asked_before = s->interrupted;
    s->interrupted = 1;
    return !asked_before;
}

// Who is where: the focused thread, its calls, and all the others in groups.

#include "debug/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCKS = 16, MAX_ARGUMENTS = 60 };

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void line_text(const debug_session *s, debug_line at, const ptx_inst *inst, base_text *out) {
    const ptx_module *m = s->launch.module;
    if (at.file < m->file_count && at.line)
        base_text_add(out, "%s:%u", last_part(m->files[at.file].path), at.line);
    else if (inst)
        base_text_add(out, "PTX line %u", inst->line);
    else
        base_text_add(out, "the end of the function");
}

void debug_show_location(debug_session *s, const ptx_inst *inst, base_text *out) {
    debug_line at = {UINT32_MAX, 0};
    if (inst) at = debug_line_at(s->symbols, inst, UINT32_MAX, NULL);
    line_text(s, at, inst, out);
}

// ---- calls -----------------------------------------------------------------------------------------------

static void show_arguments(debug_session *s, const debug_context *context, const debug_die *scope) {
    unsigned count = 0;
    debug_value value;
    debug_say(s, "(");
    for (const debug_die *d = scope ? scope->child : NULL; d; d = d->next) {
        if (d->tag != DEBUG_TAG_PARAMETER || !debug_die_name(d)) continue;
        debug_say(s, "%s%s=", count++ ? ", " : "", debug_die_name(d));
        if (debug_variable_value(context, d, &value, NULL) == KZ_OK)
            debug_print_value(context, &value, (debug_format){.brief = true}, &s->out);
        else
            debug_say(s, "?");
    }
    debug_say(s, ")");
}

static void show_call(debug_session *s, const debug_context *context, const debug_call *call) {
    char name[256] = "?";
    const ptx_function *function = sim_inspect_function(context->warp, context->frame);
    if (call->inlined)
        debug_say(s, "%s ", call->name);
    else {
        if (function) debug_function_name(s->symbols, function, name, sizeof name);
        debug_say(s, "%s ", name);
    }
    show_arguments(s, context, call->scope);
    debug_say(s, " at ");
    line_text(s, call->at, context->inst, &s->out);
    if (call->inlined) debug_say(s, ", inlined");
    debug_say(s, "\n");
}

static unsigned calls_of(debug_session *s, const debug_context *context, debug_call calls[DEBUG_CALLS]) {
    if (context->inst) return debug_calls_at(s->symbols, context->inst, calls);
    calls[0] = (debug_call){.at = {UINT32_MAX, 0}};
    return 1;
}

void debug_show_frames(debug_session *s) {
    debug_context context;
    debug_call calls[DEBUG_CALLS];
    unsigned level = s->focus.level, number = 0;
    s->focus.level = 0;
    if (debug_focused_context(s, &context)) {
        uint32_t depth = debug_depth(context.warp, context.frame);
        for (unsigned i = 0; i <= depth && i < 1000; i++) {
            s->focus.level = i;
            if (!debug_focused_context(s, &context)) break;
            unsigned count = calls_of(s, &context, calls);
            for (unsigned j = 0; j < count; j++) {
                debug_say(s, "%c #%u  ", i == level && j == 0 ? '*' : ' ', number++);
                show_call(s, &context, &calls[j]);
            }
        }
    }
    s->focus.level = level;
}

// ---- the focused thread ----------------------------------------------------------------------------------

void debug_show_focus(debug_session *s) {
    const sim_warp *warp = debug_focused_warp(s);
    if (!warp) {
        debug_say(s, "[the block is not running]\n");
        return;
    }
    sim_inspect_where where;
    sim_inspect_path path;
    sim_inspect_at(warp, &where);
    uint32_t thread = where.warp * 32 + s->focus.lane;
    debug_say(s, "[block (%u,%u,%u), thread (%u,%u,%u): warp %u, lane %u", where.block_at[0],
              where.block_at[1], where.block_at[2], thread % where.block[0],
              thread / where.block[0] % where.block[1], thread / where.block[0] / where.block[1], where.warp,
              s->focus.lane);
    if (debug_path_of(s, warp, s->focus.lane, &path))
        debug_say(s, "; lanes %08x are here]\n", path.mask);
    else
        debug_say(s, "; it has ended]\n");
}

void debug_show_where(debug_session *s, bool brief, bool with_code) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return;
    debug_call calls[DEBUG_CALLS];
    calls_of(s, &context, calls);
    if (!brief) {
        show_call(s, &context, &calls[0]);
        debug_show_focus(s);
    }
    bool shown = debug_show_line(s, calls[0].at.file, calls[0].at.line, true);
    if (!shown || with_code) debug_show_code(s, &context, 0);
}

// ---- everybody -------------------------------------------------------------------------------------------

static void path_text(debug_session *s, const sim_warp *warp, const sim_inspect_path *path, base_text *out) {
    base_text_add(out, "lanes %08x at ", path->mask);
    const ptx_inst *inst = path->state == SIM_INSPECT_RUNNING && warp == s->event->self && s->event->inst
                               ? s->event->inst
                               : path->inst;
    debug_show_location(s, inst, out);
    switch (path->state) {
    case SIM_INSPECT_RUNNING: break;
    case SIM_INSPECT_READY: {
        base_text waits = {0};
        if (sim_inspect_mbarrier(warp, path->mask, &waits)) base_text_add(out, ", %s", waits.data);
        base_text_free(&waits);
        break;
    }
    case SIM_INSPECT_AT_BARRIER:
        base_text_add(out, ", wait at barrier %u (%u of %u threads have come)", path->barrier, path->arrived,
                      path->expected);
        break;
    case SIM_INSPECT_AT_SYNC: base_text_add(out, ", wait for lanes %08x of their warp", path->lanes); break;
    case SIM_INSPECT_AT_CLUSTER: base_text_add(out, ", wait at the cluster's barrier"); break;
    }
}

// All paths of a warp, one after the other.
static void warp_text(debug_session *s, const sim_warp *warp, base_text *out) {
    sim_inspect_path path;
    uint32_t count = sim_inspect_paths(warp);
    if (count == 0) base_text_add(out, "ended");
    for (uint32_t i = 0; i < count && sim_inspect_path_at(warp, i, &path); i++) {
        if (i) base_text_add(out, "\n%*s", 20, "");
        path_text(s, warp, &path, out);
    }
}

static void show_group(debug_session *s, uint32_t first, uint32_t last, bool here, const char *text) {
    char warps[32];
    if (first == last)
        snprintf(warps, sizeof warps, "warp %u", first);
    else
        snprintf(warps, sizeof warps, "warps %u-%u", first, last);
    debug_say(s, "%c   %-16s%s\n", here ? '*' : ' ', warps, text);
}

static void show_block(debug_session *s, const sim_warp *first, bool grouped) {
    sim_inspect_where where;
    sim_inspect_at(first, &where);
    bool focused = where.block_index == s->focus.block;
    debug_say(s, "%c block (%u,%u,%u)\n", focused ? '*' : ' ', where.block_at[0], where.block_at[1],
              where.block_at[2]);
    base_text before = {0};
    uint32_t begin = 0;
    for (uint32_t i = 0; i < where.warps; i++) {
        base_text text = {0};
        warp_text(s, sim_inspect_warp(first, i), &text);
        bool same = grouped && before.data && text.data && !strcmp(before.data, text.data);
        if (!same && before.data) {
            show_group(s, begin, i - 1, focused && s->focus.warp >= begin && s->focus.warp < i, before.data);
            begin = i;
        }
        base_text_free(&before);
        before = text;
    }
    if (before.data) show_group(s, begin, where.warps - 1, focused && s->focus.warp >= begin, before.data);
    base_text_free(&before);
}

void debug_show_threads(debug_session *s, bool all) {
    if (!debug_is_stopped(s)) return;
    const sim_warp *self = s->event->self;
    if (!all) {
        const sim_warp *warp = debug_focused_warp(s);
        if (warp) show_block(s, sim_inspect_warp(warp, 0), false);
        return;
    }
    uint32_t resident = sim_inspect_resident(self);
    for (uint32_t i = 0; i < resident && i < MAX_BLOCKS; i++) show_block(s, sim_inspect_block(self, i), true);
    if (resident > MAX_BLOCKS) debug_say(s, "  ... and %u more blocks\n", resident - MAX_BLOCKS);
    sim_inspect_where where;
    sim_inspect_at(self, &where);
    uint64_t total = (uint64_t)where.grid[0] * where.grid[1] * where.grid[2];
    uint64_t waiting = total - resident - s->ended_blocks;
    if (s->ended_blocks) debug_say(s, "  blocks that have ended: %u\n", s->ended_blocks);
    if (waiting) debug_say(s, "  blocks that have not begun: %llu\n", (unsigned long long)waiting);
}

// The commands. Each gets what follows its name: options after a slash, and the rest of the line. True lets
// the launch go on.

#include "debug/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool (*command_function)(debug_session *s, const char *options, const char *text);

#define DEBUG_COMMAND(name, shortest, function, usage, help)                                                 \
    static bool function(debug_session *s, const char *options, const char *text);
#include "debug/commands.def"
#undef DEBUG_COMMAND

typedef struct command {
    const char *name;
    size_t shortest;
    command_function function;
    const char *usage, *help;
} command;
static const command commands[] = {
#define DEBUG_COMMAND(name, shortest, function, usage, help) {name, shortest, function, usage, help},
#include "debug/commands.def"
#undef DEBUG_COMMAND
};

static const command *find_command(const char *word, size_t length) {
    for (size_t i = 0; i < BASE_COUNT(commands); i++)
        if (length >= commands[i].shortest && length <= strlen(commands[i].name) &&
            !strncmp(commands[i].name, word, length))
            return &commands[i];
    return NULL;
}

// ---- breakpoints -----------------------------------------------------------------------------------------

static bool do_break(debug_session *s, const char *options, const char *text) {
    debug_add_breakpoint(s, text, false);
    return false;
}

static bool do_tbreak(debug_session *s, const char *options, const char *text) {
    debug_add_breakpoint(s, text, true);
    return false;
}

static bool do_watch(debug_session *s, const char *options, const char *text) {
    debug_add_watch(s, text);
    return false;
}

// Calls `what` for the breakpoints that the numbers name, or for all.
static void each_breakpoint(debug_session *s, const char *text,
                            void (*what)(debug_session *s, uint32_t index)) {
    if (!*text) {
        for (uint32_t i = s->breakpoint_count; i-- > 0;) what(s, i);
        return;
    }
    while (*text) {
        char *end;
        unsigned long id = strtoul(text, &end, 10);
        bool found = false;
        for (uint32_t i = 0; i < s->breakpoint_count && !found; i++) {
            found = s->breakpoints[i].id == id;
            if (found) what(s, i);
        }
        if (end == text || !found) {
            debug_say(s, "There is no breakpoint '%s': info breakpoints lists them.\n", text);
            return;
        }
        for (text = end; isspace((unsigned char)*text); text++) {}
    }
}

static void enable_one(debug_session *s, uint32_t index) { s->breakpoints[index].enabled = true; }
static void disable_one(debug_session *s, uint32_t index) { s->breakpoints[index].enabled = false; }

static bool do_delete(debug_session *s, const char *options, const char *text) {
    each_breakpoint(s, text, debug_delete_breakpoint);
    return false;
}

static bool do_disable(debug_session *s, const char *options, const char *text) {
    each_breakpoint(s, text, disable_one);
    debug_resolve_breakpoints(s);
    return false;
}

static bool do_enable(debug_session *s, const char *options, const char *text) {
    each_breakpoint(s, text, enable_one);
    debug_resolve_breakpoints(s);
    return false;
}

// ---- going on --------------------------------------------------------------------------------------------

static bool do_continue(debug_session *s, const char *options, const char *text) { return true; }

static bool begin_step(debug_session *s, debug_mode mode, const char *text) {
    bool warp = !strcmp(text, "warp");
    char *end;
    uint64_t count = *text && !warp ? strtoull(text, &end, 10) : 1;
    if (*text && !warp && (*end || !count)) {
        debug_say(s, "'%s' is no count of steps.\n", text);
        return false;
    }
    return debug_begin_step(s, mode, count, warp, false);
}

static bool do_step(debug_session *s, const char *options, const char *text) {
    return begin_step(s, DEBUG_STEPS, text);
}

static bool do_next(debug_session *s, const char *options, const char *text) {
    return begin_step(s, DEBUG_NEXT, text);
}

static bool do_stepi(debug_session *s, const char *options, const char *text) {
    return begin_step(s, DEBUG_STEPI, text);
}

static bool do_finish(debug_session *s, const char *options, const char *text) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return false;
    if (debug_depth(context.warp, context.frame) == 0) {
        debug_say(s, "This is the kernel itself: continue goes on to its end.\n");
        return false;
    }
    return debug_begin_step(s, DEBUG_FINISH, 1, false, false);
}

static bool do_until(debug_session *s, const char *options, const char *text) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return false;
    if (!*text) return debug_begin_step(s, DEBUG_NEXT, 1, false, true);
    sim_inspect_where where;
    sim_inspect_at(context.warp, &where);
    uint32_t thread = where.warp * 32 + context.lane;
    char whole[512];
    snprintf(whole, sizeof whole, "%.300s if block(%u,%u,%u) thread(%u,%u,%u)", text, where.block_at[0],
             where.block_at[1], where.block_at[2], thread % where.block[0],
             thread / where.block[0] % where.block[1], thread / where.block[0] / where.block[1]);
    uint32_t before = s->breakpoint_count;
    debug_add_breakpoint(s, whole, true);
    return s->breakpoint_count > before;
}

static bool do_detach(debug_session *s, const char *options, const char *text) {
    debug_say(s, "The program goes on undisturbed.\n");
    s->detached = true;
    return true;
}

static bool do_kill(debug_session *s, const char *options, const char *text) {
    if (!debug_is_stopped(s)) return false;
    s->killed = true;
    return true;
}

static bool do_quit(debug_session *s, const char *options, const char *text) {
    s->detached = true;
    debug_flush(s);
    if (s->terminal.quit) s->terminal.quit(s->terminal.context);
    return true;
}

// ---- the focus -------------------------------------------------------------------------------------------

// "1", "1,0" or "(1,0,0)"; how many parts there were, 0 where it is none.
static unsigned coordinates(const char *text, uint32_t at[3]) {
    unsigned count = 0;
    at[0] = at[1] = at[2] = 0;
    if (*text == '(') text++;
    while (count < 3) {
        char *end;
        at[count] = (uint32_t)strtoul(text, &end, 10);
        if (end == text) return 0;
        count++;
        for (text = end; isspace((unsigned char)*text); text++) {}
        if (*text != ',') break;
        text++;
    }
    return *text == 0 || *text == ')' ? count : 0;
}

static bool focus_changed(debug_session *s) {
    s->focus.level = 0;
    s->listed_line = 0;
    debug_show_where(s, false, false);
    return false;
}

static bool do_block(debug_session *s, const char *options, const char *text) {
    if (!debug_is_stopped(s)) return false;
    uint32_t at[3];
    if (!*text) {
        debug_show_focus(s);
        return false;
    }
    if (!coordinates(text, at)) {
        debug_say(s, "'%s' is no block: block 1 or block 1,0,0\n", text);
        return false;
    }
    for (uint32_t i = 0; i < sim_inspect_resident(s->event->self); i++) {
        sim_inspect_where where;
        sim_inspect_at(sim_inspect_block(s->event->self, i), &where);
        if (memcmp(where.block_at, at, sizeof at)) continue;
        s->focus = (debug_focus){.block = where.block_index};
        return focus_changed(s);
    }
    debug_say(
        s,
        "Block (%u,%u,%u) is not running: it has ended, or not begun. The simulator begins a block when "
        "it needs it; info threads lists those that run.\n",
        at[0], at[1], at[2]);
    return false;
}

static bool focus_thread(debug_session *s, uint64_t thread) {
    const sim_warp *warp = debug_focused_warp(s);
    sim_inspect_where where;
    if (!warp) return false;
    sim_inspect_at(warp, &where);
    if (thread >= where.threads) {
        debug_say(s, "The block has %u threads.\n", where.threads);
        return false;
    }
    s->focus.warp = (uint32_t)thread / 32;
    s->focus.lane = (uint32_t)thread % 32;
    return focus_changed(s);
}

static bool do_thread(debug_session *s, const char *options, const char *text) {
    if (!debug_is_stopped(s)) return false;
    uint32_t at[3];
    unsigned parts = *text ? coordinates(text, at) : 0;
    const sim_warp *warp = debug_focused_warp(s);
    if (!parts || !warp) {
        if (*text) debug_say(s, "'%s' is no thread: thread 33 or thread 1,1,0\n", text);
        debug_show_focus(s);
        return false;
    }
    sim_inspect_where where;
    sim_inspect_at(warp, &where);
    if (parts == 1) return focus_thread(s, at[0]);
    for (unsigned i = 0; i < 3; i++)
        if (at[i] >= where.block[i]) {
            debug_say(s, "The block is %u x %u x %u threads.\n", where.block[0], where.block[1],
                      where.block[2]);
            return false;
        }
    return focus_thread(s, at[0] + (uint64_t)where.block[0] * (at[1] + (uint64_t)where.block[1] * at[2]));
}

static bool do_warp(debug_session *s, const char *options, const char *text) {
    if (!debug_is_stopped(s)) return false;
    if (*text) return focus_thread(s, strtoull(text, NULL, 10) * 32);
    debug_show_focus(s);
    return false;
}

static bool do_lane(debug_session *s, const char *options, const char *text) {
    if (!debug_is_stopped(s)) return false;
    uint64_t lane = strtoull(text, NULL, 10);
    if (*text && lane < 32) return focus_thread(s, s->focus.warp * UINT64_C(32) + lane);
    if (*text)
        debug_say(s, "A warp has lanes 0 to 31.\n");
    else
        debug_show_focus(s);
    return false;
}

static bool do_up(debug_session *s, const char *options, const char *text) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return false;
    if (debug_depth(context.warp, context.frame) == 0) {
        debug_say(s, "This is the kernel: nobody called it.\n");
        return false;
    }
    s->focus.level++;
    debug_show_where(s, false, false);
    return false;
}

static bool do_down(debug_session *s, const char *options, const char *text) {
    if (!debug_is_stopped(s)) return false;
    if (s->focus.level == 0) {
        debug_say(s, "This is the innermost call.\n");
        return false;
    }
    s->focus.level--;
    debug_show_where(s, false, false);
    return false;
}

// ---- looking ---------------------------------------------------------------------------------------------

static void list_breakpoints(debug_session *s) {
    if (!s->breakpoint_count) debug_say(s, "No breakpoints.\n");
    for (uint32_t i = 0; i < s->breakpoint_count; i++) {
        const debug_breakpoint *b = &s->breakpoints[i];
        debug_say(s, "%-3u %-10s %s ", b->id,
                  b->is_watch    ? "watch"
                  : b->temporary ? "temporary"
                                 : "break",
                  b->enabled ? " " : "(off)");
        debug_describe_breakpoint(s, b);
        if (b->hits) debug_say(s, ", hit %llu times", (unsigned long long)b->hits);
        debug_say(s, "\n");
    }
}

static bool starts(const char *text, const char *word, size_t shortest) {
    size_t length = strcspn(text, " \t");
    return length >= shortest && length <= strlen(word) && !strncmp(text, word, length);
}

static bool do_info(debug_session *s, const char *options, const char *text) {
    const char *rest = text + strcspn(text, " \t");
    while (isspace((unsigned char)*rest)) rest++;
    if (starts(text, "threads", 1))
        debug_show_threads(s, true);
    else if (starts(text, "warps", 1))
        debug_show_threads(s, false);
    else if (starts(text, "breakpoints", 1) || starts(text, "watchpoints", 3))
        list_breakpoints(s);
    else if (starts(text, "locals", 1))
        debug_show_locals(s, false);
    else if (starts(text, "args", 1))
        debug_show_locals(s, true);
    else if (starts(text, "registers", 1))
        debug_show_registers(s, rest);
    else if (starts(text, "shared", 1))
        debug_show_shared(s, "", rest);
    else if (starts(text, "mbarriers", 1))
        debug_show_mbarriers(s);
    else if (starts(text, "map", 2))
        debug_show_map(s, rest);
    else if (starts(text, "async", 2))
        debug_show_async(s);
    else if (starts(text, "focus", 1) || starts(text, "cuda", 1)) {
        if (debug_is_stopped(s)) debug_show_focus(s);
    } else
        debug_say(s, "info threads, warps, breakpoints, locals, args, registers, focus, shared, mbarriers, "
                     "async or map\n");
    return false;
}

static bool do_fragment(debug_session *s, const char *options, const char *text) {
    debug_show_fragment(s, options, text);
    return false;
}

static bool do_where(debug_session *s, const char *options, const char *text) {
    debug_show_frames(s);
    return false;
}

static bool do_list(debug_session *s, const char *options, const char *text) {
    uint32_t file = UINT32_MAX, line = 0;
    if (*text) {
        if (!debug_find_line(s, text, &file, &line)) {
            debug_say(s, "'%s' is no location in this module: a line, FILE:LINE or a function.\n", text);
            return false;
        }
    } else if (s->listed_line) {
        file = s->listed_file;
        line = s->listed_line;
    } else {
        debug_context context;
        const ptx_inst *inst = s->launch.entry->insts;
        if (s->event && debug_focused_context(s, &context)) inst = context.inst;
        debug_line at =
            inst ? debug_line_at(s->symbols, inst, UINT32_MAX, NULL) : (debug_line){UINT32_MAX, 0};
        file = at.file;
        line = at.line;
    }
    debug_show_list(s, file, line);
    return false;
}

static bool do_print(debug_session *s, const char *options, const char *text) {
    debug_show_print(s, options, text);
    return false;
}

static void show_display(debug_session *s, const char *whole) {
    const char *space = strchr(whole, ' ');
    char format[8] = "";
    snprintf(format, sizeof format, "%.*s", (int)(space - whole), whole);
    debug_show_print(s, format, space + 1);
}

static bool do_display(debug_session *s, const char *options, const char *text) {
    for (size_t i = 0; i < BASE_COUNT(s->displays); i++) {
        if (!*text) {
            free(s->displays[i]);
            s->displays[i] = NULL;
        } else if (!s->displays[i]) {
            base_text whole = {0};
            base_text_add(&whole, "%.7s %s", options, text);
            s->displays[i] = whole.data;
            if (s->event && whole.data) show_display(s, whole.data);
            return false;
        }
    }
    if (*text) debug_say(s, "No room for more: display alone forgets all.\n");
    return false;
}

static bool do_examine(debug_session *s, const char *options, const char *text) {
    debug_show_memory(s, options, text);
    return false;
}

static bool do_shared(debug_session *s, const char *options, const char *text) {
    debug_show_shared(s, options, text);
    return false;
}

static bool do_disassemble(debug_session *s, const char *options, const char *text) {
    debug_context context;
    if (debug_focused_context(s, &context))
        debug_show_code(s, &context, *text ? (uint32_t)strtoul(text, NULL, 10) : 6);
    return false;
}

static bool do_directory(debug_session *s, const char *options, const char *text) {
    free(s->folder);
    s->folder = *text ? strdup(text) : NULL;
    debug_forget_sources(s);
    debug_say(s,
              *text ? "Sources are looked for in %s too.\n" : "Sources are looked for at their own paths.\n",
              text);
    return false;
}

static bool do_help(debug_session *s, const char *options, const char *text) {
    const command *one = *text ? find_command(text, strlen(text)) : NULL;
    if (one) {
        debug_say(s, "%s\n%s\n", one->usage, one->help);
        return false;
    }
    if (*text) debug_say(s, "There is no command '%s'.\n", text);
    for (size_t i = 0; i < BASE_COUNT(commands); i++) {
        size_t length = strcspn(commands[i].help, "\n");
        debug_say(s, "  %-14s%.*s\n", commands[i].name, (int)length, commands[i].help);
    }
    debug_say(s, "Names may be cut short: b, c, n, s, p, i th. help COMMAND says more.\n");
    return false;
}

// ---- the prompt ------------------------------------------------------------------------------------------

// Takes a line apart and obeys it.
static bool obey(debug_session *s, const char *line) {
    char options[16] = "";
    while (isspace((unsigned char)*line)) line++;
    size_t length = strcspn(line, " \t/");
    const char *rest = line + length;
    if (*rest == '/') {
        size_t many = strcspn(rest + 1, " \t");
        snprintf(options, sizeof options, "%.*s", (int)many, rest + 1);
        rest += 1 + many;
    }
    while (isspace((unsigned char)*rest)) rest++;
    const command *found = find_command(line, length);
    if (found) return found->function(s, options, rest);
    debug_say(s, "'%.*s' is no command; help lists them.\n", (int)length, line);
    return false;
}

static void trim(base_text *line) {
    while (line->length && isspace((unsigned char)line->data[line->length - 1]))
        line->data[--line->length] = 0;
}

void debug_prompt(debug_session *s) {
    for (size_t i = 0; s->event && i < BASE_COUNT(s->displays); i++)
        if (s->displays[i]) show_display(s, s->displays[i]);
    bool resumes = false;
    while (!resumes) {
        base_text line = {0};
        debug_flush(s);
        if (!s->terminal.read(s->terminal.context, "(kz) ", &line)) {
            debug_say(s, "\nNo more commands: the program goes on undisturbed.\n");
            s->detached = resumes = true;
        } else {
            trim(&line);
            if (line.length) { // an empty line repeats the last command
                free(s->last_line);
                s->last_line = strdup(line.data);
            }
            if (s->last_line) resumes = obey(s, s->last_line);
        }
        base_text_free(&line);
    }
    s->interrupted = 0; // Ctrl-C at the prompt concerns nobody
    debug_flush(s);
}

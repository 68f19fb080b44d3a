// Breakpoints: what they mean in the module at hand, and for which threads.
//
// A line is a breakpoint at the first of its instructions in each function and in each piece of code that the
// compiler copied. An instruction that only names a constant is never executed: the one after it stands for
// it.

#include "debug/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void debug_free_breakpoint(debug_breakpoint *b) {
    free(b->file);
    free(b->function);
    free(b->condition);
    free(b->serials);
    free(b->expression);
}

void debug_delete_breakpoint(debug_session *s, uint32_t index) {
    if (s->breakpoints[index].is_watch) s->watch_count--;
    debug_free_breakpoint(&s->breakpoints[index]);
    for (uint32_t i = index + 1; i < s->breakpoint_count; i++) s->breakpoints[i - 1] = s->breakpoints[i];
    s->breakpoint_count--;
    debug_resolve_breakpoints(s);
}

// ---- where -----------------------------------------------------------------------------------------------

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// "t.cu" and "src/t.cu" mean /home/me/src/t.cu.
static bool is_file(const char *path, const char *wanted) {
    size_t length = strlen(path), part = strlen(wanted);
    if (part > length || strcmp(path + length - part, wanted)) return false;
    return part == length || path[length - part - 1] == '/';
}

static bool location_is(const debug_session *s, int32_t location, const debug_breakpoint *b, uint32_t file,
                        uint32_t line) {
    const ptx_module *m = s->launch.module;
    for (unsigned i = 0; location >= 0 && i < 100; i++, location = m->locations[location].inlined_at) {
        const ptx_location *at = &m->locations[location];
        if (at->line != line || at->file >= m->file_count) continue;
        if (b->file ? is_file(m->files[at->file].path, b->file) : at->file == file) return true;
    }
    return false;
}

// The file that a line without a file means: the focused thread's, else the kernel's.
static uint32_t default_file(debug_session *s) {
    const ptx_module *m = s->launch.module;
    const ptx_inst *inst = s->event ? s->event->inst : NULL;
    int32_t at = inst ? ptx_user_location(m, inst) : -1;
    if (at >= 0 && m->locations[at].file < m->file_count) return m->locations[at].file;
    for (uint32_t i = 0; s->launch.entry && i < s->launch.entry->inst_count; i++) {
        at = ptx_user_location(m, &s->launch.entry->insts[i]);
        if (at < 0 || m->locations[at].file >= m->file_count) continue;
        if (!ptx_is_foreign(m->files[m->locations[at].file].path)) return m->locations[at].file;
    }
    return UINT32_MAX;
}

static bool is_debug_code(const debug_session *s) { return debug_symbols_note(s->symbols) == NULL; }

// The instruction that stands for the one at `index`; NULL where none comes after it.
static const ptx_inst *add_serial(debug_session *s, debug_breakpoint *b, const ptx_function *f,
                                  uint32_t index) {
    while (s->mark_count && index < f->inst_count && !s->has_step[f->insts[index].serial]) index++;
    if (index >= f->inst_count) return NULL;
    const ptx_inst *inst = &f->insts[index];
    for (uint32_t i = 0; i < b->serial_count; i++)
        if (b->serials[i] == inst->serial) return inst;
    uint32_t *grown = realloc(b->serials, (b->serial_count + 1) * sizeof *grown);
    if (!grown) return NULL;
    b->serials = grown;
    b->serials[b->serial_count++] = inst->serial;
    return inst;
}

static bool ends_block(const ptx_inst *inst) {
    switch (ptx_op_get(inst->op)->end) {
    case PTX_END_BRANCH:
    case PTX_END_TABLE:
    case PTX_END_RETURN:
    case PTX_END_EXIT:
    case PTX_END_BARRIER: return true;
    default: return false;
    }
}

// Where all of the line is only named, it stops later: that line is the actual one.
static void resolve_line(debug_session *s, debug_breakpoint *b, uint32_t file, uint32_t line) {
    const ptx_module *m = s->launch.module;
    uint32_t later = 0;
    bool stops_here = false;
    for (uint32_t i = 0; i < m->function_count; i++) {
        const ptx_function *f = m->functions[i];
        bool before = false, found = false;
        for (uint32_t j = 0; j < f->inst_count; j++) {
            bool here = location_is(s, f->insts[j].source, b, file, line);
            // Compiled for debugging, a line is one piece, and its parts (a loop's condition) come later.
            if (here && !before && !(found && is_debug_code(s))) {
                const ptx_inst *inst = add_serial(s, b, f, j);
                int32_t at = inst ? ptx_user_location(m, inst) : -1;
                if (inst && location_is(s, inst->source, b, file, line))
                    stops_here = true;
                else if (at >= 0)
                    later = m->locations[at].line;
                found = true;
            }
            if (here)
                before = true;
            else if (ends_block(&f->insts[j]))
                before = false;
        }
    }
    if (!stops_here && later) b->actual_line = later;
}

// The next line of the file that has code; 0 where there is none.
static uint32_t line_with_code(const debug_session *s, const debug_breakpoint *b, uint32_t file) {
    const ptx_module *m = s->launch.module;
    uint32_t best = 0;
    for (uint32_t i = 0; i < m->function_count; i++)
        for (uint32_t j = 0; j < m->functions[i]->inst_count; j++) {
            int32_t at = m->functions[i]->insts[j].source;
            for (unsigned k = 0; at >= 0 && k < 100; k++, at = m->locations[at].inlined_at) {
                uint32_t line = m->locations[at].line;
                if (line >= b->line && (!best || line < best) && location_is(s, at, b, file, line))
                    best = line;
            }
        }
    return best;
}

static bool is_inside(debug_session *s, const ptx_inst *inst, const char *name) {
    debug_call calls[DEBUG_CALLS];
    for (unsigned i = debug_calls_at(s->symbols, inst, calls); i-- > 0;)
        if (calls[i].inlined && debug_is_named(calls[i].name, name)) return true;
    return false;
}

// Where the compiler inlined the function.
static void resolve_inlined(debug_session *s, debug_breakpoint *b, const ptx_function *f) {
    bool before = false;
    for (uint32_t i = 0; i < f->inst_count; i++) {
        bool here = is_inside(s, &f->insts[i], b->function);
        if (here && !before) {
            add_serial(s, b, f, i);
            b->actual_line = debug_line_at(s->symbols, &f->insts[i], UINT32_MAX, NULL).line;
        }
        before = here;
    }
}

// Behind what fetches the parameters: where the line changes for the first time.
static void resolve_function(debug_session *s, debug_breakpoint *b) {
    const ptx_module *m = s->launch.module;
    for (uint32_t i = 0; i < m->function_count; i++) {
        const ptx_function *f = m->functions[i];
        if (f->inst_count) resolve_inlined(s, b, f);
        if (!f->inst_count || !debug_function_is(s->symbols, f, b->function)) continue;
        uint32_t at = 0;
        int32_t first = f->insts[0].source;
        while (is_debug_code(s) && at < f->inst_count && f->insts[at].source == first) at++;
        if (at == f->inst_count) at = 0;
        const ptx_inst *inst = add_serial(s, b, f, at);
        int32_t location = inst ? ptx_user_location(m, inst) : -1;
        if (location >= 0) b->actual_line = m->locations[location].line;
    }
}

static void resolve(debug_session *s, debug_breakpoint *b) {
    free(b->serials);
    b->serials = NULL;
    b->serial_count = b->actual_line = 0;
    if (b->function) {
        resolve_function(s, b);
        return;
    }
    uint32_t file = b->file ? UINT32_MAX : default_file(s);
    b->actual_line = line_with_code(s, b, file);
    if (b->actual_line) resolve_line(s, b, file, b->actual_line);
}

void debug_resolve_breakpoints(debug_session *s) {
    if (s->mark_count) memset(s->marks, 0, s->mark_count);
    for (uint32_t i = 0; i < s->breakpoint_count; i++) {
        debug_breakpoint *b = &s->breakpoints[i];
        if (b->is_watch) continue;
        resolve(s, b);
        for (uint32_t j = 0; b->enabled && j < b->serial_count; j++)
            if (b->serials[j] < s->mark_count) s->marks[b->serials[j]] = 1;
    }
}

static bool all_digits(const char *text) {
    if (!*text) return false;
    for (; *text; text++)
        if (!isdigit((unsigned char)*text)) return false;
    return true;
}

static void take_location(debug_session *s, debug_breakpoint *b, const char *word) {
    const char *colon = strrchr(word, ':');
    if (!*word) {
        int32_t at = s->event && s->event->inst ? ptx_user_location(s->launch.module, s->event->inst) : -1;
        b->line = at >= 0 ? s->launch.module->locations[at].line : 0;
        if (!b->line) b->function = strdup(s->launch.entry->name);
    } else if (all_digits(word)) {
        b->line = (uint32_t)strtoul(word, NULL, 10);
    } else if (colon && colon > word && colon[-1] != ':' && all_digits(colon + 1)) {
        b->file = strndup(word, (size_t)(colon - word));
        b->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    } else
        b->function = strdup(word);
}

bool debug_find_line(debug_session *s, const char *word, uint32_t *file, uint32_t *line) {
    const ptx_module *m = s->launch.module;
    debug_breakpoint b = {0};
    take_location(s, &b, word);
    *line = b.line;
    *file = b.file ? UINT32_MAX : default_file(s);
    for (uint32_t i = 0; b.file && i < m->file_count; i++)
        if (is_file(m->files[i].path, b.file)) *file = i;
    for (uint32_t i = 0; b.function && i < m->function_count; i++) {
        const ptx_function *f = m->functions[i];
        int32_t at = f->inst_count && debug_function_is(s->symbols, f, b.function) ? f->insts[0].source : -1;
        if (at >= 0) *file = m->locations[at].file, *line = m->locations[at].line;
    }
    debug_free_breakpoint(&b);
    return *file < m->file_count && *line;
}

// ---- for whom --------------------------------------------------------------------------------------------

int debug_breakpoint_lane(debug_session *s, debug_breakpoint *b, const sim_event *event) {
    sim_inspect_where where;
    sim_inspect_at(event->self, &where);
    if (b->has_block && memcmp(b->block, where.block_at, sizeof b->block)) return -1;
    for (uint32_t m = event->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), thread = where.warp * 32 + lane;
        uint32_t at[3] = {thread % where.block[0], thread / where.block[0] % where.block[1],
                          thread / where.block[0] / where.block[1]};
        if (b->has_thread && memcmp(b->thread, at, sizeof at)) continue;
        if (!b->condition) return (int)lane;
        debug_context context = {.warp = event->self,
                                 .lane = lane,
                                 .frame = sim_inspect_frame(event->self),
                                 .inst = event->inst,
                                 .symbols = s->symbols};
        debug_value value;
        kz_error error = {0};
        bool truth = false;
        if (debug_evaluate(&context, b->condition, NULL, &value, &error) != KZ_OK) {
            debug_say(s, "\nThe condition of breakpoint %u cannot be told: %s\n", b->id, error.message);
            return (int)lane;
        }
        if (debug_value_truth(&context, &value, &truth) && truth) return (int)lane;
    }
    return -1;
}

// ---- making ----------------------------------------------------------------------------------------------

static debug_breakpoint *new_breakpoint(debug_session *s) {
    if (s->breakpoint_count == s->breakpoint_capacity) {
        uint32_t capacity = s->breakpoint_capacity ? s->breakpoint_capacity * 2 : 8;
        debug_breakpoint *grown = realloc(s->breakpoints, capacity * sizeof *grown);
        if (!grown) return NULL;
        s->breakpoints = grown;
        s->breakpoint_capacity = capacity;
    }
    debug_breakpoint *b = &s->breakpoints[s->breakpoint_count++];
    *b = (debug_breakpoint){.id = s->next_id++, .enabled = true};
    return b;
}

// "(1,0,0)" or "(1)"; missing parts are 0. NULL where it is none.
static const char *coordinates(const char *text, uint32_t at[3]) {
    while (isspace((unsigned char)*text)) text++;
    if (*text++ != '(') return NULL;
    for (unsigned i = 0; i < 3; i++) at[i] = 0;
    for (unsigned i = 0; i < 3; i++) {
        char *end;
        at[i] = (uint32_t)strtoul(text, &end, 10);
        if (end == text) return NULL;
        for (text = end; isspace((unsigned char)*text); text++) {}
        if (*text != ',') break;
        text++;
    }
    return *text == ')' ? text + 1 : NULL;
}

// What follows "if": block(..), thread(..), and an expression over variables.
static bool take_condition(debug_breakpoint *b, const char *text) {
    for (;;) {
        while (isspace((unsigned char)*text)) text++;
        const char *after;
        if (!strncmp(text, "block", 5) && (after = coordinates(text + 5, b->block))) {
            b->has_block = true;
            text = after;
        } else if (!strncmp(text, "thread", 6) && (after = coordinates(text + 6, b->thread))) {
            b->has_thread = true;
            text = after;
        } else
            break;
        while (isspace((unsigned char)*text)) text++;
        if (!strncmp(text, "&&", 2)) text += 2;
        if (!strncmp(text, "and ", 4)) text += 4;
    }
    if (*text) b->condition = strdup(text);
    return true;
}

void debug_describe_breakpoint(debug_session *s, const debug_breakpoint *b) {
    uint32_t file = b->file ? UINT32_MAX : default_file(s);
    const ptx_module *m = s->launch.module;
    if (b->is_watch)
        debug_say(s, "%s at 0x%llx", b->expression, (unsigned long long)b->address);
    else if (b->function)
        debug_say(s, "%s", b->function);
    else
        debug_say(s, "%s:%u",
                  b->file                ? last_part(b->file)
                  : file < m->file_count ? last_part(m->files[file].path)
                                         : "?",
                  b->line);
    if (!b->is_watch && b->actual_line && b->actual_line != b->line)
        debug_say(s, b->function ? ", line %u" : ", moved to line %u: the line itself has no code",
                  b->actual_line);
    if (b->has_block) debug_say(s, ", block (%u,%u,%u)", b->block[0], b->block[1], b->block[2]);
    if (b->has_thread) debug_say(s, ", thread (%u,%u,%u)", b->thread[0], b->thread[1], b->thread[2]);
    if (b->condition) debug_say(s, ", if %s", b->condition);
    if (!b->is_watch && !b->serial_count)
        debug_say(s, "\n  no such location in this module: kept for later ones");
}

void debug_add_breakpoint(debug_session *s, const char *text, bool temporary) {
    char word[512];
    size_t length = 0;
    while (text[length] && !isspace((unsigned char)text[length])) length++;
    if (!strncmp(text, "if ", 3)) length = 0;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    text += length;
    while (isspace((unsigned char)*text)) text++;
    if (*text && strncmp(text, "if ", 3) && strncmp(text, "if(", 3)) {
        debug_say(s, "'%s' is not understood: break PLACE [if CONDITION]\n", text);
        return;
    }
    debug_breakpoint *b = new_breakpoint(s);
    if (!b) return;
    b->temporary = temporary;
    take_location(s, b, word);
    if (*text) take_condition(b, text + 2);
    debug_resolve_breakpoints(s);
    debug_say(s, "%s %u at ", temporary ? "Temporary breakpoint" : "Breakpoint", b->id);
    debug_describe_breakpoint(s, b);
    debug_say(s, "\n");
}

void debug_add_watch(debug_session *s, const char *text) {
    debug_context context;
    debug_value value;
    kz_error error = {0};
    if (!debug_focused_context(s, &context)) return;
    if (debug_evaluate(&context, text, NULL, &value, &error) != KZ_OK) {
        debug_say(s, "%s\n", error.message);
        return;
    }
    uint64_t bytes = debug_type_real(value.type)->bytes;
    if (!value.in_memory || !debug_value_is_number(&value)) {
        debug_say(s, "Only a number in memory can be watched: %s is %s.\n", text,
                  value.in_memory ? value.type->name : "in a register, or computed");
        return;
    }
    debug_breakpoint *b = new_breakpoint(s);
    if (!b) return;
    b->is_watch = true;
    b->expression = strdup(text);
    b->address = value.address;
    b->bytes = (uint32_t)bytes;
    b->type = value.type;
    b->watch_lane = s->focus.lane;
    b->watch_warp = s->focus.warp;
    b->watch_block = s->focus.block;
    uint64_t local = sim_inspect_window(SIM_LOCAL);
    b->is_local = value.address >= local && value.address - local < UINT64_C(1) << 40;
    debug_value_bits(&context, &value, &b->old);
    s->watch_count++;
    debug_say(s, "Watchpoint %u: ", b->id);
    debug_describe_breakpoint(s, b);
    debug_say(s, "\n");
}

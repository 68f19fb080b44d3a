// Names: functions and variables of a module.

#include "debug/symbols_inside.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kz_status debug_symbols_open(const ptx_module *module, debug_symbols **symbols, kz_error *error) {
    *symbols = NULL;
    debug_symbols *s = calloc(1, sizeof *s);
    base_arena *arena = s ? base_arena_open() : NULL;
    if (!arena) {
        free(s);
        return base_fail(error, KZ_NO_MEMORY, "%s: no memory for its symbols", module->name);
    }
    s->arena = arena;
    s->module = module;
    kz_error why = {0};
    if (debug_dwarf_open(module, &s->dwarf, &why) != KZ_OK)
        s->note = base_arena_string(arena, why.message, strlen(why.message));
    else if (!debug_dwarf_has_variables(&s->dwarf))
        s->note =
            module->location_count
                ? "this code has line numbers (-lineinfo) but no variables: compile with -G, and without "
                  "-rdc=true, to see them\nregisters can be looked at: info registers, print %r1"
                : "this code was compiled without debugging information: compile with -G for lines and "
                  "variables\nregisters can be looked at: info registers, print %r1";
    *symbols = s;
    return KZ_OK;
}

void debug_symbols_close(debug_symbols *s) {
    if (!s) return;
    debug_dwarf_close(&s->dwarf);
    base_arena_close(s->arena);
    free(s->types);
    free(s);
}

const ptx_module *debug_symbols_module(const debug_symbols *s) { return s->module; }
const debug_dwarf *debug_symbols_dwarf(const debug_symbols *s) { return &s->dwarf; }
const char *debug_symbols_note(const debug_symbols *s) { return s->note; }

// ---- functions -------------------------------------------------------------------------------------------

const ptx_function *debug_function_at(const ptx_module *module, uint32_t serial) {
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ptx_function *f = module->functions[i];
        if (f->inst_count && serial >= f->insts[0].serial && serial - f->insts[0].serial < f->inst_count)
            return f;
    }
    return NULL;
}

const ptx_inst *debug_inst_at(const ptx_module *module, uint32_t serial) {
    const ptx_function *f = debug_function_at(module, serial);
    return f ? &f->insts[serial - f->insts[0].serial] : NULL;
}

static const debug_die *find_subprogram(const debug_die *list, uint32_t serial) {
    for (; list; list = list->next) {
        if (list->tag == DEBUG_TAG_SUBPROGRAM && debug_die_covers(list, serial)) return list;
        bool holds = list->tag == DEBUG_TAG_UNIT || list->tag == DEBUG_TAG_NAMESPACE ||
                     list->tag == DEBUG_TAG_STRUCTURE || list->tag == DEBUG_TAG_CLASS;
        const debug_die *found = holds ? find_subprogram(list->child, serial) : NULL;
        if (found) return found;
    }
    return NULL;
}

static const debug_die *subprogram_at(const debug_symbols *s, uint32_t serial) {
    if (s->latest && debug_die_covers(s->latest, serial)) return s->latest;
    const debug_die *found = find_subprogram(s->dwarf.units, serial);
    ((debug_symbols *)(uintptr_t)s)->latest = found; // merely remembers the answer
    return found;
}

static bool demangle(const char *mangled, char *to, size_t size) {
    size_t length;
    const char *bare = base_bare_name(mangled, &length);
    if (bare == mangled) return false;
    snprintf(to, size, "%.*s", (int)length, bare);
    return true;
}

void debug_variable_name(const ptx_variable *variable, char *to, size_t size) {
    const char *name = variable->name, *found = NULL;
    // _ZZ <function> E <length> <name>: the last number that is followed by just so many letters.
    for (const char *at = strncmp(name, "_ZZ", 3) ? "" : name; *at; at++) {
        char *end;
        if (*at != 'E' || !isdigit((unsigned char)at[1])) continue;
        unsigned long length = strtoul(at + 1, &end, 10);
        if (length <= strlen(end)) found = at + 1;
    }
    char *begin = NULL;
    unsigned long length = found ? strtoul(found, &begin, 10) : 0;
    if (found)
        snprintf(to, size, "%.*s", (int)length, begin);
    else if (!demangle(name, to, size))
        snprintf(to, size, "%s", name);
}

void debug_function_name(const debug_symbols *s, const ptx_function *function, char *to, size_t size) {
    const debug_die *die = function->inst_count ? subprogram_at(s, function->insts[0].serial) : NULL;
    const char *name = die ? debug_die_name(die) : NULL;
    if (name)
        snprintf(to, size, "%s", name);
    else if (!demangle(function->name, to, size))
        snprintf(to, size, "%s", function->name);
}

bool debug_is_named(const char *known, const char *name) {
    size_t length = strlen(name);
    return !strncmp(known, name, length) && (known[length] == 0 || known[length] == '<');
}

bool debug_function_is(const debug_symbols *s, const ptx_function *function, const char *name) {
    char known[256];
    if (!strcmp(function->name, name)) return true;
    debug_function_name(s, function, known, sizeof known);
    return debug_is_named(known, name);
}

// ---- variables -------------------------------------------------------------------------------------------

static bool is_variable(const debug_die *die) {
    return die->tag == DEBUG_TAG_VARIABLE || die->tag == DEBUG_TAG_PARAMETER;
}

static bool is_scope(const debug_die *die, uint32_t serial) {
    return (die->tag == DEBUG_TAG_BLOCK || die->tag == DEBUG_TAG_INLINED) && debug_die_covers(die, serial);
}

enum { MAX_SCOPES = 64 };
// The scopes that hold the instruction, the outermost first.
static unsigned scopes_at(const debug_symbols *s, uint32_t serial, const debug_die **scopes) {
    unsigned count = 0;
    const debug_die *inner = subprogram_at(s, serial);
    while (inner && count < MAX_SCOPES) {
        scopes[count++] = inner;
        const debug_die *next = NULL;
        for (const debug_die *d = inner->child; d && !next; d = d->next)
            if (is_scope(d, serial)) next = d;
        inner = next;
    }
    return count;
}

static const debug_die *global_named(const debug_die *list, const char *name, unsigned depth) {
    for (; list && depth < 32; list = list->next) {
        const char *own = list->tag == DEBUG_TAG_VARIABLE ? debug_die_name(list) : NULL;
        if (own && !strcmp(own, name) && (list->location.data || list->has_value)) return list;
        if (list->tag != DEBUG_TAG_UNIT && list->tag != DEBUG_TAG_NAMESPACE) continue;
        const debug_die *found = global_named(list->child, name, depth + 1);
        if (found) return found;
    }
    return NULL;
}

const debug_die *debug_find_variable(const debug_symbols *s, const char *name, uint32_t serial) {
    const debug_die *scopes[MAX_SCOPES];
    for (unsigned i = scopes_at(s, serial, scopes); i-- > 0;)
        for (const debug_die *d = scopes[i]->child; d; d = d->next) {
            const char *own = is_variable(d) ? debug_die_name(d) : NULL;
            if (own && !strcmp(own, name)) return d;
        }
    return global_named(s->dwarf.units, name, 0);
}

void debug_each_variable(const debug_symbols *s, uint32_t serial, bool parameters,
                         void (*visit)(void *context, const debug_die *variable), void *context) {
    const debug_die *scopes[MAX_SCOPES];
    for (unsigned i = scopes_at(s, serial, scopes); i-- > 0;) {
        for (const debug_die *d = scopes[i]->child; d; d = d->next) {
            bool is_parameter = d->tag == DEBUG_TAG_PARAMETER;
            if (is_variable(d) && is_parameter == parameters && debug_die_name(d)) visit(context, d);
        }
        if (scopes[i]->tag != DEBUG_TAG_BLOCK) break; // what is outside the function is its caller's
    }
}

// ---- lines -----------------------------------------------------------------------------------------------

static uint32_t file_numbered(const ptx_module *m, uint32_t number) {
    for (uint32_t i = 0; i < m->file_count; i++)
        if (m->files[i].number == number) return i;
    return UINT32_MAX;
}

static bool is_own(const ptx_module *m, debug_line at) {
    return at.file < m->file_count && !ptx_is_foreign(m->files[at.file].path);
}

// As DWARF has it: the scopes that are functions.
static unsigned calls_of_scopes(debug_symbols *s, const ptx_inst *inst, debug_line innermost,
                                debug_call *calls) {
    const debug_die *scopes[MAX_SCOPES];
    unsigned count = 0;
    debug_line at = innermost;
    for (unsigned i = scopes_at(s, inst->serial, scopes); i-- > 0 && count < DEBUG_CALLS;) {
        const debug_die *d = scopes[i];
        if (d->tag == DEBUG_TAG_BLOCK) continue;
        const char *name = debug_die_name(d);
        calls[count] = (debug_call){.at = at, .inlined = d->tag == DEBUG_TAG_INLINED, .scope = d};
        if (calls[count].inlined)
            snprintf(calls[count].name, sizeof calls[count].name, "%s", name ? name : "?");
        count++;
        at = (debug_line){file_numbered(s->module, d->call_file + d->part->number * PTX_PART_FILES),
                          d->call_line};
    }
    return count;
}

// As the lines themselves have it (.loc ... inlined_at).
static unsigned calls_of_lines(debug_symbols *s, const ptx_inst *inst, debug_call *calls) {
    const ptx_module *m = s->module;
    unsigned count = 0;
    for (int32_t i = inst->source; i >= 0 && count < DEBUG_CALLS; i = m->locations[i].inlined_at) {
        const ptx_location *l = &m->locations[i];
        debug_call *call = &calls[count++];
        *call = (debug_call){.at = {l->file, l->line}, .inlined = l->inlined_at >= 0};
        if (call->inlined && (!l->function || !demangle(l->function, call->name, sizeof call->name)))
            snprintf(call->name, sizeof call->name, "%s", l->function ? l->function : "?");
    }
    if (count == 0) calls[count++] = (debug_call){.at = {UINT32_MAX, 0}};
    return count;
}

unsigned debug_calls_at(debug_symbols *s, const ptx_inst *inst, debug_call calls[DEBUG_CALLS]) {
    bool has_line = inst->source >= 0 && (uint32_t)inst->source < s->module->location_count;
    const ptx_location *l = has_line ? &s->module->locations[inst->source] : NULL;
    unsigned count = 0, first = 0;
    if (l && l->inlined_at < 0) count = calls_of_scopes(s, inst, (debug_line){l->file, l->line}, calls);
    if (count == 0) count = calls_of_lines(s, inst, calls);
    while (first + 1 < count && !is_own(s->module, calls[first].at)) first++;
    if (!is_own(s->module, calls[first].at)) first = 0;
    memmove(calls, calls + first, (count - first) * sizeof *calls);
    return count - first;
}

debug_line debug_line_at(debug_symbols *s, const ptx_inst *inst, uint32_t most, uint32_t *inlined) {
    debug_call calls[DEBUG_CALLS];
    unsigned depth = debug_calls_at(s, inst, calls) - 1;
    if (inlined) *inlined = depth;
    return calls[depth > most ? depth - most : 0].at;
}

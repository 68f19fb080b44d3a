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
                ? "this code was compiled with line numbers (-lineinfo) but without variables: compile with "
                  "-G to see them\nregisters can be looked at: info registers, print %r1"
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

static const debug_die *subprogram_at(const debug_die *list, uint32_t serial) {
    for (; list; list = list->next) {
        if (list->tag == DEBUG_TAG_SUBPROGRAM && debug_die_covers(list, serial)) return list;
        bool holds = list->tag == DEBUG_TAG_UNIT || list->tag == DEBUG_TAG_NAMESPACE ||
                     list->tag == DEBUG_TAG_STRUCTURE || list->tag == DEBUG_TAG_CLASS;
        const debug_die *found = holds ? subprogram_at(list->child, serial) : NULL;
        if (found) return found;
    }
    return NULL;
}

// The last name of a mangled one: _Z6kernelPKf, _ZN3lib4tool6kernelEv, _Z3addIfET_S0_.
static bool demangle(const char *mangled, char *to, size_t size) {
    if (strncmp(mangled, "_Z", 2)) return false;
    const char *at = mangled + 2, *end = mangled + strlen(mangled);
    bool nested = *at == 'N', found = false;
    if (nested || *at == 'L') at++;
    while (*at == 'K') at++;
    while (isdigit((unsigned char)*at)) {
        char *name;
        unsigned long length = strtoul(at, &name, 10);
        if (length == 0 || length > (size_t)(end - name)) break;
        if (strncmp(name, "_INTERNAL_", 10) && strncmp(name, "_GLOBAL__N", 10)) {
            snprintf(to, size, "%.*s", (int)length, name);
            found = true;
        }
        at = name + length;
        if (!nested) break;
    }
    return found;
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
    const debug_die *die =
        function->inst_count ? subprogram_at(s->dwarf.units, function->insts[0].serial) : NULL;
    const char *name = die ? debug_die_name(die) : NULL;
    if (name)
        snprintf(to, size, "%s", name);
    else if (!demangle(function->name, to, size))
        snprintf(to, size, "%s", function->name);
}

bool debug_function_is(const debug_symbols *s, const ptx_function *function, const char *name) {
    char known[256];
    if (!strcmp(function->name, name)) return true;
    debug_function_name(s, function, known, sizeof known);
    size_t length = strlen(name);
    // "add" means add<float> too.
    return !strncmp(known, name, length) && (known[length] == 0 || known[length] == '<');
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
    const debug_die *inner = subprogram_at(s->dwarf.units, serial);
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
                         void (*visit)(void *context, const debug_die *variable, unsigned depth),
                         void *context) {
    const debug_die *scopes[MAX_SCOPES];
    for (unsigned i = scopes_at(s, serial, scopes); i-- > 0;)
        for (const debug_die *d = scopes[i]->child; d; d = d->next) {
            bool is_parameter = d->tag == DEBUG_TAG_PARAMETER;
            if (is_variable(d) && is_parameter == parameters && debug_die_name(d)) visit(context, d, i);
        }
}

// print, info locals, info registers.

#include "debug/session.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_CELL = 16, TABLE_COLUMNS = 8, LANES = 32 };

// The letters after "print/": a format, and w for all lanes of the warp.
static bool take_options(debug_session *s, const char *options, debug_format *format, bool *all) {
    for (; *options; options++) {
        if (*options == 'w')
            *all = true;
        else if (strchr("xduotcfa", *options))
            format->letter = *options;
        else {
            debug_say(s,
                      "/%c is no format. There are: x hexadecimal, d signed, u unsigned, o octal, t binary, "
                      "c letter, f float, a address, and w for all lanes of the warp.\n",
                      *options);
            return false;
        }
    }
    return true;
}

// ---- all lanes -------------------------------------------------------------------------------------------

static void lane_text(debug_session *s, const debug_context *context, const char *text, debug_format format,
                      base_text *out) {
    debug_value value;
    kz_error error = {0};
    if (debug_evaluate(context, text, NULL, &value, &error) == KZ_OK)
        debug_print_value(context, &value, format, out);
    else
        base_text_add(out, "?");
}

static void show_lines(debug_session *s, base_text *cells) {
    for (uint32_t i = 0; i < LANES;) {
        uint32_t last = i;
        while (last + 1 < LANES && !strcmp(cells[last + 1].data, cells[i].data)) last++;
        if (i == last)
            debug_say(s, "  lane  %-6u%s\n", i, cells[i].data);
        else
            debug_say(s, "  lanes %2u-%-3u%s\n", i, last, cells[i].data);
        i = last + 1;
    }
}

static void show_table(debug_session *s, base_text *cells, int width) {
    debug_say(s, "  lane ");
    for (int i = 0; i < TABLE_COLUMNS; i++) debug_say(s, " %*s+%d", width - 2, "", i);
    debug_say(s, "\n");
    for (uint32_t i = 0; i < LANES; i += TABLE_COLUMNS) {
        debug_say(s, "  %4u:", i);
        for (uint32_t j = i; j < i + TABLE_COLUMNS; j++) debug_say(s, " %*s", width, cells[j].data);
        debug_say(s, "\n");
    }
}

static void show_all_lanes(debug_session *s, debug_context context, const char *text, debug_format format) {
    base_text cells[LANES] = {0};
    sim_inspect_path own, path;
    uint32_t elsewhere = 0, alive = 0;
    size_t widest = 2;
    bool alike = true;
    debug_path_of(s, context.warp, context.lane, &own);
    format.brief = true;
    for (uint32_t i = 0; i < LANES; i++) {
        context.lane = i;
        if (!debug_path_of(s, context.warp, i, &path)) {
            base_text_add(&cells[i], "-");
        } else {
            alive |= UINT32_C(1) << i;
            lane_text(s, &context, text, format, &cells[i]);
            if (!(own.mask >> i & 1)) {
                base_text_add(&cells[i], "*");
                elsewhere |= UINT32_C(1) << i;
            }
        }
        if (cells[i].length > widest) widest = cells[i].length;
        alike = alike && cells[i].data && cells[0].data && !strcmp(cells[i].data, cells[0].data);
    }
    bool whole = true;
    for (uint32_t i = 0; i < LANES; i++) whole = whole && cells[i].data;
    if (!whole)
        debug_say(s, "out of memory\n");
    else if (alike || widest > TABLE_CELL)
        show_lines(s, cells);
    else
        show_table(s, cells, (int)widest);
    if (elsewhere) debug_say(s, "  * lanes %08x are at another instruction\n", elsewhere);
    if (~alive) debug_say(s, "  - lanes %08x have ended, or never were\n", ~alive);
    for (uint32_t i = 0; i < LANES; i++) base_text_free(&cells[i]);
}

void debug_show_print(debug_session *s, const char *options, const char *text) {
    debug_format format = {0};
    bool all = false;
    debug_context context;
    debug_value value;
    kz_error error = {0};
    if (!take_options(s, options, &format, &all) || !debug_focused_context(s, &context)) return;
    if (!*text) {
        debug_say(s, "Say what to print: a variable, tile[3][4], *p@8, %%r12, threadIdx.x + 1\n");
        return;
    }
    if (debug_evaluate(&context, text, NULL, &value, &error) != KZ_OK) {
        debug_say(s, "%s\n", error.message);
        return;
    }
    if (all) {
        debug_say(s, "%s (%s)\n", text, value.type->name);
        show_all_lanes(s, context, text, format);
        return;
    }
    debug_say(s, "%s = ", text);
    const debug_type *type = debug_type_real(value.type);
    if (type->kind == DEBUG_POINTER && !format.letter) debug_say(s, "(%s) ", value.type->name);
    debug_print_value(&context, &value, format, &s->out);
    debug_say(s, "\n");
}

// ---- locals ----------------------------------------------------------------------------------------------

typedef struct variable_list {
    debug_session *session;
    const debug_context *context;
    unsigned count;
} variable_list;

static void show_variable(void *context, const debug_die *variable) {
    variable_list *list = context;
    debug_session *s = list->session;
    debug_value value;
    kz_error error = {0};
    list->count++;
    debug_say(s, "%s = ", debug_die_name(variable));
    if (debug_variable_value(list->context, variable, &value, &error) == KZ_OK)
        debug_print_value(list->context, &value, (debug_format){.brief = true}, &s->out);
    else
        debug_say(s, "<not kept at this line>");
    debug_say(s, "\n");
}

void debug_show_locals(debug_session *s, bool parameters) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return;
    const char *note = debug_symbols_note(s->symbols);
    if (note) {
        debug_say(s, "%s\n", note);
        return;
    }
    variable_list list = {.session = s, .context = &context};
    if (context.inst) debug_each_variable(s->symbols, context.inst->serial, parameters, show_variable, &list);
    if (!list.count) debug_say(s, "No %s here.\n", parameters ? "arguments" : "locals");
}

// ---- registers -------------------------------------------------------------------------------------------

static void show_register(debug_session *s, const debug_context *context, const ptx_reg *reg) {
    debug_value value;
    if (debug_register_value(context, reg->name, &value, NULL) != KZ_OK) return;
    uint64_t bits = 0;
    debug_value_bits(context, &value, &bits);
    debug_say(s, "  %-10s .%-6s", reg->name, ptx_type_name(reg->type));
    base_text text = {0};
    debug_print_number(value.type, bits, 0, &text);
    if (reg->type != PTX_PRED) {
        char hex[24];
        snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)bits);
        debug_say(s, "%-20s", hex);
    }
    debug_say(s, "%s\n", text.data ? text.data : "");
    base_text_free(&text);
}

void debug_show_registers(debug_session *s, const char *text) {
    debug_context context;
    if (!debug_focused_context(s, &context)) return;
    const ptx_function *f = sim_inspect_function(context.warp, context.frame);
    unsigned shown = 0;
    for (uint32_t i = 0; f && i < f->reg_count; i++) {
        const char *name = f->regs[i].name;
        const char *found = *text ? strstr(text, name) : name;
        // Of "%r1 %f2" neither %r nor %r12 is meant.
        while (*text && found && (isalnum((unsigned char)found[strlen(name)])))
            found = strstr(found + 1, name);
        if (!found) continue;
        show_register(s, &context, &f->regs[i]);
        shown++;
    }
    if (!shown) debug_say(s, "No such registers in this function.\n");
}

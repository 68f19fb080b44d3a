// Memory: x, and shared memory as a grid of its 32 banks.

#include "debug/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BANKS = 32, WORD = 4, MAX_CELL = 9, MAX_ROWS = 64, LINE_CELLS = 8, LABEL = 9 };

// ---- x ---------------------------------------------------------------------------------------------------

// x/[count][format][size]
static bool take_shape(debug_session *s, const char *options, uint64_t *count, char *letter,
                       unsigned *bytes) {
    char *end;
    if (isdigit((unsigned char)*options)) {
        *count = strtoull(options, &end, 10);
        options = end;
    }
    for (; *options; options++) {
        const char *sizes = "bhwg", *size = strchr(sizes, *options);
        if (size)
            *bytes = 1u << (size - sizes);
        else if (strchr("xduotcfa", *options))
            *letter = *options;
        else {
            debug_say(s,
                      "x/%c is not known. As in gdb: x/8f, x/4xg; formats x d u o t c f a; sizes b 1, h 2, w "
                      "4, g 8 bytes.\n",
                      *options);
            return false;
        }
    }
    return true;
}

void debug_show_memory(debug_session *s, const char *options, const char *text) {
    uint64_t count = 1, address = 0;
    char letter = 0;
    unsigned bytes = 0;
    debug_context context;
    debug_value value;
    kz_error error = {0};
    if (!take_shape(s, options, &count, &letter, &bytes) || !debug_focused_context(s, &context)) return;
    if (debug_evaluate(&context, text, NULL, &value, &error) != KZ_OK) {
        debug_say(s, "%s\n", error.message);
        return;
    }
    const debug_type *type = debug_type_real(value.type), *element = NULL;
    if (type->kind == DEBUG_ARRAY || type->kind == DEBUG_STRUCT) {
        address = value.address;
        element = type->kind == DEBUG_ARRAY ? type->target : NULL;
    } else if (!debug_value_bits(&context, &value, &address)) {
        debug_say(s, "There is no memory at 0x%" PRIx64 ".\n", value.address);
        return;
    } else if (type->kind == DEBUG_POINTER)
        element = type->target;
    if (element) element = debug_type_real(element);
    bool fits = element && element->bytes && element->bytes <= 8 && element->kind < DEBUG_ARRAY;
    if (!bytes) bytes = fits ? (unsigned)element->bytes : 4;
    if (!letter && !(fits && element->bytes == bytes)) letter = 'x';
    if (!fits || element->bytes != bytes) element = debug_type_builtin(s->symbols, DEBUG_UNSIGNED, bytes);
    if (count > 4096) count = 4096;
    for (uint64_t i = 0; i < count; i++, address += bytes) {
        uint64_t bits = 0;
        if (i % LINE_CELLS == 0) debug_say(s, "%s0x%" PRIx64 ":", i ? "\n" : "", address);
        if (!sim_inspect_memory(context.warp, context.lane, address, &bits, bytes)) {
            debug_say(s, "  there is no memory at 0x%" PRIx64, address);
            break;
        }
        debug_say(s, "  ");
        debug_print_number(element, bits, letter, &s->out);
    }
    debug_say(s, "\n");
}

// ---- who wrote -------------------------------------------------------------------------------------------

debug_shadow *debug_shadow_of(debug_session *s, uint32_t block) {
    for (uint32_t i = 0; i < s->shadow_count; i++)
        if (s->shadows[i].block == block) return &s->shadows[i];
    return NULL;
}

static debug_shadow *shadow_for(debug_session *s, uint32_t block) {
    debug_shadow *shadow = debug_shadow_of(s, block);
    if (shadow) return shadow;
    uint32_t words = (s->launch.shared_bytes + WORD - 1) / WORD;
    debug_writer *writers = words ? calloc(words, sizeof *writers) : NULL;
    if (!writers) return NULL;
    if (s->shadow_count == s->shadow_capacity) {
        uint32_t capacity = s->shadow_capacity ? s->shadow_capacity * 2 : 8;
        debug_shadow *grown = realloc(s->shadows, capacity * sizeof *grown);
        if (!grown) {
            free(writers);
            return NULL;
        }
        s->shadows = grown;
        s->shadow_capacity = capacity;
    }
    shadow = &s->shadows[s->shadow_count++];
    *shadow = (debug_shadow){.block = block, .words = words, .writers = writers};
    return shadow;
}

void debug_note_write(debug_session *s, const sim_access *access) {
    debug_shadow *shadow = shadow_for(s, access->at.block);
    if (!shadow) return;
    for (uint32_t m = access->at.mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t first = access->addresses[lane] / WORD,
                 last = (access->addresses[lane] + access->bytes - 1) / WORD;
        for (uint64_t word = first; word <= last && word < shadow->words; word++)
            shadow->writers[word] =
                (debug_writer){access->at.warp * BANKS + lane + 1, access->at.inst->serial};
    }
}

// ---- the grid --------------------------------------------------------------------------------------------

typedef struct grid {
    debug_session *session;
    debug_context context;
    const uint8_t *bytes;
    uint32_t size, first, last; // bytes shown: [first, last), whole words
    char letter;
    bool writers;           // who wrote last, not what
    const debug_type *type; // of the elements, where one was asked for
    const debug_shadow *shadow;
} grid;

static const debug_type *element_of(const debug_type *type) {
    type = debug_type_real(type);
    while (type->kind == DEBUG_ARRAY) type = debug_type_real(type->target);
    return type;
}

// The type that the source gives the word's variable; NULL where nobody knows.
static const debug_type *type_at(const grid *g, uint32_t offset) {
    uint32_t begin = 0;
    const ptx_variable *variable = sim_inspect_shared_variable(g->context.warp, offset, &begin);
    const debug_dwarf *dwarf = debug_symbols_dwarf(g->context.symbols);
    for (size_t i = 0; variable && i < dwarf->count; i++) {
        const debug_die *d = dwarf->all[i];
        if (d->tag != DEBUG_TAG_VARIABLE || d->address_class != 8) continue;
        debug_location at = debug_dwarf_locate(dwarf, d, 0);
        if (at.kind == DEBUG_IN_VARIABLE && at.variable == variable)
            return element_of(debug_type_of(g->context.symbols, debug_die_type(d)));
    }
    return NULL;
}

static void cell_text(const grid *g, uint32_t offset, char *to, size_t size) {
    const debug_writer *writer =
        g->shadow && offset / WORD < g->shadow->words ? &g->shadow->writers[offset / WORD] : NULL;
    if (!writer || !writer->thread_plus_one) {
        snprintf(to, size, ".");
        return;
    }
    if (g->writers) {
        snprintf(to, size, "%u", writer->thread_plus_one - 1);
        return;
    }
    uint64_t bits = 0;
    const debug_type *type = g->type ? g->type : type_at(g, offset);
    bool number = type && type->kind != DEBUG_STRUCT && type->kind != DEBUG_VOID;
    char letter = g->letter;
    uint64_t width = number && (type->bytes == 4 || type->bytes == 8) ? type->bytes : 4;
    if (!number || type->bytes < WORD) {
        type = debug_type_builtin(g->context.symbols, DEBUG_UNSIGNED, WORD);
        if (!letter) letter = 'x';
    }
    if (width == 8 && offset % 8) {
        snprintf(to, size, "\"");
        return;
    }
    if (offset + width > g->size) width = WORD;
    memcpy(&bits, g->bytes + offset, width);
    base_text text = {0};
    debug_print_number(type, bits, letter, &text);
    snprintf(to, size, "%s", text.data ? text.data : "?");
    if (text.length > MAX_CELL && type->kind == DEBUG_FLOAT && !letter) { // as many digits as fit
        double real;
        float single;
        memcpy(&real, &bits, sizeof real);
        memcpy(&single, &bits, sizeof single);
        snprintf(to, size, "%.3g", type->bytes == 8 ? real : (double)single);
    }
    base_text_free(&text);
}

// A colour per bank, or per warp that wrote: hues of the 256-colour cube, neighbours unlike each other.
static int colour_of(const grid *g, uint32_t offset) {
    static const uint8_t hues[BANKS] = {196, 202, 208, 214, 220, 226, 190, 154, 118, 82, 46,
                                        47,  48,  49,  50,  51,  45,  39,  33,  27,  21, 57,
                                        93,  129, 165, 201, 200, 199, 198, 197, 160, 124};
    uint32_t index = offset / WORD % BANKS;
    if (g->writers) {
        const debug_writer *writer =
            g->shadow && offset / WORD < g->shadow->words ? &g->shadow->writers[offset / WORD] : NULL;
        if (!writer || !writer->thread_plus_one) return -1;
        index = (writer->thread_plus_one - 1) / BANKS * 5 % BANKS;
    }
    return hues[index];
}

static void show_cell(const grid *g, uint32_t offset, int width) {
    debug_session *s = g->session;
    char text[64] = "";
    if (offset >= g->first && offset < g->last) cell_text(g, offset, text, sizeof text);
    int colour = s->terminal.colors && *text ? colour_of(g, offset) : -1;
    if (colour >= 0)
        debug_say(s, " \033[38;5;%dm%*s\033[0m", colour, width, text);
    else
        debug_say(s, " %*s", width, text);
}

static int widest_cell(const grid *g) {
    int width = 2;
    char text[64];
    for (uint32_t offset = g->first; offset < g->last; offset += WORD) {
        cell_text(g, offset, text, sizeof text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    return width;
}

static void show_grid(const grid *g) {
    debug_session *s = g->session;
    int width = widest_cell(g);
    uint32_t row = BANKS * WORD, begin = g->first / row * row, per_line = BANKS;
    while (per_line > 8 && (int)per_line * (width + 1) + LABEL > s->terminal.columns) per_line /= 2;
    for (uint32_t bank = 0; bank < BANKS; bank += per_line) {
        debug_say(s, "%*s", LABEL, "bank");
        for (uint32_t i = bank; i < bank + per_line; i++) debug_say(s, " %*u", width, i);
        debug_say(s, "\n");
        for (uint32_t at = begin; at < g->last; at += row) {
            debug_say(s, "%*u", LABEL, at);
            for (uint32_t i = bank; i < bank + per_line; i++) show_cell(g, at + i * WORD, width);
            debug_say(s, "\n");
        }
    }
}

static void show_legend(const grid *g) {
    debug_session *s = g->session;
    uint32_t begin = 0;
    const ptx_variable *before = NULL;
    for (uint32_t offset = 0; offset < g->size; offset += WORD) {
        const ptx_variable *variable = sim_inspect_shared_variable(g->context.warp, offset, &begin);
        if (variable && variable != before && begin == offset) {
            char name[128];
            debug_variable_name(variable, name, sizeof name);
            debug_say(s, "  %s at %u, %llu bytes\n", name, begin, (unsigned long long)variable->size);
        }
        before = variable;
    }
}

void debug_show_shared(debug_session *s, const char *options, const char *text) {
    grid g = {.session = s};
    if (!debug_focused_context(s, &g.context)) return;
    for (; *options; options++) {
        if (*options == 'w')
            g.writers = true;
        else if (strchr("xduf", *options))
            g.letter = *options;
    }
    g.bytes = sim_inspect_shared(g.context.warp, &g.size);
    g.last = g.size / WORD * WORD;
    g.shadow = debug_shadow_of(s, s->focus.block);
    if (!g.size) {
        debug_say(s, "This kernel has no shared memory.\n");
        return;
    }
    if (*text) {
        debug_value value;
        kz_error error = {0};
        if (debug_evaluate(&g.context, text, NULL, &value, &error) != KZ_OK) {
            debug_say(s, "%s\n", error.message);
            return;
        }
        uint64_t window = sim_inspect_window(SIM_SHARED), offset = value.address - window;
        if (!value.in_memory || value.address < window || offset >= g.size) {
            debug_say(s, "%s is not in shared memory.\n", text);
            return;
        }
        uint64_t bytes = debug_type_real(value.type)->bytes;
        g.type = element_of(value.type);
        g.first = (uint32_t)offset / WORD * WORD;
        if (bytes && bytes < g.last - g.first) g.last = g.first + (uint32_t)(bytes + WORD - 1) / WORD * WORD;
    }
    if (g.last - g.first > MAX_ROWS * BANKS * WORD) {
        debug_say(s, "The first %d rows; name a part to see it: shared tile[40]\n", MAX_ROWS);
        g.last = g.first + MAX_ROWS * BANKS * WORD;
    }
    show_grid(&g);
    debug_say(s, "A column is a bank of 4 bytes; numbers on the left are bytes; %s; . was never written.\n",
              g.writers ? "cells are the threads that wrote last" : "cells are values");
    if (!*text) show_legend(&g);
}

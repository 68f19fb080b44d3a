// fragment: a part of a matrix product as the matrix that the registers of a warp hold together.

#include "debug/session.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/layouts.h"
#include "ptx/matrix.h"
#include "sim/formats.h"

enum { LANES = 32, NEAR = 64, MOST = 256, CELL = 24, MARGIN = 6, USUAL_COLUMNS = 100 };

// What is shown: elements of one type in rows and columns, and who holds them.
typedef struct shown_matrix {
    unsigned rows, columns;
    ptx_type type;
    char letter; // x: bits, l: lanes; 0: numbers
    bool in_shared;
    uint64_t *bits; // [rows][columns]
    uint8_t *lane;  // the same; of several that hold it, the last
    bool *known;
} shown_matrix;

static bool open_matrix(shown_matrix *m) {
    size_t count = (size_t)m->rows * m->columns;
    m->bits = calloc(count, sizeof *m->bits);
    m->lane = calloc(count, sizeof *m->lane);
    m->known = calloc(count, sizeof *m->known);
    return m->bits && m->lane && m->known;
}

static void close_matrix(shown_matrix *m) {
    free(m->bits);
    free(m->lane);
    free(m->known);
}

static void put(shown_matrix *m, unsigned row, unsigned column, uint64_t bits, unsigned lane) {
    if (row >= m->rows || column >= m->columns) return;
    size_t at = (size_t)row * m->columns + column;
    m->bits[at] = bits;
    m->lane[at] = (uint8_t)lane;
    m->known[at] = true;
}

static void put_at(shown_matrix *m, unsigned index, uint64_t bits, unsigned lane) {
    put(m, index / m->columns, index % m->columns, bits, lane);
}

// ---- numbers ---------------------------------------------------------------------------------------------

static double real_of(ptx_type type, uint64_t bits) {
    switch (type) {
    case PTX_F16: return (double)base_f16_to_f32((uint16_t)bits);
    case PTX_BF16: return (double)base_bf16_to_f32((uint16_t)bits);
    case PTX_E4M3: return small_decode((uint32_t)bits, &format_e4m3);
    case PTX_E5M2: return small_decode((uint32_t)bits, &format_e5m2);
    case PTX_F64: return f64_of_bits(bits);
    case PTX_TF32: return (double)f32_of_bits((uint32_t)bits & 0xffffe000); // the low bits are not looked at
    default: return (double)f32_of_bits((uint32_t)bits);
    }
}

static void cell_text(const shown_matrix *m, size_t at, char text[CELL]) {
    unsigned width = ptx_type_bits(m->type);
    uint64_t bits = m->bits[at];
    int64_t whole = (int64_t)(bits << (64 - width)) >> (64 - width);
    if (!m->known[at]) {
        snprintf(text, CELL, "?");
        return;
    }
    if (m->letter == 'l') {
        snprintf(text, CELL, "%u", m->lane[at]);
        return;
    }
    if (m->letter == 'x') {
        snprintf(text, CELL, "%0*" PRIx64, (int)(width + 3) / 4, bits);
        return;
    }
    switch (m->type) {
    case PTX_S8:
    case PTX_S4:
    case PTX_S32: snprintf(text, CELL, "%" PRId64, whole); break;
    case PTX_U8:
    case PTX_U4:
    case PTX_B1: snprintf(text, CELL, "%" PRIu64, bits); break;
    case PTX_B16: snprintf(text, CELL, "%04" PRIx64, bits); break;
    default: snprintf(text, CELL, "%.5g", real_of(m->type, bits));
    }
}

// ---- the table -------------------------------------------------------------------------------------------

// Strips of as many columns as the screen has room for.
static void show_matrix(debug_session *s, const shown_matrix *m) {
    char text[CELL];
    int width = m->columns > 99 ? 3 : 2,
        screen = s->terminal.columns > 40 ? s->terminal.columns : USUAL_COLUMNS;
    for (size_t i = 0; i < (size_t)m->rows * m->columns; i++) {
        cell_text(m, i, text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    unsigned each = (unsigned)(screen - MARGIN) / (unsigned)(width + 1);
    if (each >= 8) each -= each % 8;
    for (unsigned first = 0; first < m->columns; first += each) {
        debug_say(s, "%*s", MARGIN, "");
        for (unsigned c = first; c < first + each && c < m->columns; c++) debug_say(s, " %*u", width, c);
        debug_say(s, "\n");
        for (unsigned r = 0; r < m->rows; r++) {
            debug_say(s, "%*u:", MARGIN - 1, r);
            for (unsigned c = first; c < first + each && c < m->columns; c++) {
                cell_text(m, (size_t)r * m->columns + c, text);
                debug_say(s, " %*s", width, text);
            }
            debug_say(s, "\n");
        }
    }
}

// ---- registers -------------------------------------------------------------------------------------------

static const ptx_operand *element_of(const ptx_operand *operand, unsigned index) {
    if (operand->element_count) return index < operand->element_count ? &operand->elements[index] : NULL;
    return index == 0 ? operand : NULL;
}

// Bits of the element `index` of a lane, `width` bits each, in registers of `register_bits`.
static bool read_element(const debug_context *context, const ptx_operand *operand, unsigned lane,
                         unsigned index, unsigned width, unsigned register_bits, uint64_t *bits) {
    unsigned in_register = register_bits / width;
    const ptx_operand *o = element_of(operand, index / in_register);
    if (!o) return false;
    uint64_t word = (uint64_t)o->value;
    if (o->reg >= 0) {
        const void *lanes = sim_inspect_register(context->warp, context->frame, o->reg);
        if (!lanes) return false;
        word = register_bits == 64 ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
    }
    word >>= index % in_register * width;
    *bits = width == 64 ? word : word & ((UINT64_C(1) << width) - 1);
    return true;
}

// ---- a product's parts -----------------------------------------------------------------------------------

typedef struct product {
    debug_context context;
    const ptx_inst *inst;
    ptx_matrix matrix;
} product;

static const ptx_operand *operand_of(const product *p, ptx_matrix_part part) {
    static const uint8_t of_product[] = {[PTX_MATRIX_A] = 1, [PTX_MATRIX_B] = 2, [PTX_MATRIX_C] = 3};
    const ptx_inst *inst = p->inst;
    unsigned index = of_product[part]; // D: 0
    if (inst->op == PTX_OP_WGMMA_MMA_ASYNC && part == PTX_MATRIX_C) index = 0;
    if (p->matrix.moves)
        index = inst->operands[0].kind == PTX_OPERAND_VECTOR || inst->operands[0].reg >= 0 ? 0 : 1;
    if (p->matrix.moves && part != p->matrix.part) return NULL;
    return index < inst->operand_count ? &inst->operands[index] : NULL;
}

static bool is_descriptor(const product *p, ptx_matrix_part part) {
    if (p->inst->op != PTX_OP_WGMMA_MMA_ASYNC) return false;
    return part == PTX_MATRIX_B || (part == PTX_MATRIX_A && p->inst->operands[1].kind != PTX_OPERAND_VECTOR);
}

static void fill_from_registers(const product *p, ptx_matrix_part part, shown_matrix *m) {
    const ptx_operand *operand = operand_of(p, part);
    unsigned width = ptx_type_bits(m->type), register_bits = width == 64 ? 64 : 32;
    unsigned count = ptx_matrix_elements(&p->matrix, part), quarter = p->context.lane % 16 / 4;
    ptx_fragment fragment;
    ptx_fragment_of(&p->matrix, part, &fragment);
    for (unsigned lane = 0; operand && lane < LANES; lane++) {
        if (p->matrix.quarters && lane % 16 / 4 != quarter) continue;
        for (unsigned i = 0; i < count; i++) {
            unsigned row, column;
            uint64_t bits;
            if (!read_element(&p->context, operand, lane, i, width, register_bits, &bits)) continue;
            ptx_fragment_at(&fragment, lane, i, &row, &column);
            put(m, row, column, bits, lane);
        }
    }
}

// The transpose flags are the last operands: of A where it has a descriptor, then of B.
static bool is_across(const product *p, ptx_matrix_part part) {
    const ptx_inst *inst = p->inst;
    bool a_too = inst->operands[1].kind != PTX_OPERAND_VECTOR;
    unsigned flags = inst->operand_count - (p->matrix.sparse ? 8 : 6), index = inst->operand_count - 1;
    if (ptx_type_bits(p->matrix.types[part]) != 16 || !flags) return false;
    if (part == PTX_MATRIX_A) index -= a_too;
    return inst->operands[index].value != 0;
}

static void fill_from_shared(debug_session *s, const product *p, ptx_matrix_part part, shown_matrix *m) {
    const ptx_operand *operand = operand_of(p, part);
    uint64_t descriptor;
    uint32_t bytes;
    const uint8_t *shared = sim_inspect_shared(p->context.warp, &bytes);
    if (!operand || !read_element(&p->context, operand, p->context.lane, 0, 64, 64, &descriptor)) return;
    unsigned width = ptx_type_bits(m->type), step = width < 8 ? 1 : width / 8;
    sim_inspect_layout l = sim_inspect_descriptor(descriptor);
    debug_say(s, "In shared memory from 0x%x on: leading offset %u, stride offset %u, ", l.start, l.leading,
              l.stride);
    debug_say(s, l.swizzle ? "swizzle of %u bytes%s.\n" : "no swizzle%.0u%s.\n", l.swizzle,
              is_across(p, part) ? ", transposed" : "");
    for (unsigned r = 0; r < m->rows; r++)
        for (unsigned c = 0; c < m->columns; c++) {
            unsigned along = part == PTX_MATRIX_A ? c : r, aside = part == PTX_MATRIX_A ? r : c;
            uint32_t at = sim_inspect_element(descriptor, is_across(p, part), width, along, aside);
            uint64_t bits = 0;
            if (at + step > bytes) continue;
            memcpy(&bits, shared + at, step);
            if (width < 8) bits = bits >> along * width % 8 & ((1u << width) - 1);
            put(m, r, c, bits, 0);
        }
}

// "Lane 5 holds (1,2) (1,3) (9,2) (9,3)": row and column.
static void show_lane(debug_session *s, const product *p, ptx_matrix_part part) {
    unsigned count = ptx_matrix_elements(&p->matrix, part);
    ptx_fragment fragment;
    ptx_fragment_of(&p->matrix, part, &fragment);
    debug_say(s, "Lane %u holds", p->context.lane);
    for (unsigned i = 0; i < count && i < 8; i++) {
        unsigned row, column;
        ptx_fragment_at(&fragment, p->context.lane, i, &row, &column);
        debug_say(s, " (%u,%u)", row, column);
    }
    debug_say(s, count > 8 ? " ... of row and column; /l shows all lanes.\n"
                           : " of row and column; /l shows all lanes.\n");
}

static void show_part(debug_session *s, const product *p, ptx_matrix_part part, char letter) {
    const ptx_matrix *x = &p->matrix;
    bool group = x->op == PTX_OP_WGMMA_MMA_ASYNC, described = is_descriptor(p, part);
    unsigned k = x->sparse && part == PTX_MATRIX_A ? x->k / 2u : x->k;
    shown_matrix m = {.type = x->types[part], .letter = letter, .in_shared = described};
    m.rows = part == PTX_MATRIX_B ? k : described ? x->m : ptx_matrix_rows(x);
    m.columns = part == PTX_MATRIX_A ? k : x->n;
    sim_inspect_where where;
    sim_inspect_at(p->context.warp, &where);
    debug_say(s, "%c: %u x %u of %s", "ABCD"[part], m.rows, m.columns, ptx_type_name(m.type));
    if (x->sparse && part == PTX_MATRIX_A) debug_say(s, ", the elements that are stored");
    if (x->quarters) debug_say(s, ", of quarter %u of the warp", p->context.lane % 16 / 4);
    if (group && !described)
        debug_say(s, ", rows %u to %u of the warpgroup's", where.warp % 4 * 16, where.warp % 4 * 16 + 15);
    debug_say(s, "\n");
    if (!open_matrix(&m)) {
        debug_say(s, "out of memory\n");
    } else {
        if (described)
            fill_from_shared(s, p, part, &m);
        else
            fill_from_registers(p, part, &m);
        if (described && letter == 'l')
            debug_say(s, "No lane holds it.\n");
        else
            show_matrix(s, &m);
        if (!described) show_lane(s, p, part);
    }
    close_matrix(&m);
}

// ---- ldmatrix, stmatrix ----------------------------------------------------------------------------------

// As the registers hold them: after ldmatrix.trans what was transposed.
static void show_moved(debug_session *s, const product *p, char letter) {
    const ptx_operand *operand = &p->inst->operands[p->inst->op == PTX_OP_STMATRIX];
    unsigned count = operand->element_count ? operand->element_count : 1;
    ptx_layout one = {0}; // (lane, element) -> place in the matrix, row by row
    if (ptx_layout_named("ldmatrix.x1", &one, NULL)) return;
    for (unsigned i = 0; i < count; i++) {
        shown_matrix m = {.rows = 8, .columns = 8, .type = PTX_B16, .letter = letter};
        debug_say(s, "matrix %u: 8 x 8 of b16, in register %u of each lane\n", i, i);
        if (open_matrix(&m)) {
            for (unsigned lane = 0; lane < LANES; lane++)
                for (unsigned e = 0; e < 2; e++) {
                    uint64_t bits;
                    if (read_element(&p->context, operand, lane, 2 * i + e, 16, 32, &bits))
                        put_at(&m, (unsigned)base_layout_at(&one.layout.layout, lane + LANES * e), bits,
                               lane);
                }
            show_matrix(s, &m);
        }
        close_matrix(&m);
    }
}

// ---- the command -----------------------------------------------------------------------------------------

static bool is_matrix(ptx_op op) {
    return op == PTX_OP_MMA || op == PTX_OP_WMMA || op == PTX_OP_WGMMA_MMA_ASYNC || op == PTX_OP_LDMATRIX ||
           op == PTX_OP_STMATRIX;
}

// The one that the thread is at, or the next of this source line; else the last one before. `away`: instructions to it.
static const ptx_inst *find_matrix(debug_session *s, const debug_context *context, int *away) {
    const ptx_function *f = sim_inspect_function(context->warp, context->frame);
    if (!f || !context->inst) return NULL;
    const ptx_inst *here = context->inst, *end = f->insts + f->inst_count;
    debug_line at = debug_line_at(s->symbols, here, UINT32_MAX, NULL);
    for (const ptx_inst *i = here; i < end && i - here < NEAR; i++) {
        debug_line line = debug_line_at(s->symbols, i, UINT32_MAX, NULL);
        if (line.line != at.line || line.file != at.file) break;
        *away = (int)(i - here);
        if (is_matrix(i->op)) return i;
    }
    for (const ptx_inst *i = here; i-- > f->insts;) {
        *away = (int)(i - here);
        if (is_matrix(i->op)) return i;
    }
    return NULL;
}

static void show_place(debug_session *s, const product *p, int away) {
    const ptx_function *f = sim_inspect_function(p->context.warp, p->context.frame);
    sim_inspect_async work;
    ptx_print_inst(s->launch.module, f, p->inst, &s->out);
    debug_say(s, "\n");
    if (away > 0)
        debug_say(s, "It comes %d instruction%s later: until then its operands may be older (stepi %d).\n",
                  away, away == 1 ? "" : "s", away);
    if (away < 0) debug_say(s, "It is the last one before this place; C's registers may be D's.\n");
    sim_inspect_async_of(p->context.warp, p->context.lane, &work);
    uint32_t products = work.products.done + work.products.open;
    if (p->inst->op == PTX_OP_WGMMA_MMA_ASYNC && products)
        debug_say(s, "Of the warp %u product%s under way: until wgmma.wait_group D is older.\n", products,
                  products == 1 ? " is" : "s are");
}

// "a", "A": which part, or -1; without one, all that the instruction has.
static int part_of(const char *text) {
    const char *letters = "ABCD", *found = *text ? strchr(letters, toupper((unsigned char)*text)) : NULL;
    return found && !text[1] ? (int)(found - letters) : -1;
}

void debug_show_fragment(debug_session *s, const char *options, const char *text) {
    product p = {0};
    int away = 0, part = part_of(text);
    char letter = *options;
    if (*options && (options[1] || !strchr("lx", letter))) {
        debug_say(s, "/%s is not known: /l lanes, /x bits.\n", options);
        return;
    }
    if (*text && part < 0) {
        debug_say(s, "'%s' is no part of a product: A, B, C or D.\n", text);
        return;
    }
    if (!debug_focused_context(s, &p.context)) return;
    p.inst = find_matrix(s, &p.context, &away);
    if (!p.inst) {
        debug_say(s,
                  "There is no matrix instruction at this line, nor before it: mma, wmma, wgmma, ldmatrix, "
                  "stmatrix.\n");
        return;
    }
    show_place(s, &p, away);
    if (p.inst->op == PTX_OP_LDMATRIX || p.inst->op == PTX_OP_STMATRIX) {
        show_moved(s, &p, letter);
        return;
    }
    if (!ptx_matrix_of(p.inst, &p.matrix, NULL)) return;
    for (int i = 0; i < 4; i++) {
        bool there = !p.matrix.moves || i == (int)p.matrix.part;
        if (i == PTX_MATRIX_C && part < 0 && !p.matrix.moves &&
            (away < 0 || p.inst->op == PTX_OP_WGMMA_MMA_ASYNC))
            continue; // its registers are mostly D's, which is shown
        if (there && (part < 0 || part == i)) show_part(s, &p, (ptx_matrix_part)i, letter);
        if (!there && part == i) debug_say(s, "The instruction moves %c alone.\n", "ABCD"[p.matrix.part]);
    }
}

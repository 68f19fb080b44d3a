// See matrix.h.
#include "ptx/matrix.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 32, MOST_N = 256 };

typedef struct matrix_row {
    ptx_op op;
    bool sparse;
    uint16_t m, n, k;
    const char *a, *b, *sums;
    uint16_t sm;
} matrix_row;

static const matrix_row rows[] = {
#define PTX_MATRIX(op, sparse, m, n, k, a, b, sums, sm) {PTX_OP_##op, sparse, m, n, k, a, b, sums, sm},
#include "ptx/matrix.def"
#undef PTX_MATRIX
};

// ---- forms --------------------------------------------------------------------------------------------------

// Whether a list of words has this one.
static bool lists(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strspn(at, " ")) {
        size_t next = strcspn(at, " ");
        if (next == length && memcmp(at, word, length) == 0) return true;
        at += next;
    }
    return false;
}

static bool lists_type(const char *list, ptx_type type) { return lists(list, ptx_type_name(type)); }

static bool lists_sums(const char *list, ptx_type d, ptx_type c) {
    char pair[32];
    size_t first = strlen(ptx_type_name(d)), second = strlen(ptx_type_name(c));
    if (first + second + 2 > sizeof pair) return false;
    memcpy(pair, ptx_type_name(d), first);
    pair[first] = ':';
    memcpy(pair + first + 1, ptx_type_name(c), second + 1);
    return lists(list, pair);
}

// Whether any pair has the type on this side: d is before the colon, c behind it.
static bool lists_sum(const char *list, ptx_type type, bool behind) {
    for (int other = 0; other < PTX_TYPE_COUNT; other++)
        if (behind ? lists_sums(list, (ptx_type)other, type) : lists_sums(list, type, (ptx_type)other))
            return true;
    return false;
}

static bool has_n(uint16_t rule, uint16_t n) {
    if (rule > 1) return n == rule;
    if (n == 0 || n % 8 || n > MOST_N) return false;
    return rule == 0 || n == 8 || n == 24 || n % 16 == 0;
}

// "m16n8k16"
static bool read_shape(const char *text, ptx_matrix *out) {
    uint16_t *const sizes[] = {&out->m, &out->n, &out->k};
    for (int i = 0; i < 3; i++) {
        char *end;
        if (*text != "mnk"[i]) return false;
        *sizes[i] = (uint16_t)strtoul(text + 1, &end, 10);
        text = end;
    }
    return *text == 0;
}

static void read_mods(const ptx_inst *inst, ptx_matrix *out) {
    unsigned layouts = 0;
    for (unsigned i = 0; i < inst->mod_count; i++) {
        switch (inst->mods[i]) {
        case PTX_MOD_LOAD:
        case PTX_MOD_STORE: out->moves = true; break;
        case PTX_MOD_A: out->part = PTX_MATRIX_A; break;
        case PTX_MOD_B: out->part = PTX_MATRIX_B; break;
        case PTX_MOD_C: out->part = PTX_MATRIX_C; break;
        case PTX_MOD_D: out->part = PTX_MATRIX_D; break;
        case PTX_MOD_SP_ORDERED_METADATA: out->ordered = out->sparse = true; break;
        case PTX_MOD_SP: out->sparse = true; break;
        case PTX_MOD_ROW: out->b_by_row = layouts++ == 1; break;
        case PTX_MOD_COL:
            if (layouts++ == 0) out->a_by_column = true;
            break;
        default: read_shape(ptx_mod_text((ptx_mod)inst->mods[i]), out);
        }
    }
}

// In the order written: mma d a b c; wmma.mma the same, or d c of a product of f16; wgmma d a b.
static bool read_types(const ptx_inst *inst, ptx_matrix *out) {
    const uint8_t *types = inst->types;
    static const ptx_matrix_part order[] = {PTX_MATRIX_D, PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C};
    if (out->moves) {
        out->types[out->part] = types[0];
        return inst->type_count == 1;
    }
    if (inst->op == PTX_OP_WMMA && inst->type_count == 2) {
        out->types[PTX_MATRIX_D] = types[0];
        out->types[PTX_MATRIX_A] = out->types[PTX_MATRIX_B] = PTX_F16;
        out->types[PTX_MATRIX_C] = types[1];
        return true;
    }
    unsigned count = inst->op == PTX_OP_WGMMA_MMA_ASYNC ? 3 : 4;
    for (unsigned i = 0; i < count; i++) out->types[order[i]] = types[i];
    if (count == 3) out->types[PTX_MATRIX_C] = types[0];
    return inst->type_count == count;
}

static bool fits_row(const matrix_row *row, const ptx_matrix *x) {
    if (row->op != x->op || row->sparse != x->sparse || row->m != x->m || row->k != x->k ||
        !has_n(row->n, x->n))
        return false;
    const ptx_type *t = x->types;
    if (x->moves) {
        ptx_type type = t[x->part];
        if (x->part <= PTX_MATRIX_B) return lists_type(row->a, type);
        return lists_sum(row->sums, type, x->part == PTX_MATRIX_C);
    }
    bool same = row->b[0] == '=';
    return lists_type(row->a, t[PTX_MATRIX_A]) &&
           (same ? t[PTX_MATRIX_A] == t[PTX_MATRIX_B] : lists_type(row->b, t[PTX_MATRIX_B])) &&
           lists_sums(row->sums, t[PTX_MATRIX_D], t[PTX_MATRIX_C]);
}

// mma takes A by rows and B by columns, but for the shape of Volta; wmma has a choice where elements are no less than a byte.
static const char *check_layouts(const ptx_matrix *x) {
    bool usual = !x->a_by_column && !x->b_by_row;
    if (x->op == PTX_OP_MMA && !x->quarters && !usual)
        return "this product takes A by rows and B by columns: .row.col";
    if (x->op == PTX_OP_WMMA && !x->moves && ptx_type_bits(x->types[PTX_MATRIX_A]) < 8 && !usual)
        return "elements of less than a byte go with .row.col alone";
    return NULL;
}

bool ptx_matrix_of(const ptx_inst *inst, ptx_matrix *matrix, const char **why) {
    *matrix = (ptx_matrix){.op = inst->op};
    const char *reason = NULL;
    read_mods(inst, matrix);
    if (!matrix->m)
        reason = "it has no shape, such as .m16n8k16";
    else if (!read_types(inst, matrix))
        reason = "it has too few types, or too many";
    const matrix_row *row = NULL;
    for (size_t i = 0; !reason && !row && i < BASE_COUNT(rows); i++)
        if (fits_row(&rows[i], matrix)) row = &rows[i];
    if (!reason && !row)
        reason = "no GPU up to sm_90 has this shape with these types (docs/ptx_support.md lists them)";
    if (row) {
        matrix->sm = row->sm;
        matrix->quarters =
            matrix->op == PTX_OP_MMA && matrix->k == 4 && matrix->types[PTX_MATRIX_A] == PTX_F16;
        reason = check_layouts(matrix);
    }
    if (why) *why = reason;
    return !reason;
}

// The widest accumulator that the row has.
static ptx_type sum_of(const matrix_row *row) {
    static const ptx_type types[] = {PTX_F32, PTX_F64, PTX_S32};
    for (size_t i = 0; i < BASE_COUNT(types); i++)
        if (lists_sums(row->sums, types[i], types[i])) return types[i];
    return PTX_F16;
}

bool ptx_matrix_find(ptx_matrix *x) {
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        const matrix_row *row = &rows[i];
        ptx_type type = x->types[PTX_MATRIX_A];
        for (int first = 1; !type && first < PTX_TYPE_COUNT; first++)
            if (!strncmp(row->a, ptx_type_name((ptx_type)first), strcspn(row->a, " ")))
                type = (ptx_type)first;
        if (row->op != x->op || row->sparse != x->sparse || row->m != x->m || row->k != x->k ||
            !has_n(row->n, x->n) || !lists_type(row->a, type))
            continue;
        x->types[PTX_MATRIX_A] = x->types[PTX_MATRIX_B] = type;
        x->types[PTX_MATRIX_C] = x->types[PTX_MATRIX_D] = sum_of(row);
        x->quarters = x->op == PTX_OP_MMA && x->k == 4 && type == PTX_F16;
        x->sm = row->sm;
        return true;
    }
    return false;
}

bool ptx_matrix_row_at(unsigned index, ptx_matrix_row *out) {
    if (index >= BASE_COUNT(rows)) return false;
    const matrix_row *row = &rows[index];
    *out = (ptx_matrix_row){.a = row->a, .b = row->b, .sums = row->sums, .many_n = row->n < 8};
    out->matrix = (ptx_matrix){.op = row->op,
                               .m = row->m,
                               .n = row->n < 8 ? 8 : row->n,
                               .k = row->k,
                               .sparse = row->sparse,
                               .sm = row->sm};
    return true;
}

// ---- fragments ----------------------------------------------------------------------------------------------

unsigned ptx_matrix_rows(const ptx_matrix *x) { return x->op == PTX_OP_WGMMA_MMA_ASYNC ? 16 : x->m; }

static unsigned stored_k(const ptx_matrix *x) { return x->sparse ? x->k / 2u : x->k; }

unsigned ptx_matrix_elements(const ptx_matrix *x, ptx_matrix_part part) {
    unsigned of[] = {ptx_matrix_rows(x) * stored_k(x), (unsigned)x->k * x->n, ptx_matrix_rows(x) * x->n,
                     ptx_matrix_rows(x) * x->n};
    unsigned each = of[part] / LANES;
    if (x->quarters) each *= 4; // four products of quarters of the warp, each of the whole shape
    // Fragments of f16 that wmma loads have 16 elements in every shape: where there are fewer, they repeat.
    if (x->op == PTX_OP_WMMA && part <= PTX_MATRIX_B && x->types[part] == PTX_F16) each = 16;
    return each;
}

unsigned ptx_matrix_registers(const ptx_matrix *x, ptx_matrix_part part, unsigned *bits) {
    unsigned width = ptx_type_bits(x->types[part]), count = ptx_matrix_elements(x, part);
    *bits = width == 64 ? 64 : 32;
    return width == 64 ? count : (count * width + 31) / 32;
}

// ---- sparse A -----------------------------------------------------------------------------------------------

unsigned ptx_matrix_chunk(const ptx_matrix *x) {
    unsigned width = ptx_type_bits(x->types[PTX_MATRIX_A]);
    return width == 32 ? 2 : width == 4 ? 8 : 4;
}

// A row has 4, 8 or 16 nibbles; so one lane of each four, two, or all four have those of rows g and g + 8.
unsigned ptx_matrix_selectors(const ptx_matrix *x) {
    unsigned nibbles = x->k / ptx_matrix_chunk(x);
    return nibbles <= 4 ? 4 : nibbles <= 8 ? 2 : 1;
}

void ptx_matrix_metadata(const ptx_matrix *x, unsigned row, unsigned chunk, unsigned selector, unsigned *lane,
                         unsigned *nibble) {
    unsigned g = row % 8, lower = row / 8, selectors = ptx_matrix_selectors(x);
    bool narrow = ptx_type_bits(x->types[PTX_MATRIX_A]) <= 8;
    if (selectors == 4) {
        *lane = 4 * g + selector;
        *nibble = chunk + 4 * lower;
    } else if (selectors == 2 && !narrow) {
        *lane = 4 * g + 2 * selector + chunk / 4;
        *nibble = chunk % 4 + 4 * lower;
    } else if (selectors == 2) {
        *lane = 4 * g + 2 * selector + lower;
        *nibble = chunk;
    } else {
        *lane = 4 * g + lower + 2 * (chunk / 8);
        *nibble = chunk % 8;
    }
}

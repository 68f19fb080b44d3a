// Fragments: the rows of fragment.def, found and taken apart. See matrix.h.
#include "ptx/matrix.h"

#include <string.h>

enum { COLUMNS = 8 }; // of an accumulator of a warpgroup, as the table has it

typedef struct fragment_row {
    ptx_matrix_part part;
    uint16_t across, along, bits;
    const char *layout;
} fragment_row;

static const fragment_row rows[] = {
#define PTX_FRAGMENT(part, across, along, bits, layout) {PTX_MATRIX_##part, across, along, bits, layout},
#define PTX_QUARTER(...)
#define PTX_MATRIX_MOVE(...)
#define PTX_SHARED_TILE(...)
#include "ptx/fragment.def"
#undef PTX_FRAGMENT
#undef PTX_QUARTER
};

static const struct {
    ptx_matrix_part part;
    bool other;
    const char *layout;
} quarters[] = {
#define PTX_FRAGMENT(...)
#define PTX_QUARTER(part, other, layout) {PTX_MATRIX_##part, other, layout},
#include "ptx/fragment.def"
#undef PTX_FRAGMENT
#undef PTX_QUARTER
#undef PTX_MATRIX_MOVE
#undef PTX_SHARED_TILE
};

static const char *find_quarter(const ptx_matrix *x, ptx_matrix_part part) {
    bool other = part == PTX_MATRIX_A   ? x->a_by_column
                 : part == PTX_MATRIX_B ? x->b_by_row
                                        : x->types[part] == PTX_F16;
    for (size_t i = 0; i < BASE_COUNT(quarters); i++)
        if (quarters[i].part == (part == PTX_MATRIX_C ? PTX_MATRIX_D : part) && quarters[i].other == other)
            return quarters[i].layout;
    return NULL;
}

static const char *find_row(const ptx_matrix *x, ptx_matrix_part part) {
    bool group = x->op == PTX_OP_WGMMA_MMA_ASYNC, sums = part >= PTX_MATRIX_C;
    unsigned across = part == PTX_MATRIX_B ? x->n : x->m, bits = sums ? 0 : ptx_type_bits(x->types[part]);
    unsigned along = sums ? (group ? COLUMNS : x->n) : x->sparse && part == PTX_MATRIX_A ? x->k / 2u : x->k;
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].part == (sums ? PTX_MATRIX_D : part) && rows[i].across == across &&
            rows[i].along == along && rows[i].bits == bits)
            return rows[i].layout;
    return NULL;
}

// One mode more for the elements: `count` of what there is, `stride` apart.
static bool repeat(base_layout *layout, unsigned count, unsigned stride) {
    base_layout threads = base_layout_mode(layout, 0), elements = base_layout_mode(layout, 1),
                more = base_layout_of(count, stride);
    if (base_layout_pair(&elements, &more, &elements, NULL)) return false;
    elements = base_layout_flatten(&elements);
    return base_layout_pair(&threads, &elements, layout, NULL) == KZ_OK;
}

bool ptx_matrix_layout(const ptx_matrix *x, ptx_matrix_part part, base_layout *layout) {
    const char *text = x->quarters ? find_quarter(x, part) : find_row(x, part);
    if (!text || base_layout_parse(text, layout, NULL)) return false;
    base_layout elements = base_layout_mode(layout, 1);
    unsigned have = (unsigned)base_layout_size(&elements), wanted = ptx_matrix_elements(x, part);
    bool group = x->op == PTX_OP_WGMMA_MMA_ASYNC && part >= PTX_MATRIX_C;
    // Accumulators go on to the right; fragments of f16 that wmma loads repeat.
    return wanted <= have || repeat(layout, wanted / have, group ? COLUMNS * x->m : 0);
}

void ptx_fragment_of(const ptx_matrix *x, ptx_matrix_part part, ptx_fragment *f) {
    base_layout layout;
    *f = (ptx_fragment){.by_row = part == PTX_MATRIX_B, .across = part == PTX_MATRIX_B ? x->n : x->m};
    if (!ptx_matrix_layout(x, part, &layout)) return;
    base_layout threads = base_layout_mode(&layout, 0), elements = base_layout_mode(&layout, 1);
    for (int64_t i = 0; i < base_layout_size(&threads) && i < PTX_FRAGMENT_THREADS; i++)
        f->thread[i] = (uint16_t)base_layout_at(&threads, i);
    for (int64_t i = 0; i < base_layout_size(&elements) && i < PTX_FRAGMENT_ELEMENTS; i++)
        f->element[i] = (uint16_t)base_layout_at(&elements, i);
}

ptx_matrix_place ptx_fragment_place(const ptx_fragment *f, unsigned bits, unsigned index) {
    unsigned in_register = bits == 64 ? 1 : 32 / bits, at = f->element[index * in_register];
    return (ptx_matrix_place){(uint8_t)(at % f->across / 8), (uint8_t)(at / f->across / (4 * in_register))};
}

bool ptx_fragment_is_turned(const ptx_fragment *f) { return f->element[1] % f->across != 0; }

// See layouts.h. A name is read word by word; fragment.def has the layouts.
#include "ptx/layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/matrix.h"

enum { WORDS = 7 };

typedef struct name_words {
    char kept[PTX_LAYOUT_NAME];
    const char *word[WORDS];
    unsigned count, next;
} name_words;

static bool split(const char *name, name_words *w) {
    *w = (name_words){0};
    if (strlen(name) >= sizeof w->kept) return false;
    memcpy(w->kept, name, strlen(name) + 1);
    char *rest = NULL;
    for (char *at = strtok_r(w->kept, ".", &rest); at; at = strtok_r(NULL, ".", &rest)) {
        if (w->count == WORDS) return false;
        w->word[w->count++] = at;
    }
    return w->count > 0;
}

static const char *next(name_words *w) { return w->next < w->count ? w->word[w->next++] : ""; }
static bool take(name_words *w, const char *word) {
    if (w->next == w->count || strcmp(w->word[w->next], word) != 0) return false;
    w->next++;
    return true;
}
static bool is_read(const name_words *w) { return w->next == w->count; }

// ---- fragments ------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    ptx_op op;
} products[] = {{"mma", PTX_OP_MMA}, {"wmma", PTX_OP_WMMA}, {"wgmma", PTX_OP_WGMMA_MMA_ASYNC}};

static ptx_type type_of(const char *name) {
    for (int i = 1; i < PTX_TYPE_COUNT; i++)
        if (!strcmp(ptx_type_name((ptx_type)i), name)) return (ptx_type)i;
    return (ptx_type)0;
}

static bool read_part(name_words *w, ptx_matrix *x, ptx_matrix_part *part) {
    const char *letters = "abcd", *word = next(w), *found = *word ? strchr(letters, *word) : NULL;
    if (!found || word[1]) return false;
    *part = (ptx_matrix_part)(found - letters);
    if (x->quarters && *part == PTX_MATRIX_A) x->a_by_column = take(w, "col");
    if (x->quarters && *part == PTX_MATRIX_B) x->b_by_row = take(w, "row");
    if (x->quarters && *part >= PTX_MATRIX_C && take(w, "f16")) x->types[*part] = PTX_F16;
    return !(x->op == PTX_OP_WGMMA_MMA_ASYNC && *part == PTX_MATRIX_B);
}

static void describe(const ptx_matrix *x, ptx_matrix_part part, ptx_layout *l) {
    unsigned stored = x->sparse && part == PTX_MATRIX_A ? x->k / 2u : x->k;
    l->holds = true;
    l->rows = part == PTX_MATRIX_B ? x->k : x->m;
    l->columns = part == PTX_MATRIX_A ? stored : x->n;
    l->row = part == PTX_MATRIX_B ? "k" : "m";
    l->column = part == PTX_MATRIX_A ? "k" : "n";
    l->by_rows = part == PTX_MATRIX_B;
    l->bits = ptx_type_bits(x->types[part]);
    bool group = x->op == PTX_OP_WGMMA_MMA_ASYNC;
    snprintf(l->text, sizeof l->text, "%c, %u x %u of %s%s: what the threads of a %s hold", "ABCD"[part],
             l -> rows, l -> columns, ptx_type_name(x->types[part]),
             x -> sparse &&part == PTX_MATRIX_A ? ", the elements that are stored" : "",
             group         ? "warpgroup"
             : x->quarters ? "warp, whose quarters multiply apart,"
                           : "warp");
}

static bool read_fragment(name_words *w, ptx_layout *l) {
    ptx_matrix x = {0};
    ptx_matrix_part part;
    unsigned m, n, k;
    int length = 0;
    bool known = false;
    for (size_t i = 0; !known && i < BASE_COUNT(products); i++)
        if (take(w, products[i].name)) x.op = products[i].op, known = true;
    x.sparse = known && take(w, "sp");
    const char *shape = next(w);
    if (!known || sscanf(shape, "m%3un%3uk%3u%n", &m, &n, &k, &length) != 3 || shape[length]) return false;
    x.m = (uint16_t)m, x.n = (uint16_t)n, x.k = (uint16_t)k;
    ptx_type type = w->next < w->count ? type_of(w->word[w->next]) : (ptx_type)0;
    if (type) w->next++;
    x.types[PTX_MATRIX_A] = type;
    if (!ptx_matrix_find(&x) || !read_part(w, &x, &part) || !is_read(w)) return false;
    describe(&x, part, l);
    return ptx_matrix_layout(&x, part, &l->layout.layout);
}

// ---- ldmatrix, stmatrix -----------------------------------------------------------------------------------------

static const struct {
    const char *count, *registers, *transposed, *address;
} moves[] = {
#define PTX_FRAGMENT(...)
#define PTX_QUARTER(...)
#define PTX_MATRIX_MOVE(count, registers, transposed, address) {"x" #count, registers, transposed, address},
#define PTX_SHARED_TILE(...)
#include "ptx/fragment.def"
#undef PTX_MATRIX_MOVE
#undef PTX_SHARED_TILE
};

static bool read_move(name_words *w, ptx_layout *l) {
    if (!take(w, "ldmatrix") && !take(w, "stmatrix")) return false;
    for (size_t i = 0; i < BASE_COUNT(moves); i++) {
        if (!take(w, moves[i].count)) continue;
        bool transposed = take(w, "trans"), address = !transposed && take(w, "address");
        *l = (ptx_layout){.holds = true,
                          .rows = 8u << i,
                          .columns = 8,
                          .by_rows = true,
                          .row = "row",
                          .column = "column",
                          .bits = 16};
        snprintf(l->text, sizeof l->text, "%u x 8 of b16, %s: %s", l->rows,
                 i ? "matrices of 8 rows one below the other" : "a matrix",
                 address      ? "the row whose address each thread gives"
                 : transposed ? "what the threads of a warp hold after .trans"
                              : "what the threads of a warp hold");
        return is_read(w) && base_layout_parse(address      ? moves[i].address
                                               : transposed ? moves[i].transposed
                                                            : moves[i].registers,
                                               &l->layout.layout, NULL) == KZ_OK;
    }
    return false;
}

// ---- shared memory ----------------------------------------------------------------------------------------------

static const struct {
    const char *swizzle, *along, *across;
} tiles[] = {
#define PTX_MATRIX_MOVE(...)
#define PTX_SHARED_TILE(swizzle, along, across) {#swizzle, along, across},
#include "ptx/fragment.def"
#undef PTX_FRAGMENT
#undef PTX_QUARTER
#undef PTX_MATRIX_MOVE
#undef PTX_SHARED_TILE
};

static bool read_tile(name_words *w, ptx_layout *l) {
    bool box = take(w, "tma"), across = false;
    if (!box && !take(w, "smem")) return false;
    if (!box && !take(w, "k") && !(across = take(w, "mn"))) return false;
    for (size_t i = 0; i < BASE_COUNT(tiles); i++) {
        unsigned bits;
        if (!take(w, tiles[i].swizzle)) continue;
        int length = 0;
        const char *type = next(w);
        if (sscanf(type, "b%2u%n", &bits, &length) != 1 || type[length] || !is_read(w)) return false;
        if (bits < 8 || bits > 64 || (bits & (bits - 1)) ||
            base_composed_parse(across ? tiles[i].across : tiles[i].along, &l->layout, NULL) ||
            base_composed_upcast(&l->layout, bits / 8, &l->layout, NULL))
            return false;
        base_layout rows = base_layout_mode(&l->layout.layout, 0),
                    columns = base_layout_mode(&l->layout.layout, 1);
        l->rows = (unsigned)base_layout_size(&rows);
        l->columns = (unsigned)base_layout_size(&columns);
        l->row = box ? "row" : "m or n";
        l->column = box ? "dimension 0" : "k";
        l->bits = bits;
        snprintf(l->text, sizeof l->text, "a tile in shared memory, %s: (%s, %s) -> element",
                 box      ? "as a tensor map has it"
                 : across ? "m or n contiguous"
                          : "k contiguous",
                 l->row, l->column);
        return true;
    }
    return false;
}

// ---- names --------------------------------------------------------------------------------------------------------

static void visit_matrices(ptx_layout_visit *visit, void *context) {
    static const char *const names[] = {"mma", "wmma", "wgmma"};
    ptx_matrix_row row;
    for (unsigned i = 0; ptx_matrix_row_at(i, &row); i++) {
        const ptx_matrix *x = &row.matrix;
        unsigned product = 0;
        while (products[product].op != x->op) product++;
        int first = (int)strcspn(row.a, " ");
        for (const char *part = "abd"; *part; part++) {
            char name[PTX_LAYOUT_NAME], more[64];
            if (product == 2 && *part == 'b') continue; // in shared memory
            snprintf(name, sizeof name, "%s%s.m%un%uk%u.%.*s.%c", names[product], x->sparse ? ".sp" : "",
                     x->m, x->n, x->k, first, row.a, *part);
            snprintf(more, sizeof more, "%s%s%s", row.many_n ? "n to 256" : "",
                     row.many_n && row.a[first] ? ";" : "", row.a + first);
            visit(context, name, more[0] == ' ' ? more + 1 : more);
        }
    }
    visit(context, "mma.m8n8k4.f16.a.col", "");
    visit(context, "mma.m8n8k4.f16.b.row", "");
    visit(context, "mma.m8n8k4.f16.d.f16", "");
}

void ptx_layout_names(ptx_layout_visit *visit, void *context) {
    char name[PTX_LAYOUT_NAME];
    visit_matrices(visit, context);
    for (int store = 0; store < 2; store++)
        for (size_t i = 0; i < BASE_COUNT(moves); i++)
            for (int kind = 0; kind < 3; kind++) {
                static const char *const kinds[] = {"", ".trans", ".address"};
                snprintf(name, sizeof name, "%s.%s%s", store ? "stmatrix" : "ldmatrix", moves[i].count,
                         kinds[kind]);
                visit(context, name, "");
            }
    for (int kind = 0; kind < 3; kind++)
        for (size_t i = 0; i < BASE_COUNT(tiles); i++) {
            static const char *const kinds[] = {"smem.k", "smem.mn", "tma"};
            snprintf(name, sizeof name, "%s.%s.b16", kinds[kind], tiles[i].swizzle);
            visit(context, name, "b8 b32 b64");
        }
}

enum { SHOWN = 4 };

typedef struct nearest {
    const char *wanted;
    char found[PTX_LAYOUT_NAME];
    char longer[SHOWN][PTX_LAYOUT_NAME]; // names that begin with it, and how many there are
    size_t longer_count;
} nearest;

static void find_near(void *context, const char *name, const char *more) {
    (void)more;
    nearest *n = context;
    const char *const both[] = {name, *n->found ? n->found : NULL, NULL},
                      *near = base_nearest(n->wanted, both);
    if (near && near == name) snprintf(n->found, sizeof n->found, "%s", name);
    size_t length = strlen(n->wanted);
    if (length && strncmp(name, n->wanted, length) == 0) {
        if (n->longer_count < SHOWN) snprintf(n->longer[n->longer_count], PTX_LAYOUT_NAME, "%s", name);
        n->longer_count++;
    }
}

// A part of a name has many near it, of which none is meant more than the others.
static void tell_longer(const nearest *n, kz_error *error) {
    base_text names = {0};
    for (size_t i = 0; i < n->longer_count && i < SHOWN; i++)
        base_text_add(&names, "%s%s", i ? ", " : "", n->longer[i]);
    base_fail(error, KZ_NOT_FOUND, "\"%s\" begins %zu name%s of layouts: %s%s", n->wanted, n->longer_count,
              n->longer_count == 1 ? "" : "s", names.data ? names.data : "",
              n->longer_count > SHOWN ? " and more" : "");
    base_text_free(&names);
}

kz_status ptx_layout_named(const char *name, ptx_layout *layout, kz_error *error) {
    name_words words;
    static bool (*const readers[])(name_words *, ptx_layout *) = {read_fragment, read_move, read_tile};
    for (size_t i = 0; i < BASE_COUNT(readers); i++) {
        if (!split(name, &words)) break;
        *layout = (ptx_layout){0};
        if (readers[i](&words, layout)) return KZ_OK;
    }
    nearest near = {.wanted = name};
    ptx_layout_names(find_near, &near);
    if (near.longer_count)
        tell_longer(&near, error);
    else
        base_fail(error, KZ_NOT_FOUND, "there is no layout \"%s\"%s%s%s", name,
                  *near.found ? "; did you mean " : "", near.found, *near.found ? "?" : "");
    base_fail_note(error, "kz layout --list has all names; a layout of your own is written (8,8):(8,1)");
    return KZ_NOT_FOUND;
}

// What the simulator executes, from the tables alone, and the page that says so.
#include "ptx/matrix.h"
#include "ptx/tables.h"

#include <stdio.h>
#include <string.h>

bool ptx_has_no_effect(ptx_op op) {
    return ptx_op_get(op)->support == PTX_SUPPORT_NOTHING && op != PTX_OP_NONE;
}

static bool has_register_params(const ptx_function *function) {
    for (uint32_t i = 0; i < function->param_count; i++)
        if (function->params[i]->space == PTX_MOD_REG) return true;
    for (uint32_t i = 0; i < function->return_count; i++)
        if (function->returns[i]->space == PTX_MOD_REG) return true;
    return false;
}

bool ptx_is_simulated(const ptx_inst *inst, const char **why) {
    const char *reason = NULL;
    ptx_support support = ptx_op_get(inst->op)->support;
    const ptx_function *called =
        inst->op == PTX_OP_CALL && inst->operand_count > 1 ? inst->operands[1].function : NULL;
    if (inst->unknown)
        reason = inst->unknown;
    else if (support != PTX_SUPPORT_SIMULATED && support != PTX_SUPPORT_NOTHING)
        reason = ptx_support_reason(support);
    else if (called && has_register_params(called))
        reason = "parameters in registers are not simulated";
    if (why) *why = reason;
    return reason == NULL;
}

// ---- docs/ptx_support.md -----------------------------------------------------------------------------

typedef struct page_row {
    const char *section; // NULL for an instruction
    ptx_op op;
} page_row;

static const page_row page[] = {
#define PTX_SECTION(name) {name, PTX_OP_NONE},
#define PTX_OP(id, ...)   {NULL, PTX_OP_##id},
#include "ptx/ops.def"
#undef PTX_OP
};

static void print_counts(base_text *out) {
    unsigned simulated = 0, nothing = 0, later = 0;
    for (int op = 1; op < PTX_OP_COUNT; op++) {
        ptx_support support = ptx_op_get((ptx_op)op)->support;
        if (support == PTX_SUPPORT_SIMULATED)
            simulated++;
        else if (support == PTX_SUPPORT_NOTHING)
            nothing++;
        else
            later++;
    }
    base_text_add(
        out,
        "%u instructions are simulated, %u are accepted and have no effect on results, %u are read but\n"
        "cannot be launched yet.\n",
        simulated, nothing, later);
}

// CATEGORIES as one of their kind, in words; single modifiers as they are written.
static void print_mods(const char *mods, base_text *out) {
    static const struct {
        const char *category, *words;
    } words[] = {
        {"ROUND", "rounding"},
        {"COMPARE", "comparison"},
        {"BOOL", "and/or/xor/popc"},
        {"ATOMIC", "operation"},
        {"HALF", "lo/hi/wide"},
        {"SPACE", "state space"},
        {"ORDER", "memory order"},
        {"SCOPE", "scope"},
        {"CACHE", "cache operator"},
        {"EVICT", "eviction"},
        {"PREFETCH", "prefetch size"},
        {"VECTOR", "v2/v4/v8"},
        {"MODE", "mode"},
    };
    if (strcmp(mods, "*") == 0) mods = "";
    for (const char *before = ""; *mods; before = ", ") {
        size_t length = strcspn(mods, " ");
        const char *shown = NULL;
        for (size_t i = 0; i < BASE_COUNT(words); i++)
            if (strlen(words[i].category) == length && memcmp(words[i].category, mods, length) == 0)
                shown = words[i].words;
        if (shown)
            base_text_add(out, "%s%s", before, shown);
        else
            base_text_add(out, "%s`.%.*s`", before, (int)length, mods);
        mods += length;
        mods += strspn(mods, " ");
    }
}

static void print_row(const ptx_op_info *info, base_text *out) {
    base_text_add(out, "| `%s` | %s | ", info->root, info->what);
    print_mods(info->mods, out);
    base_text_add(out, " | ");
    for (const char *types = strcmp(info->types, "*") ? info->types : ""; *types; types++)
        base_text_add(out, "%c%s", *types, *types == ',' ? " " : "");
    base_text_add(out, " | %d.%d | ", info->version / 10, info->version % 10);
    base_text_add(out, info->support == PTX_SUPPORT_SIMULATED ? "yes |\n" : "%s |\n",
                  ptx_support_reason(info->support));
}

// "f16:f16 f32:f16" as "f16, f32 (c: f16)".
static void print_sums(const char *sums, base_text *out) {
    for (const char *before = ""; *sums; before = ", ") {
        size_t d = strcspn(sums, ":"), c = strcspn(sums + d + 1, " ");
        base_text_add(out, "%s%.*s", before, (int)d, sums);
        if (d != c || memcmp(sums, sums + d + 1, d) != 0)
            base_text_add(out, " (c: %.*s)", (int)c, sums + d + 1);
        sums += d + 1 + c;
        sums += strspn(sums, " ");
    }
}

static void print_types(const char *types, base_text *out) {
    for (; *types; types++) base_text_add(out, "%s%c", *types == ' ' ? "," : "", *types);
}

// The table of matrix products, a row each.
static void print_matrices(base_text *out) {
    base_text_add(out, "\n## Shapes and types of matrix products\n\n"
                       "From `src/ptx/matrix.def`. A sparse product has k of B; its A has half of it. "
                       "`wgmma` is for `sm_90a` alone.\n\n"
                       "| instruction | shape | a | b | d | from sm |\n|---|---|---|---|---|---|\n");
    ptx_matrix_row row;
    for (unsigned i = 0; ptx_matrix_row_at(i, &row); i++) {
        const ptx_matrix *x = &row.matrix;
        char n[8];
        snprintf(n, sizeof n, row.many_n ? "N" : "%u", x->n);
        base_text_add(out, "| `%s%s` | m%un%sk%u | ", ptx_op_root(x->op), x->sparse ? ".sp" : "", x->m, n,
                      x->k);
        print_types(row.a, out);
        base_text_add(out, " | ");
        if (row.b[0] == '=')
            base_text_add(out, "as a");
        else
            print_types(row.b, out);
        base_text_add(out, " | ");
        print_sums(row.sums, out);
        base_text_add(out, " | %u |\n", x->sm);
    }
    base_text_add(out, "\nN is a multiple of 8 up to 256; for integers and bits 8, 24 or a multiple of 16.\n"
                       "\nNot simulated of what sm_90 has: `multimem` (memory of several GPUs), `istypep`, "
                       "`sured`, `sust.p`; "
                       "textures of several samples (`.2dms`, `.a2dms`), offsets and depth comparisons of "
                       "`tex` and `tld4`; of "
                       "`txq` and `suq` all but `.width`, `.height` and `.depth`.\n");
}

void ptx_print_support(base_text *out) {
    base_text_add(out, "# PTX instructions and the simulator\n\n"
                       "Generated from `src/ptx/ops.def` by `pages write ptx_support`; a test fails when "
                       "this page is stale.\n\n");
    print_counts(out);
    base_text_add(
        out,
        "A module that contains an instruction which is not simulated, or not known at all, still loads;\n"
        "launching a kernel that contains it is the error. `kz ptx check FILE` lists them.\n");
    for (size_t i = 0; i < BASE_COUNT(page); i++) {
        if (page[i].section)
            base_text_add(out,
                          "\n## %s\n\n| instruction | what it gives | modifiers | types | PTX | simulated |\n"
                          "|---|---|---|---|---|---|\n",
                          page[i].section);
        else
            print_row(ptx_op_get(page[i].op), out);
    }
    print_matrices(out);
}

// kz layout: shapes and strides, what operations make of them, and who holds what.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "options.h"
#include "ptx/layouts.h"
#include "report/layout/layout.h"
#include "report/report.h"

typedef struct layout_options {
    cli_shared shared;
    cli_list compose, divide, zipped, tiled, product, blocked, raked, complement, inverse, swizzle;
    const char *shape, *at;
    cli_integer bytes;
    cli_output svg;
    bool coalesce, threads, banks;
} layout_options;

#define ROW(name, kind, field, argument, text)                                                               \
    { name, kind, offsetof(layout_options, field), argument, text }
static const cli_option options_table[] = {
    ROW("compose", CLI_LIST, compose, "B", "the layout after B: i -> layout(B(i))"),
    ROW("divide", CLI_LIST, divide, "T", "cut into tiles T: ((tile,rest),...)"),
    ROW("zipped-divide", CLI_LIST, zipped, "T", "the same as ((tiles),(rests))"),
    ROW("tiled-divide", CLI_LIST, tiled, "T", "the same as ((tiles),rest,rest)"),
    ROW("product", CLI_LIST, product, "T", "repeat the layout as T says: (block,copies)"),
    ROW("blocked-product", CLI_LIST, blocked, "B", "blocks side by side, mode by mode"),
    ROW("raked-product", CLI_LIST, raked, "B", "blocks interleaved, mode by mode"),
    ROW("complement", CLI_LIST, complement, "N", "what repeats the layout up to N indices"),
    ROW("coalesce", CLI_FLAG, coalesce, NULL, "the same function with the fewest modes"),
    ROW("inverse", CLI_LIST, inverse, "SIDE", "left or right: from indices back to coordinates"),
    ROW("swizzle", CLI_LIST, swizzle, "B,M,S", "then xor bits of the index: Sw<B,M,S>"),
    ROW("at", CLI_TEXT, at, "COORDINATE", "only the index of this one: 5, (3,5), ((1,0),5)"),
    ROW("threads", CLI_FLAG, threads, NULL, "show who holds what: (thread,element) -> index of a matrix"),
    ROW("shape", CLI_TEXT, shape, "ROWS,COLUMNS", "of that matrix; its indices go down the columns"),
    ROW("banks", CLI_FLAG, banks, NULL, "show banks of shared memory, and the conflicts of a warp"),
    ROW("bytes", CLI_INTEGER, bytes, "N", "of an element; 4, or what a name says"),
    CLI_SHOW_LIST("the names of the hardware's layouts"),
    ROW("svg", CLI_OUTPUT, svg, "PATH", "a picture"),
    CLI_JSON_OBJECT,
    {0},
};

// ---- operations, in the order they are written ---------------------------------------------------------------

typedef kz_status operation(base_composed *c, const char *word, kz_error *error);

static kz_status do_compose(base_composed *c, const char *word, kz_error *error) {
    base_layout b;
    kz_status status = base_layout_parse(word, &b, error);
    return status ? status : base_layout_compose(&c->layout, &b, &c->layout, error);
}

static kz_status by_tiler(base_composed *c, const char *word, base_grouping grouping, kz_error *error) {
    base_tiler tiler;
    kz_status status = base_tiler_parse(word, &tiler, error);
    return status ? status : base_layout_divide(&c->layout, &tiler, grouping, &c->layout, error);
}
static kz_status do_divide(base_composed *c, const char *word, kz_error *error) {
    return by_tiler(c, word, BASE_LOGICAL, error);
}
static kz_status do_zipped(base_composed *c, const char *word, kz_error *error) {
    return by_tiler(c, word, BASE_ZIPPED, error);
}
static kz_status do_tiled(base_composed *c, const char *word, kz_error *error) {
    return by_tiler(c, word, BASE_TILED, error);
}

static kz_status do_product(base_composed *c, const char *word, kz_error *error) {
    base_tiler tiler;
    kz_status status = base_tiler_parse(word, &tiler, error);
    return status ? status : base_layout_product(&c->layout, &tiler, BASE_LOGICAL, &c->layout, error);
}
static kz_status do_blocked(base_composed *c, const char *word, kz_error *error) {
    base_layout b;
    kz_status status = base_layout_parse(word, &b, error);
    return status ? status : base_layout_blocked_product(&c->layout, &b, &c->layout, error);
}
static kz_status do_raked(base_composed *c, const char *word, kz_error *error) {
    base_layout b;
    kz_status status = base_layout_parse(word, &b, error);
    return status ? status : base_layout_raked_product(&c->layout, &b, &c->layout, error);
}

// What counts indices has no meaning behind a swizzle.
static kz_status refuse_swizzle(const base_composed *c, const char *what, kz_error *error) {
    if (!c->swizzle.bits && !c->offset) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s of a swizzled layout is no layout", what);
    base_fail_note(error, "do it before --swizzle, or on the layout inside");
    return KZ_INVALID;
}

static kz_status do_complement(base_composed *c, const char *word, kz_error *error) {
    char *end;
    long long size = strtoll(word, &end, 10);
    if (!*word || *end) return base_fail(error, KZ_INVALID, "--complement takes a number, not \"%s\"", word);
    kz_status status = refuse_swizzle(c, "the complement", error);
    return status ? status : base_layout_complement(&c->layout, size, &c->layout, error);
}
static kz_status do_coalesce(base_composed *c, const char *word, kz_error *error) {
    (void)word, (void)error;
    c->layout = base_layout_coalesce(&c->layout);
    return KZ_OK;
}
static kz_status do_inverse(base_composed *c, const char *word, kz_error *error) {
    bool left = !strcmp(word, "left");
    if (!left && strcmp(word, "right") != 0)
        return base_fail(error, KZ_INVALID, "--inverse takes left or right, not \"%s\"", word);
    kz_status status = refuse_swizzle(c, "the inverse", error);
    if (status) return status;
    if (left) return base_layout_left_inverse(&c->layout, &c->layout, error);
    c->layout = base_layout_right_inverse(&c->layout);
    return KZ_OK;
}
static kz_status do_swizzle(base_composed *c, const char *word, kz_error *error) {
    if (c->swizzle.bits)
        return base_fail(error, KZ_INVALID, "the layout is swizzled already; once is enough");
    return base_swizzle_parse(word, &c->swizzle, error);
}

static const struct {
    const char *name;
    operation *run;
    bool takes_word;
} operations[] = {
    {"compose", do_compose, true},      {"divide", do_divide, true},
    {"zipped-divide", do_zipped, true}, {"tiled-divide", do_tiled, true},
    {"product", do_product, true},      {"blocked-product", do_blocked, true},
    {"raked-product", do_raked, true},  {"complement", do_complement, true},
    {"coalesce", do_coalesce, false},   {"inverse", do_inverse, true},
    {"swizzle", do_swizzle, true},
};

// The words have been read once, so each option is right; here they are done one after the other.
static kz_status operate(int argc, char **argv, base_composed *c, bool *any, kz_error *error) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        for (size_t k = 0; k < BASE_COUNT(operations); k++) {
            size_t length = strlen(operations[k].name);
            if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, operations[k].name, length) != 0)
                continue;
            const char *rest = argv[i] + 2 + length, *word = "";
            if (*rest && *rest != '=') continue;
            if (operations[k].takes_word) word = *rest ? rest + 1 : argv[++i];
            kz_status status = operations[k].run(c, word, error);
            if (status) return status;
            *any = true;
            break;
        }
    return KZ_OK;
}

// ---- what is shown ---------------------------------------------------------------------------------------------

static kz_status set_matrix(const layout_options *o, report_layout *r, kz_error *error) {
    base_tuple shape;
    char text[64];
    if (base_layout_rank(&r->layout.layout) != 2)
        return base_fail(error, KZ_INVALID,
                         "--threads shows a layout of two modes: threads and their elements");
    if (!o->shape) {
        base_fail(error, KZ_INVALID, "of which matrix do the threads hold elements?");
        base_fail_note(error, "say its shape: --shape 16,8");
        return KZ_INVALID;
    }
    snprintf(text, sizeof text, "(%s)", o->shape);
    kz_status status = base_tuple_parse(o->shape[0] == '(' ? o->shape : text, &shape, error);
    if (status) return status;
    if (shape.count != 3 || shape.value[1] < 1 || shape.value[2] < 1 ||
        shape.value[1] > REPORT_LAYOUT_CELLS || shape.value[2] > REPORT_LAYOUT_CELLS)
        return base_fail(error, KZ_INVALID, "--shape takes rows and columns: 16,8");
    r->threads = true;
    r->rows = (unsigned)shape.value[1];
    r->columns = (unsigned)shape.value[2];
    return KZ_OK;
}

static kz_status print_one(const layout_options *o, const report_layout *r, kz_error *error) {
    base_tuple c;
    int64_t index;
    base_text text = {0};
    kz_status status = base_tuple_parse(o->at, &c, error);
    if (!status) status = base_layout_at_coordinate(&r->layout.layout, &c, &index, error);
    if (status) return status;
    base_text_add(&text, "%" PRId64 "\n", base_swizzle_apply(r->layout.swizzle, r->layout.offset + index));
    status = report_write_text(&text, NULL, error);
    base_text_free(&text);
    return status;
}

static kz_status write_text(base_text *text, const char *path, kz_error *error) {
    kz_status status = report_write_text(text, path, error);
    base_text_free(text);
    return status;
}

static kz_status render(const layout_options *o, const report_layout_grid *g, kz_error *error) {
    base_text svg = {0}, page = {0};
    kz_status status = KZ_OK;
    if (o->svg.given) report_layout_svg(&svg, g), status = write_text(&svg, o->svg.path, error);
    if (!status && o->shared.json.given)
        status = report_write_line(report_layout_to_json(g), o->shared.json.path, error);
    if (status || cli_to_stdout(&o->svg) || cli_to_stdout(&o->shared.json)) return status;
    report_layout_print(&page, g, report_detect_style(stdout).width);
    if (o->svg.path) base_text_add(&page, "SVG: %s\n", o->svg.path);
    if (o->shared.json.path) base_text_add(&page, "JSON: %s\n", o->shared.json.path);
    return write_text(&page, NULL, error);
}

// A layout is written with digits and parentheses; a name begins with another letter than Sw<...> does.
static kz_status read_layout(const char *word, ptx_layout *known, report_layout *r, kz_error *error) {
    r->name = word;
    bool is_notation = strchr("(0123456789_- ", word[0]) || !strncmp(word, "Sw<", 3);
    if (is_notation) return base_composed_parse(word, &r->layout, error);
    kz_status status = ptx_layout_named(word, known, error);
    if (status) return status;
    r->layout = known->layout;
    r->bytes = known->bits >= 8 ? known->bits / 8 : 0;
    r->text = known->text;
    r->threads = known->holds;
    r->rows = known->rows, r->columns = known->columns, r->by_rows = known->by_rows;
    r->row = known->row, r->column = known->column;
    return KZ_OK;
}

static kz_status show(const layout_options *o, const char *word, int argc, char **argv, kz_error *error) {
    ptx_layout known;
    report_layout r = {0};
    report_layout_grid grid = {0};
    bool any = false;
    kz_status status = read_layout(word, &known, &r, error);
    if (!status) status = operate(argc, argv, &r.layout, &any, error);
    if (!status && any) r.text = NULL, r.threads = false, r.row = r.column = NULL;
    if (!status && o->bytes.given && (o->bytes.value < 1 || o->bytes.value > 16))
        status = base_fail(error, KZ_INVALID, "--bytes takes 1 to 16");
    if (!status && o->threads && !r.threads) status = set_matrix(o, &r, error);
    if (!status && o->banks && r.threads) {
        status = base_fail(error, KZ_INVALID, "registers have no banks: --banks is of layouts in memory");
        base_fail_note(error,
                       "compose the layout of the memory with this one: kz layout MEMORY --compose THIS");
    }
    if (status) return status;
    if (o->bytes.given) r.bytes = (unsigned)o->bytes.value;
    r.banks = o->banks;
    if (o->at) return print_one(o, &r, error);
    status = report_layout_open(&r, &grid, error);
    if (!status) status = render(o, &grid, error);
    report_layout_close(&grid);
    return status;
}

// ---- names -------------------------------------------------------------------------------------------------------

static void add_name(void *table, const char *name, const char *more) {
    ptx_layout known;
    base_text notation = {0};
    if (ptx_layout_named(name, &known, NULL)) return;
    base_composed_print(&known.layout, &notation);
    report_table_add(table, REPORT_BOLD, "%s", name);
    report_table_add(table, REPORT_PLAIN, "%s", more);
    report_table_add(table, REPORT_PLAIN, "%u x %u", known.rows, known.columns);
    report_table_add(table, REPORT_PLAIN, "%s", notation.data ? notation.data : "");
    base_text_free(&notation);
}

static void add_object(void *array, const char *name, const char *more) {
    ptx_layout known;
    base_text notation = {0};
    if (ptx_layout_named(name, &known, NULL)) return;
    base_composed_print(&known.layout, &notation);
    json_array_append_new(array, json_pack("{s:s, s:s, s:i, s:i, s:s}", "name", name, "more", more, "rows",
                                           (int)known.rows, "columns", (int)known.columns, "layout",
                                           notation.data ? notation.data : ""));
    base_text_free(&notation);
}

static int list(const layout_options *o) {
    kz_error error;
    if (o->shared.json.given) {
        json_t *array = json_array();
        ptx_layout_names(add_object, array);
        kz_status status = report_write_lines(array, o->shared.json.path, &error);
        json_decref(array);
        return status ? cli_fail(&error) : CLI_OK;
    }
    const report_column columns[] = {
        {.title = "name"}, {"also", .shrink = true}, {.title = "matrix"}, {.title = "layout"}};
    report_style style = report_detect_style(stdout);
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return cli_fail_with(KZ_NO_MEMORY, "no memory for the table");
    ptx_layout_names(add_name, table);
    report_table_print(table, stdout, &style, true);
    report_table_close(table);
    return CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    layout_options options = {0};
    cli_list words = {0};
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    if (options.shared.list && !words.count) return list(&options);
    if (words.count != 1)
        return cli_fail_with(KZ_INVALID,
                             "kz layout takes one layout, or one name; \"(8,8):(8,1)\" in quotes\n%s",
                             self->usage);
    return show(&options, words.items[0], argc, argv, &error) ? cli_fail(&error) : CLI_OK;
}

const cli_command cli_command_layout = {
    .usage = "kz layout LAYOUT|NAME [OPTIONS]\n"
             "kz layout --list [--json]",
    .about =
        "Prints the table of a layout: which index each coordinate has. LAYOUT is written as CuTe does it,\n"
        "shape:stride, \"((2,4),8):((1,16),2)\"; without strides the first mode is contiguous. A NAME is a "
        "layout of\n"
        "the hardware: which thread holds which element of a fragment, how a tile lies in shared memory.\n"
        "Operations are done in the order they are written; a tile is a layout, a shape, or one layout for "
        "each\n"
        "mode: \"4:1\", \"(4,8)\", \"<4:1,8:2>\". docs/concepts/layouts.md explains all of it.",
    .examples =
        "  kz layout '(8,8):(8,1)'                              a matrix of 8 rows, row by row\n"
        "  kz layout '(8,8):(8,1)' --zipped-divide '(4,4)'      its tiles of 4 x 4\n"
        "  kz layout '(32,32):(32,1)' --banks                   why a column of it is slow to read\n"
        "  kz layout '(8,64):(64,1)' --swizzle 3,3,3 --banks --bytes 2\n"
        "  kz layout mma.m16n8k16.f16.a                         who holds which element of A\n"
        "  kz layout wgmma.m64n64k16.d --svg=d.svg              the accumulators of a warpgroup, drawn\n"
        "  kz layout '((4,8),2):((16,1),8)' --threads --shape 8,8",
    .options = options_table,
    .run = run,
};

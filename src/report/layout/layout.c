// Layouts as tables and as JSON. See layout.h.
#include "report/layout/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BANKS = 32, BANK_BYTES = 4, MARGIN = 6, WARP = 32 };

static int64_t word_of(int64_t index, unsigned bytes) {
    int64_t at = index * (int64_t)bytes;
    return (at < 0 ? at - BANK_BYTES + 1 : at) / BANK_BYTES;
}

static report_layout_cell *cell_at(const report_layout_grid *g, unsigned row, unsigned column) {
    return &g->cells[(size_t)row * g->columns + column];
}

static void fill_memory(report_layout_grid *g) {
    bool line = base_layout_rank(&g->of.layout.layout) == 1;
    for (unsigned r = 0; r < g->rows; r++)
        for (unsigned c = 0; c < g->columns; c++) {
            report_layout_cell *cell = cell_at(g, r, c);
            cell->index = base_composed_at(&g->of.layout, line ? c : r + (int64_t)g->rows * c);
            cell->bank = (unsigned)(word_of(cell->index, g->of.bytes) & (BANKS - 1));
        }
}

static kz_status fill_threads(report_layout_grid *g, kz_error *error) {
    base_layout threads = base_layout_mode(&g->of.layout.layout, 0);
    int64_t count = base_layout_size(&threads), size = base_layout_size(&g->of.layout.layout);
    for (int64_t i = 0; i < size; i++) {
        int64_t index = base_composed_at(&g->of.layout, i);
        if (index < 0 || index >= (int64_t)g->rows * g->columns) {
            base_fail(error, KZ_INVALID,
                      "thread %" PRId64 " holds element %" PRId64 ", and the matrix has %u", i % count, index,
                      g->rows * g->columns);
            base_fail_note(error, "give the matrix's own shape: --shape ROWS,COLUMNS");
            return KZ_INVALID;
        }
        unsigned across = (unsigned)index % (g->of.by_rows ? g->columns : g->rows),
                 along = (unsigned)index / (g->of.by_rows ? g->columns : g->rows);
        report_layout_cell *cell = g->of.by_rows ? cell_at(g, along, across) : cell_at(g, across, along);
        if (cell->holders++) continue;
        cell->index = index;
        cell->thread = (unsigned)(i % count);
        cell->element = (unsigned)(i / count);
    }
    return KZ_OK;
}

kz_status report_layout_open(const report_layout *layout, report_layout_grid *g, kz_error *error) {
    const base_layout *l = &layout->layout.layout;
    base_layout first = base_layout_mode(l, 0);
    int64_t size = base_layout_size(l), rows = base_layout_rank(l) == 1 ? 1 : base_layout_size(&first);
    *g = (report_layout_grid){.of = *layout};
    if (layout->threads) rows = layout->rows, size = (int64_t)layout->rows * layout->columns;
    if (size > REPORT_LAYOUT_CELLS || rows == 0 || size == 0) {
        base_fail(error, KZ_INVALID, "%" PRId64 " cells; a table has 1 to %d", size, REPORT_LAYOUT_CELLS);
        base_fail_note(error, "take a tile of it: --divide, or a smaller layout of the same strides");
        return KZ_INVALID;
    }
    g->rows = (unsigned)rows;
    g->columns = (unsigned)(size / rows);
    g->cells = calloc((size_t)size, sizeof *g->cells);
    if (!g->cells) return base_fail(error, KZ_NO_MEMORY, "no memory for the table");
    if (!g->of.bytes) g->of.bytes = BANK_BYTES;
    if (layout->threads) return fill_threads(g, error);
    fill_memory(g);
    return KZ_OK;
}

void report_layout_close(report_layout_grid *g) {
    free(g->cells);
    g->cells = NULL;
}

// Words that are different and of one bank are read one after the other.
static unsigned words_in(const report_layout_grid *g, bool row, unsigned bank) {
    enum { WORDS = 4 }; // of an element of 16 bytes
    int64_t words[WARP * WORDS];
    unsigned count = 0, lanes = row ? g->columns : g->rows,
             each = (g->of.bytes + BANK_BYTES - 1) / BANK_BYTES;
    for (unsigned i = 0; i < (lanes < WARP ? lanes : WARP) * each; i++) {
        const report_layout_cell *cell = row ? cell_at(g, 0, i / each) : cell_at(g, i / each, 0);
        int64_t word = word_of(cell->index, g->of.bytes) + i % each;
        unsigned k = 0;
        while (k < count && words[k] != word) k++;
        if ((word & (BANKS - 1)) == bank && k == count) words[count++] = word;
    }
    return count;
}

unsigned report_layout_wavefronts(const report_layout_grid *g, bool row) {
    unsigned most = 0;
    for (unsigned bank = 0; bank < BANKS; bank++) {
        unsigned count = words_in(g, row, bank);
        if (count > most) most = count;
    }
    return most;
}

void report_layout_label(const report_layout_grid *g, const report_layout_cell *cell,
                         char text[REPORT_NUMBER]) {
    if (g->of.threads && !cell->holders)
        snprintf(text, REPORT_NUMBER, "-");
    else if (g->of.threads)
        snprintf(text, REPORT_NUMBER, "%u:%u", cell->thread, cell->element);
    else if (g->of.banks)
        snprintf(text, REPORT_NUMBER, "%u", cell->bank);
    else
        snprintf(text, REPORT_NUMBER, "%" PRId64, cell->index);
}

// ---- text --------------------------------------------------------------------------------------------------

static void print_strip(base_text *out, const report_layout_grid *g, unsigned first, unsigned end,
                        int width) {
    base_text_add(out, "%*s", MARGIN, "");
    for (unsigned c = first; c < end; c++) base_text_add(out, " %*u", width, c);
    base_text_add(out, "\n");
    for (unsigned r = 0; r < g->rows; r++) {
        base_text_add(out, "%*u:", MARGIN - 1, r);
        for (unsigned c = first; c < end; c++) {
            char text[REPORT_NUMBER];
            report_layout_label(g, cell_at(g, r, c), text);
            base_text_add(out, " %*s", width, text);
        }
        base_text_add(out, "\n");
    }
}

static void print_banks(base_text *out, const report_layout_grid *g) {
    base_text_add(out,
                  "\nA warp that reads elements of %u byte%s, one a thread: down a column %u wavefront%s, ",
                  g->of.bytes, g->of.bytes == 1 ? "" : "s", report_layout_wavefronts(g, false),
                  report_layout_wavefronts(g, false) == 1 ? "" : "s");
    base_text_add(out, "along a row %u.\n", report_layout_wavefronts(g, true));
}

void report_layout_print(base_text *out, const report_layout_grid *g, int screen) {
    const base_layout *l = &g->of.layout.layout;
    int width = g->columns > 99 ? 3 : g->columns > 9 ? 2 : 1;
    if (g->of.text) base_text_add(out, "%s\n", g->of.text);
    base_composed_print(&g->of.layout, out);
    base_text_add(out, "\nsize %" PRId64 ", cosize %" PRId64 ", rank %u, depth %u\n", base_layout_size(l),
                  base_composed_cosize(&g->of.layout), base_layout_rank(l), base_layout_depth(l));
    base_text_add(out, "%s; rows: %s, columns: %s\n\n",
                  g->of.threads ? "cells: thread:element"
                  : g->of.banks ? "cells: the bank of shared memory"
                                : "cells: the index",
                  g->of.row ? g->of.row : "the first mode", g->of.column ? g->of.column : "the others");
    for (unsigned i = 0; i < g->rows * g->columns; i++) {
        char text[REPORT_NUMBER];
        report_layout_label(g, &g->cells[i], text);
        if ((int)strlen(text) > width) width = (int)strlen(text);
    }
    unsigned each = (unsigned)((screen > 40 ? screen : 40) - MARGIN) / (unsigned)(width + 1);
    if (each >= 8) each -= each % 8;
    for (unsigned first = 0; first < g->columns; first += each) {
        if (first) base_text_add(out, "\n");
        print_strip(out, g, first, first + each < g->columns ? first + each : g->columns, width);
    }
    if (g->of.banks && !g->of.threads) print_banks(out, g);
}

// ---- JSON --------------------------------------------------------------------------------------------------

static json_t *cell_json(const report_layout_grid *g, const report_layout_cell *cell) {
    if (g->of.threads && !cell->holders) return json_null();
    if (g->of.threads) return json_pack("[i, i]", (int)cell->thread, (int)cell->element);
    return json_integer(g->of.banks ? (json_int_t)cell->bank : (json_int_t)cell->index);
}

json_t *report_layout_to_json(const report_layout_grid *g) {
    const base_layout *l = &g->of.layout.layout;
    base_text notation = {0};
    json_t *rows = json_array();
    base_composed_print(&g->of.layout, &notation);
    for (unsigned r = 0; r < g->rows; r++) {
        json_t *row = json_array();
        for (unsigned c = 0; c < g->columns; c++) json_array_append_new(row, cell_json(g, cell_at(g, r, c)));
        json_array_append_new(rows, row);
    }
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:i, s:i, s:s, s:o}", "name", g->of.name, "layout",
                               notation.data ? notation.data : "", "size", (json_int_t)base_layout_size(l),
                               "cosize", (json_int_t)base_composed_cosize(&g->of.layout), "rank",
                               (int)base_layout_rank(l), "depth", (int)base_layout_depth(l), "cells",
                               g->of.threads ? "thread and element"
                               : g->of.banks ? "bank"
                                             : "index",
                               "rows", rows);
    base_text_free(&notation);
    return object;
}

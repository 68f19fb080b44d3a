// Layouts as pictures: a grid whose colours are threads, banks or neighbours in memory.
#include <inttypes.h>
#include <stdio.h>

#include "report/figures/inside.h"
#include "report/layout/layout.h"
#include "report/pages/html.h"

enum { CELL_WIDTH = 44, CELL_HEIGHT = 32, NAMES = 44, HEAD = 20, BOTTOM = 8, HUES = 8, SHADES = 4 };

// Half transparent, so that text can be read on them in light and in dark.
static const char *const hues[HUES] = {"#1f77d0", "#e07b1a", "#2ca05a", "#8e5bd6",
                                       "#d6448b", "#17a2b8", "#9aa02c", "#7d7f88"};
static const double shades[SHADES] = {0.18, 0.32, 0.46, 0.60};

static unsigned colour_of(const report_layout_grid *g, const report_layout_cell *cell) {
    int64_t key = g->of.threads ? cell->thread : g->of.banks ? cell->bank : cell->index;
    if (g->of.banks && g->of.bytes >= 16) key |= 2; // four banks: a shade in the middle
    return (unsigned)(key & (HUES * SHADES - 1));
}

// All cells of one colour as one path.
static void add_cells(base_text *out, const report_layout_grid *g, unsigned colour, double left, double top) {
    bool any = false;
    for (unsigned i = 0; i < g->rows * g->columns; i++) {
        const report_layout_cell *cell = &g->cells[i];
        if (colour_of(g, cell) != colour || (g->of.threads && !cell->holders)) continue;
        if (!any)
            base_text_add(out, "<path fill=\"%s\" fill-opacity=\"%g\" d=\"", hues[colour / SHADES],
                          shades[colour % SHADES]);
        base_text_add(out, "M%g %gh%dv%dh-%dz", left + i % g->columns * CELL_WIDTH,
                      top + i / g->columns * CELL_HEIGHT, CELL_WIDTH - 2, CELL_HEIGHT - 2, CELL_WIDTH - 2);
        any = true;
    }
    if (any) base_text_add(out, "\" />\n");
}

static void add_label(base_text *out, const report_layout_grid *g, const report_layout_cell *cell, double x,
                      double y) {
    double middle = x + (CELL_WIDTH - 2) / 2.0;
    if (g->of.threads) {
        if (!cell->holders) return;
        report_svg_text(out, "cell", "middle", middle, y + 13, "T%u", cell->thread);
        report_svg_text(out, "under", "middle", middle, y + 26, "V%u", cell->element);
        return;
    }
    report_svg_text(out, "cell", "middle", middle, y + (g->of.banks ? 13 : 19), "%" PRId64, cell->index);
    if (g->of.banks) report_svg_text(out, "under", "middle", middle, y + 26, "bank %u", cell->bank);
}

static void add_note(base_text *note, const report_layout_grid *g) {
    if (g->of.text) base_text_add(note, "%s. ", g->of.text);
    base_composed_print(&g->of.layout, note);
    base_text_add(note, ". Down: %s, to the right: %s. ", g->of.row ? g->of.row : "the first mode",
                  g->of.column ? g->of.column : "the other modes");
    if (g->of.threads)
        base_text_add(note, "T is the thread, and its colour; V the element of its fragment.");
    else if (g->of.banks) {
        unsigned down = report_layout_wavefronts(g, false);
        base_text_add(
            note, "The index, and the bank of shared memory of an element of %u bytes, which is its colour. ",
            g->of.bytes);
        base_text_add(note, "A warp takes %u wavefront%s down a column, %u along a row.", down,
                      down == 1 ? "" : "s", report_layout_wavefronts(g, true));
    } else
        base_text_add(note, "The index; neighbours in memory have neighbouring shades.");
}

void report_layout_svg(base_text *out, const report_layout_grid *g) {
    base_text note = {0};
    double left = FIGURE_MARGIN + NAMES, top = FIGURE_TOP + HEAD;
    double width = left + g->columns * (double)CELL_WIDTH + FIGURE_MARGIN;
    add_note(&note, g);
    report_figure_begin(out, &(report_figure_text){g->of.name, note.data ? note.data : ""},
                        width > FIGURE_WIDTH ? width : FIGURE_WIDTH,
                        HEAD + g->rows * (double)CELL_HEIGHT + BOTTOM);
    base_text_add(out, "<style>.cell{font-size:12px}.under{font-size:9px}</style>\n");
    for (unsigned colour = 0; colour < HUES * SHADES; colour++) add_cells(out, g, colour, left, top);
    for (unsigned c = 0; c < g->columns; c++)
        report_svg_text(out, "dim", "middle", left + c * (double)CELL_WIDTH + (CELL_WIDTH - 2) / 2.0, top - 6,
                        "%u", c);
    for (unsigned r = 0; r < g->rows; r++) {
        double y = top + r * (double)CELL_HEIGHT;
        report_svg_text(out, "dim", "end", left - 8, y + 19, "%u", r);
        for (unsigned c = 0; c < g->columns; c++)
            add_label(out, g, &g->cells[r * g->columns + c], left + c * (double)CELL_WIDTH, y);
    }
    report_svg_end(out);
    base_text_free(&note);
}

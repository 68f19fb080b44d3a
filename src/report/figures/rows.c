// Rows of cells: lanes that are active or not, elements and who takes them.
#include "report/figures/inside.h"
#include "report/report.h"

enum { GAP = 2, HEADING = 26, BOTTOM = 10 };

static double row_height(const report_figure_rows *r, const report_figure_row *row) {
    return row->count ? r->cell_height + 4 : HEADING;
}

// All cells of one tone as one path: a row has many.
static void add_cells(base_text *out, const report_figure_rows *r, const report_figure_row *row, int tone,
                      double left, double y) {
    char class_[8];
    bool any = false;
    double width = report_svg_round(r->cell_width - GAP);
    snprintf(class_, sizeof class_, tone == REPORT_FIGURE_OFF ? "off" : "f%d", tone);
    for (size_t i = 0; i < row->count; i++) {
        if (row->tone[i] != tone) continue;
        if (!any) base_text_add(out, "<path class=\"%s\" d=\"", class_);
        base_text_add(out, "M%g %gh%gv%gh-%gz", report_svg_round(left + r->cell_width * (double)i),
                      report_svg_round(y), width, report_svg_round(r->cell_height), width);
        any = true;
    }
    if (any) base_text_add(out, "\" />\n");
}

static void add_row(base_text *out, const report_figure_rows *r, const report_figure_row *row, double y) {
    double left = FIGURE_MARGIN + r->name_width, middle = y + r->cell_height / 2 + 4;
    if (!row->count) {
        report_svg_text(out, "", "start", FIGURE_MARGIN, y + HEADING - 9, "%s", row->name);
        return;
    }
    report_svg_text(out, "mono", "start", FIGURE_MARGIN, middle, "%s", row->name);
    for (int tone = 0; tone < REPORT_FIGURE_SERIES; tone++) add_cells(out, r, row, tone, left, y);
    add_cells(out, r, row, REPORT_FIGURE_OFF, left, y);
    for (size_t i = 0; i < row->count; i++)
        if (row->inside[i])
            report_svg_text(out, "in", "middle", left + r->cell_width * (double)i + (r->cell_width - GAP) / 2,
                            middle, "%s", row->inside[i]);
    if (row->end)
        report_svg_text(out, "dim", "start", left + r->cell_width * (double)row->count + 6, middle, "%s",
                        row->end);
}

void report_figure_rows_write(base_text *out, const report_figure_rows *r) {
    double height = BOTTOM, widest = 0, y = FIGURE_TOP;
    for (size_t i = 0; i < r->count; i++) {
        height += row_height(r, &r->rows[i]);
        widest = (double)r->rows[i].count > widest ? (double)r->rows[i].count : widest;
    }
    double width = 2 * FIGURE_MARGIN + r->name_width + widest * r->cell_width + r->end_width;
    report_figure_begin(out, &r->text, width > FIGURE_WIDTH ? width : FIGURE_WIDTH, height);
    for (size_t i = 0; i < r->count; i++) {
        add_row(out, r, &r->rows[i], y);
        y += row_height(r, &r->rows[i]);
    }
    report_svg_end(out);
}

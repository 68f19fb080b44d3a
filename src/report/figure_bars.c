// Bars with their names before and their values behind them.
#include "report/figure_inside.h"
#include "report/report.h"

enum { ROW = 26, BAR = 17, CHARACTER = 8, MARK = 18 };

void report_figure_bars_write(base_text *out, const report_figure_bars *b) {
    double name = 0, value = 0, top = FIGURE_TOP + (b->mark > 0 ? MARK : 4);
    for (size_t i = 0; i < b->count; i++) {
        double width = CHARACTER * (double)report_width(b->bars[i].name);
        name = width > name ? width : name;
        width = CHARACTER * (double)report_width(b->bars[i].value);
        value = width > value ? width : value;
    }
    report_svg_axis x = {0, b->full, FIGURE_MARGIN + name + 10, FIGURE_WIDTH - FIGURE_MARGIN - 8 - value,
                         false};
    double bottom = top + ROW * (double)b->count;
    figure_begin(out, &b->text, FIGURE_WIDTH, bottom - FIGURE_TOP + 8);
    for (size_t i = 0; i < b->count; i++) {
        const report_figure_bar *bar = &b->bars[i];
        double y = top + ROW * (double)i, end = report_svg_place(&x, bar->length);
        char class_[8];
        snprintf(class_, sizeof class_, "f%d", bar->tone);
        report_svg_text(out, "mono", "end", x.from - 8, y + BAR - 3, "%s", bar->name);
        report_svg_rect(out, class_, x.from, y, end - x.from > 1 ? end - x.from : 1, BAR);
        double beside =
            b->mark > 0 && end < report_svg_place(&x, b->mark) && // a value stays clear of the mark
                    end + CHARACTER * (double)report_width(bar->value) > report_svg_place(&x, b->mark)
                ? report_svg_place(&x, b->mark)
                : end;
        report_svg_text(out, "", "start", beside + 7, y + BAR - 3, "%s", bar->value);
    }
    if (b->mark > 0) {
        double at = report_svg_place(&x, b->mark);
        report_svg_line(out, "mark", at, top - 4, at, bottom - 4);
        report_svg_text(out, "dim", "middle", at, top - 9, "%s", b->mark_name);
    }
    report_svg_end(out);
}

// Bars with their names before and their values behind them.
#include <math.h>

#include "report/figures/inside.h"
#include "report/report.h"

enum { ROW = 26, BAR = 17, CHARACTER = 8, MARK = 18 };

// Where a bar of full length ends: as far right as every bar's value still fits behind it.
static double full_end(const report_figure_bars *b, double from) {
    double end = FIGURE_WIDTH - FIGURE_MARGIN;
    for (size_t i = 0; i < b->count; i++) {
        double room = FIGURE_WIDTH - FIGURE_MARGIN - 8 - CHARACTER * (double)report_width(b->bars[i].value);
        if (b->bars[i].length > 0) end = fmin(end, from + (room - from) * b->full / b->bars[i].length);
    }
    return end;
}

void report_figure_bars_write(base_text *out, const report_figure_bars *b) {
    double name = 0, top = FIGURE_TOP + (b->mark > 0 ? MARK : 4);
    for (size_t i = 0; i < b->count; i++)
        name = fmax(name, CHARACTER * (double)report_width(b->bars[i].name));
    report_svg_axis x = {.low = 0, .high = b->full, .from = FIGURE_MARGIN + name + 10};
    x.to = full_end(b, x.from);
    double bottom = top + ROW * (double)b->count;
    report_figure_begin(out, &b->text, FIGURE_WIDTH, bottom - FIGURE_TOP + 8);
    for (size_t i = 0; i < b->count; i++) {
        const report_figure_bar *bar = &b->bars[i];
        double y = top + ROW * (double)i, end = report_svg_position(&x, bar->length);
        char class_[8];
        snprintf(class_, sizeof class_, "f%d", bar->tone);
        report_svg_text(out, "mono", "end", x.from - 8, y + BAR - 3, "%s", bar->name);
        report_svg_rect(out, class_, x.from, y, end - x.from > 1 ? end - x.from : 1, BAR);
        double beside =
            b->mark > 0 && end < report_svg_position(&x, b->mark) && // a value stays clear of the mark
                    end + CHARACTER * (double)report_width(bar->value) > report_svg_position(&x, b->mark)
                ? report_svg_position(&x, b->mark)
                : end;
        report_svg_text(out, "", "start", beside + 7, y + BAR - 3, "%s", bar->value);
    }
    if (b->mark > 0) {
        double at = report_svg_position(&x, b->mark);
        report_svg_line(out, "mark", at, top - 4, at, bottom - 4);
        report_svg_text(out, "dim", "middle", at, top - 9, "%s", b->mark_name);
    }
    report_svg_end(out);
}

// The progress line on stderr.
#include "report/report.h"

#define PLAIN_EVERY 15.0 // seconds between lines where nobody watches
#define DRAW_EVERY  0.05

void report_progress_begin(report_progress *progress, FILE *file) {
    *progress = (report_progress){.file = file, .style = report_detect_style(file), .last = base_seconds()};
}

static void draw(report_progress *p, size_t done, size_t total, const char *what) {
    enum { BAR = 20 };
    int filled = total ? (int)(done * BAR / total) : 0;
    fputs("\r\033[K", p->file);
    for (int i = 0; i < BAR; i++)
        fputs(p->style.utf8 ? (i < filled ? "━" : "╌") : i < filled ? "#" : ".", p->file);
    char counts[64];
    int used = BAR + 1 + snprintf(counts, sizeof counts, "%zu of %zu ", done, total);
    int room = p->style.width - used - 2;
    fprintf(p->file, " %s %.*s", counts, room > 0 ? room : 0, what);
    fflush(p->file);
}

void report_progress_show(report_progress *p, size_t done, size_t total, const char *of) {
    double time = base_seconds();
    char what[256];
    if (time - p->last < (p->style.terminal ? p->shown ? DRAW_EVERY : 0 : PLAIN_EVERY)) return;
    p->last = time;
    p->shown = true;
    snprintf(what, sizeof what, "%s", of);
    base_clean(what); // a command or a file of others
    if (p->style.terminal)
        draw(p, done, total, what);
    else
        fprintf(p->file, "kz: %zu of %zu done, now %s\n", done, total, what);
}

void report_progress_clear(report_progress *p) {
    if (!p->shown || !p->style.terminal) return;
    fputs("\r\033[K", p->file);
    fflush(p->file);
    p->shown = false;
}

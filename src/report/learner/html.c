// Progress as one HTML page: bars and a year of days as SVG, light and dark, no script.
#include <stdlib.h>
#include <string.h>

#include "report/pages/html.h"
#include "report/learner/learner.h"

enum { WEEKS = 53, WEEK = 7, CELL = 14, SQUARE = 11, LEFT = 34, TOP = 18, BAR_WIDTH = 260 };

static const char more_style[] =
    ".big{font-size:2.6rem;font-weight:650;line-height:1.1}.cards{display:flex;flex-wrap:wrap;gap:.8rem;"
    "margin:"
    "1.2rem 0}.card{background:var(--panel);border-radius:8px;padding:.8rem 1.1rem;min-width:8.5rem}\n"
    ".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,1fr));gap:0 3rem}\n"
    "svg .back{fill:var(--line)}svg .fill{fill:var(--good)}svg .d0{fill:var(--panel);stroke:var(--line)}"
    "svg .d1{fill:color-mix(in srgb,var(--good) 30%,var(--panel))}svg .d2{fill:color-mix(in srgb,var(--good) "
    "55%,var(--panel))}svg .d3{fill:color-mix(in srgb,var(--good) 78%,var(--panel))}svg "
    ".d4{fill:var(--good)}\n"
    "svg .today{stroke:var(--text)}svg .small{font-size:10px;fill:var(--dim)}\n"
    "ol.path{list-style:none;padding:0;margin:.4rem 0}ol.path li{padding:.3rem 0 .3rem "
    "1.1rem;border-left:3px solid "
    "var(--line);margin:0}ol.path li.done{border-color:var(--good)}ol.path li.here{border-color:var(--hot);"
    "font-weight:600}ol.path li.gate{border-left-style:dotted}"
    "ol.path li.gate.done{border-left-style:solid}ol.path .dim{font-weight:400;font-size:.9rem}\n"
    ".tag{font-size:.75rem;border:1px solid currentColor;border-radius:4px;padding:0 "
    ".35rem;margin-left:.4rem;"
    "white-space:nowrap}\n"
    ".days{direction:rtl}.days svg{direction:ltr;display:block;margin-right:auto}\n" // scrolled to today
    "@media(max-width:30rem){.two{grid-template-columns:1fr}body{padding:1rem}.card{flex:1 1 35%;min-width:0;"
    "padding:.6rem .8rem}.big{font-size:2rem}.bests,.bests tbody{display:block}.bests tr{display:block;"
    "padding:.4rem 0;border-bottom:1px solid var(--line)}.bests tr:first-child{display:none}.bests "
    "td{display:"
    "inline;padding:0 .4rem 0 0}.bests td:first-child{display:block}}\n";

static void add_card(base_text *out, const char *word, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_card(base_text *out, const char *word, const char *format, ...) {
    va_list list;
    va_start(list, format);
    base_text_add(out, "<div class=\"card\"><div class=\"big\">");
    base_text_add_v(out, format, list);
    base_text_add(out, "</div><div class=\"dim\">%s</div></div>\n", word);
    va_end(list);
}

static void add_shares(base_text *out, const char *title, const report_share *shares, size_t count) {
    if (!count) return;
    base_text_add(out, "<div>\n<h2>%s</h2>\n<table>\n", title);
    for (size_t i = 0; i < count; i++) {
        const report_share *s = &shares[i];
        double part = s->total ? (double)s->done / (double)s->total : 0;
        base_text_add(out, "<tr><td>");
        report_html_text(out, s->title);
        base_text_add(
            out,
            "</td><td><svg width=\"%d\" height=\"12\" role=\"img\" aria-label=\"%zu of %zu\"><rect "
            "class=\"back\" width=\"%d\" height=\"10\" y=\"2\" rx=\"3\" /><rect class=\"fill\" "
            "width=\"%.1f\" height=\"10\" y=\"2\" rx=\"3\" /></svg></td><td class=\"n\">%zu/%zu</td></tr>\n",
            BAR_WIDTH / 2, s->done, s->total, BAR_WIDTH / 2, part * BAR_WIDTH / 2, s->done, s->total);
    }
    base_text_add(out, "</table>\n</div>\n");
}

static void add_path(base_text *out, const report_learner *l) {
    static const char *const classes[] = {"", "gate open", "gate done", "gate waiting"};
    static const char *const words[] = {"", "gate, open", "gate, passed", "gate, waiting"};
    base_text_add(out, "<h2>Path</h2>\n");
    if (!l->path) {
        base_text_add(out, "<p class=\"dim\">The whole course in its order; <code>kz learn paths</code> "
                           "lists paths through it.</p>\n");
        return;
    }
    base_text_add(out, "<p>");
    report_html_text(out, l->path);
    base_text_add(out, "</p>\n<ol class=\"path\">\n");
    for (size_t i = 0; i < l->stage_count; i++) {
        const report_stage *s = &l->stages[i];
        const char *kind = s->gate ? classes[s->gate] : s->done == s->total ? "done" : s->here ? "here" : "";
        base_text_add(out, "<li class=\"%s\">", kind);
        report_html_text(out, s->title);
        if (s->gate)
            base_text_add(out, " <span class=\"tag %s\">%s</span>",
                          s->gate == REPORT_GATE_PASSED ? "good" : "warm", words[s->gate]);
        else
            base_text_add(out, " <span class=\"dim n\">%zu/%zu</span>", s->done, s->total);
        if (*s->note) {
            base_text_add(out, "<br /><span class=\"dim\">");
            report_html_text(out, s->note);
            base_text_add(out, "</span>");
        }
        base_text_add(out, "</li>\n");
    }
    base_text_add(out, "</ol>\n");
}

// ---- a year of days -------------------------------------------------------------------------------------

static const store_day *find_day(const report_learner *l, const char *day) {
    for (size_t i = l->day_count; i-- > 0;)
        if (strcmp(l->days[i].day, day) == 0) return &l->days[i];
    return NULL;
}

static void add_square(base_text *out, const report_learner *l, int64_t number, int64_t week, int64_t row,
                       bool is_today) {
    char day[STORE_DAY];
    store_day_from(number, day);
    const store_day *d = find_day(l, day);
    uint64_t n = d ? d->attempts : 0;
    base_text_add(
        out,
        "<rect class=\"d%d%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"><title>%s: %llu "
        "attempts, %llu passed</title></rect>\n",
        n == 0   ? 0
        : n < 3  ? 1
        : n < 6  ? 2
        : n < 12 ? 3
                 : 4,
        is_today ? " today" : "", LEFT + CELL * (int)week, TOP + CELL * (int)row, SQUARE, SQUARE, day,
        (unsigned long long)n, (unsigned long long)(d ? d->passed : 0));
}

static void add_calendar(base_text *out, const report_learner *l) {
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    int64_t today;
    if (!store_day_number(l->today, &today)) return;
    int64_t first = today - ((today + 3) % WEEK + WEEK) % WEEK - WEEK * (WEEKS - 1); // a Monday
    base_text_add(
        out,
        "<h2>Days</h2>\n<p class=\"dim\">%d in a row, %zu in all. Each square is a day, stronger with more "
        "attempts.</p>\n<div class=\"scroll days\"><svg width=\"%d\" height=\"%d\" role=\"img\" "
        "aria-label=\"days with attempts during the last year\">\n",
        l->streak, l->day_count, LEFT + CELL * WEEKS, TOP + CELL * WEEK);
    static const char *const rows[WEEK] = {"Mon", NULL, "Wed", NULL, "Fri", NULL, NULL};
    for (int i = 0; i < WEEK; i++)
        if (rows[i])
            base_text_add(out, "<text class=\"small\" x=\"0\" y=\"%d\">%s</text>\n", TOP + CELL * i + 10,
                          rows[i]);
    int last_month = 0;
    for (int64_t w = 0; w < WEEKS; w++) {
        char day[STORE_DAY];
        store_day_from(first + WEEK * w, day);
        int month = atoi(day + 5);
        bool begins = month != last_month && atoi(day + 8) <= WEEK;
        if (begins && w + 1 < WEEKS)
            base_text_add(out, "<text class=\"small\" x=\"%d\" y=\"10\">%s</text>\n", LEFT + CELL * (int)w,
                          months[month - 1]);
        last_month = month;
        for (int64_t d = 0; d < WEEK && first + WEEK * w + d <= today; d++)
            add_square(out, l, first + WEEK * w + d, w, d, first + WEEK * w + d == today);
    }
    base_text_add(out, "</svg></div>\n");
}

// ---- the page -------------------------------------------------------------------------------------------

static void add_bests(base_text *out, const report_learner *l) {
    if (!l->best_count) return;
    base_text_add(
        out, "<h2>Best figures</h2>\n<div class=\"scroll\"><table class=\"bests\">\n<tr><th>task</th><th "
             "class=\"n\">best</th><th>of</th><th>how</th><th>day</th></tr>\n");
    for (size_t i = 0; i < l->best_count; i++) {
        char how[80], value[REPORT_NUMBER];
        const report_best *b = &l->bests[i];
        base_text_add(out, "<tr><td>");
        report_html_text(out, b->title);
        base_text_add(out, "</td><td class=\"n\">%s</td><td><code>", report_figure(value, b->value));
        report_html_text(out, b->figure);
        base_text_add(out, "</code></td><td class=\"dim\">");
        report_html_text(out, report_how_measured(b->figure, b->device, how, sizeof how));
        base_text_add(out, "</td><td class=\"dim n\">%s</td></tr>\n", b->day);
    }
    base_text_add(out, "</table></div>\n");
}

void report_learner_html(base_text *out, const report_learner *l) {
    report_html_begin(out, "Progress", more_style);
    base_text_add(out,
                  "<h1>Progress</h1>\n<p class=\"dim\">Kernel Zoo, as of %s</p>\n<div class=\"cards\">\n",
                  l->today);
    add_card(out, "tasks passed", "%zu<span class=\"dim\" style=\"font-size:1.2rem\"> of %zu</span>", l->done,
             l->total);
    if (l->reading_total)
        add_card(out, "readings passed", "%zu<span class=\"dim\" style=\"font-size:1.2rem\"> of %zu</span>",
                 l->readings_done, l->reading_total);
    if (l->kata_total)
        add_card(out, "katas passed", "%zu<span class=\"dim\" style=\"font-size:1.2rem\"> of %zu</span>",
                 l->katas_done, l->kata_total);
    add_card(out, "days in a row", "%d", l->streak);
    add_card(out, "attempts", "%llu", (unsigned long long)l->attempts);
    base_text_add(out, "</div>\n");
    if (l->next_count) {
        base_text_add(out, "<p><b>Next:</b> ");
        report_html_text(out, l->next[0].title);
        base_text_add(out, " <code>");
        report_html_text(out, l->next[0].command);
        base_text_add(out, "</code></p>\n");
    }
    add_calendar(out, l);
    base_text_add(out, "<div class=\"two\">\n");
    add_shares(out, "Topics", l->topics, l->topic_count);
    add_shares(out, "Skills", l->skills, l->skill_count);
    base_text_add(out, "</div>\n");
    add_path(out, l);
    add_bests(out, l);
    report_html_end(out);
}

// The report as one HTML page that needs nothing else.
#include "report/profile/html.h"

#include <stdlib.h>
#include <string.h>

#include "report/profile/listing.h"
#include "report/profile/show.h"

enum { LINES = 3 };
static const double HOT = 0.3, WARM = 0.1, WASTE = 1.2;

static void add_element(base_text *out, const char *open, const char *text, const char *close) {
    base_text_add(out, "%s", open);
    report_prof_html_text(out, text);
    base_text_add(out, "%s\n", close);
}

static const char *heat(double share) { return share >= HOT ? "h" : share >= WARM ? "w" : ""; }

// ---- one kernel -------------------------------------------------------------------------------------

static void add_resources(base_text *out, const report_prof_kernel *k) {
    char time[REPORT_NUMBER];
    base_text_add(out, "<h3>Time each resource would need</h3>\n<table>\n");
    for (int r = 0; r < OBSERVE_RESOURCES; r++) {
        if (k->seconds[r] < 0.01 * k->seconds[k->first] || k->seconds[r] <= 0) continue;
        base_text_add(out, "<tr><td>");
        report_prof_html_text(out, report_prof_show_resource((observe_resource)r));
        base_text_add(out,
                      "</td><td class=\"n\">%s</td><td><span class=\"bar%s\" "
                      "style=\"width:calc(min(320px,40vw)*%.3f)\"></span></td></tr>\n",
                      report_seconds(time, k->seconds[r]), r == (int)k->first ? " first" : "",
                      k->seconds[r] / report_prof_show_longest(k));
    }
    base_text_add(out, "</table>\n");
}

static void add_fact(base_text *out, const char *label, const base_text *text) {
    if (!text->data || !*text->data) return;
    base_text_add(out, "<tr><td>%s</td><td>", label);
    report_prof_html_text(out, text->data);
    base_text_add(out, "</td></tr>\n");
}

static void add_facts(base_text *out, const report_prof *report, const report_prof_kernel *k) {
    base_text text = {0};
    base_text_add(out, "<table class=\"facts\">\n");
    report_prof_show_shape(&text, k);
    add_fact(out, "launch", &text);
    base_text_free(&text);
    for (size_t i = 0; i < report_prof_show_count(); i++) {
        report_prof_show_fact(&text, i, report, k);
        add_fact(out, report_prof_show_label(i), &text);
        base_text_free(&text);
    }
    base_text_add(out, "</table>\n");
}

static void add_line(base_text *out, const report_prof_line *line, report_prof_sources *sources) {
    base_text place = {0};
    size_t length;
    uint32_t shown = report_prof_sources_asm(sources, line->file, line->line);
    const char *text = report_prof_sources_line(sources, line->file, shown, &length);
    report_prof_show_location(&place, line);
    base_text_add(out, "<div class=\"cost %s\"><b>%.0f%%</b> <code>", heat(line->share), 100 * line->share);
    report_prof_html_text(out, place.data ? place.data : "");
    base_text_add(out, "</code>\n");
    if (text) {
        while (length && (*text == ' ' || *text == '\t')) text++, length--;
        base_text_add(out, "<pre>");
        report_prof_html_bytes(out, text, length);
        base_text_add(out, "</pre>\n");
    }
    add_element(out, "<div>", line->reason, "</div>");
    if (line->advice) add_element(out, "<div><span class=\"good\">try:</span> ", line->advice, "</div>");
    base_text_add(out, "</div>\n");
    base_text_free(&place);
}

static void add_list(base_text *out, const char *title, const char *const *items, size_t count) {
    if (!count) return;
    base_text_add(out, "<h3>%s</h3>\n<ul>\n", title);
    for (size_t i = 0; i < count; i++) add_element(out, "<li>", items[i], "</li>");
    base_text_add(out, "</ul>\n");
}

// ---- its source -------------------------------------------------------------------------------------

static void add_row(base_text *out, const report_prof_row *row, const char *file,
                    report_prof_sources *sources) {
    size_t length = 0;
    const char *text = report_prof_sources_line(sources, file, row->line, &length);
    if (!row->line) {
        base_text_add(out, "<tr class=\"u\"><td colspan=\"7\">...</td></tr>\n");
        return;
    }
    base_text_add(out, "<tr class=\"%s\"", row->counted ? heat(row->share) : "u");
    if (row->counted && row->reason) {
        base_text_add(out, " title=\"");
        report_prof_html_text(out, row->reason);
        base_text_add(out, "\"");
    }
    base_text_add(out, ">");
    if (row->counted)
        base_text_add(out,
                      "<td class=\"n\">%.0f%%</td><td class=\"n\">%.1f%%</td><td class=\"n%s\">%.1f</td>",
                      100 * row->share, 100 * row->part, row->lanes < 24 ? " warm" : "", row->lanes);
    else
        base_text_add(out, "<td></td><td></td><td></td>");
    if (row->sectors > 0)
        base_text_add(out, "<td class=\"n%s\">%.1f/%.1f</td>",
                      row->sectors > WASTE * row->ideal ? " warm" : "", row->sectors, row->ideal);
    else
        base_text_add(out, "<td></td>");
    if (row->ways > 0)
        base_text_add(out, "<td class=\"n%s\">%.1fx</td>", row->ways > WASTE ? " warm" : "", row->ways);
    else
        base_text_add(out, "<td></td>");
    base_text_add(out, "<td class=\"n dim\">%u</td><td>", row->line);
    if (text) report_prof_html_bytes(out, text, length);
    base_text_add(out, "</td></tr>\n");
}

static void add_source(base_text *out, const report_prof_kernel *k, report_prof_sources *sources) {
    const char *files[REPORT_PROF_LISTING_FILES];
    size_t count = report_prof_listing_files(k, files);
    for (size_t f = 0; f < count; f++) {
        size_t rows_count;
        report_prof_row *rows = report_prof_listing(k, files[f], sources, &rows_count);
        base_text_add(out, "<details%s><summary><code>", f == 0 ? " open=\"open\"" : "");
        report_prof_html_text(out, report_prof_basename(files[f]));
        base_text_add(
            out,
            "</code></summary>\n<div class=\"scroll\"><table class=\"src\">\n<thead><tr><th class=\"n\">cost"
            "</th><th class=\"n\">inst</th><th class=\"n\">lanes</th><th class=\"n\" title=\"sectors per "
            "request of global memory, and what would do\">sect/ideal</th><th class=\"n\" "
            "title=\"wavefronts of shared memory over those without conflicts\">banks</th><th "
            "class=\"n\">line</th><th></th></tr></thead>\n<tbody>\n");
        for (size_t i = 0; rows && i < rows_count; i++) add_row(out, &rows[i], files[f], sources);
        base_text_add(out, "</tbody></table></div></details>\n");
        free(rows);
    }
}

void report_prof_html_kernel(base_text *out, const report_prof *report, const report_prof_kernel *k,
                             report_prof_sources *sources, const char *id) {
    char time[REPORT_NUMBER];
    base_text_add(out, "<h2 id=\"%s\">", id);
    report_prof_html_text(out, k->title);
    base_text_add(out, " <span class=\"dim\">about %s a launch</span></h2>\n",
                  report_seconds(time, k->estimate));
    add_element(out, "<p class=\"bound\">Bound by ", report_prof_bound_title(k->bound), "</p>");
    add_element(out, "<p>", k->why, "</p>");
    add_facts(out, report, k);
    add_resources(out, k);
    base_text svg = {0};
    report_prof_roofline_svg(&svg, report, k);
    if (svg.data) base_text_add(out, "<h3>Roofline</h3>\n%s", svg.data);
    base_text_free(&svg);
    base_text_add(out, "<h3>The lines that cost most</h3>\n");
    for (size_t i = 0; i < k->line_count && i < LINES && k->lines[i].share >= (i ? 0.01 : 1e-9); i++)
        add_line(out, &k->lines[i], sources);
    add_list(out, "What to try", k->advice, k->advice_count);
    add_list(out, "Notes", k->notes, k->note_count);
    base_text_add(out, "<h3>Source</h3>\n");
    add_source(out, k, sources);
}

// ---- the page ---------------------------------------------------------------------------------------

static void add_table(base_text *out, const report_prof *report) {
    char time[REPORT_NUMBER];
    base_text_add(out, "<div class=\"scroll\"><table class=\"sort\"><thead><tr><th>kernel</th><th "
                       "class=\"n\">launches</th><th class=\"n\">"
                       "estimate</th><th class=\"n\">of all</th><th>bound by</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < report->kernel_count; i++) {
        const report_prof_kernel *k = &report->kernels[i];
        double part = report_prof_show_part(report, k);
        unsigned long long launches = k->launches + k->other_launches;
        base_text_add(out, "<tr><td><a href=\"#k%zu\">", i + 1);
        report_prof_html_text(out, k->title);
        base_text_add(
            out, "</a></td><td class=\"n\" data-v=\"%llu\">%llu</td><td class=\"n\" data-v=\"%.9g\">%s</td>",
            launches, launches, k->estimate, report_seconds(time, k->estimate));
        base_text_add(out, "<td class=\"n\" data-v=\"%.9g\">%.0f%%</td><td>%s</td></tr>\n", part, 100 * part,
                      report_prof_bound_title(k->bound));
    }
    base_text_add(out, "</tbody></table></div>\n");
}

void report_prof_html_write(base_text *out, const report_prof *report, report_prof_sources *sources) {
    base_text text = {0};
    base_text_add(&text, "kz prof: %s", report->program);
    report_prof_html_begin(out, text.data ? text.data : "kz prof");
    add_element(out, "<h1>", report->program, "</h1>");
    base_text_free(&text);
    report_prof_show_head(&text, report);
    add_element(out, "<p class=\"dim\">", text.data ? text.data : "", "</p>");
    base_text_free(&text);
    if (report->kernel_count > 1) add_table(out, report);
    for (size_t i = 0; i < report->kernel_count; i++) {
        char id[24];
        snprintf(id, sizeof id, "k%zu", i + 1);
        report_prof_html_kernel(out, report, &report->kernels[i], sources, id);
    }
    report_prof_show_tail(&text, report);
    if (text.data) add_element(out, "<p class=\"dim\">", text.data, "</p>");
    base_text_free(&text);
    report_prof_html_end(out);
}

// docs/microbench.md: tables and figures of the microbenchmarks, from the records under results/.
#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"
#include "report/bench/microbench.h"

#define PAGE_PATH "docs/microbench.md"

// ---- tables -------------------------------------------------------------------------------------

static void write_rows(base_text *out, const bench_micro_list *list, size_t first, size_t end) {
    char text[REPORT_MICROBENCH_TEXT], number[REPORT_NUMBER];
    base_text_add(out, "\n| what | measured | time | +- | nominal | share |\n|---|--:|--:|--:|--:|--:|\n");
    for (size_t i = first; i < end; i++) {
        const bench_micro_figure *f = &list->items[i];
        double seconds = report_microbench_seconds(list, f);
        base_text_add(out, "| %s |", report_microbench_name(text, f));
        base_text_add(out, " %s |", report_microbench_value(text, f->value, f->unit));
        if (isnan(seconds))
            base_text_add(out, " |");
        else
            base_text_add(out, " %s |", report_seconds(number, seconds));
        if (isnan(f->spread))
            base_text_add(out, " |");
        else
            base_text_add(out, " %.1f%% |", 100 * f->spread);
        if (isnan(f->nominal))
            base_text_add(out, " | |\n");
        else
            base_text_add(out, " %s | %.1f%% |\n", report_microbench_value(text, f->nominal, f->unit),
                          100 * f->value / f->nominal);
    }
}

static void write_curve(base_text *out, const bench_micro_list *list, size_t first, size_t end) {
    char text[REPORT_MICROBENCH_TEXT];
    bench_micro_figure alone = list->items[first];
    alone.x = NAN;
    base_text_add(out, "\n| %s: %s | measured |\n|--:|--:|\n", report_microbench_name(text, &alone),
                  bench_micro_group_axis(alone.group, 0));
    for (size_t i = first; i < end; i++) {
        base_text_add(out, "| %s |", report_microbench_x(text, &list->items[i]));
        base_text_add(out, " %s |\n",
                      report_microbench_value(text, list->items[i].value, list->items[i].unit));
    }
}

static void write_matrix(base_text *out, const bench_micro_list *list, size_t first, size_t end) {
    char text[REPORT_MICROBENCH_TEXT];
    const bench_micro_figure *f = &list->items[first];
    const char *x_name = bench_micro_group_axis(f->group, 0), *y_name = bench_micro_group_axis(f->group, 1);
    base_text_add(out, "\n| %s |", y_name);
    double last = NAN;
    size_t columns = 0;
    for (size_t i = first; i < end; i++) {
        if (list->items[i].x == last) continue;
        last = list->items[i].x;
        base_text_add(out, " %.0f %s |", last, x_name);
        columns++;
    }
    base_text_add(out, "\n|--:|");
    for (size_t i = 0; i < columns; i++) base_text_add(out, "--:|");
    base_text_add(out, "\n");
    for (size_t row = first; row < end && list->items[row].x == f->x; row++) {
        base_text_add(out, "| %.0f |", list->items[row].y);
        for (size_t i = first; i < end; i++)
            if (list->items[i].y == list->items[row].y)
                base_text_add(out, " %s |",
                              report_microbench_value(text, list->items[i].value, list->items[i].unit));
        base_text_add(out, "\n");
    }
}

// ---- the page -----------------------------------------------------------------------------------

static void write_page(base_text *out, const bench_micro_list *list, const char *folder) {
    base_text_add(out,
                  "## %s\n\nMeasured %.10s, commit %s, driver %s: medians; `+-` is half of the middle half "
                  "of the samples. "
                  "`kz microbench`\nmade the records in `results/%s/microbench.jsonl`.\n",
                  list->device, list->time, list->commit, list->driver[0] ? list->driver : "unknown",
                  list->gpu);
    for (size_t first = 0, end; first < list->count; first = end) {
        bench_micro_group group = list->items[first].group;
        if (first == 0 || list->items[first - 1].group != group)
            base_text_add(out, "\n### %s\n\n%c%s.\n", bench_micro_group_name(group),
                          toupper((unsigned char)bench_micro_group_about(group)[0]),
                          bench_micro_group_about(group) + 1);
        report_microbench_shape shape = report_microbench_run(list, first, &end);
        for (int i = 0; i < REPORT_MICROBENCH_FIGURES; i++)
            if (report_microbench_figure_group(i) == group && shape != REPORT_MICROBENCH_ROWS)
                base_text_add(out, "\n![%s](%s/%s.svg)\n", report_microbench_figure_title(i), folder,
                              report_microbench_figure_name(i));
        switch (shape) {
        case REPORT_MICROBENCH_ROWS: write_rows(out, list, first, end); break;
        case REPORT_MICROBENCH_CURVE: write_curve(out, list, first, end); break;
        case REPORT_MICROBENCH_MATRIX: write_matrix(out, list, first, end); break;
        }
    }
}

// One GPU: its figures, and its section at the end of `section`.
static kz_status add_gpu(pages_writer *w, const char *file, base_text *section, kz_error *error) {
    bench_micro_list list = {0};
    char *text = NULL, folder[200];
    size_t size;
    kz_status status = base_file_read(file, &text, &size, error);
    if (status) return status;
    if (!bench_micro_list_read(&list, text, size))
        status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", file);
    if (!status && !list.count)
        status = base_fail(error, KZ_SYNTAX, "%s holds no records of kz microbench", file);
    snprintf(folder, sizeof folder, "docs/microbench/%s", list.gpu);
    if (!status && !w->check) status = base_make_folders(folder, error);
    for (int i = 0; i < REPORT_MICROBENCH_FIGURES && !status; i++) {
        base_text svg = {0}, path = {0};
        base_text_add(&path, "%s/%s.svg", folder, report_microbench_figure_name(i));
        if (report_microbench_figure(&svg, &list, i)) status = pages_put(w, path.data, &svg, error);
        base_text_free(&svg);
        base_text_free(&path);
    }
    if (!status) {
        if (section->length) base_text_add(section, "\n");
        write_page(section, &list, folder + strlen("docs/"));
    }
    bench_micro_list_free(&list);
    free(text);
    return status;
}

kz_status pages_microbench(pages_writer *w, const char *const *words, size_t count, kz_error *error) {
    base_text section = {0}, whole = {0};
    glob_t found = {0};
    char *text = NULL;
    size_t size;
    kz_status status = KZ_OK;
    glob("results/*/microbench.jsonl", 0, NULL, &found);
    if (!found.gl_pathc) {
        status = base_fail(error, KZ_NOT_FOUND, "there is no results/*/microbench.jsonl here");
        base_fail_note(error, "likely cause: this is not the folder of the sources");
    }
    for (size_t i = 0; i < found.gl_pathc && !status; i++)
        status = add_gpu(w, found.gl_pathv[i], &section, error);
    if (!status) status = base_file_read(PAGE_PATH, &text, &size, error);
    if (!status)
        status = pages_replace(PAGE_PATH, text, "<!-- results:begin -->", "<!-- results:end -->", &section,
                               &whole, error);
    if (!status) status = pages_put(w, PAGE_PATH, &whole, error);
    free(text);
    globfree(&found);
    base_text_free(&section);
    base_text_free(&whole);
    return status;
}

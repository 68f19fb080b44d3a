// The page of the microbenchmarks: tables and figures, from the records under results/. See microbench.h.
#include "microbench.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/figures/figure.h"

#define BEGIN_MARK "<!-- results:begin -->"
#define END_MARK   "<!-- results:end -->"
#define PAGE       "docs/microbench.md"

// ---- tables -------------------------------------------------------------------------------------

static void write_rows(base_text *out, const bench_micro_list *list, size_t first, size_t end) {
    char text[MICROBENCH_TEXT], number[REPORT_NUMBER];
    base_text_add(out, "\n| what | measured | time | +- | nominal | share |\n|---|--:|--:|--:|--:|--:|\n");
    for (size_t i = first; i < end; i++) {
        const bench_micro_figure *f = &list->items[i];
        double seconds = microbench_seconds(list, f);
        base_text_add(out, "| %s |", microbench_name(text, f));
        base_text_add(out, " %s |", microbench_value(text, f->value, f->unit));
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
            base_text_add(out, " %s | %.1f%% |\n", microbench_value(text, f->nominal, f->unit),
                          100 * f->value / f->nominal);
    }
}

static void write_curve(base_text *out, const bench_micro_list *list, size_t first, size_t end) {
    char text[MICROBENCH_TEXT];
    bench_micro_figure alone = list->items[first];
    alone.x = NAN;
    base_text_add(out, "\n| %s: %s | measured |\n|--:|--:|\n", microbench_name(text, &alone),
                  bench_micro_group_axis(alone.group, 0));
    for (size_t i = first; i < end; i++) {
        base_text_add(out, "| %s |", microbench_x(text, &list->items[i]));
        base_text_add(out, " %s |\n", microbench_value(text, list->items[i].value, list->items[i].unit));
    }
}

static void write_matrix(base_text *out, const bench_micro_list *list, size_t first, size_t end) {
    char text[MICROBENCH_TEXT];
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
                              microbench_value(text, list->items[i].value, list->items[i].unit));
        base_text_add(out, "\n");
    }
}

// ---- figures ------------------------------------------------------------------------------------

enum { POINTS = 64 };

typedef struct figure {
    const char *name;
    bench_micro_group group;
    const char *point, *title, *x, *y, *unit;
    bool log_x;
} figure;

static const figure figures[MICROBENCH_FIGURES] = {
    {"latency", BENCH_MICRO_latency, "by_size",
     "From one load to the next that needs it, by the size of what is chased through", "bytes", "cycles", "B",
     true},
    {"tlb", BENCH_MICRO_tlb, "lines_2MiB_apart", "The same for lines in L2 that lie 2 MiB apart",
     "bytes from the first line to the last", "cycles", "B", true},
    {"banks", BENCH_MICRO_banks, "load", "A warp's load from shared memory, by the stride of its lanes",
     "stride in words", "cycles", NULL, false},
    {"ilp", BENCH_MICRO_ilp, "fma_f32",
     "Fused multiply-adds of one multiprocessor: chains in a thread against warps", "warps", "per cycle",
     NULL, true},
};

const char *microbench_figure_name(int which) { return figures[which].name; }

typedef struct curve {
    double x[POINTS], y[POINTS];
    size_t count;
} curve;

// `chains` NAN: over x; else over y at that x.
static curve collect(const bench_micro_list *list, const figure *f, double chains) {
    curve c = {.count = 0};
    for (size_t i = 0; i < list->count && c.count < POINTS; i++) {
        const bench_micro_figure *p = &list->items[i];
        if (p->group != f->group || strcmp(p->name, f->point) || !isfinite(p->value)) continue;
        if (!isnan(chains) && p->x != chains) continue;
        c.x[c.count] = isnan(chains) ? p->x : p->y;
        c.y[c.count++] = p->value;
    }
    return c;
}

static size_t ticks_for(double most, bool log, double low, double ticks[24]) {
    size_t count = 0;
    if (log)
        for (double t = low; t <= most * 1.01 && count < 24; t *= low >= 1024 ? 8 : 2) ticks[count++] = t;
    else {
        double step = pow(10, floor(log10(most)));
        if (most > 30 && most < 40)
            step = 4; // lanes and banks
        else if (most / step < 2)
            step /= 4;
        else if (most / step < 5)
            step /= 2;
        for (double t = 0; t <= most * 1.01 && count < 24; t += step) ticks[count++] = t;
    }
    return count;
}

bool microbench_figure(base_text *out, const bench_micro_list *list, int which) {
    const figure *f = &figures[which];
    static const double chains[] = {1, 2, 4, 8};
    static const char *const names[] = {"1 chain", "2 chains", "4 chains", "8 chains"};
    bool matrix = f->group == BENCH_MICRO_ilp;
    curve curves[4];
    double x_ticks[24], y_ticks[24], high = 0;
    size_t series = matrix ? 4 : 1;
    for (size_t i = 0; i < series; i++) {
        curves[i] = collect(list, f, matrix ? chains[i] : (double)NAN);
        if (curves[i].count < 2) return false;
        for (size_t k = 0; k < curves[i].count; k++) high = fmax(high, curves[i].y[k]);
    }
    const curve *c = &curves[0];
    double low_x = c->x[0], high_x = c->x[c->count - 1];
    base_text note = {0};
    base_text_add(&note, "Measured: %s, %.10s, commit %s.\nkz microbench %s", list->device, list->time,
                  list->commit, bench_micro_group_name(f->group));
    report_figure_plot plot = {
        .text = {f->title, note.data},
        .x = {f->x, f->log_x ? low_x / 1.2 : low_x, f->log_x ? high_x * 1.2 : high_x, f->log_x, x_ticks,
              ticks_for(high_x, f->log_x, low_x, x_ticks), f->unit},
        .y = {f->y, 0, high * 1.05, false, y_ticks, ticks_for(high, false, 0, y_ticks), NULL},
        .series_count = series};
    for (size_t i = 0; i < series; i++)
        plot.series[i] = (report_figure_series){matrix ? names[i] : bench_micro_group_name(f->group),
                                                curves[i].x, curves[i].y, curves[i].count, true};
    report_figure_plot_write(out, &plot);
    base_text_free(&note);
    return !out->failed;
}

kz_status microbench_write_figures(const bench_micro_list *list, const char *folder, kz_error *error) {
    kz_status status = base_make_folders(folder, error);
    for (int i = 0; i < MICROBENCH_FIGURES && !status; i++) {
        base_text svg = {0}, path = {0};
        base_text_add(&path, "%s/%s.svg", folder, figures[i].name);
        if (microbench_figure(&svg, list, i))
            status = base_file_write(path.data, svg.data, svg.length, error);
        base_text_free(&svg);
        base_text_free(&path);
    }
    return status;
}

// ---- the page -----------------------------------------------------------------------------------

void microbench_write_page(base_text *out, const bench_micro_list *list, const char *folder) {
    base_text_add(out,
                  "## %s\n\nMeasured %.10s, commit %s, driver %s: medians; `+-` is half of the middle half "
                  "of the samples. "
                  "`kz microbench`\nmade the records in `results/%s/microbench.jsonl`, `kz microbench "
                  "results` this section.\n",
                  list->device, list->time, list->commit, list->driver[0] ? list->driver : "unknown",
                  list->gpu);
    for (size_t first = 0, end; first < list->count; first = end) {
        bench_micro_group group = list->items[first].group;
        if (first == 0 || list->items[first - 1].group != group)
            base_text_add(out, "\n### %s\n\n%c%s.\n", bench_micro_group_name(group),
                          toupper((unsigned char)bench_micro_group_about(group)[0]),
                          bench_micro_group_about(group) + 1);
        microbench_shape shape = microbench_run(list, first, &end);
        for (int i = 0; i < MICROBENCH_FIGURES; i++)
            if (figures[i].group == group && shape != MICROBENCH_ROWS)
                base_text_add(out, "\n![%s](%s/%s.svg)\n", figures[i].title, folder, figures[i].name);
        switch (shape) {
        case MICROBENCH_ROWS: write_rows(out, list, first, end); break;
        case MICROBENCH_CURVE: write_curve(out, list, first, end); break;
        case MICROBENCH_MATRIX: write_matrix(out, list, first, end); break;
        }
    }
}

typedef struct update {
    bool check;
    size_t stale, written;
} update;

static kz_status put(update *u, const char *path, const base_text *after, kz_error *error) {
    char *before = NULL;
    size_t size;
    if (after->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    if (base_file_exists(path)) base_file_read(path, &before, &size, NULL);
    bool current = before && strcmp(before, after->data) == 0;
    free(before);
    if (current) return KZ_OK;
    if (u->check) {
        fprintf(stderr, "kz: %s is stale against results/\n", path);
        u->stale++;
        return KZ_OK;
    }
    u->written++;
    printf("%s\n", path);
    return base_file_write(path, after->data, after->length, error);
}

// One GPU: its figures, and its section at the end of `section`.
static kz_status update_gpu(update *u, const char *file, base_text *section, kz_error *error) {
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
    if (!status && !u->check) status = base_make_folders(folder, error);
    for (int i = 0; i < MICROBENCH_FIGURES && !status; i++) {
        base_text svg = {0}, path = {0};
        base_text_add(&path, "%s/%s.svg", folder, figures[i].name);
        if (microbench_figure(&svg, &list, i)) status = put(u, path.data, &svg, error);
        base_text_free(&svg);
        base_text_free(&path);
    }
    if (!status) {
        if (section->length) base_text_add(section, "\n");
        microbench_write_page(section, &list, folder + strlen("docs/"));
    }
    bench_micro_list_free(&list);
    free(text);
    return status;
}

static kz_status update_page(update *u, const base_text *section, kz_error *error) {
    char *text = NULL;
    size_t size;
    base_text whole = {0};
    kz_status status = base_file_read(PAGE, &text, &size, error);
    if (status) return status;
    char *begin = strstr(text, BEGIN_MARK), *end = begin ? strstr(begin, END_MARK) : NULL;
    if (end) {
        base_text_add_bytes(&whole, text, (size_t)(begin - text));
        base_text_add(&whole, "%s\n%s%s", BEGIN_MARK, section->data, end);
        status = put(u, PAGE, &whole, error);
    } else {
        status = base_fail(error, KZ_INVALID, "%s has no place for results", PAGE);
        base_fail_note(error, "it is between the lines %s and %s", BEGIN_MARK, END_MARK);
    }
    base_text_free(&whole);
    free(text);
    return status;
}

int microbench_results(bool check) {
    update u = {.check = check};
    base_text section = {0};
    glob_t found = {0};
    kz_error error = {0};
    kz_status status = KZ_OK;
    glob("results/*/microbench.jsonl", 0, NULL, &found);
    if (!found.gl_pathc) {
        status = base_fail(&error, KZ_NOT_FOUND, "there is no results/*/microbench.jsonl here");
        base_fail_note(&error, "likely cause: this is not the folder of the sources");
    }
    for (size_t i = 0; i < found.gl_pathc && !status; i++)
        status = update_gpu(&u, found.gl_pathv[i], &section, &error);
    if (!status) status = update_page(&u, &section, &error);
    if (!status && u.stale) {
        status = base_fail(&error, KZ_WRONG, "%zu file%s stale", u.stale, u.stale > 1 ? "s are" : " is");
        base_fail_note(&error, "kz microbench results, in the sources' folder, brings them up to date");
    }
    if (!status) printf("%zu file%s changed\n", u.written, u.written == 1 ? "" : "s");
    globfree(&found);
    base_text_free(&section);
    return status ? cli_fail(&error) : CLI_OK;
}

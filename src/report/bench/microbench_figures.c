// The curves of microbenchmarks. See microbench.h.
#include <math.h>
#include <string.h>

#include "report/bench/microbench.h"
#include "report/figures/figure.h"

enum { POINTS = 64 };

typedef struct figure {
    const char *name;
    bench_micro_group group;
    const char *point, *title, *x, *y, *unit;
    bool log_x;
} figure;

static const figure figures[REPORT_MICROBENCH_FIGURES] = {
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

const char *report_microbench_figure_name(int which) { return figures[which].name; }
const char *report_microbench_figure_title(int which) { return figures[which].title; }
bench_micro_group report_microbench_figure_group(int which) { return figures[which].group; }

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

bool report_microbench_figure(base_text *out, const bench_micro_list *list, int which) {
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
    base_text_add(&note, "Measured: %s, %.10s, commit %s. kz microbench %s", list->device, list->time,
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

kz_status report_microbench_write_figures(const bench_micro_list *list, const char *folder, kz_error *error) {
    kz_status status = base_make_folders(folder, error);
    for (int i = 0; i < REPORT_MICROBENCH_FIGURES && !status; i++) {
        base_text svg = {0}, path = {0};
        base_text_add(&path, "%s/%s.svg", folder, figures[i].name);
        if (report_microbench_figure(&svg, list, i))
            status = base_file_write(path.data, svg.data, svg.length, error);
        base_text_free(&svg);
        base_text_free(&path);
    }
    return status;
}

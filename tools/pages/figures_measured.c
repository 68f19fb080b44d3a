// Figures from the records of real runs (results/README.md). What GPU, day and commit is said under each.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "bench/records.h"
#include "figures.h"
#include "report/figures/figure.h"

// Those that were timed by turns with other processes are no figures of ours alone.
static bool is_of(const json_t *line, const char *case_name) {
    return report_get_bool(line, "figure") && !strcmp(report_get_text(line, "case.name"), case_name) &&
           !*report_get_text(line, "beside");
}

// How many candidates a run timed in the case, besides the peaks.
static size_t count_timed(const report_record *record, const char *case_name, const char *run) {
    size_t i, count = 0;
    json_t *line;
    json_array_foreach(record->lines, i, line) count +=
        is_of(line, case_name) && !strcmp(report_get_text(line, "run.id"), run) &&
        !bench_records_by_peak(report_get_text(line, "candidate.by"));
    return count;
}

// Leaves of the case what the run with most candidates timed, and says how many these are: a ladder is of one run.
static size_t keep_fullest(report_record *record, const char *case_name) {
    size_t i, most = 0;
    json_t *line, *fullest = NULL;
    json_array_foreach(record->lines, i, line) {
        size_t count =
            is_of(line, case_name) ? count_timed(record, case_name, report_get_text(line, "run.id")) : 0;
        if (count > most) most = count, fullest = line;
    }
    for (i = json_array_size(record->lines); fullest && i-- > 0;) {
        line = json_array_get(record->lines, i);
        if (is_of(line, case_name) &&
            strcmp(report_get_text(line, "run.id"), report_get_text(fullest, "run.id")) != 0)
            json_array_remove(record->lines, i);
    }
    return most;
}

// Of a family's files the one whose fullest run has most candidates in the case; of such the last by name, which begins with
// the date.
static kz_status read_results(const char *folder, const char *family, const char *case_name,
                              report_record *record, kz_error *error) {
    char wanted[80], chosen[256] = "", path[1400];
    size_t most = 0;
    kz_status status = KZ_OK;
    snprintf(wanted, sizeof wanted, "-%s.jsonl", family);
    DIR *dir = opendir(folder);
    for (struct dirent *e; !status && dir && (e = readdir(dir));) {
        size_t length = strlen(e->d_name), tail = strlen(wanted);
        if (length <= tail || strcmp(e->d_name + length - tail, wanted) != 0) continue;
        report_record here = {0};
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        status = bench_records_read(path, &here.lines, NULL, error);
        size_t count = status ? 0 : keep_fullest(&here, case_name);
        if (count > most || (count == most && count && strcmp(e->d_name, chosen) > 0)) {
            report_record other = *record;
            *record = here;
            here = other;
            most = count;
            snprintf(chosen, sizeof chosen, "%s", e->d_name);
        }
        report_record_free(&here);
    }
    if (dir) closedir(dir);
    if (status || chosen[0]) return status;
    base_fail(error, KZ_NOT_FOUND, "no records of %s %s in %s", family, case_name, folder);
    base_fail_note(error, "likely cause: this is not the folder of the sources");
    return KZ_NOT_FOUND;
}

// The line whose median counts; NULL where there is none.
// Older records have another word for a peak.
static bool same_provider(const char *a, const char *b) {
    return strcmp(a, b) == 0 || (bench_records_by_peak(a) && bench_records_by_peak(b));
}

static const json_t *find_result(const report_record *record, const char *case_name, const char *by,
                                 const char *name) {
    size_t i;
    json_t *line;
    json_array_foreach(record->lines, i, line) {
        if (report_get_bool(line, "figure") && !strcmp(report_get_text(line, "case.name"), case_name) &&
            same_provider(report_get_text(line, "candidate.by"), by) &&
            !strcmp(report_get_text(line, "candidate.name"), name))
            return line;
    }
    return NULL;
}

// "Measured: NVIDIA H200, 2026-11-15, commit c372df6, results/h200."
static void write_source(base_text *out, const report_record *record, const char *before, const char *after) {
    const json_t *line = json_array_get(record->lines, 0);
    base_text_add(out, "%s%s, %.10s, commit %s, results/h200.%s", before,
                  report_get_text(line, "device.name"), report_get_text(line, "run.time"),
                  report_get_text(line, "code.commit"), after);
}

// ---- ladders ----------------------------------------------------------------------------------------

enum { STEPS = 16 };

typedef struct ladder {
    const char *family, *case_name, *peak, *title, *note;
} ladder;

// All variants of the zoo in the order of the file, which is the family's journey.
static size_t collect_bars(const report_record *record, const char *case_name, report_figure_bar bars[STEPS],
                           char values[STEPS][48]) {
    size_t i, count = 0;
    json_t *line;
    json_array_foreach(record->lines, i, line) {
        const char *name = report_get_text(line, "candidate.name");
        if (count == STEPS || find_result(record, case_name, "kz", name) != line) continue;
        double rate = report_get_number(line, "derived.bytes_per_s", 0);
        bool settled = !strcmp(report_get_text(line, "status"), "ok");
        snprintf(values[count], sizeof values[count], rate < 1e12 ? "%.0f GB/s%s" : "%.2f TB/s%s",
                 rate < 1e12 ? 1e-9 * rate : 1e-12 * rate, settled ? "" : " (not converged)");
        const char *shown = bench_current_name(report_get_text(line, "case.family"), name);
        bars[count] = (report_figure_bar){shown, values[count], rate, 0};
        count++;
    }
    return count;
}

static kz_status write_ladder(figure_lab *lab, const ladder *l, base_text *svg, kz_error *error) {
    report_record record = {0};
    report_figure_bar bars[STEPS];
    char values[STEPS][48], mark[64];
    base_text note = {0};
    kz_status status = read_results(lab->results, l->family, l->case_name, &record, error);
    if (status) return status;
    size_t count = collect_bars(&record, l->case_name, bars, values);
    const json_t *peak = find_result(&record, l->case_name, "peak", l->peak);
    if (count && peak) {
        double rate = report_get_number(peak, "derived.bytes_per_s", 0), most = rate;
        for (size_t i = 0; i < count; i++) most = bars[i].length > most ? bars[i].length : most;
        snprintf(mark, sizeof mark, "%s: %.2f TB/s", l->peak, 1e-12 * rate);
        write_source(&note, &record, "Measured: ", l->note);
        report_figure_bars_write(svg, &(report_figure_bars){.text = {l->title, note.data},
                                                            .bars = bars,
                                                            .count = count,
                                                            .full = most,
                                                            .mark = rate,
                                                            .mark_name = mark});
    } else
        status = base_fail(error, KZ_NOT_FOUND, "the records of %s have no case %s", l->family, l->case_name);
    base_text_free(&note);
    report_record_free(&record);
    return status;
}

static const ladder transpose_ladder = {
    .family = "transpose",
    .case_name = "transpose-f32-rows16384-columns16384-uniform",
    .peak = "copy by a kernel",
    .title = "Transpose of 16384 x 16384 floats: bytes read and written per second",
    .note = " Median of cold launches; the line is what a plain copy reached in the same run. pages "
            "write figures "
            "transpose_ladder",
};
kz_status figure_transpose_ladder(figure_lab *lab, base_text *svg, kz_error *error) {
    return write_ladder(lab, &transpose_ladder, svg, error);
}

static const ladder reduce_ladder = {
    .family = "reduce",
    .case_name = "sum-f32-n268435456-uniform",
    .peak = "read",
    .title = "Sum of 2^28 floats: bytes read per second",
    .note = " Median of cold launches; the line is what reading alone reached in the same run.",
};
kz_status figure_reduce_ladder(figure_lab *lab, base_text *svg, kz_error *error) {
    return write_ladder(lab, &reduce_ladder, svg, error);
}

// ---- time against size ------------------------------------------------------------------------------

enum { SIZES = 6, SERIES = 3 };
static const char *const sizes[SIZES] = {"65536", "1048576", "4194304", "16777216", "67108864", "268435456"};

static const char *name_size(char name[64], int index) {
    snprintf(name, 64, "sum-f32-n%s-uniform", sizes[index]);
    return name;
}

bool figure_draws(const char *family, const char *case_name) {
    char name[64];
    if (!strcmp(family, transpose_ladder.family)) return !strcmp(case_name, transpose_ladder.case_name);
    if (strcmp(family, reduce_ladder.family) != 0) return false;
    for (int i = 0; i < SIZES; i++)
        if (!strcmp(case_name, name_size(name, i))) return true;
    return !strcmp(case_name, reduce_ladder.case_name);
}

kz_status figure_reduce_sizes(figure_lab *lab, base_text *svg, kz_error *error) {
    static const char *const names[SERIES][2] = {
        {"kz", "03_sequential_tree"}, {"kz", "06_vector"}, {"peak", "read"}};
    static const double y_ticks[] = {1e-6, 1e-5, 1e-4, 1e-3};
    static const double x_ticks[] = {65536 * 4.0,    1048576 * 4.0,  4194304 * 4.0,
                                     16777216 * 4.0, 67108864 * 4.0, 268435456 * 4.0};
    double x[SIZES], y[SERIES][SIZES];
    report_record record = {0};
    base_text note = {0};
    kz_status status =
        read_results(lab->results, reduce_ladder.family, reduce_ladder.case_name, &record, error);
    for (int s = 0; s < SERIES; s++)
        for (int i = 0; i < SIZES && !status; i++) {
            char case_name[64];
            const json_t *line = find_result(&record, name_size(case_name, i), names[s][0], names[s][1]);
            if (!line)
                status = base_fail(error, KZ_NOT_FOUND, "the records of reduce have no %s of %s", names[s][1],
                                   case_name);
            x[i] = 4 * atof(sizes[i]);
            y[s][i] = report_get_number(line, "statistics.median_s", 0);
        }
    if (!status) {
        write_source(&note, &record, "Measured: ", " Medians; below 10 us from graphs of many launches.");
        report_figure_plot_write(
            svg, &(report_figure_plot){
                     .text = {"A sum against its size: small ones take what a launch takes", note.data},
                     .x = {"bytes read", x[0] / 1.3, x[SIZES - 1] * 1.3, true, x_ticks, SIZES, "B"},
                     .y = {"time", 1e-6, 3e-3, true, y_ticks, BASE_COUNT(y_ticks), "s"},
                     .series = {{names[0][1], x, y[0], SIZES, true},
                                {names[1][1], x, y[1], SIZES, true},
                                {"reading alone", x, y[2], SIZES, true}},
                     .series_count = SERIES});
    }
    base_text_free(&note);
    report_record_free(&record);
    return status;
}

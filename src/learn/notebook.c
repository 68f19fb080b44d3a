// The lab notebook: today's page, filled with what was run today, and pages for insights and
// microbenchmarks. What the learner writes is never touched.
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/records.h"
#include "learn/learner.h"
#include "learn/notebook.h"
#include "learn/notebook_page.h"
#include "report/learner/learner.h"

enum { TIMED_ROWS = 8, JOURNALS = 20 };

// ---- graded today ---------------------------------------------------------------------------------------

static bool is_today(int64_t time, const char *today) {
    char day[STORE_DAY];
    store_day_of(time, day);
    return strcmp(day, today) == 0;
}

static void add_clock(base_text *out, int64_t time) {
    time_t seconds = (time_t)time;
    struct tm local = {0};
    char text[8] = "";
    localtime_r(&seconds, &local);
    strftime(text, sizeof text, "%H:%M", &local);
    base_text_add(out, "%s", text);
}

// One line for a task, at its last attempt of today: all of them together.
static void add_task(base_text *out, const store_attempt *list, size_t count, size_t at, const char *today) {
    const store_attempt *last = &list[at];
    size_t attempts = 0, passed = 0;
    const store_attempt *figure = NULL;
    for (size_t i = 0; i <= at; i++) {
        if (strcmp(list[i].task, last->task) != 0 || !is_today(list[i].time, today)) continue;
        attempts++;
        passed += list[i].passed;
        if (list[i].passed && list[i].figure[0] && !isnan(list[i].value)) figure = &list[i];
    }
    base_text_add(out, "- ");
    add_clock(out, last->time);
    base_text_add(out, " `%s`: %s, %zu attempt%s on %s", last->task, passed ? "passed" : "not passed yet",
                  attempts, attempts == 1 ? "" : "s", last->device[0] ? last->device : "this machine");
    if (!passed && last->reason[0])
        base_text_add(out, "; last failed by %s%s%s", last->reason, last->detail[0] ? " " : "", last->detail);
    if (figure) {
        char how[80], value[REPORT_NUMBER];
        base_text_add(out, "; %s = %s, %s", figure->figure, report_figure(value, figure->value),
                      report_how_measured(figure->figure, figure->device, how, sizeof how));
    }
    base_text_add(out, "\n");
}

static kz_status add_attempts(store *progress, const char *today, base_text *out, kz_error *error) {
    store_attempt *list = NULL;
    size_t count, lines = 0;
    kz_status status = store_list_attempts(progress, NULL, 0, &list, &count, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++) {
        bool last = is_today(list[i].time, today);
        for (size_t j = i + 1; last && j < count; j++)
            last = strcmp(list[j].task, list[i].task) != 0 || !is_today(list[j].time, today);
        if (!last) continue;
        if (!lines++) base_text_add(out, "\n### Graded\n\n");
        add_task(out, list, count, i, today);
    }
    free(list);
    return KZ_OK;
}

static kz_status add_katas(store *progress, const char *today, base_text *out, kz_error *error) {
    char given[2048];
    kz_status status = store_get(progress, "kata", given, sizeof given, error);
    if (status || strncmp(given, today, STORE_DAY - 1) != 0) return status;
    base_text_add(out, "\n### Katas\n\n");
    char *rest = given + STORE_DAY - 1;
    for (char *id; (id = strsep(&rest, " "));) {
        store_task known;
        if (!*id) continue;
        status = store_get_task(progress, id, &known, error);
        if (status) return status;
        bool tried = known.last_time && is_today(known.last_time, today);
        base_text_add(out, "- `%s`: %s\n", id, tried ? "tried today, see above" : "given, not graded yet");
    }
    return KZ_OK;
}

// ---- journals of kz check, bench and tune ---------------------------------------------------------------

typedef struct journal {
    char name[64], verb[16];
    int64_t time;
} journal;

// "bench-20261115T040333Z-31432.jsonl"
static bool parse_name(const char *name, journal *j) {
    struct tm utc = {0};
    int n = 0;
    if (sscanf(name, "%15[a-z]-%4d%2d%2dT%2d%2d%2dZ-%*d.jsonl%n", j->verb, &utc.tm_year, &utc.tm_mon,
               &utc.tm_mday, &utc.tm_hour, &utc.tm_min, &utc.tm_sec, &n) != 7 ||
        !n || name[n] || (size_t)n >= sizeof j->name)
        return false;
    utc.tm_year -= 1900;
    utc.tm_mon--;
    j->time = (int64_t)timegm(&utc);
    memcpy(j->name, name, (size_t)n + 1);
    return true;
}

static int compare_journals(const void *a, const void *b) {
    const journal *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time ? 1 : -1) : strcmp(x->name, y->name);
}

// Those of today, oldest first; malloc'ed.
static journal *find_journals(const char *folder, const char *today, size_t *count) {
    journal *list = NULL;
    DIR *d = opendir(folder);
    *count = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        journal j, *more;
        if (!parse_name(e->d_name, &j) || !is_today(j.time, today)) continue;
        more = realloc(list, (*count + 1) * sizeof *list);
        if (!more) break;
        list = more;
        list[(*count)++] = j;
    }
    if (d) closedir(d);
    if (list) qsort(list, *count, sizeof *list, compare_journals);
    return list;
}

static const char *string_at(const json_t *object, const char *a, const char *b) {
    const json_t *value = json_object_get(object, a);
    if (b) value = json_object_get(value, b);
    return json_is_string(value) ? json_string_value(value) : "";
}

// A timed figure: candidate, case, device, median, rate.
static void add_timed(base_text *out, const json_t *row) {
    double median = json_number_value(json_object_get(json_object_get(row, "statistics"), "median_s"));
    double rate = json_number_value(json_object_get(json_object_get(row, "derived"), "bytes_per_s"));
    char time[REPORT_NUMBER], bytes[REPORT_NUMBER];
    base_text_add(out, "  - %s/%s, %s, on %s: %s", string_at(row, "case", "family"),
                  string_at(row, "candidate", "name"), string_at(row, "case", "name"),
                  string_at(row, "device", "name"), report_seconds(time, median));
    if (rate > 0) base_text_add(out, ", %s", report_si(bytes, rate, "B/s"));
    if (strcmp(string_at(row, "status", NULL), "ok") != 0)
        base_text_add(out, " (%s)", string_at(row, "status", NULL));
    base_text_add(out, "\n");
}

// What the lines of a journal come to. A line that is no JSON (a run that was killed) is passed over.
typedef struct tally {
    size_t passed, wrong, timed, lines;
    base_text families, rows;
} tally;

static void tally_line(tally *t, const json_t *row) {
    const char *outcome = string_at(row, "outcome", NULL), *family = string_at(row, "family", NULL);
    if (!*family) family = string_at(row, "case", "family");
    t->lines++;
    if (*family && !(t->families.data && strstr(t->families.data, family)))
        base_text_add(&t->families, "%s%s", t->families.length ? ", " : "", family);
    t->passed += strcmp(outcome, "passed") == 0;
    t->wrong +=
        strcmp(outcome, "wrong") == 0 || strcmp(outcome, "faulted") == 0 || strcmp(outcome, "failed") == 0;
    if (bench_records_by_peak(string_at(row, "candidate", "by"))) return; // measured beside, to compare with
    if (json_is_true(json_object_get(row, "figure")) && json_is_object(json_object_get(row, "statistics")) &&
        t->timed++ < TIMED_ROWS)
        add_timed(&t->rows, row);
}

static void add_journal(base_text *out, const char *folder, const journal *j) {
    base_text path = {0};
    char *text = NULL;
    size_t size;
    tally t = {0};
    base_text_add(&path, "%s/%s", folder, j->name);
    if (path.data && base_file_read(path.data, &text, &size, NULL) == KZ_OK) {
        char *rest = text;
        for (char *line; (line = strsep(&rest, "\n"));) {
            json_t *row = *line ? json_loads(line, 0, NULL) : NULL;
            if (json_is_object(row)) tally_line(&t, row);
            json_decref(row);
        }
    }
    base_text_add(out, "- ");
    add_clock(out, j->time);
    base_text_add(out, " `kz %s%s%s`", j->verb, t.families.data ? " " : "",
                  t.families.data ? t.families.data : "");
    if (t.passed + t.wrong)
        base_text_add(out, ": %zu checks, %zu of them passed", t.passed + t.wrong, t.passed);
    if (t.timed) base_text_add(out, "%s %zu timed", t.passed + t.wrong ? "," : ":", t.timed);
    base_text_add(out, " (%s)\n%s", path.data ? path.data : j->name, t.rows.data ? t.rows.data : "");
    if (t.timed > TIMED_ROWS) base_text_add(out, "  - and %zu more\n", t.timed - TIMED_ROWS);
    free(text);
    base_text_free(&path);
    base_text_free(&t.families);
    base_text_free(&t.rows);
}

static void add_journals(const char *today, base_text *out) {
    base_text folder = {0};
    size_t count = 0;
    report_results_folder(&folder);
    journal *list = folder.data ? find_journals(folder.data, today, &count) : NULL;
    size_t first = count > JOURNALS ? count - JOURNALS : 0; // the latest
    if (count) base_text_add(out, "\n### Measured and checked\n\n");
    if (first) base_text_add(out, "- and %zu before, in %s\n", first, folder.data);
    for (size_t i = first; i < count; i++) add_journal(out, folder.data, &list[i]);
    free(list);
    base_text_free(&folder);
}

// ---- pages ----------------------------------------------------------------------------------------------

static kz_status write_today(const char *folder, const char *today, store *progress, base_text *path,
                             kz_error *error) {
    base_text section = {0}, page = {0};
    char *old = NULL;
    size_t size = 0, begun;
    base_text_add(&section, "## Run today\n");
    begun = section.length;
    kz_status status = add_attempts(progress, today, &section, error);
    if (!status) status = add_katas(progress, today, &section, error);
    if (!status) add_journals(today, &section);
    if (section.length == begun)
        base_text_add(&section,
                      "\nNothing yet: kz learn, kz kata, kz bench. Call kz notebook again afterwards.\n");
    base_text_add(path, "%s/daily/%s.md", folder, today);
    if (!status && (path->failed || section.failed))
        status = base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    if (!status && base_file_exists(path->data)) status = base_file_read(path->data, &old, &size, error);
    if (!status && old && strlen(old) != size) {
        status = base_fail(error, KZ_SYNTAX, "%s is no text: it holds a zero byte", path->data);
        base_fail_note(error, "it was left as it is; move it away, and kz notebook begins a new page");
    }
    if (!status) {
        learn_notebook_merge(old, today, section.data, &page);
        if (page.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    }
    if (!status && !(old && strcmp(old, page.data) == 0))
        status = base_file_write(path->data, page.data, page.length, error);
    free(old);
    base_text_free(&section);
    base_text_free(&page);
    return status;
}

// A page of its own; one that is there stays as it is.
static kz_status write_template(const char *folder, const char *kind, const char *title, const char *today,
                                base_text *path, kz_error *error) {
    char slug[80];
    if (!learn_notebook_slug(title, slug, sizeof slug)) {
        base_fail(error, KZ_INVALID, "\"%s\" gives no name for a file: it has neither letters nor digits",
                  title);
        base_fail_note(error, "try: kz notebook %s \"%s\"", kind,
                       strcmp(kind, "insight") == 0 ? "Padding removes bank conflicts"
                                                    : "shared memory latency");
        return KZ_INVALID;
    }
    base_text page = {0};
    bool insight = strcmp(kind, "insight") == 0;
    if (insight) {
        base_text_add(path, "%s/insights/%s-%s.md", folder, today, slug);
        learn_notebook_insight(title, today, &page);
    } else {
        kz_device_info best = {.size = sizeof best};
        size_t count = 0;
        kz_device_list(&best, 1, &count, NULL);
        base_text_add(path, "%s/microbench/%s.md", folder, slug);
        learn_notebook_microbench(title, today, count && best.name[0] ? best.name : "this machine", &page);
    }
    kz_status status = KZ_OK;
    if (path->failed || page.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    if (!status && !base_file_exists(path->data))
        status = base_file_write(path->data, page.data, page.length, error);
    base_text_free(&page);
    return status;
}

static kz_status make_folders(const char *folder, kz_error *error) {
    static const char *const names[] = {"daily", "microbench", "insights"};
    kz_status status = KZ_OK;
    for (size_t i = 0; !status && i < BASE_COUNT(names); i++) {
        base_text path = {0};
        base_text_add(&path, "%s/%s", folder, names[i]);
        status = path.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for a path")
                             : base_make_folders(path.data, error);
        base_text_free(&path);
    }
    return status;
}

kz_status learn_notebook_write(const char *kind, const char *title, base_text *path, kz_error *error) {
    char folder[LEARN_PATH], aside[LEARN_PATH], today[STORE_DAY];
    base_text notebook = {0};
    store *progress = NULL;
    store_today(today);
    kz_status status = learn_open_progress(folder, &progress, aside, error);
    if (!status) {
        learn_print_set_aside(aside);
        base_text_add(&notebook, "%s/notebook", folder);
        status = notebook.failed ? base_fail(error, KZ_NO_MEMORY, "no memory")
                                 : make_folders(notebook.data, error);
    }
    if (!status)
        status = kind ? write_template(notebook.data, kind, title, today, path, error)
                      : write_today(notebook.data, today, progress, path, error);
    store_close(progress);
    base_text_free(&notebook);
    return status;
}

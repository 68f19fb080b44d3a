// Progress as a terminal shows it, and as JSON.
#include "report/learner/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 24, LEAST_BAR = 8, MOST_WEEKS = 26, WEEK = 7, BESTS = 12, NARROW = 64 };

const char *report_figure(char text[REPORT_NUMBER], double value) {
    if (fabs(value) >= 1e7) return report_si(text, value, "");
    snprintf(text, REPORT_NUMBER, fabs(value) >= 1000 ? "%.0f" : "%.4g", value);
    return text;
}

bool report_is_timed(const char *figure) {
    return strncmp(figure, "of_", 3) == 0 || strncmp(figure, "ratio_to_", 9) == 0 ||
           strcmp(figure, "seconds") == 0;
}

static bool is_simulated(const char *device) { return strncmp(device, "sim", 3) == 0; }

const char *report_how_measured(const char *figure, const char *device, char *text, size_t size) {
    if (report_is_timed(figure))
        snprintf(text, size, "timed on %s", *device ? device : "this machine");
    else if (strncmp(device, "cpu", 3) == 0)
        snprintf(text, size, "counted by cachegrind");
    else
        snprintf(text, size,
                 is_simulated(device) ? "counted by the simulator (%s)" : "counted by the simulator", device);
    return text;
}

// ---- bars -----------------------------------------------------------------------------------------------

static int bar_width(const report_style *style) {
    int width = style->width - 46; // titles and counts come first
    return width > BAR ? BAR : width < LEAST_BAR ? LEAST_BAR : width;
}

static void add_bar(report_table *table, const report_style *style, size_t done, size_t total) {
    int width = bar_width(style);
    // Full only where all is done, and begun as soon as one is.
    int full = total ? (int)(done * (size_t)width / total) : 0;
    if (done > 0 && full == 0) full = 1;
    base_text bar = {0};
    for (int i = 0; i < width; i++)
        base_text_add(&bar, "%s", style->utf8 ? (i < full ? "█" : "░") : i < full ? "#" : ".");
    report_table_add(table, total && done == total ? REPORT_GOOD : REPORT_PLAIN, "%s",
                     bar.data ? bar.data : "");
    base_text_free(&bar);
}

static void print_heading(FILE *file, const report_style *style, const char *title) {
    fputc('\n', file);
    report_print(file, style, REPORT_BOLD, "%s", title);
    fputc('\n', file);
}

static void print_shares(FILE *file, const report_style *style, const char *title, const report_share *shares,
                         size_t count) {
    static const report_column columns[] = {{.title = "", .least = 1},
                                            {.title = "", .shrink = true, .least = 34},
                                            {.title = ""},
                                            {.title = "", .right = true}};
    report_table *table = count ? report_table_open(columns, BASE_COUNT(columns)) : NULL;
    if (!table) return;
    for (size_t i = 0; i < count; i++) {
        report_table_add(table, REPORT_PLAIN, "%s", "");
        report_table_add(table, REPORT_PLAIN, "%s", shares[i].title);
        add_bar(table, style, shares[i].done, shares[i].total);
        report_table_add(table, REPORT_PLAIN, "%zu/%zu", shares[i].done, shares[i].total);
    }
    print_heading(file, style, title);
    report_table_print(table, file, style, false);
    report_table_close(table);
}

// ---- the path -------------------------------------------------------------------------------------------

static const char *stage_mark(const report_stage *s, bool utf8) {
    if (s->gate == REPORT_GATE_PASSED || (!s->gate && s->done == s->total)) return utf8 ? "✓" : "+";
    if (s->gate == REPORT_GATE_WAITING) return utf8 ? "…" : "~";
    if (s->gate) return utf8 ? "◇" : "o";
    return s->here ? (utf8 ? "→" : ">") : utf8 ? "·" : ".";
}

static void print_path(FILE *file, const report_style *style, const report_learner *l) {
    static const char *const states[] = {[REPORT_GATE_OPEN] = "gate: open",
                                         [REPORT_GATE_PASSED] = "gate: passed",
                                         [REPORT_GATE_WAITING] = "gate: waiting"};
    static const report_column columns[] = {{.title = "", .least = 1},
                                            {.title = "", .least = 1},
                                            {.title = "", .shrink = true, .least = 24},
                                            {.title = ""},
                                            {.title = "", .shrink = true}};
    print_heading(file, style, "Path");
    if (!l->path) {
        fprintf(file, "   the whole course in its order;\n   kz learn paths lists paths through it\n");
        return;
    }
    fprintf(file, "   %s\n", l->path);
    bool notes = style->width >= NARROW;
    report_table *table = report_table_open(columns, BASE_COUNT(columns) - !notes);
    if (!table) return;
    for (size_t i = 0; i < l->stage_count; i++) {
        const report_stage *s = &l->stages[i];
        bool passed = s->gate == REPORT_GATE_PASSED || (!s->gate && s->done == s->total);
        report_tone tone = passed ? REPORT_GOOD : s->here ? REPORT_BOLD : s->gate ? REPORT_WARN : REPORT_DIM;
        report_table_add(table, REPORT_PLAIN, "%s", "");
        report_table_add(table, tone, "%s", stage_mark(s, style->utf8));
        report_table_add(table, s->here ? REPORT_BOLD : REPORT_PLAIN, "%s", s->title);
        if (s->gate)
            report_table_add(table, tone, "%s", states[s->gate]);
        else
            report_table_add(table, REPORT_PLAIN, "%zu/%zu", s->done, s->total);
        if (notes) report_table_add(table, REPORT_DIM, "%s", s->note);
    }
    report_table_print(table, file, style, false);
    report_table_close(table);
}

// ---- days -----------------------------------------------------------------------------------------------

// Monday is 0: the first of January 1970 was a Thursday.
static int64_t weekday(int64_t day) { return ((day + 3) % WEEK + WEEK) % WEEK; }

static uint64_t attempts_on(const report_learner *l, int64_t number) {
    char day[STORE_DAY];
    store_day_from(number, day);
    for (size_t i = l->day_count; i-- > 0;)
        if (strcmp(l->days[i].day, day) == 0) return l->days[i].attempts;
    return 0;
}

static void print_calendar(FILE *file, const report_style *style, const report_learner *l) {
    static const char *const names[WEEK] = {"Mon", "", "Wed", "", "Fri", "", "Sun"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    static const char *const shades[] = {"·", "░", "▒", "▓", "█"}, *const plain[] = {".", "-", "+", "*", "#"};
    int64_t today, weeks = (style->width - 8) / 2;
    if (weeks > MOST_WEEKS) weeks = MOST_WEEKS;
    if (!l->day_count || !store_day_number(l->today, &today)) return;
    int64_t first = today - weekday(today) - WEEK * (weeks - 1);
    print_heading(file, style, "Days");
    fprintf(file, "   %d in a row, %zu in all, %llu attempts\n       ", l->streak, l->day_count,
            (unsigned long long)l->attempts);
    int last_month = 0, taken = 0;
    for (int64_t w = 0; w < weeks; w++) {
        char day[STORE_DAY];
        store_day_from(first + WEEK * w, day);
        int month = atoi(day + 5);
        store_day_from(first + WEEK * (w + 1), day);
        // A name takes two weeks: a month that ends with its first here has no room for it.
        bool shown = month != last_month && taken <= 0 && w + 1 < weeks && atoi(day + 5) == month;
        if (shown)
            fprintf(file, "%-4s", months[month - 1]), taken = 1;
        else if (taken > 0)
            taken--;
        else
            fputs("  ", file);
        last_month = month;
    }
    fputc('\n', file);
    for (int64_t d = 0; d < WEEK; d++) {
        fprintf(file, "   %-3s ", names[d]);
        for (int64_t w = 0; w < weeks && first + WEEK * w + d <= today; w++) {
            uint64_t n = attempts_on(l, first + WEEK * w + d);
            int shade = n == 0 ? 0 : n < 3 ? 1 : n < 6 ? 2 : n < 12 ? 3 : 4;
            report_print(file, style, n ? REPORT_GOOD : REPORT_DIM, "%s%s", w ? " " : "",
                         style->utf8 ? shades[shade] : plain[shade]);
        }
        fputc('\n', file);
    }
}

// ---- figures, next --------------------------------------------------------------------------------------

// Beside figures in a table there is no room for whole sentences.
static const char *how_in_short(const report_best *b, char *text, size_t size) {
    bool timed = report_is_timed(b->figure);
    snprintf(text, size, "%s%s%s", timed ? "timed" : "counted", timed || is_simulated(b->device) ? ", " : "",
             timed || is_simulated(b->device) ? b->device : "");
    return text;
}

static void print_bests_narrow(FILE *file, const report_learner *l, size_t shown) {
    char how[60], value[REPORT_NUMBER];
    for (size_t i = 0; i < shown; i++) {
        const report_best *b = &l->bests[i];
        fprintf(file, "   %s\n      %s %s\n      %s\n      %s\n", b->task, report_figure(value, b->value),
                b->figure, how_in_short(b, how, sizeof how), b->day);
    }
}

static void print_bests_table(FILE *file, const report_style *style, const report_learner *l, size_t shown) {
    static const report_column columns[] = {
        {.title = "", .least = 1},       {.title = "task", .shrink = true}, {.title = "best", .right = true},
        {.title = "of", .shrink = true}, {.title = "how", .shrink = true},  {.title = "day"}};
    char how[60], value[REPORT_NUMBER];
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    if (!table) return;
    for (size_t i = 0; i < shown; i++) {
        const report_best *b = &l->bests[i];
        report_table_add(table, REPORT_PLAIN, "%s", "");
        report_table_add(table, REPORT_PLAIN, "%s", b->task);
        report_table_add(table, REPORT_PLAIN, "%s", report_figure(value, b->value));
        report_table_add(table, REPORT_PLAIN, "%s", b->figure);
        report_table_add(table, REPORT_DIM, "%s", how_in_short(b, how, sizeof how));
        report_table_add(table, REPORT_DIM, "%s", b->day);
    }
    report_table_print(table, file, style, true);
    report_table_close(table);
}

static void print_bests(FILE *file, const report_style *style, const report_learner *l) {
    size_t shown = l->best_count < BESTS ? l->best_count : BESTS;
    if (!shown) return;
    print_heading(file, style, "Best figures");
    if (style->width >= NARROW)
        print_bests_table(file, style, l, shown);
    else
        print_bests_narrow(file, l, shown);
    if (l->best_count > shown) fprintf(file, "   %zu more: kz progress --html\n", l->best_count - shown);
}

static void print_next(FILE *file, const report_style *style, const report_learner *l) {
    static const report_column columns[] = {
        {.title = "", .least = 1}, {.title = ""}, {.title = "", .shrink = true}};
    report_table *table = l->next_count ? report_table_open(columns, BASE_COUNT(columns)) : NULL;
    if (!table) return;
    for (size_t i = 0; i < l->next_count; i++) {
        report_table_add(table, REPORT_PLAIN, "%s", "");
        report_table_add(table, i ? REPORT_PLAIN : REPORT_GOOD, "%s", l->next[i].command);
        report_table_add(table, REPORT_PLAIN, "%s", l->next[i].title);
    }
    print_heading(file, style, "Next");
    report_table_print(table, file, style, false);
    report_table_close(table);
}

void report_learner_print(FILE *file, const report_style *style, const report_learner *l) {
    const char *next = style->width < NARROW ? "\n" : ", ";
    report_print(file, style, REPORT_BOLD, "%zu of %zu tasks passed", l->done, l->total);
    if (l->reading_total) fprintf(file, "%s%zu of %zu readings", next, l->readings_done, l->reading_total);
    if (l->kata_total) fprintf(file, ", %zu of %zu katas", l->katas_done, l->kata_total);
    if (l->skipped) fprintf(file, "%s%zu skipped", next, l->skipped);
    fputc('\n', file);
    print_shares(file, style, "Topics", l->topics, l->topic_count);
    print_path(file, style, l);
    print_shares(file, style, "Skills", l->skills, l->skill_count);
    print_calendar(file, style, l);
    print_bests(file, style, l);
    print_next(file, style, l);
}

// ---- JSON -----------------------------------------------------------------------------------------------

static json_t *shares_json(const report_share *shares, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array,
                              json_pack("{s:s, s:I, s:I}", "title", shares[i].title, "done",
                                        (json_int_t)shares[i].done, "total", (json_int_t)shares[i].total));
    return array;
}

static json_t *stages_json(const report_learner *l) {
    static const char *const words[] = {"none", "open", "passed", "waiting"};
    json_t *array = json_array();
    for (size_t i = 0; i < l->stage_count; i++) {
        const report_stage *s = &l->stages[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:I, s:I, s:b, s:s}", "title", s->title, "gate",
                                               words[s->gate], "done", (json_int_t)s->done, "total",
                                               (json_int_t)s->total, "here", s->here, "note", s->note));
    }
    return array;
}

json_t *report_learner_json(const report_learner *l) {
    json_t *days = json_array(), *bests = json_array(), *next = json_array();
    for (size_t i = 0; i < l->day_count; i++)
        json_array_append_new(days, json_pack("{s:s, s:I, s:I}", "day", l->days[i].day, "attempts",
                                              (json_int_t)l->days[i].attempts, "passed",
                                              (json_int_t)l->days[i].passed));
    for (size_t i = 0; i < l->best_count; i++) {
        const report_best *b = &l->bests[i];
        json_array_append_new(bests, json_pack("{s:s, s:s, s:o, s:s, s:s}", "task", b->task, "figure",
                                               b->figure, "value", report_number(b->value), "device",
                                               b->device, "day", b->day));
    }
    for (size_t i = 0; i < l->next_count; i++)
        json_array_append_new(
            next, json_pack("{s:s, s:s}", "title", l->next[i].title, "command", l->next[i].command));
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:i, s:o, s:o, s:s?, s:o, s:o, s:o, s:o}",
                     "today", l->today, "passed", (json_int_t)l->done, "tasks", (json_int_t)l->total,
                     "skipped", (json_int_t)l->skipped, "readings_passed", (json_int_t)l->readings_done,
                     "readings", (json_int_t)l->reading_total, "katas_passed", (json_int_t)l->katas_done,
                     "katas", (json_int_t)l->kata_total, "attempts", (json_int_t)l->attempts, "streak",
                     l->streak, "topics", shares_json(l->topics, l->topic_count), "skills",
                     shares_json(l->skills, l->skill_count), "path", l->path, "stages", stages_json(l),
                     "days", days, "bests", bests, "next", next);
}

// The verdict on a terminal and as JSON.
#include "learn/verdict.h"

#include <math.h>
#include <string.h>

#include "kz/family.h"
#include "report/terminal/markdown.h"

static void print_mark(FILE *file, const report_style *style, course_outcome outcome) {
    static const struct {
        const char *utf8, *ascii;
        report_tone tone;
    } marks[] = {[COURSE_RIGHT] = {"✓", "ok", REPORT_GOOD},
                 [COURSE_BAD] = {"✗", "NO", REPORT_BAD},
                 [COURSE_NOT_DONE] = {"·", "--", REPORT_DIM}};
    report_print(file, style, marks[outcome].tone, "  %s",
                 style->utf8 ? marks[outcome].utf8 : marks[outcome].ascii);
}

// The check that gives the reason is what to mend; what fails beside it is often the same, seen from elsewhere.
enum { REASON_LINES = 40, OTHER_LINES = 7 };

// "next: kz prof FILE": what is to be copied is one line, which the terminal may break and a paste does not.
static bool is_command(const char *line) {
    return strncmp(line, "next: kz ", 9) == 0 || strncmp(line, "read: kz ", 9) == 0;
}

static void print_command(FILE *file, const char *line) {
    base_text clean = {0};
    base_text_add_clean(&clean, line);
    fprintf(file, "%s\n", clean.data ? clean.data : "");
    base_text_free(&clean);
}

// A line of `text`, indented by 6 and its own spaces; what is too long goes on 2 further in.
static void print_line(FILE *file, const report_style *style, const char *text, size_t length) {
    char line[1024];
    size_t spaces = strspn(text, " ");
    if (length >= sizeof line || spaces >= length) spaces = 0;
    fprintf(file, "%*s", 6 + (int)spaces, "");
    if (length < sizeof line && is_command(text + spaces)) {
        snprintf(line, sizeof line, "%.*s", (int)(length - spaces), text + spaces);
        print_command(file, line);
    } else if (length >= sizeof line) {
        fprintf(file, "%.*s\n", (int)length, text);
    } else {
        snprintf(line, sizeof line, "%.*s", (int)(length - spaces), text + spaces);
        report_wrap(file, style, line, 6 + (int)spaces, 8 + (int)spaces);
    }
}

static bool is_advice(const char *line) {
    line += strspn(line, " ");
    return strncmp(line, "likely cause: ", 14) == 0 || strncmp(line, "what to do: ", 12) == 0;
}

// The first `most` lines, and of the first finding also what to make of it, however long its places are.
static void print_indented(FILE *file, const report_style *style, const char *text, int most) {
    size_t left_out = 0;
    bool is_first = true;
    for (const char *line = text; *line; most--) {
        size_t length = strcspn(line, "\n");
        if (!length) is_first = false;
        if (most <= 0 && !(is_first && is_advice(line)))
            left_out++;
        else if (length)
            print_line(file, style, line, length);
        else
            fputc('\n', file);
        line += length + (line[length] == '\n');
    }
    if (left_out)
        fprintf(file, "      ... and %zu more line%s (kz grade --json has %s)\n", left_out,
                left_out == 1 ? "" : "s", left_out == 1 ? "it" : "them all");
}

static void print_check(FILE *file, const report_style *style, const course_check *check, int width,
                        bool is_reason) {
    print_mark(file, style, check->outcome);
    fprintf(file, " %-*s", width, check->name);
    int column = (style->utf8 ? 4 : 5) + width + 2;
    fputs("  ", file);
    report_wrap(file, style, check->summary ? check->summary : "", column, column);
    // Without a place nobody stored there, and the results say so already.
    if (!is_reason && check->reason_detail && strcmp(check->reason_detail, "undefined-output") == 0 &&
        !(check->summary && strstr(check->summary, " at ")))
        print_indented(file, style, "the same, seen from the host: it reads what was never written", 1);
    else if (check->detail && *check->detail)
        print_indented(file, style, check->detail, is_reason ? REASON_LINES : OTHER_LINES);
}

static const course_check *find_reason(const course_verdict *verdict) {
    for (size_t i = 0; i < verdict->check_count; i++)
        if (verdict->checks[i].outcome == COURSE_BAD && verdict->checks[i].reason == verdict->reason)
            return &verdict->checks[i];
    return NULL;
}

static void print_time(FILE *file, const report_style *style, const course_verdict *verdict) {
    bool is_code = verdict->task->kind == COURSE_CUDA;
    if (!is_code || verdict->timed || verdict->reason == COURSE_COMPILE) return; // nothing ran
    for (size_t i = 0; i < verdict->check_count; i++)                            // the row says it already
        if (strcmp(verdict->checks[i].name, "speed") == 0) return;
    bool on_gpu = strncmp(verdict->device, "cuda", 4) == 0;
    report_print(file, style, REPORT_DIM, "  Time was not measured: %s.\n",
                 on_gpu                        ? "it was not asked for"
                 : !verdict->task->speed.given ? "the simulator counts, it does not time"
                                               : "no GPU here; with one, this task also asks for speed");
}

static void print_unguarded(FILE *file, const report_style *style, const course_verdict *verdict) {
    base_text guards = {0}, line = {0};
    if (!verdict->unguarded) return;
    sandbox_guards_name(verdict->unguarded, &guards);
    sandbox_mode mode = SANDBOX_AUTO;
    bool was_asked = !sandbox_mode_asked(&mode, NULL) && mode == SANDBOX_OFF;
    base_text_add(&line, "It ran without a sandbox for: %s%s.", guards.data ? guards.data : "",
                  was_asked ? ", as --sandbox=off or KZ_SANDBOX=off asked"
                            : " (kz doctor says why; --sandbox=require refuses that)");
    fputs("  ", file);
    if (line.data) report_wrap(file, style, line.data, 2, 4);
    base_text_free(&guards);
    base_text_free(&line);
}

static void print_outcome(FILE *file, const report_style *style, const course_verdict *verdict) {
    char seconds[REPORT_NUMBER];
    if (verdict->passed)
        report_print(file, style, REPORT_GOOD, "  Passed");
    else
        report_print(file, style, REPORT_BAD, "  Not yet");
    fprintf(file, "  %s, graded in %s\n", verdict->task->id, report_seconds(seconds, verdict->seconds));
}

void learn_verdict_print(FILE *file, const report_style *style, const course_verdict *verdict) {
    int width = 0;
    for (size_t i = 0; i < verdict->check_count; i++) {
        int length = (int)report_width(verdict->checks[i].name);
        if (length > width) width = length;
    }
    report_print(file, style, REPORT_BOLD, "%s\n", verdict->file);
    char head[512];
    int length = snprintf(head, sizeof head, "task %.100s, on %.100s", verdict->task->id, verdict->device);
    if (verdict->task->kind == COURSE_CUDA || verdict->task->kind == COURSE_C)
        snprintf(head + length, sizeof head - (size_t)length, ", seeds %llu (public) and %llu (fresh)",
                 (unsigned long long)verdict->public_seed, (unsigned long long)verdict->fresh_seed);
    fputs("  ", file);
    report_wrap(file, style, head, 2, 4);
    const course_check *reason = find_reason(verdict);
    for (size_t i = 0; i < verdict->check_count; i++)
        print_check(file, style, &verdict->checks[i], width, reason == &verdict->checks[i] || !reason);
    print_time(file, style, verdict);
    print_unguarded(file, style, verdict);
    print_outcome(file, style, verdict);
}

void learn_verdict_families(FILE *file, const report_style *style, const course_task *task) {
    if (!task->leads_to || !task->leads_to[0]) return;
    fputs("The zoo goes on from here:\n", file);
    for (const char *const *name = task->leads_to; *name; name++) {
        const kz_family *family = kz_family_find(*name);
        if (!family) continue;
        report_print(file, style, REPORT_BOLD, "  kz info %s", *name);
        fprintf(file, "  (kernels/%s/%s)\n", family->group, *name);
    }
}

// ---- JSON -------------------------------------------------------------------------------------

static json_t *check_json(const course_check *check) {
    static const char *const outcomes[] = {
        [COURSE_RIGHT] = "right", [COURSE_BAD] = "bad", [COURSE_NOT_DONE] = "not done"};
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "name", check->name, "outcome",
                     outcomes[check->outcome], "summary", check->summary ? check->summary : "", "detail",
                     check->detail ? check->detail : "", "value", report_number(check->value), "limit",
                     report_number(check->limit));
}

json_t *learn_verdict_json(const course_verdict *verdict) {
    base_text file = {0}; // a path may hold anything, JSON may not
    base_text_add_clean(&file, verdict->file);
    json_t *checks = json_array();
    for (size_t i = 0; i < verdict->check_count; i++)
        json_array_append_new(checks, check_json(&verdict->checks[i]));
    json_t *figure = verdict->figure_name
                         ? json_pack("{s:s, s:o, s:b}", "name", verdict->figure_name, "value",
                                     report_number(verdict->figure), "larger_is_better",
                                     (int)verdict->figure_larger_is_better)
                         : json_null();
    json_t *leads_to = json_array(), *unguarded = json_array();
    for (size_t i = 0; i < SANDBOX_GUARDS; i++)
        if (verdict->unguarded >> i & 1)
            json_array_append_new(unguarded, json_string(sandbox_guards[i].word));
    for (const char *const *name = verdict->task->leads_to; name && *name; name++)
        json_array_append_new(leads_to, json_string(*name));
    json_t *object =
        json_pack("{s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "task",
                  verdict->task->id, "file", file.data ? file.data : "", "passed", (int)verdict->passed,
                  "reason", verdict->passed ? "" : course_reason_name(verdict->reason), "detail",
                  verdict->reason_detail ? verdict->reason_detail : "", "device", verdict->device, "timed",
                  (int)verdict->timed, "public_seed", (json_int_t)verdict->public_seed, "fresh_seed",
                  (json_int_t)verdict->fresh_seed, "figure", figure, "checks", checks, "seconds",
                  report_number(verdict->seconds), "leads_to", leads_to, "unguarded", unguarded);
    base_text_free(&file);
    return object;
}

// Texts may hold what the learner's files and folders are called: anything.
static json_t *clean_text(const char *text) {
    base_text clean = {0};
    if (!text) return json_null();
    base_text_add_clean(&clean, text);
    json_t *value = json_string(clean.data ? clean.data : "");
    base_text_free(&clean);
    return value;
}

json_t *learn_verdict_failure_json(const char *file, const char *task, const kz_error *error,
                                   int exit_status) {
    const char *message = error->message[0] ? error->message : kz_status_text(error->status);
    return json_pack("{s:o, s:o, s:b, s:s, s:o, s:i, s:[]}", "task", clean_text(task), "file",
                     clean_text(file), "passed", 0, "reason", "error", "error", clean_text(message),
                     "exit_status", exit_status, "checks");
}

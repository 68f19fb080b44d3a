// What the learner reads about one task: its head, statement, hints, solution, what comes after.
#include "learn/learn.h"

#include <stdlib.h>
#include <string.h>

#include "learn/read.h"
#include "report/terminal/markdown.h"
#include "toolchain/toolchain.h"
#include "learn/verdict.h"

void learn_show_welcome(const learn *l, FILE *file, const report_style *style) {
    report_print(file, style, REPORT_BOLD, "Welcome to Kernel Zoo.\n");
    report_wrap(file, style,
                "Each task is a file with a gap. Open it in an editor, in another window, fill the gap and "
                "save: that is "
                "all. kz then compiles it, runs it on edge cases, looks for races and accesses out of "
                "bounds, and says in words what is wrong.",
                0, 0);
    report_wrap(file, style,
                "No GPU is needed: kernels run in a simulator that counts what the hardware would do.", 0, 0);
    fprintf(file, "Your work and progress are kept in ");
    report_print(file, style, REPORT_BOLD, "%s", l->folder);
    fprintf(file, ".\n");
    if (l->path) {
        char text[512];
        snprintf(text, sizeof text, "You begin with the path \"%s\" (%s); kz learn paths shows the others.",
                 l->path->title, l->path->time && *l->path->time ? l->path->time : l->path->id);
        report_wrap(file, style, text, 0, 0);
    }
    learn_show_command(l, file, style);
    fputc('\n', file);
}

void learn_show_command(const learn *l, FILE *file, const report_style *style) {
    char found[TOOLCHAIN_PATH];
    if (toolchain_find_program("kz", found)) return;
    report_wrap(file, style,
                "Your shell does not find the command kz yet. This line lets it, until you close the window; "
                "\"sudo make install\" for good:",
                0, 0);
    fprintf(file, "  export PATH=\"%.*s:$PATH\"\n", (int)(strrchr(l->kz, '/') - l->kz), l->kz);
}

const course_step *learn_step_of(const learn *l, const course_task *task) {
    for (size_t s = 0; l->path && s < l->path->step_count; s++)
        for (const char *const *id = l->path->steps[s].tasks; id && *id; id++)
            if (strcmp(*id, task->id) == 0) return &l->path->steps[s];
    return NULL;
}

// A path that leaves out what a task needs has decided so: there, only what it has itself is named.
static void show_needs(const learn *l, FILE *file, const report_style *style) {
    base_text missing = {0};
    bool is_on_path = l->path && learn_index(l, l->task) < l->count;
    for (const char *const *id = l->task->needs; id && *id; id++) {
        const course_task *task = course_find_task(l->catalogue, *id);
        if (task && !learn_known(l, task).passed && (!is_on_path || learn_index(l, task) < l->count))
            base_text_add(&missing, "%s%s", missing.length ? ", " : "", *id);
    }
    if (missing.length) {
        fprintf(file, "  after   ");
        base_text_add(&missing, " (not passed yet; you may go on all the same)");
        report_wrap(file, style, missing.data, 10, 10);
    }
    base_text_free(&missing);
}

void learn_show_head(const learn *l, FILE *file, const report_style *style) {
    const course_task *task = l->task;
    size_t index = learn_index(l, task);
    const char *dot = style->utf8 ? "·" : "-";
    if (index < l->count)
        report_print(file, style, REPORT_DIM, "%s %s %zu of %zu",
                     l->path ? l->path->title : "The whole course", dot, index + 1, l->count);
    else
        report_print(file, style, REPORT_DIM, "%s", task->is_kata ? "A kata" : task->topic);
    if (task->minutes) report_print(file, style, REPORT_DIM, " %s about %d minutes", dot, task->minutes);
    store_task known = learn_known(l, task);
    if (known.passed) report_print(file, style, REPORT_GOOD, " %s passed", dot);
    if (known.skipped && !known.passed) report_print(file, style, REPORT_WARN, " %s skipped", dot);
    fputc('\n', file);
    const course_step *step = learn_step_of(l, task);
    if (step && step->text && *step->text && strcmp(step->tasks[0], task->id) == 0) { // a step begins
        report_print(file, style, REPORT_DIM, "%s: ", step->title);
        report_wrap(file, style, step->text, (int)report_width(step->title) + 2, 2);
    }
    report_print(file, style, REPORT_BOLD, "%s", task->title);
    fprintf(file, " (%s)\n\n  edit    ", task->id);
    report_print(file, style, REPORT_BOLD, "%s", l->file);
    fputc('\n', file);
    for (const char *const *page = step ? step->reads : NULL; page && *page; page++)
        fprintf(file, "  read    kz learn read %s\n", learn_read_name(*page));
    show_needs(l, file, style);
    fputc('\n', file);
}

kz_status learn_show_statement(const course_task *task, FILE *file, const report_style *style,
                               kz_error *error) {
    char *text = NULL;
    kz_status status = course_task_text(task, "statement.md", &text, error);
    if (status) return status;
    const char *begin = text;
    if (strncmp(begin, "# ", 2) == 0) begin += strcspn(begin, "\n"); // the title stands in the head
    report_markdown_print(file, style, begin, 0);
    free(text);
    return KZ_OK;
}

kz_status learn_show_hint(learn *l, size_t number, size_t *count, FILE *file, const report_style *style,
                          kz_error *error) {
    char *text = NULL;
    *count = 0;
    kz_status status = course_task_hint(l->task, number, &text, count, error);
    if (status) return status;
    report_print(file, style, REPORT_WARN, "Hint %zu of %zu", number + 1, *count);
    fputs("\n\n", file);
    report_markdown_print(file, style, text, 2);
    free(text);
    return store_set_hints(l->progress, l->task->id, number + 1, error);
}

kz_status learn_show_solution(learn *l, FILE *file, const report_style *style, kz_error *error) {
    char *text = NULL;
    kz_status status = course_task_solution(l->task, &text, error);
    if (status) return status;
    report_print(file, style, REPORT_BOLD, "One solution of %s", l->task->id);
    fprintf(file, " (%s/solution.%s)\n\n", l->task->folder, l->task->extension);
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        if (end > line) fprintf(file, "    %.*s", (int)(end - line), line);
        fputc('\n', file);
        if (*end) end++;
    }
    free(text);
    return learn_known(l, l->task).passed ? KZ_OK : store_set_seen_solution(l->progress, l->task->id, error);
}

void learn_show_path(const learn *l, FILE *file, const report_style *style) {
    const course_path *path = l->path;
    if (!path) return;
    report_print(file, style, REPORT_BOLD, "%s", path->title);
    fputs(": ", file);
    report_wrap(file, style, path->goal ? path->goal : "", (int)report_width(path->title) + 2, 0);
    if (path->prerequisites && *path->prerequisites) {
        fputs("You should have: ", file);
        report_wrap(file, style, path->prerequisites, 17, 2);
    }
    fputc('\n', file);
}

void learn_show_next(const learn *l, FILE *file, const report_style *style) {
    const course_task *next = learn_next(l);
    if (!next) {
        learn_show_end(l, file, style);
        return;
    }
    fprintf(file, "Next: ");
    report_print(file, style, REPORT_BOLD, "%s", next->title);
    fprintf(file, " (%s%s%s)\n", next->id, learn_known(l, next).skipped ? ", skipped before" : "",
            next->minutes && next->minutes > 60 ? ", a long one" : "");
}

void learn_show_after(const learn *l, FILE *file, const report_style *style) {
    char *text = NULL, path[COURSE_PATH];
    kz_error ignored = {0};
    snprintf(path, sizeof path, "%.1000s/after.md", l->task->folder);
    if (base_file_exists(path) && !course_task_text(l->task, "after.md", &text, &ignored)) {
        report_markdown_print(file, style, text, 0);
        fputc('\n', file);
    }
    free(text);
    if (l->task->leads_to[0]) {
        learn_verdict_families(file, style, l->task);
        fputc('\n', file);
    }
    for (size_t g = 0; l->path && g < l->path->gate_count; g++)
        if (learn_gate_asks_for(&l->path->gates[g], l->task->id)) {
            learn_show_gate(l, &l->path->gates[g], file, style);
            fputc('\n', file);
        }
    learn_show_next(l, file, style);
}

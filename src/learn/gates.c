// Gates as they stand, and what comes after a path.
#include "learn/learn.h"

#include <stdlib.h>
#include <string.h>

#include "report/terminal/markdown.h"

bool learn_gate_asks_for(const course_path_gate *gate, const char *task) {
    for (const char *const *id = gate->tasks; id && *id; id++)
        if (strcmp(*id, task) == 0) return true;
    return false;
}

learn_gate learn_look_at_gate(const learn *l, const course_path_gate *gate) {
    learn_gate s = {0};
    for (const char *const *id = gate->tasks; id && *id; id++, s.tasks++) {
        const course_task *task = course_find_task(l->catalogue, *id);
        if (task && learn_known(l, task).passed)
            s.passed++;
        else
            base_text_add(&s.missing, "%s%s", s.missing.length ? ", " : "", *id);
    }
    for (const char *const *id = gate->waiting; id && *id; id++) {
        const course_part *part = course_find_part(l->catalogue, *id);
        if (!part || !part->ready)
            base_text_add(&s.waiting, "%s%s", s.waiting.length ? "; " : "", part ? part->title : *id);
    }
    return s;
}

static void free_gate(learn_gate *s) {
    base_text_free(&s->missing);
    base_text_free(&s->waiting);
}

// ---- one gate -------------------------------------------------------------------------------------------

static void show_sentence(FILE *file, const report_style *style, const char *text) {
    if (!text || !*text) return;
    fputs("  ", file);
    report_wrap(file, style, text, 2, 2);
}

static void show_words(FILE *file, const report_style *style, const char *title, const char *const *words) {
    if (!words || !*words) return;
    fprintf(file, "  %s\n", title);
    for (; *words; words++) {
        fprintf(file, "  %s ", style->utf8 ? "•" : "-");
        report_wrap(file, style, *words, 4, 4);
    }
}

static void show_state(const learn_gate *s, const char *title, bool names, FILE *file,
                       const report_style *style) {
    bool passed = s->passed == s->tasks && !s->waiting.length;
    base_text line = {0};
    report_print(file, style, passed ? REPORT_GOOD : REPORT_BOLD, "Gate: %s", title);
    if (passed)
        base_text_add(&line, ": passed");
    else if (s->missing.length)
        base_text_add(&line, ": %zu of %zu tasks passed%s%s", s->passed, s->tasks, names ? "; still " : "",
                      names ? s->missing.data : "");
    else
        base_text_add(&line, ": every task is passed");
    report_wrap(file, style, line.data ? line.data : "", 6 + (int)report_width(title), 2);
    base_text_free(&line);
    if (!s->waiting.length) return;
    base_text_add(
        &line,
        "It cannot be passed yet: it waits for parts of Kernel Zoo that are not built (%s). Nothing "
        "else waits for it: go on with other tasks and paths.",
        s->waiting.data);
    show_sentence(file, style, line.data);
    base_text_free(&line);
}

void learn_show_gate(const learn *l, const course_path_gate *gate, FILE *file, const report_style *style) {
    learn_gate s = learn_look_at_gate(l, gate);
    show_state(&s, gate->title, true, file, style);
    if (s.passed == s.tasks) { // what is beside a gate is for those who stand at it
        show_sentence(file, style, gate->text);
        show_words(file, style, "To hand in:", gate->deliverables);
        show_words(file, style, "Ask yourself:", gate->questions);
    }
    free_gate(&s);
}

static void show_whole_gate(const learn *l, const course_path_gate *gate, FILE *file,
                            const report_style *style) {
    learn_gate s = learn_look_at_gate(l, gate);
    const char *open = NULL;
    int width = 0;
    show_state(&s, gate->title, false, file, style);
    show_sentence(file, style, gate->text);
    for (const char *const *id = gate->tasks; id && *id; id++)
        if ((int)strlen(*id) > width) width = (int)strlen(*id);
    for (const char *const *id = gate->tasks; id && *id; id++) {
        const course_task *task = course_find_task(l->catalogue, *id);
        if (!task) continue;
        learn_list_task(l, task, width, file, style);
        if (!open && !learn_known(l, task).passed) open = task->id;
    }
    if (open) {
        fputs("  ", file);
        report_print(file, style, REPORT_BOLD, "kz learn %s", open);
        fputs(" opens the first that is missing.\n", file);
    }
    show_words(file, style, "To hand in:", gate->deliverables);
    show_words(file, style, "Ask yourself:", gate->questions);
    free_gate(&s);
}

void learn_list_gates(const learn *l, FILE *file, const report_style *style) {
    for (size_t g = 0; l->path && g < l->path->gate_count; g++) {
        if (g) fputc('\n', file);
        show_whole_gate(l, &l->path->gates[g], file, style);
    }
    if (!l->path)
        fprintf(file, "The whole course in its order has no gates; paths have: kz learn gates PATH.\n");
    else if (!l->path->gate_count)
        fprintf(file, "%s has no gates.\n", l->path->title);
}

// ---- after a path -----------------------------------------------------------------------------------------

static bool has_open_tasks(const learn *l, const course_path *path) {
    size_t passed, total;
    learn_count(l, path, &passed, &total);
    return passed < total;
}

size_t learn_suggest(const learn *l, const course_path *paths[], size_t most) {
    const course_catalogue *c = l->catalogue;
    size_t count = 0, here = l->path ? (size_t)(l->path - c->paths) : 0;
    for (int round = 0; round < 2;
         round++) // first what follows in the same group, then all others as they are listed
        for (size_t p = 0; p < c->path_count && count < most; p++) {
            bool follows = l->path && p > here && strcmp(c->paths[p].group, l->path->group) == 0;
            if (follows == (round == 0) && &c->paths[p] != l->path && has_open_tasks(l, &c->paths[p]))
                paths[count++] = &c->paths[p];
        }
    return count;
}

// The path is done as far as it can be: what of it waits, and where to go.
void learn_show_end(const learn *l, FILE *file, const report_style *style) {
    enum { MOST = 3 };
    const course_path *paths[MOST];
    size_t count = learn_suggest(l, paths, MOST);
    report_print(file, style, REPORT_GOOD, "Every task of %s is passed.",
                 l->path ? l->path->title : "the course");
    fputc('\n', file);
    for (size_t g = 0; l->path && g < l->path->gate_count; g++) {
        learn_gate s = learn_look_at_gate(l, &l->path->gates[g]);
        char line[512];
        snprintf(line, sizeof line,
                 "Its gate \"%s\" waits for parts of Kernel Zoo that are not built: kz learn gates.",
                 l->path->gates[g].title);
        if (s.waiting.length) report_wrap(file, style, line, 0, 0);
        free_gate(&s);
    }
    fprintf(file,
            count ? "Where to go from here:\n" : "Every path is done. To show it, and to keep it fresh:\n");
    for (size_t i = 0; i < count; i++) {
        char line[512];
        size_t passed, total;
        learn_count(l, paths[i], &passed, &total);
        report_print(file, style, REPORT_BOLD, "  kz learn start %-14s", paths[i]->id);
        snprintf(line, sizeof line, "%s, %zu of %zu passed. %s.", paths[i]->title, passed, total,
                 paths[i]->goal ? paths[i]->goal : "");
        bool narrow = style->width < 60;
        fputs(narrow ? "\n    " : "  ", file);
        report_wrap(file, style, line, narrow ? 4 : 33, narrow ? 4 : 33);
    }
    if (count) fprintf(file, "  kz learn paths                 all of them\n");
    if (!count) fprintf(file, "  kz portfolio\n  kz kata\n");
}

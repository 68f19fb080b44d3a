// Lists: the tasks of a path with what was passed, the paths with their progress.
#include "learn/learn.h"

#include <stdlib.h>
#include <string.h>

#include "report/terminal/markdown.h"

// ---- the tasks of a path -------------------------------------------------------------------------------------

typedef struct mark {
    const char *utf8, *ascii;
    report_tone tone;
} mark;
static const mark passed_mark = {"✓", "x", REPORT_GOOD}, skipped_mark = {"–", "-", REPORT_WARN},
                  open_mark = {"·", ".", REPORT_DIM};

void learn_list_task(const learn *l, const course_task *task, int id_width, FILE *file,
                     const report_style *style) {
    size_t number = learn_index(l, task) + 1;
    store_task known = learn_known(l, task);
    const mark *m = known.passed ? &passed_mark : known.skipped ? &skipped_mark : &open_mark;
    bool here = task == l->task;
    if (number <= l->count)
        report_print(file, style, here ? REPORT_BOLD : REPORT_PLAIN, "%c%3zu ", here ? '>' : ' ', number);
    else
        fputs("     ", file);
    report_print(file, style, m->tone, "%s ", style->utf8 ? m->utf8 : m->ascii);
    report_print(file, style, here ? REPORT_BOLD : REPORT_PLAIN, "%-*s", id_width, task->id);
    int room = style->width - 1 - 7 - id_width - 2;
    const char *note = known.seen_solution ? " (solution seen)" : "";
    if ((int)(report_width(task->title) + strlen(note)) <= room) {
        fprintf(file, "  %s%s", task->title, note);
    } else if (room >= 12) {
        int bytes = 0;
        for (int columns = 0; columns < room - 3 && task->title[bytes]; columns++) do
                bytes++;
            while (((unsigned char)task->title[bytes] & 0xc0) == 0x80);
        fprintf(file, "  %.*s...", bytes, task->title);
    }
    fputc('\n', file);
}

static int widest_id(const learn *l) {
    size_t width = 0;
    for (size_t i = 0; i < l->count; i++)
        if (strlen(l->order[i]->id) > width) width = strlen(l->order[i]->id);
    return (int)width;
}

static size_t count_passed(const learn *l) {
    size_t passed = 0;
    for (size_t i = 0; i < l->count; i++) passed += learn_known(l, l->order[i]).passed;
    return passed;
}

static void list_topics(const learn *l, int id_width, FILE *file, const report_style *style) {
    const char *topic = "";
    for (size_t i = 0; i < l->count; i++) {
        if (strcmp(topic, l->order[i]->topic) != 0) {
            topic = l->order[i]->topic;
            const char *title = topic;
            for (size_t t = 0; t < l->catalogue->topic_count; t++)
                if (strcmp(l->catalogue->topics[t].id, topic) == 0) title = l->catalogue->topics[t].title;
            report_print(file, style, REPORT_BOLD, "\n%s\n", title);
        }
        learn_list_task(l, l->order[i], id_width, file, style);
    }
}

static void list_steps(const learn *l, int id_width, FILE *file, const report_style *style) {
    size_t listed = 0; // tasks before this one were listed: a task stands where it comes first
    for (size_t s = 0; s <= l->path->step_count; s++) {
        for (size_t g = 0; g < l->path->gate_count; g++)
            if (l->path->gates[g].after == s)
                fputc('\n', file), learn_show_gate(l, &l->path->gates[g], file, style);
        if (s == l->path->step_count) break;
        const course_step *step = &l->path->steps[s];
        report_print(file, style, REPORT_BOLD, "\n%s\n", step->title);
        for (const char *const *id = step->tasks; id && *id; id++)
            if (listed < l->count && strcmp(l->order[listed]->id, *id) == 0) {
                learn_list_task(l, l->order[listed], id_width, file, style);
                listed++;
            }
        for (const char *const *id = step->waiting; id && *id; id++) {
            const course_part *part = course_find_part(l->catalogue, *id);
            char line[512];
            if (part && part->ready) continue;
            snprintf(line, sizeof line, "more to come: %s (not built yet)", part ? part->title : *id);
            fputs("       ", file);
            report_wrap(file, style, line, 7, 7);
        }
    }
}

void learn_list_tasks(const learn *l, FILE *file, const report_style *style) {
    report_print(file, style, REPORT_BOLD, "%s", l->path ? l->path->title : "The whole course");
    fprintf(file, ": %zu of %zu passed\n", count_passed(l), l->count);
    int id_width = widest_id(l);
    if (l->path)
        list_steps(l, id_width, file, style);
    else
        list_topics(l, id_width, file, style);
    report_print(file, style, REPORT_DIM,
                 style->utf8 ? "\n✓ passed  – skipped  > where you are\n"
                             : "\nx passed  - skipped  > where you are\n");
    report_wrap(file, style,
                l->path && l->path->gate_count
                    ? "kz learn NAME goes to a task; kz learn gates shows what each gate asks for."
                    : "kz learn NAME goes to a task.",
                0, 0);
}

// ---- the paths -----------------------------------------------------------------------------------------------

static const struct {
    const char *id, *title;
} groups[] = {
    {"paths", "Paths"},           {"topics", "By topic"},
    {"syllabus", "Week by week"}, {"bootcamp", "Bootcamp, phase by phase"},
    {"roadmap", "Roadmap"},       {"tracker", "Tracker"},
};

void learn_count(const learn *l, const course_path *path, size_t *passed, size_t *total) {
    learn there = *l; // the order is its own
    kz_error ignored = {0};
    there.order = NULL;
    *passed = *total = 0;
    if (learn_use_path(&there, path, &ignored)) return;
    *passed = count_passed(&there);
    *total = there.count;
    free(there.order);
}

static void list_path(const learn *l, const course_path *path, const char *id, FILE *file,
                      const report_style *style) {
    bool here = path == l->path;
    size_t passed, total;
    learn_count(l, path, &passed, &total);
    report_print(file, style, here ? REPORT_BOLD : REPORT_PLAIN, "%c %-16s ", here ? '>' : ' ', id);
    fprintf(file, "%s", path ? path->title : "The whole course in its order");
    report_print(file, style, passed && passed == total ? REPORT_GOOD : REPORT_DIM, "  %zu of %zu", passed,
                 total);
    fputc('\n', file);
    if (!path || !path->goal || !*path->goal) return;
    char line[512];
    snprintf(line, sizeof line, "%s%s%s", path->goal, path->time && *path->time ? ". Time: " : "",
             path->time && *path->time ? path->time : "");
    fprintf(file, "%19s", "");
    report_wrap(file, style, line, 19, 19);
}

void learn_list_paths(const learn *l, FILE *file, const report_style *style) {
    const course_catalogue *c = l->catalogue;
    for (size_t g = 0; g <= BASE_COUNT(groups); g++) {
        bool begun = false;
        for (size_t p = 0; p < c->path_count; p++) {
            size_t of = 0;
            while (of < BASE_COUNT(groups) && strcmp(groups[of].id, c->paths[p].group) != 0) of++;
            if (of != g) continue;
            if (!begun)
                report_print(file, style, REPORT_BOLD, "%s\n",
                             g < BASE_COUNT(groups) ? groups[g].title : "More");
            begun = true;
            list_path(l, &c->paths[p], c->paths[p].id, file, style);
        }
        if (begun) fputc('\n', file);
    }
    list_path(l, NULL, "all", file, style);
    fprintf(file, "\nkz learn start PATH begins one, kz learn list PATH shows what is in it.\n");
}

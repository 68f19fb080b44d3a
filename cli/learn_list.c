// Lists: the tasks of a path with what was passed, the paths with their progress, gates as they stand.
#include "learn.h"

#include <stdlib.h>
#include <string.h>

#include "report/markdown.h"

// ---- gates ------------------------------------------------------------------------------------------------

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

static void show_words(FILE *file, const report_style *style, const char *title, const char *const *words) {
    if (!words || !*words) return;
    fprintf(file, "  %s\n", title);
    for (; *words; words++) {
        fprintf(file, "  %s ", style->utf8 ? "•" : "-");
        report_wrap(file, style, *words, 4, 4);
    }
}

void learn_show_gate(const learn *l, const course_path_gate *gate, FILE *file, const report_style *style) {
    learn_gate s = learn_look_at_gate(l, gate);
    bool passed = s.passed == s.tasks && s.waiting.length == 0;
    char line[2048];
    report_print(file, style, passed ? REPORT_GOOD : REPORT_BOLD, "Gate: %s", gate->title);
    if (passed)
        snprintf(line, sizeof line, ": passed");
    else if (s.missing.length)
        snprintf(line, sizeof line, ": %zu of %zu tasks passed; still %s", s.passed, s.tasks, s.missing.data);
    else
        snprintf(line, sizeof line, ": every task is passed");
    int column = 6 + (int)report_width(gate->title);
    report_wrap(file, style, line, column, 2);
    if (s.waiting.length) {
        snprintf(line, sizeof line,
                 "It cannot be passed yet: it waits for parts of Kernel Zoo that are not built (%s).",
                 s.waiting.data);
        fputs("  ", file);
        report_wrap(file, style, line, 2, 2);
    }
    if (s.passed == s.tasks) { // what is beside a gate is for those who stand at it
        if (gate->text && *gate->text) {
            fputs("  ", file);
            report_wrap(file, style, gate->text, 2, 2);
        }
        show_words(file, style, "To hand in:", gate->deliverables);
        show_words(file, style, "Ask yourself:", gate->questions);
    }
    base_text_free(&s.missing);
    base_text_free(&s.waiting);
}

// ---- the tasks of a path -------------------------------------------------------------------------------------

typedef struct mark {
    const char *utf8, *ascii;
    report_tone tone;
} mark;
static const mark passed_mark = {"✓", "x", REPORT_GOOD}, skipped_mark = {"–", "-", REPORT_WARN},
                  open_mark = {"·", ".", REPORT_DIM};

static void list_task(const learn *l, const course_task *task, size_t number, int id_width, FILE *file,
                      const report_style *style) {
    store_task known = learn_known(l, task);
    const mark *m = known.passed ? &passed_mark : known.skipped ? &skipped_mark : &open_mark;
    bool here = task == l->task;
    report_print(file, style, here ? REPORT_BOLD : REPORT_PLAIN, "%c%3zu ", here ? '>' : ' ', number);
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
        list_task(l, l->order[i], i + 1, id_width, file, style);
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
                list_task(l, l->order[listed], listed + 1, id_width, file, style);
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
}

// ---- the paths -----------------------------------------------------------------------------------------------

static const struct {
    const char *id, *title;
} groups[] = {
    {"paths", "Paths"},           {"topics", "By topic"},
    {"syllabus", "Week by week"}, {"bootcamp", "Bootcamp, phase by phase"},
    {"roadmap", "Roadmap"},       {"tracker", "Tracker"},
};

static void list_path(const learn *l, const course_path *path, const char *id, FILE *file,
                      const report_style *style) {
    learn there = *l; // to count in another path; the order is its own
    kz_error ignored = {0};
    there.order = NULL;
    if (learn_use_path(&there, path, &ignored)) return;
    bool here = path == l->path;
    size_t passed = count_passed(&there);
    report_print(file, style, here ? REPORT_BOLD : REPORT_PLAIN, "%c %-16s ", here ? '>' : ' ', id);
    fprintf(file, "%s", path ? path->title : "The whole course in its order");
    report_print(file, style, passed && passed == there.count ? REPORT_GOOD : REPORT_DIM, "  %zu of %zu",
                 passed, there.count);
    fputc('\n', file);
    free(there.order);
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

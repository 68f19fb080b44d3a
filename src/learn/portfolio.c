// The portfolio: passed capstones and other passed tasks with a figure, as one page to show.
//
// The code shown is the content that passed, as it was recorded then; what the file holds now may be
// something else.
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/progress_page.h"

static const char NAME[] = "portfolio-name", INTRODUCTION[] = "portfolio-introduction"; // settings

// ---- one work -------------------------------------------------------------------------------------------

// What the task teaches, as a sentence.
static const char *sentence(const course_task *task, base_arena *arena) {
    char *text =
        task->teaches && task->teaches[0] ? base_arena_alloc(arena, strlen(task->teaches) + 2) : NULL;
    if (!text) return "";
    sprintf(text, "%s.", task->teaches);
    text[0] = (char)toupper((unsigned char)text[0]);
    return text;
}

// The passed attempts with a figure, in lines of the same figure and device.
static kz_status gather_lines(const store_attempt *list, size_t count, base_arena *arena, report_work *work,
                              kz_error *error) {
    report_line *lines = base_arena_alloc(arena, (count + 1) * sizeof *lines);
    if (!lines) return base_fail(error, KZ_NO_MEMORY, "no memory for the portfolio");
    for (size_t i = 0; i < count; i++) {
        const store_attempt *a = &list[i];
        if (!a->passed || !a->figure[0] || isnan(a->value)) continue;
        size_t l = 0;
        while (l < work->line_count &&
               (strcmp(lines[l].figure, a->figure) != 0 || strcmp(lines[l].device, a->device) != 0))
            l++;
        if (l == work->line_count) {
            report_point *points = base_arena_alloc(arena, (count - i) * sizeof *points);
            const char *figure = base_arena_string(arena, a->figure, strlen(a->figure)),
                       *device = base_arena_string(arena, a->device, strlen(a->device));
            if (!points || !figure || !device)
                return base_fail(error, KZ_NO_MEMORY, "no memory for the portfolio");
            lines[work->line_count++] = (report_line){.figure = figure,
                                                      .device = device,
                                                      .larger_is_better = a->larger_is_better,
                                                      .points = points,
                                                      .best = a->value};
        }
        report_point *p = (report_point *)&lines[l].points[lines[l].point_count++];
        p->value = a->value;
        store_day_of(a->time, p->day);
        lines[l].best = a->larger_is_better ? fmax(lines[l].best, a->value) : fmin(lines[l].best, a->value);
    }
    work->lines = lines;
    return KZ_OK;
}

// The content of the attempt with the best figure, else of the latest that passed and was kept.
static kz_status gather_code(const learn_desk *desk, const store_attempt *list, size_t count,
                             const store_task *known, base_arena *arena, report_work *work, kz_error *error) {
    for (int pass = 0; pass < 2 && !work->code; pass++)
        for (size_t i = count; i-- > 0 && !work->code;) {
            bool best = strcmp(list[i].figure, known->figure) == 0 && list[i].value == known->best;
            char *content = NULL;
            if (!list[i].passed || (pass == 0 && !best)) continue;
            kz_status status = store_get_source(desk->progress, list[i].hash, &content, error);
            if (status) return status;
            if (content) {
                work->code = base_arena_string(arena, content, strlen(content));
                work->file = base_arena_string(arena, list[i].file, strlen(list[i].file));
            }
            free(content);
        }
    return KZ_OK;
}

// ---- insights -------------------------------------------------------------------------------------------

static bool is_part_of_name(char c) { return isalnum((unsigned char)c) || c == '-' || c == '_'; }

// Whether a text names a task: the id as a word of its own.
static bool names_task(const char *text, const char *id) {
    size_t length = strlen(id);
    for (const char *at = text; (at = strstr(at, id)); at += length)
        if ((at == text || !is_part_of_name(at[-1])) && !is_part_of_name(at[length])) return true;
    return false;
}

static kz_status add_insight(const char *path, base_arena *arena, report_work *work, const char **pairs,
                             size_t room, kz_error *error) {
    char *text = NULL;
    size_t size;
    if (work->insight_count == room || base_file_read(path, &text, &size, NULL) != KZ_OK) return KZ_OK;
    if (names_task(text, work->task)) {
        const char *title = text + strspn(text, "# "), *end = strchr(title, '\n');
        size_t length = end ? (size_t)(end - title) : strlen(title);
        const char *body = end ? end + strspn(end, "\n") : "";
        pairs[2 * work->insight_count] = base_arena_string(arena, title, length);
        pairs[2 * work->insight_count + 1] = base_arena_string(arena, body, strlen(body));
        if (!pairs[2 * work->insight_count] || !pairs[2 * work->insight_count + 1]) {
            free(text);
            return base_fail(error, KZ_NO_MEMORY, "no memory for the portfolio");
        }
        work->insight_count++;
    }
    free(text);
    return KZ_OK;
}

static kz_status gather_insights(const learn_desk *desk, base_arena *arena, report_work *work,
                                 kz_error *error) {
    enum { MOST = 16 };
    const char **pairs = base_arena_alloc(arena, 2 * MOST * sizeof *pairs);
    base_text folder = {0};
    struct dirent **names = NULL;
    base_text_add(&folder, "%s/notebook/insights", desk->folder);
    if (!pairs || folder.failed) {
        base_text_free(&folder);
        return base_fail(error, KZ_NO_MEMORY, "no memory for the portfolio");
    }
    kz_status status = KZ_OK;
    int count = scandir(folder.data, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]->d_name);
        base_text path = {0};
        base_text_add(&path, "%s/%s", folder.data, names[i]->d_name);
        if (!status && !path.failed && length > 3 && strcmp(names[i]->d_name + length - 3, ".md") == 0)
            status = add_insight(path.data, arena, work, pairs, MOST, error);
        base_text_free(&path);
        free(names[i]);
    }
    free(names);
    base_text_free(&folder);
    work->insights = pairs;
    return status;
}

// ---- the page -------------------------------------------------------------------------------------------

static kz_status gather_work(const learn_desk *desk, const course_task *task, const store_task *known,
                             base_arena *arena, report_work *work, kz_error *error) {
    store_attempt *list = NULL;
    size_t count = 0;
    *work = (report_work){.title = task->title,
                          .task = task->id,
                          .about = sentence(task, arena),
                          .capstone = task->is_capstone};
    store_day_of(known->passed_time, work->day);
    kz_status status = store_list_attempts(desk->progress, task->id, 0, &list, &count, error);
    while (!status && work->attempts < count && list[work->attempts].time <= known->passed_time) {
        bool passed = list[work->attempts++].passed;
        if (passed && list[work->attempts - 1].time == known->passed_time)
            break; // later ones are another story
    }
    if (!status) status = gather_lines(list, count, arena, work, error);
    if (!status) status = gather_code(desk, list, count, known, arena, work, error);
    if (!status) status = gather_insights(desk, arena, work, error);
    free(list);
    return status;
}

// What the learner says of themselves is a setting, kept until it is said anew.
static kz_status get_words(const learn_desk *desk, const char *key, base_arena *arena, const char **words,
                           kz_error *error) {
    char value[LEARN_WORDS];
    kz_status status = store_get(desk->progress, key, value, sizeof value, error);
    *words = status ? NULL : base_arena_string(arena, value, strlen(value));
    return !status && !*words ? base_fail(error, KZ_NO_MEMORY, "no memory for the portfolio") : status;
}

kz_status learn_portfolio_say(const learn_desk *desk, const char *name, const char *introduction,
                              kz_error *error) {
    const char *const words[] = {name, introduction}, *const keys[] = {NAME, INTRODUCTION};
    kz_status status = KZ_OK;
    for (size_t i = 0; i < BASE_COUNT(words) && !status; i++) {
        if (!words[i]) continue;
        if (strlen(words[i]) >= LEARN_WORDS)
            status = base_fail(error, KZ_INVALID, "a name or an introduction has at most %d bytes",
                               LEARN_WORDS - 1);
        else
            status = store_set(desk->progress, keys[i], words[i], error);
    }
    return status;
}

kz_status learn_portfolio_gather(const learn_desk *desk, base_arena *arena, report_portfolio *page,
                                 kz_error *error) {
    *page = (report_portfolio){0};
    memcpy(page->today, desk->today, sizeof page->today);
    report_work *works = base_arena_alloc(arena, (desk->course->task_count + 1) * sizeof *works);
    kz_status status = works ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for the portfolio");
    if (!status) status = get_words(desk, NAME, arena, &page->name, error);
    if (!status) status = get_words(desk, INTRODUCTION, arena, &page->introduction, error);
    for (int capstones = 1; capstones >= 0; capstones--)
        for (size_t i = 0; !status && i < desk->course->task_count; i++) {
            const course_task *task = &desk->course->tasks[i];
            const store_task *known = learn_desk_task(desk, task->id);
            if (task->is_kata) continue;
            if (capstones && !task->is_reading) page->total++, page->done += known && known->passed;
            if (task->is_capstone != (capstones == 1) || !known || !known->passed) continue;
            if (!task->is_capstone && isnan(known->best)) continue;
            status = gather_work(desk, task, known, arena, &works[page->work_count++], error);
        }
    page->works = works;
    return status;
}

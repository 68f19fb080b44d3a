// Katas: today's exercise, chosen by what was weak and what is due, the same one all day.
//
// Which ones were given is a setting, "kata": the day, then their ids, the last one the current. Hints looked
// at are counted per day as well ("kata-hints": day, id, count): they make a kata come back sooner.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "learn/kata.h"
#include "learn/kata_choice.h"
#include "learn/progress_page.h"
#include "report/terminal/markdown.h"

enum { GIVEN = 2048 };

// ---- what is known --------------------------------------------------------------------------------------

// The mean trouble with the tasks of a skill that were touched.
static double skill_weakness(const learn_desk *desk, const char *skill) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < desk->course->task_count; i++) {
        const course_task *t = &desk->course->tasks[i];
        const store_task *known = t->is_kata ? NULL : learn_desk_task(desk, t->id);
        bool trains = false;
        for (const char *const *s = t->skills; known && s && *s; s++)
            trains = trains || strcmp(*s, skill) == 0;
        if (!trains || !known->attempts) continue;
        sum += learn_kata_trouble(known);
        count++;
    }
    return count ? sum / (double)count : 0;
}

static bool is_given(const char *given, const char *id) {
    size_t length = strlen(id);
    for (const char *at = given; (at = strstr(at, id)); at += length)
        if (at > given && at[-1] == ' ' && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static kz_status gather(const learn_desk *desk, const char *given, learn_kata_candidate **out, size_t *count,
                        kz_error *error) {
    store_kata *schedules = NULL;
    size_t schedule_count = 0;
    *count = 0;
    *out = calloc(desk->course->task_count + 1, sizeof **out);
    if (!*out) return base_fail(error, KZ_NO_MEMORY, "no memory for the katas");
    kz_status status = store_list_katas(desk->progress, desk->today, &schedules, &schedule_count, error);
    for (size_t i = 0; !status && i < desk->course->task_count; i++) {
        const course_task *t = &desk->course->tasks[i];
        if (!t->is_kata) continue;
        learn_kata_candidate *k = &(*out)[(*count)++];
        *k = (learn_kata_candidate){.id = t->id, .level = t->level, .taken = is_given(given, t->id)};
        for (size_t j = 0; j < schedule_count; j++)
            if (strcmp(schedules[j].task, t->id) == 0) k->schedule = schedules[j];
        for (const char *const *n = t->needs; n && *n; n++) k->unmet += !learn_desk_passed(desk, *n);
        for (const char *const *s = t->skills; s && *s; s++) {
            double weakness = skill_weakness(desk, *s);
            if (weakness > k->weakness) k->weakness = weakness;
        }
    }
    free(schedules);
    if (!status && !*count) {
        status = base_fail(error, KZ_NOT_FOUND, "this course has no katas (%s)", desk->course->folder);
        base_fail_note(error, "they stand in its folder katas; is KZ_COURSE set to another course?");
    }
    return status;
}

// Today's list, "2026-11-15 kata-a kata-b"; of another day it begins anew.
static kz_status get_given(const learn_desk *desk, char given[GIVEN], kz_error *error) {
    kz_status status = store_get(desk->progress, "kata", given, GIVEN, error);
    if (!status && strncmp(given, desk->today, STORE_DAY - 1) != 0) snprintf(given, GIVEN, "%s", desk->today);
    return status;
}

// The last of the list; NULL where none was given yet, or where the course has it no longer.
static const course_task *current(const learn_desk *desk, const char *given) {
    const char *space = strrchr(given, ' ');
    const course_task *task = space ? course_find_task(desk->course, space + 1) : NULL;
    return task && task->is_kata ? task : NULL;
}

static kz_status choose(const learn_desk *desk, char given[GIVEN], bool another, const course_task **task,
                        kz_error *error) {
    *task = current(desk, given);
    if (*task && !another) return KZ_OK;
    learn_kata_candidate *katas = NULL;
    size_t count;
    kz_status status = gather(desk, given, &katas, &count, error);
    size_t chosen = status ? 0 : learn_kata_choose(katas, count, desk->today);
    if (!status && chosen == count) {
        status = base_fail(error, KZ_NOT_FOUND, "all %zu katas were given today", count);
        base_fail_note(error, "kz kata shows the last one again; tomorrow is another day");
    }
    if (!status) {
        size_t length = strlen(given);
        *task = course_find_task(desk->course, katas[chosen].id);
        snprintf(given + length, GIVEN - length, " %s", katas[chosen].id);
        status = store_set(desk->progress, "kata", given, error);
    }
    free(katas);
    return status;
}

// ---- hints of today -------------------------------------------------------------------------------------

static uint64_t hints_today(store *progress, const char *today, const char *id) {
    char value[GIVEN], day[STORE_DAY] = "", task[STORE_NAME] = "";
    uint64_t hints = 0;
    if (store_get(progress, "kata-hints", value, sizeof value, NULL) != KZ_OK) return 0;
    if (sscanf(value, "%10s %63s %" SCNu64, day, task, &hints) != 3) return 0;
    return strcmp(day, today) == 0 && strcmp(task, id) == 0 ? hints : 0;
}

static kz_status show_hint(const learn_desk *desk, const course_task *task, kz_error *error) {
    char *text = NULL, value[GIVEN];
    size_t count = 0;
    uint64_t seen = hints_today(desk->progress, desk->today, task->id);
    kz_status status = course_task_hint(task, (size_t)seen, &text, &count, error);
    if (status == KZ_NOT_FOUND && seen > 0) {
        printf("That were all %" PRIu64 " hints of %s.\n", seen, task->id);
        return KZ_OK;
    }
    if (status) return status;
    report_style style = report_detect_style(stdout);
    printf("Hint %" PRIu64 " of %zu:\n\n", seen + 1, count);
    report_markdown_print(stdout, &style, text, 2);
    free(text);
    snprintf(value, sizeof value, "%s %s %" PRIu64, desk->today, task->id, seen + 1);
    status = store_set(desk->progress, "kata-hints", value, error);
    if (!status) status = store_set_hints(desk->progress, task->id, seen + 1, error);
    return status;
}

// ---- after grading --------------------------------------------------------------------------------------

// Fails before the first pass of today; later attempts change nothing.
static void count_today(const store_attempt *list, size_t count, const char *today, bool *passed,
                        uint64_t *failed) {
    *passed = false;
    *failed = 0;
    for (size_t i = 0; i < count && !*passed; i++) {
        char day[STORE_DAY];
        store_day_of(list[i].time, day);
        if (strcmp(day, today) != 0) continue;
        *passed = list[i].passed;
        *failed += !list[i].passed;
    }
}

static bool is_passed_today(store *progress, const char *id, const char *today) {
    store_attempt *list = NULL;
    size_t count = 0;
    bool passed = false;
    uint64_t failed;
    kz_error ignored = {0};
    if (!store_list_attempts(progress, id, 0, &list, &count, &ignored))
        count_today(list, count, today, &passed, &failed);
    free(list);
    return passed;
}

bool learn_kata_is_done(store *progress, const char *today) {
    char given[GIVEN];
    kz_error ignored = {0};
    if (store_get(progress, "kata", given, sizeof given, &ignored)) return false;
    const char *last = strrchr(given, ' ');
    return last && strncmp(given, today, STORE_DAY - 1) == 0 && is_passed_today(progress, last + 1, today);
}

void learn_kata_untouched(char *says, size_t size) {
    snprintf(says, size, "This is the starter as it is: it does not count as an attempt.");
}

kz_status learn_kata_graded(store *progress, const course_task *task, char *says, size_t size,
                            kz_error *error) {
    if (size) *says = 0;
    if (!task->is_kata) return KZ_OK;
    char today[STORE_DAY];
    store_today(today);
    store_attempt *list = NULL;
    store_task known;
    store_kata after = {0};
    size_t count;
    bool passed;
    uint64_t failed;
    kz_status status = store_get_task(progress, task->id, &known, error);
    if (!status) status = store_list_attempts(progress, task->id, 0, &list, &count, error);
    if (!status) {
        count_today(list, count, today, &passed, &failed);
        int quality =
            learn_kata_quality(passed, failed, hints_today(progress, today, task->id), known.seen_solution);
        status = store_add_kata(progress, task->id, today, quality, &after, error);
    }
    free(list);
    if (!status)
        snprintf(says, size, "%sThis kata is back on %s.",
                 passed ? "" : "Grade it again when you have mended it. ", after.due);
    return status;
}

// ---- what is shown --------------------------------------------------------------------------------------

static kz_status make_file(const learn_desk *desk, const course_task *task, char path[COURSE_PATH],
                           kz_error *error) {
    base_text folder = {0};
    base_text_add(&folder, "%s/katas/%s-%s", desk->folder, desk->today, task->id);
    kz_status status = folder.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for the kata's path")
                                     : base_make_folders(folder.data, error);
    if (!status) status = course_task_copy(task, folder.data, false, path, error);
    base_text_free(&folder);
    return status;
}

static void show_passed(const learn_desk *desk, const course_task *task, const char *path,
                        const report_style *style) {
    store_kata *katas = NULL;
    size_t count = 0;
    kz_error ignored = {0};
    printf("\nYour file: %s\n", path);
    report_print(stdout, style, REPORT_GOOD, "Passed today.");
    if (!store_list_katas(desk->progress, desk->today, &katas, &count, &ignored))
        for (size_t i = 0; i < count; i++)
            if (strcmp(katas[i].task, task->id) == 0) printf(" It is back on %s.", katas[i].due);
    printf("\nOne more:  kz kata --another\n");
    free(katas);
}

static kz_status show_kata(const learn_desk *desk, const course_task *task, const char *path,
                           kz_error *error) {
    report_style style = report_detect_style(stdout);
    char *text = NULL;
    kz_status status = course_task_text(task, "statement.md", &text, error);
    if (status) return status;
    report_print(stdout, &style, REPORT_DIM, "kata of %s: %s, level %d, about %d minutes", desk->today,
                 task->id, task->level, task->minutes);
    fputs("\n\n", stdout);
    if (*text != '#') report_print(stdout, &style, REPORT_BOLD, "%s\n\n", task->title);
    report_markdown_print(stdout, &style, text, 0);
    free(text);
    if (is_passed_today(desk->progress, task->id, desk->today)) {
        show_passed(desk, task, path, &style);
        return KZ_OK;
    }
    printf("\nYour file: %s\nGrade it:  kz kata --grade    (or kz kata --watch: on every save)\nStuck:     "
           "kz kata "
           "--hint     "
           "(makes it come back sooner)\n",
           path);
    return KZ_OK;
}

static kz_status list_katas(const learn_desk *desk, const char *given, kz_error *error) {
    static const report_column columns[] = {{.title = "kata"},
                                            {.title = "level", .right = true},
                                            {.title = "skills", .shrink = true},
                                            {.title = "state"},
                                            {.title = "title", .shrink = true}};
    learn_kata_candidate *katas = NULL;
    size_t count = 0;
    kz_status status = gather(desk, given, &katas, &count, error);
    if (status) {
        free(katas);
        return status;
    }
    report_style style = report_detect_style(stdout);
    report_table *table = report_table_open(columns, BASE_COUNT(columns));
    const course_task *now = current(desk, given);
    for (size_t i = 0; table && i < count; i++) {
        const course_task *t = course_find_task(desk->course, katas[i].id);
        learn_kata_when when = learn_kata_state(&katas[i].schedule, desk->today);
        base_text skills = {0};
        for (const char *const *s = t->skills; s && *s; s++)
            base_text_add(&skills, "%s%s", skills.length ? ", " : "", *s);
        report_table_add(table, t == now ? REPORT_BOLD : REPORT_PLAIN, "%s", t->id);
        report_table_add(table, REPORT_PLAIN, "%d", t->level);
        report_table_add(table, REPORT_DIM, "%s", skills.data ? skills.data : "");
        report_table_add(table, when == LEARN_KATA_DUE ? REPORT_WARN : REPORT_PLAIN, "%s%s",
                         t == now                   ? "today"
                         : when == LEARN_KATA_NEW   ? "new"
                         : when == LEARN_KATA_LATER ? "back on "
                                                    : "due since ",
                         t == now || when == LEARN_KATA_NEW ? "" : katas[i].schedule.due);
        report_table_add(table, REPORT_PLAIN, "%s", t->title);
        base_text_free(&skills);
    }
    if (table) report_table_print(table, stdout, &style, true);
    report_table_close(table);
    free(katas);
    return table ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for the table");
}

kz_status learn_kata(learn_kata_wish wish, char path[COURSE_PATH], char id[COURSE_NAME], kz_error *error) {
    learn_desk desk;
    char given[GIVEN] = "";
    const course_task *task = NULL;
    bool lists = wish == LEARN_KATA_LIST;
    kz_status status = learn_desk_open(&desk, error);
    if (!status) status = get_given(&desk, given, error);
    if (!status && !lists) status = choose(&desk, given, wish == LEARN_KATA_ANOTHER, &task, error);
    if (!status && !lists) status = make_file(&desk, task, path, error);
    if (task) snprintf(id, COURSE_NAME, "%s", task->id);
    if (!status && lists)
        status = list_katas(&desk, given, error);
    else if (!status && wish == LEARN_KATA_HINT)
        status = show_hint(&desk, task, error);
    else if (!status && wish != LEARN_KATA_GRADE)
        status = show_kata(&desk, task, path, error);
    learn_desk_close(&desk);
    return status;
}

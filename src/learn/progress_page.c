// Gathers a learner's page: bars over topics and skills, the path with its gates, days, figures, what is
// next.
#include "learn/progress_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "learn/kata.h"
#include "learn/read.h"

// ---- the desk -------------------------------------------------------------------------------------------

kz_status learn_desk_open(learn_desk *desk, kz_error *error) {
    *desk = (learn_desk){0};
    store_today(desk->today);
    kz_status status = learn_open(&(learn_options){0}, &desk->learner, error);
    if (status) return status;
    learn_print_set_aside(desk->learner.set_aside);
    desk->folder = desk->learner.folder;
    desk->progress = desk->learner.progress;
    desk->course = desk->learner.catalogue;
    return store_list_tasks(desk->progress, &desk->tasks, &desk->task_count, error);
}

void learn_desk_close(learn_desk *desk) {
    free(desk->tasks);
    learn_close(&desk->learner);
    *desk = (learn_desk){0};
}

const store_task *learn_desk_task(const learn_desk *desk, const char *id) {
    for (size_t i = 0; i < desk->task_count; i++)
        if (strcmp(desk->tasks[i].task, id) == 0) return &desk->tasks[i];
    return NULL;
}

bool learn_desk_passed(const learn_desk *desk, const char *id) {
    const store_task *t = learn_desk_task(desk, id);
    return t && t->passed;
}

static size_t count_passed(const learn_desk *desk, const char *const *ids, size_t *total) {
    size_t passed = 0;
    *total = 0;
    for (; ids && *ids; ids++) {
        passed += learn_desk_passed(desk, *ids);
        (*total)++;
    }
    return passed;
}

// "waits for Tensor cores, Triton": the parts of a step that are not ready.
static void add_waiting(const learn_desk *desk, const char *const *parts, base_text *note) {
    for (; parts && *parts; parts++) {
        const course_part *part = course_find_part(desk->course, *parts);
        if (part && part->ready) continue;
        base_text_add(note, "%s%s", note->length ? ", " : "waits for ", part ? part->title : *parts);
    }
}

const course_task *learn_desk_next(const learn_desk *desk) {
    const course_task *task = desk->learner.task;
    const store_task *known = task ? learn_desk_task(desk, task->id) : NULL;
    return task && !(known && (known->passed || known->skipped)) ? task : learn_next(&desk->learner);
}

// ---- shares ---------------------------------------------------------------------------------------------

static bool has_word(const char *const *words, const char *word) {
    for (; words && *words; words++)
        if (strcmp(*words, word) == 0) return true;
    return false;
}

// Of the tasks (katas left out) that belong to a topic, or that train a skill: one of them is NULL.
static report_share share_of(const learn_desk *desk, const char *title, const char *topic,
                             const char *skill) {
    report_share share = {.title = title};
    for (size_t i = 0; i < desk->course->task_count; i++) {
        const course_task *t = &desk->course->tasks[i];
        bool counts = (topic && strcmp(t->topic, topic) == 0) || (skill && has_word(t->skills, skill));
        if (t->is_kata || !counts) continue;
        share.total++;
        share.done += learn_desk_passed(desk, t->id);
    }
    return share;
}

static kz_status gather_shares(const learn_desk *desk, base_arena *arena, report_learner *page,
                               kz_error *error) {
    const course_catalogue *c = desk->course;
    report_share *topics = base_arena_alloc(arena, (c->topic_count + 1) * sizeof *topics);
    report_share *skills = base_arena_alloc(arena, (c->skill_count + 1) * sizeof *skills);
    if (!topics || !skills) return base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    for (size_t i = 0; i < c->topic_count; i++) {
        topics[page->topic_count] = share_of(desk, c->topics[i].title, c->topics[i].id, NULL);
        page->topic_count += topics[page->topic_count].total > 0;
    }
    for (size_t i = 0; i < c->skill_count; i++) {
        skills[page->skill_count] = share_of(desk, c->skills[i].title, NULL, c->skills[i].id);
        page->skill_count += skills[page->skill_count].total > 0;
    }
    page->topics = topics;
    page->skills = skills;
    return KZ_OK;
}

static void count_tasks(const learn_desk *desk, report_learner *page) {
    for (size_t i = 0; i < desk->course->task_count; i++) {
        const course_task *t = &desk->course->tasks[i];
        const store_task *known = learn_desk_task(desk, t->id);
        if (t->is_kata) {
            page->kata_total++;
            page->katas_done += known && known->passed;
        } else {
            page->total += !t->is_reading;
            page->reading_total += t->is_reading;
            *(t->is_reading ? &page->readings_done : &page->done) += known && known->passed;
            page->skipped += known && known->skipped && !known->passed;
        }
    }
    for (size_t i = 0; i < desk->task_count; i++) page->attempts += desk->tasks[i].attempts;
}

// ---- the path -------------------------------------------------------------------------------------------

static const char *keep_text(base_arena *arena, base_text *text) {
    const char *kept = text->data ? base_arena_string(arena, text->data, text->length) : "";
    base_text_free(text);
    return kept ? kept : "";
}

static report_stage step_stage(const learn_desk *desk, base_arena *arena, const course_step *step) {
    base_text note = {0};
    report_stage stage = {.title = step->title};
    stage.done = count_passed(desk, step->tasks, &stage.total);
    add_waiting(desk, step->waiting, &note);
    if (!stage.total && step->reads && *step->reads)
        base_text_add(&note, "%sto read: kz learn read %s", note.length ? "; " : "",
                      learn_read_name(*step->reads));
    stage.note = keep_text(arena, &note);
    return stage;
}

static report_stage gate_stage(const learn_desk *desk, base_arena *arena, const course_path_gate *gate) {
    learn_gate state = learn_look_at_gate(&desk->learner, gate);
    base_text note = {0};
    if (state.waiting.length) base_text_add(&note, "waits for %s", state.waiting.data);
    if (state.missing.length)
        base_text_add(&note, "%sstill to pass: %s", note.length ? "; " : "", state.missing.data);
    report_stage stage = {.title = gate->title,
                          .done = state.passed,
                          .total = state.tasks,
                          .gate = state.waiting.length   ? REPORT_GATE_WAITING
                                  : state.missing.length ? REPORT_GATE_OPEN
                                                         : REPORT_GATE_PASSED};
    stage.note = keep_text(arena, &note);
    base_text_free(&state.waiting);
    base_text_free(&state.missing);
    return stage;
}

static kz_status gather_path(const learn_desk *desk, base_arena *arena, const course_path *path,
                             report_learner *page, kz_error *error) {
    if (!path) return KZ_OK;
    report_stage *stages =
        base_arena_alloc(arena, (path->step_count + path->gate_count + 1) * sizeof *stages);
    if (!stages) return base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    size_t count = 0, gate = 0;
    bool here = false;
    for (size_t s = 0; s <= path->step_count; s++) {
        for (; gate < path->gate_count && path->gates[gate].after <= s; gate++)
            stages[count++] = gate_stage(desk, arena, &path->gates[gate]);
        if (s == path->step_count) break;
        stages[count] = step_stage(desk, arena, &path->steps[s]);
        if (!here && stages[count].done < stages[count].total) here = stages[count].here = true;
        count++;
    }
    page->path = path->title;
    page->stages = stages;
    page->stage_count = count;
    return KZ_OK;
}

// ---- figures, days, next --------------------------------------------------------------------------------

static kz_status gather_bests(const learn_desk *desk, base_arena *arena, report_learner *page,
                              kz_error *error) {
    report_best *bests = base_arena_alloc(arena, (desk->task_count + 1) * sizeof *bests);
    if (!bests) return base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    for (size_t i = 0; i < desk->task_count; i++) {
        const store_task *t = &desk->tasks[i];
        const course_task *task = course_find_task(desk->course, t->task);
        if (!t->passed || isnan(t->best) || !t->figure[0]) continue;
        report_best *b = &bests[page->best_count++];
        *b = (report_best){.title = task ? task->title : t->task,
                           .task = t->task,
                           .figure = t->figure,
                           .device = t->figure_device,
                           .value = t->best};
        store_day_of(t->best_time, b->day);
    }
    page->bests = bests;
    return KZ_OK;
}

static kz_status gather_days(const learn_desk *desk, base_arena *arena, report_learner *page,
                             kz_error *error) {
    store_day *days = NULL;
    size_t count = 0;
    kz_status status = store_list_days(desk->progress, &days, &count, error);
    store_day *kept = status ? NULL : base_arena_alloc(arena, (count + 1) * sizeof *kept);
    if (kept && count) memcpy(kept, days, count * sizeof *kept);
    free(days);
    if (status) return status;
    if (!kept) return base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    page->days = kept;
    page->day_count = count;
    page->streak = store_streak(kept, count, desk->today);
    return KZ_OK;
}

static void gather_next(const learn_desk *desk, base_arena *arena, report_next *next, report_learner *page) {
    const course_task *task = learn_desk_next(desk);
    const course_path *path;
    base_text title = {0}, command = {0};
    if (task) {
        next[page->next_count++] = (report_next){task->title, "kz learn"};
    } else if (learn_suggest(&desk->learner, &path, 1)) {
        base_text_add(&title, "this path is done; the next: %s", path->title);
        base_text_add(&command, "kz learn start %s", path->id);
        next[page->next_count].title = keep_text(arena, &title);
        next[page->next_count++].command = keep_text(arena, &command);
    } else {
        next[page->next_count++] = (report_next){"every task is passed: show it", "kz portfolio"};
    }
    if (page->kata_total && !learn_kata_is_done(desk->progress, desk->today))
        next[page->next_count++] = (report_next){"today's exercise", "kz kata"};
    if (desk->learner.first_time) next[page->next_count++] = (report_next){"other paths", "kz learn paths"};
    page->next = next;
}

kz_status learn_progress_gather(const learn_desk *desk, base_arena *arena, report_learner *page,
                                kz_error *error) {
    *page = (report_learner){0};
    memcpy(page->today, desk->today, sizeof page->today);
    count_tasks(desk, page);
    report_next *next = base_arena_alloc(arena, 3 * sizeof *next);
    if (!next) return base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    kz_status status = gather_shares(desk, arena, page, error);
    if (!status) status = gather_path(desk, arena, desk->learner.path, page, error);
    if (!status) status = gather_bests(desk, arena, page, error);
    if (!status) status = gather_days(desk, arena, page, error);
    if (!status) gather_next(desk, arena, next, page);
    return status;
}

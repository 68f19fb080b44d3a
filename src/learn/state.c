// Where the learner is: path, task, file; what is known of each task.
#include "learn/learn.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"

// What somebody who has done nothing yet is given: the first of these that there is.
static const char *const first_paths[] = {"first-steps", "fast-track"};

// ---- open and close -------------------------------------------------------------------------------------

static const course_path *default_path(const course_catalogue *c) {
    for (size_t i = 0; i < BASE_COUNT(first_paths); i++) {
        const course_path *path = course_find_path(c, first_paths[i]);
        if (path) return path;
    }
    return c->path_count ? &c->paths[0] : NULL;
}

static kz_status find_path(learn *l, kz_error *error) {
    char id[STORE_NAME];
    kz_status status = store_get(l->progress, "path", id, sizeof id, error);
    if (status) return status;
    if (l->options.path) {
        const course_path *path;
        status = learn_find_path(l, l->options.path, &path, error);
        return status ? status : learn_use_path(l, path, error);
    }
    const course_path *path = *id ? course_find_path(l->catalogue, id) : NULL;
    if (!path && strcmp(id, "all") != 0) path = default_path(l->catalogue);
    return learn_use_path(l, path, error);
}

// Where the learner was; where that is no longer in the course, the first open task of the path.
static kz_status find_task(learn *l, kz_error *error) {
    char id[STORE_NAME];
    kz_status status = store_get(l->progress, "task", id, sizeof id, error);
    if (status) return status;
    l->task = *id ? course_find_task(l->catalogue, id) : NULL;
    if (!l->task) l->task = learn_next(l);
    if (!l->task && l->count) l->task = l->order[0];
    return KZ_OK;
}

static kz_status find_out_whether_first(learn *l, kz_error *error) {
    store_task *tasks = NULL;
    size_t count = 0;
    char path[STORE_NAME], task[STORE_NAME];
    kz_status status = store_list_tasks(l->progress, &tasks, &count, error);
    if (!status) status = store_get(l->progress, "path", path, sizeof path, error);
    if (!status) status = store_get(l->progress, "task", task, sizeof task, error);
    if (!status) l->first_time = count == 0 && !*path && !*task && !*l->set_aside;
    free(tasks);
    return status;
}

kz_status learn_open(const learn_options *options, learn *l, kz_error *error) {
    *l = (learn){.options = *options};
    char course[COURSE_PATH];
    kz_status status = course_find(course, error);
    if (!status) status = course_open(course, &l->catalogue, error);
    if (!status) status = base_self_path(l->kz, error);
    if (!status) status = learn_open_progress(l->folder, &l->progress, l->set_aside, error);
    if (!status) status = find_out_whether_first(l, error);
    if (!status) status = find_path(l, error);
    if (!status) status = find_task(l, error);
    if (status) learn_close(l);
    return status;
}

void learn_close(learn *l) {
    if (l->progress) store_close(l->progress);
    if (l->catalogue) course_close(l->catalogue);
    free(l->order);
    *l = (learn){0};
}

// ---- the order --------------------------------------------------------------------------------------------

size_t learn_index(const learn *l, const course_task *task) {
    size_t i = 0;
    while (i < l->count && l->order[i] != task) i++;
    return i;
}

kz_status learn_use_path(learn *l, const course_path *path, kz_error *error) {
    const course_task **order = calloc(l->catalogue->task_count + 1, sizeof *order);
    if (!order) return base_fail(error, KZ_NO_MEMORY, "no memory for the list of tasks");
    free(l->order);
    l->order = order;
    l->path = path;
    l->count = 0;
    for (size_t s = 0; path && s < path->step_count; s++)
        for (const char *const *id = path->steps[s].tasks; id && *id; id++) {
            const course_task *task = course_find_task(l->catalogue, *id);
            if (task && learn_index(l, task) == l->count) l->order[l->count++] = task;
        }
    for (size_t i = 0; !path && i < l->catalogue->task_count; i++)
        if (!l->catalogue->tasks[i].is_kata) l->order[l->count++] = &l->catalogue->tasks[i];
    return KZ_OK;
}

kz_status learn_go(learn *l, const course_task *task, kz_error *error) {
    l->task = task;
    l->file[0] = 0;
    return learn_go_on(l, error);
}

kz_status learn_go_on(learn *l, kz_error *error) {
    kz_status status = store_set(l->progress, "path", l->path ? l->path->id : "all", error);
    return status ? status : store_set(l->progress, "task", l->task->id, error);
}

static void task_folder(const learn *l, const course_task *task, char folder[COURSE_PATH]) {
    snprintf(folder, COURSE_PATH, "%.900s/tasks/%.100s", l->folder, task->id);
}

bool learn_has_file(const learn *l, const course_task *task) {
    char folder[COURSE_PATH], file[COURSE_PATH + 64];
    task_folder(l, task, folder);
    snprintf(file, sizeof file, "%s/%.40s.%.8s", folder, task->id, task->extension);
    return base_file_exists(file);
}

kz_status learn_make_file(learn *l, bool *made, kz_error *error) {
    char folder[COURSE_PATH];
    *made = !learn_has_file(l, l->task);
    task_folder(l, l->task, folder);
    kz_status status = base_make_folders(folder, error);
    if (!status) status = course_task_copy(l->task, folder, false, l->file, error);
    if (status) {
        base_fail_note(error,
                       "your task files belong into %s: make room there or make it writable, or name another "
                       "folder: export KZ_LEARN=/some/folder",
                       l->folder);
    }
    return status;
}

store_task learn_known(const learn *l, const course_task *task) {
    store_task known = {0};
    kz_error ignored = {0};
    if (store_get_task(l->progress, task->id, &known, &ignored)) known = (store_task){0};
    return known;
}

const course_task *learn_next(const learn *l) {
    size_t here = l->task ? learn_index(l, l->task) : l->count, first = here == l->count ? 0 : here + 1;
    const course_task *skipped = NULL;
    for (size_t n = 0; n < l->count; n++) {
        const course_task *task = l->order[(first + n) % l->count];
        store_task known = learn_known(l, task);
        if (known.passed || task == l->task) continue;
        if (!known.skipped) return task;
        if (!skipped) skipped = task;
    }
    return skipped;
}

// ---- names ------------------------------------------------------------------------------------------------

kz_status learn_find_task(const learn *l, const char *word, const course_task **task, kz_error *error) {
    *task = NULL;
    char *end;
    unsigned long number = strtoul(word, &end, 10);
    if (isdigit((unsigned char)*word) && !*end) {
        if (number >= 1 && number <= l->count) {
            *task = l->order[number - 1];
            return KZ_OK;
        }
        base_fail(error, KZ_NOT_FOUND, "there is no task number %s: this list goes from 1 to %zu", word,
                  l->count);
        base_fail_note(error, "try: kz learn list");
        return KZ_NOT_FOUND;
    }
    *task = course_find_task(l->catalogue, word);
    if (*task) return KZ_OK;
    if (course_find_path(l->catalogue, word)) {
        base_fail(error, KZ_NOT_FOUND, "\"%s\" is a path, not a task", word);
        base_fail_note(error, "try: kz learn start %s", word);
        return KZ_NOT_FOUND;
    }
    return course_fail_task(l->catalogue, word, error);
}

// People ask for what a path is about, not by its id: those that have the word in their title.
static void note_titles(const learn *l, const char *word, kz_error *error) {
    base_text found = {0};
    for (size_t i = 0; strlen(word) > 2 && i < l->catalogue->path_count; i++) {
        const course_path *p = &l->catalogue->paths[i];
        if (strcasestr(p->title, word))
            base_text_add(&found, "%s%s (%s)", found.length ? ", " : "", p->id, p->title);
    }
    if (found.length) base_fail_note(error, "it is in the title of: %s", found.data);
    base_text_free(&found);
}

kz_status learn_find_path(const learn *l, const char *word, const course_path **path, kz_error *error) {
    *path = NULL;
    if (strcmp(word, "all") == 0) return KZ_OK;
    *path = course_find_path(l->catalogue, word);
    if (*path) return KZ_OK;
    base_fail(error, KZ_NOT_FOUND, "there is no path \"%s\"", word);
    const char **names = calloc(l->catalogue->path_count + 1, sizeof *names);
    for (size_t i = 0; names && i < l->catalogue->path_count; i++) names[i] = l->catalogue->paths[i].id;
    const char *near = names ? base_nearest(word, names) : NULL;
    if (near) base_fail_note(error, "did you mean %s?", near);
    note_titles(l, word, error);
    base_fail_note(error, "kz learn paths lists them; \"all\" is the whole course in its order");
    free(names);
    return KZ_NOT_FOUND;
}

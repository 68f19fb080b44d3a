// The catalogue: finds the course's folder and loads all that lies in it, in order.
#include "course/catalogue.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "course/toml.h"

// ---- lists ------------------------------------------------------------------------------------

void *course_grow(base_arena *arena, void *array, size_t count, size_t element) {
    bool is_full = count == 0 || (count >= 8 && (count & (count - 1)) == 0);
    if (!is_full) return array;
    void *larger = base_arena_alloc(arena, (count < 8 ? 8 : 2 * count) * element);
    if (larger && count) memcpy(larger, array, count * element);
    return larger;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool is_wanted(const char *folder, const char *name, const char *suffix, const char *inside) {
    if (name[0] == '.') return false;
    if (inside) {
        char path[COURSE_PATH * 2];
        snprintf(path, sizeof path, "%s/%s/%s", folder, name, inside);
        return base_file_exists(path);
    }
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && strcmp(name + length - end, suffix) == 0;
}

static kz_status list(base_arena *arena, const char *folder, const char *suffix, const char *inside,
                      course_names *names, kz_error *error) {
    *names = (course_names){0};
    DIR *open = opendir(folder);
    if (!open) return KZ_OK;
    kz_status status = KZ_OK;
    for (struct dirent *entry; !status && (entry = readdir(open));) {
        if (!is_wanted(folder, entry->d_name, suffix, inside)) continue;
        names->names = course_grow(arena, names->names, names->count, sizeof *names->names);
        char *name =
            base_arena_string(arena, entry->d_name, strlen(entry->d_name) - (inside ? 0 : strlen(suffix)));
        if (names->names && name)
            names->names[names->count++] = name;
        else
            status = base_fail(error, KZ_NO_MEMORY, "no memory to list %s", folder);
    }
    closedir(open);
    if (names->count) qsort(names->names, names->count, sizeof *names->names, by_name);
    return status;
}

kz_status course_list_files(base_arena *arena, const char *folder, const char *suffix, course_names *names,
                            kz_error *error) {
    return list(arena, folder, suffix, NULL, names, error);
}

kz_status course_list_folders(base_arena *arena, const char *folder, const char *inside, course_names *names,
                              kz_error *error) {
    return list(arena, folder, "", inside, names, error);
}

// ---- where it lies --------------------------------------------------------------------------------

kz_status course_find(char folder[COURSE_PATH], kz_error *error) {
    const char *said = getenv("KZ_COURSE");
    char own[PATH_MAX];
    if (said && *said) {
        if (!realpath(said, own) || strlen(own) >= COURSE_PATH) {
            base_fail(error, KZ_NOT_FOUND, "KZ_COURSE names %s: there is no such folder", said);
            base_fail_note(error, "unset KZ_COURSE to take the course that came with kz");
            return KZ_NOT_FOUND;
        }
        memcpy(folder, own, strlen(own) + 1);
    } else {
        kz_status status = base_self_path(own, error);
        if (status) return status;
        for (int i = 0; i < 2; i++) base_path_up(own); // .../bin/kz: two steps up
        if (snprintf(folder, COURSE_PATH, "%s/share/kz/course", own) >= COURSE_PATH)
            return base_fail(error, KZ_INVALID, "the path %s is too long", own);
    }
    char order[COURSE_PATH + 16];
    snprintf(order, sizeof order, "%s/order.toml", folder);
    if (base_file_exists(order)) return KZ_OK;
    base_fail(error, KZ_NOT_FOUND, "the course is not in %s: there is no order.toml", folder);
    base_fail_note(error, "build or install kz again, or set KZ_COURSE to a folder with a course");
    return KZ_NOT_FOUND;
}

// ---- tasks ------------------------------------------------------------------------------------

// KZ_OK too where the folder is broken: it is kept among those, and the course goes on without it.
static kz_status add_broken(course_catalogue *catalogue, const char *folder, const kz_error *why,
                            kz_error *error) {
    course_broken *broken =
        course_grow(catalogue->arena, (void *)catalogue->broken, catalogue->broken_count, sizeof *broken);
    const char *slash = strrchr(folder, '/'), *id = slash ? slash + 1 : folder;
    if (!broken) return base_fail(error, KZ_NO_MEMORY, "no memory for the task %s", folder);
    catalogue->broken = broken;
    course_broken *b = &broken[catalogue->broken_count++];
    b->id = base_arena_string(catalogue->arena, id, strlen(id));
    b->message = base_arena_string(catalogue->arena, why->message, strlen(why->message));
    return b->id && b->message ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for the task %s", folder);
}

static kz_status add_task(course_catalogue *catalogue, const char *folder, kz_error *error) {
    course_task *tasks =
        course_grow(catalogue->arena, (void *)catalogue->tasks, catalogue->task_count, sizeof *tasks);
    if (!tasks) return base_fail(error, KZ_NO_MEMORY, "no memory for the task %s", folder);
    catalogue->tasks = tasks;
    kz_error why = {0};
    kz_status status = course_task_load(catalogue->arena, folder, &tasks[catalogue->task_count], &why);
    if (status == KZ_NO_MEMORY) return base_fail(error, status, "%s", why.message);
    if (status) return add_broken(catalogue, folder, &why, error);
    catalogue->task_count++;
    return KZ_OK;
}

static bool is_listed(const char *const *names, const char *name) {
    for (; *names; names++)
        if (strcmp(*names, name) == 0) return true;
    return false;
}

// Those that topic.toml lists come first and in its order; course_review complains of the others.
static kz_status load_tasks(course_catalogue *catalogue, const char *folder, const char *const *listed,
                            kz_error *error) {
    char path[COURSE_PATH * 2];
    course_names found;
    kz_status status = course_list_folders(catalogue->arena, folder, "task.toml", &found, error);
    for (size_t i = 0; listed[i] && !status; i++) {
        snprintf(path, sizeof path, "%s/%s/task.toml", folder, listed[i]);
        if (!base_file_exists(path)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, listed[i]);
        status = add_task(catalogue, path, error);
    }
    for (size_t i = 0; i < found.count && !status; i++) {
        if (is_listed(listed, found.names[i])) continue;
        snprintf(path, sizeof path, "%s/%s", folder, found.names[i]);
        status = add_task(catalogue, path, error);
    }
    return status;
}

static kz_status load_topic(course_catalogue *catalogue, const char *id, kz_error *error) {
    char folder[COURSE_PATH + COURSE_NAME], path[COURSE_PATH + 2 * COURSE_NAME];
    snprintf(folder, sizeof folder, "%s/tasks/%.63s", catalogue->folder, id);
    snprintf(path, sizeof path, "%s/topic.toml", folder);
    if (!base_file_exists(path)) return KZ_OK;
    course_toml toml;
    kz_status status = course_toml_read(catalogue->arena, path, &toml, error);
    if (status) return status;
    course_topic *topics =
        course_grow(catalogue->arena, (void *)catalogue->topics, catalogue->topic_count, sizeof *topics);
    if (!topics) return base_fail(error, KZ_NO_MEMORY, "no memory for the topic %s", id);
    catalogue->topics = topics;
    topics[catalogue->topic_count++] =
        (course_topic){.id = id,
                       .title = course_toml_need_string(&toml, toml.root, "title"),
                       .about = course_toml_need_string(&toml, toml.root, "about")};
    const char *const *listed = course_toml_strings(&toml, toml.root, "tasks");
    status = course_toml_finish(&toml);
    return status ? status : load_tasks(catalogue, folder, listed, error);
}

bool course_topic_differs(base_arena *arena, const char *folder, const char *topic, const char **missing,
                          const char **extra) {
    char path[COURSE_PATH * 2];
    course_toml toml;
    course_names found;
    *missing = *extra = NULL;
    snprintf(path, sizeof path, "%s/tasks/%s/topic.toml", folder, topic);
    if (course_toml_read(arena, path, &toml, NULL)) return false;
    const char *const *listed = course_toml_strings(&toml, toml.root, "tasks");
    snprintf(path, sizeof path, "%s/tasks/%s", folder, topic);
    if (course_list_folders(arena, path, "task.toml", &found, NULL)) return false;
    for (size_t i = 0; i < found.count; i++)
        if (!*extra && !is_listed(listed, found.names[i])) *extra = found.names[i];
    for (size_t i = 0; listed[i] && !*missing; i++) {
        size_t at = 0;
        while (at < found.count && strcmp(found.names[at], listed[i]) != 0) at++;
        if (at == found.count) *missing = listed[i];
    }
    return *missing || *extra;
}

static kz_status load_topics(course_catalogue *catalogue, kz_error *error) {
    char path[COURSE_PATH + 16];
    course_toml toml;
    snprintf(path, sizeof path, "%s/order.toml", catalogue->folder);
    kz_status status = course_toml_read(catalogue->arena, path, &toml, error);
    if (status) return status;
    const char *const *topics = course_toml_strings(&toml, toml.root, "topics");
    status = course_toml_finish(&toml);
    for (; *topics && !status; topics++) status = load_topic(catalogue, *topics, error);
    return status;
}

static kz_status load_katas(course_catalogue *catalogue, kz_error *error) {
    static const char *const none[] = {NULL};
    char folder[COURSE_PATH + 16];
    snprintf(folder, sizeof folder, "%s/katas", catalogue->folder);
    return load_tasks(catalogue, folder, none, error);
}

// ---- all of it ----------------------------------------------------------------------------------

kz_status course_open(const char *folder, course_catalogue **out, kz_error *error) {
    *out = NULL;
    base_arena *arena = base_arena_open();
    course_catalogue *catalogue = arena ? base_arena_alloc(arena, sizeof *catalogue) : NULL;
    if (!catalogue) {
        base_arena_close(arena);
        return base_fail(error, KZ_NO_MEMORY, "no memory for the course");
    }
    catalogue->arena = arena;
    char whole[PATH_MAX];
    kz_status status = KZ_OK;
    if (!realpath(folder, whole) || strlen(whole) >= COURSE_PATH - 4 * COURSE_NAME)
        status = base_fail(error, KZ_NOT_FOUND, "there is no folder %s, or its path is too long", folder);
    else if (!(catalogue->folder = base_arena_string(arena, whole, strlen(whole))))
        status = base_fail(error, KZ_NO_MEMORY, "no memory for the course");
    if (!status) status = course_load_parts(catalogue, error);
    if (!status) status = course_load_skills(catalogue, error);
    if (!status) status = load_topics(catalogue, error);
    if (!status) status = load_katas(catalogue, error);
    if (!status) status = course_load_paths(catalogue, error);
    if (!status) status = course_load_items(catalogue, error);
    if (status)
        base_arena_close(arena);
    else
        *out = catalogue;
    return status;
}

void course_close(course_catalogue *catalogue) {
    if (catalogue) base_arena_close(catalogue->arena);
}

const course_task *course_find_task(const course_catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->task_count; i++)
        if (strcmp(catalogue->tasks[i].id, id) == 0) return &catalogue->tasks[i];
    return NULL;
}

const course_path *course_find_path(const course_catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->path_count; i++)
        if (strcmp(catalogue->paths[i].id, id) == 0) return &catalogue->paths[i];
    return NULL;
}

const course_part *course_find_part(const course_catalogue *catalogue, const char *id) {
    for (size_t i = 0; i < catalogue->part_count; i++)
        if (strcmp(catalogue->parts[i].id, id) == 0) return &catalogue->parts[i];
    return NULL;
}

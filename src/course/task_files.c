// A task's texts, and the files that the learner gets.
#include "course/load.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- texts ------------------------------------------------------------------------------------

kz_status course_task_text(const course_task *task, const char *name, char **text, kz_error *error) {
    char path[COURSE_PATH];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", task->folder, name);
    return base_file_read(path, text, &size, error);
}

static kz_status from_solution(const course_task *task, bool starter, char **text, kz_error *error) {
    char name[32], path[COURSE_PATH], *whole;
    *text = NULL;
    snprintf(name, sizeof name, "solution.%s", task->extension);
    snprintf(path, sizeof path, "%s/%s", task->folder, name);
    kz_status status = course_task_text(task, name, &whole, error);
    if (status) return status;
    status = course_split_marks(path, whole, starter, text, error);
    free(whole);
    return status;
}

kz_status course_task_solution(const course_task *task, char **text, kz_error *error) {
    return from_solution(task, false, text, error);
}

kz_status course_task_starter(const course_task *task, char **text, kz_error *error) {
    return from_solution(task, true, text, error);
}

// The next heading "## " at or after `at`, at the beginning of a line; NULL where there is none.
static const char *next_heading(const char *text, const char *at) {
    for (; (at = strstr(at, "## ")); at++)
        if (at == text || at[-1] == '\n') return at;
    return NULL;
}

kz_status course_task_hint(const course_task *task, size_t number, char **text, size_t *count,
                           kz_error *error) {
    char *whole;
    *text = NULL;
    kz_status status = course_task_text(task, "hints.md", &whole, error);
    if (status) return status;
    size_t found = 0;
    for (const char *at = next_heading(whole, whole); at; found++) {
        const char *next = next_heading(whole, at + 1);
        size_t length = next ? (size_t)(next - at) : strlen(at);
        while (length && strchr("\n\r ", at[length - 1])) length--;
        if (found == number && !(*text = strndup(at, length)))
            status = base_fail(error, KZ_NO_MEMORY, "no memory for a hint");
        at = next;
    }
    if (count) *count = found;
    free(whole);
    if (!status && number >= found)
        status = base_fail(error, KZ_NOT_FOUND, "%s has %zu hint%s, and no number %zu", task->id, found,
                           found == 1 ? "" : "s", number + 1);
    return status;
}

bool course_task_is_untouched(const course_task *task, const char *file) {
    char *starter = NULL, *content = NULL;
    size_t size = 0;
    bool same = false;
    if (!course_task_starter(task, &starter, NULL) && !base_file_read(file, &content, &size, NULL)) {
        size_t length = strlen(starter), first = strcspn(content, "\n") + 1;
        same = size == length + first && memcmp(content + first, starter, length) == 0;
    }
    free(starter);
    free(content);
    return same;
}

// ---- what the learner gets --------------------------------------------------------------------------

void course_task_aside(const char *path, char aside[COURSE_ASIDE]) {
    snprintf(aside, COURSE_ASIDE, "%s.before-reset", path);
    for (int i = 2; base_file_exists(aside) && i < 10000; i++)
        snprintf(aside, COURSE_ASIDE, "%s.before-reset-%d", path, i);
}

// A file as it was copied stays; one that was changed is kept beside before it is overwritten.
static kz_status copy_file(const char *path, const char *data, size_t size, bool overwrite, kz_error *error) {
    char *old = NULL, aside[COURSE_ASIDE];
    size_t old_size = 0;
    kz_status status = KZ_OK;
    if (base_file_exists(path)) {
        if (!overwrite) return KZ_OK;
        status = base_file_read(path, &old, &old_size, error);
        bool same = !status && old_size == size && memcmp(old, data, size) == 0;
        if (!status && !same) {
            course_task_aside(path, aside);
            status = base_file_write(aside, old, old_size, error);
        }
        free(old);
        if (status || same) return status;
    }
    return base_file_write(path, data, size, error);
}

static kz_status copy_files(const char *from, const char *to, bool overwrite, kz_error *error) {
    DIR *folder = opendir(from);
    if (!folder) return KZ_OK; // most tasks have none
    kz_status status = base_make_folders(to, error);
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        char source[COURSE_PATH * 2], target[COURSE_PATH * 2], *data;
        if (entry->d_name[0] == '.') continue;
        int a = snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        int b = snprintf(target, sizeof target, "%s/%s", to, entry->d_name);
        struct stat info;
        size_t size;
        if (a >= COURSE_PATH || b >= COURSE_PATH) {
            status = base_fail(error, KZ_INVALID,
                               "the path %s is too long: choose a folder nearer to the root", target);
        } else if (stat(source, &info) == 0 && S_ISDIR(info.st_mode)) {
            status = copy_files(source, target, overwrite, error);
        } else {
            status = base_file_read(source, &data, &size, error);
            if (!status) status = copy_file(target, data, size, overwrite, error);
            free(data);
        }
    }
    closedir(folder);
    return status;
}

kz_status course_task_copy(const course_task *task, const char *folder, bool overwrite,
                           char path[COURSE_PATH], kz_error *error) {
    char from[COURSE_PATH], to[COURSE_PATH];
    if (snprintf(path, COURSE_PATH, "%s/%s.%s", folder, task->id, task->extension) >= COURSE_PATH - 32 ||
        snprintf(to, sizeof to, "%s/files", folder) >= COURSE_PATH)
        return base_fail(error, KZ_INVALID, "the path %s is too long: choose a folder nearer to the root",
                         folder);
    snprintf(from, sizeof from, "%s/files", task->folder);
    char *starter;
    kz_status status = course_task_starter(task, &starter, error);
    if (status) return status;
    base_text text = {0};
    const char *comment = strcmp(task->extension, "txt") == 0 ? "#" : "//";
    base_text_add(&text, "%s kz: task %s\n%s", comment, task->id, starter);
    free(starter);
    status = text.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for the starter")
                         : base_make_folders(folder, error);
    if (!status) status = copy_file(path, text.data, text.length, overwrite, error);
    if (!status) status = copy_files(from, to, overwrite, error);
    base_text_free(&text);
    return status;
}

// Which task a file is for.
#include "source_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kz_status course_fail_task(const course_catalogue *catalogue, const char *id, kz_error *error) {
    for (size_t i = 0; i < catalogue->broken_count; i++)
        if (strcmp(catalogue->broken[i].id, id) == 0)
            return base_fail(error, KZ_SYNTAX, "%s", catalogue->broken[i].message);
    const char **names = calloc(catalogue->task_count + 1, sizeof *names);
    for (size_t i = 0; names && i < catalogue->task_count; i++) names[i] = catalogue->tasks[i].id;
    const char *near = names ? base_nearest(id, names) : NULL;
    base_fail(error, KZ_NOT_FOUND, "there is no task \"%s\"%s%s%s", id, near ? "; did you mean " : "",
              near ? near : "", near ? "?" : "");
    base_fail_note(error, "kz learn list names those of your path, kz learn list all every one");
    free(names);
    return KZ_NOT_FOUND;
}

// The word after "kz: task " in the first lines; "" where there is none.
static void said_in(const char *text, char id[COURSE_NAME]) {
    enum { LINES = 10 };
    id[0] = 0;
    for (int line = 0; line < LINES && *text; line++) {
        size_t length = strcspn(text, "\n");
        const char *c = text;
        while (*c == ' ' || *c == '\t') c++;
        size_t mark = strncmp(c, "//", 2) == 0 ? 2 : *c == '#' ? 1 : 0;
        c += mark;
        while (*c == ' ') c++;
        if (mark && strncmp(c, "kz: task ", 9) == 0 && c < text + length) {
            c += 9;
            size_t n = 0;
            while (n < COURSE_NAME - 1 && (isalnum((unsigned char)c[n]) || c[n] == '-')) n++;
            snprintf(id, COURSE_NAME, "%.*s", (int)n, c);
            return;
        }
        text += length + (text[length] == '\n');
    }
}

kz_status course_task_of_file(const course_catalogue *catalogue, const char *file, const course_task **task,
                              kz_error *error) {
    char id[COURSE_NAME], path[PATH_MAX], *text;
    *task = NULL;
    kz_status status = course_read_submission(file, &text, error);
    if (status) return status;
    said_in(text, id);
    free(text);
    if (id[0]) {
        *task = course_find_task(catalogue, id);
        return *task ? KZ_OK : course_fail_task(catalogue, id, error);
    }
    if (realpath(file,
                 path)) { // tasks/vector-add/mine.cu, the solution in its own folder; else vector-add.cu
        char *name = strrchr(path, '/');
        *name++ = 0;
        const char *folder = strrchr(path, '/');
        name[strcspn(name, ".")] = 0;
        *task = folder ? course_find_task(catalogue, folder + 1) : NULL;
        if (!*task) *task = course_find_task(catalogue, name);
    }
    if (*task) return KZ_OK;
    base_fail(error, KZ_INVALID,
              "%s does not say which task it is for, and neither does its name or its folder's", file);
    base_fail_note(error, "name it: kz grade %s --task ID, or a first line \"// kz: task ID\"", file);
    return KZ_INVALID;
}

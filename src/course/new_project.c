// `kz new`: a project of one's own from course/template/project.
#include "course/course.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

#include "course/template.h"

// A name of a CMake target and of a C function alike.
static bool is_name(const char *name) {
    if (!isalpha((unsigned char)*name) || strlen(name) >= COURSE_NAME) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-') return false;
    return true;
}

static bool is_empty(const char *folder) {
    DIR *open = opendir(folder);
    if (!open) return !base_file_exists(folder);
    bool empty = true;
    for (struct dirent *entry; empty && (entry = readdir(open));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(open);
    return empty;
}

kz_status course_new_project(const char *folder, const char *name, kz_error *error) {
    static const char *const taken[] = {"test",    "all",        "help",        "clean",
                                        "install", "test_saxpy", "bench_saxpy", NULL};
    for (const char *const *t = taken; *t; t++)
        if (strcmp(*t, name) == 0)
            return base_fail(error, KZ_INVALID,
                             "\"%s\" means something to CMake here; choose another with --name", name);
    if (!is_name(name)) {
        base_fail(error, KZ_INVALID,
                  "\"%s\" is no name for a project: a letter, then letters, digits, _ and -", name);
        base_fail_note(error, "give one with --name NAME");
        return KZ_INVALID;
    }
    if (!is_empty(folder)) {
        base_fail(error, KZ_INVALID, "%s is there and not empty: nothing was changed", folder);
        base_fail_note(error, "name a new folder");
        return KZ_INVALID;
    }
    const course_template_word words[] = {{"@NAME@", name}, {NULL, NULL}};
    return course_template_copy("project", folder, words, error);
}

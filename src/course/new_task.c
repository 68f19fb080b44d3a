// A new task's folder, from the template of its kind in the course's own data.
#include "course/load.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "course/template.h"

// "vector-add" is called vector_add in C, and "Vector add" by people.
static void names_of(const char *id, char function[COURSE_NAME], char title[COURSE_NAME]) {
    snprintf(function, COURSE_NAME, "%s", id);
    snprintf(title, COURSE_NAME, "%s", id);
    for (char *c = function; *c; c++)
        if (*c == '-') *c = '_';
    for (char *c = title; *c; c++)
        if (*c == '-') *c = ' ';
    title[0] = (char)toupper((unsigned char)title[0]);
}

kz_status course_new_task(const char *folder, course_kind kind, course_form form, kz_error *error) {
    static const char *const templates[] = {
        [COURSE_CUDA] = "cuda", [COURSE_C] = "c", [COURSE_COMMAND] = "command", [COURSE_ANSWER] = "answer"};
    const char *slash = strrchr(folder, '/'), *id = slash ? slash + 1 : folder;
    if (!course_is_id(id))
        return base_fail(
            error, KZ_INVALID,
            "\"%s\" is no name of a task: lower case, words joined by hyphens, such as vector-add", id);
    if (base_file_exists(folder))
        return base_fail(error, KZ_INVALID, "%s is there already: nothing was changed", folder);
    char name[64], function[COURSE_NAME], title[COURSE_NAME];
    names_of(id, function, title);
    snprintf(name, sizeof name, "task/%s",
             kind == COURSE_CUDA && form == COURSE_PROGRAM ? "program" : templates[kind]);
    const course_template_word words[] = {
        {"@FUNCTION@", function}, {"@TITLE@", title}, {"@ID@", id}, {NULL, NULL}};
    return course_template_copy(name, folder, words, error);
}

// ---- the topic's list ---------------------------------------------------------------------------------

// The end of the array "tasks = [...]" in the text of topic.toml; NULL where it has none.
static const char *end_of_list(const char *text) {
    for (const char *at = text; (at = strstr(at, "tasks")); at++) {
        if (at != text && at[-1] != '\n') continue;
        const char *open = at + 5 + strspn(at + 5, " \t=");
        return *open == '[' ? strchr(open, ']') : NULL;
    }
    return NULL;
}

kz_status course_list_task(const char *topic_folder, const char *id, kz_error *error) {
    char path[COURSE_PATH + 32], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/topic.toml", topic_folder);
    base_text made = {0};
    const char *slash = strrchr(topic_folder, '/'), *topic = slash ? slash + 1 : topic_folder;
    kz_status status = KZ_OK;
    if (!base_file_exists(path)) {
        base_text_add(&made, "title = \"%c%s\"\nabout = \"What this topic is about.\"\ntasks = [\"%s\"]\n",
                      toupper((unsigned char)topic[0]), topic + 1, id);
    } else {
        status = base_file_read(path, &text, &size, error);
        const char *end = status ? NULL : end_of_list(text);
        if (!status && !end)
            status = base_fail(error, KZ_SYNTAX, "%s has no list tasks = [...]: add \"%s\" to it by hand",
                               path, id);
        if (end) {
            const char *last = end; // behind the last element
            while (last > text && isspace((unsigned char)last[-1])) last--;
            bool is_empty = last[-1] == '[', has_comma = last[-1] == ',';
            base_text_add_bytes(&made, text, (size_t)(last - text));
            base_text_add(&made, "%s\"%s\"%s", is_empty ? "" : has_comma ? " " : ", ", id, end);
        }
    }
    if (!status && made.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    if (!status) status = base_file_write(path, made.data, made.length, error);
    base_text_free(&made);
    free(text);
    return status;
}

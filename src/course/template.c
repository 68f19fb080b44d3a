// Templates: folders of course/template, copied with words put in.
#include "course/template.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_words(const char *text, size_t size, const course_template_word *words, base_text *out) {
    for (const char *at = text, *end = text + size; at < end;) {
        const course_template_word *w = words;
        while (w->mark && strncmp(at, w->mark, strlen(w->mark)) != 0) w++;
        if (w->mark) {
            base_text_add(out, "%s", w->text);
            at += strlen(w->mark);
        } else {
            base_text_add_bytes(out, at++, 1);
        }
    }
}

static kz_status copy_file(const char *from, const char *to, const course_template_word *words,
                           kz_error *error) {
    char *text;
    size_t size;
    kz_status status = base_file_read(from, &text, &size, error);
    if (status) return status;
    base_text made = {0};
    put_words(text, size, words, &made);
    free(text);
    status = made.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for %s", to)
                         : base_file_write(to, made.data ? made.data : "", made.length, error);
    base_text_free(&made);
    struct stat info;
    if (!status && stat(from, &info) == 0 && info.st_mode & S_IXUSR) chmod(to, info.st_mode & 0777);
    return status;
}

static kz_status copy_folder(const char *from, const char *to, const course_template_word *words,
                             kz_error *error) {
    DIR *folder = opendir(from);
    if (!folder) {
        base_fail(error, KZ_NOT_FOUND, "the template %s is not there", from);
        base_fail_note(error, "build or install kz again; KZ_COURSE names a folder with another course");
        return KZ_NOT_FOUND;
    }
    kz_status status = base_make_folders(to, error);
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        char source[COURSE_PATH * 2], target[COURSE_PATH * 2];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        base_text name = {0};
        put_words(entry->d_name, strlen(entry->d_name), words, &name);
        int a = snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        int b = snprintf(target, sizeof target, "%s/%s", to, name.data ? name.data : "");
        base_text_free(&name);
        struct stat info;
        if (a >= COURSE_PATH || b >= COURSE_PATH)
            status = base_fail(error, KZ_INVALID, "the path %s is too long", target);
        else if (stat(source, &info) == 0 && S_ISDIR(info.st_mode))
            status = copy_folder(source, target, words, error);
        else
            status = copy_file(source, target, words, error);
    }
    closedir(folder);
    return status;
}

kz_status course_template_copy(const char *name, const char *to, const course_template_word *words,
                               kz_error *error) {
    char course[COURSE_PATH], from[COURSE_PATH + 64];
    kz_status status = course_find(course, error);
    if (status) return status;
    snprintf(from, sizeof from, "%s/template/%.40s", course, name);
    return copy_folder(from, to, words, error);
}

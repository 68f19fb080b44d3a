// The sources that lines are shown of: each file is read once, and one that is not there is remembered.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile/profile.h"

enum { FILES = 64, ROOTS = 8 };

typedef struct source {
    char *name, *text; // text: NULL where the file could not be read
    const char **lines;
    uint32_t count;
} source;

struct report_prof_sources {
    char *roots[ROOTS];
    size_t root_count;
    source files[FILES];
    size_t file_count;
};

report_prof_sources *report_prof_sources_open(const char *const *roots, size_t count) {
    report_prof_sources *sources = calloc(1, sizeof *sources);
    for (size_t i = 0; sources && i < count && i < ROOTS; i++) {
        sources->roots[i] = strdup(roots[i]);
        if (sources->roots[i]) sources->root_count = i + 1;
    }
    return sources;
}

void report_prof_sources_close(report_prof_sources *sources) {
    if (!sources) return;
    for (size_t i = 0; i < sources->file_count; i++) {
        free(sources->files[i].name);
        free(sources->files[i].text);
        free(sources->files[i].lines);
    }
    for (size_t i = 0; i < sources->root_count; i++) free(sources->roots[i]);
    free(sources);
}

static void cut_lines(source *s, size_t size) {
    size_t count = 1;
    for (size_t i = 0; i < size; i++) count += s->text[i] == '\n';
    s->lines = calloc(count + 1, sizeof *s->lines);
    if (!s->lines) return;
    for (char *at = s->text; s->count < count && at < s->text + size;) {
        s->lines[s->count++] = at;
        char *end = memchr(at, '\n', (size_t)(s->text + size - at));
        if (!end) break;
        *end = 0;
        at = end + 1;
    }
}

static void read_source(const report_prof_sources *sources, source *s) {
    size_t size;
    kz_status status = base_file_read(s->name, &s->text, &size, NULL);
    for (size_t i = 0; status && s->name[0] != '/' && i < sources->root_count; i++) {
        base_text path = {0};
        base_text_add(&path, "%s/%s", sources->roots[i], s->name);
        if (!path.failed) status = base_file_read(path.data, &s->text, &size, NULL);
        base_text_free(&path);
    }
    if (status)
        s->text = NULL;
    else
        cut_lines(s, size);
}

static source *find(report_prof_sources *sources, const char *file) {
    for (size_t i = 0; i < sources->file_count; i++)
        if (strcmp(sources->files[i].name, file) == 0) return &sources->files[i];
    if (sources->file_count == FILES) return NULL;
    source *s = &sources->files[sources->file_count];
    *s = (source){.name = strdup(file)};
    if (!s->name) return NULL;
    sources->file_count++;
    read_source(sources, s);
    return s;
}

const char *report_prof_sources_line(report_prof_sources *sources, const char *file, uint32_t line,
                                     size_t *length) {
    const source *s = sources ? find(sources, file) : NULL;
    if (!s || line == 0 || line > s->count) return NULL;
    *length = strcspn(s->lines[line - 1], "\r");
    return s->lines[line - 1];
}

static bool ends_statement(const char *text, size_t length) {
    while (length && strchr(" \t\\", text[length - 1])) length--;
    return !length || strchr(";{}", text[length - 1]) != NULL;
}

static bool has_asm(const char *text, size_t length) {
    const char *found = memmem(text, length, "asm", 3);
    return found && (found == text || !(isalnum((unsigned char)found[-1]) || found[-1] == '.')) &&
           found + 3 < text + length && strchr(" (_", found[3]);
}

uint32_t report_prof_sources_asm(report_prof_sources *sources, const char *file, uint32_t line) {
    enum { MOST = 40 };
    size_t length;
    for (uint32_t at = line; at && line - at < MOST; at--) {
        const char *text = report_prof_sources_line(sources, file, at, &length);
        if (!text || (at < line && ends_statement(text, length))) break;
        if (has_asm(text, length)) return at;
    }
    return line;
}

uint32_t report_prof_sources_count(report_prof_sources *sources, const char *file) {
    const source *s = sources ? find(sources, file) : NULL;
    return s ? s->count : 0;
}

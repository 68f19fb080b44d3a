// count_lines OUT.c FILE...: writes bench_line_counts (bench/facts.h), the lines of code of each variant.
//
// FILE is kernels/<group>/<family>/<variant>.cu or .c, read from the project's root. Beside its own lines stand those
// with the headers of families and of kz/device that it includes. What every kernel has does not count: kz/kernel.cuh,
// and private.h, which declares the family to its C files.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { PATH = 512, NAME = 128, FILES = 64 };

typedef struct seen {
    char path[FILES][PATH];
    size_t count;
} seen;

static void fail(const char *what, const char *path) {
    fprintf(stderr, "count_lines: %s %s\n", what, path);
    exit(1);
}

static size_t count_file(const char *path, seen *s);

// Where `name` is, as `includer` says it: beside it, else in include/. False where it does not count.
static bool find_header(const char *includer, const char name[NAME], char path[PATH]) {
    const char *slash = strrchr(includer, '/');
    if (strcmp(name, "private.h") == 0) return false;
    snprintf(path, PATH, "%.*s/%.*s", (int)(slash - includer), includer, NAME, name);
    if (base_file_exists(path)) return true;
    snprintf(path, PATH, "include/%.*s", NAME, name);
    return strncmp(name, "kz/device/", 10) == 0 && base_file_exists(path);
}

static size_t count_headers(const char *path, const char *text, seen *s) {
    static const char include[] = "#include \"";
    size_t lines = 0;
    for (const char *at = text; (at = strstr(at, include)); at++) {
        char name[NAME], header[PATH];
        if (at > text && at[-1] != '\n') continue;
        const char *start = at + sizeof include - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(start, "\"\n"), start);
        if (find_header(path, name, header)) lines += count_file(header, s);
    }
    return lines;
}

// Its own lines and those of its headers, each file once.
static size_t count_file(const char *path, seen *s) {
    char *text;
    size_t size;
    for (size_t i = 0; i < s->count; i++)
        if (strcmp(s->path[i], path) == 0) return 0;
    if (s->count == FILES) fail("too many headers in", path);
    snprintf(s->path[s->count++], PATH, "%s", path);
    if (base_file_read(path, &text, &size, NULL) != KZ_OK) fail("cannot read", path);
    size_t lines = base_code_lines(text) + count_headers(path, text, s);
    free(text);
    return lines;
}

static void write_row(FILE *out, const char *path) {
    char folders[PATH];
    snprintf(folders, sizeof folders, "%s", path);
    char *name = strrchr(folders, '/');
    if (!name) fail("no kernel of a family:", path);
    *name++ = 0;
    const char *family = strrchr(folders, '/');
    char *end = strrchr(name, '.');
    if (!family || !end) fail("no kernel of a family:", path);
    *end = 0;
    seen s = {.count = 0};
    char *text;
    size_t size, all = count_file(path, &s);
    if (base_file_read(path, &text, &size, NULL) != KZ_OK) fail("cannot read", path);
    fprintf(out, "    {\"%s\", \"%s\", %zu, %zu},\n", family + 1, name, base_code_lines(text), all);
    free(text);
}

int main(int argc, char **argv) {
    if (argc < 3) fail("usage: count_lines OUT.c FILE...", "");
    FILE *out = fopen(argv[1], "w");
    if (!out) fail("cannot write", argv[1]);
    fprintf(out, "// Written by tools/count_lines.c.\n#include \"bench/facts.h\"\n\n"
                 "const bench_line_count bench_line_counts[] = {\n");
    for (int i = 2; i < argc; i++) write_row(out, argv[i]);
    fprintf(out, "    {0},\n};\n");
    return fclose(out) == 0 ? 0 : 1;
}

// pages [write | check] [PAGE [WORD...]]: see pages.h.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pages.h"

enum { OK = 0, STALE = 1, FAILED = 2 };

static const struct {
    const char *name, *where, *text;
    kz_status (*make)(pages_writer *w, const char *const *words, size_t count, kz_error *error);
} pages[] = {
#define PAGE(name, where, text) {#name, where, text, pages_##name},
#include "pages.def"
#undef PAGE
};

// ---- the writer -------------------------------------------------------------------------------------------

kz_status pages_put(pages_writer *w, const char *path, const base_text *text, kz_error *error) {
    char *before = NULL;
    size_t size = 0;
    if (text->failed || !text->data) return base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    if (base_file_exists(path)) base_file_read(path, &before, &size, NULL);
    bool same = before && size == text->length && memcmp(before, text->data, size) == 0;
    free(before);
    if (same) {
        w->current++;
        return KZ_OK;
    }
    printf("%s%s\n", path, w->check ? " is stale" : "");
    if (w->check) {
        w->stale++;
        return KZ_OK;
    }
    w->written++;
    return base_file_write(path, text->data, text->length, error);
}

kz_status pages_remove(pages_writer *w, const char *path, kz_error *error) {
    printf("%s%s\n", path, w->check ? " is stale" : " (removed)");
    if (w->check) {
        w->stale++;
        return KZ_OK;
    }
    w->written++;
    return remove(path) ? base_fail(error, KZ_IO, "%s cannot be removed: %s", path, strerror(errno)) : KZ_OK;
}

kz_status pages_replace(const char *path, const char *text, const char *begin_mark, const char *end_mark,
                        const base_text *section, base_text *out, kz_error *error) {
    const char *begin = strstr(text, begin_mark), *end = begin ? strstr(begin, end_mark) : NULL;
    if (!end) {
        base_fail(error, KZ_INVALID, "%s has no place for this", path);
        base_fail_note(error, "it is between the lines %s and %s", begin_mark, end_mark);
        return KZ_INVALID;
    }
    base_text_add_bytes(out, text, (size_t)(begin - text));
    base_text_add(out, "%s\n%s%s", begin_mark, section->data ? section->data : "", end);
    return KZ_OK;
}

// ---- the command --------------------------------------------------------------------------------------------

static int list(void) {
    printf("pages write [PAGE [WORD...]]   writes all pages, or one of them\n"
           "pages check [PAGE [WORD...]]   says which are stale; exit status 1 where one is\n\n");
    for (size_t i = 0; i < BASE_COUNT(pages); i++)
        printf("%-12s %s\n%-12s %s\n", pages[i].name, pages[i].where, "", pages[i].text);
    return OK;
}

static int fail(const kz_error *error) {
    fflush(stdout);
    fprintf(stderr, "pages: %s\n", error->message);
    return FAILED;
}

static int run(bool check, const char *name, const char *const *words, size_t count) {
    pages_writer w = {.check = check};
    bool found = false;
    for (size_t i = 0; i < BASE_COUNT(pages); i++) {
        kz_error error = {0};
        if (name && strcmp(name, pages[i].name) != 0) continue;
        found = true;
        if (pages[i].make(&w, words, count, &error)) return fail(&error);
    }
    if (!found) {
        fprintf(stderr, "pages: there is no page \"%s\"; pages lists them\n", name);
        return FAILED;
    }
    if (!check) {
        printf("%zu file%s written, %zu were current\n", w.written, w.written == 1 ? "" : "s", w.current);
        return OK;
    }
    if (!w.stale) return OK;
    fflush(stdout);
    fprintf(stderr, "pages: %zu file%s stale: make pages brings %s up to date\n", w.stale,
            w.stale > 1 ? "s are" : " is", w.stale > 1 ? "them" : "it");
    return STALE;
}

int main(int argc, char **argv) {
    if (argc < 2) return list();
    bool check = strcmp(argv[1], "check") == 0;
    if (!check && strcmp(argv[1], "write") != 0) {
        fprintf(stderr, "pages: \"%s\" is neither write nor check; pages lists what there is\n", argv[1]);
        return FAILED;
    }
    return run(check, argc > 2 ? argv[2] : NULL, (const char *const *)argv + 3,
               argc > 3 ? (size_t)argc - 3 : 0);
}

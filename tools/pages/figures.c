// docs/concepts/figures: each is made by one function, from a run now, from the GPU's limits, or from records.
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "pages.h"

#define FOLDER "docs/concepts/figures"

typedef enum figure_kind { FIGURE_RUN, FIGURE_CALCULATED, FIGURE_MEASURED } figure_kind;

typedef struct figure_entry {
    const char *name, *text;
    figure_kind kind;
    kz_status (*make)(figure_lab *lab, base_text *svg, kz_error *error);
} figure_entry;

static const figure_entry figures[] = {
#define FIGURE(name, text, kind) {#name, text, FIGURE_##kind, figure_##name},
#include "figures.def"
#undef FIGURE
};

static kz_status make(pages_writer *w, figure_lab *lab, const figure_entry *figure, kz_error *error) {
    char path[200];
    base_text svg = {0};
    kz_status status = figure->kind == FIGURE_RUN ? figure_lab_open(lab, error) : KZ_OK;
    if (!status) status = figure->make(lab, &svg, error);
    figure_lab_clear(lab);
    snprintf(path, sizeof path, FOLDER "/%s.svg", figure->name);
    if (!status) status = pages_put(w, path, &svg, error);
    base_text_free(&svg);
    return status;
}

static const figure_entry *find(const char *name, kz_error *error) {
    const char *names[BASE_COUNT(figures) + 1] = {0};
    for (size_t i = 0; i < BASE_COUNT(figures); i++) {
        names[i] = figures[i].name;
        if (strcmp(name, figures[i].name) == 0) return &figures[i];
    }
    const char *near = base_nearest(name, names);
    base_fail(error, KZ_INVALID, "there is no figure \"%s\"; tools/pages/figures.def has them", name);
    if (near) base_fail_note(error, "did you mean %s?", near);
    return NULL;
}

kz_status pages_figures(pages_writer *w, const char *const *words, size_t count, kz_error *error) {
    figure_lab lab = {.results = "results/h200"};
    kz_status status = base_make_folders(FOLDER, error);
    for (size_t i = 0; i < BASE_COUNT(figures) && !count && !status; i++)
        status = make(w, &lab, &figures[i], error);
    for (size_t i = 0; i < count && !status; i++) {
        const figure_entry *figure = find(words[i], error);
        status = figure ? make(w, &lab, figure, error) : KZ_INVALID;
    }
    figure_lab_close(&lab);
    return status;
}

// kz figure: the figures of docs/concepts, made anew.
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "figure.h"

typedef struct figure_options {
    const char *output, *all, *results;
} figure_options;

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

static void list_figures(void) {
    static const char *const kinds[] = {"run", "calculated", "measured"};
    for (size_t i = 0; i < BASE_COUNT(figures); i++)
        printf("%-18s %-11s %s\n", figures[i].name, kinds[figures[i].kind], figures[i].text);
}

// To `path`, or to stdout where it is NULL.
static kz_status make(figure_lab *lab, const figure_entry *figure, const char *path, kz_error *error) {
    base_text svg = {0};
    kz_status status = figure->kind == FIGURE_RUN ? figure_lab_open(lab, error) : KZ_OK;
    if (!status) status = figure->make(lab, &svg, error);
    figure_lab_clear(lab);
    if (!status && svg.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for the figure");
    if (!status && path) status = base_file_write(path, svg.data, svg.length, error);
    if (!status && !path) fwrite(svg.data, 1, svg.length, stdout);
    base_text_free(&svg);
    return status;
}

static kz_status make_all(figure_lab *lab, const char *folder, kz_error *error) {
    kz_status status = base_make_folders(folder, error);
    for (size_t i = 0; i < BASE_COUNT(figures) && !status; i++) {
        char path[1200];
        snprintf(path, sizeof path, "%s/%s.svg", folder, figures[i].name);
        status = make(lab, &figures[i], path, error);
        if (!status) puts(path);
    }
    return status;
}

static const figure_entry *find(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(figures); i++)
        if (strcmp(name, figures[i].name) == 0) return &figures[i];
    return NULL;
}

static int fail_unknown(const char *name) {
    const char *names[BASE_COUNT(figures) + 1] = {0};
    for (size_t i = 0; i < BASE_COUNT(figures); i++) names[i] = figures[i].name;
    const char *near = base_nearest(name, names);
    return cli_fail_with(KZ_INVALID, "there is no figure '%s'%s%s%s\n`kz figure` lists them", name,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static int run(const cli_command *self, int argc, char **argv) {
    figure_options options = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    if (words.count > 1 || (words.count && options.all))
        return cli_fail_with(KZ_INVALID, "kz figure makes one figure, or all of them with --all FOLDER");
    if (options.output && !words.count)
        return cli_fail_with(KZ_INVALID, "--output is for one figure: kz figure NAME --output FILE");
    if (!words.count && !options.all) {
        list_figures();
        return CLI_OK;
    }
    const figure_entry *one = words.count ? find(words.items[0]) : NULL;
    if (words.count && !one) return fail_unknown(words.items[0]);
    figure_lab lab = {.results = options.results ? options.results : "results/h200"};
    kz_status status = one ? make(&lab, one, options.output, &error) : make_all(&lab, options.all, &error);
    figure_lab_close(&lab);
    return status ? cli_fail(&error) : CLI_OK;
}

static const cli_option options_table[] = {
    {"output", CLI_TEXT, offsetof(figure_options, output), "FILE",
     "where it goes; stdout where nothing is said"},
    {"all", CLI_TEXT, offsetof(figure_options, all), "FOLDER", "all figures, as FOLDER/NAME.svg"},
    {"results", CLI_TEXT, offsetof(figure_options, results), "FOLDER",
     "measured records of the H200; results/h200 where nothing is said"},
    {0},
};

const cli_command cli_command_figure = {
    .usage = "kz figure [NAME] [--output FILE]\nkz figure --all FOLDER",
    .about =
        "Makes the figures of the concept pages as SVG. Those marked `run` come from kernels that run now, "
        "on a\n"
        "simulated H200; `calculated` from that GPU's limits; `measured` from the records of real runs.\n"
        "Without a name it lists them.",
    .examples = "  kz figure\n"
                "  kz figure divergence --output divergence.svg\n"
                "  kz figure --all docs/concepts/figures",
    .options = options_table,
    .run = run,
};

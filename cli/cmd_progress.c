// kz progress: what a learner has done, on the terminal, as HTML, as JSON; and as plain text, out and in.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "learn/progress_page.h"

typedef struct options {
    cli_shared shared;
    cli_output export;
    const char *import;
} options;

static void print_path(const char *path) {
    if (path) printf("%s\n", path);
}

static int write_text(const base_text *text, const char *path, kz_error *error) {
    if (report_write_text(text, path, error)) return cli_fail(error);
    print_path(path);
    return CLI_OK;
}

// ---- plain text: the course is not needed ---------------------------------------------------------------

static int import_file(store *progress, const char *path, kz_error *error) {
    char *text = NULL;
    size_t size;
    uint64_t added = 0;
    if (base_file_read(path, &text, &size, error) != KZ_OK) {
        base_fail_note(error, "--import takes a file that kz progress --export wrote");
        return cli_fail(error);
    }
    kz_status status = strlen(text) == size
                           ? store_import(progress, path, text, &added, error)
                           : base_fail(error, KZ_SYNTAX, "%s is no text: it holds a zero byte", path);
    free(text);
    if (!status && added)
        status = store_set(progress, STORE_ANEW, "", error); // what was before is here again
    if (status) return cli_fail(error);
    printf("%llu new line%s imported from %s\n", (unsigned long long)added, added == 1 ? "" : "s", path);
    return CLI_OK;
}

static int move_text(const options *o, kz_error *error) {
    char folder[LEARN_PATH], aside[LEARN_PATH];
    store *progress = NULL;
    if (learn_open_progress(folder, &progress, aside, error) != KZ_OK) return cli_fail(error);
    learn_print_set_aside(aside);
    int code = CLI_OK;
    if (o->import) code = import_file(progress, o->import, error);
    if (code == CLI_OK && o->export.given) {
        base_text text = {0};
        code =
            store_export(progress, &text, error) ? cli_fail(error) : write_text(&text, o->export.path, error);
        base_text_free(&text);
    }
    store_close(progress);
    return code;
}

// ---- the pages ------------------------------------------------------------------------------------------

static int show_html(const learn_desk *desk, const report_learner *page, const cli_output *to,
                     kz_error *error) {
    base_text text = {0}, path = {0};
    report_learner_html(&text, page);
    base_text_add(&path, "%s/progress.html", desk->folder);
    const char *where = to->path ? to->path : path.data;
    int code = where ? write_text(&text, where, error) : cli_fail_with(KZ_NO_MEMORY, "no memory");
    base_text_free(&text);
    base_text_free(&path);
    return code;
}

static int show_json(const report_learner *page, const cli_output *to, kz_error *error) {
    if (report_write_indented(report_learner_json(page), to->path, error)) return cli_fail(error);
    print_path(to->path);
    return CLI_OK;
}

// An empty page should not look as if nothing had ever been done. Where the file was begun just now, it was said.
static void print_beginning(const learn_desk *desk) {
    char day[STORE_DAY] = "";
    kz_error ignored = {0};
    if (*desk->learner.set_aside || store_get(desk->progress, STORE_ANEW, day, sizeof day, &ignored)) return;
    if (!*day) return;
    fprintf(stderr,
            "kz: this begins on %s: the progress file was gone or broken then, and a new one was begun.\n"
            "If you have an export of what was before: kz progress --import FILE\n",
            day);
}

static int show(const options *o, kz_error *error) {
    learn_desk desk;
    report_learner page;
    int code = CLI_OK;
    base_arena *arena = base_arena_open();
    kz_status status = learn_desk_open(&desk, error);
    if (!status && !arena) status = base_fail(error, KZ_NO_MEMORY, "no memory for the page");
    if (!status) print_beginning(&desk);
    if (!status) status = learn_progress_gather(&desk, arena, &page, error);
    if (status) {
        code = cli_fail(error);
    } else if (o->shared.html.given || o->shared.json.given) {
        if (o->shared.html.given) code = show_html(&desk, &page, &o->shared.html, error);
        if (code == CLI_OK && o->shared.json.given) code = show_json(&page, &o->shared.json, error);
    } else {
        report_style style = report_detect_style(stdout);
        report_learner_print(stdout, &style, &page);
    }
    base_arena_close(arena);
    learn_desk_close(&desk);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    options o = {0};
    kz_error error = {0};
    if (cli_parse_options(self, argc, argv, &o, &error)) return cli_fail(&error);
    if ((o.import || o.export.given) && (o.shared.html.given || o.shared.json.given))
        return cli_fail_with(KZ_INVALID,
                             "--import and --export go without --html and --json: do one after another");
    return o.import || o.export.given ? move_text(&o, &error) : show(&o, &error);
}

static const cli_option option_table[] = {
    CLI_HTML("one self-contained page (progress.html in your folder)"),
    CLI_JSON_OF("the page"),
    {"export", CLI_OUTPUT, offsetof(options, export), "FILE", "everything recorded, as plain text"},
    {"import", CLI_TEXT, offsetof(options, import), "FILE", "adds what an export holds and is not here yet"},
    {0},
};

const cli_command cli_command_progress = {
    .usage =
        "kz progress [--html[=PATH]] [--json[=PATH]]\nkz progress --export[=FILE]\nkz progress --import FILE",
    .about =
        "Shows what you have done: tasks by topic, your path with its gates, skills, days, best "
        "figures, and what\n"
        "is next. A gate is passed when all its tasks are; one that waits for a part of the project "
        "that is not\n"
        "built yet cannot be passed before it is. Figures counted by the simulator and figures timed on "
        "a GPU are\n"
        "told apart. All of it is kept in progress.db in your folder: $KZ_LEARN, else ~/" COURSE_HOME ".",
    .examples = "  kz progress                           the page for the terminal\n"
                "  kz progress --html                    writes progress.html in your folder\n"
                "  kz progress --export=mine.txt         to keep, or to carry to another machine\n"
                "  kz progress --import mine.txt         adds what is not here yet",
    .options = option_table,
    .run = run,
};

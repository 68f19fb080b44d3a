// kz notebook: writes a page of the lab notebook, and opens it in the editor.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "learn/learner.h"
#include "learn/notebook.h"

typedef struct options {
    bool no_edit;
} options;

static int open_editor(const char *path) {
    const char *editor = learn_editor();
    kz_error error = {0};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !editor) return CLI_OK;
    if (!learn_edit(editor, path, &error)) return CLI_OK;
    base_fail_note(&error, "or use --no-edit; the page is at %s", path);
    return cli_fail(&error);
}

static int run(const cli_command *self, int argc, char **argv) {
    options o = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &o, &words, &error) != KZ_OK) return cli_fail(&error);
    static const char *const kinds[] = {"insight", "microbench", NULL};
    bool known =
        words.count && (strcmp(words.items[0], kinds[0]) == 0 || strcmp(words.items[0], kinds[1]) == 0);
    if (words.count && !known) {
        const char *near = base_nearest(words.items[0], kinds);
        return cli_fail_with(KZ_INVALID, "kz notebook has no \"%s\"%s%s%s\ntry: kz help notebook",
                             words.items[0], near ? "\ndid you mean kz notebook " : "", near ? near : "",
                             near ? "?" : "");
    }
    if (known && words.count != 2)
        return cli_fail_with(KZ_INVALID,
                             "kz notebook %s takes one title; put it in quotes where it has spaces",
                             words.items[0]);
    base_text path = {0};
    kz_status status =
        learn_notebook_write(known ? words.items[0] : NULL, known ? words.items[1] : NULL, &path, &error);
    int code = status ? cli_fail(&error) : CLI_OK;
    if (code == CLI_OK) {
        printf("%s\n", path.data);
        if (!o.no_edit) code = open_editor(path.data);
    }
    base_text_free(&path);
    return code;
}

static const cli_option option_table[] = {
    {"no-edit", CLI_FLAG, offsetof(options, no_edit), NULL, "only writes the page and prints where it is"},
    {0},
};

const cli_command cli_command_notebook = {
    .usage = "kz notebook [--no-edit]\nkz notebook insight TITLE\nkz notebook microbench NAME",
    .about =
        "Opens today's page of your lab notebook, daily/<day>.md: what you ran today is in it already "
        "(graded\n"
        "tasks, katas, kz check and kz bench), beside questions to answer. A second call brings that section "
        "up\n"
        "to date; your own words are never touched. insight and microbench begin a page in insights/ and\n"
        "microbench/; one that is there stays as it is. All of it is in notebook/ of your folder "
        "($KZ_LEARN,\n"
        "else ~/" COURSE_HOME "). On a terminal the page is opened in $VISUAL or $EDITOR.",
    .examples = "  kz notebook                                      today's page\n"
                "  kz notebook insight \"Padding beats swizzling\"    something understood\n"
                "  kz notebook microbench \"shared latency\"          something measured",
    .options = option_table,
    .run = run,
};

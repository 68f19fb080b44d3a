// kz portfolio: what was passed, as one page to show.
#include <stdio.h>

#include "cli.h"
#include "learn/progress_page.h"

typedef struct options {
    cli_output html;
} options;

static int write_page(const learn_desk *desk, const report_portfolio *page, const cli_output *to,
                      kz_error *error) {
    base_text text = {0}, path = {0};
    int code = CLI_OK;
    report_portfolio_html(&text, page);
    base_text_add(&path, "%s/portfolio.html", desk->folder);
    const char *where = to->path ? to->path : path.data;
    if (text.failed || path.failed)
        code = cli_fail_with(KZ_NO_MEMORY, "no memory for the portfolio");
    else if (base_file_write(where, text.data, text.length, error) != KZ_OK)
        code = cli_fail(error);
    else
        printf("%zu work%s in %s\n", page->work_count, page->work_count == 1 ? "" : "s", where);
    if (code == CLI_OK && !page->work_count)
        printf(
            "Nothing to show yet: passed capstones, and passed tasks with a figure, come here by themselves. "
            "kz learn goes on.\n");
    base_text_free(&text);
    base_text_free(&path);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    options o = {0};
    cli_list words;
    learn_desk desk;
    report_portfolio page;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &o, &words, &error) != KZ_OK) return cli_fail(&error);
    if (words.count > 0)
        return cli_fail_with(KZ_INVALID,
                             "kz portfolio takes no arguments, and \"%s\" is one\ntry: kz help portfolio",
                             words.items[0]);
    base_arena *arena = base_arena_open();
    kz_status status = learn_desk_open(&desk, &error);
    if (!status && !arena) status = base_fail(&error, KZ_NO_MEMORY, "no memory for the portfolio");
    if (!status) status = learn_portfolio_gather(&desk, arena, &page, &error);
    int code = status ? cli_fail(&error) : write_page(&desk, &page, &o.html, &error);
    base_arena_close(arena);
    learn_desk_close(&desk);
    return code;
}

static const cli_option option_table[] = {
    {"html", CLI_OUTPUT, offsetof(options, html), "FILE",
     "where the page goes; portfolio.html in your folder"},
    {NULL, CLI_FLAG, 0, NULL, NULL},
};

const cli_command cli_command_portfolio = {
    .usage = "kz portfolio [--html=FILE]",
    .about = "Gathers what you can show into one self-contained HTML page: capstones that you passed, and "
             "other passed\n"
             "tasks that have a figure, each with what it is about, your code as it passed, the figures over "
             "your\n"
             "attempts, and the insights of your notebook that name it. Nothing that was not passed is in "
             "it, and each\n"
             "figure says whether the simulator counted it or which GPU it was timed on.",
    .examples = "  kz portfolio                       writes portfolio.html in your folder\n"
                "  kz portfolio --html=works.html     writes it there",
    .options = option_table,
    .run = run,
};

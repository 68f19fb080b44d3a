// kz portfolio: what was passed, as one page to show.
#include <stdio.h>

#include "options.h"
#include "learn/progress_page.h"

typedef struct options {
    cli_shared shared;
    const char *introduction;
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
    else if (code == CLI_OK && !page->name[0])
        printf("It has no name yet: kz portfolio --name \"...\" --introduction \"...\" gives it one.\n");
    base_text_free(&text);
    base_text_free(&path);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    options o = {0};
    learn_desk desk;
    report_portfolio page;
    kz_error error = {0};
    if (cli_parse_options(self, argc, argv, &o, &error)) return cli_fail(&error);
    base_arena *arena = base_arena_open();
    kz_status status = learn_desk_open(&desk, &error);
    if (!status && !arena) status = base_fail(&error, KZ_NO_MEMORY, "no memory for the portfolio");
    if (!status) status = learn_portfolio_say(&desk, o.shared.name, o.introduction, &error);
    if (!status) status = learn_portfolio_gather(&desk, arena, &page, &error);
    int code = status ? cli_fail(&error) : write_page(&desk, &page, &o.shared.html, &error);
    base_arena_close(arena);
    learn_desk_close(&desk);
    return code;
}

static const cli_option option_table[] = {
    CLI_HTML("where the page goes (portfolio.html in your folder)"),
    CLI_NAME("your name, at its head; kept for the next time"),
    {"introduction", CLI_TEXT, offsetof(options, introduction), "TEXT",
     "some sentences about you and your work; kept for the next time"},
    {0},
};

const cli_command cli_command_portfolio = {
    .usage = "kz portfolio [--name NAME] [--introduction TEXT] [--html=PATH]",
    .about = "Gathers what you can show into one self-contained HTML page: capstones that you passed, and "
             "other passed\n"
             "tasks that have a figure, each with what it is about, your code as it passed, the figures over "
             "your\n"
             "attempts, and the insights of your notebook that name it. Nothing that was not passed is in "
             "it, and each\n"
             "figure says whether the simulator counted it or which GPU it was timed on.",
    .examples = "  kz portfolio                       writes portfolio.html in your folder\n"
                "  kz portfolio --name \"Ada L.\" --introduction \"$(cat about-me.txt)\"\n"
                "  kz portfolio --html=works.html     writes it there",
    .options = option_table,
    .run = run,
};

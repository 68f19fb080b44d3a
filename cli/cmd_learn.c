// kz learn: the course. Bare, it opens where the learner left off, and watches their file.
#include "learn.h"

#include <string.h>
#include <unistd.h>

#include "learn_author.h"
#include "learn_read.h"
#include "learner.h"

static const cli_option options[] = {
    {"path", CLI_TEXT, offsetof(learn_options, path), "PATH", "this path instead of the present one"},
    {"device", CLI_TEXT, offsetof(learn_options, device), "ID",
     "grade on this device: sim, sim:a100, cuda:0; a GPU where there is one"},
    {"yes", CLI_FLAG, offsetof(learn_options, yes), NULL, "do not ask (reset, solution)"},
    {"poll", CLI_FLAG, offsetof(learn_options, poll), NULL,
     "look at the file twice a second, where saving goes unnoticed (network folders)"},
    {0},
};

// What people who write tasks use needs no learner.
static bool is_for_authors(int argc, char **argv) {
    static const char *const verbs[] = {"new-task", "check-task", "metrics", "coverage"};
    for (size_t i = 0; argc > 1 && i < BASE_COUNT(verbs); i++)
        if (strcmp(argv[1], verbs[i]) == 0) return true;
    return false;
}

static bool is_terminal(void) {
    return isatty(STDIN_FILENO) && report_detect_style(stdout).terminal; // not where CI is set
}

// A word that is no verb is the task to go to.
static int go_to(learn *l, const cli_list *words, kz_error *error) {
    const course_task *task;
    if (words->count > 1)
        return cli_fail_with(KZ_INVALID, "kz learn has no verb \"%s\"\ntry: kz help learn", words->items[0]);
    if (learn_find_task(l, words->items[0], &task, error)) {
        base_fail_note(error, "kz help learn lists the verbs");
        return cli_fail(error);
    }
    l->task = task;
    return CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    if (is_for_authors(argc, argv)) return cli_learn_author(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "read") == 0) return cli_learn_read(argc - 1, argv + 1);
    learn_options given = {0};
    cli_list words;
    kz_error error = {0};
    learn l;
    if (cli_parse(self, argc, argv, &given, &words, &error) || learn_open(&given, &l, &error))
        return cli_fail(&error);
    cli_learner_tell(l.set_aside);
    int code = CLI_OK;
    bool done = false;
    if (!l.task)
        code = cli_fail_with(KZ_NOT_FOUND, "the course in %s has no tasks%s\ntry: kz learn paths",
                             l.catalogue->folder, l.path ? " in this path" : ""),
        done = true;
    if (!done && words.count) done = learn_verb(&l, &words, &code);
    if (!done && words.count) code = go_to(&l, &words, &error);
    if (!done && code == CLI_OK) code = is_terminal() ? learn_watch_screen(&l) : learn_once(&l);
    learn_close(&l);
    return code;
}

const cli_command cli_command_learn = {
    .usage =
        "kz learn [TASK] [OPTIONS]\n"
        "kz learn paths | start PATH | list [PATH] | gates [PATH]\n"
        "kz learn read [PAGE]\n"
        "kz learn show [TASK] | run [TASK] | hint [N] | next | skip [TASK] | solution [TASK] | reset TASK\n"
        "kz learn new-task TOPIC/ID [--kind cuda|program|c|command|answer] | check-task FOLDER|ID\n"
        "kz learn metrics | coverage [--check]",
    .about =
        "Opens the course where you left off, shows the task and the file to edit, and watches that file: "
        "each\n"
        "time you save it, it is compiled, checked on inputs that hurt, sanitised and measured, and what is\n"
        "wrong is said in words. Keys: n next, h hint, e edit, w what the task says, v the verdict "
        "again,\n"
        "p pages to read, r run, l list, g gates, k skip, s solution, q quit.\n"
        "Without a terminal it grades once: exit status 0 passed, 1 not passed.\n"
        "Your files and your progress lie in ~/" CLI_LEARNER_HOME
        ", or where KZ_LEARN says. The last line of verbs is "
        "for\n"
        "people who write tasks (docs/tasks.md).",
    .examples = "  kz learn                      opens where you left off\n"
                "  kz learn paths                what there is to learn, and how far you are\n"
                "  kz learn start fast-track     begins a path\n"
                "  kz learn vector-add           goes to one task\n"
                "  kz learn read performance     a page on the machine; kz learn read lists them\n"
                "  kz learn reset vector-add     its file as it was at the beginning; yours is kept beside",
    .options = options,
    .run = run,
};

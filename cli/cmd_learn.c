// kz learn: the course. Bare, it opens where the learner left off, and watches their file.
#include "options.h"

#include <string.h>
#include <unistd.h>

#include "learn/learn.h"
#include "learn/learner.h"
#include "learn/read.h"

typedef struct learn_given {
    cli_shared shared;
    learn_options own;
} learn_given;

static const cli_option options_table[] = {
    {"path", CLI_TEXT, offsetof(learn_given, own.path), "PATH", "this path instead of the present one"},
    CLI_GRADING_DEVICE,
    CLI_SANDBOX,
    {"yes", CLI_FLAG, offsetof(learn_given, own.yes), NULL, "do not ask (reset, solution)"},
    {"poll", CLI_FLAG, offsetof(learn_given, own.poll), NULL,
     "check the file twice a second, if saving goes unnoticed (network folders)"},
    {0},
};

// ---- verbs that need no learner -------------------------------------------------------------------------

static int read_page(const cli_command *self, int argc, char **argv) {
    kz_error error = {0};
    learn_given given = {0};
    cli_list words;
    base_text word = {0};
    if (cli_parse(self, argc, argv, &given, &words, &error)) return cli_fail(&error);
    for (size_t i = 1; i < words.count; i++) base_text_add(&word, "%s%s", i > 1 ? " " : "", words.items[i]);
    kz_status status = learn_read(word.data ? word.data : "", &error);
    base_text_free(&word);
    return status ? cli_fail(&error) : CLI_OK;
}

static bool is_for_authors(int argc, char **argv) {
    static const char *const verbs[] = {"new-task", "check-task", "metrics"};
    for (size_t i = 0; argc > 1 && i < BASE_COUNT(verbs); i++)
        if (strcmp(argv[1], verbs[i]) == 0) return true;
    return false;
}

// ---- the learner's ----------------------------------------------------------------------------------------

static bool is_terminal(void) {
    return isatty(STDIN_FILENO) && report_detect_style(stdout).terminal; // not where CI is set
}

// A word that is no verb is the task to go to.
static kz_status go_to(learn *l, const cli_list *words, kz_error *error) {
    if (words->count > 1)
        return base_fail(error, KZ_INVALID, "kz learn has no verb \"%s\"\ntry: kz help learn",
                         words->items[0]);
    kz_status status = learn_find_task(l, words->items[0], &l->task, error);
    if (status) base_fail_note(error, "kz help learn lists the verbs");
    return status;
}

static kz_status run_open(learn *l, const cli_list *words, learn_end *end, kz_error *error) {
    if (!l->task)
        return base_fail(error, KZ_NOT_FOUND, "the course in %s has no tasks%s\ntry: kz learn paths",
                         l->catalogue->folder, l->path ? " in this path" : "");
    bool verb = words->count && learn_is_verb(words->items[0]);
    kz_status status = words->count && !verb ? go_to(l, words, error) : KZ_OK;
    if (status) return status;
    if (!verb && is_terminal()) return learn_watch_screen(l, end, error);
    cli_catch_interrupts();
    return verb ? learn_verb(l, words->items, words->count, end, error) : learn_once(l, end, error);
}

static int run(const cli_command *self, int argc, char **argv) {
    static const int codes[] = {
        [LEARN_DONE] = CLI_OK, [LEARN_NOT_PASSED] = CLI_WRONG, [LEARN_INTERRUPTED] = CLI_INTERRUPTED};
    if (is_for_authors(argc, argv)) return cli_learn_author(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "read") == 0) return read_page(self, argc, argv);
    learn_given given = {.own.interrupted = cli_interrupted};
    cli_list words;
    kz_error error = {0};
    learn l;
    learn_end end = LEARN_DONE;
    if (cli_parse(self, argc, argv, &given, &words, &error) || cli_choose_sandbox(&given.shared, &error) ||
        cli_one_device(&given.shared, "learn", &given.own.device, &error) ||
        learn_open(&given.own, &l, &error))
        return cli_fail(&error);
    learn_print_set_aside(l.set_aside);
    kz_status status = run_open(&l, &words, &end, &error);
    learn_close(&l);
    return status ? cli_fail(&error) : codes[end];
}

const cli_command cli_command_learn = {
    .usage =
        "kz learn [TASK] [OPTIONS]\n"
        "kz learn paths | start PATH | list [PATH] | gates [PATH]\n"
        "kz learn read [PAGE]\n"
        "kz learn show [TASK] | run [TASK] | hint [N] | next | skip [TASK] | solution [TASK] | reset TASK\n"
        "kz learn new-task TOPIC/ID [--kind cuda|program|c|command|answer] | check-task FOLDER|ID\n"
        "kz learn metrics",
    .about =
        "Opens the course where you left off, shows the task and the file to edit, and watches that file: "
        "each\n"
        "time you save it, kz compiles it, checks it on edge cases, looks for races and bad accesses,\n"
        "measures it and explains what is wrong. Keys: n next, h hint, e edit, w the task, v the verdict,\n"
        "p pages to read, r run, l list, g gates, k skip, s solution, q quit.\n"
        "Without a terminal it grades once: exit status 0 passed, 1 not passed.\n"
        "Your files and your progress lie in ~/" COURSE_HOME
        ", or where KZ_LEARN says. The last line of verbs is "
        "for\n"
        "people who write tasks (docs/tasks.md).",
    .examples = "  kz learn                      opens where you left off\n"
                "  kz learn paths                what there is to learn, and how far you are\n"
                "  kz learn start fast-track     begins a path\n"
                "  kz learn vector-add           goes to one task\n"
                "  kz learn read performance     a page on the machine; kz learn read lists them\n"
                "  kz learn reset vector-add     its file as it was at the beginning; yours is kept beside",
    .options = options_table,
    .run = run,
};

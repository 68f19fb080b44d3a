// The verbs of kz learn that need no terminal, and kz learn itself without one.
#include "learn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learner.h"
#include "report/terminal/markdown.h"

// ---- helpers ------------------------------------------------------------------------------------------------

// Asks on the terminal; without one, --yes is the only yes.
static kz_status confirm(const learn *l, const char *question, const char *command, kz_error *error) {
    if (l->options.yes) return KZ_OK;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        base_fail(error, KZ_INVALID, "%s", question);
        base_fail_note(error, "there is no terminal to answer on: %s --yes", command);
        return KZ_INVALID;
    }
    fprintf(stderr, "%s Type yes: ", question);
    char line[16] = "";
    if (fgets(line, sizeof line, stdin) && (strcmp(line, "yes\n") == 0 || strcmp(line, "y\n") == 0))
        return KZ_OK;
    return base_fail(error, KZ_INVALID, "nothing was changed");
}

// One line that is drawn over, where somebody watches.
static void tell(const char *what, void *context) {
    const report_style *style = context;
    if (style->colour) fprintf(stderr, "\r\033[K%.*s", style->width - 1, what);
}

// Grades the present file once, prints the verdict and writes it down.
static int grade(learn *l, const report_style *style, bool brief) {
    base_text text = {0};
    learn_outcome outcome;
    report_style watcher = report_detect_style(stderr);
    cli_catch_interrupts();
    learn_grade(l, style, brief, &text, &outcome, tell, &watcher);
    if (watcher.colour) fputs("\r\033[K", stderr);
    fwrite(text.data ? text.data : "", 1, text.length, stdout);
    base_text_free(&text);
    if (cli_interrupted()) return CLI_INTERRUPTED;
    if (outcome.status) return cli_fail(&outcome.error);
    kz_error error = {0};
    char says[100];
    if (learn_record(l, &outcome, says, sizeof says, &error)) return cli_fail(&error);
    if (*says) printf("%s\n", says);
    return outcome.attempt.passed ? CLI_OK : CLI_WRONG;
}

static kz_status place(learn *l, kz_error *error) {
    bool made;
    bool known = learn_known(l, l->task).attempts > 0;
    kz_status status = learn_place(l, &made, error);
    if (!status && made && known) printf("%s was gone: it was made anew from the starter.\n\n", l->file);
    return status;
}

static int open_and_show(learn *l, const course_task *task, const report_style *style) {
    kz_error error = {0};
    if (learn_go(l, task, &error) || place(l, &error)) return cli_fail(&error);
    learn_show_head(l, stdout, style);
    if (learn_show_statement(task, stdout, style, &error)) return cli_fail(&error);
    printf("\nkz learn run grades it, kz learn hint helps.\n");
    return CLI_OK;
}

// ---- the verbs ------------------------------------------------------------------------------------------------

typedef int (*verb_function)(learn *l, const char *word, const report_style *style);

static int verb_paths(learn *l, const char *word, const report_style *style) {
    (void)word;
    learn_list_paths(l, stdout, style);
    return CLI_OK;
}

static int verb_list(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    const course_path *path;
    if (word && (learn_find_path(l, word, &path, &error) || learn_use_path(l, path, &error)))
        return cli_fail(&error);
    learn_list_tasks(l, stdout, style);
    return CLI_OK;
}

static int verb_gates(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    const course_path *path;
    if (word && (learn_find_path(l, word, &path, &error) || learn_use_path(l, path, &error)))
        return cli_fail(&error);
    learn_list_gates(l, stdout, style);
    return CLI_OK;
}

static int verb_start(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    const course_path *path;
    if (!word)
        return cli_fail_with(KZ_INVALID,
                             "which path? kz learn paths lists them\ntry: kz learn start first-steps");
    if (learn_find_path(l, word, &path, &error) || learn_use_path(l, path, &error)) return cli_fail(&error);
    if (l->count == 0)
        return cli_fail_with(KZ_NOT_FOUND, "the path \"%s\" has no tasks yet\ntry: kz learn paths", word);
    l->task = NULL;
    const course_task *first = learn_next(l);
    if (!first) {
        learn_show_next(l, stdout, style);
        first = l->order[0];
    }
    learn_show_path(l, stdout, style);
    return open_and_show(l, first, style);
}

static int verb_show(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    const course_task *task = l->task;
    if (word && learn_find_task(l, word, &task, &error)) return cli_fail(&error);
    if (task == l->task) {
        if (place(l, &error)) return cli_fail(&error);
        learn_show_head(l, stdout, style);
    } else {
        report_print(stdout, style, REPORT_BOLD, "%s", task->title);
        printf(" (%s)\n\n", task->id);
    }
    if (learn_show_statement(task, stdout, style, &error)) return cli_fail(&error);
    return CLI_OK;
}

static int verb_next(learn *l, const char *word, const report_style *style) {
    (void)word;
    if (!learn_known(l, l->task).passed)
        return cli_fail_with(KZ_WRONG,
                             "%s is not passed yet\nkz learn hint helps, kz learn skip leaves it for later",
                             l->task->id);
    const course_task *next = learn_next(l);
    if (next) return open_and_show(l, next, style);
    learn_show_next(l, stdout, style);
    return CLI_OK;
}

static int verb_hint(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    size_t count = 0, number = (size_t)learn_known(l, l->task).hints;
    if (word) {
        char *end;
        unsigned long given = strtoul(word, &end, 10);
        if (*end || given < 1)
            return cli_fail_with(KZ_INVALID, "\"%s\" is no number of a hint\ntry: kz learn hint 1", word);
        number = given - 1;
    }
    kz_status status = learn_show_hint(l, number, &count, stdout, style, &error);
    if (status == KZ_NOT_FOUND && !word) {
        printf("There are no more hints to %s. kz learn hint 1 shows the first again; kz learn solution "
               "shows one.\n",
               l->task->id);
        return CLI_OK;
    }
    if (status) return cli_fail(&error);
    if (number + 1 < count) printf("\nkz learn hint gives the next one.\n");
    return CLI_OK;
}

static int verb_run(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    const course_task *task;
    if (word) {
        if (learn_find_task(l, word, &task, &error) || learn_go(l, task, &error)) return cli_fail(&error);
    }
    if (place(l, &error)) return cli_fail(&error);
    int code = grade(l, style, false);
    if (code == CLI_OK) {
        fputc('\n', stdout);
        learn_show_after(l, stdout, style);
        if (learn_next(l)) printf("kz learn next goes on.\n");
    }
    return code;
}

static int verb_solution(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    if (word && learn_find_task(l, word, &l->task, &error)) return cli_fail(&error);
    if (!learn_known(l, l->task).passed &&
        confirm(l, "You have not passed this task yet; a look at its solution is written down as such.",
                "kz learn solution", &error))
        return cli_fail(&error);
    return learn_show_solution(l, stdout, style, &error) ? cli_fail(&error) : CLI_OK;
}

static int verb_skip(learn *l, const char *word, const report_style *style) {
    kz_error error = {0};
    const course_task *task = l->task;
    if (word && learn_find_task(l, word, &task, &error)) return cli_fail(&error);
    if (learn_known(l, task).passed) {
        printf("%s is passed already.\n", task->id);
    } else {
        if (store_set_skipped(l->progress, task->id, true, &error)) return cli_fail(&error);
        printf("Skipped %s: it comes back after the others, and kz learn %s opens it.\n\n", task->id,
               task->id);
    }
    const course_task *next = learn_next(l);
    if (task != l->task) return CLI_OK;
    if (next) return open_and_show(l, next, style);
    learn_show_next(l, stdout, style);
    return CLI_OK;
}

static int verb_reset(learn *l, const char *word, const report_style *style) {
    (void)style;
    kz_error error = {0};
    const course_task *task = NULL;
    if (!word)
        return cli_fail_with(KZ_INVALID, "which task? kz learn list names them\ntry: kz learn reset %s",
                             l->task->id);
    if (learn_find_task(l, word, &task, &error)) return cli_fail(&error);
    char question[256], command[128], folder[COURSE_PATH], file[COURSE_PATH];
    snprintf(question, sizeof question,
             "The file of %s goes back to its starter (yours is kept beside it), and the task counts as not "
             "passed.",
             task->id);
    snprintf(command, sizeof command, "kz learn reset %s", task->id);
    if (confirm(l, question, command, &error)) return cli_fail(&error);
    snprintf(folder, sizeof folder, "%.900s/tasks/%.100s", l->folder, task->id);
    char aside[COURSE_ASIDE];
    snprintf(file, sizeof file, "%.900s/%.40s.%.8s", folder, task->id, task->extension);
    course_task_aside(file, aside);
    if (base_make_folders(folder, &error) || course_task_place(task, folder, true, file, &error) ||
        store_reset_task(l->progress, task->id, &error))
        return cli_fail(&error);
    printf("%s is as it was at the beginning.\n", file);
    if (base_file_exists(aside)) printf("What you had changed is in %s.\n", aside);
    return CLI_OK;
}

static const struct {
    const char *name;
    verb_function run;
    bool takes_word, goes_on; // goes_on: on a terminal the screen follows
} verbs[] = {
    {"paths", verb_paths, false, false},      {"list", verb_list, true, false},
    {"gates", verb_gates, true, false},       {"start", verb_start, true, true},
    {"show", verb_show, true, false},         {"next", verb_next, false, false},
    {"hint", verb_hint, true, false},         {"run", verb_run, true, false},
    {"skip", verb_skip, true, false},         {"reset", verb_reset, true, false},
    {"solution", verb_solution, true, false},
};

bool learn_verb(learn *l, const cli_list *words, int *code) {
    for (size_t i = 0; i < BASE_COUNT(verbs); i++) {
        if (strcmp(words->items[0], verbs[i].name) != 0) continue;
        report_style style = report_detect_style(stdout);
        if (words->count > (verbs[i].takes_word ? 2u : 1u))
            *code = cli_fail_with(KZ_INVALID,
                                  "kz learn %s does not know what to do with \"%s\"\ntry: kz help learn",
                                  verbs[i].name, words->items[words->count - 1]);
        else
            *code = verbs[i].run(l, words->count > 1 ? words->items[1] : NULL, &style);
        return true;
    }
    return false;
}

int learn_once(learn *l) {
    report_style style = report_detect_style(stdout);
    kz_error error = {0};
    if (l->first_time) learn_show_welcome(l, stdout, &style);
    if (learn_go(l, l->task, &error) || place(l, &error)) return cli_fail(&error);
    learn_show_head(l, stdout, &style);
    printf("  What it asks for: kz learn show %s\n\n", l->task->id);
    int code = grade(l, &style, true);
    if (code == CLI_OK) {
        fputc('\n', stdout);
        learn_show_next(l, stdout, &style);
    }
    if (code == CLI_OK || code == CLI_WRONG)
        printf(
            "\nThere is no terminal here, so nothing is watched.\nkz learn run grades again, kz learn hint "
            "helps%s.\n",
            code != CLI_OK  ? ", kz learn skip leaves it for later"
            : learn_next(l) ? ", kz learn next goes on"
                            : "");
    return code;
}

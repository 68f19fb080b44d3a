// The verbs of kz learn that need no terminal, and kz learn itself without one.
#include "learn/learn.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "learn/learner.h"
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
static void show_progress(const char *what, void *context) {
    const report_style *style = context;
    char line[256];
    snprintf(line, sizeof line, "%s", what);
    base_clean(line); // a command of an answer file
    if (style->colour) fprintf(stderr, "\r\033[K%.*s", style->width - 1, line);
}

// Grades the present file once, prints the verdict and writes it down.
static kz_status grade(learn *l, const report_style *style, bool brief, learn_end *end, kz_error *error) {
    base_text text = {0};
    learn_outcome outcome;
    report_style watcher = report_detect_style(stderr);
    learn_grade(l, style, brief, &text, &outcome, show_progress, &watcher);
    if (watcher.colour) fputs("\r\033[K", stderr);
    fwrite(text.data ? text.data : "", 1, text.length, stdout);
    base_text_free(&text);
    if (l->options.interrupted && l->options.interrupted()) {
        *end = LEARN_INTERRUPTED;
        return KZ_OK;
    }
    if (outcome.status) {
        *error = outcome.error;
        return outcome.status;
    }
    char says[100];
    kz_status status = learn_record(l, &outcome, says, sizeof says, error);
    if (!status && *says) printf("%s\n", says);
    *end = outcome.attempt.passed ? LEARN_DONE : LEARN_NOT_PASSED;
    return status;
}

static kz_status make_file(learn *l, kz_error *error) {
    bool made;
    bool known = learn_known(l, l->task).attempts > 0;
    kz_status status = learn_make_file(l, &made, error);
    if (!status && made && known) printf("%s was gone: it was made anew from the starter.\n\n", l->file);
    return status;
}

static kz_status open_and_show(learn *l, const course_task *task, const report_style *style,
                               kz_error *error) {
    kz_status status = learn_go(l, task, error);
    if (!status) status = make_file(l, error);
    if (status) return status;
    learn_show_head(l, stdout, style);
    status = learn_show_statement(task, stdout, style, error);
    if (!status) printf("\nkz learn run grades it, kz learn hint helps.\n");
    return status;
}

// ---- the verbs ------------------------------------------------------------------------------------------------

typedef kz_status (*verb_function)(learn *l, const char *word, const report_style *style, learn_end *end,
                                   kz_error *error);

static kz_status verb_paths(learn *l, const char *word, const report_style *style, learn_end *end,
                            kz_error *error) {
    learn_list_paths(l, stdout, style);
    return KZ_OK;
}

static kz_status verb_list(learn *l, const char *word, const report_style *style, learn_end *end,
                           kz_error *error) {
    const course_path *path;
    if (word && (learn_find_path(l, word, &path, error) || learn_use_path(l, path, error)))
        return error->status;
    learn_list_tasks(l, stdout, style);
    return KZ_OK;
}

static kz_status verb_gates(learn *l, const char *word, const report_style *style, learn_end *end,
                            kz_error *error) {
    const course_path *path;
    if (word && (learn_find_path(l, word, &path, error) || learn_use_path(l, path, error)))
        return error->status;
    learn_list_gates(l, stdout, style);
    return KZ_OK;
}

static kz_status verb_start(learn *l, const char *word, const report_style *style, learn_end *end,
                            kz_error *error) {
    const course_path *path;
    if (!word)
        return base_fail(error, KZ_INVALID,
                         "which path? kz learn paths lists them\ntry: kz learn start first-steps");
    if (learn_find_path(l, word, &path, error) || learn_use_path(l, path, error)) return error->status;
    if (l->count == 0)
        return base_fail(error, KZ_NOT_FOUND, "the path \"%s\" has no tasks yet\ntry: kz learn paths", word);
    l->task = NULL;
    const course_task *first = learn_next(l);
    if (!first) {
        learn_show_next(l, stdout, style);
        first = l->order[0];
    }
    learn_show_path(l, stdout, style);
    return open_and_show(l, first, style, error);
}

static kz_status verb_show(learn *l, const char *word, const report_style *style, learn_end *end,
                           kz_error *error) {
    const course_task *task = l->task;
    if (word && learn_find_task(l, word, &task, error)) return error->status;
    if (task == l->task) {
        if (make_file(l, error)) return error->status;
        learn_show_head(l, stdout, style);
    } else {
        report_print(stdout, style, REPORT_BOLD, "%s", task->title);
        printf(" (%s)\n\n", task->id);
    }
    if (learn_show_statement(task, stdout, style, error)) return error->status;
    return KZ_OK;
}

static kz_status verb_next(learn *l, const char *word, const report_style *style, learn_end *end,
                           kz_error *error) {
    if (!learn_known(l, l->task).passed)
        return base_fail(error, KZ_WRONG,
                         "%s is not passed yet\nkz learn hint helps, kz learn skip leaves it for later",
                         l->task->id);
    const course_task *next = learn_next(l);
    if (next) return open_and_show(l, next, style, error);
    learn_show_next(l, stdout, style);
    return KZ_OK;
}

static kz_status verb_hint(learn *l, const char *word, const report_style *style, learn_end *end,
                           kz_error *error) {
    size_t count = 0, number = (size_t)learn_known(l, l->task).hints;
    if (word) {
        char *rest;
        unsigned long given = strtoul(word, &rest, 10);
        if (*rest || given < 1)
            return base_fail(error, KZ_INVALID, "\"%s\" is no number of a hint\ntry: kz learn hint 1", word);
        number = given - 1;
    }
    kz_status status = learn_show_hint(l, number, &count, stdout, style, error);
    if (status == KZ_NOT_FOUND && !word) {
        printf("There are no more hints to %s. kz learn hint 1 shows the first again; kz learn solution "
               "shows one.\n",
               l->task->id);
        return KZ_OK;
    }
    if (status) return error->status;
    if (number + 1 < count) printf("\nkz learn hint gives the next one.\n");
    return KZ_OK;
}

static kz_status verb_run(learn *l, const char *word, const report_style *style, learn_end *end,
                          kz_error *error) {
    const course_task *task;
    if (word) {
        if (learn_find_task(l, word, &task, error) || learn_go(l, task, error)) return error->status;
    }
    if (make_file(l, error)) return error->status;
    kz_status status = grade(l, style, false, end, error);
    if (!status && *end == LEARN_DONE) {
        fputc('\n', stdout);
        learn_show_after(l, stdout, style);
        if (learn_next(l)) printf("kz learn next goes on.\n");
    }
    return status;
}

static kz_status verb_solution(learn *l, const char *word, const report_style *style, learn_end *end,
                               kz_error *error) {
    if (word && learn_find_task(l, word, &l->task, error)) return error->status;
    if (!learn_known(l, l->task).passed &&
        confirm(l, "You have not passed this task yet; a look at its solution is written down as such.",
                "kz learn solution", error))
        return error->status;
    return learn_show_solution(l, stdout, style, error);
}

static kz_status verb_skip(learn *l, const char *word, const report_style *style, learn_end *end,
                           kz_error *error) {
    const course_task *task = l->task;
    if (word && learn_find_task(l, word, &task, error)) return error->status;
    if (learn_known(l, task).passed) {
        printf("%s is passed already.\n", task->id);
    } else {
        if (store_set_skipped(l->progress, task->id, true, error)) return error->status;
        printf("Skipped %s: it comes back after the others, and kz learn %s opens it.\n\n", task->id,
               task->id);
    }
    const course_task *next = learn_next(l);
    if (task != l->task) return KZ_OK;
    if (next) return open_and_show(l, next, style, error);
    learn_show_next(l, stdout, style);
    return KZ_OK;
}

static kz_status verb_reset(learn *l, const char *word, const report_style *style, learn_end *end,
                            kz_error *error) {
    const course_task *task = NULL;
    if (!word)
        return base_fail(error, KZ_INVALID, "which task? kz learn list names them\ntry: kz learn reset %s",
                         l->task->id);
    if (learn_find_task(l, word, &task, error)) return error->status;
    char question[256], command[128], folder[COURSE_PATH], file[COURSE_PATH];
    snprintf(question, sizeof question,
             "The file of %s goes back to its starter (yours is kept beside it), and the task counts as not "
             "passed.",
             task->id);
    snprintf(command, sizeof command, "kz learn reset %s", task->id);
    if (confirm(l, question, command, error)) return error->status;
    snprintf(folder, sizeof folder, "%.900s/tasks/%.100s", l->folder, task->id);
    char aside[COURSE_ASIDE];
    snprintf(file, sizeof file, "%.900s/%.40s.%.8s", folder, task->id, task->extension);
    course_task_aside(file, aside);
    if (base_make_folders(folder, error) || course_task_copy(task, folder, true, file, error) ||
        store_reset_task(l->progress, task->id, error))
        return error->status;
    printf("%s is as it was at the beginning.\n", file);
    if (base_file_exists(aside)) printf("What you had changed is in %s.\n", aside);
    return KZ_OK;
}

static const struct {
    const char *name;
    verb_function run;
    bool takes_word;
} verbs[] = {
    {"paths", verb_paths, false}, {"list", verb_list, true},         {"gates", verb_gates, true},
    {"start", verb_start, true},  {"show", verb_show, true},         {"next", verb_next, false},
    {"hint", verb_hint, true},    {"run", verb_run, true},           {"skip", verb_skip, true},
    {"reset", verb_reset, true},  {"solution", verb_solution, true},
};

bool learn_is_verb(const char *word) {
    for (size_t i = 0; i < BASE_COUNT(verbs); i++)
        if (strcmp(word, verbs[i].name) == 0) return true;
    return false;
}

kz_status learn_verb(learn *l, const char *const *words, size_t count, learn_end *end, kz_error *error) {
    size_t i = 0;
    while (strcmp(words[0], verbs[i].name) != 0) i++;
    *end = LEARN_DONE;
    if (count > (verbs[i].takes_word ? 2u : 1u))
        return base_fail(error, KZ_INVALID,
                         "kz learn %s does not know what to do with \"%s\"\ntry: kz help learn",
                         verbs[i].name, words[count - 1]);
    report_style style = report_detect_style(stdout);
    return verbs[i].run(l, count > 1 ? words[1] : NULL, &style, end, error);
}

kz_status learn_once(learn *l, learn_end *end, kz_error *error) {
    report_style style = report_detect_style(stdout);
    *end = LEARN_DONE;
    if (l->first_time) learn_show_welcome(l, stdout, &style);
    kz_status status = learn_go(l, l->task, error);
    if (!status) status = make_file(l, error);
    if (status) return status;
    learn_show_head(l, stdout, &style);
    printf("  What it asks for: kz learn show %s\n\n", l->task->id);
    status = grade(l, &style, true, end, error);
    if (status || *end == LEARN_INTERRUPTED) return status;
    bool passed = *end == LEARN_DONE;
    if (passed) {
        fputc('\n', stdout);
        learn_show_next(l, stdout, &style);
    }
    printf("\nThere is no terminal here, so nothing is watched.\nkz learn run grades again, kz learn hint "
           "helps%s.\n",
           !passed         ? ", kz learn skip leaves it for later"
           : learn_next(l) ? ", kz learn next goes on"
                           : "");
    return KZ_OK;
}

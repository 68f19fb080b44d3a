// kz grade: judges one file for its task, as kz learn does, for scripts and CI.
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "course/course.h"
#include "learn/kata.h"
#include "learn/learner.h"
#include "report/report.h"
#include "learn/verdict.h"

static kz_status find_task(const course_catalogue *catalogue, const cli_shared *options, const char *file,
                           const course_task **task, kz_error *error) {
    if (!options->task) return course_task_of_file(catalogue, file, task, error);
    *task = course_find_task(catalogue, options->task);
    return *task ? KZ_OK : course_fail_task(catalogue, options->task, error);
}

static void show_progress(const char *what, void *context) { report_progress_show(context, 0, 0, what); }

// The file was graded whatever happens here: a progress that cannot be written is told and no more. `says` gets a
// line on when a kata is back, or on why nothing was recorded.
static kz_status record(const course_verdict *verdict, char *says, size_t size) {
    if (!verdict->passed && course_task_is_untouched(verdict->task, verdict->file)) {
        learn_kata_untouched(says, size);
        return KZ_OK;
    }
    char folder[LEARN_PATH], set_aside[LEARN_PATH];
    kz_error error = {0};
    store *progress = NULL;
    store_attempt attempt;
    kz_status status = learn_open_progress(folder, &progress, set_aside, &error);
    learn_verdict_attempt(verdict, &attempt);
    if (!status) {
        learn_print_set_aside(set_aside);
        status = store_add_attempt(progress, &attempt, &error);
    }
    if (!status) status = learn_kata_graded(progress, verdict->task, says, size, &error);
    store_close(progress);
    if (status) fprintf(stderr, "kz: this attempt was not recorded: %s\n", error.message);
    return status;
}

static kz_status print(const cli_shared *options, const course_verdict *verdict, kz_error *error) {
    report_style style = report_detect_style(stdout);
    if (!cli_to_stdout(&options->json)) {
        learn_verdict_print(stdout, &style, verdict);
        if (verdict->passed) learn_verdict_families(stdout, &style, verdict->task);
    }
    if (!options->json.given) return KZ_OK;
    return report_write_line(learn_verdict_json(verdict), options->json.path, error);
}

// The grader's own failure: whoever reads JSON gets an object all the same.
static int fail(const cli_shared *options, const char *file, const kz_error *failure) {
    kz_error error = {0};
    if (options->json.given && report_write_line(learn_verdict_failure_json(file, options->task, failure,
                                                                            cli_exit_of(failure->status)),
                                                 options->json.path, &error))
        fprintf(stderr, "kz: %s\n", error.message);
    return cli_fail(failure);
}

static int grade(const cli_shared *options, const char *device, const course_task *task, const char *file) {
    char kz[LEARN_PATH];
    kz_error error = {0};
    report_progress progress;
    report_progress_begin(&progress, stderr);
    kz_status status = base_self_path(kz, &error);
    course_verdict verdict = {0};
    course_grade_job job = {.task = task,
                            .file = file,
                            .device = device,
                            .kz = kz,
                            .fresh_seed = cli_seed(options, 0),
                            .no_time = options->no_time,
                            .interrupted = cli_interrupted,
                            .progress = progress.style.terminal ? show_progress : NULL,
                            .progress_context = &progress};
    if (!status) status = course_grade(&job, &verdict, &error);
    report_progress_clear(&progress);
    bool passed = !status && verdict.passed;
    kz_status recorded = KZ_OK, written = KZ_OK;
    if (!status && !cli_interrupted()) {
        char says[100] = "";
        recorded = record(&verdict, says, sizeof says);
        written = print(options, &verdict, &error);
        if (!written && *says && !options->json.given) printf("%s\n", says);
    }
    course_verdict_close(&verdict);
    if (cli_interrupted()) return CLI_INTERRUPTED;
    if (status) return fail(options, file, &error);
    if (written) return cli_fail(&error);
    return passed ? (int)cli_exit_of(recorded) : CLI_WRONG; // a pass that is lost is no success
}

static void fail_missing(const char *file, kz_error *error) {
    base_file_fail_open(file, ENOENT, error);
    base_fail_note(error, "kz learn show names the file of your task; kz grade takes any");
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &options, &words, &error)) return fail(&options, NULL, &error);
    const char *file = words.count == 1 ? words.items[0] : NULL, *device = NULL;
    char folder[COURSE_PATH];
    course_catalogue *catalogue = NULL;
    const course_task *task = NULL;
    cli_catch_interrupts();
    if (!file)
        base_fail(&error, KZ_INVALID, "kz grade takes one file\ntry: kz help grade");
    else if (options.seed.given && options.seed.value < 1)
        base_fail(&error, KZ_INVALID, "--seed takes a number from 1 on");
    else if (!base_file_exists(file))
        fail_missing(file, &error);
    else if (!cli_choose_sandbox(&options, &error) && !cli_one_device(&options, "grade", &device, &error) &&
             !course_find(folder, &error) && !course_open(folder, &catalogue, &error))
        find_task(catalogue, &options, file, &task, &error);
    int code = error.status ? fail(&options, file, &error) : grade(&options, device, task, file);
    course_close(catalogue);
    return code;
}

static const cli_option options_table[] = {
    CLI_TASK,
    CLI_JSON_OBJECT,
    CLI_GRADING_DEVICE,
    CLI_SANDBOX,
    CLI_SEED("instead of a fresh one: to see a failure again"),
    CLI_NO_TIME("leave speed out, whatever the device"),
    {0},
};

const cli_command cli_command_grade = {
    .usage = "kz grade FILE [OPTIONS]",
    .about = "Judges a file for a task of the course: compiles it, runs every case on a public seed and a "
             "fresh one,\n"
             "sanitises it, counts what the task's gates ask for and, with a GPU, measures it. The file says "
             "its task\n"
             "in its first lines (\"// kz: task vector-add\"), by the folder it lies in, or by --task. The "
             "attempt is\n"
             "recorded in your progress (KZ_LEARN, else ~/" COURSE_HOME ").\n\n"
             "The exit status is 0 if it passed and 1 if it did not. Any other (kz help exit-codes) is an "
             "error: nothing\n"
             "was graded, and --json gives an object with \"error\"; or there is a verdict, and it could not "
             "be recorded\n"
             "or written, as the error then says.",
    .examples = "  kz grade vector-add.cu\n"
                "  kz grade mine.cu --task vector-add --json\n"
                "  kz grade vector-add.cu --seed 7       the fresh seed that a verdict named",
    .options = options_table,
    .run = run,
};

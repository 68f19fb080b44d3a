// kz sanitize: what is wrong with a kernel or a whole program, line by line.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sanitize.h"

static kz_status choose_seeds(sanitize_run *run, kz_error *error) {
    const sanitize_options *o = run->options;
    int64_t wanted = o->determinism.given ? o->determinism.value : o->seeds.given ? o->seeds.value : 1;
    const char *option = o->determinism.given ? "--determinism" : "--seeds";
    if (wanted < (o->determinism.given ? 2 : 1) || wanted > SANITIZE_SEEDS)
        return base_fail(error, KZ_INVALID, "%s takes %d to %d runs", option, o->determinism.given ? 2 : 1,
                         SANITIZE_SEEDS);
    if (o->seeds.given && o->determinism.given && o->seeds.value > wanted)
        return base_fail(error, KZ_INVALID, "--seeds %lld needs --determinism %lld or more",
                         (long long)o->seeds.value, (long long)o->seeds.value);
    uint64_t first = o->seed.given                             ? (uint64_t)o->seed.value
                     : o->seeds.given && !o->determinism.given ? 1
                                                               : 0;
    run->seed_count = (size_t)wanted;
    for (size_t i = 0; i < run->seed_count; i++) run->seeds[i] = first + i;
    return KZ_OK;
}

static kz_status prepare(sanitize_run *run, kz_error *error) {
    const sanitize_options *o = run->options;
    snprintf(run->words, sizeof run->words, "races,sync,undefined%s%s%s", o->numerics ? ",numerics" : "",
             o->leaks ? ",leaks" : "", o->determinism.given ? ",hashes" : "");
    if (!report_findings_open(&run->findings))
        return base_fail(error, KZ_NO_MEMORY, "no memory for findings");
    kz_status status = choose_seeds(run, error);
    if (!status && o->timeout_text) status = cli_program_seconds(o->timeout_text, &run->timeout, error);
    if (!status) status = report_findings_choose(&run->findings, o->only, o->ignore, error);
    if (!status && o->suppress) status = report_findings_suppress(&run->findings, o->suppress, error);
    return status;
}

// ---- what is said -------------------------------------------------------------------------------------

static kz_status write_sarif(const sanitize_run *run, const char *path, kz_error *error) {
    json_t *sarif = report_findings_to_sarif(&run->findings);
    char *text = sarif ? json_dumps(sarif, JSON_INDENT(2)) : NULL;
    kz_status status = text ? base_file_write(path, text, strlen(text), error)
                            : base_fail(error, KZ_NO_MEMORY, "no memory for %s", path);
    free(text);
    json_decref(sarif);
    return status;
}

static kz_status write_reports(const sanitize_run *run, kz_error *error) {
    const sanitize_options *o = run->options;
    kz_status status = KZ_OK;
    if (o->json.given) {
        json_t *lines = report_findings_to_json(&run->findings);
        status = report_write_lines(lines, o->json.path, error);
        json_decref(lines);
    }
    if (!status && o->junit) status = report_findings_write_junit(&run->findings, o->junit, error);
    if (!status && o->sarif) status = write_sarif(run, o->sarif, error);
    return status;
}

static void print(const sanitize_run *run) {
    FILE *file = run->options->json.given && !run->options->json.path ? stderr : stdout;
    report_style style = report_detect_style(file);
    report_prof_sources *sources = report_prof_sources_open(NULL, 0);
    fflush(stdout);
    report_findings_print(file, &style, &run->findings, sources);
    report_findings_print_summary(file, &style, &run->findings);
    report_prof_sources_close(sources);
}

static int finish(sanitize_run *run, kz_status status, kz_error *error) {
    if (status == KZ_OK) {
        print(run);
        status = write_reports(run, error);
    }
    size_t bad =
        report_findings_count(&run->findings, "error") + report_findings_count(&run->findings, "warning");
    int code = run->exit_code;
    report_findings_close(&run->findings);
    if (status) return cli_fail(error);
    if (cli_interrupted()) return CLI_INTERRUPTED;
    return bad ? CLI_FINDINGS : code;
}

// ---- the command --------------------------------------------------------------------------------------

static bool is_cuda(const char *word) {
    const char *dot = strrchr(word, '.');
    return dot && strcmp(dot, ".cu") == 0;
}

// A source with a main, several files, or an executable: then all that follows is the program's.
static bool names_program(const cli_program_words *words, const sanitize_options *options) {
    if (options->family || options->task || words->files.count == 0) return false;
    const char *word = words->files.items[0];
    if (cli_program_is(word) || words->files.count > 1) return true;
    return !cli_task_file_may_be(words) && (word[0] == '/' || word[0] == '.');
}

// What is neither a program nor the zoo's: a learner's file, or one of which nothing is known.
static kz_status run_words(sanitize_run *run, const cli_list *words, kz_error *error) {
    const char *word = words->count ? words->items[0] : "";
    cli_task_file task = {0};
    if (run->options->family || words->count == 0) return sanitize_zoo(run, words, error);
    kz_status status = cli_task_file_open("sanitize", word, run->options->task, &task, error);
    if (!status && task.task && words->count > 1)
        status = base_fail(error, KZ_INVALID, "one word too many: %s\nkz sanitize takes one file for a task",
                           words->items[1]);
    if (!status && task.task)
        status = sanitize_task(run, &task, error);
    else if (!status)
        status =
            is_cuda(word) ? cli_task_file_fail("sanitize", word, error) : sanitize_zoo(run, words, error);
    cli_task_file_close(&task);
    return status;
}

static int run_command(const cli_command *self, int argc, char **argv) {
    sanitize_options options = {0};
    sanitize_run run = {.options = &options};
    cli_program_words program;
    cli_list words;
    kz_error error = {0};
    if (cli_program_split(self, argc, argv, CLI_LIST_CAPACITY, &program, &error) ||
        cli_parse(self, program.own, argv, &options, &words, &error))
        return cli_fail(&error);
    bool whole = names_program(&program, &options);
    if (!whole) { // options may stand anywhere
        options = (sanitize_options){0};
        if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    }
    if (whole) cli_program_note_options(self, &program);
    cli_catch_interrupts();
    kz_status status = prepare(&run, &error);
    if (!status) status = whole ? sanitize_program(&run, &program, &error) : run_words(&run, &words, &error);
    return finish(&run, status, &error);
}

static const cli_option options_table[] = {
    {"gpu", CLI_TEXT, offsetof(sanitize_options, gpu), "NAME",
     "the GPU to simulate: a name that `kz devices` lists, or a .gpu file"},
    {"numerics", CLI_FLAG, offsetof(sanitize_options, numerics), NULL,
     "also the first instruction that makes a NaN or infinity from finite numbers"},
    {"leak-check", CLI_FLAG, offsetof(sanitize_options, leaks), NULL, "also memory that is never freed"},
    {"seeds", CLI_INTEGER, offsetof(sanitize_options, seeds), "N", "try N adversarial schedules, 1 to N"},
    {"seed", CLI_INTEGER, offsetof(sanitize_options, seed), "N", "one schedule, to see a finding again"},
    {"determinism", CLI_INTEGER, offsetof(sanitize_options, determinism), "N",
     "compare the results of N schedules"},
    {"only", CLI_TEXT, offsetof(sanitize_options, only), "KINDS",
     "only these kinds of findings: race,undefined"},
    {"ignore", CLI_TEXT, offsetof(sanitize_options, ignore), "KINDS", "all but these kinds"},
    {"suppress", CLI_TEXT, offsetof(sanitize_options, suppress), "FILE",
     "known findings: lines KIND FILE:LINE, with * for any"},
    {"json", CLI_OUTPUT, offsetof(sanitize_options, json), "PATH",
     "one JSON object per finding, to stdout or a file"},
    {"junit", CLI_TEXT, offsetof(sanitize_options, junit), "PATH", "a JUnit report, for CI"},
    {"sarif", CLI_TEXT, offsetof(sanitize_options, sarif), "PATH", "a SARIF 2.1.0 report, for code hosts"},
    {"timeout", CLI_TEXT, offsetof(sanitize_options, timeout_text), "SECONDS",
     "stop after this time and say who waits where"},
    {"family", CLI_TEXT, offsetof(sanitize_options, family), "FAMILY",
     "a kernel of your own in this family's place"},
    {"case", CLI_TEXT, offsetof(sanitize_options, pattern), "NAME",
     "kernels of the zoo: only this case, or a glob; for a task its sizes, n=4096"},
    {"task", CLI_TEXT, offsetof(sanitize_options, task), "ID",
     "the task of the course that the file is for, where it does not say it"},
    {"nvcc-flag", CLI_LIST, offsetof(sanitize_options, flags), "FLAG",
     "one more word for nvcc; may be repeated"},
    {0},
};

const cli_command cli_command_sanitize = {
    .usage = "kz sanitize [OPTIONS] PROGRAM.cu|./EXECUTABLE [ARGUMENTS]\n"
             "kz sanitize [FAMILY[/VARIANT]...] [OPTIONS]\n"
             "kz sanitize --family FAMILY FILE.cu [OPTIONS]\n"
             "kz sanitize YOURS.cu [--task ID] [OPTIONS]",
    .about =
        "Runs a program or kernels on the simulator and reports, with both source lines and the threads:\n"
        "data races on shared, global and distributed shared memory, within a warp too; accesses out of\n"
        "bounds, after free or misaligned; undefined values that decide a branch or an address or reach the\n"
        "host; barriers that threads miss, shuffles from outside the mask, asynchronous copies that nobody\n"
        "waited for. No GPU is needed, and nothing is sampled: every access is checked.\n\n"
        "YOURS.cu is your file for a task of the course: it says so in its first lines, by its folder or by\n"
        "--task. It runs on every case of the task, or on that of --case.\n\n"
        "The exit status is 0 where there is no error and no warning (notes do not count), 11 where there\n"
        "is one; without findings a program's own exit status is kept. docs/sanitizer.md explains each kind.",
    .examples = "  kz sanitize prog.cu 1000                   a whole program with an argument\n"
                "  kz sanitize --seeds 8 ./prog               under eight schedules\n"
                "  kz sanitize --numerics --leak-check prog.cu\n"
                "  kz sanitize --determinism 4 prog.cu        do the results depend on the schedule?\n"
                "  kz sanitize reduce/06_vector               a kernel of the zoo\n"
                "  kz sanitize --family reduce my.cu          a kernel of your own\n"
                "  kz sanitize reverse.cu --seeds 4           your file for a task of the course\n"
                "  kz sanitize --sarif out.sarif prog.cu      for a code host's review",
    .options = options_table,
    .run = run_command,
};

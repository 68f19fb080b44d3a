// Options that several commands have: one field and one row each, so that a name means the same everywhere; and
// command lines that name a workload.
//
// A command's struct of options begins with a cli_shared, and its table names the rows below. A row takes a text where
// what the option does is the command's own. tools/check_tables refuses a row that two commands write.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli.h"
#include "workload/workload.h"

typedef struct cli_shared {
    cli_list devices, flags;
    const char *gpu, *family, *task, *pattern, *junit, *commit, *name, *sandbox, *against, *suite;
    cli_integer seed;
    double time, timeout;
    cli_output json, html;
    bool no_save, no_time, optimized, list;
    base_text command_line; // "kz bench reduce ...", for records
} cli_shared;

#define CLI_ROW(name, kind, field, argument, text)                                                           \
    { name, kind, offsetof(cli_shared, field), argument, text }

#define CLI_DEVICES(text) CLI_ROW("device", CLI_LIST, devices, "ID", text)
#define CLI_GRADING_DEVICE                                                                                   \
    CLI_DEVICES("grade on this device: sim, sim:a100, cuda:0 (a GPU, else the simulator)")
#define CLI_GPU                                                                                              \
    CLI_ROW("gpu", CLI_TEXT, gpu, "NAME",                                                                    \
            "the GPU to simulate: a name that `kz devices` lists, or a .gpu file")
#define CLI_FAMILY                                                                                           \
    CLI_ROW("family", CLI_TEXT, family, "FAMILY", "a kernel of your own in this family's place")
#define CLI_TASK_ROW(text) CLI_ROW("task", CLI_TEXT, task, "ID", text)
#define CLI_TASK           CLI_TASK_ROW("the task that the file is for, where it does not say it")
#define CLI_CASE(text)     CLI_ROW("case", CLI_TEXT, pattern, "NAME", text)
#define CLI_SUITE                                                                                            \
    CLI_ROW("suite", CLI_TEXT, suite, "SUITE", "the cases of a suite: its name, or a .toml file")
#define CLI_NVCC_FLAG         CLI_ROW("nvcc-flag", CLI_LIST, flags, "FLAG", "one more word for nvcc; may be repeated")
#define CLI_TIMEOUT_ROW(text) CLI_ROW("timeout", CLI_SECONDS, timeout, "SECONDS", text)
#define CLI_TIMEOUT           CLI_TIMEOUT_ROW("stop after this time and say who waits where")
#define CLI_TIME(seconds)                                                                                    \
    CLI_ROW("time", CLI_SECONDS, time, "S",                                                                  \
            "sample a candidate for at most so many seconds (" seconds "); compiling is apart")
#define CLI_SEED(text)        CLI_ROW("seed", CLI_INTEGER, seed, "N", text)
#define CLI_INPUT_SEED        CLI_SEED("the seed of the inputs (2026)")
#define CLI_SCHEDULE_SEED     CLI_SEED("another order of blocks and warps for each N > 0")
#define CLI_JSON(text)        CLI_ROW("json", CLI_OUTPUT, json, "PATH", text)
#define CLI_JSON_OBJECT       CLI_JSON("one JSON object, to stdout or a file")
#define CLI_JSON_OBJECTS(row) CLI_JSON("one JSON object per " row ", to stdout or a file")
#define CLI_JSON_OF(what)     CLI_JSON(what " as JSON, to stdout or a file")
#define CLI_HTML(text)        CLI_ROW("html", CLI_OUTPUT, html, "PATH", text)
#define CLI_NAME(text)        CLI_ROW("name", CLI_TEXT, name, "NAME", text)
#define CLI_JUNIT             CLI_ROW("junit", CLI_TEXT, junit, "PATH", "a JUnit report, for CI")
#define CLI_AGAINST(text)     CLI_ROW("against", CLI_TEXT, against, "PATH", text)
#define CLI_NO_SAVE           CLI_ROW("no-save", CLI_FLAG, no_save, NULL, "keep no records of this run")
#define CLI_NO_TIME(text)     CLI_ROW("no-time", CLI_FLAG, no_time, NULL, text)
#define CLI_SHOW_LIST(text)   CLI_ROW("list", CLI_FLAG, list, NULL, text)
#define CLI_SANDBOX                                                                                          \
    CLI_ROW("sandbox", CLI_TEXT, sandbox, "MODE",                                                            \
            "how far a submission is kept from this machine: auto (as far as it can), require, off")
#define CLI_OPTIMIZED                                                                                        \
    CLI_ROW("optimized", CLI_FLAG, optimized, NULL,                                                          \
            "debug the code as it is built for use: lines, but no variables")
#define CLI_COMMIT                                                                                           \
    CLI_ROW("commit", CLI_TEXT, commit, "ID", "the commit that records name, where the build knows none")

// Where output for programs goes to stdout, words for people do not.
bool cli_to_stdout(const cli_output *output);
uint64_t cli_seed(const cli_shared *options, uint64_t otherwise);
// What --device says to a command that works on one; NULL where it says nothing.
kz_status cli_one_device(const cli_shared *options, const char *command, const char **id, kz_error *error);

// What --sandbox says, for all that this process starts: it stands for the variable KZ_SANDBOX.
kz_status cli_choose_sandbox(const cli_shared *options, kz_error *error);

// Reads a command line that names a workload, opens it and runs `run` with both; its exit code is given back. A
// program's words are its own, and kz's options stand before it; "--" ends them wherever it stands. With everything
// else options may stand anywhere. `request` has the command's own part. `options` (zeroed) are the command's, `size`
// bytes that begin with a cli_shared.
int cli_run_workload(const cli_command *command, int argc, char **argv, const workload_request *request,
                     cli_shared *options, size_t size,
                     int (*run)(const cli_shared *options, const workload *w));

// What all programs are run with: the GPU, nvcc's flags, the seed, the time allowed.
workload_program cli_program_settings(const cli_shared *options);
// How a program ended, where that was no ordinary end; and what is to be said of a task's answer. On stderr.
void cli_print_end(const workload_result *result);
void cli_print_answer(const workload_answer *answer, bool also_right);
void cli_note(const char *text); // "kz: note: ..." on stderr
// What went wrong on the way, and what comes of it (may be NULL).
void cli_complain(const kz_error *error, const char *consequence);

#endif

// What `kz prof` is to profile, and how it is run: whole programs as processes
// of their own, kernels of the zoo, guests and kernels for tasks of the course
// inside this one. Either way it ends in a record.
#ifndef CLI_PROF_RUN_H
#define CLI_PROF_RUN_H

#include "cli.h"
#include "family/case.h"
#include "program.h"
#include "report/profile/profile.h"
#include "select.h"
#include "task_file.h"
#include "toolchain/toolchain.h"

typedef struct prof_choices { // the options
    const char *gpu, *kernel, *metrics, *pattern, *family, *task, *timeout, *keep;
    cli_output html, json;
    cli_integer top, seed;
    cli_list flags;
    bool annotate, csv, query, check;
} prof_choices;

typedef enum prof_target_kind {
    PROF_RECORD,
    PROF_PROGRAM,
    PROF_VARIANT,
    PROF_GUEST,
    PROF_TASK
} prof_target_kind;

typedef struct prof_target {
    prof_target_kind kind;
    cli_list files;            // a program's; one path for a record
    const kz_family *family;   // of a variant or a guest
    const kz_variant *variant; // NULL: the one that would be chosen
    family_guest *guest;
    cli_task_file task; // a learner's file: a kernel, or a program in its harness
} prof_target;

typedef struct prof_targets {
    prof_target items[2];
    size_t count;
    char *arguments[CLI_LIST_CAPACITY]; // of the programs
    size_t argument_count;
} prof_targets;

typedef struct prof_run {
    report_record record;
    int failure;                               // how a program ended, where that was no success
    cli_program_result program;                // its session has the modules, until prof_run_close
    kz_image image;                            // of a variant, a guest or a task's kernel
    course_subject subject;                    // of a task's kernel
    char title[300], detail[FAMILY_CASE_NAME]; // what the user called it, and the case
    int sm;
    // What ptxas says, asked once per module.
    char *module;
    toolchain_resources *resources;
    size_t resource_count;
} prof_run;

kz_status prof_run_parse(const cli_command *self, int argc, char **argv, prof_choices *options,
                         prof_targets *targets, kz_error *error);
void prof_targets_close(prof_targets *targets);
kz_status prof_run_target(const prof_choices *options, const prof_targets *targets, size_t index,
                          prof_run *run, kz_error *error);
void prof_run_close(prof_run *run);

// Registers of a kernel by ptxas; -1 where it is not there or does not know.
// `context` is a prof_run.
int prof_run_registers(void *context, const char *module, const char *kernel);
// Sources as the modules name them: from here, and from where the zoo's sources
// are.
report_prof_sources *prof_run_sources(void);

#endif

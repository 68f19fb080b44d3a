// What kz sanitize runs: a whole program as a process of its own, or kernels of the zoo, guests and learners' files
// inside kz. Every run ends in a record, and everything is said from records.
#ifndef CLI_SANITIZE_H
#define CLI_SANITIZE_H

#include "program.h"
#include "report/findings/findings.h"
#include "task_file.h"

enum { SANITIZE_SEEDS = 64 };

typedef struct sanitize_options {
    const char *gpu, *timeout_text, *family, *pattern, *task;
    cli_list flags;
    cli_integer seed, seeds, determinism;
    bool numerics, leaks, verbose;
    const char *only, *ignore, *suppress;
    cli_output json;
    const char *junit, *sarif;
} sanitize_options;

typedef struct sanitize_run {
    const sanitize_options *options;
    double timeout;                 // seconds; 0: none
    char words[96];                 // the instruments
    uint64_t seeds[SANITIZE_SEEDS]; // one run each
    size_t seed_count;
    report_findings findings;
    int exit_code; // of a program that ended badly; 0 else
    report_progress progress;
} sanitize_run;

// sanitize_program.c
kz_status sanitize_program(sanitize_run *run, const cli_program_words *words, kz_error *error);
// What every program is run with but for its files, and what is done after its end. Close `output` above stderr.
cli_program sanitize_program_of(const sanitize_run *run, size_t which);
kz_status sanitize_program_take(sanitize_run *run, size_t which, const char *target,
                                cli_program_result *result, report_record *record, kz_error *error);
// sanitize_task.c: a learner's file, on every case of its task or on that of --case.
kz_status sanitize_task(sanitize_run *run, const cli_task_file *task, kz_error *error);
// sanitize_zoo.c: `words` name families and variants, or are one guest of --family.
kz_status sanitize_zoo(sanitize_run *run, const cli_list *words, kz_error *error);

#endif

// kz sanitize on whole programs: once per schedule, the output of the first run alone is shown.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sanitize.h"

static kz_status read_record(const cli_program_result *result, const char *target, report_record *record,
                             kz_error *error) {
    base_text path = {0};
    base_text_add(&path, "%s/record.jsonl", result->session);
    kz_status status = KZ_OK;
    if (base_file_exists(path.data))
        status = report_record_read(path.data, record, error);
    else {
        status = base_fail(error, KZ_FAULT, "%s left no record of what it did", target);
        base_fail_note(error,
                       "likely cause: it never called the CUDA runtime, or was killed before it could write");
    }
    base_text_free(&path);
    return status;
}

// Where the program's own output goes: not between the lines of JSON, and only once.
static int output_of(const sanitize_run *run, size_t which) {
    if (which > 0) return open("/dev/null", O_WRONLY | O_CLOEXEC);
    bool on_stdout = run->options->json.given && !run->options->json.path;
    return on_stdout ? STDERR_FILENO : 0;
}

cli_program sanitize_program_of(const sanitize_run *run, size_t which) {
    return (cli_program){.gpu = run->options->gpu,
                         .nvcc_flags = run->options->flags.items,
                         .nvcc_flag_count = run->options->flags.count,
                         .observe = run->words,
                         .seed = run->seeds[which],
                         .timeout = run->timeout,
                         .output = output_of(run, which)};
}

kz_status sanitize_program_take(sanitize_run *run, size_t which, const char *target,
                                cli_program_result *result, report_record *record, kz_error *error) {
    if (which == 0 || result->signal || result->timed_out) cli_program_explain_end(result);
    if (result->exit_code && !run->exit_code) run->exit_code = result->exit_code;
    kz_status status = read_record(result, target, record, error);
    cli_program_discard(result);
    return status;
}

static kz_status run_once(sanitize_run *run, const cli_program_words *words, size_t which,
                          report_record *record, kz_error *error) {
    cli_program program = sanitize_program_of(run, which);
    program.files = words->files.items;
    program.file_count = words->files.count;
    program.arguments = words->arguments;
    program.argument_count = words->argument_count;
    cli_program_result result;
    kz_status status = cli_program_run(&program, &result, error);
    if (program.output > STDERR_FILENO) close(program.output);
    return status ? status : sanitize_program_take(run, which, words->files.items[0], &result, record, error);
}

kz_status sanitize_program(sanitize_run *run, const cli_program_words *words, kz_error *error) {
    report_record records[SANITIZE_SEEDS] = {0};
    const char *target = words->files.items[0];
    kz_status status = KZ_OK;
    size_t done = 0;
    for (; done < run->seed_count && !status && !cli_interrupted(); done++) {
        status = run_once(run, words, done, &records[done], error);
        if (!status) report_findings_add(&run->findings, &records[done], target, run->seeds[done]);
    }
    if (!status && run->options->determinism.given)
        report_findings_compare(&run->findings, records, run->seeds, done, target);
    for (size_t i = 0; i < done; i++) report_record_free(&records[i]);
    return status;
}

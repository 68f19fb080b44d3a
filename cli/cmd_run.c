// kz run: a whole CUDA program on the simulator.
#include "options.h"

static const cli_option options_table[] = {
    CLI_GPU,     CLI_NVCC_FLAG,
    CLI_TIMEOUT, CLI_SCHEDULE_SEED,
    CLI_TASK,    CLI_CASE("a file for a task: its sizes, n=4096"),
    {0},
};

// A kernel alone has nothing that would launch it but kz itself.
static kz_status check_form(const workload *w, kz_error *error) {
    if (workload_runs_as_program(w)) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s is a kernel for %s, without a main that would launch it", w->files[0],
              w->task.task->id);
    base_fail_note(error, "kz grade %s judges it; kz prof, kz sanitize and kz debug look inside it",
                   w->files[0]);
    return KZ_INVALID;
}

static int run_whole(const cli_shared *options, const workload *w) {
    kz_error error = {0};
    course_case c;
    const workload_program settings = cli_program_settings(options);
    workload_result result;
    workload_answer answer = {0};
    kz_status status = check_form(w, &error);
    if (!status && w->kind == WORKLOAD_TASK)
        status = workload_task_case(w->task.task, options->pattern, course_case_to_profile, &c, &error);
    if (!status) status = workload_run(w, &settings, &c, &answer, &result, &error);
    if (status) return cli_fail(&error);
    cli_print_answer(&answer, true);
    cli_print_end(&result);
    workload_program_discard(&result);
    return result.exit_code;
}

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    static const workload_request request = {.command = "run",
                                             .kinds = 1u << WORKLOAD_PROGRAM | 1u << WORKLOAD_TASK,
                                             .question = "which program? give a .cu file or an executable"};
    return cli_run_workload(self, argc, argv, &request, &options, sizeof options, run_whole);
}

const cli_command cli_command_run = {
    .usage =
        "kz run [OPTIONS] PROGRAM.cu [MORE.cu ...] [ARGUMENTS]\nkz run [OPTIONS] ./EXECUTABLE [ARGUMENTS]\n"
        "kz run [OPTIONS] YOURS.cu [--task ID]",
    .about =
        "Builds an ordinary CUDA program with its own main and runs it on the simulator; no GPU is needed.\n"
        "An executable must have been built with a shared CUDA runtime (nvcc -cudart shared) and hold PTX.\n"
        "All words after the program are its own; \"--\" separates them if that is not clear.\n"
        "The exit status is the program's: 124 after --timeout, 128 plus the signal that ended it.\n"
        "What works, and what is explained: docs/whole_programs.md.\n\n"
        "YOURS.cu is your file for a task of the course that asks for a host function: it gets the main "
        "that\n"
        "the grader gives it, and the data of one case.",
    .examples = "  kz run vector_add.cu 1000                 builds and runs it with one argument\n"
                "  kz run --gpu t4 main.cu kernels.cu        two files, on a simulated T4\n"
                "  kz run --nvcc-flag -lcublas gemm.cu       with our own cuBLAS\n"
                "  nvcc -cudart shared -o prog prog.cu && kz run ./prog",
    .options = options_table,
    .run = run,
};

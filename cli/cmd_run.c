// kz run: a whole CUDA program on the simulator.
#include "task_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    const char *gpu, *timeout, *task, *pattern;
    cli_list flags;
    cli_integer seed;
} run_options;

static const cli_option options[] = {
    {"gpu", CLI_TEXT, offsetof(run_options, gpu), "NAME",
     "the GPU to simulate: a name that `kz devices` lists, or a .gpu file"},
    {"nvcc-flag", CLI_LIST, offsetof(run_options, flags), "FLAG", "one more word for nvcc; may be repeated"},
    {"timeout", CLI_TEXT, offsetof(run_options, timeout), "SECONDS",
     "stop the program after this time and say who waits where"},
    {"seed", CLI_INTEGER, offsetof(run_options, seed), "N",
     "another order of blocks and warps for each N > 0"},
    {"task", CLI_TEXT, offsetof(run_options, task), "ID",
     "the task of the course that the file is for, where it does not say it"},
    {"case", CLI_TEXT, offsetof(run_options, pattern), "SIZES", "a file for a task: its sizes, n=4096"},
    {0},
};

static int run_whole(const run_options *given, const cli_program_words *words, const cli_task_file *task) {
    kz_error error = {0};
    course_case c;
    if (task && cli_task_file_case(task->task, given->pattern, course_case_to_profile, &c, &error))
        return cli_fail(&error);
    cli_program program = {
        .gpu = given->gpu,
        .nvcc_flags = given->flags.items,
        .nvcc_flag_count = given->flags.count,
        .seed = given->seed.given ? (uint64_t)given->seed.value : 0,
    };
    if (!task) {
        program.files = words->files.items;
        program.file_count = words->files.count;
        program.arguments = words->arguments;
        program.argument_count = words->argument_count;
    }
    if (given->timeout && cli_program_seconds(given->timeout, &program.timeout, &error))
        return cli_fail(&error);
    cli_program_result result;
    if (task ? cli_task_file_run(task, &c, &program, CLI_TASK_ANY, &result, &error)
             : cli_program_run(&program, &result, &error))
        return cli_fail(&error);
    cli_program_explain_end(&result);
    cli_program_discard(&result);
    return result.exit_code;
}

// A kernel alone has nothing that would launch it but kz itself.
static kz_status check_form(const cli_task_file *task, kz_error *error) {
    if (task->task->form == COURSE_PROGRAM) return KZ_OK;
    base_fail(error, KZ_INVALID, "%s is a kernel for %s, without a main that would launch it", task->file,
              task->task->id);
    base_fail_note(error, "kz grade %s judges it; kz prof, kz sanitize and kz debug look inside it",
                   task->file);
    return KZ_INVALID;
}

// A .cu file without a main: a learner's, or nothing that could be run.
static int run_file(const cli_command *self, int argc, char **argv) {
    run_options given = {0};
    cli_task_file task = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &given, &words, &error)) return cli_fail(&error); // options anywhere
    kz_status status = cli_task_file_open("run", words.items[0], given.task, &task, &error);
    if (!status && !task.task) status = cli_task_file_fail("run", words.items[0], &error);
    if (!status && words.count > 1)
        status = base_fail(&error, KZ_INVALID, "a function for a task takes no arguments, such as %s",
                           words.items[1]);
    if (!status) status = check_form(&task, &error);
    int code = status ? cli_fail(&error) : run_whole(&given, NULL, &task);
    cli_task_file_close(&task);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    run_options given = {0};
    cli_program_words words;
    cli_list rest;
    kz_error error = {0};
    if (cli_program_split(self, argc, argv, CLI_LIST_CAPACITY, &words, &error) ||
        cli_parse(self, words.own, argv, &given, &rest, &error))
        return cli_fail(&error);
    if (words.files.count == 0)
        return cli_fail_with(KZ_INVALID, "which program? give a .cu file or an executable\n%s", self->usage);
    if (given.task || cli_task_file_may_be(&words)) return run_file(self, argc, argv);
    cli_program_note_options(self, &words);
    return run_whole(&given, &words, NULL);
}

const cli_command cli_command_run = {
    .usage =
        "kz run [OPTIONS] PROGRAM.cu [MORE.cu ...] [ARGUMENTS]\nkz run [OPTIONS] ./EXECUTABLE [ARGUMENTS]\n"
        "kz run [OPTIONS] YOURS.cu [--task ID]",
    .about =
        "Builds an ordinary CUDA program with its own main and runs it on the simulator; no GPU is needed.\n"
        "An executable must have been built with a shared CUDA runtime (nvcc -cudart shared) and hold PTX.\n"
        "All words after the program are its own; a \"--\" parts them from kz's where that is not clear.\n"
        "The exit status is the program's: 124 after --timeout, 128 and the signal where one ended it.\n"
        "What works, and what is explained: docs/whole_programs.md.\n\n"
        "YOURS.cu is your file for a task of the course that asks for a host function: it gets the main "
        "that\n"
        "the grader gives it, and the data of one case.",
    .examples = "  kz run vector_add.cu 1000                 builds and runs it with one argument\n"
                "  kz run --gpu t4 main.cu kernels.cu        two files, on a simulated T4\n"
                "  kz run --nvcc-flag -lcublas gemm.cu       with our own cuBLAS\n"
                "  nvcc -cudart shared -o prog prog.cu && kz run ./prog",
    .options = options,
    .run = run,
};

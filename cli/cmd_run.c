// kz run: a whole CUDA program on the simulator.
#include "program.h"

#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    const char *gpu, *timeout;
    cli_list flags;
    cli_integer seed;
} run_options;

static const cli_option options[] = {
    {"gpu", CLI_TEXT, offsetof(run_options, gpu), "NAME",
     "the GPU to simulate: h200, h100, a100, rtx4090, t4"},
    {"nvcc-flag", CLI_LIST, offsetof(run_options, flags), "FLAG", "one more word for nvcc; may be repeated"},
    {"timeout", CLI_TEXT, offsetof(run_options, timeout), "SECONDS",
     "stop the program after this time and say who waits where"},
    {"seed", CLI_INTEGER, offsetof(run_options, seed), "N",
     "another order of blocks and warps for each N > 0"},
    {0},
};

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
    cli_program_note_options(self, &words);
    cli_program program = {
        .files = words.files.items,
        .file_count = words.files.count,
        .arguments = words.arguments,
        .argument_count = words.argument_count,
        .gpu = given.gpu,
        .nvcc_flags = given.flags.items,
        .nvcc_flag_count = given.flags.count,
        .seed = given.seed.given ? (uint64_t)given.seed.value : 0,
    };
    if (given.timeout && cli_program_seconds(given.timeout, &program.timeout, &error))
        return cli_fail(&error);
    cli_program_result result;
    if (cli_program_run(&program, &result, &error)) return cli_fail(&error);
    cli_program_explain_end(&result);
    cli_program_discard(&result);
    return result.exit_code;
}

const cli_command cli_command_run = {
    .usage =
        "kz run [OPTIONS] PROGRAM.cu [MORE.cu ...] [ARGUMENTS]\nkz run [OPTIONS] ./EXECUTABLE [ARGUMENTS]",
    .about =
        "Builds an ordinary CUDA program with its own main and runs it on the simulator; no GPU is needed.\n"
        "An executable must have been built with a shared CUDA runtime (nvcc -cudart shared) and hold PTX.\n"
        "All words after the program are its own; a \"--\" parts them from kz's where that is not clear.\n"
        "The exit status is the program's: 124 after --timeout, 128 and the signal where one ended it.\n"
        "What works, and what is explained: docs/whole_programs.md.",
    .examples = "  kz run vector_add.cu 1000                 builds and runs it with one argument\n"
                "  kz run --gpu t4 main.cu kernels.cu        two files, on a simulated T4\n"
                "  kz run --nvcc-flag -lcublas gemm.cu       with our own cuBLAS\n"
                "  nvcc -cudart shared -o prog prog.cu && kz run ./prog",
    .options = options,
    .run = run,
};

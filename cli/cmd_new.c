// kz new: a project of one's own, with a kernel, its test and its benchmark.
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "course/course.h"

static int run(const cli_command *self, int argc, char **argv) {
    cli_shared options = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &options, &words, &error)) return cli_fail(&error);
    if (words.count != 1 || !words.items[0][0])
        return cli_fail_with(KZ_INVALID, "kz new takes one folder, which is made\ntry: kz new my-kernel");
    char folder[COURSE_PATH];
    if (snprintf(folder, sizeof folder, "%s", words.items[0]) >= (int)sizeof folder)
        return cli_fail_with(KZ_INVALID, "this path is too long");
    for (size_t length = strlen(folder); length > 1 && folder[length - 1] == '/';) folder[--length] = 0;
    const char *slash = strrchr(folder, '/');
    char own[COURSE_PATH]; // "my first kernel" is a folder's name, my-first-kernel a project's
    snprintf(own, sizeof own, "%s", slash ? slash + 1 : folder);
    for (char *c = own; *c; c++)
        if (*c == ' ') *c = '-';
    if (course_new_project(folder, options.name ? options.name : own, &error)) return cli_fail(&error);
    bool quoted = strpbrk(folder, " \t'&();$*?!") != NULL;
    printf("%s is made: a kernel (src/saxpy.cu), its test and its benchmark.\n\n"
           "  cd %s%s%s\n"
           "  cmake -S . -B build -G Ninja && cmake --build build\n"
           "  ctest --test-dir build      on the GPU, or on the simulator where there is none\n\n"
           "Its README.md says the rest.\n",
           folder, quoted ? "\"" : "", folder, quoted ? "\"" : "");
    return CLI_OK;
}

static const cli_option options_table[] = {
    CLI_NAME("the project's name; default: the folder's, with dashes for blanks"),
    {0},
};

const cli_command cli_command_new = {
    .usage = "kz new DIR [--name NAME]",
    .about =
        "Makes a project to start your own: CMake and Ninja, one kernel with error checks around it, a test\n"
        "against the CPU, and a benchmark that reports GB/s, GFLOP/s and the place on the roofline. Without "
        "a\n"
        "GPU its test runs on the simulator.",
    .examples = "  kz new my-kernel\n"
                "  kz new ~/code/project --name layernorm",
    .options = options_table,
    .run = run,
};

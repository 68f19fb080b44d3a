// kz debug: a workload under the debugger of src/debug, and where that gets its commands from.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options.h"
#include "workload/debug.h"

enum { PATH = 1024, LEAST_SPARE = 10 };

typedef struct debug_options {
    cli_shared shared;
    const char *commands;
    cli_list execute;
} debug_options;

static const cli_option options_table[] = {
    {"commands", CLI_TEXT, offsetof(debug_options, commands), "FILE",
     "commands to begin with, one per line; also -x FILE"},
    {"execute", CLI_LIST, offsetof(debug_options, execute), "COMMAND",
     "a command to begin with; may be repeated"},
    CLI_OPTIMIZED,
    CLI_GPU,
    CLI_FAMILY,
    CLI_CASE("single kernels: the case to run; without it the first; for a task its sizes, n=33"),
    CLI_TASK,
    CLI_NVCC_FLAG,
    CLI_SCHEDULE_SEED,
    {0},
};

// ---- where commands come from -----------------------------------------------------------------------

// Commands that come through a pipe are kept from the program, which must not read them: they move to a
// descriptor of their own.
static kz_status move_input(int *moved, kz_error *error) {
    int nothing = open("/dev/null", O_RDONLY);
    *moved = fcntl(STDIN_FILENO, F_DUPFD, LEAST_SPARE);
    if (nothing < 0 || *moved < 0 || dup2(nothing, STDIN_FILENO) < 0)
        return base_fail(error, KZ_IO, "cannot read commands from the standard input: %s", strerror(errno));
    close(nothing);
    return KZ_OK;
}

// The commands of --execute as a file without a name, which a program inherits; its number is what is given.
static kz_status write_commands(const cli_list *commands, char script[PATH], kz_error *error) {
    base_text text = {0};
    for (size_t i = 0; i < commands->count; i++) base_text_add(&text, "%s\n", commands->items[i]);
    int file = memfd_create("commands", 0);
    int spare = file < 0 ? -1 : fcntl(file, F_DUPFD, LEAST_SPARE);
    bool written = spare >= 0 && !text.failed &&
                   write(spare, text.data, text.length) == (ssize_t)text.length &&
                   lseek(spare, 0, SEEK_SET) == 0;
    if (file >= 0) close(file);
    base_text_free(&text);
    if (!written) return base_fail(error, KZ_IO, "cannot keep the commands: %s", strerror(errno));
    snprintf(script, PATH, "%d", spare);
    return KZ_OK;
}

// What commands come from before the terminal: "" where there is nothing.
static kz_status find_script(const debug_options *o, char script[PATH], kz_error *error) {
    script[0] = 0;
    if (o->commands && o->execute.count)
        return base_fail(error, KZ_INVALID,
                         "--commands and --execute exclude each other: put all into the file");
    if (o->execute.count) return write_commands(&o->execute, script, error);
    if (!o->commands) return KZ_OK;
    char *path = realpath(o->commands, NULL); // the program may change its folder
    if (!path)
        return base_fail(error, KZ_IO, "cannot open the commands %s: %s", o->commands, strerror(errno));
    snprintf(script, PATH, "%.800s", path);
    free(path);
    return KZ_OK;
}

// What KZ_DEBUG is to say: the file of commands first, then the terminal.
static kz_status find_terminal(const debug_options *o, char where[PATH], kz_error *error) {
    char script[PATH];
    kz_status status = find_script(o, script, error);
    if (status) return status;
    if (isatty(STDIN_FILENO)) {
        const char *terminal = ttyname(STDIN_FILENO);
        snprintf(where, PATH, "%.800s%s%s", script, script[0] ? "," : "", terminal ? terminal : "/dev/tty");
    } else if (script[0]) {
        snprintf(where, PATH, "%.800s", script);
    } else {
        int moved;
        status = move_input(&moved, error);
        if (status == KZ_OK) snprintf(where, PATH, "%d", moved);
    }
    return status;
}

// ---- running ------------------------------------------------------------------------------------------------

// The program's own debugger talks to the terminal that KZ_DEBUG names.
static int debug_program(const debug_options *o, const workload *w, const char *where) {
    char variable[PATH + 16];
    kz_error error = {0};
    course_case c;
    workload_program settings = cli_program_settings(&o->shared);
    const char *flags[CLI_LIST_CAPACITY + 1];
    size_t flag_count = 0;
    if (w->kind == WORKLOAD_TASK &&
        workload_task_case(w->task.task, o->shared.pattern, course_case_to_debug, &c, &error))
        return cli_fail(&error);
    snprintf(variable, sizeof variable, "KZ_DEBUG=%s", where);
    for (size_t i = 0; i < settings.nvcc_flag_count; i++) flags[flag_count++] = settings.nvcc_flags[i];
    if (!o->shared.optimized) flags[flag_count++] = "-G";
    settings.nvcc_flags = flags;
    settings.nvcc_flag_count = flag_count;
    settings.environment = (const char *const[]){variable, NULL};
    signal(SIGINT, SIG_IGN); // Ctrl-C is for the program's debugger
    workload_result result;
    workload_answer answer = {0};
    if (workload_run(w, &settings, &c, &answer, &result, &error)) return cli_fail(&error);
    cli_print_answer(&answer, true);
    cli_print_end(&result);
    workload_program_discard(&result);
    return result.exit_code;
}

static void on_quit(void *context) { exit(CLI_OK); }

static int debug_kernel(const debug_options *o, const workload *w, const char *where) {
    kz_error error = {0};
    kz_status outcome;
    const workload_debug_options wanted = {.gpu = o->shared.gpu,
                                           .pattern = o->shared.pattern,
                                           .seed = cli_seed(&o->shared, 0),
                                           .optimized = o->shared.optimized,
                                           .streams = where,
                                           .on_quit = on_quit,
                                           .out = stdout};
    kz_status status = workload_debug(w, &wanted, &outcome, &error);
    return status ? cli_fail(&error) : (int)cli_exit_of(outcome);
}

static int debug(const cli_shared *options, const workload *w) {
    const debug_options *o = (const debug_options *)options;
    char where[PATH];
    kz_error error = {0};
    if (find_terminal(o, where, &error)) return cli_fail(&error);
    return workload_runs_as_program(w) ? debug_program(o, w, where) : debug_kernel(o, w, where);
}

static int run(const cli_command *self, int argc, char **argv) {
    debug_options options = {0};
    static const workload_request request = {.command = "debug",
                                             .kinds = 1u << WORKLOAD_ZOO | 1u << WORKLOAD_GUEST |
                                                      1u << WORKLOAD_TASK | 1u << WORKLOAD_PROGRAM,
                                             .question = "which program or kernel?",
                                             .for_debugging = true};
    for (int i = 1; i < argc && argv[i][0] == '-'; i++) // as gdb writes it
        if (strcmp(argv[i], "-x") == 0) argv[i] = (char *)(uintptr_t) "--commands";
    return cli_run_workload(self, argc, argv, &request, &options.shared, sizeof options, debug);
}

const cli_command cli_command_debug = {
    .usage = "kz debug [OPTIONS] PROGRAM.cu [MORE.cu ...] [ARGUMENTS]\n"
             "kz debug [OPTIONS] ./EXECUTABLE [ARGUMENTS]\n"
             "kz debug [OPTIONS] FAMILY/VARIANT\n"
             "kz debug [OPTIONS] --family FAMILY KERNEL.cu\n"
             "kz debug [OPTIONS] YOURS.cu [--task ID]",
    .about =
        "Runs kernels on the simulator under a debugger; no GPU is needed. It stops before the first launch\n"
        "and takes commands as gdb does: break 23, run, next, print x, print/w x for all lanes of a warp,\n"
        "info threads, shared. On an error it stops at the instruction before the launch ends. Sources are\n"
        "compiled with -G, so that variables are there; an executable has them if it was built so.\n"
        "All commands: docs/debugger.md, or help at the prompt.\n\n"
        "YOURS.cu is your file for a task of the course: it says so in its first lines, by its folder or by\n"
        "--task. It runs on one case of the task, the first with more than a warp to do, or that of --case.",
    .examples =
        "  kz debug vector_add.cu 1000          builds it with variables and stops before its first kernel\n"
        "  kz debug -x commands.txt prog.cu     takes commands from a file first\n"
        "  kz debug reduce/04_warp_shuffle      a kernel of the zoo, in its first case\n"
        "  kz debug --family reduce my.cu       a kernel of your own in that family's place\n"
        "  kz debug reverse.cu --case n=33      your file for a task of the course, in the case that failed",
    .options = options_table,
    .run = run,
};

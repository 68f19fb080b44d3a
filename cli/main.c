// kz: reads the verb and runs it. Everything a verb needs to know stands in cli.h.
#include "man.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "toolchain/toolchain.h"

const cli_verb cli_verbs[] = {
#define CLI_VERB(name, text) {#name, text, &cli_command_##name},
#include "verbs.def"
#undef CLI_VERB
};
const size_t cli_verb_count = BASE_COUNT(cli_verbs);

static const struct {
    const char *name;
    int value;
    const char *text;
} exits[] = {
#define CLI_EXIT(name, value, text) {#name, value, text},
#include "exits.def"
#undef CLI_EXIT
};

// ---- errors -----------------------------------------------------------------------------------

cli_exit cli_exit_of(kz_status status) {
    switch (status) {
    case KZ_OK: return CLI_OK;
    case KZ_INVALID:
    case KZ_NOT_FOUND: return CLI_USAGE;
    case KZ_NO_DEVICE:
    case KZ_DRIVER:
    case KZ_BUSY:
    case KZ_LOST: return CLI_NO_DEVICE;
    case KZ_UNSUPPORTED: return CLI_UNSUPPORTED;
    case KZ_SYNTAX: return CLI_SYNTAX;
    case KZ_FAULT:
    case KZ_DEADLOCK: return CLI_FAULT;
    case KZ_WRONG: return CLI_WRONG;
    case KZ_IO: return CLI_IO;
    case KZ_TOOL: return CLI_TOOL;
    case KZ_NO_MEMORY:
    case KZ_LIMIT: return CLI_MEMORY;
    case KZ_TIMEOUT: return CLI_TIMEOUT;
    case KZ_INTERNAL: return CLI_INTERNAL;
    }
    return CLI_INTERNAL;
}

int cli_check_output(int code) {
    errno = 0;
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (!lost || code != CLI_OK) return code;
    return cli_fail_with(KZ_IO, "the output could not be written: %s",
                         errno ? strerror(errno) : "the disk is full, or stdout is closed");
}

int cli_fail(const kz_error *error) {
    fflush(stdout);
    fprintf(stderr, "kz: %s\n", error->message[0] ? error->message : kz_status_text(error->status));
    return toolchain_lacks_compiler(error) ? CLI_TOOL : (int)cli_exit_of(error->status);
}

kz_status cli_make_folder_of(const char *path, kz_error *error) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return KZ_OK;
    char *folder = strndup(path, (size_t)(slash - path));
    if (!folder) return base_fail(error, KZ_NO_MEMORY, "no memory for the path %s", path);
    bool fresh = !base_file_exists(folder);
    kz_status status = base_make_folders(folder, error);
    if (!status && fresh) fprintf(stderr, "kz: made the folder %s\n", folder);
    free(folder);
    return status;
}

int cli_fail_with(kz_status status, const char *format, ...) {
    kz_error error = {.status = status};
    va_list list;
    va_start(list, format);
    vsnprintf(error.message, sizeof error.message, format, list);
    va_end(list);
    base_clean(error.message);
    return cli_fail(&error);
}

// ---- interruption: the one global that a signal needs -------------------------------------------

enum { GRACE_SECONDS = 5 }; // for the case in hand to end by itself

static volatile sig_atomic_t interrupted; // the signal
static volatile double interrupted_at;
static const char *volatile records; // where what is finished is kept

// All that a signal handler may use of stdio.
static void say(const char *text) {
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void say_records(void) {
    if (!records || access(records, F_OK) != 0) return;
    say("kz: what was finished is in ");
    say(records);
    say("\n");
}

void cli_keep_in_mind(const char *path) { records = path; }

// timeout(1) sends its signal to its child and to its group, and Ctrl-C under it comes by both ways too: kz gets two at
// once, and one is meant.
static void on_signal(int number) {
    const double apart = 0.3;
    double now = base_seconds();
    if (interrupted && now - interrupted_at < apart) return;
    if (interrupted) {
        say_records();
        signal(number, SIG_DFL);
        raise(number); // taken when this handler returns
        return;
    }
    interrupted = number;
    interrupted_at = now;
    say("\nkz: stopping after the case in hand, in five seconds at most; once more stops at once\n");
    alarm(GRACE_SECONDS);
}

// The verb has had its time: it is inside a kernel that does not end. What was measured is in the journal
// already.
static void on_alarm(int number) {
    (void)number;
    say("\nkz: stopped inside a kernel that did not end in time; of that one nothing is reported\n");
    say_records();
    _exit(CLI_INTERRUPTED);
}

void cli_catch_interrupts(void) {
    struct sigaction action = {.sa_handler = on_signal}, alarm_action = {.sa_handler = on_alarm};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGALRM, &alarm_action, NULL);
}

bool cli_interrupted(void) { return interrupted != 0; }

bool cli_report_interruption(double began, char *text, size_t size) {
    if (!interrupted) return false;
    alarm(0);
    snprintf(text, size, "it was stopped after %.1f s by signal %d (%s)", base_seconds() - began,
             (int)interrupted, strsignal(interrupted));
    return true;
}

// ---- the pages of main itself ---------------------------------------------------------------------

static void print_first_screen(void) {
    printf("Kernel Zoo %s: CUDA kernels from naive to the hardware's limit, on a GPU or in a simulator.\n\n"
           "  kz learn                  the course: your first kernel in ten minutes, graded every time you "
           "save it\n"
           "  kz check                  runs every kernel on the devices of this machine, and checks it\n"
           "  kz list                   the families and their variants\n"
           "  kz info reduce            one family: what it computes, its ladder of variants, its cases\n"
           "  kz check --family reduce my.cu    your own kernel in a family's place\n"
           "  kz doctor                 what this machine has, and what is missing\n\n"
           "kz help lists every command.\n",
           kz_version());
}

static void print_verbs(void) {
    printf("kz VERB [ARGUMENTS] [OPTIONS]\n\n");
    for (size_t i = 0; i < BASE_COUNT(cli_verbs); i++)
        if (cli_verbs[i].text) printf("  %-10s %s\n", cli_verbs[i].name, cli_verbs[i].text);
    printf(
        "\nkz help VERB explains one of them, kz help exit-codes what the exit status says; kz --version.\n"
        "kz help --man FOLDER writes the manual pages.\n"
        "Output is coloured on a terminal; NO_COLOR=1 turns that off.\n");
}

static void print_exit_codes(void) {
    printf("kz ends with one of these:\n\n");
    for (size_t i = 0; i < BASE_COUNT(exits); i++) printf("  %3d  %s\n", exits[i].value, exits[i].text);
    printf("\nWhere several apply, a fault outranks a wrong result, and a wrong result everything else.\n");
}

static const cli_verb *find_verb(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(cli_verbs); i++)
        if (strcmp(cli_verbs[i].name, name) == 0) return &cli_verbs[i];
    return NULL;
}

static int unknown_verb(const char *name) {
    const char *names[BASE_COUNT(cli_verbs) + 1] = {NULL};
    for (size_t i = 0, n = 0; i < BASE_COUNT(cli_verbs); i++)
        if (cli_verbs[i].text) names[n++] = cli_verbs[i].name;
    const char *near = base_nearest(name, names);
    if (near) return cli_fail_with(KZ_INVALID, "there is no command \"%s\"; did you mean kz %s?", name, near);
    const char *dot = strrchr(name, '.');
    if (strchr(name, '/') || (dot && strcmp(dot, ".cu") == 0))
        return cli_fail_with(KZ_INVALID, "there is no command \"%s\"; to run a program: kz run %s", name,
                             name);
    return cli_fail_with(KZ_INVALID, "there is no command \"%s\"\ntry: kz help", name);
}

static int write_manual(const char *folder) {
    kz_error error = {0};
    if (!folder) return cli_fail_with(KZ_INVALID, "the folder is missing: kz help --man FOLDER");
    return cli_write_manual(folder, &error) ? cli_fail(&error) : CLI_OK;
}

static int help(int argc, char **argv) {
    if (argc < 2) return print_verbs(), CLI_OK;
    if (strcmp(argv[1], "exit-codes") == 0) return print_exit_codes(), CLI_OK;
    if (strcmp(argv[1], "--man") == 0) return write_manual(argv[2]);
    const cli_verb *v = find_verb(argv[1]);
    if (!v) return unknown_verb(argv[1]);
    cli_print_help(v->command);
    return CLI_OK;
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static int run(int argc, char **argv) {
    if (argc < 2) return print_first_screen(), CLI_OK;
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) return printf("kz %s\n", kz_version()), CLI_OK;
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return help(argc - 1, argv + 1);
    const cli_verb *v = find_verb(name);
    if (!v) return unknown_verb(name);
    if (asks_for_help(argc - 1, argv + 1)) return cli_print_help(v->command), CLI_OK;
    kz_error error = {0};
    bool is_for_users = v->text != NULL,
         is_doctor = strcmp(name, "doctor") == 0; // which tells of everything at once
    if (is_for_users && !is_doctor && cli_check_settings(&error)) return cli_fail(&error);
    return v->command->run(v->command, argc - 1, argv + 1);
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error that is told, not an end without words
    setvbuf(stdout, NULL, _IOLBF, 0); // whole lines, also into a pipe: a run may be stopped at any time
    int code = run(argc, argv);
    return cli_check_output(code);
}

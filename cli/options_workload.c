// Command lines that name a workload. See options.h.
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "sandbox/sandbox.h"

bool cli_to_stdout(const cli_output *output) { return output->given && !output->path; }

uint64_t cli_seed(const cli_shared *options, uint64_t otherwise) {
    return options->seed.given ? (uint64_t)options->seed.value : otherwise;
}

kz_status cli_choose_sandbox(const cli_shared *options, kz_error *error) {
    sandbox_mode mode;
    if (options->sandbox) setenv("KZ_SANDBOX", options->sandbox, 1);
    return sandbox_mode_asked(&mode, error);
}

kz_status cli_one_device(const cli_shared *options, const char *command, const char **id, kz_error *error) {
    *id = options->devices.count ? options->devices.items[0] : NULL;
    if (options->devices.count < 2) return KZ_OK;
    return base_fail(error, KZ_INVALID, "kz %s takes one --device, not both %s and %s", command,
                     options->devices.items[0], options->devices.items[1]);
}

// ---- a program's words ------------------------------------------------------------------------------------

// A command line in parts: argv[0 .. own) is kz's, then come the files of the program and its arguments.
typedef struct parts {
    int own;
    cli_list files;
    char **arguments; // NULL-terminated, as main got them
    size_t argument_count;
    bool separated; // by "--"
} parts;

// The words that an option takes: 2 where its value is the next one (NULL at the end).
static int option_words(const cli_command *command, const char *word, const char *next) {
    if (strchr(word, '=')) return 1;
    for (const cli_option *o = command->options; o && o->name; o++)
        if (strcmp(o->name, word + 2) == 0)
            return cli_takes_value(o->kind) || (next && cli_names_output(o, next)) ? 2 : 1;
    return 1;
}

static kz_status split(const cli_command *command, int argc, char **argv, parts *p, kz_error *error) {
    *p = (parts){0};
    int at = 1;
    while (at < argc && argv[at][0] == '-' && argv[at][1] && strcmp(argv[at], "--"))
        at += option_words(command, argv[at], at + 1 < argc ? argv[at + 1] : NULL);
    p->own = at < argc ? at : argc;
    // The first word is the program whatever it is called; more files must look like some.
    for (; at < argc && p->files.count < CLI_LIST_CAPACITY && strcmp(argv[at], "--"); at++) {
        if (p->files.count &&
            (!workload_program_is_source(p->files.items[0]) || !workload_program_is_source(argv[at])))
            break;
        p->files.items[p->files.count++] = argv[at];
    }
    p->separated = at < argc && strcmp(argv[at], "--") == 0;
    if (p->separated) at++;
    p->arguments = argv + at;
    p->argument_count = at < argc ? (size_t)(argc - at) : 0;
    if (p->files.count == 0 && p->argument_count)
        return base_fail(error, KZ_INVALID, "the program must stand before \"--\"");
    return KZ_OK;
}

// A word for the program is called like an option of the command, and no "--" says that this is meant.
static void note_options(const cli_command *command, const parts *p) {
    for (size_t i = 0; !p->separated && i < p->argument_count; i++) {
        const char *word = p->arguments[i];
        size_t length = strcspn(word, "=");
        if (length < 3 || strncmp(word, "--", 2) != 0) continue;
        for (const cli_option *o = command->options; o && o->name; o++) {
            if (strlen(o->name) != length - 2 || strncmp(o->name, word + 2, length - 2) != 0) continue;
            fprintf(stderr,
                    "kz: note: %s stands after the program, so the program gets it; kz's own options go "
                    "before (\"--\" before the program's words silences this)\n",
                    word);
            return;
        }
    }
}

// ---- all of it --------------------------------------------------------------------------------------------

typedef struct named { // words that name a workload
    cli_list words;
    char *const *arguments; // of a program
    size_t argument_count;
} named;

static void take_options(workload_request *request, const cli_shared *options) {
    request->family = options->family;
    request->task = options->task;
    request->nvcc_flags = options->flags.items;
    request->nvcc_flag_count = options->flags.count;
    if (options->optimized) request->for_debugging = false;
}

static kz_status parse(const cli_command *command, int argc, char **argv, workload_request *request,
                       cli_shared *options, size_t size, named *n, kz_error *error) {
    parts p;
    *n = (named){0};
    kz_status status = split(command, argc, argv, &p, error);
    if (!status) status = cli_parse(command, p.own, argv, options, &n->words, error);
    if (status) return status;
    take_options(request, options);
    if (workload_is_program(request, p.files.items, p.files.count)) {
        note_options(command, &p);
        *n = (named){.words = p.files, .arguments = p.arguments, .argument_count = p.argument_count};
        return KZ_OK;
    }
    memset(options, 0, size); // options may stand anywhere
    status = cli_parse(command, argc, argv, options, &n->words, error);
    take_options(request, options);
    return status;
}

int cli_run_workload(const cli_command *command, int argc, char **argv, const workload_request *request,
                     cli_shared *options, size_t size, int (*run)(const cli_shared *, const workload *)) {
    workload_request whole = *request;
    named n;
    workload w = {0};
    kz_error error = {0};
    kz_status status = parse(command, argc, argv, &whole, options, size, &n, &error);
    if (!status) {
        status = workload_open(&whole, n.words.items, n.words.count, &w, &error);
        if (status && !n.words.count) base_fail_note(&error, "%s", command->usage);
    }
    w.arguments = n.arguments;
    w.argument_count = n.argument_count;
    base_text_add(&options->command_line, "kz");
    for (int i = 0; i < argc; i++) base_text_add(&options->command_line, " %s", argv[i]);
    int code = status ? cli_fail(&error) : run(options, &w);
    workload_close(&w);
    base_text_free(&options->command_line);
    return code;
}

workload_program cli_program_settings(const cli_shared *o) {
    return (workload_program){.gpu = o->gpu,
                              .nvcc_flags = o->flags.items,
                              .nvcc_flag_count = o->flags.count,
                              .seed = cli_seed(o, 0),
                              .timeout = o->timeout,
                              .note = cli_note};
}

// ---- what is said -------------------------------------------------------------------------------------------

void cli_note(const char *text) {
    fflush(stdout);
    fprintf(stderr, "kz: note: %s\n", text);
}

void cli_complain(const kz_error *error, const char *consequence) {
    cli_fail(error);
    if (consequence) fprintf(stderr, "kz: %s\n", consequence);
}

void cli_print_end(const workload_result *result) {
    char text[WORKLOAD_SENTENCE];
    const char *end = workload_program_end(result, text);
    if (end) fprintf(stderr, "kz: %s\n", end);
}

void cli_print_answer(const workload_answer *answer, bool also_right) {
    if (!answer->given && !answer->wrong.status) return;
    fflush(stdout);
    if (answer->wrong.status)
        fprintf(stderr, "kz: the answer is wrong for %s: %s\n", answer->name, answer->wrong.message);
    else if (also_right)
        fprintf(stderr, "kz: the answer is right for %s\n", answer->name);
}

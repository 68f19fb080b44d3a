// kz debug: a whole program, a kernel of the zoo, a guest or a learner's file, under the debugger of src/debug.
//
// A whole program runs as a process of its own; the runtime library in it opens the debugger, which talks to
// the terminal that KZ_DEBUG names. Single kernels run in this process, in a case of their family or task.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "debug/debug.h"
#include "device/device.h"
#include "family/case.h"
#include "family/check.h"
#include "program.h"
#include "select.h"
#include "task_file.h"
#include "toolchain/toolchain.h"

enum { PATH = 1024, PARENTS = 5, LEAST_SPARE = 10 };

typedef struct debug_options {
    const char *commands, *gpu, *family, *pattern, *task;
    cli_list execute, flags;
    cli_integer seed;
    bool optimized;
} debug_options;

static const cli_option options[] = {
    {"commands", CLI_TEXT, offsetof(debug_options, commands), "FILE",
     "commands to begin with, one per line; also -x FILE"},
    {"execute", CLI_LIST, offsetof(debug_options, execute), "COMMAND",
     "a command to begin with; may be repeated"},
    {"optimized", CLI_FLAG, offsetof(debug_options, optimized), NULL,
     "debug the code as it is built for use: lines, but no variables"},
    {"gpu", CLI_TEXT, offsetof(debug_options, gpu), "NAME",
     "the GPU to simulate: a name that `kz devices` lists, or a .gpu file"},
    {"family", CLI_TEXT, offsetof(debug_options, family), "FAMILY", "the file is a guest of this family"},
    {"case", CLI_TEXT, offsetof(debug_options, pattern), "NAME",
     "single kernels: the case to run; without it the first; for a task its sizes, n=33"},
    {"task", CLI_TEXT, offsetof(debug_options, task), "ID",
     "the task of the course that the file is for, where it does not say it"},
    {"nvcc-flag", CLI_LIST, offsetof(debug_options, flags), "FLAG",
     "whole programs: one more word for nvcc; may be repeated"},
    {"seed", CLI_INTEGER, offsetof(debug_options, seed), "N",
     "another order of blocks and warps for each N > 0"},
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

// ---- whole programs -----------------------------------------------------------------------------------

// `words` are a program with a main of its own, or `task` is a learner's file that gets the harness's.
static int debug_program(const debug_options *o, const cli_program_words *words, const cli_task_file *task) {
    char where[PATH], variable[PATH + 16];
    kz_error error = {0};
    course_case c;
    if (task && cli_task_file_case(task->task, o->pattern, course_case_to_debug, &c, &error))
        return cli_fail(&error);
    if (find_terminal(o, where, &error)) return cli_fail(&error);
    snprintf(variable, sizeof variable, "KZ_DEBUG=%s", where);
    const char *flags[CLI_LIST_CAPACITY + 2];
    size_t flag_count = 0;
    for (size_t i = 0; i < o->flags.count; i++) flags[flag_count++] = o->flags.items[i];
    if (!o->optimized) flags[flag_count++] = "-G";
    cli_program program = {
        .gpu = o->gpu,
        .nvcc_flags = flags,
        .nvcc_flag_count = flag_count,
        .seed = o->seed.given ? (uint64_t)o->seed.value : 0,
        .environment = (const char *const[]){variable, NULL},
    };
    if (!task) {
        program.files = words->files.items;
        program.file_count = words->files.count;
        program.arguments = words->arguments;
        program.argument_count = words->argument_count;
    }
    signal(SIGINT, SIG_IGN); // Ctrl-C is for the program's debugger
    cli_program_result result;
    if (task ? cli_task_file_run(task, &c, &program, CLI_TASK_ANY, &result, &error)
             : cli_program_run(&program, &result, &error))
        return cli_fail(&error);
    cli_program_explain_end(&result);
    cli_program_discard(&result);
    return result.exit_code;
}

// ---- single kernels -------------------------------------------------------------------------------------

typedef struct single {
    const kz_family *family;
    const kz_variant *variant;
    family_guest *guest;
    char *ptx; // compiled for debugging
    size_t ptx_size;
    kz_device *device;
    kz_module *module;
    debug_session *session;
} single;

static void on_quit(void *context) { exit(CLI_OK); }

// kernels/<group>/<family>/<variant>.cu, here or above the executable; false where the sources are not there.
static bool find_source(const single *s, char path[PATH]) {
    char own[PATH] = "", name[256];
    snprintf(name, sizeof name, "kernels/%s/%s/%s.cu", s->family->group, s->family->name, s->variant->name);
    snprintf(path, PATH, "%s", name);
    if (base_file_exists(path)) return true;
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    for (int i = 0; length > 0 && i < PARENTS && strrchr(own, '/'); i++) {
        *strrchr(own, '/') = 0;
        snprintf(path, PATH, "%.700s/%s", own, name);
        if (base_file_exists(path)) return true;
    }
    return false;
}

static kz_status compile(const debug_options *o, const char *path, single *s, kz_error *error) {
    toolchain tools = {0};
    char arch[TOOLCHAIN_ARCH];
    kz_status status = toolchain_find(&tools, error);
    if (!status) status = toolchain_source_arch(path, arch, error);
    tools.for_debugging = !o->optimized;
    return status ? status : toolchain_compile_ptx(&tools, path, arch, NULL, &s->ptx, &s->ptx_size, error);
}

static kz_status open_guest(const debug_options *o, const char *path, single *s, kz_error *error) {
    char *source = NULL;
    size_t size;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    kz_status status = cli_find_family(o->family, &s->family, error);
    if (!status) status = base_file_read(path, &source, &size, error);
    if (!status && !(dot && strcmp(dot, ".ptx") == 0)) status = compile(o, path, s, error);
    if (!status)
        status = family_guest_open(s->family, slash ? slash + 1 : path, source, s->ptx ? s->ptx : source,
                                   &s->guest, error);
    free(source);
    return status;
}

static kz_status load_module(const debug_options *o, single *s, kz_error *error) {
    char path[PATH];
    kz_image image;
    if (s->guest) return kz_module_load(s->device, family_guest_image(s->guest), &s->module, error);
    kz_status status = kz_variant_image(s->family, s->variant, &image, error);
    if (!status && !o->optimized) {
        kz_error why = {0};
        if (!find_source(s, path))
            printf("The zoo's sources are not here: the kernel is debugged as it was built, without "
                   "variables.\n");
        else if (compile(o, path, s, &why))
            printf("%s\nThe kernel is debugged as it was built, without variables.\n", why.message);
        else
            image = (kz_image){
                .size = sizeof(kz_image), .name = image.name, .ptx = s->ptx, .ptx_size = s->ptx_size};
    }
    return status ? status : kz_module_load(s->device, &image, &s->module, error);
}

static kz_status choose(const debug_options *o, const cli_program_words *words, single *s, kz_error *error) {
    const char *word = words->files.items[0];
    kz_status status =
        o->family ? open_guest(o, word, s, error) : cli_find_target(word, &s->family, &s->variant, error);
    if (status) return status;
    if (!s->guest && !s->variant) {
        base_fail(error, KZ_INVALID, "%s has several variants: one can be debugged at a time", word);
        base_fail_note(error, "try: kz debug %s/%s", s->family->name,
                       s->family->variants[s->family->variant_count - 1].name);
        return KZ_INVALID;
    }
    if (s->variant && s->variant->natives)
        return base_fail(error, KZ_INVALID, "%s is plain C for the CPU: no kernel to debug", word);
    return KZ_OK;
}

static void say_outcome(const family_check_result *result) {
    fflush(stdout);
    if (result->outcome == FAMILY_PASSED)
        printf("The answer is right.\n");
    else
        printf("The outcome: %s\n%s\n", family_outcome_name(result->outcome), result->error.message);
}

// The first case that the kernel does.
static int check_cases(const debug_options *o, single *s, const kz_case *cases, size_t count) {
    family_check_result result = {.outcome = FAMILY_SKIPPED};
    for (size_t i = 0; i < count && result.outcome == FAMILY_SKIPPED; i++) {
        char name[FAMILY_CASE_NAME];
        family_check_job job = {.family = s->family,
                                .variant = s->variant,
                                .guest = s->guest,
                                .c = &cases[i],
                                .device = s->device,
                                .module = s->module,
                                .seed = FAMILY_SEED};
        kz_plan plan;
        kz_error refused = {0};
        if (count > 1 && family_make_plan(&job, &plan, &refused)) continue;
        family_case_name(s->family, &cases[i], name);
        printf("Case %s; a check runs it twice, on different data.\n", name);
        fflush(stdout);
        family_check(&job, &result);
    }
    say_outcome(&result);
    return result.outcome == FAMILY_PASSED ? CLI_OK : (int)cli_exit_of(result.error.status);
}

static int debug_single(const debug_options *o, const cli_program_words *words) {
    single s = {0};
    kz_error error = {0};
    kz_case *cases = NULL;
    size_t count = 0;
    char where[PATH], id[64];
    int code = CLI_OK;
    snprintf(id, sizeof id, "sim%s%.40s", o->gpu ? ":" : "", o->gpu ? o->gpu : "");
    kz_status status = choose(o, words, &s, &error);
    if (!status) status = cli_find_cases(s.family, o->pattern, KZ_USE_CHECK, &cases, &count, &error);
    if (!status) status = find_terminal(o, where, &error);
    if (!status) status = kz_device_open(id, &s.device, &error);
    if (!status) status = load_module(o, &s, &error);
    if (!status) status = debug_open_streams(where, on_quit, NULL, &s.session, &error);
    if (!status && o->seed.given) status = device_sim_set_seed(s.device, (uint64_t)o->seed.value, &error);
    if (!status) status = device_sim_listen(s.device, debug_listener(s.session), &error);
    code = status ? cli_fail(&error) : check_cases(o, &s, cases, count);
    if (s.device) device_sim_listen(s.device, NULL, NULL);
    debug_close(s.session);
    if (s.module) kz_module_close(s.module);
    if (s.device) kz_device_close(s.device);
    if (s.guest) family_guest_close(s.guest);
    free(cases);
    free(s.ptx);
    return code;
}

// ---- learners' files ------------------------------------------------------------------------------------

static kz_status look(const debug_options *o, const cli_task_file *task, const course_case *c, single *s,
                      const course_subject *subject, kz_error *error) {
    course_seen seen = {0};
    const course_look look = {
        .c = c, .name = task->file, .schedule = o->seed.given ? (uint64_t)o->seed.value : 0};
    kz_status status = course_subject_look(subject, s->device, s->module, &look, &seen, error);
    fflush(stdout);
    if (!status && seen.fault.status) {
        status = seen.fault.status;
        *error = seen.fault;
    } else if (!status && seen.wrong.status) {
        status = seen.wrong.status;
        *error = seen.wrong;
    } else if (!status) {
        printf("The answer is right.\n");
    }
    base_text_free(&seen.record);
    return status;
}

static int debug_kernel(const debug_options *o, const cli_task_file *task) {
    single s = {0};
    course_subject subject = {0};
    course_case c;
    kz_error error = {0};
    char where[PATH], id[64], name[200];
    snprintf(id, sizeof id, "sim%s%.40s", o->gpu ? ":" : "", o->gpu ? o->gpu : "");
    kz_status status = cli_task_file_case(task->task, o->pattern, course_case_to_debug, &c, &error);
    if (!status) status = course_subject_open(task->task, task->file, !o->optimized, &subject, &error);
    if (!status) status = find_terminal(o, where, &error);
    if (!status) status = kz_device_open(id, &s.device, &error);
    if (!status) status = kz_module_load(s.device, &subject.image, &s.module, &error);
    if (!status) status = debug_open_streams(where, on_quit, NULL, &s.session, &error);
    if (!status) status = device_sim_listen(s.device, debug_listener(s.session), &error);
    if (!status) {
        course_case_name(task->task, &c, name, sizeof name);
        printf("Task %s, case %s.\n", task->task->id, name);
        fflush(stdout);
        status = look(o, task, &c, &s, &subject, &error);
    }
    int code = status ? cli_fail(&error) : CLI_OK;
    if (s.device) device_sim_listen(s.device, NULL, NULL);
    debug_close(s.session);
    if (s.module) kz_module_close(s.module);
    if (s.device) kz_device_close(s.device);
    course_subject_close(&subject);
    return code;
}

static int debug_task(const debug_options *o, const cli_task_file *task) {
    return task->task->form == COURSE_PROGRAM ? debug_program(o, NULL, task) : debug_kernel(o, task);
}

// A .cu file without a main: a learner's, or nothing that could be run.
static int debug_file(const cli_command *self, int argc, char **argv) {
    debug_options given = {0};
    cli_task_file task = {0};
    cli_list words;
    kz_error error = {0};
    if (cli_parse(self, argc, argv, &given, &words, &error)) return cli_fail(&error); // options anywhere
    kz_status status = cli_task_file_open("debug", words.items[0], given.task, &task, &error);
    if (!status && !task.task) status = cli_task_file_fail("debug", words.items[0], &error);
    if (!status && words.count > 1)
        status = base_fail(&error, KZ_INVALID, "one word too many: %s", words.items[1]);
    int code = status ? cli_fail(&error) : debug_task(&given, &task);
    cli_task_file_close(&task);
    return code;
}

static int run(const cli_command *self, int argc, char **argv) {
    debug_options given = {0};
    cli_program_words words;
    cli_list rest;
    kz_error error = {0};
    for (int i = 1; i < argc && argv[i][0] == '-'; i++) // as gdb writes it
        if (strcmp(argv[i], "-x") == 0) argv[i] = (char *)(uintptr_t) "--commands";
    if (cli_program_split(self, argc, argv, CLI_LIST_CAPACITY, &words, &error) ||
        cli_parse(self, words.own, argv, &given, &rest, &error))
        return cli_fail(&error);
    if (words.files.count == 0) return cli_fail_with(KZ_INVALID, "which program or kernel?\n%s", self->usage);
    if (given.family) return debug_single(&given, &words);
    if (given.task || cli_task_file_may_be(&words)) return debug_file(self, argc, argv);
    bool is_program = cli_program_is(words.files.items[0]) || words.files.count > 1;
    if (is_program) cli_program_note_options(self, &words);
    return is_program ? debug_program(&given, &words, NULL) : debug_single(&given, &words);
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
    .options = options,
    .run = run,
};

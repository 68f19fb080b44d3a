// Builds whole CUDA programs and runs each as a process of its own, over the runtime library of src/cudart.
#include "workload/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "device/gpus.h"
#include "toolchain/toolchain.h"
#include "workload/libraries.h"
#include "workload/names.h"

enum { GRACE_SECONDS = 10, TERM_SECONDS = 4, TIMED_OUT = 124 };

extern char **environ;

// ---- words ----------------------------------------------------------------------------------------

bool workload_program_is_source(const char *word) {
    static const char *const suffixes[] = {".cu", ".c", ".cc", ".cpp", ".cxx", ".o", ".a", ".so"};
    const char *dot = strrchr(word, '.');
    for (size_t i = 0; dot && i < BASE_COUNT(suffixes); i++)
        if (strcmp(dot, suffixes[i]) == 0) return true;
    return false;
}

// ---- what kind of file ----------------------------------------------------------------------------

static bool text_has_main(const char *text) {
    bool found = false;
    for (const char *at = text; !found && (at = strstr(at, "main")); at += 4) {
        bool alone = at == text || !(strchr("_.>:\"", at[-1]) || (at[-1] >= 'a' && at[-1] <= 'z'));
        const char *after = at + 4 + strspn(at + 4, " \t\n");
        found = alone && *after == '(';
    }
    return found;
}

bool workload_program_has_main(const char *source) {
    char *text;
    size_t size;
    if (base_file_read(source, &text, &size, NULL)) return false;
    bool found = text_has_main(text);
    free(text);
    return found;
}

// Whether a main may be in a header or made by a macro. Most files have neither, and are not preprocessed for it.
static bool may_make_main(const char *source) {
    char *text;
    size_t size;
    if (base_file_read(source, &text, &size, NULL)) return false;
    bool may = strstr(text, "include \"") || strstr(text, "main") || strstr(text, "##");
    free(text);
    return may;
}

bool workload_program_makes_main(const char *source, const char *const *flags, size_t flag_count,
                                 kz_error *error) {
    toolchain tools;
    base_text text = {0};
    bool found = base_ends_with(source, ".cu") && may_make_main(source) &&
                 toolchain_find(&tools, NULL) == KZ_OK &&
                 toolchain_preprocess(&tools, source, flags, flag_count, &text, error) == KZ_OK &&
                 text.data && text_has_main(text.data);
    base_text_free(&text);
    return found;
}

static bool is_executable(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

bool workload_program_is(const char *word) {
    const char *dot = strrchr(word, '.');
    if (dot && strcmp(dot, ".cu") == 0) return workload_program_has_main(word);
    return strchr(word, '/') && is_executable(word);
}

static bool contains(const char *data, size_t size, const char *word) {
    return memmem(data, size, word, strlen(word)) != NULL;
}

// An executable must ask for the shared runtime, or ours is never loaded.
static kz_status check_executable(const char *path, void (*note)(const char *), kz_error *error) {
    char *data;
    size_t size;
    kz_status status = base_file_read(path, &data, &size, error);
    if (status) return status;
    if (size < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG) != 0) {
        if (size > 2 && memcmp(data, "#!", 2) == 0) goto done; // a script may start the program
        base_fail(error, KZ_INVALID, "%s is neither a CUDA source (.cu) nor an executable of this machine",
                  path);
        status = KZ_INVALID;
    } else if (contains(data, size, "libcudart.so.13")) {
        goto done;
    } else if (contains(data, size, "libcudart.so.")) {
        status = base_fail(error, KZ_UNSUPPORTED,
                           "%s was built with another version of the CUDA runtime than 13", path);
        base_fail_note(error, "build it again with nvcc 13 and -cudart shared");
    } else if (contains(data, size, ".nv_fatbin") || contains(data, size, "cudaLaunchKernel")) {
        status = base_fail(
            error, KZ_UNSUPPORTED,
            "%s has NVIDIA's CUDA runtime linked inside (static), so no other can take its place", path);
        base_fail_note(
            error,
            "build it again with: nvcc -cudart shared -lineinfo ... (CMake: CUDA_RUNTIME_LIBRARY Shared)");
    } else {
        char text[WORKLOAD_PATH + 80];
        snprintf(text, sizeof text, "%s does not ask for the CUDA runtime library itself", path);
        if (note) note(text);
    }
done:
    free(data);
    return status;
}

// ---- the environment ------------------------------------------------------------------------------

typedef struct variables {
    char **list;
    size_t count, capacity;
    bool failed;
} variables;

// Takes `text` (malloc'ed), in the place of a variable of the same name.
static void set_variable(variables *v, char *text) {
    if (!text) {
        v->failed = true;
        return;
    }
    size_t name = strcspn(text, "=") + 1;
    for (size_t i = 0; i < v->count; i++)
        if (strncmp(v->list[i], text, name) == 0) {
            free(v->list[i]);
            v->list[i] = text;
            return;
        }
    if (v->count + 1 >= v->capacity) {
        size_t capacity = v->capacity ? v->capacity * 2 : 64;
        char **grown = realloc(v->list, capacity * sizeof *grown);
        if (!grown) {
            v->failed = true;
            free(text);
            return;
        }
        v->list = grown;
        v->capacity = capacity;
    }
    v->list[v->count++] = text;
    v->list[v->count] = NULL;
}

static void set_format(variables *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void set_format(variables *v, const char *format, ...) {
    char *text = NULL;
    va_list list;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0) text = NULL;
    va_end(list);
    set_variable(v, text);
}

static void set_variables(variables *v, const workload_program *program, const char *gpu, const char *session,
                          const char *library) {
    for (char **at = environ; *at; at++) set_variable(v, strdup(*at));
    const char *path = getenv("LD_LIBRARY_PATH");
    set_format(v, "LD_LIBRARY_PATH=%s%s%s", library, path && *path ? ":" : "", path ? path : "");
    set_format(v, "KZ_GPU=%s", gpu);
    set_format(v, "KZ_OBSERVE=%s", program->observe ? program->observe : "");
    set_format(v, "KZ_SESSION=%s", session);
    if (program->seed) set_format(v, "KZ_SEED=%llu", (unsigned long long)program->seed);
    if (program->timeout > 0) set_format(v, "KZ_TIMEOUT=%.17g", program->timeout);
    for (size_t i = 0; program->environment && program->environment[i]; i++)
        set_variable(v, strdup(program->environment[i]));
}

static void free_variables(variables *v) {
    for (size_t i = 0; i < v->count; i++) free(v->list[i]);
    free(v->list);
}

// ---- running --------------------------------------------------------------------------------------

// In the child. It is not to outlive us: nobody would wait for it, or remove its folders.
_Noreturn static void become(const workload_program *program, const char *executable, char *const *argv,
                             char *const *environment, pid_t parent, int failure) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    bool is_ready = (!program->output || dup2(program->output, 1) >= 0) &&
                    (!program->input || dup2(program->input, 0) >= 0) &&
                    (!program->answer || dup2(program->answer, 3) >= 0);
    if (is_ready) execve(executable, argv, environment);
    int code = errno;
    ssize_t wrote = write(failure, &code, sizeof code);
    _exit(wrote ? 127 : 126);
}

// The errno of what went wrong, 0 where the program runs.
static int spawn(const workload_program *program, const char *executable, char *const *argv,
                 char *const *environment, pid_t *child) {
    int ends[2], code = 0;
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    // A low number may be the one that the program's answers go by.
    int failure = fcntl(ends[1], F_DUPFD_CLOEXEC, 16);
    *child = failure < 0 ? -1 : fork();
    if (*child == 0) become(program, executable, argv, environment, parent, failure);
    if (*child < 0) code = errno;
    close(ends[1]);
    if (failure >= 0) close(failure);
    while (!code && read(ends[0], &code, sizeof code) < 0 && errno == EINTR) continue;
    close(ends[0]);
    if (code && *child > 0) waitpid(*child, NULL, 0);
    return code;
}

static kz_status start(const workload_program *program, const char *name, const workload_result *result,
                       const variables *v, pid_t *child, kz_error *error) {
    const char **argv = calloc(program->argument_count + 2, sizeof *argv);
    if (!argv) return base_fail(error, KZ_NO_MEMORY, "no memory to start %s", name);
    argv[0] = name;
    for (size_t i = 0; i < program->argument_count; i++) argv[1 + i] = program->arguments[i];
    fflush(stdout);
    int code = spawn(program, result->executable, (char *const *)(uintptr_t)argv, v->list, child);
    free(argv);
    if (code) return base_fail(error, KZ_TOOL, "cannot start %s: %s", result->executable, strerror(code));
    return KZ_OK;
}

// Whether the user has had enough. The program is told once: the library then writes what was found. One that does not
// end by that is killed.
static void pass_interrupt(pid_t child, const workload_program *program, double *told) {
    if (!*told && program->interrupted && program->interrupted()) {
        kill(child, SIGTERM);
        *told = base_seconds();
    } else if (*told && base_seconds() - *told > TERM_SECONDS) {
        kill(child, SIGKILL);
    }
}

// The library ends the program by itself when its time is over; one that hangs outside it is killed.
static void await(pid_t child, const workload_program *program, workload_result *result) {
    double began = base_seconds(), timeout = program->timeout, told = 0;
    int state = 0;
    for (;;) {
        bool watches = timeout > 0 || program->interrupted;
        pid_t got = waitpid(child, &state, watches ? WNOHANG : 0);
        if (got == child || (got < 0 && errno != EINTR)) break;
        pass_interrupt(child, program, &told);
        if (timeout > 0 && base_seconds() - began > timeout + GRACE_SECONDS) {
            kill(child, SIGKILL);
            result->timed_out = true;
            timeout = 0;
        } else if (watches) {
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
    }
    result->seconds = base_seconds() - began;
    if (WIFSIGNALED(state)) {
        result->signal = WTERMSIG(state);
        result->exit_code = 128 + result->signal;
    } else
        result->exit_code = WEXITSTATUS(state);
    if (timeout > 0 && result->exit_code == TIMED_OUT) result->timed_out = true;
    if (result->timed_out) result->exit_code = TIMED_OUT;
}

// The file that the runtime removes before it writes its record.
static void pending_of(const workload_result *result, char path[WORKLOAD_PATH + 32]) {
    snprintf(path, WORKLOAD_PATH + 32, "%s/record.pending", result->session);
}

static kz_status open_session(const workload_program *program, workload_result *result, kz_error *error) {
    if (!program->observe && !program->session) return KZ_OK;
    kz_status status;
    if (program->session) {
        status = base_make_folders(program->session, error);
        char *path = status ? NULL : realpath(program->session, NULL); // the program may change its folder
        snprintf(result->session, sizeof result->session, "%s", path ? path : program->session);
        free(path);
    } else {
        result->own_session = true;
        status = toolchain_work_open(result->session, error);
    }
    if (status) return status;
    char pending[WORKLOAD_PATH + 32];
    pending_of(result, pending);
    return base_file_write_scratch(pending, "", 0, error);
}

// The GPU's architecture; 90a, which has what Hopper has for itself alone, where a file of the program names such an instruction, or
// what headers ask before they use one: CUTLASS compiles for sm_90 too, and then gives up in the kernel.
static void choose_arch(const workload_program *program, const device_gpu *gpu, char *arch, size_t size) {
    static const char *const own[] = {"wgmma",  "setmaxnreg", "tensormap.replace",
                                      "sm_90a", "arch::Sm90", "__CUDA_ARCH_FEAT_SM90_ALL"};
    bool wanted = false;
    for (size_t i = 0; (int)gpu->sm == 90 && i < program->file_count && !wanted; i++) {
        char *text = NULL;
        size_t length = 0;
        if (base_file_read(program->files[i], &text, &length, NULL)) continue;
        for (size_t k = 0; k < BASE_COUNT(own); k++) wanted = wanted || strstr(text, own[k]);
        free(text);
    }
    snprintf(arch, size, "%d%s", (int)gpu->sm, wanted ? "a" : "");
}

static kz_status build(const workload_program *program, const device_gpu *gpu, const char *library,
                       char *folder, workload_result *result, kz_error *error) {
    toolchain tools;
    kz_status status = toolchain_find_for_programs(&tools, error);
    if (status) return status;
    status = toolchain_work_open(folder, error);
    if (status) return status;
    char arch[16];
    choose_arch(program, gpu, arch, sizeof arch);
    toolchain_program wanted = {.files = program->files,
                                .file_count = program->file_count,
                                .arch = arch,
                                .flags = program->nvcc_flags,
                                .flag_count = program->nvcc_flag_count,
                                .library_folder = library,
                                .file_flags = program->file_flags};
    base_text warnings = {0};
    tools.warnings = program->is_repeated ? NULL : &warnings;
    tools.interrupted = program->interrupted;
    status = toolchain_build_program(&tools, &wanted, folder, result->executable, error);
    if (status && strcmp(arch, "90") == 0 && strstr(error->message, "not supported on .target 'sm_90'")) {
        snprintf(arch, sizeof arch, "90a"); // a header has such instructions
        base_text_free(&warnings);
        warnings = (base_text){0};
        status = toolchain_build_program(&tools, &wanted, folder, result->executable, error);
    }
    workload_show_warnings(&warnings);
    base_text_free(&warnings);
    return status;
}

// argv[0] of the program: the source's stem, as if it had been built beside it.
static void name_of(const char *file, char *name, size_t capacity) {
    snprintf(name, capacity, "%s", file);
    char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    if (dot && dot > (slash ? slash + 1 : name)) *dot = 0;
}

kz_status workload_program_run(const workload_program *program, workload_result *result, kz_error *error) {
    *result = (workload_result){0};
    char library[WORKLOAD_PATH] = "", folder[TOOLCHAIN_PATH] = "", name[WORKLOAD_PATH];
    const char *key = device_gpu_choose(program->gpu);
    device_gpu gpu;
    kz_status status = device_gpu_load(key, &gpu, error);
    if (status == KZ_OK) status = toolchain_cudart_folder(library, error);
    if (status) return status;

    snprintf(name, sizeof name, "%s", program->files[0]);
    if (workload_program_is_source(program->files[0])) {
        name_of(program->files[0], name, sizeof name);
        status = build(program, &gpu, library, folder, result, error);
    } else {
        snprintf(result->executable, sizeof result->executable, "%s", program->files[0]);
        status = check_executable(program->files[0], program->note, error);
    }
    if (status == KZ_OK)
        status = workload_check_libraries(name, result->executable, library, program->note, error);
    if (status == KZ_OK) status = open_session(program, result, error);
    variables v = {0};
    pid_t child = 0;
    if (status == KZ_OK) {
        set_variables(&v, program, key, result->session, library);
        if (v.failed) status = base_fail(error, KZ_NO_MEMORY, "no memory for the program's environment");
    }
    if (status == KZ_OK) status = start(program, name, result, &v, &child, error);
    if (status == KZ_OK) await(child, program, result);
    free_variables(&v);
    if (folder[0]) toolchain_work_close(folder);
    if (status) workload_program_discard(result);
    return status;
}

void workload_program_discard(workload_result *result) {
    if (result->own_session && result->session[0]) toolchain_work_close(result->session);
    result->session[0] = 0;
}

const char *workload_program_end(const workload_result *result, char text[WORKLOAD_SENTENCE]) {
    if (result->timed_out && result->signal)
        return "the program did not end in the time allowed and was killed; it hung outside the CUDA runtime";
    if (!result->signal || result->timed_out) return NULL;
    snprintf(text, WORKLOAD_SENTENCE, "the program was ended by signal %d (%s)", result->signal,
             strsignal(result->signal));
    return text;
}

bool workload_program_unfinished(const workload_result *result, report_record *record) {
    char path[WORKLOAD_PATH + 32];
    snprintf(path, sizeof path, "%s/unfinished.jsonl", result->session);
    return base_file_exists(path) && report_record_read(path, record, NULL) == KZ_OK;
}

kz_status workload_program_record(const workload_result *result, const char *name, report_record *record,
                                  kz_error *error) {
    char path[WORKLOAD_PATH + 32], pending[WORKLOAD_PATH + 32];
    snprintf(path, sizeof path, "%s/record.jsonl", result->session);
    pending_of(result, pending);
    struct stat about;
    bool has_opened = stat(pending, &about) == 0 && about.st_size; // the runtime, which writes to it
    bool lost = unlink(pending) != 0;
    if (base_file_exists(path)) return report_record_read(path, record, error);
    if (lost) {
        base_fail(error, KZ_IO, "the record of what %s did could not be written to %s", name,
                  result->session);
        base_fail_note(error,
                       "free some space there, or set TMPDIR to a folder on another disk, and try again");
        return KZ_IO;
    }
    base_fail(error, has_opened ? KZ_IO : KZ_NOT_FOUND, "%s left no record of what it did", name);
    if (!has_opened)
        base_fail_note(error, "likely cause: it never called the CUDA runtime");
    else if (result->signal)
        base_fail_note(error, "likely cause: it was ended by signal %d (%s) before it could write",
                       result->signal, strsignal(result->signal));
    else
        base_fail_note(
            error,
            "likely cause: it left by exec() or a system call of its own, which let no library end its work\n"
            "what to do: let it end by exit() or by a return from main");
    base_fail_note(error, "try: kz run %s", name);
    return has_opened ? KZ_IO : KZ_NOT_FOUND;
}

// Starts compilers and their like, under limits, and collects what they say.
#include "toolchain/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/sandbox.h"

enum { READABLE = 64, OUTPUT = 16 << 20, MOST_PROCESSES = 256 };
static const double TRUSTED_SECONDS = 3600, UNTRUSTED_SECONDS = 60;
static const uint64_t UNTRUSTED_MEMORY = UINT64_C(6) << 30, MOST_FILE = UINT64_C(2) << 30;

// ---- limits -------------------------------------------------------------------------------------------------

static const char SECONDS[] = "KZ_COMPILE_SECONDS", MEMORY[] = "KZ_COMPILE_MEMORY";

// A setting that is a number from 1 on. `*value` stays where it is not given; false where it is none.
static bool read_setting(const char *name, double *value) {
    const char *text = getenv(name);
    if (!text || !*text) return true;
    char *end;
    double given = strtod(text, &end);
    if (end == text || *end || !(given >= 1 && given <= 1e9)) return false;
    *value = given;
    return true;
}

static double asked(const char *name, double otherwise) {
    read_setting(name, &otherwise);
    return otherwise;
}

kz_status toolchain_check_limits(kz_error *error) {
    static const struct {
        const char *name, *what;
    } settings[] = {{SECONDS, "the processor seconds that a compiler may take"},
                    {MEMORY, "the MiB of memory that a compiler may take"}};
    double value = 0;
    for (size_t i = 0; i < BASE_COUNT(settings); i++) {
        if (read_setting(settings[i].name, &value)) continue;
        base_fail(error, KZ_INVALID, "%s is \"%s\", and that is no number from 1 to 10^9", settings[i].name,
                  getenv(settings[i].name));
        base_fail_note(error, "it says %s: correct it, or unset it", settings[i].what);
        return KZ_INVALID;
    }
    return KZ_OK;
}

static double most_seconds(bool is_untrusted) {
    return asked(SECONDS, is_untrusted ? UNTRUSTED_SECONDS : TRUSTED_SECONDS);
}

static uint64_t most_memory(bool is_untrusted) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
    uint64_t most = pages * page / 4 * 3;
    if (is_untrusted && most > UNTRUSTED_MEMORY) most = UNTRUSTED_MEMORY;
    return (uint64_t)asked(MEMORY, (double)(most >> 20)) << 20;
}

// ---- what a compiler of a submission sees ---------------------------------------------------------------------

typedef struct surroundings {
    char paths[READABLE][TOOLCHAIN_PATH];
    const char *list[READABLE + 1];
    size_t count;
    char folder[TOOLCHAIN_PATH]; // of what it writes
} surroundings;

static void add_path(surroundings *s, const char *path, bool its_folder) {
    struct stat about;
    if (s->count == READABLE || path[0] != '/' || strlen(path) >= TOOLCHAIN_PATH || stat(path, &about) != 0)
        return;
    char *to = s->paths[s->count];
    strcpy(to, path);
    if (its_folder && !S_ISDIR(about.st_mode)) *strrchr(to, '/') = 0;
    if (!to[0]) return; // a source in the root folder is seen alone
    s->list[s->count++] = to;
    s->list[s->count] = NULL;
}

// What the command names it may read, and of sources their folders; it writes where its output goes.
static void look_around(const toolchain *tools, const char *const *argv, surroundings *s) {
    char toolkit[TOOLCHAIN_PATH];
    s->count = 0;
    s->list[0] = NULL;
    s->folder[0] = 0;
    memcpy(toolkit, tools->nvcc, sizeof toolkit);
    for (int i = 0; i < 2 && strrchr(toolkit, '/'); i++) *strrchr(toolkit, '/') = 0;
    add_path(s, toolkit, false);
    for (size_t i = 1; argv[i]; i++) {
        const char *word = argv[i];
        if (strncmp(word, "-I", 2) == 0 || strncmp(word, "-L", 2) == 0) word += 2;
        bool is_output = strcmp(argv[i - 1], "-o") == 0 && strlen(word) < sizeof s->folder && word[0] == '/';
        if (is_output) {
            strcpy(s->folder, word);
            *strrchr(s->folder, '/') = 0;
        } else
            add_path(s, word, true);
    }
}

// ---- running ------------------------------------------------------------------------------------------------

static bool says(const base_text *said, const char *words) { return said->data && strstr(said->data, words); }

// Whether a limit of ours ended it, and which.
static const char *limit_of(const sandbox_result *result, const base_text *said) {
    if (result->stop == SANDBOX_MEMORY) return "memory";
    if (result->stop == SANDBOX_COUNT) return "processes";
    if (result->stop == SANDBOX_TIME || result->signal == SIGXCPU || says(said, "died due to signal 24") ||
        says(said, "CPU time limit exceeded"))
        return "time";
    struct rlimit limits;
    bool is_ours = getrlimit(RLIMIT_FSIZE, &limits) == 0 && limits.rlim_cur >= MOST_FILE;
    if (is_ours && (result->signal == SIGXFSZ || says(said, "died due to signal 25") ||
                    says(said, "File size limit exceeded")))
        return "disk space";
    return NULL;
}

static kz_status fail_limit(const char *tool, const char *limit, const sandbox_process *process,
                            kz_error *error) {
    const char *name = strrchr(tool, '/') ? strrchr(tool, '/') + 1 : tool;
    base_fail(error, KZ_LIMIT,
              "%s was stopped: it took more %s than it may (%.0f s of processor time, %llu MiB of memory, "
              "files of 2 GiB)",
              name, limit, process->cpu_seconds, (unsigned long long)(process->total_memory >> 20));
    base_fail_note(
        error, "likely cause: templates or macros that expand without end, an #include of a device, an array "
               "of gigabytes that is initialised, or code on which the compiler itself does not end");
    base_fail_note(
        error, "what to do: take back the last change, and make the code smaller step by step; for code that "
               "needs more, set KZ_COMPILE_SECONDS or KZ_COMPILE_MEMORY (MiB)");
    return KZ_LIMIT;
}

static kz_status run(const toolchain *tools, const char *const *argv, base_text *output, int *exit_code,
                     kz_error *error) {
    bool is_untrusted = tools && tools->is_untrusted;
    const char *hidden[3] = {0};
    for (size_t i = 0, count = 0; is_untrusted && i < BASE_COUNT(tools->hidden); i++)
        if (tools->hidden[i][0]) hidden[count++] = tools->hidden[i];
    surroundings *s = is_untrusted ? malloc(sizeof *s) : NULL;
    if (is_untrusted && !s) return base_fail(error, KZ_NO_MEMORY, "no memory to start %s", argv[0]);
    if (s) look_around(tools, argv, s);
    double seconds = most_seconds(is_untrusted);
    const sandbox_process process = {.argv = argv,
                                     .folder = s && s->folder[0] ? s->folder : NULL,
                                     .keeps_environment = true,
                                     .seconds = 2 * seconds,
                                     .cpu_seconds = seconds,
                                     .total_memory = most_memory(is_untrusted),
                                     .processes = MOST_PROCESSES,
                                     .file_bytes = MOST_FILE,
                                     .output_bytes = OUTPUT,
                                     .interrupted = tools ? tools->interrupted : NULL,
                                     .is_confined = s && s->folder[0],
                                     .readable = s ? s->list : NULL,
                                     .hidden = hidden,
                                     .may_fork = true};
    sandbox_result result;
    kz_status status = sandbox_run(&process, &result, error);
    if (result.output.length) base_text_add_bytes(output, result.output.data, result.output.length);
    *exit_code = result.exit_code;
    const char *limit = status ? NULL : limit_of(&result, output);
    if (limit) status = fail_limit(argv[0], limit, &process, error);
    if (!status && output->failed)
        status = base_fail(error, KZ_NO_MEMORY, "no memory for what %s says", argv[0]);
    sandbox_result_free(&result);
    free(s);
    return status;
}

kz_status toolchain_run(const char *const *argv, base_text *output, int *exit_code, kz_error *error) {
    return run(NULL, argv, output, exit_code, error);
}

kz_status toolchain_start(const toolchain *tools, const char *const *argv, base_text *output, int *exit_code,
                          kz_error *error) {
    kz_status status = run(tools, argv, output, exit_code, error);
    if (status != KZ_TOOL) return status;
    base_fail_note(error, "is it still installed, and are processes and memory left to start it?");
    if (error) error->status = KZ_IO;
    return KZ_IO;
}

// What ptxas says about an instruction it says again for each copy that loops and templates make of it: the part behind
// "ptxas FILE, line 12; ". NULL for other lines.
static const char *said_of_instruction(const char *line, size_t length) {
    static const char place[] = "; error   : ";
    const char *found = memmem(line, length, place, sizeof place - 1);
    return found && strncmp(line, "ptxas ", 6) == 0 ? found : NULL;
}

static bool was_said(const base_text *before, const char *what, size_t length) {
    const char *data = before->data ? before->data : "";
    for (size_t from = 0; before->length - from >= length;) {
        const char *found = memmem(data + from, before->length - from, what, length);
        if (!found) return false;
        from = (size_t)(found - data) + length;
        if (from == before->length || data[from] == '\n') return true;
    }
    return false;
}

// Without lines that say again what was said of another instruction.
static void leave_out_repeats(const char *text, base_text *out, size_t *repeats) {
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        const char *what = said_of_instruction(line, length);
        if (what && was_said(out, what, (size_t)(line + length - what)))
            ++*repeats;
        else
            base_text_add(out, "%.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

kz_status toolchain_fail_output(kz_error *error, const char *what, const base_text *output) {
    enum { ROOM = 3200 }; // leaves room for the first line and for notes in kz_error.message
    base_text once = {0};
    size_t repeats = 0;
    leave_out_repeats(output->data ? output->data : "", &once, &repeats);
    const char *text = once.data ? once.data : "";
    size_t length = once.length;
    if (length > ROOM) {
        length = ROOM;
        while (length > 0 && text[length - 1] != '\n') length--;
        if (length == 0) length = ROOM;
    }
    while (length > 0 && text[length - 1] == '\n') length--;
    base_fail(error, KZ_TOOL, "%s", what);
    if (length > 0) base_fail_note(error, "%.*s", (int)length, text);
    if (once.length > ROOM) base_fail_note(error, "... and more");
    if (repeats)
        base_fail_note(error, "(%zu more line%s that say%s the same of other instructions)", repeats,
                       repeats == 1 ? "" : "s", repeats == 1 ? "s" : "");
    base_text_free(&once);
    return KZ_TOOL;
}

// Executables of C functions, by the host's compiler through the cache. See c_build.h.
#include "c_build.h"

#include <stdio.h>
#include <string.h>

#include "scratch.h"
#include "source_rules.h"
#include "toolchain/toolchain.h"

enum { FLAGS = 48 };

static void add_flags(const course_task *task, const char *sanitize, const char **flags, size_t *count) {
    static const char *const address[] = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                          "-fno-omit-frame-pointer", "-DEXACT_MALLOC=1", NULL};
    static const char *const thread[] = {"-fsanitize=thread", "-DEXACT_MALLOC=1", NULL};
    // These run under valgrind, and older ones stop at the fifth version of DWARF, which clang writes. All of the task's
    // libraries are loaded, used or not: what that costs is counted with the function that does nothing too.
    static const char *const none[] = {"-gdwarf-4", "-Wl,--no-as-needed", NULL};
    static const char *const alone[] = {"-gdwarf-4", "-static", NULL};
    const char *const *more = strcmp(sanitize, "address") == 0  ? address
                              : strcmp(sanitize, "thread") == 0 ? thread
                              : strcmp(sanitize, "alone") == 0  ? alone
                                                                : none;
    for (; *more; more++) flags[(*count)++] = *more;
    for (size_t i = 0; task->build_flags && task->build_flags[i] && *count + 2 < FLAGS; i++)
        flags[(*count)++] = task->build_flags[i];
    flags[(*count)++] = "-lm";
}

// clang calls its OpenMP library in other ways than the harness explains to ThreadSanitizer, which then takes the
// library's own order for races.
bool course_c_is_clang(const char *cc) {
    base_text said = {0};
    int code = 0;
    bool is = toolchain_run((const char *const[]){cc, "--version", NULL}, &said, &code, NULL) == KZ_OK &&
              said.data && strstr(said.data, "clang");
    base_text_free(&said);
    return is;
}

static bool has_openmp(const course_task *task) {
    for (size_t i = 0; task->build_flags && task->build_flags[i]; i++)
        if (strncmp(task->build_flags[i], "-fopenmp", 8) == 0) return true;
    return false;
}

kz_status course_c_compiler(const course_task *task, char cc[COURSE_PATH], bool *sees_races,
                            kz_error *error) {
    char path[TOOLCHAIN_PATH], gcc[TOOLCHAIN_PATH];
    *sees_races = strcmp(task->build_sanitize, "thread") == 0;
    kz_status status = toolchain_find_cc(path, error);
    if (status) {
        if (error) error->status = KZ_NOT_FOUND;
        return KZ_NOT_FOUND;
    }
    if (*sees_races && has_openmp(task) && course_c_is_clang(path)) {
        *sees_races = toolchain_find_program("gcc", gcc) && !course_c_is_clang(gcc);
        if (*sees_races) snprintf(path, sizeof path, "%s", gcc);
    }
    snprintf(cc, COURSE_PATH, "%s", path);
    return KZ_OK;
}

// Without shared libraries valgrind starts in a quarter of the time; other libraries than C's own may not be there so.
static bool may_stand_alone(const course_task *task) {
    for (size_t i = 0; task->build_flags && task->build_flags[i]; i++) {
        const char *flag = task->build_flags[i];
        bool is_library = strncmp(flag, "-l", 2) == 0 && strcmp(flag, "-lm") != 0;
        if (is_library || strcmp(flag, "-pthread") == 0 || strcmp(flag, "-fopenmp") == 0) return false;
    }
    return true;
}

// With `preprocessed` nothing is built: it gets what the preprocessor makes of the file.
static kz_status build(const course_task *task, const char *file, const char *sanitize,
                       char folder[COURSE_PATH], char executable[COURSE_PATH], base_text *warnings,
                       base_text *preprocessed, kz_error *error) {
    folder[0] = 0;
    char work[TOOLCHAIN_PATH], program_path[TOOLCHAIN_PATH], cc[COURSE_PATH];
    bool sees_races;
    course_harness harness;
    toolchain tools;
    toolchain_find(&tools, NULL); // for the cache alone
    tools.warnings = warnings;
    course_hide_from(task, &tools);
    kz_status status = course_c_compiler(task, cc, &sees_races, error);
    if (status) return status;
    if (strcmp(sanitize, "thread") == 0 && !sees_races) sanitize = "none";
    status = toolchain_work_open(work, error);
    if (status) return status;
    snprintf(folder, COURSE_PATH, "%s", work);
    status = course_harness_write(task, folder, &harness, error);
    if (status) return status;
    const char *flags[FLAGS], *files[] = {file, harness.main_file};
    size_t count = 0;
    add_flags(task, sanitize, flags, &count);
    const char *const before[] = {"-include", harness.prototype_file, NULL};
    const char *const *const file_flags[] = {before, NULL};
    toolchain_program program = {.files = files,
                                 .file_count = BASE_COUNT(files),
                                 .flags = flags,
                                 .flag_count = count,
                                 .plain_c = true,
                                 .cc = cc,
                                 .file_flags = file_flags};
    if (preprocessed)
        return toolchain_preprocess_program(&tools, &program, false, false, preprocessed, error);
    status = toolchain_build_program(&tools, &program, folder, program_path, error);
    if (status == KZ_OK) snprintf(executable, COURSE_PATH, "%s", program_path);
    return status;
}

kz_status course_c_build(const course_task *task, const char *file, const char *sanitize,
                         char folder[COURSE_PATH], char executable[COURSE_PATH], base_text *warnings,
                         kz_error *error) {
    if (strcmp(sanitize, "none") == 0 && may_stand_alone(task)) {
        if (build(task, file, "alone", folder, executable, warnings, NULL, NULL) == KZ_OK) return KZ_OK;
        course_scratch_close(folder);
    }
    return build(task, file, sanitize, folder, executable, warnings, NULL, error);
}

kz_status course_c_preprocess(const course_task *task, const char *file, const char *sanitize,
                              base_text *text, kz_error *error) {
    char folder[COURSE_PATH] = "", executable[COURSE_PATH];
    kz_status status = build(task, file, sanitize, folder, executable, NULL, text, error);
    course_scratch_close(folder);
    return status;
}

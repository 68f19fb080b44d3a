// Executables of C functions, by the host's compiler through the cache. See c_build.h.
#include "c_build.h"

#include <stdio.h>
#include <string.h>

#include "scratch.h"
#include "toolchain/toolchain.h"

enum { FLAGS = 48 };

static void add_flags(const course_task *task, const char *sanitize, const char **flags, size_t *count) {
    static const char *const address[] = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                          "-fno-omit-frame-pointer", "-DEXACT_MALLOC=1", NULL};
    static const char *const thread[] = {"-fsanitize=thread", "-DEXACT_MALLOC=1", NULL};
    // These run under valgrind, and older ones stop at the fifth version of DWARF, which clang writes.
    static const char *const none[] = {"-gdwarf-4", NULL};
    const char *const *more = strcmp(sanitize, "address") == 0  ? address
                              : strcmp(sanitize, "thread") == 0 ? thread
                                                                : none;
    for (; *more; more++) flags[(*count)++] = *more;
    for (size_t i = 0; task->build_flags && task->build_flags[i] && *count + 2 < FLAGS; i++)
        flags[(*count)++] = task->build_flags[i];
    flags[(*count)++] = "-lm";
}

kz_status course_c_build(const course_task *task, const char *file, const char *sanitize,
                         char folder[COURSE_PATH], char executable[COURSE_PATH], kz_error *error) {
    folder[0] = 0;
    char work[TOOLCHAIN_PATH], program_path[TOOLCHAIN_PATH], cc[TOOLCHAIN_PATH];
    course_harness harness;
    toolchain tools;
    toolchain_find(&tools, NULL); // for the cache alone
    kz_status status = toolchain_find_cc(cc, error);
    if (status) {
        if (error) error->status = KZ_NOT_FOUND;
        return KZ_NOT_FOUND;
    }
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
                                 .file_flags = file_flags};
    status = toolchain_build_program(&tools, &program, folder, program_path, error);
    snprintf(executable, COURSE_PATH, "%s", program_path);
    return status;
}

// Where the CUDA compiler is, and kz's own headers: found from the environment and from the
// executable's own place, so that a folder copied to another machine works.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OLDEST = 12, CUDART = 13, PARENTS = 5 };

static bool join(char path[TOOLCHAIN_PATH], const char *folder, const char *name) {
    return snprintf(path, TOOLCHAIN_PATH, "%s/%s", folder, name) < TOOLCHAIN_PATH;
}

static bool find_program(char path[TOOLCHAIN_PATH], const char *folder, const char *name) {
    if (join(path, folder, name) && access(path, X_OK) == 0) return true;
    path[0] = 0;
    return false;
}

// Names nvcc as it is now. False for a script: what it starts may change while it does not.
static bool version_key(const char *nvcc, char key[TOOLCHAIN_KEY]) {
    char head[4] = "", fields[96];
    struct stat about;
    FILE *file = fopen(nvcc, "rb");
    bool is_binary = file && fread(head, 1, sizeof head, file) == sizeof head &&
                     memcmp(head, "\177ELF", sizeof head) == 0 && fstat(fileno(file), &about) == 0;
    if (file) fclose(file);
    if (!is_binary) return false;
    snprintf(fields, sizeof fields, "%lld %lld.%09ld %lld", (long long)about.st_size,
             (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec, (long long)about.st_ino);
    base_sha256 hash;
    base_sha256_begin(&hash);
    base_sha256_add_field(&hash, "version");
    base_sha256_add_field(&hash, nvcc);
    base_sha256_add_field(&hash, fields);
    base_sha256_end(&hash, key);
    return true;
}

// nvcc --version ends with "... release 13.0, V13.0.88". It is asked once: kz is started often, and its tests more so.
static bool read_version(const toolchain *tools, const char *nvcc, char version[32], kz_error *error) {
    base_text said = {0};
    char key[TOOLCHAIN_KEY], *known = NULL;
    size_t size = 0;
    int code = 0;
    bool has_key = version_key(nvcc, key);
    version[0] = 0;
    if (has_key && toolchain_cache_read(tools, key, "version", &known, &size)) {
        snprintf(version, 32, "%.31s", known);
        free(known);
        return true;
    }
    kz_status status = toolchain_run((const char *const[]){nvcc, "--version", NULL}, &said, &code, error);
    const char *at = !status && code == 0 && said.data ? strstr(said.data, ", V") : NULL;
    if (at) sscanf(at, ", V%31[0-9.]", version);
    if (!status && !version[0])
        base_fail(error, KZ_TOOL, "%s does not say its version (exit status %d)", nvcc, code);
    base_text_free(&said);
    if (has_key && version[0]) toolchain_cache_write(tools, key, "version", version, strlen(version));
    return version[0] != 0;
}

// Takes the compiler in `folder` where it is new enough; `unfit` keeps why the first one that is there is not taken.
static bool take(toolchain *tools, const char *folder, kz_error *unfit) {
    char nvcc[TOOLCHAIN_PATH], version[32];
    kz_error why = {0};
    if (!find_program(nvcc, folder, "nvcc")) return false;
    if (read_version(tools, nvcc, version, &why) && atoi(version) < OLDEST)
        base_fail(&why, KZ_TOOL, "the CUDA compiler is too old: %s (%s), and version %d is the least", nvcc,
                  version, OLDEST);
    else if (why.status)
        base_fail_note(&why, "see what %s --version says, and whether the limits (ulimit -a) suffice", nvcc);
    if (why.status) {
        if (!unfit->status) *unfit = why;
        return false;
    }
    memcpy(tools->nvcc, nvcc, sizeof nvcc);
    memcpy(tools->version, version, sizeof version);
    if (!find_program(tools->ptxas, folder, "ptxas")) {
        // A link such as /usr/bin/nvcc: the others stand beside what it points to.
        char *real = realpath(nvcc, NULL), *slash = real ? strrchr(real, '/') : NULL;
        if (slash) *slash = 0;
        if (slash) find_program(tools->ptxas, real, "ptxas");
        free(real);
    }
    find_program(tools->cuobjdump, folder, "cuobjdump");
    return true;
}

static bool take_home(toolchain *tools, const char *home, kz_error *unfit) {
    char folder[TOOLCHAIN_PATH];
    return home && *home && join(folder, home, "bin") && take(tools, folder, unfit);
}

// The next folder of $PATH that has a name; `at` is where to go on. False at the end.
static bool next_folder(const char **at, char folder[TOOLCHAIN_PATH]) {
    while (*at && **at) {
        size_t length = strcspn(*at, ":");
        snprintf(folder, TOOLCHAIN_PATH, "%.*s", (int)length, *at);
        *at += length + ((*at)[length] == ':');
        if (length) return true;
    }
    return false;
}

static bool take_from_path(toolchain *tools, kz_error *unfit) {
    char folder[TOOLCHAIN_PATH];
    for (const char *at = getenv("PATH"); next_folder(&at, folder);)
        if (take(tools, folder, unfit)) return true;
    return false;
}

// The executable's folder; false where it cannot be told.
static bool executable_folder(char folder[TOOLCHAIN_PATH]) {
    return base_self_path(folder, NULL) == KZ_OK && base_path_up(folder);
}

// The folder above it, which holds bin, lib, include and share.
static bool installed_folder(char folder[TOOLCHAIN_PATH]) {
    char *slash = executable_folder(folder) ? strrchr(folder, '/') : NULL;
    if (slash) *slash = 0;
    return slash != NULL;
}

// The toolkit that kz was built with: an installation has a link to it, and a checkout may have it in .kz/cuda.
static bool take_own(toolchain *tools, kz_error *unfit) {
    char folder[TOOLCHAIN_PATH], home[TOOLCHAIN_PATH];
    if (installed_folder(folder) && join(home, folder, "share/kz/cuda") && take_home(tools, home, unfit))
        return true;
    if (!executable_folder(folder)) return false;
    for (int i = 0; i < PARENTS && folder[0]; i++) {
        if (join(home, folder, ".kz/cuda") && take_home(tools, home, unfit)) return true;
        *strrchr(folder, '/') = 0;
    }
    return false;
}

// Beside nvcc, on the PATH, or where set-up put it: .kz/bin of a checkout.
static void find_disassembler(toolchain *tools) {
    char folder[TOOLCHAIN_PATH], own[TOOLCHAIN_PATH];
    snprintf(folder, sizeof folder, "%s", tools->nvcc);
    if (tools->nvcc[0] && base_path_up(folder) && find_program(tools->nvdisasm, folder, "nvdisasm")) return;
    for (const char *at = getenv("PATH"); next_folder(&at, folder);)
        if (find_program(tools->nvdisasm, folder, "nvdisasm")) return;
    if (!executable_folder(folder)) return;
    for (int i = 0; i < PARENTS && folder[0]; i++) {
        if (join(own, folder, ".kz/bin") && find_program(tools->nvdisasm, own, "nvdisasm")) return;
        *strrchr(folder, '/') = 0;
    }
}

static void find_include(toolchain *tools) {
    char folder[TOOLCHAIN_PATH], header[TOOLCHAIN_PATH];
    if (installed_folder(folder) && join(tools->include, folder, "include") &&
        join(header, tools->include, "kz/kernel.cuh") && base_file_exists(header))
        return;
    tools->include[0] = 0;
}

static void find_cache(toolchain *tools) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool found = false;
    if (cache && cache[0] == '/')
        found = join(tools->cache, cache, "kz");
    else if (home && home[0] == '/')
        found = join(tools->cache, home, ".cache/kz");
    if (!found) tools->cache[0] = 0;
}

kz_status toolchain_find(toolchain *tools, kz_error *error) {
    *tools = (toolchain){0};
    find_include(tools);
    find_cache(tools);
    kz_error unfit = {0};
    const char *alone = getenv("KZ_NO_SYSTEM_CUDA");
    bool found = false;
    if (!alone || !*alone)
        found = take_home(tools, getenv("CUDA_HOME"), &unfit) ||
                take_home(tools, getenv("CUDA_PATH"), &unfit) || take_from_path(tools, &unfit) ||
                take_home(tools, "/usr/local/cuda", &unfit);
    if (!found) found = take_own(tools, &unfit);
    find_disassembler(tools);
    if (found) return KZ_OK;
    if (unfit.status) {
        if (error) *error = unfit;
    } else
        base_fail(error, KZ_TOOL, "there is no CUDA compiler (nvcc) on this machine");
    base_fail_note(
        error,
        "`make setup` in a checkout of Kernel Zoo puts one into .kz/cuda, and `make install` there "
        "remembers it; or set CUDA_HOME to a CUDA toolkit (%d or later)",
        OLDEST);
    return KZ_TOOL;
}

// ---- whole programs ---------------------------------------------------------------------------------

kz_status toolchain_find_for_programs(toolchain *tools, kz_error *error) {
    kz_status status = toolchain_find(tools, error);
    if (status == KZ_OK && atoi(tools->version) != CUDART)
        status = base_fail(error, KZ_TOOL, "whole programs need nvcc %d; %s is %s", CUDART, tools->nvcc,
                           tools->version);
    return status;
}

kz_status toolchain_cudart_folder(char folder[TOOLCHAIN_PATH], kz_error *error) {
    char own[TOOLCHAIN_PATH], library[TOOLCHAIN_PATH];
    folder[0] = 0;
    if (installed_folder(own) && join(folder, own, "lib/kz-cudart") &&
        join(library, folder, "libcudart.so.13") && base_file_exists(library))
        return KZ_OK;
    base_fail(error, KZ_TOOL, "the runtime library for whole programs is not there: %s/libcudart.so.13",
              folder);
    base_fail_note(error, "it is built with CUDA 13's headers and stands in lib/kz-cudart beside kz's bin: "
                          "build and install again");
    return KZ_TOOL;
}

// ---- other programs ---------------------------------------------------------------------------------

bool toolchain_find_program(const char *name, char path[TOOLCHAIN_PATH]) {
    path[0] = 0;
    if (strchr(name, '/')) {
        if (access(name, X_OK) == 0) snprintf(path, TOOLCHAIN_PATH, "%s", name);
        return path[0] != 0;
    }
    char folder[TOOLCHAIN_PATH];
    for (const char *at = getenv("PATH"); next_folder(&at, folder);)
        if (find_program(path, folder, name)) return true;
    return false;
}

kz_status toolchain_find_cc(char path[TOOLCHAIN_PATH], kz_error *error) {
    const char *wanted = getenv("CC");
    if (wanted && *wanted && !strchr(wanted, ' ') && toolchain_find_program(wanted, path)) return KZ_OK;
    if (toolchain_find_program("cc", path) || toolchain_find_program("gcc", path) ||
        toolchain_find_program("clang", path))
        return KZ_OK;
    base_fail(error, KZ_TOOL, TOOLCHAIN_NO_CC);
    base_fail_note(error, "install one: sudo apt-get install gcc");
    return KZ_TOOL;
}

// C to a shared object by the host's compiler, through the cache.
#include "toolchain/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// An update of the compiler in place changes its size or its time.
static void hash_compiler(base_sha256 *hash, const char *cc) {
    char *real = realpath(cc, NULL), text[128] = "";
    struct stat info;
    if (real && stat(real, &info) == 0)
        snprintf(text, sizeof text, "%lld %lld", (long long)info.st_size, (long long)info.st_mtime);
    base_sha256_add_field(hash, real ? real : cc);
    base_sha256_add_field(hash, text);
    free(real);
}

static kz_status run_cc(const char *const *argv, const char *name, kz_error *error) {
    base_text said = {0};
    int code = 0;
    kz_status status = toolchain_run(argv, &said, &code, error);
    if (!status && code != 0) {
        char what[TOOLCHAIN_PATH + 64];
        snprintf(what, sizeof what, "the C compiler refuses %s (exit status %d)", name, code);
        status = toolchain_fail_output(error, what, &said);
    }
    base_text_free(&said);
    return status;
}

kz_status toolchain_compile_library(const toolchain *tools, const char *name, const char *source,
                                    const char *folder, char path[TOOLCHAIN_PATH], kz_error *error) {
    char cc[TOOLCHAIN_PATH], key[TOOLCHAIN_KEY], in[TOOLCHAIN_PATH];
    kz_status status = toolchain_find_cc(cc, error);
    if (status) return status;
    if (snprintf(in, sizeof in, "%s/library.c", folder) >= (int)sizeof in)
        return base_fail(error, KZ_INVALID, "the folder %s has too long a name", folder);
    snprintf(path, TOOLCHAIN_PATH, "%.1000s/library.so", folder);
    const char *argv[] = {cc,      "-std=gnu11",           "-O3", "-shared", "-fPIC", "-ffp-contract=off",
                          "-Wall", "-Wno-unused-variable", "-o",  path,      in,      "-lm",
                          NULL};
    base_sha256 hash;
    base_sha256_begin(&hash);
    base_sha256_add_field(&hash, "library");
    hash_compiler(&hash, cc);
    for (size_t i = 1; i < 8; i++) base_sha256_add_field(&hash, argv[i]);
    base_sha256_add(&hash, source, strlen(source));
    base_sha256_end(&hash, key);
    char *data = NULL;
    size_t size = 0;
    if (toolchain_cache_read(tools, key, "so", &data, &size)) {
        status = base_file_write_scratch(path, data, size, error);
        free(data);
        return status;
    }
    status = base_file_write_scratch(in, source, strlen(source), error);
    if (!status) status = run_cc(argv, name, error);
    if (!status) status = base_file_read(path, &data, &size, error);
    if (!status) toolchain_cache_write(tools, key, "so", data, size);
    free(data);
    return status;
}

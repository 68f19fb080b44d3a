// test_ptx NVCC VERSION CACHE INCLUDE ARCH (FILE.cu FILE.ptx)...: the PTX of a folder's test kernels, in as few runs of nvcc
// as can be. What was compiled before and has not changed comes from CACHE, a folder of the build; INCLUDE holds kz's headers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolchain/toolchain.h"

enum { FIRST = 6, TOGETHER = 90 };

static kz_status write_ptx(const toolchain *tools, const char *arch, const char *source, const char *to,
                           kz_error *error) {
    char *ptx = NULL;
    size_t size = 0;
    kz_status status = toolchain_compile_ptx(tools, source, arch, NULL, &ptx, &size, error);
    if (!status) status = base_file_write(to, ptx, size, error);
    free(ptx);
    return status;
}

int main(int argc, char **argv) {
    if (argc <= FIRST || (argc - FIRST) % 2) {
        fprintf(stderr, "test_ptx NVCC VERSION CACHE INCLUDE ARCH (FILE.cu FILE.ptx)...\n");
        return 2;
    }
    toolchain tools = {0};
    snprintf(tools.nvcc, sizeof tools.nvcc, "%s", argv[1]);
    snprintf(tools.version, sizeof tools.version, "%s", argv[2]);
    snprintf(tools.cache, sizeof tools.cache, "%s", argv[3]);
    snprintf(tools.include, sizeof tools.include, "%s", argv[4]);
    const char *arch = argv[5], *sources[TOGETHER];
    for (int at = FIRST; at < argc;) {
        size_t count = 0;
        for (; at < argc && count < TOGETHER; at += 2) sources[count++] = argv[at];
        toolchain_compile_ptx_together(&tools, arch, sources, count);
    }
    int failed = 0;
    for (int at = FIRST; at < argc; at += 2) {
        kz_error error = {0};
        if (write_ptx(&tools, arch, argv[at], argv[at + 1], &error) == KZ_OK) continue;
        fprintf(stderr, "test_ptx: %s\n", error.message);
        failed = 1;
    }
    return failed;
}

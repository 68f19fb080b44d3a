// Names the libraries that a program asks for and the simulator does not have, from a library's name or a linker's words.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "toolchain/internal.h"

static const toolchain_lacking rows[] = {
#define LACKING(name, library, symbol, header, instead) {name, library, symbol, header, instead},
#include "toolchain/lacking.def"
#undef LACKING
};

const toolchain_lacking *toolchain_lacking_library(const char *file) {
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (strncmp(file, rows[i].library, strlen(rows[i].library)) == 0) return &rows[i];
    return NULL;
}

// Whether a linker misses a function of it: `cufftPlan1d', `cuInit', but `cudaMalloc' is none of the driver's.
static bool misses_function(const char *said, const toolchain_lacking *row) {
    static const char before[] = "undefined reference to `";
    size_t length = strlen(row->symbol);
    for (const char *at = said; (at = strstr(at, before));) {
        at += strlen(before);
        if (strncmp(at, row->symbol, length) == 0 && (length > 2 || isupper((unsigned char)at[length])))
            return true;
    }
    return false;
}

// "libcuda.so" is -lcuda; "cannot find -lcudart" is not about it.
static bool misses_file(const char *said, const toolchain_lacking *row) {
    char words[64];
    const char *stem = row->library + strlen("lib"), *at;
    size_t length = strcspn(stem, ".");
    snprintf(words, sizeof words, "cannot find -l%.*s", (int)length, stem);
    if ((at = strstr(said, words)) && !(stem[length] && isalnum((unsigned char)at[strlen(words)])))
        return true;
    if (!row->header) return false;
    snprintf(words, sizeof words, "%s: No such file", row->header);
    return strstr(said, words) != NULL;
}

void toolchain_note_lacking(const toolchain_lacking *row, kz_error *error) {
    base_fail_note(error,
                   "the simulator does not have %s; it has the CUDA runtime, cuBLAS, cuBLASLt and cuRAND",
                   row->name);
    base_fail_note(error, "what to do: %s (docs/whole_programs.md)", row->instead);
}

// Libraries that the simulator has, and that a program was not linked with.
static void note_unlinked(const char *said, kz_error *error) {
    static const toolchain_lacking known[] = {{.name = "cublasLt", .symbol = "cublasLt"},
                                              {.name = "cublas", .symbol = "cublas"},
                                              {.name = "curand", .symbol = "curand"}};
    for (size_t i = 0; i < BASE_COUNT(known); i++) {
        if (!misses_function(said, &known[i])) continue;
        base_fail_note(error, "what to do: link it with the library: --nvcc-flag -l%s", known[i].name);
        return; // cublasLt... begins with cublas
    }
}

void toolchain_note_lacking_in(const char *said, kz_error *error) {
    if (said) note_unlinked(said, error);
    for (size_t i = 0; said && i < BASE_COUNT(rows); i++)
        if (misses_function(said, &rows[i]) || misses_file(said, &rows[i]))
            toolchain_note_lacking(&rows[i], error);
}

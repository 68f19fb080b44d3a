// toolchain, inside: the hash, the cache and the folders that programs work in.
#ifndef TOOLCHAIN_INTERNAL_H
#define TOOLCHAIN_INTERNAL_H

#include "toolchain/toolchain.h"

// ---- SHA-256 (FIPS 180-4) -----------------------------------------------------------------------

typedef struct toolchain_hash {
    uint32_t state[8];
    uint64_t length; // bytes so far
    uint8_t block[64];
} toolchain_hash;

enum { TOOLCHAIN_KEY = 65 }; // 64 hexadecimal digits and a NUL

void toolchain_hash_begin(toolchain_hash *hash);
void toolchain_hash_add(toolchain_hash *hash, const void *data, size_t size);
void toolchain_hash_add_field(toolchain_hash *hash,
                              const char *text); // with its length, so that "a","b" is not "ab"
void toolchain_hash_end(toolchain_hash *hash, char key[TOOLCHAIN_KEY]);
kz_status toolchain_hash_file(const char *path, char key[TOOLCHAIN_KEY], kz_error *error);

// ---- the cache ------------------------------------------------------------------------------------

// A stored file `key`.`kind`. False where there is none, or no cache.
bool toolchain_cache_read(const toolchain *tools, const char *key, const char *kind, char **data,
                          size_t *size);
void toolchain_cache_write(const toolchain *tools, const char *key, const char *kind, const void *data,
                           size_t size);

// What a source includes is known after compiling it. So a list is stored under the key of all that is
// known before; its lines are "hash path". True where every file still has its hash; `key` is then
// the key of the result, made of both.
bool toolchain_cache_find(const toolchain *tools, const char *before, char key[TOOLCHAIN_KEY]);
// `dependencies` is what nvcc -MD wrote. False where a file cannot be read: the result is not stored.
bool toolchain_cache_list(const toolchain *tools, const char *before, const char *dependencies,
                          char key[TOOLCHAIN_KEY]);

// Fills `error` with the compiler's own words, cut at whole lines where they are too many, and a hint.
// nvcc hands the names of files to a shell, in double quotes: KZ_INVALID for a name that a shell would change.
kz_status toolchain_check_name(const char *path, kz_error *error);
kz_status toolchain_fail_output(kz_error *error, const char *what, const base_text *output);
// toolchain_run for a compiler: one that cannot be started is no refusal either, but KZ_IO.
kz_status toolchain_start(const char *const *argv, base_text *output, int *exit_code, kz_error *error);
// For a compiler that ended with `code` on `source`. KZ_TOOL is a refusal, in the compiler's words after the line
// `what`; where the machine is to blame (a full disk, no host compiler, too little memory) it is another status, with
// what happened and what to do: failure.c.
kz_status toolchain_fail_tool(kz_error *error, const char *tool, const char *what, const char *source,
                              int code, const base_text *said);

// For nvcc: the guard of the header with the special mathematical functions of C++17 (Bessel, beta and their kin),
// which GCC's <cmath> takes in for every file. Hardly any file calls them, and without them a compilation takes
// three quarters of the time; one that is refused is compiled again with them, so that nothing else changes.
#define TOOLCHAIN_NO_SPECIAL_FUNCTIONS "-D_GLIBCXX_BITS_SPECFUN_H=1"

#endif

// toolchain, inside: the cache and the folders that programs work in.
#ifndef TOOLCHAIN_INTERNAL_H
#define TOOLCHAIN_INTERNAL_H

#include "toolchain/toolchain.h"

enum { TOOLCHAIN_KEY = BASE_SHA256 };

// ---- the cache ------------------------------------------------------------------------------------

// A stored file `key`.`kind`. False where there is none, or no cache.
bool toolchain_cache_read(const toolchain *tools, const char *key, const char *kind, char **data,
                          size_t *size);
void toolchain_cache_write(const toolchain *tools, const char *key, const char *kind, const void *data,
                           size_t size);

// What a source includes is known after compiling it. So a list is stored under the key of all that is
// known before; its lines are "hash size time path". True where every file still has its hash, or its size and
// time; `key` is then the key of the result, made of both.
bool toolchain_cache_find(const toolchain *tools, const char *before, char key[TOOLCHAIN_KEY]);
// `dependencies` is what nvcc -MD wrote. False where a file cannot be read: the result is not stored.
bool toolchain_cache_list(const toolchain *tools, const char *before, const char *dependencies,
                          char key[TOOLCHAIN_KEY]);
// The same in steps, for lists that have lines in common.
bool toolchain_cache_add_line(const char *path, base_text *lines);
bool toolchain_cache_add_lines(const char *dependencies, base_text *lines);
void toolchain_cache_write_lines(const toolchain *tools, const char *before, const base_text *lines,
                                 char key[TOOLCHAIN_KEY]);

// ---- nvcc -----------------------------------------------------------------------------------------

enum { TOOLCHAIN_WORDS = 64 };

typedef struct toolchain_words {
    const char *argv[TOOLCHAIN_WORDS];
    size_t count;
    char target[32]; // what one of the words points to: do not copy the struct
} toolchain_words;

void toolchain_ptx_flags(const toolchain *tools, const char *arch, const char *const *include_dirs,
                         toolchain_words *flags);
// What decides about the PTX of a source and is known before the compiler runs.
kz_status toolchain_ptx_key(const toolchain *tools, const char *source, const toolchain_words *flags,
                            char key[TOOLCHAIN_KEY], kz_error *error);
// One run. `quick`: without the special functions of C++17. `dependencies` is what -MD wrote; it may stay NULL. `said`
// gets what the compiler says of a file that it takes.
kz_status toolchain_run_nvcc(const toolchain *tools, const char *source, const toolchain_words *flags,
                             bool quick, const char *folder, char **ptx, size_t *ptx_size,
                             char **dependencies, base_text *said, kz_error *error);

// Runs a compiler that writes to a file of a folder of its own ("-o" and its path are added to `argv`, which has room
// for three words more), and reads it. `source` and `tool` are for messages.
kz_status toolchain_run_to_text(const toolchain *tools, const char **argv, size_t count, const char *tool,
                                const char *source, base_text *text, kz_error *error);

// ---- files compiled together (together.c) ---------------------------------------------------------

enum { TOOLCHAIN_NAMES = 96, TOOLCHAIN_NAME = 64 };

typedef struct toolchain_names {
    char all[TOOLCHAIN_NAMES][TOOLCHAIN_NAME];
    size_t count;
    bool full; // there are more, or longer ones
} toolchain_names;

// What a CUDA file names outside of all braces and in enums there (functions, types, variables, constants), and the
// macros that it defines. Words of the language and of the headers are left out, as far as can be seen from outside.
void toolchain_read_names(const char *text, toolchain_names *names, toolchain_names *macros);

// The part of a PTX text that belongs to the file whose names end with `mark` in it, with those names as they are in
// the file. Every file's mark begins with `head`, and all have the same length.
void toolchain_split_ptx(const char *ptx, const char *head, const char *mark, const toolchain_names *names,
                         base_text *out);

// ---- objects (build.c) ----------------------------------------------------------------------------

// With the flags of the program's first file: what decides about a source's object and is known before the compiler
// runs; and the object itself, to `folder`/0.o, with what it depends on in 0.d, and what the compiler says.
kz_status toolchain_object_key(const toolchain *tools, const toolchain_program *program, const char *source,
                               char before[TOOLCHAIN_KEY]);
kz_status toolchain_make_object(const toolchain *tools, const toolchain_program *program, const char *source,
                                const char *folder, base_text *said);

// ---- warnings (warnings.c) ------------------------------------------------------------------------

// The warnings in a compiler's output, each once, with file names for paths; where `path` is given, of that file alone.
void toolchain_pick_warnings(const char *said, const char *path, base_text *warnings);
// Beside the result of the same key: kept, and read into tools->warnings.
void toolchain_keep_warnings(const toolchain *tools, const char *key, const char *said, const char *path);
void toolchain_recall_warnings(const toolchain *tools, const char *key);

// ---- messages -------------------------------------------------------------------------------------

// Fills `error` with the compiler's own words, cut at whole lines where they are too many, and a hint.
// nvcc hands the names of files to a shell, in double quotes: KZ_INVALID for a name that a shell would change.
kz_status toolchain_check_name(const char *path, kz_error *error);
kz_status toolchain_fail_output(kz_error *error, const char *what, const base_text *output);
// Notes on every library of lacking.def that a compiler or linker misses, by what it said.
void toolchain_note_lacking_in(const char *said, kz_error *error);
// What to do where ptxas says that a kernel has too much static shared memory.
void toolchain_note_shared_memory(const char *said, kz_error *error);
void toolchain_note_target(const char *said, kz_error *error); // of instructions that the architecture lacks
// toolchain_run for a compiler: one that cannot be started is no refusal either, but KZ_IO; one that was stopped at a
// limit is KZ_LIMIT. Where tools->is_untrusted it is confined: it writes where its -o says.
kz_status toolchain_start(const toolchain *tools, const char *const *argv, base_text *output, int *exit_code,
                          kz_error *error);
#define TOOLCHAIN_NO_CC "there is no C compiler on this machine (cc, gcc or clang)"
// For a compiler that ended with `code` on `source`. KZ_TOOL is a refusal, in the compiler's words after the line
// `what`; where the machine is to blame (a full disk, no host compiler, too little memory) it is another status, with
// what happened and what to do: failure.c.
kz_status toolchain_fail_tool(kz_error *error, const char *tool, const char *what, const char *source,
                              int code, const base_text *said);

// For nvcc, at first: the guard of the header with the special mathematical functions of C++17 (Bessel, beta and their
// kin), which GCC's <cmath> takes in for every file, and no record of which macro a word came from. Hardly any file
// calls those functions, and so a compilation takes two thirds of the time; one that is refused is compiled again
// without these flags, so that nothing else changes.
#define TOOLCHAIN_QUICK "-D_GLIBCXX_BITS_SPECFUN_H=1", "-Xcompiler", "-ftrack-macro-expansion=0"

#endif

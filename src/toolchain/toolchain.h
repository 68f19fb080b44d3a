// toolchain: finds the CUDA compiler, makes PTX and machine code with it, and keeps the results.
//
// Results are kept by content in $XDG_CACHE_HOME/kz or ~/.cache/kz: the same source, headers, flags and
// compiler give the stored result without a compiler run. A cache that cannot be read or written costs
// time and nothing else. Programs are started by src/sandbox, under limits; no shell is involved.
// Ownership: texts and arrays given out are malloc'ed and the caller's to free.
#ifndef TOOLCHAIN_TOOLCHAIN_H
#define TOOLCHAIN_TOOLCHAIN_H

#include "base/base.h"

enum { TOOLCHAIN_PATH = 1024, TOOLCHAIN_ARCH = 8 };

typedef struct toolchain {
    char nvcc[TOOLCHAIN_PATH];
    char ptxas[TOOLCHAIN_PATH];
    char cuobjdump[TOOLCHAIN_PATH]; // "" where there is none
    char nvdisasm[TOOLCHAIN_PATH];  // the same; it may be elsewhere than nvcc
    char version[32];               // nvcc's: "13.0.88"
    char include[TOOLCHAIN_PATH];   // the folder that holds kz/kernel.cuh; "" where it is not found
    char cache[TOOLCHAIN_PATH];     // "" where there is no home folder
    bool for_debugging;             // compile PTX with variables and unoptimised (-G); set by the caller
    bool is_untrusted; // sources are of others: compilers see them and the system alone; set by the caller
    char hidden
        [2][TOOLCHAIN_PATH]; // folders that those do not see, wherever they lie; "": none; set by the caller
    bool (*interrupted)(void); // asked while a compiler runs: then it ends, KZ_BUSY; NULL; set by the caller
    double *
        seconds; // gets the CPU seconds of making PTX, 0 where it was kept; NULL: nobody asks; set by the caller
    base_text *warnings; // gets the warnings about sources that compile; NULL: nobody asks; set by the caller
} toolchain;

// Looks in CUDA_HOME, CUDA_PATH, the PATH, /usr/local/cuda, and then for the toolkit that kz was built with:
// share/kz/cuda of an installation, .kz/cuda in the executable's folder and those above it.
// KZ_NO_SYSTEM_CUDA=1 leaves all but that out. KZ_TOOL where there is no nvcc of
// version 12 or later; what else was found is filled in all the same.
kz_status toolchain_find(toolchain *tools, kz_error *error);

// The architecture that a line "// kz: sm 80" of the source asks for; "75" where there is none.
kz_status toolchain_source_arch(const char *source, char arch[TOOLCHAIN_ARCH], kz_error *error);

// Compiles the .cu file `source` for `arch` ("75", "90a"). `include_dirs` (NULL, or ends with NULL) are
// searched before kz's own headers. On KZ_TOOL the error holds the compiler's own words.
kz_status toolchain_compile_ptx(const toolchain *tools, const char *source, const char *arch,
                                const char *const *include_dirs, char **ptx, size_t *ptx_size,
                                kz_error *error);

// Compiles .cu files in as few runs of nvcc as can be and keeps the PTX of each as toolchain_compile_ptx would,
// which then finds it: nvcc takes in a megabyte of headers for every kernel, and for many at once only once. They
// are compiled for `arch`, or where it is NULL each for the one that it asks for. What cannot be compiled so (no
// cache, a file that is refused, or that includes files of its own) is left to toolchain_compile_ptx, and so are all
// messages.
void toolchain_compile_ptx_together(const toolchain *tools, const char *arch, const char *const *sources,
                                    size_t count);

// The text of the .cu file `source` after the preprocessor, with the flags of a program. KZ_TOOL where it is refused.
kz_status toolchain_preprocess(const toolchain *tools, const char *source, const char *const *flags,
                               size_t flag_count, base_text *text, kz_error *error);

// The text of a kernel's file after the preprocessor, as toolchain_compile_ptx calls it: at first `quick`, without the
// special functions of C++17, and where that is refused once more without. KZ_TOOL where it is refused.
kz_status toolchain_preprocess_kernel(const toolchain *tools, const char *source, const char *arch,
                                      bool quick, base_text *text, kz_error *error);

// What ptxas says of one entry point.
typedef struct toolchain_resources {
    char entry[128];
    int registers;
    size_t shared_bytes; // static
    size_t stack_bytes, spill_store_bytes, spill_load_bytes;
} toolchain_resources;

// Makes machine code for `arch` from PTX. `name` is for messages. `resources` may be NULL.
kz_status toolchain_assemble(const toolchain *tools, const char *name, const char *ptx, size_t ptx_size,
                             const char *arch, void **cubin, size_t *cubin_size,
                             toolchain_resources **resources, size_t *resource_count, kz_error *error);

// Instructions of machine code that store and load spilled registers, by source line. KZ_TOOL where there is no nvdisasm.
typedef struct toolchain_spill {
    char entry[128], file[256];
    uint32_t line, stores, loads; // line 0: not known
} toolchain_spill;
kz_status toolchain_spills(const toolchain *tools, const void *cubin, size_t size, toolchain_spill **spills,
                           size_t *count, kz_error *error);

// The architecture to assemble PTX for, where the GPU's is `sm`: code for one architecture alone (sm_90a), or for a
// later one than the GPU's, has its own.
void toolchain_ptx_arch(const char *ptx, int sm, char arch[TOOLCHAIN_ARCH]);

// Whether an error, KZ_NOT_FOUND so that nobody takes it for a refusal of the source, says that a compiler is missing.
bool toolchain_lacks_compiler(const kz_error *error);

// Whether ptxas takes the PTX for a GPU of architecture `sm`: KZ_TOOL with its own words where it refuses. KZ_OK
// where there is no ptxas; the simulator knows the commonest limits itself (src/sim/limits.c).
kz_status toolchain_check_ptx(const toolchain *tools, const char *name, const char *ptx, int sm,
                              kz_error *error);

// A whole program with its own main.
typedef struct toolchain_program {
    const char *const *files; // sources are compiled; objects and libraries are linked
    size_t file_count;
    const char *arch;         // "90": PTX and machine code for it, unless the flags name an architecture
    const char *const *flags; // for nvcc, at both steps
    size_t flag_count;
    const char *library_folder; // searched first for -lcudart and its kin; may be NULL
    bool plain_c;               // by the host's C compiler, -std=gnu11 -O2 -g -Wall
    const char *cc;             // that compiler; NULL: toolchain_find_cc
    // Flags for compiling one of the files alone (ends with NULL), at its index; NULL where there are none.
    const char *const *const *file_flags;
} toolchain_program;

// Builds it with NVIDIA's runtime as a shared library, PTX and line information inside. `folder` (see
// toolchain_work_open) takes the objects and the executable, whose path is given.
kz_status toolchain_build_program(const toolchain *tools, const toolchain_program *program,
                                  const char *folder, char executable[TOOLCHAIN_PATH], kz_error *error);

// The text of the program's first file after the preprocessor, for the host or (of CUDA) for the device; `quick` as above.
kz_status toolchain_preprocess_program(const toolchain *tools, const toolchain_program *program,
                                       bool for_device, bool quick, base_text *text, kz_error *error);

// Compiles sources, each of which would be the first file of `program`, as toolchain_compile_ptx_together does, and keeps
// their objects for toolchain_build_program. `function` is what other files call; `prototype` is a file that declares it,
// and may be included again. Kernels of such a program have a mark in their names, "smooth_KZ_05".
void toolchain_compile_programs_together(const toolchain *tools, const toolchain_program *program,
                                         const char *function, const char *prototype,
                                         const char *const *sources, size_t count);

// The same, where it can build whole programs for the runtime library of src/cudart: version 13.
kz_status toolchain_find_for_programs(toolchain *tools, kz_error *error);
// The folder of that library: lib/kz-cudart beside the executable's own, in an installation and in a build folder.
kz_status toolchain_cudart_folder(char folder[TOOLCHAIN_PATH], kz_error *error);

// A program by its name, looked for in the PATH, or by its path. False where there is none.
bool toolchain_find_program(const char *name, char path[TOOLCHAIN_PATH]);

// The host's C compiler: $CC, else cc, gcc or clang of the PATH. KZ_TOOL where there is none.
kz_status toolchain_find_cc(char path[TOOLCHAIN_PATH], kz_error *error);

// Compiles C text (which includes nothing but the system's headers) to a shared object in `folder`, whose path
// is given. `name` is for messages; lines are named by the text's own #line. Products are not contracted to
// fused multiply-adds. Needs no CUDA compiler.
kz_status toolchain_compile_library(const toolchain *tools, const char *name, const char *source,
                                    const char *folder, char path[TOOLCHAIN_PATH], kz_error *error);

// A library or driver that programs ask for and the simulator does not have: lacking.def.
typedef struct toolchain_lacking {
    const char *name, *library, *symbol, *header, *instead;
} toolchain_lacking;
// The one whose file this is, such as "libcufft.so.12"; NULL where it is none of them.
const toolchain_lacking *toolchain_lacking_library(const char *file);
// Says in notes that it is lacking, and what to do.
void toolchain_note_lacking(const toolchain_lacking *row, kz_error *error);

// A folder of its own for such work, and its removal with the files in it.
kz_status toolchain_work_open(char folder[TOOLCHAIN_PATH], kz_error *error);
void toolchain_work_close(const char *folder);

// Runs a program to its end without a shell: stdin is empty, stdout and stderr are collected in `output`.
// `*exit_code` is 128 + the signal where a signal ended it. KZ_TOOL where it could not be started, KZ_LIMIT where it was
// stopped at a limit: KZ_COMPILE_SECONDS of processor time (3600; for a submission 60) or KZ_COMPILE_MEMORY MiB in all its
// processes (three quarters of the machine's; for a submission at most 6 GiB).
kz_status toolchain_run(const char *const *argv, base_text *output, int *exit_code, kz_error *error);
// KZ_INVALID where one of these variables is no number.
kz_status toolchain_check_limits(kz_error *error);

#endif

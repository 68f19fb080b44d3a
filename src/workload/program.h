// Whole CUDA programs: builds one, and runs it as a process of its own on the simulator.
//
// The program loads the runtime library of src/cudart in place of NVIDIA's, from the folder lib/kz-cudart
// beside kz's own. What it is to do there is told by variables: KZ_GPU, KZ_OBSERVE, KZ_SESSION, KZ_SEED,
// KZ_TIMEOUT (docs/whole_programs.md). Its output goes where kz's own goes.
#ifndef WORKLOAD_PROGRAM_H
#define WORKLOAD_PROGRAM_H

#include "base/base.h"
#include "report/record/record.h"

enum { WORKLOAD_PATH = 1024, WORKLOAD_SENTENCE = 160 };

typedef struct workload_program {
    const char *const *files; // .cu (and .cpp, .c, .o ...) to be built together, or one executable
    size_t file_count;
    char *const *arguments; // the program's own
    size_t argument_count;
    const char *gpu; // as device_gpu_choose takes it
    const char *const *nvcc_flags;
    size_t nvcc_flag_count;
    const char *observe; // the words of KZ_OBSERVE; NULL: no instruments
    const char *session; // the folder for the record; NULL: one is made where `observe` is given
    uint64_t seed;       // 0: the plain order
    double timeout;      // seconds; 0: none
    int output;          // what the program's stdout becomes; 0: kz's own. stderr stays.
    int input;           // what its stdin becomes; 0: kz's own
    int answer;          // what its descriptor 3 becomes; 0: none
    const char *const *const *file_flags; // of toolchain_program; may be NULL
    const char *const *environment;       // more variables, "NAME=value", ends with NULL; may be NULL
    bool is_repeated;                     // it ran before: the compiler's warnings were shown then
    void (*note)(const char *text);       // told what is worth knowing before it runs; may be NULL
    bool (*interrupted)(void); // asked while it is built (KZ_BUSY) and runs: it is ended; may be NULL
} workload_program;

typedef struct workload_result {
    int exit_code; // the program's own; 128 + signal where one ended it; 124 after the time allowed
    int signal;    // 0 where it ended by itself
    bool timed_out;
    double seconds;              // of the program, without building it
    char session[WORKLOAD_PATH]; // the folder with record.jsonl and module-<n>.ptx; "" without instruments
    bool own_session;            // it was made by workload_program_run
    char executable[WORKLOAD_PATH];
} workload_result;

// Builds (through the cache), runs and waits. An error means that the program could not be run at all: it
// does not compile, is no program, has NVIDIA's runtime inside. How it ended is in `result`.
kz_status workload_program_run(const workload_program *program, workload_result *result, kz_error *error);
// Removes the session folder where it was made for this run.
void workload_program_discard(workload_result *result);
// One sentence about an end by a signal or after the time allowed; NULL for an ordinary end.
const char *workload_program_end(const workload_result *result, char text[WORKLOAD_SENTENCE]);
// Reads what the program's instruments have left in its session; `name` is what the user called it.
// Of a program under the sanitizer that was killed, or left by exec(): what was found until then. False: there is none.
bool workload_program_unfinished(const workload_result *result, report_record *record);
kz_status workload_program_record(const workload_result *result, const char *name, report_record *record,
                                  kz_error *error);

// Whether `word` names a whole program: a .cu file that has a main of its own, or an executable file.
bool workload_program_is(const char *word);
// Whether its suffix is that of a source, an object or a library.
bool workload_program_is_source(const char *word);
// Whether a main stands in this source, as far as its text tells.
bool workload_program_has_main(const char *source);
// Whether it has one after the preprocessor, which is asked (with nvcc's flags) where the text may hide one. `error` gets
// why the preprocessor failed; may be NULL.
bool workload_program_makes_main(const char *source, const char *const *flags, size_t flag_count,
                                 kz_error *error);

#endif

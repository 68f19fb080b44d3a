// workload: what the user named, as something that runs.
//
// A word on the command line is a family or a variant of the zoo, a file that stands in a family's place, a learner's
// file for a task of the course, a whole program, or the record of an earlier run. workload_open decides which, once
// and for all commands; check.h, bench.h, gate.h, tune.h, profile.h, sanitize.h, debug.h and timeline.h run it.
// Kernels run in this process (those of kz bench in a child of it: supervise.h), programs in one of their own. Nothing
// here prints but the progress of long runs and the compiler's warnings.
#ifndef WORKLOAD_WORKLOAD_H
#define WORKLOAD_WORKLOAD_H

#include "workload/names.h"
#include "workload/program.h"
#include "workload/task.h"

typedef enum workload_kind {
    WORKLOAD_ZOO,     // families and variants
    WORKLOAD_GUEST,   // a kernel of the user's own in a family's place
    WORKLOAD_TASK,    // a learner's file
    WORKLOAD_PROGRAM, // sources with a main, or an executable
    WORKLOAD_RECORD,  // what a profile has kept
} workload_kind;

typedef struct workload_request {
    const char *command; // "prof": for messages
    unsigned kinds;      // what it takes: bits 1u << workload_kind
    const char
        *question; // where nothing is named; NULL: the whole zoo is meant, and several names go together
    const char *family, *task;     // what --family and --task say; may be NULL
    const char *const *nvcc_flags; // for a program; they decide which headers there are
    size_t nvcc_flag_count;
    bool for_debugging; // guests are compiled with variables, unoptimised
} workload_request;

typedef struct workload {
    workload_kind kind;
    const char *files[WORKLOAD_WORDS]; // of a program; else the words themselves
    size_t file_count;
    char *const *arguments; // of a program; whoever opens it may set them
    size_t argument_count;
    workload_zoo zoo;          // all that was named of the zoo
    const kz_family *family;   // of a guest, or of the zoo where one word names it; else NULL
    const kz_variant *variant; // NULL: of all, or the one that would be chosen
    family_guest *guest;
    bench_facts guest_facts;
    workload_task task;
} workload;

// Decides what the words mean, and opens it: compiles a guest, loads the course for a task. Close it whatever is
// returned. The words must outlive it.
kz_status workload_open(const workload_request *request, const char *const *words, size_t count, workload *w,
                        kz_error *error);
void workload_close(workload *w);
// Whether the words name a whole program: then all that follows on a command line is the program's own.
bool workload_is_program(const workload_request *request, const char *const *words, size_t count);

// ---- kernels, in this process -------------------------------------------------------------------------

// A simulated GPU by its key; NULL: the default one.
kz_status workload_open_simulator(const char *gpu, kz_device **device, kz_error *error);
// Loads a guest, or else the variant; `image` may be NULL.
kz_status workload_load(const kz_family *family, const kz_variant *variant, const family_guest *guest,
                        kz_device *device, kz_image *image, kz_module **module, kz_error *error);
// One case to look into and the variant that would be chosen for it, where the workload names none. `most` as in
// workload_choose_case.
kz_status workload_choose(const workload *w, const char *pattern, uint64_t most, const kz_device *device,
                          kz_case *c, const kz_variant **variant, kz_error *error);

// ---- programs, in a process of their own ----------------------------------------------------------------

// Whether it runs as a program: one with a main, or a task's host function, which gets the grader's.
bool workload_runs_as_program(const workload *w);
// Runs it: `settings` has all but files and arguments. `c` and `answer` are for a task's; `answer` may be NULL.
kz_status workload_run(const workload *w, const workload_program *settings, const course_case *c,
                       workload_answer *answer, workload_result *result, kz_error *error);

#endif

// sandbox: runs programs of others, compilers and submissions, under limits and away from what is not theirs.
//
// A program gets limits on time, memory, processes and output, over all its children, and none of them outlives it.
// One that is confined also sees only its own folder (which it may write), the system's programs and libraries
// (visible.def) and what the caller adds; it has no network, and reaches no other process. The guards of guards.def
// are enforced by what the kernel allows: namespaces, Landlock, seccomp. SECURITY.md says what each is worth.
#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H

#include "base/base.h"

// What KZ_SANDBOX says. AUTO enforces what this machine can, REQUIRE runs nothing where a guard is missing, OFF keeps
// the limits alone.
typedef enum sandbox_mode { SANDBOX_AUTO, SANDBOX_REQUIRE, SANDBOX_OFF } sandbox_mode;
kz_status sandbox_mode_asked(sandbox_mode *mode, kz_error *error); // KZ_INVALID where it is none of the words

enum {
#define GUARD(name, word, what, means) SANDBOX_INDEX_##name,
#include "guards.def"
#undef GUARD
    SANDBOX_GUARDS
};
enum {
#define GUARD(name, word, what, means) SANDBOX_##name = 1 << SANDBOX_INDEX_##name,
#include "guards.def"
#undef GUARD
    SANDBOX_ALL = (1 << SANDBOX_GUARDS) - 1
};

// The guards of a mask: "files, network". For each the table has what it keeps a program from, and by which means.
typedef struct sandbox_guard {
    const char *word, *what, *means;
} sandbox_guard;
extern const sandbox_guard sandbox_guards[SANDBOX_GUARDS];
void sandbox_guards_name(uint32_t guards, base_text *text);
// What this machine enforces for a confined program, by trying it. 0 where nothing.
uint32_t sandbox_probe(void);

enum { SANDBOX_ANSWER_FD = 3, SANDBOX_LOG_FD = 4 };

typedef struct sandbox_process {
    const char *const *argv;
    const char *folder; // working directory; NULL: this one's. A confined one may write there alone
    const char *const *environment; // "NAME=value" to add; NULL
    bool keeps_environment;         // all of this process's; otherwise what a program needs to run at all
    const void *input;              // for its stdin
    size_t input_bytes;
    double seconds;     // wall time; then all of it is killed
    double cpu_seconds; // of one process; 0: by the wall time and the number of cores
    uint64_t memory;    // bytes of address space, for one process; 0: no limit (sanitizers reserve terabytes)
    uint64_t data;      // bytes of private memory, where address space cannot be limited; 0: no limit
    uint64_t total_memory; // bytes resident in all its processes together; 0: no limit
    uint32_t processes;    // the most of them at a time, and 8 threads for each; 0: no limit
    uint64_t file_bytes;   // the largest file; 0: 64 MiB, which the simulator's memory may exceed
    size_t output_bytes;   // the most that is kept of stdout and stderr
    size_t
        answer_bytes; // fd 3 of the child is a pipe, of which so much is kept in `answer`; 0: there is none
    size_t log_bytes; // fd 4, kept in `log`: for a tool that runs the program
    bool (*interrupted)(
        void); // asked a few times a second: then all of it ends, and the error is KZ_BUSY; NULL

    bool is_confined;
    const char *const *readable; // paths that a confined one sees too, read only; NULL
    const char *const
        *hidden;   // folders that it does not see, though what they lie in is shown; NULL. With namespaces
    bool may_fork; // a confined one without it is killed (SIGSYS) when it starts a process
    bool uses_gpu;
    bool signals_threads; // by tkill, as valgrind does: a filter cannot know whose threads those are
    uint32_t without;     // means of enforcement to do without: tests of machines that lack them
} sandbox_process;

enum { SANDBOX_WITHOUT_NAMESPACES = 1, SANDBOX_WITHOUT_LANDLOCK = 2, SANDBOX_WITHOUT_FILTER = 4 };

// What ended a program that did not end by itself.
typedef enum sandbox_stop {
    SANDBOX_NOT_STOPPED,
    SANDBOX_TIME,
    SANDBOX_MEMORY,
    SANDBOX_COUNT // of processes or threads
} sandbox_stop;

typedef struct sandbox_result {
    int exit_code; // 128 + signal
    int signal;
    bool timed_out;
    sandbox_stop stop;
    uint32_t enforced; // guards, of a confined one
    base_text output;  // stdout and stderr in one
    base_text answer;  // bytes from fd 3
    base_text log;     // and from fd 4
    double seconds;
} sandbox_result;

// An error means that it could not be started, or (KZ_UNSUPPORTED) that guards are required which this machine lacks.
// Free the result's texts.
kz_status sandbox_run(const sandbox_process *process, sandbox_result *result, kz_error *error);
void sandbox_result_free(sandbox_result *result);

// For a process that starts a submission itself: this process, which becomes the submission, starts no other from now on
// (it is killed, SIGSYS) and traces none. False where the kernel cannot.
bool sandbox_forbid_processes(void);

#endif

// bench/process: a child process that answers lines of JSON, and what becomes of one that crashes or hangs.
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <jansson.h>
#include <sys/types.h>

#include "base/base.h"

// {0} is one that does not run.
typedef struct bench_process {
    pid_t id;            // 0: none
    int lines;           // a socket, both ways
    int words;           // its stderr, a file without a name
    unsigned generation; // grows with each process that was started: what an earlier one had is gone
    base_text received;
} bench_process;

// `arguments` end with NULL, the program first. A group of its own, so that compilers it starts go with it; it is killed
// when this process dies.
kz_status bench_process_start(bench_process *process, char *const *arguments, kz_error *error);
void bench_process_end(bench_process *process);

// Sends the request and waits for a line that is an object. Where none comes, the process is ended and the error says
// what happened to `name` while `doing`, with the last line of its stderr: KZ_TOOL; KZ_NOT_FOUND where there is no such
// program; KZ_TIMEOUT after `seconds`, and where it is interrupted.
typedef struct bench_process_wait {
    const char *name, *doing;
    double seconds;
    bool (*interrupted)(void); // may be NULL
} bench_process_wait;
kz_status bench_process_ask(bench_process *process, const json_t *request, const bench_process_wait *wait,
                            json_t **reply, kz_error *error);

#endif

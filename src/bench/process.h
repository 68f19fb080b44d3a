// bench/process: a child process that answers lines of JSON, and what becomes of one that crashes or hangs.
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <jansson.h>
#include <sys/types.h>

#include "base/base.h"

// {0} is one that does not run.
enum { BENCH_PROCESS_WORDS = 4096 };
typedef struct bench_process {
    pid_t id;            // 0: none
    int lines;           // a socket, both ways
    int words;           // its stderr, a pipe; -1: closed
    unsigned generation; // grows with each process that was started: what an earlier one had is gone
    base_text received;
    char said[BENCH_PROCESS_WORDS + 1]; // the last of what it wrote to stderr since it was last asked
    size_t said_bytes;
} bench_process;

// `arguments` end with NULL, the program first. A group of its own, so that compilers it starts go with it. It gets SIGTERM
// when this process dies, and when it is ended: one that has descendants elsewhere (peers/python/guard.py) ends them.
kz_status bench_process_start(bench_process *process, char *const *arguments, kz_error *error);
void bench_process_end(bench_process *process);

// Sends the request and waits for a line that is an object. Where none comes, the process is ended and the error says
// what happened to `name` while `doing`, with the last line it wrote to stderr meanwhile: KZ_TOOL; KZ_NOT_FOUND where
// there is no such program; KZ_TIMEOUT after `seconds`, and where it is interrupted.
typedef struct bench_process_wait {
    const char *name, *doing;
    double seconds;
    bool (*interrupted)(void);      // may be NULL
    void (*waiting)(void *context); // called now and then while nothing comes; may be NULL
    void *context;
} bench_process_wait;
kz_status bench_process_ask(bench_process *process, const json_t *request, const bench_process_wait *wait,
                            json_t **reply, kz_error *error);

#endif

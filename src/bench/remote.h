// bench/remote: a rival in Python, one provider of peers/python, in a process of its own that runner.py serves.
//
// The process starts with the first request, is kept over cases, and is started anew after it died, hung or lost the
// GPU. Whatever happens there is an error here that says so: the run goes on.
#ifndef BENCH_REMOTE_H
#define BENCH_REMOTE_H

#include "bench/candidate.h"
#include "bench/process.h"

typedef struct bench_remote bench_remote;

// `file` is the provider's; `folder` has libkz_runner.so and kz-python/runner.py. Nothing is started yet.
kz_status bench_remote_open(const char *name, const char *file, const char *folder, bench_remote **remote,
                            kz_error *error);
void bench_remote_close(bench_remote *remote); // ends its process; NULL is allowed
const char *bench_remote_name(const bench_remote *remote);
bool bench_remote_is_alive(const bench_remote *remote); // its process runs, and has the device open
const char *
bench_remote_label(const bench_remote *remote);            // as it was opened, whatever it calls itself later
const char *bench_remote_code(const bench_remote *remote); // a digest of the provider's file
const char *
bench_remote_version(const bench_remote *remote); // NULL where it was not asked yet, or cannot be used
// Asks it for its name and version where it has not said them yet. Its process is ended again: idle ones change figures.
void bench_remote_identify(bench_remote *remote, const char *device, bool (*interrupted)(void));
// Why the provider is not there (a package is missing, say), and what helps; "" where it is, or was not asked yet.
const char *bench_remote_missing(const bench_remote *remote);

// The versions of packages that the interpreter has, by their names on PyPI, without importing them, which takes seconds:
// {"torch": "2.11.0", "liger-kernel": ""}. Takes the array of names.
kz_status bench_python_packages(json_t *names, json_t **versions, kz_error *error);

// Who waits for it: in this case, until the next one.
typedef struct bench_remote_watcher {
    bool (*interrupted)(void); // asked while anything is waited for; may be NULL
    // Called now and then while it is waited for; may be NULL. `doing` is "compiling", say; "" in a sample.
    void (*waiting)(const char *by, const char *name, const char *doing, void *context);
    void *context;
    double timeout; // seconds for a sample, and for what never compiles; 0: a minute
} bench_remote_watcher;

// The candidates' names in a case.
enum { BENCH_REMOTE_NAMES = 16 };
typedef struct bench_remote_offer {
    size_t count;
    char names[BENCH_REMOTE_NAMES][64];
} bench_remote_offer;
kz_status bench_remote_offers(bench_remote *remote, const bench_data *data,
                              const bench_remote_watcher *watcher, bench_remote_offer *offer,
                              kz_error *error);

// How its process ended in this case, where it did with that candidate at work; "" is itself, before any has a name.
bench_loss bench_remote_loss(const bench_remote *remote, const char *name);

// Prepares one of the names. The data must outlive the candidate. The candidate says whose it is, whatever is returned.
kz_status bench_candidate_remote(const bench_data *data, bench_remote *remote, const char *name,
                                 bench_candidate *candidate, kz_error *error);

// ---- inside: a case as JSON (remote_problem.c) ----------------------------------------------------------------

json_t *bench_remote_problem(const bench_data *data);
// Its buffers, with handles by which another process maps them. An array, whatever is returned.
kz_status bench_remote_buffers(const bench_data *data, json_t **buffers, kz_error *error);

#endif

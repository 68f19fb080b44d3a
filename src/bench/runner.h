// libkz_runner: kz's own sampler for a rival in another language, in the rival's own process.
//
// A flat interface, for ctypes and its like; peers/python/runner.py uses it. Functions return 0, or a kz_status whose
// text kz_runner_error gives. Everything is called by one thread. Order: open, then for each case kz_runner_case, a
// kz_runner_buffer for each of the family's buffers, candidates, their runs and samples, and kz_runner_done.
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "kz/kz.h"

enum { BENCH_RUNNER_INTERFACE = 3 }; // of this header and of runner.py's requests

typedef struct kz_runner kz_runner;

// Enqueues one run on a set of buffers in the stream, a CUstream (NULL: the default one; on the CPU there are none, and it
// is done when it returns). 0, or another number where it failed; the caller keeps the reason.
typedef int (*kz_runner_enqueue)(void *stream, size_t set);

KZ_API int kz_runner_interface(void);
// The device's first stream is this process's first. Close it whatever is returned.
KZ_API int kz_runner_open(const char *device, kz_runner **runner);
KZ_API void kz_runner_close(kz_runner *runner);
KZ_API const char *kz_runner_error(const kz_runner *runner);
KZ_API int kz_runner_synchronize(kz_runner *runner);

// Sets and misalignment as in bench_data.
KZ_API int kz_runner_case(kz_runner *runner, size_t sets, uint32_t misalign);
// Maps a buffer by the handles of device/share.h; `pristine` is an inout's, else NULL. A buffer without elements has no
// handle either. Gives its address in this process.
KZ_API int kz_runner_buffer(kz_runner *runner, const char *type, const char *role, uint64_t count,
                            uint64_t stride, const unsigned char *handle, const unsigned char *pristine,
                            kz_ptr *address);
KZ_API int kz_runner_done(kz_runner *runner); // ends the case: candidates are closed, buffers let go

// They count from 0 in each case.
KZ_API int kz_runner_candidate(kz_runner *runner, kz_runner_enqueue enqueue);
// One run on set 0, waited for.
KZ_API int kz_runner_run(kz_runner *runner, size_t candidate);
// Gets ready for samples under a condition, named as in condition.def. `seconds` is what one run takes, `runs` how many
// a sample has, `graph_sets` how many sets its graph visits (0: there is no graph).
KZ_API int kz_runner_condition(kz_runner *runner, size_t candidate, const char *mode, const char *cache,
                               const char *stream, double seconds, size_t *runs, size_t *graph_sets);
KZ_API int kz_runner_sample(kz_runner *runner, size_t candidate, double *seconds);
// The graph of a sample once more, or without one a run on `set`.
KZ_API int kz_runner_replay(kz_runner *runner, size_t candidate, size_t set);

#endif

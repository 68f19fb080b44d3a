// bench: measures the candidates of one case beside each other, on the same bytes, cold, checked before and
// after.
//
// Split as the work grows apart: stats (what samples say), stop (when to end), measure (the loop), sampler (a
// device's clock), data (the bytes), candidate (what can be timed), probes (peaks and flushes), health
// (NVML), record (JSON), target (goals). This header is the whole: one request, one outcome.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "bench/candidate.h"
#include "bench/health.h"
#include "bench/peaks.h"
#include "bench/sampler.h"
#include "family/case.h"

enum { BENCH_CANDIDATES = 24 };

typedef struct bench_request {
    kz_device *device;
    bench_probes *probes;         // NULL on a device without a clock
    const bench_monitor *monitor; // may be NULL
    const bench_peaks *peaks;     // what is known of the device already; may be NULL
    const kz_family *family;
    const kz_case *c;
    const kz_variant *const *variants;
    size_t variant_count;
    const family_guest *guest; // may be NULL
    const kz_peer *const *peers;
    size_t peer_count;
    uint64_t seed;
    bench_rule rule;
    bool brief;                // single launches alone, no graphs: for cases that are long enough
    bool (*interrupted)(void); // may be NULL
    void (*progress)(const char *what, void *context); // may be NULL: "verifying", "latency", ...
    void *progress_context;
} bench_request;

typedef struct bench_check {
    bool done;
    uint64_t seed;
    family_comparison comparison;
} bench_check;

typedef struct bench_timing {
    bool taken;
    bench_series series;
    size_t runs; // in one sample
    bench_health before, after;
    double bytes_per_s, flops_per_s; // 0 where the work is 0
    double of_copy;                  // share of the measured copy; NAN where none was measured
    double of_compute;               // share of what the cores can compute; NAN where that is not the measure
    bool over_peak;                  // above 105% of every measured peak: the measurement is wrong
} bench_timing;

typedef struct bench_result {
    bench_candidate candidate;        // closed: what it was called, its plan and sizes
    kz_status status;                 // KZ_OK, KZ_WRONG, KZ_UNSUPPORTED (left out), or what stopped it
    kz_error error;                   // why
    bench_check before, after, fresh; // fresh: after timing, on other inputs, where they are cheap to make
    bench_timing timings[BENCH_MODES];
    kz_counters counters; // simulator: of one run
} bench_result;

typedef struct bench_outcome {
    char name[FAMILY_CASE_NAME];
    kz_work work;
    uint64_t seed;
    size_t sets;
    uint64_t footprint_bytes; // of one set
    size_t flush_bytes;
    bool flush_reads; // false: it writes
    double input_seconds, reference_seconds;
    bool timed; // false on the simulator
    bool interrupted;
    bench_mode figure;                           // the mode whose median is the figure of this case
    double copy[BENCH_MODES], read[BENCH_MODES]; // measured peaks in bytes per second; NAN where none
    // Peaks that were not measured beside this case: a copy, where none was; what the cores compute in the case's
    // type, where the case computes. NAN and "" where there is none.
    bench_known_peak known_copy, known_compute;
    size_t count;
    bench_result results[BENCH_CANDIDATES];
} bench_outcome;

// The outcome is filled as far as it went, whatever is returned: free it always. Candidates that do not do
// the case, or do it wrong, are results of the outcome, not errors of the call.
kz_status bench_run(const bench_request *request, bench_outcome **outcome, kz_error *error);
void bench_outcome_free(bench_outcome *outcome);

// Whether a figure in flops per second says more than one in bytes: there are more of them for each byte than
// any GPU that we know could do while it waits for the byte.
bool bench_work_computes(const kz_work *work);

// Ours over the other's, from samples taken beside each other in that mode. Invalid where one was not timed.
bench_ratio bench_outcome_ratio(const bench_outcome *outcome, size_t ours, size_t other, bench_mode mode);

// The fastest result of a provider in the figure's mode, right and timed; -1 where there is none.
int bench_outcome_best(const bench_outcome *outcome, bench_provider provider);

#endif

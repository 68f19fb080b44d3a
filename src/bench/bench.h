// bench: measures the candidates of one case beside each other, on the same bytes, under the same conditions, checked
// before and after.
//
// Split as the work grows apart: stats (what samples say), stop (when to end), measure (the loop), condition (under
// what), sampler (a device's clock), data (the bytes), candidate (what can be timed), code and facts (what it is made
// of), probes (peaks and flushes), limit (which peak limits), health (NVML), record (JSON), target (goals). This header
// is the whole: one request, one outcome.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "bench/candidate.h"
#include "bench/health.h"
#include "bench/peaks.h"
#include "bench/remote.h"
#include "bench/limit.h"
#include "bench/sampler.h"
#include "family/case.h"

enum { BENCH_CANDIDATES = 40, BENCH_BESIDE = 320 };

// One that an earlier attempt at the case was lost with: a result that says so, and is not tried again.
typedef struct bench_lost {
    char by[24], name[64]; // a rival's name may be unknown: "" is all that it offers
    bench_loss loss;
    kz_error error;
} bench_lost;

// How results are checked.
typedef enum bench_care {
    BENCH_CHECKED,      // before, after and on fresh inputs
    BENCH_CHECKED_ONCE, // before, and no peaks are timed beside: for a search that keeps winners alone
    BENCH_UNCHECKED,    // no reference is computed, and nothing compared
} bench_care;

typedef struct bench_request {
    kz_device *device;
    bench_probes *probes;         // NULL on a device without a clock
    const bench_monitor *monitor; // may be NULL
    const bench_peaks *peaks;     // what is known of the device already; may be NULL
    const kz_family *family;
    const kz_case *c;
    const kz_variant *const *variants;
    size_t variant_count;
    const family_guest *guest;        // may be NULL
    bench_facts guest_facts;          // what is known of it
    const bench_assembler *assembler; // for what is told of machine code; may be NULL
    const kz_peer *const *peers;
    size_t peer_count;
    bench_remote *const *remotes; // rivals in Python
    size_t remote_count;
    bench_remote *const *all_remotes; // those of other cases too, whose processes may be alive; may be NULL
    size_t all_remote_count;
    uint64_t seed;
    bench_care care;
    bench_rule rule;
    const bench_condition *conditions; // at most BENCH_CONDITIONS; NULL: latency and throughput, cold
    size_t condition_count;
    kz_stream *first_stream; // that of the device; may be NULL where no condition asks for it
    const bench_lost *lost;  // candidates that are not tried again
    size_t lost_count;
    const bench_lost *broken; // rivals whose libraries cannot be used: rows that say why
    size_t broken_count;
    bool (*interrupted)(void);                         // may be NULL
    void (*progress)(const char *what, void *context); // may be NULL: "verifying", "latency", ...
    // May be NULL: whose code runs next, as far as it has a name. Nobody's: both are "".
    void (*watch)(const char *by, const char *name, void *context);
    // May be NULL: what a rival in Python does while it is waited for, see bench_remote_watcher.
    void (*waiting)(const char *by, const char *name, const char *doing, void *context);
    void *progress_context; // of all three
    double timeout;         // of a sample of such a rival; 0: a minute
} bench_request;

typedef struct bench_check {
    bool done;
    size_t sets; // of buffers that were compared; the comparison is the worst of them
    uint64_t seed;
    family_comparison comparison;
} bench_check;

typedef struct bench_timing {
    bool taken;
    bench_series series;
    size_t runs; // in one sample
    bench_health before, after;
    int processes; // that had the device open meanwhile, at work or not, this one among them
    double bytes_per_s, flops_per_s; // 0 where the work is 0
    double of_copy;                  // share of the measured copy; NAN where none was measured
    double of_compute;               // share of what the cores can compute; NAN where that is not the measure
    double of_peak;                  // share of the peak that limits the case; NAN where none is known
    double power_w;                  // the mean while it was timed, with its neighbours; NAN where unknown
    double energy_j;                 // of a run, where runs are sustained; NAN elsewhere
    bool over_peak;                  // above 105% of every measured peak, on a GPU: the measurement is wrong
} bench_timing;

typedef struct bench_result {
    bench_candidate candidate; // closed: what it was called, its plan and sizes
    kz_status status;          // KZ_OK, KZ_WRONG, KZ_UNSUPPORTED (left out), or what stopped it
    kz_error error;            // why
    bool wrote_input;          // KZ_WRONG for that; inputs are restored for the others
    bench_loss loss;
    bench_check before, after, fresh; // fresh: after timing, on other inputs, where they are cheap to make
    bench_timing timings[BENCH_CONDITIONS]; // by the outcome's conditions
    kz_counters counters;                   // simulator: of one run
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
    bool timed;  // false on the simulator
    bool on_cpu; // whose peaks are no ceiling
    bool interrupted;
    size_t condition_count;
    bench_condition conditions[BENCH_CONDITIONS];
    size_t figure; // the condition whose median is the figure of this case
    // The rivals in processes of their own that were sampled by turns under each condition: "torch, triton"; "" for none.
    // A GPU that goes from one process to another and back runs short launches at another speed.
    char beside[BENCH_CONDITIONS][BENCH_BESIDE];
    // What an empty launch took in a graph under each condition, in seconds; 0: not known.
    double launch_gap[BENCH_CONDITIONS];
    // Peaks measured under each condition, in bytes per second; NAN where none.
    double copy[BENCH_CONDITIONS], read[BENCH_CONDITIONS];
    // Peaks that were not measured beside this case: a copy, where none was; what the cores compute in the case's
    // type, where the case computes. NAN and "" where there is none.
    bench_known_peak known_copy, known_compute;
    bench_limit limit; // which peak limits the case
    size_t count;
    bench_result results[BENCH_CANDIDATES];
} bench_outcome;

// The outcome is filled as far as it went, whatever is returned: free it always. Candidates that do not do
// the case, or do it wrong, are results of the outcome, not errors of the call.
kz_status bench_run(const bench_request *request, bench_outcome **outcome, kz_error *error);
void bench_outcome_free(bench_outcome *outcome);

// Fills the figures from the times, and chooses the condition that counts: the first, or graphs where runs are short
// and both were measured.
void bench_outcome_derive(bench_outcome *outcome);
bool bench_is_short(double seconds); // below 50 us the graph's figure is the figure

// The greatest error against the reference of all checks of a result; NULL where none was done.
const bench_check *bench_worst_check(const bench_result *result);
// All that a candidate needs of the device's memory at once; the buffers of one set.
uint64_t bench_peak_bytes(const bench_outcome *outcome, const bench_candidate *candidate);

// Whether a figure in flops per second says more than one in bytes: there are more of them for each byte than
// any GPU that we know could do while it waits for the byte.
bool bench_work_computes(const kz_work *work);

// Ours over the other's, from samples taken under that condition: the one beside the other, or in a sustained one after
// the other. Invalid where one was not timed, is not right or stands above the peak.
bench_ratio bench_outcome_ratio(const bench_outcome *outcome, size_t ours, size_t other, size_t condition);
// Whether that ratio, of samples by turns, and the ratio of the two medians contradict each other: the second is outside
// the interval of the first, and on the other side of 1 or more than 10% away.
bool bench_outcome_disagrees(const bench_outcome *outcome, size_t ours, size_t other, size_t condition);
// Faster or slower than the other, by 2% at least; undecided where one of the two has not converged, or where the ratios
// contradict each other.
bench_verdict bench_outcome_verdict(const bench_outcome *outcome, size_t ours, size_t other,
                                    size_t condition);

// The counterpart of the figure's condition, where it was measured too: single runs beside graphs of them, or the
// reverse; -1 where not.
int bench_outcome_counterpart(const bench_outcome *outcome);

// The fastest result of a provider under that condition (the figure's), right and timed, and for a rival below the peak;
// -1 where there is none.
int bench_outcome_best_under(const bench_outcome *outcome, bench_provider provider, size_t condition);
int bench_outcome_best(const bench_outcome *outcome, bench_provider provider);

#endif

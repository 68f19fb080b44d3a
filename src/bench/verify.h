// bench/verify: whether what a candidate writes is right, for what is timed and not only for what is shown, and whether
// it leaves its inputs alone.
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include "bench/bench.h"

// One run on set 0, on poisoned outputs. `when` is for the message: "before timing".
kz_status bench_verify_run(const bench_data *data, bench_result *result, bench_check *check,
                           const char *when);

// What was timed once more, as the sampler does it, for `result->after`. A graph: all sets that it visits are poisoned
// before and compared after it. Single runs: each set is poisoned, run on and compared by itself, so that no run can do
// another's work. The last set comes first, then one drawn from the seed, then the rest as long as there is time.
kz_status bench_verify_samples(const bench_data *data, bench_sampler *sampler, size_t candidate,
                               bench_result *result);

// Whether the inputs of the first `sets`, and what inouts are restored from, are still as they were. If not, the result's
// status is KZ_WRONG, and all inputs are restored. `when`: "while it was prepared". A failure is the device's, not the candidate's.
kz_status bench_verify_inputs(const bench_data *data, size_t sets, bench_result *result, const char *when,
                              kz_error *error);
void bench_blame_for_input(bench_result *result, const char *what, const char *when);

#endif

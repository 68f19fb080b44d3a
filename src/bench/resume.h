// bench/resume: what a run need not measure again, because earlier records have it.
//
// Each record names its request by a digest: suite, code, kind of device, case, seed, rule, candidates and conditions; says
// how many records the request made in all, and which rivals there were, of what version. A request is done where one
// run wrote all of them, with every rival that can be used now, of its version.
#ifndef BENCH_RESUME_H
#define BENCH_RESUME_H

#include "bench/record.h"

void bench_request_digest(const bench_run_info *run, const bench_request *request, char digest[BENCH_DIGEST]);
// The rivals that do the case, as they are now: {"cub": "3.0.1", "torch": null}; null: it cannot be used. A rival in Python
// is asked for nothing: see bench_remote_identify. A new reference, or NULL when out of memory.
json_t *bench_request_rivals(const bench_request *request);

// From a file or a folder of records, of any number of runs; one that is not there yet has none. Lines that a killed run
// left torn are passed over and counted. Close it whatever is returned.
typedef struct bench_resume bench_resume;
kz_status bench_resume_open(const char *path, bench_resume **resume, kz_error *error);
void bench_resume_close(bench_resume *resume); // NULL is allowed
size_t bench_resume_torn(const bench_resume *resume);

typedef enum bench_resume_answer {
    BENCH_NOT_MEASURED,
    BENCH_MEASURED_WITHOUT, // a rival was absent, or of another version
    BENCH_MEASURED_FAILING, // a candidate crashed, hung, failed or was wrong
    BENCH_MEASURED
} bench_resume_answer;

// How many runs have all of a request, whatever came of it.
size_t bench_resume_runs(const bench_resume *resume, const char *digest);
// Who has a record of it, by name: {"kz": true, "cub": true}. Borrowed; NULL: nobody.
json_t *bench_resume_providers(const bench_resume *resume, const char *digest);
// The best of its runs. `rivals` are those that can be used now, with their versions, whether they do the case or not; NULL:
// whatever there was. NULL has no runs.
bench_resume_answer bench_resume_ask(const bench_resume *resume, const char *digest, const json_t *rivals);

#endif

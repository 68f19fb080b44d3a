// bench/resume: what a run need not measure again, because earlier records have it.
//
// Each record names its request by a digest: suite, code, kind of device, case, seed, candidates and conditions; and says
// how many records the request made in all. A request is done where one run wrote all of them.
#ifndef BENCH_RESUME_H
#define BENCH_RESUME_H

#include "bench/record.h"

void bench_request_digest(const bench_run_info *run, const bench_request *request, char digest[BENCH_DIGEST]);

// From a file or a folder of records, of any number of runs; one that is not there yet has none. Lines that a killed run
// left torn are passed over and counted. Close it whatever is returned.
typedef struct bench_resume bench_resume;
kz_status bench_resume_open(const char *path, bench_resume **resume, kz_error *error);
void bench_resume_close(bench_resume *resume); // NULL is allowed
size_t bench_resume_torn(const bench_resume *resume);
bool bench_resume_has(const bench_resume *resume, const char *digest); // NULL has none

#endif

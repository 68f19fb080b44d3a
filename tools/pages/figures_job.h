// A case of the zoo, run once for a figure: inputs as `kz check` makes them, the answer, what the simulator counts.
#ifndef PAGES_FIGURES_JOB_H
#define PAGES_FIGURES_JOB_H

#include "figures.h"
#include "kz/family.h"
#include "kz/operation.h"

typedef struct figure_job {
    const kz_family *family;
    const char *variant; // NULL: the one that kz chooses
    kz_case c;
    kz_buffer what[KZ_FAMILY_BUFFERS];
    size_t count;
    void *host[KZ_FAMILY_BUFFERS]; // inputs, and what a buffer that is both held before
    void *got[KZ_FAMILY_BUFFERS];
    kz_operation *operation; // from the first run on
} figure_job;

kz_status figure_job_open(figure_job *job, const char *family, const char *variant, const kz_case *c,
                          kz_error *error);
void figure_job_close(figure_job *job);
kz_status figure_job_run(figure_lab *lab, figure_job *job, kz_error *error);
// Runs it under the profiler's instruments; the caller frees the record.
kz_status figure_job_count(figure_lab *lab, figure_job *job, report_record *record, kz_error *error);

#endif

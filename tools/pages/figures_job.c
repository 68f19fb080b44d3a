// Runs cases of the zoo on the simulator; see figures_job.h.
#include "figures_job.h"

#include <stdlib.h>

#include "family/check.h"
#include "family/inputs.h"

void figure_job_close(figure_job *job) {
    for (size_t i = 0; i < job->count; i++) free(job->host[i]), free(job->got[i]);
    kz_operation_close(job->operation);
}

static size_t bytes_of(const kz_buffer *b) { return (size_t)b->count * kz_type_size(b->type); }

kz_status figure_job_open(figure_job *job, const char *family, const char *variant, const kz_case *c,
                          kz_error *error) {
    *job = (figure_job){.family = kz_family_find(family), .variant = variant, .c = *c};
    if (!job->family) return base_fail(error, KZ_NOT_FOUND, "there is no family %s", family);
    job->count = job->family->buffers(&job->c, job->what);
    for (size_t i = 0; i < job->count; i++) {
        job->host[i] = calloc(1, bytes_of(&job->what[i]) + 1);
        job->got[i] = calloc(1, bytes_of(&job->what[i]) + 1);
        if (!job->host[i] || !job->got[i])
            return base_fail(error, KZ_NO_MEMORY, "no memory for %s of %s", job->what[i].name, family);
        if (job->what[i].role != KZ_OUTPUT)
            family_make_input(job->family, &job->c, i, &job->what[i], FAMILY_SEED, 0, job->what[i].count,
                              job->host[i]);
    }
    return KZ_OK;
}

static kz_status read_back(figure_lab *lab, figure_job *job, const kz_ptr *at, kz_error *error) {
    kz_status status = kz_device_synchronize(lab->device, error);
    for (size_t i = 0; i < job->count && !status; i++)
        if (job->what[i].role != KZ_INPUT)
            status = kz_copy_to_host(lab->device, NULL, job->got[i], at[i], bytes_of(&job->what[i]), error);
    return status ? status : kz_device_synchronize(lab->device, error);
}

kz_status figure_job_run(figure_lab *lab, figure_job *job, kz_error *error) {
    kz_ptr at[KZ_FAMILY_BUFFERS] = {0}, workspace = 0;
    kz_status status = KZ_OK;
    if (!job->operation)
        status =
            kz_operation_open_family(lab->device, job->family, &job->c, job->variant, &job->operation, error);
    for (size_t i = 0; i < job->count && !status; i++) {
        status = figure_lab_buffer(lab, bytes_of(&job->what[i]) + 1, &at[i], error);
        if (!status)
            status =
                kz_copy_to_device(lab->device, NULL, at[i], job->host[i], bytes_of(&job->what[i]), error);
    }
    uint64_t bytes = kz_operation_workspace(job->operation);
    if (!status && bytes) status = figure_lab_buffer(lab, bytes, &workspace, error);
    if (!status) status = kz_operation_run(job->operation, NULL, at, job->count, workspace, bytes, error);
    if (!status) status = read_back(lab, job, at, error);
    figure_lab_clear(lab);
    return status;
}

static kz_status run_job(figure_lab *lab, void *job, kz_error *error) {
    return figure_job_run(lab, job, error);
}

kz_status figure_job_count(figure_lab *lab, figure_job *job, report_record *record, kz_error *error) {
    return figure_lab_observe(lab, job->variant, run_job, job, record, error);
}

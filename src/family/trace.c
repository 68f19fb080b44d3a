// See trace.h.
#include "family/trace.h"

#include "family/buffers.h"

static kz_status run(const family_check_job *job, const kz_plan *plan, family_buffers *b, device_trace *trace,
                     kz_error *error) {
    const device_plan_call call = {.device = job->device,
                                   .module = job->module,
                                   .plan = plan,
                                   .buffers = b->addresses,
                                   .buffer_count = b->count,
                                   .workspace = b->workspace.data};
    kz_status status = family_buffers_fill(b, job->seed, 0xa5, error);
    if (!status && kz_device_get_info(job->device)->kind == KZ_DEVICE_CUDA) { // to warm up
        status = kz_plan_run(job->device, NULL, job->module, plan, b->addresses, b->count, b->workspace.data,
                             error);
        if (!status) status = family_buffers_fill(b, job->seed, 0xa5, error); // as it was before
    }
    return status ? status : device_plan_trace(&call, trace, error);
}

kz_status family_trace(const family_check_job *job, kz_plan *plan, device_trace *trace, kz_error *error) {
    family_buffers buffers = {0};
    kz_status status = family_make_plan(job, plan, error);
    if (!status)
        status =
            family_buffers_open(job->family, job->c, job->device, plan->workspace_bytes, &buffers, error);
    if (status) return status;
    status = run(job, plan, &buffers, trace, error);
    if (!status) status = family_buffers_read(&buffers, error);
    family_comparison comparison;
    for (size_t i = 0; i < buffers.count && !status; i++)
        if (buffers.slots[i].got) status = family_compare_slot(job, &buffers, i, NULL, &comparison, error);
    family_buffers_close(&buffers);
    return status;
}

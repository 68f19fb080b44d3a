// When each step of a variant's plan ran, on one case.
#ifndef FAMILY_TRACE_H
#define FAMILY_TRACE_H

#include "device/trace.h"
#include "family/check.h"

// Makes the inputs, runs the plan watched, and gives it in `plan` with the times in `trace`. What it wrote is looked
// at as family_check does: KZ_WRONG where it is wrong.
kz_status family_trace(const family_check_job *job, kz_plan *plan, device_trace *trace, kz_error *error);

#endif

// The worst waste among the simulator's counters, in words; where there is none, the peak that the roofline sets by
// the least work of the case. The grid is not looked at: whether a launch fills the GPU is what kz prof says.
#ifndef FAMILY_LIMITS_H
#define FAMILY_LIMITS_H

#include "kz/family.h"

enum { FAMILY_LIMIT = 96 };

// "uncoalesced: 32 sectors, ideal 4" (per request), "peak: DRAM, 4.0 sectors/request", "peak: memory", ...
void family_describe_limit(const kz_device_info *device, const kz_work *work, const kz_counters *counters,
                           char text[FAMILY_LIMIT]);

#endif

// What limits a kernel, in words: from the simulator's counters where there are any, else from the
// least work of the case and the device's peaks.
#ifndef FAMILY_LIMITS_H
#define FAMILY_LIMITS_H

#include "kz/family.h"

enum { FAMILY_LIMIT = 96 };

// "DRAM, 4.0 sectors/request", "uncoalesced: 32 sectors, ideal 4" (per request), "memory", ...
void family_describe_limit(const kz_device_info *device, const kz_work *work, const kz_counters *counters,
                           char text[FAMILY_LIMIT]);

#endif

// How long a launch would take by what was counted, and the rates that estimates share.
//
// The estimate is the slowest of a few resources, each at its nominal rate: what `kz prof` explains line by line
// (report/profile/estimate.c) from the same figures, here from the sums of one launch alone. The caches are not in
// it: every sector is taken to come from DRAM.
#ifndef OBSERVE_ESTIMATE_H
#define OBSERVE_ESTIMATE_H

#include "observe/observe.h"

enum {
    OBSERVE_SCHEDULERS = 4,    // instructions that an SM issues per clock, since Volta
    OBSERVE_SECTOR_CLOCKS = 1, // L2 gives an SM about a sector per clock (measured: transpose/03, 0.8)
    OBSERVE_ALU_LATENCY = 4,   // clocks, typical
    OBSERVE_DRAM_LATENCY = 600,
    OBSERVE_OVERLAP = 4, // memory instructions of a warp that are taken to be under way at once
};

typedef struct observe_estimate {
    double seconds; // from the first block's start to the last one's end
    double share;   // of the GPU that its blocks fill at once: 0 to 1
} observe_estimate;
// `counters` are those of the launch alone; `input` tells its shape.
observe_estimate observe_estimate_launch(const observe_gpu *gpu, const kz_counters *counters,
                                         const observe_occupancy_input *input);

#endif

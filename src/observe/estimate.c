// See estimate.h.
#include "observe/estimate.h"

#include <math.h>

enum { SECTOR = 32 };

observe_estimate observe_estimate_launch(const observe_gpu *gpu, const kz_counters *counters,
                                         const observe_occupancy_input *input) {
    observe_occupancy_result o = observe_occupancy(gpu, input);
    double sms = fmax(1, fmin(gpu->multiprocessors, (double)input->blocks));
    double rate = sms * (gpu->clock > 0 ? gpu->clock : 1e9), warps = fmax(1, (double)counters->warps);
    double sectors = (double)counters->global_sectors;
    double seconds = (double)counters->warp_instructions / OBSERVE_SCHEDULERS / rate;
    seconds = fmax(seconds, sectors * OBSERVE_SECTOR_CLOCKS / rate);
    seconds = fmax(seconds, (double)counters->shared_wavefronts / rate);
    if (gpu->bandwidth > 0) seconds = fmax(seconds, sectors * SECTOR / gpu->bandwidth);
    // One warp by itself, as often as blocks follow each other on an SM.
    double clocks = ((double)counters->warp_instructions * OBSERVE_ALU_LATENCY +
                     (double)counters->global_requests * OBSERVE_DRAM_LATENCY / OBSERVE_OVERLAP) /
                    warps;
    seconds = fmax(seconds, clocks * fmax(1, ceil(o.waves)) * sms / rate);
    return (observe_estimate){.seconds = seconds, .share = o.waves > 0 && o.waves < 1 ? o.waves : 1};
}

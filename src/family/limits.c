// The worst waste of a kernel, or its peak, in words. See limits.h.
//
// The worst waste is what the next variant should remove. Without waste the roofline names the peak. Thresholds
// are where a waste begins to show in the time.
#include "family/limits.h"

#include <stdio.h>

// flops per byte at which an H200 turns from memory-bound to compute-bound, where the device is unknown
#define DEFAULT_BALANCE 14.0

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : 0; }

static bool is_compute_bound(const kz_device_info *device, const kz_work *work) {
    bool known = device->peak_flops_f32 > 0 && device->peak_bytes_per_s > 0;
    double balance = known ? device->peak_flops_f32 / device->peak_bytes_per_s : DEFAULT_BALANCE;
    return work->bytes > 0 && work->flops / work->bytes > balance;
}

// How much longer issuing the instructions takes than moving the bytes, by the device's peaks. A
// multiprocessor issues four warp instructions per clock; its f32 peak is two flops on 128 lanes, or on 64
// before sm_86.
static double issue_over_bytes(const kz_device_info *device, const kz_counters *k, const kz_work *work) {
    if (device->peak_flops_f32 <= 0 || device->peak_bytes_per_s <= 0) return 0;
    double lanes_per_issue = device->sm == 75 || device->sm == 80 ? 32 : 64;
    double moved = (double)k->global_sectors * 32, bytes = moved > work->bytes ? moved : work->bytes;
    if (bytes <= 0) return 0;
    double issue = (double)k->warp_instructions / (device->peak_flops_f32 / lanes_per_issue);
    return issue / (bytes / device->peak_bytes_per_s);
}

static bool describe_waste(const kz_device_info *device, const kz_counters *k, const kz_work *work,
                           char text[FAMILY_LIMIT]) {
    double lanes = ratio(k->atomic_lane_conflicts, k->atomic_requests) + 1;
    double sectors = ratio(k->global_sectors, k->global_requests);
    double ideal = ratio(k->global_ideal_sectors, k->global_requests);
    double banks = ratio(k->shared_wavefronts, k->shared_ideal_wavefronts);
    double issue = issue_over_bytes(device, k, work);
    double active = ratio(k->thread_instructions, k->warp_instructions);
    double traffic = work->bytes > 0 ? (double)k->global_sectors * 32 / work->bytes : 0;
    // One atomic per block costs little: what counts is how many of all requests they are.
    double atomics = ratio(k->atomic_requests, k->global_requests + k->shared_requests + k->atomic_requests);

    if (lanes >= 8 && atomics > 0.05)
        snprintf(text, FAMILY_LIMIT, "atomics: %.0f lanes on one address", lanes);
    else if (ideal > 0 && sectors > 1.5 * ideal)
        snprintf(text, FAMILY_LIMIT, "uncoalesced: %.0f sectors, ideal %.0f", sectors, ideal);
    else if (banks > 1.5)
        snprintf(text, FAMILY_LIMIT, "bank conflicts, %.0f-way", banks);
    else if (active > 0 && active < 20)
        snprintf(text, FAMILY_LIMIT, "divergence: %.0f of 32 lanes active", active);
    else if (issue > 1.25 && !is_compute_bound(device, work))
        snprintf(text, FAMILY_LIMIT, "instruction issue, %.1fx bytes", issue);
    else if (traffic > 1.5)
        snprintf(text, FAMILY_LIMIT, "traffic: %.1fx the least bytes", traffic);
    else
        return false;
    return true;
}

void family_describe_limit(const kz_device_info *device, const kz_work *work, const kz_counters *counters,
                           char text[FAMILY_LIMIT]) {
    bool counted = counters && counters->valid && counters->warp_instructions > 0;
    if (counted && describe_waste(device, counters, work, text)) return;
    bool compute = is_compute_bound(device, work);
    if (counted && !compute)
        snprintf(text, FAMILY_LIMIT, "peak: DRAM, %.1f sectors/request",
                 ratio(counters->global_sectors, counters->global_requests));
    else if (counted)
        snprintf(text, FAMILY_LIMIT, "peak: arithmetic, %.0f flops per byte", work->flops / work->bytes);
    else
        snprintf(text, FAMILY_LIMIT, "peak: %s", compute ? "arithmetic" : "memory");
}

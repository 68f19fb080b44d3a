// Occupancy of a kernel, from its registers and the GPU's limits.
#include "device/device.h"
#include "observe/observe.h"
#include "report/profile/profile.h"

// What the run could not know without ptxas.
static void complete_metrics(json_t *metrics, const observe_occupancy_result *r, int registers) {
    if (!metrics || registers <= 0) return;
    json_object_set_new(metrics, "launch__registers_per_thread", json_integer(registers));
    json_object_set_new(metrics, "launch__occupancy_limit_registers", json_integer(r->by_registers));
    json_object_set_new(metrics, "sm__maximum_warps_per_active_cycle_pct", json_real(100 * r->occupancy));
    json_object_set_new(metrics, "launch__waves_per_multiprocessor", json_real(r->waves));
}

void report_prof_occupy(const device_gpu *gpu, report_prof_kernel *k) {
    report_prof_occupancy *o = &k->occupancy;
    observe_gpu limits;
    if (gpu->max_threads_per_multiprocessor <= 0) return; // not known
    device_gpu_describe(gpu, &limits);
    observe_occupancy_result r = observe_occupancy(
        &limits, &(observe_occupancy_input){.threads = (uint32_t)k->threads,
                                            .registers = o->registers > 0 ? (uint32_t)o->registers : 0,
                                            .shared_static = k->shared_bytes - k->shared_dynamic,
                                            .shared_dynamic = k->shared_dynamic,
                                            .blocks = (uint64_t)k->blocks});
    complete_metrics(k->metrics, &r, o->registers);
    o->blocks = (int)r.blocks;
    o->warps = (int)r.warps;
    o->fraction = r.occupancy;
    o->limiter = r.occupancy < 1 ? r.limit : "";
}

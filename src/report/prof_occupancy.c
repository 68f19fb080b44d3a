// Blocks that fit on one multiprocessor, and what stops more of them.
#include <math.h>

#include "report/prof.h"

static double floor_to(double value, double unit) { return floor(value / unit) * unit; }
static double ceil_to(double value, double unit) { return ceil(value / unit) * unit; }

// Registers are given to warps in pieces of 256, from a quarter of the file each.
static double blocks_by_registers(const device_gpu *gpu, const report_prof_kernel *k) {
    if (k->occupancy.registers <= 0) return INFINITY;
    double per_warp = ceil_to(k->occupancy.registers * 32.0, 256);
    double warps = floor_to(floor(gpu->registers_per_multiprocessor / per_warp), 4);
    return floor(warps / k->warps);
}

static double blocks_by_shared(const device_gpu *gpu, const report_prof_kernel *k) {
    double reserved = gpu->sm >= 80 ? 1024 : 0;
    double bytes = ceil_to(k->shared_bytes + reserved, gpu->sm >= 80 ? 128 : 256);
    return bytes > 0 ? floor(gpu->shared_per_multiprocessor / bytes) : INFINITY;
}

void report_prof_occupy(const device_gpu *gpu, report_prof_kernel *k) {
    report_prof_occupancy *o = &k->occupancy;
    double most_warps = gpu->max_threads_per_multiprocessor / 32;
    if (most_warps <= 0) return; // the GPU's limits are not known
    const struct {
        const char *name;
        double blocks;
    } limits[] = {
        {"threads", floor(most_warps / k->warps)},
        {"registers", blocks_by_registers(gpu, k)},
        {"shared memory", blocks_by_shared(gpu, k)},
        {"blocks", gpu->max_blocks_per_multiprocessor},
    };
    double blocks = INFINITY;
    for (size_t i = 0; i < BASE_COUNT(limits); i++)
        if (limits[i].blocks < blocks) blocks = limits[i].blocks, o->limiter = limits[i].name;
    o->blocks = (int)blocks;
    o->warps = (int)(blocks * k->warps);
    o->fraction = o->warps / most_warps;
    if (o->warps >= most_warps) o->limiter = "";
}

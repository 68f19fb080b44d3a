// How long each resource of the GPU would need for what was counted; docs/profiling.md explains it.
//
// Everything here is an estimate from counts and nominal peaks. The constants that are no nominal peaks were
// measured on an H200 (results/h200, commit c372df6) or are typical latencies; each says which.
#include <math.h>

#include "observe/estimate.h"
#include "report/profile/profile.h"

// The rates that observe/estimate.h has too are from there. L2 takes a sector that is filled in part in four
// clocks (transpose/01_naive 3.9, transpose/02_coalesced_read 4.0).
static const double SCHEDULERS = OBSERVE_SCHEDULERS, SECTOR_CLOCKS = OBSERVE_SECTOR_CLOCKS,
                    PARTIAL_SECTOR_CLOCKS = 4;
// Atomics on one address of global memory follow each other at this distance (reduce/01_atomic: 1.76 ns).
static const double ATOMIC_CLOCKS = 3.5, ONE_ADDRESS = 1.05;
static const double SPECIAL_PER_CLOCK = 0.5; // warp instructions per SM: 16 lanes
// Typical latencies in clocks, and how many memory instructions of a warp are taken to be under way at once.
static const double ALU_LATENCY = OBSERVE_ALU_LATENCY, SHARED_LATENCY = 30, L1_LATENCY = 35, L2_LATENCY = 260,
                    DRAM_LATENCY = OBSERVE_DRAM_LATENCY, BARRIER_LATENCY = 30, OVERLAP = OBSERVE_OVERLAP;

double report_prof_dram_latency(void) { return DRAM_LATENCY; }
static const double CLOSE = 0.8; // of the largest

double report_prof_sector_clocks(const report_prof_access *a) {
    bool partial = (a->is_store || a->is_atomic) && a->lanes * a->bytes < a->sectors * 32 * 0.99;
    return a->sectors * (partial ? PARTIAL_SECTOR_CLOCKS : SECTOR_CLOCKS);
}

// Lanes of a request at one address are serialised. If every request has one address, all of them are
// taken to go to that one, and follow each other; where a request has several, other SMs go on meanwhile.
double report_prof_atomic_clocks(const report_prof_access *a, double multiprocessors) {
    if (!a->is_atomic || a->space != REPORT_PROF_GLOBAL || a->distinct <= 0) return 0;
    double addresses = a->distinct / a->requests, clocks = a->lanes / addresses * ATOMIC_CLOCKS;
    return addresses < ONE_ADDRESS ? clocks : clocks / multiprocessors;
}

// ---- parts of a line -----------------------------------------------------------------------------------

typedef struct machine {
    double sms, all_sms, clock; // sms: those that have blocks
    double flops[3];
    double waves, warps; // rounds of resident blocks; warps of a launch
    double hit_l1, hit_l2;
    double launches;
} machine;

static machine describe(const report_prof *report, const report_prof_kernel *k) {
    const device_gpu *gpu = &report->gpu;
    machine m = {.all_sms = gpu->multiprocessors > 0 ? gpu->multiprocessors : 1,
                 .clock = gpu->clock > 0 ? gpu->clock : 1e9,
                 .flops = {gpu->flops_f32, gpu->flops_f64, gpu->flops_f16},
                 .warps = k->blocks * k->warps,
                 .hit_l1 = report_get_number(k->caches, "l1.hit_rate", 0),
                 .hit_l2 = report_get_number(k->caches, "l2.hit_rate", 0),
                 .launches = (double)k->launches};
    m.sms = fmin(m.all_sms, k->blocks);
    m.waves = ceil(k->blocks / (m.all_sms * fmax(1, k->occupancy.blocks)));
    return m;
}

static double global_latency(const machine *m) {
    return m->hit_l1 * L1_LATENCY +
           (1 - m->hit_l1) * (m->hit_l2 * L2_LATENCY + (1 - m->hit_l2) * DRAM_LATENCY);
}

// L1 looks up one line of 128 bytes per clock. How many a request touches is not counted, but the commonest
// pattern tells it: neighbours share a line, threads that are 128 bytes apart or more do not.
static double global_wavefronts(const report_prof_access *a) {
    const report_prof_pattern *p = &a->pattern;
    double stride = fabs((double)p->stride), share = 1; // lines per sector: 1/4 to 1
    if (a->is_bulk || p->kind == REPORT_PROF_UNIFORM || p->kind == REPORT_PROF_CONTIGUOUS) share = 0.25;
    if (p->kind == REPORT_PROF_STRIDE) share = fmin(1, fmax(stride, 32) / 128);
    if (p->kind == REPORT_PROF_ROWS && stride <= a->bytes) // a run fills lines of its own
        share = fmin(1, fmax(0.25, 32 / fmax(32, p->run * fmax(stride, 1))));
    return fmax(a->requests, a->sectors * share);
}

static void add_access(const machine *m, const report_prof_access *a, report_prof_line *line,
                       double *latency) {
    double per_sm = m->sms * m->clock * m->launches;
    if (a->space == REPORT_PROF_SHARED && a->is_bulk) { // 128 bytes per clock, and no warp waits for it here
        line->seconds[REPORT_PROF_L1] += a->lanes * a->bytes / 128 / per_sm;
    } else if (a->space == REPORT_PROF_SHARED) {
        line->seconds[REPORT_PROF_L1] += a->wavefronts / per_sm;
        *latency += a->requests * SHARED_LATENCY / OVERLAP + (a->wavefronts - a->requests);
    } else if (a->space == REPORT_PROF_GLOBAL || a->space == REPORT_PROF_LOCAL) {
        line->seconds[REPORT_PROF_L1] += global_wavefronts(a) / per_sm;
        double misses = a->is_store || a->is_atomic ? 1 : 1 - m->hit_l1;
        line->seconds[REPORT_PROF_L2] += report_prof_sector_clocks(a) * misses / per_sm;
        if (!a->is_store) *latency += a->requests * global_latency(m) / OVERLAP;
    }
    line->seconds[REPORT_PROF_ATOMICS] += report_prof_atomic_clocks(a, m->sms) / (m->clock * m->launches);
}

static double arithmetic(const machine *m, const json_t *metrics, const char *name, double flops) {
    // A warp's instruction occupies 32 lanes of the pipe, whoever is active; an add counts as a fused one.
    return flops > 0 ? report_prof_metric(metrics, name) * 64 / flops / m->launches : 0;
}

static void estimate_line(const machine *m, report_prof_line *line) {
    const json_t *metrics = line->metrics;
    double instructions = report_prof_metric(metrics, "ptx__inst_executed.sum");
    double latency =
        instructions * ALU_LATENCY + report_prof_metric(metrics, "ptx__inst_barrier.sum") * BARRIER_LATENCY;
    double per_sm = m->sms * m->clock * m->launches, scale = m->sms / m->all_sms;
    for (int r = 0; r < REPORT_PROF_RESOURCES; r++) line->seconds[r] = 0;
    line->seconds[REPORT_PROF_ISSUE] = instructions / SCHEDULERS / per_sm;
    line->seconds[REPORT_PROF_FP32] = arithmetic(m, metrics, "ptx__inst_fp32.sum", m->flops[0] * scale);
    line->seconds[REPORT_PROF_FP64] = arithmetic(m, metrics, "ptx__inst_fp64.sum", m->flops[1] * scale);
    line->seconds[REPORT_PROF_FP16] = arithmetic(m, metrics, "ptx__inst_fp16.sum", m->flops[2] * scale);
    line->seconds[REPORT_PROF_SPECIAL] =
        report_prof_metric(metrics, "ptx__inst_special.sum") / SPECIAL_PER_CLOCK / per_sm;
    for (size_t i = 0; i < line->access_count; i++) add_access(m, &line->accesses[i], line, &latency);
    // What one warp waits, times the rounds in which blocks follow each other on an SM.
    line->seconds[REPORT_PROF_LATENCY] = latency / (m->warps * m->launches) * m->waves / m->clock;
}

// ---- the kernel ----------------------------------------------------------------------------------------

// The model of the caches knows DRAM's bytes per kernel; lines have them by their sectors.
static void spread_dram(const report_prof *report, report_prof_kernel *k) {
    double bytes = report_get_number(k->caches, "dram.read_bytes", 0) +
                   report_get_number(k->caches, "dram.write_bytes", 0);
    double sectors = 0;
    if (report->gpu.bandwidth > 0)
        k->seconds[REPORT_PROF_DRAM] = bytes / report->gpu.bandwidth / (double)k->launches;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < k->line_count; i++)
            for (size_t a = 0; a < k->lines[i].access_count; a++) {
                const report_prof_access *access = &k->lines[i].accesses[a];
                if (access->space != REPORT_PROF_GLOBAL && access->space != REPORT_PROF_LOCAL) continue;
                if (pass == 0)
                    sectors += access->sectors;
                else
                    k->lines[i].seconds[REPORT_PROF_DRAM] +=
                        k->seconds[REPORT_PROF_DRAM] * access->sectors / sectors;
            }
}

static void rank(report_prof_kernel *k) {
    k->first = REPORT_PROF_ISSUE;
    for (int r = 0; r < REPORT_PROF_RESOURCES; r++)
        if (k->seconds[r] > k->seconds[k->first]) k->first = (report_prof_resource)r;
    k->second = k->first == REPORT_PROF_ISSUE ? REPORT_PROF_L1 : REPORT_PROF_ISSUE;
    for (int r = 0; r < REPORT_PROF_RESOURCES; r++)
        if (r != (int)k->first && k->seconds[r] > k->seconds[k->second]) k->second = (report_prof_resource)r;
    k->estimate = k->seconds[k->first];
    k->close = k->seconds[k->second] >= CLOSE * k->estimate;
}

static void weigh_lines(report_prof_kernel *k) {
    double total = 0;
    for (size_t i = 0; i < k->line_count; i++) {
        report_prof_line *line = &k->lines[i];
        for (int r = 0; r < REPORT_PROF_RESOURCES; r++) {
            double nearness = k->estimate > 0 ? k->seconds[r] / k->estimate : 0;
            line->cost += line->seconds[r] * nearness * nearness;
        }
        total += line->cost;
    }
    for (size_t i = 0; i < k->line_count; i++) k->lines[i].share = total > 0 ? k->lines[i].cost / total : 0;
}

void report_prof_estimate(const report_prof *report, report_prof_kernel *k) {
    machine m = describe(report, k);
    double shared = 0;
    for (size_t i = 0; i < k->line_count; i++) {
        report_prof_line *line = &k->lines[i];
        estimate_line(&m, line);
        for (int r = 0; r < REPORT_PROF_RESOURCES; r++) k->seconds[r] += line->seconds[r];
        for (size_t a = 0; a < line->access_count; a++)
            if (line->accesses[a].space == REPORT_PROF_SHARED) shared += line->accesses[a].wavefronts;
    }
    shared /= m.sms * m.clock * m.launches;
    k->shared_part = k->seconds[REPORT_PROF_L1] > 0 ? shared / k->seconds[REPORT_PROF_L1] : 0;
    k->resident = fmin(k->occupancy.blocks, ceil(k->blocks / m.all_sms)) * k->warps;
    spread_dram(report, k);
    rank(k);
    weigh_lines(k);
}

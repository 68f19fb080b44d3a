// How long each resource of the GPU would need for what was counted: the model of time (observe/time.h), for a kernel
// and for each of its lines.
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "report/profile/profile.h"

static const double CLOSE = 0.8;               // of the largest
static const double PARTIAL_SECTOR_CLOCKS = 4; // as in the model, to choose whose words a line takes

double report_prof_sector_clocks(const report_prof_access *a) {
    bool partial = (a->is_store || a->is_atomic) && a->lanes * a->bytes < a->sectors * 32 * 0.99;
    return a->sectors * (partial ? PARTIAL_SECTOR_CLOCKS : 1);
}

bool report_prof_has_atomics(const report_prof_kernel *k, report_prof_space space) {
    for (size_t i = 0; i < k->line_count; i++)
        for (size_t j = 0; j < k->lines[i].access_count; j++) {
            const report_prof_access *a = &k->lines[i].accesses[j];
            if (a->is_atomic && a->space == space && !a->is_distributed) return true;
        }
    return false;
}

static double metric_of(const json_t *metrics, observe_sum_index index) {
    return report_prof_metric(metrics, observe_sum_name(index));
}

report_prof_dram report_prof_dram_of(const report_prof_kernel *k) {
    double n = (double)k->launches, written = metric_of(k->metrics, OBSERVE_SUM_WRITTEN_BACK);
    return (report_prof_dram){.read = metric_of(k->metrics, OBSERVE_SUM_DRAM_READ) / n,
                              .written = written / n,
                              .left = fmax(0, metric_of(k->metrics, OBSERVE_SUM_DRAM_WRITE) - written) / n};
}

static observe_sums sums_of(const json_t *metrics) {
    observe_sums sums;
    for (int i = 0; i < OBSERVE_SUM_COUNT; i++)
        sums.value[i] = (uint64_t)metric_of(metrics, (observe_sum_index)i);
    return sums;
}

static observe_occupancy_input shape_of(const report_prof_kernel *k) {
    return (observe_occupancy_input){.threads = (uint32_t)k->threads,
                                     .registers =
                                         k->occupancy.registers > 0 ? (uint32_t)k->occupancy.registers : 0,
                                     .shared_static = k->shared_bytes - k->shared_dynamic,
                                     .shared_dynamic = k->shared_dynamic,
                                     .blocks = (uint64_t)k->blocks};
}

// Starting blocks is no verdict: it is what a launch costs whatever it does. Of one that is shorter than its own start,
// on all SMs, neither is waiting, nor DRAM that has to get going: the verdict is of what would grow with the size.
static observe_resource largest(const report_prof_kernel *k, int except) {
    int best = -1;
    bool is_short = k->estimate < k->launch - k->estimate && !k->has_idle_sms;
    for (int r = 0; r < OBSERVE_RESOURCES; r++)
        if (r != except && r != OBSERVE_BY_BLOCKS &&
            !(is_short && (r == OBSERVE_BY_LATENCY || r == OBSERVE_BY_DRAM)) &&
            (best < 0 || k->seconds[r] > k->seconds[best]))
            best = r;
    return (observe_resource)best;
}

bool report_prof_is_pipe(observe_resource r) {
    return r == OBSERVE_BY_FP32 || r == OBSERVE_BY_INTEGER || r == OBSERVE_BY_FP64 || r == OBSERVE_BY_FP16 ||
           r == OBSERVE_BY_SPECIAL || r == OBSERVE_BY_TENSOR;
}

// Whether the second, which is nearly as large, is what the first is about. Warps that wait for a memory that is busy
// nearly as long wait for that memory: more of them, where an SM has all it can hold, are not to be had. Of
// instructions that nearly all go to one pipe the pipe is the limit; where lanes idle, divergence is.
static bool is_cause(const report_prof_kernel *k) {
    if (k->first == OBSERVE_BY_LATENCY)
        return k->is_full && (k->second == OBSERVE_BY_DRAM || k->second == OBSERVE_BY_L2);
    return k->first == OBSERVE_BY_ISSUE && report_prof_is_pipe(k->second) &&
           report_prof_active_lanes(k->metrics) >= 24;
}

static void rank(report_prof_kernel *k) {
    k->first = largest(k, -1);
    k->second = largest(k, (int)k->first);
    k->close = k->seconds[k->second] >= CLOSE * k->seconds[k->first];
    if (k->close && is_cause(k)) {
        observe_resource cause = k->second;
        k->second = k->first;
        k->first = cause;
    }
}

static void weigh_lines(report_prof_kernel *k) {
    double total = 0, largest = k->seconds[k->first];
    for (size_t i = 0; i < k->line_count; i++) {
        report_prof_line *line = &k->lines[i];
        for (int r = 0; r < OBSERVE_RESOURCES; r++) {
            double nearness = largest > 0 ? k->seconds[r] / largest : 0;
            line->cost += line->seconds[r] * nearness * nearness;
        }
        total += line->cost;
    }
    for (size_t i = 0; i < k->line_count; i++) k->lines[i].share = total > 0 ? k->lines[i].cost / total : 0;
}

// Shared memory's part of the wavefronts that L1 has to do with.
static double shared_part(const report_prof_kernel *k) {
    double shared = 0, global = metric_of(k->metrics, OBSERVE_SUM_L1_WAVEFRONTS);
    for (size_t i = 0; i < k->line_count; i++)
        for (size_t a = 0; a < k->lines[i].access_count; a++)
            if (k->lines[i].accesses[a].space == REPORT_PROF_SHARED)
                shared += k->lines[i].accesses[a].wavefronts;
    return shared > 0 ? shared / (shared + global) : 0;
}

// The part of L1's time that is gone without these counts.
static double part_of_l1(const report_prof_kernel *k, const observe_launch *launch, const observe_sums *all,
                         const observe_sum_index *counts, size_t count) {
    observe_sums without = *all;
    for (size_t i = 0; i < count; i++) without.value[counts[i]] = 0;
    double seconds = k->seconds[OBSERVE_BY_L1];
    return seconds > 0 ? 1 - observe_time_of(launch, &without).resource[OBSERVE_BY_L1] / seconds : 0;
}

static void divide_l1(report_prof_kernel *k, const observe_launch *launch, const observe_sums *all) {
    static const observe_sum_index texture[] = {OBSERVE_SUM_INST_LOAD_TEXTURE},
                                   constant[] = {OBSERVE_SUM_PIPE_CONST, OBSERVE_SUM_CONST_DISTINCT,
                                                 OBSERVE_SUM_CONST_REQUESTS};
    k->texture_part = part_of_l1(k, launch, all, texture, BASE_COUNT(texture));
    k->constant_part = part_of_l1(k, launch, all, constant, BASE_COUNT(constant));
    k->shared_part = shared_part(k);
}

// ---- spilled registers -------------------------------------------------------------------------------------
//
// By the lines that the disassembler tells, and how often each is executed; without it they are taken to lie in the basic
// block that is executed most, as the kernel's own time has them.

static bool is_at(const report_prof_spill *s, const report_prof_line *line) {
    return s->line == line->line &&
           strcmp(report_prof_basename(s->file), report_prof_basename(line->file)) == 0;
}

// A record without the lines' own has the kernel's.
static double executions_of(const report_prof_kernel *k, const report_prof_line *line) {
    double own = line ? metric_of(line->metrics, OBSERVE_SUM_HOTTEST) : 0;
    return own > 0 ? own : metric_of(k->metrics, OBSERVE_SUM_HOTTEST);
}

// Executions of a spill's instructions, and of the lines there: one that is inlined at several places has several.
static double weigh_spill(const report_prof_kernel *k, const report_prof_spill *s, double *of_lines) {
    double most = 0;
    *of_lines = 0;
    for (size_t i = 0; i < k->line_count; i++) {
        if (!is_at(s, &k->lines[i])) continue;
        most = fmax(most, executions_of(k, &k->lines[i]));
        *of_lines += executions_of(k, &k->lines[i]);
    }
    return (s->stores + s->loads) * (most > 0 ? most : executions_of(k, NULL));
}

static void charge_line(const report_prof_kernel *k, report_prof_line *line, double part) {
    for (int r = 0; r < OBSERVE_RESOURCES; r++) {
        line->seconds[r] += k->spill_seconds[r] * part;
        line->spill_seconds += k->spill_seconds[r] * part;
    }
}

// A line's instructions that the hottest block could hold: none of a line that is executed less.
static double hottest_instructions(const report_prof_kernel *k, const report_prof_line *line) {
    bool is_hottest = executions_of(k, line) >= 0.99 * executions_of(k, NULL);
    return is_hottest ? metric_of(line->metrics, OBSERVE_SUM_INST) : 0;
}

static void charge_hottest_lines(report_prof_kernel *k) {
    double all = 0;
    for (size_t i = 0; i < k->line_count; i++) all += hottest_instructions(k, &k->lines[i]);
    for (size_t i = 0; all > 0 && i < k->line_count; i++)
        charge_line(k, &k->lines[i], hottest_instructions(k, &k->lines[i]) / all);
}

static void charge_spills(report_prof_kernel *k) {
    double all = 0, of_lines;
    if (!k->machine.spill_count) charge_hottest_lines(k);
    for (size_t i = 0; i < k->machine.spill_count; i++)
        all += weigh_spill(k, &k->machine.spills[i], &of_lines);
    for (size_t i = 0; all > 0 && i < k->machine.spill_count; i++) {
        const report_prof_spill *s = &k->machine.spills[i];
        double weight = weigh_spill(k, s, &of_lines);
        for (size_t j = 0; j < k->line_count; j++) {
            report_prof_line *line = &k->lines[j];
            if (!is_at(s, line)) continue;
            double part = weight / all * executions_of(k, line) / of_lines;
            line->spill_stores += s->stores;
            line->spill_loads += s->loads;
            charge_line(k, line, part);
        }
    }
}

// What the kernel would not need without them.
static void time_spills(report_prof_kernel *k, const observe_launch *launch, const observe_sums *all) {
    observe_launch without = *launch;
    without.code.spills = 0;
    observe_time time = observe_time_of(&without, all);
    k->spilled = observe_time_spills(launch, all) / launch->count;
    for (int r = 0; r < OBSERVE_RESOURCES; r++) k->spill_seconds[r] = k->seconds[r] - time.resource[r];
}

void report_prof_estimate(const report_prof *report, report_prof_kernel *k) {
    observe_gpu gpu;
    device_gpu_describe(&report->gpu, &gpu);
    observe_sums all = sums_of(k->metrics);
    const observe_launch launch = {&gpu, shape_of(k), k->machine.code, (double)k->launches};
    observe_time time = observe_time_of(&launch, &all);
    for (int r = 0; r < OBSERVE_RESOURCES; r++) k->seconds[r] = time.resource[r];
    time_spills(k, &launch, &all);
    k->dram_start = time.dram_start;
    k->estimate = all.value[OBSERVE_SUM_INST] ? time.kernel : 0;
    k->launch = time.launch;
    for (size_t i = 0; i < k->line_count; i++) {
        observe_sums part = sums_of(k->lines[i].metrics);
        observe_time_of_part(&launch, &all, &part, k->lines[i].seconds);
    }
    charge_spills(k);
    divide_l1(k, &launch, &all);
    k->resident =
        fmin(k->occupancy.blocks, ceil(k->blocks / fmax(1, report->gpu.multiprocessors))) * k->warps;
    k->has_idle_sms = k->blocks < report->gpu.multiprocessors;
    k->is_full = k->resident >= floor(report->gpu.max_threads_per_multiprocessor / 32);
    rank(k);
    weigh_lines(k);
}

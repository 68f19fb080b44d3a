// What bounds a kernel, the figures that say so, and what to try. The rules stand in docs/profiling.md.
#include <math.h>
#include <string.h>

#include "report/profile/profile.h"

static const double WASTEFUL = 1.5; // sectors or wavefronts over the ideal: the pattern is to blame
static const double FEW_LANES = 24, HALF_LANES = 16; // of 32
static const double LAUNCH_COST = 3e-6;              // seconds that starting a kernel takes, about
static const double NEAR_LIMIT = 0.6;                // DRAM's part of the time
enum { MANY_LAUNCHES = 8 };

// ---- sums over a kernel's accesses -----------------------------------------------------------------------

typedef struct sums {
    double sectors, ideal_sectors; // of global memory
    double local_sectors, wavefronts, ideal_wavefronts;
    double atomics;  // lanes
    double gathered; // atomics of warps that ptxas folds first
    double repeated; // sectors over the ideal that come from lanes that hit one address
    uint32_t widest; // bytes per lane of global accesses
} sums;

static sums add_up(const report_prof_kernel *k) {
    sums s = {0};
    for (size_t i = 0; i < k->line_count; i++)
        for (size_t j = 0; j < k->lines[i].access_count; j++) {
            const report_prof_access *a = &k->lines[i].accesses[j];
            if (a->space == REPORT_PROF_GLOBAL) {
                s.sectors += a->sectors;
                s.ideal_sectors += a->ideal_sectors;
            }
            if (a->space == REPORT_PROF_SHARED) {
                s.wavefronts += a->wavefronts;
                s.ideal_wavefronts += a->ideal_wavefronts;
            }
            if (a->space == REPORT_PROF_LOCAL) s.local_sectors += a->sectors;
            if (a->space == REPORT_PROF_GLOBAL && a->is_atomic) s.atomics += a->lanes;
            if (a->space == REPORT_PROF_GLOBAL && a->is_gathered) s.gathered += a->requests;
            if (a->space == REPORT_PROF_GLOBAL && a->is_atomic && a->distinct > 0 &&
                a->lanes >= 2 * a->distinct)
                s.repeated += a->sectors - a->ideal_sectors;
            if (a->space == REPORT_PROF_GLOBAL && a->bytes > s.widest) s.widest = a->bytes;
        }
    return s;
}

static double wasted_sectors(const sums *s) {
    return s->ideal_sectors > 0 ? s->sectors / s->ideal_sectors : 1;
}
// Whether the sectors are too many because atomics of a warp contend for an address, not because of a pattern.
static bool is_contended(const sums *s) {
    return wasted_sectors(s) >= WASTEFUL && s->repeated > 0.5 * (s->sectors - s->ideal_sectors);
}
static double conflicts(const sums *s) {
    return s->ideal_wavefronts > 0 ? s->wavefronts / s->ideal_wavefronts : 1;
}

// ---- which of the bounds ---------------------------------------------------------------------------------

// Whether less than this part of the lanes that a block has is active: those it was not started with do not diverge.
static bool has_idle_lanes(const report_prof_kernel *k, double of_32) {
    double there = k->threads > 0 ? fmin(32, k->threads) : 32;
    return report_prof_active_lanes(k->metrics) < of_32 / 32 * there;
}

static report_prof_bound bound_by_latency(const report_prof *report, const report_prof_kernel *k) {
    if (k->blocks < report->gpu.multiprocessors) return REPORT_PROF_BY_FEW_BLOCKS;
    // The longest lane's work is what everybody waits for.
    if (has_idle_lanes(k, HALF_LANES)) return REPORT_PROF_BY_DIVERGENCE;
    return REPORT_PROF_BY_LATENCY;
}

// Resources that each SM has for itself: those of SMs without blocks lie idle.
static bool is_per_sm(observe_resource resource) {
    return resource != OBSERVE_BY_DRAM && resource != OBSERVE_BY_L2 && resource != OBSERVE_BY_ATOMICS &&
           resource != OBSERVE_BY_LATENCY; // which has a rule of its own
}

// A launch that is shorter than its own start is judged by what would grow with its size: its blocks do, so that they
// are not too few, and what comes from DRAM goes on to do so.
static bool is_short(const report_prof_kernel *k) { return k->estimate < LAUNCH_COST; }

// An empty kernel, or one that finds that it has nothing to do.
static bool does_nothing(const report_prof_kernel *k) {
    return k->seconds[k->first] < 0.05 * k->seconds[OBSERVE_BY_BLOCKS];
}

static report_prof_bound bound_by_sectors(const report_prof_kernel *k, const sums *s) {
    report_prof_dram dram = report_prof_dram_of(k);
    if (s->local_sectors > s->sectors) return REPORT_PROF_BY_LOCAL;
    if (wasted_sectors(s) >= WASTEFUL) return REPORT_PROF_BY_UNCOALESCED;
    bool streams =
        (dram.read + dram.written) * (double)k->launches > 0.4 * 32 * s->sectors; // a copy reads half
    return k->first == OBSERVE_BY_DRAM || (is_short(k) && streams) ? REPORT_PROF_BY_MEMORY
                                                                   : REPORT_PROF_BY_CACHE;
}

static report_prof_bound find_bound(const report_prof *report, const report_prof_kernel *k, const sums *s) {
    if (k->estimate <= 0 || k->failed >= k->launches) return REPORT_PROF_BY_UNKNOWN;
    if ((k->launches >= MANY_LAUNCHES && is_short(k)) || does_nothing(k)) return REPORT_PROF_BY_LAUNCH;
    if (k->spill_seconds[k->first] > 0.5 * k->seconds[k->first]) return REPORT_PROF_BY_SPILLS;
    bool wasteful = wasted_sectors(s) >= WASTEFUL;
    if (is_contended(s) &&
        (k->first == OBSERVE_BY_L2 || (k->first == OBSERVE_BY_L1 && k->shared_part <= 0.5)))
        return REPORT_PROF_BY_ATOMICS;
    bool shows_pattern = wasteful && k->first == OBSERVE_BY_L1 && is_short(k);
    if (k->blocks < report->gpu.multiprocessors / 2 && is_per_sm(k->first) && !shows_pattern)
        return REPORT_PROF_BY_FEW_BLOCKS;
    switch (k->first) {
    case OBSERVE_BY_DRAM:
    case OBSERVE_BY_L2: return bound_by_sectors(k, s);
    case OBSERVE_BY_L1:
        if (k->texture_part > 0.5) return REPORT_PROF_BY_TEXTURE;
        if (k->constant_part > 0.5) return REPORT_PROF_BY_CONSTANT;
        if (k->shared_part > 0.5)
            return conflicts(s) >= WASTEFUL ? REPORT_PROF_BY_CONFLICTS : REPORT_PROF_BY_SHARED;
        return bound_by_sectors(k, s);
    case OBSERVE_BY_ISSUE:
        return has_idle_lanes(k, FEW_LANES) ? REPORT_PROF_BY_DIVERGENCE : REPORT_PROF_BY_ISSUE;
    case OBSERVE_BY_ATOMICS: return REPORT_PROF_BY_ATOMICS;
    case OBSERVE_BY_LATENCY:
        if (wasteful && k->seconds[OBSERVE_BY_L1] > 0.5 * k->seconds[OBSERVE_BY_LATENCY])
            return REPORT_PROF_BY_UNCOALESCED;
        return bound_by_latency(report, k);
    case OBSERVE_BY_TENSOR: return REPORT_PROF_BY_TENSOR;
    default: return REPORT_PROF_BY_ARITHMETIC;
    }
}

// ---- why -------------------------------------------------------------------------------------------------

// What crosses DRAM, and the time that takes apart from getting going.
static const char *dram_figures(report_prof *report, const report_prof_kernel *k) {
    char bytes[REPORT_NUMBER], time[REPORT_NUMBER], start[REPORT_NUMBER], rate[REPORT_NUMBER];
    report_prof_dram dram = report_prof_dram_of(k);
    double seconds = k->seconds[OBSERVE_BY_DRAM], crossing = dram.read + dram.written;
    return report_prof_text(report,
                            "%s cross DRAM in a launch (cache model), which takes %s: %s to get going, then "
                            "%s, %.0f%% of its bandwidth",
                            report_bytes(bytes, crossing), report_seconds(time, seconds),
                            report_seconds(start, k->dram_start),
                            report_si(rate, crossing / (seconds - k->dram_start), "B/s"),
                            100 * crossing / (seconds - k->dram_start) / report->gpu.bandwidth);
}

static const char *spill_figures(report_prof *report, const report_prof_kernel *k) {
    char requests[REPORT_NUMBER], time[REPORT_NUMBER];
    return report_prof_text(
        report,
        "ptxas had too few registers: about %s requests of a launch store and load spilled ones, for which "
        "%s needs %s%s",
        report_si(requests, k->spilled, ""),
        k->first == OBSERVE_BY_L1 ? "L1" : observe_resource_title(k->first),
        report_seconds(time, k->spill_seconds[k->first]),
        k->first == OBSERVE_BY_L1 ? "" : "; L1 has no room for them");
}

static const char *l1_figures(report_prof *report, const report_prof_kernel *k, const sums *s) {
    char time[REPORT_NUMBER], a[REPORT_NUMBER], b[REPORT_NUMBER];
    double n = (double)k->launches, sms = fmin(report->gpu.multiprocessors, k->blocks);
    double loads = report_prof_metric(k->metrics, observe_sum_name(OBSERVE_SUM_CONST_REQUESTS));
    report_seconds(time, k->seconds[OBSERVE_BY_L1]);
    if (k->bound == REPORT_PROF_BY_TEXTURE)
        return report_prof_text(
            report,
            "A launch fetches textures in %s requests of warps; the SMs' texture units need %s for them",
            report_si(a, report_prof_metric(k->metrics, observe_sum_name(OBSERVE_SUM_INST_LOAD_TEXTURE)) / n,
                      ""),
            time);
    if (k->bound == REPORT_PROF_BY_CONSTANT)
        return report_prof_text(report,
                                "A launch loads constant memory in %s requests of %.1f addresses each, which "
                                "are served one after "
                                "another; that takes %s",
                                report_si(a, loads / n, ""),
                                report_prof_metric(k->metrics, observe_sum_name(OBSERVE_SUM_CONST_DISTINCT)) /
                                    fmax(1, loads),
                                time);
    if (k->shared_part > 0.5) {
        report_si(a, s->wavefronts / n, "");
        report_si(b, s->ideal_wavefronts / n, "");
        return report_prof_text(
            report,
            "A launch takes %s wavefronts of shared memory, %s without conflicts; one per "
            "clock on %.0f SMs takes %s",
            a, b, sms, time);
    }
    report_si(a, s->sectors / n, "");
    report_si(b, s->ideal_sectors / n, "");
    return report_prof_text(
        report,
        "A launch touches %s sectors of 32 bytes where %s would hold its data; the SMs' L1 "
        "needs %s to look them up",
        a, b, time);
}

static const char *atomic_figures(report_prof *report, const report_prof_kernel *k, const sums *s) {
    char atomics[REPORT_NUMBER], folded[REPORT_NUMBER], time[REPORT_NUMBER];
    double n = (double)k->launches;
    const char *gathered = s->gathered > 0
                               ? report_prof_text(report, ", of which ptxas folds those of a warp (%s)",
                                                  report_si(folded, s->gathered / n, ""))
                               : "";
    return report_prof_text(
        report,
        "%s atomics in a launch%s; where most of them meet, L2 does them one after another, "
        "which takes %s",
        report_si(atomics, s->atomics / n, ""), gathered,
        report_seconds(time, k->seconds[OBSERVE_BY_ATOMICS]));
}

static const char *figures_of(report_prof *report, const report_prof_kernel *k, const sums *s) {
    char time[REPORT_NUMBER], a[REPORT_NUMBER], b[REPORT_NUMBER];
    double n = (double)k->launches, sms = fmin(report->gpu.multiprocessors, k->blocks);
    report_seconds(time, k->seconds[k->first]);
    if (k->bound == REPORT_PROF_BY_ATOMICS && k->first != OBSERVE_BY_ATOMICS) {
        report_si(a, s->atomics / n, "");
        report_si(b, s->sectors / n, "");
        return report_prof_text(report,
                                "%s atomics in a launch; those of a warp at one address go to L2 one "
                                "after another, %s sectors in all, which takes %s",
                                a, b, time);
    }
    if (k->bound == REPORT_PROF_BY_SPILLS) return spill_figures(report, k);
    if (k->bound == REPORT_PROF_BY_LOCAL) {
        report_si(a, s->local_sectors / n, "");
        report_si(b, s->sectors / n, "");
        return report_prof_text(
            report,
            "A launch touches %s sectors of local memory, where arrays with variable indices "
            "are, and %s of global memory; %s needs %s for them",
            a, b, observe_resource_title(k->first), time);
    }
    switch (k->first) {
    case OBSERVE_BY_DRAM: return dram_figures(report, k);
    case OBSERVE_BY_L2:
        report_si(a, s->sectors / n, "");
        report_si(b, s->ideal_sectors / n, "");
        return report_prof_text(
            report,
            "A launch touches %s sectors of 32 bytes where %s would hold its data; L2 needs %s "
            "for them",
            a, b, time);
    case OBSERVE_BY_L1: return l1_figures(report, k, s);
    case OBSERVE_BY_ISSUE:
        report_si(a, report_prof_metric(k->metrics, "ptx__inst_executed.sum") / n, "");
        return report_prof_text(
            report,
            "%s warp instructions in a launch, 4 per clock on each of %.0f SMs, take %s; %.1f of "
            "32 lanes are active in them",
            a, sms, time, report_prof_active_lanes(k->metrics));
    case OBSERVE_BY_ATOMICS: return atomic_figures(report, k, s);
    case OBSERVE_BY_LATENCY:
        return report_prof_text(
            report,
            "A warp's instructions wait for each other and for memory for about %s; %.0f warp%s per "
            "SM%s cannot fill that time",
            time, k->resident, k->resident == 1 ? "" : "s", k->is_full ? ", all that it can hold," : "");
    default:
        return report_prof_text(report, "The %s alone would take %s at the GPU's peak",
                                observe_resource_title(k->first), time);
    }
}

static void explain_why(report_prof *report, report_prof_kernel *k, const sums *s) {
    char next[REPORT_NUMBER];
    report_seconds(next, k->seconds[k->second]);
    if (k->bound == REPORT_PROF_BY_UNKNOWN) {
        k->why = k->failed ? "Every launch of it failed; what it did until then was counted."
                           : "No instruction was counted.";
        return;
    }
    k->why = report_prof_text(report, "%s. %s: %s, %s.", figures_of(report, k, s),
                              k->second == OBSERVE_BY_LATENCY && k->seconds[k->second] > k->seconds[k->first]
                                  ? "Its warps wait for that"
                              : k->close ? "Close to it"
                                         : "Next",
                              observe_resource_title(k->second), next);
    const char *tensor = k->bound == REPORT_PROF_BY_LAUNCH ? NULL : report_prof_tensor_why(report, k);
    if (tensor) k->why = report_prof_text(report, "%s. %s", tensor, k->why);
    if (k->bound == REPORT_PROF_BY_DIVERGENCE && k->first == OBSERVE_BY_LATENCY)
        k->why = report_prof_text(report, "%.1f of 32 lanes are active: the others wait for them. %s",
                                  report_prof_active_lanes(k->metrics), k->why);
    if (k->bound == REPORT_PROF_BY_FEW_BLOCKS)
        k->why = report_prof_text(report, "%.0f block%s for %.0f SMs: %.0f of them have nothing to do. %s",
                                  k->blocks, k->blocks == 1 ? "" : "s", report->gpu.multiprocessors,
                                  report->gpu.multiprocessors - k->blocks, k->why);
    if (k->bound == REPORT_PROF_BY_LAUNCH && does_nothing(k)) {
        char start[REPORT_NUMBER];
        k->why = report_prof_text(
            report, "It does next to nothing: starting and ending it takes %s, its blocks take %s.",
            report_seconds(start, k->launch - k->estimate), report_seconds(next, k->estimate));
    } else if (k->bound == REPORT_PROF_BY_LAUNCH) {
        report_seconds(next, k->estimate);
        k->why = report_prof_text(
            report,
            "%llu launches of about %s each: starting a kernel takes longer than that (2 to 5 us). "
            "Within a launch: %s.",
            (unsigned long long)k->launches, next, observe_resource_title(k->first));
    }
}

// ---- notes and advice ------------------------------------------------------------------------------------

static void note(report_prof_kernel *k, const char *text) {
    if (k->note_count < REPORT_PROF_NOTES) k->notes[k->note_count++] = text;
}

static void advise(report_prof_kernel *k, const char *text) {
    if (k->advice_count < REPORT_PROF_NOTES) k->advice[k->advice_count++] = text;
}

static void note_launch(report_prof *report, report_prof_kernel *k) {
    double most = report->gpu.multiprocessors * fmax(1, k->occupancy.blocks), waves = k->blocks / most;
    char time[REPORT_NUMBER];
    if (k->failed)
        note(k, report_prof_text(report, "%llu of the launches failed: the counts are of what ran before",
                                 (unsigned long long)k->failed));
    if ((uint32_t)k->threads % 32)
        note(k, report_prof_text(
                    report, "%.0f thread%s per block %s no multiple of 32: the last warp has %u idle lanes",
                    k->threads, k->threads == 1 ? "" : "s", k->threads == 1 ? "is" : "are",
                    32 - (uint32_t)k->threads % 32));
    if (waves > 1 && waves < 4 && waves - floor(waves) > 0 && waves - floor(waves) < 0.5)
        note(k, report_prof_text(report,
                                 "the blocks come in %.2f rounds of %.0f: in the last one most SMs are idle",
                                 waves, most));
    if (k->bound != REPORT_PROF_BY_LAUNCH && k->estimate > 0 && k->estimate < LAUNCH_COST)
        note(k, report_prof_text(
                    report,
                    "at this size a launch is estimated at %s, less than starting it takes (2 to 5 us); "
                    "the verdict is of what would grow with the size",
                    report_seconds(time, k->estimate)));
}

// "k.cu:12 (3 stores, 2 loads), k.cu:14 ...": the lines that spill most, as the disassembler tells.
static const char *spill_lines(report_prof *report, const report_prof_machine *m) {
    enum { SHOWN = 3 };
    const report_prof_spill *shown[SHOWN] = {NULL};
    const char *text = "";
    if (!m->spill_count) return "; no disassembler names their lines (kz doctor)";
    for (int n = 0; n < SHOWN; n++) {
        for (size_t i = 0; i < m->spill_count; i++) {
            const report_prof_spill *s = &m->spills[i];
            bool before = false;
            for (int k = 0; k < n; k++) before |= shown[k] == s;
            if (!before && s->line &&
                (!shown[n] || s->stores + s->loads > shown[n]->stores + shown[n]->loads))
                shown[n] = s;
        }
        if (!shown[n]) break;
        text = report_prof_text(report, "%s%s%s:%u (%u stores, %u loads)", text, n ? ", " : ": ",
                                report_prof_basename(shown[n]->file), shown[n]->line, shown[n]->stores,
                                shown[n]->loads);
    }
    return text;
}

// Registers that found no room are stored to local memory and loaded again, which the PTX does not show.
static void note_spills(report_prof *report, report_prof_kernel *k) {
    const report_prof_machine *m = &k->machine;
    if (!m->spill_store_bytes && !m->spill_load_bytes) return;
    enum { MOST_REGISTERS = 255 };
    char l1[REPORT_NUMBER], l2[REPORT_NUMBER], requests[REPORT_NUMBER];
    const char *beyond =
        k->spill_seconds[OBSERVE_BY_L2] > 0
            ? report_prof_text(report, " and %s of L2", report_seconds(l2, k->spill_seconds[OBSERVE_BY_L2]))
            : "";
    note(k, report_prof_text(
                report,
                "ptxas spills registers: %llu bytes stored and %llu loaded in a thread's code; about %s "
                "requests a launch, %s of L1%s%s",
                (unsigned long long)m->spill_store_bytes, (unsigned long long)m->spill_load_bytes,
                report_si(requests, k->spilled, ""), report_seconds(l1, k->spill_seconds[OBSERVE_BY_L1]),
                beyond, spill_lines(report, m)));
    if (k->occupancy.registers >= MOST_REGISTERS)
        advise(k, "a thread cannot have more than 255 registers: let fewer values live at once, or share the "
                  "work among more threads");
    else
        advise(k,
               report_prof_text(report,
                                "let it have more registers than %d: a larger -maxrregcount, fewer threads "
                                "or blocks in __launch_bounds__, or fewer values that live at once",
                                k->occupancy.registers));
}

static void note_work(report_prof *report, report_prof_kernel *k, const sums *s) {
    note_spills(report, k);
    double lanes = report_prof_active_lanes(k->metrics);
    if (has_idle_lanes(k, FEW_LANES) && k->bound != REPORT_PROF_BY_DIVERGENCE)
        note(k, report_prof_text(report, "%.1f of 32 lanes are active on average: warps diverge", lanes));
    if (s->local_sectors > 0)
        note(k,
             report_prof_text(report,
                              "local memory is used (%u bytes per thread): arrays with variable indices, or "
                              "variables whose address is taken",
                              k->local_bytes));
    if (k->texture_part > 0)
        note(k,
             "textures are not in the model of the caches: hits and DRAM's bytes are of the other accesses");
    if (wasted_sectors(s) >= WASTEFUL && !is_contended(s) && k->bound != REPORT_PROF_BY_UNCOALESCED)
        note(k, report_prof_text(report, "%.1f times as many sectors are touched as the data would fill",
                                 wasted_sectors(s)));
    if (conflicts(s) >= WASTEFUL && k->bound != REPORT_PROF_BY_CONFLICTS)
        note(k, report_prof_text(
                    report, "%.1f times as many wavefronts of shared memory as without bank conflicts%s",
                    conflicts(s),
                    report_prof_has_atomics(k, REPORT_PROF_SHARED) ? " and atomics at one address" : ""));
}

static void advise_occupancy(report_prof *report, report_prof_kernel *k) {
    const report_prof_occupancy *o = &k->occupancy;
    static const char overlap[] =
        "give each thread several independent elements (unroll by 4), so that its loads overlap";
    if (k->resident < o->warps) { // the grid limits it, nothing else
        advise(k, report_prof_text(
                      report,
                      "the grid gives an SM %.0f of the %d warps that fit: start more blocks, with fewer "
                      "elements each",
                      k->resident, o->warps));
        advise(k, overlap);
        return;
    }
    if (o->limiter && strcmp(o->limiter, "registers") == 0)
        advise(k, report_prof_text(
                      report,
                      "%d registers per thread limit it: __launch_bounds__(%.0f, %d) asks ptxas for fewer",
                      o->registers, k->threads, o->blocks + 1));
    if (o->limiter && strcmp(o->limiter, "shared memory") == 0)
        advise(k,
               report_prof_text(
                   report, "%u bytes of shared memory per block limit it: a smaller tile lets more blocks in",
                   k->shared_bytes));
    if (o->limiter && strcmp(o->limiter, "blocks") == 0)
        advise(k, report_prof_text(report, "%.0f threads per block are few: choose 128 to 256", k->threads));
    advise(k, overlap);
}

static double executed(const report_prof_kernel *k, observe_sum_index class) {
    return report_prof_metric(k->metrics, observe_sum_name(class));
}

// Whether a tenth of the instructions load or store.
static bool moves_much(const report_prof_kernel *k) {
    return executed(k, OBSERVE_SUM_INST_LOAD_GLOBAL) + executed(k, OBSERVE_SUM_INST_STORE_GLOBAL) +
               executed(k, OBSERVE_SUM_INST_LOAD_SHARED) + executed(k, OBSERVE_SUM_INST_STORE_SHARED) >
           0.1 * executed(k, OBSERVE_SUM_INST);
}

static void advise_arithmetic(report_prof_kernel *k) {
    bool converts = executed(k, OBSERVE_SUM_INST_CONVERSION) > executed(k, OBSERVE_SUM_INST_SPECIAL);
    if (k->first == OBSERVE_BY_FP64)
        advise(k, "use float where its precision is enough: this GPU has fewer units for double");
    if (k->first == OBSERVE_BY_SPECIAL)
        advise(k,
               converts
                   ? "fewer conversions: those between types of 64 bits and others take the special function "
                     "unit, a sixteenth as fast as a multiply-add"
                   : "fewer special functions: identities, polynomials on the pipe for multiply-adds, tables "
                     "in shared memory");
    if (k->first == OBSERVE_BY_INTEGER)
        advise(k,
               "fewer integer instructions: hoist what does not change out of the loop, & and >> for % and / "
               "of unsigned numbers by powers of two, 32-bit indices");
    if (k->first == OBSERVE_BY_FP32)
        advise(k, "it does what the GPU does best: tensor cores, or fewer operations, are what is left");
}

static void advise_kernel(report_prof *report, report_prof_kernel *k, const sums *s) {
    const char *tensor = k->bound == REPORT_PROF_BY_FEW_BLOCKS || k->bound == REPORT_PROF_BY_LAUNCH
                             ? NULL
                             : report_prof_tensor_advice(report, k);
    if (tensor) advise(k, tensor);
    switch (k->bound) {
    case REPORT_PROF_BY_MEMORY:
        if (k->seconds[OBSERVE_BY_DRAM] < NEAR_LIMIT * k->estimate && !is_short(k))
            advise(k,
                   "give each thread several elements, all loaded before the first is used: fewer blocks to "
                   "start, and more bytes in flight, so that DRAM is busy all the time");
        else
            advise(k,
                   "this is near the hardware's limit for these bytes: move fewer of them (fuse it with the "
                   "kernel before "
                   "or after, narrower types, keep results in registers)");
        if (s->widest && s->widest < 16)
            advise(k,
                   "let each thread move 16 bytes at once (float4): fewer instructions for the same bytes");
        break;
    case REPORT_PROF_BY_CACHE:
        advise(k, "reuse what was read: a tile in shared memory, or several results per thread");
        break;
    case REPORT_PROF_BY_SHARED:
        advise(k,
               "use what was loaded more than once: several results per thread from registers (of a product "
               "a 4x4 or 8x8 piece), float4 loads of shared memory, shuffles within a warp");
        break;
    case REPORT_PROF_BY_TEXTURE:
        advise(k, "fetch fewer texels: keep those that neighbouring results share in registers or shared "
                  "memory, or "
                  "let one filtered fetch average several");
        break;
    case REPORT_PROF_BY_ISSUE:
        advise(k,
               moves_much(k)
                   ? "do more per instruction: float4 loads, unrolled loops, index arithmetic hoisted out of "
                     "the loop"
                   : "compute the same with fewer instructions: __expf, __fdividef and their like "
                     "(-use_fast_math) where their precision is enough, 32-bit indices, what does not change "
                     "hoisted out of the loop");
        break;
    case REPORT_PROF_BY_LATENCY: advise_occupancy(report, k); break;
    case REPORT_PROF_BY_FEW_BLOCKS:
        advise(k, report_prof_text(
                      report,
                      "start at least %.0f blocks: fewer elements per block, or several blocks for one sum",
                      2 * report->gpu.multiprocessors));
        break;
    case REPORT_PROF_BY_LAUNCH:
        if (!does_nothing(k)) advise(k, "fuse the launches, do more in each, or record them in a CUDA graph");
        break;
    case REPORT_PROF_BY_ARITHMETIC: advise_arithmetic(k); break;
    default: break; // the lines say what to do
    }
}

void report_prof_decide(report_prof *report, report_prof_kernel *k) {
    sums s = add_up(k);
    k->bound = find_bound(report, k, &s);
    if (k->bound == REPORT_PROF_BY_MEMORY) k->first = OBSERVE_BY_DRAM; // of a short launch too
    for (size_t i = 0; i < k->line_count && does_nothing(k); i++) k->lines[i].advice = NULL;
    explain_why(report, k, &s);
    note_launch(report, k);
    note_work(report, k, &s);
    advise_kernel(report, k, &s);
}

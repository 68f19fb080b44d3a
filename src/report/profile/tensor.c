// Tensor cores: what a kernel does with them, what they wait for, and what to try. Every figure is a count of the record or a time of
// the model; docs/profiling.md has the rules.
#include <math.h>
#include <string.h>

#include "device/device.h"
#include "report/profile/profile.h"

static const double WASTEFUL = 1.5;   // wavefronts over the ideal
static const double NEARLY_ALL = 0.9; // of the waits

static double count_of(const report_prof_kernel *k, observe_sum_index index) {
    return report_prof_metric(k->metrics, observe_sum_name(index)) / (double)k->launches;
}

bool report_prof_tensor_of(const report_prof *report, const report_prof_kernel *k, report_prof_tensor *t) {
    observe_gpu gpu;
    device_gpu_describe(&report->gpu, &gpu);
    observe_sums sums;
    for (int i = 0; i < OBSERVE_SUM_COUNT; i++)
        sums.value[i] = (uint64_t)report_prof_metric(k->metrics, observe_sum_name((observe_sum_index)i));
    *t = (report_prof_tensor){0};
    double most = 0;
    for (int type = 0; type < OBSERVE_TENSOR_TYPES; type++)
        for (int sparse = 0; sparse < 2; sparse++) {
            double ops = observe_tensor_ops(&sums, (observe_tensor_type)type, sparse) / (double)k->launches;
            t->ops += ops;
            if (ops <= most) continue;
            most = ops;
            t->type = (observe_tensor_type)type;
            t->sparse = sparse;
            t->peak = gpu.tensor[type] * (sparse ? 2 : 1);
        }
    double by_groups = count_of(k, OBSERVE_SUM_GROUP_OPS), warps = count_of(k, OBSERVE_SUM_PIPE_GMMA);
    t->by_groups = t->ops > 0 ? by_groups / t->ops : 0;
    t->columns = warps > 0 ? count_of(k, OBSERVE_SUM_GROUP_COLUMNS) / warps : 0;
    t->products = count_of(k, OBSERVE_SUM_PIPE_HMMA) + count_of(k, OBSERVE_SUM_PIPE_IMMA) +
                  count_of(k, OBSERVE_SUM_PIPE_DMMA);
    t->wavefronts = count_of(k, OBSERVE_SUM_LDSM_WAVEFRONTS);
    t->ideal = count_of(k, OBSERVE_SUM_LDSM_IDEAL);
    t->other_wavefronts = count_of(k, OBSERVE_SUM_SHARED_LD_WAVEFRONTS) - t->wavefronts;
    t->filling =
        count_of(k, OBSERVE_SUM_SHARED_ST_WAVEFRONTS) + count_of(k, OBSERVE_SUM_SHARED_LDGSTS_WAVEFRONTS);
    t->ideal_filling =
        count_of(k, OBSERVE_SUM_SHARED_ST_IDEAL) + count_of(k, OBSERVE_SUM_SHARED_LDGSTS_IDEAL);
    t->group_wavefronts = count_of(k, OBSERVE_SUM_GROUP_BYTES) / 128;
    t->waits = count_of(k, OBSERVE_SUM_ASYNC_WAITS);
    t->waits_for_all = count_of(k, OBSERVE_SUM_ASYNC_WAITS_ALL);
    return t->ops > 0;
}

// ---- what they wait for -------------------------------------------------------------------------------------

typedef enum cause {
#define REPORT_PROF_CAUSE(id, text) CAUSE_##id,
#include "report/profile/tensor_causes.def"
#undef REPORT_PROF_CAUSE
} cause;

static cause cause_in_shared(const report_prof_tensor *t) {
    enum { ENOUGH_COLUMNS = 64 }; // 64 rows of A and as many columns of B are read while they are multiplied
    if (t->filling > t->wavefronts + t->other_wavefronts + t->group_wavefronts) return CAUSE_FILLING;
    if (t->group_wavefronts > t->wavefronts + t->other_wavefronts)
        return t->columns < ENOUGH_COLUMNS ? CAUSE_NARROW : CAUSE_NONE;
    if (t->wavefronts >= t->other_wavefronts)
        return t->wavefronts >= WASTEFUL * t->ideal ? CAUSE_CONFLICTS : CAUSE_MATRICES;
    return CAUSE_SINGLE;
}

static cause cause_of(const report_prof *report, const report_prof_kernel *k, const report_prof_tensor *t) {
    bool unpacks = count_of(k, OBSERVE_SUM_TENSOR_OPS_F8) > count_of(k, OBSERVE_SUM_PATH_FP8) ||
                   count_of(k, OBSERVE_SUM_TENSOR_OPS_I4) > 0;
    switch (k->first) {
    case OBSERVE_BY_TENSOR: return report->gpu.sm >= 90 && t->by_groups < 0.5 ? CAUSE_MMA : CAUSE_NONE;
    case OBSERVE_BY_L1:
        return k->shared_part <= 0.5 && t->group_wavefronts <= 0 ? CAUSE_GLOBAL : cause_in_shared(t);
    case OBSERVE_BY_DRAM: return CAUSE_DRAM;
    case OBSERVE_BY_L2: return CAUSE_L2;
    case OBSERVE_BY_LATENCY:
        if (t->waits <= 0) return t->by_groups > 0 ? CAUSE_LATENCY : CAUSE_NO_ASYNC;
        return t->waits_for_all >= NEARLY_ALL * t->waits ? CAUSE_NO_OVERLAP : CAUSE_LATENCY;
    case OBSERVE_BY_ISSUE:
    case OBSERVE_BY_INTEGER:
    case OBSERVE_BY_FP32: return unpacks ? CAUSE_UNPACKING : CAUSE_ISSUE;
    default: return CAUSE_NONE;
    }
}

static const char *describe(report_prof *report, const report_prof_kernel *k, const report_prof_tensor *t,
                            cause found) {
    char a[REPORT_NUMBER], b[REPORT_NUMBER];
    double bytes = report_prof_dram_of(k).read + report_prof_dram_of(k).written;
    switch (found) {
    case CAUSE_CONFLICTS:
        return report_prof_text(report,
                                "shared memory: ldmatrix takes %s wavefronts, %s without bank conflicts",
                                report_si(a, t->wavefronts, ""), report_si(b, t->ideal, ""));
    case CAUSE_NARROW:
        return report_prof_text(report,
                                "shared memory: products %.0f columns wide read %s of it, 128 bytes a clock",
                                t->columns, report_bytes(a, 128 * t->group_wavefronts));
    case CAUSE_MATRICES:
        return report_prof_text(report, "shared memory: ldmatrix takes %.1f wavefronts for each product",
                                t->wavefronts / fmax(1, t->products));
    case CAUSE_SINGLE:
        return report_prof_text(report,
                                "shared memory: loads of single registers take %s wavefronts, ldmatrix %s",
                                report_si(a, t->other_wavefronts, ""), report_si(b, t->wavefronts, ""));
    case CAUSE_GLOBAL: return "global memory: its loads keep L1 busy, not those of shared memory";
    case CAUSE_FILLING:
        return report_prof_text(report,
                                "shared memory: what fills it takes %s wavefronts, %s without bank conflicts",
                                report_si(a, t->filling, ""), report_si(b, t->ideal_filling, ""));
    case CAUSE_DRAM:
        return report_prof_text(report,
                                "DRAM: %.3g operations for each byte that crosses it, %.0f would fill them",
                                t->ops / fmax(1, bytes), t->peak / fmax(1, report->gpu.bandwidth));
    case CAUSE_L2: return "L2, which has to send the same rows and columns to many blocks";
    case CAUSE_NO_OVERLAP:
        return report_prof_text(report, "copies and results: %s of %s waits leave none under way",
                                report_si(a, t->waits_for_all, ""), report_si(b, t->waits, ""));
    case CAUSE_NO_ASYNC:
        return "loads: none of its copies is asynchronous, so that products and loads take turns";
    case CAUSE_LATENCY: return "results and barriers: too few warps have a product to issue";
    case CAUSE_ISSUE:
        return report_prof_text(report, "other instructions: %.0f are issued for each product",
                                count_of(k, OBSERVE_SUM_ISSUE) / fmax(1, t->products) - 1);
    case CAUSE_UNPACKING:
        return report_prof_text(
            report,
            "instructions that unpack %s: mma has no such product on this GPU, and ptxas makes "
            "it of wider ones",
            observe_tensor_name(t->type));
    case CAUSE_MMA:
    case CAUSE_NONE: break;
    }
    return NULL;
}

const char *report_prof_tensor_why(report_prof *report, const report_prof_kernel *k) {
    report_prof_tensor t;
    if (!report_prof_tensor_of(report, k, &t) || k->estimate <= 0) return NULL;
    char busy[REPORT_NUMBER];
    const char *what = describe(report, k, &t, cause_of(report, k, &t));
    double part = 100 * k->seconds[OBSERVE_BY_TENSOR] / k->estimate;
    if (!what || k->seconds[OBSERVE_BY_TENSOR] <= 0) return NULL;
    return report_prof_text(report, "The tensor pipes have %s of work, %.0f%% of the time; they wait for %s",
                            report_seconds(busy, k->seconds[OBSERVE_BY_TENSOR]), part, what);
}

const char *report_prof_tensor_advice(report_prof *report, const report_prof_kernel *k) {
    static const char *const advice[] = {
#define REPORT_PROF_CAUSE(id, text) text,
#include "report/profile/tensor_causes.def"
#undef REPORT_PROF_CAUSE
    };
    report_prof_tensor t;
    if (!report_prof_tensor_of(report, k, &t)) return NULL;
    cause found = cause_of(report, k, &t);
    if (found != CAUSE_MMA) return advice[found];
    return report_prof_text(report, "wgmma: on this GPU mma reaches %d%% of the tensor cores' peak",
                            OBSERVE_MMA_PERCENT);
}

// ---- the row of figures --------------------------------------------------------------------------------------

void report_prof_tensor_show(base_text *text, const report_prof *report, const report_prof_kernel *k) {
    report_prof_tensor t;
    char ops[REPORT_NUMBER], rate[REPORT_NUMBER], peak[REPORT_NUMBER];
    if (!report_prof_tensor_of(report, k, &t)) return;
    const char *unit = observe_tensor_is_float(t.type) ? "flop" : "op";
    char per_second[8];
    snprintf(per_second, sizeof per_second, "%s/s", unit);
    base_text_add(text, "%s of %s%s", report_si(ops, t.ops, unit), observe_tensor_name(t.type),
                  t.sparse ? ", sparse" : "");
    if (t.by_groups > 0) base_text_add(text, ", %.0f%% by warpgroups", 100 * t.by_groups);
    if (k->estimate > 0) base_text_add(text, "; %s", report_si(rate, t.ops / k->estimate, per_second));
    if (k->estimate > 0 && t.peak > 0)
        base_text_add(text, ", %.*f%% of its peak of %s", t.ops / k->estimate < 0.1 * t.peak,
                      100 * t.ops / k->estimate / t.peak, report_si(peak, t.peak, per_second));
    if (t.wavefronts > 0)
        base_text_add(text, "; ldmatrix %.2f wavefronts for each product, %.2f without conflicts",
                      t.wavefronts / fmax(1, t.products), t.ideal / fmax(1, t.products));
}

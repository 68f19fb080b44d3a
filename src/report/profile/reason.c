// Why a source line costs what it costs, in words, and what to try.
//
// Of a line's accesses the one that wastes most speaks for it; where none wastes anything, the instructions
// or the bytes themselves do.
#include <math.h>
#include <string.h>
#include <stdlib.h>

#include "report/profile/profile.h"

static const double WASTE = 1.2; // of the ideal: below it nothing is said

static double per_request(double count, const report_prof_access *a) {
    return a->requests > 0 ? count / a->requests : 0;
}

static bool by_one_lane(const report_prof_access *a) { return per_request(a->lanes, a) < 1.05; }

bool report_prof_wastes_sectors(const report_prof_access *a) {
    return (a->space == REPORT_PROF_GLOBAL || a->space == REPORT_PROF_LOCAL) &&
           a->sectors > WASTE * a->ideal_sectors;
}

bool report_prof_conflicts(const report_prof_access *a) {
    return a->space == REPORT_PROF_SHARED && !a->is_atomic && a->wavefronts > WASTE * a->ideal_wavefronts;
}

static bool collides(const report_prof_access *a) { return a->is_atomic && a->lanes > WASTE * a->distinct; }

static const char *verb_of(const report_prof_access *a) {
    return a->is_atomic ? "update" : a->is_store ? "write" : "read";
}

// "1", "2.5": as many digits as say something.
static const char *figure(report_prof *report, double value) {
    return fabs(value - round(value)) < 0.05 ? report_prof_text(report, "%.0f", value)
                                             : report_prof_text(report, "%.1f", value);
}

// Whose lanes have the addresses of rows.
static bool is_matrix(const report_prof_access *a) {
    return a->ptx && (strncmp(a->ptx, "ldmatrix", 8) == 0 || strncmp(a->ptx, "stmatrix", 8) == 0);
}

// ---- how the lanes lie -----------------------------------------------------------------------------------

static const char *describe_pattern(report_prof *report, const report_prof_access *a) {
    const report_prof_pattern *p = &a->pattern;
    const char *verb = verb_of(a);
    bool has_rows = p->kind == REPORT_PROF_STRIDE || p->kind == REPORT_PROF_ROWS;
    long long stride = llabs((long long)p->stride), jump = llabs((long long)p->jump);
    if (is_matrix(a) && has_rows && stride > 16)
        return report_prof_text(report, "the rows of a matrix lie %lld bytes apart", stride);
    switch (p->kind) {
    case REPORT_PROF_UNIFORM:
        return by_one_lane(a) ? report_prof_text(report, "one thread of a warp %ss", verb)
                              : report_prof_text(report, "all threads of a warp %s one address", verb);
    case REPORT_PROF_CONTIGUOUS:
        return report_prof_text(report, "neighbouring threads %s neighbouring words", verb);
    case REPORT_PROF_STRIDE:
        return report_prof_text(report, "neighbouring threads %s %lld bytes apart", verb, stride);
    case REPORT_PROF_ROWS:
        if (jump == 0 && stride == a->bytes)
            return report_prof_text(report, "runs of %u threads %s neighbouring words, all runs the same",
                                    p->run, verb);
        if (jump == 0)
            return report_prof_text(
                report, "neighbouring threads %s %lld bytes apart, in runs of %u at the same places", verb,
                stride, p->run);
        if (stride == 0)
            return report_prof_text(report, "runs of %u threads %s one address, the runs %lld bytes apart",
                                    p->run, verb, jump);
        if (stride == a->bytes)
            return report_prof_text(report,
                                    "runs of %u threads %s neighbouring words, the runs %lld bytes apart",
                                    p->run, verb, jump);
        return report_prof_text(report, "runs of %u threads %s %lld bytes apart, the runs %lld bytes apart",
                                p->run, verb, stride, jump);
    case REPORT_PROF_OTHER: break;
    }
    return report_prof_text(report, "the threads' addresses follow no simple pattern");
}

// ---- global memory ---------------------------------------------------------------------------------------

static const char keep_in_registers[] =
    "an array that is indexed by a variable lies in local memory: unroll the loop that indexes it, so that "
    "every index is a constant and it stays in registers; or put it into shared memory";

// Runs of four lanes with rows of their own are fragments of tensor cores, which no choice of the block's shape changes.
static bool is_fragment(const report_prof *report, const report_prof_kernel *k, const report_prof_access *a) {
    report_prof_tensor t;
    return a->space == REPORT_PROF_GLOBAL && a->pattern.kind == REPORT_PROF_ROWS && a->pattern.run == 4 &&
           report_prof_tensor_of(report, k, &t);
}

static void explain_sectors(report_prof *report, const report_prof_kernel *k, const report_prof_access *a,
                            report_prof_line *line) {
    const report_prof_pattern *p = &a->pattern;
    long long stride = llabs((long long)p->stride);
    const char *what = a->space == REPORT_PROF_LOCAL
                           ? (a->is_store ? "store to local memory" : "load of local memory")
                       : a->is_store  ? "store"
                       : a->is_atomic ? "atomic"
                                      : "load";
    const char *lead = report_prof_text(report, "%s: %s sectors per request, %s would do", what,
                                        figure(report, per_request(a->sectors, a)),
                                        figure(report, per_request(a->ideal_sectors, a)));
    if (a->space == REPORT_PROF_LOCAL) {
        line->reason =
            report_prof_text(report, "%s: the threads of a warp index their arrays differently", lead);
        line->advice = keep_in_registers;
    } else if (p->kind == REPORT_PROF_CONTIGUOUS) {
        line->reason = report_prof_text(report, "%s: neighbouring words, but off the 32-byte boundary", lead);
        line->advice = "start each warp's piece on a multiple of 32 bytes: align the row's length or the "
                       "offset; neighbours "
                       "of a stencil cannot be aligned, there a tile in shared memory helps";
    } else {
        line->reason = report_prof_text(report, "%s: %s", lead, describe_pattern(report, a));
    }
    if (line->advice) return;
    if (is_fragment(report, k, a))
        line->advice = a->is_store ? "four lanes hold a piece of a row of the fragment: put the tile into "
                                     "shared memory (stmatrix), then "
                                     "store 16 bytes a lane along its rows, or by a tensor copy"
                                   : "four lanes hold a piece of a row of the fragment: bring the tile into "
                                     "shared memory, 16 bytes a "
                                     "lane along its rows, and load the fragment from there (ldmatrix)";
    else if (p->kind == REPORT_PROF_STRIDE && stride <= 64)
        line->advice = report_prof_text(
            report,
            "store structures of %lld bytes as one array per member, or let each thread %s its whole "
            "structure by float4; a thread that takes several elements in a row should take "
            "every blockDim.x-th instead",
            stride, verb_of(a));
    else if (p->kind == REPORT_PROF_STRIDE || (p->kind == REPORT_PROF_ROWS && stride > 64))
        line->advice =
            "let threadIdx.x run along the row, so that neighbouring threads touch neighbouring words; "
            "if one side must be a column, transpose a tile in shared memory";
    else if (p->kind == REPORT_PROF_ROWS)
        line->advice = "let a whole warp work on one row: a block of 32 threads or more in x";
    else
        line->advice =
            "sort or bin the indices, so that the threads of a warp touch nearby words; or bring the "
            "data into shared memory first";
}

// ---- shared memory ---------------------------------------------------------------------------------------

// What was tried on the addresses themselves: no length of rows is named that was not.
static const char *advise_padding(report_prof *report, const report_prof_access *a) {
    const report_prof_padding *t = &a->padding;
    bool words = t->row % 4 == 0 && t->to % 4 == 0,
         wide = a->bytes > 4 && t->row % a->bytes == 0 && t->to % a->bytes == 0;
    uint32_t unit = wide ? a->bytes : words ? 4 : 1;
    const char *name = wide    ? report_prof_text(report, "elements of %u bytes", a->bytes)
                       : words ? "words"
                               : "bytes";
    if (!t->row)
        return "let neighbouring threads touch neighbouring words of shared memory; no length of rows could "
               "be tried, "
               "for the addresses show none";
    if (t->to == t->row)
        return report_prof_text(
            report,
            "padding does not help: rows of %u to %u %s were tried on these addresses; let a whole "
            "warp touch one row (a block of 32 threads or more in x), or swizzle: index the column "
            "by (x ^ y)",
            t->row / unit, (t->row + 128) / unit, name);
    return report_prof_text(
        report,
        "pad the rows: rows of %u %s instead of %u: %s wavefront%s instead of %s here, %s instead "
        "of %s over all accesses of the array (tried on these addresses)",
        t->to / unit, name, t->row / unit, figure(report, t->own_then), t->own_then > 1.05 ? "s" : "",
        figure(report, t->own_now), figure(report, t->then), figure(report, t->now));
}

static void explain_conflicts(report_prof *report, const report_prof_access *a, report_prof_line *line) {
    const report_prof_pattern *p = &a->pattern;
    double ways = a->wavefronts / fmax(1, a->ideal_wavefronts);
    long long step = llabs(
        (long long)(p->kind == REPORT_PROF_ROWS && p->stride == (int64_t)a->bytes ? p->jump : p->stride));
    const char *same =
        p->kind != REPORT_PROF_OTHER && step && step % 128 == 0 ? ", a multiple of 128: all in one bank" : "";
    line->reason =
        report_prof_text(report,
                         "%s of shared memory: %s wavefronts per request, %s would do (%s-way bank "
                         "conflict): %s%s",
                         a->is_store ? "store" : "load", figure(report, per_request(a->wavefronts, a)),
                         figure(report, per_request(a->ideal_wavefronts, a)), figure(report, ways),
                         describe_pattern(report, a), same);
    line->advice = advise_padding(report, a);
}

// ---- atomics ---------------------------------------------------------------------------------------------

// atom.shared.add.u32 %r1, [%r2], 1: whether anybody uses %r1 is not known here.
static bool increments_shared(const report_prof_access *a) {
    const char *end = a->ptx ? strrchr(a->ptx, ',') : NULL;
    return a->space == REPORT_PROF_SHARED && !a->is_distributed && end && strcmp(end, ", 1") == 0 &&
           (strstr(a->ptx, ".add.u32") || strstr(a->ptx, ".add.s32"));
}

static void explain_atomics(report_prof *report, const report_prof_access *a, report_prof_line *line) {
    double lanes = per_request(a->lanes, a), distinct = per_request(a->distinct, a);
    const char *where = a->space == REPORT_PROF_SHARED ? "shared memory" : "global memory";
    line->reason =
        report_prof_text(report, "atomic in %s: %s threads of a warp contend for %s address%s", where,
                         figure(report, lanes), figure(report, distinct), distinct > 1.05 ? "es" : "");
    if (a->address_by_data)
        line->advice = report_prof_text(
            report,
            "the data choose the address, so for data like these: give each block%s private copies in shared "
            "memory, and add them at the end; where a warp meets at few addresses, let its threads with the "
            "same "
            "one fold first (__match_any_sync)",
            a->space == REPORT_PROF_SHARED ? " several" : "");
    else if (a->is_gathered)
        line->advice =
            "ptxas folds the threads of a warp, so that one does the atomic; fold the warps of a block in "
            "shared memory too, and let one thread per block do it";
    else
        line->advice =
            a->pattern.kind == REPORT_PROF_UNIFORM || distinct < 1.05
                ? "fold in registers first (__shfl_down_sync, or __reduce_add_sync for integers), then in "
                  "shared memory, and let one thread per block do the atomic"
                : "give each warp or block a private copy in shared memory, and add the copies at the end";
    if (increments_shared(a) && report->gpu.sm >= 80)
        line->advice =
            "where nobody uses what the addition of 1 gives back, ptxas makes ATOMS.POPC.INC of it "
            "(cuobjdump -sass), "
            "which takes lanes at one address together: then there is nothing to mend here; else let the "
            "threads of a warp with the same address fold first";
}

// Fewer blocks pay only where atomics are what the kernel takes its time for.
static void explain_one_address(report_prof *report, const report_prof_access *a, bool costly,
                                report_prof_line *line) {
    line->reason =
        report_prof_text(report,
                         "atomic in global memory: %.0f requests of %s thread%s, one address each; where "
                         "they are to one address they follow each other",
                         a->requests, figure(report, per_request(a->lanes, a)), by_one_lane(a) ? "" : "s");
    if (a->ptx && (strstr(a->ptx, ".cas") || strstr(a->ptx, ".exch")))
        line->advice =
            "a lock lets one thread after another in: use an atomic on the data itself (atomicAdd, "
            "atomicMax), or a lock for each part of the data";
    else
        line->advice = costly ? "fold within the block first, so that one thread per block does the atomic; "
                                "fewer, longer blocks "
                                "do fewer of them"
                              : "fold within the block first, so that one thread per block does the atomic";
}

static const char by_accident[] =
    "is double meant here? a constant without f (0.5 for 0.5f) makes a whole expression double";

// ---- instructions ----------------------------------------------------------------------------------------

typedef struct class_name {
    const char *metric, *words;
} class_name;

static const class_name classes[] = {
    {"ptx__inst_fp32.sum", "fp32 arithmetic"},
    {"ptx__inst_fp64.sum", "fp64 arithmetic"},
    {"ptx__inst_fp16.sum", "fp16 arithmetic"},
    {"ptx__inst_tensor.sum", "tensor cores"},
    {"ptx__inst_integer.sum", "integer arithmetic"},
    {"ptx__inst_special.sum", "special functions"},
    {"ptx__inst_conversion.sum", "conversions"},
    {"ptx__inst_control.sum", "branches"},
    {"ptx__inst_compare.sum", "comparisons"},
    {"ptx__inst_barrier.sum", "barriers"},
    {"ptx__inst_load_shared.sum", "loads of shared memory"},
    {"ptx__inst_load_global.sum", "loads"},
    {"ptx__inst_store_global.sum", "stores"},
    {"ptx__inst_load_param.sum", "loads of arguments"},
    {"ptx__inst_move.sum", "moves"},
};

static const char *commonest_class(const json_t *metrics) {
    const char *best = "other instructions";
    double most = 0;
    for (size_t i = 0; i < BASE_COUNT(classes); i++)
        if (report_prof_metric(metrics, classes[i].metric) > most)
            most = report_prof_metric(metrics, classes[i].metric), best = classes[i].words;
    return best;
}

// fp64 between conversions from and to something shorter: mostly a constant without its f.
static bool doubles_by_accident(const report_prof_line *line) {
    double all = report_prof_metric(line->metrics, "ptx__inst_executed.sum");
    return report_prof_metric(line->metrics, "ptx__inst_fp64.sum") >
               0.1 * all && // sinf has a few, for large arguments
           report_prof_metric(line->metrics, "ptx__inst_conversion.sum") > 0;
}

// ", 97% of the special function unit's time": where a pipe is what the kernel has too little of.
static const char *pipe_part(report_prof *report, const report_prof_kernel *k, const report_prof_line *line,
                             const char *mostly) {
    observe_resource r = k->first;
    if (!report_prof_is_pipe(r) || line->seconds[r] < 0.01 * k->seconds[r] ||
        strcmp(mostly, observe_resource_title(r)) == 0)
        return "";
    return report_prof_text(report, "; %.0f%% of the %s", 100 * fmin(1, line->seconds[r] / k->seconds[r]),
                            observe_resource_title(r));
}

// ptxas makes many instructions of a division, a remainder or a root.
static void explain_expansion(report_prof *report, report_prof_line *line) {
    static const double MANY = 4;
    double each = report_prof_metric(line->metrics, observe_sum_name(OBSERVE_SUM_ISSUE)) /
                  fmax(1, report_prof_metric(line->metrics, "ptx__inst_executed.sum"));
    double integers = report_prof_metric(line->metrics, "ptx__inst_integer.sum"),
           special = report_prof_metric(line->metrics, "ptx__inst_special.sum");
    if (each < MANY || (integers <= 0 && special <= 0)) return;
    line->reason = report_prof_text(report,
                                    "%s; ptxas makes %.0f machine instructions of each, for divisions, "
                                    "remainders or roots",
                                    line->reason, each);
    line->advice =
        integers >= special
            ? "divide by constants or powers of two, multiply by a reciprocal that the host computes, or "
              "divide once outside of the loop; unsigned is cheaper than signed, 32 bits than 64"
            : "multiply by a reciprocal, or use __fdividef, rsqrtf and their like where their precision "
              "is enough (-use_fast_math)";
}

static void explain_instructions(report_prof *report, const report_prof_kernel *k, report_prof_line *line) {
    double all = report_prof_metric(k->metrics, "ptx__inst_executed.sum");
    double mine = report_prof_metric(line->metrics, "ptx__inst_executed.sum"),
           lanes = report_prof_active_lanes(line->metrics);
    double part = all > 0 ? 100 * mine / all : 0;
    static const char spread[] =
        "spread this work over the threads: each takes some of the elements, and what they "
        "find is folded (a reduction)";
    if (k->threads < 24 && mine > 0) { // a small block does not diverge
        line->reason = report_prof_text(report, "%.0f%% of the instructions, in blocks of %.0f thread%s",
                                        part, k->threads, k->threads == 1 ? "" : "s");
        line->advice = spread;
    } else if (lanes < 24 && mine > 0) {
        line->reason = report_prof_text(
            report, "%.0f%% of the instructions, with %s of 32 lanes active: the others wait", part,
            figure(report, lanes));
        line->advice = lanes < 1.5 ? spread
                                   : "let whole warps take the same way: choose by threadIdx.x / 32, or give "
                                     "neighbouring threads "
                                     "like work (sort or bin it)";
    } else {
        const char *mostly = commonest_class(line->metrics);
        line->reason = report_prof_text(report, "%.0f%% of the instructions, mostly %s%s", part, mostly,
                                        pipe_part(report, k, line, mostly));
        explain_expansion(report, line);
    }
    if (doubles_by_accident(line))
        line->advice = by_accident;
    else if (report_prof_metric(line->metrics, "ptx__inst_barrier.sum") > 0 &&
             line->seconds[OBSERVE_BY_LATENCY] > line->seconds[OBSERVE_BY_ISSUE])
        line->reason =
            report_prof_text(report,
                             "%.0f%% of the instructions: a barrier, where all warps of the block wait for "
                             "the last",
                             part);
}

static void explain_traffic(report_prof *report, const report_prof_kernel *k, const report_prof_access *a,
                            report_prof_line *line) {
    char bytes[REPORT_NUMBER];
    report_bytes(bytes, a->lanes * a->bytes / (double)k->launches);
    if (a->space == REPORT_PROF_LOCAL) {
        line->reason =
            report_prof_text(report, "%ss %s of local memory, all threads at one index", verb_of(a), bytes);
        line->advice = keep_in_registers;
        return;
    }
    line->reason = report_prof_text(report, "%ss %s of %s, %s: nothing is wasted", verb_of(a), bytes,
                                    a->space == REPORT_PROF_SHARED ? "shared memory" : "memory",
                                    describe_pattern(report, a));
    if (a->bytes < 4 && a->pattern.kind == REPORT_PROF_CONTIGUOUS)
        line->advice =
            report_prof_text(report, "each thread %ss %u byte%s; take 4 to 16 at once (uchar4, half2, uint4)",
                             verb_of(a), a->bytes, a->bytes == 1 ? "" : "s");
    else if (a->pattern.kind == REPORT_PROF_UNIFORM && a->space == REPORT_PROF_GLOBAL && !a->is_store &&
             !a->is_atomic && !by_one_lane(a))
        line->advice =
            "the same word for the whole warp: hoist it out of the loop, or keep it in __constant__ memory";
}

// One lane asks, and the copy engine moves the bytes: neither pattern nor idle lanes have anything to say.
static void explain_bulk(report_prof *report, const report_prof_kernel *k, const report_prof_access *a,
                         report_prof_line *line) {
    char bytes[REPORT_NUMBER], each[REPORT_NUMBER];
    report_bytes(bytes, a->lanes * a->bytes / (double)k->launches);
    report_bytes(each, a->bytes);
    line->reason =
        report_prof_text(report, "bulk copies %s %s, %s each: one thread asks, the copy engine moves them",
                         a->is_store ? "write" : "read", bytes, each);
}

// ---- the line --------------------------------------------------------------------------------------------

// Clocks that an access costs beyond the ideal, to choose whose words to take.
static double waste_of(const report_prof_access *a) {
    if (collides(a)) return 1e3 * (a->lanes - a->distinct);
    if (report_prof_wastes_sectors(a)) return report_prof_sector_clocks(a) - a->ideal_sectors;
    return report_prof_conflicts(a) ? a->wavefronts - a->ideal_wavefronts : 0;
}

static double traffic_of(const report_prof_access *a) {
    return a->space == REPORT_PROF_SHARED      ? a->wavefronts
           : a->space == REPORT_PROF_ELSEWHERE ? 0
                                               : report_prof_sector_clocks(a);
}

static const report_prof_access *pick(const report_prof_line *line,
                                      double (*measure)(const report_prof_access *)) {
    const report_prof_access *best = NULL;
    for (size_t i = 0; i < line->access_count; i++) {
        const report_prof_access *a = &line->accesses[i];
        if (measure(a) > (best ? measure(best) : 0)) best = a;
    }
    return best;
}

// An unrolled loop has several instructions of one line: those that are alike are told as one.
static const report_prof_access *merge(report_prof *report, const report_prof_line *line,
                                       const report_prof_access *like) {
    report_prof_access *sum = like ? base_arena_alloc(report->arena, sizeof *sum) : NULL;
    if (!sum) return like;
    *sum = *like;
    for (size_t i = 0; i < line->access_count; i++) {
        const report_prof_access *a = &line->accesses[i];
        if (a == like || a->space != like->space || a->is_store != like->is_store ||
            a->is_atomic != like->is_atomic || a->bytes != like->bytes ||
            a->pattern.kind != like->pattern.kind || a->pattern.stride != like->pattern.stride)
            continue;
        sum->requests += a->requests;
        sum->lanes += a->lanes;
        sum->sectors += a->sectors;
        sum->ideal_sectors += a->ideal_sectors;
        sum->wavefronts += a->wavefronts;
        sum->ideal_wavefronts += a->ideal_wavefronts;
        sum->distinct += a->distinct;
    }
    return sum;
}

// Whether spilled registers are a good part of what the memories do for the line.
static bool spills_much(const report_prof_line *line) {
    return line->spill_seconds > 0.3 * (line->seconds[OBSERVE_BY_L1] + line->seconds[OBSERVE_BY_L2]);
}

static void explain_spills(report_prof *report, report_prof_line *line) {
    if (line->spill_stores || line->spill_loads)
        line->reason =
            report_prof_text(report,
                             "spilled registers: %u stores and %u loads of local memory, which the PTX "
                             "does not show",
                             line->spill_stores, line->spill_loads);
    else
        line->reason = "spilled registers, taken to lie here, where most is executed: no disassembler names "
                       "their lines (kz doctor)";
    line->advice =
        "let fewer values live at once here, or allow more registers (__launch_bounds__, -maxrregcount)";
}

static void explain_texture(report_prof *report, const report_prof_kernel *k, report_prof_line *line) {
    char requests[REPORT_NUMBER];
    line->reason = report_prof_text(
        report, "texture fetches: %s requests of warps in a launch",
        report_si(requests,
                  report_prof_metric(line->metrics, observe_sum_name(OBSERVE_SUM_INST_LOAD_TEXTURE)) /
                      (double)k->launches,
                  ""));
}

static double constant_addresses(const report_prof_line *line) {
    double requests = report_prof_metric(line->metrics, observe_sum_name(OBSERVE_SUM_CONST_REQUESTS));
    return requests > 0
               ? report_prof_metric(line->metrics, observe_sum_name(OBSERVE_SUM_CONST_DISTINCT)) / requests
               : 0;
}

static void explain_constant(report_prof *report, report_prof_line *line) {
    line->reason = report_prof_text(
        report,
        "load of constant memory: %s addresses per request, 1 would do: they are served one after another",
        figure(report, constant_addresses(line)));
    line->advice = "constant memory is for words that all threads read at once: put a table that they index "
                   "differently into shared memory, or read it as const __restrict__";
}

// Whether memory, or waiting for it, is what the line's time goes to: only then its accesses are what to explain.
static bool is_about_memory(const report_prof_line *line) {
    static const observe_resource of_memory[] = {OBSERVE_BY_DRAM, OBSERVE_BY_L2, OBSERVE_BY_L1,
                                                 OBSERVE_BY_ATOMICS, OBSERVE_BY_LATENCY};
    double most = 0, memory = 0;
    for (int r = 0; r < OBSERVE_RESOURCES; r++) most = fmax(most, line->seconds[r]);
    for (size_t i = 0; i < BASE_COUNT(of_memory); i++) memory = fmax(memory, line->seconds[of_memory[i]]);
    return memory >= 0.5 * most;
}

void report_prof_explain(report_prof *report, const report_prof_kernel *k, report_prof_line *line) {
    const report_prof_access *worst = merge(report, line, pick(line, waste_of)),
                             *biggest = merge(report, line, pick(line, traffic_of));
    double lanes = report_prof_active_lanes(line->metrics);
    bool atomics_cost = line->seconds[OBSERVE_BY_ATOMICS] >= 0.5 * k->estimate;
    line->advice = NULL;
    if (spills_much(line))
        explain_spills(report, line);
    else if (k->texture_part > 0.5 &&
             report_prof_has_metric(line->metrics, observe_sum_name(OBSERVE_SUM_INST_LOAD_TEXTURE)))
        explain_texture(report, k, line);
    else if (k->constant_part > 0.5 && constant_addresses(line) > WASTE)
        explain_constant(report, line);
    else if (!is_about_memory(line))
        explain_instructions(report, k, line);
    else if (worst && collides(worst))
        explain_atomics(report, worst, line);
    else if (worst && report_prof_conflicts(worst))
        explain_conflicts(report, worst, line);
    else if (worst)
        explain_sectors(report, k, worst, line);
    else if (biggest && biggest->is_atomic &&
             (atomics_cost ||
              (biggest->space == REPORT_PROF_GLOBAL && biggest->pattern.kind == REPORT_PROF_UNIFORM)))
        explain_one_address(report, biggest, atomics_cost, line);
    else if (biggest && biggest->is_bulk)
        explain_bulk(report, k, biggest, line);
    else if (biggest && lanes >= 24 &&
             line->seconds[OBSERVE_BY_ISSUE] <
                 fmax(line->seconds[OBSERVE_BY_DRAM],
                      fmax(line->seconds[OBSERVE_BY_L2], line->seconds[OBSERVE_BY_L1])))
        explain_traffic(report, k, biggest, line);
    else
        explain_instructions(report, k, line);
    if (!line->advice && doubles_by_accident(line)) line->advice = by_accident;
}

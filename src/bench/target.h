// bench/target: the goals in kernels/<group>/<family>/targets.csv, and whether a measurement meets them.
//
// Columns: gpu,case,metric,goal,rival. The case is a case's name or a glob of it. Metrics: bytes_per_s,
// flops_per_s, of_copy (share of the measured copy), speedup (the rival's time over ours, the rival measured
// beside it). A rival that is not in peers/ is only named: the goal is its figure, measured elsewhere.
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include "bench/bench.h"

enum { BENCH_TARGET_ROWS = 64 };

typedef struct bench_target {
    char gpu[32], pattern[FAMILY_CASE_NAME], metric[24], rival[24];
    double goal;
} bench_target;

typedef struct bench_targets {
    size_t count;
    bench_target rows[BENCH_TARGET_ROWS];
} bench_targets;

// The families' files as the build embeds them; ends with a NULL family.
typedef struct bench_target_text {
    const char *family, *text;
} bench_target_text;
extern const bench_target_text bench_target_texts[];

// Those of a family; none where it has no file.
kz_status bench_targets_of(const char *family, bench_targets *targets, kz_error *error);

// Reads the text of a targets.csv; `name` is for messages.
kz_status bench_targets_parse(const char *text, const char *name, bench_targets *targets, kz_error *error);

bool bench_target_holds(const bench_target *target, const char *gpu, const kz_family *family,
                        const kz_case *c);

typedef struct bench_target_verdict {
    const bench_target *target;
    double value; // NAN where it could not be measured
    bool met;
} bench_target_verdict;

// Whether a figure counts that was taken by turns with these processes ("torch, triton"; ""): a ratio to a rival that is none
// of them does not.
bool bench_target_counts_beside(const bench_target *target, const char *names);

// The result's value of the target's metric, in the case's figure.
bench_target_verdict bench_target_judge(const bench_target *target, const bench_outcome *outcome,
                                        size_t result);

// The hardest target of this GPU that speaks of the case, by what `value` measured of it (NAN: nothing);
// .target is NULL where none speaks of it.
typedef double (*bench_target_value)(const bench_target *target, const void *context);
bench_target_verdict bench_targets_hardest(const bench_targets *targets, const char *gpu,
                                           const kz_family *family, const kz_case *c,
                                           bench_target_value value, const void *context);

// The same, of a result. Targets are of the usual conditions: under another there is none.
bench_target_verdict bench_targets_judge(const bench_targets *targets, const char *gpu,
                                         const kz_family *family, const kz_case *c,
                                         const bench_outcome *outcome, size_t result);

#endif

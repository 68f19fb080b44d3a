// bench/target: see target.h.
#include "bench/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { COLUMNS = 5, LINE = 400 };

static const char *const metrics[] = {"bytes_per_s", "flops_per_s", "of_copy", "speedup"};
enum { BYTES_PER_S, FLOPS_PER_S, OF_COPY, SPEEDUP };

static int metric_of(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(metrics); i++)
        if (strcmp(metrics[i], name) == 0) return (int)i;
    return -1;
}

static bool split(char *line, char *columns[COLUMNS]) {
    size_t count = 0;
    for (char *at = line; at; count++) {
        char *comma = strchr(at, ',');
        if (comma) *comma = 0;
        if (count < COLUMNS) columns[count] = at;
        at = comma ? comma + 1 : NULL;
    }
    return count == COLUMNS;
}

static kz_status parse_row(char *line, const char *name, int number, bench_target *row, kz_error *error) {
    char *column[COLUMNS], *end;
    if (!split(line, column))
        return base_fail(error, KZ_SYNTAX, "%s:%d: a row has %d columns: gpu,case,metric,goal,rival", name,
                         number, COLUMNS);
    row->goal = strtod(column[3], &end);
    if (end == column[3] || *end)
        return base_fail(error, KZ_SYNTAX, "%s:%d: \"%s\" is not a number", name, number, column[3]);
    if (metric_of(column[2]) < 0) {
        base_fail(error, KZ_SYNTAX, "%s:%d: \"%s\" is not a metric", name, number, column[2]);
        base_fail_note(error, "metrics are bytes_per_s, flops_per_s, of_copy and speedup");
        return KZ_SYNTAX;
    }
    snprintf(row->gpu, sizeof row->gpu, "%s", column[0]);
    snprintf(row->pattern, sizeof row->pattern, "%s", column[1]);
    snprintf(row->metric, sizeof row->metric, "%s", column[2]);
    snprintf(row->rival, sizeof row->rival, "%s", column[4]);
    return KZ_OK;
}

kz_status bench_targets_parse(const char *text, const char *name, bench_targets *targets, kz_error *error) {
    *targets = (bench_targets){0};
    kz_status status = KZ_OK;
    for (int number = 1; *text && status == KZ_OK; number++) {
        char line[LINE];
        size_t length = strcspn(text, "\n"), kept = length < LINE - 1 ? length : LINE - 1;
        memcpy(line, text, kept);
        line[kept] = 0;
        text += length + (text[length] == '\n');
        if (kept && line[kept - 1] == '\r') line[kept - 1] = 0;
        if (number == 1 || line[0] == 0 || line[0] == '#') continue; // the header, empty lines, comments
        if (targets->count == BENCH_TARGET_ROWS)
            return base_fail(error, KZ_LIMIT, "%s has more than %d rows", name, BENCH_TARGET_ROWS);
        status = parse_row(line, name, number, &targets->rows[targets->count], error);
        targets->count += status == KZ_OK;
    }
    return status;
}

kz_status bench_targets_of(const char *family, bench_targets *targets, kz_error *error) {
    *targets = (bench_targets){0};
    for (const bench_target_text *t = bench_target_texts; t->family; t++)
        if (strcmp(t->family, family) == 0) {
            char name[120];
            snprintf(name, sizeof name, "%s/targets.csv", family);
            return bench_targets_parse(t->text, name, targets, error);
        }
    return KZ_OK;
}

bool bench_target_holds(const bench_target *target, const char *gpu, const kz_family *family,
                        const kz_case *c) {
    return strcmp(target->gpu, gpu) == 0 && family_case_matches(family, c, target->pattern);
}

bool bench_target_counts_beside(const bench_target *target, const char *names) {
    if (!*names || metric_of(target->metric) != SPEEDUP) return true;
    for (size_t length; *names; names += length + strspn(names + length, ", ")) {
        length = strcspn(names, ",");
        if (length == strlen(target->rival) && strncmp(names, target->rival, length) == 0) return true;
    }
    return false;
}

// The rival's time over ours, from samples beside each other; its fastest candidate's, where it has several.
static double speedup(const bench_target *target, const bench_outcome *outcome, size_t result) {
    double least = NAN;
    if (!bench_target_counts_beside(target, outcome->beside[outcome->figure])) return NAN;
    for (size_t i = 0; i < outcome->count; i++) {
        const bench_result *r = &outcome->results[i];
        if (strcmp(r->candidate.by, target->rival) != 0 || r->status != KZ_OK) continue;
        bench_ratio ratio = bench_outcome_ratio(outcome, result, i, outcome->figure);
        if (ratio.valid) least = fmin(least, 1 / ratio.ratio); // fmin takes the number where the other is NAN
    }
    return least;
}

typedef struct measured {
    const bench_outcome *outcome;
    size_t result;
} measured;

static double value_of(const bench_target *target, const void *context) {
    const measured *m = context;
    const bench_timing *t = &m->outcome->results[m->result].timings[m->outcome->figure];
    if (!t->taken) return NAN;
    switch (metric_of(target->metric)) {
    case BYTES_PER_S: return t->bytes_per_s;
    case FLOPS_PER_S: return t->flops_per_s;
    case OF_COPY: return t->of_copy;
    case SPEEDUP: return speedup(target, m->outcome, m->result);
    default: return NAN;
    }
}

static bench_target_verdict judge(const bench_target *target, bench_target_value value, const void *context) {
    bench_target_verdict verdict = {.target = target, .value = value(target, context)};
    verdict.met = verdict.value >= target->goal; // false for NAN
    return verdict;
}

bench_target_verdict bench_target_judge(const bench_target *target, const bench_outcome *outcome,
                                        size_t result) {
    return judge(target, value_of, &(measured){outcome, result});
}

bench_target_verdict bench_targets_hardest(const bench_targets *targets, const char *gpu,
                                           const kz_family *family, const kz_case *c,
                                           bench_target_value value, const void *context) {
    bench_target_verdict hardest = {0};
    for (size_t i = 0; targets && i < targets->count; i++) {
        if (!bench_target_holds(&targets->rows[i], gpu, family, c)) continue;
        bench_target_verdict one = judge(&targets->rows[i], value, context);
        double share = one.value / one.target->goal;
        bool harder = !hardest.target || isnan(share) || share < hardest.value / hardest.target->goal;
        if (harder && !(hardest.target && isnan(hardest.value))) hardest = one;
    }
    return hardest;
}

bench_target_verdict bench_targets_judge(const bench_targets *targets, const char *gpu,
                                         const kz_family *family, const kz_case *c,
                                         const bench_outcome *outcome, size_t result) {
    if (outcome->timed && !bench_condition_is_usual(outcome->conditions[outcome->figure]))
        return (bench_target_verdict){0};
    return bench_targets_hardest(targets, gpu, family, c, value_of, &(measured){outcome, result});
}

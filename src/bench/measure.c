// bench/measure: see measure.h.
#include "bench/measure.h"

#include <stdlib.h>

#include "base/base.h"

static const double SPLIT = 1.1;
enum { PATIENCE = 4 }; // times its time, for one that stands for its process

bool bench_is_fatal(kz_status status) {
    return status == KZ_LOST || status == KZ_FAULT || status == KZ_DEADLOCK || status == KZ_INTERNAL;
}

static bool is_interrupted(const bench_clock *clock) {
    return clock->interrupted && clock->interrupted(clock->self);
}

static kz_status keep(bench_series *series, double seconds, kz_error *error) {
    if (series->count == series->capacity) {
        size_t capacity = series->capacity ? 2 * series->capacity : 64;
        double *grown = realloc(series->samples, capacity * sizeof *grown);
        if (!grown) return base_fail(error, KZ_NO_MEMORY, "no memory for %zu samples", capacity);
        series->samples = grown;
        series->capacity = capacity;
    }
    series->samples[series->count++] = seconds;
    return KZ_OK;
}

static kz_status take(const bench_clock *clock, size_t index, bench_series *series, kz_error *error) {
    if (clock->ready) clock->ready(clock->self, index);
    double before = clock->now(clock->self), seconds = 0;
    kz_status status = clock->sample(clock->self, index, &seconds, error);
    series->spent += clock->now(clock->self) - before;
    if (!status) status = keep(series, seconds, error);
    series->status = status;
    return status;
}

// Warm-up samples go into the series and are then forgotten.
static void warm_up(const bench_clock *clock, const bench_rule *rule, size_t index, bench_series *series,
                    kz_error *error) {
    while (!series->status && !series->warm && !is_interrupted(clock)) {
        if (series->count > 0 && series->spent >= rule->warm_seconds) break;
        if (take(clock, index, series, error)) break;
        series->warm = bench_is_warm(rule, series->samples, series->count);
    }
    series->warm_samples = series->count;
    series->count = 0;
    series->spent = 0;
}

static void take_and_decide(const bench_clock *clock, const bench_rule *rule, size_t index,
                            bench_series *series, size_t *look, kz_error *error) {
    if (take(clock, index, series, error)) return;
    if (series->count >= *look || series->spent >= rule->most_seconds) {
        series->state = bench_decide(rule, series->samples, series->count, series->spent);
        *look = bench_next_look(series->count);
    }
}

typedef struct measurement {
    const bench_clock *clock;
    const bench_rule *rule;
    size_t count;
    bench_series *series;
    size_t *looks;
    kz_error *errors, *error;
    kz_status status; // that ends it
} measurement;

static kz_error *error_of(const measurement *m, size_t index) {
    return m->errors ? &m->errors[index] : m->error;
}

// A failure is the candidate's own, or the end of all.
static void judge_failure(measurement *m, size_t index) {
    kz_status status = m->series[index].status;
    if (!status || (m->errors && !bench_is_fatal(status))) return;
    if (m->errors && m->error) *m->error = m->errors[index];
    m->status = status;
}

// ---- who is in the rounds -------------------------------------------------------------------------

// Samples by turns with another process are of another condition than samples without it. So while somebody goes on, no
// process leaves the rounds: each keeps those who have time left, or the first of those who have none.

static size_t process_of(const measurement *m, size_t index) {
    return m->clock->process(m->clock->self, index);
}

static bool has_time(const measurement *m, size_t index) {
    const bench_series *series = &m->series[index];
    return series->state == BENCH_GO_ON || series->spent < m->rule->most_seconds;
}

// Whether nobody else of its process is there in its place.
static bool stands_for_process(const measurement *m, size_t index) {
    for (size_t i = 0; i < m->count; i++)
        if (i != index && !m->series[i].status && process_of(m, i) == process_of(m, index) &&
            (has_time(m, i) || i < index))
            return false;
    return true;
}

static bool is_in_rounds(const measurement *m, size_t index) {
    const bench_series *series = &m->series[index];
    if (series->status) return false;
    if (!m->clock->process) return series->state == BENCH_GO_ON;
    return has_time(m, index) || stands_for_process(m, index);
}

// A slow candidate that stands for its process is not sampled for ever: then who goes on has not converged.
static bool is_patience_over(const measurement *m) {
    for (size_t i = 0; m->clock->process && i < m->count; i++)
        if (!m->series[i].status && m->series[i].spent >= PATIENCE * m->rule->most_seconds) return true;
    return false;
}

static bool goes_on(measurement *m) {
    bool over = is_patience_over(m), found = false;
    for (size_t i = 0; i < m->count; i++) {
        bench_series *series = &m->series[i];
        if (series->status || series->state != BENCH_GO_ON) continue;
        found = !over;
        if (over) series->state = BENCH_NOT_CONVERGED;
    }
    return found;
}

// The last of a process is lost: what the others were sampled beside it is none of the figure.
static void begin_again_without(measurement *m, size_t lost) {
    if (!m->clock->process) return;
    for (size_t i = 0; i < m->count; i++)
        if (!m->series[i].status && process_of(m, i) == process_of(m, lost)) return;
    for (size_t i = 0; i < m->count; i++) {
        if (m->series[i].status) continue;
        m->series[i].state = BENCH_GO_ON;
        m->series[i].count = m->looks[i] = 0;
        m->series[i].spent = 0;
    }
}

// The least time is that of a run's neighbourhood. In rounds that nobody leaves it is of all of them: the quickest
// candidate alone would take the slowest through hundreds.
static bench_rule rule_of_rounds(const measurement *m) {
    bench_rule rule = *m->rule;
    double spent = 0;
    for (size_t i = 0; i < m->count; i++) spent += m->series[i].spent;
    if (m->clock->process && spent >= rule.least_seconds) rule.least_seconds = 0;
    return rule;
}

static void sample_all(measurement *m) {
    for (size_t round = 0; goes_on(m); round++)
        for (size_t turn = 0; turn < m->count; turn++) {
            size_t index = round % 2 ? m->count - 1 - turn : turn;
            if (!is_in_rounds(m, index)) continue;
            if (is_interrupted(m->clock)) return;
            bench_rule rule = rule_of_rounds(m);
            take_and_decide(m->clock, &rule, index, &m->series[index], &m->looks[index], error_of(m, index));
            judge_failure(m, index);
            if (m->status) return;
            if (m->series[index].status) begin_again_without(m, index);
        }
}

kz_status bench_measure(const bench_clock *clock, const bench_rule *rule, size_t count, bench_series *series,
                        kz_error *errors, kz_error *error) {
    for (size_t i = 0; i < count; i++) series[i] = (bench_series){0};
    measurement m = {clock, rule, count, series, calloc(count + 1, sizeof *m.looks), errors, error, KZ_OK};
    if (!m.looks) return base_fail(error, KZ_NO_MEMORY, "no memory to measure %zu candidates", count);
    for (size_t i = 0; i < count && !m.status; i++) {
        warm_up(clock, rule, i, &series[i], error_of(&m, i));
        judge_failure(&m, i);
    }
    if (!m.status) sample_all(&m);
    free(m.looks);
    for (size_t i = 0; i < count; i++)
        if (!bench_summarise(series[i].samples, series[i].count, &series[i].summary) && !m.status)
            m.status = base_fail(error, KZ_NO_MEMORY, "no memory to sort %zu samples", series[i].count);
    return m.status;
}

static kz_status take_for(const bench_clock *clock, double seconds, size_t index, bench_series *series,
                          kz_error *error) {
    kz_status status = KZ_OK;
    double start = clock->now(clock->self);
    do status = take(clock, index, series, error);
    while (!status && clock->now(clock->self) - start < seconds && !is_interrupted(clock));
    return status;
}

kz_status bench_sustain(const bench_clock *clock, const bench_rule *rule, double seconds, size_t index,
                        bench_series *series, void (*halfway)(void *context), void *context,
                        kz_error *error) {
    *series = (bench_series){0};
    kz_status status = take_for(clock, seconds / 2, index, series, error);
    series->warm_samples = series->count;
    series->count = 0;
    series->spent = 0;
    if (status || is_interrupted(clock)) return status;
    series->warm = true;
    halfway(context);
    status = take_for(clock, seconds / 2, index, series, error);
    if (!bench_summarise(series->samples, series->count, &series->summary) && !status)
        status = base_fail(error, KZ_NO_MEMORY, "no memory to sort %zu samples", series->count);
    if (!status && !is_interrupted(clock))
        series->state =
            bench_relative_error(&series->summary) <= rule->precision ? BENCH_CONVERGED : BENCH_NOT_CONVERGED;
    return status;
}

bool bench_series_is_split(const bench_series *series) {
    const bench_summary *s = &series->summary;
    return series->state == BENCH_CONVERGED && s->third_quartile > SPLIT * s->first_quartile;
}

void bench_series_free(bench_series *series) {
    free(series->samples);
    *series = (bench_series){0};
}

// bench/measure: see measure.h.
#include "bench/measure.h"

#include <stdlib.h>

#include "base/base.h"

static const double SPLIT = 1.1;

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

static void sample_all(measurement *m) {
    bool going_on = true;
    for (size_t round = 0; going_on; round++) {
        going_on = false;
        for (size_t turn = 0; turn < m->count; turn++) {
            size_t index = round % 2 ? m->count - 1 - turn : turn;
            bench_series *series = &m->series[index];
            if (series->state != BENCH_GO_ON || series->status) continue;
            if (is_interrupted(m->clock)) return;
            take_and_decide(m->clock, m->rule, index, series, &m->looks[index], error_of(m, index));
            judge_failure(m, index);
            if (m->status) return;
            going_on = true;
        }
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

kz_status bench_sustain(const bench_clock *clock, double seconds, size_t index, bench_series *series,
                        void (*halfway)(void *context), void *context, kz_error *error) {
    *series = (bench_series){0};
    kz_status status = take_for(clock, seconds / 2, index, series, error);
    series->warm_samples = series->count;
    series->count = 0;
    series->spent = 0;
    if (status || is_interrupted(clock)) return status;
    series->warm = true;
    halfway(context);
    status = take_for(clock, seconds / 2, index, series, error);
    if (!status && !is_interrupted(clock)) series->state = BENCH_CONVERGED;
    if (!bench_summarise(series->samples, series->count, &series->summary) && !status)
        status = base_fail(error, KZ_NO_MEMORY, "no memory to sort %zu samples", series->count);
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

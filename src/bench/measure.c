// bench/measure: see measure.h.
#include "bench/measure.h"

#include <stdlib.h>

#include "base/base.h"

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
    double before = clock->now(clock->self), seconds = 0;
    kz_status status = clock->sample(clock->self, index, &seconds, error);
    series->spent += clock->now(clock->self) - before;
    return status ? status : keep(series, seconds, error);
}

// Warm-up samples go into the series and are then forgotten.
static kz_status warm_up(const bench_clock *clock, const bench_rule *rule, size_t index, bench_series *series,
                         kz_error *error) {
    kz_status status = KZ_OK;
    while (!status && !series->warm && !is_interrupted(clock)) {
        if (series->count > 0 && series->spent >= rule->warm_seconds) break;
        status = take(clock, index, series, error);
        series->warm = bench_is_warm(rule, series->samples, series->count);
    }
    series->warm_samples = series->count;
    series->count = 0;
    series->spent = 0;
    return status;
}

static kz_status take_and_decide(const bench_clock *clock, const bench_rule *rule, size_t index,
                                 bench_series *series, size_t *look, kz_error *error) {
    kz_status status = take(clock, index, series, error);
    if (status) return status;
    if (series->count >= *look || series->spent >= rule->most_seconds) {
        series->state = bench_decide(rule, series->samples, series->count, series->spent);
        *look = bench_next_look(series->count);
    }
    return KZ_OK;
}

static kz_status sample_all(const bench_clock *clock, const bench_rule *rule, size_t count,
                            bench_series *series, size_t *looks, kz_error *error) {
    kz_status status = KZ_OK;
    bool going_on = true;
    for (size_t round = 0; going_on; round++) {
        going_on = false;
        for (size_t turn = 0; turn < count; turn++) {
            size_t index = round % 2 ? count - 1 - turn : turn;
            if (series[index].state != BENCH_GO_ON) continue;
            if (is_interrupted(clock)) return KZ_OK;
            status = take_and_decide(clock, rule, index, &series[index], &looks[index], error);
            if (status) return status;
            going_on = true;
        }
    }
    return KZ_OK;
}

kz_status bench_measure(const bench_clock *clock, const bench_rule *rule, size_t count, bench_series *series,
                        kz_error *error) {
    for (size_t i = 0; i < count; i++) series[i] = (bench_series){0};
    size_t *looks = calloc(count ? count : 1, sizeof *looks);
    if (!looks) return base_fail(error, KZ_NO_MEMORY, "no memory to measure %zu candidates", count);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < count && !status; i++) status = warm_up(clock, rule, i, &series[i], error);
    if (!status) status = sample_all(clock, rule, count, series, looks, error);
    free(looks);
    for (size_t i = 0; i < count; i++)
        if (!bench_summarise(series[i].samples, series[i].count, &series[i].summary) && !status)
            status = base_fail(error, KZ_NO_MEMORY, "no memory to sort %zu samples", series[i].count);
    return status;
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

void bench_series_free(bench_series *series) {
    free(series->samples);
    *series = (bench_series){0};
}

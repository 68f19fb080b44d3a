// The measuring loop on a clock that is a table: what it samples, in which order, when it stops.
#include "bench/measure.h"

#include "base/base.h"
#include "unit.h"

enum { CANDIDATES = 3, LOG = 100000 };

typedef struct fake {
    double time;              // the wall clock
    double cost[CANDIDATES];  // seconds a run takes
    double noise[CANDIDATES]; // share of it that is random
    size_t cold[CANDIDATES];  // the first so many runs take twice as long
    size_t taken[CANDIDATES];
    size_t fail_at, interrupt_at;   // sample number; 0 is never
    size_t fail_own_at[CANDIDATES]; // that sample of the candidate is its last; 0 is never
    double half;                    // when bench_sustain had half its time
    size_t total;
    unsigned char log[LOG];
} fake;

static kz_status fake_sample(void *self, size_t index, double *seconds, kz_error *error) {
    fake *f = self;
    f->total++;
    if (f->fail_at && f->total == f->fail_at) return base_fail(error, KZ_LOST, "the device is gone");
    if (f->fail_own_at[index] && f->taken[index] + 1 == f->fail_own_at[index])
        return base_fail(error, KZ_TOOL, "%zu has crashed", index);
    double share = (double)base_philox(5, index, f->taken[index]).word[0] / 4294967296.0 - 0.5;
    *seconds = f->cost[index] * (1 + f->noise[index] * share) * (f->taken[index] < f->cold[index] ? 2 : 1);
    f->taken[index]++;
    f->time += *seconds + 1e-4; // 100 us to flush
    if (f->total <= LOG) f->log[f->total - 1] = (unsigned char)index;
    return KZ_OK;
}

static double fake_now(void *self) { return ((fake *)self)->time; }

static bool fake_interrupted(void *self) {
    fake *f = self;
    return f->interrupt_at && f->total >= f->interrupt_at;
}

static bench_clock clock_of(fake *f) {
    return (bench_clock){.self = f, .sample = fake_sample, .now = fake_now, .interrupted = fake_interrupted};
}

static void free_all(bench_series *series) {
    for (size_t i = 0; i < CANDIDATES; i++) bench_series_free(&series[i]);
}

static void medians_are_found_and_warm_up_is_left_out(void **state) {
    (void)state;
    fake f = {.cost = {1e-5, 2e-5, 3e-4}, .noise = {0.01, 0.01, 0.01}, .cold = {7, 15, 0}};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    for (size_t i = 0; i < CANDIDATES; i++) {
        assert_int_equal(series[i].state, BENCH_CONVERGED);
        assert_true(series[i].warm);
        assert_true(series[i].count >= 30 && series[i].spent >= 0.3);
        assert_true(series[i].warm_samples >= f.cold[i]);
        assert_float_equal(series[i].summary.median / f.cost[i], 1, 0.005);
        assert_true(series[i].summary.most < 1.5 * f.cost[i]); // no cold run among them
    }
    free_all(series);
}

static void turns_go_forwards_and_backwards(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 1e-3, 1e-3}};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    const unsigned char expected[] = {0, 1, 2, 2, 1, 0, 0, 1, 2};
    size_t start = series[0].warm_samples + series[1].warm_samples + series[2].warm_samples;
    assert_memory_equal(f.log + start, expected, sizeof expected);
    free_all(series);
}

static void noise_ends_as_not_converged(void **state) {
    (void)state;
    fake f = {.cost = {1e-2, 1e-2, 1e-2}, .noise = {0.001, 1.9, 0.001}};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    rule.most_seconds = 2;
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    assert_int_equal(series[0].state, BENCH_CONVERGED);
    assert_int_equal(series[1].state, BENCH_NOT_CONVERGED);
    assert_int_equal(series[2].state, BENCH_CONVERGED);
    assert_true(series[1].spent >= 2 && series[1].spent < 2.1);
    assert_true(series[1].count > series[0].count); // the quiet ones did not wait for the noisy one
    free_all(series);
}

static void a_slow_candidate_is_bounded(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 3.0, 1e-3}};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    rule.most_seconds = 5;
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    assert_int_equal(series[1].warm_samples, 1);
    assert_false(series[1].warm);
    assert_int_equal(series[1].count, 3);
    assert_int_equal(series[1].state, BENCH_NOT_CONVERGED);
    free_all(series);
}

static void an_error_keeps_what_was_sampled(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 1e-3, 1e-3}, .fail_at = 100};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    kz_error error = {0};
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, &error), KZ_LOST);
    assert_non_null(strstr(error.message, "the device is gone"));
    assert_int_equal(series[0].warm_samples + series[1].warm_samples + series[2].warm_samples +
                         series[0].count + series[1].count + series[2].count,
                     99);
    assert_true(series[0].summary.median > 0);
    free_all(series);
}

static void a_candidate_that_fails_drops_out(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 1e-3, 1e-3}, .fail_own_at = {1, 50, 0}};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    kz_error errors[CANDIDATES] = {{0}};
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, errors, NULL), KZ_OK);
    assert_int_equal(series[0].status, KZ_TOOL); // while it warmed up
    assert_int_equal(series[0].count, 0);
    assert_int_equal(series[1].status, KZ_TOOL);
    assert_int_equal(series[1].warm_samples + series[1].count, 49);
    assert_non_null(strstr(errors[1].message, "1 has crashed"));
    assert_int_equal(series[2].status, KZ_OK);
    assert_int_equal(series[2].state, BENCH_CONVERGED);
    free_all(series);
}

// The first two are here, the third is in another process.
static size_t fake_process(void *self, size_t index) { return index == 2; }

static bench_clock clock_of_two_processes(fake *f) {
    bench_clock clock = clock_of(f);
    clock.process = fake_process;
    return clock;
}

// As on a GPU that goes from one process to another and back: with the other process in the rounds a sample takes longer.
static kz_status slow_beside_another(void *self, size_t index, double *seconds, kz_error *error) {
    fake *f = self;
    bool beside = false;
    for (size_t i = 1; i <= 4 && i <= f->total; i++)
        beside = beside || (f->log[f->total - i] == 2) != (index == 2);
    kz_status status = fake_sample(self, index, seconds, error);
    if (!status && beside) *seconds *= 1.2;
    return status;
}

static void nobody_leaves_rounds_with_another_process(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 1e-3, 1e-3}, .noise = {0.3, 0.001, 0.001}};
    bench_clock clock = clock_of_two_processes(&f);
    clock.sample = slow_beside_another;
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    assert_true(series[0].count > 300); // the noisy one decides how long it takes
    for (size_t i = 0; i < CANDIDATES; i++) {
        assert_int_equal(series[i].state, BENCH_CONVERGED);
        assert_int_equal(series[i].count, series[0].count);
    }
    // Beginning to end the last candidate was sampled beside the others: its median is that of these turns.
    assert_float_equal(series[2].summary.median, 1.2e-3, 2e-5);
    assert_true(series[2].summary.least > 1.19e-3);
    free_all(series);
}

// One whose time is over leaves, if its process stays; the only one of its process is sampled on.
static void a_slow_candidate_stands_for_its_process(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 0.5, 0.1}, .noise = {0.01, 0, 0}};
    bench_clock clock = clock_of_two_processes(&f);
    bench_rule rule = bench_default_rule();
    rule.most_seconds = 2;
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    assert_int_equal(series[0].state, BENCH_CONVERGED);
    assert_int_equal(series[1].state, BENCH_NOT_CONVERGED);
    assert_int_equal(series[1].count, 4);
    assert_true(series[2].spent > 2 && series[2].count == series[0].count);
    free_all(series);
    f = (fake){.cost = {1e-3, 1e-3, 1}, .noise = {0.9, 0, 0}}; // but not for ever
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    assert_int_equal(series[0].state, BENCH_NOT_CONVERGED);
    assert_int_equal(series[2].count, 8);
    free_all(series);
}

static void samples_beside_a_process_that_was_lost_do_not_count(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 1e-3, 1e-3}, .noise = {0.01, 0.01, 0.01}, .fail_own_at = {0, 0, 50}};
    bench_clock clock = clock_of_two_processes(&f);
    clock.sample = slow_beside_another;
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    kz_error errors[CANDIDATES] = {{0}};
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, errors, NULL), KZ_OK);
    assert_int_equal(series[2].status, KZ_TOOL);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(series[i].state, BENCH_CONVERGED);
        assert_float_equal(series[i].summary.ninety_fifth_percentile, 1e-3, 1e-5);
    }
    free_all(series);
}

static void an_interruption_keeps_what_was_sampled(void **state) {
    (void)state;
    fake f = {.cost = {1e-3, 1e-3, 1e-3}, .interrupt_at = 120};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    bench_series series[CANDIDATES];
    assert_int_equal(bench_measure(&clock, &rule, CANDIDATES, series, NULL, NULL), KZ_OK);
    assert_int_equal(f.total, 120);
    assert_int_equal(series[0].state, BENCH_GO_ON);
    assert_true(series[0].count > 0);
    free_all(series);
}

static void note_time(void *context) {
    fake *f = context;
    f->half = f->time;
}

// The first half is slow, as on a GPU that has yet to settle: the figure is of the second, and nobody comes between.
static void what_is_sustained_is_told_by_its_second_half(void **state) {
    (void)state;
    fake f = {.cost = {1, 1e-2, 1}, .cold = {0, 50, 0}};
    bench_clock clock = clock_of(&f);
    bench_rule rule = bench_default_rule();
    bench_series series;
    assert_int_equal(bench_sustain(&clock, &rule, 2, 1, &series, note_time, &f, NULL), KZ_OK);
    assert_int_equal(series.state, BENCH_CONVERGED);
    assert_true(f.half >= 1 && f.half < 1.1 && f.time >= 2 && f.time < 2.1);
    assert_true(series.warm && series.warm_samples == 50);
    assert_float_equal(series.summary.median, 1e-2, 1e-9);
    assert_float_equal(series.summary.most, 1e-2, 1e-9);
    for (size_t i = 0; i < f.total; i++) assert_int_equal(f.log[i], 1);
    bench_series_free(&series);
    f = (fake){.cost = {1, 1e-2, 1},
               .noise = {0, 0.5, 0}}; // a hundred samples, and still within some percent
    assert_int_equal(bench_sustain(&clock, &rule, 2, 1, &series, note_time, &f, NULL), KZ_OK);
    assert_true(bench_relative_error(&series.summary) > rule.precision);
    assert_int_equal(series.state, BENCH_NOT_CONVERGED);
    bench_series_free(&series);
    f = (fake){.cost = {1, 1e-2, 1}, .interrupt_at = 20};
    assert_int_equal(bench_sustain(&clock, &rule, 2, 1, &series, note_time, &f, NULL), KZ_OK);
    assert_int_equal(series.state, BENCH_GO_ON);
    assert_int_equal(series.count, 0);
    bench_series_free(&series);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medians_are_found_and_warm_up_is_left_out),
        cmocka_unit_test(turns_go_forwards_and_backwards),
        cmocka_unit_test(noise_ends_as_not_converged),
        cmocka_unit_test(a_slow_candidate_is_bounded),
        cmocka_unit_test(an_error_keeps_what_was_sampled),
        cmocka_unit_test(a_candidate_that_fails_drops_out),
        cmocka_unit_test(nobody_leaves_rounds_with_another_process),
        cmocka_unit_test(a_slow_candidate_stands_for_its_process),
        cmocka_unit_test(samples_beside_a_process_that_was_lost_do_not_count),
        cmocka_unit_test(an_interruption_keeps_what_was_sampled),
        cmocka_unit_test(what_is_sustained_is_told_by_its_second_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

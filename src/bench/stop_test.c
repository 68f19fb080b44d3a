// The stopping rule, on samples made up for it.
#include "bench/stop.h"

#include "base/base.h"
#include "unit.h"

enum { COUNT = 400 };

// Around 10 us, with the given share of noise.
static void make(double *samples, size_t count, double noise) {
    for (size_t i = 0; i < count; i++)
        samples[i] = 1e-5 * (1 + noise * ((double)base_philox(3, 0, i).word[0] / 4294967296.0 - 0.5));
}

static void quiet_samples_converge(void **state) {
    (void)state;
    bench_rule rule = bench_default_rule();
    double samples[COUNT];
    make(samples, COUNT, 0.01);
    assert_int_equal(bench_decide(&rule, samples, 30, 0.31), BENCH_CONVERGED);
}

static void too_few_or_too_short_goes_on(void **state) {
    (void)state;
    bench_rule rule = bench_default_rule();
    double samples[COUNT];
    make(samples, COUNT, 0.001);
    assert_int_equal(bench_decide(&rule, samples, 29, 1.0), BENCH_GO_ON);
    assert_int_equal(bench_decide(&rule, samples, 300, 0.29), BENCH_GO_ON);
    assert_int_equal(bench_decide(&rule, samples, 300, 0.30), BENCH_CONVERGED);
}

static void noise_asks_for_more_and_then_gives_up(void **state) {
    (void)state;
    bench_rule rule = bench_default_rule();
    double samples[COUNT];
    make(samples, COUNT, 0.5);
    assert_int_equal(bench_decide(&rule, samples, 40, 1.0), BENCH_GO_ON);
    assert_int_equal(bench_decide(&rule, samples, 40, 9.9), BENCH_GO_ON);
    assert_int_equal(bench_decide(&rule, samples, 40, 10.0), BENCH_NOT_CONVERGED);
}

// A kernel of four seconds: three samples, then the truth about them.
static void a_slow_kernel_stops_after_three(void **state) {
    (void)state;
    bench_rule rule = bench_default_rule();
    double samples[] = {4, 4, 4};
    assert_int_equal(bench_decide(&rule, samples, 2, 12), BENCH_GO_ON);
    assert_int_equal(bench_decide(&rule, samples, 3, 12), BENCH_NOT_CONVERGED);
}

static void warm_is_two_medians_of_ten_that_agree(void **state) {
    (void)state;
    bench_rule rule = bench_default_rule();
    double samples[40];
    for (size_t i = 0; i < 40; i++) samples[i] = i < 10 ? 2.0 : 1.0; // the first ten are cold
    assert_false(bench_is_warm(&rule, samples, 19));
    assert_false(bench_is_warm(&rule, samples, 20));
    assert_true(bench_is_warm(&rule, samples, 30));
    for (size_t i = 30; i < 40; i++) samples[i] = 1.011;
    assert_false(bench_is_warm(&rule, samples, 40));
    for (size_t i = 30; i < 40; i++) samples[i] = 1.009;
    assert_true(bench_is_warm(&rule, samples, 40));
}

static void looks_grow_rarer(void **state) {
    (void)state;
    assert_int_equal(bench_next_look(3), 4);
    assert_int_equal(bench_next_look(30), 33);
    assert_int_equal(bench_next_look(1000), 1100);
}

static void a_limit_holds_for_warming_up_too(void **state) {
    bench_rule rule = bench_suite_rule();
    bench_rule_limit(&rule, 0);
    assert_true(rule.most_seconds == 2.5 && rule.warm_seconds == 0.4);
    bench_rule_limit(&rule, 0.1);
    assert_true(rule.most_seconds == 0.1 && rule.warm_seconds == 0.1 && rule.least_seconds == 0.1);
    bench_rule_limit(&rule, 5);
    assert_true(rule.most_seconds == 5 && rule.warm_seconds == 0.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_samples_converge),
        cmocka_unit_test(too_few_or_too_short_goes_on),
        cmocka_unit_test(noise_asks_for_more_and_then_gives_up),
        cmocka_unit_test(a_slow_kernel_stops_after_three),
        cmocka_unit_test(warm_is_two_medians_of_ten_that_agree),
        cmocka_unit_test(looks_grow_rarer),
        cmocka_unit_test(a_limit_holds_for_warming_up_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Statistics on samples whose answers are known: by hand, by published ranks, or by how they were made.
#include "bench/stats.h"

#include <math.h>

#include "base/base.h"
#include "unit.h"

static double uniform(uint64_t seed, uint64_t i) {
    return ((double)base_philox(seed, 7, i).word[0] + 0.5) / 4294967296.0;
}

static void the_median_is_the_middle(void **state) {
    (void)state;
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
    assert_float_equal(bench_median(odd, 3), 3, 0);
    assert_float_equal(bench_median(even, 4), 2.5, 0);
    assert_float_equal(bench_median(even, 0), 0, 0);
}

// Ranks as tables of the sign test print them for 95%.
static void the_interval_has_the_ranks_of_the_sign_test(void **state) {
    (void)state;
    static const struct {
        size_t count, rank;
    } rows[] = {{0, 0},  {1, 0},  {5, 0},   {6, 1},   {8, 1},   {9, 2},
                {10, 2}, {20, 6}, {30, 10}, {40, 14}, {100, 40}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        assert_int_equal(bench_median_rank(rows[i].count), rows[i].rank);
    // The approximation above 1000 samples joins the exact ranks below it.
    assert_in_range(bench_median_rank(1001), bench_median_rank(1000) - 2, bench_median_rank(1000) + 1);
}

static void a_summary_leaves_the_samples_alone(void **state) {
    (void)state;
    double samples[] = {9, 1, 8, 2, 7, 3, 6, 4, 5};
    bench_summary s;
    assert_true(bench_summarise(samples, 9, &s));
    assert_float_equal(samples[0], 9, 0);
    assert_float_equal(s.median, 5, 0);
    assert_float_equal(s.low, 2, 0);
    assert_float_equal(s.high, 8, 0);
    assert_true(s.has_interval);
    assert_float_equal(s.least, 1, 0);
    assert_float_equal(s.first_quartile, 3, 0);
    assert_float_equal(s.third_quartile, 7, 0);
    assert_float_equal(s.ninety_fifth_percentile, 8.6, 1e-12);
    assert_float_equal(s.ninety_ninth_percentile, 8.92, 1e-12);
    assert_float_equal(s.most, 9, 0);
    assert_float_equal(bench_relative_error(&s), 0.6, 1e-12);
}

static void few_samples_have_no_interval(void **state) {
    (void)state;
    double samples[] = {1, 1, 1};
    bench_summary s;
    assert_true(bench_summarise(samples, 3, &s));
    assert_false(s.has_interval);
    assert_float_equal(bench_relative_error(&s), 1, 0);
    assert_true(bench_summarise(samples, 0, &s));
    assert_float_equal(s.median, 0, 0);
}

// 400 rows of 40 draws from a skewed distribution: the interval must hold the true median about 95 times in
// 100, and must not be so wide that it always does.
static void the_interval_covers_the_true_median(void **state) {
    (void)state;
    enum { ROWS = 400, COUNT = 40 };
    double truth = -log(0.5);
    int covered = 0;
    for (uint64_t row = 0; row < ROWS; row++) {
        double samples[COUNT];
        for (uint64_t i = 0; i < COUNT; i++) samples[i] = -log(uniform(11, row * COUNT + i));
        bench_summary s;
        assert_true(bench_summarise(samples, COUNT, &s));
        covered += s.low <= truth && truth <= s.high;
    }
    assert_in_range(covered, 370, 398);
}

// `pairs` samples of two kernels, `factor` apart, under drift that both feel and noise of their own.
static void make_pairs(double *a, double *b, size_t pairs, double factor, double noise, uint64_t seed) {
    for (size_t i = 0; i < pairs; i++) {
        double drift = 1 + 0.2 * (double)i / (double)pairs;
        a[i] = 1e-5 * factor * drift * (1 + noise * (uniform(seed, 2 * i) - 0.5));
        b[i] = 1e-5 * drift * (1 + noise * (uniform(seed, 2 * i + 1) - 0.5));
    }
}

static void paired_ratios_see_through_drift(void **state) {
    (void)state;
    double a[200], b[200];
    bench_ratio r;
    make_pairs(a, b, 200, 1.05, 0.02, 1);
    assert_true(bench_compare(a, b, 200, 42, &r));
    assert_true(r.valid);
    assert_int_equal(r.pairs, 200);
    assert_true(r.low < r.ratio && r.ratio < r.high);
    assert_true(r.low > 1.04 && r.high < 1.06);
    assert_int_equal(bench_judge(&r, 0.02), BENCH_SLOWER);
    assert_true(bench_compare(b, a, 200, 42, &r));
    assert_int_equal(bench_judge(&r, 0.02), BENCH_FASTER);
}

static void equal_kernels_are_the_same(void **state) {
    (void)state;
    double a[200], b[200];
    bench_ratio r;
    make_pairs(a, b, 200, 1.0, 0.02, 3);
    assert_true(bench_compare(a, b, 200, 42, &r));
    assert_int_equal(bench_judge(&r, 0.02), BENCH_SAME);
}

static void noise_leaves_it_undecided(void **state) {
    (void)state;
    double a[12], b[12];
    bench_ratio r;
    make_pairs(a, b, 12, 1.03, 1.0, 5);
    assert_true(bench_compare(a, b, 12, 42, &r));
    assert_int_equal(bench_judge(&r, 0.02), BENCH_UNDECIDED);
}

static void the_same_seed_gives_the_same_interval(void **state) {
    (void)state;
    double a[50], b[50];
    bench_ratio r, again, other;
    make_pairs(a, b, 50, 1.0, 0.5, 9);
    assert_true(bench_compare(a, b, 50, 1, &r) && bench_compare(a, b, 50, 1, &again) &&
                bench_compare(a, b, 50, 2, &other));
    assert_true(r.low == again.low && r.high == again.high);
    assert_true(r.low != other.low || r.high != other.high);
}

// For identical pairs every resample has the same median; an even number takes both middles.
static void a_resample_takes_both_middles(void **state) {
    (void)state;
    double a[4] = {2, 2, 2, 2}, b[4] = {1, 1, 1, 1};
    bench_ratio r;
    assert_true(bench_compare(a, b, 4, 1, &r));
    assert_float_equal(r.ratio, 2, 1e-12);
    assert_float_equal(r.low, 2, 1e-12);
    assert_float_equal(r.high, 2, 1e-12);
}

static void nothing_to_compare_is_not_valid(void **state) {
    (void)state;
    double zero[3] = {0, 0, 0}, one[3] = {1, 1, 1};
    bench_ratio r;
    assert_true(bench_compare(zero, one, 3, 1, &r));
    assert_false(r.valid);
    assert_true(bench_compare(one, one, 0, 1, &r));
    assert_int_equal(bench_judge(&r, 0.02), BENCH_UNDECIDED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_is_the_middle),
        cmocka_unit_test(the_interval_has_the_ranks_of_the_sign_test),
        cmocka_unit_test(a_summary_leaves_the_samples_alone),
        cmocka_unit_test(few_samples_have_no_interval),
        cmocka_unit_test(the_interval_covers_the_true_median),
        cmocka_unit_test(paired_ratios_see_through_drift),
        cmocka_unit_test(equal_kernels_are_the_same),
        cmocka_unit_test(noise_leaves_it_undecided),
        cmocka_unit_test(the_same_seed_gives_the_same_interval),
        cmocka_unit_test(a_resample_takes_both_middles),
        cmocka_unit_test(nothing_to_compare_is_not_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Targets: rows read, wrong rows named, goals judged on an outcome made up for it.
#include "bench/target.h"

#include <math.h>
#include <stdio.h>

#include "base/base.h"
#include "unit.h"

static const kz_family family = {.name = "toy",
                                 .operations = (const char *const[]){"sum", NULL},
                                 .axes = (const char *const[]){"n", NULL}};
static const kz_case big = {.type = KZ_F32, .axes = {1 << 28}};

static const char good[] = "gpu,case,metric,goal,rival\n"
                           "# the anchor\n"
                           "h200,sum-f32-n268435456-uniform,bytes_per_s,4.3e12,torch\n"
                           "\n"
                           "h200,sum-f32-*,speedup,0.98,cub\r\n"
                           "a100,sum-f32-*,of_copy,0.85,";

static void rows_are_read(void **state) {
    (void)state;
    bench_targets targets;
    assert_int_equal(bench_targets_parse(good, "targets.csv", &targets, NULL), KZ_OK);
    assert_int_equal(targets.count, 3);
    assert_string_equal(targets.rows[0].rival, "torch");
    assert_float_equal(targets.rows[0].goal, 4.3e12, 0);
    assert_string_equal(targets.rows[1].rival, "cub");
    assert_string_equal(targets.rows[2].rival, "");
    assert_true(bench_target_holds(&targets.rows[0], "h200", &family, &big));
    assert_true(bench_target_holds(&targets.rows[1], "h200", &family, &big));
    assert_false(bench_target_holds(&targets.rows[2], "h200", &family, &big));
    kz_case small = big;
    small.axes[0] = 1 << 20;
    assert_false(bench_target_holds(&targets.rows[0], "h200", &family, &small));
}

static void wrong_rows_are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } rows[] = {{"header\nh200,x,bytes_per_s,fast,cub", "t.csv:2: \"fast\" is not a number"},
                {"header\n\nh200,x,bytes,1,cub", "t.csv:3: \"bytes\" is not a metric"},
                {"header\nh200,x,of_copy,1", "t.csv:2: a row has 5 columns"},
                {"header\nh200,x,of_copy,1,cub,", "t.csv:2: a row has 5 columns"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_targets targets;
        kz_error error = {0};
        assert_int_equal(bench_targets_parse(rows[i].text, "t.csv", &targets, &error), KZ_SYNTAX);
        assert_non_null(strstr(error.message, rows[i].says));
    }
}

// Ours takes 500 us, the rival 495 us, for 2^30 bytes.
static bench_outcome outcome(double *ours, double *theirs, size_t count) {
    bench_outcome o = {.count = 2, .timed = true, .condition_count = 1, .figure = 0};
    for (size_t i = 0; i < count; i++) ours[i] = 500e-6, theirs[i] = 495e-6;
    snprintf(o.results[1].candidate.by, sizeof o.results[1].candidate.by, "cub");
    o.results[1].candidate.provider = BENCH_PEER;
    bench_timing *a = &o.results[0].timings[0], *b = &o.results[1].timings[0];
    a->taken = b->taken = true;
    a->series = (bench_series){.samples = ours, .count = count};
    b->series = (bench_series){.samples = theirs, .count = count};
    a->bytes_per_s = 4.2e12;
    a->of_copy = 0.97;
    return o;
}

static void goals_are_judged(void **state) {
    (void)state;
    bench_targets targets;
    double ours[40], theirs[40];
    bench_outcome o = outcome(ours, theirs, 40);
    assert_int_equal(bench_targets_parse(good, "targets.csv", &targets, NULL), KZ_OK);
    bench_target_verdict v = bench_target_judge(&targets.rows[0], &o, 0);
    assert_false(v.met);
    assert_float_equal(v.value, 4.2e12, 1);
    v = bench_target_judge(&targets.rows[1], &o, 0);
    assert_float_equal(v.value, 0.99, 1e-9);
    assert_true(v.met);
    v = bench_target_judge(&targets.rows[2], &o, 0);
    assert_true(v.met);
    // Of both that speak of this case, the one that is further from being met.
    v = bench_targets_judge(&targets, "h200", &family, &big, &o, 0);
    assert_ptr_equal(v.target, &targets.rows[0]);
    v = bench_targets_judge(&targets, "b200", &family, &big, &o, 0);
    assert_null(v.target);
}

static void a_rival_that_did_not_run_leaves_it_open(void **state) {
    (void)state;
    bench_targets targets;
    double ours[40], theirs[40];
    bench_outcome o = outcome(ours, theirs, 40);
    o.count = 1;
    assert_int_equal(bench_targets_parse(good, "targets.csv", &targets, NULL), KZ_OK);
    bench_target_verdict v = bench_target_judge(&targets.rows[1], &o, 0);
    assert_true(isnan(v.value));
    assert_false(v.met);
}

// A process that works in between changes what short runs take: then a ratio counts to such a rival alone.
static void a_ratio_counts_without_other_processes(void **state) {
    (void)state;
    const bench_target cub = {.metric = "speedup", .rival = "cub"},
                       torch = {.metric = "speedup", .rival = "torch"}, copy = {.metric = "of_copy"};
    assert_true(bench_target_counts_beside(&cub, ""));
    assert_false(bench_target_counts_beside(&cub, "torch_compile, triton"));
    assert_false(bench_target_counts_beside(&torch, "torch_compile, triton"));
    assert_true(bench_target_counts_beside(&torch, "torch_compile, torch"));
    assert_true(bench_target_counts_beside(&copy, "torch"));
    double ours[40], theirs[40];
    bench_outcome o = outcome(ours, theirs, 40);
    assert_false(isnan(bench_target_judge(&cub, &o, 0).value));
    snprintf(o.beside[0], sizeof o.beside[0], "torch");
    assert_true(isnan(bench_target_judge(&cub, &o, 0).value));
}

static void of_several_candidates_the_fastest_is_the_rival(void **state) {
    (void)state;
    bench_targets targets;
    double ours[40], theirs[40], faster[40];
    bench_outcome o = outcome(ours, theirs, 40);
    for (size_t i = 0; i < 40; i++) faster[i] = theirs[i] / 2;
    o.results[o.count] = o.results[1];
    o.results[o.count++].timings[0].series.samples = faster;
    assert_int_equal(bench_targets_parse(good, "targets.csv", &targets, NULL), KZ_OK);
    assert_float_equal(bench_target_judge(&targets.rows[1], &o, 0).value, 0.99 / 2, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read),
        cmocka_unit_test(wrong_rows_are_named),
        cmocka_unit_test(goals_are_judged),
        cmocka_unit_test(a_rival_that_did_not_run_leaves_it_open),
        cmocka_unit_test(a_ratio_counts_without_other_processes),
        cmocka_unit_test(of_several_candidates_the_fastest_is_the_rival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// From winners to the rows of choice.csv.
#include "bench/tune.h"

#include <stdlib.h>

#include "unit.h"

static const kz_family family = {.name = "toy",
                                 .operations = (const char *const[]){"sum", "min", "max", NULL},
                                 .axes = (const char *const[]){"n", NULL}};

static void expect_rows(bench_win *wins, size_t count, const char *wanted) {
    base_text rows = {0};
    bench_tune_rows(&family, "h200", wins, count, &rows);
    assert_string_equal(rows.data, wanted);
    base_text_free(&rows);
}

static void neighbours_with_one_winner_are_one_range(void **state) {
    (void)state;
    bench_win wins[] = {{KZ_F32, 0, 1 << 24, "03"}, // in any order
                        {KZ_F32, 0, 1 << 20, "02"},
                        {KZ_F32, 0, 1 << 26, "03"},
                        {KZ_F32, 0, 1 << 16, "02"}};
    expect_rows(wins, 4, "h200,*,*,0,4194304,02\nh200,*,*,4194304,,03\n"); // 2^22 lies between 2^20 and 2^24
}

static void what_agrees_is_said_once(void **state) {
    (void)state;
    bench_win same[] = {{KZ_F32, 0, 1 << 20, "03"}, {KZ_F32, 2, 1 << 28, "03"}, {KZ_F16, 0, 1 << 28, "03"}};
    expect_rows(same, 3, "h200,*,*,0,,03\n");
    bench_win types[] = {{KZ_F32, 0, 1 << 20, "02"}, {KZ_F32, 2, 1 << 20, "02"}, {KZ_F16, 0, 1 << 20, "04"}};
    expect_rows(types, 3, "h200,f32,*,0,,02\nh200,f16,*,0,,04\nh200,*,*,0,,02\n");
}

// The first row that holds is taken: what was measured comes before what stands for the rest.
static void what_was_measured_comes_first(void **state) {
    (void)state;
    bench_win wins[] = {{KZ_F32, 0, 100, "02"}, {KZ_F32, 2, 100, "05"}, {KZ_I32, 2, 100, "07"}};
    expect_rows(wins, 3,
                "h200,f32,sum,0,,02\nh200,f32,max,0,,05\nh200,f32,*,0,,02\n"
                "h200,i32,*,0,,07\nh200,*,*,0,,02\n");
    base_text none = {0};
    bench_tune_rows(&family, "h200", wins, 0, &none);
    assert_null(none.data);
}

static void expect_merged(const char *before, const char *wanted) {
    base_text after = {0};
    bench_tune_merge(before, "h200", "h200,*,*,0,,09\n", &after);
    assert_string_equal(after.data, wanted);
    base_text_free(&after);
}

static void other_rows_stay(void **state) {
    (void)state;
    expect_merged("gpu,type\n# "
                  "why\nh100,*,*,0,,01\nh200,f32,*,0,,02\nh200x,*,*,0,,03\nh200,*,*,0,,04\na100,*,*,0,,05\n",
                  "gpu,type\n# why\nh100,*,*,0,,01\nh200,*,*,0,,09\nh200x,*,*,0,,03\na100,*,*,0,,05\n");
    expect_merged("gpu,type\na100,*,*,0,,05", "gpu,type\na100,*,*,0,,05\nh200,*,*,0,,09\n"); // a new GPU
    expect_merged("gpu,type\na100,*,*,0,,05\n*,*,*,0,,02\n", // before the defaults
                  "gpu,type\na100,*,*,0,,05\nh200,*,*,0,,09\n*,*,*,0,,02\n");
    expect_merged("gpu,type\nh200,*,*,0,,09\n", "gpu,type\nh200,*,*,0,,09\n");
}

static void put(bench_outcome *o, bench_provider provider, double seconds) {
    bench_result *r = &o->results[o->count++];
    r->candidate.provider = provider;
    r->timings[0].taken = true;
    r->timings[0].series.summary.median = seconds;
}

static void a_later_variant_must_earn_its_place(void **state) {
    (void)state;
    bench_outcome *o = calloc(1, sizeof *o);
    assert_int_equal(bench_tune_winner(o), -1);
    put(o, BENCH_ZOO, 1.000);
    put(o, BENCH_ZOO, 0.995); // faster, but not by enough
    assert_int_equal(bench_tune_winner(o), 0);
    put(o, BENCH_ZOO, 0.985);
    assert_int_equal(bench_tune_winner(o), 2);
    put(o, BENCH_PEER, 0.5); // rivals and peaks are no choice of ours
    put(o, BENCH_PEAK, 0.4);
    put(o, BENCH_ZOO, 0.3);
    o->results[5].status = KZ_WRONG;
    put(o, BENCH_ZOO, 0.2);
    o->results[6].timings[0].taken = false;
    assert_int_equal(bench_tune_winner(o), 2);
    free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_with_one_winner_are_one_range),
        cmocka_unit_test(what_agrees_is_said_once),
        cmocka_unit_test(what_was_measured_comes_first),
        cmocka_unit_test(other_rows_stay),
        cmocka_unit_test(a_later_variant_must_earn_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

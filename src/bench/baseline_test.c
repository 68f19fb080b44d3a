// New records against earlier ones: the newest of the same kind counts, noise is no change, a count is exact.
#include "bench/baseline.h"

#include "unit.h"

#define RECORD(time, mode, variant, figures)                                                                 \
    "{\"run\":{\"time\":\"" time "\"},\"code\":{\"commit\":\"c" time "\"},\"device\":{\"name\":\"H200\"},"   \
    "\"case\":{\"family\":\"f\",\"name\":\"n8\"},\"candidate\":{\"by\":\"kz\",\"name\":\"" variant           \
    "\"},\"mode\":\"" mode "\",\"status\":\"ok\"," figures "}"
#define TIMES(low, median, high)                                                                             \
    "\"statistics\":{\"low_s\":" #low ",\"median_s\":" #median ",\"high_s\":" #high "}"
#define COUNTS(instructions, sectors)                                                                        \
    "\"counters\":{\"warp_instructions\":" #instructions ",\"global_sectors\":" #sectors "}"

static bench_change compare(const char *before, const char *now) {
    base_text list = {0};
    base_text_add(&list, "[%s]", before);
    json_t *records = json_loads(list.data, 0, NULL), *record = json_loads(now, 0, NULL);
    assert_true(records && record);
    static const kz_variant variants[] = {{.name = "02_new"}};
    static const kz_former_name former[] = {{"02_old", "02_new"}, {0}};
    static const kz_family family = {.variants = variants, .variant_count = 1, .former_names = former};
    bench_change change = bench_baseline_compare(records, record, &family);
    change.date = change.commit = change.beside.before = change.beside.now = NULL;
    json_decref(records);
    json_decref(record);
    base_text_free(&list);
    return change;
}

static void test_times(void **state) {
    static const char before[] =
        RECORD("2", "latency", "a", TIMES(99, 100, 101)) "," RECORD("1", "latency", "a", TIMES(1, 1, 1));
    bench_change c = compare(before, RECORD("3", "latency", "a", TIMES(108, 109, 110)));
    assert_int_equal(c.kind, BENCH_CHANGE_WORSE);
    assert_true(c.before == 100 && c.now == 109);
    assert_int_equal(compare(before, RECORD("3", "latency", "a", TIMES(104, 109, 110))).kind,
                     BENCH_CHANGE_NONE);
    assert_int_equal(compare(before, RECORD("3", "latency", "a", TIMES(89, 90, 91))).kind,
                     BENCH_CHANGE_BETTER);
    assert_int_equal(compare(before, RECORD("3", "throughput", "a", TIMES(200, 200, 200))).kind,
                     BENCH_CHANGE_UNKNOWN);
    assert_int_equal(compare(before, RECORD("3", "latency", "b", TIMES(200, 200, 200))).kind,
                     BENCH_CHANGE_UNKNOWN);
    assert_int_equal(compare(before, RECORD("3", "latency", "a", "\"statistics\":null")).kind,
                     BENCH_CHANGE_UNKNOWN);
}

// Earlier records say nothing of caches and streams: they are of cold ones, and of later ones.
static void test_conditions(void **state) {
#define UNDER(time, cache, stream, median)                                                                   \
    RECORD(time, "latency", "a",                                                                             \
           "\"cache\":{\"state\":\"" cache "\"},\"stream\":\"" stream "\"," TIMES(median, median, median))
    static const char old[] = RECORD("1", "latency", "a", TIMES(100, 100, 100));
    static const char dirty[] = UNDER("2", "dirty", "later", 150);
    assert_int_equal(compare(old, UNDER("3", "cold", "later", 200)).kind, BENCH_CHANGE_WORSE);
    assert_int_equal(compare(old, UNDER("3", "dirty", "later", 200)).kind, BENCH_CHANGE_UNKNOWN);
    assert_int_equal(compare(old, UNDER("3", "cold", "first", 200)).kind, BENCH_CHANGE_UNKNOWN);
    assert_int_equal(compare(dirty, UNDER("3", "dirty", "later", 200)).kind, BENCH_CHANGE_WORSE);
    assert_int_equal(compare(dirty, UNDER("3", "cold", "later", 200)).kind, BENCH_CHANGE_UNKNOWN);
}

// A process that works on the device in between changes what a run takes: only like is judged.
static void test_processes(void **state) {
#define BESIDE(time, names, median)                                                                          \
    RECORD(time, "latency", "a", "\"beside\":" names "," TIMES(median, median, median))
    static const char alone[] = BESIDE("1", "null", 100), torch[] = BESIDE("2", "\"torch\"", 200);
    static const char earlier[] = RECORD("1", "latency", "a", TIMES(100, 100, 100)); // had no such rivals
    bench_change c = compare(alone, torch);
    assert_int_equal(c.kind, BENCH_CHANGE_UNFAIR);
    assert_true(c.before == 100 && c.now == 200);
    assert_int_equal(compare(alone, BESIDE("3", "null", 200)).kind, BENCH_CHANGE_WORSE);
    assert_int_equal(compare(earlier, BESIDE("3", "null", 200)).kind, BENCH_CHANGE_WORSE);
    assert_int_equal(compare(earlier, torch).kind, BENCH_CHANGE_UNFAIR);
    assert_int_equal(compare(torch, BESIDE("3", "\"torch, triton\"", 200)).kind, BENCH_CHANGE_UNFAIR);
    // The newest of its like; another only where there is none.
    base_text both = {0};
    base_text_add(&both, "%s,%s", alone, torch);
    assert_int_equal(compare(both.data, BESIDE("3", "\"torch\"", 200)).kind, BENCH_CHANGE_NONE);
    assert_int_equal(compare(both.data, BESIDE("3", "null", 200)).kind, BENCH_CHANGE_WORSE);
    assert_true(compare(both.data, BESIDE("3", "\"liger\"", 200)).before == 200);
    base_text_free(&both);
}

// A look in passing is no figure, before and now.
static void test_quick_runs(void **state) {
    static const char before[] = RECORD("1", "latency", "a", TIMES(100, 100, 100)),
                      quick[] = RECORD("2", "latency", "a", "\"quick\":true," TIMES(10, 10, 10));
    assert_int_equal(compare(before, quick).kind, BENCH_CHANGE_UNKNOWN);
    assert_int_equal(compare(quick, before).kind, BENCH_CHANGE_UNKNOWN);
}

static void test_former_names(void **state) {
    bench_change c = compare(RECORD("1", "counters", "02_old", COUNTS(1000, 64)),
                             RECORD("2", "counters", "02_new", COUNTS(1000, 65)));
    assert_int_equal(c.kind, BENCH_CHANGE_WORSE);
}

static void test_counts(void **state) {
    static const char before[] = RECORD("1", "counters", "a", COUNTS(1000, 64));
    bench_change c = compare(before, RECORD("2", "counters", "a", COUNTS(999, 65)));
    assert_int_equal(c.kind, BENCH_CHANGE_WORSE); // what grew counts, whatever shrank
    assert_string_equal(c.what, "global_sectors");
    assert_int_equal(compare(before, RECORD("2", "counters", "a", COUNTS(1000, 64))).kind, BENCH_CHANGE_NONE);
    c = compare(before, RECORD("2", "counters", "a", COUNTS(900, 64)));
    assert_int_equal(c.kind, BENCH_CHANGE_BETTER);
    assert_string_equal(c.what, "warp_instructions");
}

static void test_a_baseline_that_is_not_there(void **state) {
    json_t *records;
    kz_error error = {0};
    assert_int_equal(bench_baseline_read("/nowhere.jsonl", &records, &error), KZ_NOT_FOUND);
    assert_null(records);
    assert_int_equal(bench_baseline_read("/dev", &records, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, "there are no records in /dev"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),      cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_quick_runs), cmocka_unit_test(test_former_names),
        cmocka_unit_test(test_counts),     cmocka_unit_test(test_a_baseline_that_is_not_there),
        cmocka_unit_test(test_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

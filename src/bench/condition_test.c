// Conditions: their names and titles, which combinations a request gets, which are refused and what is said then.
#include "bench/condition.h"

#include "base/base.h"
#include "unit.h"

static kz_status parse(const char *modes, const char *caches, const char *streams, bench_condition *list,
                       size_t *count, kz_error *error) {
    const bench_condition_names names = {&modes,        &caches,        &streams,
                                         modes != NULL, caches != NULL, streams != NULL};
    return bench_conditions_parse(&names, list, count, error);
}

static void titles_state_the_condition(void **state) {
    (void)state;
    static const struct {
        bench_condition condition;
        const char *title, *name;
    } rows[] = {
        {{BENCH_LATENCY, BENCH_COLD, BENCH_LATER_STREAM}, "one run, cold", "latency"},
        {{BENCH_LATENCY, BENCH_DIRTY, BENCH_LATER_STREAM}, "one run, dirty", "latency dirty"},
        {{BENCH_THROUGHPUT, BENCH_COLD, BENCH_LATER_STREAM}, "graph of runs, rotating buffers", "throughput"},
        {{BENCH_THROUGHPUT, BENCH_HOT, BENCH_FIRST_STREAM},
         "graph of runs, hot, first stream",
         "throughput hot first"},
        {{BENCH_SUSTAINED, BENCH_COLD, BENCH_FIRST_STREAM},
         "back to back for 2 s, rotating buffers, first stream",
         "sustained cold first"},
        {{BENCH_SUSTAINED, BENCH_COLD, BENCH_SWITCHED_STREAM},
         "back to back for 2 s, rotating buffers, after another context",
         "sustained cold switched"},
    };
    char text[BENCH_CONDITION_TEXT];
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        assert_string_equal(bench_condition_title(rows[i].condition, text), rows[i].title);
        assert_string_equal(bench_condition_name(rows[i].condition, text), rows[i].name);
    }
}

static void an_axis_that_is_not_named_has_its_usual_values(void **state) {
    (void)state;
    bench_condition list[BENCH_CONDITIONS];
    size_t count;
    assert_int_equal(parse(NULL, NULL, NULL, list, &count, NULL), KZ_OK);
    assert_int_equal(count, 2);
    assert_true(bench_condition_equals(list[0], (bench_condition){.mode = BENCH_LATENCY}));
    assert_true(bench_condition_equals(list[1], (bench_condition){.mode = BENCH_THROUGHPUT}));
    // Graphs go with two of these caches, and are left out of the others.
    assert_int_equal(parse(NULL, "cold,dirty,hot,fresh", "first,later", list, &count, NULL), KZ_OK);
    assert_int_equal(count, 12);
    assert_true(bench_condition_find(list, count,
                                     (bench_condition){BENCH_THROUGHPUT, BENCH_HOT, BENCH_LATER_STREAM}) > 0);
    assert_int_equal(bench_condition_find(
                         list, count, (bench_condition){BENCH_THROUGHPUT, BENCH_DIRTY, BENCH_LATER_STREAM}),
                     -1);
    assert_true(
        bench_condition_equals(list[0], (bench_condition){.stream = BENCH_FIRST_STREAM})); // as asked for
    assert_int_equal(parse("burst,burst", "hot", NULL, list, &count, NULL), KZ_OK);
    assert_int_equal(count, 1); // once
}

static void names_are_read_back(void **state) {
    (void)state;
    bench_condition c;
    assert_true(bench_condition_from("burst", "hot", "first", &c));
    assert_true(bench_condition_equals(c, (bench_condition){BENCH_BURST, BENCH_HOT, BENCH_FIRST_STREAM}));
    assert_true(bench_condition_from("latency", "cold", "switched", &c));
    assert_true(c.stream == BENCH_SWITCHED_STREAM && !bench_condition_is_usual(c));
    assert_true(bench_condition_from("throughput", NULL, "", &c)); // as older records say it
    assert_true(bench_condition_is_usual(c) && c.mode == BENCH_THROUGHPUT);
    assert_false(bench_condition_from("counters", "cold", "later", &c));
}

// All that goes together fits into a request.
static void every_combination_has_room(void **state) {
    (void)state;
    size_t count = 0;
    for (int m = 0; m < BENCH_MODES; m++)
        for (int c = 0; c < BENCH_CACHES; c++)
            for (int s = 0; s < BENCH_STREAMS; s++)
                count +=
                    bench_condition_check((bench_condition){(bench_mode)m, (bench_cache)c, (bench_stream)s},
                                          NULL) == KZ_OK;
    assert_true(count > 0 && count <= BENCH_CONDITIONS);
}

static void nonsense_is_refused_with_the_reason(void **state) {
    (void)state;
    static const struct {
        const char *modes, *caches, *streams, *says[2];
    } rows[] = {
        {"throughput",
         "dirty",
         NULL,
         {"only the first run of a graph", "use --mode latency with --cache dirty"}},
        {"latency,sustained",
         "cold,fresh",
         NULL,
         {"sustained and fresh do not go together", "use --mode latency"}},
        {"lateny", NULL, NULL, {"no mode \"lateny\"", "latency, throughput, sustained, burst"}},
        {NULL, "cold,", NULL, {"no cache \"\"", "cold, dirty, hot, fresh"}},
        {NULL, NULL, "second", {"no stream \"second\"", "later, first, switched"}},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        bench_condition list[BENCH_CONDITIONS];
        size_t count;
        kz_error error = {0};
        assert_int_equal(parse(rows[i].modes, rows[i].caches, rows[i].streams, list, &count, &error),
                         KZ_INVALID);
        for (int k = 0; k < 2; k++) assert_non_null(strstr(error.message, rows[i].says[k]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(titles_state_the_condition),
        cmocka_unit_test(an_axis_that_is_not_named_has_its_usual_values),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(every_combination_has_room),
        cmocka_unit_test(nonsense_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Days, days in a row, and when a kata comes back.
#include "store/test_store.h"

static void days_and_their_numbers(void **state) {
    static const struct {
        const char *day;
        int64_t number;
    } known[] = {{"1970-01-01", 0},     {"1969-12-31", -1},      {"2000-02-29", 11016},
                 {"2026-11-15", 20772}, {"0001-01-01", -719162}, {"9999-12-31", 2932896}};
    char day[STORE_DAY];
    int64_t number;
    for (size_t i = 0; i < BASE_COUNT(known); i++) {
        assert_true(store_day_number(known[i].day, &number));
        assert_int_equal(number, known[i].number);
    }
    for (int64_t i = -20000; i < 60000; i += 7) {
        store_day_from(i, day);
        assert_true(store_day_number(day, &number));
        assert_int_equal(number, i);
    }
    static const char *const wrong[] = {"",           "2026-11-1",  "2026-13-01",
                                        "2025-02-29", "2026/11/15", "2026-11-1x"};
    for (size_t i = 0; i < BASE_COUNT(wrong); i++) assert_false(store_day_number(wrong[i], &number));
}

static void streaks(void **state) {
    const store_day days[] = {
        {"2026-11-01", 1, 0}, {"2026-11-13", 1, 0}, {"2026-11-14", 1, 0}, {"2027-05-01", 1, 0}};
    assert_int_equal(store_streak(days, 3, "2026-11-14"), 2);
    assert_int_equal(store_streak(days, 3, "2026-11-15"), 2); // today is not over yet
    assert_int_equal(store_streak(days, 3, "2026-11-16"), 0);
    assert_int_equal(store_streak(days, 4, "2026-11-15"), 2); // the clock was ahead once
    assert_int_equal(store_streak(days, 1, "2026-11-01"), 1);
    assert_int_equal(store_streak(NULL, 0, "2026-11-01"), 0);
    assert_int_equal(store_streak(days, 3, "nonsense"), 0);
}

static void days_are_listed(void **state) {
    store *s = open_store(state);
    add(s, "a", NOON, true, NAN);
    add(s, "b", NOON + 200, false, NAN);
    add(s, "a", NOON - 2 * 86400, true, NAN); // written later: the clock went backwards
    store_day *days;
    size_t count;
    char noon[STORE_DAY];
    store_day_of(NOON, noon);
    assert_int_equal(store_list_days(s, &days, &count, NULL), KZ_OK);
    assert_int_equal(count, 2);
    assert_string_equal(days[1].day, noon);
    assert_int_equal(days[1].attempts, 2);
    assert_int_equal(days[1].passed, 1);
    free(days);
    store_close(s);
}

static void schedule_spreads_what_is_strong(void **state) {
    store_kata k = {0};
    store_schedule(&k, "2026-01-01", 5);
    assert_string_equal(k.due, "2026-01-04");
    store_schedule(&k, "2026-01-04", 5);
    assert_string_equal(k.due, "2026-01-11");
    store_schedule(&k, "2026-01-11", 5);
    assert_int_equal(k.interval, 19); // 7 days times an ease of 2.7
    int strong = k.interval;
    store_kata hinted = {0};
    store_schedule(&hinted, "2026-01-01", 3);
    assert_string_equal(hinted.due, "2026-01-03");
    store_schedule(&k, "2026-02-01", 0);
    assert_string_equal(k.due, "2026-02-02");
    assert_int_equal(k.lapses, 1);
    assert_int_equal(k.repetitions, 0);
    store_schedule(&k, "2026-02-02", 1);
    assert_string_equal(k.due, "2026-02-04"); // again: others have their turn between
    for (int i = 0; i < 20; i++) store_schedule(&k, "2026-02-01", 0);
    assert_true(k.ease >= 1.3);
    assert_int_equal(k.interval, 4);
    for (int i = 0; i < 3; i++) store_schedule(&k, "2026-03-01", 5);
    assert_true(k.interval < strong); // what was often hard grows slowly
    for (int i = 0; i < 200; i++) store_schedule(&k, "2026-03-01", 5);
    assert_true(k.interval <= 180);
}

static void katas_are_kept_by_day(void **state) {
    store *s = open_store(state);
    store_kata after, *list;
    size_t count;
    assert_int_equal(store_add_kata(s, "warp-sum", "2026-11-15", 0, &after, NULL), KZ_OK);
    assert_string_equal(after.due, "2026-11-16");
    // Passed later that day, with trouble: one result, the last one.
    assert_int_equal(store_add_kata(s, "warp-sum", "2026-11-15", 4, &after, NULL), KZ_OK);
    assert_string_equal(after.due, "2026-11-18");
    assert_int_equal(after.lapses, 0);
    assert_int_equal(store_add_kata(s, "add", "2026-11-15", 5, NULL, NULL), KZ_OK);
    assert_int_equal(store_list_katas(s, "2026-11-15", &list, &count, NULL), KZ_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[0].task, "add");
    assert_string_equal(list[1].task, "warp-sum");
    assert_int_equal(list[1].repetitions, 1);
    free(list);
    store_close(s);
}

static void what_was_done_ahead_of_time_waits(void **state) {
    store *s = open_store(state);
    store_kata after, *list;
    size_t count;
    assert_int_equal(store_add_kata(s, "add", "2027-11-15", 5, &after, NULL), KZ_OK); // a wrong clock
    assert_string_equal(after.due, "2027-11-18");
    assert_int_equal(store_list_katas(s, "2026-11-15", &list, &count, NULL), KZ_OK);
    assert_int_equal(count, 0);
    free(list);
    assert_int_equal(store_add_kata(s, "add", "2026-11-15", 5, &after, NULL), KZ_OK);
    assert_string_equal(after.due, "2026-11-18");
    assert_int_equal(after.repetitions, 1);
    assert_int_equal(store_list_katas(s, "2027-11-15", &list, &count, NULL), KZ_OK);
    assert_int_equal(list[0].repetitions, 2); // nothing is lost
    free(list);
    store_close(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(days_and_their_numbers), TEST(streaks),
        TEST(days_are_listed),        TEST(schedule_spreads_what_is_strong),
        TEST(katas_are_kept_by_day),  TEST(what_was_done_ahead_of_time_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The choice of a kata: due before new, weak before strong, the same for the same day.
#include "learn/kata_choice.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static const char TODAY[] = "2026-11-15";

static learn_kata_candidate kata(const char *id, const char *done, int quality, double weakness) {
    learn_kata_candidate k = {.id = id, .level = 2, .weakness = weakness};
    if (*done) store_schedule(&k.schedule, done, quality);
    return k;
}

static void due_before_new(void **state) {
    const learn_kata_candidate katas[] = {kata("new", "", 0, 1), kata("failed-yesterday", "2026-11-14", 1, 0),
                                          kata("done-yesterday", "2026-11-14", 5, 0)};
    assert_int_equal(learn_kata_choose(katas, 3, TODAY), 1);
    assert_int_equal(learn_kata_state(&katas[0].schedule, TODAY), LEARN_KATA_NEW);
    assert_int_equal(learn_kata_state(&katas[1].schedule, TODAY), LEARN_KATA_DUE);
    assert_int_equal(learn_kata_state(&katas[2].schedule, TODAY), LEARN_KATA_LATER);
}

static void weak_skills_first(void **state) {
    const learn_kata_candidate katas[] = {kata("a", "", 0, 0), kata("b", "", 0, 0.9), kata("c", "", 0, 0.5)};
    assert_int_equal(learn_kata_choose(katas, 3, TODAY), 1);
    const learn_kata_candidate due[] = {kata("a", "2026-11-01", 5, 0.1), kata("b", "2026-11-01", 5, 0.8)};
    assert_int_equal(learn_kata_choose(due, 2, TODAY), 1);
}

static void easy_ones_first_where_nothing_is_known(void **state) {
    learn_kata_candidate katas[] = {kata("a", "", 0, 0), kata("b", "", 0, 0), kata("c", "", 0, 0)};
    katas[1].level = 1;
    assert_int_equal(learn_kata_choose(katas, 3, TODAY), 1);
    katas[1].level = 2;
    assert_int_equal(learn_kata_choose(katas, 3, TODAY), 0);
}

static void what_it_needs_first(void **state) {
    learn_kata_candidate katas[] = {kata("a", "", 0, 1), kata("b", "", 0, 0),
                                    kata("later", "2026-11-15", 5, 0)};
    katas[0].unmet = 1;
    assert_int_equal(learn_kata_choose(katas, 3, TODAY), 1);
    katas[1].unmet = 2; // none is ready: the one that lacks least, rather than what is done
    assert_int_equal(learn_kata_choose(katas, 3, TODAY), 0);
}

static void soonest_where_nothing_is_due(void **state) {
    const learn_kata_candidate katas[] = {kata("a", "2026-11-15", 5, 1), kata("b", "2026-11-14", 5, 0)};
    assert_int_equal(learn_kata_choose(katas, 2, TODAY), 1);
}

static void another_one(void **state) {
    learn_kata_candidate katas[] = {kata("a", "", 0, 1), kata("b", "", 0, 0)};
    katas[0].taken = true;
    assert_int_equal(learn_kata_choose(katas, 2, TODAY), 1);
    katas[1].taken = true;
    assert_int_equal(learn_kata_choose(katas, 2, TODAY), 2);
    assert_int_equal(learn_kata_choose(NULL, 0, TODAY), 0);
}

static void clock_that_was_ahead(void **state) {
    const learn_kata_candidate katas[] = {kata("future", "2031-01-01", 5, 0)};
    assert_int_equal(learn_kata_state(&katas[0].schedule, TODAY), LEARN_KATA_DUE);
}

// Every kata has its turn: one a day for 200 days, where one is always hard (or always fails) and the others
// pass.
static void give_for_200_days(int hard_quality) {
    enum { KATAS = 12 };
    learn_kata_candidate katas[KATAS] = {0};
    char names[KATAS][16], day[STORE_DAY];
    int given[KATAS] = {0};
    for (int i = 0; i < KATAS; i++) snprintf(names[i], sizeof names[i], "k%d", i), katas[i].id = names[i];
    for (int64_t d = 0; d < 200; d++) {
        store_day_from(20000 + d, day);
        size_t i = learn_kata_choose(katas, KATAS, day);
        assert_true(i < KATAS);
        given[i]++;
        store_schedule(&katas[i].schedule, day, i == 3 ? hard_quality : 5);
    }
    for (int i = 0; i < KATAS; i++) {
        assert_true(given[i] >= 3);
        if (i != 3) assert_true(given[3] > given[i]);
    }
}

static void all_have_their_turn(void **state) {
    give_for_200_days(3);
    give_for_200_days(0);
}

// What went well leaves room for new ones, but not for ever: who passes everything has met most of 30 within 60 days.
static void new_ones_come_between(void **state) {
    const learn_kata_candidate katas[] = {kata("went-well", "2026-11-10", 5, 0), kata("new", "", 0, 0)};
    assert_int_equal(learn_kata_choose(katas, 2, TODAY), 1);
    const learn_kata_candidate old[] = {kata("went-well", "2026-10-20", 5, 0), kata("new", "", 0, 0)};
    assert_int_equal(learn_kata_choose(old, 2, TODAY), 0);
    enum { KATAS = 30 };
    learn_kata_candidate all[KATAS] = {0};
    size_t met = 0, again = 0;
    char day[STORE_DAY];
    for (int i = 0; i < KATAS; i++) all[i].level = 1 + i / 10;
    for (int64_t d = 0; d < 60; d++) {
        store_day_from(20000 + d, day);
        store_kata *schedule = &all[learn_kata_choose(all, KATAS, day)].schedule;
        met += !schedule->due[0];
        again += schedule->due[0] != 0;
        store_schedule(schedule, day, 5);
    }
    assert_true(met >= 20);
    assert_true(again >= 15);
}

static void trouble(void **state) {
    assert_true(learn_kata_trouble(&(store_task){.attempts = 1, .passed = true}) == 0);
    assert_true(learn_kata_trouble(&(store_task){0}) == 0);
    double few = learn_kata_trouble(&(store_task){.attempts = 3}),
           many = learn_kata_trouble(&(store_task){.attempts = 30}),
           hinted = learn_kata_trouble(&(store_task){.attempts = 3, .hints = 2});
    assert_true(few > 0 && few < many && few < hinted && many <= 1);
    assert_true(learn_kata_trouble(&(store_task){.attempts = 99, .hints = 9, .seen_solution = true}) == 1);
}

static void quality(void **state) {
    assert_int_equal(learn_kata_quality(true, 0, 0, false), 5);
    assert_int_equal(learn_kata_quality(true, 2, 0, false), 4);
    assert_int_equal(learn_kata_quality(true, 9, 0, false), 3);
    assert_int_equal(learn_kata_quality(true, 0, 1, false), 3);
    assert_int_equal(learn_kata_quality(true, 0, 3, false), 2);
    assert_int_equal(learn_kata_quality(true, 0, 0, true), 2);
    assert_int_equal(learn_kata_quality(false, 1, 0, false), 1);
    assert_int_equal(learn_kata_quality(false, 1, 0, true), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(due_before_new),
        cmocka_unit_test(weak_skills_first),
        cmocka_unit_test(easy_ones_first_where_nothing_is_known),
        cmocka_unit_test(what_it_needs_first),
        cmocka_unit_test(soonest_where_nothing_is_due),
        cmocka_unit_test(another_one),
        cmocka_unit_test(clock_that_was_ahead),
        cmocka_unit_test(all_have_their_turn),
        cmocka_unit_test(new_ones_come_between),
        cmocka_unit_test(trouble),
        cmocka_unit_test(quality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

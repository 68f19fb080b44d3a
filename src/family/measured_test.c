// Choice by shape: tables of what was measured, bad ones too, and the model behind them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "family/measured.h"
#include "unit.h"

// ---- a family made for the test -----------------------------------------------------------------------------

static kz_status plan(const kz_planner *p) {
    if (p->c->axes[0] == 13 && p->variant->tile == 2) return kz_plan_refuse(p->error, "not for 13");
    return KZ_OK;
}
static double estimate(const kz_case *c, const kz_device_info *device, const kz_variant *variant,
                       char how[KZ_ESTIMATE_HOW]) {
    snprintf(how, KZ_ESTIMATE_HOW, "%u rounds", variant->tile);
    if (variant->tile == 3) return -1; // cannot tell
    if (variant->tile == 4) return 1;
    return variant->tile == 2 ? 10 : 3 * (double)c->axes[0];
}
static const kz_variant variants[] = {{"01_one", 75, plan, "", .tile = 1},
                                      {"02_two", 75, plan, "", .tile = 2},
                                      {"03_three", 75, plan, "", .tile = 3},
                                      {"04_new", 75, plan, "", .tile = 4, .untimed = true}};
static const char built_in[] = "gpu,case,variant,microseconds\n"
                               "h200,mul-f32-m1000-n64-uniform,03_three,7.5\n"
                               "a100,mul-f32-m2000-n64-uniform,01_one,9\n";
static const kz_embedded embedded = {.choice = "", .measured = built_in};
static const kz_family family = {.name = "shaped",
                                 .operations = (const char *const[]){"mul", NULL},
                                 .axes = (const char *const[]){"m", "n", NULL},
                                 .types = KZ_TYPE_BIT(F32),
                                 .variants = variants,
                                 .variant_count = BASE_COUNT(variants),
                                 .embedded = &embedded,
                                 .estimate = estimate};
static const kz_device_info h200 = {
    .size = sizeof h200, .kind = KZ_DEVICE_SIM, .id = "sim:h200", .gpu = "h200", .sm = 90};

static const char *choose(int64_t m, int64_t n, char why[KZ_CHOICE_WHY]) {
    kz_case c = {.type = KZ_F32, .axes = {m, n}};
    const kz_variant *chosen = kz_choose(&family, &c, &h200, false, why);
    return chosen ? chosen->name : "none";
}

static void no_table_of_the_user(void) { setenv("KZ_RESULTS", "/nonexistent", 1); }

// ---- tests --------------------------------------------------------------------------------------------------

static void near_shapes_are_as_measured(void **state) {
    char why[KZ_CHOICE_WHY];
    no_table_of_the_user();
    assert_string_equal(choose(1000, 64, why), "03_three");
    assert_has(why, "measured: 7.5 us for mul-f32-m1000-n64-uniform, one of the 1 shapes of h200");
    assert_string_equal(choose(1040, 64, why), "03_three"); // 6% off
    assert_has(why, "nearest");
    assert_string_equal(choose(1001, 64, why), "02_two"); // no multiple of 8
    assert_string_equal(choose(1200, 64, why), "02_two"); // too far
    assert_string_equal(choose(2000, 64, why), "02_two"); // another GPU's
}

static void else_the_model_says_it_with_figures(void **state) {
    char why[KZ_CHOICE_WHY];
    no_table_of_the_user();
    assert_string_equal(choose(2, 64, why), "01_one");
    assert_has(why, "no near shape was measured on h200: 01_one: 1 rounds, 6 us; 02_two: 2 rounds, 10 us");
    assert_null(strstr(why, "03_three"));
    assert_string_equal(choose(13, 64, why), "01_one"); // 02 would be faster, and refuses
}

static void nobody_s_guess_is_taken(void **state) {
    char why[KZ_CHOICE_WHY];
    no_table_of_the_user();
    assert_string_equal(choose(2, 64, why), "01_one"); // 6 us, and 1 by 04's estimate
    assert_has(why, "; not timed on a GPU yet, so left out: 04_new");
    kz_case c = {.type = KZ_F32, .axes = {1000, 64}};
    static const char timed[] = "h200,mul-f32-m1000-n64-uniform,04_new,2\n";
    const kz_embedded with_row = {.choice = "", .measured = timed};
    kz_family tuned = family;
    tuned.embedded = &with_row;
    assert_string_equal(kz_choose(&tuned, &c, &h200, false, why)->name, "04_new");
}

// Writes the user's table, and asks.
static const char *choose_with(const char *table, int64_t m, char why[KZ_CHOICE_WHY]) {
    char folder[] = "/tmp/kz_measured_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    setenv("KZ_RESULTS", folder, 1);
    snprintf(path, sizeof path, "%s/measured_shaped.csv", folder);
    assert_int_equal(base_file_write(path, table, strlen(table), NULL), KZ_OK);
    const char *chosen = choose(m, 64, why);
    base_remove_tree(folder);
    return chosen;
}

static void the_users_table_comes_first(void **state) {
    char why[KZ_CHOICE_WHY];
    assert_string_equal(choose_with("h200,mul-f32-m1000-n64-uniform,01_one,5\n", 1000, why), "01_one");
    assert_has(why, "measured_shaped.csv");
    // The last row counts.
    assert_string_equal(choose_with("h200,mul-f32-m1000-n64-uniform,01_one,5\n"
                                    "h200,mul-f32-m1000-n64-uniform,02_two,4\n",
                                    1000, why),
                        "02_two");
}

static void bad_lines_are_passed_over(void **state) {
    char why[KZ_CHOICE_WHY];
    static const char *const bad[] = {"\n,,,\n",
                                      "h200\n",
                                      "h200,mul-f32-m1000-n64-uniform,01_one\n",
                                      "h200,mul-f32-m1000-n64-uniform,01_one,5,6\n",
                                      "h200,mul-f32-m1000-n64-uniform,05_none,5\n",
                                      "h200,mul-f32-m1000-uniform,01_one,5\n",
                                      "h200,mul-f32-m1000-n64-uniform,01_one,soon\n",
                                      "h200,mul-f32-m1000-n64-uniform,01_one,-5\n",
                                      "h200,mul-f32-m99999999999999999999-n64-uniform,01_one,5"};
    for (size_t i = 0; i < BASE_COUNT(bad); i++) {
        assert_string_equal(choose_with(bad[i], 1000, why), "03_three"); // as built in
        assert_has(why, "passed over");
    }
    char *long_line = calloc(5000, 1);
    memset(long_line, 'x', 4999);
    assert_string_equal(choose_with(long_line, 1000, why), "03_three");
    free(long_line);
}

static void tidy_tables_have_each_case_once(void **state) {
    base_text tidy = {0};
    family_measured_tidy(
        &family,
        "# mine\nh200,mul-f32-m8-n64-uniform,01_one,5\nnonsense\na100,mul-f32-m8-n64-uniform,01_one,6\n"
        "h200,mul-f32-m8-n64-uniform,02_two,4\n",
        &tidy);
    assert_string_equal(tidy.data,
                        "gpu,case,variant,microseconds\n# mine\nnonsense\n"
                        "a100,mul-f32-m8-n64-uniform,01_one,6\nh200,mul-f32-m8-n64-uniform,02_two,4\n");
    base_text_free(&tidy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_shapes_are_as_measured), cmocka_unit_test(else_the_model_says_it_with_figures),
        cmocka_unit_test(nobody_s_guess_is_taken),     cmocka_unit_test(the_users_table_comes_first),
        cmocka_unit_test(bad_lines_are_passed_over),   cmocka_unit_test(tidy_tables_have_each_case_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The helpers that append steps to a plan, and the reader of choice.csv.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "family/choice.h"
#include "kz/family.h"

static void steps_are_appended(void **state) {
    kz_plan plan = {0};
    kz_plan_add_fill(&plan, kz_arg_workspace(8), 0xff, 4);
    kz_arg args[] = {kz_arg_buffer(1), kz_arg_u64(UINT64_MAX), kz_arg_f32(1.0f)};
    kz_plan_add_launch(&plan, "entry", 7, 64, args, 3);
    kz_plan_add_copy(&plan, kz_arg_buffer(1), kz_arg_buffer(0), 12);
    assert_int_equal(plan.step_count, 3);

    const kz_step *fill = &plan.steps[0], *launch = &plan.steps[1];
    assert_int_equal(fill->kind, KZ_STEP_FILL);
    assert_true(fill->args[0].kind == KZ_ARG_WORKSPACE && fill->args[0].offset == 8);
    assert_true(fill->fill == 0xff && fill->bytes == 4);

    const kz_step *copy = &plan.steps[2];
    assert_int_equal(copy->kind, KZ_STEP_COPY);
    assert_true(copy->args[0].buffer == 1 && copy->args[1].buffer == 0 && copy->bytes == 12);

    assert_int_equal(launch->kind, KZ_STEP_LAUNCH);
    assert_string_equal(launch->entry, "entry");
    assert_true(launch->launch.grid[0] == 7 && launch->launch.grid[1] == 1 && launch->launch.grid[2] == 1);
    assert_true(launch->launch.block[0] == 64 && launch->launch.block[2] == 1);
    assert_true(launch->arg_count == 3 && launch->args[0].kind == KZ_ARG_BUFFER &&
                launch->args[0].buffer == 1);
    assert_true(launch->args[1].scalar == UINT64_MAX && launch->args[2].scalar == 0x3f800000);
}

static void entries_are_named(void **state) {
    char name[KZ_ENTRY_NAME];
    kz_entry_name(name, "reduce", "warp_shuffle", "sum", KZ_BF16);
    assert_string_equal(name, "reduce_warp_shuffle_sum_bf16");
}

static void a_refusal_has_its_reason(void **state) {
    kz_error error = {0};
    assert_int_equal(kz_plan_refuse(&error, "there is no %s", "u8"), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "there is no u8"));
    assert_int_equal(kz_plan_refuse(NULL, "no"), KZ_UNSUPPORTED);
}

static void rows_are_read(void **state) {
    const char *text = "gpu,type,operation,from,to,variant\n\n# a remark\nh200,*,sum,0,,07_x\nshort,row\n"
                       "one,two,three,4,5,six,seven";
    choice_row row;
    assert_true(choice_next_row(&text, &row) && row.whole);
    assert_string_equal(row.column[CHOICE_FROM], "from");
    assert_true(choice_next_row(&text, &row) && row.whole);
    assert_string_equal(row.column[CHOICE_GPU], "h200");
    assert_string_equal(row.column[CHOICE_TO], "");
    assert_string_equal(row.column[CHOICE_VARIANT], "07_x");
    assert_true(choice_next_row(&text, &row) && !row.whole);
    assert_true(choice_next_row(&text, &row) && !row.whole);
    assert_false(choice_next_row(&text, &row));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_appended),
        cmocka_unit_test(entries_are_named),
        cmocka_unit_test(a_refusal_has_its_reason),
        cmocka_unit_test(rows_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

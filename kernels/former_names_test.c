// Kept results and commands say former names of variants: each leads to the variant as it is called now.
// cmocka's header wants those before it

#include "kz/family.h"
#include "unit.h"

static void each_former_name_is_found(void **state) {
    size_t count, rows = 0;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (const kz_former_name *row = list[f]->former_names; row && row->former; row++, rows++) {
            const kz_variant *variant = kz_variant_find(list[f], row->former);
            if (!variant) fail_msg("%s: the former name %s leads to no variant", list[f]->name, row->former);
            assert_string_equal(variant->name, row->name);
        }
    assert_true(rows > 0);
}

static void numbers_may_be_left_out(void **state) {
    const kz_family *reduce = kz_family_find("reduce");
    assert_ptr_equal(kz_variant_find(reduce, "mailbox"), kz_variant_find(reduce, "08_epoch_flags"));
    assert_ptr_equal(kz_variant_find(reduce, "epoch_flags"), kz_variant_find(reduce, "08_mailbox"));
    assert_null(kz_variant_find(reduce, "02_shared")); // of histogram once, never of reduce
}

// A name of today goes before a former one: 02_shared is a variant of warp still.
static void names_of_today_stay(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++)
        for (size_t v = 0; v < list[f]->variant_count; v++)
            assert_ptr_equal(kz_variant_find(list[f], list[f]->variants[v].name), &list[f]->variants[v]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_former_name_is_found),
        cmocka_unit_test(numbers_may_be_left_out),
        cmocka_unit_test(names_of_today_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

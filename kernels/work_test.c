// What every rate is divided by, against what each family worked out by hand for a case or two; and inputs that hold
// what their kind of data promises, without which the cases that ask for it would pass anything.
#include <math.h>
// cmocka's header wants those before it

#include "kz/family.h"
#include "primitives/histogram/histogram.h"
#include "primitives/scan/scan.h"
#include "unit.h"

static void the_least_work_is_counted_right(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        if (list[f]->worked_count == 0) fail_msg("%s has no row in its table `worked`", list[f]->name);
        for (size_t i = 0; i < list[f]->worked_count; i++) {
            kz_work work = list[f]->work(&list[f]->worked[i].c), by_hand = list[f]->worked[i].work;
            if (work.bytes != by_hand.bytes || work.flops != by_hand.flops)
                fail_msg("%s, row %zu: %g bytes and %g flops, by hand %g and %g", list[f]->name, i,
                         work.bytes, work.flops, by_hand.bytes, by_hand.flops);
        }
    }
}

enum { MANY = 4096 };

static void segments_have_heads(void **state) {
    const kz_family *family = kz_family_find("scan");
    const kz_case c = {.operation = KZ_SCAN_SEGMENTED_SUM, .type = KZ_F32, .axes = {MANY}};
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    size_t count = family->buffers(&c, buffers), heads = 0;
    static uint8_t bytes[MANY];
    for (size_t b = 0; b < count; b++)
        if (buffers[b].type == KZ_U8) assert_true(family->fill(&c, b, 5, 0, MANY, bytes));
    for (size_t i = 0; i < MANY; i++) heads += bytes[i] != 0;
    assert_in_range(heads, MANY / 1000, MANY / 2); // some, and segments of more than one element
}

static void counted_values_lie_where_their_kind_says(void **state) {
    const kz_family *family = kz_family_find("histogram");
    kz_case c = {.operation = KZ_HISTOGRAM_EVEN, .type = KZ_U32, .axes = {MANY, 10, 1000, 2000}};
    static uint32_t values[MANY];
    size_t outside = 0, on = 0, beside = 0;
    c.data = KZ_DATA_LARGE;
    assert_true(family->fill(&c, 0, 5, 0, MANY, values));
    for (size_t i = 0; i < MANY; i++) outside += values[i] < 1000 || values[i] >= 2000;
    assert_in_range(outside, MANY * 4 / 10, MANY * 6 / 10);
    c.data = KZ_DATA_SMALL;
    assert_true(family->fill(&c, 0, 5, 0, MANY, values));
    for (size_t i = 0; i < MANY; i++) {
        on += values[i] % 100 == 0;
        beside += values[i] % 100 == 1 || values[i] % 100 == 99;
    }
    assert_int_equal(on + beside, MANY);
    assert_in_range(on, MANY * 2 / 10, MANY * 5 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_work_is_counted_right),
        cmocka_unit_test(segments_have_heads),
        cmocka_unit_test(counted_values_lie_where_their_kind_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

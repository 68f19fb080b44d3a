// Structs that carry their size, between a program and a library of different versions.

#include "device/sized.h"
#include "unit.h"

typedef struct first { // as it was
    size_t size;
    int64_t a;
} first;
typedef struct middle { // as we know it
    size_t size;
    int64_t a, b;
} middle;
typedef struct last { // as it will be
    size_t size;
    int64_t a, b, c;
} last;

static kz_status take(middle *own, const void *given, kz_error *error) {
    return DEVICE_TAKE(middle, a, own, given, error);
}

static void an_older_one_lacks_fields(void **state) {
    const first old = {sizeof old, 1};
    middle own = {0, 7, 7};
    assert_int_equal(take(&own, &old, NULL), KZ_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.a, 1);
    assert_int_equal(own.b, 0);
}

static void a_newer_one_must_leave_them_zero(void **state) {
    last new = {sizeof new, 1, 2, 0};
    middle own;
    kz_error error;
    assert_int_equal(take(&own, &new, NULL), KZ_OK);
    assert_int_equal(own.size, sizeof own);
    assert_int_equal(own.b, 2);
    new.c = 1;
    assert_int_equal(take(&own, &new, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "a middle of 32 bytes sets a field that libkz"));
}

static void a_size_that_was_not_set_is_reported(void **state) {
    const middle unset = {0, 1, 2};
    middle own;
    kz_error error;
    assert_int_equal(take(&own, &unset, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "the size of a middle is 0"));
    assert_non_null(strstr(error.message, "middle x = {.size = sizeof x}"));
    const middle wild = {SIZE_MAX, 1, 2};
    assert_int_equal(take(&own, &wild, &error), KZ_INVALID);
    assert_int_equal(DEVICE_CHECK_SIZE(middle, a, &wild, &error), KZ_INVALID);
}

static void giving_fills_what_fits(void **state) {
    const middle own = {sizeof own, 1, 2};
    struct {
        first old;
        int64_t behind;
    } room = {{sizeof(first), 0}, 99};
    device_give(&room.old, sizeof room.old, &own, sizeof own);
    assert_int_equal(room.old.size, sizeof room.old);
    assert_int_equal(room.old.a, 1);
    assert_int_equal(room.behind, 99);
    last new = {sizeof new, 7, 7, 7};
    device_give(&new, sizeof new, &own, sizeof own);
    assert_int_equal(new.size, sizeof new);
    assert_int_equal(new.b, 2);
    assert_int_equal(new.c, 0); // nothing is known of it
}

// A program of a later version lists devices into larger structs.
static void a_list_keeps_the_callers_stride(void **state) {
    struct {
        kz_device_info info;
        char more[40];
    } infos[4];
    memset(infos, 0x5a, sizeof infos);
    size_t count = 0;
    kz_error error;
    infos[0].info.size = 0;
    assert_int_equal(kz_device_list(&infos[0].info, 4, &count, &error), KZ_INVALID);
    infos[0].info.size = sizeof infos[0];
    assert_int_equal(kz_device_list(&infos[0].info, 4, &count, &error), KZ_OK);
    assert_true(count >= 2);
    for (size_t i = 0; i < count && i < 4; i++) {
        assert_int_equal(infos[i].info.size, sizeof infos[0]);
        assert_true(infos[i].info.id[0] != 0 && strlen(infos[i].info.id) < sizeof infos[i].info.id);
        assert_int_equal(infos[i].more[0] | infos[i].more[39], 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_one_lacks_fields),
        cmocka_unit_test(a_newer_one_must_leave_them_zero),
        cmocka_unit_test(a_size_that_was_not_set_is_reported),
        cmocka_unit_test(giving_fills_what_fits),
        cmocka_unit_test(a_list_keeps_the_callers_stride),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

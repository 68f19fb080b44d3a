// Expressions without variables: which operators bind tighter, and that those of one level go from left to right.
#include "debug/expression.h"
#include "unit.h"

static int64_t value_of(debug_symbols *symbols, const char *text) {
    const debug_context context = {.symbols = symbols};
    debug_value value = {0};
    kz_error error = {0};
    uint64_t bits = 0;
    if (debug_evaluate(&context, text, NULL, &value, &error) != KZ_OK)
        fail_msg("%s: %s", text, error.message);
    assert_true(debug_value_bits(&context, &value, &bits));
    return debug_type_real(value.type)->bytes == 4 ? (int32_t)bits : (int64_t)bits;
}

static int set_up(void **state) {
    static const ptx_module module;
    return debug_symbols_open(&module, (debug_symbols **)state, NULL);
}
static int tear_down(void **state) {
    debug_symbols_close(*state);
    return 0;
}

static void one_level_goes_from_left_to_right(void **state) {
    assert_int_equal(value_of(*state, "10-3-2"), 5);
    assert_int_equal(value_of(*state, "10 - 3 + 2"), 9);
    assert_int_equal(value_of(*state, "100/10/5"), 2);
    assert_int_equal(value_of(*state, "100/10*5"), 50);
    assert_int_equal(value_of(*state, "17%10%4"), 3);
    assert_int_equal(value_of(*state, "64>>2>>1"), 8);
    assert_int_equal(value_of(*state, "1<<2<<3"), 32);
    assert_int_equal(value_of(*state, "3>2>1"), 0);   // (3 > 2) > 1
    assert_int_equal(value_of(*state, "2==2==2"), 0); // (2 == 2) == 2
    assert_int_equal(value_of(*state, "10-(3-2)"), 9);
}

static void some_operators_bind_tighter(void **state) {
    assert_int_equal(value_of(*state, "2+3*4"), 14);
    assert_int_equal(value_of(*state, "2*3+4"), 10);
    assert_int_equal(value_of(*state, "1<<2+1"), 8);
    assert_int_equal(value_of(*state, "1<2<<1"), 1);
    assert_int_equal(value_of(*state, "2&3==3"), 0); // 2 & (3 == 3)
    assert_int_equal(value_of(*state, "8|6^3&2"), 12);
    assert_int_equal(value_of(*state, "1||0&&0"), 1);
    assert_int_equal(value_of(*state, "-2*3"), -6);
    assert_int_equal(value_of(*state, "!0+1"), 2);
    assert_int_equal(value_of(*state, "~0+1"), 0);
}

static void a_type_has_several_names(void **state) {
    assert_string_equal(debug_type_named(*state, "size_t")->name, "unsigned long long");
    assert_string_equal(debug_type_named(*state, "uint8_t")->name, "unsigned char");
    assert_string_equal(debug_type_named(*state, "half")->name, "__half");
    assert_int_equal(debug_type_named(*state, "void")->kind, DEBUG_VOID);
    assert_null(debug_type_named(*state, "uint7_t"));
    assert_int_equal(value_of(*state, "(unsigned char)300"), 44);
    assert_int_equal(value_of(*state, "(int16_t)65535 + 0"), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_level_goes_from_left_to_right, set_up, tear_down),
        cmocka_unit_test_setup_teardown(some_operators_bind_tighter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_type_has_several_names, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

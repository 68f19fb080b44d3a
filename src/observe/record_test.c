// JSON text, and the table of metrics.
#include <stdlib.h>

#include "observe/metrics.h"
#include "observe/record.h"
#include "unit.h"

static void written(const char *text, const char *json) {
    base_text out = {0};
    observe_write_string(&out, text);
    assert_string_equal(out.data, json);
    base_text_free(&out);
}

static void strings(void **state) {
    written("plain", "\"plain\"");
    written(NULL, "\"\"");
    written("a\"b\\c\nd\te\x01", "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
    written("gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"");
    written("cut\xc3", "\"cut\\ufffd\"");                 // a sequence that ends too early
    written("\xc0\x80\xff", "\"\\ufffd\\ufffd\\ufffd\""); // overlong, and never valid
    written("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""); // a surrogate
    written("\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"");
}

static void number_is(double number, const char *json) {
    base_text out = {0};
    observe_write_number(&out, number);
    assert_string_equal(out.data, json);
    base_text_free(&out);
}

static void numbers(void **state) {
    number_is(0, "0");
    number_is(4800000000000.0, "4800000000000");
    number_is(-3, "-3");
    number_is(0.5, "0.5");
    number_is(0.1, "0.1");
    number_is(1.0 / 3, "0.33333333333333331");
    number_is(1e300, "1e+300");
    number_is(1e300 * 1e300, "null");
}

static void every_metric_once(void **state) {
    size_t count;
    const observe_metric *all = observe_metrics(&count);
    assert_true(count > 100);
    for (size_t i = 0; i < count; i++) {
        assert_true(all[i].name[0] && all[i].text[0]);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(all[i].name, all[k].name);
    }
}

static observe_inst_info info_of(const char *line) {
    base_text text = {0};
    base_text_add(
        &text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n"
        ".reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .f32 %%f<9>; .reg .f64 %%g<9>; .reg .pred %%p<3>; "
        ".reg .b16 %%h<4>;\n%s\n ret;\n}\n",
        line);
    ptx_module *module;
    kz_error error = {0};
    if (ptx_module_open("k.ptx", text.data, text.length, &module, &error)) fail_msg("%s", error.message);
    observe_inst_info info = observe_inst_describe(&module->functions[0]->insts[0]);
    ptx_module_close(module);
    base_text_free(&text);
    return info;
}

static void expect_class(const char *line, observe_class class, unsigned flops, unsigned type) {
    observe_inst_info info = info_of(line);
    if (info.class != class) fail_msg("%s is of class %u, not %u", line, info.class, class);
    assert_int_equal(info.flop_lane, flops);
    if (flops) assert_int_equal(info.flop_type, type);
}

static void classes(void **state) {
    expect_class("add.f32 %f1, %f2, %f3;", OBSERVE_CLASS_FP32, 1, 1);
    expect_class("fma.rn.f32 %f1, %f2, %f3, %f4;", OBSERVE_CLASS_FP32, 2, 1);
    expect_class("fma.rn.f64 %g1, %g2, %g3, %g4;", OBSERVE_CLASS_FP64, 2, 2);
    expect_class("fma.rn.f16x2 %r1, %r2, %r3, %r4;", OBSERVE_CLASS_FP16, 4, 0);
    expect_class("mul.f16 %h1, %h2, %h3;", OBSERVE_CLASS_FP16, 1, 0);
    expect_class("setp.lt.f32 %p1, %f1, %f2;", OBSERVE_CLASS_FP32, 0, 0);
    expect_class("setp.lt.s32 %p1, %r1, %r2;", OBSERVE_CLASS_INTEGER, 0, 0);
    expect_class("mad.lo.s32 %r1, %r2, %r3, %r4;", OBSERVE_CLASS_INTEGER, 0, 0);
    expect_class("div.rn.f32 %f1, %f2, %f3;", OBSERVE_CLASS_SPECIAL, 0, 0);
    expect_class("div.u32 %r1, %r2, %r3;", OBSERVE_CLASS_INTEGER, 0, 0);
    expect_class("shl.b32 %r1, %r2, 3;", OBSERVE_CLASS_LOGIC, 0, 0);
    expect_class("cvt.rn.f32.s32 %f1, %r1;", OBSERVE_CLASS_CONVERSION, 0, 0);
    expect_class("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d1];", OBSERVE_CLASS_LOAD_GLOBAL, 0, 0);
    expect_class("ld.shared.f32 %f1, [%r1];", OBSERVE_CLASS_LOAD_SHARED, 0, 0);
    expect_class("ld.f32 %f1, [%d1];", OBSERVE_CLASS_LOAD_GENERIC, 0, 0);
    expect_class("st.local.f32 [%d1], %f1;", OBSERVE_CLASS_STORE_LOCAL, 0, 0);
    expect_class("atom.global.add.u32 %r1, [%d1], 1;", OBSERVE_CLASS_ATOMIC, 0, 0);
    expect_class("red.shared.add.u32 [%r1], 1;", OBSERVE_CLASS_REDUCTION, 0, 0);
    expect_class("bar.sync 0;", OBSERVE_CLASS_BARRIER, 0, 0);
    expect_class("shfl.sync.down.b32 %r1, %r2, 1, 31, -1;", OBSERVE_CLASS_WARP, 0, 0);
    expect_class("membar.gl;", OBSERVE_CLASS_FENCE, 0, 0);
    expect_class("cp.async.ca.shared.global [%r1], [%d1], 16;", OBSERVE_CLASS_ASYNC, 0, 0);
    assert_true(info_of("@%p1 add.f32 %f1, %f2, %f3;").guarded_flops);
    assert_int_equal(info_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
                             "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};")
                         .tensor.ops,
                     2 * 16 * 8 * 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(strings), cmocka_unit_test(numbers),
                                       cmocka_unit_test(every_metric_once), cmocka_unit_test(classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

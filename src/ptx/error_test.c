// Errors: where they are, what they say, and that nothing breaks the reader.
#include "ptx/ptx.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"
#define BODY                                                                                                 \
    ".entry k(.param .u64 p) {\n.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p<4>; .reg .b16 %h<2>;\n"

static void fails(const char *text, const char *message) {
    ptx_module *module;
    kz_error error;
    kz_status status = ptx_module_open("bad.ptx", text, strlen(text), &module, &error);
    if (status != KZ_SYNTAX) fail_msg("not a syntax error (%d): %s", status, text);
    assert_null(module);
    assert_has(error.message, message);
}

static void caret_under_the_token(void **state) {
    kz_error error;
    ptx_module *module;
    const char *text = HEAD BODY "\tadd.s32 %r1, %r2, %x;\n}\n";
    assert_int_equal(ptx_module_open("dir/bad.ptx", text, strlen(text), &module, &error), KZ_SYNTAX);
    assert_string_equal(error.message, "dir/bad.ptx:6:20: '%x' is not declared\n"
                                       "     6 |  add.s32 %r1, %r2, %x;\n"
                                       "       |                    ^");
    assert_int_equal(ptx_module_open("dir/bad.ptx", text, strlen(text), &module, NULL), KZ_SYNTAX);
}

static void a_long_line_is_cut(void **state) {
    base_text text = {0};
    kz_error error;
    ptx_module *module;
    base_text_add(&text, "%s", HEAD BODY);
    for (int i = 0; i < 1000; i++) base_text_add(&text, "add.s32 %%r1, %%r1, 1; ");
    base_text_add(&text, "add.s32 %%r1, ?; exit; }\n");
    assert_int_equal(ptx_module_open("long.ptx", text.data, text.length, &module, &error), KZ_SYNTAX);
    const char *last = strrchr(error.message, '\n') + 1, *line = strstr(error.message, "     6 | ");
    assert_non_null(line);
    assert_true(strlen(last) < 120);
    assert_int_equal(line[strchr(last, '^') - last], '?');
    base_text_free(&text);
}

static void syntax_errors(void **state) {
    fails("", "expected .version");
    fails("hello", "expected .version");
    fails(".version nine", "expected a version");
    fails(HEAD "\x01", "means nothing in PTX");
    fails(HEAD ".file 1 \"open", "does not end on its line");
    fails(HEAD ".entry k() { exit;", "'}' is missing");
    fails(HEAD ".entry k() { exit }", "expected ';'");
    fails(HEAD ".entry () {}", "expected the function's name");
    fails(HEAD ".entry k() {} .entry k() {}", "has two bodies");
    fails(HEAD ".global .b32 x; .global .b32 x;", "is declared twice");
    fails(HEAD ".global .b32 x[2] = {1, 2, 3};", "12 bytes of values for a variable of 8");
    fails(HEAD ".global .b32 x = y;", "no variable or function 'y'");
    fails(HEAD ".global .b32 x[281474976710656];", "too large");
    fails(HEAD ".global .align 3 .b32 x;", "power of two");
    fails(HEAD ".shared .pred x;", "no predicates");
    fails(HEAD BODY ".reg .e4m3 x; }", "no register has this type");
    fails(".version 9.0\n.target sm_9.0", "expected a target");
    fails(".version 9.0\n.address_size 48", "32 or 64 bits");
    fails(HEAD BODY "bra NOWHERE; }", "no label 'NOWHERE'");
    fails(HEAD BODY "L: exit; L: exit; }", "stands here twice");
    fails(HEAD BODY "{ L: exit; } bra L; }", "no label 'L'");
    fails(HEAD BODY "mov.u32 %r1, 0x; }", "expected digits");
    fails(HEAD BODY "mov.u32 %r1, 09; }", "is no number");
    fails(HEAD BODY "mov.u64 %d1, 99999999999999999999; }", "does not fit in 64 bits");
    fails(HEAD BODY "mov.u32 %r1, 1 / 0; }", "has no value");
    fails(HEAD BODY "mov.f32 %r1, 0f12; }", "8 hexadecimal digits");
    fails(HEAD BODY "call nobody; }", "'nobody' is not declared");
    fails(HEAD BODY ".reg .b32 %r<2>; }", "is declared twice");
    fails(HEAD BODY ".reg .b32 many<99999999>; }", "whole number up to");
    fails(HEAD BODY "@%r1 exit; }", "expected a predicate register");
    fails(HEAD BODY "frob %r1 }", "ends with ';'");
    fails(HEAD ".section .x { { }", "has no '}'");
}

static void operands_that_do_not_fit(void **state) {
    fails(HEAD BODY "add.s32 %r1, %r2; }", "'add' takes 3 operands, not 2");
    fails(HEAD BODY "add.s64 %d1, %d2, %r1; }", "width does not fit");
    fails(HEAD BODY "add.s32 %p1, %r1, %r2; }", "width does not fit");
    fails(HEAD BODY "add.s32 5, %r1, %r2; }", "expected a register to write to");
    fails(HEAD BODY "add.s32 %r1|%p1, %r1, %r2; }", "writes one register");
    fails(HEAD BODY "add.s32 %r1, _, %r2; }", "expected a register or a constant");
    fails(HEAD BODY "add.s32 %r1.b0, %r1, %r2; }", "only video instructions");
    fails(HEAD BODY "setp.eq.s32 %r1, %r1, %r2; }", "needs a predicate register");
    fails(HEAD BODY "selp.b32 %r1, %r2, %r3, %r1; }", "needs a predicate register");
    fails(HEAD BODY "ld.global.u32 %r1, %d1; }", "expected an address in brackets");
    fails(HEAD BODY "ld.global.u32 %r1, [%h1]; }", "32 or 64 bits");
    fails(HEAD BODY "ld.global.v2.u32 {%r1, %r2, %r3}, [%d1]; }", "wrong length");
    fails(HEAD BODY "ld.global.v2.u32 %r1, [%d1]; }", "expected a vector");
    fails(HEAD BODY "ld.global.u64 %r1, [%d1]; }", "width does not fit");
    fails(HEAD BODY "mov.b64 {%h0, %h1}, %d1; }", "width does not fit");
    fails(HEAD BODY "mov.b64 {%r1, %r2}, {%r1, %r2}; }", "does not copy vectors");
    fails(HEAD BODY "atom.global.cas.b32 %r1, [%d1], %r2; }", "cas compares");
    fails(HEAD BODY "bar.red.popc.u32 %r1, 0, %r2; }", "needs a predicate");
    fails(HEAD BODY "brx.idx %r1, %r2; }", ".branchtargets");
    fails(HEAD BODY "bra 5; }", "expected a label");
}

static void calls_that_do_not_fit(void **state) {
#define F ".func (.param .b32 r) f(.param .b64 a);\n"
    fails(HEAD F BODY ".param .b32 r; call (r), f; }", "the function has 1 parameters, not 0");
    fails(HEAD F BODY "call f, (%d1); }", "the function has 1 results, not 0");
    fails(HEAD F BODY "call (%r1), f, (%r2); }", "its size differs");
    fails(HEAD F BODY ".local .b64 x; call (%r1), f, (x); }", "expected a .param variable");
    fails(HEAD F BODY "call (5), f, (%d1); }", "expected a .param variable or a register");
    fails(HEAD F BODY "call (%r1), %d1, (%d1); }", "needs .calltargets");
    fails(HEAD F BODY "call (%r1), %r1, (%d1); }", "64 bits");
    fails(HEAD F BODY "pr: .callprototype ()_(); call (%r1), %d1, (%d1), pr; }",
          "the function has 0 results, not 1");
    fails(HEAD F BODY "t: .branchtargets L; L: call (%r1), %d1, (%d1), t; }", "expected .calltargets");
    fails(HEAD F BODY "t: .calltargets f; brx.idx %r1, t; }", ".branchtargets");
    fails(HEAD F ".func f { ret; }", "differ from its declaration's");
#undef F
}

static void nesting_is_bounded(void **state) {
    static const char *const openers[] = {"{", "mov.u32 %r1, (", "mov.u32 %r1, -", "mov.u32 %r1, {",
                                          "mov.u32 %r1, 1?"};
    for (size_t i = 0; i < BASE_COUNT(openers); i++) {
        base_text text = {0};
        ptx_module *module;
        kz_error error;
        base_text_add(&text, "%s%s", HEAD BODY, openers[i]);
        const char *last = openers[i] + strlen(openers[i]) - 1;
        for (int k = 0; k < 100000; k++) base_text_add(&text, "%s", *last == '?' ? "1?" : last);
        assert_int_equal(ptx_module_open("deep.ptx", text.data, text.length, &module, &error), KZ_SYNTAX);
        base_text_free(&text);
    }
}

static void nul_bytes(void **state) {
    const char inside[] = HEAD BODY "frob /* \0 */ %r1\n// \0\n, 5;\nexit; }",
               quoted[] = HEAD ".file 1 \"a\0b\"\n";
    ptx_module *module;
    kz_error error;
    assert_int_equal(ptx_module_open("nul.ptx", inside, sizeof inside - 1, &module, &error), KZ_OK);
    assert_string_equal(module->functions[0]->insts[0].text, "frob %r1 , 5"); // comments are not kept
    assert_int_equal(module->functions[0]->inst_count, 2);
    ptx_module_close(module);
    assert_int_equal(ptx_module_open("nul.ptx", quoted, sizeof quoted - 1, &module, &error), KZ_SYNTAX);
}

// Every prefix of a good module, and the module with each byte spoilt, is read or refused.
static void broken_texts(void **state) {
    char *text;
    size_t size;
    kz_error error;
    assert_int_equal(base_file_read("fuzz/corpus/ptx_fuzz/scopes.ptx", &text, &size, &error), KZ_OK);
    for (size_t length = 0; length <= size; length++) {
        ptx_module *module;
        kz_status status = ptx_module_open("cut.ptx", text, length, &module, &error);
        assert_true(status == KZ_OK || status == KZ_SYNTAX);
        ptx_module_close(module);
        if (length == size) break;
        char kept = text[length];
        text[length] = (char)(kept ^ 0x15);
        status = ptx_module_open("spoilt.ptx", text, size, &module, &error);
        assert_true(status == KZ_OK || status == KZ_SYNTAX);
        ptx_module_close(module);
        text[length] = kept;
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caret_under_the_token),
        cmocka_unit_test(a_long_line_is_cut),
        cmocka_unit_test(syntax_errors),
        cmocka_unit_test(operands_that_do_not_fit),
        cmocka_unit_test(calls_that_do_not_fit),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(broken_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

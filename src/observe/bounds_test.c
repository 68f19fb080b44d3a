// Which buffer an access out of bounds was meant for, and its words.

#include "observe/bounds.h"
#include "unit.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"
#define KERNEL                                                                                               \
    HEAD ".visible .entry k(.param .u64 x, .param .u64 y, .param .u64 n)\n{\n.reg .b64 %rd<20>;\n"           \
         ".reg .b32 %r<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<3>;\n"                                           \
         "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nld.param.u64 %rd3, [n];\n"

enum { X = 1, Y = 2, POINTERS = X | Y };

// The parameter that the last load of the kernel reads through.
static int parameter_of_last_load(const char *ptx) {
    ptx_module *module = NULL;
    kz_error error = {0};
    if (ptx_module_open("test", ptx, strlen(ptx), &module, &error)) fail_msg("%s", error.message);
    const ptx_function *f = ptx_find_function(module, "k");
    const ptx_inst *last = NULL;
    for (uint32_t i = 0; i < f->inst_count; i++)
        if (f->insts[i].op == PTX_OP_LD) last = &f->insts[i];
    int parameter = observe_address_parameter(f, last, POINTERS);
    ptx_module_close(module);
    return parameter;
}

static void the_base_is_found_through_arithmetic(void **state) {
    // The size is 64 bits wide too, and no pointer.
    assert_int_equal(parameter_of_last_load(KERNEL
                                            "cvta.to.global.u64 %rd4, %rd2;\nmul.lo.s64 %rd5, %rd3, 4;\n"
                                            "add.s64 %rd6, %rd4, %rd5;\nld.global.f32 %f1, [%rd6+8];\n"
                                            "ret;\n}\n"),
                     1);
}

static void an_index_from_memory_is_no_base(void **state) {
    assert_int_equal(parameter_of_last_load(KERNEL "ld.global.u32 %r1, [%rd2];\nmul.wide.u32 %rd5, %r1, 4;\n"
                                                   "add.s64 %rd6, %rd1, %rd5;\nld.global.f32 %f1, [%rd6];\n"
                                                   "ret;\n}\n"),
                     0);
}

static void a_pointer_that_moves_in_a_loop_is_followed(void **state) {
    assert_int_equal(parameter_of_last_load(KERNEL "mov.u64 %rd7, %rd1;\nL:\nadd.s64 %rd8, %rd7, 4;\n"
                                                   "mov.u64 %rd7, %rd8;\nld.global.f32 %f1, [%rd7];\n"
                                                   "bra L;\n}\n"),
                     0);
}

static void one_of_two_is_not_guessed(void **state) {
    assert_int_equal(parameter_of_last_load(KERNEL "setp.gt.u64 %p1, %rd3, 4;\n"
                                                   "selp.b64 %rd7, %rd1, %rd2, %p1;\n"
                                                   "ld.global.f32 %f1, [%rd7];\nret;\n}\n"),
                     -1);
}

// ---- words ----------------------------------------------------------------------------------------------

static void expect_words(uint64_t address, uint32_t bytes, bool is_write, const char *words) {
    observe_declared declared = {0};
    observe_declared_add(
        &declared,
        &(observe_buffer){
            .name = "x", .base = 0x10000, .data = 0x10000, .bytes = 400, .total = 400, .element = 4});
    const ptx_inst inst = {.op = is_write ? PTX_OP_ST : PTX_OP_LD};
    const sim_fault_info fault = {.kind = SIM_FAULT_BOUNDS,
                                  .inst = &inst,
                                  .address = address,
                                  .bytes = bytes,
                                  .is_write = is_write,
                                  .space = SIM_GLOBAL};
    base_text text = {0};
    if (!observe_explain_bounds(&declared, NULL, &fault, &text)) fail_msg("nothing is said");
    if (!strstr(text.data, words)) fail_msg("not \"%s\": %s", words, text.data);
    assert_null(strstr(text.data, "cudaMalloc"));
    base_text_free(&text);
}

// Element 100 of 100 is lane 4's.
static void expect_cause(uint32_t mask, const char *words) {
    observe_declared declared = {0};
    observe_declared_add(
        &declared,
        &(observe_buffer){
            .name = "x", .base = 0x10000, .data = 0x10000, .bytes = 400, .total = 400, .element = 4});
    const ptx_inst inst = {.op = PTX_OP_LD};
    const sim_fault_info fault = {.kind = SIM_FAULT_BOUNDS,
                                  .inst = &inst,
                                  .thread = 100,
                                  .mask = mask,
                                  .address = 0x10000 + 400,
                                  .bytes = 4,
                                  .space = SIM_GLOBAL};
    base_text text = {0};
    assert_true(observe_explain_bounds(&declared, NULL, &fault, &text));
    if (!strstr(text.data, words)) fail_msg("not \"%s\": %s", words, text.data);
    base_text_free(&text);
}

static void an_inverted_guard_is_named(void **state) {
    expect_cause(0xfffffff0, "a guard that is inverted");
    expect_cause(0xffffffff, "a guard that is missing"); // none
    expect_cause(0x0000001f, "a guard that is missing"); // <= for <
    expect_cause(0x00000010, "a guard that is missing"); // one thread alone
}

static void elements_are_named(void **state) {
    expect_words(0x10000 + 400, 4, false, "reads x[100], but x has 100 elements (indices 0..99)");
    expect_words(0x10000 + 400, 4, false, "<= for <");
    expect_words(0x10000 - 4, 4, true, "writes x[-1], but x has 100 elements");
    expect_words(0x10000 + 392, 16, false, "reads x[98] to x[101] at once");
    expect_words(0x10000 + 392, 16, false, "no multiple of the vector's");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_base_is_found_through_arithmetic),
        cmocka_unit_test(an_index_from_memory_is_no_base),
        cmocka_unit_test(a_pointer_that_moves_in_a_loop_is_followed),
        cmocka_unit_test(one_of_two_is_not_guessed),
        cmocka_unit_test(an_inverted_guard_is_named),
        cmocka_unit_test(elements_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

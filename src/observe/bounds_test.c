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
    if (!observe_explain_bounds(&declared, NULL, &(observe_shape){0}, &fault, &text))
        fail_msg("nothing is said");
    if (!strstr(text.data, words)) fail_msg("not \"%s\": %s", words, text.data);
    assert_null(strstr(text.data, "cudaMalloc"));
    base_text_free(&text);
}

// An access of a thread in a grid of such blocks to an element of 100.
typedef struct attempt {
    uint32_t grid[3], block[3];
    uint32_t at, thread; // linear
    uint32_t mask;
    int64_t index;
} attempt;

static void expect_cause(const attempt *t, const char *words) {
    observe_declared declared = {0};
    observe_declared_add(
        &declared,
        &(observe_buffer){
            .name = "x", .base = 0x10000, .data = 0x10000, .bytes = 400, .total = 400, .element = 4});
    const ptx_inst inst = {.op = PTX_OP_LD};
    const sim_fault_info fault = {.kind = SIM_FAULT_BOUNDS,
                                  .inst = &inst,
                                  .block = t->at,
                                  .thread = t->thread,
                                  .mask = t->mask,
                                  .address = (uint64_t)(0x10000 + 4 * t->index),
                                  .bytes = 4,
                                  .space = SIM_GLOBAL};
    observe_shape shape;
    memcpy(shape.grid, t->grid, sizeof shape.grid);
    memcpy(shape.block, t->block, sizeof shape.block);
    base_text text = {0};
    assert_true(observe_explain_bounds(&declared, NULL, &shape, &fault, &text));
    if (!strstr(text.data, words)) fail_msg("not \"%s\": %s", words, text.data);
    base_text_free(&text);
}

// Element 100 of 100 is lane 4's.
static void a_guard_is_told_by_the_lanes(void **state) {
    static const char more[] = "more threads than elements and no guard";
    attempt t = {{1, 1, 1}, {256, 1, 1}, 0, 100, 0xfffffff0, 100};
    expect_cause(&t, "a guard that is inverted");
    t.mask = 0xffffffff; // none
    expect_cause(&t, more);
    t.mask = 0x00000010; // one thread alone
    expect_cause(&t, more);
    t.mask = 0x0000001f;
    expect_cause(&t, "lets one too many through: <= for <");
    t.block[0] = 101; // nobody is behind it
    expect_cause(&t, more);
    const attempt stride = {{1, 1, 1}, {64, 1, 1}, 0, 36, 0x1f, 100};
    expect_cause(&stride, "<= for <");
}

// The thread's own numbers tell whether its index is meant.
static void a_cause_fits_the_thread(void **state) {
    const attempt neighbour = {{1, 1, 1}, {256, 1, 1}, 0, 99, 0xf, 100};
    expect_cause(&neighbour, "one more than the thread's own: a neighbour past the end");
    const attempt first = {{1, 1, 1}, {256, 1, 1}, 0, 0, 0xffffffff, -1};
    expect_cause(&first, "treat the first elements apart");
    const attempt later = {{2, 3, 1}, {32, 8, 1}, 1, 18, 0xffffffff, -1}; // x = 50
    expect_cause(&later, "a thread past the end came by");
    expect_cause(&later, "blockIdx.x * blockDim.x + threadIdx.x is 50, and that of y is 0");
    const attempt dimension = {{4, 3, 1}, {32, 8, 1}, 3, 4, 0xffffffff, 100}; // x = 100
    expect_cause(&dimension, "an index along the wrong dimension (x where y belongs)");
    const attempt row = {{2, 3, 1}, {32, 8, 1}, 0, 32, 1, 100}; // y = 1
    expect_cause(&row, "the length of a row is taken from the other size");
    const attempt loop = {{1, 1, 1}, {256, 1, 1}, 0, 0, 1, 100};
    expect_cause(&loop, "a loop or an offset that goes past the end");
    const attempt plane = {{2, 3, 1}, {32, 8, 1}, 0, 0, 1, 100};
    expect_cause(&plane, "a loop or an offset that goes past the end");
    const attempt far = {{1, 1, 1}, {256, 1, 1}, 0, 3, 0xff, 100};
    expect_cause(&far, "multiplied by another size");
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
        cmocka_unit_test(a_guard_is_told_by_the_lanes),
        cmocka_unit_test(a_cause_fits_the_thread),
        cmocka_unit_test(elements_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Printed modules: reading them again and printing gives the same text, and says the same.
#include "ptx/ptx.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static ptx_module *open_text(const char *name, const char *text, size_t length) {
    ptx_module *module;
    kz_error error;
    if (ptx_module_open(name, text, length, &module, &error) != KZ_OK) fail_msg("%s", error.message);
    return module;
}

static void check_same(const ptx_module *a, const ptx_module *b) {
    assert_int_equal(a->function_count, b->function_count);
    assert_int_equal(a->variable_count, b->variable_count);
    for (uint32_t i = 0; i < a->function_count; i++) {
        const ptx_function *f = a->functions[i], *g = ptx_find_function(b, f->name);
        assert_non_null(g);
        assert_int_equal(f->inst_count, g->inst_count);
        assert_int_equal(f->reg_count, g->reg_count);
        assert_int_equal(f->local_count, g->local_count);
        for (uint32_t k = 0; k < f->inst_count; k++) {
            assert_int_equal(f->insts[k].op, g->insts[k].op);
            assert_true(f->insts[k].flags == g->insts[k].flags);
            assert_int_equal(f->insts[k].operand_count, g->insts[k].operand_count);
            assert_int_equal(f->insts[k].guard, g->insts[k].guard);
            for (uint32_t o = 0; o < f->insts[k].operand_count; o++) {
                assert_int_equal(f->insts[k].operands[o].kind, g->insts[k].operands[o].kind);
                assert_int_equal(f->insts[k].operands[o].reg, g->insts[k].operands[o].reg);
                assert_true(f->insts[k].operands[o].value == g->insts[k].operands[o].value);
            }
        }
    }
    for (uint32_t i = 0; i < a->variable_count; i++) {
        assert_true(a->variables[i]->size == b->variables[i]->size);
        assert_int_equal(a->variables[i]->relocation_count, b->variables[i]->relocation_count);
        if (a->variables[i]->data && a->variables[i]->size)
            assert_memory_equal(a->variables[i]->data, b->variables[i]->data, a->variables[i]->size);
    }
}

static void check_file(const char *path) {
    char *text;
    size_t size;
    kz_error error;
    if (base_file_read(path, &text, &size, &error) != KZ_OK) fail_msg("%s", error.message);
    ptx_module *module = open_text(path, text, size);
    base_text first = {0}, second = {0};
    ptx_print_module(module, &first);
    ptx_module *again = open_text("printed", first.data, first.length);
    check_same(module, again);
    ptx_print_module(again, &second);
    assert_string_equal(first.data, second.data);
    ptx_module_close(again);
    ptx_module_close(module);
    base_text_free(&first);
    base_text_free(&second);
    free(text);
}

static void every_seed_is_a_fixpoint(void **state) {
    const char *folder = "fuzz/corpus/ptx_fuzz";
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    unsigned count = 0;
    for (struct dirent *entry; (entry = readdir(listing));) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".ptx") != 0) continue;
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_file(path);
        count++;
    }
    closedir(listing);
    assert_true(count >= 6);
}

static void an_instruction_alone(void **state) {
    const char *text =
        ".version 9.0\n.target sm_90\n.entry k() { .reg .b32 %r<3>; .reg .b64 %d<2>; .reg .pred %p<2>;\n"
        "@!%p1 ld.global.v2.u32 {%r1, _}, [%d1+-8];\n"
        "L: shfl.sync.down.b32 %r1|%p1, %r2, 0x10, 31, -1;\nbra L; }";
    ptx_module *module = open_text("k.ptx", text, strlen(text));
    const ptx_function *function = module->functions[0];
    const char *expected[] = {"@!%p1 ld.global.v2.u32 {%r1, _}, [%d1+-8];",
                              "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;", "bra $L_1;"};
    for (uint32_t i = 0; i < function->inst_count; i++) {
        base_text out = {0};
        ptx_print_inst(module, function, &function->insts[i], &out);
        assert_string_equal(out.data, expected[i]);
        base_text_free(&out);
    }
    ptx_module_close(module);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_seed_is_a_fixpoint),
        cmocka_unit_test(an_instruction_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The tables: ids, texts and categories, and the generated page.
#include "ptx/tables.h"

#include <stdlib.h>

#include "unit.h"

static void types(void **state) {
    assert_int_equal(ptx_type_bits(PTX_F16), 16);
    assert_int_equal(ptx_type_bits(PTX_F16X2), 32);
    assert_int_equal(ptx_type_bits(PTX_PRED), 1);
    assert_int_equal(ptx_type_class(PTX_S64), 's');
    assert_string_equal(ptx_type_name(PTX_BF16X2), "bf16x2");
    assert_int_equal(ptx_type_named("bf16x2"), PTX_BF16X2);
    assert_int_equal(ptx_type_named("bf16x3"), PTX_TYPE_NONE);
    assert_int_equal(ptx_mod_type(PTX_MOD_T_F32), PTX_F32);
    assert_int_equal(ptx_mod_type(PTX_MOD_FTZ), PTX_TYPE_NONE);
}

static void categories_by_opcode(void **state) {
    assert_int_equal(ptx_mod_category(PTX_OP_MUL, PTX_MOD_LO), PTX_CAT_HALF);
    assert_int_equal(ptx_mod_category(PTX_OP_SETP, PTX_MOD_LO), PTX_CAT_COMPARE);
    assert_int_equal(ptx_mod_category(PTX_OP_VOTE, PTX_MOD_UNI), PTX_CAT_MODE);
    assert_int_equal(ptx_mod_category(PTX_OP_BRA, PTX_MOD_UNI), PTX_CAT_FLAG);
}

static void flags_are_distinct_bits(void **state) {
    uint64_t all = 0;
    for (int mod = 1; mod < PTX_MOD_COUNT; mod++) {
        if (ptx_mod_table_category((ptx_mod)mod) != PTX_CAT_FLAG) continue;
        uint64_t bit = UINT64_C(1) << ptx_mod_flag((ptx_mod)mod);
        assert_int_equal(all & bit, 0);
        all |= bit;
    }
    assert_int_equal(PTX_FLAG(FTZ), UINT64_C(1) << ptx_mod_flag(PTX_MOD_FTZ));
    assert_int_equal(PTX_FLAG(TO), UINT64_C(1) << ptx_mod_flag(PTX_MOD_TO));
}

static void no_text_twice(void **state) {
    for (int a = 1; a < PTX_MOD_COUNT; a++)
        for (int b = a + 1; b < PTX_MOD_COUNT; b++)
            assert_string_not_equal(ptx_mod_text((ptx_mod)a), ptx_mod_text((ptx_mod)b));
    for (int a = 1; a < PTX_OP_COUNT; a++)
        for (int b = a + 1; b < PTX_OP_COUNT; b++)
            assert_string_not_equal(ptx_op_root((ptx_op)a), ptx_op_root((ptx_op)b));
}

// Every word of a row's modifiers and types must mean something, or a spelling mistake would go unseen.
static bool known_word(const char *word, size_t length) {
    for (int i = 0; i < PTX_CAT_COUNT; i++) {
        const char *name = ptx_category_name((ptx_category)i);
        if (strlen(name) == length && memcmp(name, word, length) == 0) return true;
    }
    for (int i = 1; i < PTX_MOD_COUNT; i++) {
        const char *text = ptx_mod_text((ptx_mod)i);
        if (strlen(text) == length && memcmp(text, word, length) == 0) return true;
    }
    return false;
}

static void rows_use_known_words(void **state) {
    for (int op = 1; op < PTX_OP_COUNT; op++) {
        const ptx_op_info *info = ptx_op_get((ptx_op)op);
        const char *texts[] = {info->mods, info->types};
        for (size_t t = 0; t < BASE_COUNT(texts); t++) {
            if (strcmp(texts[t], "*") == 0) continue;
            for (const char *at = texts[t]; *at; at += strspn(at, " ,?")) {
                size_t length = strcspn(at, " ,?");
                if (!known_word(at, length))
                    fail_msg("%s: '%.*s' is no modifier", info->root, (int)length, at);
                at += length;
            }
        }
        assert_true(strlen(info->what) > 0);
        for (const char *at = info->operands; *at && strcmp(info->operands, "*") != 0; at++)
            if (!strchr("desvalt012wpuqmnx? ", *at))
                fail_msg("%s: operands '%s'", info->root, info->operands);
    }
}

// A row without a column does not compile; these find columns that contradict each other.
static void check_row(const ptx_op_info *row, bool good, const char *what) {
    if (!good) fail_msg("ops.def, row %s: %s", row->root, what);
}

static void columns_agree(void **state) {
    for (int op = 1; op < PTX_OP_COUNT; op++) {
        const ptx_op_info *row = ptx_op_get((ptx_op)op);
        ptx_class class = row->class;
        bool is_warp = class == PTX_CLASS_SHUFFLE || class == PTX_CLASS_VOTE || class == PTX_CLASS_WARP ||
                       class == PTX_CLASS_TENSOR;
        bool is_memory = class == PTX_CLASS_LOAD || class == PTX_CLASS_STORE || class == PTX_CLASS_ATOMIC ||
                         class == PTX_CLASS_REDUCTION;
        bool has_value = row->bits != PTX_BITS_NONE && row->bits != PTX_BITS_WHOLE &&
                         row->bits != PTX_BITS_MEMORY && row->bits != PTX_BITS_EXCHANGE;
        check_row(row, class != PTX_CLASS_CONTROL || row->end != PTX_END_FALL, "control ends a basic block");
        check_row(row, row->end != PTX_END_SYNC || is_warp, "SYNC waits for lanes of a warp");
        check_row(row,
                  row->flops == PTX_FLOPS_0 || class == PTX_CLASS_ARITHMETIC || class == PTX_CLASS_TENSOR,
                  "flops are arithmetic's, or the tensor cores'");
        bool by_shape = row->flops == PTX_FLOPS_SHAPE;
        check_row(row, !by_shape || class == PTX_CLASS_TENSOR, "shapes are matrices'");
        check_row(row, !is_memory || row->bits == PTX_BITS_MEMORY, "what it reads or writes is memory");
        check_row(row, !has_value || ptx_op_has_destination((ptx_op)op),
                  "a rule for bits, and no destination");
    }
}

static void type_of_operands(void **state) {
    ptx_inst inst = {.op = PTX_OP_SHL, .type_count = 1, .types = {PTX_B64}};
    assert_int_equal(ptx_operand_type(&inst, 1), PTX_B64);
    assert_int_equal(ptx_operand_type(&inst, 2), PTX_U32);
    inst = (ptx_inst){.op = PTX_OP_MAD, .type_count = 1, .types = {PTX_S32}};
    assert_int_equal(ptx_operand_type(&inst, 3), PTX_S32);
    inst.by_category[PTX_CAT_HALF] = PTX_MOD_WIDE;
    assert_int_equal(ptx_operand_type(&inst, 2), PTX_S32);
    assert_int_equal(ptx_operand_type(&inst, 3), PTX_S64);
    inst = (ptx_inst){.op = PTX_OP_CVT, .type_count = 2, .types = {PTX_F32, PTX_S64}};
    assert_int_equal(ptx_operand_type(&inst, 1), PTX_S64);
}

static void support_of_rows(void **state) {
    const char *why;
    ptx_inst inst = {.op = PTX_OP_MULTIMEM};
    assert_false(ptx_is_simulated(&inst, &why));
    assert_non_null(strstr(why, "several GPUs"));
    inst.op = PTX_OP_ADD;
    assert_true(ptx_is_simulated(&inst, &why));
    assert_true(ptx_is_simulated(&inst, NULL));
    inst.op = PTX_OP_LD;
    inst.by_category[PTX_CAT_SPACE] = PTX_MOD_SHARED_CLUSTER;
    assert_true(ptx_is_simulated(&inst, &why));
    inst = (ptx_inst){.op = PTX_OP_CP_ASYNC_BULK_TENSOR};
    assert_true(ptx_is_simulated(&inst, &why));
    inst = (ptx_inst){.op = PTX_OP_PREFETCH};
    assert_true(ptx_is_simulated(&inst, &why));
    assert_true(ptx_has_no_effect(PTX_OP_PREFETCH));
    assert_false(ptx_has_no_effect(PTX_OP_ADD));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),
        cmocka_unit_test(categories_by_opcode),
        cmocka_unit_test(flags_are_distinct_bits),
        cmocka_unit_test(no_text_twice),
        cmocka_unit_test(rows_use_known_words),
        cmocka_unit_test(columns_agree),
        cmocka_unit_test(type_of_operands),
        cmocka_unit_test(support_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Fragments of matrix instructions: the formulas of the PTX ISA for some, and for every form of the table that the lanes hold
// each element as often as they should.
#include "ptx/matrix.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

// An instruction without operands, as the parser leaves it.
static ptx_inst inst_of(const char *opcode, ptx_module **module) {
    char text[512];
    kz_error error = {0};
    snprintf(text, sizeof text,
             ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n.reg .b32 r;\n%s "
             "r;\nret;\n}\n",
             opcode);
    kz_status status = ptx_module_open("x.ptx", text, strlen(text), module, &error);
    if (status) print_error("%s: %s\n", opcode, error.message);
    assert_int_equal(status, KZ_OK);
    return (*module)->functions[0]->insts[0];
}

static ptx_matrix matrix_of(const char *opcode) {
    ptx_module *module;
    ptx_inst inst = inst_of(opcode, &module);
    ptx_matrix matrix;
    const char *why = NULL;
    if (!ptx_matrix_of(&inst, &matrix, &why)) fail_msg("%s: %s", opcode, why);
    ptx_module_close(module);
    return matrix;
}

typedef struct spot {
    unsigned row, column;
} spot;

static spot at(const ptx_matrix *x, ptx_matrix_part part, unsigned lane, unsigned element) {
    spot s;
    ptx_fragment fragment;
    ptx_fragment_of(x, part, &fragment);
    ptx_fragment_at(&fragment, lane, element, &s.row, &s.column);
    return s;
}

#define EACH_LANE(lane) for (unsigned lane = 0, g = 0, t = 0; lane < 32; lane++, g = lane / 4, t = lane % 4)

static void is_at(spot s, unsigned row, unsigned column) {
    assert_int_equal(s.row, row);
    assert_int_equal(s.column, column);
}

// PTX ISA 9.0, 9.7.14.5.8: .m16n8k16 of 16-bit types.
static void m16n8k16_of_halves(void **state) {
    ptx_matrix x = matrix_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
    EACH_LANE(lane) {
        for (unsigned i = 0; i < 8; i++)
            is_at(at(&x, PTX_MATRIX_A, lane, i), i < 2 || (i >= 4 && i < 6) ? g : g + 8,
                  t * 2 + (i & 1) + (i >= 4 ? 8 : 0));
        for (unsigned i = 0; i < 4; i++) {
            is_at(at(&x, PTX_MATRIX_B, lane, i), t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g);
            is_at(at(&x, PTX_MATRIX_C, lane, i), i < 2 ? g : g + 8, t * 2 + (i & 1));
        }
    }
}

// .m16n8k32 of bytes.
static void m16n8k32_of_bytes(void **state) {
    ptx_matrix x = matrix_of("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32");
    EACH_LANE(lane) {
        for (unsigned i = 0; i < 16; i++)
            is_at(at(&x, PTX_MATRIX_A, lane, i), i < 4 || (i >= 8 && i < 12) ? g : g + 8,
                  t * 4 + (i & 3) + (i >= 8 ? 16 : 0));
        for (unsigned i = 0; i < 8; i++)
            is_at(at(&x, PTX_MATRIX_B, lane, i), t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g);
    }
}

// .m16n8k8 of tf32, .m16n8k64 of 4 bits, .m16n8k256 of bits, .m16n8k16 of f64, .m8n8k4 of f64.
static void others_of_mma(void **state) {
    ptx_matrix tf32 = matrix_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
               four = matrix_of("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32"),
               bits = matrix_of("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc"),
               f64 = matrix_of("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64"),
               small = matrix_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz");
    EACH_LANE(lane) {
        for (unsigned i = 0; i < 4; i++)
            is_at(at(&tf32, PTX_MATRIX_A, lane, i), i & 1 ? g + 8 : g, i < 2 ? t : t + 4);
        for (unsigned i = 0; i < 2; i++) is_at(at(&tf32, PTX_MATRIX_B, lane, i), i ? t + 4 : t, g);
        for (unsigned i = 0; i < 32; i++)
            is_at(at(&four, PTX_MATRIX_A, lane, i), i < 8 || (i >= 16 && i < 24) ? g : g + 8,
                  t * 8 + (i & 7) + (i >= 16 ? 32 : 0));
        for (unsigned i = 0; i < 128; i += 5)
            is_at(at(&bits, PTX_MATRIX_A, lane, i), i < 32 || (i >= 64 && i < 96) ? g : g + 8,
                  t * 32 + (i & 31) + (i >= 64 ? 128 : 0));
        for (unsigned i = 0; i < 8; i++)
            is_at(at(&f64, PTX_MATRIX_A, lane, i), i % 2 ? g + 8 : g, i / 2 * 4 + t);
        for (unsigned i = 0; i < 4; i++) is_at(at(&f64, PTX_MATRIX_B, lane, i), t + i * 4, g);
        is_at(at(&small, PTX_MATRIX_A, lane, 0), g, t);
        is_at(at(&small, PTX_MATRIX_B, lane, 0), t, g);
        for (unsigned i = 0; i < 2; i++) is_at(at(&small, PTX_MATRIX_C, lane, i), g, t * 2 + i);
    }
}

// wgmma: 9.7.15.5.1: warp w has rows 16 w and on, and of those this is the fragment.
static void warpgroups(void **state) {
    ptx_matrix x = matrix_of("wgmma.mma_async.sync.aligned.m64n24k16.f32.bf16.bf16");
    EACH_LANE(lane) {
        for (unsigned i = 0; i < 12; i++)
            is_at(at(&x, PTX_MATRIX_D, lane, i), i / 2 % 2 ? g + 8 : g, 8 * (i / 4) + t * 2 + i % 2);
        for (unsigned i = 0; i < 8; i++)
            is_at(at(&x, PTX_MATRIX_A, lane, i), i / 2 % 2 ? g + 8 : g, t * 2 + (i & 1) + (i >= 4 ? 8 : 0));
    }
}

static void counts_each(const ptx_matrix *x, ptx_matrix_part part, unsigned rows, unsigned columns) {
    enum { MOST = 256 * 256 };
    static uint8_t count[MOST];
    memset(count, 0, sizeof count);
    unsigned elements = ptx_matrix_elements(x, part), first = 0;
    for (unsigned lane = 0; lane < 32; lane++)
        for (unsigned i = 0; i < elements; i++) {
            spot s = at(x, part, lane, i);
            assert_in_range(s.row, 0, rows - 1);
            assert_in_range(s.column, 0, columns - 1);
            count[s.row * columns + s.column]++;
        }
    first = count[0];
    assert_true(first >= 1);
    for (unsigned i = 0; i < rows * columns; i++) assert_int_equal(count[i], first);
    assert_int_equal(first * rows * columns, 32 * elements);
}

// Every row of the table, with each of its types.
static void every_form_is_held_whole(void **state) {
    ptx_matrix_row row;
    for (unsigned i = 0; ptx_matrix_row_at(i, &row); i++)
        for (int type = 1; type < PTX_TYPE_COUNT; type++) {
            ptx_matrix *x = &row.matrix;
            char word[16];
            snprintf(word, sizeof word, "%s", ptx_type_name((ptx_type)type));
            if (!strstr(row.a, word) || (type == PTX_F16 && x->k == 4 && x->op == PTX_OP_MMA)) continue;
            if (type == PTX_F16 && !strncmp(row.a, "bf16", 4)) continue;
            x->types[PTX_MATRIX_A] = x->types[PTX_MATRIX_B] = (ptx_type)type;
            x->types[PTX_MATRIX_C] = x->types[PTX_MATRIX_D] = type == PTX_F64 ? PTX_F64 : PTX_F32;
            unsigned rows = ptx_matrix_rows(x);
            counts_each(x, PTX_MATRIX_A, rows, x->sparse ? x->k / 2u : x->k);
            if (x->op != PTX_OP_WGMMA_MMA_ASYNC) counts_each(x, PTX_MATRIX_B, x->k, x->n);
            counts_each(x, PTX_MATRIX_D, rows, x->n);
        }
}

static void modifiers_in_any_order(void **state) {
    static const char *const same[] = {
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.row.col.m16n8k16.f32.f16.f16.f32",
        "mma.m16n8k16.sync.aligned.f32.f16.f16.f32.row.col",
    };
    for (size_t i = 0; i < BASE_COUNT(same); i++) {
        ptx_matrix x = matrix_of(same[i]);
        assert_int_equal(x.m * 10000 + x.n * 100 + x.k, 160816);
        assert_int_equal(x.types[PTX_MATRIX_A], PTX_F16);
    }
    ptx_matrix load = matrix_of("wmma.load.b.sync.aligned.row.m32n8k16.shared.bf16");
    assert_true(load.moves && load.part == PTX_MATRIX_B && !load.a_by_column);
    ptx_matrix short_form = matrix_of("wmma.mma.sync.aligned.col.row.m16n16k16.f32.f16");
    assert_int_equal(short_form.types[PTX_MATRIX_A], PTX_F16);
    assert_int_equal(short_form.types[PTX_MATRIX_C], PTX_F16);
    assert_true(short_form.a_by_column && short_form.b_by_row);
}

static void what_no_gpu_has_is_refused(void **state) {
    static const struct {
        const char *opcode, *why;
    } rows[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f16", "no GPU"},
        {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32", ".row.col"},
        {"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", "no GPU"},
        {"mma.sync.aligned.row.col.f32.f16.f16.f32", "no shape"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16", "types"},
        {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8", "no GPU"},
        {"wmma.mma.sync.aligned.col.col.m8n8k32.s32.s4.s4.s32", "less than a byte"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        ptx_module *module;
        ptx_inst inst = inst_of(rows[i].opcode, &module);
        ptx_matrix matrix;
        const char *why = NULL;
        assert_false(ptx_matrix_of(&inst, &matrix, &why));
        if (!strstr(why, rows[i].why)) fail_msg("%s: %s", rows[i].opcode, why);
        ptx_module_close(module);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m16n8k16_of_halves),
        cmocka_unit_test(m16n8k32_of_bytes),
        cmocka_unit_test(others_of_mma),
        cmocka_unit_test(warpgroups),
        cmocka_unit_test(every_form_is_held_whole),
        cmocka_unit_test(modifiers_in_any_order),
        cmocka_unit_test(what_no_gpu_has_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

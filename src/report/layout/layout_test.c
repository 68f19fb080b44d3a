// Layouts as tables, JSON and pictures: cells, banks and the wavefronts that a warp takes.
#include "report/layout/layout.h"

#include "unit.h"

static report_layout_grid grid_of(const char *layout, report_layout r) {
    report_layout_grid g;
    kz_error error = {0};
    if (base_composed_parse(layout, &r.layout, &error)) fail_msg("%s", error.message);
    r.name = layout;
    if (report_layout_open(&r, &g, &error)) fail_msg("%s", error.message);
    return g;
}

static void tables(void **state) {
    report_layout_grid g = grid_of("((2,2),3):((1,6),2)", (report_layout){0});
    base_text text = {0};
    assert_true(g.rows == 4 && g.columns == 3);
    report_layout_print(&text, &g, 80);
    assert_string_equal(text.data, "((2,2),3):((1,6),2)\n"
                                   "size 12, cosize 12, rank 2, depth 2\n"
                                   "cells: the index; rows: the first mode, columns: the others\n"
                                   "\n"
                                   "        0  1  2\n"
                                   "    0:  0  2  4\n"
                                   "    1:  1  3  5\n"
                                   "    2:  6  8 10\n"
                                   "    3:  7  9 11\n");
    base_text_free(&text);
    report_layout_close(&g);
    g = grid_of("64:-3", (report_layout){0}); // a line, in strips
    assert_true(g.rows == 1 && g.columns == 64);
    report_layout_print(&text, &g, 80);
    assert_has(text.data, "    0:    0   -3   -6   -9  -12  -15  -18  -21");
    assert_has(text.data, "\n          8    9");
    base_text_free(&text);
    report_layout_close(&g);
}

static void holders(void **state) {
    report_layout_grid g =
        grid_of("((4,8),2):((16,1),8)", (report_layout){.threads = true, .rows = 8, .columns = 9});
    assert_true(g.cells[9 * 2 + 3].thread == 9 && g.cells[9 * 2 + 3].element == 1); // row 2, column 3
    assert_int_equal(g.cells[8].holders, 0);
    base_text text = {0};
    report_layout_print(&text, &g, 120);
    assert_has(text.data, "thread:element");
    assert_has(text.data, "    2:  8:0  8:1  9:0  9:1 10:0 10:1 11:0 11:1    -");
    base_text_free(&text);
    json_t *json = report_layout_to_json(&g);
    json_t *row = json_array_get(json_object_get(json, "rows"), 2);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(row, 3), 0)), 9);
    assert_true(json_is_null(json_array_get(row, 8)));
    json_decref(json);
    report_layout_close(&g);
    // Of a matrix whose index counts along a row, held by several.
    g = grid_of("((4,2),2):((1,0),4)",
                (report_layout){.threads = true, .rows = 2, .columns = 4, .by_rows = true});
    assert_true(g.cells[4 + 3].thread == 3 && g.cells[4 + 3].element == 1 && g.cells[7].holders == 2);
    report_layout_close(&g);
    kz_error error = {0};
    report_layout r = {.name = "x", .threads = true, .rows = 4, .columns = 4};
    assert_int_equal(base_composed_parse("(32,2):(1,32)", &r.layout, &error), KZ_OK);
    assert_int_equal(report_layout_open(&r, &g, &error), KZ_INVALID);
    assert_has(error.message, "thread 16 holds element 16, and the matrix has 16");
    report_layout_close(&g);
}

static void wavefronts(void **state) {
    static const struct {
        const char *layout;
        unsigned bytes, down, right;
    } rows[] = {{"(32,32):(32,1)", 4, 32, 1},
                {"(32,32):(33,1)", 4, 1, 1},
                {"(32,32):(1,32)", 4, 1, 32},
                {"(32,32):(32,1)", 2, 16, 1},
                {"(32,32):(32,1)", 8, 32, 2},
                {"(32,32):(32,1)", 16, 32, 4},
                {"(32,32):(0,1)", 4, 1, 1},
                {"(32,4):(-1,64)", 4, 1, 4},
                {"Sw<5,0,5> o 0 o (32,32):(32,1)", 4, 1, 1},
                {"(8,64):(64,1)", 2, 8, 1},
                {"Sw<3,3,3> o 0 o (8,64):(64,1)", 2, 1, 1}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        report_layout_grid g =
            grid_of(rows[i].layout, (report_layout){.banks = true, .bytes = rows[i].bytes});
        unsigned down = report_layout_wavefronts(&g, false), right = report_layout_wavefronts(&g, true);
        if (down != rows[i].down || right != rows[i].right)
            fail_msg("%s of %u bytes: %u and %u", rows[i].layout, rows[i].bytes, down, right);
        report_layout_close(&g);
    }
}

static void pictures(void **state) {
    report_layout_grid g = grid_of("(8,8):(8,1)", (report_layout){.banks = true, .bytes = 4});
    base_text svg = {0};
    report_layout_svg(&svg, &g);
    assert_has(svg.data, "<svg ");
    assert_has(svg.data, ">63</text>");
    assert_has(svg.data, ">bank 31</text>");
    assert_has(svg.data, "prefers-color-scheme:dark");
    base_text_free(&svg);
    report_layout_close(&g);
    kz_error error = {0};
    report_layout r = {.name = "large"};
    assert_int_equal(base_composed_parse("(1024,1024)", &r.layout, &error), KZ_OK);
    assert_int_equal(report_layout_open(&r, &g, &error), KZ_INVALID);
    assert_has(error.message, "1048576 cells");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(holders),
        cmocka_unit_test(wavefronts),
        cmocka_unit_test(pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

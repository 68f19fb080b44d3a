// Tiles of two widths: c is covered, no column of tiles lies past its edge, and the block that has most to do is found.
#include "gemm/two_widths.h"

#include "unit.h"

enum { WIDE = 192, NARROW = 128, BLOCKS = 132 };

// By dealing tiles out one by one.
static void deal(uint64_t down, const gemm_widths *w, uint64_t *wide, uint64_t *narrow) {
    uint64_t tiles = down * (w->wide + w->narrow), have[BLOCKS][2] = {{0}}, most = 0;
    for (uint64_t t = 0; t < tiles; t++) have[t % BLOCKS][t >= down * w->wide]++;
    for (int i = 0; i < BLOCKS; i++) {
        uint64_t load = have[i][0] * WIDE * 1000 + have[i][1] * NARROW * 1035;
        if (load > most) most = load, *wide = have[i][0], *narrow = have[i][1];
    }
}

static void all_columns_are_covered(void **state) {
    static const uint64_t sizes[][2] = {{1, 1},     {1, 128},   {1, 129},   {1, 40008},
                                        {2, 8840},  {16, 4096}, {32, 8192}, {64, 16384},
                                        {31, 5120}, {12, 3072}, {200, 200}, {1, 1000000}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t down = sizes[i][0], columns = sizes[i][1], wide = 0, narrow = 0;
        gemm_widths w = gemm_choose_widths(down, columns, WIDE, NARROW, BLOCKS);
        assert_true(w.wide * WIDE + w.narrow * NARROW >= columns);
        if (w.narrow > 0)
            assert_true(w.wide * WIDE + (w.narrow - 1) * NARROW < columns);
        else
            assert_true((w.wide - 1) * WIDE < columns);
        deal(down, &w, &wide, &narrow);
        assert_int_equal(w.most_wide, wide);
        assert_int_equal(w.most_narrow, narrow);
    }
}

static void rounds_are_filled(void **state) {
    gemm_widths w =
        gemm_choose_widths(16, 4096, WIDE, NARROW, BLOCKS); // 256 x 192 alone: three rounds of 192
    assert_int_equal(w.wide, 16);
    assert_int_equal(w.narrow, 8);
    assert_int_equal(w.most_wide * WIDE + w.most_narrow * NARROW, 512);
    w = gemm_choose_widths(32, 8192, 208, NARROW, BLOCKS);
    assert_int_equal(w.most_wide, 9);
    assert_int_equal(w.most_narrow, 1);
    w = gemm_choose_widths(132, 192, WIDE, NARROW, BLOCKS); // one round, full
    assert_int_equal(w.wide, 1);
    assert_int_equal(w.narrow, 0);
    w = gemm_choose_widths(1, 256, WIDE, NARROW, BLOCKS); // two blocks: what is less for each
    assert_int_equal(w.narrow, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_are_covered),
        cmocka_unit_test(rounds_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

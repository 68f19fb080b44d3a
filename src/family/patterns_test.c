// Comparison, and the words for what is wrong: each likely cause is told with its evidence, and not without.
#include <math.h>

#include "base/base.h"
#include "family/compare.h"
#include "family/inputs.h"
#include "unit.h"

// ---- comparison ---------------------------------------------------------------------------------

enum { N = 1025 };
typedef struct fixture {
    float got[N], input[N], previous[N];
    double expected[N], bound[N];
    family_output output;
    family_comparison result;
} fixture;

static fixture *right_answer(void) {
    static fixture f;
    family_fill_input(KZ_F32, KZ_DATA_UNIFORM, 5, 0, 0, N, N, f.got);
    family_fill_input(KZ_F32, KZ_DATA_UNIFORM, 6, 0, 0, N, N, f.input);
    family_fill_input(KZ_F32, KZ_DATA_UNIFORM, 7, 0, 0, N, N, f.previous);
    for (int i = 0; i < N; i++) {
        f.expected[i] = f.got[i];
        f.bound[i] = 1e-6;
    }
    f.output = (family_output){.type = KZ_F32,
                               .count = N,
                               .got = f.got,
                               .expected = f.expected,
                               .bound = f.bound,
                               .input = f.input,
                               .previous = f.previous};
    return &f;
}

static void expect(fixture *f, uint64_t wrong, const char *words) {
    family_compare(&f->output, &f->result);
    assert_int_equal(f->result.wrong, wrong);
    if (!strstr(f->result.pattern, words)) print_message("the pattern was: %s\n", f->result.pattern);
    assert_non_null(strstr(f->result.pattern, words));
}

static void right_is_right(void **state) {
    (void)state;
    fixture *f = right_answer();
    expect(f, 0, "");
    f->got[3] += 9e-7f;
    expect(f, 0, "");
    assert_true(f->result.worst_ratio > 0.5 && f->result.worst_ratio <= 1);
    assert_int_equal(f->result.worst_index, 3);
    assert_string_equal(f->result.pattern, "");
}

static void nan_never_passes_for_a_number(void **state) {
    (void)state;
    assert_false(family_is_right(NAN, 1, 1e30));
    assert_true(family_is_right(NAN, NAN, 0));
    assert_false(family_is_right(1, NAN, INFINITY));
    assert_true(family_is_right(INFINITY, INFINITY, 0));
    assert_false(family_is_right(-INFINITY, INFINITY, INFINITY));
    assert_false(family_is_right(1e38, INFINITY, 1));
    assert_false(family_is_right(INFINITY, 1e38, 1));
    assert_true(family_is_right(1, 1, 0));
}

static void names_what_is_wrong(void **state) {
    (void)state;
    fixture *f = right_answer();
    family_poison(KZ_F32, N, f->got);
    expect(f, N, "never written");
    memset(f->got, 0, sizeof f->got);
    expect(f, N, "every element is zero");
    for (int i = 0; i < N; i++) f->got[i] = NAN;
    expect(f, N, "every element is NaN");
    for (int i = 0; i < N; i++) f->got[i] = 8;
    expect(f, N, "every element is 8");
    memcpy(f->got, f->input, sizeof f->got);
    expect(f, N, "copy of the input");
    memcpy(f->got, f->previous, sizeof f->got);
    expect(f, N, "stale");

    f = right_answer();
    family_poison(KZ_F32, 1, &f->got[1024]);
    expect(f, 1,
           "only the last of 1025 is wrong, alone in the partial block from 1024 on; it was never written");
    assert_int_equal(f->result.first_wrong, 1024);
    f = right_answer();
    for (int i = 1000; i < N; i++) f->got[i] = 0;
    expect(f, 25, "only the tail is wrong: the last 25 of 1025, from 1000 on; they are zero");
    f = right_answer();
    for (int i = 0; i < 10; i++) f->got[i] += 1;
    expect(f, 10, "only the first 10");
    f = right_answer();
    for (int i = 31; i < N; i += 32) f->got[i] += 1;
    expect(f, 32, "every 32nd element is wrong, from 31 on: one lane of every warp");
    f = right_answer();
    for (int i = 0; i < N; i++) f->got[i] *= -1;
    expect(f, N, "wrong sign");
    f = right_answer();
    for (int i = 0; i < N; i++) f->got[i] *= 2;
    expect(f, N, "every element is 2 times what it should be");
    assert_non_null(strstr(f->result.cause, "twice"));
    f = right_answer();
    for (int i = 0; i < N; i++) f->got[i] += 3;
    expect(f, N, "every element is too large by 3");
    f = right_answer();
    for (int i = 0; i < N; i += 1 + i % 7) f->got[i] = INFINITY;
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "infinite");
    f = right_answer();
    for (int i = 0; i + 1 < N; i++) f->got[i] = (float)f->expected[i + 1];
    expect(f, N - 1, "one too high");
    f = right_answer();
    for (int i = 0; i < N; i += 1 + i % 7) f->got[i] += 1e-5f;
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "lower precision");
    f = right_answer();
    f->expected[77] = f->expected[90] = NAN;
    expect(f, 2, "NaN was dropped");
}

static void one_is_not_several(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->got[0] = 0;
    expect(f, 1, "only the first of 1025 is wrong; it is zero");
    f = right_answer();
    f->got[500] = NAN;
    expect(f, 1, "one element alone is wrong, [500]; it is NaN");
    f = right_answer();
    f->expected[77] = NAN;
    expect(f, 1, "one element alone is wrong, [77]");
    f = right_answer();
    f->got[3] = f->got[90] = 0;
    expect(f, 2, "2 of 1025 are wrong, and they are zero");
}

// A C function has loops where a kernel has threads.
static void plain_c_has_no_threads(void **state) {
    (void)state;
    for (int way = 0; way < 6; way++) {
        fixture *f = right_answer();
        f->output.is_plain_c = true;
        for (int i = 0; i < N; i++) {
            bool wrong = way == 0   ? i >= 992
                         : way == 1 ? i < 4
                         : way == 2 ? i % 32 == 5
                         : way == 3 ? i == 7 || i == 40
                                    : true;
            if (wrong && way < 4) family_poison(KZ_F32, 1, &f->got[i]);
            if (way == 4) family_poison(KZ_F32, 1, &f->got[i]);
            if (way == 5) f->got[i] *= 32;
        }
        family_compare(&f->output, &f->result);
        const char *texts[] = {f->result.pattern, f->result.cause, f->result.next};
        assert_true(f->result.cause[0] && f->result.next[0]);
        for (size_t i = 0; i < BASE_COUNT(texts); i++)
            if (strstr(texts[i], "thread") || strstr(texts[i], "lane") || strstr(texts[i], "block") ||
                strstr(texts[i], "warp") || strstr(texts[i], "launch"))
                fail_msg("words of kernels: %s", texts[i]);
    }
}

static void what_they_hold_says_why(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.is_defined = true; // nothing was read that was never set: arithmetic made it
    f->got[500] = NAN;
    expect(f, 1, "it is NaN");
    assert_non_null(strstr(f->result.cause, "inf / inf"));
    assert_null(strstr(f->result.cause, "never set"));
    f = right_answer();
    for (int i = 1000; i < N; i++) f->got[i] += 1; // somebody came by
    expect(f, 25, "only the tail is wrong");
    assert_null(strstr(f->result.cause, "grid"));
    f = right_answer();
    f->expected[N - 1] = 1e-36;
    f->bound[N - 1] = 1e-42;
    f->got[N - 1] = 0;
    expect(f, 1, "an underflow");
}

static void what_cancels_is_named(void **state) {
    (void)state;
    fixture *f = right_answer();
    for (int i = 3; i < N; i += 1 + i % 7) f->got[i] *= i % 5 ? 1.01f : 3.0f;
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "precision is lost on the way");
    f = right_answer();
    for (int i = 3; i < N; i += 1 + i % 7) f->got[i] *= i % 5 ? 3.0f : 1.01f;
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "in no simple pattern");
}

static void another_operation_is_named(void **state) {
    (void)state;
    static float x[N], y[N];
    fixture *f = right_answer();
    f->output.input = x;
    f->output.second = y;
    f->output.input_names[0] = "x";
    f->output.input_names[1] = "y";
    for (int i = 0; i < N; i++) {
        x[i] = 1.5f + (float)(i % 17);
        y[i] = 0.25f * (float)(i % 5) + 1;
        f->expected[i] = (double)x[i] + y[i];
        f->got[i] = y[i] - x[i];
    }
    expect(f, N, "every element is y[i] - x[i]");
    for (int i = 0; i < N; i++) f->got[i] = fmaxf(x[i], y[i]);
    expect(f, N, "every element is max(x[i], y[i])");
}

static void swapped_indices_are_named(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.block = 256;
    for (int i = 0; i < N; i++)
        if (i % 256 >= 5) family_poison(KZ_F32, 1, &f->got[i]); // five blocks
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "all but the first 5 of every 256 are wrong");
    assert_non_null(strstr(f->result.cause, "threadIdx and blockIdx are swapped"));
}

static void a_scalar_everywhere_is_named(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.names = (const char *const[]){"alpha", "n", NULL};
    f->output.values = (const double[]){0.5, N};
    for (int i = 0; i < N; i++) f->got[i] = N;
    expect(f, f->output.count, "every element is 1025, which is n");
}

// With the number of threads in a block, the words speak of blocks.
static void blocks_are_named(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.block = 256;
    family_poison(KZ_F32, 1, &f->got[1024]);
    expect(f, 1, "all wrong indices are in the last partial block, from 1024 on (blocks of 256)");
    assert_non_null(strstr(f->result.cause, "guard"));
    assert_non_null(strstr(f->result.next, "i < n"));
    f = right_answer();
    f->output.block = 256;
    for (int i = 256; i < N; i++) f->got[i] = 0;
    expect(f, N - 256, "only the first block is right");
    f = right_answer();
    f->output.block = 128;
    for (int i = 127; i < N; i += 128) f->got[i] += 1;
    expect(f, 8, "one thread of every block");
    f = right_answer();
    f->output.block = 128;
    for (int i = 126; i + 3 < N; i += 128) f->got[i] += 1, f->got[i + 1] += 2, f->got[i + 2] += 3;
    expect(f, 21, "beside the borders of blocks of 128");
}

static void the_last_tiles_of_a_matrix_are_seen(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.rows = 25;
    f->output.columns = 41;
    for (int r = 0; r < 25; r++)
        for (int c = 32; c < 41; c++) f->got[r * 41 + c] += 1 + (float)c;
    expect(f, 25 * 9, "in the last columns, from column 32 on");
}

// A sum that every lane added, and one that is merely wrong.
static void one_number_has_its_factor(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.count = 1;
    f->got[0] *= 32;
    expect(f, 1, "the value is 32 times what it should be");
    assert_true(f->result.is_factor);
    f->output.is_chance = true; // other runs have none
    expect(f, 1, "the value is wrong");
    f->output.is_chance = false;
    f->got[0] *= 1.21f;
    expect(f, 1, "the value is wrong");
    f->got[0] = (float)(f->expected[0] * 0.0017480); // some ratio to one by some whole number
    expect(f, 1, "the value is wrong");
    assert_string_equal(f->result.cause, "");
}

static void expect_cause(fixture *f, uint64_t wrong, const char *words, const char *absent) {
    expect(f, wrong, "");
    if (!strstr(f->result.cause, words) || strstr(f->result.cause, absent) || strstr(f->result.next, absent))
        fail_msg("not \"%s\" without \"%s\": %s; %s", words, absent, f->result.cause, f->result.next);
}

// A zero in an output that was poisoned was stored; in one that held zeros perhaps not.
static void a_zero_was_stored(void **state) {
    fixture *f = right_answer();
    f->got[3] = f->got[90] = f->got[700] = 0;
    expect_cause(f, 3, "zero is stored there", "no thread");
    f->output.is_zeroed = true;
    expect_cause(f, 3, "taken by no thread", "zero is stored");
    static float given[N];
    memcpy(given, f->got, sizeof given);
    f->output.initial = given;
    expect(f, 3, "as before the run");
}

static void poison_from(fixture *f, int first, int end) {
    if (end > first) family_poison(KZ_F32, (uint64_t)(end - first), &f->got[first]);
}

// Who judges has chosen the grid: it is not to blame.
static void a_given_grid_is_not_blamed(void **state) {
    static const kz_launch launch = {.size = sizeof launch, .grid = {5, 1, 1}, .block = {256, 1, 1}};
    static const int firsts[] = {256, 1000, 1023, 1024};
    for (size_t i = 0; i < BASE_COUNT(firsts); i++) {
        fixture *f = right_answer();
        poison_from(f, firsts[i], N);
        f->output.block = firsts[i] % 256 ? 0 : 256;
        expect_cause(f, (uint64_t)(N - firsts[i]), firsts[i] == N - 1 ? "guard" : "", "twice");
        f->output.launch = &launch;
        f->output.is_grid_given = true;
        expect_cause(f, (uint64_t)(N - firsts[i]), "", "grid");
        expect_cause(f, (uint64_t)(N - firsts[i]), "", "number of blocks");
    }
    fixture *f = right_answer();
    f->output.launch = &launch;
    f->output.block = 256;
    poison_from(f, 4 * 5 + 256, N);
    expect_cause(f, N - 276, "multiplied by gridDim.x", "too small");
}

static void a_beginning_without_a_store_is_not_written_twice(void **state) {
    fixture *f = right_answer();
    poison_from(f, 0, 1);
    expect_cause(f, 1, "leaves the first out", "special case");
    f = right_answer();
    f->got[0] += 1;
    expect_cause(f, 1, "special case", "leaves the first out");
}

// 25 x 41 elements by blocks of 32 x 8: x must run along the columns.
static void exchanged_x_and_y_are_seen(void **state) {
    static const kz_launch launch = {.size = sizeof launch, .grid = {2, 4, 1}, .block = {32, 8, 1}};
    fixture *f = right_answer();
    f->output.rows = 25;
    f->output.columns = 41;
    f->output.launch = &launch;
    for (int r = 0; r < 25; r++) poison_from(f, r * 41 + 32, r * 41 + 41);
    expect(f, 25 * 9, "of 41 x 25 only 32 x 25 are right");
    expect_cause(f, 25 * 9, "x and y are exchanged", "tile");
    poison_from(f, 0, 1); // one more: no exchange makes that
    expect_cause(f, 25 * 9 + 1, "", "exchanged");
}

static void a_tile_that_is_transposed_in_itself_is_seen(void **state) {
    fixture *f = right_answer();
    f->output.count = 25 * 40;
    f->output.rows = 25;
    f->output.columns = 40;
    for (int r = 0; r < 25; r++)
        for (int c = 0; c < 40; c++) {
            int row = r / 8 * 8 + c % 8, column = c / 8 * 8 + r % 8;
            f->got[r * 40 + c] = row < 25 && column < 40 ? (float)f->expected[row * 40 + column] : NAN;
        }
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "each tile of 8 x 8 is at its place, but transposed in itself");
}

// Equal numbers are right at any index.
static void nothing_moved_among_equal_numbers(void **state) {
    fixture *f = right_answer();
    for (int i = 0; i < N; i++) f->expected[i] = f->got[i] = 1;
    poison_from(f, N - 1, N);
    expect(f, 1, "only the last of 1025 is wrong");
}

static fixture *matrix_25_41(void) {
    fixture *f = right_answer();
    f->output.rows = 25;
    f->output.columns = 41;
    return f;
}

static void rows_are_told_apart(void **state) {
    fixture *f = matrix_25_41();
    for (int i = 0; i < N; i++) f->got[i] *= 2 + (float)(i / 41);
    expect(f, N, "every row is off by a factor of its own");
    f->got[0] += 1;
    expect(f, N, "in no simple pattern");
    f = matrix_25_41();
    for (int i = 41; i < N; i++) f->got[i] += 1 + (float)(i % 5);
    expect(f, N - 41, "only row 0 of 25 is right");
    assert_non_null(strstr(f->result.cause, "the length of a row is wrong"));
}

static void the_inside_and_the_border_are_told_apart(void **state) {
    for (int border = 0; border < 2; border++) {
        fixture *f = matrix_25_41();
        for (int i = 0; i < N; i++) {
            bool is_border = i / 41 == 0 || i / 41 == 24 || i % 41 == 0 || i % 41 == 40;
            if (is_border == border) f->got[i] += 1 + (float)(i % 5);
        }
        expect(f, border ? N - 23 * 39 : 23 * 39,
               border ? "the border is wrong and the inside is right"
                      : "the inside is wrong and the border is right");
    }
}

// Zeros have any factor, and a factor may have a name.
static void a_factor_is_named(void **state) {
    fixture *f = right_answer();
    f->output.names = (const char *const[]){"s", NULL};
    f->output.values = (const double[]){-1.75};
    for (int i = 0; i < N; i++) {
        f->expected[i] = i % 3 ? f->expected[i] : 0;
        f->got[i] = (float)(f->expected[i] / -1.75);
    }
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "they are 1/s times what they should be");
    assert_non_null(strstr(f->result.cause, "s is left out"));
}

static void numbers_that_say_nothing_have_no_cause(void **state) {
    fixture *f = right_answer(); // an infinity is near nothing
    f->output.count = 1;
    f->expected[0] = -INFINITY;
    f->got[0] = -3.4e38f;
    expect(f, 1, "the value is wrong");
    f = right_answer(); // by chance within 5%
    f->output.count = 1;
    f->got[0] *= 1.03f;
    expect(f, 1, "the value is wrong");
    f = right_answer(); // equal numbers are all off by the same
    for (int i = 0; i < N; i++) f->expected[i] = 0, f->got[i] = -1;
    expect(f, N, "in no simple pattern");
    f = right_answer(); // the last one is special, not the beginning
    f->output.count = 7;
    for (int i = 0; i < 6; i++) f->got[i] += 1 + (float)i;
    expect(f, 6, "all but the last 1 of 7 are wrong");
    assert_string_equal(f->result.cause, "");
}

static void the_first_warp_of_a_large_block_may_be_right(void **state) {
    fixture *f = right_answer();
    f->output.block = 1024;
    for (int i = 32; i < N; i++) f->got[i] += 1 + (float)(i / 32);
    expect(f, N - 32, "only the first warp is right");
    assert_non_null(strstr(f->result.cause, "carry"));
}

static void later_blocks_may_lack_a_carry(void **state) {
    fixture *f = right_answer();
    f->output.block = 256;
    for (int i = 256; i < N; i++) f->got[i] += 1 + (float)(i / 256);
    expect(f, N - 256, "only the first block is right");
    assert_non_null(strstr(f->result.cause, "carry"));
}

static void a_transposed_matrix_is_seen(void **state) {
    (void)state;
    fixture *f = right_answer();
    f->output.rows = 25;
    f->output.columns = 41;
    for (int r = 0; r < 25; r++)
        for (int c = 0; c < 41; c++) f->got[c * 25 + r] = (float)f->expected[r * 41 + c];
    family_compare(&f->output, &f->result);
    expect(f, f->result.wrong, "transposed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_is_right),
        cmocka_unit_test(nan_never_passes_for_a_number),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(one_is_not_several),
        cmocka_unit_test(plain_c_has_no_threads),
        cmocka_unit_test(what_they_hold_says_why),
        cmocka_unit_test(what_cancels_is_named),
        cmocka_unit_test(another_operation_is_named),
        cmocka_unit_test(swapped_indices_are_named),
        cmocka_unit_test(a_scalar_everywhere_is_named),
        cmocka_unit_test(blocks_are_named),
        cmocka_unit_test(the_last_tiles_of_a_matrix_are_seen),
        cmocka_unit_test(one_number_has_its_factor),
        cmocka_unit_test(a_zero_was_stored),
        cmocka_unit_test(a_given_grid_is_not_blamed),
        cmocka_unit_test(a_beginning_without_a_store_is_not_written_twice),
        cmocka_unit_test(exchanged_x_and_y_are_seen),
        cmocka_unit_test(a_tile_that_is_transposed_in_itself_is_seen),
        cmocka_unit_test(nothing_moved_among_equal_numbers),
        cmocka_unit_test(rows_are_told_apart),
        cmocka_unit_test(the_inside_and_the_border_are_told_apart),
        cmocka_unit_test(a_factor_is_named),
        cmocka_unit_test(the_first_warp_of_a_large_block_may_be_right),
        cmocka_unit_test(numbers_that_say_nothing_have_no_cause),
        cmocka_unit_test(later_blocks_may_lack_a_carry),
        cmocka_unit_test(a_transposed_matrix_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

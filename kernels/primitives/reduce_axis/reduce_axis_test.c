// reduce_axis: the reference against folds done by hand, and which kernel the last variant's plan takes.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "reduce_axis.h"
#include "unit.h"

static void reference(kz_reduce_operation operation, int64_t outer, int64_t n, int64_t inner, float *in,
                      double *expected, double *bound) {
    kz_case c = {.operation = operation, .type = KZ_F32, .axes = {outer, n, inner}};
    const kz_family *family = kz_family_find("reduce_axis");
    assert_int_equal(family->reference(&c, (void *[]){in, NULL}, 1, expected, bound, NULL), KZ_OK);
}

// 2 x 3 x 2, element = its index: the axis in the middle is the one that goes.
static void the_middle_axis_goes(void **state) {
    float in[12];
    double expected[4], bound[4];
    for (int i = 0; i < 12; i++) in[i] = (float)i;
    reference(KZ_REDUCE_SUM, 2, 3, 2, in, expected, bound);
    assert_true(expected[0] == 0 + 2 + 4 && expected[1] == 1 + 3 + 5);
    assert_true(expected[2] == 6 + 8 + 10 && expected[3] == 7 + 9 + 11);
    assert_true(bound[0] > 0 && bound[0] < 1e-5);
    reference(KZ_REDUCE_MAX, 2, 3, 2, in, expected, bound);
    assert_true(expected[0] == 4 && expected[3] == 11 && bound[3] == 0.0);
    reference(KZ_REDUCE_MEAN, 4, 3, 1, in, expected, bound);
    assert_true(expected[0] == 1 && expected[3] == 10 && bound[3] > 0 && bound[3] < 1e-5);
    reference(KZ_REDUCE_MEAN, 2, 0, 1, in, expected, bound);
    assert_true(isnan(expected[0]) && isnan(expected[1]));
}

// Indices count in n; of equals the first; NaN is the extreme; of nothing there is none.
static void the_first_of_the_extremes(void **state) {
    float in[12] = {3, 1, 3, 0, 2, 1, /* outer 1 */ NAN, -1, 5, NAN, NAN, -1};
    double expected[4], bound[4];
    const kz_family *family = kz_family_find("reduce_axis");
    kz_case c = {.operation = KZ_REDUCE_ARGMAX, .type = KZ_F32, .axes = {2, 3, 2}};
    void *host[] = {in, NULL, NULL};
    assert_int_equal(family->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 0 && expected[1] == 0 && expected[2] == 0 && expected[3] == 1);
    assert_int_equal(family->reference(&c, host, 1, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 3 && expected[1] == 1 && isnan(expected[2]) && isnan(expected[3]));
    c.operation = KZ_REDUCE_ARGMIN;
    assert_int_equal(family->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 2 && expected[1] == 1 && bound[0] == 0.0);
    c = (kz_case){.operation = KZ_REDUCE_ARGMAX, .type = KZ_F32, .axes = {4, 0, 1}};
    assert_int_equal(family->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == -1 && expected[3] == -1);
}

static kz_plan plan_of(const char *variant, kz_case c, kz_status expected) {
    kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132, .gpu = "h200"};
    kz_plan plan = {0};
    kz_error error;
    const kz_variant *found = kz_variant_find(kz_family_find("reduce_axis"), variant);
    assert_int_equal(kz_variant_plan(kz_family_find("reduce_axis"), found, &c, &device, &plan, &error),
                     expected);
    return plan;
}

static kz_case sum(kz_type type, int64_t outer, int64_t n, int64_t inner) {
    return (kz_case){.operation = KZ_REDUCE_SUM, .type = type, .axes = {outer, n, inner}};
}

static void assert_takes(kz_case c, const char *entry, uint32_t steps) {
    kz_plan plan = plan_of("07_dispatch", c, KZ_OK);
    assert_string_equal(plan.steps[0].entry, entry);
    assert_int_equal(plan.step_count, steps);
    assert_true((steps > 1) == (plan.workspace_bytes > 0));
}

static void the_plan_chooses_by_shape(void **state) {
    assert_takes(sum(KZ_F32, 1 << 24, 16, 1), "reduce_axis_short_sum_f32", 1);
    assert_takes(sum(KZ_F32, 1 << 24, 17, 1), "reduce_axis_ragged_sum_f32", 1);
    assert_takes(sum(KZ_F32, 1 << 20, 256, 1), "reduce_axis_long_sum_f32", 1);
    assert_takes(sum(KZ_F32, 1 << 16, 4096, 1), "reduce_axis_team_sum_f32", 1);
    assert_takes(sum(KZ_F32, 1, 1 << 28, 1), "reduce_axis_team_sum_f32", 1);
    assert_takes(sum(KZ_F32, 8, 492, 1), "reduce_axis_team_sum_f32", 1); // so few that each has a block
    assert_takes(sum(KZ_F32, 1000, 492, 1), "reduce_axis_long_sum_f32", 1);
    assert_takes(sum(KZ_F16, 1, 1 << 14, 1 << 14), "reduce_axis_wide_columns_sum_f16", 2);
    assert_takes(sum(KZ_F32, 1 << 12, 256, 256), "reduce_axis_wide_columns_sum_f32", 1);
    assert_takes(sum(KZ_F32, 1, 1 << 20, 255), "reduce_axis_wide_columns_sum_f32", 2);
    assert_int_equal(plan_of("07_dispatch", sum(KZ_F32, 0, 16, 1), KZ_OK).step_count, 0);
}

// Four lanes hold 16 floats; 5 floats touch two packs wherever they begin, 256 four for each of 16 lanes.
static void lanes_fit_the_row(void **state) {
    kz_plan plan = plan_of("06_vector", sum(KZ_F32, 1000, 16, 1), KZ_OK);
    assert_int_equal(plan.steps[0].args[4].scalar, 4);
    plan = plan_of("06_vector", sum(KZ_F32, 1000, 5, 1), KZ_OK);
    assert_int_equal(plan.steps[0].args[4].scalar, 2);
    plan = plan_of("06_vector", sum(KZ_F32, 1000, 256, 1), KZ_OK);
    assert_int_equal(plan.steps[0].args[4].scalar, 16);
}

static void what_is_not_done_is_refused(void **state) {
    plan_of("06_vector", sum(KZ_F32, 10, 16, 2), KZ_UNSUPPORTED);
    plan_of("04_lane_group", sum(KZ_F32, 10, 16, 2), KZ_UNSUPPORTED);
    kz_case mean = {.operation = KZ_REDUCE_MEAN, .type = KZ_I32, .axes = {1, 8, 1}};
    plan_of("07_dispatch", mean, KZ_UNSUPPORTED);
    plan_of("01_thread", sum(KZ_U8, 1, 8, 1), KZ_UNSUPPORTED);
}

static kz_case argmax(kz_type type, int64_t outer, int64_t n, int64_t inner) {
    return (kz_case){.operation = KZ_REDUCE_ARGMAX, .type = type, .axes = {outer, n, inner}};
}

// What finds is 08's, by shape; its partial results have an index of 8 bytes.
static void what_finds_is_planned_by_01_and_08(void **state) {
    static const struct {
        int64_t outer, n, inner;
        const char *entry;
        uint32_t steps;
    } rows[] = {
        {1 << 20, 16, 1, "reduce_axis_find_argmax_f32", 1},
        {1 << 20, 17, 1, "reduce_axis_ragged_argmax_f32", 1},
        {1 << 20, 257, 1, "reduce_axis_find_argmax_f32", 1},
        {1 << 16, 4096, 1, "reduce_axis_find_team_argmax_f32", 1},
        {1, 1 << 28, 1, "reduce_axis_find_team_argmax_f32", 2},
        {1, 1 << 20, 3, "reduce_axis_find_columns_argmax_f32", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kz_plan plan =
            plan_of("08_value_then_index", argmax(KZ_F32, rows[i].outer, rows[i].n, rows[i].inner), KZ_OK);
        assert_string_equal(plan.steps[0].entry, rows[i].entry);
        assert_int_equal(plan.step_count, rows[i].steps);
        for (uint32_t s = 0; s < plan.step_count; s++) { // the indices' buffer comes last
            const kz_arg *last = &plan.steps[s].args[plan.steps[s].arg_count - 1];
            assert_int_equal(last->kind, KZ_ARG_BUFFER);
            assert_int_equal(last->buffer, 2);
        }
    }
    assert_int_equal(
        plan_of("08_value_then_index", argmax(KZ_F64, 1, 1 << 20, 3), KZ_OK).workspace_bytes % (3 * 16), 0);
    plan_of("01_thread", argmax(KZ_F32, 4, 4, 4), KZ_OK);
    plan_of("08_value_then_index", sum(KZ_F32, 4, 4, 1), KZ_UNSUPPORTED);
    const char *const others[] = {"02_warp",    "03_block",  "04_lane_group",
                                  "05_columns", "06_vector", "07_dispatch"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        plan_of(others[i], argmax(KZ_F32, 4, 4, 1), KZ_UNSUPPORTED);
}

// Eight packs for each lane, and four lanes where there are as many packs.
static void lanes_of_what_finds(void **state) {
    static const struct {
        int64_t n;
        uint64_t lanes;
    } rows[] = {{4, 1}, {8, 2}, {16, 4}, {64, 4}, {128, 4}, {256, 8}, {257, 8}, {1000, 32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        kz_plan plan = plan_of("08_value_then_index", argmax(KZ_F32, 100000, rows[i].n, 1), KZ_OK);
        assert_int_equal(plan.steps[0].args[4].scalar, rows[i].lanes);
    }
}

// The greatest of each row in the simulator, from element `shift` of `in` on.
static void find_in_rows(kz_device *device, size_t rows, size_t n, const float *in, size_t shift, float *out,
                         int64_t *index) {
    kz_error error = {0};
    kz_operation *operation;
    kz_ptr from, to, at, work;
    uint64_t bytes = (rows * n + shift) * sizeof *in;
    assert_int_equal(kz_reduce_axis_open(device, KZ_REDUCE_ARGMAX, KZ_F32, rows, n, 1, "08_value_then_index",
                                         &operation, &error),
                     KZ_OK);
    uint64_t space = kz_operation_workspace(operation);
    assert_int_equal(kz_memory_alloc(device, bytes, &from, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, rows * sizeof *out, &to, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, rows * sizeof *index, &at, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, space ? space : 1, &work, &error), KZ_OK);
    kz_copy_to_device(device, NULL, from, in, bytes, &error);
    assert_int_equal(
        kz_reduce_axis_run_index(operation, NULL, from + shift * sizeof *in, to, at, work, space, &error),
        KZ_OK);
    kz_copy_to_host(device, NULL, out, to, rows * sizeof *out, &error);
    kz_copy_to_host(device, NULL, index, at, rows * sizeof *index, &error);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    kz_memory_free(device, from, &error);
    kz_memory_free(device, to, &error);
    kz_memory_free(device, at, &error);
    kz_memory_free(device, work, &error);
    kz_operation_close(operation);
}

// A row of one of five kinds: nothing but -Inf, which is the identity; zeros of both signs, which are equal; NaN behind
// the middle and at the end; -Inf up to the last element; two greatest ones. Gives where the greatest stands.
enum { KINDS = 5 };
static int64_t make_row(size_t kind, size_t n, float *row, float *greatest) {
    const size_t at[KINDS] = {0, 0, n / 2, n - 1, n / 3};
    for (size_t k = 0; k < n; k++) {
        const float of_kind[KINDS] = {
            -INFINITY, k % 2 ? 0.0f : -0.0f, k == n / 2 || k == n - 1 ? NAN : (float)k,
            k == n - 1 ? -3.0f : -INFINITY, k == n / 3 || k == n / 2 ? 7.0f : -1.0f};
        row[k] = of_kind[kind];
    }
    *greatest = row[at[kind]];
    return (int64_t)at[kind];
}

// For every kernel for rows, and wherever they begin: what stands before them and behind is not theirs. There are rows
// enough for whole tiles of short ones.
static void ties_and_identities(void **state) {
    enum { ROWS = 150, FEW = 5, MOST = 3000 };
    static const size_t lengths[] = {1, 4, 5, 8, 16, 32, 64, 67, 256, 1000, MOST};
    static float in[FEW * MOST + 4];
    float out[ROWS], greatest[ROWS];
    int64_t index[ROWS], at[ROWS];
    kz_error error = {0};
    kz_device *device;
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    for (size_t i = 0; i < 2 * sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = lengths[i / 2], rows = n * ROWS <= FEW * MOST ? ROWS : FEW, shift = i % 2 * 3;
        for (size_t k = 0; k < shift; k++) in[k] = INFINITY;
        for (size_t r = 0; r < rows; r++) at[r] = make_row(r % KINDS, n, in + shift + r * n, &greatest[r]);
        find_in_rows(device, rows, n, in, shift, out, index);
        for (size_t r = 0; r < rows; r++) {
            assert_int_equal(index[r], at[r]);
            if (!isnan(greatest[r])) assert_memory_equal(&out[r], &greatest[r], sizeof out[r]);
            assert_true(isnan(out[r]) == isnan(greatest[r]));
        }
    }
    kz_device_close(device);
}

// 07: a row's pieces cover it, and there is a status for each.
static void pieces_cover_the_row(void **state) {
    const struct {
        int64_t rows, n;
        bool whole;
    } shapes[] = {
        {64, 65536, true}, {300, 8192, true}, {8, 8192, true}, {8, 65536, false}, {1, 1 << 22, false}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        kz_plan plan = plan_of("07_dispatch", sum(KZ_F32, shapes[i].rows, shapes[i].n, 1), KZ_OK);
        assert_int_equal(plan.steps[0].args[3].scalar == 1, shapes[i].whole);
    }
    static const int64_t lengths[] = {2049, 65536, 70001, 1 << 28}, rows[] = {1, 3, 64, 131, 528, 529};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            kz_plan plan = plan_of("07_dispatch", sum(KZ_F32, rows[k], lengths[i], 1), KZ_OK);
            uint64_t pieces = plan.steps[0].args[3].scalar, chunk = plan.steps[0].args[4].scalar;
            assert_true(pieces * chunk >= (uint64_t)lengths[i] && chunk <= UINT32_MAX);
            assert_true(pieces == 1 || (chunk % 4 == 0 && (uint64_t)rows[k] * pieces <= 4096));
            assert_int_equal(plan.steps[0].launch.grid[0], (uint64_t)rows[k] * pieces);
        }
}

// 07: the last piece of a row waits for the parts of this run, not for those of the one before.
static void parts_are_taken_back(void **state) {
    enum { ROWS = 3, LENGTH = 40000 };
    static int32_t in[ROWS * LENGTH];
    int32_t out[ROWS];
    kz_device *device;
    kz_operation *operation;
    kz_error error = {0};
    kz_ptr from, to;
    setenv("KZ_SEED", "1", 1); // blocks in another order than their indices'
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    unsetenv("KZ_SEED");
    assert_int_equal(kz_memory_alloc(device, sizeof in, &from, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof out, &to, &error), KZ_OK);
    assert_int_equal(kz_reduce_axis_open(device, KZ_REDUCE_SUM, KZ_I32, ROWS, LENGTH, 1, "07_dispatch",
                                         &operation, &error),
                     KZ_OK);
    assert_true(kz_operation_plan(operation)->steps[0].launch.grid[0] > ROWS);
    for (int32_t run = 1; run <= 3; run++) {
        for (int32_t i = 0; i < ROWS * LENGTH; i++) in[i] = run + i / LENGTH;
        kz_copy_to_device(device, NULL, from, in, sizeof in, &error);
        assert_int_equal(kz_reduce_axis_run(operation, NULL, from, to, 0, 0, &error), KZ_OK);
        kz_copy_to_host(device, NULL, out, to, sizeof out, &error);
        for (int32_t r = 0; r < ROWS; r++) assert_int_equal(out[r], (run + r) * LENGTH);
    }
    kz_operation_close(operation);
    kz_memory_free(device, from, &error);
    kz_memory_free(device, to, &error);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_middle_axis_goes),      cmocka_unit_test(the_first_of_the_extremes),
        cmocka_unit_test(the_plan_chooses_by_shape), cmocka_unit_test(what_finds_is_planned_by_01_and_08),
        cmocka_unit_test(lanes_fit_the_row),         cmocka_unit_test(what_is_not_done_is_refused),
        cmocka_unit_test(lanes_of_what_finds),       cmocka_unit_test(ties_and_identities),
        cmocka_unit_test(pieces_cover_the_row),      cmocka_unit_test(parts_are_taken_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// sgemm: the reference on matrices one can see, its bound against what must pass and what must fail, the
// CPU's panels against each other, and the plans' choice of tiles.
#include <math.h>
#include <stdlib.h>

#include "kz/family.h"
#include "private.h"
#include "unit.h"

static void reference(int64_t m, int64_t n, int64_t k, float *a, float *b, double *expected, double *bound) {
    const kz_case c = {.type = KZ_F32, .axes = {m, n, k}};
    assert_int_equal(kz_family_find("sgemm")->reference(&c, (void *[]){a, b, NULL}, C, expected, bound, NULL),
                     KZ_OK);
}

static void two_by_two(void **state) {
    float a[] = {1, 2, 3, /**/ 4, 5, 6}, b[] = {1, 0, /**/ 0, 1, /**/ 10, 100};
    const double product[] = {31, 302, /**/ 64, 605};
    double expected[4], bound[4];
    reference(2, 2, 3, a, b, expected, bound);
    for (int i = 0; i < 4; i++) {
        assert_true(expected[i] == product[i]);
        assert_true(bound[i] > 0 && bound[i] < 1e-2 * fabs(product[i]));
    }
    reference(2, 2, 0, a, b, expected, bound); // sums of nothing
    for (int i = 0; i < 4; i++) assert_true(expected[i] == 0.0 && bound[i] == 0.0);
}

static void rows_and_strips_of_any_number(void **state) {
    enum { M_ = 7, N_ = 1027, K_ = 3 }; // past two strips of columns, not a multiple of four rows
    static float a[M_ * K_], b[K_ * N_];
    static double expected[M_ * N_], bound[M_ * N_];
    for (int i = 0; i < M_ * K_; i++) a[i] = (float)(i % 11);
    for (int i = 0; i < K_ * N_; i++) b[i] = (float)(i % 13);
    reference(M_, N_, K_, a, b, expected, bound);
    for (int i = 0; i < M_; i++)
        for (int j = 0; j < N_; j++) {
            double sum = 0;
            for (int x = 0; x < K_; x++) sum += (double)a[i * K_ + x] * (double)b[x * N_ + j];
            assert_true(expected[i * N_ + j] == sum);
        }
}

static void fill(float *to, size_t count, uint32_t seed) {
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        to[i] = (float)((double)(int32_t)seed / 2147483648.0);
    }
}

// What a tensor core keeps of a factor: 10 bits behind the point, rounded.
static float to_tf32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    bits = (bits + 0x1000u) & 0xffffe000u;
    memcpy(&x, &bits, 4);
    return x;
}

static void single_precision_passes_and_tf32_fails(void **state) {
    enum { SIDE = 8, DEPTH = 4096 };
    static float a[SIDE * DEPTH], b[DEPTH * SIDE];
    double expected[SIDE * SIDE], bound[SIDE * SIDE];
    fill(a, SIDE * DEPTH, 1);
    fill(b, DEPTH * SIDE, 2);
    reference(SIDE, SIDE, DEPTH, a, b, expected, bound);
    int tf32_wrong = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            float sum = 0.0f, fused = 0.0f, tensor = 0.0f;
            for (int x = 0; x < DEPTH; x++) {
                float left = a[i * DEPTH + x], right = b[x * SIDE + j];
                sum += left * right;
                fused = fmaf(left, right, fused);
                tensor = fmaf(to_tf32(left), to_tf32(right), tensor);
            }
            double e = expected[i * SIDE + j], most = bound[i * SIDE + j];
            assert_true(fabs(sum - e) <= most && fabs(fused - e) <= most);
            assert_true(fabs(e) > most); // zeros fail
            tf32_wrong += fabs(tensor - e) > most;
        }
    assert_true(tf32_wrong > SIDE * SIDE / 2);
}

static void all_panels_multiply(void **state) {
    enum { DEPTH = 37, ROW = PANEL_COLUMNS + 5 };
    float a[DEPTH * PANEL_ROWS], b[DEPTH * PANEL_COLUMNS], c[PANEL_ROWS * ROW];
    fill(a, DEPTH * PANEL_ROWS, 3);
    fill(b, DEPTH * PANEL_COLUMNS, 4);
    sgemm_panel_entry panels[4];
    size_t count = sgemm_list_panels(panels);
    assert_true(count >= 1 && count < 4);
    for (size_t p = 0; p < count; p++) {
        for (int i = 0; i < PANEL_ROWS * ROW; i++) c[i] = 7.0f;
        panels[p].multiply(a, b, DEPTH, c, ROW, true);
        panels[p].multiply(a, b, DEPTH, c, ROW, false); // twice the product
        for (int i = 0; i < PANEL_ROWS; i++)
            for (int j = 0; j < ROW; j++) {
                double sum = 0;
                for (int x = 0; x < DEPTH && j < PANEL_COLUMNS; x++)
                    sum += 2.0 * a[x * PANEL_ROWS + i] * b[x * PANEL_COLUMNS + j];
                if (j >= PANEL_COLUMNS) sum = 7.0; // not the panel's
                if (fabs(c[i * ROW + j] - sum) > 1e-4)
                    fail_msg("%s is wrong at %d, %d", panels[p].name, i, j);
            }
    }
}

static kz_status make_plan(const char *variant, int64_t m, int64_t n, int64_t k, kz_plan *plan) {
    const kz_case c = {.type = KZ_F32, .axes = {m, n, k}};
    const kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    const kz_family *family = kz_family_find("sgemm");
    *plan = (kz_plan){0};
    return kz_variant_plan(family, kz_variant_find(family, variant), &c, &device, plan, NULL);
}

static const kz_step *plan_of(const char *variant, int64_t m, int64_t n, int64_t k, kz_plan *plan) {
    assert_int_equal(make_plan(variant, m, n, k, plan), KZ_OK);
    assert_int_equal(plan->step_count, 1);
    return &plan->steps[0];
}

static void tiles_are_chosen_by_the_matrix(void **state) {
    kz_plan plan;
    const kz_step *step =
        plan_of("10_tile_selection", 1024, 1024, 1024, &plan); // 32 large tiles, 128 small ones
    assert_string_equal(step->entry, "sgemm_tile_selection_small_gemm_f32");
    assert_int_equal(step->launch.grid[0], 128);
    step = plan_of("10_tile_selection", 4096, 4096, 4096, &plan); // 512 large tiles: 4 rounds either way
    assert_string_equal(step->entry, "sgemm_tile_selection_large_gemm_f32");
    assert_int_equal(step->launch.grid[0], 132);
    assert_true(step->launch.dynamic_shared_bytes <= 227 << 10);
    step = plan_of("09_warp_specialized", 256, 256, 16, &plan);
    assert_int_equal(step->launch.grid[0], 2);
}

static void k_is_divided_where_tiles_are_few(void **state) {
    kz_plan plan;
    const kz_step *step = plan_of("11_split_k", 512, 512, 512, &plan); // 64 tiles, 528 places
    assert_int_equal(step->launch.cluster[0], 8);
    assert_int_equal(step->launch.grid[0], 512);
    assert_int_equal(plan.workspace_bytes, 0);
    step = plan_of("11_split_k", 64, 64, 65536, &plan); // one tile: more parts than a cluster has blocks
    assert_int_equal(step->launch.grid[0], 528);
    assert_int_equal(plan.workspace_bytes, 66 * 64 * 64 * 4);
    step = plan_of("11_split_k", 4096, 4096, 64, &plan); // enough of them
    assert_int_equal(step->launch.cluster[0], 0);
    step = plan_of("11_split_k", 64, 64, 16, &plan); // one chunk cannot be divided
    assert_int_equal(step->launch.grid[0], 1);
}

static void the_last_rounds_are_shared(void **state) {
    kz_plan plan;
    const kz_step *step = plan_of("12_stream_k", 3072, 3072, 3072, &plan); // 288 tiles for 132 blocks
    assert_int_equal(step->launch.grid[0], 132);
    assert_int_equal(step->args[7].scalar, 132); // whole; 156 are shared
    assert_int_equal(plan.workspace_bytes, 132 * 128 * 256 * 4);
}

static void a_vector_is_no_matrix(void **state) {
    kz_plan plan;
    const kz_step *step = plan_of("13_matrix_vector", 1, 4096, 4096, &plan);
    assert_string_equal(step->entry, "sgemm_matrix_vector_rows1_gemm_f32");
    assert_int_equal(step->launch.grid[0], 32 * 7);
    step = plan_of("13_matrix_vector", 3255, 3, 1020, &plan);
    assert_string_equal(step->entry, "sgemm_matrix_vector_columns4_gemm_f32");
    assert_int_equal(make_plan("13_matrix_vector", 9, 9, 9, &plan), KZ_UNSUPPORTED);
    // Too many tiles for tickets, too much of a for shared memory.
    assert_int_equal(make_plan("13_matrix_vector", 8, 1 << 20, 1 << 20, &plan), KZ_UNSUPPORTED);
}

static void the_shape_decides(void **state) {
    kz_plan plan;
    const kz_step *step = plan_of("14_shape_selection", 4096, 4096, 4096, &plan);
    assert_string_equal(step->entry, "sgemm_shape_selection_large_gemm_f32");
    step = plan_of("14_shape_selection", 1, 4096, 4096, &plan);
    assert_string_equal(step->entry, "sgemm_shape_selection_rows1_gemm_f32");
    step = plan_of("14_shape_selection", 256, 256, 256, &plan); // a small tile, k divided
    assert_true(step->launch.grid[0] > 64 && step->launch.block[0] <= 128);
    assert_int_equal(make_plan("14_shape_selection", 4095, 4095, 4095, &plan), KZ_OK);
    assert_int_equal(plan.step_count, 2); // rows are copied to where they are aligned
    assert_string_equal(plan.steps[0].entry, "sgemm_shape_selection_pack_gemm_f32");
    assert_int_equal(plan.steps[1].args[8].scalar, 4096);
    assert_true(plan.workspace_bytes > 2 * 4 * 4095 * 4096);
    assert_int_equal(make_plan("14_shape_selection", 0, 5, 5, &plan), KZ_OK);
    assert_int_equal(plan.step_count, 0);
    for (int64_t m = 1; m < 9000; m = m * 3 + 1) // any shape has a plan
        for (int64_t n = 1; n < 9000; n = n * 3 + 2)
            for (int64_t k = 0; k < 70000; k = k * 5 + 1)
                assert_int_equal(make_plan("14_shape_selection", m, n, k, &plan), KZ_OK);
}

static void a_grid_too_large_is_refused(void **state) {
    const kz_case c = {.type = KZ_F32, .axes = {1LL << 24, 1LL << 24, 1}};
    const kz_device_info device = {.kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132};
    kz_plan plan = {0};
    kz_error error = {0};
    const kz_family *family = kz_family_find("sgemm");
    assert_int_equal(kz_variant_plan(family, kz_variant_find(family, "01_naive"), &c, &device, &plan, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "more than a grid has"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_by_two),
        cmocka_unit_test(rows_and_strips_of_any_number),
        cmocka_unit_test(single_precision_passes_and_tf32_fails),
        cmocka_unit_test(all_panels_multiply),
        cmocka_unit_test(tiles_are_chosen_by_the_matrix),
        cmocka_unit_test(k_is_divided_where_tiles_are_few),
        cmocka_unit_test(the_last_rounds_are_shared),
        cmocka_unit_test(a_vector_is_no_matrix),
        cmocka_unit_test(the_shape_decides),
        cmocka_unit_test(a_grid_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

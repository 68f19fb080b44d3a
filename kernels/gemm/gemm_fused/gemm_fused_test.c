// gemm_fused: the reference of every kind of step by hand, its bound against what must pass and what must fail, the public names
// against the table, and the plans.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "private.h"
#include "unit.h"

static const kz_type T = KZ_F16;

static void put(void *to, kz_type type, const double *from, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) kz_element_set(type, to, i, from[i]);
}

// a = 1 2 / 3 4 / -1 0, b = 1 0 2 -1 / 0 1 1 1: the product is 1 2 4 1 / 3 4 10 1 / -1 0 -2 1.
enum { ROWS = 3, COLUMNS = 4 };
static double expected[ROWS * COLUMNS], bound[ROWS * COLUMNS];

static void refer(kz_gemm_fused epilogue, const double *x, const double *y, size_t which) {
    static uint64_t memory[4][64];
    kz_case c = {.operation = epilogue, .type = T, .axes = {ROWS, COLUMNS, 2}};
    kz_buffer list[KZ_FAMILY_BUFFERS];
    size_t count = kz_family_gemm_fused.buffers(&c, list);
    put(memory[0], T, (const double[]){1, 2, 3, 4, -1, 0}, 6);
    put(memory[1], T,
        epilogue % 2 ? (const double[]){1, 0, 0, 1, 2, 1, -1, 1} : (const double[]){1, 0, 2, -1, 0, 1, 1, 1},
        8);
    if (count > X && x) put(memory[2], list[X].type, x, list[X].count);
    if (count > Y && y) put(memory[3], list[Y].type, y, list[Y].count);
    void *host[] = {memory[0], memory[1], NULL, memory[2], memory[3]};
    assert_int_equal(gemm_fused_reference(&c, host, which, expected, bound, NULL), KZ_OK);
}

static void expect(const double *right, int count) {
    for (int i = 0; i < count; i++) {
        if (isinf(right[i])) {
            assert_true(expected[i] == right[i]);
            continue;
        }
        assert_true(fabs(expected[i] - right[i]) < 1e-12);
        assert_true(bound[i] >= 0 && bound[i] < 0.02);
    }
}

static void steps_by_hand(void **state) {
    const double columns[] = {1, -2, 0.5, -3}, rows[] = {2, -1, 0.5};
    const double matrix[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    refer(KZ_GEMM_FUSED_BIAS_NT, columns, NULL, C);
    expect((const double[]){2, 0, 4.5, -2, 4, 2, 10.5, -2, 0, -2, -1.5, -2}, 12);
    refer(KZ_GEMM_FUSED_BIAS_RELU_NN, columns, NULL, C);
    expect((const double[]){2, 0, 4.5, 0, 4, 2, 10.5, 0, 0, 0, 0, 0}, 12);
    refer(KZ_GEMM_FUSED_BIAS_RESIDUAL_NN, columns, matrix, C);
    expect((const double[]){3, 0, 4.5, -2, 4, 3, 10.5, -2, 0, -2, -0.5, -2}, 12);
    refer(KZ_GEMM_FUSED_ROW_BIAS_NT, rows, NULL, C);
    expect((const double[]){3, 4, 6, 3, 2, 3, 9, 0, -0.5, 0.5, -1.5, 1.5}, 12);
    refer(KZ_GEMM_FUSED_SCALED_NN, rows, columns, C);
    expect((const double[]){2, -8, 4, -6, -3, 8, -5, 3, -0.5, 0, -0.5, -1.5}, 12);
    double root = sqrt(2.0);
    refer(KZ_GEMM_FUSED_SCORES_NT, NULL, NULL, C);
    expect((const double[]){1 / root, -INFINITY, -INFINITY, -INFINITY, 3 / root, 4 / root, -INFINITY,
                            -INFINITY, -1 / root, 0, -2 / root, -INFINITY},
           12);
}

static void masks_by_hand(void **state) {
    const double mask[] = {1, 0, 255, 0, 0, 2, 3, 4, 0, 0, 0, 7}, keys[] = {0, 9, 1, 0}, half[] = {0.5};
    refer(KZ_GEMM_FUSED_MASKED_NT, mask, half, C);
    expect((const double[]){0.5, 0, 2, 0, 0, 2, 5, 0.5, 0, 0, 0, 0.5}, 12);
    assert_true(bound[1] == 0 && bound[8] == 0 && bound[0] > 0); // what is dropped is 0, not nearly
    double root = sqrt(2.0);
    refer(KZ_GEMM_FUSED_KEY_SCORES_NN, keys, NULL, C);
    expect((const double[]){-INFINITY, 2 / root, 4 / root, -INFINITY, -INFINITY, 4 / root, 10 / root,
                            -INFINITY, -INFINITY, 0, -2 / root, -INFINITY},
           12);
}

// Sums times the scale, rounded by hand: where no middle of two numbers is near, nothing else is right.
static void bytes_by_hand(void **state) {
    const double hundred[] = {100}, more[] = {101}, small[] = {0x1p-9}, some[] = {1.1}, zeros[COLUMNS] = {0};
    refer(KZ_GEMM_FUSED_TO_INT8_NT, hundred, NULL, C); // beyond 127 and -128, these
    const double integers[] = {100, 127, 127, 100, 127, 127, 127, 100, -100, 0, -128, 100};
    for (int i = 0; i < 12; i++) assert_true(expected[i] == integers[i] && bound[i] == 0);
    refer(KZ_GEMM_FUSED_TO_E4M3_NN, hundred, NULL,
          C); // 100 is in the middle of 96 and 104, and the sum has a bound
    assert_true(expected[0] == 100 && bound[0] == 4 && expected[6] == 448 && bound[6] == 0);
    refer(KZ_GEMM_FUSED_TO_E4M3_NN, more, NULL, C);
    const double floats[] = {104, 208, 416, 104, 288, 416, 448, 104, -104, 0, -208, 104};
    for (int i = 0; i < 12; i++) assert_true(expected[i] == floats[i] && bound[i] == 0);
    refer(KZ_GEMM_FUSED_TO_E4M3_NT, small, NULL, C); // denormal numbers
    assert_true(expected[0] == 0x1p-9 && expected[1] == 0x1p-8 && expected[6] == 0xap-9 && bound[6] == 0);
    refer(KZ_GEMM_FUSED_TO_E5M2_NT, some, NULL, C); // 1.1 2.2 4.4 1.1 / 3.3 4.4 11 1.1
    const double coarse[] = {1, 2, 4, 1, 3.5, 4, 12, 1};
    for (int i = 0; i < 8; i++)
        assert_true(i == 6 ? expected[i] == 11 && bound[i] == 1 : expected[i] == coarse[i] && bound[i] == 0);
    refer(KZ_GEMM_FUSED_BIAS_GELU_E4M3_NN, zeros, some, C); // gelu of 1 2 4 is 0.8413 1.9545 3.9999
    assert_true(expected[0] == 0.9375 && expected[1] == 2.25 && expected[2] == 4.5 && bound[2] == 0);
}

// Near the middle of two numbers both are right and nothing else is; elsewhere one is. What is beyond the largest is that.
static void the_bytes_bound_allows_codes_alone(void **state) {
    gemm_near near = gemm_stored_byte((gemm_near){1.0625, 1e-6}, GEMM_BYTE_E4M3);
    assert_true(near.value - near.error == 1 && near.value + near.error == 1.125);
    near = gemm_stored_byte((gemm_near){1.06, 1e-6}, GEMM_BYTE_E4M3);
    assert_true(near.value == 1 && near.error == 0);
    near = gemm_stored_byte((gemm_near){-1e-30, 1e-20}, GEMM_BYTE_E5M2); // either zero
    assert_true(near.value == 0 && near.error == 0);
    near = gemm_stored_byte((gemm_near){-0.5, 1e-6}, GEMM_BYTE_INT8);
    assert_true(near.value - near.error == -1 && near.value + near.error == 0);
    near = gemm_stored_byte((gemm_near){-0.5, 0}, GEMM_BYTE_INT8); // a tie, exactly: to even
    assert_true(near.value == 0 && near.error == 0);
    const struct {
        gemm_byte kind;
        double most, least;
    } ends[] = {{GEMM_BYTE_E4M3, 448, -448}, {GEMM_BYTE_E5M2, 57344, -57344}, {GEMM_BYTE_INT8, 127, -128}};
    for (int i = 0; i < 3; i++) {
        near = gemm_stored_byte((gemm_near){1e6, 1}, ends[i].kind);
        assert_true(near.value == ends[i].most && near.error == 0);
        near = gemm_stored_byte((gemm_near){-INFINITY, 1}, ends[i].kind);
        assert_true(near.value == ends[i].least && near.error == 0);
        near = gemm_stored_byte((gemm_near){NAN, 1}, ends[i].kind);
        assert_true(ends[i].kind == GEMM_BYTE_INT8 ? near.value == 0 && near.error == 0 : isnan(near.value));
    }
}

static double silu(double x) { return x / (1.0 + exp(-x)); }
static double gelu(double x) { return x * (1.0 + erf(x / sqrt(2.0))) / 2.0; }

static void activations_and_gates_by_hand(void **state) {
    const double zeros[COLUMNS] = {0};
    const double sums[] = {1, 2, 4, 1, 3, 4, 10, 1, -1, 0, -2, 1};
    double right[12];
    for (int i = 0; i < 12; i++) right[i] = gelu(sums[i]);
    refer(KZ_GEMM_FUSED_BIAS_GELU_NT, zeros, NULL, C);
    expect(right, 12);
    for (int i = 0; i < 12; i++) right[i] = silu(sums[i]);
    refer(KZ_GEMM_FUSED_BIAS_SILU_NN, zeros, NULL, C);
    expect(right, 12);
    for (int i = 0; i < 12; i++)
        right[i] = sums[i] * (1 + tanh(sqrt(2 / M_PI) * (sums[i] + 0.044715 * pow(sums[i], 3)))) / 2;
    refer(KZ_GEMM_FUSED_BIAS_GELU_TANH_NN, zeros, NULL, C);
    expect(right, 12);
    for (int i = 0; i < 6; i++) right[i] = silu(sums[2 * i]) * sums[2 * i + 1];
    refer(KZ_GEMM_FUSED_SWIGLU_NT, NULL, NULL, C);
    expect(right, 6);
    for (int i = 0; i < 6; i++) right[i] = gelu(sums[2 * i]) * sums[2 * i + 1];
    refer(KZ_GEMM_FUSED_GEGLU_NN, NULL, NULL, C);
    expect(right, 6);
}

static void folds_by_hand(void **state) {
    refer(KZ_GEMM_FUSED_ROW_SUM_NT, NULL, NULL, X);
    expect((const double[]){8, 18, -2}, 3);
    refer(KZ_GEMM_FUSED_ROW_MAX_NN, NULL, NULL, X);
    expect((const double[]){4, 10, 1}, 3);
    refer(KZ_GEMM_FUSED_COLUMN_SUM_NT, NULL, NULL, X);
    expect((const double[]){3, 6, 12, 3}, 4);
    refer(KZ_GEMM_FUSED_COLUMN_SUM_NT, NULL, NULL, C);
    expect((const double[]){1, 2, 4, 1, 3, 4, 10, 1, -1, 0, -2, 1}, 12);
}

// The public names are the table's, in its order.
static void names_are_the_tables(void **state) {
    static const char *const names[] = {
#define EPILOGUE(name, ...) #name "_nn", #name "_nt",
#include "epilogues.def"
#undef EPILOGUE
    };
    assert_string_equal(names[KZ_GEMM_FUSED_BIAS_NN], "bias_nn");
    assert_string_equal(names[KZ_GEMM_FUSED_BIAS_GELU_NT], "bias_gelu_nt");
    assert_string_equal(names[KZ_GEMM_FUSED_SCORES_NN], "scores_nn");
    assert_string_equal(names[KZ_GEMM_FUSED_GEGLU_NT], "geglu_nt");
    assert_string_equal(names[KZ_GEMM_FUSED_COLUMN_SUM_NT], "column_sum_nt");
    assert_string_equal(names[KZ_GEMM_FUSED_MASKED_NN], "masked_nn");
    assert_string_equal(names[KZ_GEMM_FUSED_TO_INT8_NT], "to_int8_nt");
    assert_string_equal(names[KZ_GEMM_FUSED_BIAS_GELU_E4M3_NT], "bias_gelu_e4m3_nt");
    assert_int_equal(sizeof names / sizeof names[0], KZ_GEMM_FUSED_BIAS_GELU_E4M3_NT + 1);
}

// The README and the public header tell of every row.
static void every_row_is_told_of(void **state) {
    static const char *const names[] = {
#define EPILOGUE(name, ...) #name,
#include "epilogues.def"
#undef EPILOGUE
    };
    static const char *const files[] = {"kernels/gemm/gemm_fused/README.md",
                                        "kernels/gemm/gemm_fused/gemm_fused.h"};
    for (int f = 0; f < 2; f++) {
        static char text[1 << 16];
        FILE *file = fopen(files[f], "r");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            char row[64];
            snprintf(row, sizeof row, f == 0 ? "\n| `%s` |" : "\n//     %s ", names[i]);
            if (!strstr(text, row)) fail_msg("%s says nothing of %s", files[f], names[i]);
        }
    }
}

// ---- bounds ------------------------------------------------------------------------------------------------

// Sums that are rounded to the type before gelu, as two kernels with c between them do it, must fail; in f32 all must pass.
static void a_rounding_on_the_way_fails(void **state) {
    enum { SIDE = 32, DEPTH = 64 };
    static uint16_t a[SIDE * DEPTH], b[SIDE * DEPTH], bias[SIDE], stored[1];
    static double right[SIDE * SIDE], most[SIDE * SIDE];
    for (uint64_t i = 0; i < SIDE * DEPTH; i++) {
        kz_element_set(KZ_BF16, a, i, (double)(kz_draw(7, 0, i) >> 11) * 0x1p-52 - 1.0);
        kz_element_set(KZ_BF16, b, i, (double)(kz_draw(7, 1, i) >> 11) * 0x1p-52 - 1.0);
        if (i < SIDE) kz_element_set(KZ_BF16, bias, i, (double)(kz_draw(7, 2, i) >> 11) * 0x1p-52 - 1.0);
    }
    kz_case c = {.operation = KZ_GEMM_FUSED_BIAS_GELU_NT, .type = KZ_BF16, .axes = {SIDE, SIDE, DEPTH}};
    void *host[] = {a, b, NULL, bias};
    assert_int_equal(gemm_fused_reference(&c, host, C, right, most, NULL), KZ_OK);
    int twice = 0;
    for (uint64_t i = 0; i < SIDE * SIDE; i++) {
        float sum = 0.0f;
        for (uint64_t x = 0; x < DEPTH; x++)
            sum += (float)kz_element_get(KZ_BF16, a, i / SIDE * DEPTH + x) *
                   (float)kz_element_get(KZ_BF16, b, i % SIDE * DEPTH + x);
        float biased = sum + (float)kz_element_get(KZ_BF16, bias, i % SIDE);
        kz_element_set(KZ_BF16, stored, 0, (double)(0.5f * biased * (1.0f + erff(biased * 0.70710678f))));
        assert_true(fabs(kz_element_get(KZ_BF16, stored, 0) - right[i]) <= most[i]);
        kz_element_set(KZ_BF16, stored, 0, (double)biased);
        kz_element_set(KZ_BF16, stored, 0, gelu(kz_element_get(KZ_BF16, stored, 0)));
        twice += fabs(kz_element_get(KZ_BF16, stored, 0) - right[i]) > most[i];
    }
    assert_true(twice > SIDE * SIDE / 20);
}

// ---- plans -------------------------------------------------------------------------------------------------

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan) {
    kz_device *device;
    kz_error error = {0};
    *plan = (kz_plan){0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    const kz_variant *variant = kz_variant_find(&kz_family_gemm_fused, name);
    assert_non_null(variant);
    kz_status status =
        kz_variant_plan(&kz_family_gemm_fused, variant, c, kz_device_get_info(device), plan, &error);
    kz_device_close(device);
    return status;
}

static void launches_and_workspace(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_GEMM_FUSED_BIAS_GELU_NT, .type = KZ_BF16, .axes = {4096, 16384, 4096}};
    assert_int_equal(plan("05_ping_pong", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1);
    assert_int_equal(p.workspace_bytes, 0);
    assert_int_equal(p.steps[0].launch.grid[0], 132);
    assert_int_equal(plan("02_unfused", &c, &p), KZ_OK); // the product in f32, and a kernel for the rest
    assert_int_equal(p.step_count, 2);
    assert_int_equal(p.workspace_bytes, 4ull * 4096 * 16384);
    c.operation = KZ_GEMM_FUSED_ROW_SUM_NT; // 64 tiles across, 4096 rows
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 2);
    assert_int_equal(p.workspace_bytes, 4ull * 64 * 4096);
    c.operation = KZ_GEMM_FUSED_COLUMN_SUM_NT; // 256 parts of 16 rows
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_OK);
    assert_int_equal(p.workspace_bytes, 4ull * 256 * 16384);
    c = (kz_case){.operation = KZ_GEMM_FUSED_BIAS_NT, .type = KZ_BF16, .axes = {100, 200, 77}};
    assert_int_equal(plan("03_direct", &c, &p), KZ_OK); // both operands are copied first
    assert_int_equal(p.step_count, 3);
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_UNSUPPORTED);
}

static void what_is_not_done_is_refused(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_GEMM_FUSED_SCORES_NT, .type = KZ_BF16, .axes = {256, 256, 256}};
    assert_int_equal(plan("05_ping_pong", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_OK);
    c.operation = KZ_GEMM_FUSED_SWIGLU_NT, c.axes[N] = 255; // gate without a value
    assert_int_equal(plan("01_naive", &c, &p), KZ_UNSUPPORTED);
    c.axes[N] = 264; // c's rows have 132 elements: no whole units
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("03_direct", &c, &p), KZ_OK);
    c.operation = KZ_GEMM_FUSED_TO_INT8_NT; // rows of 264 bytes: no whole units; of 272 they are
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("03_direct", &c, &p), KZ_OK);
    c.axes[N] = 272;
    assert_int_equal(plan("04_tensor_store", &c, &p), KZ_OK);
    assert_int_equal(plan("05_ping_pong", &c, &p), KZ_UNSUPPORTED);
    c.operation = KZ_GEMM_FUSED_BIAS_GELU_E4M3_NT;
    assert_int_equal(plan("05_ping_pong", &c, &p), KZ_OK);
    c.axes[K] = 0;
    assert_int_equal(plan("03_direct", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("01_naive", &c, &p), KZ_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_by_hand),
        cmocka_unit_test(activations_and_gates_by_hand),
        cmocka_unit_test(folds_by_hand),
        cmocka_unit_test(names_are_the_tables),
        cmocka_unit_test(every_row_is_told_of),
        cmocka_unit_test(a_rounding_on_the_way_fails),
        cmocka_unit_test(masks_by_hand),
        cmocka_unit_test(bytes_by_hand),
        cmocka_unit_test(the_bytes_bound_allows_codes_alone),
        cmocka_unit_test(launches_and_workspace),
        cmocka_unit_test(what_is_not_done_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

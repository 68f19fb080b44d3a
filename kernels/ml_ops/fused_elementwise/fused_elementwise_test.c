// fused_elementwise: values by hand, gradients by finite differences, what precision the bounds allow, one mask forward and
// backward, the arrays that the public call takes.
#include "fused_elementwise.h"

#include <math.h>
#include <stdio.h>

#include "kz/family.h"
#include "ml_ops/dropout/dropout.h"
#include "unit.h"

enum { ROWS = 6, COLUMNS = 70, N = ROWS * COLUMNS, P10 = 6554 };
enum { X, BIAS, RESIDUAL, DY, STATE, ARRAYS };

// Inputs that the type holds; x has both halves of a gated chain.
static double in[ARRAYS][2 * N];
static uint64_t words[2] = {17, 4};
static double expected[2 * N], bound[2 * N];

static double draw(uint32_t buffer, uint64_t i) {
    return (double)(kz_draw(7, buffer, i) >> 11) * 0x1p-51 - 2.0; // in [-2, 2)
}
// Multiples of 2^-8, which every type holds exactly in [-2, 2) but bf16; it gets multiples of 2^-5.
static void fill(kz_type type) {
    double unit = type == KZ_BF16 ? 32.0 : 256.0;
    for (uint32_t b = X; b < STATE; b++)
        for (uint64_t i = 0; i < 2 * N; i++) in[b][i] = round(draw(b, i) * unit) / unit;
}

static const uint32_t inputs_of[][ARRAYS] = {
    [KZ_BIAS_GELU] = {X, BIAS, ARRAYS},
    [KZ_BIAS_GELU_BACKWARD] = {X, BIAS, DY, ARRAYS},
    [KZ_BIAS_DROPOUT_ADD] = {X, BIAS, RESIDUAL, STATE, ARRAYS},
    [KZ_BIAS_DROPOUT_ADD_BACKWARD] = {DY, STATE, ARRAYS},
    [KZ_SWIGLU] = {X, ARRAYS},
    [KZ_SWIGLU_BACKWARD] = {X, DY, ARRAYS},
    [KZ_GEGLU] = {X, ARRAYS},
    [KZ_GEGLU_BACKWARD] = {X, DY, ARRAYS},
};

// `output`: the first of the chain, or the second, dbias.
static void refer(kz_fused_elementwise chain, kz_type type, int output) {
    static float stored[ARRAYS][2 * N];
    const kz_case c = {.operation = chain, .type = type, .axes = {ROWS, COLUMNS}};
    void *host[KZ_FAMILY_BUFFERS] = {0};
    size_t count = 0;
    for (const uint32_t *b = inputs_of[chain]; *b != ARRAYS; b++) {
        for (uint64_t i = 0; i < 2 * N; i++) kz_element_set(type, stored[*b], i, in[*b][i]);
        host[count++] = *b == STATE ? (void *)words : stored[*b];
    }
    assert_int_equal(kz_family_find("fused_elementwise")
                         ->reference(&c, host, count + (size_t)output, expected, bound, NULL),
                     KZ_OK);
}

static void values_by_hand(void **state) {
    fill(KZ_F32);
    in[X][0] = 0.75, in[BIAS][0] = 0.25; // gelu(1) = 0.8413447
    refer(KZ_BIAS_GELU, KZ_F32, 0);
    assert_float_equal(expected[0], 0.841344746, 1e-9);
    in[DY][0] = 2.0; // gelu'(1) = 0.8413447 + 0.2419707
    refer(KZ_BIAS_GELU_BACKWARD, KZ_F32, 0);
    assert_float_equal(expected[0], 2 * 1.083315471, 1e-8);
    in[X][0] = 1.0, in[X][COLUMNS] = 3.0; // silu(1) = 0.7310586, silu'(1) = 0.9276705
    refer(KZ_SWIGLU, KZ_F32, 0);
    assert_float_equal(expected[0], 3 * 0.731058579, 1e-8);
    refer(KZ_SWIGLU_BACKWARD, KZ_F32, 0);
    assert_float_equal(expected[0], 2 * 3 * 0.927670512, 1e-8);
    assert_float_equal(expected[COLUMNS], 2 * 0.731058579, 1e-8);
    refer(KZ_GEGLU, KZ_F32, 0);
    assert_float_equal(expected[0], 3 * 0.841344746, 1e-8);
}

// ---- gradients ---------------------------------------------------------------------------------------

// The sum of dy times y: its derivative by an input is that input's gradient.
static double loss(kz_fused_elementwise chain) {
    double sum = 0.0;
    refer(chain, KZ_F32, 0);
    for (int i = 0; i < N; i++) sum += in[DY][i] * expected[i];
    return sum;
}
static double difference(kz_fused_elementwise chain, int buffer, int i) {
    const double h = 0x1p-9; // x +- h is exact in float
    double was = in[buffer][i], above, below;
    in[buffer][i] = was + h, above = loss(chain);
    in[buffer][i] = was - h, below = loss(chain);
    in[buffer][i] = was;
    return (above - below) / (2 * h);
}

static void check_gradient(kz_fused_elementwise forward, int buffer, int count, int output) {
    static double gradient[2 * N];
    refer((kz_fused_elementwise)(forward + 1), KZ_F32, output);
    memcpy(gradient, expected, sizeof gradient);
    for (int i = 0; i < count; i += 7) {
        double by_difference = difference(forward, buffer, i);
        if (fabs(by_difference - gradient[i]) > 1e-4)
            fail_msg("chain %d, input %d: gradient %d is %g, but %g by differences", forward, buffer, i,
                     gradient[i], by_difference);
    }
}

static void gradients_by_finite_differences(void **state) {
    fill(KZ_F32);
    check_gradient(KZ_BIAS_GELU, X, N, 0);
    check_gradient(KZ_BIAS_GELU, BIAS, COLUMNS, 1);
    check_gradient(KZ_BIAS_DROPOUT_ADD, X, N, 0);
    check_gradient(KZ_BIAS_DROPOUT_ADD, BIAS, COLUMNS, 1);
    check_gradient(KZ_SWIGLU, X, 2 * N, 0);
    check_gradient(KZ_GEGLU, X, 2 * N, 0);
    for (int i = 0; i < N; i += 7) // the residual's gradient is dy
        assert_float_equal(difference(KZ_BIAS_DROPOUT_ADD, RESIDUAL, i), in[DY][i], 1e-9);
}

// ---- precision ---------------------------------------------------------------------------------------

static double to(kz_type type, double value) {
    double memory;
    kz_element_set(type, &memory, 0, value);
    return kz_element_get(type, &memory, 0);
}
static double gelu(double v) { return 0.5 * v * erfc(-v * M_SQRT1_2); }
static double silu(double v) { return v / (1.0 + exp(-v)); }

// How many results lie outside of the bound if what is between two steps is rounded to `middle`.
static int outside(kz_fused_elementwise chain, kz_type type, kz_type middle) {
    int count = 0;
    fill(type);
    refer(chain, type, 0);
    for (int i = 0; i < N; i++) {
        double a = in[X][i / COLUMNS * 2 * COLUMNS + i % COLUMNS], y;
        if (chain == KZ_BIAS_GELU)
            y = gelu(to(middle, in[X][i] + in[BIAS][i % COLUMNS]));
        else
            y = to(middle, silu(a)) * in[X][i / COLUMNS * 2 * COLUMNS + COLUMNS + i % COLUMNS];
        count += !(fabs(to(type, y) - expected[i]) <= bound[i]);
    }
    return count;
}

static int sums_outside(kz_type type, kz_type middle) {
    static double sum[COLUMNS];
    int count = 0;
    fill(type);
    for (int c = 0; c < COLUMNS; c++) sum[c] = 0.0;
    refer(KZ_BIAS_DROPOUT_ADD_BACKWARD, type, 0);
    for (int i = 0; i < N; i++) sum[i % COLUMNS] = to(middle, sum[i % COLUMNS] + to(middle, expected[i]));
    refer(KZ_BIAS_DROPOUT_ADD_BACKWARD, type, 1);
    for (int c = 0; c < COLUMNS; c++) count += !(fabs(to(type, sum[c]) - expected[c]) <= bound[c]);
    return count;
}

static void float_passes(void **state) {
    static const kz_type types[] = {KZ_F32, KZ_F16, KZ_BF16};
    for (int t = 0; t < 3; t++) {
        kz_type type = types[t];
        assert_int_equal(outside(KZ_SWIGLU, type, KZ_F32), 0);
        assert_int_equal(outside(KZ_BIAS_GELU, type, KZ_F32), 0);
        assert_int_equal(sums_outside(type, KZ_F32), 0);
    }
}

static void less_than_float_fails(void **state) {
    assert_true(outside(KZ_SWIGLU, KZ_F32, KZ_F16) > 0);
    assert_true(outside(KZ_SWIGLU, KZ_F16, KZ_F16) > 0);
    assert_true(outside(KZ_SWIGLU, KZ_BF16, KZ_BF16) > 0);
    assert_true(outside(KZ_BIAS_GELU, KZ_F32, KZ_BF16) > 0);
    assert_true(outside(KZ_BIAS_GELU, KZ_F16, KZ_BF16) > 0);
    assert_true(sums_outside(KZ_F32, KZ_F16) > 0);
    assert_true(sums_outside(KZ_F16, KZ_F16) > 0);
    assert_true(sums_outside(KZ_BF16, KZ_BF16) > 0);
}

// ---- dropout -----------------------------------------------------------------------------------------

// The mask is the same in both passes, and that of the family dropout.
static void one_mask(void **state) {
    static float ones[N];
    static double mask[N];
    const kz_case c = {.operation = KZ_DROPOUT_FORWARD, .type = KZ_F32, .axes = {N, P10}};
    void *host[] = {ones, words, NULL};
    int kept = 0;
    for (int i = 0; i < N; i++) ones[i] = 1.0f;
    assert_int_equal(kz_family_find("dropout")->reference(&c, host, 2, mask, bound, NULL), KZ_OK);
    for (int i = 0; i < 2 * N; i++) in[X][i] = in[DY][i] = 1.0, in[BIAS][i] = in[RESIDUAL][i] = 0.0;
    refer(KZ_BIAS_DROPOUT_ADD, KZ_F32, 0);
    assert_memory_equal(expected, mask, sizeof mask);
    refer(KZ_BIAS_DROPOUT_ADD_BACKWARD, KZ_F32, 0);
    assert_memory_equal(expected, mask, sizeof mask);
    for (int i = 0; i < N; i++) kept += mask[i] != 0.0;
    assert_true(fabs(kept - 0.9 * N) <= 5 * sqrt(0.09 * N) && kept < N);
}

// ---- the public operation ------------------------------------------------------------------------------

static kz_ptr at(void *memory) { return (kz_ptr)(uintptr_t)memory; }

static void the_call_takes_what_the_chain_has(void **state) {
    kz_device *device;
    kz_operation *chain;
    kz_error error = {0};
    float x[4] = {0.5f, -1.0f, 2.0f, 3.0f}, bias[2] = {0.5f, 1.0f}, dy[4] = {1, 1, 1, 1}, dx[4], dbias[2];
    kz_fused_elementwise_arrays a = {
        .x = at(x), .bias = at(bias), .dy = at(dy), .dx = at(dx), .dbias = at(dbias)};
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    assert_int_equal(
        kz_fused_elementwise_open(device, KZ_BIAS_GELU_BACKWARD, KZ_F32, 2, 2, 0.0, NULL, &chain, &error),
        KZ_OK);
    assert_int_equal(kz_fused_elementwise_run(chain, NULL, &a, 0, 0, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
    assert_float_equal(dx[0], 1.0833154, 1e-6);
    assert_float_equal(dx[1], 0.5, 1e-6);
    assert_float_equal(dbias[0], dx[0] + dx[2], 1e-6);
    a.dbias = 0;
    assert_int_equal(kz_fused_elementwise_run(chain, NULL, &a, 0, 0, &error), KZ_INVALID);
    assert_int_equal(kz_fused_elementwise_run(chain, NULL, NULL, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "arrays is NULL");
    kz_operation_close(chain);
    assert_int_equal(
        kz_fused_elementwise_open(device, KZ_BIAS_DROPOUT_ADD, KZ_F32, 2, 2, 1.5, NULL, &chain, &error),
        KZ_INVALID);
    assert_has(error.message, "from 0 to 1");
    kz_device_close(device);
}

// Each field of each chain: needed and 0, and not needed and set.
static void each_field_is_checked(void **state) {
    enum { FIELDS = 8 };
    static const char *const names[FIELDS] = {"x", "bias", "residual", "dy", "state", "y", "dx", "dbias"};
    static const char *const needs[] = {"11000100", "11010011", "11101100", "00011011",
                                        "10000100", "10010010", "10000100", "10010010"};
    static double memory[FIELDS][8];
    kz_device *device;
    kz_operation *op;
    assert_int_equal(kz_device_open("cpu", &device, NULL), KZ_OK);
    for (int chain = KZ_BIAS_GELU; chain <= KZ_GEGLU_BACKWARD; chain++) {
        kz_ptr right[FIELDS];
        kz_error error = {0};
        assert_int_equal(kz_fused_elementwise_open(device, (kz_fused_elementwise)chain, KZ_F32, 2, 2, 0.0,
                                                   NULL, &op, &error),
                         KZ_OK);
        for (int i = 0; i < FIELDS; i++) right[i] = needs[chain][i] == '1' ? at(memory[i]) : 0;
        for (int i = -1; i < FIELDS; i++) {
            kz_fused_elementwise_arrays a;
            char said[32];
            _Static_assert(sizeof a == sizeof right, "the fields, in order");
            memcpy(&a, right, sizeof a);
            if (i >= 0) ((kz_ptr *)&a)[i] = right[i] ? 0 : at(memory[i]);
            assert_int_equal(kz_fused_elementwise_run(op, NULL, &a, 0, 0, &error),
                             i < 0 ? KZ_OK : KZ_INVALID);
            if (i < 0) continue;
            snprintf(said, sizeof said, right[i] ? ": %s is 0," : "has no %s\n", names[i]);
            assert_has(error.message, said);
            assert_has(error.message, "\nit has ");
        }
        assert_int_equal(kz_device_synchronize(device, NULL), KZ_OK);
        kz_operation_close(op);
    }
    // An output in another's place is told by the field that is too many; without elements nothing is needed.
    kz_error error = {0};
    kz_fused_elementwise_arrays a = {.x = at(memory[0]), .dx = at(memory[1])};
    assert_int_equal(kz_fused_elementwise_open(device, KZ_SWIGLU, KZ_F32, 2, 2, 0.0, NULL, &op, &error),
                     KZ_OK);
    assert_int_equal(kz_fused_elementwise_run(op, NULL, &a, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "y is 0, and swiglu needs it");
    kz_operation_close(op);
    a = (kz_fused_elementwise_arrays){0};
    assert_int_equal(kz_fused_elementwise_open(device, KZ_SWIGLU, KZ_F32, 0, 2, 0.0, NULL, &op, &error),
                     KZ_OK);
    assert_int_equal(kz_fused_elementwise_run(op, NULL, &a, 0, 0, &error), KZ_OK);
    kz_operation_close(op);
    // And an operation of another family.
    assert_int_equal(kz_dropout_open(device, KZ_DROPOUT_FORWARD, KZ_F32, 2, 0.1, NULL, &op, &error), KZ_OK);
    assert_int_equal(kz_fused_elementwise_run(op, NULL, &a, 0, 0, &error), KZ_INVALID);
    assert_has(error.message, "one of dropout");
    kz_operation_close(op);
    kz_device_close(device);
}

// A plan of its variants that add by atomics is none that KZ_DETERMINISTIC takes.
static void atomics_are_unordered(void **state) {
    const kz_family *family = kz_family_find("fused_elementwise");
    const kz_case back = {.operation = KZ_BIAS_GELU_BACKWARD, .type = KZ_F32, .axes = {2, 2}},
                  forward = {.operation = KZ_BIAS_GELU, .type = KZ_F32, .axes = {2, 2}};
    assert_true(family->nondeterministic(&back, kz_variant_find(family, "03_vector")));
    assert_false(family->nondeterministic(&forward, kz_variant_find(family, "03_vector")));
    assert_false(family->nondeterministic(&back, kz_variant_find(family, "05_in_flight")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(gradients_by_finite_differences),
        cmocka_unit_test(float_passes),
        cmocka_unit_test(less_than_float_fails),
        cmocka_unit_test(one_mask),
        cmocka_unit_test(the_call_takes_what_the_chain_has),
        cmocka_unit_test(each_field_is_checked),
        cmocka_unit_test(atomics_are_unordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

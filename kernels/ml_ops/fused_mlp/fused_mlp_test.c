// fused_mlp: the reference by hand, its bound against what must pass and what must fail, and the plans.
#include <math.h>

#include "private.h"
#include "unit.h"

static double draw(uint32_t buffer, uint64_t i) {
    return (double)(kz_draw(7, buffer, i) >> 11) * 0x1p-52 - 1.0;
}

static void a_token_by_hand(void **state) {
    // x = 1 2; hidden before the bias 3 -1 2; relu after it 4 0 2.
    uint16_t x[2], w1[6], b1[3], w2[6], b2[2];
    double expected[2], bound[2];
    const double values[][6] = {{1, 2}, {1, 1, 1, -1, 0, 1}, {1, 0, 0}, {1, 5, 1, -1, 5, 0.5}, {0.5, -1}};
    uint16_t *const to[] = {x, w1, b1, w2, b2};
    const uint64_t counts[] = {2, 6, 3, 6, 2};
    for (int i = 0; i < 5; i++)
        for (uint64_t j = 0; j < counts[i]; j++) kz_element_set(KZ_F16, to[i], j, values[i][j]);
    kz_case c = {.operation = KZ_FUSED_MLP_RELU, .type = KZ_F16, .axes = {1, 2, 3}};
    assert_int_equal(fused_mlp_reference(&c, (void *[]){x, w1, b1, w2, b2, NULL}, 5, expected, bound, NULL),
                     KZ_OK);
    assert_true(expected[0] == 4 + 2 + 0.5 && expected[1] == -4 + 1 - 1);
    // Gated: four rows of w1, sums 3 2 1 2, two hidden elements.
    const double gated[] = {1, 1, 0, 1, 1, 0, 2, 0}, second[] = {1, 1, 2, 0};
    uint16_t w1_gated[8], w2_gated[4];
    for (uint64_t j = 0; j < 8; j++) kz_element_set(KZ_F16, w1_gated, j, gated[j]);
    for (uint64_t j = 0; j < 4; j++) kz_element_set(KZ_F16, w2_gated, j, second[j]);
    c = (kz_case){.operation = KZ_FUSED_MLP_SWIGLU, .type = KZ_F16, .axes = {1, 2, 2}};
    assert_int_equal(
        fused_mlp_reference(&c, (void *[]){x, w1_gated, w2_gated, NULL}, 3, expected, bound, NULL), KZ_OK);
    double h0 = 3 / (1 + exp(-3.0)) * 2, h1 = 1 / (1 + exp(-1.0)) * 2;
    assert_true(fabs(expected[0] - (h0 + h1)) < 0.01 && fabs(expected[1] - 2 * h0) < 0.01);
}

// A hidden layer in the type passes; one in bf16, with three bits less, fails for f16.
static void a_coarser_hidden_layer_fails(void **state) {
    enum { TOKENS_ = 16, MODEL_ = 16, HIDDEN_ = 256 };
    static uint16_t x[TOKENS_ * MODEL_], w1[HIDDEN_ * MODEL_], b1[HIDDEN_], w2[MODEL_ * HIDDEN_], b2[MODEL_];
    static double expected[TOKENS_ * MODEL_], bound[TOKENS_ * MODEL_], hidden[HIDDEN_];
    uint16_t *const to[] = {x, w1, b1, w2, b2};
    const uint64_t counts[] = {TOKENS_ * MODEL_, HIDDEN_ * MODEL_, HIDDEN_, MODEL_ * HIDDEN_, MODEL_};
    for (uint32_t i = 0; i < 5; i++)
        for (uint64_t j = 0; j < counts[i]; j++) kz_element_set(KZ_F16, to[i], j, draw(i, j));
    kz_case c = {.operation = KZ_FUSED_MLP_GELU, .type = KZ_F16, .axes = {TOKENS_, MODEL_, HIDDEN_}};
    assert_int_equal(fused_mlp_reference(&c, (void *[]){x, w1, b1, w2, b2, NULL}, 5, expected, bound, NULL),
                     KZ_OK);
    for (int less = 0; less < 2; less++) {
        int wrong = 0;
        for (uint64_t i = 0; i < TOKENS_; i++) {
            for (uint64_t j = 0; j < HIDDEN_; j++) {
                double s = kz_element_get(KZ_F16, b1, j);
                uint16_t stored;
                for (uint64_t k = 0; k < MODEL_; k++)
                    s += kz_element_get(KZ_F16, x, i * MODEL_ + k) *
                         kz_element_get(KZ_F16, w1, j * MODEL_ + k);
                kz_element_set(less ? KZ_BF16 : KZ_F16, &stored, 0, s * (1 + erf(s / sqrt(2.0))) / 2);
                hidden[j] = kz_element_get(less ? KZ_BF16 : KZ_F16, &stored, 0);
            }
            for (uint64_t j = 0; j < MODEL_; j++) {
                double s = kz_element_get(KZ_F16, b2, j);
                uint16_t stored;
                for (uint64_t k = 0; k < HIDDEN_; k++)
                    s += hidden[k] * kz_element_get(KZ_F16, w2, j * HIDDEN_ + k);
                kz_element_set(KZ_F16, &stored, 0, s);
                uint64_t at = i * MODEL_ + j;
                wrong += !(fabs(kz_element_get(KZ_F16, &stored, 0) - expected[at]) <= bound[at]);
            }
        }
        if (less)
            assert_true(wrong > 0);
        else
            assert_int_equal(wrong, 0);
    }
}

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan) {
    kz_device *device;
    kz_error error = {0};
    *plan = (kz_plan){0};
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    const kz_variant *variant = kz_variant_find(&kz_family_fused_mlp, name);
    assert_non_null(variant);
    kz_status status =
        kz_variant_plan(&kz_family_fused_mlp, variant, c, kz_device_get_info(device), plan, &error);
    kz_device_close(device);
    return status;
}

static void launches(void **state) {
    static kz_plan p;
    kz_case c = {.operation = KZ_FUSED_MLP_GELU, .type = KZ_BF16, .axes = {512, 256, 1024}};
    assert_int_equal(plan("04_ping_pong", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 2);
    assert_int_equal(p.workspace_bytes, 2 * 512 * 1024);
    assert_string_equal(p.steps[0].entry, "fused_mlp_ping_pong_gelu_bf16");
    assert_string_equal(p.steps[1].entry, "fused_mlp_ping_pong_bias_bf16");
    assert_int_equal(plan("02_unfused", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 4);
    c.operation = KZ_FUSED_MLP_SWIGLU;
    assert_int_equal(plan("04_ping_pong", &c, &p), KZ_OK);
    assert_string_equal(p.steps[1].entry, "fused_mlp_ping_pong_plain_bf16");
    c.axes[HIDDEN] = 1023; // w2 and the hidden layer have odd rows
    assert_int_equal(plan("04_ping_pong", &c, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan("03_direct", &c, &p), KZ_OK);
    assert_int_equal(p.step_count, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_by_hand),
        cmocka_unit_test(a_coarser_hidden_layer_fails),
        cmocka_unit_test(launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

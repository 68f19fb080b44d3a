// The plans of attention's Hopper rungs: their launches, and what they refuse in which words.
#include "private.h"
#include "unit.h"

#include "tune.h"

static kz_status plan(const char *name, const kz_case *c, kz_plan *plan, kz_error *error) {
    kz_device *device;
    *plan = (kz_plan){0};
    assert_int_equal(kz_device_open("sim:h200", &device, error), KZ_OK);
    const kz_variant *variant = kz_variant_find(&kz_family_attention, name);
    assert_non_null(variant);
    kz_status status =
        kz_variant_plan(&kz_family_attention, variant, c, kz_device_get_info(device), plan, error);
    kz_device_close(device);
    return status;
}

static kz_case a_case(kz_attention_operation operation, int64_t queries, int64_t keys, int64_t dimension) {
    return (kz_case){.operation = operation, .type = KZ_BF16, .axes = {2, 32, 8, queries, keys, dimension}};
}

static void expect_entry(const char *name, kz_case c, const char *entry, uint32_t blocks, uint32_t threads) {
    static kz_plan p;
    kz_error error = {0};
    if (plan(name, &c, &p, &error)) fail_msg("%s", error.message);
    assert_int_equal(p.step_count, 1);
    assert_string_equal(p.steps[0].entry, entry);
    assert_int_equal(p.steps[0].launch.grid[0], blocks);
    assert_int_equal(p.steps[0].launch.block[0], threads);
    assert_int_equal(p.map_count, 4);
}

// 64 heads of 1000 queries; 05 has tiles of 64, 06 of 128, the others of 192 where heads have 64 elements.
static void launches(void **state) {
    expect_entry("05_wgmma", a_case(KZ_ATTENTION_CAUSAL, 1000, 1000, 128), "attention_wgmma_d128_bf16",
                 64 * 16, 128);
    expect_entry("05_wgmma", a_case(KZ_ATTENTION_ADDITIVE, 1000, 1000, 72),
                 "attention_wgmma_additive_d128_bf16", 64 * 16, 128);
    expect_entry("06_warp_specialized", a_case(KZ_ATTENTION_FULL, 1000, 1000, 64),
                 "attention_warp_specialized_d64_bf16", 64 * 8, 384);
    expect_entry("07_ping_pong", a_case(KZ_ATTENTION_FULL, 1000, 1000, 40), "attention_ping_pong_d64_bf16",
                 64 * 6, 512);
    expect_entry("08_overlap", a_case(KZ_ATTENTION_FULL, 1000, 1000, 96), "attention_overlap_d128_bf16",
                 64 * 8, 384);
}

// A block for each of 132 multiprocessors; another tile where all queries see the same keys.
static void blocks_that_stay(void **state) {
    expect_entry("09_persistent", a_case(KZ_ATTENTION_CAUSAL, 1000, 1000, 128),
                 "attention_persistent_causal_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_FULL, 1000, 1000, 128),
                 "attention_persistent_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_PADDED, 100, 1000, 88), "attention_persistent_d96_bf16",
                 64, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_PACKED, 1000, 1000, 256),
                 "attention_persistent_d256_bf16", 132, 384);
}

// Keys and values of as many heads as ATTENTION_SECTION holds, in whole groups of 4 that share them.
static void heads_in_sections(void **state) {
    static kz_plan p;
    kz_error error = {0};
    const struct {
        int64_t keys;
        uint64_t heads;
    } wanted[] = {{1000, 32}, {ATTENTION_SECTION / (128 * 4 * 3), 12}, {ATTENTION_SECTION, 4}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        kz_case c = a_case(KZ_ATTENTION_CAUSAL, 1000, wanted[i].keys, 128);
        assert_int_equal(plan("09_persistent", &c, &p, &error), KZ_OK);
        assert_int_equal(p.steps[0].args[p.steps[0].arg_count - 1].scalar, wanted[i].heads);
    }
}

static void expect_refusal(const char *name, kz_case c, const char *text) {
    static kz_plan p;
    kz_error error = {0};
    assert_int_equal(plan(name, &c, &p, &error), KZ_UNSUPPORTED);
    assert_has(error.message, text);
}

static void refusals(void **state) {
    kz_case c = a_case(KZ_ATTENTION_FULL, 100, 100, 64);
    c.type = KZ_F32;
    expect_refusal("09_persistent", c, "round f32");
    expect_refusal("05_wgmma", a_case(KZ_ATTENTION_FULL, 100, 100, 60), "multiples of 8 up to 256");
    expect_refusal("05_wgmma", a_case(KZ_ATTENTION_FULL, 100, 100, 264), "multiples of 8 up to 256");
    expect_refusal("05_wgmma", a_case(KZ_ATTENTION_FULL, 100, 0, 64), "no keys");
    expect_refusal("08_overlap", a_case(KZ_ATTENTION_FULL, 100, 100, 256), "up to 128 elements");
    expect_refusal("06_warp_specialized", a_case(KZ_ATTENTION_ADDITIVE, 100, 100, 64), "no added mask");
    c = a_case(KZ_ATTENTION_FULL, 100, 100, 64);
    c.misalign = 4;
    expect_refusal("09_persistent", c, "multiples of 16 bytes");
    c.misalign = 8;
    static kz_plan p;
    kz_error error = {0};
    assert_int_equal(plan("09_persistent", &c, &p, &error), KZ_OK);
    const attention_detail negative = {.scale = -1.0f}, odd = {.kv = {64 * 8 + 4, 64, (64 * 8 + 4) * 100}},
                           still = {.kv = {64, 0, 6400}};
    c.detail = &odd;
    expect_refusal("09_persistent", c, "multiples of 16 bytes");
    c.detail = &still; // all heads of keys are one
    expect_refusal("09_persistent", c, "multiples of 16 bytes");
    c.detail = &negative;
    expect_refusal("09_persistent", c, "a scale of -1");
    c.operation = KZ_ATTENTION_ADDITIVE; // where scores are scaled first
    assert_int_equal(plan("09_persistent", &c, &p, &error), KZ_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches),
        cmocka_unit_test(blocks_that_stay),
        cmocka_unit_test(heads_in_sections),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// reduce_segments: the offsets that cases are made with, the reference against folds by hand, and the plans.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kz/family.h"
#include "reduce_segments.h"

enum { SEGMENTS = 1000, N = 54321, SEED = 7 };

static const kz_family *family(void) { return kz_family_find("reduce_segments"); }

static void make_offsets(int64_t skew, uint64_t first, uint64_t count, uint32_t *offsets) {
    kz_case c = {.type = KZ_F32, .axes = {N, SEGMENTS, skew}};
    assert_true(family()->fill(&c, 1, SEED, first, count, offsets));
}

static void offsets_rise_from_0_to_n(void **state) {
    static uint32_t offsets[SEGMENTS + 1], part[100];
    for (int64_t skew = 0; skew < 4; skew++) {
        make_offsets(skew, 0, SEGMENTS + 1, offsets);
        assert_int_equal(offsets[0], 0);
        assert_int_equal(offsets[SEGMENTS], N);
        uint32_t longest = 0, empty = 0;
        for (int s = 0; s < SEGMENTS; s++) {
            assert_true(offsets[s] <= offsets[s + 1]);
            uint32_t length = offsets[s + 1] - offsets[s];
            longest = length > longest ? length : longest;
            empty += length == 0;
        }
        if (skew == 0) assert_true(longest == N / SEGMENTS + 1 && empty == 0);
        if (skew == 1) assert_true(longest > N / SEGMENTS * 3 / 2 && longest < 2 * N / SEGMENTS + 2);
        if (skew == 2) assert_true(longest >= N / 2);
        if (skew == 3) assert_true(empty >= SEGMENTS / 16 * 15);
        make_offsets(skew, 500, 100, part); // any part is the same as in the whole
        for (int i = 0; i < 100; i++) assert_int_equal(part[i], offsets[500 + i]);
    }
}

static void segments_by_hand(void **state) {
    float in[] = {1, 2, 3, NAN, 5};
    uint32_t offsets[] = {0, 2, 2, 3, 5};
    double expected[4], bound[4];
    void *host[] = {in, offsets, NULL};
    kz_case c = {.operation = KZ_REDUCE_SEGMENTS_SUM, .type = KZ_F32, .axes = {5, 4, 0}};
    assert_int_equal(family()->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 3 && expected[1] == 0 && expected[2] == 3 && isnan(expected[3]));
    c.operation = KZ_REDUCE_SEGMENTS_MAX;
    assert_int_equal(family()->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 2 && expected[1] == -INFINITY && isnan(expected[3]) && bound[0] == 0);
    c.operation = KZ_REDUCE_SEGMENTS_MEAN;
    assert_int_equal(family()->reference(&c, host, 2, expected, bound, NULL), KZ_OK);
    assert_true(expected[0] == 1.5 && isnan(expected[1]) && expected[2] == 3);
}

static kz_status plan_of(const char *variant, kz_case c, kz_plan *plan) {
    kz_device_info device = {.sm = 90, .multiprocessors = 132, .gpu = "h200"};
    kz_error error;
    *plan = (kz_plan){0};
    return kz_variant_find(family(), variant)->plan(&c, &device, plan, &error);
}
static kz_status plan(kz_case c, kz_plan *plan) { return plan_of("04_merge_path", c, plan); }

// Even shares: no block has more than a tile above the mean, whatever the skew.
static void shares_are_even(void **state) {
    kz_plan p;
    kz_case c = {.type = KZ_F32, .axes = {1 << 28, 1 << 20, 2}};
    assert_int_equal(plan(c, &p), KZ_OK);
    assert_int_equal(p.step_count, 1);
    uint64_t blocks = p.steps[0].launch.grid[0], chunk = p.steps[0].args[8].scalar;
    uint64_t items = (1ull << 28) + (1ull << 20);
    assert_true(blocks * chunk >= items && (blocks - 1) * chunk < items);
    assert_true(chunk - items / blocks < 2 * 4096);
}

// 06's shares hold all places, up to 15 bytes before the input included; every block has its mail; small inputs are
// spread.
static void the_front_is_whole(void **state) {
    const kz_type types[] = {KZ_F32, KZ_F64, KZ_F16};
    for (int t = 0; t < 3; t++)
        for (int64_t n = 1; n <= UINT32_MAX; n = n * 5 + 1) {
            kz_plan p;
            kz_case c = {.type = types[t], .axes = {n, 1000, 0}};
            assert_int_equal(plan_of("06_front", c, &p), KZ_OK);
            uint64_t blocks = p.steps[0].launch.grid[0];
            uint64_t share = p.steps[0].args[5].scalar * (p.steps[0].launch.block[0] / 32);
            uint64_t places = (uint64_t)n + 16 / kz_type_size(types[t]) - 1;
            assert_true(blocks * share >= places && (blocks - 1) * share < places && blocks <= 16384);
            assert_true(share * kz_type_size(types[t]) % 16 == 0); // a share begins with a pack
            if (n > 10000 && n < 1 << 20) assert_true(blocks >= (uint64_t)n / 8192);
        }
}

static void what_is_not_done_is_refused(void **state) {
    kz_plan p;
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {1LL << 33, 8, 0}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {8, 8, 4}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {8, 0, 0}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_U8, .axes = {8, 8, 0}}, &p), KZ_UNSUPPORTED);
    assert_int_equal(plan((kz_case){.type = KZ_F32, .axes = {0, 0, 0}}, &p), KZ_OK);
    assert_int_equal(p.step_count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_rise_from_0_to_n),
        cmocka_unit_test(segments_by_hand),
        cmocka_unit_test(shares_are_even),
        cmocka_unit_test(the_front_is_whole),
        cmocka_unit_test(what_is_not_done_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The plans of attention's Hopper rungs: their launches, and what they refuse in which words.
#include <string.h>
// cmocka's header wants it before

#include "private.h"
#include "unit.h"

#include "tune.h"
#include "wgmma_order.h"

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

// A block for each of 132 multiprocessors; another tile where all queries see the same keys, and those are many.
static void blocks_that_stay(void **state) {
    expect_entry("09_persistent", a_case(KZ_ATTENTION_CAUSAL, 1000, 1000, 128),
                 "attention_persistent_causal_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_FULL, 1000, 8192, 128),
                 "attention_persistent_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_FULL, 1000, 1000, 128),
                 "attention_persistent_causal_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_PACKED, 1000, 8192, 128), // of two sequences
                 "attention_persistent_causal_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_PACKED, 1000, 8194, 128),
                 "attention_persistent_d128_bf16", 132, 384);
    expect_entry("09_persistent", a_case(KZ_ATTENTION_CAUSAL, 1000, 8192, 128),
                 "attention_persistent_causal_d128_bf16", 132, 384);
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
    } wanted[] = {{1000, 64}, {ATTENTION_SECTION / (128 * 4 * 3), 12}, {ATTENTION_SECTION, 4}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        kz_case c = a_case(KZ_ATTENTION_CAUSAL, 1000, wanted[i].keys, 128);
        assert_int_equal(plan("09_persistent", &c, &p, &error), KZ_OK);
        assert_int_equal(p.steps[0].args[p.steps[0].arg_count - 1].scalar, wanted[i].heads);
    }
}

// Every tile has one turn, whatever the numbers; those at the end of a section's columns too.
static void every_tile_has_a_turn(void **state) {
    enum { MOST = 400 };
    static const attention_order orders[] = {{7, 12, 12}, {7, 12, 4}, {5, 11, 4}, {1, 9, 2}, {6, 1, 1}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (unsigned blocks = 1; blocks < 140; blocks += 13) {
            const attention_order *o = &orders[i];
            unsigned all = o->tiles * o->columns;
            bool taken[MOST] = {0};
            for (unsigned round = 0; round * blocks < all; round++)
                for (unsigned block = 0; block < blocks; block++) {
                    unsigned number = attention_turn_number(round, block, blocks);
                    if (number >= all) continue;
                    attention_turn turn = attention_turn_of(o, number);
                    assert_true(turn.tile < o->tiles && turn.column < o->columns);
                    assert_false(taken[turn.column * o->tiles + turn.tile]);
                    taken[turn.column * o->tiles + turn.tile] = true;
                }
            for (unsigned t = 0; t < all; t++) assert_true(taken[t]);
        }
}

// Tile t of a causal mask sees t + 1 tiles of keys: the block that has most has not much more than an even share.
static void causal_shares_are_even(void **state) {
    enum { BLOCKS = 132 };
    static const struct {
        attention_order order;
        double most; // of an even share
    } shares[] = {{{64, 16, 16}, 1.01}, {{64, 16, 8}, 1.01}, {{64, 64, 12}, 1.01}, {{16, 128, 128}, 1.05}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        const attention_order *o = &shares[i].order;
        unsigned share[BLOCKS] = {0}, most = 0, all = o->tiles * o->columns;
        for (unsigned round = 0; round * BLOCKS < all; round++)
            for (unsigned block = 0; block < BLOCKS; block++) {
                unsigned number = attention_turn_number(round, block, BLOCKS);
                if (number < all) share[block] += attention_turn_of(o, number).tile + 1;
                if (share[block] > most) most = share[block];
            }
        double even = o->columns * (o->tiles * (o->tiles + 1) / 2.0) / BLOCKS;
        if (most > shares[i].most * even)
            fail_msg("%u heads in sections of %u: %.3f of an even share", o->columns, o->section,
                     most / even);
    }
}

// The bits do not depend on how many blocks there are, which tiles they take in which order, and how heads are cut into sections.
static void any_order_gives_the_same(void **state) {
    enum { HEADS = 6, KV_HEADS = 2, TOKENS = 150, D = 64, MOST = HEADS * TOKENS * D };
    static const int32_t offsets[] = {0, 20, TOKENS};
    static uint16_t q[MOST], k[MOST], v[MOST], first[MOST], out[MOST];
    static const struct {
        int multiprocessors;
        uint64_t section;
    } orders[] = {{132, HEADS}, {1, HEADS}, {5, HEADS}, {3, 2}, {2, 4}};
    kz_error error = {0};
    kz_device *device;
    kz_image image;
    kz_module *module;
    const kz_variant *variant = kz_variant_find(&kz_family_attention, "09_persistent");
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    assert_int_equal(kz_variant_image(&kz_family_attention, variant, &image, &error), KZ_OK);
    assert_int_equal(kz_module_load(device, &image, &module, &error), KZ_OK);
    uint16_t *const arrays[] = {q, k, v};
    for (uint32_t i = 0; i < 3; i++)
        for (uint64_t j = 0; j < MOST; j++)
            kz_element_set(KZ_BF16, arrays[i], j, (double)(kz_draw(3, i, j) >> 11) * 0x1p-52 - 1.0);
    const void *host[] = {q, k, v, offsets, offsets, first};
    const size_t bytes[] = {sizeof q, sizeof k, sizeof v, sizeof offsets, sizeof offsets, sizeof out};
    kz_ptr at[6];
    for (int i = 0; i < 6; i++) {
        assert_int_equal(kz_memory_alloc(device, bytes[i], &at[i], &error), KZ_OK);
        assert_int_equal(kz_copy_to_device(device, NULL, at[i], host[i], bytes[i], &error), KZ_OK);
    }
    kz_case c = {.operation = KZ_ATTENTION_PACKED_CAUSAL,
                 .type = KZ_BF16,
                 .axes = {2, HEADS, KV_HEADS, TOKENS, TOKENS, D}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        static kz_plan p;
        p = (kz_plan){0};
        kz_device_info info = *kz_device_get_info(device);
        info.multiprocessors = orders[i].multiprocessors;
        assert_int_equal(kz_variant_plan(&kz_family_attention, variant, &c, &info, &p, &error), KZ_OK);
        p.steps[0].args[p.steps[0].arg_count - 1] = kz_arg_u64(orders[i].section);
        if (kz_plan_run(device, NULL, module, &p, at, 6, 0, &error)) fail_msg("%s", error.message);
        assert_int_equal(kz_copy_to_host(device, NULL, i ? out : first, at[5], sizeof out, &error), KZ_OK);
        assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
        if (i) assert_memory_equal(out, first, sizeof out);
        memset(out, 0xff, sizeof out);
        assert_int_equal(kz_copy_to_device(device, NULL, at[5], out, sizeof out, &error), KZ_OK);
    }
    for (int i = 0; i < 6; i++) kz_memory_free(device, at[i], NULL);
    kz_module_close(module);
    kz_device_close(device);
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
        cmocka_unit_test(every_tile_has_a_turn),
        cmocka_unit_test(causal_shares_are_even),
        cmocka_unit_test(any_order_gives_the_same),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

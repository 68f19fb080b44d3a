// Tensor maps: what an H200's driver makes of many, each rule broken alone, and maps that come back from their bytes as
// they were.
#include <stdlib.h>
#include <string.h>

#include "sim/tensor_map.h"
#include "unit.h"

static sim_tensor_map tiled(void) {
    return (sim_tensor_map){.type = SIM_TENSOR_F16,
                            .rank = 2,
                            .address = 0x200000000400,
                            .dim = {256, 128},
                            .stride = {512},
                            .box = {64, 32},
                            .step = {1, 1}};
}

static sim_tensor_map interleaved(int32_t interleave) {
    return (sim_tensor_map){.type = SIM_TENSOR_U16,
                            .rank = 3,
                            .address = 0x200000000400,
                            .dim = {40, 6, 5},
                            .stride = {6400, 1280},
                            .box = {16, 3, 2},
                            .step = {1, 1, 1},
                            .interleave = interleave,
                            .swizzle = interleave == SIM_INTERLEAVE_32 ? SIM_SWIZZLE_32 : SIM_SWIZZLE_NONE};
}

static sim_tensor_map im2col(uint32_t rank) {
    return (sim_tensor_map){.im2col = true,
                            .type = SIM_TENSOR_F32,
                            .rank = rank,
                            .address = 0x200000000400,
                            .dim = {64, 20, 18, 16, 8},
                            .stride = {256, 5120, 92160, 1474560},
                            .step = {1, 1, 2, 3, 4},
                            .lower = {-1, -2, -3},
                            .upper = {-4, 5, -6},
                            .channels = 32,
                            .pixels = 48};
}

// ---- what the driver does --------------------------------------------------------------------------------

static sim_tensor_map tiled_f16(void) {
    return (sim_tensor_map){.type = SIM_TENSOR_F16,
                            .rank = 2,
                            .address = 0x7f0000000000,
                            .dim = {256, 128, 1, 1, 1},
                            .stride = {512},
                            .box = {64, 32, 1, 1, 1},
                            .step = {1, 1, 1, 1, 1},
                            .channels = 8,
                            .pixels = 16};
}

static sim_tensor_map image_f16(uint32_t rank) {
    static const uint64_t dims[][SIM_TENSOR_RANK] = {{64, 20, 8}, {64, 20, 18, 8}, {64, 20, 18, 16, 8}};
    sim_tensor_map m = tiled_f16();
    uint64_t stride = 128;
    m.im2col = true;
    m.rank = rank;
    m.channels = 32;
    m.pixels = 48;
    memcpy(m.dim, dims[rank - 3], sizeof m.dim);
    for (uint32_t i = 1; i < rank; stride *= m.dim[i++]) m.stride[i - 1] = stride;
    return m;
}

static sim_tensor_map sliced_f16(int32_t interleave) {
    sim_tensor_map m = tiled_f16();
    m.rank = 3;
    memcpy(m.dim, (uint64_t[]){64, 10, 12}, 3 * sizeof *m.dim);
    memcpy(m.stride, (uint64_t[]){4096, 1024}, 2 * sizeof *m.stride);
    memcpy(m.box, (uint32_t[]){16, 4, 3}, 3 * sizeof *m.box);
    m.interleave = interleave;
    m.swizzle = interleave == SIM_INTERLEAVE_32 ? SIM_SWIZZLE_32 : SIM_SWIZZLE_NONE;
    return m;
}

static void encodes(const char *name, const sim_tensor_map *map, const char *words) {
    uint32_t got[SIM_TENSOR_MAP_BYTES / 4] = {0};
    kz_error error = {0};
    kz_status status = sim_tensor_map_encode(map, got, &error);
    if ((status == KZ_OK) != (*words != 0)) print_message("%s: %s\n", name, status ? error.message : "taken");
    assert_int_equal(status, *words ? KZ_OK : KZ_INVALID);
    char *end = (char *)words;
    for (size_t i = 0; i < BASE_COUNT(got) && !status; i++) {
        uint32_t want = (uint32_t)strtoul(end, &end, 16);
        if (got[i] != want) print_message("%s: word %zu is %08x, not %08x\n", name, i, got[i], want);
        assert_int_equal(got[i], want);
    }
}

static void maps_are_those_of_an_h200(void **state) {
    // clang-format off
#define ENCODED(name, map, words, ...) { sim_tensor_map m = map; __VA_ARGS__; encodes(name, &m, words); }
#include "sim/tensor_map_h200.def"
#undef ENCODED
    // clang-format on
}

// ---- rules -----------------------------------------------------------------------------------------------

#define CHANGED(rule, index, base, ...)                                                                      \
    {                                                                                                        \
        sim_tensor_map m = base;                                                                             \
        __VA_ARGS__;                                                                                         \
        expect(SIM_TENSOR_RULE_##rule, &m, index, seen);                                                     \
    }

static void expect(sim_tensor_rule rule, const sim_tensor_map *map, int32_t index, bool *seen) {
    sim_tensor_breach breach = sim_tensor_map_check(map);
    kz_error error = {0};
    uint8_t bytes[SIM_TENSOR_MAP_BYTES];
    if (breach.rule != rule) print_message("rule %d was expected, %d came\n", rule, breach.rule);
    assert_int_equal(breach.rule, rule);
    assert_int_equal(breach.index, index);
    assert_int_equal(sim_tensor_map_encode(map, bytes, &error), rule ? KZ_INVALID : KZ_OK);
    if (rule) {
        assert_non_null(strstr(error.message, " is "));
        assert_non_null(strstr(error.message, "\nwhat to do: "));
    }
    seen[rule] = true;
}

static void break_tensors(bool *seen) {
    CHANGED(NONE, -1, tiled(), (void)m)
    CHANGED(TYPE, -1, tiled(), m.type = 13)
    CHANGED(TYPE, -1, tiled(), m.type = -1)
    CHANGED(RANK, -1, tiled(), m.rank = 0)
    CHANGED(RANK, -1, tiled(), m.rank = 6)
    CHANGED(RANK_INTERLEAVED, -1, tiled(), m.interleave = SIM_INTERLEAVE_16)
    CHANGED(RANK_IM2COL, -1, im2col(3), m.rank = 2)
    CHANGED(ADDRESS, -1, tiled(), m.address += 8)
    CHANGED(ADDRESS_RANGE, -1, tiled(), m.address = UINT64_C(1) << 57)
    CHANGED(ADDRESS_32, -1, interleaved(SIM_INTERLEAVE_32), m.address += 16)
    CHANGED(DIM, 1, tiled(), m.dim[1] = 0)
    CHANGED(DIM, 0, tiled(), m.dim[0] = (UINT64_C(1) << 32) + 1)
    CHANGED(NONE, -1, tiled(), m.dim[1] = UINT64_C(1) << 32)
    CHANGED(STRIDE, 0, tiled(), m.stride[0] = 520)
    CHANGED(STRIDE_32, 1, interleaved(SIM_INTERLEAVE_32), m.stride[1] += 16)
    CHANGED(STRIDE_RANGE, 0, tiled(), m.stride[0] = UINT64_C(1) << 40)
    CHANGED(NONE, -1, tiled(), m.stride[0] = (UINT64_C(1) << 40) - 16)
    CHANGED(ELEMENT_STRIDE, 1, tiled(), m.step[1] = 0)
    CHANGED(ELEMENT_STRIDE, 1, tiled(), m.step[1] = 9)
    CHANGED(ELEMENT_STRIDE, 0, tiled(), m.step[0] = 9) // though it means nothing there
}

static void break_boxes(bool *seen) {
    CHANGED(BOX, 0, tiled(), m.box[0] = 0)
    CHANGED(BOX, 1, tiled(), m.box[1] = 257)
    CHANGED(NONE, -1, tiled(), m.box[1] = 256)
    CHANGED(BOX_ROW, -1, tiled(), m.box[0] = 12)
    CHANGED(BOX_ROW, -1, interleaved(SIM_INTERLEAVE_16), m.box[0] = 5)
    CHANGED(BOX_BYTES, -1, tiled(), (m.type = SIM_TENSOR_F64, m.box[0] = m.box[1] = 256))
    CHANGED(INTERLEAVE, -1, interleaved(SIM_INTERLEAVE_16), m.interleave = 3)
    CHANGED(NONE, -1, interleaved(SIM_INTERLEAVE_32), m.swizzle = SIM_SWIZZLE_64)
    CHANGED(NONE, -1, interleaved(SIM_INTERLEAVE_16), m.swizzle = SIM_SWIZZLE_128)
    CHANGED(SWIZZLE, -1, tiled(), m.swizzle = 4)
    CHANGED(SWIZZLE_ROW, -1, tiled(), m.swizzle = SIM_SWIZZLE_64)
    CHANGED(NONE, -1, tiled(), m.swizzle = SIM_SWIZZLE_128)
    CHANGED(PROMOTION, -1, tiled(), m.promotion = 4)
    CHANGED(FILL, -1, tiled(), m.fill = 2)
    CHANGED(FILL_FLOAT, -1, tiled(), (m.fill = 1, m.type = SIM_TENSOR_U16))
    CHANGED(NONE, -1, tiled(), m.fill = 1)
}

static void break_im2col(bool *seen) {
    CHANGED(LOWER_CORNER, 0, im2col(3), m.lower[0] = -32769)
    CHANGED(NONE, -1, im2col(3), m.lower[0] = -32768)
    CHANGED(LOWER_CORNER, 1, im2col(4), m.lower[1] = -129)
    CHANGED(UPPER_CORNER, 1, im2col(4), m.upper[1] = 128)
    CHANGED(UPPER_CORNER, 2, im2col(5), m.upper[2] = 16)
    CHANGED(CORNERS, 0, im2col(4), (m.lower[0] = 10, m.upper[0] = -10))
    CHANGED(CHANNELS, -1, im2col(4), m.channels = 257)
    CHANGED(CHANNELS, -1, im2col(4), m.channels = 0)
    CHANGED(CHANNELS_ROW, -1, im2col(4), m.channels = 3)
    CHANGED(PIXELS, -1, im2col(4), m.pixels = 1025)
    CHANGED(NONE, -1, im2col(4), m.pixels = 1024)
}

static void each_rule_is_found(void **state) {
    bool seen[SIM_TENSOR_RULE_COUNT] = {0};
    break_tensors(seen);
    break_boxes(seen);
    break_im2col(seen);
    seen[SIM_TENSOR_RULE_MAP_ALIGN] = seen[SIM_TENSOR_RULE_ADDRESS_ZERO] = true; // not the encoder's
    for (int i = 0; i < SIM_TENSOR_RULE_COUNT; i++) {
        if (!seen[i]) print_message("no case breaks rule %d\n", i);
        assert_true(seen[i]);
    }
}

// The driver does not look where the map lies, and takes any bytes for one.
static void addresses_are_replaced(void **state) {
    uint8_t bytes[SIM_TENSOR_MAP_BYTES + 1] = {0};
    sim_tensor_map map = interleaved(SIM_INTERLEAVE_32), back;
    kz_error error = {0};
    assert_int_equal(sim_tensor_map_replace_address(bytes + 1, UINT64_C(0x7f0000001000), NULL), KZ_OK);
    assert_int_equal(sim_tensor_map_encode(&map, bytes + 1, NULL), KZ_OK);
    assert_int_equal(sim_tensor_map_replace_address(bytes + 1, 0x1010, NULL), KZ_OK);
    assert_int_equal(sim_tensor_map_replace_address(bytes + 1, 0x1008, NULL), KZ_INVALID);
    assert_int_equal(sim_tensor_map_replace_address(bytes + 1, 0, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "is 0x0: cuTensorMapReplaceAddress takes none that is 0"));
    assert_true(sim_tensor_map_decode(bytes + 1, &back));
    assert_int_equal(back.address, 0x1010);
}

// ---- bytes -----------------------------------------------------------------------------------------------

static void comes_back(const sim_tensor_map *map) {
    uint8_t bytes[SIM_TENSOR_MAP_BYTES];
    sim_tensor_map back;
    kz_error error = {0};
    if (sim_tensor_map_encode(map, bytes, &error)) print_message("%s\n", error.message);
    assert_int_equal(sim_tensor_map_encode(map, bytes, NULL), KZ_OK);
    assert_true(sim_tensor_map_decode(bytes, &back));
    assert_int_equal(back.im2col, map->im2col);
    assert_int_equal(back.type, map->type);
    assert_int_equal(back.rank, map->rank);
    assert_int_equal(back.address, map->address);
    for (uint32_t i = 0; i < map->rank; i++) {
        assert_int_equal(back.dim[i], map->dim[i]);
        assert_int_equal(back.step[i], map->step[i]);
        if (!map->im2col) assert_int_equal(back.box[i], map->box[i]);
        if (i) assert_int_equal(back.stride[i - 1], map->stride[i - 1]);
    }
    assert_int_equal(back.interleave, map->interleave);
    assert_int_equal(back.swizzle, map->swizzle);
    assert_int_equal(back.promotion, map->promotion);
    assert_int_equal(back.fill, map->fill);
    if (!map->im2col) return;
    assert_int_equal(back.channels, map->channels);
    assert_int_equal(back.pixels, map->pixels);
    for (uint32_t i = 0; i + 2 < map->rank; i++) {
        assert_int_equal(back.lower[i], map->lower[i]);
        assert_int_equal(back.upper[i], map->upper[i]);
    }
}

static void maps_come_back_from_their_bytes(void **state) {
    sim_tensor_map map = tiled();
    comes_back(&map);
    for (int32_t type = 0; type < SIM_TENSOR_TYPE_COUNT; type++) {
        map = tiled();
        map.type = type;
        map.fill = sim_tensor_type_is_float((sim_tensor_type)type);
        map.promotion = type & 3;
        map.box[1] = 256;
        comes_back(&map);
    }
    for (uint32_t rank = 1; rank <= SIM_TENSOR_RANK; rank++) {
        map = (sim_tensor_map){.type = SIM_TENSOR_U32, .rank = rank, .address = UINT64_C(0x7ffffffffff0)};
        for (uint32_t i = 0; i < rank; i++) {
            map.dim[i] = (UINT64_C(1) << 32) - i;
            map.box[i] = i < 2 ? 256 - 4 * i : 7 - i;
            map.step[i] = 8 - i;
            if (i) map.stride[i - 1] = (UINT64_C(1) << 40) - 16 * i;
        }
        comes_back(&map);
    }
    for (uint32_t rank = 3; rank <= SIM_TENSOR_RANK; rank++) {
        map = im2col(rank);
        comes_back(&map);
    }
    map = interleaved(SIM_INTERLEAVE_16);
    comes_back(&map);
    map = interleaved(SIM_INTERLEAVE_32);
    comes_back(&map);
}

// tensormap.replace alone makes the map that the encoder makes, but for what the driver notes for itself.
static void fields_make_a_map_of_zeros(void **state) {
    uint8_t made[SIM_TENSOR_MAP_BYTES] = {0}, encoded[SIM_TENSOR_MAP_BYTES];
    sim_tensor_map map = tiled();
    map.type = SIM_TENSOR_TF32;
    map.rank = 5;
    map.swizzle = SIM_SWIZZLE_128;
    map.fill = 1;
    for (uint32_t i = 0; i < 5; i++) {
        map.dim[i] = 300 + i;
        map.step[i] = i ? i + 4 : 1;
        map.box[i] = i == 1 ? 200 : i ? 2 + i : 32;
        if (i) map.stride[i - 1] = (UINT64_C(0xabcdef1230) + i * 0x1000000010) % (UINT64_C(1) << 40);
    }
    assert_int_equal(sim_tensor_map_encode(&map, encoded, NULL), KZ_OK);
    sim_tensor_field_set(made, PTX_MOD_GLOBAL_ADDRESS, 0, map.address);
    sim_tensor_field_set(made, PTX_MOD_RANK, 0, 4);
    sim_tensor_field_set(made, PTX_MOD_ELEMTYPE, 0, 11);
    sim_tensor_field_set(made, PTX_MOD_SWIZZLE_MODE, 0, 3);
    sim_tensor_field_set(made, PTX_MOD_INTERLEAVE_LAYOUT, 0, 0);
    sim_tensor_field_set(made, PTX_MOD_FILL_MODE, 0, 1);
    for (uint32_t i = 0; i < 5; i++) {
        sim_tensor_field_set(made, PTX_MOD_GLOBAL_DIM, i, map.dim[i]);
        sim_tensor_field_set(made, PTX_MOD_BOX_DIM, i, map.box[i]);
        sim_tensor_field_set(made, PTX_MOD_ELEMENT_STRIDE, i, map.step[i]);
        if (i) sim_tensor_field_set(made, PTX_MOD_GLOBAL_STRIDE, i - 1, map.stride[i - 1]);
    }
    assert_memory_equal(made, encoded, 64);
}

// The rule that copies see broken where these bits of a map are set.
static sim_tensor_rule with_bits(unsigned word, uint32_t keep, uint32_t bits) {
    sim_tensor_map map = tiled(), back;
    uint32_t words[SIM_TENSOR_MAP_BYTES / 4];
    assert_int_equal(sim_tensor_map_encode(&map, words, NULL), KZ_OK);
    words[word] = (words[word] & keep) | bits;
    assert_true(sim_tensor_map_decode(words, &back));
    if (sim_tensor_map_check(&back).rule == SIM_TENSOR_RULE_NONE) assert_int_equal(back.address, map.address);
    return sim_tensor_map_check(&back).rule;
}

static void copies_ignore_bits_that_have_no_meaning(void **state) {
    static const struct {
        unsigned word;
        uint32_t bits;
    } ignored[] = {{1, UINT32_C(1) << 25}, {1, UINT32_C(1) << 31},   {2, 0xe},         {2, 0xfff80000},
                   {7, 0xfffffff0},        {13, UINT32_C(0xffffc0)}, {15, UINT32_MAX}, {16, UINT32_MAX},
                   {18, UINT32_MAX},       {20, UINT32_MAX},         {31, UINT32_MAX}};
    for (size_t i = 0; i < BASE_COUNT(ignored); i++)
        assert_int_equal(with_bits(ignored[i].word, UINT32_MAX, ignored[i].bits), SIM_TENSOR_RULE_NONE);
}

static void other_bytes_are_no_map(void **state) {
    uint8_t bytes[SIM_TENSOR_MAP_BYTES] = {0};
    sim_tensor_map back;
    assert_false(sim_tensor_map_decode(bytes, &back));
    assert_int_equal(with_bits(0, UINT32_MAX, 8), SIM_TENSOR_RULE_ADDRESS);
    assert_int_equal(with_bits(2, UINT32_MAX, 5 << 4), SIM_TENSOR_RULE_RANK);
    assert_int_equal(with_bits(2, ~UINT32_C(0x780), 11 << 7), SIM_TENSOR_RULE_TYPE);
    assert_int_equal(with_bits(2, ~UINT32_C(0x780), 12 << 7), SIM_TENSOR_RULE_TYPE);
    assert_int_equal(with_bits(2, UINT32_MAX, 1 << 16), SIM_TENSOR_RULE_TYPE); // f16 that is rounded to tf32
    assert_int_equal(with_bits(2, UINT32_MAX, 1), SIM_TENSOR_RULE_RANK_IM2COL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_those_of_an_h200),
        cmocka_unit_test(each_rule_is_found),
        cmocka_unit_test(addresses_are_replaced),
        cmocka_unit_test(maps_come_back_from_their_bytes),
        cmocka_unit_test(fields_make_a_map_of_zeros),
        cmocka_unit_test(copies_ignore_bits_that_have_no_meaning),
        cmocka_unit_test(other_bytes_are_no_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Layouts beside CuTe: its own answers (layout_cute.def), mode by mode.
#include "base/layout_fixture.h"

static kz_status answer(const char *operation, const char *a, const char *b, base_layout *r,
                        kz_error *error) {
    base_layout left = parsed(a), right = base_layout_of(1, 0);
    base_tiler tiler = {0};
    static const char *const groupings[] = {"logical", "zipped", "tiled", "flat"};
    bool by_tiler = strstr(operation, "_divide") || (strstr(operation, "_product") && *b == '<');
    if (by_tiler)
        tiler = tiler_of(b);
    else if (*b)
        right = parsed(b);
    if (!strcmp(operation, "coalesce")) return *r = base_layout_coalesce(&left), KZ_OK;
    if (!strcmp(operation, "composition")) return base_layout_compose(&left, &right, r, error);
    if (!strcmp(operation, "complement")) return base_layout_complement(&left, atoll(b), r, error);
    if (!strcmp(operation, "right_inverse")) return *r = base_layout_right_inverse(&left), KZ_OK;
    if (!strcmp(operation, "left_inverse")) return base_layout_left_inverse(&left, r, error);
    if (!strcmp(operation, "blocked_product")) return base_layout_blocked_product(&left, &right, r, error);
    if (!strcmp(operation, "raked_product")) return base_layout_raked_product(&left, &right, r, error);
    if (!by_tiler) tiler = (base_tiler){.count = 1, .modes = {right}};
    for (int i = 0; i < 4; i++) {
        if (strncmp(operation, groupings[i], strlen(groupings[i])) != 0) continue;
        return strstr(operation, "_divide") ? base_layout_divide(&left, &tiler, (base_grouping)i, r, error)
                                            : base_layout_product(&left, &tiler, (base_grouping)i, r, error);
    }
    fail_msg("no operation %s", operation);
    return KZ_INVALID;
}

static void answers_of_cute(void **state) {
    static const struct {
        const char *operation, *a, *b, *answer;
    } rows[] = {
#define CUTE(operation, a, b, answer) {#operation, a, b, answer},
#define CUTE_SWIZZLE(...)
#define CUTE_PARTITION(...)
#define CUTE_TILE(...)
#include "base/layout_cute.def"
#undef CUTE
#undef CUTE_SWIZZLE
#undef CUTE_PARTITION
#undef CUTE_TILE
    };
    assert_true(BASE_COUNT(rows) > 500);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        base_layout r = {0};
        kz_error error = {0};
        if (answer(rows[i].operation, rows[i].a, rows[i].b, &r, &error))
            fail_msg("%s of %s and %s: %s", rows[i].operation, rows[i].a, rows[i].b, error.message);
        if (strcmp(shown(&r), rows[i].answer) != 0)
            fail_msg("%s of %s and %s is %s, and CuTe's is %s", rows[i].operation, rows[i].a, rows[i].b,
                     shown(&r), rows[i].answer);
    }
}

static void swizzles_of_cute(void **state) {
    static const struct {
        int bits, base, shift;
        int64_t from, to;
    } rows[] = {
#define CUTE(...)
#define CUTE_SWIZZLE(...) {__VA_ARGS__},
#define CUTE_PARTITION(...)
#define CUTE_TILE(...)
#include "base/layout_cute.def"
#undef CUTE
#undef CUTE_SWIZZLE
#undef CUTE_PARTITION
#undef CUTE_TILE
    };
    assert_true(BASE_COUNT(rows) > 50);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        base_swizzle s = {(uint8_t)rows[i].bits, (uint8_t)rows[i].base, (int8_t)rows[i].shift};
        assert_int_equal(base_swizzle_apply(s, rows[i].from), rows[i].to);
    }
}

static void is_part(const base_tensor *part, const char *layout, int64_t offset, const char *of) {
    if (strcmp(shown(&part->layout.layout), layout) != 0 || part->layout.offset != offset)
        fail_msg("a part of %s is %s at %" PRId64 ", and CuTe's is %s at %" PRId64, of,
                 shown(&part->layout.layout), part->layout.offset, layout, offset);
}

static void parts_of_cute(void **state) {
    base_tensor part;
    kz_error error = {0};
    unsigned count = 0;
#define CUTE(...)
#define CUTE_SWIZZLE(...)
#define CUTE_PARTITION(tensor, threads, thread, wanted, offset)                                              \
    {                                                                                                        \
        base_tensor whole = {NULL, 4, {.layout = parsed(tensor)}};                                           \
        base_layout places = parsed(threads);                                                                \
        assert_int_equal(base_tensor_partition(&whole, &places, thread, &part, &error), KZ_OK);              \
        is_part(&part, wanted, offset, tensor);                                                              \
        count++;                                                                                             \
    }
#define CUTE_TILE(tensor, tile, coordinate, wanted, offset)                                                  \
    {                                                                                                        \
        base_tensor whole = {NULL, 4, {.layout = parsed(tensor)}};                                           \
        base_tiler tiler = tiler_of(tile);                                                                   \
        base_tuple at;                                                                                       \
        assert_int_equal(base_tuple_parse(coordinate, &at, &error), KZ_OK);                                  \
        assert_int_equal(base_tensor_tile(&whole, &tiler, &at, &part, &error), KZ_OK);                       \
        is_part(&part, wanted, offset, tensor);                                                              \
        count++;                                                                                             \
    }
#include "base/layout_cute.def"
#undef CUTE
#undef CUTE_SWIZZLE
#undef CUTE_PARTITION
#undef CUTE_TILE
    assert_true(count > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_cute),
        cmocka_unit_test(swizzles_of_cute),
        cmocka_unit_test(parts_of_cute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

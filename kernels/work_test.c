// What every rate is divided by, worked out by hand for one case or two of each family; and inputs that hold what their
// kind of data promises, without which the cases that ask for it would pass anything.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka's header wants those before it
#include <cmocka.h>

#include "kz/family.h"
#include "primitives/atomics/atomics.h"
#include "primitives/compact/compact.h"
#include "primitives/histogram/histogram.h"
#include "primitives/scan/scan.h"
#include "primitives/warp/warp.h"

typedef struct row {
    const char *family;
    uint32_t operation;
    kz_type type;
    int64_t axes[4];
    double bytes, flops;
} row;

static const row rows[] = {
    {"vector_add", 0, KZ_F32, {1000}, 12000, 1000},
    {"saxpy", 0, KZ_F32, {1000}, 12000, 2000},
    {"elementwise", 0, KZ_F16, {1000}, 4000, 1000},
    {"transpose", 0, KZ_F32, {10, 20}, 1600, 0},
    {"permute", 0, KZ_F64, {2, 3, 4, 5}, 1920, 0},
    {"reduce", 0, KZ_F32, {1000}, 4004, 1000},
    {"reduce_axis", 0, KZ_F32, {3, 100, 5}, 6060, 1500},
    {"reduce_segments", 0, KZ_F32, {1000, 10}, 4000 + 44 + 40, 1000},
    {"scan", KZ_SCAN_SUM, KZ_F32, {1000}, 8000, 1000},
    {"scan", KZ_SCAN_SEGMENTED_SUM, KZ_F32, {1000}, 9000, 1000},
    {"compact", KZ_COMPACT_SELECT, KZ_F32, {1000, 50}, 6004, 0},
    {"compact", KZ_COMPACT_PARTITION, KZ_F32, {1000, 50}, 8004, 0},
    {"compact", KZ_COMPACT_SELECT_FLAGGED, KZ_F32, {1000, 50}, 7004, 0},
    {"histogram", KZ_HISTOGRAM_EVEN, KZ_F32, {1000, 256}, 4000 + 1024, 0},
    {"histogram", KZ_HISTOGRAM_RANGE, KZ_F32, {1000, 256}, 4000 + 1024 + 1028, 0},
    {"pagerank", 0, KZ_F32, {10, 30}, 4 * (30 + 22 + 20), 30},
    {"bfs", 0, KZ_I32, {10, 30}, 4 * (30 + 11 + 10), 30},
    {"warp", KZ_WARP_SUM, KZ_F32, {1024}, 4096 + 128, 1024},
    {"warp", KZ_WARP_PRODUCT, KZ_F32, {1024}, 3 * 4096, 65536},
    {"atomics", KZ_ATOMICS_COUNT, KZ_U32, {1000, 10}, 4040, 1000},
    {"atomics", KZ_ATOMICS_UPDATE, KZ_I32, {1000, 10}, 8160, 1000},
    {"streams", 0, KZ_F32, {1000, 8}, 8000, 16000},
    {"sgemm", 0, KZ_F32, {10, 20, 30}, 4 * (300 + 600 + 200), 12000},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void the_least_work_is_counted_right(void **state) {
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        const kz_family *family = kz_family_find(r->family);
        kz_case c = {.operation = r->operation, .type = r->type};
        for (size_t a = 0; a < 4; a++) c.axes[a] = r->axes[a];
        kz_work work = family->work(&c);
        if (work.bytes != r->bytes || work.flops != r->flops)
            fail_msg("%s, row %zu: %g bytes and %g flops, by hand %g and %g", r->family, i, work.bytes,
                     work.flops, r->bytes, r->flops);
    }
}

static void no_family_is_left_out(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        size_t i = 0;
        while (i < ROWS && kz_family_find(rows[i].family) != list[f]) i++;
        if (i == ROWS) fail_msg("%s has no row here", list[f]->name);
    }
}

enum { MANY = 4096 };

static void segments_have_heads(void **state) {
    const kz_family *family = kz_family_find("scan");
    const kz_case c = {.operation = KZ_SCAN_SEGMENTED_SUM, .type = KZ_F32, .axes = {MANY}};
    kz_buffer buffers[KZ_FAMILY_BUFFERS];
    size_t count = family->buffers(&c, buffers), heads = 0;
    static uint8_t bytes[MANY];
    for (size_t b = 0; b < count; b++)
        if (buffers[b].type == KZ_U8) assert_true(family->fill(&c, b, 5, 0, MANY, bytes));
    for (size_t i = 0; i < MANY; i++) heads += bytes[i] != 0;
    assert_in_range(heads, MANY / 1000, MANY / 2); // some, and segments of more than one element
}

static void counted_values_lie_where_their_kind_says(void **state) {
    const kz_family *family = kz_family_find("histogram");
    kz_case c = {.operation = KZ_HISTOGRAM_EVEN, .type = KZ_U32, .axes = {MANY, 10, 1000, 2000}};
    static uint32_t values[MANY];
    size_t outside = 0, on = 0, beside = 0;
    c.data = KZ_DATA_LARGE;
    assert_true(family->fill(&c, 0, 5, 0, MANY, values));
    for (size_t i = 0; i < MANY; i++) outside += values[i] < 1000 || values[i] >= 2000;
    assert_in_range(outside, MANY * 4 / 10, MANY * 6 / 10);
    c.data = KZ_DATA_SMALL;
    assert_true(family->fill(&c, 0, 5, 0, MANY, values));
    for (size_t i = 0; i < MANY; i++) {
        on += values[i] % 100 == 0;
        beside += values[i] % 100 == 1 || values[i] % 100 == 99;
    }
    assert_int_equal(on + beside, MANY);
    assert_in_range(on, MANY * 2 / 10, MANY * 5 / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_work_is_counted_right),
        cmocka_unit_test(no_family_is_left_out),
        cmocka_unit_test(segments_have_heads),
        cmocka_unit_test(counted_values_lie_where_their_kind_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

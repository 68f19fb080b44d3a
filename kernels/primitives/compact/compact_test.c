// compact: the reference by hand, the inputs' shares, the plans' limits,
// and the public operation on the cpu.
#include <math.h>
#include <stdlib.h>

#include "compact.h"
#include "kz/family.h"
#include "unit.h"

enum { IN, OUT, COUNT, FLAGS, MOST = 8 };

static double expected[MOST], bound[MOST];

static void reference(kz_compact_operation operation, kz_type type, const double *values,
                      const uint8_t *flags, int64_t n, double selected) {
    const kz_family *family = kz_family_find("compact");
    uint64_t in[MOST];
    double count[1], count_bound[1];
    for (int64_t i = 0; i < n; i++) kz_element_set(type, in, (uint64_t)i, values[i]);
    kz_case c = {.operation = operation, .type = type, .axes = {n}};
    void *host[] = {in, NULL, NULL, (void *)flags};
    assert_int_equal(family->reference(&c, host, COUNT, count, count_bound, NULL), KZ_OK);
    assert_true(count[0] == selected && count_bound[0] == 0.0);
    assert_int_equal(family->reference(&c, host, OUT, expected, bound, NULL), KZ_OK);
}

static void assert_results(const double *results, size_t count) {
    for (size_t i = 0; i < count; i++) {
        assert_true(bound[i] == 0.0);
        assert_true(results[i] == expected[i] || (isnan(results[i]) && isnan(expected[i])));
    }
}
#define EXPECT(...) assert_results((double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void selections(void **state) {
    const uint8_t flags[] = {0, 7, 0, 255, 128};
    reference(KZ_COMPACT_SELECT, KZ_F32, (double[]){1, -2, NAN, 0, 3}, NULL, 5, 2);
    EXPECT(1, 3);
    assert_true(bound[2] == KZ_ANYTHING && bound[4] == KZ_ANYTHING);
    reference(KZ_COMPACT_SELECT, KZ_U8, (double[]){127, 128, 255, 0}, NULL, 4, 2);
    EXPECT(128, 255);
    reference(KZ_COMPACT_SELECT_FLAGGED, KZ_I32, (double[]){1, 2, 3, 4, 5}, flags, 5, 3);
    EXPECT(2, 4, 5);
}

// The rest stands behind the selected ones, backwards.
static void partitions(void **state) {
    reference(KZ_COMPACT_PARTITION, KZ_F16, (double[]){1, -2, NAN, 4, -5}, NULL, 5, 2);
    EXPECT(1, 4, -5, NAN, -2);
    reference(KZ_COMPACT_PARTITION_FLAGGED, KZ_U8, (double[]){1, 2, 3}, (const uint8_t[]){0, 0, 0}, 3, 0);
    EXPECT(3, 2, 1);
}

static void runs(void **state) {
    reference(KZ_COMPACT_UNIQUE, KZ_F64, (double[]){0, -0.0, 2, 2, NAN, NAN, 2}, NULL, 7, 5);
    EXPECT(0, 2, NAN, NAN, 2);
    assert_true(bound[5] == KZ_ANYTHING);
}

// Any part of an input is what the whole has there, and as many are selected as the case says.
static void inputs_follow_the_percentage(void **state) {
    enum { N = 20000 };
    const kz_family *family = kz_family_find("compact");
    double *all = malloc(N * sizeof *all), *part = malloc(N * sizeof *part), count[1], none[1];
    uint8_t *flags = malloc(N);
    for (uint32_t operation = 0; operation < KZ_COMPACT_OPERATIONS; operation++) {
        for (int64_t percent = 0; percent <= 100; percent += 10) {
            kz_case c = {.operation = operation, .type = KZ_F64, .axes = {N, percent}};
            if (!family->fill(&c, IN, 7, 0, N, all)) memset(all, 0, N * sizeof *all);
            assert_true(family->fill(&c, FLAGS, 7, 0, N, flags));
            assert_int_equal(
                family->reference(&c, (void *[]){all, NULL, NULL, flags}, COUNT, count, none, NULL), KZ_OK);
            assert_true(fabs(count[0] - N * (double)percent / 100.0) <= 300.0);
            if (percent == 100) assert_true(count[0] == N);
            for (uint64_t first = 0; first < 500; first += 7) {
                if (!family->fill(&c, IN, 7, first, 7, part)) continue;
                assert_memory_equal(part, all + first, 7 * sizeof *part);
            }
        }
    }
    free(all);
    free(part);
    free(flags);
}

static kz_status plan(const char *variant, const kz_case *c, kz_plan *plan, kz_error *error) {
    const kz_device_info h200 = {
        .kind = KZ_DEVICE_CUDA, .sm = 90, .multiprocessors = 132, .shared_per_block_optin = 232448};
    *plan = (kz_plan){0};
    return kz_variant_plan(kz_family_find("compact"), kz_variant_find(kz_family_find("compact"), variant), c,
                           &h200, plan, error);
}

static void plans(void **state) {
    kz_plan made;
    kz_error error = {0};
    kz_case c = {.operation = KZ_COMPACT_SELECT, .type = KZ_F32, .axes = {(int64_t)1 << 29, 50}};
    assert_int_equal(plan("06_look_ahead", &c, &made, &error), KZ_OK);
    assert_true(made.step_count == 1 && made.workspace_bytes == 0 && made.steps[0].launch.grid[0] == 132);
    c.axes[0] = 1 << 14; // two tiles: no block without one
    assert_int_equal(plan("06_look_ahead", &c, &made, &error), KZ_OK);
    assert_int_equal(made.steps[0].launch.grid[0], 2);
    c.axes[0] = 0; // a count of 0, and no launch
    assert_int_equal(plan("06_look_ahead", &c, &made, &error), KZ_OK);
    assert_true(made.step_count == 1 && made.steps[0].kind == KZ_STEP_FILL);
    c.axes[0] = (int64_t)1 << 32;
    assert_int_equal(plan("04_look_back", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "32 bits"));
    c.axes[0] = 10, c.axes[1] = 101;
    assert_int_equal(plan("04_look_back", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "0 to 100"));
    c = (kz_case){.operation = KZ_COMPACT_SELECT, .type = KZ_F64, .axes = {((int64_t)1 << 32) - 1}};
    assert_int_equal(plan("05_epoch_flags", &c, &made, &error),
                     KZ_UNSUPPORTED); // more tiles than the module has statuses for
    assert_non_null(strstr(error.message, "04_look_back"));
    assert_int_equal(plan("04_look_back", &c, &made, &error), KZ_OK);
    c = (kz_case){.operation = KZ_COMPACT_SELECT, .type = KZ_BF16, .axes = {10}};
    assert_int_equal(plan("05_epoch_flags", &c, &made, &error), KZ_UNSUPPORTED);
    assert_true(strstr(error.message, "bf16") && strstr(error.message, "flags"));
    // By flags only the size counts, and unique looks at integers bit by bit.
    for (c.type = 0; c.type < KZ_TYPE_COUNT; c.type++) {
        const char *const by_size[9] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "i64"};
        c.operation = KZ_COMPACT_PARTITION_FLAGGED;
        assert_int_equal(plan("06_look_ahead", &c, &made, &error), KZ_OK);
        assert_non_null(strstr(made.steps[0].entry, by_size[kz_type_size(c.type)]));
        c.operation = KZ_COMPACT_UNIQUE;
        assert_int_equal(plan("06_look_ahead", &c, &made, &error), KZ_OK);
    }
    c.type = KZ_I64;
    assert_int_equal(plan("01_thread_chunks", &c, &made, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "04"));
}

// On the cpu an address is a host address.
static kz_ptr at(const void *memory) { return (kz_ptr)(uintptr_t)memory; }

// Every type, through the interface: nothing, one, all and some are selected; the count is written always.
static void every_type(void **state) {
    kz_device *device;
    kz_error error = {0};
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    kz_ptr memory; // n = 0 fills the count, and only what is allocated can be filled
    assert_int_equal(kz_memory_alloc(device, sizeof(uint32_t), &memory, &error), KZ_OK);
    const uint32_t *count = (const uint32_t *)(uintptr_t)memory;
    const uint8_t flags[3][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 1, 0, 1}};
    const double by_flags[3][4] = {{7, 1, 1, 5}, {5, 1, 1, 7}, {1, 7, 1, 5}}; // partitions of 5 1 1 7
    const double unique[] = {5, 1, 7};
    const uint32_t counts[3] = {0, 4, 2};
    for (kz_type type = 0; type < KZ_TYPE_COUNT; type++) {
        kz_operation *compact;
        uint64_t in[4], out[4];
        _Alignas(KZ_WORKSPACE_ALIGNMENT) uint64_t workspace[64];
        for (uint64_t i = 0; i < 4; i++) kz_element_set(type, in, i, (const double[]){5, 1, 1, 7}[i]);
        assert_int_equal(
            kz_compact_open(device, KZ_COMPACT_PARTITION_FLAGGED, type, 4, NULL, &compact, &error), KZ_OK);
        for (int f = 0; f < 3; f++) {
            assert_int_equal(kz_compact_run(compact, NULL, at(in), at(flags[f]), at(out), at(count),
                                            at(workspace), sizeof workspace, &error),
                             KZ_OK);
            assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
            assert_int_equal(*count, counts[f]);
            for (uint64_t i = 0; i < 4; i++) assert_true(kz_element_get(type, out, i) == by_flags[f][i]);
        }
        kz_operation_close(compact);
        for (size_t n = 0; n <= 4; n += 4) {
            assert_int_equal(kz_compact_open(device, KZ_COMPACT_UNIQUE, type, n, NULL, &compact, &error),
                             KZ_OK);
            assert_int_equal(kz_compact_run(compact, NULL, at(in), 0, at(out), at(count), at(workspace),
                                            sizeof workspace, &error),
                             KZ_OK);
            assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
            assert_int_equal(*count, n ? 3 : 0);
            kz_operation_close(compact);
        }
        for (uint64_t i = 0; i < 3; i++) assert_true(kz_element_get(type, out, i) == unique[i]);
    }
    kz_memory_free(device, memory, &error);
    kz_device_close(device);
}

// Arrays that lie askew of each other: none of them has the others' place in its 16 bytes.
static void arrays_askew(void **state) {
    enum { N = 9001, ROOM = N + 16 };
    const char *const variants[] = {"03_shared_tile", "04_look_back", "05_epoch_flags", "06_look_ahead"};
    const unsigned askew[][3] = {{0, 1, 3}, {3, 0, 1}, {1, 2, 0}}; // elements: in, out, flags
    kz_device *device;
    kz_error error = {0};
    kz_ptr in, out, flags, rest; // rest: the count, then the workspace
    uint32_t *host = malloc(ROOM * sizeof *host), count;
    uint8_t *host_flags = malloc(ROOM);
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    kz_memory_alloc(device, ROOM * sizeof *host, &in, &error);
    kz_memory_alloc(device, ROOM * sizeof *host, &out, &error);
    kz_memory_alloc(device, ROOM, &flags, &error);
    assert_int_equal(kz_memory_alloc(device, 1 << 16, &rest, &error), KZ_OK);
    for (size_t v = 0; v < 4; v++)
        for (size_t a = 0; a < 3; a++) {
            kz_operation *partition;
            for (uint32_t i = 0; i < N; i++) host[i] = i, host_flags[i] = i % 3 == 0;
            kz_ptr from = in + askew[a][0] * 4, to = out + askew[a][1] * 4, at_flags = flags + askew[a][2];
            kz_copy_to_device(device, NULL, from, host, N * sizeof *host, &error);
            kz_copy_to_device(device, NULL, at_flags, host_flags, N, &error);
            assert_int_equal(kz_compact_open(device, KZ_COMPACT_PARTITION_FLAGGED, KZ_U32, N, variants[v],
                                             &partition, &error),
                             KZ_OK);
            assert_int_equal(
                kz_compact_run(partition, NULL, from, at_flags, to, rest, rest + 16, (1 << 16) - 16, &error),
                KZ_OK);
            kz_copy_to_host(device, NULL, host, to, N * sizeof *host, &error);
            kz_copy_to_host(device, NULL, &count, rest, sizeof count, &error);
            assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
            assert_int_equal(count, (N + 2) / 3);
            for (uint32_t i = 0; i < count; i++) assert_int_equal(host[i], 3 * i);
            for (uint32_t i = 0; i < N - count; i++) assert_int_equal(host[N - 1 - i], i / 2 * 3 + i % 2 + 1);
            kz_operation_close(partition);
        }
    kz_memory_free(device, in, &error);
    kz_memory_free(device, out, &error);
    kz_memory_free(device, flags, &error);
    kz_memory_free(device, rest, &error);
    kz_device_close(device);
    free(host);
    free(host_flags);
}

// Numbers that are one as doubles.
static void long_runs(void **state) {
    const int64_t in[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX - 1};
    double count[1], none[1];
    kz_case c = {.operation = KZ_COMPACT_UNIQUE, .type = KZ_I64, .axes = {3}};
    assert_int_equal(kz_family_find("compact")->reference(&c, (void *[]){(void *)in, NULL, NULL, NULL}, COUNT,
                                                          count, none, NULL),
                     KZ_OK);
    assert_true(count[0] == 2);
}

static void the_operation(void **state) {
    kz_device *device;
    kz_operation *compact;
    kz_error error = {0};
    const int32_t in[5] = {3, -8, 5, 5, 1};
    const uint8_t flags[5] = {0, 1, 0, 0, 9};
    int32_t out[5] = {99, 99, 99, 99, 99};
    uint32_t count = 77;
    _Alignas(KZ_WORKSPACE_ALIGNMENT) uint64_t workspace[64];
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_compact_open(device, KZ_COMPACT_PARTITION_FLAGGED, KZ_I32, 5, NULL, &compact, &error),
                     KZ_OK);
    assert_true(kz_operation_workspace(compact) <= sizeof workspace);
    assert_int_equal(kz_compact_run(compact, NULL, at(in), 0, at(out), at(&count), at(workspace),
                                    sizeof workspace, &error),
                     KZ_INVALID); // no flags
    assert_int_equal(kz_compact_run(compact, NULL, at(in), at(flags), at(out), at(&count), at(workspace),
                                    sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(out, ((int32_t[]){-8, 1, 5, 5, 3}), sizeof out);
    assert_int_equal(count, 2);
    kz_operation_close(compact);

    assert_int_equal(kz_compact_open(device, KZ_COMPACT_UNIQUE, KZ_I32, 5, NULL, &compact, &error), KZ_OK);
    out[4] = 99;
    assert_int_equal(kz_compact_run(compact, NULL, at(in), 0, at(out), at(&count), at(workspace),
                                    sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(out, ((int32_t[]){3, -8, 5, 1, 99}), sizeof out);
    assert_int_equal(count, 4);
    kz_operation_close(compact);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections),    cmocka_unit_test(partitions),
        cmocka_unit_test(runs),          cmocka_unit_test(inputs_follow_the_percentage),
        cmocka_unit_test(plans),         cmocka_unit_test(every_type),
        cmocka_unit_test(arrays_askew),  cmocka_unit_test(long_runs),
        cmocka_unit_test(the_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

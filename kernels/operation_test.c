// The public operations, called as a user does, on the cpu: the one device that every machine has.

#include "kz/family.h"
#include "kz/operation.h"
#include "primitives/atomics/atomics.h"
#include "primitives/histogram/histogram.h"
#include "primitives/permute/permute.h"
#include "primitives/reduce/reduce.h"
#include "primitives/reduce_axis/reduce_axis.h"
#include "primitives/reduce_segments/reduce_segments.h"
#include "primitives/saxpy/saxpy.h"
#include "primitives/scan/scan.h"
#include "unit.h"

static int open_cpu(void **state) { return kz_device_open("cpu", (kz_device **)state, NULL); }
static int close_cpu(void **state) {
    kz_device_close(*state);
    return 0;
}

// On the cpu an address is a host address.
static kz_ptr at(void *memory) { return (kz_ptr)(uintptr_t)memory; }

static void saxpy_takes_its_a(void **state) {
    kz_operation *saxpy;
    kz_error error = {0};
    float x[3] = {1, 2, 3}, y[3] = {10, 20, 30};
    assert_int_equal(kz_saxpy_open(*state, KZ_F32, 3, 0.5f, NULL, &saxpy, &error), KZ_OK);
    assert_string_equal(kz_operation_variant(saxpy), "00_native");
    assert_int_equal(kz_operation_workspace(saxpy), 0);
    assert_int_equal(kz_saxpy_run(saxpy, NULL, at(x), at(y), &error), KZ_OK);
    assert_int_equal(kz_saxpy_run(saxpy, NULL, at(x), at(y), &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(*state, &error), KZ_OK);
    assert_true(y[0] == 11.0f && y[1] == 22.0f && y[2] == 33.0f);
    kz_operation_close(saxpy);
}

static void reduce_uses_the_callers_workspace(void **state) {
    kz_operation *reduce;
    kz_error error = {0};
    int32_t in[5] = {3, -8, 5, 1, 0}, out = 99;
    assert_int_equal(kz_reduce_open(*state, KZ_REDUCE_MIN, KZ_I32, 5, NULL, &reduce, &error), KZ_OK);
    uint64_t bytes = kz_operation_workspace(reduce);
    _Alignas(KZ_WORKSPACE_ALIGNMENT) double workspace[64];
    assert_true(bytes > 0 && bytes <= sizeof workspace);
    memset(workspace, 0xa5, sizeof workspace);
    assert_int_equal(kz_reduce_run(reduce, NULL, at(in), at(&out), at(workspace), bytes - 1, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "kz_operation_workspace"));
    assert_int_equal(kz_reduce_run(reduce, NULL, at(in), at(&out), at(workspace) + 8, bytes, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "multiple of 16 bytes\nround it up"));
    assert_int_equal(out, 99);
    assert_int_equal(kz_reduce_run(reduce, NULL, at(in), at(&out), at(workspace), bytes, &error), KZ_OK);
    assert_int_equal(kz_device_synchronize(*state, &error), KZ_OK);
    assert_int_equal(out, -8);
    kz_operation_close(reduce);
}

// One operation of 4 x 3 elements by each of the three that fold.
static void fold_by(kz_device *device, kz_reduce_operation function, const float *in, float *all, float *rows,
                    float *segments) {
    kz_operation *operation;
    kz_error error = {0};
    double workspace[64];
    uint32_t offsets[] = {0, 3, 6, 9, 12};
    assert_int_equal(kz_reduce_open(device, function, KZ_F32, 12, NULL, &operation, &error), KZ_OK);
    assert_true(kz_operation_workspace(operation) <= sizeof workspace);
    assert_int_equal(
        kz_reduce_run(operation, NULL, at((void *)in), at(all), at(workspace), sizeof workspace, &error),
        KZ_OK);
    kz_operation_close(operation);
    assert_int_equal(kz_reduce_axis_open(device, function, KZ_F32, 4, 3, 1, NULL, &operation, &error), KZ_OK);
    assert_int_equal(kz_reduce_axis_run(operation, NULL, at((void *)in), at(rows), 0, 0, &error), KZ_OK);
    kz_operation_close(operation);
    assert_int_equal(kz_reduce_segments_open(device, function, KZ_F32, 12, 4, NULL, &operation, &error),
                     KZ_OK);
    assert_int_equal(
        kz_reduce_segments_run(operation, NULL, at((void *)in), at(offsets), at(segments), 0, 0, &error),
        KZ_OK);
    kz_operation_close(operation);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
}

// The same number means the same operation for all of them.
static void one_enum_for_all_that_fold(void **state) {
    const float in[] = {1, 2, 3, 6, 5, 4, -1, -2, -3, 0, 0, 9};
    const struct {
        kz_reduce_operation function;
        float all, rows[4];
    } folds[] = {{KZ_REDUCE_SUM, 24, {6, 15, -6, 9}},
                 {KZ_REDUCE_MIN, -3, {1, 4, -3, 0}},
                 {KZ_REDUCE_MAX, 9, {3, 6, -1, 9}},
                 {KZ_REDUCE_MEAN, 2, {2, 5, -2, 3}}};
    for (size_t f = 0; f < sizeof folds / sizeof folds[0]; f++) {
        float all, rows[4], segments[4];
        fold_by(*state, folds[f].function, in, &all, rows, segments);
        assert_true(all == folds[f].all);
        assert_memory_equal(rows, folds[f].rows, sizeof rows);
        assert_memory_equal(segments, folds[f].rows, sizeof segments);
    }
}

// And where the extremes stand: in all, in each row, in each segment (of which one is empty).
static void indices_of_all_that_fold(void **state) {
    float in[] = {1, 7, 7, 6, 5, 4, -1, -2, -3}, values[4];
    uint32_t offsets[] = {0, 3, 3, 6, 9};
    int64_t index[4];
    double workspace[64];
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(kz_reduce_open(*state, KZ_REDUCE_ARGMAX, KZ_F32, 9, NULL, &operation, &error), KZ_OK);
    assert_int_equal(kz_reduce_run_index(operation, NULL, at(in), at(values), at(index), at(workspace),
                                         sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(*state, &error), KZ_OK);
    kz_operation_close(operation);
    assert_true(values[0] == 7 && index[0] == 1);
    assert_int_equal(kz_reduce_axis_open(*state, KZ_REDUCE_ARGMIN, KZ_F32, 1, 3, 3, NULL, &operation, &error),
                     KZ_OK);
    assert_int_equal(kz_reduce_axis_run_index(operation, NULL, at(in), at(values), at(index), 0, 0, &error),
                     KZ_OK);
    assert_int_equal(kz_reduce_axis_run(operation, NULL, at(in), at(values), 0, 0, &error), KZ_INVALID);
    assert_int_equal(kz_device_synchronize(*state, &error), KZ_OK);
    kz_operation_close(operation);
    assert_true(values[0] == -1 && index[0] == 2 && values[2] == -3 && index[2] == 2);
    assert_int_equal(
        kz_reduce_segments_open(*state, KZ_REDUCE_ARGMAX, KZ_F32, 9, 4, NULL, &operation, &error), KZ_OK);
    assert_int_equal(kz_reduce_segments_run_index(operation, NULL, at(in), at(offsets), at(values), at(index),
                                                  0, 0, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(*state, &error), KZ_OK);
    kz_operation_close(operation);
    const int64_t expected[] = {1, -1, 0, 0};
    assert_memory_equal(index, expected, sizeof index);
    assert_true(values[0] == 7 && values[2] == 6 && values[3] == -1);
}

static void the_same_bits_can_be_asked_for(void **state) {
    kz_operation *reduce;
    kz_error error = {0};
    assert_int_equal(kz_reduce_open(*state, KZ_REDUCE_SUM, KZ_F32, 5, KZ_DETERMINISTIC, &reduce, &error),
                     KZ_OK);
    assert_string_equal(kz_operation_variant(reduce), "00_native");
    kz_operation_close(reduce);
}

static void what_cannot_be_is_an_error(void **state) {
    kz_operation *operation = (kz_operation *)1;
    kz_error error = {0};
    assert_int_equal(kz_saxpy_open(*state, KZ_F32, 3, 1.0f, "99_magic", &operation, &error), KZ_NOT_FOUND);
    assert_null(operation);
    assert_non_null(strstr(error.message, "kz info saxpy"));
    assert_int_equal(kz_saxpy_open(*state, KZ_F32, 3, 1.0f, "01_naive", &operation, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "cpu"));
    assert_int_equal(kz_saxpy_open(*state, KZ_F64, 3, 1.0f, NULL, &operation, &error), KZ_UNSUPPORTED);
    kz_case c = {.type = KZ_F32};
    operation = (kz_operation *)1;
    assert_int_equal(kz_operation_open(*state, "no_such", &c, NULL, &operation, &error), KZ_NOT_FOUND);
    assert_null(operation);
    assert_non_null(strstr(error.message, "kz list"));
    assert_int_equal(kz_operation_open_family(*state, NULL, &c, NULL, &operation, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "kz_family_find"));
    kz_operation_close(NULL);
}

static void expect_invalid(kz_device *device, const kz_family *family, kz_case c) {
    kz_operation *operation = (kz_operation *)1;
    kz_error error = {0};
    assert_int_equal(kz_operation_open(device, family->name, &c, NULL, &operation, &error), KZ_INVALID);
    assert_null(operation);
    assert_non_null(strstr(error.message, family->name));
    assert_non_null(strchr(error.message, '\n')); // what to do
}

static void nonsense_crashes_nobody(void **state) {
    size_t count;
    const kz_family *const *list = kz_family_list(&count);
    for (size_t f = 0; f < count; f++) {
        uint32_t operations = 0;
        while (list[f]->operations[operations]) operations++;
        const kz_case good = list[f]->cases[0];
        kz_case c = good;
        c.operation = operations;
        expect_invalid(*state, list[f], c);
        c.operation = UINT32_MAX;
        expect_invalid(*state, list[f], c);
        c = good;
        c.type = KZ_TYPE_COUNT;
        expect_invalid(*state, list[f], c);
        for (size_t i = 0; i < KZ_CASE_AXES && list[f]->axes[i]; i++) {
            c = good;
            c.axes[i] = -1;
            expect_invalid(*state, list[f], c);
        }
    }
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(kz_reduce_open(*state, (kz_reduce_operation)100000, KZ_F32, 5, NULL, &operation, &error),
                     KZ_INVALID);
}

static void a_refusal_says_why(void **state) {
    kz_operation *operation;
    kz_error error = {0};
    assert_int_equal(kz_reduce_open(*state, KZ_REDUCE_SUM, KZ_U8, 5, NULL, &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "u8"));
    assert_non_null(strstr(error.message, "kz info reduce"));
    // What most variants say, not what the last of them is too special for.
    kz_device *gpu;
    assert_int_equal(kz_device_open("sim:h200", &gpu, &error), KZ_OK);
    assert_int_equal(kz_histogram_even_open(gpu, KZ_F32, 5, 0, 0, 1, NULL, &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "1 to 65536 bins, not 0"));
    assert_int_equal(kz_histogram_even_open(gpu, KZ_F32, 5, 4, 0, 0.1, NULL, &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "the nearest one is 0.100000001"));
    assert_int_equal(kz_atomics_open(gpu, KZ_ATOMICS_APPEND, 5, 3, NULL, &operation, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "append has one queue: k is 1"));
    assert_int_equal(kz_reduce_open(gpu, KZ_REDUCE_MEAN, KZ_F32, 5, "01_atomic", &operation, &error),
                     KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "reduce/01_atomic: an atomic cell has no mean"));
    assert_non_null(strstr(error.message, "\n`kz info reduce` lists the others"));
    kz_device_close(gpu);
}

static void buffers_are_named(void **state) {
    kz_operation *reduce;
    kz_error error = {0};
    float in[5] = {1, 2, 3, 9, 0}, out;
    _Alignas(KZ_WORKSPACE_ALIGNMENT) double workspace[64];
    int64_t index;
    assert_int_equal(kz_reduce_open(*state, KZ_REDUCE_ARGMAX, KZ_F32, 5, NULL, &reduce, &error), KZ_OK);
    assert_int_equal(kz_reduce_run(reduce, NULL, at(in), at(&out), at(workspace), sizeof workspace, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "argmax takes 3 buffers (in, out, index), and 2 were given"));
    assert_non_null(strstr(error.message, "index is missing"));
    assert_int_equal(
        kz_reduce_run_index(reduce, NULL, at(in), 0, at(&index), at(workspace), sizeof workspace, &error),
        KZ_INVALID);
    assert_non_null(strstr(error.message, "out is 0"));
    assert_non_null(strstr(error.message, "\npass its address"));
    assert_int_equal(kz_reduce_run_index(reduce, NULL, at(in), at(&out), at(&index), at(workspace),
                                         sizeof workspace, &error),
                     KZ_OK);
    kz_operation_close(reduce);
}

// In any order, with others at 0 among them.
static void buffers_go_by_their_names(void **state) {
    kz_operation *reduce;
    kz_error error = {0};
    float in[5] = {1, 2, 3, 9, 0}, out = 0;
    _Alignas(KZ_WORKSPACE_ALIGNMENT) double workspace[64];
    int64_t index = -1;
    assert_int_equal(kz_reduce_open(*state, KZ_REDUCE_ARGMAX, KZ_F32, 5, NULL, &reduce, &error), KZ_OK);
    kz_named_buffer named[] = {{"index", at(&index)}, {"mask", 0}, {"out", at(&out)}, {"in", at(in)}};
    assert_int_equal(kz_operation_run_named(reduce, NULL, named, 4, at(workspace), sizeof workspace, &error),
                     KZ_OK);
    assert_int_equal(kz_device_synchronize(*state, &error), KZ_OK);
    assert_true(out == 9.0f && index == 3);
    assert_int_equal(kz_operation_run_named(reduce, NULL, named, 3, at(workspace), sizeof workspace, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "the buffer in is 0"));
    named[1].address = at(in);
    assert_int_equal(kz_operation_run_named(reduce, NULL, named, 4, at(workspace), sizeof workspace, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "argmax takes no mask as it was opened: it takes in, out, index"));
    named[1].name = NULL;
    assert_int_equal(kz_operation_run_named(reduce, NULL, named, 4, at(workspace), sizeof workspace, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "has an address and no name"));
    assert_int_equal(kz_operation_run_named(reduce, NULL, NULL, 4, 0, 0, &error), KZ_INVALID);
    assert_int_equal(kz_operation_run_named(NULL, NULL, named, 4, 0, 0, &error), KZ_INVALID);
    kz_operation_close(reduce);
}

static void nothing_is_invalid(void **state) {
    kz_operation *operation;
    kz_error error = {0};
    unsigned order[2] = {1, 0};
    size_t axes[2] = {2, 3};
    assert_int_equal(kz_saxpy_open(NULL, KZ_F32, 3, 1.0f, NULL, &operation, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "device is NULL"));
    assert_int_equal(kz_scan_open(*state, KZ_SCAN_SUM, (kz_scan_kind)7, KZ_F32, 3, NULL, &operation, &error),
                     KZ_INVALID);
    assert_int_equal(
        kz_scan_open(*state, KZ_SCAN_FUNCTIONS, KZ_SCAN_INCLUSIVE, KZ_F32, 3, NULL, &operation, &error),
        KZ_INVALID);
    assert_int_equal(kz_permute_open(*state, KZ_F32, 2, NULL, order, NULL, &operation, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "axes is NULL"));
    assert_int_equal(kz_permute_open(*state, KZ_F32, 2, axes, NULL, NULL, &operation, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "order is NULL"));
    assert_int_equal(kz_saxpy_open(*state, KZ_F32, 3, 1.0f, NULL, NULL, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "place for the result is NULL"));
    assert_int_equal(kz_reduce_axis_open(*state, KZ_REDUCE_SUM, KZ_F32, (size_t)1 << 40, (size_t)1 << 40, 1,
                                         NULL, &operation, &error),
                     KZ_INVALID);
    assert_non_null(strstr(error.message, "more than any memory has\n"));
    axes[0] = axes[1] = (size_t)1 << 40;
    assert_int_equal(kz_permute_open(*state, KZ_F32, 2, axes, order, NULL, &operation, &error), KZ_INVALID);
    assert_int_equal(kz_saxpy_run(NULL, NULL, 1, 1, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "operation is NULL"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(saxpy_takes_its_a, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(reduce_uses_the_callers_workspace, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(one_enum_for_all_that_fold, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(indices_of_all_that_fold, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(the_same_bits_can_be_asked_for, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(what_cannot_be_is_an_error, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(a_refusal_says_why, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(buffers_are_named, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(buffers_go_by_their_names, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(nothing_is_invalid, open_cpu, close_cpu),
        cmocka_unit_test_setup_teardown(nonsense_crashes_nobody, open_cpu, close_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

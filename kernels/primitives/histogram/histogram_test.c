// histogram: the definition of the bins by hand, the inputs, and what is refused.
#include <math.h>
#include <stdlib.h>

#include "histogram.h"
#include "kz/family.h"
#include "unit.h"

enum { IN, OUT, LEVELS };

// On the cpu an address is a host address.
static kz_ptr at(const void *memory) { return (kz_ptr)(uintptr_t)memory; }

static int64_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The counts of `values`; bins at most 16.
static void count(kz_case c, const double *values, const void *levels, double counts[16]) {
    double bound[16];
    void *in = malloc((size_t)c.axes[0] * 4 + 4);
    for (int64_t i = 0; i < c.axes[0]; i++) kz_element_set(c.type, in, (uint64_t)i, values[i]);
    void *host[] = {in, NULL, (void *)levels};
    assert_int_equal(kz_family_find("histogram")->reference(&c, host, OUT, counts, bound, NULL), KZ_OK);
    for (int64_t b = 0; b < c.axes[1]; b++) assert_true(bound[b] == 0.0);
    free(in);
}

static void expect(const double *counts, const double *expected, size_t bins) {
    for (size_t b = 0; b < bins; b++) assert_true(counts[b] == expected[b]);
}

static void even_bins_of_floats(void **state) {
    double counts[16];
    kz_case c = {.operation = KZ_HISTOGRAM_EVEN, .type = KZ_F32, .axes = {8, 4, bits_of(-1), bits_of(1)}};
    // The lower limit is in, the upper is out, and so are NaN and what lies outside.
    count(c, (double[]){-1, -0.5, -0.5 - 0x1p-24, 0, 1 - 0x1p-24, 1, NAN, -INFINITY}, NULL, counts);
    expect(counts, (double[]){2, 1, 1, 1}, 4);
    // By the definition -1e-30 is in bin 2, for -1e-30 + 1 is 1 in double; 2^-30 below 0 is still in bin 1.
    c.axes[0] = 2;
    count(c, (double[]){-1e-30, -0x1p-30}, NULL, counts);
    expect(counts, (double[]){0, 1, 1, 0}, 4);
    // Tenths: 0.3f is above 3/10, 0.7f below 7/10.
    c = (kz_case){.type = KZ_F32, .axes = {3, 10, 0, bits_of(1)}};
    count(c, (double[]){0.1f, 0.3f, 0.7f}, NULL, counts);
    expect(counts, (double[]){0, 1, 0, 1, 0, 0, 1, 0, 0, 0}, 10);
}

static void even_bins_of_integers(void **state) {
    double counts[16];
    kz_case c = {.type = KZ_U8, .axes = {6, 3, 10, 20}}; // boundaries at 10, 13 1/3, 16 2/3, 20
    count(c, (double[]){9, 10, 13, 14, 17, 20}, NULL, counts);
    expect(counts, (double[]){2, 1, 1}, 3);
    c = (kz_case){.type = KZ_U32, .axes = {3, 2, 0, 1LL << 32}};
    count(c, (double[]){UINT32_MAX, 0x1p31, 0x1p31 - 1}, NULL, counts);
    expect(counts, (double[]){1, 2}, 2);
}

static void bins_between_levels(void **state) {
    double counts[16];
    kz_case c = {.operation = KZ_HISTOGRAM_RANGE, .type = KZ_F32, .axes = {7, 4}};
    const float levels[] = {-1, 0, 0, 2.5f, 3}; // the second bin is empty
    count(c, (double[]){-1, -0.0, 2.5f, 3, -1.5, NAN, 2}, levels, counts);
    expect(counts, (double[]){1, 0, 2, 1}, 4);
    const uint32_t whole[] = {3, 256};
    c = (kz_case){.operation = KZ_HISTOGRAM_RANGE, .type = KZ_U8, .axes = {4, 1}};
    count(c, (double[]){2, 3, 4, 255}, whole, counts);
    expect(counts, (double[]){3}, 1);
}

// Any part of an input is what the whole has there, and levels ascend.
static void inputs_come_in_parts(void **state) {
    const kz_family *family = kz_family_find("histogram");
    const kz_type types[] = {KZ_F32, KZ_U8, KZ_U16, KZ_U32};
    for (size_t t = 0; t < 4; t++) {
        kz_case c = {.operation = KZ_HISTOGRAM_RANGE, .type = types[t], .axes = {100, 33, 0, 200}};
        if (types[t] == KZ_F32) c.axes[3] = bits_of(200);
        uint8_t all[400], part[400];
        for (c.data = 0; c.data < KZ_DATA_COUNT; c.data++) {
            if (!family->fill(&c, IN, 7, 0, 100, all)) continue;
            size_t size = kz_type_size(c.type);
            for (uint64_t first = 0; first < 100; first += 9) {
                uint64_t length = first + 9 > 100 ? 100 - first : 9;
                assert_true(family->fill(&c, IN, 7, first, length, part));
                assert_memory_equal(part, all + first * size, length * size);
            }
        }
        c.data = KZ_DATA_UNIFORM;
        assert_true(family->fill(&c, LEVELS, 7, 0, 34, all));
        kz_type level = types[t] == KZ_F32 ? KZ_F32 : KZ_U32;
        for (uint64_t k = 0; k < 33; k++)
            assert_true(kz_element_get(level, all, k) <= kz_element_get(level, all, k + 1));
        assert_true(kz_element_get(level, all, 0) == 0 && kz_element_get(level, all, 33) == 200);
    }
}

static void what_makes_no_sense_is_refused(void **state) {
    const kz_variant *variant = kz_variant_find(kz_family_find("histogram"), "05_vector");
    const kz_device_info device = {.kind = KZ_DEVICE_SIM, .sm = 90, .multiprocessors = 132};
    const kz_case wrong[] = {
        {.type = KZ_F32, .axes = {1, 0, 0, bits_of(1)}},                   // no bins
        {.type = KZ_F32, .axes = {1, 65537, 0, bits_of(1)}},               // too many
        {.type = KZ_F32, .axes = {1, 1, bits_of(1), bits_of(1)}},          // nothing between the limits
        {.type = KZ_F32, .axes = {1, 1, 0, bits_of(INFINITY)}},            // no even bins there
        {.type = KZ_F32, .axes = {1, 1, bits_of(NAN), bits_of(1)}},        // nor there
        {.type = KZ_U8, .axes = {1, 1, 0, 257}},                           // no such values
        {.type = KZ_F64, .axes = {1, 1, 0, 1}},                            // no such type
        {.operation = KZ_HISTOGRAM_COUNT, .type = KZ_F32, .axes = {1, 1}}, // no such operation
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kz_plan plan = {0};
        kz_error error = {0};
        assert_int_equal(
            kz_variant_plan(kz_family_find("histogram"), variant, &wrong[i], &device, &plan, &error),
            KZ_UNSUPPORTED);
        assert_true(error.message[0] != 0);
    }
}

// Every variant that takes a case plans it past 2^31 elements too, with no more blocks than a grid has.
static void past_two_billion(void **state) {
    const kz_family *family = kz_family_find("histogram");
    const kz_device_info device = {.kind = KZ_DEVICE_SIM,
                                   .sm = 90,
                                   .multiprocessors = 132,
                                   .max_threads_per_multiprocessor = 2048,
                                   .max_blocks_per_multiprocessor = 32,
                                   .shared_per_block = 49152,
                                   .shared_per_block_optin = 232448,
                                   .shared_per_multiprocessor = 233472};
    for (size_t v = 1; v < family->variant_count; v++)
        for (uint32_t operation = 0; operation < KZ_HISTOGRAM_COUNT; operation++) {
            kz_case c = {.operation = operation, .type = KZ_U8, .axes = {1000, 256, 0, 256}};
            kz_plan small = {0}, large = {0};
            kz_error error = {0};
            kz_status status = kz_variant_plan(family, &family->variants[v], &c, &device, &small, &error);
            c.axes[0] = ((int64_t)1 << 33) + 5;
            assert_int_equal(kz_variant_plan(family, &family->variants[v], &c, &device, &large, &error),
                             status);
            assert_int_equal(large.step_count, small.step_count);
        }
}

enum { MANY = 259, MOST_BINS = 65536 };

// Counts of in[first] to in[MANY - 1] by the interface, against those by the definition that histogram.h states.
static void count_all(kz_device *device, kz_type type, bool range, size_t bins, size_t first, kz_ptr memory,
                      const double *values, double lower, double upper, const double *levels) {
    kz_error error = {0};
    kz_operation *operation;
    size_t n = MANY - first;
    char *in = (char *)(uintptr_t)memory + first * kz_type_size(type);
    uint32_t *counts = (uint32_t *)(uintptr_t)memory + 4 * MANY, *wanted = calloc(bins, sizeof *wanted);
    void *d_levels = counts + MOST_BINS, *workspace = (char *)(uintptr_t)memory + (1 << 23);
    for (size_t k = 0; range && k <= bins; k++)
        kz_element_set(type == KZ_F32 ? KZ_F32 : KZ_U32, d_levels, k, levels[k]);
    for (size_t i = first; i < MANY; i++) {
        double x = values[i];
        kz_element_set(type, in, i - first, x);
        for (size_t k = 0; range && k < bins; k++) wanted[k] += x >= levels[k] && x < levels[k + 1];
        if (!range && x >= lower && x < upper)
            wanted[(size_t)((x - lower) * ((double)bins / (upper - lower)))]++;
    }
    kz_status status =
        range ? kz_histogram_range_open(device, type, n, bins, NULL, &operation, &error)
              : kz_histogram_even_open(device, type, n, bins, lower, upper, NULL, &operation, &error);
    assert_int_equal(status, KZ_OK);
    uint64_t bytes = kz_operation_workspace(operation);
    assert_true(bytes <= (1 << 23));
    status = range ? kz_histogram_range_run(operation, NULL, at(in), at(d_levels), at(counts), at(workspace),
                                            bytes, &error)
                   : kz_histogram_even_run(operation, NULL, at(in), at(counts), at(workspace), bytes, &error);
    assert_int_equal(status, KZ_OK);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_memory_equal(counts, wanted, bins * sizeof *wanted);
    kz_operation_close(operation);
    free(wanted);
}

// Every type, both kinds of bins, through the interface: one bin, few, 65536; values on the bins' boundaries, outside
// and NaN; no element at all; an address that is no multiple of 16. Powers of two, so that all is exact here too.
static void every_type(void **state) {
    const kz_type types[] = {KZ_U8, KZ_U16, KZ_U32, KZ_F32};
    const size_t bin_counts[] = {1, 4, MOST_BINS}, firsts[] = {0, 1, MANY};
    kz_device *device;
    kz_error error = {0};
    kz_ptr memory;
    assert_int_equal(kz_device_open("cpu", &device, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, 1 << 24, &memory, &error), KZ_OK);
    double *values = malloc(MANY * sizeof *values), *levels = malloc((MOST_BINS + 1) * sizeof *levels);
    for (size_t t = 0; t < 4; t++)
        for (size_t b = 0; b < 3; b++)
            for (size_t f = 0; f < 3; f++) {
                size_t bins = bin_counts[b];
                double end = (double)(UINT64_C(1) << 8 * (types[t] == KZ_F32 ? 2 : kz_type_size(types[t])));
                double lower = end / 4,
                       upper = end / 2 + lower; // of 0 to end - 1, a quarter on each side is outside
                for (size_t i = 0; i < MANY; i++) values[i] = floor((double)i / MANY * end);
                values[MANY - 1] = upper, values[MANY - 2] = lower, values[MANY - 3] = upper - 1;
                if (types[t] == KZ_F32)
                    values[5] = NAN, values[6] = INFINITY, values[7] = -INFINITY, values[8] = -0.0;
                for (size_t k = 0; k <= bins; k++) {
                    double square = (double)k / (double)bins * ((double)k / (double)bins);
                    levels[k] = lower + floor(square * (upper - lower));
                }
                count_all(device, types[t], false, bins, firsts[f], memory, values, lower, upper, NULL);
                count_all(device, types[t], true, bins, firsts[f], memory, values, lower, upper, levels);
            }
    free(values);
    free(levels);
    kz_memory_free(device, memory, &error);
    kz_device_close(device);
}

// The public operation, on the simulator: limits in double, levels on the device.
static void the_operation_counts(void **state) {
    kz_error error = {0};
    kz_device *device;
    assert_int_equal(kz_device_open("sim", &device, &error), KZ_OK);
    const float in[] = {0.05f, 0.25f, 0.95f, 2.0f, 0.3f}, levels[] = {0, 0.3f, 4};
    uint32_t counts[10];
    kz_ptr d_in, d_levels, d_counts;
    assert_int_equal(kz_memory_alloc(device, sizeof in, &d_in, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof levels, &d_levels, &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, sizeof counts, &d_counts, &error), KZ_OK);
    kz_copy_to_device(device, NULL, d_in, in, sizeof in, &error);
    kz_copy_to_device(device, NULL, d_levels, levels, sizeof levels, &error);

    kz_operation *operation;
    assert_int_equal(kz_histogram_even_open(device, KZ_F32, 5, 10, 0.0, 0.1, NULL, &operation, &error),
                     KZ_UNSUPPORTED); // 0.1 is no float
    assert_non_null(strstr(error.message, "0.1"));
    assert_int_equal(kz_histogram_even_open(device, KZ_F32, 5, 10, 0.0, 1.0, NULL, &operation, &error),
                     KZ_OK);
    assert_int_equal(kz_histogram_even_run(operation, NULL, d_in, d_counts, 0, 0, &error), KZ_OK);
    kz_copy_to_host(device, NULL, counts, d_counts, sizeof counts, &error);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    const uint32_t even[] = {1, 0, 1, 1, 0, 0, 0, 0, 0, 1};
    assert_memory_equal(counts, even, sizeof even);
    kz_operation_close(operation);

    assert_int_equal(kz_histogram_range_open(device, KZ_F32, 5, 2, NULL, &operation, &error), KZ_OK);
    assert_int_equal(kz_histogram_range_run(operation, NULL, d_in, d_levels, d_counts, 0, 0, &error), KZ_OK);
    kz_copy_to_host(device, NULL, counts, d_counts, 2 * sizeof counts[0], &error);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    assert_true(counts[0] == 2 && counts[1] == 3);
    kz_operation_close(operation);
    kz_memory_free(device, d_in, &error);
    kz_memory_free(device, d_levels, &error);
    kz_memory_free(device, d_counts, &error);
    kz_device_close(device);
}

// 07's counters have 16 bits. One block counts so many in both halves of a word that each would overflow twice, were
// it not carried off in time.
static void packed_counters_are_carried_off(void **state) {
    enum { EACH = 150000, BINS = 65536, VALUE = 20000 };
    kz_error error = {0};
    kz_device *device;
    assert_int_equal(kz_device_open("sim:h200", &device, &error), KZ_OK);
    kz_device_info one = *kz_device_get_info(device);
    one.multiprocessors = 1;
    const kz_family *family = kz_family_find("histogram");
    const kz_variant *packed = kz_variant_find(family, "07_packed_counters");
    kz_case c = {.operation = KZ_HISTOGRAM_EVEN, .type = KZ_U16, .axes = {2 * EACH, BINS, 0, 65536}};
    kz_plan plan;
    kz_image image;
    kz_module *module;
    assert_int_equal(kz_variant_plan(family, packed, &c, &one, &plan, &error), KZ_OK);
    assert_int_equal(kz_variant_image(family, packed, &image, &error), KZ_OK);
    assert_int_equal(kz_module_load(device, &image, &module, &error), KZ_OK);

    uint16_t *in = malloc(2 * EACH * sizeof *in);
    uint32_t *counts = malloc(BINS * sizeof *counts);
    for (size_t i = 0; i < 2 * EACH; i++)
        in[i] = (uint16_t)(VALUE + i % 64 / 32); // a warp's lanes in one bin
    kz_ptr buffers[2];
    assert_int_equal(kz_memory_alloc(device, 2 * EACH * sizeof *in, &buffers[0], &error), KZ_OK);
    assert_int_equal(kz_memory_alloc(device, BINS * sizeof *counts, &buffers[1], &error), KZ_OK);
    kz_copy_to_device(device, NULL, buffers[0], in, 2 * EACH * sizeof *in, &error);
    assert_int_equal(kz_plan_run(device, NULL, module, &plan, buffers, 2, 0, &error), KZ_OK);
    kz_copy_to_host(device, NULL, counts, buffers[1], BINS * sizeof *counts, &error);
    assert_int_equal(kz_device_synchronize(device, &error), KZ_OK);
    for (size_t b = 0; b < BINS; b++) {
        size_t expected = 0;
        for (size_t i = 0; (b == VALUE || b == VALUE + 1) && i < 2 * EACH; i++) expected += in[i] == b;
        assert_int_equal(counts[b], expected);
    }
    free(in);
    free(counts);
    kz_memory_free(device, buffers[0], &error);
    kz_memory_free(device, buffers[1], &error);
    kz_module_close(module);
    kz_device_close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(even_bins_of_floats),
        cmocka_unit_test(even_bins_of_integers),
        cmocka_unit_test(bins_between_levels),
        cmocka_unit_test(inputs_come_in_parts),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(past_two_billion),
        cmocka_unit_test(every_type),
        cmocka_unit_test(the_operation_counts),
        cmocka_unit_test(packed_counters_are_carried_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

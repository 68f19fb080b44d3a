// The peak that limits a case: memory below the ridge, the cores of its type above.
#include "bench/limit.h"

#include <math.h>

#include "unit.h"

static void set(bench_peaks *peaks, bench_peak_name name, double value, bool measured) {
    peaks->of[name] = (bench_known_peak){.value = value, .measured = measured, .origin = "made up"};
}

// 4 TB/s copied and 5 read, 60 and 30 TFLOP/s: ridges at 12 and 6 flops per byte.
static bench_peaks make(void) {
    bench_peaks peaks = {0};
    set(&peaks, BENCH_PEAK_dram_copy, 4e12, true);
    set(&peaks, BENCH_PEAK_dram_read, 5e12, true);
    set(&peaks, BENCH_PEAK_dram_write, 6e12, false); // nominal: what was measured goes before it
    set(&peaks, BENCH_PEAK_fma_f32, 60e12, true);
    set(&peaks, BENCH_PEAK_fma_f64, 30e12, true);
    return peaks;
}

static void intensity_decides(void **state) {
    const bench_peaks peaks = make();
    const kz_work work = {.bytes = 1e9, .flops = 8e9};
    bench_limit r = bench_limit_of(&peaks, &work, KZ_F32);
    assert_float_equal(r.intensity, 8, 1e-12);
    assert_float_equal(r.ridge, 12, 1e-12);
    assert_string_equal(r.name, "dram_read");
    assert_false(r.computes);
    assert_float_equal(bench_of_peak(&r, &work, 4e-4), 0.5, 1e-12); // 2.5 of 5 TB/s
    r = bench_limit_of(&peaks, &work, KZ_F64);
    assert_float_equal(r.ridge, 6, 1e-12);
    assert_string_equal(r.name, "fma_f64");
    assert_true(r.computes);
    assert_float_equal(bench_of_peak(&r, &work, 4e-4), 2.0 / 3, 1e-12); // 20 of 30 TFLOP/s
}

static void products_of_half_precision_are_the_tensor_cores(void **state) {
    bench_peaks peaks = make();
    set(&peaks, BENCH_PEAK_fma_f16, 120e12, true);
    set(&peaks, BENCH_PEAK_tensor_f16, 1000e12, false);
    const kz_work sum = {.bytes = 1e9, .flops = 1e12},
                  product = {.bytes = 1e9, .flops = 1e12, .products = KZ_PRODUCTS_OF_TYPE};
    assert_string_equal(bench_limit_of(&peaks, &sum, KZ_F16).name, "fma_f16");
    assert_string_equal(bench_limit_of(&peaks, &product, KZ_F16).name, "tensor_f16");
    assert_string_equal(bench_limit_of(&peaks, &product, KZ_BF16).name, "tensor_f16");
    assert_string_equal(bench_limit_of(&peaks, &product, KZ_F32).name, "fma_f32"); // no TF32
}

static void products_of_other_types_say_which(void **state) {
    bench_peaks peaks = make();
    set(&peaks, BENCH_PEAK_tensor_tf32, 500e12, false);
    set(&peaks, BENCH_PEAK_tensor_f8, 2000e12, false);
    set(&peaks, BENCH_PEAK_tensor_i8, 2000e12, false);
    kz_work work = {.bytes = 1e9, .flops = 1e12, .products = KZ_PRODUCTS_TF32};
    assert_string_equal(bench_limit_of(&peaks, &work, KZ_F32).name, "tensor_tf32");
    work.products = KZ_PRODUCTS_F8;
    assert_string_equal(bench_limit_of(&peaks, &work, KZ_BF16).name, "tensor_f8");
    work.products = KZ_PRODUCTS_I8;
    assert_string_equal(bench_limit_of(&peaks, &work, KZ_I32).name, "tensor_i8");
    work.products = KZ_PRODUCTS_F64; // a GPU whose tensor cores have no doubles
    assert_string_equal(bench_limit_of(&peaks, &work, KZ_F64).name, "dram_read");
}

static void what_has_no_compute_peak_is_limited_by_memory(void **state) {
    const bench_peaks peaks = make();
    const kz_work work = {.bytes = 1e9, .flops = 1e12};
    bench_limit r = bench_limit_of(&peaks, &work, KZ_I32);
    assert_string_equal(r.name, "dram_read");
    assert_true(isnan(r.ridge));
}

static void the_nominal_peak_serves_where_none_was_measured(void **state) {
    bench_peaks peaks = {0};
    set(&peaks, BENCH_PEAK_dram_copy, 4.8e12, false);
    const kz_work work = {.bytes = 4.8e9};
    bench_limit r = bench_limit_of(&peaks, &work, KZ_F32);
    assert_string_equal(r.name, "dram_copy");
    assert_float_equal(r.intensity, 0, 0);
    assert_float_equal(bench_of_peak(&r, &work, 2e-3), 0.5, 1e-12);
}

static void nothing_known_is_nothing_said(void **state) {
    const kz_work work = {.bytes = 1e9, .flops = 1e9}, none = {.bytes = 0};
    const bench_peaks peaks = make(), empty = {0};
    bench_limit r = bench_limit_of(NULL, &work, KZ_F32);
    assert_float_equal(r.intensity, 1, 0);
    assert_string_equal(r.name, "");
    assert_true(isnan(bench_of_peak(&r, &work, 1e-3)));
    r = bench_limit_of(&empty, &work, KZ_F32);
    assert_string_equal(r.name, "");
    r = bench_limit_of(&peaks, &none, KZ_F32);
    assert_true(isnan(r.intensity) && isnan(bench_of_peak(&r, &none, 1e-3)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intensity_decides),
        cmocka_unit_test(products_of_half_precision_are_the_tensor_cores),
        cmocka_unit_test(products_of_other_types_say_which),
        cmocka_unit_test(what_has_no_compute_peak_is_limited_by_memory),
        cmocka_unit_test(the_nominal_peak_serves_where_none_was_measured),
        cmocka_unit_test(nothing_known_is_nothing_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

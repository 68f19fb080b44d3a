// NVML: absent leaves everything unknown; present (an NVML of our own, tests/fake_nvml.c) its figures arrive
// in SI units, and what it cannot say stays unknown.
#include "bench/health.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

static void without_nvml_nothing_is_known(void **state) {
    (void)state;
    setenv("KZ_LIBNVML", "/nowhere/libnvidia-ml.so", 1);
    assert_null(bench_monitor_open("cuda:0", "NVIDIA H200"));
    bench_health h = bench_monitor_read(NULL);
    assert_false(h.known);
    assert_true(isnan(h.sm_hz) && isnan(h.power_w) && isnan(h.energy_j) && h.throttle_reasons == -1);
    assert_int_equal(h.processes, -1);
    assert_null(bench_monitor_driver(NULL));
    assert_null(bench_monitor_uuid(NULL));
    assert_int_equal(bench_monitor_others(NULL), -1);
    bench_monitor_close(NULL);
}

static void figures_come_in_si_units(void **state) {
    (void)state;
    setenv("KZ_LIBNVML", FAKE_NVML, 1);
    bench_monitor *m = bench_monitor_open("cuda:0", "NVIDIA H200");
    assert_non_null(m);
    bench_health h = bench_monitor_read(m);
    assert_true(h.known);
    assert_float_equal(h.sm_hz, 1980e6, 1);
    assert_float_equal(h.memory_hz, 3201e6, 1);
    assert_float_equal(h.power_w, 412.5, 1e-9);
    assert_true(isnan(h.temperature_c)); // the fake fails there
    assert_true(isnan(h.power_limit_w)); // and has no such function
    assert_int_equal(h.throttle_reasons, 0x24);
    assert_int_equal(h.processes, 2);
    assert_float_equal(bench_monitor_read(m).energy_j - h.energy_j, 0.75, 1e-9);
    assert_string_equal(bench_monitor_driver(m), "580.1");
    assert_string_equal(bench_monitor_uuid(m), "GPU-1");
    assert_int_equal(bench_monitor_others(m), 1); // of two processes one is this one
    bench_monitor_close(m);
}

static void power_is_energy_by_time(void **state) {
    (void)state;
    const bench_health before = {.known = true, .time = 10, .energy_j = 1000};
    bench_health after = {.known = true, .time = 12, .energy_j = 2300};
    assert_float_equal(bench_mean_power(&before, &after), 650, 1e-9);
    after.energy_j = NAN;
    assert_true(isnan(bench_mean_power(&before, &after)));
    assert_true(isnan(bench_mean_power(&before, &before))); // no time has passed
    after = bench_monitor_read(NULL);
    assert_true(isnan(bench_mean_power(&before, &after)));
}

static void another_device_is_not_taken_for_this_one(void **state) {
    (void)state;
    setenv("KZ_LIBNVML", FAKE_NVML, 1);
    assert_null(bench_monitor_open("cuda:0", "NVIDIA A100"));
    assert_null(bench_monitor_open("sim:h200", "simulated NVIDIA H200"));
}

static void throttling_is_put_into_words(void **state) {
    (void)state;
    char text[80];
    bench_throttle_text(0x24, text, sizeof text);
    assert_string_equal(text, "power cap, thermal");
    bench_throttle_text(0x1, text, sizeof text); // idle is no throttling
    assert_string_equal(text, "");
    bench_throttle_text(-1, text, sizeof text);
    assert_string_equal(text, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_nvml_nothing_is_known),
        cmocka_unit_test(figures_come_in_si_units),
        cmocka_unit_test(power_is_energy_by_time),
        cmocka_unit_test(another_device_is_not_taken_for_this_one),
        cmocka_unit_test(throttling_is_put_into_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

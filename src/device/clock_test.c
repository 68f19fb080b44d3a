// The model of time: which operations run side by side and which wait, and when.

#include <math.h>

#include "device/clock.h"
#include "unit.h"

static int set_up(void **state) { return device_clock_open(1, (device_clock **)state, NULL); }
static int set_up_shared(void **state) { return device_clock_open(0.5, (device_clock **)state, NULL); }
static int tear_down(void **state) {
    device_clock_close(*state);
    return 0;
}

static device_moment add(device_clock *c, device_engine engine, double seconds, device_moment after) {
    return device_clock_add(c,
                            &(device_task){.engine = engine, .seconds = seconds, .share = 1, .after = after});
}
static device_moment up(device_clock *c, double seconds, device_moment after) {
    return add(c, DEVICE_ENGINE_TO_DEVICE, seconds, after);
}
static device_moment down(device_clock *c, double seconds, device_moment after) {
    return add(c, DEVICE_ENGINE_TO_HOST, seconds, after);
}
static device_moment kernel(device_clock *c, double seconds, device_moment after) {
    return add(c, DEVICE_ENGINE_COMPUTE, seconds, after);
}

static void expect_span(device_clock *c, device_moment moment, double start, double end) {
    double from, to;
    device_clock_span(c, moment, &from, &to);
    if (fabs(from - start) > 1e-9 || fabs(to - end) > 1e-9)
        fail_msg("from %g to %g, not from %g to %g", from, to, start, end);
}

static void copies_in_one_direction_take_turns(void **state) {
    device_clock *c = *state;
    device_moment a = up(c, 3, 0), b = up(c, 2, 0);
    expect_span(c, a, 0, 3);
    expect_span(c, b, 3, 5);
}

static void copies_in_opposite_directions_overlap(void **state) {
    device_clock *c = *state;
    device_moment a = up(c, 3, 0), b = down(c, 2, 0), k = kernel(c, 4, 0);
    expect_span(c, a, 0, 3);
    expect_span(c, b, 0, 2);
    expect_span(c, k, 0, 4);
}

static void the_bus_is_shared(void **state) {
    device_clock *c = *state;
    device_moment a = up(c, 4, 0), b = down(c, 1, kernel(c, 2, 0)), last = down(c, 1, b);
    expect_span(c, a, 0, 4);           // it began first
    expect_span(c, b, 2, 4);           // half the rate, as long as the other goes on
    expect_span(c, last, 4, 5);        // alone
    device_moment k = kernel(c, 9, 0); // a kernel takes nothing from the bus
    expect_span(c, k, 2, 11);
}

static void a_stream_is_in_order(void **state) {
    device_clock *c = *state;
    device_moment a = up(c, 3, 0), k = kernel(c, 2, a), b = down(c, 1, k);
    expect_span(c, k, 3, 5);
    expect_span(c, b, 5, 6);
}

static void two_streams_make_a_pipeline(void **state) {
    device_clock *c = *state;
    device_moment last = 0;
    for (int chunk = 0; chunk < 4; chunk++) last = down(c, 2, kernel(c, 2, up(c, 2, 0)));
    expect_span(c, last, 10, 12); // 4 chunks of 2, and 2 stages to fill it
}

// A later operation that is ready takes the engine before an earlier one that still waits.
static void whoever_is_ready_goes_first(void **state) {
    device_clock *c = *state;
    device_moment copy = up(c, 5, 0), waits = kernel(c, 1, copy), ready = kernel(c, 8, 0);
    expect_span(c, ready, 0, 8);
    expect_span(c, waits, 8, 9);
}

static void an_event_orders_two_streams(void **state) {
    device_clock *c = *state;
    device_moment a = up(c, 3, 0), b = down(c, 7, 0);
    device_moment both = device_clock_join(c, a, b), k = kernel(c, 1, both);
    expect_span(c, k, 7, 8);
    assert_int_equal(device_clock_join(c, a, b), b); // known by now: the later one
    assert_int_equal(device_clock_join(c, 0, a), a);
}

static void the_host_waits_for_a_blocking_copy(void **state) {
    device_clock *c = *state;
    device_task copy = {.engine = DEVICE_ENGINE_TO_DEVICE, .seconds = 3, .share = 1, .blocking = true};
    device_moment k = kernel(c, 10, 0), a = device_clock_add(c, &copy);
    assert_true(device_clock_now(c) == 3);
    device_moment b = down(c, 1, 0); // could have run from the start, had the host asked for it
    expect_span(c, a, 0, 3);
    expect_span(c, b, 3, 4);
    device_clock_wait(c, k);
    assert_true(device_clock_now(c) == 10);
}

static void issuing_takes_the_host_time(void **state) {
    device_clock *c = *state;
    for (int i = 0; i < 3; i++) {
        device_clock_issue(c, 2);
        device_moment m = add(c, (device_engine)i, 1, 0);
        expect_span(c, m, 2 * (i + 1), 2 * (i + 1) + 1);
    }
    device_clock_wait_all(c);
    assert_true(device_clock_now(c) == 7);
}

// cudaEventElapsedTime: an event in an idle stream has the time of its call, in a busy one that of the work before.
static void events_have_times(void **state) {
    device_clock *c = *state;
    device_clock_issue(c, 5);
    device_moment start = device_clock_mark(c, 0), k = kernel(c, 3, start), stop = device_clock_mark(c, k);
    expect_span(c, start, 5, 5);
    expect_span(c, stop, 8, 8);
}

static void small_kernels_share_the_gpu(void **state) {
    device_clock *c = *state;
    device_task small = {.engine = DEVICE_ENGINE_COMPUTE, .seconds = 4, .share = 0.4};
    device_moment a = device_clock_add(c, &small), b = device_clock_add(c, &small);
    device_moment third = device_clock_add(c, &small), full = kernel(c, 1, 0);
    expect_span(c, a, 0, 4);
    expect_span(c, b, 0, 4);
    expect_span(c, third, 4, 8);
    expect_span(c, full, 8, 9);
}

static void a_full_queue_holds_the_host(void **state) {
    device_clock *c = *state;
    device_moment last = 0;
    for (int i = 0; i < 3000; i++) last = kernel(c, 1, last);
    assert_true(device_clock_now(c) > 1000 && device_clock_now(c) < 2100);
    device_clock_wait_all(c);
    assert_true(device_clock_now(c) == 3000);
}

static void pageable_memory_is_slower(void **state) {
    device_gpu gpu;
    assert_int_equal(device_gpu_load("h200", &gpu, NULL), KZ_OK);
    const uint64_t bytes = 64 << 20;
    double pinned = device_copy_seconds(&gpu, DEVICE_ENGINE_TO_DEVICE, false, bytes);
    double pageable = device_copy_seconds(&gpu, DEVICE_ENGINE_TO_DEVICE, true, bytes);
    double inside = device_copy_seconds(&gpu, DEVICE_ENGINE_COMPUTE, false, bytes);
    assert_true(device_copy_seconds(&gpu, DEVICE_ENGINE_TO_HOST, false, bytes) == pinned);
    assert_true(device_copy_seconds(&gpu, DEVICE_ENGINE_TO_HOST, true, bytes) > 2 * pinned);
    assert_true((double)bytes / pinned < gpu.bus && (double)bytes / pinned > 0.7 * gpu.bus);
    assert_true(pageable > 2 * pinned && inside < pinned / 10);
    assert_true(device_fill_seconds(&gpu, bytes) < inside);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define TIMED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        TIMED(copies_in_one_direction_take_turns),
        TIMED(copies_in_opposite_directions_overlap),
        cmocka_unit_test_setup_teardown(the_bus_is_shared, set_up_shared, tear_down),
        TIMED(a_stream_is_in_order),
        TIMED(two_streams_make_a_pipeline),
        TIMED(whoever_is_ready_goes_first),
        TIMED(an_event_orders_two_streams),
        TIMED(the_host_waits_for_a_blocking_copy),
        TIMED(issuing_takes_the_host_time),
        TIMED(events_have_times),
        TIMED(small_kernels_share_the_gpu),
        TIMED(a_full_queue_holds_the_host),
        cmocka_unit_test(pageable_memory_is_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

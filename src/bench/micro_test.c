// The microbenchmarks on the simulator: every kernel leaves what it should, and counts what the hardware would see.
// Records, lists and peaks; and a GPU that is not there (tests/fake_cuda), some of whose kernels do nothing.
#include "bench/micro.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "bench/micro_record.h"
#include "bench/peaks.h"
#include "device/device.h"
#include "observe/observe.h"
#include "unit.h"

enum { POINTS = 400 };
typedef struct points {
    bench_micro_point *items;
    size_t count;
    size_t stop_after; // 0: never
} points;

static kz_status take(const bench_micro_point *point, void *context, kz_error *error) {
    points *p = context;
    assert_true(p->count < POINTS);
    p->items[p->count++] = *point;
    if (p->count == p->stop_after) return base_fail(error, KZ_IO, "the disk is full");
    return KZ_OK;
}

// `group` NULL: all of them. The caller frees the points.
static points run_on(const char *id, const char *name) {
    points p = {.items = calloc(POINTS, sizeof *p.items)};
    bench_micro_request request = {.done = take, .context = &p};
    bench_micro_group group = 0;
    kz_error error = {0};
    if (name) assert_true(bench_micro_group_find(name, &group));
    for (int i = 0; i < BENCH_MICRO_GROUPS; i++) request.groups[i] = !name || i == (int)group;
    assert_int_equal(kz_device_open(id, &request.device, &error), KZ_OK);
    kz_status status = bench_micro_run(&request, &error);
    if (status) fail_msg("%s", error.message);
    kz_device_close(request.device);
    return p;
}

static void every_result_is_right_and_no_time_is_made_up(void **state) {
    points p = run_on("sim:h200", NULL);
    bool seen[BENCH_MICRO_GROUPS] = {false};
    for (size_t i = 0; i < p.count; i++) {
        if (p.items[i].status) fail_msg("%s: %s", p.items[i].name, p.items[i].error.message);
        assert_true(isnan(p.items[i].value));
        assert_int_equal(p.items[i].count, 0);
        seen[p.items[i].group] = true;
    }
    for (int i = 0; i < BENCH_MICRO_GROUPS; i++)
        assert_true(seen[i] || i == BENCH_MICRO_clock); // which the simulator has not
    free(p.items);
}

// Older GPUs have no bf16 arithmetic, and say so.
static void a_gpu_without_bf16_leaves_that_out(void **state) {
    points p = run_on("sim:t4", "arithmetic");
    size_t left_out = 0;
    for (size_t i = 0; i < p.count; i++) {
        bool bf16 = strcmp(p.items[i].name, "fma_bf16x2") == 0;
        assert_int_equal(p.items[i].status, bf16 ? KZ_UNSUPPORTED : KZ_OK);
        left_out += bf16;
    }
    assert_int_equal(left_out, 1);
    free(p.items);
}

static uint32_t divisor(uint32_t a, uint32_t b) { return b ? divisor(b, a % b) : a; }

// As many wavefronts as lanes meet in a bank: the greatest common divisor of the stride and 32; one for all at one word.
static void banks_conflict_by_stride(void **state) {
    points p = run_on("sim:h200", "banks");
    assert_int_equal(p.count, 34);
    for (size_t i = 0; i < p.count; i++) {
        uint32_t stride = (uint32_t)p.items[i].x;
        const kz_counters *c = &p.items[i].counters;
        assert_int_equal(stride, i);
        assert_int_equal(c->shared_requests, 32); // 2 warps, 2 turns of 8
        assert_int_equal(c->shared_wavefronts, 32 * (stride ? divisor(stride, 32) : 1));
    }
    free(p.items);
}

static const bench_micro_point *find(const points *p, const char *name, double x) {
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].name, name) == 0 && (isnan(x) || p->items[i].x == x)) return &p->items[i];
    fail_msg("no point %s", name);
    return NULL;
}

// Every byte is moved once, in whole sectors, 16 bytes to a lane: 16 of them for a warp.
static void streams_move_whole_sectors_once(void **state) {
    points p = run_on("sim:h200", "bandwidth");
    const kz_counters *read = &find(&p, "dram_read", NAN)->counters,
                      *copy = &find(&p, "dram_copy", NAN)->counters;
    assert_int_equal(read->global_sectors, 16 * read->global_requests);
    assert_int_equal(read->global_sectors, read->global_ideal_sectors);
    assert_int_equal(copy->global_sectors, 2 * read->global_sectors);
    const kz_counters *shared = &find(&p, "shared_read", NAN)->counters;
    assert_int_equal(shared->shared_wavefronts, 4 * shared->shared_requests);
    const bench_micro_point *there = find(&p, "shared_copy", NAN); // half as many loads, and as many stores
    assert_int_equal(there->status, KZ_OK);
    assert_int_equal(there->counters.shared_wavefronts, shared->shared_wavefronts);
    free(p.items);
}

// Every kind of memory has its latency; clusters are there from sm_90 on.
static void every_memory_is_followed(void **state) {
    static const char *const names[] = {"shared", "distributed", "constant", "local",
                                        "l1",     "l2",          "dram",     "host"};
    points p = run_on("sim:h200", "latency"), old = run_on("sim:t4", "latency");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(find(&p, names[i], NAN)->status, KZ_OK);
    assert_int_equal(find(&old, "distributed", NAN)->status, KZ_UNSUPPORTED);
    assert_int_equal(find(&old, "host", NAN)->status, KZ_OK);
    free(p.items);
    free(old.items);
    p = run_on("sim:h200", "atomics");
    assert_int_equal(find(&p, "distributed_add", 32)->status, KZ_OK);
    free(p.items);
}

static void lanes_that_meet_at_an_address_are_counted(void **state) {
    points p = run_on("sim:h200", "atomics");
    const kz_counters *one = &find(&p, "global", 1)->counters, *apart = &find(&p, "global", 32)->counters;
    assert_int_equal(one->atomic_requests, 2 * 16 * 16); // 2 blocks of 16 warps, 2 turns of 8
    assert_int_equal(one->atomic_lane_conflicts, 31 * one->atomic_requests);
    assert_int_equal(apart->atomic_lane_conflicts, 0);
    free(p.items);
}

static void barriers_are_counted(void **state) {
    points p = run_on("sim:h200", "sync");
    uint64_t one = find(&p, "barrier", 1)->counters.barriers,
             many = find(&p, "barrier", 32)->counters.barriers;
    assert_int_equal(one, 16);        // 2 turns of 8
    assert_int_equal(many, 32 * one); // each warp comes to them
    free(p.items);
}

// No races, no barrier that some threads miss, nothing read that was never written.
static void the_kernels_are_clean(void **state) {
    points p = {.items = calloc(POINTS, sizeof *p.items)};
    bench_micro_request request = {.done = take, .context = &p};
    kz_error error = {0};
    observe_options options;
    observe_gpu gpu;
    observe_session *session = NULL;
    base_text record = {0};
    for (int i = 0; i < BENCH_MICRO_GROUPS; i++) request.groups[i] = true;
    assert_int_equal(kz_device_open("sim:h200", &request.device, &error), KZ_OK);
    assert_int_equal(observe_options_parse("races,sync,undefined", &options, &error), KZ_OK);
    assert_int_equal(device_sim_gpu(request.device, &gpu, &error), KZ_OK);
    assert_int_equal(observe_session_open(&options, &gpu, &session, &error), KZ_OK);
    assert_int_equal(device_sim_observe(request.device, session, &error), KZ_OK);
    assert_int_equal(bench_micro_run(&request, &error), KZ_OK);
    assert_int_equal(device_sim_observe(request.device, NULL, &error), KZ_OK);
    observe_session_finish(session, &record);
    if (observe_findings_count(observe_session_findings(session), OBSERVE_WARNING))
        fail_msg("%s", record.data);
    observe_session_close(session);
    base_text_free(&record);
    kz_device_close(request.device);
    free(p.items);
}

static void what_cannot_be_kept_ends_the_run(void **state) {
    points p = {.items = calloc(POINTS, sizeof *p.items), .stop_after = 2};
    bench_micro_request request = {.done = take, .context = &p};
    kz_error error = {0};
    for (int i = 0; i < BENCH_MICRO_GROUPS; i++) request.groups[i] = true;
    assert_int_equal(kz_device_open("sim:h200", &request.device, &error), KZ_OK);
    assert_int_equal(bench_micro_run(&request, &error), KZ_IO);
    assert_int_equal(p.count, 2);
    kz_device_close(request.device);
    assert_int_equal(kz_device_open("cpu", &request.device, &error), KZ_OK);
    assert_int_equal(bench_micro_run(&request, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "kz microbench --device"));
    kz_device_close(request.device);
    free(p.items);
}

// ---- a GPU with a clock -----------------------------------------------------------------------------------

// A quarter of a second for each operation, so figures are known; a kernel that does nothing is found out.
static void figures_come_from_the_clock_and_wrong_ones_have_none(void **state) {
    setenv("KZ_LIBCUDA", FAKE_CUDA, 1);
    setenv("FAKE_CUDA_MEMORY", "134217728", 1);
    points p = run_on("cuda:0", "bandwidth");
    const bench_micro_point *read = find(&p, "dram_read", NAN), *copy = find(&p, "dram_copy", NAN);
    assert_int_equal(read->status, KZ_OK);
    assert_true(read->value > 0);
    // Reads a quarter of the memory there is as many times as it needs turns; the copy takes two steps.
    assert_true(fabs(copy->value / read->value - 1) < 0.01);
    assert_int_equal(find(&p, "shared_read", NAN)->status,
                     KZ_NOT_FOUND); // the driver that is not there has none
    free(p.items);
    p = run_on("cuda:0", "banks");
    for (size_t i = 0; i < p.count; i++) {
        assert_int_equal(p.items[i].status, KZ_WRONG);
        assert_true(isnan(p.items[i].value));
    }
    free(p.items);
    p = run_on("cuda:0", "clock");
    assert_true(p.count == 1 && p.items[0].value == 2e9);
    free(p.items);
    unsetenv("FAKE_CUDA_MEMORY");
}

// ---- records and peaks ------------------------------------------------------------------------------------

static bench_micro_point point_of(bench_micro_group group, const char *name, double value) {
    bench_micro_point p = {.group = group, .x = NAN, .y = NAN, .nominal = NAN, .value = value, .unit = "B/s"};
    snprintf(p.name, sizeof p.name, "%s", name);
    for (; p.count < 5; p.count++) p.samples[p.count] = value * (1 + 0.01 * ((double)p.count - 2));
    return p;
}

static void add_line(base_text *text, const bench_micro_point *point, const char *time) {
    bench_run_info run = {.id = "1", .commit = "c0ffee", .driver = "580", .other_processes = -1};
    snprintf(run.device.gpu, sizeof run.device.gpu, "h200");
    snprintf(run.device.name, sizeof run.device.name, "NVIDIA H200");
    run.device.kind = KZ_DEVICE_CUDA;
    json_t *record = bench_micro_record(&run, point);
    assert_non_null(record);
    json_object_set_new(json_object_get(record, "run"), "time", json_string(time));
    char *line = json_dumps(record, JSON_COMPACT);
    base_text_add(text, "%s\n", line);
    free(line);
    json_decref(record);
}

static void the_newest_of_a_point_counts(void **state) {
    base_text text = {0};
    bench_micro_list list = {0};
    bench_micro_point read = point_of(BENCH_MICRO_bandwidth, "dram_read", 4e12), again = read, wrong = read,
                      clock = point_of(BENCH_MICRO_clock, "multiprocessor", 2e9);
    again.value = 5e12;
    wrong.status = KZ_WRONG;
    wrong.value = NAN;
    add_line(&text, &again, "2026-11-15T12:00:00Z");
    add_line(&text, &read, "2026-11-14T12:00:00Z");
    add_line(&text, &wrong, "2026-11-16T12:00:00Z");
    add_line(&text, &clock, "2026-11-15T12:00:00Z");
    base_text_add(&text, "{\"schema\": 1, \"cut");
    assert_true(bench_micro_list_read(&list, text.data, text.length));
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].group, BENCH_MICRO_clock); // in the order of the groups
    const bench_micro_figure *f = bench_micro_list_find(&list, BENCH_MICRO_bandwidth, "dram_read", NAN, NAN);
    assert_true(f && f->value == 5e12);
    assert_string_equal(f->time, "2026-11-15T12:00:00Z");
    assert_true(fabs(f->spread - 0.01) < 1e-6);
    assert_string_equal(list.gpu, "h200");
    assert_string_equal(list.commit, "c0ffee");
    bench_micro_list_free(&list);
    base_text_free(&text);
}

static void measured_peaks_go_before_nominal_ones(void **state) {
    char path[] = "/tmp/kz_peaks_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    base_text text = {0};
    bench_micro_point kernel = point_of(BENCH_MICRO_bandwidth, "dram_copy", 4.1e12),
                      driver = point_of(BENCH_MICRO_bandwidth, "dram_copy_driver", 4.3e12);
    add_line(&text, &kernel, "2026-11-15T12:00:00Z");
    add_line(&text, &driver, "2026-11-15T12:00:00Z");
    assert_int_equal(base_file_write(path, text.data, text.length, NULL), KZ_OK);
    bench_peaks peaks;
    bench_peaks_load("t4", path, &peaks);
    const bench_known_peak *copy = &peaks.of[BENCH_PEAK_dram_copy], *read = &peaks.of[BENCH_PEAK_dram_read];
    assert_true(copy->measured && copy->value == 4.3e12); // the faster of the two
    assert_string_equal(copy->origin, "measured 2026-11-15");
    assert_true(copy->nominal > 0 && copy->nominal < 1e12); // a T4's
    assert_true(!read->measured && read->value == read->nominal);
    assert_string_equal(read->origin, "nominal");
    bench_peaks_load("", "/no/such/file", &peaks);
    assert_true(isnan(peaks.of[BENCH_PEAK_fma_f32].value));
    assert_string_equal(peaks.of[BENCH_PEAK_fma_f32].origin, "");
    unlink(path);
    base_text_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_result_is_right_and_no_time_is_made_up),
        cmocka_unit_test(a_gpu_without_bf16_leaves_that_out),
        cmocka_unit_test(banks_conflict_by_stride),
        cmocka_unit_test(streams_move_whole_sectors_once),
        cmocka_unit_test(every_memory_is_followed),
        cmocka_unit_test(lanes_that_meet_at_an_address_are_counted),
        cmocka_unit_test(barriers_are_counted),
        cmocka_unit_test(the_kernels_are_clean),
        cmocka_unit_test(what_cannot_be_kept_ends_the_run),
        cmocka_unit_test(figures_come_from_the_clock_and_wrong_ones_have_none),
        cmocka_unit_test(the_newest_of_a_point_counts),
        cmocka_unit_test(measured_peaks_go_before_nominal_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

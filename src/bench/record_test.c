// Records: valid JSON that says what was measured, null for what is unknown, whole lines in the file.
#include "bench/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/base.h"
#include "unit.h"

static const kz_family family = {.name = "toy",
                                 .operations = (const char *const[]){"sum", NULL},
                                 .axes = (const char *const[]){"n", NULL}};
static const kz_case the_case = {.type = KZ_F32, .axes = {1000}};
static const bench_request request = {.family = &family, .c = &the_case};
static const bench_run_info run = {
    .id = "20261115T000000Z-1-0001",
    .command = "kz bench \"toy\"",
    .other_processes = -1,
    .device = {.kind = KZ_DEVICE_CUDA, .id = "cuda:0", .name = "NVIDIA H200", .gpu = "h200", .sm = 90}};

enum { SAMPLES = 40 };
enum { ALONE, IN_GRAPHS }; // conditions

static void fill_timing(bench_timing *t, double seconds, double *samples) {
    for (size_t i = 0; i < SAMPLES; i++) samples[i] = seconds * (1 + 1e-4 * (double)i);
    t->taken = true;
    t->runs = 7;
    t->processes = 2;
    t->series = (bench_series){.samples = samples, .count = SAMPLES, .state = BENCH_CONVERGED, .warm = true};
    bench_summarise(samples, SAMPLES, &t->series.summary);
    t->bytes_per_s = 4e3 / t->series.summary.median;
    t->of_copy = NAN;
    t->before = t->after = bench_monitor_read(NULL);
}

static void make(bench_outcome *o, double *ours, double *theirs) {
    *o = (bench_outcome){.name = "sum-f32-n1000-uniform",
                         .work = {.bytes = 4000, .flops = 1000},
                         .timed = true,
                         .seed = 2026,
                         .count = 2,
                         .condition_count = 2,
                         .conditions = {{.mode = BENCH_LATENCY}, {.mode = BENCH_THROUGHPUT}},
                         .figure = IN_GRAPHS};
    for (int m = 0; m < BENCH_CONDITIONS; m++) o->copy[m] = o->read[m] = NAN;
    o->results[0].candidate = bench_candidate_blank(BENCH_ZOO, "kz", "03_warp_shuffle");
    o->results[1].candidate = bench_candidate_blank(BENCH_PEER, "cub", "DeviceReduce");
    o->limit = bench_limit_of(NULL, &o->work, KZ_F32);
    fill_timing(&o->results[0].timings[IN_GRAPHS], 2e-6, ours);
    fill_timing(&o->results[1].timings[IN_GRAPHS], 4e-6, theirs);
    o->results[0].before = (bench_check){.done = true, .seed = 2026, .comparison = {.count = 1}};
}

static json_t *at(json_t *object, const char *path) {
    char step[64];
    while (*path && object) {
        size_t length = strcspn(path, ".");
        snprintf(step, sizeof step, "%.*s", (int)length, path);
        object = json_is_array(object) ? json_array_get(object, (size_t)atoi(step))
                                       : json_object_get(object, step);
        path += length + (path[length] == '.');
    }
    return object;
}

static void a_record_says_what_was_measured(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    json_t *made = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_non_null(made);
    // There and back again: what a reader of the file sees.
    char *line = json_dumps(made, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(made);
    assert_null(strchr(line, '\n'));
    json_t *r = json_loads(line, 0, NULL);
    free(line);
    assert_non_null(r);
    assert_int_equal(json_integer_value(at(r, "schema")), BENCH_SCHEMA);
    assert_string_equal(json_string_value(at(r, "run.command")), "kz bench \"toy\"");
    assert_string_equal(json_string_value(at(r, "case.family")), "toy");
    assert_int_equal(json_integer_value(at(r, "case.axes.n")), 1000);
    assert_string_equal(json_string_value(at(r, "candidate.name")), "03_warp_shuffle");
    assert_string_equal(json_string_value(at(r, "mode")), "throughput");
    assert_true(json_is_true(at(r, "figure")));
    assert_int_equal(json_integer_value(at(r, "runs_per_sample")), 7);
    assert_int_equal(json_integer_value(at(r, "processes")), 2);
    assert_true(json_is_null(at(r, "beside")));
    assert_null(at(r, "samples_s")); // nobody asked for them
    assert_int_equal(strlen(json_string_value(at(r, "statistics.digest"))), 16);
    assert_float_equal(json_real_value(at(r, "statistics.median_s")), 2.0039e-6, 1e-10);
    assert_float_equal(json_real_value(at(r, "statistics.p99_s")), 2.007722e-6, 1e-11);
    assert_string_equal(json_string_value(at(r, "check.before.status")), "right");
    assert_float_equal(json_real_value(at(r, "compare.0.time_ratio")), 0.5, 1e-6);
    assert_string_equal(json_string_value(at(r, "compare.0.verdict")), "faster");
    assert_string_equal(json_string_value(at(r, "status")), "ok");
    json_decref(r);
}

// Which suite and request it is of, so that another run can go on; and how a candidate was lost.
static void a_record_says_where_it_belongs(void **state) {
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    bench_run_info asked = run;
    asked.suite.name = "h200";
    asked.suite.digest = "d1";
    asked.quick = true;
    o.results[1].loss = BENCH_CRASHED;
    o.results[1].status = KZ_LOST;
    json_t *r = bench_record(&asked, &request, &o, 1, IN_GRAPHS, NULL);
    assert_string_equal(json_string_value(at(r, "suite.name")), "h200");
    assert_string_equal(json_string_value(at(r, "suite.digest")), "d1");
    assert_true(json_is_true(at(r, "quick")));
    assert_int_equal(json_integer_value(at(r, "request.records")), 2); // of two candidates, in graphs
    assert_int_equal(strlen(json_string_value(at(r, "request.digest"))), 16);
    assert_string_equal(json_string_value(at(r, "status")), "crashed");
    json_decref(r);
    o.interrupted = true; // nobody shall take it for done
    r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_true(json_is_null(at(r, "request")) && json_is_null(at(r, "suite")) && !at(r, "quick"));
    json_decref(r);
}

// A rival that was timed and found wrong afterwards is no rival; what was not sampled in turn is not paired; a median
// between two speeds says so.
static void ratios_are_of_what_can_be_compared(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_int_equal(json_integer_value(at(r, "compare.0.pairs")), SAMPLES);
    assert_null(at(r, "statistics.split"));
    json_decref(r);
    o.conditions[IN_GRAPHS].mode = BENCH_SUSTAINED;
    r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    const bench_summary *a = &o.results[0].timings[IN_GRAPHS].series.summary,
                        *b = &o.results[1].timings[IN_GRAPHS].series.summary;
    assert_int_equal(json_integer_value(at(r, "compare.0.pairs")), 0);
    assert_float_equal(json_real_value(at(r, "compare.0.time_ratio")), a->median / b->median, 1e-6);
    assert_float_equal(json_real_value(at(r, "compare.0.low")), a->low / b->high, 1e-6);
    assert_float_equal(json_real_value(at(r, "compare.0.high")), a->high / b->low, 1e-6);
    json_decref(r);
    o.results[1].timings[IN_GRAPHS].over_peak = true;
    r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_int_equal(json_array_size(at(r, "compare")), 0);
    json_decref(r);
    assert_int_equal(bench_outcome_best(&o, BENCH_PEER), -1);
    o.results[1].timings[IN_GRAPHS].over_peak = false;
    o.results[1].status = KZ_WRONG;
    o.results[0].timings[IN_GRAPHS].series.summary.third_quartile =
        1.2 * o.results[0].timings[IN_GRAPHS].series.summary.first_quartile;
    r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_int_equal(json_array_size(at(r, "compare")), 0);
    assert_true(json_is_true(at(r, "statistics.split")));
    json_decref(r);
}

// As the table says it: what has not converged is neither faster nor slower, whichever of the two it is.
static void a_verdict_is_of_what_has_converged(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    for (size_t unsettled = 0; unsettled < 3; unsettled++) { // 2: nobody
        make(&o, ours, theirs);
        o.results[unsettled].timings[IN_GRAPHS].series.state = BENCH_NOT_CONVERGED;
        json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
        assert_string_equal(json_string_value(at(r, "compare.0.verdict")),
                            unsettled < 2 ? "undecided" : "faster");
        json_decref(r);
    }
}

static void samples_are_kept_where_asked_for(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    bench_run_info asked = run;
    asked.samples = true;
    json_t *with = bench_record(&asked, &request, &o, 0, IN_GRAPHS, NULL);
    assert_int_equal(json_array_size(at(with, "samples_s")), SAMPLES);
    assert_float_equal(json_real_value(at(with, "samples_s.0")), 2e-6, 1e-15);
    // The digest is of them: one that differs in the sixth digit has another.
    ours[7] *= 1 + 5e-6;
    json_t *other = bench_record(&asked, &request, &o, 0, IN_GRAPHS, NULL);
    assert_string_not_equal(json_string_value(at(with, "statistics.digest")),
                            json_string_value(at(other, "statistics.digest")));
    json_decref(with);
    json_decref(other);
}

// 4000 bytes and 1000 flops in 2 us, of a peak of 4 GB/s; 600 W between two readings of a sustained run.
static void metrics_are_written(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    bench_peaks peaks = {0};
    peaks.of[BENCH_PEAK_dram_copy] = (bench_known_peak){.value = 4e9, .measured = true, .origin = "measured"};
    peaks.of[BENCH_PEAK_fma_f32] = (bench_known_peak){.value = 8e9, .measured = true, .origin = "measured"};
    make(&o, ours, theirs);
    o.footprint_bytes = 4096;
    o.limit = bench_limit_of(&peaks, &o.work, KZ_F32);
    o.conditions[IN_GRAPHS].mode = BENCH_SUSTAINED;
    bench_candidate *c = &o.results[0].candidate;
    c->workspace_bytes = 100;
    c->own_bytes = 50;
    c->code = (bench_code){.launches = 2,
                           .threads = 256,
                           .registers = 40,
                           .shared_bytes = 1024,
                           .local_bytes = 16,
                           .blocks = 6,
                           .warps = 48,
                           .occupancy = 0.75,
                           .limit = "registers",
                           .code_bytes = 640,
                           .ptx_instructions = -1};
    c->facts = (bench_facts){.lines = 20,
                             .all_lines = 90,
                             .compile_seconds = 1.5,
                             .compiler = "nvcc 13",
                             .judged = {.portability = 5, .readability = 4, .debugging = 3}};
    bench_timing *t = &o.results[0].timings[IN_GRAPHS];
    t->before = (bench_health){.known = true, .time = 1, .energy_j = 100};
    t->after = (bench_health){.known = true, .time = 2, .energy_j = 700};
    bench_outcome_derive(&o);
    json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    static const struct {
        const char *path;
        double value;
    } numbers[] = {{"work.intensity", 0.25},
                   {"device.peaks.limit.per_s", 4e9},
                   {"device.peaks.limit.ridge", 2},
                   {"derived.of_peak", 0.499027},
                   {"derived.power_w", 600},
                   {"derived.energy_j", 1.20234e-3},
                   {"memory.peak_bytes", 4246},
                   {"memory.own_bytes", 50},
                   {"kernel.launches", 2},
                   {"kernel.threads", 256},
                   {"kernel.registers", 40},
                   {"kernel.shared_bytes", 1024},
                   {"kernel.local_bytes_per_thread", 16},
                   {"kernel.blocks_per_multiprocessor", 6},
                   {"kernel.warps_per_multiprocessor", 48},
                   {"kernel.occupancy", 0.75},
                   {"kernel.code_bytes", 640},
                   {"source.lines", 20},
                   {"source.all_lines", 90},
                   {"source.compile_s", 1.5},
                   {"source.judged.portability", 5},
                   {"source.judged.readability", 4},
                   {"source.judged.debugging", 3}};
    for (size_t i = 0; i < BASE_COUNT(numbers); i++) {
        json_t *found = at(r, numbers[i].path);
        if (!json_is_number(found) || fabs(json_number_value(found) / numbers[i].value - 1) > 1e-5)
            fail_msg("%s is %g, not %g", numbers[i].path, json_number_value(found), numbers[i].value);
    }
    assert_string_equal(json_string_value(at(r, "device.peaks.limit.name")), "dram_copy");
    assert_string_equal(json_string_value(at(r, "kernel.occupancy_limit")), "registers");
    assert_string_equal(json_string_value(at(r, "source.compiler")), "nvcc 13");
    assert_true(json_is_null(at(r, "kernel.ptx_instructions")));
    json_decref(r);
}

// Of samples that alternate with others nobody can say whose energy it was.
static void energy_is_of_sustained_runs_alone(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    bench_timing *t = &o.results[0].timings[IN_GRAPHS];
    t->before = (bench_health){.known = true, .time = 1, .energy_j = 100};
    t->after = (bench_health){.known = true, .time = 2, .energy_j = 700};
    bench_outcome_derive(&o);
    json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_true(json_is_null(at(r, "derived.energy_j")));
    assert_float_equal(json_number_value(at(r, "derived.power_w")), 600, 1e-9);
    json_decref(r);
}

static void the_worst_error_counts(void **state) {
    (void)state;
    bench_result r = {.before = {.done = true, .comparison = {.worst_error = 1e-6, .worst_ratio = 0.1}},
                      .fresh = {.done = true, .comparison = {.worst_error = 3e-6, .worst_ratio = 0.3}}};
    assert_ptr_equal(bench_worst_check(&r), &r.fresh);
    r.fresh.done = false;
    assert_ptr_equal(bench_worst_check(&r), &r.before);
    r.before.done = false;
    assert_null(bench_worst_check(&r));
}

static void a_build_is_of_its_own_commit(void **state) {
    (void)state;
    static const struct {
        const char *says, *own;
        bool right;
    } rows[] = {{NULL, "7c556e14a0b1", true},
                {"beef", NULL, true},
                {"7c556e14", "7c556e14a0b1", true},
                {"7c556e14a0b1ffff", "7c556e14a0b1", true},
                {"7c556e14-dirty", "7c556e14a0b1-dirty", true},
                {"29c19cc1", "7c556e14a0b1", false},
                {"7c5", "7c556e14a0b1", false},
                {"7c556e14", "7c556e14a0b1-dirty", false}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        kz_error error = {0};
        if ((bench_commit_check(rows[i].says, rows[i].own, &error) == KZ_OK) != rows[i].right)
            fail_msg("row %zu", i);
    }
}

static void unknown_is_null(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    static const char *const unknown[] = {"code.commit",
                                          "environment.driver",
                                          "device.uuid",
                                          "environment.other_processes",
                                          "clocks.before",
                                          "device.peaks.copy_bytes_per_s",
                                          "derived.of_copy",
                                          "kernel",
                                          "source",
                                          "memory.own_bytes",
                                          "check.after",
                                          "device.peaks.nominal_bytes_per_s",
                                          "target",
                                          "reason",
                                          "candidate.version",
                                          "counters"};
    for (size_t i = 0; i < BASE_COUNT(unknown); i++) assert_true(json_is_null(at(r, unknown[i])));
    json_decref(r);
}

static void what_was_not_timed_has_a_reason(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    o.results[0].timings[IN_GRAPHS].taken = false;
    o.results[0].status = base_fail(&o.results[0].error, KZ_WRONG, "every element is zero");
    json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_string_equal(json_string_value(at(r, "status")), "wrong");
    assert_non_null(strstr(json_string_value(at(r, "reason")), "every element is zero"));
    assert_true(json_is_null(at(r, "statistics")));
    json_decref(r);
}

static void states_are_reported(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    bench_timing *t = &o.results[0].timings[IN_GRAPHS];
    static const struct {
        bench_state how;
        bool over;
        const char *says;
    } rows[] = {{BENCH_NOT_CONVERGED, false, "not converged"},
                {BENCH_GO_ON, false, "interrupted"},
                {BENCH_CONVERGED, true, "above the peak"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        t->series.state = rows[i].how;
        t->over_peak = rows[i].over;
        json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
        assert_string_equal(json_string_value(at(r, "status")), rows[i].says);
        json_decref(r);
    }
}

static void the_simulator_has_counters_and_no_times(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    o.timed = false;
    o.results[0].counters = (kz_counters){.valid = true, .global_sectors = 125};
    json_t *r = bench_record(&run, &request, &o, 0, ALONE, NULL);
    assert_string_equal(json_string_value(at(r, "mode")), "counters");
    assert_int_equal(json_integer_value(at(r, "counters.global_sectors")), 125);
    assert_true(json_is_null(at(r, "statistics")));
    assert_false(json_is_true(at(r, "figure")));
    json_decref(r);
}

static void lines_are_whole_and_added(void **state) {
    (void)state;
    double ours[SAMPLES], theirs[SAMPLES];
    bench_outcome o;
    make(&o, ours, theirs);
    char folder[] = "/tmp/kz_record_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out.jsonl", folder);
    for (int i = 0; i < 2; i++)
        assert_int_equal(bench_record_append(path, &run, &request, &o, NULL, NULL), KZ_OK);
    char *data;
    size_t size, lines = 0;
    assert_int_equal(base_file_read(path, &data, &size, NULL), KZ_OK);
    for (char *at_line = data; *at_line; lines++) {
        char *end = strchr(at_line, '\n');
        assert_non_null(end);
        json_t *r = json_loadb(at_line, (size_t)(end - at_line), 0, NULL);
        assert_non_null(r);
        json_decref(r);
        at_line = end + 1;
    }
    assert_int_equal(lines, 4); // two candidates, the mode that was timed, twice
    free(data);
    kz_error error = {0};
    assert_int_equal(bench_record_append("/dev/full", &run, &request, &o, NULL, &error), KZ_IO);
    assert_non_null(strstr(error.message, "/dev/full"));
    unlink(path);
    rmdir(folder);
}

// The figure of a case is of a usual condition; other records say what they are of.
static void a_record_states_its_condition(void **state) {
    (void)state;
    bench_outcome o;
    double ours[SAMPLES], theirs[SAMPLES];
    make(&o, ours, theirs);
    json_t *usual = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_string_equal(json_string_value(at(usual, "cache.state")), "cold");
    assert_string_equal(json_string_value(at(usual, "stream")), "later");
    assert_true(json_is_null(at(usual, "launch_gap_s")));
    json_decref(usual);
    o.launch_gap[IN_GRAPHS] = 0.54e-6;
    usual = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_float_equal(json_real_value(at(usual, "launch_gap_s")), 0.54e-6, 1e-12);
    json_decref(usual);
    static const bench_elsewhere python; // another process's launches are not ours
    o.results[0].candidate.elsewhere = &python;
    usual = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
    assert_true(json_is_null(at(usual, "launch_gap_s")));
    json_decref(usual);
    o.results[0].candidate.elsewhere = NULL;
    static const struct {
        bench_condition condition;
        const char *mode, *cache, *stream;
    } rows[] = {{{BENCH_LATENCY, BENCH_DIRTY, BENCH_LATER_STREAM}, "latency", "dirty", "later"},
                {{BENCH_LATENCY, BENCH_FRESH, BENCH_FIRST_STREAM}, "latency", "fresh", "first"},
                {{BENCH_SUSTAINED, BENCH_COLD, BENCH_LATER_STREAM}, "sustained", "cold", "later"},
                {{BENCH_THROUGHPUT, BENCH_COLD, BENCH_SWITCHED_STREAM}, "throughput", "cold", "switched"},
                {{BENCH_BURST, BENCH_HOT, BENCH_LATER_STREAM}, "burst", "hot", "later"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        o.conditions[IN_GRAPHS] = rows[i].condition;
        json_t *r = bench_record(&run, &request, &o, 0, IN_GRAPHS, NULL);
        assert_string_equal(json_string_value(at(r, "mode")), rows[i].mode);
        assert_string_equal(json_string_value(at(r, "cache.state")), rows[i].cache);
        assert_string_equal(json_string_value(at(r, "stream")), rows[i].stream);
        assert_false(json_is_true(at(r, "figure")));
        json_decref(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_says_what_was_measured),
        cmocka_unit_test(a_record_says_where_it_belongs),
        cmocka_unit_test(ratios_are_of_what_can_be_compared),
        cmocka_unit_test(a_verdict_is_of_what_has_converged),
        cmocka_unit_test(samples_are_kept_where_asked_for),
        cmocka_unit_test(metrics_are_written),
        cmocka_unit_test(energy_is_of_sustained_runs_alone),
        cmocka_unit_test(the_worst_error_counts),
        cmocka_unit_test(a_build_is_of_its_own_commit),
        cmocka_unit_test(unknown_is_null),
        cmocka_unit_test(what_was_not_timed_has_a_reason),
        cmocka_unit_test(states_are_reported),
        cmocka_unit_test(the_simulator_has_counters_and_no_times),
        cmocka_unit_test(lines_are_whole_and_added),
        cmocka_unit_test(a_record_states_its_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

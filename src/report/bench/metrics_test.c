// The tables of metrics, from an outcome made up by hand: what they look like, to the letter.
#include "report/bench/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

enum { OURS, RIVAL, PEAK, RESULTS, SAMPLES = 100 };

static void put(bench_outcome *o, int at, bench_provider provider, const char *by, const char *name,
                double seconds) {
    static double samples[RESULTS][SAMPLES];
    bench_result *r = &o->results[at];
    bench_timing *t = &r->timings[0];
    r->candidate = bench_candidate_blank(provider, by, name);
    for (int i = 0; i < SAMPLES; i++) samples[at][i] = seconds * (1 + 0.001 * i);
    t->taken = true;
    t->series = (bench_series){.samples = samples[at], .count = SAMPLES, .state = BENCH_CONVERGED};
    bench_summarise(samples[at], SAMPLES, &t->series.summary);
    r->timings[1] = *t;
    r->timings[1].series.summary.median /= 2;
}

// 400 MB and 800 Mflop, whose peak is a copy of 4 TB/s.
static bench_outcome *make(void) {
    bench_outcome *o = calloc(1, sizeof *o);
    *o = (bench_outcome){.timed = true,
                         .work = {.bytes = 4e8, .flops = 8e8},
                         .footprint_bytes = 400000000,
                         .condition_count = 2,
                         .conditions = {{.mode = BENCH_LATENCY}, {.mode = BENCH_THROUGHPUT}},
                         .count = RESULTS};
    bench_peaks peaks = {0};
    peaks.of[BENCH_PEAK_dram_copy] =
        (bench_known_peak){.value = 4e12, .measured = true, .origin = "measured today"};
    peaks.of[BENCH_PEAK_fma_f32] =
        (bench_known_peak){.value = 6e13, .measured = true, .origin = "measured today"};
    o->limit = bench_limit_of(&peaks, &o->work, KZ_F32);
    put(o, OURS, BENCH_ZOO, "kz", "02_vector", 1.1e-4);
    put(o, RIVAL, BENCH_PEER, "cub", "DeviceTransform", 1.2e-4);
    put(o, PEAK, BENCH_PEAK, "peak", "copy by a kernel", 1e-4);
    bench_result *ours = &o->results[OURS], *rival = &o->results[RIVAL];
    ours->before =
        (bench_check){.done = true, .comparison = {.count = 7, .worst_error = 2e-6, .worst_ratio = 0.25}};
    ours->fresh =
        (bench_check){.done = true, .comparison = {.count = 7, .worst_error = 1e-6, .worst_ratio = 0.5}};
    rival->before = (bench_check){.done = true, .comparison = {.count = 7}};
    rival->candidate.workspace_bytes = 1000;
    rival->candidate.own_bytes = 9000000;
    rival->candidate.prepare_seconds = 12;
    ours->candidate.code = (bench_code){.launches = 1,
                                        .threads = 256,
                                        .registers = 40,
                                        .shared_bytes = 1024,
                                        .local_bytes = 16,
                                        .blocks = 6,
                                        .warps = 48,
                                        .occupancy = 0.75,
                                        .limit = "registers",
                                        .code_bytes = 640,
                                        .ptx_instructions = 99};
    ours->candidate.facts = (bench_facts){
        .lines = 20,
        .all_lines = 90,
        .compile_seconds = 1.5,
        .judged = {.portability = 5, .readability = 4, .debugging = 3, .why = "a few words, and no more"}};
    bench_outcome_derive(o);
    return o;
}

static char *print(const bench_outcome *o, unsigned groups, int width) {
    const report_style style = {.width = width};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_metrics_print(file, &style, o, groups);
    fclose(file);
    return text;
}

static void expect(bench_outcome *o, unsigned groups, const char *wanted) {
    char *text = print(o, groups, 100);
    assert_string_equal(text, wanted);
    free(text);
}

static void each_group_is_a_table(void **state) {
    bench_outcome *o = make();
    expect(o, 1u << REPORT_METRIC_time,
           "time                      median     +-     p95     p99   least  samples  throughput\n"
           "02_vector                 115 us  1.00%  120 us  121 us  110 us      100     57.7 us\n"
           "cub DeviceTransform       126 us  1.00%  131 us  132 us  120 us      100     63.0 us\n"
           "peak copy by a kernel     105 us  1.00%  109 us  110 us  100 us      100     52.5 us\n\n");
    expect(o, 1u << REPORT_METRIC_rate,
           "rate                          moves      computes  of copy  of peak  limited by\n"
           "02_vector                 3.46 TB/s  6.93 TFLOP/s    90.9%    86.6%  dram_copy\n"
           "cub DeviceTransform       3.18 TB/s  6.35 TFLOP/s    83.3%    79.4%  dram_copy\n"
           "peak copy by a kernel     3.81 TB/s             -   100.0%    95.3%  dram_copy\n"
           "  2 flops per byte, the ridge is at 15; dram_copy: 4.00 TB/s, measured today\n\n");
    expect(o, 1u << REPORT_METRIC_error,
           "error                       error  of bound  elements  checked\n"
           "02_vector                 2.0e-06       50%         7  before, other inputs\n"
           "cub DeviceTransform             0        0%         7  before\n\n");
    o->results[0].before.comparison.worst_ratio = 0.999;
    expect(o, 1u << REPORT_METRIC_error,
           "error                       error  of bound  elements  checked\n"
           "02_vector                 2.0e-06      100%         7  before, other inputs\n"
           "cub DeviceTransform             0        0%         7  before\n"
           "  up to 100% of the bound is right: where it allows one rounding, one rounding takes it\n\n");
    expect(o, 1u << REPORT_METRIC_memory,
           "memory                    buffers  workspace  its own  in all\n"
           "02_vector                  400 MB        0 B        -  400 MB\n"
           "cub DeviceTransform        400 MB    1.00 kB  9.00 MB  409 MB\n\n");
    expect(o, 1u << REPORT_METRIC_resources,
           "resources            threads  registers   shared   local  blocks/SM  warps/SM  occupancy  "
           "limited by\n"
           "02_vector                256         40  1.02 kB  16.0 B          6        48        75%  "
           "registers\n\n");
    expect(o, 1u << REPORT_METRIC_code,
           "code                      launches  machine code  PTX  lines  with headers  compiling\n"
           "02_vector                        1         640 B   99     20            90     1.50 s\n"
           "cub DeviceTransform              -             -    -      -             -     12.0 s\n\n");
    expect(o, 1u << REPORT_METRIC_judged,
           "judged                    portability  readability  debugging  why\n"
           "02_vector                           5            4          3  a few words, and no more\n\n");
    expect(o, 1u << REPORT_METRIC_power, ""); // nothing is known
    expect(o, 0, "");
    free(o);
}

static void power_is_the_figures(void **state) {
    bench_outcome *o = make();
    bench_timing *t = &o->results[OURS].timings[0];
    o->conditions[0].mode = BENCH_SUSTAINED;
    t->before = (bench_health){.known = true, .time = 1, .energy_j = 100, .temperature_c = NAN};
    t->after = (bench_health){.known = true,
                              .time = 2,
                              .energy_j = 700,
                              .sm_hz = 1.755e9,
                              .power_w = 655,
                              .temperature_c = 61,
                              .throttle_reasons = 4};
    bench_outcome_derive(o);
    expect(o, 1u << REPORT_METRIC_power,
           "power                     SM clock  power  energy of a run   GPU  slowed by\n"
           "02_vector                 1.75 GHz  600 W          69.3 mJ  61 C  power cap\n\n");
    free(o);
}

// Without registers, as on the simulator, the occupancy is an upper bound.
static void an_upper_bound_says_so(void **state) {
    bench_outcome *o = make();
    o->results[OURS].candidate.code.registers = o->results[OURS].candidate.code.code_bytes = -1;
    o->timed = false;
    char *text = print(o, 1u << REPORT_METRIC_resources | 1u << REPORT_METRIC_code, 100);
    assert_has(text, "<= 75%");
    assert_null(strstr(text, "registers   shared"));
    assert_null(strstr(text, "machine code"));
    free(text);
    free(o);
}

// What is long is cut where the line ends, and no line is longer than the terminal.
static void lines_fit_the_terminal(void **state) {
    bench_outcome *o = make();
    snprintf(o->results[OURS].candidate.facts.judged.why, BENCH_WHY, "%0120d", 7);
    char *text = print(o, (1u << REPORT_METRIC_GROUPS) - 1, 100);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 100);
    assert_has(text, "~\n");
    free(text);
    free(o);
}

static void groups_are_named(void **state) {
    unsigned groups = 0;
    kz_error error = {0};
    const char *const lists[] = {"time,memory", "judged"};
    assert_int_equal(report_metrics_parse(lists, 2, &groups, NULL), KZ_OK);
    assert_int_equal(groups,
                     1u << REPORT_METRIC_time | 1u << REPORT_METRIC_memory | 1u << REPORT_METRIC_judged);
    assert_int_equal(report_metrics_parse((const char *const[]){"all"}, 1, &groups, NULL), KZ_OK);
    assert_int_equal(groups, (1u << REPORT_METRIC_GROUPS) - 1);
    assert_int_equal(report_metrics_parse(lists, 0, &groups, NULL), KZ_OK);
    assert_int_equal(groups, 0);
    assert_int_equal(report_metrics_parse((const char *const[]){"time,tim"}, 1, &groups, &error), KZ_INVALID);
    assert_has(error.message, "\"tim\" is not a group of columns");
    assert_has(error.message, "resources: what a block takes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_group_is_a_table),  cmocka_unit_test(power_is_the_figures),
        cmocka_unit_test(an_upper_bound_says_so), cmocka_unit_test(lines_fit_the_terminal),
        cmocka_unit_test(groups_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The table of a timed case, from an outcome made up by hand: what is said of targets and doubts, and that it
// fits the line.
#include "report/bench/run.h"
#include "report/bench/tune.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

enum { SLOW, FAST, RIVAL, PEAK, LEFT_OUT, RESULTS, SAMPLES = 12 };

static const kz_case the_case = {.type = KZ_F32, .axes = {1 << 20}};
static const kz_family family = {.name = "toy",
                                 .operations = (const char *const[]){"add", NULL},
                                 .axes = (const char *const[]){"n", NULL}};
static const kz_device_info device = {.name = "NVIDIA H200", .gpu = "h200"};

static void put_time(const bench_outcome *o, bench_timing *t, double *samples, double seconds,
                     bench_state state) {
    for (int i = 0; i < SAMPLES; i++) samples[i] = seconds;
    t->taken = true;
    t->bytes_per_s = o->work.bytes / seconds;
    t->of_copy = t->bytes_per_s / 4e12;
    t->series = (bench_series){.samples = samples, .count = SAMPLES, .state = state};
    bench_summarise(samples, SAMPLES, &t->series.summary);
}

static void put(bench_outcome *o, int at, bench_provider provider, const char *by, const char *name,
                double seconds, bench_state state) {
    static double samples[RESULTS][SAMPLES];
    bench_result *r = &o->results[at];
    r->candidate.provider = provider;
    snprintf(r->candidate.by, sizeof r->candidate.by, "%s", by);
    snprintf(r->candidate.name, sizeof r->candidate.name, "%s", name);
    put_time(o, &r->timings[0], samples[at], seconds, state);
}

static bench_outcome *make(void) {
    bench_outcome *o = calloc(1, sizeof *o);
    *o = (bench_outcome){
        .timed = true, .work = {.bytes = 4e8}, .condition_count = 1, .figure = 0, .count = RESULTS};
    snprintf(o->name, sizeof o->name, "add-f32-n1048576-uniform");
    put(o, SLOW, BENCH_ZOO, "kz", "01_interleaved_tree", 4e-4, BENCH_NOT_CONVERGED);
    put(o, FAST, BENCH_ZOO, "kz", "02_vector", 1.1e-4, BENCH_CONVERGED);
    put(o, RIVAL, BENCH_PEER, "cub", "DeviceTransform", 1.05e-4, BENCH_CONVERGED);
    put(o, PEAK, BENCH_PEAK, "peak", "copy by the driver", 1e-4, BENCH_CONVERGED);
    bench_result *left = &o->results[LEFT_OUT];
    snprintf(left->candidate.name, sizeof left->candidate.name, "03_clusters");
    left->status = KZ_UNSUPPORTED;
    snprintf(left->error.message, sizeof left->error.message,
             "needs clusters, and this GPU has none of them, however many\ntry: another");
    return o;
}

// What is printed; the tally's lines of shortfalls are left in it.
static char *print(const bench_outcome *o, const char *rows, report_bench_tally *tally) {
    bench_targets targets;
    assert_int_equal(bench_targets_parse(rows, "test", &targets, NULL), KZ_OK);
    const report_style style = {.width = 110};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_bench_print(file, &style, &family, &the_case, &device, o, &targets, tally);
    fclose(file);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 110);
    return text;
}

#define HEADER "gpu,case,metric,goal,rival\n"

static void a_target_is_met(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    char *text = print(o, HEADER "h200,add-*,of_copy,0.85,\n", &tally);
    assert_has(text, "  target met: 02_vector, 90.9% of copy; the goal is 85.0% of copy\n");
    assert_has(text, "  not converged: 01_interleaved_tree\n");
    assert_has(text, "  03_clusters: needs clusters, and this GPU has none of them, however many\n");
    assert_has(text, "0.955x slower     [0.955, 0.955]\n");
    assert_int_equal(tally.met, 1);
    assert_int_equal(tally.unsettled, 0); // the best has settled
    assert_null(tally.shortfalls.data);
    free(text);
    free(o);
}

static void the_gap_between_launches_is_named(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    o->condition_count = 2;
    o->conditions[1] = (bench_condition){.mode = BENCH_THROUGHPUT};
    char *text = print(o, HEADER, &tally);
    assert_null(strstr(text, "empty launch"));
    free(text);
    o->launch_gap[1] = 0.86e-6; // not that of the figure
    text = print(o, HEADER, &tally);
    assert_null(strstr(text, "empty launch"));
    free(text);
    o->figure = 1;
    text = print(o, HEADER, &tally);
    assert_has(text, "  an empty launch in a graph takes 860 ns\n");
    free(text);
    o->condition_count = 3;
    o->conditions[2] = (bench_condition){BENCH_THROUGHPUT, BENCH_COLD, BENCH_SWITCHED_STREAM};
    o->launch_gap[2] = 0.54e-6;
    text = print(o, HEADER, &tally);
    assert_has(text,
               "  an empty launch in a graph takes 860 ns (throughput), 540 ns (throughput cold switched)\n");
    free(text);
    free(o);
}

// Who worked on the device in between is shown; a target of the ratio to another is not judged then.
static void other_processes_are_named(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    char *text = print(o, HEADER "h200,add-*,speedup,0.9,cub\n", &tally);
    assert_null(strstr(text, "by turns"));
    assert_int_equal(tally.met, 1);
    free(text);
    snprintf(o->beside[0], sizeof o->beside[0], "torch, triton");
    text = print(o, HEADER "h200,add-*,speedup,0.9,cub\n", &tally);
    assert_has(text,
               "  by turns with other processes (torch, triton): short runs differ from those of kz alone\n");
    assert_has(
        text,
        "  target open: the goal is 0.900x cub, judged without rivals in other processes: --rivals cub\n");
    assert_has(text, "0.955x slower     [0.955, 0.955]\n");
    assert_int_equal(tally.open, 1);
    free(text);
    free(o);
}

static char *print_on(const report_style *style) {
    report_bench_tally tally = {0};
    const bench_targets none = {0};
    bench_outcome *o = make();
    o->results[FAST].before = (bench_check){.done = true, .comparison = {.worst_error = 1e-6}};
    o->results[FAST].fresh = (bench_check){.done = true, .comparison = {.worst_error = 2.4e-6}};
    o->results[RIVAL].before = (bench_check){.done = true};
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    report_bench_print(file, style, &family, &the_case, &device, o, &none, &tally);
    fclose(file);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= (size_t)style->width);
    base_text_free(&tally.shortfalls);
    free(o);
    return text;
}

// At 105 columns, to the letter: the greatest error of all checks stands beside the time, a rival's too. What has not
// converged is not called faster or slower.
static void the_error_stands_beside_the_time(void **state) {
    (void)state;
    char *text = print_on(&(report_style){.width = 105, .terminal = true});
    assert_has(
        text,
        "candidate                     time     +-    error      moves  of copy  vs cub            interval\n"
        "01_interleaved_tree         400 us  0.00%        -  1.00 TB/s    25.0%  0.263x undecided  [0.263, "
        "0.263]\n"
        "02_vector                   110 us  0.00%  2.4e-06  3.64 TB/s    90.9%  0.955x slower     [0.955, "
        "0.955]\n"
        "cub DeviceTransform         105 us  0.00%        0  3.81 TB/s    95.2%\n"
        "peak copy by the driver     100 us  0.00%           4.00 TB/s   100.0%\n"
        "03_clusters                      -\n");
    free(text);
}

// A terminal of 80 columns has no room for intervals; one of 60 gets the table in parts.
static void a_narrow_terminal_gets_a_narrow_table(void **state) {
    (void)state;
    char *text = print_on(&(report_style){.width = 80, .terminal = true});
    assert_has(text, "candidate                  time    error      moves  of copy  vs cub\n"
                     "01_interleaved_tree      400 us        -  1.00 TB/s    25.0%  0.263x undecided\n"
                     "02_vector                110 us  2.4e-06  3.64 TB/s    90.9%  0.955x slower\n"
                     "cub DeviceTransform      105 us        0  3.81 TB/s    95.2%\n");
    free(text);
    free(print_on(&(report_style){.width = 60, .terminal = true}));
}

static void what_was_missed_is_named_with_its_figures(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    char *text = print(o, HEADER "h200,add-*,speedup,0.98,cub\n", &tally);
    assert_has(text, "  target missed: 02_vector, 0.955x cub; the goal is 0.980x cub\n");
    free(text);
    text = print(o, HEADER "h200,add-*,bytes_per_s,4.37e12,torch\n", &tally);
    assert_has(text, "  target missed: 02_vector, 3.64 TB/s; the goal is 4.37 TB/s, by torch\n");
    free(text);
    assert_int_equal(tally.missed, 2);
    assert_has(tally.shortfalls.data,
               "  toy add-f32-n1048576-uniform: target missed: 02_vector, 0.955x cub; ");
    assert_has(tally.shortfalls.data, "3.64 TB/s; the goal is 4.37 TB/s");
    base_text_free(&tally.shortfalls);
    free(o);
}

static void a_goal_without_its_rival_is_open(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    char *text = print(o, HEADER "h200,add-*,speedup,0.98,cutlass\n", &tally);
    assert_has(text, "  target open: the goal is 0.980x cutlass, and cutlass did not run\n");
    assert_int_equal(tally.open, 1);
    assert_null(tally.shortfalls.data);
    free(text);
    text = print(o, HEADER "a100,add-*,of_copy,0.85,\n", &tally); // another GPU's
    assert_null(strstr(text, "target"));
    free(text);
    free(o);
}

static void a_rival_that_is_wrong_is_a_row_and_no_fault_of_ours(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    o->results[RIVAL].status = KZ_WRONG;
    snprintf(o->results[RIVAL].error.message, sizeof o->results[RIVAL].error.message,
             "it rounds to fewer bits");
    char *text = print(o, HEADER, &tally);
    assert_has(text, "  cub DeviceTransform: it rounds to fewer bits\n");
    assert_has(text, "cub DeviceTransform              -\n"); // no figure, and nobody is compared with it
    assert_null(strstr(text, "0.955x"));
    assert_true(tally.rivals_amiss == 1 && tally.wrong == 0 && tally.failed == 0);
    o->results[FAST].status = KZ_WRONG;
    free(text);
    text = print(o, HEADER, &tally);
    assert_true(tally.rivals_amiss == 2 && tally.wrong == 1);
    base_text_free(&tally.shortfalls);
    free(text);
    free(o);
}

static void two_speeds_are_told_of(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    for (int i = 0; i < 2; i++) {
        o->results[FAST].timings[0].series.summary.third_quartile =
            i ? 1.3e-4 : 1.2e-4; // the first is 110 us
        char *text = print(o, HEADER, &tally);
        const char *said = "two speeds, the middle half of the samples spans more than 10%: 02_vector\n";
        assert_int_equal(strstr(text, said) != NULL, i);
        free(text);
    }
    base_text_free(&tally.shortfalls);
    free(o);
}

// By turns ours takes 0.9 of the rival's time, and its median is above the rival's: neither is the answer.
static void a_verdict_that_the_medians_contradict_is_none(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    bench_series *ours = &o->results[FAST].timings[0].series, *rival = &o->results[RIVAL].timings[0].series;
    for (int i = 0; i < SAMPLES; i++) {
        bool beside = i < SAMPLES * 3 / 5; // then the rival has left, and ours is slower
        ours->samples[i] = beside ? 0.9e-4 : 1.3e-4;
        rival->samples[i] = 1e-4;
    }
    rival->count = SAMPLES * 3 / 5;
    ours->summary.median = 1.2e-4;
    rival->summary.median = 1e-4;
    char *text = print(o, HEADER, &tally);
    assert_has(text, "1.111x undecided  [1.111, 1.111]\n");
    assert_has(text,
               "undecided, the ratio of samples taken in turns contradicts that of the medians: 02_vector\n");
    assert_int_equal(bench_outcome_verdict(o, FAST, RIVAL, 0), BENCH_UNDECIDED);
    free(text);
    ours->summary.median = 0.95e-4; // 5% from the pairs, and on the same side
    text = print(o, HEADER, &tally);
    assert_has(text, "1.111x faster");
    assert_null(strstr(text, "contradicts"));
    free(text);
    base_text_free(&tally.shortfalls);
    free(o);
}

static void a_case_in_doubt_is_counted_once(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    o->results[FAST].timings[0].series.state = BENCH_NOT_CONVERGED;
    o->results[FAST].timings[0].over_peak = true;
    char *text = print(o, HEADER, &tally);
    assert_has(text, "  above the measured peak, an error in measurement: 02_vector\n");
    assert_int_equal(tally.over, 1);
    assert_int_equal(tally.unsettled, 0);
    assert_has(tally.shortfalls.data, "02_vector stands above the measured peak\n");
    base_text_free(&tally.shortfalls);
    free(text);
    free(o);
}

static void much_arithmetic_is_shown_in_flops(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    char *text = print(o, HEADER, &tally);
    assert_has(text, "moves");
    assert_has(text, "90.9%");
    free(text);
    o->work.flops = 2e11; // 500 for each byte
    o->results[FAST].timings[0].flops_per_s = 5e13;
    text = print(o, HEADER, &tally);
    assert_has(text, "computes");
    assert_has(text, "50.0 TFLOP/s");
    assert_null(strstr(text, "90.9%")); // a share of a copy says nothing of arithmetic
    assert_has(text, "4.00 TB/s");      // the peak has no flops
    assert_null(strstr(text, "moves"));
    free(text);
    free(o);
}

// The share is then that of the cores, and the peak says whence it is.
static void what_the_cores_compute_is_named(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    o->work.flops = 2e11;
    o->known_compute =
        (bench_known_peak){.name = "fma_f32", .value = 6.25e13, .origin = "measured 2026-11-15"};
    for (int i = 0; i < RESULTS; i++) o->results[i].timings[0].of_compute = NAN;
    o->results[FAST].timings[0].of_compute = 0.8;
    char *text = print(o, HEADER, &tally);
    assert_has(text, "of cores");
    assert_has(text, "80.0%");
    assert_has(text, "  of cores: fma_f32, 62.5 TFLOP/s, measured 2026-11-15\n");
    assert_null(strstr(text, " of copy"));
    free(text);
    o->work.flops = 0;
    o->known_copy = (bench_known_peak){.value = 4.25e12, .origin = "measured 2026-11-14"};
    o->copy[0] = NAN;
    text = print(o, HEADER, &tally);
    assert_has(text, "  of copy: 4.25 TB/s, measured 2026-11-14; none could be timed beside this case\n");
    free(text);
    free(o);
}

// ---- conditions ------------------------------------------------------------------------------------------

static void a_title_states_the_condition(void **state) {
    (void)state;
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    char *text = print(o, HEADER "h200,add-*,of_copy,0.85,\n", &tally);
    assert_has(text, "400 MB, one run, cold\n");
    free(text);
    o->conditions[0] = (bench_condition){BENCH_LATENCY, BENCH_DIRTY, BENCH_FIRST_STREAM};
    text = print(o, HEADER "h200,add-*,of_copy,0.85,\n", &tally);
    assert_has(text, "400 MB, one run, dirty, first stream\n");
    assert_null(strstr(text, "target")); // targets are of the usual conditions
    free(text);
    o->conditions[0].stream = BENCH_SWITCHED_STREAM;
    text = print(o, HEADER "h200,add-*,of_copy,0.85,\n", &tally);
    assert_has(text, "400 MB, one run, dirty, after another context\n");
    free(text);
    o->condition_count = 2;
    o->conditions[0] = (bench_condition){BENCH_THROUGHPUT, BENCH_HOT, BENCH_LATER_STREAM};
    o->conditions[1] = (bench_condition){BENCH_LATENCY, BENCH_HOT, BENCH_LATER_STREAM};
    text = print(o, HEADER, &tally);
    assert_has(text, "400 MB, graph of runs, hot\n");
    free(text);
    free(o);
}

// The rival is slower when cold and faster when dirty: each ratio is of its own column.
static void conditions_stand_in_columns_that_never_mix(void **state) {
    (void)state;
    static double samples[2][4][SAMPLES];
    report_bench_tally tally = {0};
    bench_outcome *o = make();
    o->condition_count = 5;
    o->conditions[1].cache = BENCH_DIRTY;
    o->conditions[2] = (bench_condition){BENCH_LATENCY, BENCH_HOT, BENCH_FIRST_STREAM};
    o->conditions[3].mode = BENCH_THROUGHPUT;
    o->conditions[4].mode = BENCH_SUSTAINED;
    static const double ours[] = {2e-4, 1e-5, 1e-4, 3e-4}, theirs[] = {1e-4, 3e-5, 1e-4, 3e-4};
    for (int k = 0; k < 4; k++) {
        put_time(o, &o->results[FAST].timings[1 + k], samples[0][k], ours[k], BENCH_CONVERGED);
        put_time(o, &o->results[RIVAL].timings[1 + k], samples[1][k], theirs[k], BENCH_CONVERGED);
    }
    bench_timing *sustained = &o->results[FAST].timings[4];
    sustained->before = (bench_health){.known = true, .sm_hz = 1.98e9, .power_w = 600};
    sustained->after = (bench_health){.known = true, .sm_hz = 1.75e9, .power_w = 655};
    sustained->energy_j = 0.25;
    char *text = print(o, HEADER, &tally);
    assert_has(text, "on NVIDIA H200, 400 MB, 5 conditions\n");
    assert_has(text, "one run                               cold             dirty        hot, first\n");
    assert_has(text, "02_vector                   110 us  0.955x    200 us  0.500x   10.0 us  3.000x\n");
    assert_has(text, "cub DeviceTransform         105 us  1.000x    100 us  1.000x   30.0 us  1.000x\n");
    assert_has(text, "01_interleaved_tree        ~400 us  0.263x         -                 -        \n");
    assert_has(text, "graph of runs                         cold\n");
    assert_has(text, "02_vector                   100 us  1.000x\n");
    assert_has(text, "back to back for 2 s                  cold\n");
    assert_has(text, "  slower than cub: 02_vector, latency, 0.955x [0.955, 0.955]\n");
    assert_has(text, "  slower than cub: 02_vector, latency dirty, 0.500x [0.500, 0.500]\n");
    assert_null(strstr(text, "slower than cub: 02_vector, latency hot"));
    assert_has(text, "  02_vector: 1.98 GHz at half time, 1.75 GHz at the end, 655 W, 250 mJ a run\n");
    assert_has(text, "  ~ not converged\n");
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 100);
    free(text);
    // A long name leaves room for fewer columns; what was not timed at all has none.
    snprintf(o->results[RIVAL].candidate.name, sizeof o->results[RIVAL].candidate.name, "%s",
             "with-a-name-that-is-longer-than-others");
    for (int i = 0; i < RESULTS; i++) o->results[i].timings[3].taken = false;
    text = print(o, HEADER, &tally);
    for (char *line = text; *line; line += strcspn(line, "\n") + 1) assert_true(strcspn(line, "\n") <= 100);
    assert_has(text, "hot, first\n");
    assert_null(strstr(text, "graph of runs"));
    free(text);
    base_text_free(&tally.shortfalls);
    free(o);
}

// ---- a run -----------------------------------------------------------------------------------------------

static void a_run_is_summed_up(void **state) {
    char *text;
    size_t size;
    report_bench report = {.file = open_memstream(&text, &size), .path = "out.jsonl"};
    report.run.device.has_clock = true;
    report.tally =
        (report_bench_tally){.cases = 2, .met = 1, .missed = 1, .wrong = 3, .unsettled = 1, .over = 2};
    base_text_add(&report.tally.shortfalls, "  toy: target missed\n");
    report_bench_end(&report, 2);
    fflush(report.file);
    assert_has(
        text,
        "2 cases in 2.00 s; targets: 1 met, 1 missed, 0 open; 3 wrong; 1 not converged; 2 above the peak\n");
    assert_has(text, "  toy: target missed\nrecords: out.jsonl\n");
    report.write_error.status = KZ_IO;
    rewind(report.file);
    report_bench_end(&report, 2);
    fputc(0, report.file);
    fflush(report.file);
    assert_null(strstr(text, "records:")); // nothing is said to be kept that is not
    fclose(report.file);
    free(text);
    report_bench_free(&report);
}

// Slower, but timed by turns with another process, as the earlier figure was not: no regression.
static void what_is_not_alike_is_not_judged(void **state) {
    char *text;
    size_t size;
    report_bench report = {.file = open_memstream(&text, &size), .run = {.id = "now", .device = device}};
    bench_outcome *o = make();
    const bench_request request = {.family = &family, .c = &the_case};
    const bench_peers peers = {0};
    const bench_targets targets = {0};
    o->limit = bench_limit_of(NULL, &o->work, KZ_F32);
    snprintf(o->beside[0], sizeof o->beside[0], "torch");
    report.baseline =
        json_pack("[{s{ss}, s{ss}, s{ss, ss}, s{ss, ss}, s{ss, ss}, ss, ss, s{sf}}]", "run", "time",
                  "2026-11-16T00:00:00Z", "code", "commit", "c0ffee", "device", "name", "NVIDIA H200", "gpu",
                  "h200", "case", "family", family.name, "name", o->name, "candidate", "by", "kz", "name",
                  "02_vector", "mode", "latency", "status", "ok", "statistics", "median_s", 1e-4);
    report_bench_case(&report, &request, o, &targets, &peers);
    report_bench_end(&report, 1);
    fflush(report.file);
    assert_has(text,
               "not judged: 02_vector, 110 us beside torch, was 100 us beside no other process (+10.0%); "
               "2026-11-16, commit c0ffee\n");
    assert_has(text, "since the earlier records: 0 worse, 0 better, 0 the same,");
    assert_has(text, "not judged: 1, timed by turns with other processes than then");
    fclose(report.file);
    free(text);
    free(o);
    report_bench_free(&report);
}

static size_t count(const char *text, const char *what) {
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) found++;
    return found;
}

static void a_missing_rival_is_noted_once(void **state) {
    char *text;
    size_t size;
    const kz_family racing = {.name = "toy",
                              .operations = family.operations,
                              .axes = family.axes,
                              .rivals = (const char *const[]){"openblas", NULL}};
    const bench_request request = {.family = &racing, .c = &the_case};
    const bench_targets none = {0};
    const bench_peers peers = {0};
    bench_outcome *o = make();
    report_bench report = {.file = open_memstream(&text, &size),
                           .run.device = {.kind = KZ_DEVICE_CPU, .has_clock = true}};
    for (int i = 0; i < 2; i++) report_bench_case(&report, &request, o, &none, &peers);
    static const char *const names[] = {"none", "openblas"};
    report.met.count = 0;
    report.rivals = names;
    for (report.rival_count = 1; report.rival_count <= 2;
         report.rival_count++) // another is named, then it is
        report_bench_case(&report, &request, o, &none, &peers);
    fclose(report.file);
    assert_int_equal(report.tally.cases, 4);
    assert_int_equal(count(text, "no rival: openblas: not built"), 2);
    assert_int_equal(report.absent, 1);
    free(text);
    report_bench_free(&report);
    free(o);
}

static void one_that_was_named_and_never_ran_is_told_of(void **state) {
    (void)state;
    char *text;
    size_t size;
    static const kz_peer mine = {.name = "mine"};
    const bench_peers peers = {.chosen = true, .count = 1, .items = {&mine}};
    static const char *const names[] = {"mine", "cub", "triton", "openblas", "met", "earlier", "crashed"};
    report_bench report = {.file = open_memstream(&text, &size),
                           .rivals = names,
                           .rival_count = 7,
                           .met = {2, {"met", "crashed"}, {true, false}}, // rows, and a figure of the first
                           .run.device = {.kind = KZ_DEVICE_CPU, .has_clock = true}};
    json_t *earlier = json_pack("{sb}", "earlier", 1); // what is resumed has a record of it
    report_bench_idle_rivals(&report, &peers, earlier);
    fclose(report.file);
    json_decref(earlier);
    assert_int_equal(report.absent, 5);
    assert_has(text, "no rival: mine: does none of these cases\n"
                     "no rival: cub, triton: runs on a GPU, and this is a CPU\n"
                     "no rival: openblas: not built: ");
    free(text);
}

static void one_that_was_named_does_not_run_on_the_simulator(void **state) {
    (void)state;
    char *text;
    size_t size;
    static const char *const names[] = {"openblas", "./mine.py"};
    report_bench report = {.file = open_memstream(&text, &size),
                           .rivals = names,
                           .rival_count = 2,
                           .run.device = {.kind = KZ_DEVICE_SIM}};
    report_bench_idle_rivals(&report, &(bench_peers){0}, NULL);
    fclose(report.file);
    assert_int_equal(report.absent, 2);
    assert_string_equal(text,
                        "no rival: openblas, mine.py: rivals are timed, and the simulator has no clock\n\n");
    free(text);
}

static void a_simpler_choice_says_what_it_gives_up(void **state) {
    char *text;
    size_t size;
    bench_outcome *o = make();
    report_table *table = report_tune_open();
    report_tune_add(table, o, SLOW);
    report_tune_add(table, o, FAST);
    FILE *file = open_memstream(&text, &size);
    report_tune_print(file, table, "toy", "h200,*,*,0,,02_vector\n");
    fclose(file);
    assert_has(text, "~400 us"); // it did not converge
    assert_has(text, "simpler; 02_vector is 263.6% faster");
    assert_int_equal(count(text, "simpler"), 1);
    assert_has(text, "\n  h200,*,*,0,,02_vector\n");
    report_table_close(table);
    free(text);
    free(o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_is_met),
        cmocka_unit_test(other_processes_are_named),
        cmocka_unit_test(the_gap_between_launches_is_named),
        cmocka_unit_test(the_error_stands_beside_the_time),
        cmocka_unit_test(a_narrow_terminal_gets_a_narrow_table),
        cmocka_unit_test(what_was_missed_is_named_with_its_figures),
        cmocka_unit_test(a_goal_without_its_rival_is_open),
        cmocka_unit_test(a_rival_that_is_wrong_is_a_row_and_no_fault_of_ours),
        cmocka_unit_test(two_speeds_are_told_of),
        cmocka_unit_test(a_verdict_that_the_medians_contradict_is_none),
        cmocka_unit_test(a_case_in_doubt_is_counted_once),
        cmocka_unit_test(much_arithmetic_is_shown_in_flops),
        cmocka_unit_test(what_the_cores_compute_is_named),
        cmocka_unit_test(a_title_states_the_condition),
        cmocka_unit_test(conditions_stand_in_columns_that_never_mix),
        cmocka_unit_test(a_run_is_summed_up),
        cmocka_unit_test(what_is_not_alike_is_not_judged),
        cmocka_unit_test(a_missing_rival_is_noted_once),
        cmocka_unit_test(one_that_was_named_and_never_ran_is_told_of),
        cmocka_unit_test(one_that_was_named_does_not_run_on_the_simulator),
        cmocka_unit_test(a_simpler_choice_says_what_it_gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

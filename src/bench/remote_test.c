// Rivals in Python on the cpu device: tests/python/fake.py is one that is right, or goes wrong in every way there is.
#include "bench/bench.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "bench/test_add.h"
#include "unit.h"

// ---- a family that the provider does: z = x + y ---------------------------------------------------------

static size_t guest_args(const kz_case *c, kz_arg args[KZ_PLAN_ARGS]) {
    for (uint32_t i = 0; i < 3; i++) args[i] = kz_arg_buffer(i);
    args[3] = kz_arg_u64((uint64_t)c->axes[0]);
    args[4] = kz_arg_f32(2.5f);
    return 5;
}

static const kz_case the_case = {.type = KZ_F32, .axes = {301}, .misalign = 1};
static const kz_family family = {.name = "vector_add",
                                 .group = "tests",
                                 .operations = (const char *const[]){"add", NULL},
                                 .axes = (const char *const[]){"n", NULL},
                                 .cases = &the_case,
                                 .case_count = 1,
                                 .buffers = buffers,
                                 .reference = reference,
                                 .elementwise = true,
                                 .work = work,
                                 .guest_signature =
                                     "const float *x, const float *y, float *z, size_t n, float factor",
                                 .guest_args = guest_args};

// A few samples: the clock is tested elsewhere, and each flushes the host's cache.
static const bench_rule rule = {.least_samples = 3, .precision = 1e9, .most_seconds = 60};

typedef struct fixture {
    kz_device *device;
    bench_probes *probes;
    bench_remote *remote;
    bench_outcome *outcome;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    unsetenv("KZ_FAKE_VERSION");
    unsetenv("KZ_FAKE_NAME");
    setenv("KZ_PYTHON", PYTHON, 1);
    setenv("KZ_RUNNER_TIMEOUT", "20", 1);
    if (kz_device_open("cpu", &f->device, NULL)) return -1;
    ((kz_device_info *)kz_device_get_info(f->device))->l2_bytes = 1 << 12; // few sets
    return bench_remote_open("fake", "tests/python/fake.py", LIB_FOLDER, &f->remote, NULL) ||
           bench_probes_open(f->device, &f->probes, NULL);
}

static int tear_down(void **state) {
    fixture *f = *state;
    bench_outcome_free(f->outcome);
    bench_remote_close(f->remote);
    bench_probes_close(f->probes);
    kz_device_close(f->device);
    free(f);
    return 0;
}

static kz_status run(fixture *f, const char *offers, bool (*interrupted)(void)) {
    static const bench_condition conditions[] = {{.mode = BENCH_LATENCY}, {.mode = BENCH_THROUGHPUT}};
    setenv("KZ_FAKE_OFFERS", offers, 1);
    const bench_request request = {.device = f->device,
                                   .probes = f->probes,
                                   .family = &family,
                                   .c = &the_case,
                                   .seed = 5,
                                   .rule = rule,
                                   .remotes = &f->remote,
                                   .remote_count = 1,
                                   .all_remotes = &f->remote,
                                   .all_remote_count = 1,
                                   .conditions = conditions,
                                   .condition_count = BASE_COUNT(conditions),
                                   .interrupted = interrupted};
    bench_outcome_free(f->outcome);
    return bench_run(&request, &f->outcome, NULL);
}

static const bench_result *find(const fixture *f, const char *name) {
    for (size_t i = 0; i < f->outcome->count; i++)
        if (strcmp(f->outcome->results[i].candidate.name, name) == 0) return &f->outcome->results[i];
    fail_msg("no row for %s", name);
    return NULL;
}

static void expect_failure(const fixture *f, const char *name, kz_status status, const char *why) {
    const bench_result *r = find(f, name);
    assert_int_equal(r->status, status);
    assert_has(r->error.message, why);
}

// ---- those that work ------------------------------------------------------------------------------------

static void expect_timed(const bench_result *r) {
    if (r->status) fail_msg("%s: %s", r->candidate.name, r->error.message);
    assert_true(r->before.done && r->after.done && r->fresh.done);
    for (size_t k = 0; k < 2; k++) {
        assert_true(r->timings[k].taken && r->timings[k].series.count >= 3);
        assert_true(r->timings[k].series.summary.median > 0);
        assert_int_equal(r->timings[k].processes, 2); // kz's and its own
        assert_true(k == 0 ? r->timings[k].runs == 1 : r->timings[k].runs >= 1);
    }
}

static void a_right_one_is_timed_as_any_other(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "right,prints", NULL), KZ_OK);
    expect_timed(find(f, "right"));
    expect_timed(find(f, "prints")); // what it prints is no reply
    for (size_t k = 0; k < 2; k++) assert_string_equal(f->outcome->beside[k], "fake");
    const bench_candidate *c = &find(f, "right")->candidate;
    assert_int_equal(c->provider, BENCH_PEER);
    assert_string_equal(c->by, "fake");
    assert_string_equal(c->version, "1.0");
    assert_true(c->prepare_seconds > 0);
    assert_int_equal(run(f, "right", NULL), KZ_OK); // the next case: the same process, other memory
    expect_timed(find(f, "right"));
}

// Packed before timing, and again before the check on fresh inputs: what keeps the first ones is wrong there.
static void what_is_packed_follows_the_inputs(void **state) {
    fixture *f = *state;
    run(f, "packs,keeps", NULL);
    expect_timed(find(f, "packs"));
    const bench_result *keeps = find(f, "keeps");
    assert_true(keeps->before.done && keeps->status != KZ_OK);
    assert_has(keeps->error.message, "on fresh inputs");
}

// Results in a rival's own memory are what is compared, in every set; one that an earlier run left there is not.
static void what_is_delivered_is_of_the_run(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "delivers,idles", NULL), KZ_OK);
    const bench_result *delivers = find(f, "delivers"), *idles = find(f, "idles");
    expect_timed(delivers);
    assert_in_range(delivers->after.sets, f->outcome->sets + 1, 2 * f->outcome->sets);
    assert_int_equal(idles->status, KZ_WRONG);
    assert_has(idles->error.message, "after timing");
    assert_has(idles->error.message, "every element is NaN");
}

static void problems_say_axes_scalars_and_seed(void **state) {
    fixture *f = *state;
    bench_data data;
    assert_int_equal(bench_data_open(f->device, NULL, &family, &the_case, 7, 1, &data, NULL), KZ_OK);
    json_t *problem = bench_remote_problem(&data);
    char *text = json_dumps(problem, JSON_COMPACT);
    assert_string_equal(text, "{\"family\":\"vector_add\",\"operation\":\"add\",\"type\":\"f32\","
                              "\"axes\":{\"n\":301},\"scalars\":{\"factor\":2.5},\"seed\":7}");
    free(text);
    json_decref(problem);
    bench_data_close(&data);
}

// ---- those that do not ------------------------------------------------------------------------------------

static void each_failure_is_a_row(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "nan,wrong,raises,crashes,exits,malformed,declines,late,right", NULL), KZ_OK);
    expect_failure(f, "nan", KZ_WRONG, "it is NaN");
    expect_failure(f, "wrong", KZ_WRONG, "only the first of 301 is wrong; element 0 is ");
    expect_failure(f, "raises", KZ_TOOL,
                   "failed while running once: RuntimeError: shapes do not fit (fake.py:");
    expect_failure(f, "crashes", KZ_TOOL, "crashed while running once: killed by signal 11");
    expect_failure(f, "crashes", KZ_TOOL, "its last line: fake: about to crash");
    expect_failure(f, "exits", KZ_TOOL, "ended while running once, with exit status 3");
    expect_failure(f, "malformed", KZ_TOOL, "a line that is no reply while running once: not json");
    expect_failure(f, "declines", KZ_UNSUPPORTED, "only on Sundays");
    expect_failure(f, "late", KZ_TOOL, "crashed while taking a sample");
    expect_timed(find(f, "right")); // in a process that was started anew, each time
}

// Whose process ended is known as lost, who raised is not; figures were taken beside those that gave samples alone.
static void who_is_lost_stands_beside_nobody(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "late,raises,crashes", NULL), KZ_OK);
    assert_int_equal(find(f, "late")->loss, BENCH_CRASHED);
    assert_int_equal(find(f, "crashes")->loss, BENCH_CRASHED);
    assert_int_equal(find(f, "raises")->loss, BENCH_NOT_LOST);
    for (size_t k = 0; k < 2; k++) assert_string_equal(f->outcome->beside[k], "");
    assert_int_equal(run(f, "right", NULL), KZ_OK); // of the next case
    assert_int_equal(find(f, "right")->loss, BENCH_NOT_LOST);
}

// What is right where it is looked at, and fast elsewhere, would be the fastest of all.
static void every_set_is_looked_at(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "skips,ahead,right", NULL), KZ_OK);
    assert_true(f->outcome->sets > 2);
    for (int i = 0; i < 2; i++) {
        const bench_result *r = find(f, i ? "ahead" : "skips");
        char where[80];
        snprintf(where, sizeof where, "after timing, in set %zu of %zu of buffers: ", f->outcome->sets,
                 f->outcome->sets);
        assert_int_equal(r->status, KZ_WRONG);
        assert_has(r->error.message, where);
        assert_false(r->timings[1].taken);
    }
    const bench_result *right = find(f, "right");
    expect_timed(right);
    // Single runs on every set, and the graph, which has as many as its runs: fewer where a run is slow.
    assert_in_range(right->after.sets, f->outcome->sets + 1, 2 * f->outcome->sets);
}

// The one beside them reads what it should.
static void who_writes_an_input_is_named(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "prepares,writes,right", NULL), KZ_OK);
    expect_failure(f, "prepares", KZ_WRONG, "wrote into its input \"y\" while it was prepared");
    expect_failure(f, "writes", KZ_WRONG, "wrote into its input \"x\" before timing");
    expect_timed(find(f, "right"));
}

// In one process, whose stderr has the traceback of the first.
static void last_words_are_of_the_request_in_hand(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "raises,exits", NULL), KZ_OK);
    expect_failure(f, "exits", KZ_TOOL, "ended while running once, with exit status 3");
    assert_null(strstr(find(f, "exits")->error.message, "last line"));
}

// Its stderr is read while it runs, and no more than the last of it is kept.
static void one_that_floods_its_stderr_goes_on(void **state) {
    fixture *f = *state;
    assert_int_equal(run(f, "floods", NULL), KZ_OK);
    expect_timed(find(f, "floods"));
}

// ---- what it leaves behind ----------------------------------------------------------------------------------

// The number that somebody writes into the file, of a process that lives.
static pid_t read_left(const char *path) {
    int id = 0;
    for (int i = 0; i < 1000 && !id; i++) {
        FILE *file = fopen(path, "r");
        if (!file || fscanf(file, "%d\n", &id) != 1) id = 0;
        if (file) fclose(file);
        if (!id) poll(NULL, 0, 20);
    }
    assert_true(id > 0);
    return id;
}

// The process that it leaves holds its end of the socket, and is in no group of ours.
static void a_dead_one_is_seen_at_once_and_leaves_nobody(void **state) {
    fixture *f = *state;
    char path[] = "/tmp/kz_left_XXXXXX";
    close(mkstemp(path));
    setenv("KZ_FAKE_LEFT", path, 1);
    assert_int_equal(run(f, "leaves", NULL), KZ_OK);
    expect_failure(f, "leaves", KZ_TOOL, "crashed while running once: killed by signal 11");
    assert_int_equal(kill(read_left(path), 0), -1);
    unlink(path);
}

static void nobody_outlives_a_kz_that_is_killed(void **state) {
    char path[] = "/tmp/kz_left_XXXXXX", script[600];
    close(mkstemp(path));
    snprintf(
        script, sizeof script,
        "import os, sys, time\nsys.path.insert(0, 'peers/python')\nimport guard\nguard.divide()\n"
        "if os.fork() == 0:\n    os.setsid()\n    print(os.getpid(), file=open('%s', 'w'))\ntime.sleep(600)",
        path);
    pid_t kz = fork();
    if (kz == 0) {
        bench_process process = {0};
        bench_process_start(&process, (char *const[]){PYTHON, "-B", "-c", script, NULL}, NULL);
        for (;;) pause();
    }
    pid_t left = read_left(path);
    assert_int_equal(kill(left, 0), 0);
    kill(kz, SIGKILL);
    waitpid(kz, NULL, 0);
    for (int i = 0; i < 1000 && kill(left, 0) == 0; i++) poll(NULL, 0, 20);
    assert_int_equal(kill(left, 0), -1);
    unlink(path);
}

static void one_that_hangs_is_ended(void **state) {
    fixture *f = *state;
    setenv("KZ_RUNNER_TIMEOUT", "3", 1); // for its start, too
    assert_int_equal(run(f, "hangs", NULL), KZ_OK);
    expect_failure(f, "hangs", KZ_TIMEOUT, "hung while running once: no answer within 3 s");
}

static void one_that_hangs_when_it_starts_is_ended(void **state) {
    fixture *f = *state;
    setenv("KZ_RUNNER_TIMEOUT", "0.5", 1);
    setenv("KZ_FAKE_VERSION", "hangs", 1);
    assert_int_equal(run(f, "right", NULL), KZ_OK);
    expect_failure(f, "fake", KZ_TIMEOUT, "hung while starting: no answer within 0.5 s");
}

static int asked;
static bool soon(void) { return ++asked > 8; }

static void an_interrupt_ends_it(void **state) {
    fixture *f = *state;
    asked = 0;
    double start = base_seconds();
    assert_int_equal(run(f, "hangs", soon), KZ_OK);
    assert_true(f->outcome->interrupted);
    assert_true(base_seconds() - start < 20);
}

static void one_that_is_missing_is_no_row(void **state) {
    fixture *f = *state;
    setenv("KZ_FAKE_VERSION", "missing", 1);
    assert_int_equal(run(f, "right", NULL), KZ_OK);
    assert_int_equal(f->outcome->count, 2); // the peaks: a copy and a read
    assert_string_equal(bench_remote_missing(f->remote), "no module named fake; pip install fake");
}

static void one_of_the_wrong_version_is_a_row(void **state) {
    fixture *f = *state;
    setenv("KZ_FAKE_VERSION", "old", 1);
    for (int i = 0; i < 2; i++) { // told again in the next case
        assert_int_equal(run(f, "right", NULL), KZ_OK);
        expect_failure(f, "fake", KZ_TOOL, "is of the wrong version: fake 0.9 is here, 1.0 is wanted");
    }
}

// It has this process's environment as it is now.
static void start_anew(fixture *f) {
    bench_remote_close(f->remote);
    assert_int_equal(bench_remote_open("fake", "tests/python/fake.py", LIB_FOLDER, &f->remote, NULL), KZ_OK);
}

// A provider that calls itself "kz" would be taken for our own kernels, by everybody who reads the records.
static void names_are_checked(void **state) {
    fixture *f = *state;
    static const struct {
        const char *name, *why;
    } rows[] = {{"kz", "NAME = \"kz\" means something else to kz: write another, my_kz"},
                {"torch", "means something else"},
                {"red\x1b[31m", "NAME = \"red?[31m\" is no name: write 1 to 23 letters, digits, _ - or ."},
                {"abcdefghijklmnopqrstuvwxyz", "is no name"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        start_anew(f);
        setenv("KZ_FAKE_NAME", rows[i].name, 1);
        assert_int_equal(run(f, "right", NULL), KZ_OK);
        expect_failure(f, "fake", KZ_TOOL, rows[i].why);
    }
}

// One that was cut off would be the same as another, and control characters reach terminals.
static void versions_are_checked(void **state) {
    fixture *f = *state;
    static const struct {
        const char *version, *why;
    } rows[] = {
        {"1\x1b[31mred\nrow", "version() gives \"1?[31mred?row\", which is none: give 1 to 63 letters"},
        {"", "version() gives \"\", which is none"},
        {"1.00000000000000000000000000000000000000000000000000000000000001", "which is none"},
        {"none", "version() gives None, and should give a string"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        start_anew(f);
        setenv("KZ_FAKE_VERSION", rows[i].version, 1);
        assert_int_equal(run(f, "right", NULL), KZ_OK);
        expect_failure(f, "fake", KZ_TOOL, rows[i].why);
    }
    start_anew(f);
    setenv("KZ_FAKE_VERSION", "2.12.0.dev20261101+cu130 (triton 3.6.0)", 1); // longer than 31
    assert_int_equal(run(f, "right", NULL), KZ_OK);
    assert_string_equal(bench_remote_version(f->remote), "2.12.0.dev20261101+cu130 (triton 3.6.0)");
}

static void names_of_candidates_are_checked(void **state) {
    fixture *f = *state;
    static const struct {
        const char *names, *why;
    } rows[] = {{"a\nb\x1b[31m", "offers a candidate \"a?b?[31m\", which is no name: write 1 to 63 letters"},
                {"right,", "offers a candidate \"\", which is no name"},
                {"right,right", "offers two candidates that are called \"right\""},
                {"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "offers more than 16 candidates"}};
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        start_anew(f);
        assert_int_equal(run(f, rows[i].names, NULL), KZ_OK);
        expect_failure(f, "fake", KZ_TOOL, rows[i].why);
    }
}

static void without_python_it_is_missing(void **state) {
    fixture *f = *state;
    setenv("KZ_PYTHON", "/nowhere/python", 1);
    assert_int_equal(run(f, "right", NULL), KZ_OK);
    assert_int_equal(f->outcome->count, 2);
    assert_has(bench_remote_missing(f->remote), "KZ_PYTHON names /nowhere/python: No such file or directory");
}

static void packages_are_listed_without_being_imported(void **state) {
    json_t *versions = NULL;
    assert_int_equal(bench_python_packages(json_pack("[s]", "no-such-package"), &versions, NULL), KZ_OK);
    assert_string_equal(json_string_value(json_object_get(versions, "no-such-package")), "");
    json_decref(versions);
    setenv("KZ_PYTHON", "/nowhere/python", 1);
    kz_error error = {0};
    assert_int_equal(bench_python_packages(json_array(), &versions, &error), KZ_NOT_FOUND);
    assert_null(versions);
    assert_has(error.message, "KZ_PYTHON names /nowhere/python: No such file or directory");
    setenv("KZ_PYTHON", "no-such-python", 1);
    assert_int_equal(bench_python_packages(json_array(), &versions, &error), KZ_NOT_FOUND);
    assert_has(error.message, "KZ_PYTHON names no-such-python: there is no such program in PATH");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_right_one_is_timed_as_any_other),
        TEST(what_is_packed_follows_the_inputs),
        TEST(what_is_delivered_is_of_the_run),
        TEST(problems_say_axes_scalars_and_seed),
        TEST(each_failure_is_a_row),
        TEST(who_is_lost_stands_beside_nobody),
        TEST(every_set_is_looked_at),
        TEST(who_writes_an_input_is_named),
        TEST(last_words_are_of_the_request_in_hand),
        TEST(one_that_floods_its_stderr_goes_on),
        TEST(a_dead_one_is_seen_at_once_and_leaves_nobody),
        TEST(nobody_outlives_a_kz_that_is_killed),
        TEST(one_that_hangs_is_ended),
        TEST(one_that_hangs_when_it_starts_is_ended),
        TEST(an_interrupt_ends_it),
        TEST(one_that_is_missing_is_no_row),
        TEST(one_of_the_wrong_version_is_a_row),
        TEST(names_are_checked),
        TEST(versions_are_checked),
        TEST(names_of_candidates_are_checked),
        TEST(without_python_it_is_missing),
        TEST(packages_are_listed_without_being_imported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

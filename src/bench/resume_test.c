// What need not be measured again: a request that one run wrote all records of, by the same suite, code, device, case,
// candidates and conditions.
#include "bench/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"

static const kz_family family = {.name = "toy",
                                 .operations = (const char *const[]){"sum", NULL},
                                 .axes = (const char *const[]){"n", NULL}};
static const kz_case small = {.type = KZ_F32, .axes = {10}}, large = {.type = KZ_F32, .axes = {1000}};
static const kz_variant one = {.name = "01_one"}, two = {.name = "02_two"};
static const kz_variant *const first[] = {&one}, *const both[] = {&one, &two};

static const char *digest_of(const bench_run_info *run, const bench_request *q) {
    static char digests[4][BENCH_DIGEST];
    static size_t next;
    char *digest = digests[next++ % 4];
    bench_request_digest(run, q, digest);
    return digest;
}

static void a_digest_tells_requests_apart(void **state) {
    static const bench_condition dirty[] = {{.cache = BENCH_DIRTY}};
    const bench_run_info run = {.commit = "c0ffee", .device = {.name = "GPU"}};
    bench_run_info other[] = {run, run, run, run, run};
    other[0].commit = "beef";
    other[1].suite.digest = "1234";
    other[2].quick = true;
    strcpy(other[3].device.name, "CPU");
    strcpy(other[4].device.gpu, "h200");
    const bench_request q = {.family = &family, .c = &small, .variants = first, .variant_count = 1};
    bench_request asked[] = {q, q, q, q, q};
    asked[0].c = &large;
    asked[1].variants = both, asked[1].variant_count = 2;
    asked[2].seed = 7;
    asked[3].conditions = dirty, asked[3].condition_count = 1;
    asked[4].rule.most_seconds = 0.05; // --time
    char digest[BENCH_DIGEST];
    strcpy(digest, digest_of(&run, &q));
    assert_string_equal(digest, digest_of(&run, &q));
    for (size_t i = 0; i < 5; i++) {
        assert_string_not_equal(digest, digest_of(&other[i], &q));
        assert_string_not_equal(digest, digest_of(&run, &asked[i]));
    }
    // What was lost on the way is no other request.
    const bench_lost lost[] = {{.by = "kz", .name = "01_one", .loss = BENCH_CRASHED}};
    asked[0] = q;
    asked[0].lost = lost, asked[0].lost_count = 1;
    assert_string_equal(digest, digest_of(&run, &asked[0]));
}

static void a_request_is_done_where_one_run_has_all_of_it(void **state) {
    char path[] = "/tmp/kz_resume_XXXXXX";
    int fd = mkstemp(path);
    static const struct {
        const char *run, *digest, *candidate, *mode, *cache;
    } rows[] = {
        {"r1", "aa", "01_one", "latency", "cold"}, {"r2", "aa", "01_one", "latency", "cold"},
        {"r1", "aa", "01_one", "latency", "cold"}, // its file was copied
        {"r1", "bb", "01_one", "latency", "cold"}, {"r1", "bb", "01_one", "throughput", "cold"},
        {"r1", "cc", "01_one", "latency", "cold"}, {"r1", "cc", "02_two", "latency", "cold"},
        {"r1", "dd", "01_one", "latency", "cold"}, {"r1", "dd", "01_one", "latency", "hot"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        dprintf(fd,
                "{\"schema\":1,\"run\":{\"id\":\"%s\"},\"request\":{\"digest\":\"%s\",\"records\":2},"
                "\"candidate\":{\"by\":\"kz\",\"name\":\"%s\"},\"mode\":\"%s\",\"cache\":{\"state\":\"%s\"},"
                "\"stream\":\"later\"}\n",
                rows[i].run, rows[i].digest, rows[i].candidate, rows[i].mode, rows[i].cache);
    dprintf(fd, "{\"schema\":1,\"run\":{\"id\":\"r1\"}\n"
                "{\"schema\":1,\"run\":{\"id\":\"r2\"},\"request\":null,\"candidate\":{}}\n"
                "{\"schema\":1,\"run\":{\"id\":\"r2\"},\"candi");
    close(fd);
    bench_resume *resume;
    kz_error error = {0};
    if (bench_resume_open(path, &resume, &error)) fail_msg("%s", error.message);
    static const char *const whole[] = {"bb", "cc", "dd"};
    for (size_t i = 0; i < BASE_COUNT(whole); i++)
        assert_int_equal(bench_resume_ask(resume, whole[i], NULL), BENCH_MEASURED);
    assert_int_equal(bench_resume_ask(resume, "aa", NULL), BENCH_NOT_MEASURED); // half of it, three times
    assert_int_equal(bench_resume_runs(resume, "aa"), 0);
    assert_int_equal(bench_resume_runs(resume, "bb"), 1);
    assert_true(json_is_true(json_object_get(bench_resume_providers(resume, "bb"), "kz")));
    assert_null(json_object_get(bench_resume_providers(resume, "bb"), "cub"));
    assert_int_equal(bench_resume_ask(NULL, "bb", NULL), BENCH_NOT_MEASURED);
    assert_int_equal(bench_resume_torn(resume), 2);
    bench_resume_close(resume);
    unlink(path);
    assert_int_equal(bench_resume_open(path, &resume, &error), KZ_OK); // not there yet
    assert_int_equal(bench_resume_ask(resume, "bb", NULL), BENCH_NOT_MEASURED);
    bench_resume_close(resume);
}

static bench_resume_answer ask(const bench_resume *resume, const char *digest, const char *now) {
    json_t *rivals = json_loads(now, 0, NULL);
    assert_non_null(rivals);
    bench_resume_answer answer = bench_resume_ask(resume, digest, rivals);
    json_decref(rivals);
    return answer;
}

// A rival that was absent and is here now, or is of another version, was not measured. One that is gone was.
static void rivals_of_then_are_those_of_now(void **state) {
    char path[] = "/tmp/kz_resume_XXXXXX";
    int fd = mkstemp(path);
#define RECORD(run, digest, rivals, status)                                                                  \
    "{\"schema\":1,\"run\":{\"id\":\"" run "\"},\"request\":{\"digest\":\"" digest                           \
    "\",\"records\":1,\"rivals\":" rivals "},\"candidate\":{},\"status\":\"" status "\"}\n"
    static const char text[] = RECORD("r1", "aa", "{\"cub\":\"3.0\",\"torch\":null}", "ok")
        RECORD("r1", "bb", "{\"cub\":\"3.0\"}", "crashed") RECORD("r2", "cc", "{\"cub\":\"3.0\"}", "hung")
            RECORD("r3", "cc", "{\"cub\":\"2.0\"}", "ok");
    assert_true(write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    bench_resume *resume;
    assert_int_equal(bench_resume_open(path, &resume, NULL), KZ_OK);
    unlink(path);
    assert_int_equal(ask(resume, "aa", "{\"cub\":\"3.0\",\"torch\":null}"), BENCH_MEASURED);
    assert_int_equal(ask(resume, "aa", "{\"cub\":null}"), BENCH_MEASURED);
    assert_int_equal(ask(resume, "aa", "{\"cub\":\"3.0\",\"openblas\":\"1\"}"),
                     BENCH_MEASURED); // not this case's
    assert_int_equal(ask(resume, "aa", "{\"cub\":\"3.0\",\"torch\":\"2.11\"}"), BENCH_MEASURED_WITHOUT);
    assert_int_equal(ask(resume, "aa", "{\"cub\":\"3.1\",\"torch\":null}"), BENCH_MEASURED_WITHOUT);
    assert_int_equal(ask(resume, "bb", "{\"cub\":\"3.0\"}"), BENCH_MEASURED_FAILING);
    assert_int_equal(ask(resume, "cc", "{\"cub\":\"3.0\"}"), BENCH_MEASURED_FAILING);
    assert_int_equal(ask(resume, "cc", "{\"cub\":\"2.0\"}"), BENCH_MEASURED); // the best of its runs
    assert_int_equal(bench_resume_runs(resume, "cc"), 2);
    bench_resume_close(resume);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_digest_tells_requests_apart),
        cmocka_unit_test(a_request_is_done_where_one_run_has_all_of_it),
        cmocka_unit_test(rivals_of_then_are_those_of_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

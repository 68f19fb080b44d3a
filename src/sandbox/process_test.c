// Programs with limits: what they get, how they end, and that nothing of them is left.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string.h>

#include "base/emulated_fixture.h"
#include "sandbox/sandbox.h"
#include "unit.h"

static sandbox_result run(const char *script, sandbox_process process) {
    sandbox_result result;
    kz_error error = {0};
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    process.argv = argv;
    if (process.seconds == 0) process.seconds = 20;
    if (process.output_bytes == 0) process.output_bytes = 10000;
    assert_int_equal(sandbox_run(&process, &result, &error), KZ_OK);
    return result;
}

static void end(sandbox_result *result) { sandbox_result_free(result); }

static void input_output_and_answer_go_their_ways(void **state) {
    size_t size = 3000000; // more than pipes hold
    char *input = malloc(size);
    memset(input, 'x', size);
    sandbox_result r = run("cat >&3; echo out; echo err >&2; exit 7",
                           (sandbox_process){.input = input, .input_bytes = size, .answer_bytes = SIZE_MAX});
    assert_int_equal(r.exit_code, 7);
    assert_int_equal(r.answer.length, size);
    assert_memory_equal(r.answer.data, input, size);
    assert_string_equal(r.output.data, "out\nerr\n");
    assert_false(r.timed_out);
    free(input);
    end(&r);
}

static void the_environment_is_scrubbed(void **state) {
    setenv("SECRET_OF_THE_GRADER", "1", 1);
    const char *more[] = {"GIVEN=yes", NULL};
    sandbox_result r = run("env", (sandbox_process){.environment = more});
    assert_null(strstr(r.output.data, "SECRET"));
    assert_non_null(strstr(r.output.data, "GIVEN=yes\n"));
    assert_non_null(strstr(r.output.data, "PATH="));
    end(&r);
}

static void a_program_that_does_not_end_is_stopped(void **state) {
    sandbox_result r = run("sleep 1000", (sandbox_process){.seconds = 0.2});
    assert_true(r.timed_out);
    assert_int_equal(r.signal, SIGKILL);
    assert_int_equal(r.exit_code, 128 + SIGKILL);
    end(&r);
}

static void a_flood_is_cut_and_does_not_block(void **state) {
    sandbox_result r = run("head -c 20000000 /dev/zero; echo end >&3",
                           (sandbox_process){.output_bytes = 5000, .answer_bytes = SIZE_MAX});
    assert_int_equal(r.output.length, 5000);
    assert_string_equal(r.answer.data, "end\n");
    assert_int_equal(r.exit_code, 0);
    end(&r);
}

// Neither pipe's flood is kept, and one does not get into the other.
static void answer_and_log_are_cut_too(void **state) {
    sandbox_result r = run("head -c 20000000 /dev/zero >&3; echo log >&4; head -c 20000000 /dev/zero >&4",
                           (sandbox_process){.answer_bytes = 5000, .log_bytes = 6000});
    assert_int_equal(r.answer.length, 5000);
    assert_int_equal(r.log.length, 6000);
    assert_memory_equal(r.log.data, "log\n", 4);
    assert_int_equal(r.exit_code, 0);
    end(&r);
    r = run("echo 2>/dev/null >&4 || echo closed", (sandbox_process){.answer_bytes = 10});
    assert_string_equal(r.output.data, "closed\n");
    end(&r);
}

static void memory_is_limited(void **state) {
    if (is_emulated()) skip();
    // head keeps the last line in memory: tail of one line without end.
    sandbox_result r = run("head -c 400000000 /dev/zero | tail -n 1 | wc -c",
                           (sandbox_process){.memory = UINT64_C(200) << 20});
    assert_non_null(strstr(r.output.data, "memory"));
    end(&r);
}

// No process "sleep <seconds>" is left on the machine.
static void expect_no_sleeper(const char *seconds) {
    char text[200];
    snprintf(text, sizeof text,
             "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $f 2>/dev/null | "
             "grep -q '^sleep %s ' && echo left; done; true",
             seconds);
    sandbox_result look = run(text, (sandbox_process){0});
    assert_null(look.output.data ? strstr(look.output.data, "left") : NULL);
    end(&look);
}

// What is forked, even into a session of its own, is gone with the run. How long the sleepers sleep is their name: that
// of another test on this machine is another.
static void nothing_is_left_behind(void **state) {
    if (is_emulated()) skip();
    char seconds[32], text[300];
    snprintf(seconds, sizeof seconds, "987.%d", (int)getpid());
    snprintf(text, sizeof text,
             "s='sleep %s'; $s & setsid $s & (setsid sh -c \"$s & $s\" &) ; sleep 0.2; echo done", seconds);
    sandbox_result r = run(text, (sandbox_process){.seconds = 20});
    assert_non_null(strstr(r.output.data, "done"));
    end(&r);
    expect_no_sleeper(seconds);
}

static void a_fork_bomb_ends_with_its_time(void **state) {
    if (is_emulated()) skip();
    // Bounded by itself too, should the limits fail: 400 processes at the most.
    char seconds[32], text[200];
    snprintf(seconds, sizeof seconds, "986.%d", (int)getpid());
    snprintf(text, sizeof text, "i=0; while [ $i -lt 400 ]; do setsid sleep %s & i=$((i+1)); done; wait",
             seconds);
    sandbox_result r = run(text, (sandbox_process){.seconds = 2});
    assert_true(r.timed_out);
    end(&r);
    expect_no_sleeper(seconds);
}

static void killing_the_parent_does_not_reach_us(void **state) {
    sandbox_result r = run("kill -9 $PPID; sleep 100", (sandbox_process){.seconds = 20});
    assert_int_equal(r.signal, SIGKILL);
    assert_false(r.timed_out);
    end(&r);
}

static void a_program_that_is_not_there_is_an_error(void **state) {
    sandbox_result r;
    kz_error error = {0};
    const char *argv[] = {"/no/such/program", NULL};
    assert_int_equal(sandbox_run(&(sandbox_process){.argv = argv, .seconds = 1}, &r, &error), KZ_TOOL);
    assert_non_null(strstr(error.message, "/no/such/program"));
}

static bool at_once(void) { return true; }

static void test_interrupted(void **state) {
    const char *argv[] = {"/bin/sleep", "60", NULL};
    const sandbox_process process = {.argv = argv, .seconds = 60, .interrupted = at_once};
    sandbox_result result;
    kz_error error = {0};
    assert_int_equal(sandbox_run(&process, &result, &error), KZ_BUSY);
    assert_true(result.seconds < 30);
    base_text_free(&result.output);
    base_text_free(&result.answer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(input_output_and_answer_go_their_ways),
        cmocka_unit_test(the_environment_is_scrubbed),
        cmocka_unit_test(a_program_that_does_not_end_is_stopped),
        cmocka_unit_test(a_flood_is_cut_and_does_not_block),
        cmocka_unit_test(answer_and_log_are_cut_too),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(a_fork_bomb_ends_with_its_time),
        cmocka_unit_test(killing_the_parent_does_not_reach_us),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Valgrind's log: totals that are there once, and system calls by which work would not be counted.
#include "counted_run.h"

#include <stdio.h>

#include "unit.h"

#define TOTALS                                                                                               \
    "==7== I   refs:      1,638,106\n==7== D1  misses:        278  (    155 rd   +     123 wr)\n"            \
    "==7== LLd misses:         27  (     15 rd   +      12 wr)\n==7== D1  miss rate:     0.1%\n"

static base_text text_of(const char *log) { return (base_text){.data = (char *)log, .length = strlen(log)}; }

static bool totals(const char *log, course_c_cost *cost) {
    base_text text = text_of(log);
    return course_counted_totals(&text, cost);
}

static bool call(const char *log) {
    base_text text = text_of(log);
    char words[COURSE_CALL_WORDS] = "";
    bool is = course_uncounted_call(&text, words);
    if (is && !strstr(words, ": sys_")) fail_msg("%s: which call?", words);
    return is;
}

static void test_totals(void **state) {
    course_c_cost cost = {0};
    assert_true(totals("==7== Command: ./t\n" TOTALS, &cost));
    assert_true(cost.instructions == 1638106 && cost.d1_misses == 278 && cost.ll_misses == 27);
    assert_true(cost.started_threads == 0);
    assert_true(
        totals("SYSCALL[7,1](56) sys_clone ( 3d0f00, 0x52 ) --> [pre-success] Success(0x4ee2) SYSCALL[7,2](\n"
               "SYSCALL[7,1](56) sys_clone ( 0, 0x52 ) --> [pre-fail] Failure(0x16) \n" TOTALS,
               &cost));
    assert_true(cost.started_threads == 1);
    assert_false(totals("", &cost));
    assert_false(totals(TOTALS "x==7== I   refs:      5\n", &cost));
    assert_false(totals("==7== I   refs:      \n==7== D1  misses: 1\n==7== LLd misses: 1\n", &cost));
}

#ifdef __x86_64__ // their numbers
static void test_calls(void **state) {
    assert_false(call(TOTALS));
    assert_false(
        call("SYSCALL[9,1](12) sys_brk ( 0x0 ) --> [pre-success] Success(0x4000000) \n"
             "SYSCALL[9,1](9) sys_mmap ( 0x486e000, 1400832, 5, 2066, 3, 155648 ) --> Success(0x0) \n"
             "SYSCALL[9,1](9) sys_mmap ( 0x0, 8192, 3, 34, 4294967295, 0 ) --> Success(0x0) \n"
             "SYSCALL[9,1](10) sys_mprotect ( 0x4a0000, 16384, 1 )[sync] --> Success(0x0) \n"
             "SYSCALL[9,1](257) sys_openat ( 4294967196, 0x48f7(/usr/lib/libm.so.6), 524288 )\n"
             "SYSCALL[9,1](257) ... [async] --> Success(0x3) \n"
             "SYSCALL[9,1](157) sys_prctl ( 22, 2, 137422177920, 0, 0 ) --> [async] ... \n"
             "SYSCALL[9,1](202) sys_futex ( 0x4c7d4, 129, 2147483647, 0x0, 0x1 ) --> Success(0x0) \n"
             "SYSCALL[9,1](1) sys_write ( 1, 0x4001260, 20 ) --> [async] ... \n"));
    const char *bad[] = {"9) sys_mmap ( 0x0, 4096, 7, 34, 4294967295, 0 )",
                         "9) sys_mmap ( 0x0, 4096, 5, 34, 4294967295, 0 )",
                         "9) sys_mmap ( 0x0, 4096, 7, 2, 5, 0 )",
                         "10) sys_mprotect ( 0x4a0000, 16384, 5 )",
                         "257) sys_openat ( 4294967196, 0x48f7(own), 577 )",
                         "257) sys_openat ( 4294967196, 0x48f7(/usr/../tmp/own), 577 )",
                         "257) sys_openat ( 4294967196, 0x48f7(/proc/self/fd/0), 2 )",
                         "257) sys_openat ( 4294967196, 0x0 )",
                         "293) sys_pipe2 ( 0x1ffefffde0, 0 )",
                         "319) sys_memfd_create ( 0x48f7(m), 0 )",
                         "59) sys_execve ( 0x10a014(/bin/true), 0x1fff0005a0, 0x1fff000738 )",
                         "322) sys_execveat ( -100, 0x10a014, 0x1fff0005a0, 0x1fff000738, 0 )",
                         "157) sys_prctl ( 15, 137422177920, 0, 0, 0 )",
                         "69) sys_msgsnd ( 0, 0x4001260, 4096, 0 )",
                         "310) sys_process_vm_readv ( 7, 0x1, 1, 0x2, 1, 0 )"};
    for (size_t i = 0; i < BASE_COUNT(bad); i++) {
        char line[200];
        snprintf(line, sizeof line, "anything SYSCALL[9,1](%s --> [pre-success] Success(0x0) \n", bad[i]);
        if (!call(line)) fail_msg("%s", line);
    }
    assert_false(call("SYSCALL[")); // cut off
    assert_false(call("SYSCALL[9,1](257"));
}
#else
static void test_calls(void **state) { skip(); }
#endif

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_totals), cmocka_unit_test(test_calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

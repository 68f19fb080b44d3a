// What a verdict says on a terminal, and what it leaves out.
#include "learn/verdict.h"

#include <stdlib.h>

#include "unit.h"

static const char FINDING[] = "error: data race  [race]\n"
                              "  one\n  two\n  three\n  four\n  five\n  six\n  seven\n"
                              "  likely cause: a missing barrier\n"
                              "  what to do: __syncthreads()\n"
                              "  eleven\n"
                              "\n"
                              "error: data race  [race]\n"
                              "  likely cause: the second one's\n";

static char *show(const course_verdict *verdict, int width) {
    const report_style style = {.width = width, .utf8 = true};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    learn_verdict_print(file, &style, verdict);
    fclose(file);
    return text;
}

static void later_findings_are_short_and_keep_their_advice(void **state) {
    (void)state;
    const course_task task = {.id = "a-task"};
    course_verdict verdict = {
        .task = &task,
        .device = "sim:h200",
        .reason = COURSE_WRONG,
        .check_count = 2,
        .checks = {{.name = "results", .outcome = COURSE_BAD, .reason = COURSE_WRONG, .detail = "x"},
                   {.name = "sanitizer",
                    .outcome = COURSE_BAD,
                    .reason = COURSE_FINDING,
                    .reason_detail = "race",
                    .detail = FINDING}}};
    char *text = show(&verdict, 80);
    assert_non_null(strstr(text, "six"));
    assert_null(strstr(text, "seven"));
    assert_non_null(strstr(text, "likely cause: a missing barrier\n"));
    assert_non_null(strstr(text, "what to do: __syncthreads()\n"));
    assert_null(strstr(text, "the second one's"));
    assert_non_null(strstr(text, "... and 5 more lines"));
    free(text);
    verdict.reason = COURSE_FINDING; // the cause, told after what comes of it
    text = show(&verdict, 80);
    assert_non_null(strstr(text, "the second one's"));
    free(text);
    verdict.reason = COURSE_WRONG;
    verdict.checks[1].reason_detail = "undefined-output"; // what the results say already
    text = show(&verdict, 80);
    assert_non_null(strstr(text, "the same, seen from the host"));
    assert_null(strstr(text, "data race"));
    free(text);
}

static void a_command_is_one_line(void **state) {
    (void)state;
    static const char command[] =
        "next: kz prof /home/somebody/kz-learn/tasks/coalescing-fix/coalescing-fix.cu "
        "--annotate --case \"rows=1024, columns=1024\"\n";
    const course_task task = {.id = "a-task"};
    const course_verdict verdict = {
        .task = &task,
        .device = "sim:h200",
        .check_count = 1,
        .checks = {{.name = "gate", .outcome = COURSE_BAD, .reason = COURSE_GATE_MISSED, .detail = command}}};
    char *text = show(&verdict, 60);
    assert_non_null(strstr(text, command));
    free(text);
}

static void the_head_is_wrapped(void **state) {
    (void)state;
    const course_task task = {.id = "a-task-with-a-rather-long-name-for-a-head", .kind = COURSE_CUDA};
    const course_verdict verdict = {.task = &task, .device = "sim:h200", .fresh_seed = 4000000000};
    char *text = show(&verdict, 80);
    assert_non_null(strstr(text, "(fresh)\n"));
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") < 80);
    free(text);
}

// A name of a file is its author's to choose: it turns no text, and sets no title.
static void a_name_gives_no_orders(void **state) {
    (void)state;
    const course_task task = {.id = "a-task"};
    const course_verdict verdict = {.task = &task,
                                    .device = "cpu",
                                    .file = "/a\033]0;owned\007/\xe2\x80\xae"
                                            "b.c"};
    char *text = show(&verdict, 80);
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_non_null(strstr(text, "]0;owned"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_findings_are_short_and_keep_their_advice),
        cmocka_unit_test(a_command_is_one_line),
        cmocka_unit_test(the_head_is_wrapped),
        cmocka_unit_test(a_name_gives_no_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

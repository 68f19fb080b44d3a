// What is the same for all kinds: the file, its includes, the device and the seeds. It is a kernel that is refused before
// a compiler reads it. The rules on words are tried in tests/cheats/text and words.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "course.h"
#include "source_text.h"
#include "unit.h"

typedef struct work_folder {
    char folder[64], file[128], task[128];
} work_folder;

static work_folder make_work_folder(const char *source) {
    work_folder p = {.folder = "/tmp/kz-grade-test-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.file, sizeof p.file, "%s/mine.cu", p.folder);
    snprintf(p.task, sizeof p.task, "%s/course/tasks/one/twice", p.folder);
    assert_int_equal(base_make_folders(p.task, NULL), KZ_OK);
    assert_int_equal(base_file_write(p.file, source, strlen(source), NULL), KZ_OK);
    return p;
}

static void remove_work_folder(const work_folder *p) {
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    assert_int_equal(system(command), 0);
}

// The kernel's own part is not reached, for what it includes is refused.
static course_verdict grade(const work_folder *p) {
    static course_task task; // outlives the verdict
    task = (course_task){.id = "twice", .folder = p->task, .kind = COURSE_CUDA};
    course_verdict verdict;
    kz_error error = {0};
    const course_grade_job job = {.task = &task, .file = p->file, .device = "sim", .kz = "/bin/false"};
    if (course_grade(&job, &verdict, &error)) fail_msg("%s", error.message);
    return verdict;
}

static void expect_folder_refused(work_folder p, const char *words) {
    course_verdict verdict = grade(&p);
    assert_false(verdict.passed);
    assert_int_equal(verdict.reason, COURSE_SOURCE);
    if (!strstr(verdict.checks[0].summary, words)) fail_msg("%s", verdict.checks[0].summary);
    assert_true(verdict.fresh_seed != 0 && verdict.fresh_seed != verdict.public_seed);
    assert_string_equal(verdict.file, p.file);
    course_verdict_close(&verdict);
    remove_work_folder(&p);
}

static void expect_refused(const char *source, const char *words) {
    expect_folder_refused(make_work_folder(source), words);
}

static void put(const work_folder *p, const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), KZ_OK);
}

static void the_courses_files_are_not_included(void **state) {
    expect_refused("\n#include \"solution.cu\"\n", "mine.cu:2");
    expect_refused("  #  include <../one/solution.cu>\n", "file of the course");
    expect_refused("#define NAME \"x.h\"\n#include NAME\n", "mine.cu:2");
    expect_refused("asm(\".incbin \\\"f\\\"\");\n", ".incbin");
    work_folder p = make_work_folder("#include \"course/tasks/one/twice/notes.h\"\n");
    char path[200];
    snprintf(path, sizeof path, "%s/notes.h", p.task);
    assert_int_equal(base_file_write(path, "", 0, NULL), KZ_OK);
    course_verdict verdict = grade(&p);
    assert_int_equal(verdict.reason, COURSE_SOURCE);
    course_verdict_close(&verdict);
    remove_work_folder(&p);
}

// The compiler joins lines, knows other spellings, and reads the headers that a file includes.
static void nothing_hides_an_include(void **state) {
    expect_refused("\n#inc\\\nlude \"solution.cu\"\n", "mine.cu:2");
    expect_refused("#inc\\\r\nlude \"solution.cu\"\r\n", "mine.cu:1");
    expect_refused("%:include \"solution.cu\"\n", "mine.cu:1");
    expect_refused("#import \"solution.cu\"\n", "mine.cu:1");
    expect_refused("\xef\xbb\xbf#include \"solution.cu\"\n", "mine.cu:1");
    expect_refused("#inc\\ \t\nlude \"solution.cu\"\n", "mine.cu:1");
    expect_refused("auto a = L'/*';\n#include \"solution.cu\"\nauto b = L'*/';\n", "mine.cu:2");
    expect_refused("auto a = u8R\"x(\" /* )x\";\n#include \"solution.cu\"\n// */\n", "mine.cu:2");
    expect_refused("#define XR\nauto a = XR\"(\";\n#include \"solution.cu\"\nauto b = \")\";\n", "mine.cu:3");
    expect_refused("auto a = 0x1'f + '\"';\n#include \"solution.cu\" // \"\n", "mine.cu:2");
    expect_refused("asm(\".inc\"\n\"bin 'f'\");\n", "mine.cu:1: .incbin");
    expect_refused("#include \"/proc/self/cmdline\"\n", "a device or a pipe");
    work_folder p = make_work_folder("#include \"own.h\"\n");
    put(&p, "own.h", "#pragma once\n#include \"own.h\"\n#include \"x/solution.cu\"\n");
    expect_folder_refused(p, "own.h:3: this includes");
}

// What nobody looks through is not taken.
static void headers_have_limits(void **state) {
    work_folder p = make_work_folder("#include \"large.h\"\n");
    char name[32], text[128], *large = malloc((1 << 20) + 2);
    assert_non_null(large);
    memset(large, '\n', (1 << 20) + 1);
    large[(1 << 20) + 1] = 0;
    put(&p, "large.h", large);
    free(large);
    expect_folder_refused(p, "mine.cu:1: this header is larger than 1 MiB");
    p = make_work_folder("#include \"0.h\"\n");
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "%d.h", i);
        snprintf(text, sizeof text, "\n#include \"%d.h\"\n", i + 1);
        put(&p, name, text);
    }
    expect_folder_refused(p, "7.h:2: headers that include each other more than 8 deep");
    base_text all = {0};
    for (int i = 0; i < 64; i++) base_text_add(&all, "#include \"%d.h\"\n", i);
    p = make_work_folder(all.data);
    base_text_free(&all);
    for (int i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "%d.h", i);
        put(&p, name, "\n");
    }
    expect_folder_refused(p, "mine.cu:64: more than 63 headers");
}

static void only_plain_text_is_read(void **state) {
    work_folder p = make_work_folder("x");
    char pipe[128];
    char *source = NULL;
    kz_error error = {0};
    snprintf(pipe, sizeof pipe, "%s/pipe", p.folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(course_read_submission(pipe, &source, &error), KZ_INVALID);
    assert_int_equal(course_read_submission(p.folder, &source, &error), KZ_INVALID);
    assert_non_null(strstr(error.message, "is a folder"));
    assert_int_equal(course_read_submission("/dev/zero", &source, &error), KZ_INVALID);
    assert_int_equal(base_file_write(p.file, "a\0b", 3, NULL), KZ_OK);
    assert_int_equal(course_read_submission(p.file, &source, &error), KZ_INVALID);
    assert_null(source);
    remove_work_folder(&p);
}

static void a_file_that_is_not_there_is_an_error(void **state) {
    course_task task = {.id = "twice", .folder = "/nowhere", .kind = COURSE_CUDA};
    course_verdict verdict;
    kz_error error = {0};
    const course_grade_job job = {.task = &task, .file = "/no/such.cu", .kz = "/bin/false"};
    assert_int_equal(course_grade(&job, &verdict, &error), KZ_NOT_FOUND);
    assert_non_null(strstr(error.message, "/no/such.cu"));
    assert_false(verdict.passed);
    course_verdict_close(&verdict);
}

static void the_first_bad_row_gives_the_reason(void **state) {
    course_verdict v = {.arena = base_arena_open(), .passed = true};
    course_verdict_add(&v, "results", COURSE_RIGHT, COURSE_PASSED, NULL, "all right", "");
    assert_true(v.passed);
    // What a submission printed does not reach the terminal as it is.
    course_check *row =
        course_verdict_add(&v, "said", COURSE_RIGHT, COURSE_PASSED, NULL, "", "\033[2J\xff\n");
    assert_string_equal(row->detail, "\xef\xbf\xbd[2J\xef\xbf\xbd\n");
    course_verdict_add(&v, "sanitizer", COURSE_BAD, COURSE_FINDING, "race", "a race", "words");
    course_verdict_add(&v, "loads", COURSE_BAD, COURSE_GATE_MISSED, "loads", "too many", "");
    assert_false(v.passed);
    assert_int_equal(v.reason, COURSE_FINDING);
    assert_string_equal(v.reason_detail, "race");
    for (int i = 0; i < 2 * COURSE_CHECKS; i++)
        course_verdict_add(&v, "x", COURSE_RIGHT, COURSE_PASSED, "", "", "");
    assert_int_equal(v.check_count, COURSE_CHECKS);
    course_verdict_close(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_courses_files_are_not_included),
        cmocka_unit_test(nothing_hides_an_include),
        cmocka_unit_test(headers_have_limits),
        cmocka_unit_test(only_plain_text_is_read),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
        cmocka_unit_test(the_first_bad_row_gives_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

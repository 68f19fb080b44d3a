// The child of the grader without a process around it: jobs and answers as bytes, runs on the simulator, and what
// goes wrong in them.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "judge.h"
#include "unit.h"

enum { N = 70 };

// (const float *x, float *y, unsigned n): y[i] = 2 * x[i]; with n = 0, it never ends; n > N goes past the end.
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry twice(.param .u64 x, .param .u64 y, .param .u32 n) {\n"
    " .reg .pred %p<3>;\n .reg .b32 %r<6>;\n .reg .f32 %f<3>;\n .reg .b64 %rd<6>;\n"
    " ld.param.u64 %rd1, [x];\n ld.param.u64 %rd2, [y];\n ld.param.u32 %r1, [n];\n"
    "again: setp.eq.u32 %p2, %r1, 0;\n @%p2 add.u32 %r5, %r5, 1;\n @%p2 bra again;\n"
    " mov.u32 %r2, %tid.x;\n mov.u32 %r3, %ctaid.x;\n mov.u32 %r4, %ntid.x;\n"
    " mad.lo.u32 %r2, %r3, %r4, %r2;\n setp.ge.u32 %p1, %r2, %r1;\n @%p1 ret;\n"
    " mul.wide.u32 %rd3, %r2, 4;\n add.u64 %rd4, %rd1, %rd3;\n add.u64 %rd5, %rd2, %rd3;\n"
    " ld.global.f32 %f1, [%rd4];\n add.f32 %f2, %f1, %f1;\n st.global.f32 [%rd5], %f2;\n"
    " ret;\n}\n";

typedef struct fixture {
    float x[N];
    course_judge_run runs[3];
    course_judge_job job;
    char *bytes; // what came back: an answer points into them
} fixture;

static void fill_run(fixture *f, course_judge_run *run, uint32_t n) {
    *run = (course_judge_run){.name = "a case",
                              .observe = "races,sync,undefined,counters",
                              .want_outputs = true,
                              .launch = {.size = sizeof(kz_launch), .grid = {4, 1, 1}, .block = {32, 1, 1}},
                              .buffer_count = 2,
                              .argument_count = 3};
    run->buffers[0] = (course_judge_buffer){.name = "x",
                                            .type = KZ_F32,
                                            .role = COURSE_INPUT,
                                            .fill = -1,
                                            .count = N,
                                            .bytes = sizeof f->x,
                                            .data = f->x};
    run->buffers[1] = (course_judge_buffer){
        .name = "y", .type = KZ_F32, .role = COURSE_OUTPUT, .fill = -1, .count = N, .bytes = sizeof f->x};
    run->arguments[0] = (course_judge_argument){.is_buffer = true, .buffer = 0};
    run->arguments[1] = (course_judge_argument){.is_buffer = true, .buffer = 1};
    run->arguments[2] = (course_judge_argument){.bits = n};
}

static fixture make(uint32_t runs) {
    fixture f = {.job = {.device = "sim", .name = "twice.cu", .entry = "twice", .ptx = ptx, .seconds = 20}};
    for (int i = 0; i < N; i++) f.x[i] = (float)i + 0.5f;
    f.job.run_count = runs;
    f.job.timing = (course_judge_timing){.rival = "", .rival_entry = ""};
    return f;
}

static void judge(fixture *f, uint32_t last_n, course_judge_answer *answer) {
    for (uint32_t i = 0; i < f->job.run_count; i++)
        fill_run(f, &f->runs[i], i + 1 == f->job.run_count ? last_n : N);
    f->job.runs = f->runs;
    base_text job = {0};
    course_judge_job_write(&f->job, &job);
    FILE *out = tmpfile();
    kz_error error = {0};
    if (course_judge(job.data, job.length, fileno(out), &error)) fail_msg("%s", error.message);
    long size = lseek(fileno(out), 0, SEEK_END);
    f->bytes = malloc((size_t)size + 1);
    assert_int_equal(pread(fileno(out), f->bytes, (size_t)size, 0), size);
    assert_int_equal(course_judge_answer_read(f->bytes, (size_t)size, answer, NULL), KZ_OK);
    assert_true(answer->complete);
    fclose(out);
    base_text_free(&job);
}

static void finish(fixture *f, course_judge_answer *answer) {
    course_judge_answer_close(answer);
    free(f->bytes);
}

static void outputs_and_the_record_come_back(void **state) {
    fixture f = make(2);
    course_judge_answer a;
    judge(&f, N, &a);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.status, KZ_OK);
    assert_string_equal(a.device, "sim:h200");
    for (uint32_t r = 0; r < 2; r++) {
        float y[N]; // the bytes lie as they came, at any alignment
        assert_int_equal(a.results[r].status, KZ_OK);
        assert_memory_equal(a.results[r].got[0], f.x, sizeof f.x);
        memcpy(y, a.results[r].got[1], sizeof y);
        for (int i = 0; i < N; i++) assert_true(y[i] == 2 * f.x[i]);
        assert_non_null(strstr(a.results[r].record, "ptx__inst_executed.sum"));
        assert_null(strstr(a.results[r].record, "\"type\":\"finding\""));
    }
    finish(&f, &a);
}

static void an_element_that_is_not_written_is_a_finding(void **state) {
    fixture f = make(1);
    course_judge_answer a;
    judge(&f, N - 3, &a);
    assert_int_equal(a.results[0].status, KZ_OK);
    assert_non_null(strstr(a.results[0].record, "undefined-output"));
    assert_non_null(strstr(a.results[0].record, "buffer y"));
    finish(&f, &a);
}

static void bounds_are_exact_and_the_first_fault_is_the_last_run(void **state) {
    fixture f = make(3);
    course_judge_answer a;
    fixture first = make(1);
    judge(&first, N + 1, &a);
    assert_int_equal(a.count, 1);
    assert_int_equal(a.results[0].status, KZ_FAULT);
    assert_non_null(strstr(a.results[0].message, "out of bounds"));
    finish(&first, &a);
    judge(&f, N + 1, &a);
    assert_int_equal(a.count, 3);
    assert_int_equal(a.results[2].status, KZ_FAULT);
    finish(&f, &a);
}

static void an_endless_loop_is_stopped_with_its_warp(void **state) {
    fixture f = make(1);
    course_judge_answer a;
    f.job.seconds = 0.2;
    judge(&f, 0, &a);
    assert_int_equal(a.results[0].status, KZ_TIMEOUT);
    assert_non_null(strstr(a.results[0].message, "warp 0"));
    assert_non_null(strstr(a.results[0].message, "twice.cu"));
    finish(&f, &a);
}

static void what_is_no_kernel_is_reported(void **state) {
    fixture f = make(1);
    course_judge_answer a;
    f.job.entry = "thrice";
    judge(&f, N, &a);
    assert_int_equal(a.count, 0);
    assert_true(a.status != KZ_OK);
    assert_non_null(strstr(a.message, "thrice"));
    finish(&f, &a);
}

static void cut_bytes_are_refused(void **state) {
    fixture f = make(1);
    base_text job = {0};
    kz_error error = {0};
    fill_run(&f, &f.runs[0], N);
    f.job.runs = f.runs;
    course_judge_job_write(&f.job, &job);
    base_arena *arena = base_arena_open();
    course_judge_job read;
    assert_int_equal(course_judge_job_read(arena, job.data, job.length, &read, &error), KZ_OK);
    assert_string_equal(read.runs[0].buffers[1].name, "y");
    for (size_t length = 0; length < job.length; length += 1 + length / 7)
        assert_int_not_equal(course_judge_job_read(arena, job.data, length, &read, &error), KZ_OK);
    base_arena_close(arena);
    base_text_free(&job);
    course_judge_answer a;
    assert_int_equal(course_judge_answer_read("rx", 2, &a, &error), KZ_OK);
    assert_false(a.complete);
    assert_int_equal(a.count, 0);
    course_judge_answer_close(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_and_the_record_come_back),
        cmocka_unit_test(an_element_that_is_not_written_is_a_finding),
        cmocka_unit_test(bounds_are_exact_and_the_first_fault_is_the_last_run),
        cmocka_unit_test(an_endless_loop_is_stopped_with_its_warp),
        cmocka_unit_test(what_is_no_kernel_is_reported),
        cmocka_unit_test(cut_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

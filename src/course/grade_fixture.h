// For tests of grading: a task in a temporary folder, and a submission to it.
#ifndef COURSE_GRADE_FIXTURE_H
#define COURSE_GRADE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "course.h"
#include "scratch.h"
#include "toolchain/toolchain.h"
#include "unit.h"

typedef struct fixture {
    char folder[TOOLCHAIN_PATH], task_folder[TOOLCHAIN_PATH + 64];
    base_arena *arena;
    course_task task;
    course_verdict verdict;
    const char *kz;
    course_replay *replay;
    kz_error error;
} fixture;

static inline void put_file(const char *folder, const char *name, const char *text) {
    char path[TOOLCHAIN_PATH + 128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *slash = strrchr(path, '/');
    *slash = 0;
    assert_int_equal(base_make_folders(path, NULL), KZ_OK);
    *slash = '/';
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), KZ_OK);
}

// A task whose solution is `solution`; the id is "tried".
static inline fixture open_task_with(const char *toml, const char *extension, const char *solution,
                                     const char *reference) {
    fixture f = {0};
    char name[32];
    assert_int_equal(toolchain_work_open(f.folder, NULL), KZ_OK);
    snprintf(f.task_folder, sizeof f.task_folder, "%s/tasks/topic/tried", f.folder);
    snprintf(name, sizeof name, "solution.%s", extension);
    put_file(f.task_folder, "task.toml", toml);
    put_file(f.task_folder, "statement.md", "Do it.\n");
    put_file(f.task_folder, "hints.md", "## One\na\n## Two\nb\n## Three\nc\n");
    put_file(f.task_folder, name, solution);
    if (reference) put_file(f.task_folder, "reference.c", reference);
    f.arena = base_arena_open();
    if (course_task_load(f.arena, f.task_folder, &f.task, &f.error)) fail_msg("%s", f.error.message);
    return f;
}

static inline fixture open_task(const char *toml, const char *extension, const char *solution) {
    return open_task_with(toml, extension, solution, NULL);
}

static inline void print_verdict(const course_verdict *v) {
    for (size_t i = 0; i < v->check_count; i++)
        print_message("%d %-12s %s\n%s\n", (int)v->checks[i].outcome, v->checks[i].name, v->checks[i].summary,
                      v->checks[i].detail);
}

static inline kz_status try_grade(fixture *f, const char *submission) {
    char file[TOOLCHAIN_PATH + 64], name[64];
    if (f->verdict.arena) course_verdict_close(&f->verdict);
    snprintf(name, sizeof name, "work/tried/tried.%s", f->task.extension);
    put_file(f->folder, name, submission);
    snprintf(file, sizeof file, "%s/%s", f->folder, name);
    course_grade_job job = {.task = &f->task,
                            .file = file,
                            .device = "sim",
                            .kz = f->kz,
                            .no_time = true,
                            .fresh_seed = 7,
                            .replay = f->replay};
    return course_grade(&job, &f->verdict, &f->error);
}

static inline void grade(fixture *f, const char *submission) {
    if (try_grade(f, submission)) fail_msg("the grader: %s", f->error.message);
    if (getenv("KZ_SHOW_VERDICTS")) print_verdict(&f->verdict);
}

// The row `name` of the last grading.
static inline const course_check *row(const fixture *f, const char *name) {
    for (size_t i = 0; i < f->verdict.check_count; i++)
        if (strcmp(f->verdict.checks[i].name, name) == 0) return &f->verdict.checks[i];
    print_verdict(&f->verdict);
    fail_msg("there is no row \"%s\"", name);
    return NULL;
}

static inline void expect_pass(fixture *f, const char *submission) {
    grade(f, submission);
    if (f->verdict.passed) return;
    print_verdict(&f->verdict);
    fail_msg("it should pass");
}

// Fails for this reason (and detail, unless NULL), and some row has these words.
static inline void expect_fail(fixture *f, const char *submission, course_reason reason, const char *detail,
                               const char *words) {
    grade(f, submission);
    bool said = false;
    for (size_t i = 0; i < f->verdict.check_count; i++)
        said =
            said || strstr(f->verdict.checks[i].detail, words) || strstr(f->verdict.checks[i].summary, words);
    bool right = !f->verdict.passed && f->verdict.reason == reason && said &&
                 (!detail || strcmp(f->verdict.reason_detail ? f->verdict.reason_detail : "", detail) == 0);
    if (right) return;
    print_verdict(&f->verdict);
    fail_msg("wanted %s %s with \"%s\"; it is %s %s", course_reason_name(reason), detail ? detail : "", words,
             course_reason_name(f->verdict.reason), f->verdict.reason_detail ? f->verdict.reason_detail : "");
}

static inline void close_task(fixture *f) {
    if (f->verdict.arena) course_verdict_close(&f->verdict);
    base_arena_close(f->arena);
    course_scratch_close(f->folder);
}

#endif

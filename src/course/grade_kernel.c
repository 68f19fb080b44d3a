// Grading a kernel: compiled to PTX here, run by a child (judge.c), judged here.
//
// Every case runs on the public seed and on a fresh one, small ones under more schedules, all with the
// sanitizer's instruments listening, of one module in one process, so that what a kernel remembers shows. Gates have
// runs of their own, with counters too: with data of no case and in a fresh module, so that nothing is remembered. On a GPU a second child runs the cases there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "barriers.h"
#include "course.h"
#include "declared.h"
#include "family/lines.h"
#include "gate.h"
#include "grade_kernel.h"
#include "judge.h"
#include "ptx/ptx.h"
#include "toolchain/toolchain.h"

enum {
    SMALL_ELEMENTS = 3000,
    MORE_SCHEDULES = 2,
    GRACE_SECONDS = 10,
    GATE_CASES = 16,
    MOST_ANSWER = 1 << 30,
    LEAST_COUNTED = 256,    // elements: with fewer, most of a block's lanes have nothing to do
    MOST_COUNTED = 1 << 20, // what is counted in a moment
};

static const uint64_t OWN_BYTES = UINT64_C(1) << 30; // what the judge itself and the inputs need

static void say(const course_kernel_grading *g, const char *what) {
    if (g->job->progress) g->job->progress(what, g->job->progress_context);
}

static bool check_signature(course_kernel_grading *g, course_verdict *verdict) {
    base_text summary = {0}, detail = {0};
    bool fits = course_kernel_fits(g->job->task, g->module, &summary, &detail);
    if (!fits)
        course_verdict_add(verdict, "signature", COURSE_BAD, COURSE_SIGNATURE, "", summary.data, detail.data);
    base_text_free(&summary);
    base_text_free(&detail);
    return fits;
}

// ---- the runs -------------------------------------------------------------------------------------------

// The sanitizer's instruments but for those that the task leaves out.
static void choose_instruments(const course_task *task, char words[64]) {
    static const char *const all[] = {"races", "sync", "undefined"};
    words[0] = 0;
    for (size_t i = 0; i < BASE_COUNT(all); i++) {
        bool skipped = false;
        for (size_t k = 0; task->sanitize_skip && task->sanitize_skip[k]; k++) {
            const char *word = task->sanitize_skip[k];
            skipped = skipped || strcmp(word, all[i]) == 0 || (strcmp(word, "race") == 0 && i == 0);
        }
        if (!skipped)
            snprintf(words + strlen(words), 64 - strlen(words), "%s%s", words[0] ? "," : "", all[i]);
    }
}

static kz_status add_run(course_kernel_grading *g, size_t data, const char *observe, uint64_t schedule,
                         bool is_gate, kz_error *error) {
    if (g->job_count == COURSE_KERNEL_RUNS)
        return base_fail(error, KZ_LIMIT, "task %s has too many cases: at most %d runs fit", g->job->task->id,
                         COURSE_KERNEL_RUNS);
    const course_data *d = &g->data[data];
    course_kernel_run *own = &g->own[g->job_count];
    course_judge_run *run = &g->runs[g->job_count++];
    char name[200];
    course_case_name(g->job->task, d->c, name, sizeof name);
    *own = (course_kernel_run){.data = data, .schedule = schedule, .is_gate = is_gate};
    snprintf(own->name, sizeof own->name, "%s, seed %llu", name, (unsigned long long)d->seed);
    *run = (course_judge_run){.name = own->name,
                              .observe = observe,
                              .schedule = schedule,
                              .misalign = d->c->misalign,
                              .want_outputs = true, // of gates too: who does nothing there counts little
                              .is_alone = is_gate,
                              .launch = g->launches[data]};
    course_kernel_fill_run(d, g->fills, &g->launches[data], run);
    return KZ_OK;
}

static kz_status add_data(course_kernel_grading *g, const course_case *c, uint64_t seed, size_t *index,
                          kz_error *error) {
    if (g->data_count == COURSE_KERNEL_RUNS)
        return base_fail(error, KZ_LIMIT, "task %s has too many cases", g->job->task->id);
    *index = g->data_count;
    kz_status status = course_kernel_launch(g->job->task, c, &g->lines, &g->launches[*index],
                                            &g->own_launch_is_wrong, error);
    if (!status) status = course_data_open(g->job->task, g->reference, c, seed, &g->data[*index], error);
    if (status) return status;
    g->data[*index].launch = &g->launches[*index];
    g->data[*index].fills = g->fills;
    g->data[*index].is_grid_given = course_kernel_gives_grid(g->job->task, &g->lines);
    g->data_count++;
    return KZ_OK;
}

static uint64_t elements_of(const course_data *data) {
    uint64_t sum = 0;
    for (size_t i = 0; i < data->task->parameter_count; i++) sum += data->counts[i];
    return sum;
}

static kz_status plan_cases(course_kernel_grading *g, kz_error *error) {
    const course_task *task = g->job->task;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && !status; i++) {
        size_t open = 0, fresh = 0;
        status = add_data(g, &task->cases[i], g->public_seed, &open, error);
        if (!status) status = add_data(g, &task->cases[i], g->job->fresh_seed, &fresh, error);
        if (!status) status = add_run(g, open, g->instruments, 0, false, error);
        if (!status) status = add_run(g, fresh, g->instruments, 1, false, error);
        for (uint64_t k = 0; k < MORE_SCHEDULES && !status; k++)
            if (elements_of(&g->data[open]) <= SMALL_ELEMENTS)
                status = add_run(g, open, g->instruments, 2 + k, false, error);
    }
    return status;
}

// A task without gates: its largest case is counted all the same, for the lanes.
static kz_status plan_lanes(course_kernel_grading *g, kz_error *error) {
    const course_data *largest = NULL;
    for (size_t i = 0; i < g->data_count; i++) {
        uint64_t elements = elements_of(&g->data[i]);
        if (elements < LEAST_COUNTED || elements > MOST_COUNTED) continue;
        if (!largest || elements > elements_of(largest)) largest = &g->data[i];
    }
    if (!largest) return KZ_OK;
    size_t data = 0;
    kz_status status = add_data(g, largest->c, course_gate_seed(g->job->fresh_seed), &data, error);
    g->lanes_run = g->job_count;
    if (!status) status = add_run(g, data, g->gate_instruments, 0, true, error);
    return status;
}

static kz_status plan_gates(course_kernel_grading *g, kz_error *error) {
    const course_task *task = g->job->task;
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->gate_count && !status; i++) {
        size_t k = 0, data = 0;
        while (k < i && !course_gate_same_case(task, &task->gates[k].at, &task->gates[i].at)) k++;
        if (k < i) {
            g->gate_runs[i] = g->gate_runs[k];
            continue;
        }
        status = add_data(g, &task->gates[i].at, course_gate_seed(g->job->fresh_seed), &data, error);
        g->gate_runs[i] = g->job_count;
        if (!status) status = add_run(g, data, g->gate_instruments, 0, true, error);
    }
    return status;
}

// ---- the child ------------------------------------------------------------------------------------------

// The child's folder is another: a file that describes a GPU is named by its whole path.
static bool name_gpu(char variable[COURSE_PATH + 8]) {
    const char *named = getenv("KZ_GPU");
    char *path = named ? realpath(named, NULL) : NULL;
    bool is_file = path && strlen(path) < COURSE_PATH;
    if (is_file) snprintf(variable, COURSE_PATH + 8, "KZ_GPU=%s", path);
    free(path);
    return is_file;
}

kz_status course_kernel_run_child(const course_kernel_grading *g, const course_judge_job *job, double seconds,
                                  course_judge_answer *answer, sandbox_result *ended, kz_error *error) {
    base_text input = {0};
    course_judge_job_write(job, &input);
    const char *argv[] = {g->job->kz, "judge", NULL};
    bool is_sim = strncmp(job->device, "sim", 3) == 0; // a driver maps as it likes
    char gpu[COURSE_PATH + 8];
    const char *environment[] = {name_gpu(gpu) ? gpu : NULL, NULL};
    const sandbox_process process = {.argv = argv,
                                     .input = input.data,
                                     .input_bytes = input.length,
                                     .seconds = seconds + GRACE_SECONDS,
                                     .data = is_sim ? g->job->task->limit_bytes + OWN_BYTES : 0,
                                     .output_bytes = 20000,
                                     .answer_bytes = MOST_ANSWER,
                                     .interrupted = g->job->interrupted,
                                     .environment = environment,
                                     .is_confined = true,
                                     .uses_gpu = !is_sim};
    kz_status status = input.failed ? base_fail(error, KZ_NO_MEMORY, "no memory for the job")
                                    : sandbox_run(&process, ended, error);
    base_text_free(&input);
    if (!status) status = course_judge_answer_read(ended->answer.data, ended->answer.length, answer, error);
    return status;
}

// ---- all of it ------------------------------------------------------------------------------------------

static kz_status open_grading(course_kernel_grading *g, const char *source, course_verdict *verdict,
                              kz_error *error) {
    const course_task *task = g->job->task;
    kz_error said = {0};
    bool refused = false;
    say(g, "compiling");
    kz_status status =
        course_kernel_compile(task, g->job->file, false, &g->tools, &g->ptx, &g->warnings, &refused, &said);
    if (refused) {
        size_t line =
            said.status == KZ_TOOL ? strcspn(said.message, "\n") : 0; // "nvcc could not compile ..."
        course_verdict_add(verdict, "compiles", COURSE_BAD, COURSE_COMPILE, "", "the compiler refuses it",
                           line && said.message[line] ? said.message + line + 1 : said.message);
        return KZ_OK;
    }
    if (status) {
        if (error) *error = said;
        return status;
    }
    status = ptx_module_open(g->job->file, g->ptx, strlen(g->ptx), &g->module, error);
    if (status) return status;
    if (!check_signature(g, verdict)) return KZ_OK;
    course_verdict_add(verdict, "compiles", COURSE_RIGHT, COURSE_PASSED, NULL, "as CUDA C++, to PTX", "");
    course_verdict_add_warnings(verdict, &g->warnings);
    status = family_lines_read(verdict->arena, g->job->file, source, &g->lines, &said);
    g->lines.is_strict = true;
    if (!status) status = course_kernel_fills(task, &g->lines, g->fills, &said);
    if (status) {
        course_verdict_add(verdict, "launch", COURSE_BAD, COURSE_SIGNATURE, "launch",
                           "a launch line is wrong", said.message);
        return KZ_OK;
    }
    course_declared_types(task, source, &g->other_types);
    choose_instruments(task, g->instruments);
    snprintf(g->gate_instruments, sizeof g->gate_instruments, "counters,caches,cold%s%s",
             g->instruments[0] ? "," : "", g->instruments);
    status = course_reference_open(task, &g->reference, error);
    if (!status) status = plan_cases(g, &said);
    g->case_runs = g->job_count;
    if (!status) status = task->gate_count ? plan_gates(g, &said) : plan_lanes(g, &said);
    if (status && g->own_launch_is_wrong) {
        course_verdict_add(verdict, "launch", COURSE_BAD, COURSE_SIGNATURE, "launch",
                           "a launch line is wrong", said.message);
        return KZ_OK;
    }
    if (status && said.message[0] && error) *error = said;
    return status;
}

static void close_grading(course_kernel_grading *g) {
    for (size_t i = 0; i < g->data_count; i++) course_data_close(&g->data[i]);
    course_reference_close(g->reference);
    if (g->module) ptx_module_close(g->module);
    base_text_free(&g->other_types);
    base_text_free(&g->warnings);
    free(g->ptx);
    free(g);
}

static kz_status run_on(course_kernel_grading *g, const char *device, uint32_t runs, course_verdict *verdict,
                        kz_error *error) {
    const course_task *task = g->job->task;
    course_judge_answer answer = {0};
    sandbox_result ended = {0};
    const course_judge_job job = {.device = device,
                                  .name = g->job->file,
                                  .entry = task->function,
                                  .ptx = g->ptx,
                                  .seconds = task->limit_seconds,
                                  .runs = g->runs,
                                  .run_count = runs};
    size_t all = g->job_count;
    g->job_count = runs;
    kz_status status = course_kernel_run_child(g, &job, task->limit_seconds, &answer, &ended, error);
    verdict->unguarded |= SANDBOX_ALL & ~ended.enforced;
    if (!status) status = course_kernel_judge(g, &answer, &ended, verdict, error);
    if (!status && answer.device[0]) memcpy(verdict->device, answer.device, sizeof answer.device);
    g->job_count = all;
    course_judge_answer_close(&answer);
    base_text_free(&ended.output);
    base_text_free(&ended.answer);
    return status;
}

kz_status course_grade_kernel(const course_grade_job *job, const char *source, course_verdict *verdict,
                              kz_error *error) {
    course_kernel_grading *g = calloc(1, sizeof *g);
    if (!g) return base_fail(error, KZ_NO_MEMORY, "no memory for grading");
    g->job = job;
    g->public_seed = verdict->public_seed;
    g->row_suffix = "";
    bool on_gpu = strncmp(job->device, "cuda", 4) == 0;
    kz_status status = open_grading(g, source, verdict, error);
    if (!status && verdict->passed) {
        say(g, "running on the simulator");
        status = run_on(g, on_gpu ? "sim" : job->device, (uint32_t)g->job_count, verdict, error);
    }
    if (!status && verdict->passed && on_gpu) {
        g->row_suffix = " on the GPU";
        say(g, "running on the GPU");
        status = run_on(g, job->device, (uint32_t)g->case_runs, verdict, error);
    }
    if (!status && verdict->passed) status = course_kernel_speed(g, on_gpu, verdict, error);
    if (!status) course_verdict_add_barrier(verdict, job->file, source);
    close_grading(g);
    return status;
}

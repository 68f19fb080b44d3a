// Kind cuda, form program: a host function that launches kernels, built by nvcc with its harness, run as a process.
//
// On the simulator's runtime library the instruments listen to every case, and gates have runs with counters too;
// what the host asked for (streams, copies, waiting) is in the record too. With a GPU the cases run there first,
// on NVIDIA's own runtime; findings and gates still come from the simulator.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/gpus.h"
#include "device_work.h"
#include "finding_rows.h"
#include "gate.h"
#include "gates.h"
#include "run_cases.h"
#include "scratch.h"
#include "source_rules.h"
#include "toolchain/toolchain.h"

enum { GRACE_SECONDS = 12, LARGEST_RECORD = 1 << 28 };

typedef struct grading {
    const course_grade_job *job;
    course_verdict *verdict;
    course_reference *reference;
    toolchain tools;
    base_text warnings; // the compiler's
    device_gpu gpu;
    char key[64]; // of the simulated GPU
    char library[TOOLCHAIN_PATH], folder[TOOLCHAIN_PATH], executable[TOOLCHAIN_PATH];
    char device[TOOLCHAIN_PATH + 16]; // kz-device, which runs it
    bool on_gpu;
} grading;

static void say(const grading *g, const char *what) {
    if (g->job->progress) g->job->progress(what, g->job->progress_context);
}

// ---- building -------------------------------------------------------------------------------------

// "sim:a100" names the simulated GPU; on a real one the simulator takes the one in the GPU's place.
static kz_status choose_gpu(grading *g, char arch[16], kz_error *error) {
    const char *device = g->verdict->device;
    snprintf(g->key, sizeof g->key, "%.60s",
             device_gpu_choose(strncmp(device, "sim:", 4) ? NULL : device + 4));
    g->on_gpu = strncmp(device, "cuda", 4) == 0;
    kz_device_info infos[16] = {{.size = sizeof infos[0]}};
    size_t count = 0;
    int sm = 0;
    if (g->on_gpu && kz_device_list(infos, BASE_COUNT(infos), &count, NULL) == KZ_OK)
        for (size_t i = 0; i < count && i < BASE_COUNT(infos); i++) {
            if (strcmp(infos[i].id, device) != 0) continue;
            sm = infos[i].sm;
            if (infos[i].gpu[0]) snprintf(g->key, sizeof g->key, "%s", infos[i].gpu);
        }
    kz_status status = device_gpu_load(g->key, &g->gpu, error);
    snprintf(arch, 16, "%d", sm ? sm : (int)g->gpu.sm);
    return status;
}

// A program's own file and its harness, and how they are compiled; it points into itself.
typedef struct recipe {
    course_harness harness;
    char arch[16];
    const char *files[2], *before[3];
    const char *const *file_flags[2];
    toolchain_program program;
} recipe;

// A line "// kz: sm 90a" asks for what only that architecture has, or for a newer one than the GPU's.
static kz_status take_own_arch(const char *file, char arch[16], kz_error *error) {
    char own[TOOLCHAIN_ARCH];
    kz_status status = toolchain_source_arch(file, own, error);
    if (status == KZ_OK && atoi(own) >= atoi(arch)) snprintf(arch, 16, "%s", own);
    return status;
}

static kz_status open_recipe(grading *g, const char *file, recipe *r, kz_error *error) {
    const course_task *task = g->job->task;
    kz_status status = choose_gpu(g, r->arch, error);
    if (status == KZ_OK) status = toolchain_find_for_programs(&g->tools, error);
    course_hide_from(task, &g->tools);
    g->tools.interrupted = g->job->interrupted;
    if (status == KZ_OK) status = toolchain_cudart_folder(g->library, error);
    if (status == KZ_OK) status = toolchain_work_open(g->folder, error);
    if (status == KZ_OK) status = course_harness_write(task, g->folder, &r->harness, error);
    if (status == KZ_OK) status = take_own_arch(file, r->arch, error);
    r->files[0] = file;
    r->files[1] = r->harness.main_file;
    r->before[0] = "-include";
    r->before[1] = r->harness.prototype_file;
    r->file_flags[0] = r->before;
    r->program = (toolchain_program){.files = r->files,
                                     .file_count = BASE_COUNT(r->files),
                                     .arch = r->arch,
                                     .flags = task->build_flags,
                                     .library_folder = g->library,
                                     .file_flags = r->file_flags};
    while (task->build_flags && task->build_flags[r->program.flag_count]) r->program.flag_count++;
    return status;
}

static kz_status build(grading *g, kz_error *error, bool *refused) {
    recipe r = {0};
    kz_status status = open_recipe(g, g->job->file, &r, error);
    if (status) return status;
    snprintf(g->device, sizeof g->device, "%s/kz-device", g->library);
    g->tools.warnings = &g->warnings;
    status = toolchain_build_program(&g->tools, &r.program, g->folder, g->executable, error);
    *refused = status == KZ_TOOL || status == KZ_LIMIT;
    return status;
}

void course_compile_programs(const course_task *task, const char *device, const char *const *files,
                             size_t count) {
    grading *g = calloc(1, sizeof *g);
    course_verdict verdict = {0};
    recipe r = {0};
    if (!g) return;
    snprintf(verdict.device, sizeof verdict.device, "%s", device ? device : "sim");
    *g = (grading){.job = &(course_grade_job){.task = task}, .verdict = &verdict};
    if (count > 1 && open_recipe(g, files[0], &r, NULL) == KZ_OK)
        toolchain_compile_programs_together(&g->tools, &r.program, task->function, r.harness.prototype_file,
                                            files, count);
    course_scratch_close(g->folder);
    free(g);
}

kz_status course_program_preprocess(const course_grade_job *job, bool for_device, bool quick, base_text *text,
                                    kz_error *error) {
    grading *g = calloc(1, sizeof *g);
    course_verdict verdict = {0};
    recipe r = {0};
    if (!g) return base_fail(error, KZ_NO_MEMORY, "no memory to read %s", job->file);
    snprintf(verdict.device, sizeof verdict.device, "%s", job->device ? job->device : "sim");
    *g = (grading){.job = job, .verdict = &verdict};
    kz_status status = open_recipe(g, job->file, &r, error);
    if (!status) status = toolchain_preprocess_program(&g->tools, &r.program, for_device, quick, text, error);
    course_scratch_close(g->folder);
    free(g);
    return status;
}

static void add_refusal(const grading *g, const kz_error *error) {
    char missing[COURSE_NAME * 2];
    snprintf(missing, sizeof missing, "undefined reference to `%s'", g->job->task->function);
    bool is_missing = strstr(error->message, missing) != NULL;
    bool conflicts = !is_missing && strstr(error->message, g->job->task->function) &&
                     (strstr(error->message, "conflicts with") || strstr(error->message, "linkage"));
    base_text detail = {0};
    if (is_missing || conflicts) {
        base_text_add(&detail, "There is no function of this kind in the file. Wanted:\n    extern \"C\" ");
        course_harness_prototype(g->job->task, &detail);
        base_text_add(&detail, "\n");
    }
    if (!is_missing) base_text_add(&detail, "%s\n", error->message);
    course_verdict_add(g->verdict, "compiles", COURSE_BAD,
                       is_missing || conflicts ? COURSE_SIGNATURE : COURSE_COMPILE, NULL,
                       is_missing || conflicts ? "the function is not there" : "nvcc refuses it",
                       detail.data ? detail.data : "");
    base_text_free(&detail);
}

// ---- findings -------------------------------------------------------------------------------------

// Errors, and of a program's lesser findings those that are its own carelessness. Who gave up half way (exit code 1
// after a failed call, say) freed nothing, and that is not what went wrong.
static bool counts(const json_t *finding, bool only_faults, bool gave_up) {
    const char *kind = report_get_text(finding, "kind");
    // Races too: they go before results, which are luck while there is one.
    if (only_faults) return course_finding_is_fault(kind) || course_finding_is_race(kind);
    return strcmp(report_get_text(finding, "severity"), "error") == 0 ||
           (strcmp(kind, "leak") == 0 && !gave_up) || strcmp(kind, "unchecked-error") == 0;
}

// What the process that had the device says of the run, through a pipe that the program never had.
static kz_status read_record(const sandbox_result *result, report_record *record, kz_error *error) {
    if (!result->log.length) return base_fail(error, KZ_NOT_FOUND, "the simulator left no record");
    return report_record_parse("the record of the run", result->log.data, result->log.length, record, error);
}

static bool returned(const course_data *data) {
    for (size_t i = 0; i < data->task->parameter_count; i++)
        if (data->got[i]) return true;
    return false;
}

// Who returned and yet left nothing to read has kept the simulator from listening.
static bool add_silence(grading *g, const char *where) {
    char summary[300];
    snprintf(summary, sizeof summary, "%s: the simulator could not listen", where);
    course_verdict_add(g->verdict, "sanitizer", COURSE_BAD, COURSE_FINDING, "record", summary,
                       "The function returned, but the process that has its device ended without a record.\n"
                       "likely: it was killed, or took more memory than the task allows\n"
                       "next: signal no other process, and allocate less");
    return true;
}

static bool explain(const course_runner *runner, const course_data *data, const char *where,
                    const sandbox_result *result, bool only_faults) {
    grading *g = runner->context;
    report_record record = {0};
    report_findings findings = {0};
    if (read_record(result, &record, NULL) != KZ_OK)
        return !only_faults && returned(data) && add_silence(g, where);
    bool bad = false;
    if (report_findings_open(&findings)) {
        for (size_t k = 0; g->job->task->sanitize_skip && g->job->task->sanitize_skip[k]; k++)
            report_findings_choose(&findings, NULL, g->job->task->sanitize_skip[k], NULL);
        report_findings_add(&findings, &record, where, 0);
        course_findings_blame_repeated_work(&findings);
        for (size_t i = json_array_size(findings.items); i-- > 0;)
            if (!counts(json_array_get(findings.items, i), only_faults, result->exit_code != 0))
                json_array_remove(findings.items, i);
        course_findings_races_first(&findings);
        course_findings_faults_first(&findings);
        const json_t *first = json_array_get(findings.items, 0);
        if (first) {
            base_text summary = {0}, detail = {0};
            const char *kind = report_get_text(first, "kind");
            report_finding_title(first, &summary);
            course_findings_print(&findings, &detail);
            course_verdict_add(g->verdict, "sanitizer", COURSE_BAD,
                               course_finding_is_fault(kind) ? COURSE_FAULT : COURSE_FINDING, kind,
                               summary.data ? summary.data : kind, detail.data ? detail.data : "");
            base_text_free(&summary);
            base_text_free(&detail);
            bad = true;
        }
        report_findings_close(&findings);
    }
    report_record_free(&record);
    return bad;
}

static bool check_work(const course_runner *runner, const course_data *data, size_t count, const char *where,
                       const sandbox_result *result) {
    grading *g = runner->context;
    report_record record = {0};
    if (read_record(result, &record, NULL) != KZ_OK) return false; // which was said
    bool bad = course_check_device_work(g->verdict, data, count, &record, where);
    report_record_free(&record);
    return bad;
}

// ---- runs -----------------------------------------------------------------------------------------

typedef struct variables {
    char library[TOOLCHAIN_PATH * 2 + 64], gpu[96], observe[160], timeout[64];
    const char *list[9];
} variables;

// NVIDIA's own runtime lies beside nvcc.
static void set_variables(const grading *g, const char *observe, variables *v) {
    size_t count = 0;
    if (!observe) {
        char home[TOOLCHAIN_PATH];
        snprintf(home, sizeof home, "%s", g->tools.nvcc);
        for (int i = 0; i < 2 && strrchr(home, '/'); i++) *strrchr(home, '/') = 0;
        snprintf(v->library, sizeof v->library, "LD_LIBRARY_PATH=%.900s/lib64:%.900s/lib", home, home);
        v->list[count++] = v->library;
    } else {
        snprintf(v->library, sizeof v->library, "LD_LIBRARY_PATH=%s/remote:%s", g->library, g->library);
        snprintf(v->gpu, sizeof v->gpu, "KZ_GPU=%s", g->key);
        snprintf(v->observe, sizeof v->observe, "KZ_OBSERVE=%s", observe);
        snprintf(v->timeout, sizeof v->timeout, "KZ_TIMEOUT=%.17g", g->job->task->limit_seconds);
        const char *all[] = {v->library, v->gpu, v->observe, v->timeout};
        for (size_t i = 0; i < BASE_COUNT(all); i++) v->list[count++] = all[i];
    }
    v->list[count] = NULL;
}

static course_runner runner_of(grading *g, const char *const *argv, const variables *v, bool on_simulator) {
    return (course_runner){.job = g->job,
                           .verdict = g->verdict,
                           .reference = g->reference,
                           .folder = g->folder,
                           .argv = argv,
                           .environment = v->list,
                           .seconds = g->job->task->limit_seconds + (on_simulator ? GRACE_SECONDS : 0),
                           .uses_gpu = !on_simulator,
                           .explain = on_simulator ? explain : NULL,
                           .check_work = on_simulator ? check_work : NULL,
                           .log_bytes = on_simulator ? LARGEST_RECORD : 0,
                           .may_fork = on_simulator, // kz-device does, once; the program may not
                           .context = g};
}

static void detectors(const course_task *task, char words[96]) {
    static const char *const all[] = {"races", "sync", "undefined", "leaks"};
    size_t length = 0;
    words[0] = 0;
    for (size_t i = 0; i < BASE_COUNT(all); i++) {
        bool skip = false;
        for (size_t k = 0; task->sanitize_skip && task->sanitize_skip[k]; k++)
            skip = skip || strcmp(task->sanitize_skip[k], all[i]) == 0;
        if (!skip && length < 80)
            length += (size_t)snprintf(words + length, 96 - length, "%s%s", length ? "," : "", all[i]);
    }
}

static kz_status grade_cases(grading *g, kz_error *error) {
    const char *argv[] = {g->device, g->executable, NULL};
    char words[96], instruments[128], summary[160];
    variables v;
    kz_status status = KZ_OK;
    if (g->on_gpu) {
        set_variables(g, NULL, &v);
        course_runner runner = runner_of(g, argv + 1, &v, false); // on the GPU it runs by itself
        status = course_run_cases(&runner, error);
        if (status || g->verdict->reason != COURSE_PASSED) return status;
    }
    detectors(g->job->task, words);
    snprintf(instruments, sizeof instruments, "values%s%s", words[0] ? "," : "", words);
    set_variables(g, instruments, &v);
    course_runner runner = runner_of(g, argv, &v, true);
    runner.row = g->on_gpu ? "simulated" : NULL;
    status = course_run_cases(&runner, error);
    if (status || g->verdict->reason != COURSE_PASSED) return status;
    snprintf(summary, sizeof summary, "nothing found by: %s", words);
    course_verdict_add(g->verdict, "sanitizer", COURSE_RIGHT, COURSE_PASSED, NULL, summary, "");
    return KZ_OK;
}

// ---- gates ----------------------------------------------------------------------------------------

// What the host asked for, of the record's line "host".
static bool metric_of_host(const report_record *record, const char *metric, course_metric_value *value) {
    static const char *const names[] = {
        "streams",        "blocking_copies",  "asynchronous_copies", "copied_bytes", "overlap",
        "unordered_uses", "synchronisations", "allocations",         "held_bytes",   "timed_kernels",
        "timed_copies",   "launch_calls",     "instantiations"};
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        if (strcmp(names[i], metric) != 0) continue;
        size_t at = 0;
        const json_t *host = report_record_next(record, "host", &at);
        *value = (course_metric_value){.known = host != NULL, .value = report_get_number(host, metric, 0)};
        // The harness waits too, after the call, to see the errors that are left.
        if (strcmp(metric, "synchronisations") == 0 && value->value > 0) value->value--;
        return true;
    }
    return false;
}

static kz_status add_gate(grading *g, const course_gate *gate, const report_record *record, kz_error *error) {
    course_metric_value value = {0};
    if (!metric_of_host(record, gate->metric, &value) &&
        !course_metric_of_record(record, gate->metric, 0, &value))
        return base_fail(error, KZ_INVALID, "task %s: the metric %s is not one of programs", g->job->task->id,
                         gate->metric);
    size_t at = 0;
    if (!value.known && !report_record_next(record, "kernel", &at)) {
        course_verdict_add(g->verdict, gate->metric, COURSE_BAD, COURSE_GATE_MISSED, gate->metric,
                           "no kernel ran, so there is nothing to count",
                           "On the case that is counted, the processor did the work.\n"
                           "next: launch a kernel for it, as on the other cases\n");
        return KZ_OK;
    }
    if (!value.known) {
        course_gate_skip(g->verdict, gate, "it could not be counted here", "");
        return KZ_OK;
    }
    base_text counted = {0};
    course_metric_counted(&value, &counted);
    kz_status status = course_gate_add(g->verdict, gate, value.value, counted.data, error);
    base_text_free(&counted);
    const course_metric *metric = course_find_metric(gate->metric);
    if (!g->verdict->figure_name && metric) {
        g->verdict->figure_name = metric->name;
        g->verdict->figure = value.value;
        g->verdict->figure_larger_is_better = metric->larger_is_better;
    }
    return status;
}

// One run of the gate's case, and the rows of all gates on that case.
static kz_status grade_gates_at(grading *g, size_t first, kz_error *error) {
    const course_task *task = g->job->task;
    const course_case *at = &task->gates[first].at;
    const char *argv[] = {g->device, g->executable, NULL};
    char where[256];
    variables v;
    char words[96], instruments[128];
    detectors(task, words);
    snprintf(instruments, sizeof instruments, "counters,caches,cold,values%s%s", words[0] ? "," : "", words);
    set_variables(g, instruments, &v);
    course_runner runner = runner_of(g, argv, &v, true);
    runner.seed = course_gate_seed(g->verdict->fresh_seed);
    course_data data = {0};
    course_harness_job job = {0};
    sandbox_result result = {0};
    report_record record = {0};
    course_case_name(task, at, where, sizeof where);
    kz_status status = course_run_one(&runner, at, 1, 0, &data, &job, &result, error);
    bool bad = status == KZ_OK && explain(&runner, &data, where, &result, job.answered || result.signal);
    if (status == KZ_OK && !bad) bad = course_add_end(&runner, &data, where, job.answered, &result);
    if (status == KZ_OK && !bad) status = course_add_result(&runner, &job, where, &result, &bad, error);
    if (status == KZ_OK && !bad) bad = explain(&runner, &data, where, &result, false);
    if (status == KZ_OK && !bad) bad = course_add_exit(&runner, false, where, &result);
    if (status == KZ_OK && !bad) bad = check_work(&runner, &data, 1, where, &result);
    if (status == KZ_OK && !bad) status = read_record(&result, &record, error);
    for (size_t i = first; i < task->gate_count && status == KZ_OK && !bad; i++)
        if (course_gate_same_case(task, at, &task->gates[i].at))
            status = add_gate(g, &task->gates[i], &record, error);
    if (status == KZ_OK && !bad) status = course_gate_check_lanes(g->verdict, at, &record, error);
    report_record_free(&record);
    course_data_close(&data);
    base_text_free(&result.output);
    base_text_free(&result.answer);
    return status;
}

static kz_status grade_gates(grading *g, kz_error *error) {
    const course_task *task = g->job->task;
    kz_status status = KZ_OK;
    if (task->gate_count) say(g, "counting on the simulator");
    for (size_t i = 0; i < task->gate_count && status == KZ_OK; i++) {
        bool seen = false;
        for (size_t k = 0; k < i; k++)
            seen = seen || course_gate_same_case(task, &task->gates[k].at, &task->gates[i].at);
        if (!seen) status = grade_gates_at(g, i, error);
    }
    if (status == KZ_OK && task->speed.given)
        course_verdict_add(
            g->verdict, "speed", COURSE_NOT_DONE, COURSE_PASSED, NULL, "time was not measured",
            "The time of whole programs is not measured; what the host asked for is counted instead.\n");
    return status;
}

kz_status course_grade_program(const course_grade_job *job, const char *source, course_verdict *verdict,
                               kz_error *error) {
    grading *g = calloc(1, sizeof *g);
    if (!g) return base_fail(error, KZ_NO_MEMORY, "no memory to grade %s", job->file);
    *g = (grading){.job = job, .verdict = verdict};
    kz_error problem = {0};
    bool refused = false;
    say(g, "compiling");
    kz_status status = build(g, &problem, &refused);
    if (refused) {
        add_refusal(g, &problem);
        status = KZ_OK;
    } else if (status) {
        if (error) *error = problem;
    } else {
        course_verdict_add(verdict, "compiles", COURSE_RIGHT, COURSE_PASSED, NULL, "by nvcc", "");
        course_verdict_add_warnings(verdict, &g->warnings);
        status = course_reference_open(job->task, &g->reference, error);
        if (status == KZ_OK && verdict->reason == COURSE_PASSED) status = grade_cases(g, error);
        if (status == KZ_OK && verdict->reason == COURSE_PASSED) status = grade_gates(g, error);
    }
    if (g->reference) course_reference_close(g->reference);
    course_scratch_close(g->folder);
    base_text_free(&g->warnings);
    free(g);
    return status;
}

// Cases through a harness, and the rows about them. See run_cases.h.
#include "run_cases.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source_rules.h"

enum { OUTPUT = 1 << 18, SHOWN = 800, SEEDS = 2, TIMED_OUT = 124 };
enum { OWN_BYTES = 1 << 30, MOST_PROCESSES = 64 }; // the runtime's and the sanitizers' own memory
enum { FILE_BYTES = 64 << 20 };
enum { TOGETHER_BYTES = 16 << 20, TOGETHER_SECONDS = 1 };

static uint64_t new_nonce(void) {
    base_philox_block block = base_philox(base_wall_nanoseconds(), 0, 0);
    return (uint64_t)block.word[0] << 32 | block.word[1];
}

// With a nonce; the answer stays in the result.
static kz_status run_jobs(const course_runner *runner, const course_harness_job *jobs, size_t count,
                          uint64_t nonce, sandbox_result *result, kz_error *error) {
    base_text input = {0};
    *result = (sandbox_result){0};
    kz_status status = course_harness_pack(jobs, count, nonce, &input, error);
    bool is_c = runner->job->task->kind == COURSE_C;
    const char *const readable[] = {runner->executable, NULL};
    if (status == KZ_OK) {
        course_hidden hidden;
        course_hide(runner->job->task, &hidden);
        sandbox_process process = {.argv = runner->argv,
                                   .folder = runner->folder,
                                   .environment = runner->environment,
                                   .input = input.data,
                                   .input_bytes = input.length,
                                   .seconds = runner->seconds,
                                   .memory = runner->memory,
                                   .output_bytes = OUTPUT,
                                   .answer_bytes = course_harness_answer_bytes(jobs, count),
                                   .log_bytes = runner->log_bytes,
                                   .file_bytes = is_c ? FILE_BYTES : 0, // the simulator's memory is a file
                                   .total_memory = runner->job->task->limit_bytes + OWN_BYTES,
                                   .processes = MOST_PROCESSES,
                                   .is_confined = true,
                                   .readable = readable,
                                   .hidden = hidden.list,
                                   .may_fork = runner->may_fork,
                                   .uses_gpu = runner->uses_gpu,
                                   .signals_threads = runner->signals_threads,
                                   .interrupted = runner->job->interrupted};
        status = sandbox_run(&process, result, error);
        runner->verdict->unguarded |= SANDBOX_ALL & ~result->enforced;
    }
    base_text_free(&input);
    return status;
}

kz_status course_run_jobs(const course_runner *runner, course_harness_job *jobs, size_t count,
                          sandbox_result *result, kz_error *error) {
    uint64_t nonce = new_nonce();
    kz_status status = run_jobs(runner, jobs, count, nonce, result, error);
    return status ? status : course_harness_unpack(&result->answer, nonce, jobs, count, error);
}

kz_status course_run_one(const course_runner *runner, const course_case *c, uint32_t calls, uint32_t flags,
                         course_data *data, course_harness_job *job, sandbox_result *result,
                         kz_error *error) {
    *result = (sandbox_result){0};
    uint64_t seed = runner->seed ? runner->seed : runner->verdict->fresh_seed;
    kz_status status = course_data_open(runner->job->task, runner->reference, c, seed, data, error);
    if (status) return status;
    *job = (course_harness_job){.data = data, .calls = calls, .flags = flags};
    if (!(flags & COURSE_HARNESS_OTHER_DATA)) return course_run_jobs(runner, job, 1, result, error);
    course_data other = {0};
    status = course_data_open(runner->job->task, runner->reference, c, runner->verdict->public_seed, &other,
                              error);
    job->other = &other;
    if (!status) status = course_run_jobs(runner, job, 1, result, error);
    job->other = NULL;
    course_data_close(&other);
    return status;
}

// ---- how a run ended ------------------------------------------------------------------------------

static const char *signal_words(int number) {
    switch (number) {
    case SIGSEGV:
    case SIGBUS:
        return "went to memory that is not its own (segmentation fault): an index or a pointer is wrong";
    case SIGABRT: return "called abort, or the C library did because its memory was damaged";
    case SIGFPE: return "divided a whole number by zero";
    case SIGILL:
        return "ran into an instruction that this processor does not have, or into the end of a function "
               "without a return";
    case SIGKILL: return "was killed: it took too much memory, or killed itself";
    case SIGXFSZ: return "wrote a file of more than 64 MiB, the largest that is allowed";
    case SIGTRAP: return "ran into a trap";
    case SIGSYS:
        return "asked the system for what a submission may not do: it starts no processes (fork, system, "
               "popen) and becomes no other program (exec), for what they do cannot be judged";
    default: return "was ended by a signal";
    }
}

// What it printed itself, for its printf is how people look for errors.
static void add_printed(base_text *detail, const base_text *output) {
    if (!output->length) return;
    size_t length = output->length;
    if (length > SHOWN) {
        length = SHOWN;
        while (length > 0 && output->data[length - 1] != '\n') length--;
        if (!length) length = SHOWN;
    }
    base_text_add(detail, "It printed%s:\n", output->length > length ? ", to begin with" : "");
    base_text_add_bytes(detail, output->data, length);
    if (output->data[length - 1] != '\n') base_text_add(detail, "\n");
    if (output->length >= OUTPUT) base_text_add(detail, "... and much more: is there a print in a loop?\n");
}

bool course_add_end(const course_runner *runner, const course_data *data, const char *where, bool answered,
                    const sandbox_result *result) {
    const char *function = runner->job->task->function;
    bool good = answered && !result->timed_out && !result->signal;
    double seconds = runner->job->task->limit_seconds;
    if (good) return false;
    // AddressSanitizer has the limit too, and is sometimes first.
    bool is_limited_by_sanitizer =
        result->output.data && strstr(result->output.data, "hard rss limit exhausted");
    bool took_memory = result->stop == SANDBOX_MEMORY || is_limited_by_sanitizer;
    base_text detail = {0};
    char summary[160];
    course_reason reason = COURSE_FAULT;
    const char *kind = "end";
    if (result->timed_out || result->exit_code == TIMED_OUT) {
        reason = COURSE_TIMEOUT;
        kind = "";
        snprintf(summary, sizeof summary, "stopped after %g s", seconds);
        base_text_add(&detail, "%s did not come back within %g second%s on %s.\n", function, seconds,
                      seconds == 1 ? "" : "s", where);
        base_text_add(&detail,
                      "Likely: a loop whose condition never becomes false, or work that grows with the "
                      "square of the size.\n");
    } else if (took_memory || result->stop == SANDBOX_COUNT) {
        bool is_memory = took_memory;
        kind = is_memory ? "memory" : "processes";
        snprintf(summary, sizeof summary, "stopped: it took too %s",
                 is_memory ? "much memory" : "many processes or threads");
        base_text_add(&detail,
                      "On %s, %s and all that it started took more than the %llu MiB, %d processes or some "
                      "hundred threads that are allowed.\nLikely: an allocation or a new thread in a loop, "
                      "or a size that is "
                      "computed wrong.\n",
                      where, function, (unsigned long long)(runner->job->task->limit_bytes >> 20),
                      MOST_PROCESSES);
    } else if (result->signal) {
        kind = "signal";
        snprintf(summary, sizeof summary, "ended by signal %d (%s)", result->signal,
                 strsignal(result->signal));
        base_text_add(&detail, "On %s, %s %s.\n", where, function, signal_words(result->signal));
    } else {
        kind = "exit";
        snprintf(summary, sizeof summary, "ended the program, exit code %d", result->exit_code);
        base_text_add(&detail, "On %s, %s ended the whole program (exit code %d) instead of returning.\n",
                      where, function, result->exit_code);
        base_text_add(&detail,
                      result->exit_code == 0
                          ? "A function that is graded must return: take exit() out of it.\n"
                          : "Likely: a check in it failed and gave up. What it printed says which.\n");
    }
    if (!is_limited_by_sanitizer) add_printed(&detail, &result->output); // else a map of its memory
    course_verdict_add(runner->verdict, "runs", COURSE_BAD, reason, kind, summary,
                       detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

// Memory of the second call, though the first had the same sizes: it grows by that with every call.
static bool add_keeping(const course_runner *runner, const char *where) {
    base_text detail = {0};
    base_text_add(
        &detail,
        "On %s, %s returned, and memory that it had allocated is still there, each time it is called.\n"
        "Likely: a pointer to it was put into a global, where no leak detector misses it.\n"
        "next: free what the call allocates before it returns\n",
        where, runner->job->task->function);
    course_verdict_add(runner->verdict, "sanitizer", COURSE_BAD, COURSE_FINDING, "leak",
                       "every call keeps memory that it allocated", detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

bool course_add_exit(const course_runner *runner, bool leaks, const char *where,
                     const sandbox_result *result) {
    if (!leaks && !result->exit_code) return false;
    char summary[160];
    base_text detail = {0};
    const char *function = runner->job->task->function;
    if (leaks || result->exit_code == COURSE_SANITIZER_EXIT) {
        snprintf(summary, sizeof summary, "%s, and its report was lost",
                 leaks ? "memory leaks" : "the sanitizer found something");
        base_text_add(&detail,
                      "On %s, %s returned, and the sanitizer found %s. What it said of it did not arrive.\n"
                      "Likely: stderr was closed, or so much was printed that the report was cut off.\n"
                      "next: leave stderr open, print less, and grade again\n",
                      where, function, leaks ? "memory that was not freed" : "an error");
    } else {
        snprintf(summary, sizeof summary, "ended with exit code %d after its answer", result->exit_code);
        base_text_add(&detail,
                      "On %s, %s returned, and code that ran after it ended the program with %d.\n"
                      "Likely: exit() in a destructor, in what atexit() was given, or in a thread.\n"
                      "next: take it out\n",
                      where, function, result->exit_code);
    }
    add_printed(&detail, &result->output);
    course_verdict_add(runner->verdict, "runs", COURSE_BAD, COURSE_FINDING, "exit", summary,
                       detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

// An error of CUDA's that was still there when the function had returned.
static bool add_cuda_error(const course_runner *runner, const course_harness_job *job, const char *where) {
    if (!job->cuda_error) return false;
    char summary[120];
    base_text detail = {0};
    snprintf(summary, sizeof summary, "CUDA error %d was left behind", job->cuda_error);
    base_text_add(
        &detail, "On %s, the function returned, and cudaGetLastError() says %d: a call or a kernel failed.\n",
        where, job->cuda_error);
    base_text_add(&detail, "Look at what every call returns, and at cudaGetLastError() after each launch.\n");
    course_verdict_add(runner->verdict, "runs", COURSE_BAD, COURSE_FINDING, "unchecked-error", summary,
                       detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

static bool add_guards(const course_runner *runner, const course_harness_job *job, const char *where) {
    if (!job->guards) return false;
    base_text detail = {0};
    base_text_add(&detail, "On %s, something was written just outside of", where);
    const char *between = " ";
    for (size_t i = 0; i < runner->job->task->parameter_count; i++)
        if (job->guards >> i & 1) {
            base_text_add(&detail, "%s%s", between, runner->job->task->parameters[i].name);
            between = ", ";
        }
    base_text_add(&detail, ".\nLikely: an index that goes one too far at the end, or below 0.\n");
    course_verdict_add(runner->verdict, "bounds", COURSE_BAD, COURSE_FAULT, "out-of-bounds",
                       "writes outside of its buffers", detail.data ? detail.data : "");
    base_text_free(&detail);
    return true;
}

// ---- results --------------------------------------------------------------------------------------

static double size_of_case(const course_task *task, const course_case *c) {
    double size = 1;
    for (size_t i = 0; i < task->axis_count; i++) size *= c->axes[i] > 0 ? (double)c->axes[i] : 1;
    return size;
}

// The smallest case that has not run yet and is larger than `above` and smaller than `below`; NULL for none.
static const course_case *smallest_between(const course_task *task, size_t from, double above, double below) {
    const course_case *found = NULL;
    for (size_t i = from; i < task->case_count; i++) {
        double size = size_of_case(task, &task->cases[i]);
        if (size > above && size < below) found = &task->cases[i], below = size;
    }
    return found;
}

// Whether the case's result is wrong, and nothing else; then in which words.
static bool is_wrong_on(const course_runner *runner, const course_case *c, kz_error *words) {
    course_data data = {0};
    course_harness_job job = {0};
    sandbox_result result = {0};
    family_comparison comparison;
    bool changed = false, wrong = false;
    if (course_run_one(runner, c, 1, 0, &data, &job, &result, NULL) == KZ_OK && job.answered && !job.guards)
        wrong =
            course_data_judge(&data, runner->reference, &changed, &comparison, words) == KZ_WRONG && !changed;
    course_data_close(&data);
    sandbox_result_free(&result);
    return wrong;
}

// Those before it were right. The smallest of the others that is wrong too is the one to work out by hand.
static void add_smallest(const course_runner *runner, const course_case *wrong, base_text *detail) {
    const course_task *task = runner->job->task;
    if (wrong < task->cases || wrong >= task->cases + task->case_count) return;
    size_t from = (size_t)(wrong - task->cases) + 1;
    double size = size_of_case(task, wrong), above = 0;
    for (const course_case *c; (c = smallest_between(task, from, above, size));
         above = size_of_case(task, c)) {
        char where[256];
        kz_error words = {0};
        if (!is_wrong_on(runner, c, &words)) continue;
        course_case_name(task, c, where, sizeof where);
        course_case_add_smallest(detail, where, words.message);
        base_text_add(detail, "\n");
        return;
    }
}

// A row where the result is wrong; true where one was added.
static kz_status judge_job(const course_runner *runner, const course_harness_job *job, const char *where,
                           const sandbox_result *result, bool *bad, kz_error *error) {
    bool changed = false;
    family_comparison comparison;
    kz_error words = {0};
    kz_status status = course_data_judge(job->data, runner->reference, &changed, &comparison, &words);
    if (status == KZ_OK) return KZ_OK;
    if (status != KZ_WRONG) {
        if (error) *error = words;
        return status;
    }
    base_text detail = {0};
    char summary[400];
    snprintf(summary, sizeof summary, "wrong on %s, seed %llu", where, (unsigned long long)job->data->seed);
    base_text_add(&detail, "%s", words.message);
    if (!changed) add_smallest(runner, job->data->c, &detail);
    if (detail.length && detail.data[detail.length - 1] != '\n') base_text_add(&detail, "\n");
    if (job->cuda_error)
        base_text_add(&detail, "A CUDA error was left behind too: cudaGetLastError() says %d. Start there.\n",
                      job->cuda_error);
    add_printed(&detail, &result->output);
    course_verdict_add(runner->verdict, "results", COURSE_BAD, changed ? COURSE_INPUT_CHANGED : COURSE_WRONG,
                       NULL, summary, detail.data ? detail.data : "");
    base_text_free(&detail);
    *bad = true;
    return KZ_OK;
}

kz_status course_add_result(const course_runner *runner, const course_harness_job *job, const char *where,
                            const sandbox_result *result, bool *bad, kz_error *error) {
    *bad = add_guards(runner, job, where);
    return *bad ? KZ_OK : judge_job(runner, job, where, result, bad, error);
}

// Only the words of a second run are taken. It is the same jobs', whose answers stay those of the first.
static void run_to_explain(const course_runner *runner, course_harness_job *jobs, size_t count,
                           sandbox_result *result) {
    if (!runner->explaining || (jobs[count - 1].answered && !jobs[count - 1].leaks && !result->exit_code))
        return;
    course_runner again = *runner;
    again.environment = runner->explaining;
    again.may_fork = true;
    sandbox_result second = {0};
    if (run_jobs(&again, jobs, count, new_nonce(), &second, NULL) == KZ_OK) {
        base_text first = result->output;
        result->output = second.output;
        second.output = first;
    }
    sandbox_result_free(&second);
}

static kz_status run_case(const course_runner *runner, const course_case *c, bool *bad, kz_error *error) {
    char where[256], what[300];
    course_data data[SEEDS] = {0};
    course_harness_job jobs[SEEDS] = {0};
    sandbox_result result = {0};
    const uint64_t seeds[SEEDS] = {runner->verdict->public_seed, runner->verdict->fresh_seed};
    course_case_name(runner->job->task, c, where, sizeof where);
    snprintf(what, sizeof what, "case %s", where);
    if (runner->job->progress) runner->job->progress(what, runner->job->progress_context);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < SEEDS && status == KZ_OK; i++) {
        status = course_data_open(runner->job->task, runner->reference, c, seeds[i], &data[i], error);
        jobs[i] = (course_harness_job){.data = &data[i], .calls = 1};
    }
    if (status == KZ_OK) status = course_run_jobs(runner, jobs, SEEDS, &result, error);
    if (status == KZ_OK) {
        bool answered = jobs[SEEDS - 1].answered;
        run_to_explain(runner, jobs, SEEDS, &result);
        if (runner->explain)
            *bad = runner->explain(runner, &data[0], where, &result, answered || result.signal);
        if (!*bad) *bad = course_add_end(runner, &data[0], where, answered, &result);
        for (size_t i = 0; i < SEEDS && !*bad && status == KZ_OK; i++)
            status = course_add_result(runner, &jobs[i], where, &result, bad, error);
        if (status == KZ_OK && !*bad && runner->explain)
            *bad = runner->explain(runner, &data[0], where, &result, false);
        if (status == KZ_OK && !*bad) *bad = course_add_exit(runner, jobs[SEEDS - 1].leaks, where, &result);
        if (status == KZ_OK && !*bad && jobs[SEEDS - 1].keeps) *bad = add_keeping(runner, where);
        if (status == KZ_OK && !*bad && runner->check_work)
            *bad = runner->check_work(runner, data, SEEDS, where, &result);
        for (size_t i = 0; i < SEEDS && !*bad && status == KZ_OK; i++)
            *bad = add_cuda_error(runner, &jobs[i], where);
    }
    for (size_t i = 0; i < SEEDS; i++) course_data_close(&data[i]);
    sandbox_result_free(&result);
    return status;
}

// Whether all cases are right in one process: no sanitizer's exit code, no limit, no byte beside a buffer. Most answers
// are, and starting a process costs more than a case. What is not is looked at again, case by case, to be explained.
static bool all_right_together(const course_runner *runner) {
    const course_task *task = runner->job->task;
    size_t count = task->case_count * SEEDS, bytes = 0;
    course_data *data = calloc(count + 1, sizeof *data);
    course_harness_job *jobs = calloc(count + 1, sizeof *jobs);
    sandbox_result result = {0};
    const uint64_t seeds[SEEDS] = {runner->verdict->public_seed, runner->verdict->fresh_seed};
    bool good = data && jobs;
    for (size_t i = 0; i < count && good; i++) {
        const course_case *c = &task->cases[i / SEEDS];
        good = course_data_open(task, runner->reference, c, seeds[i % SEEDS], &data[i], NULL) == KZ_OK;
        for (size_t k = 0; k < task->parameter_count; k++) bytes += data[i].bytes[k];
        good = good && bytes <= TOGETHER_BYTES;
        jobs[i] = (course_harness_job){.data = &data[i], .calls = 1};
    }
    course_runner quick = *runner; // who hangs is waited for once more
    if (quick.seconds > TOGETHER_SECONDS) quick.seconds = TOGETHER_SECONDS;
    good = good && course_run_jobs(&quick, jobs, count, &result, NULL) == KZ_OK && !result.timed_out &&
           !result.signal && result.exit_code == 0;
    for (size_t i = 0; i < count && good; i++) {
        bool changed;
        family_comparison comparison;
        good = jobs[i].answered && !jobs[i].guards && !jobs[i].leaks && !jobs[i].keeps &&
               course_data_judge(&data[i], runner->reference, &changed, &comparison, NULL) == KZ_OK;
    }
    for (size_t i = 0; i < count && data; i++) course_data_close(&data[i]);
    sandbox_result_free(&result);
    free(data);
    free(jobs);
    return good;
}

kz_status course_run_cases(const course_runner *runner, kz_error *error) {
    const course_task *task = runner->job->task;
    bool bad = false, together = runner->together && all_right_together(runner);
    kz_status status = KZ_OK;
    for (size_t i = 0; i < task->case_count && status == KZ_OK && !bad && !together; i++) {
        if (runner->job->interrupted && runner->job->interrupted())
            return base_fail(error, KZ_BUSY, "grading was interrupted");
        status = run_case(runner, &task->cases[i], &bad, error);
    }
    if (status || bad) return status;
    char summary[80];
    snprintf(summary, sizeof summary, "%zu case%s, %d seeds", task->case_count,
             task->case_count == 1 ? "" : "s", SEEDS);
    course_verdict_add(runner->verdict, runner->row ? runner->row : "results", COURSE_RIGHT, COURSE_PASSED,
                       NULL, summary, "");
    return KZ_OK;
}

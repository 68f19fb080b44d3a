// The one runtime of the process: opened by the first call, ended when the process ends.
#include "runtime.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "device/device.h"
#include "device/host.h"

enum { TIMED_OUT = 124, GRACE_SECONDS = 4 };

cudart_state cudart = {.host = &cudart_host_here};
_Thread_local const void *cudart_called_from;

double cudart_now(void) { return base_seconds(); }

// ---- words ----------------------------------------------------------------------------------------------

void cudart_note_failure(const char *what, cudaError_t error) {
    cudart.failures++;
    if (cudart.failure_error) return;
    cudart.failure_error = error;
    snprintf(cudart.failure, sizeof cudart.failure, "%s", what);
}

// The buffer is circular: where more was printed than it holds, the oldest is gone.
static size_t overwritten_bytes(size_t *calls) {
    size_t count = cudart.print_lengths.length / sizeof(uint64_t), bytes = 0;
    size_t held = cudart.limits[cudaLimitPrintfFifoSize] / CUDART_PRINT_BYTES;
    *calls = count > held ? count - held : 0;
    for (size_t i = 0; i < *calls; i++) {
        uint64_t length;
        memcpy(&length, cudart.print_lengths.data + i * sizeof length, sizeof length);
        bytes += length;
    }
    return bytes;
}

void cudart_flush_prints(void) {
    if (!cudart.print_lengths.length) return;
    size_t calls, gone = overwritten_bytes(&calls);
    cudart.host->flush();
    if (cudart.printed.length > gone)
        fwrite(cudart.printed.data + gone, 1, cudart.printed.length - gone, stdout);
    fflush(stdout);
    if (calls)
        fprintf(
            stderr,
            "kz: device printf: the oldest %zu calls were overwritten; the buffer of %zu bytes holds %zu\n"
            "  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, bytes) makes it larger, before the first kernel "
            "that "
            "prints\n",
            calls, cudart.limits[cudaLimitPrintfFifoSize],
            cudart.limits[cudaLimitPrintfFifoSize] / CUDART_PRINT_BYTES);
    base_text_free(&cudart.printed);
    base_text_free(&cudart.print_lengths);
}

cudaError_t cudart_synchronize(void) {
    cudart_flush_prints();
    if (cudart.pending) {
        cudart.fault = cudart.pending;
        cudart.pending = cudaSuccess;
    }
    return cudart.fault;
}

static const char *variable(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

// ---- the end --------------------------------------------------------------------------------------------

static void unfinished_path(char path[sizeof cudart.session_folder + 32]) {
    snprintf(path, sizeof cudart.session_folder + 32, "%s/unfinished.jsonl", cudart.session_folder);
}

void cudart_keep_findings(void) {
    if (!cudart.uses || !cudart.session_folder[0] || atomic_load(&cudart.finished)) return;
    size_t count = 1 + observe_findings_count(observe_session_findings(cudart.session), OBSERVE_NOTE);
    if (count == cudart.kept_findings) return;
    cudart.kept_findings = count;
    char path[sizeof cudart.session_folder + 32];
    base_text record = {0};
    unfinished_path(path);
    observe_session_peek(cudart.session, &record);
    base_file_write_scratch(path, record.data ? record.data : "", record.length, NULL); // better than nothing
    base_text_free(&record);
}

static void write_record(const base_text *record) {
    char path[sizeof cudart.session_folder + 32];
    const char *text = record->data ? record->data : "";
    if (cudart.record_pipe) {
        for (size_t done = 0; done < record->length;) {
            ssize_t put = write(cudart.record_pipe, text + done, record->length - done);
            if (put <= 0 && errno != EINTR) break;
            done += put > 0 ? (size_t)put : 0;
        }
        close(cudart.record_pipe);
    }
    if (!cudart.session_folder[0]) return;
    unfinished_path(path);
    unlink(path);
    // Removing works on a full disk too: without this file, whoever misses the record knows that it was lost.
    snprintf(path, sizeof path, "%s/record.pending", cudart.session_folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/record.jsonl", cudart.session_folder);
    kz_error error = {0};
    if (base_file_write(path, text, record->length, &error)) fprintf(stderr, "kz: %s\n", error.message);
}

void cudart_finish(void) {
    if (atomic_exchange(&cudart.finished, true) || !cudart.session) return;
    cudart_pages_open();
    base_text record = {0}, journal = {0};
    cudart_journal_write(&journal);
    observe_session_note(cudart.session, journal.data ? journal.data : "");
    base_text_free(&journal);
    if ((cudart.fault || cudart.pending) && !cudart.is_unanswered)
        observe_findings_unchecked(
            observe_session_findings(cudart.session),
            "the device was lost with the kernel that failed: what came after did not run");
    if (cudart.journal.chains.unplaced)
        observe_findings_unchecked(observe_session_findings(cudart.session),
                                   "the order of %llu operations: more than %d at once were in no order",
                                   (unsigned long long)cudart.journal.chains.unplaced, OBSERVE_CHAINS);
    observe_session_finish(cudart.session, &record);
    write_record(&record);
    base_text_free(&record);
}

static void say_unchecked(int status) {
    if (!cudart.failure_error || status != 0) return;
    fprintf(stderr, "kz: the program ended without looking at an error: %s\n  %s (%s)", cudart.failure,
            cudart_error_name(cudart.failure_error), cudart_error_text(cudart.failure_error));
    if (cudart.later_failures)
        fprintf(stderr, "\n  %u later call%s failed for that reason", cudart.later_failures,
                cudart.later_failures == 1 ? "" : "s");
    fprintf(stderr,
            "\n  after a launch, look at cudaGetLastError() and at what cudaDeviceSynchronize() returns\n");
}

static void record_unchecked(int status) {
    if (!cudart.failure_error || status != 0 || !cudart.session) return;
    observe_finding finding = {.kind = OBSERVE_UNCHECKED_ERROR};
    snprintf(finding.text, sizeof finding.text,
             "%s: %s (%s), and the program never looked\nlikely cause: nothing asks for the error of a "
             "launch, which "
             "returns none itself\nwhat to do: look at cudaGetLastError() after a launch",
             cudart.failure, cudart_error_name(cudart.failure_error),
             cudart_error_text(cudart.failure_error));
    observe_findings_add(observe_session_findings(cudart.session), &finding);
}

void cudart_end(int status) {
    if (cudart.printed.length) {
        size_t lines = 0;
        for (size_t i = 0; i < cudart.printed.length; i++) lines += cudart.printed.data[i] == '\n';
        fprintf(stderr,
                "kz: the program ended before its kernels' printf was shown (%zu line%s)\n"
                "  a GPU drops it too: call cudaDeviceSynchronize() before the program ends\n",
                lines, lines == 1 ? "" : "s");
    }
    if (cudart.pending && !cudart.fault && !cudart.failure_error && !cudart.is_unanswered)
        cudart.failure_error = cudart.pending;
    cudart_say_repeated();
    say_unchecked(status);
    record_unchecked(status);
    cudart_finish();
}

static void at_exit(int status, void *context) {
    fflush(stdout);
    cudart_end(status);
}

// What listens is decided before the program's first instruction: its own setenv() comes too late.
static void remember_session(void) {
    const char *words = variable("KZ_OBSERVE"), *folder = variable("KZ_SESSION");
    snprintf(cudart.observe, sizeof cudart.observe, "%s", words ? words : "");
    snprintf(cudart.session_folder, sizeof cudart.session_folder, "%s", folder ? folder : "");
}

__attribute__((constructor)) static void loaded(void) {
    remember_session();
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&cudart.lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    cudart.legacy.id = 1;
    cudart.next_id = 3; // 2 is cudaStreamPerThread's
    cudart.is_per_thread = cudart_has_per_thread_default();
    on_exit(at_exit, NULL);
    cudart_watch_exit();
}

_Noreturn void cudart_end_in_time(const char *why) {
    fflush(stdout);
    fprintf(stderr, "kz: stopped after %g s (--timeout)\n%s\n", cudart.timeout, why);
    cudart_finish();
    cudart_leave_process(TIMED_OUT);
}

static void *watch_time(void *unused) {
    double end = cudart_now() + cudart.timeout;
    for (double left; (left = end - cudart_now()) > 0;) {
        struct timespec pause = {.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - floor(left)))};
        nanosleep(&pause, NULL);
    }
    atomic_store(&cudart.timed_out, true);
    sim_machine_interrupt(cudart.machine); // a launch that runs ends by itself and says who waits where
    for (int i = 0; i < GRACE_SECONDS * 100 && atomic_load(&cudart.launching); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    char why[200] = "no kernel was running: the time was spent in the program's own host code";
    if (atomic_load(&cudart.launching))
        snprintf(why, sizeof why, "a kernel was running and could not be stopped");
    else if (cudart.launch_count)
        snprintf(why, sizeof why,
                 "no kernel was running: the program's %u launches had ended, and its host code went on",
                 cudart.launch_count);
    cudart_end_in_time(why);
}

static void start_timer(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, watch_time, NULL)) cudart.timeout = 0;
    pthread_attr_destroy(&attributes);
}

// ---- opening --------------------------------------------------------------------------------------------

// Whoever waits for the record is told that there will be one.
static void promise_record(void) {
    char path[sizeof cudart.session_folder + 32];
    snprintf(path, sizeof path, "%s/record.pending", cudart.session_folder);
    if (cudart.session_folder[0]) base_file_write_scratch(path, "opened\n", 7, NULL);
}

static kz_status open_session(kz_error *error) {
    if (!cudart.observe[0]) return KZ_OK;
    promise_record();
    observe_options options = {0};
    kz_status status = observe_options_parse(cudart.observe, &options, error);
    if (status) return status;
    observe_gpu what;
    device_gpu_describe(&cudart.gpu, &what);
    status = observe_session_open(&options, &what, &cudart.session, error);
    if (status) return status;
    observe_session_name(cudart.session, program_invocation_short_name, cudart.seed);
    sim_machine_set_listener(cudart.machine, observe_session_listener(cudart.session));
    cudart.uses = observe_session_streams(cudart.session);
    if (options.time) cudart_clock_start();
    return KZ_OK;
}

static kz_status open_machine(kz_error *error) {
    kz_status status = device_gpu_load(device_gpu_choose(NULL), &cudart.gpu, error);
    if (status) return status;
    sim_config config;
    device_gpu_configure(&cudart.gpu, &config);
    config.host_view = true;
    config.on_view = cudart.host->view;
    config.shared_per_block = config.shared_per_block_optin; // ptxas, where it was asked, allowed less
    return sim_machine_open(&config, &cudart.machine, error);
}

static void open_runtime(void) {
    kz_error error = {0};
    cudart.opened = true;
    kz_status status = sim_timeout_asked(&cudart.timeout, &error);
    if (status == KZ_OK) status = sim_seed_asked(&cudart.seed, &error);
    if (status == KZ_OK) status = open_machine(&error);
    if (status == KZ_OK) cudart_reset_limits();
    if (status == KZ_OK) status = open_session(&error);
    if (status == KZ_OK) status = cudart_open_debugger(&error);
    if (status == KZ_OK) cudart_clock_start_if_asked();
    if (status) {
        cudart_say("no simulated GPU can be opened\n%s", error.message);
        cudart.open_error = status == KZ_NOT_FOUND ? cudaErrorNoDevice : cudaErrorInitializationError;
        return;
    }
    cudart_watch_signals();
    if (cudart.timeout > 0) start_timer();
}

cudaError_t cudart_enter(const void *caller) {
    pthread_mutex_lock(&cudart.lock);
    cudart.caller = cudart_called_from ? cudart_called_from : caller;
    if (!cudart.opened) open_runtime();
    return cudart_broken();
}

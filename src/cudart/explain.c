// A host that touches device memory is told so before it ends; a record is written whatever ends the process.
#include "runtime.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct sigaction earlier[NSIG]; // what the program had installed before us

// Whether a protected page was the cause, and the program goes on.
static bool is_of_pages(uint64_t address, void *context) {
    cudart_stop stop = cudart_pages_stopped(address, cudart_context_touch(context) == CUDART_TOUCH_WRITE,
                                            cudart_context_instruction(context));
    if (stop == CUDART_STOP_STEP) cudart_context_step(context, true);
    return stop != CUDART_STOP_FOREIGN;
}

// Not all of this is allowed in a signal handler; the process is about to end, and silence helps nobody.
void cudart_explain_touch(uint64_t address, cudart_touch host, const void *instruction) {
    static const struct {
        const char *did, *instead;
    } words[] = {
        [CUDART_TOUCH_UNKNOWN] = {"accessed", "copy it with cudaMemcpy"},
        [CUDART_TOUCH_READ] = {"read", "copy it with cudaMemcpy first"},
        [CUDART_TOUCH_WRITE] = {"wrote to", "fill it with cudaMemcpy or a kernel"},
    };
    char what[512], name[128];
    observe_finding finding = {.kind = OBSERVE_HOST_ACCESS};
    bool is_named = cudart_function_at(instruction, name, sizeof name);
    cudart_describe_address(address, what, sizeof what);
    snprintf(
        finding.text, sizeof finding.text,
        "the host %s device memory: %s%s%s\nlikely cause: a pointer of cudaMalloc is for kernels and copies; "
        "the host itself cannot follow it\nwhat to do: %s, or allocate it with cudaMallocManaged",
        words[host].did, what, is_named ? "\nin " : "", is_named ? name : "", words[host].instead);
    cudart.host->flush();
    fprintf(stderr, "kz: ");
    for (const char *at = finding.text; *at; at += strcspn(at, "\n"), at += *at == '\n')
        fprintf(stderr, "%s%.*s\n", at == finding.text ? "" : "  ", (int)strcspn(at, "\n"), at);
    if (cudart.session) observe_findings_add(observe_session_findings(cudart.session), &finding);
}

// Hands the signal on: to the program's own handler, or to the default action.
static void hand_on(int signal_number, siginfo_t *info, void *context) {
    const struct sigaction *before = &earlier[signal_number];
    if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(signal_number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(signal_number);
    } else {
        signal(signal_number, SIG_DFL);
        raise(signal_number); // taken when this handler returns
    }
}

static void on_signal(int signal_number, siginfo_t *info, void *context) {
    static volatile sig_atomic_t inside, is_written;
    bool outside = signal_number == SIGTERM || signal_number == SIGINT;
    if (signal_number == SIGTRAP && cudart_pages_stepped()) {
        cudart_context_step(context, false);
        return;
    }
    if (signal_number == SIGSYS && cudart_calls_stopped(info, context)) return;
    if (signal_number == SIGSEGV && info->si_code > 0 &&
        is_of_pages((uint64_t)(uintptr_t)info->si_addr, context))
        return;
    // Ctrl-C reaches the program and kz, which passes it on: the second of the two does not stop the record.
    if (outside && inside && !is_written) return;
    if (!inside) {
        inside = 1;
        uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
        if (signal_number == SIGSEGV && info->si_code > 0 && sim_memory_is_device(cudart.machine, address))
            cudart_explain_touch(address, cudart_context_touch(context), cudart_context_instruction(context));
        cudart_say_repeated();
        cudart_finish();
        is_written = 1;
    }
    hand_on(signal_number, info, context);
}

void cudart_watch_signals(void) {
    static const int watched[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTERM, SIGINT, SIGTRAP, SIGSYS};
    for (size_t i = 0; i < BASE_COUNT(watched); i++) {
        // What ends a process from outside concerns us only where there is a record to write.
        bool outside = watched[i] == SIGTERM || watched[i] == SIGINT;
        if (outside && !cudart.session) continue;
        bool of_pages = watched[i] == SIGTRAP || watched[i] == SIGSYS;
        if (of_pages && !cudart.uses) continue;
        struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(watched[i], &action, &earlier[watched[i]]);
    }
}

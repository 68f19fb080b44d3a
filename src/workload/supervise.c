// A run in a child process. See supervise.h.
#include "workload/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// First the beat: a shorter patience is for what comes after it. by and name may be the page's own.
void workload_page_beat(workload_page *page, const char *by, const char *name, double patience) {
    if (by != page->by) snprintf(page->by, sizeof page->by, "%s", by);
    if (name != page->name) snprintf(page->name, sizeof page->name, "%s", name);
    atomic_fetch_add(&page->beats, 1);
    atomic_store(&page->patience, patience);
}

void workload_page_pause(const workload_page *page) {
    const struct timespec tick = {.tv_nsec = 20000000};
    while (atomic_load(&page->pause)) nanosleep(&tick, NULL);
}

// What a child may take to open devices, until it says something else; and what one that is killed may take to die.
enum { OPENING_SECONDS = 600, DYING_SECONDS = 60 };

// ---- the child ------------------------------------------------------------------------------------------------

static pid_t start_child(const workload_supervision *s, workload_page *page, const sigset_t *mask) {
    pid_t parent = getpid();
    fflush(NULL);
    pid_t child = fork();
    if (child != 0) {
        if (child > 0) setpgid(child, child); // both do it: whoever comes first
        return child;
    }
    setpgid(0, 0);                     // the terminal's signals come by the parent, once
    signal(SIGTTOU, SIG_IGN);          // it may write to the terminal all the same
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // no orphan is left
    if (getppid() != parent) _exit(1); // too late
    sigprocmask(SIG_SETMASK, mask, NULL);
    int code = s->run(s->context, page);
    fflush(NULL);
    _exit(code);
}

// ---- watching it ------------------------------------------------------------------------------------------------

typedef struct watched {
    pid_t child;
    int status;   // of waitpid
    bool hung;    // and was killed
    bool stuck;   // and did not even die of that
    int stopped;  // the signal that was passed on; 0: none
    double quiet; // seconds since the last beat
} watched;

static void end_group(pid_t child) { // with what it started
    if (kill(-child, SIGKILL) != 0) kill(child, SIGKILL);
}

// As a shell's job control wants it, which sees this process alone. Returns when it was continued.
static void stop_here(workload_page *page) {
    atomic_store(&page->pause, true);
    raise(SIGSTOP);
    atomic_store(&page->pause, false);
}

// The signals are blocked: they are taken here, one by one.
static void wait_for_child(watched *w, workload_page *page, const sigset_t *signals) {
    const struct timespec tenth = {.tv_nsec = 100000000};
    uint_fast64_t beats = atomic_load(&page->beats);
    double last = base_seconds();
    for (;;) {
        int number = sigtimedwait(signals, NULL, &tenth);
        if (number == SIGINT || number == SIGTERM) {
            w->stopped = number;
            kill(w->child, number);
        }
        if (number == SIGTSTP) {
            stop_here(page);
            last = base_seconds();
        }
        if (waitpid(w->child, &w->status, WNOHANG) == w->child) return;
        double patience = atomic_load(&page->patience); // before the beats: see workload_page_beat
        uint_fast64_t now = atomic_load(&page->beats);
        if (now != beats) beats = now, last = base_seconds();
        w->quiet = base_seconds() - last;
        if (w->hung && w->quiet > patience + DYING_SECONDS) {
            w->stuck = true;
            return;
        }
        if (w->quiet < patience || w->hung || patience <= 0) continue;
        w->hung = true;
        end_group(w->child);
    }
}

// ---- what was lost -----------------------------------------------------------------------------------------------

// "crashed with signal 11 (Segmentation fault) while latency"
static void describe(const watched *w, const workload_page *page, bench_lost *lost) {
    const char *phase = page->phase[0] ? page->phase : "opening devices and rivals";
    const char *who = page->by[0] ? page->name[0] ? page->name : page->by : "the process";
    kz_error *error = &lost->error;
    snprintf(lost->by, sizeof lost->by, "%s", page->by);
    snprintf(lost->name, sizeof lost->name, "%s", page->name);
    if (page->faulted) {
        lost->loss = BENCH_FAULTED;
        *error = page->fault;
        base_fail_note(error, "while %s ran (%s); the device was opened again", who, phase);
    } else if (w->hung) {
        lost->loss = BENCH_HUNG;
        base_fail(error, KZ_TIMEOUT, "%s hung: nothing came of it for %g s (%s)", who,
                  atomic_load(&page->patience), phase);
        base_fail_note(error, "--timeout allows more");
    } else if (WIFSIGNALED(w->status)) {
        int number = WTERMSIG(w->status);
        lost->loss = BENCH_CRASHED;
        base_fail(error, KZ_LOST, "%s crashed: signal %d (%s), %s", who, number, strsignal(number), phase);
        if (number == SIGKILL) base_fail_note(error, "somebody killed it, or memory ran out: dmesg tells");
    } else {
        lost->loss = BENCH_CRASHED;
        base_fail(error, KZ_LOST, "%s ended its process with exit status %d (%s)", who,
                  WEXITSTATUS(w->status), phase);
    }
}

static bool is_known(const workload_page *page, const bench_lost *lost) {
    for (size_t i = 0; i < page->lost_count; i++)
        if (strcmp(page->lost[i].by, lost->by) == 0 && strcmp(page->lost[i].name, lost->name) == 0)
            return true;
    return false;
}

void workload_page_count_loss(workload_page *page, const bench_lost *lost) {
    size_t i = 0;
    while (i < page->loss_count &&
           (strcmp(page->losses[i].by, lost->by) != 0 || strcmp(page->losses[i].name, lost->name) != 0))
        i++;
    if (i == WORKLOAD_LOSSES) return;
    if (i == page->loss_count) {
        page->loss_count++;
        memcpy(page->losses[i].by, lost->by, sizeof lost->by);
        memcpy(page->losses[i].name, lost->name, sizeof lost->name);
    }
    page->losses[i].loss = lost->loss;
    page->losses[i].cases++;
}

// Whether another child can go on: without that candidate, without that case, or without rivals.
static bool take_loss(const workload_supervision *s, const watched *w, workload_page *page, kz_error *error) {
    bench_lost lost = {0};
    describe(w, page, &lost);
    const char *consequence = NULL;
    bool nobody = !lost.by[0] || strcmp(lost.by, "peak") == 0; // nothing can be left out
    if (page->in_case && (nobody || is_known(page, &lost) || page->lost_count == BENCH_CANDIDATES)) {
        page->given_up = lost.error;
    } else if (page->in_case) {
        page->lost[page->lost_count++] = lost;
        workload_page_count_loss(page, &lost);
        consequence = "the case goes on without it, in a new process";
    } else if (!page->without_rivals && page->done == 0 && page->device == 0) {
        page->without_rivals = true;
        consequence = "the run goes on without rivals";
    } else {
        if (error) *error = lost.error;
        return false;
    }
    if (consequence && s->complain) s->complain(&lost.error, consequence);
    return true;
}

static void clear_line(void) { // the child's last progress
    report_progress progress;
    report_progress_begin(&progress, stderr);
    progress.shown = true;
    report_progress_clear(&progress);
}

// ---- the whole -----------------------------------------------------------------------------------------------------

static int supervise(const workload_supervision *s, workload_page *page, const sigset_t *signals,
                     const sigset_t *mask, kz_error *error) {
    for (;;) {
        page->finished = page->in_case = page->faulted = false;
        page->by[0] = page->name[0] = page->phase[0] = 0;
        atomic_store(&page->patience, OPENING_SECONDS);
        watched w = {.child = start_child(s, page, mask)};
        if (w.child < 0) {
            base_fail(error, KZ_IO, "no process could be started: %s", strerror(errno));
            return -1;
        }
        wait_for_child(&w, page, signals);
        kill(-w.child, SIGKILL); // what it left behind
        if (page->finished) return page->code;
        if (w.stopped) return WIFEXITED(w.status) ? WEXITSTATUS(w.status) : 128 + w.stopped;
        clear_line();
        if (w.stuck) {
            bench_lost lost = {0};
            describe(&w, page, &lost);
            if (error) *error = lost.error;
            base_fail_note(
                error,
                "its process %d cannot be killed: the driver holds it; nvidia-smi --gpu-reset, or a "
                "restart of the machine, then --resume goes on",
                (int)w.child);
            return -1;
        }
        if (!take_loss(s, &w, page, error)) return -1;
        page->children++;
    }
}

int workload_supervise(const workload_supervision *s, kz_error *error) {
    workload_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        base_fail(error, KZ_NO_MEMORY, "no memory to share with the process that measures");
        return -1;
    }
    int code;
    if (s->here) {
        code = s->run(s->context, page);
    } else {
        sigset_t signals, mask;
        sigemptyset(&signals);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGTSTP);
        sigaddset(&signals, SIGCHLD);
        sigprocmask(SIG_BLOCK, &signals, &mask);
        code = supervise(s, page, &signals, &mask, error);
        sigprocmask(SIG_SETMASK, &mask, NULL);
    }
    munmap(page, sizeof *page);
    return code;
}

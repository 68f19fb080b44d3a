// The supervisor and the program. After the fork only system calls are made.
//
// Between the caller and the program stands a supervisor that does nothing but wait and look: whoever the program
// takes for its parent is not the caller, and descendants that left the group become the supervisor's children, so
// that none of them outlives the run. With namespaces it is process 1, and the kernel ends all with it.
#include "confine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_NANOSECONDS = 20000000, MOST_LOOKED_AT = 4096, LAST_CAPABILITY = 63, FILE_BYTES = 64 << 20 };
enum { MOST_DESCRIPTORS = 4096, THREADS_PER_PROCESS = 8 };

#ifndef SYS_close_range
#define SYS_close_range 436 // the same on all machines
#endif

static void tell(int report, sandbox_word word, uint32_t value, uint32_t more) {
    sandbox_report message = {(uint32_t)word, value, more};
    ssize_t written = write(report, &message, sizeof message);
    if (written != (ssize_t)sizeof message && word == SANDBOX_STARTED) _exit(125);
}

// ---- the program ------------------------------------------------------------------------------------------------

static void limit(int resource, rlim_t value) {
    struct rlimit limits;
    if (getrlimit((__rlimit_resource_t)resource, &limits) != 0) return;
    if (limits.rlim_max != RLIM_INFINITY && limits.rlim_max < value) value = limits.rlim_max;
    limits.rlim_cur = limits.rlim_max = value;
    setrlimit((__rlimit_resource_t)resource, &limits);
}

// The soft limit alone: the simulator lifts it for its memory, which is a large and sparse file without a disk.
static void limit_files(rlim_t bytes) {
    struct rlimit limits;
    if (getrlimit(RLIMIT_FSIZE, &limits) != 0 || limits.rlim_cur < bytes) return;
    limits.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limits);
}

static size_t read_file(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0) close(file);
    text[got > 0 ? got : 0] = 0;
    return got > 0 ? (size_t)got : 0;
}

// The most threads in all: some for each process, and for libraries that start some for each core of the machine.
static size_t most_threads(const sandbox_process *process) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return (size_t)process->processes * THREADS_PER_PROCESS + (cores > 0 ? 4 * (size_t)cores : 0);
}

// What multiplies faster than the supervisor looks ends at this: as many more threads as it may have, where the user may
// already have all that there are ("0.20 0.18 0.12 1/80 11206": 80). The kernel does not hold root to it.
static void limit_processes(const sandbox_process *process) {
    char text[128];
    read_file("/proc/loadavg", text, sizeof text);
    const char *slash = strchr(text, '/');
    if (process->processes && slash)
        limit(RLIMIT_NPROC, strtoul(slash + 1, NULL, 10) + most_threads(process));
}

static void set_limits(const sandbox_process *process) {
    limit(RLIMIT_CORE, 0);
    limit_processes(process);
    if (process->file_bytes)
        limit(RLIMIT_FSIZE, (rlim_t)process->file_bytes);
    else
        limit_files(FILE_BYTES);
    // Threads count together: the processor time of as many cores as there are, and some to spare.
    double seconds = process->cpu_seconds > 0 ? process->cpu_seconds : process->seconds * 256 + 10;
    limit(RLIMIT_CPU, (rlim_t)seconds);
    if (process->memory) limit(RLIMIT_AS, (rlim_t)process->memory);
    if (process->data) limit(RLIMIT_DATA, (rlim_t)process->data);
}

static void close_all(int first, int last) {
    if (syscall(SYS_close_range, (unsigned)first, last == MOST_DESCRIPTORS ? ~0u : (unsigned)last, 0) == 0)
        return;
    for (int fd = first; fd <= last; fd++) close(fd); // before Linux 5.9
}

static void take_descriptors(const sandbox_plan *plan) {
    const sandbox_pipes *p = &plan->pipes;
    dup2(p->in[0], 0);
    dup2(p->out[1], 1);
    dup2(p->out[1], 2);
    const int more[][2] = {{p->answer[1], SANDBOX_ANSWER_FD}, {p->log[1], SANDBOX_LOG_FD}};
    for (size_t i = 0; i < BASE_COUNT(more); i++)
        if (more[i][0] < 0 || dup2(more[i][0], more[i][1]) < 0) close(more[i][1]);
    close_all(SANDBOX_LOG_FD + 1, p->report[1] - 1);
    close_all(p->report[1] + 1, MOST_DESCRIPTORS);
}

// Gives up what it has and says which guards hold. Root too keeps no capability.
static uint32_t confine(const sandbox_plan *plan) {
    bool has_scope = false;
    for (int i = 0; i <= LAST_CAPABILITY; i++) prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
    uint32_t without = plan->process->without;
    bool has_landlock = !(without & SANDBOX_WITHOUT_LANDLOCK) && sandbox_landlock_enter(plan, &has_scope);
    bool has_filter =
        !(without & SANDBOX_WITHOUT_FILTER) && sandbox_filter_enter(plan, has_landlock, has_scope);
    return (plan->has_namespaces || has_landlock ? SANDBOX_FILES : 0u) |
           (plan->has_namespaces || has_filter ? SANDBOX_NETWORK : 0u) |
           (plan->has_namespaces || has_scope || (has_filter && !plan->process->signals_threads)
                ? SANDBOX_PROCESSES
                : 0u);
}

_Noreturn static void become(const sandbox_plan *plan) {
    const sandbox_process *process = plan->process;
    uint32_t guards = 0;
    setsid(); // of no terminal
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_CAPBSET_DROP, 19 /* CAP_SYS_PTRACE */, 0, 0, 0); // root too stays out of the caller's memory
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (process->is_confined && !plan->has_namespaces) umask(077);
    if (plan->self[0] && chdir(plan->self) != 0) _exit(126);
    take_descriptors(plan);
    set_limits(process);
    if (process->is_confined && plan->mode != SANDBOX_OFF) {
        guards = confine(plan);
        if (plan->mode == SANDBOX_REQUIRE && guards != SANDBOX_ALL) {
            tell(plan->pipes.report[1], SANDBOX_REFUSED, guards, 0);
            _exit(125);
        }
    }
    tell(plan->pipes.report[1], SANDBOX_STARTED, (uint32_t)getpid(), guards);
    if (!process->argv) _exit(0);
    execve(process->argv[0], (char *const *)(uintptr_t)process->argv,
           (char *const *)(uintptr_t)plan->variables);
    _exit(127);
}

// ---- looking after it -------------------------------------------------------------------------------------------

typedef struct descendants {
    int list[MOST_LOOKED_AT];
    size_t count;
} descendants;

static void add_children(descendants *d, const char *path) {
    char text[8192];
    read_file(path, text, sizeof text);
    for (char *at = text, *end; *at && d->count < MOST_LOOKED_AT; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at) break;
        d->list[d->count++] = (int)child;
    }
}

// Any thread may have made children. Gives the number of threads. The kernel's own call, for opendir takes memory.
static size_t add_children_of(descendants *d, int process) {
    char path[64], entries[4096];
    size_t threads = 0;
    snprintf(path, sizeof path, "/proc/%d/task", process);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (long got; folder >= 0 && (got = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;)
        for (long at = 0; at < got;) {
            struct {
                uint64_t inode, offset;
                unsigned short length;
                unsigned char kind;
            } head;
            memcpy(&head, entries + at, sizeof head);
            const char *name = entries + at + 19;
            if (name[0] != '.') {
                snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", process, name);
                add_children(d, path);
                threads++;
            }
            at += head.length;
        }
    if (folder >= 0) close(folder);
    return threads;
}

// What is in memory for one process alone or shared, files left out, in kB.
static uint64_t resident_of(int process) {
    char path[64], text[4096];
    uint64_t sum = 0;
    snprintf(path, sizeof path, "/proc/%d/status", process);
    read_file(path, text, sizeof text);
    static const char *const keys[] = {"RssAnon:", "RssShmem:"};
    for (size_t i = 0; i < BASE_COUNT(keys); i++) {
        const char *at = strstr(text, keys[i]);
        if (at) sum += strtoull(at + strlen(keys[i]), NULL, 10);
    }
    return sum;
}

// At the first that is too much it is enough: what multiplies does so while it is counted.
static sandbox_stop look(const sandbox_process *process, size_t most, descendants *d) {
    d->count = 0;
    add_children(d, "/proc/thread-self/children");
    size_t threads = 0;
    for (size_t i = 0; i < d->count; i++) {
        threads += add_children_of(d, d->list[i]);
        if (process->processes && (d->count > process->processes || threads > most)) return SANDBOX_COUNT;
    }
    uint64_t kilobytes = 0;
    for (size_t i = 0; process->total_memory && i < d->count; i++) kilobytes += resident_of(d->list[i]);
    return kilobytes > process->total_memory >> 10 ? SANDBOX_MEMORY : SANDBOX_NOT_STOPPED;
}

// Kills what is left of the program, whatever group it went to: all of that are this process's children.
static void kill_all(const sandbox_plan *plan, pid_t group, descendants *d) {
    for (int round = 0; round < 1000; round++) {
        kill(plan->has_namespaces ? -1 : -group, SIGKILL); // -1: all of its world but this one
        d->count = 0;
        if (!plan->has_namespaces) add_children(d, "/proc/thread-self/children");
        for (size_t i = 0; i < d->count; i++) {
            if (d->list[i] <= 1) continue;
            kill((pid_t)d->list[i], SIGKILL);
            add_children_of(d, d->list[i]); // before they are this process's
        }
        int state;
        pid_t ended;
        while ((ended = waitpid(-1, &state, WNOHANG)) > 0) {}
        if (ended < 0) return; // nobody is left
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

// Until the program ends, is to end, or takes too much. Gives wait's state.
static int wait_for(const sandbox_process *process, pid_t child, descendants *d, sandbox_stop *stop) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGCHLD);
    size_t most = most_threads(process);
    bool looks = process->total_memory || process->processes;
    const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
    double looked = base_seconds();
    for (;;) {
        int state = 0, got = looks ? sigtimedwait(&awaited, NULL, &pause) : sigwaitinfo(&awaited, NULL);
        pid_t ended;
        while ((ended = waitpid(-1, &state, WNOHANG)) > 0)
            if (ended == child) return state;
        if (got == SIGTERM) return SIGKILL;
        double now = base_seconds(); // children that end all the time do not keep it from looking
        if (!looks || now - looked < LOOK_NANOSECONDS * 1e-9) continue;
        if ((*stop = look(process, most, d))) return SIGKILL;
        looked = now;
    }
}

_Noreturn void sandbox_supervise(const sandbox_plan *plan) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setpgid(0, 0); // an interrupt of the terminal is the caller's to handle
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_DUMPABLE, 0); // its memory is the caller's: not for the program to read
    int report = plan->pipes.report[1];
    if (plan->has_namespaces && !sandbox_namespaces_enter(plan)) {
        tell(report, SANDBOX_NO_NAMESPACES, (uint32_t)errno, 0);
        _exit(125);
    }
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &none, NULL);
        become(plan);
    }
    if (child < 0) _exit(125);
    const sandbox_pipes *p = &plan->pipes;
    const int ours[] = {p->in[0],     p->in[1],  p->out[0], p->out[1],   p->answer[0],
                        p->answer[1], p->log[0], p->log[1], p->report[0]};
    for (size_t i = 0; i < BASE_COUNT(ours); i++)
        if (ours[i] >= 0) close(ours[i]);
    descendants d;
    sandbox_stop stop = SANDBOX_NOT_STOPPED;
    int state = wait_for(plan->process, child, &d, &stop);
    kill_all(plan, child, &d);
    tell(report, SANDBOX_ENDED, (uint32_t)state, (uint32_t)stop);
    _exit(0);
}

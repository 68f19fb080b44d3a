// A program with limits: its own process group, under a supervisor, with wall time, memory and output bounded.
//
// Between this process and the program stands a supervisor, a fork that does nothing but wait: whoever the
// program takes for its parent is not the grader, and descendants that left the group become the
// supervisor's children, so that none of them outlives the run. After fork only system calls are made.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "course/course.h"

extern char **environ;

enum { ANSWER_FD = 3, VARIABLES = 128, LEAST_OUTPUT = 4096 };

#define ASK_SECONDS 0.2 // between two questions whether to go on

// ---- the environment ------------------------------------------------------------------------------------

// What a program may need to run at all; everything else stays here.
static bool is_kept(const char *variable) {
    static const char *const names[] = {"PATH=",
                                        "HOME=",
                                        "LANG=",
                                        "TZ=",
                                        "TMPDIR=",
                                        "LD_LIBRARY_PATH=",
                                        "XDG_CACHE_HOME=",
                                        "XDG_RUNTIME_DIR=",
                                        "CUDA_",
                                        "NVIDIA_",
                                        "KZ_",
                                        "LC_",
                                        "TERM="};
    for (size_t i = 0; i < BASE_COUNT(names); i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static bool same_name(const char *a, const char *b) {
    size_t length = strcspn(a, "=");
    return strncmp(a, b, length) == 0 && b[length] == '=';
}

// Pointers only: the texts are the caller's and this process's own.
static void make_environment(const course_process *process, const char *variables[VARIABLES + 1]) {
    size_t count = 0;
    for (size_t i = 0; process->environment && process->environment[i] && count < VARIABLES; i++)
        variables[count++] = process->environment[i];
    size_t given = count;
    for (char **at = environ; *at && count < VARIABLES; at++) {
        bool replaced = false;
        for (size_t i = 0; i < given; i++) replaced = replaced || same_name(variables[i], *at);
        if (is_kept(*at) && !replaced) variables[count++] = *at;
    }
    variables[count] = NULL;
}

// ---- in the child and its supervisor: system calls only -----------------------------------------------------

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

typedef struct pipes {
    int in[2], out[2], answer[2];
} pipes;

_Noreturn static void become(const course_process *process, const pipes *p, const char *const *variables) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE); // root too stays out of the grader's memory
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    if (process->folder && chdir(process->folder) != 0) _exit(126);
    dup2(p->in[0], 0);
    dup2(p->out[1], 1);
    dup2(p->out[1], 2);
    if (process->answer_pipe)
        dup2(p->answer[1], ANSWER_FD);
    else
        close(ANSWER_FD);
    for (int fd = ANSWER_FD + 1; fd < 1024; fd++) close(fd);
    limit(RLIMIT_CORE, 0);
    limit_files((rlim_t)64 << 20);
    // Threads count together: the processor time of as many cores as there are, and some to spare.
    limit(RLIMIT_CPU, (rlim_t)(process->seconds * 256) + 10);
    if (process->memory) limit(RLIMIT_AS, (rlim_t)process->memory);
    if (process->data) limit(RLIMIT_DATA, (rlim_t)process->data);
    execve(process->argv[0], (char *const *)(uintptr_t)process->argv, (char *const *)(uintptr_t)variables);
    _exit(127);
}

// Kills what is left of the program, whatever group it went to: all of that are this process's children.
static void kill_all(pid_t group) {
    for (int round = 0; round < 1000; round++) {
        if (group > 0) kill(-group, SIGKILL);
        char path[64], list[4096];
        int length = snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
        int fd = length > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got = fd >= 0 ? read(fd, list, sizeof list - 1) : 0;
        if (fd >= 0) close(fd);
        list[got > 0 ? got : 0] = 0;
        for (char *at = list, *end; *at; at = end) {
            long child = strtol(at, &end, 10);
            if (end == at) break;
            if (child > 1) kill((pid_t)child, SIGKILL);
        }
        int state;
        pid_t ended;
        while ((ended = waitpid(-1, &state, WNOHANG)) > 0) {}
        if (ended < 0) return; // nobody is left
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

// Waits for the program, and ends all of it when told so (SIGTERM) or when the grader is gone. Gives the
// program's group, and later its end, through `report`.
_Noreturn static void supervise(const course_process *process, const pipes *p, const char *const *variables,
                                int report) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGCHLD);
    sigprocmask(SIG_SETMASK, &awaited, NULL);
    setpgid(0, 0); // an interrupt of the terminal is the grader's to handle
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prctl(PR_SET_DUMPABLE, 0); // its memory is the grader's: not for the program to read
    pid_t child = fork();
    if (child == 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        become(process, p, variables);
    }
    ssize_t written = child < 0 ? 0 : write(report, &child, sizeof child);
    if (written <= 0) _exit(125);
    int ours[] = {p->in[0], p->in[1], p->out[0], p->out[1], p->answer[0], p->answer[1]};
    for (size_t i = 0; i < BASE_COUNT(ours); i++)
        if (ours[i] >= 0) close(ours[i]);
    int state = 0;
    for (bool running = true; running;) {
        siginfo_t info;
        int got = sigwaitinfo(&awaited, &info);
        pid_t ended;
        while (running && (ended = waitpid(-1, &state, WNOHANG)) > 0)
            if (ended == child) running = false;
        if (got == SIGTERM && running) {
            state = SIGKILL;
            running = false;
        }
    }
    kill_all(child);
    written = write(report, &state, sizeof state);
    _exit(written == (ssize_t)sizeof state ? 0 : 1);
}

// ---- here -----------------------------------------------------------------------------------------------

static void close_pair(int pair[2]) {
    for (int i = 0; i < 2; i++) {
        if (pair[i] >= 0) close(pair[i]);
        pair[i] = -1;
    }
}

static bool open_pair(int pair[2], bool wanted) {
    pair[0] = pair[1] = -1;
    return !wanted || pipe2(pair, O_CLOEXEC) == 0;
}

static void close_end(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

// Takes what is there. What is past `most` is read and dropped, so that the program does not wait for room.
static void take(int *fd, base_text *into, size_t most) {
    char bytes[65536];
    ssize_t got = read(*fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
        close_end(fd);
        return;
    }
    size_t room = into->length < most ? most - into->length : 0;
    base_text_add_bytes(into, bytes, (size_t)got < room ? (size_t)got : room);
}

static void give(int *fd, const course_process *process, size_t *given) {
    ssize_t put = write(*fd, (const char *)process->input + *given, process->input_bytes - *given);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put > 0) *given += (size_t)put;
    if (put <= 0 || *given == process->input_bytes) close_end(fd);
}

// Moves bytes until the supervisor has told the end or the time is over. The program's own end of stdout
// may be held open by nobody after that: its whole group is gone.
static bool converse(const course_process *process, course_process_result *result, pipes *p, int *report,
                     int *state, pid_t supervisor, pid_t *group) {
    size_t given = 0, most = process->output_bytes ? process->output_bytes : LEAST_OUTPUT;
    double end = base_seconds() + process->seconds;
    bool reported = false;
    if (process->input_bytes == 0) close_end(&p->in[1]);
    while (*report >= 0) {
        struct pollfd fds[4] = {{.fd = p->in[1], .events = POLLOUT},
                                {.fd = p->out[0], .events = POLLIN},
                                {.fd = p->answer[0], .events = POLLIN},
                                {.fd = *report, .events = POLLIN}};
        double left = end - base_seconds();
        bool is_over = left <= 0 || (process->interrupted && process->interrupted());
        if (is_over && !result->timed_out) {
            result->timed_out = true;
            kill(supervisor, SIGTERM);
            end = base_seconds() + 5;
            continue;
        }
        if (left <= 0) break; // the supervisor itself does not answer
        double most_seconds = process->interrupted ? ASK_SECONDS : 60;
        if (poll(fds, BASE_COUNT(fds), (int)((left < most_seconds ? left : most_seconds) * 1000) + 1) < 0 &&
            errno != EINTR)
            break;
        if (fds[0].revents) give(&p->in[1], process, &given);
        if (fds[1].revents) take(&p->out[0], &result->output, most);
        if (fds[2].revents) take(&p->answer[0], &result->answer, SIZE_MAX);
        if (fds[3].revents) {
            int number = 0;
            bool whole = read(*report, &number, sizeof number) == (ssize_t)sizeof number;
            reported = whole && *group > 0;
            *(*group > 0 ? state : group) = number;
            if (!whole || reported) close_end(report);
        }
    }
    for (int flags; p->out[0] >= 0 || p->answer[0] >= 0;) { // what is still in the pipes
        int *fd = p->answer[0] >= 0 ? &p->answer[0] : &p->out[0];
        flags = fcntl(*fd, F_GETFL);
        fcntl(*fd, F_SETFL, flags | O_NONBLOCK);
        base_text *into = fd == &p->out[0] ? &result->output : &result->answer;
        size_t before = into->length;
        take(fd, into, fd == &p->out[0] ? most : SIZE_MAX);
        if (*fd >= 0 && into->length == before) close_end(fd);
    }
    return reported;
}

static kz_status start(const course_process *process, pipes *p, int report[2], pid_t *supervisor,
                       kz_error *error) {
    const char *variables[VARIABLES + 1];
    make_environment(process, variables);
    if (!open_pair(p->in, true) || !open_pair(p->out, true) || !open_pair(p->answer, process->answer_pipe) ||
        !open_pair(report, true))
        return base_fail(error, KZ_TOOL, "cannot start %s: no pipe: %s", process->argv[0], strerror(errno));
    // Above the numbers that the child makes its own.
    int *ends[] = {&p->in[0], &p->out[1], &p->answer[1]};
    for (size_t i = 0; i < BASE_COUNT(ends); i++) {
        int moved = *ends[i] >= 0 ? fcntl(*ends[i], F_DUPFD_CLOEXEC, 10) : -1;
        if (moved >= 0) {
            close(*ends[i]);
            *ends[i] = moved;
        }
    }
    *supervisor = fork();
    if (*supervisor == 0) supervise(process, p, variables, report[1]);
    if (*supervisor < 0)
        return base_fail(error, KZ_TOOL, "cannot start %s: %s", process->argv[0], strerror(errno));
    close_end(&p->in[0]);
    close_end(&p->out[1]);
    close_end(&p->answer[1]);
    close_end(&report[1]);
    fcntl(p->in[1], F_SETFL, fcntl(p->in[1], F_GETFL) | O_NONBLOCK);
    return KZ_OK;
}

kz_status course_run_process(const course_process *process, course_process_result *result, kz_error *error) {
    *result = (course_process_result){0};
    if (access(process->argv[0], X_OK) != 0)
        return base_fail(error, KZ_TOOL, "cannot start %s: %s", process->argv[0], strerror(errno));
    pipes p = {{-1, -1}, {-1, -1}, {-1, -1}};
    int report[2] = {-1, -1}, state = 0;
    pid_t supervisor = -1, group = 0;
    double began = base_seconds();
    // A program that closes its stdin must not end this one.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    int dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_SET_DUMPABLE, 0);
    kz_status status = start(process, &p, report, &supervisor, error);
    bool reported = !status && converse(process, result, &p, &report[0], &state, supervisor, &group);
    if (supervisor > 0) {
        int ended;
        if (!reported) kill(supervisor, SIGKILL);
        if (!reported && group > 1) kill(-group, SIGKILL); // the program has killed its supervisor
        while (waitpid(supervisor, &ended, 0) < 0 && errno == EINTR) {}
    }
    prctl(PR_SET_DUMPABLE, dumpable);
    sigaction(SIGPIPE, &before, NULL);
    close_pair(p.in), close_pair(p.out), close_pair(p.answer), close_pair(report);
    result->seconds = base_seconds() - began;
    result->signal = !reported ? SIGKILL : WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    result->exit_code = result->signal ? 128 + result->signal : WEXITSTATUS(state);
    if (!status && process->interrupted && process->interrupted())
        status = base_fail(error, KZ_BUSY, "grading was interrupted");
    if (!status && (result->output.failed || result->answer.failed))
        status = base_fail(error, KZ_NO_MEMORY, "no memory for what %s says", process->argv[0]);
    return status;
}

// A program with limits: pipes to it, its time, and how it ended. supervise.c has what happens after the fork.
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAST_OUTPUT = 4096 };

#define ASK_SECONDS 0.2 // between two questions whether to go on

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

static void give(int *fd, const sandbox_process *process, size_t *given) {
    ssize_t put = write(*fd, (const char *)process->input + *given, process->input_bytes - *given);
    if (put < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (put > 0) *given += (size_t)put;
    if (put <= 0 || *given == process->input_bytes) close_end(fd);
}

typedef struct conversation {
    const sandbox_process *process;
    sandbox_result *result;
    sandbox_pipes *pipes;
    pid_t supervisor, group; // group: 0 before the program has started
    int state;               // wait's
    bool has_ended, has_refused, has_no_namespaces;
} conversation;

static void hear(conversation *c) {
    sandbox_report report;
    bool whole = read(c->pipes->report[0], &report, sizeof report) == (ssize_t)sizeof report;
    if (whole && report.word == SANDBOX_STARTED) {
        c->group = (pid_t)report.value;
        c->result->enforced = report.more;
        return;
    }
    if (whole && report.word == SANDBOX_ENDED && c->group > 0) {
        c->has_ended = true;
        c->state = (int)report.value;
        c->result->stop = (sandbox_stop)report.more;
    }
    if (whole && report.word == SANDBOX_REFUSED) c->has_refused = true, c->result->enforced = report.value;
    if (whole && report.word == SANDBOX_NO_NAMESPACES) c->has_no_namespaces = true;
    close_end(&c->pipes->report[0]);
}

// What a program says, through one of three pipes.
typedef struct channel {
    int *fd;
    base_text *into;
    size_t most;
} channel;

enum { CHANNELS = 3 };

static void list_channels(conversation *c, channel list[CHANNELS]) {
    const sandbox_process *process = c->process;
    sandbox_pipes *p = c->pipes;
    size_t output = process->output_bytes ? process->output_bytes : LEAST_OUTPUT;
    list[0] = (channel){&p->out[0], &c->result->output, output};
    list[1] = (channel){&p->answer[0], &c->result->answer, process->answer_bytes};
    list[2] = (channel){&p->log[0], &c->result->log, process->log_bytes};
}

// Who wrote is gone: what the pipe still holds, and no more.
static void take_rest(const channel *from) {
    if (*from->fd < 0) return;
    fcntl(*from->fd, F_SETFL, fcntl(*from->fd, F_GETFL) | O_NONBLOCK);
    for (size_t before = SIZE_MAX; *from->fd >= 0 && from->into->length != before;) {
        before = from->into->length;
        take(from->fd, from->into, from->most);
    }
    close_end(from->fd);
}

// Moves bytes until the supervisor has told the end or the time is over. The program's own end of stdout may be held
// open by nobody after that: all of it is gone.
static void converse(conversation *c) {
    const sandbox_process *process = c->process;
    sandbox_pipes *p = c->pipes;
    size_t given = 0;
    channel channels[CHANNELS];
    list_channels(c, channels);
    double end = base_seconds() + process->seconds;
    if (process->input_bytes == 0) close_end(&p->in[1]);
    while (p->report[0] >= 0) {
        struct pollfd fds[2 + CHANNELS] = {{.fd = p->in[1], .events = POLLOUT},
                                           {.fd = p->report[0], .events = POLLIN}};
        for (int i = 0; i < CHANNELS; i++)
            fds[2 + i] = (struct pollfd){.fd = *channels[i].fd, .events = POLLIN};
        double left = end - base_seconds();
        bool is_over = left <= 0 || (process->interrupted && process->interrupted());
        if (is_over && !c->result->timed_out) {
            c->result->timed_out = true;
            kill(c->supervisor, SIGTERM);
            end = base_seconds() + 5;
            continue;
        }
        if (left <= 0) break; // the supervisor itself does not answer
        double most_seconds = process->interrupted ? ASK_SECONDS : 60;
        if (poll(fds, BASE_COUNT(fds), (int)((left < most_seconds ? left : most_seconds) * 1000) + 1) < 0 &&
            errno != EINTR)
            break;
        if (fds[0].revents) give(&p->in[1], process, &given);
        for (int i = 0; i < CHANNELS; i++)
            if (fds[2 + i].revents) take(channels[i].fd, channels[i].into, channels[i].most);
        if (fds[1].revents) hear(c);
    }
    for (int i = 0; i < CHANNELS; i++) take_rest(&channels[i]);
}

static const char *name_of(const sandbox_process *process) {
    return process->argv ? process->argv[0] : "the sandbox's probe";
}

// The supervisor. With namespaces it cannot be made by fork; where they are denied, it is made without.
static kz_status start(sandbox_plan *plan, pid_t *supervisor, kz_error *error) {
    const sandbox_process *process = plan->process;
    sandbox_pipes *p = &plan->pipes;
    if (!open_pair(p->in, true) || !open_pair(p->out, true) ||
        !open_pair(p->answer, process->answer_bytes > 0) || !open_pair(p->log, process->log_bytes > 0) ||
        !open_pair(p->report, true))
        return base_fail(error, KZ_TOOL, "cannot start %s: no pipe: %s", name_of(process), strerror(errno));
    // Above the numbers that the child makes its own.
    int *ends[] = {&p->in[0], &p->out[1], &p->answer[1], &p->log[1], &p->report[1]};
    for (size_t i = 0; i < BASE_COUNT(ends); i++) {
        int moved = *ends[i] >= 0 ? fcntl(*ends[i], F_DUPFD_CLOEXEC, 10) : -1;
        if (moved >= 0) {
            close(*ends[i]);
            *ends[i] = moved;
        }
    }
    *supervisor = -1;
    if (plan->has_namespaces)
        *supervisor = (pid_t)syscall(SYS_clone, (long)sandbox_namespace_flags() | SIGCHLD, 0, 0, 0, 0);
    if (*supervisor < 0) plan->has_namespaces = false;
    if (*supervisor < 0) *supervisor = fork();
    if (*supervisor == 0) sandbox_supervise(plan);
    if (*supervisor < 0)
        return base_fail(error, KZ_TOOL, "cannot start %s: %s", name_of(process), strerror(errno));
    for (size_t i = 0; i < BASE_COUNT(ends); i++) close_end(ends[i]);
    fcntl(p->in[1], F_SETFL, fcntl(p->in[1], F_GETFL) | O_NONBLOCK);
    return KZ_OK;
}

// Once. Where this machine has no namespaces to give, `has_no_namespaces` says so and nothing has run.
static kz_status attempt(sandbox_plan *plan, conversation *c, kz_error *error) {
    sandbox_pipes *p = &plan->pipes;
    *p = (sandbox_pipes){{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
    *c = (conversation){.process = plan->process, .result = c->result, .pipes = p, .supervisor = -1};
    kz_status status = start(plan, &c->supervisor, error);
    if (!status) converse(c);
    if (c->supervisor > 0) {
        int ended;
        if (!c->has_ended) kill(c->supervisor, SIGKILL);
        // The program has killed its supervisor, which in a world of its own it cannot.
        if (!c->has_ended && c->group > 1 && !plan->has_namespaces) kill(-c->group, SIGKILL);
        while (waitpid(c->supervisor, &ended, 0) < 0 && errno == EINTR) {}
    }
    close_pair(p->in), close_pair(p->out), close_pair(p->answer), close_pair(p->log), close_pair(p->report);
    return status;
}

static kz_status make_plan(const sandbox_process *process, sandbox_plan *plan, kz_error *error) {
    plan->process = process;
    plan->uid = (unsigned)geteuid();
    plan->gid = (unsigned)getegid();
    kz_status status = sandbox_mode_asked(&plan->mode, error);
    char *folder = process->folder ? realpath(process->folder, NULL) : NULL;
    if (!status && process->folder && !folder)
        status = base_fail(error, KZ_IO, "cannot work in %s: %s", process->folder, strerror(errno));
    if (!status && folder && strlen(folder) >= sizeof plan->self)
        status = base_fail(error, KZ_LIMIT, "the path of a working folder is too long: %s", folder);
    if (!status && folder) {
        memcpy(plan->self, folder, strlen(folder) + 1);
        snprintf(plan->home, sizeof plan->home, "HOME=%s", folder);
        snprintf(plan->temporary, sizeof plan->temporary, "TMPDIR=%s", folder);
    }
    free(folder);
    if (status) return status;
    sandbox_environment_make(plan);
    plan->has_namespaces = process->is_confined && plan->mode != SANDBOX_OFF;
    if (plan->has_namespaces) status = sandbox_view_make(plan, error);
    if (process->without & SANDBOX_WITHOUT_NAMESPACES) plan->has_namespaces = false;
    return status;
}

static kz_status fail_refused(const sandbox_process *process, uint32_t enforced, kz_error *error) {
    base_text missing = {0};
    sandbox_guards_name(SANDBOX_ALL & ~enforced, &missing);
    base_fail(error, KZ_UNSUPPORTED,
              "%s was not started: a sandbox is required, and this machine cannot guard: %s",
              name_of(process), missing.data ? missing.data : "");
    for (size_t i = 0; i < SANDBOX_GUARDS; i++)
        if (!(enforced & 1u << i))
            base_fail_note(error, "%s need %s", sandbox_guards[i].word, sandbox_guards[i].means);
    base_fail_note(
        error, "what to do: run kz where the kernel allows one of them (kz doctor shows what there is), or, "
               "for code that you trust, without --sandbox=require");
    base_text_free(&missing);
    return KZ_UNSUPPORTED;
}

static kz_status run(sandbox_plan *plan, sandbox_result *result, kz_error *error) {
    const sandbox_process *process = plan->process;
    conversation c = {.result = result};
    kz_status status = attempt(plan, &c, error);
    if (!status && c.has_no_namespaces) {
        sandbox_result_free(result);
        *result = (sandbox_result){0};
        plan->has_namespaces = false;
        status = attempt(plan, &c, error);
    }
    result->signal = !c.has_ended ? SIGKILL : WIFSIGNALED(c.state) ? WTERMSIG(c.state) : 0;
    result->exit_code = result->signal ? 128 + result->signal : WEXITSTATUS(c.state);
    if (result->timed_out) result->stop = SANDBOX_TIME;
    if (!status && c.has_refused) status = fail_refused(process, result->enforced, error);
    if (!status && process->interrupted && process->interrupted())
        status = base_fail(error, KZ_BUSY, "grading was interrupted");
    if (!status && (result->output.failed || result->answer.failed || result->log.failed))
        status = base_fail(error, KZ_NO_MEMORY, "no memory for what %s says", name_of(process));
    return status;
}

kz_status sandbox_run(const sandbox_process *process, sandbox_result *result, kz_error *error) {
    *result = (sandbox_result){0};
    if (process->argv && access(process->argv[0], X_OK) != 0)
        return base_fail(error, KZ_TOOL, "cannot start %s: %s", process->argv[0], strerror(errno));
    sandbox_plan *plan = calloc(1, sizeof *plan);
    if (!plan) return base_fail(error, KZ_NO_MEMORY, "no memory to start %s", name_of(process));
    double began = base_seconds();
    // A program that closes its stdin must not end this one.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    int dumpable = prctl(PR_GET_DUMPABLE);
    prctl(PR_SET_DUMPABLE, 0);
    kz_status status = make_plan(process, plan, error);
    if (!status) status = run(plan, result, error);
    prctl(PR_SET_DUMPABLE, dumpable);
    sigaction(SIGPIPE, &before, NULL);
    result->seconds = base_seconds() - began;
    free(plan);
    return status;
}

void sandbox_result_free(sandbox_result *result) {
    base_text_free(&result->output);
    base_text_free(&result->answer);
    base_text_free(&result->log);
}

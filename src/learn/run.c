// Grading: here, or in a child that can be given up at any moment.
//
// The child grades and sends what it is at, then the outcome and the verdict's text, through a pipe; it prints
// nothing and leaves the progress file alone (a connection does not survive a fork). It is a process group of
// its own, so that compilers go with it; what it judges runs under supervisors that end when it does. Its
// temporary files lie in a folder that is removed here.
#include "learn/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "learn/kata.h"
#include "learn/learner.h"
#include "report/terminal/markdown.h"
#include "toolchain/toolchain.h"
#include "learn/verdict.h"

enum { GRACE_MILLISECONDS = 400 }; // for the grader to clear up after it was told to end

typedef enum message_kind { MESSAGE_WHAT, MESSAGE_OUTCOME, MESSAGE_TEXT } message_kind;

typedef struct message {
    uint32_t kind, length;
} message;

// ---- grading itself ---------------------------------------------------------------------------------------

static volatile sig_atomic_t asked_to_end; // in the child: all that a handler and the grader's question share

static void on_term(int number) {
    (void)number;
    asked_to_end = 1;
}

static bool is_asked_to_end(void) { return asked_to_end; }

static void print_starter(FILE *file, const report_style *style, const course_verdict *verdict) {
    report_print(file, style, REPORT_BOLD, "%s\n", verdict->file);
    fputs("  ", file);
    report_wrap(file, style,
                "This is the starter as it is: it was graded, and does not pass yet. Edit it and save.", 2,
                2);
}

void learn_grade(const learn *l, const report_style *style, bool brief, base_text *out,
                 learn_outcome *outcome, void (*progress)(const char *what, void *context), void *context) {
    *outcome = (learn_outcome){0};
    course_grade_job job = {.task = l->task,
                            .file = l->file,
                            .device = l->options.device,
                            .kz = l->kz,
                            .interrupted = l->options.interrupted,
                            .progress = progress,
                            .progress_context = context};
    course_verdict verdict = {0};
    outcome->status = course_grade(&job, &verdict, &outcome->error);
    if (!outcome->status) {
        learn_verdict_attempt(&verdict, &outcome->attempt);
        outcome->untouched = !verdict.passed && course_task_is_untouched(l->task, l->file);
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        if (file) {
            if (brief && outcome->untouched)
                print_starter(file, style, &verdict);
            else
                learn_verdict_print(file, style, &verdict);
            fclose(file);
            base_text_add_bytes(out, text, size);
            free(text);
        }
    }
    course_verdict_close(&verdict);
}

kz_status learn_record(learn *l, const learn_outcome *outcome, char *says, size_t size, kz_error *error) {
    *says = 0;
    if (outcome->untouched) {
        learn_kata_untouched(says, size);
        return KZ_OK;
    }
    kz_status status = store_add_attempt(l->progress, &outcome->attempt, error);
    store_take_set_aside(l->progress, l->set_aside, sizeof l->set_aside); // written over while we ran
    learn_print_set_aside(l->set_aside);
    if (!status && *l->set_aside) status = learn_go_on(l, error);
    return status ? status : learn_kata_graded(l->progress, l->task, says, size, error);
}

// ---- the child --------------------------------------------------------------------------------------------

static void send_message(int fd, message_kind kind, const void *data, size_t length) {
    message m = {.kind = kind, .length = (uint32_t)length};
    base_text whole = {0};
    base_text_add_bytes(&whole, (const char *)&m, sizeof m);
    base_text_add_bytes(&whole, data, length);
    for (size_t at = 0; at < whole.length;) {
        ssize_t wrote = write(fd, whole.data + at, whole.length - at);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) _exit(1); // nobody listens any more
        at += (size_t)wrote;
    }
    base_text_free(&whole);
}

static void send_what(const char *what, void *context) {
    send_message(*(int *)context, MESSAGE_WHAT, what, strlen(what));
}

_Noreturn static void be_the_child(const learn *l, const report_style *style, bool brief, int fd,
                                   const char *scratch) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int back[] = {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGCONT, SIGSEGV,
                  SIGBUS, SIGILL,  SIGFPE, SIGABRT, SIGPIPE};
    for (size_t i = 0; i < BASE_COUNT(back); i++) signal(back[i], SIG_DFL);
    struct sigaction term = {.sa_handler = on_term};
    sigaction(SIGTERM, &term, NULL);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; nothing >= 0 && i < 3; i++) dup2(nothing, i); // the terminal is not for it
    setenv("TMPDIR", scratch, 1);
    base_text text = {0};
    learn_outcome outcome;
    learn mine = *l;
    mine.options.interrupted = is_asked_to_end;
    learn_grade(&mine, style, brief, &text, &outcome, send_what, &fd);
    if (asked_to_end) _exit(1);
    send_message(fd, MESSAGE_TEXT, text.data ? text.data : "", text.length);
    send_message(fd, MESSAGE_OUTCOME, &outcome, sizeof outcome);
    _exit(0);
}

// ---- here ---------------------------------------------------------------------------------------------------

kz_status learn_run_begin(const learn *l, const report_style *style, bool brief, learn_run *run,
                          kz_error *error) {
    *run = (learn_run){.fd = -1};
    kz_status status = toolchain_work_open(run->scratch, error);
    if (status) return status;
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) != 0) {
        toolchain_work_close(run->scratch);
        return base_fail(error, KZ_IO, "no pipe: %s", strerror(errno));
    }
    fflush(NULL);                     // or the child would print it again
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what it leaves behind is ours to reap
    pid_t pid = fork();
    if (pid == 0) be_the_child(l, style, brief, pair[1], run->scratch);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        toolchain_work_close(run->scratch);
        return base_fail(error, KZ_IO, "no process to grade in: %s", strerror(errno));
    }
    setpgid(pid, pid);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    run->pid = pid;
    run->fd = pair[0];
    run->since = base_seconds();
    return KZ_OK;
}

static void take_message(learn_run *run, const message *m, const char *data) {
    if (m->kind == MESSAGE_WHAT) {
        snprintf(run->what, sizeof run->what, "%.*s", (int)m->length, data);
        run->since = base_seconds();
    } else if (m->kind == MESSAGE_TEXT) {
        base_text_add_bytes(&run->text, data, m->length);
    } else if (m->kind == MESSAGE_OUTCOME && m->length == sizeof run->outcome) {
        memcpy(&run->outcome, data, sizeof run->outcome);
        run->has_outcome = true;
    }
}

static void take_messages(learn_run *run) {
    size_t at = 0;
    while (run->received.length - at >= sizeof(message)) {
        message m;
        memcpy(&m, run->received.data + at, sizeof m);
        if (run->received.length - at - sizeof m < m.length) break;
        take_message(run, &m, run->received.data + at + sizeof m);
        at += sizeof m + m.length;
    }
    if (at) memmove(run->received.data, run->received.data + at, run->received.length - at);
    run->received.length -= at;
}

// Waits for the child, told or not; whoever it left behind is reaped too.
static int reap(learn_run *run) {
    int state = 0;
    waitpid(run->pid, &state, 0);
    kill(-run->pid, SIGKILL); // a compiler that did not end with it
    // Supervisors end when they notice that it is gone: a matter of milliseconds.
    for (int i = 0; i < 200 && waitpid(-1, NULL, WNOHANG) >= 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    run->pid = 0;
    close(run->fd);
    run->fd = -1;
    toolchain_work_close(run->scratch);
    return state;
}

bool learn_run_take(learn_run *run) {
    char bytes[16384];
    ssize_t got;
    while ((got = read(run->fd, bytes, sizeof bytes)) > 0)
        base_text_add_bytes(&run->received, bytes, (size_t)got);
    if (run->received.data) take_messages(run);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    int state = reap(run);
    if (!run->has_outcome) {
        run->outcome.status = base_fail(&run->outcome.error, KZ_INTERNAL, "the grader itself ended %s %d",
                                        WIFSIGNALED(state) ? "by signal" : "with exit status",
                                        WIFSIGNALED(state) ? WTERMSIG(state) : WEXITSTATUS(state));
        base_fail_note(&run->outcome.error, "this is an error in kz: please report it with your file");
    }
    return true;
}

void learn_run_end(learn_run *run) {
    if (run->pid) {
        // All of the group: a compiler should not run on. Then patience, then force.
        kill(-run->pid, SIGTERM);
        struct pollfd ended = {.fd = run->fd, .events = POLLIN};
        for (int waited = 0; waited < GRACE_MILLISECONDS; waited += 50) {
            char bytes[4096];
            ssize_t got = 1;
            poll(&ended, 1, 50);
            while ((got = read(run->fd, bytes, sizeof bytes)) > 0) {}
            if (got == 0) break;
        }
        kill(-run->pid, SIGKILL);
        reap(run);
    }
    base_text_free(&run->received);
    base_text_free(&run->text);
    *run = (learn_run){.fd = -1};
}

// bench/process: see process.h.
#include "bench/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MILLISECONDS = 50, MOST_LINE = 1 << 20, LINE = 400, NO_PROGRAM = 127 };
static const double GOING_SECONDS = 10; // that one which was told to end, or closed its end, may take
static const double STEP_SECONDS = 1;   // what is longer was no waiting: this process was stopped

// ---- the process ---------------------------------------------------------------------------------------

// In the child, between fork and exec.
_Noreturn static void become(char *const *arguments, pid_t parent, int lines, int words) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1); // it died in between
    if (dup2(lines, 0) < 0 || dup2(lines, 1) < 0 || dup2(words, 2) < 0) _exit(126);
    close_range(3, ~0u, 0);
    execvp(arguments[0], arguments);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(NO_PROGRAM);
}

kz_status bench_process_start(bench_process *p, char *const *arguments, kz_error *error) {
    int ends[2] = {-1, -1}, words[2] = {-1, -1};
    pid_t parent = getpid(), child = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 && pipe2(words, O_CLOEXEC) == 0 &&
        fcntl(words[0], F_SETFL, O_NONBLOCK) == 0)
        child = fork();
    if (child == 0) become(arguments, parent, ends[1], words[1]);
    if (child < 0) {
        base_fail(error, KZ_IO, "no process for %s: %s", arguments[0], strerror(errno));
        for (int i = 0; i < 2; i++) {
            if (ends[i] >= 0) close(ends[i]);
            if (words[i] >= 0) close(words[i]);
        }
        return KZ_IO;
    }
    close(ends[1]);
    close(words[1]);
    setpgid(child, child); // whoever of the two comes first
    *p = (bench_process){.id = child, .lines = ends[0], .words = words[0], .generation = p->generation + 1};
    return KZ_OK;
}

// Whether it ended within the time. It stays to be waited for, and its number nobody else's.
static bool has_ended(const bench_process *p, double seconds) {
    double end = base_seconds() + seconds;
    for (;;) {
        siginfo_t about = {0};
        if (waitid(P_PID, (id_t)p->id, &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid) return true;
        if (base_seconds() >= end) return false;
        poll(NULL, 0, 2);
    }
}

void bench_process_end(bench_process *p) {
    if (p->id <= 0) return;
    kill(p->id, SIGTERM);
    has_ended(p, GOING_SECONDS);
    kill(-p->id, SIGKILL);
    waitpid(p->id, NULL, 0);
    close(p->lines);
    if (p->words >= 0) close(p->words);
    base_text_free(&p->received);
    *p = (bench_process){.generation = p->generation};
}

// ---- what became of it ------------------------------------------------------------------------------------

// Its stderr is read all the time, or it would wait for room; the last of it is kept.
static void take_words(bench_process *p) {
    char piece[BENCH_PROCESS_WORDS];
    for (int i = 0; i < 64 && p->words >= 0; i++) { // one that never ceases does not keep us here
        ssize_t got = read(p->words, piece, sizeof piece);
        if (got < 0) return; // nothing is there
        if (got == 0) {      // nobody writes any more
            close(p->words);
            p->words = -1;
            return;
        }
        size_t room = BENCH_PROCESS_WORDS - p->said_bytes, more = (size_t)got > room ? (size_t)got - room : 0;
        memmove(p->said, p->said + more, p->said_bytes - more);
        memcpy(p->said + p->said_bytes - more, piece, (size_t)got);
        p->said_bytes += (size_t)got - more;
    }
}

// "; its last line: ..." of its stderr, as far as that has one that is not blank.
static const char *last_words(bench_process *p, char text[LINE]) {
    take_words(p);
    while (p->said_bytes && strchr(" \n\r\t", p->said[p->said_bytes - 1])) p->said_bytes--;
    p->said[p->said_bytes] = 0;
    const char *line = strrchr(p->said, '\n');
    snprintf(text, LINE, "%s%.*s", p->said[0] ? "; its last line: " : "", LINE - 32,
             line ? line + 1 : p->said);
    return text;
}

static kz_status fail_dead(bench_process *p, const bench_process_wait *wait, kz_error *error) {
    int how = 0;
    char words[LINE];
    has_ended(p, GOING_SECONDS); // it closed its end, and is about to go
    pid_t gone = waitpid(p->id, &how, WNOHANG);
    kz_status status = KZ_TOOL;
    last_words(p, words);
    if (gone > 0 && WIFSIGNALED(how))
        base_fail(error, status, "%s crashed while %s: killed by signal %d (%s)%s", wait->name, wait->doing,
                  WTERMSIG(how), strsignal(WTERMSIG(how)), words);
    else if (gone > 0 && WEXITSTATUS(how) == NO_PROGRAM)
        status = base_fail(error, KZ_NOT_FOUND, "there is no program to run %s with%s", wait->name, words);
    else if (gone > 0)
        base_fail(error, status, "%s ended while %s, with exit status %d%s", wait->name, wait->doing,
                  WEXITSTATUS(how), words);
    else
        base_fail(error, status, "%s stopped listening while %s%s", wait->name, wait->doing, words);
    bench_process_end(p);
    return status;
}

static kz_status fail_late(bench_process *p, const bench_process_wait *wait, kz_error *error) {
    char words[LINE];
    base_fail(error, KZ_TIMEOUT, "%s hung while %s: no answer within %g s, so its process was ended%s",
              wait->name, wait->doing, wait->seconds, last_words(p, words));
    bench_process_end(p);
    return KZ_TIMEOUT;
}

static kz_status fail_malformed(bench_process *p, const bench_process_wait *wait, kz_error *error) {
    base_fail(error, KZ_TOOL, "%s answered with a line that is no reply while %s: %.200s", wait->name,
              wait->doing, p->received.data ? p->received.data : "");
    bench_process_end(p);
    return KZ_TOOL;
}

// ---- lines ------------------------------------------------------------------------------------------------

static bool send_line(const bench_process *p, const json_t *request) {
    char *line = json_dumps(request, JSON_COMPACT);
    size_t at = 0, length = line ? strlen(line) : 0;
    if (line) line[length++] = '\n'; // in the place of its end
    while (at < length) {
        ssize_t sent = send(p->lines, line + at, length - at, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) break;
        at += (size_t)sent;
    }
    free(line);
    return length && at == length;
}

// One piece of the line, as far as one is there.
static kz_status receive_piece(bench_process *p, const bench_process_wait *wait, bool *whole,
                               kz_error *error) {
    char piece[4096];
    ssize_t got = recv(p->lines, piece, sizeof piece, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return KZ_OK;
    if (got <= 0) return fail_dead(p, wait, error);
    base_text_add_bytes(&p->received, piece, (size_t)got);
    if (p->received.failed || p->received.length > MOST_LINE) return fail_malformed(p, wait, error);
    *whole = piece[got - 1] == '\n';
    return KZ_OK;
}

// One that is dead may have left children behind who hold its end of the socket: its own end is asked for, too.
static kz_status receive_line(bench_process *p, const bench_process_wait *wait, kz_error *error) {
    double waited = 0, last = base_seconds();
    for (;;) {
        bool dead = has_ended(p, 0), whole = false; // before: what it had sent by then is a reply
        struct pollfd waits[] = {{.fd = p->lines, .events = POLLIN}, {.fd = p->words, .events = POLLIN}};
        int ready = poll(waits, 2, dead ? 0 : POLL_MILLISECONDS);
        take_words(p);
        if (ready == 0 && wait->waiting) wait->waiting(wait->context);
        if (wait->interrupted && wait->interrupted()) {
            bench_process_end(p);
            return base_fail(error, KZ_TIMEOUT, "%s was interrupted while %s", wait->name, wait->doing);
        }
        kz_status status = waits[0].revents ? receive_piece(p, wait, &whole, error) : KZ_OK;
        if (status || whole) return status;
        if (dead && !waits[0].revents) return fail_dead(p, wait, error);
        double now = base_seconds();
        waited += now - last < STEP_SECONDS ? now - last : STEP_SECONDS;
        last = now;
        if (waited > wait->seconds) return fail_late(p, wait, error);
    }
}

kz_status bench_process_ask(bench_process *p, const json_t *request, const bench_process_wait *wait,
                            json_t **reply, kz_error *error) {
    *reply = NULL;
    take_words(p);
    p->said_bytes = 0; // what it wrote before is of something else
    base_text_free(&p->received);
    if (!send_line(p, request)) return fail_dead(p, wait, error);
    kz_status status = receive_line(p, wait, error);
    if (status) return status;
    *reply = json_loads(p->received.data, 0, NULL);
    if (json_is_object(*reply)) return KZ_OK;
    json_decref(*reply);
    *reply = NULL;
    return fail_malformed(p, wait, error);
}

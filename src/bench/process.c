// bench/process: see process.h.
#include "bench/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    POLL_MILLISECONDS = 50,
    GOING_POLLS = 40,
    MOST_LINE = 1 << 20,
    LAST_WORDS = 4096,
    LINE = 400,
    NO_PROGRAM = 127
};

// ---- the process ---------------------------------------------------------------------------------------

// In the child, between fork and exec.
_Noreturn static void become(char *const *arguments, pid_t parent, int lines, int words) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1); // it died in between
    if (dup2(lines, 0) < 0 || dup2(lines, 1) < 0 || dup2(words, 2) < 0) _exit(126);
    close_range(3, ~0u, 0);
    execvp(arguments[0], arguments);
    dprintf(2, "%s: %s\n", arguments[0], strerror(errno));
    _exit(NO_PROGRAM);
}

kz_status bench_process_start(bench_process *p, char *const *arguments, kz_error *error) {
    int ends[2], words = memfd_create("kz_words", MFD_CLOEXEC);
    if (words < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        base_fail(error, KZ_IO, "no pipe to a process of %s: %s", arguments[0], strerror(errno));
        if (words >= 0) close(words);
        return KZ_IO;
    }
    pid_t parent = getpid(), child = fork();
    if (child == 0) become(arguments, parent, ends[1], words);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        close(words);
        return base_fail(error, KZ_IO, "no process for %s: %s", arguments[0], strerror(errno));
    }
    setpgid(child, child); // whoever of the two comes first
    *p = (bench_process){.id = child, .lines = ends[0], .words = words, .generation = p->generation + 1};
    return KZ_OK;
}

void bench_process_end(bench_process *p) {
    if (p->id <= 0) return;
    kill(-p->id, SIGKILL);
    waitpid(p->id, NULL, 0);
    close(p->lines);
    close(p->words);
    base_text_free(&p->received);
    *p = (bench_process){.generation = p->generation};
}

// ---- what became of it ------------------------------------------------------------------------------------

// "; its last line: ..." of its stderr, as far as that has one that is not blank.
static const char *last_words(const bench_process *p, char text[LINE]) {
    char tail[LAST_WORDS + 1];
    off_t size = lseek(p->words, 0, SEEK_END);
    ssize_t got = size > 0 ? pread(p->words, tail, LAST_WORDS, size > LAST_WORDS ? size - LAST_WORDS : 0) : 0;
    while (got > 0 && strchr(" \n\r\t", tail[got - 1])) got--;
    tail[got > 0 ? got : 0] = 0;
    const char *line = strrchr(tail, '\n');
    snprintf(text, LINE, "%s%.*s", got > 0 ? "; its last line: " : "", LINE - 32, line ? line + 1 : tail);
    return text;
}

static kz_status fail_dead(bench_process *p, const bench_process_wait *wait, kz_error *error) {
    int how = 0;
    pid_t gone = 0;
    char words[LINE];
    for (int i = 0; i < GOING_POLLS && !gone; i++) // it closed its end, and is about to go
        if (!(gone = waitpid(p->id, &how, WNOHANG))) poll(NULL, 0, POLL_MILLISECONDS);
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

static kz_status receive_line(bench_process *p, const bench_process_wait *wait, kz_error *error) {
    double end = base_seconds() + wait->seconds;
    base_text_free(&p->received);
    p->received = (base_text){0};
    for (;;) {
        char piece[4096];
        struct pollfd waits = {.fd = p->lines, .events = POLLIN};
        int ready = poll(&waits, 1, POLL_MILLISECONDS);
        if (wait->interrupted && wait->interrupted()) {
            bench_process_end(p);
            return base_fail(error, KZ_TIMEOUT, "%s was interrupted while %s", wait->name, wait->doing);
        }
        if (ready <= 0 && base_seconds() > end) return fail_late(p, wait, error);
        if (ready <= 0) continue;
        ssize_t got = recv(p->lines, piece, sizeof piece, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail_dead(p, wait, error);
        base_text_add_bytes(&p->received, piece, (size_t)got);
        if (p->received.failed || p->received.length > MOST_LINE) return fail_malformed(p, wait, error);
        if (piece[got - 1] == '\n') return KZ_OK;
    }
}

kz_status bench_process_ask(bench_process *p, const json_t *request, const bench_process_wait *wait,
                            json_t **reply, kz_error *error) {
    *reply = NULL;
    if (!send_line(p, request)) return fail_dead(p, wait, error);
    kz_status status = receive_line(p, wait, error);
    if (status) return status;
    *reply = json_loads(p->received.data, 0, NULL);
    if (json_is_object(*reply)) return KZ_OK;
    json_decref(*reply);
    *reply = NULL;
    return fail_malformed(p, wait, error);
}

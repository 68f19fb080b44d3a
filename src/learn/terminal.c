// The learner's terminal: single keys where it can, lines where it cannot, and its old state back whatever ends us.
//
// Keys are read without waiting for Enter and without echo; signals and the translation of newlines stay as
// they were, so that Ctrl-C and Ctrl-Z work even when kz is busy. A signal handler can reach nothing but the
// statics below: there is one terminal, and one process that has it.
#include "learn/learn.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;               // as we found it
static struct termios wanted;               // as it is while we read
static volatile sig_atomic_t taken;         // `wanted` is in force
static volatile sig_atomic_t ending_signal; // 0: none
static int wake_end = -1;

static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
static struct sigaction crash_before[BASE_COUNT(crashes)];

static void restore(void) {
    if (taken) tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
}

static void wake(char why) {
    int saved = errno;
    ssize_t ignored = wake_end >= 0 ? write(wake_end, &why, 1) : 0;
    (void)ignored;
    errno = saved;
}

// The second one ends us at once: something hangs.
static void on_end(int number) {
    if (ending_signal) {
        restore();
        signal(number, SIG_DFL);
        raise(number);
    }
    ending_signal = number;
    wake('e');
}

// Whoever handled it before (a sanitizer's report, or nobody) gets the signal again once this returns.
static void on_crash(int number) {
    restore();
    for (size_t i = 0; i < BASE_COUNT(crashes); i++)
        if (crashes[i] == number) sigaction(number, &crash_before[i], NULL);
    raise(number);
}

static void on_stop(int number) {
    int saved = errno;
    restore();
    signal(number, SIG_DFL);
    raise(number); // stopped here, until SIGCONT
    errno = saved;
}

static void on_continue(int number) {
    (void)number;
    int saved = errno;
    struct sigaction stop = {.sa_handler = on_stop, .sa_flags = SA_NODEFER | SA_RESTART};
    sigaction(SIGTSTP, &stop, NULL);
    // In the background the terminal is somebody else's.
    if (taken && tcgetpgrp(STDIN_FILENO) == getpgrp()) tcsetattr(STDIN_FILENO, TCSADRAIN, &wanted);
    wake('c');
    errno = saved;
}

static void take_signals(void) {
    struct sigaction end = {.sa_handler = on_end}, crash = {.sa_handler = on_crash},
                     stop = {.sa_handler = on_stop, .sa_flags = SA_NODEFER | SA_RESTART},
                     go_on = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < BASE_COUNT(ends); i++) sigaction(ends[i], &end, NULL);
    for (size_t i = 0; i < BASE_COUNT(crashes); i++) sigaction(crashes[i], &crash, &crash_before[i]);
    sigaction(SIGTSTP, &stop, NULL);
    sigaction(SIGCONT, &go_on, NULL);
    signal(SIGPIPE, SIG_IGN);
}

kz_status learn_terminal_open(learn_terminal *t, kz_error *error) {
    *t = (learn_terminal){.wake = -1};
    int pair[2];
    if (pipe2(pair, O_CLOEXEC | O_NONBLOCK) != 0)
        return base_fail(error, KZ_IO, "no pipe for signals: %s", strerror(errno));
    t->wake = pair[0];
    wake_end = pair[1];
    ending_signal = 0;
    const char *term = getenv("TERM");
    t->keys = term && *term && strcmp(term, "dumb") != 0 && tcgetattr(STDIN_FILENO, &before) == 0;
    if (t->keys) {
        wanted = before;
        wanted.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
        wanted.c_cc[VMIN] = 1;
        wanted.c_cc[VTIME] = 0;
        atexit(restore);
    }
    take_signals();
    t->lines = true;
    learn_terminal_lines(t, false);
    return KZ_OK;
}

void learn_terminal_close(learn_terminal *t) {
    learn_terminal_lines(t, true);
    for (size_t i = 0; i < BASE_COUNT(ends); i++) signal(ends[i], SIG_DFL);
    for (size_t i = 0; i < BASE_COUNT(crashes); i++) sigaction(crashes[i], &crash_before[i], NULL);
    signal(SIGTSTP, SIG_DFL);
    signal(SIGCONT, SIG_DFL);
    if (t->wake >= 0) close(t->wake);
    if (wake_end >= 0) close(wake_end);
    t->wake = wake_end = -1;
}

void learn_terminal_lines(learn_terminal *t, bool lines) {
    if (!t->keys) lines = true;
    if (t->keys && lines != t->lines) {
        taken = !lines;
        tcsetattr(STDIN_FILENO, TCSADRAIN, lines ? &before : &wanted);
    }
    t->lines = lines;
}

// ---- what was typed -----------------------------------------------------------------------------------

// Nobody presses so many keys at once: a text that belongs into the editor. Each of its letters would be a key, and
// some of those cannot be taken back. What follows at once is the rest of it.
static bool is_paste(learn_terminal *t, const char *typed, size_t count) {
    enum { AT_ONCE = 8 };
    const double rest = 0.15; // seconds
    double now = base_seconds();
    if (t->lines || (now > t->paste_end && (count < AT_ONCE || typed[0] == '\033'))) return false;
    t->paste_end = now + rest;
    t->pasted = true;
    return true;
}

void learn_terminal_take(learn_terminal *t) {
    if (t->filled == sizeof t->buffer) t->filled = 0; // a line that nobody types
    char *to = t->buffer + t->filled;
    ssize_t got = read(STDIN_FILENO, to, sizeof t->buffer - t->filled);
    if (got > 0)
        t->filled += is_paste(t, to, (size_t)got) ? 0 : (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        t->ended = true;
}

static void drop(learn_terminal *t, size_t count) {
    memmove(t->buffer, t->buffer + count, t->filled - count);
    t->filled -= count;
}

bool learn_terminal_line(learn_terminal *t, char *line, size_t size) {
    const char *end = memchr(t->buffer, '\n', t->filled);
    if (!end) return false;
    size_t length = (size_t)(end - t->buffer), begin = 0, stop = length;
    while (begin < stop && isspace((unsigned char)t->buffer[begin])) begin++;
    while (stop > begin && isspace((unsigned char)t->buffer[stop - 1])) stop--;
    snprintf(line, size, "%.*s", (int)(stop - begin), t->buffer + begin);
    drop(t, length + 1);
    return true;
}

// The bytes of an escape sequence (arrows and the like) at the buffer's beginning.
static size_t sequence_length(const learn_terminal *t) {
    if (t->filled < 2) return 1;
    if (t->buffer[1] == 'O') return t->filled < 3 ? 2 : 3;
    if (t->buffer[1] != '[') return 1;
    size_t n = 2;
    while (n < t->filled && (t->buffer[n] < 0x40 || t->buffer[n] > 0x7e)) n++;
    return n < t->filled ? n + 1 : n;
}

bool learn_terminal_key(learn_terminal *t, char *key) {
    if (t->lines) {
        char line[sizeof t->buffer];
        if (!learn_terminal_line(t, line, sizeof line)) return false;
        size_t letters = 0;
        while (isalpha((unsigned char)line[letters])) letters++;
        *key = line[0] ? (char)tolower((unsigned char)line[0]) : '\n';
        if (line[0] && line[1] && line[letters]) *key = '*'; // no word, such as "quit": no key either
        return true;
    }
    while (t->filled) {
        unsigned char c = (unsigned char)t->buffer[0];
        size_t length = c == '\033' ? sequence_length(t) : 1;
        drop(t, length);
        if (c == '\r') c = '\n';
        if (c == 4) t->ended = true; // Ctrl-D
        if ((c == '\033' && length > 1) || c >= 0x80) continue;
        *key = (char)tolower(c);
        return true;
    }
    return false;
}

int learn_terminal_signal(learn_terminal *t) {
    char bytes[64];
    while (read(t->wake, bytes, sizeof bytes) > 0) {}
    return ending_signal;
}

// pty [COLUMNS] -- COMMAND...: runs a command on a pseudo-terminal and does what the lines of stdin say.
//
//   expect TEXT      waits until TEXT stands in what was printed since the last match
//   never TEXT       fails where TEXT was printed since the last match
//   send KEYS        types, all at once; \n, \e and \xHH as in C
//   shell COMMAND    runs it beside: an editor that saves, for example
//   resize COLUMNS   of the terminal
//   signal NUMBER    to the command
//   stop             waits until the command is stopped (Ctrl-Z)
//   resume           brings it back to the foreground, as a shell's fg does
//   modes cooked     the terminal waits for lines and echoes; or: modes keys
//   idle             the command uses no processor time to speak of for a second
//   children COUNT   so many children of the command are left, dead or alive, within some seconds
//   width COLUMNS    no line printed since the last match is longer
//   exit STATUS      waits for the command's end; 128 + signal
//
// The command is a job of a session leader of its own, as under a shell: only so can it be stopped.
// Escape sequences and carriage returns are left out of what is compared. Status 0 where every line held; what was
// printed goes to stdout. Nothing waits for a fixed time except idle; what does not come within a minute fails.
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 60, OUTPUT = 1 << 20 };

typedef struct news { // from the session leader
    enum { STARTED, STOPPED, ENDED } kind;
    int value; // pid, 0, exit status
} news;

typedef struct session {
    int terminal;
    pid_t leader, pid;
    int up, down; // pipes from and to the leader
    bool stopped, ended;
    int status;
    char *output; // without escape sequences
    size_t length, matched;
    int in_sequence; // 0: no; 1: after ESC; 2: in a CSI
} session;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take_character(session *s, char c) {
    if (s->in_sequence == 1) {
        s->in_sequence = c == '[' ? 2 : 0;
    } else if (s->in_sequence == 2) {
        if (c >= 0x40 && c <= 0x7e) s->in_sequence = 0;
    } else if (c == '\033') {
        s->in_sequence = 1;
    } else if (c != '\r' && s->length + 1 < OUTPUT) {
        s->output[s->length++] = c;
        s->output[s->length] = 0;
    }
}

// Takes what was printed within `milliseconds`. False where nothing more can come.
static bool take(session *s, int milliseconds) {
    struct pollfd source = {.fd = s->terminal, .events = POLLIN};
    if (poll(&source, 1, milliseconds) <= 0) return true;
    char bytes[4096];
    ssize_t got = read(s->terminal, bytes, sizeof bytes);
    if (got <= 0) return false;
    fwrite(bytes, 1, (size_t)got, stdout);
    for (ssize_t i = 0; i < got; i++) take_character(s, bytes[i]);
    return true;
}

static bool expect(session *s, const char *text) {
    for (double end = now() + PATIENCE_SECONDS; now() < end;) {
        const char *found = strstr(s->output + s->matched, text);
        if (found) {
            s->matched = (size_t)(found - s->output) + strlen(text);
            return true;
        }
        if (!take(s, 100)) {
            found = strstr(s->output + s->matched, text);
            return found != NULL;
        }
    }
    return false;
}

static bool send_keys(session *s, const char *keys) {
    char typed[4096];
    size_t count = 0;
    for (; *keys && count < sizeof typed; keys++) {
        char c = *keys;
        if (c == '\\' && keys[1]) {
            c = *++keys;
            if (c == 'n') c = '\n';
            if (c == 'e') c = '\033';
            if (c == 'x') {
                char digits[3] = {keys[1], keys[1] ? keys[2] : 0, 0};
                c = (char)strtol(digits, NULL, 16);
                keys += strlen(digits);
            }
        }
        typed[count++] = c;
    }
    return write(s->terminal, typed, count) == (ssize_t)count;
}

static bool has_modes(session *s, const char *wanted) {
    bool cooked = strcmp(wanted, "cooked") == 0;
    for (double end = now() + PATIENCE_SECONDS; now() < end; take(s, 20)) {
        struct termios modes;
        if (tcgetattr(s->terminal, &modes) != 0) return false;
        bool is_cooked = (modes.c_lflag & ICANON) && (modes.c_lflag & ECHO);
        if (is_cooked == cooked) return true;
    }
    return false;
}

static long processor_ticks(pid_t pid) {
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file) return -1;
    size_t got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = 0;
    const char *rest = strrchr(text, ')');
    long user = 0, kernel = 0;
    if (!rest ||
        sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &kernel) != 2)
        return -1;
    return user + kernel;
}

static bool is_idle(session *s) {
    long before = processor_ticks(s->pid);
    for (double end = now() + 1; now() < end;) take(s, 100);
    long used = processor_ticks(s->pid) - before;
    if (used > 2) fprintf(stderr, "pty: %ld ticks in a second\n", used);
    return before >= 0 && used <= 2;
}

static bool has_children(session *s, int wanted) {
    int count = -1;
    for (double end = now() + 10; now() < end; take(s, 50)) {
        char path[64], text[1024] = "";
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)s->pid, (int)s->pid);
        FILE *file = fopen(path, "r");
        if (!file) return true; // a kernel without this list
        size_t got = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[got] = 0;
        count = 0;
        for (const char *at = text; *at; at++) count += *at == ' ';
        if (count == wanted) return true;
    }
    fprintf(stderr, "pty: %d children\n", count);
    return false;
}

static bool fits(session *s, int columns) {
    int column = 0;
    for (const char *at = s->output + s->matched; *at; at++) {
        if (((unsigned char)*at & 0xc0) != 0x80) column++;
        if (*at == '\n') column = 0;
        if (column > columns) return false;
    }
    return true;
}

// Takes the leader's news; false where there is none yet.
static bool hear(session *s) {
    struct pollfd source = {.fd = s->up, .events = POLLIN};
    news n;
    if (s->ended || poll(&source, 1, 0) <= 0 || read(s->up, &n, sizeof n) != (ssize_t)sizeof n) return false;
    if (n.kind == STARTED) s->pid = n.value;
    if (n.kind == STOPPED) s->stopped = true;
    if (n.kind == ENDED) s->ended = true, s->status = n.value;
    return true;
}

static bool wait_for(session *s, const bool *what) {
    for (double end = now() + PATIENCE_SECONDS; now() < end && !*what;) {
        if (!take(s, 20)) usleep(20000);
        hear(s);
    }
    for (int i = 0; s->ended && i < 100; i++) { // what was printed last
        struct pollfd source = {.fd = s->terminal, .events = POLLIN};
        if (poll(&source, 1, 20) <= 0 || !take(s, 0)) break;
    }
    return *what;
}

static bool resume(session *s) {
    s->stopped = false;
    return write(s->down, "c", 1) == 1;
}

static bool ends_with(session *s, int wanted) {
    if (!wait_for(s, &s->ended)) return false;
    if (s->status != wanted) fprintf(stderr, "pty: the exit status is %d\n", s->status);
    return s->status == wanted;
}

static bool resize(session *s, int columns) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = 24};
    return ioctl(s->terminal, TIOCSWINSZ, &size) == 0;
}

static bool obey(session *s, const char *verb, const char *rest) {
    if (strcmp(verb, "expect") == 0) return expect(s, rest);
    if (strcmp(verb, "never") == 0) return !strstr(s->output + s->matched, rest);
    if (strcmp(verb, "send") == 0) return send_keys(s, rest);
    if (strcmp(verb, "shell") == 0) return system(rest) == 0;
    if (strcmp(verb, "resize") == 0) return resize(s, atoi(rest));
    if (strcmp(verb, "signal") == 0) return kill(s->pid, atoi(rest)) == 0;
    if (strcmp(verb, "stop") == 0) return wait_for(s, &s->stopped);
    if (strcmp(verb, "resume") == 0) return resume(s);
    if (strcmp(verb, "modes") == 0) return has_modes(s, rest);
    if (strcmp(verb, "idle") == 0) return is_idle(s);
    if (strcmp(verb, "children") == 0) return has_children(s, atoi(rest));
    if (strcmp(verb, "width") == 0) return fits(s, atoi(rest));
    if (strcmp(verb, "exit") == 0) return ends_with(s, atoi(rest));
    fprintf(stderr, "pty: no such verb: %s\n", verb);
    return false;
}

static bool obey_all(session *s) {
    char line[4096];
    for (int number = 1; fgets(line, sizeof line, stdin); number++) {
        line[strcspn(line, "\n")] = 0;
        char *verb = line + strspn(line, " "), *rest = verb + strcspn(verb, " ");
        if (!*verb || *verb == '#') continue;
        if (*rest) *rest++ = 0;
        if (obey(s, verb, rest)) continue;
        fflush(stdout);
        fprintf(stderr, "\npty: line %d does not hold: %s %s\nsince the last match:\n%s\n", number, verb,
                rest, s->output + s->matched);
        return false;
    }
    return true;
}

static void tell(int up, int kind, int value) {
    news n = {.kind = kind, .value = value};
    ssize_t ignored = write(up, &n, sizeof n);
    (void)ignored;
}

// The session leader: starts the command in the foreground, takes the terminal when it stops, gives it back.
_Noreturn static void lead(char **argv, int up, int down) {
    signal(SIGTTOU, SIG_IGN); // a leader in the background may still give the terminal away
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        tcsetpgrp(STDIN_FILENO, getpid());
        signal(SIGTTOU, SIG_DFL);
        execvp(argv[0], argv);
        _exit(127);
    }
    setpgid(pid, pid);
    tell(up, STARTED, pid);
    for (int state; waitpid(pid, &state, WUNTRACED) == pid;) {
        if (!WIFSTOPPED(state)) {
            tcsetpgrp(STDIN_FILENO, getpgrp());
            tell(up, ENDED, WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state));
            char byte;
            while (read(down, &byte, 1) > 0) {} // the terminal lives as long as its leader
            break;
        }
        tcsetpgrp(STDIN_FILENO, getpgrp());
        tell(up, STOPPED, 0);
        char byte;
        if (read(down, &byte, 1) != 1) break;
        tcsetpgrp(STDIN_FILENO, pid);
        kill(-pid, SIGCONT);
    }
    _exit(0);
}

int main(int argc, char **argv) {
    int at = 1, columns = 80, up[2], down[2];
    if (at < argc && isdigit((unsigned char)argv[at][0])) columns = atoi(argv[at++]);
    if (at + 1 >= argc || strcmp(argv[at], "--") != 0)
        return fprintf(stderr, "usage: pty [COLUMNS] -- COMMAND...\n"), 2;
    session s = {.output = calloc(1, OUTPUT)};
    if (!s.output || pipe2(up, O_CLOEXEC) != 0 || pipe2(down, O_CLOEXEC) != 0) return perror("pty"), 2;
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = 24};
    s.leader = forkpty(&s.terminal, NULL, NULL, &size);
    if (s.leader == 0) {
        close(down[1]);
        lead(argv + at + 1, up[1], down[0]);
    }
    if (s.leader < 0) return perror("pty"), 2;
    s.up = up[0];
    s.down = down[1];
    while (s.pid == 0) hear(&s);
    bool held = obey_all(&s);
    hear(&s);
    if (!s.ended) kill(s.pid, SIGKILL);
    kill(s.leader, SIGKILL);
    waitpid(s.leader, NULL, 0);
    free(s.output);
    return held ? 0 : 1;
}

// A session's terminal made of file descriptors: a script of commands, a terminal, or one after the other.

#include "debug/debug.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { SOURCES = 2, BUFFER = 4096, DEFAULT_COLUMNS = 120 };

typedef struct stream {
    int fd;
    bool own, is_terminal;
    char buffer[BUFFER];
    size_t at, filled;
} stream;

typedef struct streams {
    stream sources[SOURCES];
    unsigned count, current;
    int output;
    void (*quit)(void *context);
    void *context;
} streams;

// A signal handler can reach nothing else: the session that Ctrl-C is for.
static debug_session *volatile interrupted_session;

static void on_interrupt(int signal_number) {
    debug_session *session = interrupted_session;
    if (session && debug_interrupt(session)) return;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void write_all(int fd, const char *text, size_t length) {
    while (length > 0) {
        ssize_t wrote = write(fd, text, length);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return;
        text += wrote;
        length -= (size_t)wrote;
    }
}

static void stream_write(void *context, const char *text, size_t length) {
    streams *s = context;
    fflush(stdout); // what the program has printed comes first
    write_all(s->output, text, length);
}

// A line without its newline; false at the end.
static bool read_line(stream *from, base_text *line) {
    bool some = false;
    for (;;) {
        if (from->at == from->filled) {
            ssize_t got = read(from->fd, from->buffer, sizeof from->buffer);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return some;
            from->at = 0;
            from->filled = (size_t)got;
        }
        char *begin = from->buffer + from->at, *end = memchr(begin, '\n', from->filled - from->at);
        size_t length = end ? (size_t)(end - begin) : from->filled - from->at;
        base_text_add_bytes(line, begin, length);
        some = true;
        from->at += length + (end != NULL);
        if (end) return true;
    }
}

static bool is_blank(const base_text *line) {
    size_t i = 0;
    while (i < line->length && isspace((unsigned char)line->data[i])) i++;
    return i == line->length || line->data[i] == '#';
}

static bool stream_read(void *context, const char *prompt, base_text *line) {
    streams *s = context;
    for (; s->current < s->count; s->current++) {
        stream *from = &s->sources[s->current];
        if (from->is_terminal) write_all(s->output, prompt, strlen(prompt));
        line->length = 0;
        while (read_line(from, line)) {
            if (from->is_terminal) return true;
            if (!is_blank(line)) { // commands of a file are shown as if typed
                write_all(s->output, prompt, strlen(prompt));
                write_all(s->output, line->data, line->length);
                write_all(s->output, "\n", 1);
                return true;
            }
            line->length = 0;
        }
    }
    return false;
}

static void stream_quit(void *context) {
    streams *s = context;
    if (s->quit) s->quit(s->context);
}

static void close_streams(void *context) {
    streams *s = context;
    for (unsigned i = 0; i < s->count; i++)
        if (s->sources[i].own) close(s->sources[i].fd);
    free(s);
}

static kz_status add_source(streams *s, const char *name, kz_error *error) {
    stream *source = &s->sources[s->count];
    char *end;
    long number = strtol(name, &end, 10);
    if (*name && !*end) {
        source->fd = (int)number;
    } else {
        source->fd = open(name, O_RDWR | O_CLOEXEC | O_NOCTTY);
        if (source->fd < 0) source->fd = open(name, O_RDONLY | O_CLOEXEC);
        if (source->fd < 0)
            return base_fail(error, KZ_IO, "the debugger's commands cannot be read from %s: %s", name,
                             strerror(errno));
        source->own = true;
    }
    source->is_terminal = isatty(source->fd);
    if (source->is_terminal) s->output = source->fd;
    s->count++;
    return KZ_OK;
}

static int columns_of(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : DEFAULT_COLUMNS;
}

kz_status debug_open_streams(const char *where, void (*quit)(void *context), void *context,
                             debug_session **session, kz_error *error) {
    *session = NULL;
    streams *s = calloc(1, sizeof *s);
    char *words = strdup(where), *rest = words;
    kz_status status = s && words ? KZ_OK : base_fail(error, KZ_NO_MEMORY, "no memory for a debugger");
    if (status == KZ_OK) {
        s->output = STDOUT_FILENO;
        s->quit = quit;
        s->context = context;
        for (char *word; status == KZ_OK && s->count < SOURCES && (word = strsep(&rest, ","));)
            if (*word) status = add_source(s, word, error);
    }
    if (status == KZ_OK) {
        const char *no_color = getenv("NO_COLOR");
        debug_terminal terminal = {.read = stream_read,
                                   .write = stream_write,
                                   .quit = stream_quit,
                                   .close = close_streams,
                                   .context = s,
                                   .colors = isatty(s->output) && !(no_color && *no_color),
                                   .columns = columns_of(s->output),
                                   .folder = getenv("KZ_DEBUG_SOURCES")};
        status = debug_open(&terminal, session, error);
    }
    free(words);
    if (status != KZ_OK) {
        if (s) close_streams(s);
        return status;
    }
    interrupted_session = *session;
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    return KZ_OK;
}

// Starts programs and collects what they say.
#include "toolchain/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void collect(int fd, base_text *output) {
    char bytes[4096];
    for (;;) {
        ssize_t got = read(fd, bytes, sizeof bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return;
        base_text_add_bytes(output, bytes, (size_t)got);
    }
}

static int start(const char *const *argv, int out, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, out, 1);
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, out, 2);
    // posix_spawn's argv is not const for old reasons; it does not write there.
    if (!code) code = posix_spawn(child, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

kz_status toolchain_run(const char *const *argv, base_text *output, int *exit_code, kz_error *error) {
    // posix_spawn may find out only in the child, which then ends with 127 and no word.
    if (access(argv[0], X_OK) != 0)
        return base_fail(error, KZ_TOOL, "cannot start %s: %s", argv[0], strerror(errno));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return base_fail(error, KZ_TOOL, "cannot start %s: no pipe: %s", argv[0], strerror(errno));
    pid_t child = 0;
    int code = start(argv, ends[1], &child);
    close(ends[1]);
    if (code) {
        close(ends[0]);
        return base_fail(error, KZ_TOOL, "cannot start %s: %s", argv[0], strerror(code));
    }
    collect(ends[0], output);
    close(ends[0]);
    int state = 0;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return base_fail(error, KZ_TOOL, "lost %s: %s", argv[0], strerror(errno));
    *exit_code = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    if (output->failed) return base_fail(error, KZ_NO_MEMORY, "no memory for what %s says", argv[0]);
    return KZ_OK;
}

kz_status toolchain_fail_output(kz_error *error, const char *what, const base_text *output) {
    enum { ROOM = 3200 }; // leaves room for the first line and for notes in kz_error.message
    const char *text = output->data ? output->data : "";
    size_t length = output->length;
    if (length > ROOM) {
        length = ROOM;
        while (length > 0 && text[length - 1] != '\n') length--;
        if (length == 0) length = ROOM;
    }
    while (length > 0 && text[length - 1] == '\n') length--;
    base_fail(error, KZ_TOOL, "%s", what);
    if (length > 0) base_fail_note(error, "%.*s", (int)length, text);
    if (output->length > ROOM) base_fail_note(error, "... and more");
    return KZ_TOOL;
}

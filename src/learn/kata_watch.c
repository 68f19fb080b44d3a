// A kata's file watched: graded on every save, until it passes.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "learn/kata.h"
#include "learn/learn.h"

// kz grade records the attempt, and when the kata is back, as it does for people who call it themselves.
static kz_status grade(const char *kz, const char *path, const char *id, bool *passed, kz_error *error) {
    int state = 0;
    fflush(stdout);
    pid_t pid = fork(), ended = -1;
    if (pid == 0) {
        execl(kz, "kz", "grade", path, "--task", id, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && (ended = waitpid(pid, &state, 0)) < 0 && errno == EINTR) {}
    if (pid < 0 || ended != pid || (WIFEXITED(state) && WEXITSTATUS(state) == 127))
        return base_fail(error, KZ_IO, "kz grade could not be started (%s): %s", kz, strerror(errno));
    *passed = WIFEXITED(state) && WEXITSTATUS(state) == 0;
    return KZ_OK;
}

kz_status learn_kata_watch(const char *kz, const char *path, const char *id, kz_error *error) {
    learn_watch watch;
    kz_status status = KZ_OK;
    learn_watch_open(&watch, path, false);
    printf("\nWaiting for you to save %s; Ctrl-C ends.\n", path);
    fflush(stdout);
    for (bool passed = false; !passed && !status;) {
        struct pollfd events = {.fd = watch.fd, .events = POLLIN};
        poll(&events, watch.fd >= 0, learn_watch_wait(&watch));
        if (watch.fd >= 0) learn_watch_take(&watch);
        learn_change change = learn_watch_look(&watch);
        if (change == LEARN_GONE) {
            status = base_fail(error, KZ_NOT_FOUND, "%s is gone", path);
            base_fail_note(error, "kz kata makes it anew from the starter");
        } else if (change == LEARN_SAVED) {
            status = grade(kz, path, id, &passed, error);
            if (!status && !passed) printf("\nWaiting for you to save it again; Ctrl-C ends.\n");
            fflush(stdout);
        }
    }
    learn_watch_close(&watch);
    return status;
}

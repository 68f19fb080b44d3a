// The learner's progress and editor.
#include "learn/learner.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

kz_status learn_open_progress(char folder[LEARN_PATH], store **progress, char set_aside[LEARN_PATH],
                              kz_error *error) {
    *progress = NULL;
    set_aside[0] = 0;
    kz_status status = course_home(folder, error);
    return status ? status : store_open(folder, progress, set_aside, LEARN_PATH, error);
}

void learn_print_set_aside(const char *set_aside) {
    if (!*set_aside) return;
    fflush(stdout);
    if (strcmp(set_aside, STORE_GONE) == 0)
        fprintf(stderr, "kz: your progress file is gone (deleted, or emptied): a new one was begun.\n");
    else
        fprintf(stderr,
                "kz: your progress file could not be read: it was moved to %s, and a new one begun.\n",
                set_aside);
    fprintf(stderr,
            "Your task files are untouched; kz grade FILE records what passes again. If you have an export:\n"
            "kz progress --import FILE\n");
}

const char *learn_editor(void) {
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    if (visual && *visual) return visual;
    return editor && *editor ? editor : NULL;
}

// What keys of the terminal mean is the editor's to say while it runs.
static const int keys[] = {SIGINT, SIGQUIT};

_Noreturn static void become_editor(const char *editor, const char *path) {
    char *command = NULL;
    for (size_t i = 0; i < BASE_COUNT(keys); i++) signal(keys[i], SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    if (asprintf(&command, "%s \"$1\"", editor) > 0) // a shell reads the options
        execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
    _exit(127);
}

kz_status learn_edit(const char *editor, const char *path, kz_error *error) {
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before[BASE_COUNT(keys)];
    fflush(stdout);
    for (size_t i = 0; i < BASE_COUNT(keys); i++) sigaction(keys[i], &ignore, &before[i]);
    pid_t pid = fork(), ended = -1;
    if (pid == 0) become_editor(editor, path);
    int state = 0;
    while (pid > 0 && (ended = waitpid(pid, &state, 0)) < 0 && errno == EINTR) {}
    for (size_t i = 0; i < BASE_COUNT(keys); i++) sigaction(keys[i], &before[i], NULL);
    if (ended != pid || pid < 0)
        return base_fail(error, KZ_TOOL, "your editor could not be started: %s", strerror(errno));
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127) {
        base_fail(error, KZ_TOOL, "there is no editor \"%s\"", editor);
        base_fail_note(error, "set VISUAL or EDITOR to one that is there: export EDITOR=nano");
        return KZ_TOOL;
    }
    return KZ_OK;
}

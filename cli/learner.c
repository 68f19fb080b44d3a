// The learner's folder and progress.
#include "learner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

kz_status cli_learner_folder(char folder[CLI_LEARNER_PATH], kz_error *error) {
    const char *given = getenv("KZ_LEARN"), *home = getenv("HOME");
    int length;
    if (given && *given == '/') {
        length = snprintf(folder, CLI_LEARNER_PATH, "%s", given);
    } else if (given && *given) {
        char *here = getcwd(NULL, 0);
        if (!here) {
            base_fail(error, KZ_IO, "KZ_LEARN is \"%s\", but the folder that we are in has no name: %s",
                      given, strerror(errno));
            base_fail_note(error, "give KZ_LEARN a path from the root: KZ_LEARN=$HOME/kernel-zoo");
            return KZ_IO;
        }
        length = snprintf(folder, CLI_LEARNER_PATH, "%s/%s", here, given);
        free(here);
    } else if (home && *home) {
        length = snprintf(folder, CLI_LEARNER_PATH, "%s/kernel-zoo", home);
    } else {
        base_fail(error, KZ_NOT_FOUND, "no place for your work: neither KZ_LEARN nor HOME is set");
        base_fail_note(error, "name a folder: export KZ_LEARN=/some/folder");
        return KZ_NOT_FOUND;
    }
    if (length >= CLI_LEARNER_PATH - 256) {
        base_fail(error, KZ_LIMIT, "the path of your folder is too long (%d characters)", length);
        base_fail_note(error, "name a nearer one: export KZ_LEARN=/some/folder");
        return KZ_LIMIT;
    }
    while (length > 1 && folder[length - 1] == '/') folder[--length] = 0;
    return KZ_OK;
}

kz_status cli_learner_open(char folder[CLI_LEARNER_PATH], store **progress, char set_aside[CLI_LEARNER_PATH],
                           kz_error *error) {
    *progress = NULL;
    set_aside[0] = 0;
    kz_status status = cli_learner_folder(folder, error);
    return status ? status : store_open(folder, progress, set_aside, CLI_LEARNER_PATH, error);
}

void cli_learner_tell(const char *set_aside) {
    if (!*set_aside) return;
    fflush(stdout);
    fprintf(stderr,
            "kz: your progress file could not be read: it was moved to %s, and a new one begun.\n"
            "Your task files are untouched; kz grade FILE records what passes again. If you have an export:\n"
            "kz progress --import FILE\n",
            set_aside);
}

kz_status cli_learner_kz(char path[CLI_LEARNER_PATH], kz_error *error) {
    ssize_t length = readlink("/proc/self/exe", path, CLI_LEARNER_PATH - 1);
    if (length <= 0)
        return base_fail(error, KZ_IO, "kz cannot find itself: /proc/self/exe: %s", strerror(errno));
    path[length] = 0;
    return KZ_OK;
}

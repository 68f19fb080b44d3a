// The learner's folder.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "course/course.h"

kz_status course_home(char folder[COURSE_PATH], kz_error *error) {
    const char *given = getenv("KZ_LEARN"), *home = getenv("HOME");
    int length;
    if (given && *given == '/') {
        length = snprintf(folder, COURSE_PATH, "%s", given);
    } else if (given && *given) {
        char *here = getcwd(NULL, 0);
        if (!here) {
            base_fail(error, KZ_IO, "KZ_LEARN is \"%s\", but the folder that we are in has no name: %s",
                      given, strerror(errno));
            base_fail_note(error, "give KZ_LEARN a path from the root: KZ_LEARN=$HOME/" COURSE_HOME);
            return KZ_IO;
        }
        length = snprintf(folder, COURSE_PATH, "%s/%s", here, given);
        free(here);
    } else if (home && *home) {
        length = snprintf(folder, COURSE_PATH, "%s/" COURSE_HOME, home);
    } else {
        base_fail(error, KZ_NOT_FOUND, "no place for your work: neither KZ_LEARN nor HOME is set");
        base_fail_note(error, "name a folder: export KZ_LEARN=/some/folder");
        return KZ_NOT_FOUND;
    }
    if (length >= COURSE_PATH - 256) {
        base_fail(error, KZ_LIMIT, "the path of your folder is too long (%d characters)", length);
        base_fail_note(error, "name a nearer one: export KZ_LEARN=/some/folder");
        return KZ_LIMIT;
    }
    while (length > 1 && folder[length - 1] == '/') folder[--length] = 0;
    return KZ_OK;
}

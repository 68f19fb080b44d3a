// The running process: its clock, and where it was started from.
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

double base_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

kz_status base_self_path(char path[BASE_PATH], kz_error *error) {
    ssize_t length = readlink("/proc/self/exe", path, BASE_PATH - 1);
    if (length <= 0) {
        path[0] = 0;
        return base_fail(error, KZ_IO, "this program cannot find itself: /proc/self/exe: %s",
                         strerror(errno));
    }
    path[length] = 0;
    return KZ_OK;
}

// For tests: whether this program runs under qemu-user, which stands between it and the kernel: no limits of memory,
// no adoption of orphans, no sanitizers, and what the machine's own compiler builds is for another processor.
#ifndef BASE_EMULATED_FIXTURE_H
#define BASE_EMULATED_FIXTURE_H

#include <stdbool.h>
#include <sys/resource.h>

static inline bool is_emulated(void) {
    struct rlimit before, wanted, now = {0};
    if (getrlimit(RLIMIT_AS, &before) != 0) return false;
    wanted = before;
    wanted.rlim_cur = before.rlim_cur == RLIM_INFINITY ? (rlim_t)1 << 50 : before.rlim_cur - 1;
    // qemu-user says yes, and sets nothing: the limit would be its own.
    bool ignored = setrlimit(RLIMIT_AS, &wanted) == 0 && getrlimit(RLIMIT_AS, &now) == 0 &&
                   now.rlim_cur != wanted.rlim_cur;
    setrlimit(RLIMIT_AS, &before);
    return ignored;
}

#endif

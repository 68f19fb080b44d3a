// Functions of an API that a library of ours does not have: a weak symbol each, which says so when called, once, and
// fails. The implemented ones take their place. Headers of the API are not included where this is: only names matter.
#ifndef CUDART_MISSING_H
#define CUDART_MISSING_H

#include <stdatomic.h>
#include <stdio.h>

static int say_missing(const char *name, atomic_flag *said, const char *library, const char *status,
                       int code) {
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr,
                "kz: %s is not there: the simulator's %s does not have this call; it returns %s\n"
                "  docs/whole_programs.md lists what works\n",
                name, library, status);
    return code;
}

#define CUDART_MISSING(name, library, status, code)                                                          \
    int name(void) __attribute__((weak));                                                                    \
    int name(void) {                                                                                         \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                          \
        return say_missing(#name, &said, library, status, code);                                             \
    }

#endif

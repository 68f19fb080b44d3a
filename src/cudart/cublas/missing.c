// Every function of cuBLAS as a weak symbol that names itself when called; see cudart/missing.c.
#include <stdatomic.h>
#include <stdio.h>

enum { NOT_SUPPORTED = 15 }; // CUBLAS_STATUS_NOT_SUPPORTED

static int missing(const char *name, atomic_flag *said) {
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr,
                "kz: %s is not there: the simulator's cuBLAS does not have this call; it returns "
                "CUBLAS_STATUS_NOT_SUPPORTED\n"
                "  docs/whole_programs.md lists what works\n",
                name);
    return NOT_SUPPORTED;
}

#define CUBLAS_API(name)                                                                                     \
    int name(void) __attribute__((weak));                                                                    \
    int name(void) {                                                                                         \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                          \
        return missing(#name, &said);                                                                        \
    }
#include "api.def"
#undef CUBLAS_API

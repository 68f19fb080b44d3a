// Every function of the API as a weak symbol that names itself when called; the implemented ones take its
// place in the library. The header is not included here: only the names matter, and what is returned.
#include <stdatomic.h>
#include <stdio.h>

enum { NOT_SUPPORTED = 801 }; // cudaErrorNotSupported

int cudart_missing(const char *name, atomic_flag *said);

int cudart_missing(const char *name, atomic_flag *said) {
    if (!atomic_flag_test_and_set(said))
        fprintf(stderr,
                "kz: %s is not there: the simulator's CUDA runtime does not have this call; it returns "
                "cudaErrorNotSupported\n"
                "  docs/whole_programs.md lists what works\n",
                name);
    return NOT_SUPPORTED;
}

#define CUDART_API(name)                                                                                     \
    int name(void) __attribute__((weak));                                                                    \
    int name(void) {                                                                                         \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                          \
        return cudart_missing(#name, &said);                                                                 \
    }
#include "api.def"
#undef CUDART_API

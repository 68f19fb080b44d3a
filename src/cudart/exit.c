// _exit, _Exit and quick_exit end a process without the handlers of exit: the record is written here. The library comes
// before libc among those that the program is linked with, so its calls of _exit come here, if the version is that of
// libc's own: the machine's first (cudart.map has them).
#include "runtime.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t opened_by; // a child that ends so, as after a fork that could not exec, has nothing to tell

_Noreturn void cudart_leave_process(int status) {
    for (;;) syscall(SYS_exit_group, status);
}

#if defined(__x86_64__)
#define FIRST_GLIBC "GLIBC_2.2.5"
#else
#define FIRST_GLIBC "GLIBC_2.17"
#endif
__asm__(".symver cudart_exit, _exit@@" FIRST_GLIBC);
__asm__(".symver cudart_exit_c, _Exit@@" FIRST_GLIBC);
_Noreturn void cudart_exit(int status);
_Noreturn void cudart_exit_c(int status);

_Noreturn void cudart_exit(int status) {
    if (opened_by == getpid()) cudart_end(status);
    cudart_leave_process(status);
}

_Noreturn void cudart_exit_c(int status) { cudart_exit(status); }

static void at_quick_exit_of_program(void) {
    if (opened_by == getpid()) cudart_end(EXIT_SUCCESS);
}

void cudart_watch_exit(void) {
    opened_by = getpid();
    at_quick_exit(at_quick_exit_of_program);
}

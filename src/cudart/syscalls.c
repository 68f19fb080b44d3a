// System calls that read or write memory in flight for the host: read(), write() and their kin.
//
// The system answers EFAULT where a page is protected (pages.c), which would break a program that uses other bytes of the
// page. So a filter hands such calls to us: the bytes are looked at as if the host itself had used them, the pages
// are open while the call is made. Other calls pass, those of the one instruction that makes ours among them: the
// filter outlives an exec, so it may stop nothing that another program does.
#include "host_process.h"

#if defined(__x86_64__)

#include "base/base.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

long cudart_make_call(long number, long a, long b, long c, long d, long e, long f)
    __attribute__((visibility("hidden")));
extern const char cudart_call_made[] __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden cudart_make_call\n.globl cudart_make_call\n.type cudart_make_call, @function\n"
        ".hidden cudart_call_made\n.globl cudart_call_made\n"
        "cudart_make_call:\n"
        "    mov %rdi, %rax\n    mov %rsi, %rdi\n    mov %rdx, %rsi\n    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n    mov %r9, %r8\n    mov 8(%rsp), %r9\n    syscall\n"
        "cudart_call_made:\n    ret\n");

// ---- the filter -----------------------------------------------------------------------------------------

enum { SECCOMP_STOPPED = 1 }; // SYS_SECCOMP, whose header does not go with <signal.h>

#define FIELD(name)                   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name))
#define HIGH(name)                    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, name) + 4)
#define EQUAL(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define LEAST(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (then), (otherwise))
#define ANSWER(value)                 BPF_STMT(BPF_RET | BPF_K, (value))

bool cudart_calls_watch(uint64_t base, uint64_t bytes) {
    uint64_t made = (uint64_t)(uintptr_t)cudart_call_made;
    struct sock_filter code[] = {
        FIELD(arch),
        EQUAL(AUDIT_ARCH_X86_64, 0, 15),
        FIELD(nr),
        EQUAL(SYS_read, 5, 0),
        EQUAL(SYS_write, 4, 0),
        EQUAL(SYS_pread64, 3, 0),
        EQUAL(SYS_pwrite64, 2, 0),
        EQUAL(SYS_recvfrom, 1, 0),
        EQUAL(SYS_sendto, 0, 8),
        HIGH(args[1]),
        LEAST((uint32_t)(base >> 32), 0, 6),
        LEAST((uint32_t)((base + bytes) >> 32) + 1, 5, 0),
        FIELD(instruction_pointer),
        EQUAL((uint32_t)made, 0, 2),
        HIGH(instruction_pointer),
        EQUAL((uint32_t)(made >> 32), 1, 0),
        ANSWER(SECCOMP_RET_TRAP),
        ANSWER(SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = BASE_COUNT(code), .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return false;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

// ---- a call that was stopped ----------------------------------------------------------------------------

bool cudart_calls_stopped(const siginfo_t *info, void *context) {
    if (info->si_code != SECCOMP_STOPPED) return false;
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    long number = info->si_syscall;
    uint64_t address = (uint64_t)r[REG_RSI], bytes = (uint64_t)r[REG_RDX];
    cudart_pages_look(address, bytes, number == SYS_read || number == SYS_pread64 || number == SYS_recvfrom);
    r[REG_RAX] =
        cudart_make_call(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
    cudart_pages_close(address, bytes);
    return true;
}

#else

bool cudart_calls_watch(uint64_t base, uint64_t bytes) { return false; }
bool cudart_calls_stopped(const siginfo_t *info, void *context) { return false; }

#endif

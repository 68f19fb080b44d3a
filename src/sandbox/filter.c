// The filter of system calls (seccomp): the kernel asks it before each call. What calls.def names is refused with
// EPERM; starting a process, where that is not allowed, kills.
#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE
enum { ROOM = 400, OTHER_ABI = 0x40000000 }; // x86-64's second numbering of the same calls
enum { ALWAYS = 1, NO_MOUNT = 2, NO_IPC = 4, NO_TRACE = 8, NO_GROUP = 16 };

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452 // Linux 6.6; the same number on all machines
#endif

// A call that this machine does not have keeps its name in the place of a number.
#define TEXT(word)   #word
#define NUMBER(word) TEXT(word)
static const struct {
    const char *number;
    int when;
} calls[] = {
#define CALL(name, when) {NUMBER(SYS_##name), when},
#include "calls.def"
#undef CALL
};

typedef struct filter {
    struct sock_filter code[ROOM];
    unsigned short count;
} filter;

static void add(filter *f, uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
    if (f->count < ROOM) f->code[f->count++] = (struct sock_filter){code, yes, no, value};
}

static void load(filter *f, size_t offset) { add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void load_number(filter *f) { load(f, offsetof(struct seccomp_data, nr)); }
static void load_argument(filter *f, int index) { // its low half
    load(f, offsetof(struct seccomp_data, args) + 8 * (size_t)index);
}
static void give(filter *f, uint32_t action) { add(f, BPF_RET | BPF_K, action, 0, 0); }
static uint32_t refuse(int number) { return SECCOMP_RET_ERRNO | (uint32_t)number; }

// The next `length` instructions are for this call alone.
static void for_call(filter *f, int number, uint8_t length) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, length);
}

static void refuse_call(filter *f, int number, uint32_t action) {
    for_call(f, number, 1);
    give(f, action);
}

// Signals, limits and the like go to oneself alone: argument `index` is 0, this process or its group.
static void only_self(filter *f, int number, int index, uint32_t self) {
    for_call(f, number, 6);
    load_argument(f, index);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, self, 2, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, 0u - self, 1, 0);
    give(f, refuse(EPERM));
    load_number(f);
}

// Landlock does not see who changes a mode by name. A linker makes what it links executable: for its owner alone it may,
// which does no harm to any file; the umask lets it ask for no more.
static void only_owners_mode(filter *f, int number, int index) {
    for_call(f, number, 4);
    load_argument(f, index);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, 0700, 1, 0);
    give(f, refuse(EPERM));
    load_number(f);
}

// Threads may be made, and what the leak detector of the sanitizers makes to look at them; processes if allowed.
static void add_clone(filter *f, bool may_fork) {
    const uint32_t worlds = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
                            CLONE_NEWUTS | CLONE_NEWCGROUP;
    const uint32_t looker = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_UNTRACED;
    uint32_t otherwise = may_fork ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS;
    for_call(f, SYS_clone, 7);
    load_argument(f, 0);
    add(f, BPF_JMP | BPF_JSET | BPF_K, worlds, 0, 1);
    give(f, refuse(EPERM));
    add(f, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 2, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, looker, 1, 0);
    give(f, otherwise);
    load_number(f);
    refuse_call(f, SYS_clone3, refuse(ENOSYS)); // its flags are in memory: the C library then takes clone
#ifdef SYS_fork
    if (!may_fork) refuse_call(f, SYS_fork, SECCOMP_RET_KILL_PROCESS);
    if (!may_fork) refuse_call(f, SYS_vfork, SECCOMP_RET_KILL_PROCESS);
#endif
}

// A driver speaks to its daemon through a local socket; nobody else gets one.
static void add_socket(filter *f, bool uses_gpu) {
    if (!uses_gpu) {
        refuse_call(f, SYS_socket, refuse(EACCES));
        return;
    }
    for_call(f, SYS_socket, 4);
    load_argument(f, 0);
    add(f, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
    give(f, refuse(EACCES));
    load_number(f);
}

static void make(filter *f, const sandbox_plan *plan, bool has_landlock, bool has_scope) {
    int when = ALWAYS | (plan->has_namespaces ? 0 : NO_MOUNT | NO_IPC | NO_GROUP) |
               (plan->has_namespaces || has_landlock ? 0 : NO_TRACE);
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    give(f, SECCOMP_RET_KILL_PROCESS);
    load_number(f);
#ifdef __x86_64__
    add(f, BPF_JMP | BPF_JGE | BPF_K, OTHER_ABI, 0, 1);
    give(f, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < BASE_COUNT(calls); i++)
        if ((calls[i].when & when) && calls[i].number[0] >= '0' && calls[i].number[0] <= '9')
            refuse_call(f, atoi(calls[i].number), refuse(EPERM));
    add_socket(f, plan->process->uses_gpu);
    add_clone(f, plan->process->may_fork);
    uint32_t self = (uint32_t)getpid();
    only_self(f, SYS_prlimit64, 0, self);
    if (!plan->has_namespaces) {
#ifdef SYS_chmod
        only_owners_mode(f, SYS_chmod, 1);
#endif
        only_owners_mode(f, SYS_fchmodat, 2);
    }
    if (!plan->has_namespaces && !has_scope) { // nothing else keeps signals inside
        only_self(f, SYS_kill, 0, self);
        only_self(f, SYS_tgkill, 0, self);
        if (!plan->process->signals_threads) refuse_call(f, SYS_tkill, refuse(EPERM));
    }
    give(f, SECCOMP_RET_ALLOW);
}

bool sandbox_filter_enter(const sandbox_plan *plan, bool has_landlock, bool has_scope) {
    filter f = {.count = 0};
    make(&f, plan, has_landlock, has_scope);
    struct sock_fprog program = {.len = f.count, .filter = f.code};
    return f.count < ROOM && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
bool sandbox_forbid_processes(void) {
    filter f = {.count = 0};
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
    give(&f, SECCOMP_RET_KILL_PROCESS);
    load_number(&f);
    add_clone(&f, false);
    refuse_call(&f, SYS_ptrace, refuse(EPERM));
    give(&f, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = f.count, .filter = f.code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
#else
bool sandbox_forbid_processes(void) { return false; }
bool sandbox_filter_enter(const sandbox_plan *plan, bool has_landlock, bool has_scope) {
    (void)plan, (void)has_landlock, (void)has_scope;
    return false;
}
#endif

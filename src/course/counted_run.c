// Lines of valgrind's log. See counted_run.h.
//
// The program may write to the log, and paths that it opens are part of the lines; so a line is believed only where it says
// something bad, and totals only where they are there once.
#include "counted_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// ---- totals ---------------------------------------------------------------------------------------------

// The number after `name`: "D1  misses:   1,234  (1,000 rd + 234 wr)".
static bool read_count(const char *text, const char *name, double *count) {
    const char *at = strstr(text, name);
    if (!at || strstr(at + 1, name)) return false;
    at += strlen(name);
    at += strspn(at, " ");
    bool has_digits = *at >= '0' && *at <= '9';
    for (*count = 0; (*at >= '0' && *at <= '9') || *at == ','; at++)
        if (*at != ',') *count = *count * 10 + (*at - '0');
    return has_digits;
}

// "SYSCALL[7,1](56) sys_clone ( 3d0f00, ... ) --> [pre-success] Success(0x4ee2)"
static double count_threads(const char *log) {
    double count = 0;
    static const char name[] = ") sys_clone (", good[] = ") --> [pre-success] Success(";
    for (const char *at = log; (at = strstr(at, name)); at += strlen(name)) {
        const char *end = strchr(at + strlen(name), ')');
        count += end && strncmp(end, good, strlen(good)) == 0;
    }
    return count;
}

bool course_counted_totals(const base_text *log, course_c_cost *cost) {
    if (!log->data || strlen(log->data) != log->length) return false;
    cost->started_threads = count_threads(log->data);
    return read_count(log->data, "I   refs:", &cost->instructions) &&
           read_count(log->data, "D1  misses:", &cost->d1_misses) &&
           read_count(log->data, "LLd misses:", &cost->ll_misses);
}

// ---- system calls ---------------------------------------------------------------------------------------

// What libraries read when they are loaded and when they start threads. Nothing of it can be written, or leads elsewhere.
static bool is_read_only(const char *path, size_t length) {
    static const char *const heads[] = {"/sys/",      "/usr/",         "/lib",
                                        "/etc/",      "/proc/cpuinfo", "/proc/meminfo",
                                        "/proc/stat", "/proc/sys/",    "/proc/self/maps"};
    if (memmem(path, length, "/..", 3)) return false;
    for (size_t i = 0; i < BASE_COUNT(heads); i++)
        if (length >= strlen(heads[i]) && strncmp(path, heads[i], strlen(heads[i])) == 0) return true;
    return false;
}

// Arguments as valgrind prints them: "( 0x0, 4096, 7, 34, 4294967295, 0 )".
static unsigned long argument(const char *line, int index) {
    for (; index > 0 && *line && *line != '\n'; line++) index -= *line == ',';
    return strtoul(line + strspn(line, "( "), NULL, 0);
}

static const char *judge_open(const char *arguments, size_t length) {
    const char *path = memchr(arguments + 1, '(', length ? length - 1 : 0);
    size_t rest = path ? length - (size_t)(++path - arguments) : 0;
    return path && is_read_only(path, rest) ? NULL : "it opens a file of its own";
}

// The harness closes doors by it; a thread's name, for one, is a copy of 16 bytes.
static const char *judge_prctl(unsigned long what) {
    return what == PR_SET_NO_NEW_PRIVS || what == PR_SET_SECCOMP ? NULL : "it copies through the kernel";
}

// What the C library, malloc, threads, OpenMP, clocks, printf and the harness ask for.
static bool is_plain(long number) {
    static const short calls[] = {
#define CALL(name) SYS_##name,
#include "counted_calls.def"
#undef CALL
    };
    for (size_t i = 0; i < BASE_COUNT(calls); i++)
        if (calls[i] == number) return true;
    return false;
}

static const char *judge_call(long number, const char *arguments, size_t length) {
    switch (number) {
    case SYS_mmap:
        return (argument(arguments, 2) & PROT_EXEC) &&
                       ((argument(arguments, 2) & PROT_WRITE) || (argument(arguments, 3) & MAP_ANONYMOUS))
                   ? "it makes memory that is both written and run"
                   : NULL;
    case SYS_mprotect:
    case SYS_pkey_mprotect: return argument(arguments, 2) & PROT_EXEC ? "it makes memory executable" : NULL;
    case SYS_execve:
    case SYS_execveat: return "it becomes another program";
    case SYS_prctl: return judge_prctl(argument(arguments, 0));
    case SYS_shmat: return "it attaches shared memory";
#ifdef SYS_open
    case SYS_open:
#endif
    case SYS_openat: return judge_open(arguments, length);
#ifdef SYS_creat
    case SYS_creat:
#endif
    case SYS_openat2: return "it opens a file of its own";
    case SYS_memfd_create: return "it copies through a file in memory";
#ifdef SYS_pipe
    case SYS_pipe:
#endif
    case SYS_pipe2: return "it copies through a pipe";
    case SYS_socketpair: return "it copies through a socket";
    default: return is_plain(number) ? NULL : "it asks the system for what a computation does not need";
    }
}

bool course_uncounted_call(const base_text *log, char words[COURSE_CALL_WORDS]) {
    static const char head[] = "SYSCALL[";
    const char *what = NULL;
    for (const char *at = log->data; at && !what && (at = strstr(at, head)); at += strlen(head)) {
        size_t length = strcspn(at, "\n");
        const char *number = memmem(at, length, "](", 2);
        const char *arguments = number ? memchr(number + 2, ')', length - (size_t)(number + 2 - at)) : NULL;
        if (arguments && strncmp(arguments, ") ... ", 6) == 0) continue; // how one that took its time ended
        if (arguments) arguments = memchr(arguments, '(', length - (size_t)(arguments - at));
        if (!arguments) continue;
        what = judge_call(strtol(number + 2, NULL, 10), arguments, length - (size_t)(arguments - at));
        const char *name = memchr(number, ')', (size_t)(arguments - number));
        if (what) snprintf(words, COURSE_CALL_WORDS, "%s:%.*s", what, (int)(arguments - name - 1), name + 1);
    }
    return what != NULL;
}

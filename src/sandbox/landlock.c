// Landlock: a program takes away from itself, for ever, every access to files but those that it names. Needs no
// rights and no namespaces; Linux has it from 5.13 on. System calls only.
#include "confine.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of <linux/landlock.h>, of a newer kernel than the headers here may be of.
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, GET_VERSION = 1, PATH_BENEATH = 1 };
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_DIR = 1 << 3,
    MAKE_CHAR = 1 << 6,
    MAKE_BLOCK = 1 << 11,
    FIRST_RIGHTS = (1 << 13) - 1,
    REFER = 1 << 13,     // from version 2: links and renames between folders
    TRUNCATE = 1 << 14,  // 3
    IOCTL_DEV = 1 << 15, // 5
    NETWORK_TCP = 3,     // 4: bind and connect
    SCOPE = 3            // 6: abstract sockets and signals stay inside
};

typedef struct ruleset {
    uint64_t files, network, scope;
} ruleset;
typedef struct path_rule {
    uint64_t access;
    int32_t folder;
} __attribute__((packed)) path_rule;

static ruleset rules_of(long version) {
    ruleset rules = {.files = FIRST_RIGHTS};
    if (version >= 2) rules.files |= REFER;
    if (version >= 3) rules.files |= TRUNCATE;
    if (version >= 4) rules.network = NETWORK_TCP;
    if (version >= 5) rules.files |= IOCTL_DEV;
    if (version >= 6) rules.scope = SCOPE;
    return rules;
}

static void allow(int set, const char *path, uint64_t rights) {
    const uint64_t of_files = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;
    struct stat about;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &about) == 0 && !S_ISDIR(about.st_mode)) rights &= of_files;
    path_rule rule = {.access = rights, .folder = file};
    syscall(ADD_RULE, set, PATH_BENEATH, &rule, 0);
    close(file);
}

bool sandbox_landlock_enter(const sandbox_plan *plan, bool *has_scope) {
    long version = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);
    if (version < 1) return false;
    ruleset rules = rules_of(version);
    size_t size = version >= 6 ? sizeof rules : version >= 4 ? 16 : 8;
    int set = (int)syscall(CREATE_RULESET, &rules, size, 0);
    if (set < 0) return false;
    const uint64_t reading = READ_FILE | READ_DIR | EXECUTE;
    const uint64_t writing = rules.files & ~(uint64_t)(MAKE_CHAR | MAKE_BLOCK);
    for (size_t i = 0; i < plan->visible_count; i++)
        if (!plan->visible[i].is_hidden)
            allow(set, plan->visible[i].path, plan->visible[i].is_writable ? writing : reading);
    allow(set, "/proc", READ_FILE | READ_DIR);
    if (plan->process->uses_gpu)
        allow(set, "/proc/self/task", (WRITE_FILE | TRUNCATE) & rules.files); // names of threads
    if (plan->has_namespaces) allow(set, "/tmp", writing), allow(set, "/dev/shm", writing);
    bool entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(RESTRICT_SELF, set, 0) == 0;
    close(set);
    *has_scope = entered && version >= 6;
    return entered;
}

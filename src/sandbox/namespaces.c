// Namespaces: a world in which there are only the program's own processes, no network, and a root folder that is made
// of what the program may see. Works without any rights where the kernel lets users make namespaces.
//
// The new root is built on a tmpfs over /tmp, which then takes the root's place, so that what was there is below /old
// for as long as it is needed. System calls only.
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Of <linux/mount.h>, which older systems do not have.
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
enum { SETATTR_RDONLY = 1, SETATTR_NOSUID = 2, SETATTR_RECURSIVE = 0x8000 };
typedef struct mount_attributes {
    uint64_t set, clear, propagation, user_namespace;
} mount_attributes;

enum { ROOM = SANDBOX_PATH + 16 };

int sandbox_namespace_flags(void) {
    return CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
}

// ---- identities -------------------------------------------------------------------------------------------------

static bool write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool whole = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    close(file);
    return whole;
}

// The same user and group inside as outside, and nobody else.
static bool map_identities(const sandbox_plan *plan) {
    char text[64];
    prctl(PR_SET_DUMPABLE, 1); // its files in /proc are root's otherwise
    write_text("/proc/self/setgroups", "deny");
    snprintf(text, sizeof text, "%u %u 1", plan->uid, plan->uid);
    bool mapped = write_text("/proc/self/uid_map", text);
    snprintf(text, sizeof text, "%u %u 1", plan->gid, plan->gid);
    mapped = mapped && write_text("/proc/self/gid_map", text);
    prctl(PR_SET_DUMPABLE, 0);
    return mapped;
}

// ---- the root ---------------------------------------------------------------------------------------------------

static void make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
}

static bool make_read_only(const char *path) {
    mount_attributes attributes = {.set = SETATTR_RDONLY | SETATTR_NOSUID};
    if (syscall(SYS_mount_setattr, AT_FDCWD, path, SETATTR_RECURSIVE, &attributes, sizeof attributes) == 0)
        return true;
    // Before Linux 5.12: what is mounted below keeps its state.
    return errno == ENOSYS &&
           mount(NULL, path, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, NULL) == 0;
}

// One path of the view, bound from /old to /new.
static bool show(const sandbox_visible *v) {
    char from[ROOM], to[ROOM];
    snprintf(from, sizeof from, "/old%s", v->path);
    snprintf(to, sizeof to, "/new%s", v->path);
    if (v->is_hidden) // its place is there where what it lies in is shown
        return access(to, F_OK) != 0 ||
               mount("tmpfs", to, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=64k") == 0;
    make_parents(to);
    if (v->link[0]) return symlink(v->link, to) == 0 || errno == EEXIST;
    if (v->is_folder) {
        if (mkdir(to, 0755) != 0 && errno != EEXIST) return false;
    } else {
        int file = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0) return false;
        close(file);
    }
    if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) != 0) return false;
    return v->is_writable || make_read_only(to);
}

static bool mount_own(const char *path, const char *options) {
    return (mkdir(path, 0755) == 0 || errno == EEXIST) &&
           mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
}

// What in /proc is the machine's: read only, for a root without capabilities may write there.
static bool keep_machine(void) {
    static const char *const paths[] = {
        "/new/proc/sys", "/new/proc/sysrq-trigger", "/new/proc/irq", "/new/proc/bus",
        "/new/proc/fs",  "/new/proc/acpi",          "/new/proc/scsi"};
    for (size_t i = 0; i < BASE_COUNT(paths); i++)
        if (access(paths[i], F_OK) == 0 &&
            (mount(paths[i], paths[i], NULL, MS_BIND | MS_REC, NULL) != 0 || !make_read_only(paths[i])))
            return false;
    return true;
}

// A /proc of this world; where the kernel denies that (in a container), the one of the outer world. Read only; but a GPU's
// driver names its threads there, and does not start where it cannot.
static bool show_processes(bool names_threads) {
    if (mkdir("/new/proc", 0555) != 0 && errno != EEXIST) return false;
    bool made = mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 ||
                mount("/old/proc", "/new/proc", NULL, MS_BIND | MS_REC, NULL) == 0;
    return made && (names_threads ? keep_machine() : make_read_only("/new/proc"));
}

static bool change_root(const char *to, const char *old) {
    return chdir(to) == 0 && syscall(SYS_pivot_root, ".", old) == 0;
}

static bool build_root(const sandbox_plan *plan) {
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return false;
    if (mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m") != 0) return false;
    if (mkdir("/tmp/new", 0755) != 0 || mkdir("/tmp/old", 0755) != 0) return false;
    if (mount("/tmp/new", "/tmp/new", NULL, MS_BIND | MS_REC, NULL) != 0) return false;
    if (!change_root("/tmp", "old") || chdir("/") != 0) return false;
    if (mkdir("/new/dev", 0755) != 0 || !mount_own("/new/tmp", "mode=1777,size=256m") ||
        !mount_own("/new/dev/shm", "mode=1777,size=256m") || !show_processes(plan->process->uses_gpu))
        return false;
    for (size_t i = 0; i < plan->visible_count; i++)
        if (!show(&plan->visible[i])) return false;
    for (size_t i = 0; i < plan->visible_count; i++) {
        char to[ROOM];
        snprintf(to, sizeof to, "/new%s", plan->visible[i].path);
        if (plan->visible[i].is_hidden && access(to, F_OK) == 0 && !make_read_only(to)) return false;
    }
    // The old root, and with it the tmpfs, lies over the new one for a moment.
    if (!change_root("/new", ".") || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0) return false;
    mount_attributes attributes = {.set = SETATTR_RDONLY};
    syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, &attributes, sizeof attributes);
    return true;
}

bool sandbox_namespaces_enter(const sandbox_plan *plan) { return map_identities(plan) && build_root(plan); }

// The folders that work is done in, and what is done about those that a killed process left.
#include "toolchain/internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEFT_BEHIND_SECONDS = 3600 };

void toolchain_work_close(const char *folder) {
    if (folder[0]) base_remove_tree(folder);
}

// ---- what was left behind -------------------------------------------------------------------------------

// The system that process numbers belong to: this boot of this machine, and the container if there is one. Others may
// share the folder, and the same number is another process there.
static uint32_t system_id(void) {
    char boot[64] = "", container[64] = "";
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, boot, sizeof boot);
    if (file >= 0) close(file);
    ssize_t length = readlink("/proc/self/ns/pid", container, sizeof container);
    if (got <= 0 || length <= 0) return 0; // not known
    uint64_t hash = base_hash(base_hash(0, boot, (size_t)got), container, (size_t)length);
    return (uint32_t)(hash ^ hash >> 32) | 1;
}

static bool mentions(const char *process, const char *file, const char *folder) {
    char path[64], *data = NULL;
    size_t size;
    snprintf(path, sizeof path, "/proc/%.20s/%s", process, file);
    bool found =
        base_file_read(path, &data, &size, NULL) == KZ_OK && memmem(data, size, folder, strlen(folder));
    free(data);
    return found;
}

static bool links_into(const char *process, const char *file, const char *folder) {
    char path[64], target[TOOLCHAIN_PATH];
    snprintf(path, sizeof path, "/proc/%.20s/%s", process, file);
    ssize_t length = readlink(path, target, sizeof target - 1);
    return length > 0 && (size_t)length >= strlen(folder) && memcmp(target, folder, strlen(folder)) == 0;
}

// A compiler or a program may outlive the kz that started it: it has the folder in its arguments or its environment, runs
// from it or is in it.
static bool is_in_use(const char *folder) {
    DIR *processes = opendir("/proc");
    if (!processes) return true;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(processes));) {
        const char *process = entry->d_name;
        if (!isdigit((unsigned char)process[0]) || strtol(process, NULL, 10) == (long)getpid()) continue;
        found = mentions(process, "cmdline", folder) || mentions(process, "environ", folder) ||
                links_into(process, "exe", folder) || links_into(process, "cwd", folder);
    }
    closedir(processes);
    return found;
}

// Whoever is killed leaves its folder behind, which bears the number of its process and its system: kz-PID-SYSTEM-XXXXXX.
// It goes if it is ours and the process is gone: at once where the system is this one and nobody uses the folder,
// elsewhere after an hour in which nothing happened in it.
static void remove_if_left(const char *parent, const char *name, uint32_t system) {
    char path[TOOLCHAIN_PATH + 256], *end;
    struct stat about;
    if (strncmp(name, "kz-", 3) != 0) return;
    long owner = strtol(name + 3, &end, 10);
    if (owner <= 1 || *end != '-' || kill((pid_t)owner, 0) == 0 || errno != ESRCH) return;
    bool is_here = system && strtoul(end + 1, &end, 16) == system && *end == '-';
    snprintf(path, sizeof path, "%s/%s", parent, name);
    if (lstat(path, &about) != 0 || !S_ISDIR(about.st_mode) || about.st_uid != geteuid()) return;
    bool is_old = about.st_mtime < base_wall_seconds() - LEFT_BEHIND_SECONDS;
    if (is_here ? !is_in_use(path) : is_old) toolchain_work_close(path);
}

static void remove_left_behind(const char *parent, uint32_t system) {
    DIR *listing = opendir(parent);
    if (!listing) return;
    for (struct dirent *entry; (entry = readdir(listing));) remove_if_left(parent, entry->d_name, system);
    closedir(listing);
}

kz_status toolchain_work_open(char folder[TOOLCHAIN_PATH], kz_error *error) {
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent) parent = "/tmp";
    uint32_t system = system_id();
    remove_left_behind(parent, system);
    if (snprintf(folder, TOOLCHAIN_PATH, "%s/kz-%ld-%08x-XXXXXX", parent, (long)getpid(), system) >=
        TOOLCHAIN_PATH) {
        folder[0] = 0;
        return base_fail(error, KZ_INVALID, "the folder for temporary files has too long a name: %s", parent);
    }
    if (!mkdtemp(folder)) {
        folder[0] = 0;
        base_fail(error, KZ_IO, "cannot make a folder in %s: %s", parent, strerror(errno));
        base_fail_note(error, "free some space there, or set TMPDIR to a folder that can be written");
        return KZ_IO;
    }
    return KZ_OK;
}

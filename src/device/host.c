// What the host has, read from Linux's /proc and /sys.
#include "device/host.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

// The reserve: an eighth, but at least 256 MiB and at most 4 GiB.
static uint64_t less_reserve(uint64_t available) {
    uint64_t reserve = available / 8, least = UINT64_C(256) << 20, most = UINT64_C(4) << 30;
    if (reserve < least) reserve = least;
    if (reserve > most) reserve = most;
    return available > reserve ? available - reserve : 0;
}

// The number after `key` in a file of "key value" lines; UINT64_MAX where there is none.
static uint64_t find_number(const char *path, const char *key) {
    FILE *file = fopen(path, "r");
    if (!file) return UINT64_MAX;
    char line[256];
    uint64_t value = UINT64_MAX;
    size_t length = strlen(key);
    while (value == UINT64_MAX && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) != 0) continue;
        char *end;
        unsigned long long number = strtoull(line + length, &end, 10);
        if (end != line + length) value = number;
    }
    fclose(file);
    return value;
}

// What a control group leaves: its limit less its use, without the page cache, which is given back on demand.
static uint64_t group_room(const char *folder, const char *limit_file, const char *used_file,
                           const char *cache_key) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, limit_file);
    uint64_t limit = find_number(path, ""); // "max" is no number
    if (limit >= UINT64_C(1) << 60) return UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, used_file);
    uint64_t used = find_number(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t cache = find_number(path, cache_key);
    if (used == UINT64_MAX) used = 0;
    if (cache != UINT64_MAX) used = used > cache ? used - cache : 0;
    return limit > used ? limit - used : 0;
}

// The least room in the group `path` under `mount` and all of its parents.
static uint64_t group_tree_room(const char *mount, const char *group, const char *limit_file,
                                const char *used_file, const char *cache_key) {
    char folder[1024];
    snprintf(folder, sizeof folder, "%s%s", mount, strcmp(group, "/") == 0 ? "" : group);
    uint64_t room = UINT64_MAX;
    for (size_t least = strlen(mount);;) {
        uint64_t here = group_room(folder, limit_file, used_file, cache_key);
        if (here < room) room = here;
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= least || !slash || (size_t)(slash - folder) < least) return room;
        *slash = 0;
    }
}

static uint64_t control_group_room(const char *root) {
    char path[1024], line[1024];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (!file) return UINT64_MAX;
    uint64_t room = UINT64_MAX;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        uint64_t here = UINT64_MAX;
        char *group = strrchr(line, ':');
        if (!group) continue;
        group++;
        if (strncmp(line, "0::", 3) == 0) {
            snprintf(path, sizeof path, "%s/sys/fs/cgroup", root);
            here = group_tree_room(path, group, "memory.max", "memory.current", "file ");
        } else if (strstr(line, ":memory:")) { // version 1
            snprintf(path, sizeof path, "%s/sys/fs/cgroup/memory", root);
            here = group_tree_room(path, group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                   "total_cache ");
        }
        if (here < room) room = here;
    }
    fclose(file);
    return room;
}

uint64_t device_host_memory(const char *root) {
    char path[1024];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    uint64_t available = find_number(path, "MemAvailable:");
    if (available == UINT64_MAX) return 0;
    available *= 1024;
    uint64_t room = control_group_room(root);
    return less_reserve(room < available ? room : available);
}

void device_host_processor(const char *root, char *name, size_t capacity) {
    char path[1024], line[512];
    struct utsname machine;
    snprintf(name, capacity, "%s processor", uname(&machine) == 0 ? machine.machine : "unknown");
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    FILE *file = fopen(path, "r");
    if (!file) return;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0) continue;
        char *colon = strchr(line, ':');
        if (!colon) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(name, capacity, "%s", colon + 1 + (colon[1] == ' '));
        break;
    }
    fclose(file);
}

unsigned device_host_cores(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return (unsigned)CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

// From the kernel: sysconf knows the caches of x86 alone.
size_t device_host_cache_bytes(const char *root) {
    uint64_t largest = 0;
    for (int index = 0; index < 8; index++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cache/index%d/size", root, index);
        uint64_t kilobytes = find_number(path, ""); // "32768K"
        if (kilobytes != UINT64_MAX && kilobytes > largest) largest = kilobytes;
    }
    return (size_t)largest * 1024;
}

// How much memory the host can back, from made-up /proc and /sys trees.

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/host.h"
#include "unit.h"

#define GIB (UINT64_C(1) << 30)

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *walk) {
    return remove(path);
}

static int make_root(void **state) {
    char *root = strdup("/tmp/kz_host_test_XXXXXX");
    *state = root;
    return mkdtemp(root) ? 0 : -1;
}
static int drop_root(void **state) {
    nftw(*state, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return 0;
}

static void put(const char *root, const char *file, const char *text) {
    char path[512], folder[512];
    snprintf(path, sizeof path, "%s%s", root, file);
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = 0;
    assert_int_equal(base_make_folders(folder, NULL), KZ_OK);
    assert_int_equal(base_file_write(path, text, strlen(text), NULL), KZ_OK);
}

static void available_less_reserve(void **state) {
    assert_int_equal(device_host_memory(*state), 0); // nothing to read
    put(*state, "/proc/meminfo", "MemTotal:       67108864 kB\nMemFree: 5 kB\nMemAvailable:   16777216 kB\n");
    assert_int_equal(device_host_memory(*state), 14 * GIB); // 16 GiB less an eighth
    put(*state, "/proc/meminfo", "MemAvailable: 209715200 kB\n");
    assert_int_equal(device_host_memory(*state), 196 * GIB); // at most 4 GiB are kept
    put(*state, "/proc/meminfo", "MemAvailable: 1048576 kB\n");
    assert_int_equal(device_host_memory(*state), GIB - (256 << 20)); // at least 256 MiB are kept
    put(*state, "/proc/meminfo", "MemAvailable: 1000 kB\n");
    assert_int_equal(device_host_memory(*state), 0);
    put(*state, "/proc/meminfo", "MemAvailable: lots\n");
    assert_int_equal(device_host_memory(*state), 0);
}

static void control_groups_limit(void **state) {
    put(*state, "/proc/meminfo", "MemAvailable: 67108864 kB\n");
    put(*state, "/proc/self/cgroup", "0::/jobs/one\n");
    put(*state, "/sys/fs/cgroup/jobs/one/memory.max", "max\n");
    put(*state, "/sys/fs/cgroup/jobs/one/memory.current", "1000\n");
    assert_int_equal(device_host_memory(*state), 60 * GIB);         // no limit: 64 less 4
    put(*state, "/sys/fs/cgroup/jobs/memory.max", "17179869184\n"); // the parent's: 16 GiB, 8 in use
    put(*state, "/sys/fs/cgroup/jobs/memory.current", "8589934592\n");
    assert_int_equal(device_host_memory(*state), 7 * GIB);
    put(*state, "/sys/fs/cgroup/jobs/memory.stat", "anon 5\nfile 8589934592\n"); // all of it page cache
    assert_int_equal(device_host_memory(*state), 14 * GIB);
    put(*state, "/sys/fs/cgroup/memory.max", "8589934592\n"); // a container sees its limit at the root
    assert_int_equal(device_host_memory(*state), 7 * GIB);
}

static void old_control_groups_limit(void **state) {
    put(*state, "/proc/meminfo", "MemAvailable: 67108864 kB\n");
    put(*state, "/proc/self/cgroup", "12:cpu:/x\n4:memory:/docker/abc\n");
    put(*state, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n"); // none
    assert_int_equal(device_host_memory(*state), 60 * GIB);
    put(*state, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "17179869184\n");
    assert_int_equal(device_host_memory(*state), 14 * GIB);
}

static void this_machine(void **state) {
    char name[96];
    device_host_processor("", name, sizeof name);
    assert_true(strlen(name) > 0 && !strchr(name, '\n'));
    assert_true(device_host_cores() >= 1);
    put(*state, "/proc/cpuinfo", "processor : 0\nmodel name\t: Example CPU 9000\n");
    device_host_processor(*state, name, sizeof name);
    assert_string_equal(name, "Example CPU 9000");
}

static void the_last_cache_counts(void **state) {
    assert_int_equal(device_host_cache_bytes(*state), 0); // nothing to read
    put(*state, "/sys/devices/system/cpu/cpu0/cache/index0/size", "32K\n");
    put(*state, "/sys/devices/system/cpu/cpu0/cache/index2/size", "1024K\n");
    assert_int_equal(device_host_cache_bytes(*state), 1 << 20);
    put(*state, "/sys/devices/system/cpu/cpu0/cache/index3/size", "32768K\n");
    assert_int_equal(device_host_cache_bytes(*state), 32 << 20);
}

int main(void) {
#define WITH_ROOT(test) cmocka_unit_test_setup_teardown(test, make_root, drop_root)
    const struct CMUnitTest tests[] = {
        WITH_ROOT(available_less_reserve),   WITH_ROOT(control_groups_limit),
        WITH_ROOT(old_control_groups_limit), WITH_ROOT(this_machine),
        WITH_ROOT(the_last_cache_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// A confined program reaches nothing but what is its own: tried from inside, by a copy of this test, with each of the
// kernel's means alone and with all of them.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/emulated_fixture.h"
#include "sandbox/sandbox.h"
#include "unit.h"

// ---- inside -----------------------------------------------------------------------------------------------------

static int read_file(const char *path) { return open(path, O_RDONLY) >= 0; }
static int write_file(const char *path) { return open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) >= 0; }
static int remove_file(const char *path) { return unlink(path) == 0; }
static int change_mode(const char *path) { return chmod(path, 0) == 0; }
static int list_folder(const char *path) {
    DIR *list = opendir(path);
    if (list) closedir(list);
    return list != NULL;
}
static int signal_process(const char *pid) { return kill(atoi(pid), 0) == 0; }
static int trace_process(const char *pid) { return ptrace(PTRACE_SEIZE, atoi(pid), 0, 0) == 0; }
static int connect_to(const char *port) {
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(port)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
}
static void *nothing(void *at) { return at; }
static int start_thread(const char *unused) {
    pthread_t thread;
    (void)unused;
    return pthread_create(&thread, NULL, nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}
static int start_process(const char *unused) {
    (void)unused;
    pid_t child = fork();
    if (child == 0) _exit(0);
    return child > 0 && waitpid(child, NULL, 0) == child;
}
static int share_memory(const char *key) {
    return shmget((key_t)atoi(key), 4096, 0) >= 0; // made by the test
}
static int lengthen_file(const char *path) {
    struct rlimit limits = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limits);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    return ftruncate(fd, 2 << 20) == 0;
}
static int take_memory(const char *megabytes) { // in four children
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            size_t size = (size_t)atoi(megabytes) << 20;
            void *space = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (space != MAP_FAILED) memset(space, 1, size);
            sleep(20);
            _exit(0);
        }
    sleep(20);
    return 1;
}
static void *sleep_long(void *at) { return sleep(20), at; }
static int take_threads(const char *count) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 0; i < atoi(count); i++)
        if (pthread_create(&thread, &small, sleep_long, NULL)) break;
    sleep(20);
    return 1;
}
static int take_processes(const char *count) {
    for (int i = 0; i < atoi(count); i++)
        if (fork() == 0) sleep(20), _exit(0);
    sleep(20);
    return 1;
}

// Each child does the same in a session of its own. Nobody goes on for ever, should the sandbox not end it.
static int multiply(const char *unused) {
    struct sysinfo about;
    (void)unused;
    if (sysinfo(&about)) return 0;
    for (int most = about.procs + 1500; sysinfo(&about) == 0 && about.procs < most;)
        if (fork() == 0) setsid(), alarm(10);
    sleep(20);
    return 1;
}
// Takes memory in a child while orphans end all the time.
static int take_memory_in_noise(const char *megabytes) {
    if (fork() == 0) take_memory(megabytes), _exit(0);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) break;
    for (double end = base_seconds() + 16; base_seconds() < end;) {
        pid_t child = fork();
        if (child == 0) _exit(fork() == 0 ? 0 : 1);
        waitpid(child, NULL, 0);
    }
    return 1;
}

static const struct {
    const char *name;
    int (*try)(const char *argument);
} attempts[] = {{"multiply", multiply},    {"noise", take_memory_in_noise}, {"read", read_file},
                {"write", write_file},     {"remove", remove_file},         {"mode", change_mode},
                {"list", list_folder},     {"signal", signal_process},      {"trace", trace_process},
                {"connect", connect_to},   {"thread", start_thread},        {"process", start_process},
                {"shared", share_memory},  {"memory", take_memory},         {"processes", take_processes},
                {"threads", take_threads}, {"lengthen", lengthen_file}};

// ---- outside ----------------------------------------------------------------------------------------------------

static char home[64], folder[64], secret[80], self[1024];

enum {
    ALL = 0,
    LANDLOCK = SANDBOX_WITHOUT_NAMESPACES,
    NAMESPACES = SANDBOX_WITHOUT_LANDLOCK | SANDBOX_WITHOUT_FILTER
};
static const uint32_t means[] = {ALL, LANDLOCK, NAMESPACES};

static sandbox_result attempt(const char *name, const char *argument, sandbox_process process) {
    sandbox_result result;
    kz_error error = {0};
    const char *argv[] = {self, "attempt", name, argument, NULL};
    process.argv = argv;
    process.folder = folder;
    process.is_confined = true;
    if (process.seconds == 0) process.seconds = 20;
    kz_status status = sandbox_run(&process, &result, &error);
    if (status) print_message("%s\n", error.message);
    assert_int_equal(status, KZ_OK);
    return result;
}

// 1 where it succeeded, 0 where it was refused, the signal's negative number where that ended it.
static int ended(const char *name, const char *argument, sandbox_process process) {
    sandbox_result r = attempt(name, argument, process);
    int code = r.signal ? -r.signal : r.exit_code;
    sandbox_result_free(&r);
    return code;
}

static int try_without(const char *name, const char *argument, uint32_t without) {
    return ended(name, argument, (sandbox_process){.without = without});
}

static bool is_enforced(uint32_t without) {
    sandbox_result r = attempt("thread", "", (sandbox_process){.without = without});
    bool all = r.enforced == SANDBOX_ALL;
    sandbox_result_free(&r);
    return all;
}

static void expect_refused(const char *name, const char *argument) {
    for (size_t i = 0; i < BASE_COUNT(means); i++)
        if (is_enforced(means[i]) && try_without(name, argument, means[i]) == 1)
            fail_msg("%s %s succeeded without %u", name, argument, means[i]);
}

static void files_of_others_are_out_of_reach(void **state) {
    char made[100];
    snprintf(made, sizeof made, "%s/made", home);
    expect_refused("read", secret);
    expect_refused("write", secret);
    expect_refused("write", made);
    expect_refused("remove", secret);
    expect_refused("mode", secret);
    expect_refused("list", home);
    expect_refused("write", "/usr/lib/made-by-a-test");
    struct stat about;
    assert_int_equal(stat(secret, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    assert_int_equal(about.st_size, 6);
}

static void its_own_are_not(void **state) {
    char own[100];
    for (size_t i = 0; i < BASE_COUNT(means); i++) {
        if (!is_enforced(means[i])) continue;
        snprintf(own, sizeof own, "%s/own%zu", folder, i);
        assert_int_equal(try_without("write", own, means[i]), 1);
        assert_int_equal(access(own, F_OK), 0);
        assert_int_equal(try_without("remove", own, means[i]), 1);
        assert_int_equal(try_without("read", "/dev/urandom", means[i]), 1);
        assert_int_equal(try_without("write", "/dev/null", means[i]), 1);
        assert_int_equal(try_without("read", "/proc/self/maps", means[i]), 1);
        assert_int_equal(try_without("thread", "", means[i]), 1);
        const char *readable[] = {home, NULL};
        const sandbox_process shown = {.without = means[i], .readable = readable};
        assert_int_equal(ended("read", secret, shown), 1);
        assert_int_equal(ended("write", secret, shown), 0);
    }
}

// What is hidden is not there, though what it lies in is shown; what is shown below it is.
static void hidden_folders_are_empty(void **state) {
    char below[100], inner[120], file[140];
    if (!is_enforced(NAMESPACES)) skip();
    snprintf(below, sizeof below, "%s/below", home);
    snprintf(inner, sizeof inner, "%s/inner", below);
    snprintf(file, sizeof file, "%s/file", inner);
    assert_int_equal(mkdir(below, 0700), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(write_file(file), 1);
    const char *hidden[] = {below, "/no/such/folder", NULL}, *shown[] = {home, NULL},
               *both[] = {inner, home, NULL};
    const uint32_t with_namespaces[] = {ALL, NAMESPACES};
    for (size_t i = 0; i < BASE_COUNT(with_namespaces); i++) {
        sandbox_process process = {.without = with_namespaces[i], .readable = shown};
        assert_int_equal(ended("read", file, process), 1);
        process.hidden = hidden;
        assert_int_equal(ended("read", file, process), 0);
        assert_int_equal(ended("list", below, process), 1);
        assert_int_equal(ended("read", secret, process), 1);
        snprintf(file, sizeof file, "%s/made", below);
        assert_int_equal(ended("write", file, process), 0);
        snprintf(file, sizeof file, "%s/file", inner);
        process.readable = both;
        assert_int_equal(ended("read", file, process), 1);
    }
    unlink(file);
    rmdir(inner);
    rmdir(below);
}

// /bin is a link to usr/bin on most systems.
static void a_program_behind_a_link_is_found(void **state) {
    const char *argv[] = {"/bin/sh", "-c", "exit 7", NULL};
    for (size_t i = 0; i < BASE_COUNT(means); i++) {
        sandbox_result r;
        const sandbox_process process = {
            .argv = argv, .folder = folder, .seconds = 20, .is_confined = true, .without = means[i]};
        assert_int_equal(sandbox_run(&process, &r, NULL), KZ_OK);
        assert_int_equal(r.exit_code, 7);
        assert_int_equal(r.enforced == SANDBOX_ALL, is_enforced(means[i]));
        sandbox_result_free(&r);
    }
}

// A GPU's driver does not start where it cannot name its threads. The rest of /proc stays as it is.
static void drivers_name_their_threads(void **state) {
    for (size_t i = 0; i < BASE_COUNT(means); i++) {
        if (!is_enforced(means[i])) continue;
        const sandbox_process driver = {.without = means[i], .uses_gpu = true};
        assert_int_equal(ended("write", "/proc/thread-self/comm", driver), 1);
        assert_int_equal(ended("write", "/proc/sys/kernel/core_pattern", driver), 0);
        assert_int_equal(try_without("write", "/proc/thread-self/comm", means[i]), 0);
    }
}

static void other_processes_are_out_of_reach(void **state) {
    char pid[16];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    expect_refused("signal", pid);
    expect_refused("trace", pid);
    snprintf(pid, sizeof pid, "%d", (int)getppid());
    expect_refused("signal", pid);
}

static void there_is_no_network(void **state) {
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    char port[16];
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 8)) skip();
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
    snprintf(port, sizeof port, "%d", ntohs(at.sin_port));
    assert_int_equal(connect_to(port), 1);
    expect_refused("connect", port);
    close(fd);
}

static void memory_of_others_is_not_shared(void **state) {
    int key = 0x6b7a0000 | ((int)getpid() & 0xffff), id = shmget(key, 4096, IPC_CREAT | 0600);
    char text[16];
    if (id < 0) skip();
    snprintf(text, sizeof text, "%d", key);
    expect_refused("shared", text);
    shmctl(id, IPC_RMID, NULL);
}

static void a_process_of_its_own_kills_it(void **state) {
    const uint32_t filtered[] = {ALL, LANDLOCK};
    for (size_t i = 0; i < BASE_COUNT(filtered); i++) {
        if (!is_enforced(filtered[i])) continue;
        assert_int_equal(try_without("process", "", filtered[i]), -SIGSYS);
        assert_int_equal(ended("process", "", (sandbox_process){.without = filtered[i], .may_fork = true}),
                         1);
    }
}

static sandbox_stop stop_of(const char *name, const char *argument, sandbox_process process) {
    process.may_fork = true;
    sandbox_result r = attempt(name, argument, process);
    assert_true(r.seconds < 15);
    sandbox_stop stop = r.stop;
    sandbox_result_free(&r);
    return stop;
}

static void memory_is_limited_over_all_children(void **state) {
    if (is_emulated()) skip();
    for (size_t i = 0; i < BASE_COUNT(means); i++) {
        const sandbox_process small = {.without = means[i], .total_memory = UINT64_C(100) << 20};
        assert_int_equal(stop_of("memory", "50", small), SANDBOX_MEMORY);
    }
}

static void processes_are_limited(void **state) {
    if (is_emulated()) skip();
    for (size_t i = 0; i < BASE_COUNT(means); i++)
        assert_int_equal(stop_of("processes", "60", (sandbox_process){.without = means[i], .processes = 20}),
                         SANDBOX_COUNT);
}

// Whatever they do: each in a session of its own, or ending so often that the supervisor has no quiet moment.
static void processes_that_multiply_are_ended(void **state) {
    if (is_emulated()) skip();
    for (size_t i = 0; i < BASE_COUNT(means); i++) {
        const sandbox_process few = {.without = means[i], .processes = 200};
        assert_int_equal(stop_of("multiply", "", few), SANDBOX_COUNT);
        const sandbox_process small = {.without = means[i], .total_memory = UINT64_C(100) << 20};
        assert_int_equal(stop_of("noise", "50", small), SANDBOX_MEMORY);
    }
}

static void threads_are_limited(void **state) {
    if (is_emulated()) skip();
    char count[16]; // 8 for the one process, 4 for each core, and some to spare
    snprintf(count, sizeof count, "%ld", 60 + 4 * sysconf(_SC_NPROCESSORS_ONLN));
    assert_int_equal(stop_of("threads", count, (sandbox_process){.processes = 1}), SANDBOX_COUNT);
}

// The submission cannot lift it.
static void large_files_end_it(void **state) {
    char own[100];
    snprintf(own, sizeof own, "%s/large", folder);
    assert_int_equal(ended("lengthen", own, (sandbox_process){.file_bytes = 1 << 20}), -SIGXFSZ);
    unlink(own);
}

static void what_cannot_be_enforced_is_refused(void **state) {
    const char *argv[] = {self, "attempt", "write", secret, NULL};
    const sandbox_process bare = {.argv = argv,
                                  .folder = folder,
                                  .seconds = 20,
                                  .is_confined = true,
                                  .without = SANDBOX_WITHOUT_NAMESPACES | SANDBOX_WITHOUT_LANDLOCK |
                                             SANDBOX_WITHOUT_FILTER};
    sandbox_result r;
    kz_error error = {0};
    setenv("KZ_SANDBOX", "require", 1);
    assert_int_equal(sandbox_run(&bare, &r, &error), KZ_UNSUPPORTED);
    assert_non_null(strstr(error.message, "files, network, processes"));
    assert_non_null(strstr(error.message, "what to do"));
    sandbox_result_free(&r);
    setenv("KZ_SANDBOX", "auto", 1);
    assert_int_equal(sandbox_run(&bare, &r, &error), KZ_OK);
    assert_int_equal(r.enforced, 0);
    sandbox_result_free(&r);
    setenv("KZ_SANDBOX", "sometimes", 1);
    assert_int_equal(sandbox_run(&bare, &r, &error), KZ_INVALID);
    unsetenv("KZ_SANDBOX");
}

static int make_folders(void **state) {
    snprintf(home, sizeof home, "/tmp/kz-home-XXXXXX");
    snprintf(folder, sizeof folder, "/tmp/kz-own-XXXXXX");
    if (!mkdtemp(home) || !mkdtemp(folder)) return 1;
    snprintf(secret, sizeof secret, "%s/secret", home);
    return base_file_write_scratch(secret, "secret", 6, NULL) || chmod(secret, 0600);
}

static int remove_folders(void **state) {
    unlink(secret);
    return rmdir(home) || rmdir(folder);
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "attempt") == 0)
        for (size_t i = 0; i < BASE_COUNT(attempts); i++)
            if (strcmp(argv[2], attempts[i].name) == 0) return attempts[i].try(argv[3]);
    if (base_self_path(self, NULL)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_others_are_out_of_reach),
        cmocka_unit_test(its_own_are_not),
        cmocka_unit_test(hidden_folders_are_empty),
        cmocka_unit_test(a_program_behind_a_link_is_found),
        cmocka_unit_test(drivers_name_their_threads),
        cmocka_unit_test(other_processes_are_out_of_reach),
        cmocka_unit_test(there_is_no_network),
        cmocka_unit_test(memory_of_others_is_not_shared),
        cmocka_unit_test(a_process_of_its_own_kills_it),
        cmocka_unit_test(memory_is_limited_over_all_children),
        cmocka_unit_test(processes_are_limited),
        cmocka_unit_test(processes_that_multiply_are_ended),
        cmocka_unit_test(threads_are_limited),
        cmocka_unit_test(large_files_end_it),
        cmocka_unit_test(what_cannot_be_enforced_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folders, remove_folders);
}

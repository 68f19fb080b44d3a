// kz-device PROGRAM [ARGUMENTS]: has the device of a program that is judged, in a process of its own. All of it is in the
// runtime's library, and main.c starts it.
//
// The program gets a socket, and no part of the runtime: what is counted and found is counted here, and the record leaves
// by a pipe that the program never had (descriptor 4). The sandbox around both keeps the program from reaching into this
// process; beyond that it may start no process itself.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "cudart/runtime.h"
#include "device.h"
#include "sandbox/sandbox.h"
#include "serve.h"

enum { CANNOT_START = 127, MOST_THREADS = 4096 };

static int fail(const char *what) {
    fprintf(stderr, "kz-device: %s: %s\n", what, strerror(errno));
    return CANNOT_START;
}

// A file in memory with room for every address that the program can have; only pages that are used take memory.
static int open_shared(void) {
    struct rlimit before, lifted;
    int file = memfd_create("kz-shared-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (getrlimit(RLIMIT_FSIZE, &before)) return -1;
    lifted = (struct rlimit){.rlim_cur = before.rlim_max, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &lifted);
    bool done = file >= 0 && ftruncate(file, (off_t)1 << 47) == 0 &&
                fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) == 0; // the program has it too
    setrlimit(RLIMIT_FSIZE, &before);
    return done ? file : -1;
}

// What the program inherits; everything else is closed by its exec.
static int inherited(int file) { return file < 0 ? -1 : fcntl(file, F_DUPFD, REMOTE_FIRST_FD); }

_Noreturn static void become(char **argv, int door, int shared) {
    char value[64];
    int view = cudart.machine ? sim_memory_view(cudart.machine) : -1;
    snprintf(value, sizeof value, "%d,%d,%d", inherited(door), inherited(view), inherited(shared));
    setenv(REMOTE_VARIABLE, value, 1);
    close(SANDBOX_LOG_FD);
    struct rlimit files;
    if (getrlimit(RLIMIT_FSIZE, &files) == 0) {
        files.rlim_max = files.rlim_cur; // it was soft for the device's memory
        setrlimit(RLIMIT_FSIZE, &files);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sandbox_forbid_processes();
    execv(argv[0], argv);
    _exit(fail(argv[0]));
}

// Threads of the program that are served now.
static struct {
    pthread_mutex_t lock;
    pthread_cond_t left; // one of them has
    unsigned count;
} served = {.lock = PTHREAD_MUTEX_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};

static void *serve(void *channel) {
    remote_serve((int)(intptr_t)channel);
    pthread_mutex_lock(&served.lock);
    served.count--;
    pthread_cond_signal(&served.left);
    pthread_mutex_unlock(&served.lock);
    return NULL;
}

static void wait_until_served(unsigned most) {
    pthread_mutex_lock(&served.lock);
    while (served.count > most) pthread_cond_wait(&served.left, &served.lock);
    pthread_mutex_unlock(&served.lock);
}

static void begin_to_serve(int channel) {
    pthread_t thread;
    pthread_mutex_lock(&served.lock);
    if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)channel)) {
        close(channel);
    } else {
        pthread_detach(thread);
        served.count++;
    }
    pthread_mutex_unlock(&served.lock);
}

// Threads of the program come through the door, until the last of them is gone.
static void keep_door(int door) {
    remote_greeting greeting = {0};
    for (int channel; (channel = remote_meet(door, &greeting)) >= 0;) {
        cudart.program_bias = greeting.bias;
        cudart.is_per_thread = greeting.is_per_thread;
        begin_to_serve(channel);
        wait_until_served(MOST_THREADS - 1);
    }
    wait_until_served(0);
}

// Ends as the program ended, so that whoever waits for this process learns it.
static int end_as(int state) {
    if (!WIFSIGNALED(state)) return WEXITSTATUS(state);
    cudart_finish();
    signal(WTERMSIG(state), SIG_DFL);
    raise(WTERMSIG(state));
    return 128 + WTERMSIG(state);
}

int cudart_device_main(int argc, char **argv) {
    int door[2], state = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: kz-device PROGRAM [ARGUMENTS]: the grader starts it\n");
        return CANNOT_START;
    }
    prctl(PR_SET_DUMPABLE, 0);                        // no other process of the user looks into this one
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL); // names of kernels are readable where it is there
    cudart.record_pipe = fcntl(SANDBOX_LOG_FD, F_GETFD) >= 0 ? SANDBOX_LOG_FD : 0;
    cudart.program_file = argv[1];
    program_invocation_short_name = strrchr(argv[1], '/') ? strrchr(argv[1], '/') + 1 : argv[1];
    int shared = open_shared();
    if (shared < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, door)) return fail("no channel");
    remote_open(shared);
    pid_t child = fork();
    if (child == 0) become(argv + 1, door[1], shared);
    if (child < 0) return fail("cannot start a process");
    close(door[1]);
    keep_door(door[0]);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {}
    return end_as(state);
}

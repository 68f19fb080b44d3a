// cuBLAS as a rival: its sgemm in single precision, TF32 off.
//
// The library is opened when it is first asked for; where there is none, nothing is offered. KZ_CUBLAS names
// another file. cuBLAS thinks in columns: the transpose of a row-major matrix lies there without a move, and
// the transpose of a * b is b' * a'. Its workspace is given to it, so that it allocates nothing while a graph
// is recorded.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/peer.h"

enum {
    AS_IT_IS = 0,         // CUBLAS_OP_N
    DEFAULT_MATH = 0,     // single precision is computed as such: TF32 is for those who ask for it
    WORKSPACE = 32 << 20, // what NVIDIA advises for Hopper
};

typedef struct cublas {
    int (*create)(void **handle);
    int (*version)(void *handle, int *version);
    int (*set_stream)(void *handle, void *stream);
    int (*set_workspace)(void *handle, void *workspace, size_t bytes);
    int (*set_math)(void *handle, int mode);
    int (*sgemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k, const float *alpha,
                 const float *a, int a_column, const float *b, int b_column, const float *beta, float *c,
                 int c_column);
    const char *(*text)(int status);
} cublas;

// Opened once, for the life of the process; the peer's interface has no place for a state.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static cublas api;
static bool is_open;
static void *handle;
static char version[32] = "";

static bool load(void *library) {
    const struct {
        const char *name;
        void *to;
    } symbols[] = {
        {"cublasCreate_v2", &api.create},        {"cublasGetVersion_v2", &api.version},
        {"cublasSetStream_v2", &api.set_stream}, {"cublasSetWorkspace_v2", &api.set_workspace},
        {"cublasSetMathMode", &api.set_math},    {"cublasSgemm_v2", &api.sgemm},
        {"cublasGetStatusString", &api.text},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found) return false;
        memcpy(symbols[i].to, &found, sizeof found);
    }
    return true;
}

static void open_library(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    const char *given = getenv("KZ_CUBLAS");
    void *library = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : NULL;
    for (size_t i = 0; !given && !library && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    is_open = library && load(library);
}

static const char *offers(const kz_peer_problem *problem) {
    if (strcmp(problem->family, "sgemm") != 0 || problem->type != KZ_F32) return NULL;
    for (int i = 0; i < 3; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > 0x7fffffff) return NULL;
    pthread_once(&once, open_library);
    return is_open ? "cublasSgemm" : NULL;
}

static int finish(int status, const char **why) {
    if (status != 0) *why = api.text(status);
    return status != 0;
}

static int prepare(const kz_peer_problem *problem, size_t *workspace_bytes, const char **why) {
    *workspace_bytes = WORKSPACE;
    if (!offers(problem)) {
        *why = "libcublas is not there, or does not do this case";
        return 1;
    }
    if (handle) return 0;
    int status = api.create(&handle), number = 0;
    if (status == 0) status = api.set_math(handle, DEFAULT_MATH);
    if (status == 0) status = api.version(handle, &number);
    snprintf(version, sizeof version, "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
    return finish(status, why);
}

static int run(const kz_peer_problem *problem, void *stream, const kz_ptr *buffers, kz_ptr workspace,
               size_t workspace_bytes, const char **why) {
    const float one = 1.0f, zero = 0.0f;
    int m = (int)problem->axes[0], n = (int)problem->axes[1], k = (int)problem->axes[2];
    int status = api.set_stream(handle, stream);
    if (status == 0) status = api.set_workspace(handle, (void *)(uintptr_t)workspace, workspace_bytes);
    if (status == 0)
        status = api.sgemm(handle, AS_IT_IS, AS_IT_IS, n, m, k, &one, (const float *)(uintptr_t)buffers[1], n,
                           (const float *)(uintptr_t)buffers[0], k, &zero, (float *)(uintptr_t)buffers[2], n);
    return finish(status, why);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cublas", version, offers, prepare, run, false};

const kz_peer *kz_peer_get(void) { return &peer; }

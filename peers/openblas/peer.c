// OpenBLAS as a rival on the CPU: its sgemm, with as many threads as it takes by itself.
//
// The library is opened when it is first asked for (Debian: libopenblas0-pthread); where there is none,
// nothing is offered. KZ_OPENBLAS names another file.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/peer.h"

enum { ROW_MAJOR = 101, AS_IT_IS = 111 }; // of CBLAS

typedef void (*sgemm_function)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                               const float *a, int a_row, const float *b, int b_row, float beta, float *c,
                               int c_row);

// Opened once, for the life of the process; the peer's interface has no place for a state.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sgemm_function sgemm;
static char version[32] = "";

static void open_library(void) {
    const char *given = getenv("KZ_OPENBLAS");
    void *library = dlopen(given ? given : "libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library && !given) library = dlopen("libopenblas.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    *(void **)&sgemm = dlsym(library, "cblas_sgemm");
    const char *(*config)(void);
    *(void **)&config = dlsym(library, "openblas_get_config"); // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
    if (config) sscanf(config(), "%*s %31s", version);
}

static const char *offers(const kz_peer_problem *problem) {
    if (strcmp(problem->family, "sgemm") != 0 || problem->type != KZ_F32) return NULL;
    for (int i = 0; i < 3; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > 0x7fffffff) return NULL;
    pthread_once(&once, open_library);
    return sgemm ? "cblas_sgemm" : NULL;
}

static int prepare(const kz_peer_problem *problem, size_t *workspace_bytes, const char **why) {
    *workspace_bytes = 0;
    if (offers(problem)) return 0;
    *why = "OpenBLAS is not there, or does not do this case";
    return 1;
}

static int run(const kz_peer_problem *problem, void *stream, const kz_ptr *buffers, kz_ptr workspace,
               size_t workspace_bytes, const char **why) {
    (void)stream, (void)workspace, (void)workspace_bytes, (void)why;
    int m = (int)problem->axes[0], n = (int)problem->axes[1], k = (int)problem->axes[2];
    sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1.0f, (const float *)(uintptr_t)buffers[0], k,
          (const float *)(uintptr_t)buffers[1], n, 0.0f, (float *)(uintptr_t)buffers[2], n);
    return 0;
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "openblas", version, offers, prepare, run, true};

const kz_peer *kz_peer_get(void) {
    pthread_once(&once, open_library); // its version is asked for before anything else
    return &peer;
}

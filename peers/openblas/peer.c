// OpenBLAS as a rival on the CPU: sgemm, saxpy, and a transpose by omatcopy, with as many threads as it takes by itself.
//
// The library is opened when it is first asked for (Debian: libopenblas0-pthread); KZ_OPENBLAS names another file.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TRANSPOSED = 112 }; // of CBLAS

static struct {
    const char *(*config)(void); // "OpenBLAS 0.3.21 DYNAMIC_ARCH ..."
    void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                  const float *a, int a_row, const float *b, int b_row, float beta, float *c, int c_row);
    void (*saxpy)(int n, float alpha, const float *x, int x_step, float *y, int y_step);
    void (*somatcopy)(int order, int transpose, int rows, int columns, float alpha, const float *a, int a_row,
                      float *b, int b_row);
} api;

// Opened once, for the life of the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;

static void open_library(void) {
    static const peer_symbol symbols[] = {
        {"openblas_get_config", &api.config},
        {"cblas_sgemm", &api.sgemm},
        {"cblas_saxpy", &api.saxpy},
        {"cblas_somatcopy", &api.somatcopy},
    };
    const peer_wanted wanted = {.variable = "KZ_OPENBLAS",
                                .files = {"libopenblas.so.0", "libopenblas.so"},
                                .symbols = symbols,
                                .symbol_count = sizeof symbols / sizeof symbols[0]};
    peer_library_open(&library, &wanted);
    if (api.config) sscanf(api.config(), "%*s %31s", library.version);
}

static const char *version(const char **why) {
    pthread_once(&once, open_library);
    return peer_library_version(&library, why);
}

// ---- operations ------------------------------------------------------------------------------------------

static float *at(kz_ptr address) { return (float *)(uintptr_t)address; }

static void multiply(const kz_peer_problem *p, const kz_ptr *b) {
    int m = (int)p->axes[0], n = (int)p->axes[1], k = (int)p->axes[2];
    api.sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1.0f, at(b[0]), k, at(b[1]), n, 0.0f, at(b[2]), n);
}

static void add_multiple(const kz_peer_problem *p, const kz_ptr *b) {
    float a;
    memcpy(&a, &p->args[0].scalar, sizeof a);
    api.saxpy((int)p->axes[0], a, at(b[0]), 1, at(b[1]), 1);
}

static void transpose(const kz_peer_problem *p, const kz_ptr *b) {
    int rows = (int)p->axes[0], columns = (int)p->axes[1];
    api.somatcopy(ROW_MAJOR, TRANSPOSED, rows, columns, 1.0f, at(b[0]), columns, at(b[1]), rows);
}

static const struct operation {
    const char *family, *name;
    int axes; // that are sizes, each within 32 bits
    void (*run)(const kz_peer_problem *problem, const kz_ptr *buffers);
} operations[] = {
    {"sgemm", "cblas_sgemm", 3, multiply},
    {"saxpy", "cblas_saxpy", 1, add_multiple},
    {"transpose", "cblas_somatcopy", 2, transpose},
};

static const struct operation *find(const kz_peer_problem *problem) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *o = &operations[i];
        if (strcmp(o->family, problem->family) != 0 || problem->type != KZ_F32) continue;
        for (int k = 0; k < o->axes; k++)
            if (problem->axes[k] < 1 || problem->axes[k] > 0x7fffffff) return NULL;
        return o;
    }
    return NULL;
}

// ---- the rival -------------------------------------------------------------------------------------------

static const char *offers(const kz_peer_problem *problem) {
    const struct operation *o = find(problem);
    return o ? o->name : NULL;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    (void)problem;
    pthread_once(&once, open_library);
    plan->algorithms = 1;
    return peer_library_usable(&library, why) ? 0 : 1;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    (void)plan, (void)why;
    find(problem)->run(problem, call->buffers);
    return 0;
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "openblas", true, version, offers, prepare, run, NULL, NULL};

const kz_peer *kz_peer_get(void) { return &peer; }

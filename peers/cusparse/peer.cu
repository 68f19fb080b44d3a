// cuSPARSE as a rival: a step of PageRank by SpMV, its generic interface.
//
// The step is next = ground + damping * A * contributions, where A is the graph's in-edges as CSR. cuSPARSE wants a
// value for each edge, which the graph has not: a vector of ones is made before, and read in every run. What it does not
// do is done by two small kernels: contributions (rank over out-degree) into the workspace, and the ground into next.
// The library is opened when it is first asked for; KZ_CUSPARSE names its file.
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"

enum {
    INDEX_32 = 2,  // CUSPARSE_INDEX_32I
    FROM_ZERO = 0, // CUSPARSE_INDEX_BASE_ZERO
    F32 = 0,       // CUDA_R_32F
    AS_IT_IS = 0,  // CUSPARSE_OPERATION_NON_TRANSPOSE
    CSR_FIRST = 2, // CUSPARSE_SPMV_CSR_ALG1, and ALG2 after it
    ALGORITHMS = 2,
    THREADS = 256,
    OUT_OFFSETS = 0, // the family's buffers
    IN_OFFSETS = 2,
    IN_SOURCES = 3,
    RANK = 4,
    NEXT = 5,
};
static const float DAMPING = 0.85f, ONE = 1.0f;

typedef struct step { // a plan's state
    void *handle, *matrix, *from, *to;
    float *ones;
    size_t contributions_bytes; // at the workspace's start; cuSPARSE's own follows
} step;

static struct {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, cudaStream_t stream);
    int (*property)(int which, int *value);
    const char *(*text)(int status);
    int (*create_csr)(void **matrix, int64_t rows, int64_t columns, int64_t count, void *offsets,
                      void *indices, void *values, int offset_type, int index_type, int base, int type);
    int (*destroy_matrix)(void *matrix);
    int (*set_csr)(void *matrix, void *offsets, void *indices, void *values);
    int (*create_vector)(void **vector, int64_t size, void *values, int type);
    int (*destroy_vector)(void *vector);
    int (*set_vector)(void *vector, void *values);
    int (*multiply)(void *handle, int operation, const void *alpha, void *matrix, void *x, const void *beta,
                    void *y, int type, int algorithm, void *workspace);
    int (*workspace)(void *handle, int operation, const void *alpha, void *matrix, void *x, const void *beta,
                     void *y, int type, int algorithm, size_t *bytes);
} api;

// Opened once, for the life of the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;

static void open_library(void) {
    static const peer_symbol symbols[] = {
        {"cusparseCreate", &api.create},
        {"cusparseDestroy", &api.destroy},
        {"cusparseSetStream", &api.set_stream},
        {"cusparseGetProperty", &api.property},
        {"cusparseGetErrorString", &api.text},
        {"cusparseCreateCsr", &api.create_csr},
        {"cusparseDestroySpMat", &api.destroy_matrix},
        {"cusparseCsrSetPointers", &api.set_csr},
        {"cusparseCreateDnVec", &api.create_vector},
        {"cusparseDestroyDnVec", &api.destroy_vector},
        {"cusparseDnVecSetValues", &api.set_vector},
        {"cusparseSpMV", &api.multiply},
        {"cusparseSpMV_bufferSize", &api.workspace},
    };
    peer_wanted wanted = {"KZ_CUSPARSE", {"libcusparse.so.12", "libcusparse.so"}, symbols, 0};
    wanted.symbol_count = sizeof symbols / sizeof symbols[0];
    peer_library_open(&library, &wanted);
    int number[3] = {0};
    for (int i = 0; i < 3 && api.property; i++) api.property(i, &number[i]);
    snprintf(library.version, sizeof library.version, "%d.%d.%d", number[0], number[1], number[2]);
    peer_library_require(&library, "12.0", number[0] >= 12);
}

static const char *version(const char **why) {
    pthread_once(&once, open_library);
    return peer_library_version(&library, why);
}

static const char *offers(const kz_peer_problem *problem) {
    if (strcmp(problem->family, "pagerank") != 0 || problem->type != KZ_F32) return NULL;
    for (int i = 0; i < 2; i++)
        if (problem->axes[i] < 1 || problem->axes[i] > 0x7fffffff) return NULL;
    return "cusparseSpMV, values made before";
}

// ---- what cuSPARSE does not do ---------------------------------------------------------------------------

static __global__ void fill(float *out, float value, unsigned n) {
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = value;
}

// A vertex without an edge contributes to nobody.
static __global__ void contribute(const unsigned *out_offsets, const float *rank, float *contributions,
                                  float *next, float ground, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned degree = out_offsets[i + 1] - out_offsets[i];
    contributions[i] = degree ? rank[i] / (float)degree : 0.0f;
    next[i] = ground;
}

// ---- a plan ----------------------------------------------------------------------------------------------

static int finish(int status, const char **why) {
    if (status != 0) *why = api.text(status);
    return status != 0;
}

static int finish_cuda(cudaError_t error, const char **why) {
    if (error != cudaSuccess) *why = cudaGetErrorString(error);
    return error != cudaSuccess;
}

static int make_ones(step *s, int64_t edges, const char **why) {
    cudaError_t error = cudaMalloc((void **)&s->ones, (size_t)edges * sizeof *s->ones);
    if (error != cudaSuccess) return finish_cuda(error, why);
    fill<<<1024, THREADS>>>(s->ones, 1.0f, (unsigned)edges);
    error = cudaGetLastError();
    return finish_cuda(error == cudaSuccess ? cudaDeviceSynchronize() : error, why);
}

// Descriptors get their buffers in every run; until then the ones stand in their place.
static int describe(step *s, int64_t vertices, int64_t edges, size_t *bytes) {
    int status = api.create(&s->handle);
    if (status == 0)
        status = api.create_csr(&s->matrix, vertices, vertices, edges, s->ones, s->ones, s->ones, INDEX_32,
                                INDEX_32, FROM_ZERO, F32);
    if (status == 0) status = api.create_vector(&s->from, vertices, s->ones, F32);
    if (status == 0) status = api.create_vector(&s->to, vertices, s->ones, F32);
    for (int i = 0; i < ALGORITHMS && status == 0; i++) {
        size_t own = 0;
        status = api.workspace(s->handle, AS_IT_IS, &DAMPING, s->matrix, s->from, &ONE, s->to, F32,
                               CSR_FIRST + i, &own);
        if (own > *bytes) *bytes = own;
    }
    return status;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    pthread_once(&once, open_library);
    if (!peer_library_usable(&library, why)) return 1;
    int64_t vertices = problem->axes[0], edges = problem->axes[1];
    step *s = (step *)calloc(1, sizeof *s);
    *why = "no memory";
    if (!s) return 1;
    plan->state = s;
    plan->algorithms = ALGORITHMS;
    plan->kept_bytes = (size_t)edges * sizeof *s->ones;
    s->contributions_bytes = ((size_t)vertices * sizeof(float) + 255) / 256 * 256;
    if (make_ones(s, edges, why)) return 1;
    if (finish(describe(s, vertices, edges, &plan->workspace_bytes), why)) return 1;
    plan->workspace_bytes += s->contributions_bytes;
    return 0;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    const step *s = (const step *)plan->state;
    const kz_ptr *b = call->buffers;
    unsigned n = (unsigned)problem->axes[0];
    float *contributions = (float *)call->workspace, *next = (float *)b[NEXT];
    char *own = (char *)call->workspace + s->contributions_bytes;
    contribute<<<(n + THREADS - 1) / THREADS, THREADS, 0, (cudaStream_t)call->stream>>>(
        (const unsigned *)b[OUT_OFFSETS], (const float *)b[RANK], contributions, next, (float)(0.15 / n), n);
    if (finish_cuda(cudaGetLastError(), why)) return 1;
    int status = api.set_stream(s->handle, (cudaStream_t)call->stream);
    if (status == 0) status = api.set_csr(s->matrix, (void *)b[IN_OFFSETS], (void *)b[IN_SOURCES], s->ones);
    if (status == 0) status = api.set_vector(s->from, contributions);
    if (status == 0) status = api.set_vector(s->to, next);
    if (status == 0)
        status = api.multiply(s->handle, AS_IT_IS, &DAMPING, s->matrix, s->from, &ONE, s->to, F32,
                              CSR_FIRST + plan->algorithm, own);
    return finish(status, why);
}

static void close_plan(kz_peer_plan *plan) {
    step *s = (step *)plan->state;
    if (!s) return;
    if (s->to) api.destroy_vector(s->to);
    if (s->from) api.destroy_vector(s->from);
    if (s->matrix) api.destroy_matrix(s->matrix);
    if (s->handle) api.destroy(s->handle);
    cudaFree(s->ones);
    free(s);
}

extern "C" __attribute__((visibility("default"))) const kz_peer *kz_peer_get(void) {
    static const kz_peer peer = {KZ_PEER_INTERFACE, "cusparse", false,      version, offers,
                                 prepare,           run,        close_plan, NULL};
    return &peer;
}

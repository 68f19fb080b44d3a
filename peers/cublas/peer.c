// cuBLAS as a rival: sgemm in single precision with TF32 off, products of half types with sums in single
// precision (hgemm, gemv), saxpy, and a transpose by geam.
//
// The library is opened when it is first asked for; KZ_CUBLAS names its file. cuBLAS thinks in columns: the
// transpose of a row-major matrix lies there without a move, and the transpose of a * b is b' * a'. Its workspace is
// given to it, so that it allocates nothing while a graph is recorded.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"

enum {
    AS_IT_IS = 0,         // CUBLAS_OP_N
    TRANSPOSED = 1,       // CUBLAS_OP_T
    F32 = 0,              // CUDA_R_32F
    F16 = 2,              // CUDA_R_16F
    BF16 = 14,            // CUDA_R_16BF
    COMPUTE_F32 = 68,     // CUBLAS_COMPUTE_32F
    ITS_CHOICE = -1,      // CUBLAS_GEMM_DEFAULT
    DEFAULT_MATH = 0,     // single precision is computed as such: TF32 is for those who ask for it
    WORKSPACE = 32 << 20, // what NVIDIA advises for Hopper
};

static struct {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*property)(int which, int *value);
    int (*set_stream)(void *handle, void *stream);
    int (*set_workspace)(void *handle, void *workspace, size_t bytes);
    int (*set_math)(void *handle, int mode);
    int (*sgemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k, const float *alpha,
                 const float *a, int a_column, const float *b, int b_column, const float *beta, float *c,
                 int c_column);
    int (*gemm)(void *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha,
                const void *a, int a_type, int a_column, const void *b, int b_type, int b_column,
                const void *beta, void *c, int c_type, int c_column, int compute, int algorithm);
    int (*saxpy)(void *handle, int n, const float *alpha, const float *x, int x_step, float *y, int y_step);
    int (*sgeam)(void *handle, int transpose_a, int transpose_b, int m, int n, const float *alpha,
                 const float *a, int a_column, const float *beta, const float *b, int b_column, float *c,
                 int c_column);
    const char *(*text)(int status);
} api;

// Opened once, for the life of the process.
static pthread_once_t once = PTHREAD_ONCE_INIT;
static peer_library library;

static void open_library(void) {
    static const peer_symbol symbols[] = {
        {"cublasCreate_v2", &api.create},     {"cublasDestroy_v2", &api.destroy},
        {"cublasGetProperty", &api.property}, {"cublasSetStream_v2", &api.set_stream},
        {"cublasSetMathMode", &api.set_math}, {"cublasSetWorkspace_v2", &api.set_workspace},
        {"cublasSgemm_v2", &api.sgemm},       {"cublasSaxpy_v2", &api.saxpy},
        {"cublasGetStatusString", &api.text}, {"cublasSgeam", &api.sgeam},
        {"cublasGemmEx", &api.gemm},
    };
    const peer_wanted wanted = {.variable = "KZ_CUBLAS",
                                .files = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"},
                                .symbols = symbols,
                                .symbol_count = sizeof symbols / sizeof symbols[0]};
    peer_library_open(&library, &wanted);
    int number[3] = {0};
    for (int i = 0; i < 3 && api.property; i++) api.property(i, &number[i]);
    snprintf(library.version, sizeof library.version, "%d.%d.%d", number[0], number[1], number[2]);
}

static const char *version(const char **why) {
    pthread_once(&once, open_library);
    return peer_library_version(&library, why);
}

// ---- operations ------------------------------------------------------------------------------------------

static float *at(kz_ptr address) { return (float *)(uintptr_t)address; }
static const float one = 1.0f, zero = 0.0f;

static int multiply(void *handle, const kz_peer_problem *p, const kz_ptr *b) {
    int m = (int)p->axes[0], n = (int)p->axes[1], k = (int)p->axes[2];
    return api.sgemm(handle, AS_IT_IS, AS_IT_IS, n, m, k, &one, at(b[1]), n, at(b[0]), k, &zero, at(b[2]), n);
}

// y' = W x': in columns W is k x n, to be transposed, x' is k x m and y' n x m.
static int multiply_tokens(void *handle, const kz_peer_problem *p, const kz_ptr *b) {
    int m = (int)p->axes[0], n = (int)p->axes[1], k = (int)p->axes[2], type = p->type == KZ_F16 ? F16 : BF16;
    return api.gemm(handle, TRANSPOSED, AS_IT_IS, n, m, k, &one, at(b[0]), type, k, at(b[2]), type, k, &zero,
                    at(b[3]), type, n, COMPUTE_F32, ITS_CHOICE);
}

// Letters of the operation: n as written, t transposed. In columns c' = b' * a', and what lies transposed is itself there.
static int multiply_halves(void *handle, const kz_peer_problem *p, const kz_ptr *b) {
    int m = (int)p->axes[0], n = (int)p->axes[1], k = (int)p->axes[2], type = p->type == KZ_F16 ? F16 : BF16;
    bool left = p->operation[0] == 't', right = p->operation[1] == 't';
    return api.gemm(handle, right ? TRANSPOSED : AS_IT_IS, left ? TRANSPOSED : AS_IT_IS, n, m, k, &one,
                    at(b[1]), type, right ? k : n, at(b[0]), type, left ? m : k, &zero, at(b[2]),
                    p->operation[2] ? F32 : type, n, COMPUTE_F32, ITS_CHOICE);
}

static int add_multiple(void *handle, const kz_peer_problem *p, const kz_ptr *b) {
    float a;
    memcpy(&a, &p->args[0].scalar, sizeof a);
    return api.saxpy(handle, (int)p->axes[0], &a, at(b[0]), 1, at(b[1]), 1);
}

// out = 1 * in' + 0 * out
static int transpose(void *handle, const kz_peer_problem *p, const kz_ptr *b) {
    int rows = (int)p->axes[0], columns = (int)p->axes[1];
    return api.sgeam(handle, TRANSPOSED, AS_IT_IS, rows, columns, &one, at(b[0]), columns, &zero, at(b[1]),
                     rows, at(b[1]), rows);
}

static const struct operation {
    const char *family, *operation, *name; // operation NULL: any
    uint32_t types;
    int axes; // that are sizes, each within 32 bits
    int (*run)(void *handle, const kz_peer_problem *problem, const kz_ptr *buffers);
} operations[] = {
    {"sgemm", NULL, "cublasSgemm", KZ_TYPE_BIT(F32), 3, multiply},
    {"hgemm", NULL, "cublasGemmEx", KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16), 3, multiply_halves},
    {"gemv", "dense", "cublasGemmEx", KZ_TYPE_BIT(F16) | KZ_TYPE_BIT(BF16), 3, multiply_tokens},
    {"saxpy", NULL, "cublasSaxpy", KZ_TYPE_BIT(F32), 1, add_multiple},
    {"transpose", NULL, "cublasSgeam", KZ_TYPE_BIT(F32), 2, transpose},
};

static const struct operation *find(const kz_peer_problem *problem) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *o = &operations[i];
        if (strcmp(o->family, problem->family) != 0 || !(o->types & 1u << problem->type)) continue;
        if (o->operation && strcmp(o->operation, problem->operation) != 0) continue;
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

static int finish(int status, const char **why) {
    if (status != 0) *why = api.text(status);
    return status != 0;
}

static int prepare(const kz_peer_problem *problem, kz_peer_plan *plan, const char **why) {
    (void)problem;
    pthread_once(&once, open_library);
    if (!peer_library_usable(&library, why)) return 1;
    plan->algorithms = 1;
    plan->workspace_bytes = WORKSPACE;
    int status = api.create(&plan->state);
    if (status == 0) status = api.set_math(plan->state, DEFAULT_MATH);
    return finish(status, why);
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    int status = api.set_stream(plan->state, call->stream);
    if (status == 0) status = api.set_workspace(plan->state, at(call->workspace), plan->workspace_bytes);
    if (status == 0) status = find(problem)->run(plan->state, problem, call->buffers);
    return finish(status, why);
}

static void close_plan(kz_peer_plan *plan) {
    if (plan->state) api.destroy(plan->state);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cublas", false, version, offers, prepare, run, close_plan};

const kz_peer *kz_peer_get(void) { return &peer; }

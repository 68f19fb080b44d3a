// cuBLAS as a rival: the products of product.h as far as cublasGemmEx has them, saxpy, and a transpose by geam. Single precision
// is computed as such, by cublasSgemm where sgemm asks.
//
// The library is opened when it is first asked for; KZ_CUBLAS names its file. Its workspace is given to it, so that it
// allocates nothing while a graph is recorded.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "peers/library.h"
#include "peers/peer.h"
#include "peers/product.h"

enum {
    AS_IT_IS = 0,         // CUBLAS_OP_N
    TRANSPOSED = 1,       // CUBLAS_OP_T
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
    int (*gemms)(void *handle, int transpose_a, int transpose_b, int m, int n, int k, const void *alpha,
                 const void *a, int a_type, int a_column, long long a_stride, const void *b, int b_type,
                 int b_column, long long b_stride, const void *beta, void *c, int c_type, int c_column,
                 long long c_stride, int count, int compute, int algorithm);
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
        {"cublasGemmEx", &api.gemm},          {"cublasGemmStridedBatchedEx", &api.gemms},
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

static int multiply_any(void *handle, const kz_peer_problem *problem, const kz_ptr *b) {
    product p;
    if (!product_find(problem, &p)) return 1;
    int m = (int)p.c.columns, n = (int)p.c.rows, k = (int)(p.a_transposed ? p.a.rows : p.a.columns);
    int left = p.b_transposed ? TRANSPOSED : AS_IT_IS, right = p.a_transposed ? TRANSPOSED : AS_IT_IS;
    const product_scalar alpha = product_scalar_of(&p, p.alpha), beta = product_scalar_of(&p, p.beta);
    if (p.count == 1)
        return api.gemm(handle, left, right, m, n, k, &alpha, at(b[p.b.buffer]), p.in, (int)p.b.ld,
                        at(b[p.a.buffer]), p.in, (int)p.a.ld, &beta, at(b[p.c.buffer]), p.out, (int)p.c.ld,
                        p.compute, ITS_CHOICE);
    return api.gemms(handle, left, right, m, n, k, &alpha, at(b[p.b.buffer]), p.in, (int)p.b.ld,
                     (long long)p.b.stride, at(b[p.a.buffer]), p.in, (int)p.a.ld, (long long)p.a.stride,
                     &beta, at(b[p.c.buffer]), p.out, (int)p.c.ld, (long long)p.c.stride, (int)p.count,
                     p.compute, ITS_CHOICE);
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
    const char *family, *name;
    int axes; // that are sizes, each within 32 bits
    int (*run)(void *handle, const kz_peer_problem *problem, const kz_ptr *buffers);
} operations[] = {
    // of f32
    {"sgemm", "cublasSgemm", 3, multiply},
    {"saxpy", "cublasSaxpy", 1, add_multiple},
    {"transpose", "cublasSgeam", 2, transpose},
};
static const struct operation any = {NULL, "cublasGemmEx", 3, multiply_any},
                              many = {NULL, "cublasGemmStridedBatchedEx", 3, multiply_any};

// Neither 8-bit floats nor epilogues: those are cuBLASLt's.
static const struct operation *find_product(const kz_peer_problem *problem) {
    product p;
    if (!product_find(problem, &p) || p.scales != PRODUCT_NO_SCALES || p.epilogue != PRODUCT_PLAIN)
        return NULL;
    return p.count > 1 ? &many : &any;
}

static const struct operation *find(const kz_peer_problem *problem) {
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const struct operation *o = &operations[i];
        if (strcmp(o->family, problem->family) != 0) continue;
        for (int k = 0; k < o->axes; k++)
            if (problem->axes[k] < 1 || problem->axes[k] > 0x7fffffff) return NULL;
        return problem->type == KZ_F32 ? o : NULL;
    }
    return find_product(problem);
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
    product p;
    pthread_once(&once, open_library);
    if (!peer_library_usable(&library, why)) return 1;
    *why = product_find(problem, &p) ? product_forbidden(&p) : NULL;
    if (*why) return 1;
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

static const kz_peer peer = {KZ_PEER_INTERFACE, "cublas", false,      version, offers,
                             prepare,           run,      close_plan, NULL};

const kz_peer *kz_peer_get(void) { return &peer; }

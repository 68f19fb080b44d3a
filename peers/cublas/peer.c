// cuBLAS as a rival: the products of product.h as far as cublasGemmEx has them, saxpy, and a transpose by geam. Single precision
// is computed as such, by cublasSgemm where sgemm asks.
//
// The sizes of groups are on the device, and it wants them on the host: they are read, and the addresses of the groups' matrices
// written to the device, before anything is timed (`pack`).
//
// The library is opened when it is first asked for; KZ_CUBLAS names its file. Its workspace is given to it, so that it
// allocates nothing while a graph is recorded.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers/cublas/grouped.h"
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
    // For groups; NULL where the library has none.
    grouped_multiply *in_groups;
    int (*get_vector)(int n, int bytes, const void *from, int from_step, void *to, int to_step);
    int (*set_vector)(int n, int bytes, const void *from, int from_step, void *to, int to_step);
} api;

typedef struct state { // of a plan
    void *handle;
    grouped groups; // of a problem that has groups
} state;

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
    if (!library.handle) return;
    *(void **)&api.in_groups = dlsym(library.handle, "cublasGemmGroupedBatchedEx");
    *(void **)&api.get_vector = dlsym(library.handle, "cublasGetVector");
    *(void **)&api.set_vector = dlsym(library.handle, "cublasSetVector");
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
                              many = {NULL, "cublasGemmStridedBatchedEx", 3, multiply_any},
                              groups = {NULL, "cublasGemmGroupedBatchedEx, sizes read before", 3, NULL};

// Neither 8-bit floats nor epilogues: those are cuBLASLt's.
static const struct operation *find_product(const kz_peer_problem *problem) {
    product p;
    if (!product_find(problem, &p) || p.scales != PRODUCT_NO_SCALES || p.epilogue != PRODUCT_PLAIN)
        return NULL;
    return p.grouped ? &groups : p.count > 1 ? &many : &any;
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
    bool is_product = product_find(problem, &p);
    *why = is_product ? product_forbidden(&p) : NULL;
    if (*why) return 1;
    *why = "cublasGemmGroupedBatchedEx came with cuBLAS 12.5: install a newer one, or name its file with "
           "KZ_CUBLAS";
    if (is_product && p.grouped && !(api.in_groups && api.get_vector && api.set_vector))
        return KZ_PEER_DOES_NOT;
    state *s = plan->state = calloc(1, sizeof *s);
    *why = "no memory";
    if (!s || (is_product && p.grouped && !grouped_open(&s->groups, p.count))) return 1;
    plan->algorithms = 1;
    plan->workspace_bytes = WORKSPACE;
    plan->packed_bytes = grouped_address_bytes(&s->groups);
    int status = api.create(&s->handle);
    if (status == 0) status = api.set_math(s->handle, DEFAULT_MATH);
    return finish(status, why);
}

// Sizes are the same in every set of buffers, addresses are not.
static int pack(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
                const char **why) {
    product p;
    grouped *g = &((state *)plan->state)->groups;
    if (!product_find(problem, &p) || !p.grouped) return 0;
    int status =
        api.get_vector(g->most + 1, sizeof *g->offsets, at(call->buffers[p.offsets]), 1, g->offsets, 1);
    if (status != 0) return finish(status, why);
    grouped_plan(g, &p, call->buffers);
    size_t addresses = grouped_address_bytes(g) / sizeof *g->addresses;
    return finish(api.set_vector((int)addresses, sizeof *g->addresses, g->addresses, 1, at(call->packed), 1),
                  why);
}

static int run_groups(const kz_peer_problem *problem, const state *s, kz_ptr addresses) {
    product p;
    return product_find(problem, &p) ? grouped_run(&s->groups, &p, api.in_groups, s->handle, addresses) : 1;
}

static int run(const kz_peer_problem *problem, const kz_peer_plan *plan, const kz_peer_call *call,
               const char **why) {
    const state *s = plan->state;
    const struct operation *o = find(problem);
    int status = api.set_stream(s->handle, call->stream);
    if (status == 0) status = api.set_workspace(s->handle, at(call->workspace), plan->workspace_bytes);
    if (status == 0)
        status =
            o == &groups ? run_groups(problem, s, call->packed) : o->run(s->handle, problem, call->buffers);
    return finish(status, why);
}

static void close_plan(kz_peer_plan *plan) {
    state *s = plan->state;
    if (!s) return;
    if (s->handle) api.destroy(s->handle);
    grouped_close(&s->groups);
    free(s);
}

static const kz_peer peer = {KZ_PEER_INTERFACE, "cublas", false,      version, offers,
                             prepare,           run,      close_plan, pack};

const kz_peer *kz_peer_get(void) { return &peer; }
